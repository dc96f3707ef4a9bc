/* input_nets.h (private) - Lambda and Theta as the paper has them: two networks of their own on the
 * inputs, trained on the pseudo-labels of Algorithm 1. In recon_maps they stand in the place of the
 * first two heads on z.
 *
 * On images each is a steerable encoder like the backbone's with an MLP of two layers behind its code
 * (image_nets.c), on molecules an invariant SEGNN of four layers (molecule_nets.c). Two more passes
 * over every input, where the heads on z cost next to nothing. Recipes are the paper's, but for fewer
 * epochs. */
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

/* A batch on its way into the networks. */
typedef struct {
    recon_ctx *ctx;
    const recon_input_nets *nets;
    const recon_data *data; /* training: where inputs come from */
    uint64_t seed;          /* training: of the views           */
    size_t most;            /* inputs of a batch                */
    void *own;              /* what the kind keeps for it       */
} recon_input_feed;

/* What the networks on images and on molecules do differently. */
typedef struct {
    const char
        *name[RECON_INPUT_NETS]; /* what the entries of each begin with                     */
    const char *sized;           /* the entry whose rows are `hidden`                       */
    const recon_head_kind *head; /* [RECON_INPUT_NETS]                                      */
    size_t size;                 /* of the struct, which begins with a recon_input_nets     */
    recon_maps_options defaults; /* held_out is that of the heads on z                      */
    int restarts;                /* of the rate, see recon_head_training                    */
    double (*lambda_weight)(
        double number); /* of its loss; that of Theta is 1. number: the maps'  */
    size_t (*bytes)(
        const recon_input_nets *nets); /* of one input in an array                     */
    recon_status (*add)(recon_ctx *ctx, recon_input_nets *nets, size_t hidden);
    recon_status (*freeze)(recon_ctx *ctx,
                           recon_input_nets *nets); /* NULL: nothing to do         */
    void (*free)(
        recon_input_nets *nets); /* what add has made beside parameters; NULL: nothing    */
    recon_status (*feed_new)(recon_input_feed *feed);
    void (*feed_free)(recon_input_feed *feed);
    /* Inputs as the networks see them: of a batch of the caller's, and of the data as
     * recon_head_training asks. What the one returns, `output` takes. */
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

/* Fits the networks to the targets of the inputs of data, with the backbone's precision. The points
 * held out are those of the heads on z. Of the options the defaults are hidden 256 and, on images, 60
 * epochs (of a few images as many as make 600 steps) of 128 at 1.35e-4 with warm restarts; on
 * molecules 30 (300 steps) of 128 at 4.83e-4. There is no decay and no dropout. The backbone is lent
 * and must outlive the networks; like them it may serve many threads. One that `recon train` does not
 * make is RECON_ERR_INPUT. */
recon_status recon_input_nets_fit(recon_ctx *ctx, recon_input_nets **out,
                                  const recon_backbone *backbone, const recon_data *data,
                                  const recon_targets *targets, const recon_maps_options *options);
void recon_input_nets_free(recon_ctx *ctx, recon_input_nets *nets);

/* From an open file, for the same backbone; path is for messages. */
recon_status recon_input_nets_read(recon_ctx *ctx, recon_input_nets **out,
                                   const recon_backbone *backbone, const recon_safetensors *file,
                                   const char *path);

/* What those of the networks say that are among `heads`, bits of the group's heads, of n inputs as the
 * backbone takes them: out is an array of the group's maps, whose other fields are left as they are.
 * number is the maps'. An input with a number that is not finite gives NaN. */
recon_status recon_input_nets_apply(recon_ctx *ctx, void *out /* [n] */,
                                    const recon_input_nets *nets, unsigned heads, double number,
                                    const void *inputs, size_t n);

/* One of the networks on images: its encoder, and the MLP on its code. Lent. */
typedef struct {
    const recon_encoder *encoder;
    const recon_mlp *out;
} recon_image_net;
recon_image_net recon_image_nets_at(const recon_input_nets *nets, int head);

/* RECON_ERR_INPUT where there are no such networks for this backbone. */
recon_status recon_input_nets_check(recon_ctx *ctx, const recon_backbone *backbone);

#endif
