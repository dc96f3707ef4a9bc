/* molecule_net.h (private) - the parts of the model, and what it does on a tape. */
#ifndef BACKBONE_MOLECULE_NET_H
#define BACKBONE_MOLECULE_NET_H

#include <recon/backbone/backbone.h>
#include <recon/backbone/networks.h>
#include <recon/nn/layers.h>
#include "backbone/molecule_encoder.h"
#include "backbone/molecule_frame.h"

/* --- the decoder: latents to canonical molecules (molecule_decoder.c) --- */

enum { RECON_MOLECULE_BLOCKS = 3 };

typedef struct {
    recon_linear first, block[RECON_MOLECULE_BLOCKS][2];
} recon_molecule_trunk;

typedef struct {
    size_t slots, elements;
    int split; /* two trunks, one for places and one for elements (the paper's) */
    recon_molecule_trunk
        trunk[2]; /* else only the first is there                                  */
    recon_linear places, scores;
} recon_molecule_decoder;

recon_status recon_molecule_decoder_add(recon_ctx *ctx, recon_molecule_decoder *out,
                                        recon_params *params, const char *name,
                                        const recon_molecule_net_shape *shape);

/* latent [n][latent], float; *places [n][slots][3] and *scores [n * slots][elements], float. */
void recon_molecule_decoder_apply(recon_tape *tape, const recon_molecule_decoder *decoder,
                                  recon_var latent, recon_var *places, recon_var *scores);

/* --- the model --- */

typedef struct recon_molecule_net recon_molecule_net;

struct recon_molecule_net {
    recon_backbone base; /* first: a pointer to the one is a pointer to the other */
    recon_molecule_net_shape shape;
    recon_molecule_encoder *encoder;
    recon_molecule_decoder decoder;
    recon_linear map; /* latent to z, where the shape is mapped */
};

/* Fills in the preset's defaults and checks the rest. */
recon_status recon_molecule_net_shape_complete(recon_ctx *ctx, recon_molecule_net_shape *shape);

/* With the weights of a file, which is lent; file NULL: untrained. */
recon_status recon_molecule_net_make(recon_ctx *ctx, recon_molecule_net **out,
                                     const recon_molecule_net_shape *shape,
                                     recon_precision precision, const recon_safetensors *file,
                                     const char *path, uint64_t seed);

/* n conformers to the pack as this model wants them; nodes and each as in
 * recon_molecule_pack_options. */
recon_status recon_molecule_net_pack(recon_ctx *ctx, recon_molecule_pack *pack,
                                     const recon_molecule_net *model, const recon_conformer *x,
                                     const recon_so3 *rotation, size_t n, size_t nodes,
                                     size_t each);

/* All copies that a step needs; edges as in recon_molecule_encoder, rows as in
 * recon_molecule_batch_feed. */
typedef struct {
    recon_molecule_batch batch;
    recon_molecule_tables tables;
} recon_molecule_net_fed;
recon_status recon_molecule_net_feed(recon_tape *tape, recon_molecule_net_fed *out,
                                     const recon_molecule_net *model,
                                     const recon_molecule_pack *pack, size_t edges,
                                     const recon_slices *rows);

/* What the encoder sees: z [n][code] (the latent where the shape is not mapped), the vectors as
 * they come, y [n][3][3], and what is made of them, r [n][9] and shift [n][3]. */
typedef struct {
    recon_var latent, z, y, r, shift;
} recon_molecule_net_seen;
void recon_molecule_net_see(recon_tape *tape, recon_molecule_net_seen *out,
                            const recon_molecule_net *model, const recon_molecule_net_fed *fed);

/* The molecules put back together, node by node: *xyz [nodes][3], *scores [nodes][elements]; 0 for
 * nodes that the decoder does not make. */
void recon_molecule_net_rebuild(recon_tape *tape, recon_var *xyz, recon_var *scores,
                                const recon_molecule_net *model, const recon_molecule_net_fed *fed,
                                const recon_molecule_net_seen *seen);

/* Mean distance of the rebuilt coordinates plus weight times the elements' mean cross-entropy, over
 * the atoms that the decoder makes. */
