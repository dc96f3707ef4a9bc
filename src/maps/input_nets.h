/* input_nets.h (private) - Lambda and Theta as in the paper: two separate networks on the inputs,
 * trained on the pseudo-labels of Algorithm 1. In recon_maps they replace the first two heads on z.
 *
 * For images each is a steerable encoder like the backbone's with an MLP of two layers on its code
 * (image_nets.c), for molecules an invariant SEGNN of four layers (molecule_nets.c). They take two
 * more passes over every input, while the heads on z cost almost nothing. The recipes are the
 * paper's, with fewer epochs. */
#ifndef MAPS_INPUT_NETS_H
#define MAPS_INPUT_NETS_H

#include <recon/backbone/backbone.h>
#include <recon/core/safetensors.h>
#include <recon/maps/maps.h>
#include <recon/nn/params.h>
#include "backbone/encoder.h"
#include "maps/kind.h"

enum { RECON_INPUT_NETS = 2 }; /* Lambda and Theta, the first heads of either group */

typedef struct recon_input_nets recon_input_nets;

/* A batch for the networks. */
typedef struct {
    recon_ctx *ctx;
    const recon_input_nets *nets;
    const recon_data *data; /* training: where inputs come from */
    uint64_t seed;          /* training: of the views */
    size_t most;            /* inputs of a batch */
    void *own;              /* what the kind keeps for it */
} recon_input_feed;

/* The operations that differ between networks on images and on molecules. */
typedef struct {
    const char *name[RECON_INPUT_NETS]; /* what the entries of each begin with */
    const char *sized;                  /* the entry whose rows are `hidden` */
    const recon_head_kind *head;        /* [RECON_INPUT_NETS] */
    size_t size;                        /* of the struct, which begins with a recon_input_nets */
    recon_maps_options defaults;        /* held_out is that of the heads on z */
    int restarts;                       /* of the rate, see recon_head_training */
    double (*lambda_weight)(double number); /* of its loss; that of Theta is 1. number: the maps' */
    size_t (*bytes)(const recon_input_nets *nets); /* of one input in an array */
    recon_status (*add)(recon_ctx *ctx, recon_input_nets *nets, size_t hidden);
    recon_status (*freeze)(recon_ctx *ctx, recon_input_nets *nets); /* NULL: nothing to do */
    void (*free)(recon_input_nets *nets); /* what add has made beside parameters; NULL: nothing */
    recon_status (*feed_new)(recon_input_feed *feed);
    void (*feed_free)(recon_input_feed *feed);
    /* Make the input of `output`: look from a caller's batch, view from the data, for
     * recon_head_training. */
    recon_var (*look)(recon_input_feed *feed, recon_tape *tape, const void *inputs, size_t n);
    recon_var (*view)(recon_input_feed *feed, recon_tape *tape, const size_t *which, size_t n,
                      uint64_t draw);
    recon_var (*output)(const recon_input_feed *feed, recon_tape *tape, int head, recon_var x);
} recon_input_nets_kind;

extern const recon_input_nets_kind recon_image_nets, recon_molecule_nets;

struct recon_input_nets {
    const recon_input_nets_kind *kind;
    const recon_backbone *backbone; /* lent */
    recon_params *params;
};

/* Fits the networks to the targets, with the backbone's precision, on the same points as the heads
 * on z. The defaults are hidden 256 and batches of 128; for images 60 epochs (at least 600 steps)
 * at 1.35e-4 with warm restarts, for molecules 30 epochs (300 steps) at 4.83e-4. There is no decay
 * and no dropout. The backbone must outlive the networks; both may serve many threads. A backbone
 * that `recon train` does not make is RECON_ERR_INPUT. */
recon_status recon_input_nets_fit(recon_ctx *ctx, recon_input_nets **out,
                                  const recon_backbone *backbone, const recon_data *data,
                                  const recon_targets *targets, const recon_maps_options *options);
void recon_input_nets_free(recon_ctx *ctx, recon_input_nets *nets);

/* From an open file, for the same backbone; path is for messages. */
recon_status recon_input_nets_read(recon_ctx *ctx, recon_input_nets **out,
                                   const recon_backbone *backbone, const recon_safetensors *file,
                                   const char *path);

/* Runs the networks that are in `heads`, bits of the group's heads, on n inputs as the backbone
 * takes them. out is an array of the group's maps, whose other fields are not changed; number is
 * maps->number. An input with a number that is not finite gives NaN. */
recon_status recon_input_nets_apply(recon_ctx *ctx, void *out /* [n] */,
                                    const recon_input_nets *nets, unsigned heads, double number,
                                    const void *inputs, size_t n);

/* One of the networks on images, its encoder and the MLP on the code; lent. */
typedef struct {
    const recon_encoder *encoder;
    const recon_mlp *out;
} recon_image_net;
recon_image_net recon_image_nets_at(const recon_input_nets *nets, int head);

/* RECON_ERR_INPUT if there are no such networks for this backbone. */
recon_status recon_input_nets_check(recon_ctx *ctx, const recon_backbone *backbone);

#endif