recon_var recon_molecule_net_rebuild_loss(recon_tape *tape, const recon_molecule_net *model,
                                          const recon_molecule_net_fed *fed,
                                          const recon_molecule_net_seen *seen, double weight);

/* A model that is open does not change: many threads may use it, each with a context of its own on
 * the backend that it was opened with. */
recon_status recon_molecule_net_open(recon_ctx *ctx, recon_molecule_net **out, const char *path,
                                     recon_precision precision);
void recon_molecule_net_close(recon_ctx *ctx, recon_molecule_net *model);
recon_molecule_net_shape recon_molecule_net_describe(const recon_molecule_net *model);

/* What the model says of n conformers; any array may be NULL. */
typedef struct {
    float *z;       /* [n][code]                                                   */
    float *latent;  /* [n][latent]                                                 */
    recon_so3 *psi; /* [n]                                                         */
    float *shift;   /* [n][3], t: Angstrom, from the mean of the atoms' places     */
} recon_molecule_net_answer;

/* Conformers of any size; an element that the model does not know is RECON_ERR_INPUT. A conformer
 * whose vectors are parallel or zero (atoms on a line) gets a pose of no meaning,
 * but a rotation. */
recon_status recon_molecule_net_embed(recon_ctx *ctx, const recon_molecule_net_answer *out,
                                      const recon_molecule_net *model, const recon_conformer *x,
                                      size_t n);
/* The canonical molecules x_hat of n latents: places [n][slots][3] and element scores
 * [n][slots][elements], either of which may be NULL. */
recon_status recon_molecule_net_decode(recon_ctx *ctx, float *places, float *scores,
                                       const recon_molecule_net *model, const float *latent,
                                       size_t n);

/* How well one conformer is rebuilt, over the atoms the decoder has slots for. */
typedef struct {
    float l1;          /* mean over coordinates, Angstrom            */
    float rmsd, heavy; /* over all atoms; over all but hydrogen (NaN: none) */
    float elements;    /* share of the atoms whose element is right  */
} recon_molecule_net_error;
recon_status recon_molecule_net_reconstruct(recon_ctx *ctx, recon_molecule_net_error *out /* [n] */,
                                            const recon_molecule_net *model,
                                            const recon_conformer *x, size_t n);

/* --- training (molecule_net_train.c) --- */

/* Which neighbours the terms may pair. */
typedef enum {
    RECON_PAIRS_BONDS,   /* equal elements, in their order, and equal bonds: one molecule        */
    RECON_PAIRS_ELEMENTS /* equal elements in their order, whatever the bonds; atoms are laid over
                            each other by their numbers                                          */
} recon_pairs;

/* The numbers of recon_molecule_net_recipe, then what recon_training has. Zero in any field means its
 * default; a negative weight means none. */
typedef struct {
    recon_molecule_net_shape shape;
    size_t epochs, before, batch; /* before: of the epochs the first stage's; see the recipe */
    double rate, element, align, contrast, temperature;
    recon_pairs pairs;
    uint64_t seed, every, patience;
    recon_precision precision;
    int resume, overwrite;
    const char *data, *rotate;
} recon_molecule_net_options;

/* The epoch with the smallest loss on held is written. held NULL: one conformer in RECON_HELD_OUT of
 * each molecule is held out from data. The state of the first stage is kept in PATH.stage1. */
recon_status recon_molecule_net_train(recon_ctx *ctx, recon_train_result *result,
                                      const recon_molecules *data, const recon_molecules *held,
                                      const char *path, const recon_molecule_net_options *options);

/* See recon_backbone_kind. */
recon_status recon_molecule_net_prepare(recon_ctx *ctx, recon_training *training,
                                        recon_data_options *as);
recon_status recon_molecule_net_train_kind(recon_ctx *ctx, recon_train_result *result,
                                           const recon_data *data, const char *path,
                                           const recon_training *training);

/* See recon_backbone_kind. */
recon_status recon_molecule_net_refit(recon_ctx *ctx, const char *path,
                                      const recon_backbone *backbone, const recon_safetensors *file,
                                      const recon_data *data, recon_precision precision);

/* See recon_backbone_kind. */
recon_status recon_molecule_net_inconsistency(recon_ctx *ctx, double *out, const recon_data *data,
                                              const recon_embedded *points);

#endif
