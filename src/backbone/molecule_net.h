/* molecule_net.h (private) - the autoencoder of molecules: its parts, its use and its training. */
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
    recon_molecule_trunk trunk[2]; /* else only the first is there */
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

/* Makes a model with the weights of a file, which is lent; file NULL: untrained. */
recon_status recon_molecule_net_make(recon_ctx *ctx, recon_molecule_net **out,
                                     const recon_molecule_net_shape *shape,
                                     recon_precision precision, const recon_safetensors *file,
                                     const char *path, uint64_t seed);

/* Packs n conformers for this model; nodes and each as in recon_molecule_pack_options. */
recon_status recon_molecule_net_pack(recon_ctx *ctx, recon_molecule_pack *pack,
                                     const recon_molecule_net *model, const recon_conformer *x,
                                     const recon_so3 *rotation, size_t n, size_t nodes,
                                     size_t each);

/* Makes all copies for a step; edges as in recon_molecule_encoder, rows as in
 * recon_molecule_batch_feed. */
typedef struct {
    recon_molecule_batch batch;
    recon_molecule_tables tables;
} recon_molecule_net_fed;
recon_status recon_molecule_net_feed(recon_tape *tape, recon_molecule_net_fed *out,
                                     const recon_molecule_net *model,
                                     const recon_molecule_pack *pack, size_t edges,
                                     const recon_slices *rows);

/* The outputs of the encoder: z [n][code] (the latent if the shape is not mapped), the vectors y
 * [n][3][3], and the pose r [n][9] and shift [n][3] computed from them. */
typedef struct {
    recon_var latent, z, y, r, shift;
} recon_molecule_net_seen;
void recon_molecule_net_see(recon_tape *tape, recon_molecule_net_seen *out,
                            const recon_molecule_net *model, const recon_molecule_net_fed *fed);

/* The reconstruction of each node: *xyz [nodes][3], *scores [nodes][elements]; 0 for nodes that the
 * decoder does not output. */
void recon_molecule_net_rebuild(recon_tape *tape, recon_var *xyz, recon_var *scores,
                                const recon_molecule_net *model, const recon_molecule_net_fed *fed,
                                const recon_molecule_net_seen *seen);

/* The mean distance of the reconstructed coordinates plus weight times the mean cross-entropy of
 * the elements, over the atoms that the decoder outputs. */
recon_var recon_molecule_net_rebuild_loss(recon_tape *tape, const recon_molecule_net *model,
                                          const recon_molecule_net_fed *fed,
                                          const recon_molecule_net_seen *seen, double weight);

/* An open model is immutable: many threads may use it, each with its own context on the backend
 * that it was opened with. */
recon_status recon_molecule_net_open(recon_ctx *ctx, recon_molecule_net **out, const char *path,
                                     recon_precision precision);
void recon_molecule_net_close(recon_ctx *ctx, recon_molecule_net *model);
recon_molecule_net_shape recon_molecule_net_describe(const recon_molecule_net *model);

/* The model's outputs for n conformers; any array may be NULL. */
typedef struct {
    float *z;       /* [n][code] */
    float *latent;  /* [n][latent] */
    recon_so3 *psi; /* [n] */
    float *shift;   /* [n][3], t: Angstrom, from the mean of the atoms' places */
} recon_molecule_net_answer;

/* Embeds conformers of any size; an element that the model does not know is RECON_ERR_INPUT. If
 * the vectors of a conformer are parallel or zero (atoms on a line), its pose is an arbitrary
 * rotation. */
recon_status recon_molecule_net_embed(recon_ctx *ctx, const recon_molecule_net_answer *out,
                                      const recon_molecule_net *model, const recon_conformer *x,
                                      size_t n);
/* Decodes n latents to canonical molecules x_hat: places [n][slots][3] and element scores
 * [n][slots][elements], either of which may be NULL. */
recon_status recon_molecule_net_decode(recon_ctx *ctx, float *places, float *scores,
                                       const recon_molecule_net *model, const float *latent,
                                       size_t n);

/* The reconstruction error of a conformer, over the atoms that the decoder has slots for. */
typedef struct {
    float l1;          /* mean over coordinates, Angstrom */
    float rmsd, heavy; /* over all atoms; over all but hydrogen (NaN: none) */
    float elements;    /* share of the atoms whose element is right */
} recon_molecule_net_error;
recon_status recon_molecule_net_reconstruct(recon_ctx *ctx, recon_molecule_net_error *out /* [n] */,
                                            const recon_molecule_net *model,
                                            const recon_conformer *x, size_t n);

/* --- training (molecule_net_train.c) --- */

/* The neighbours that the terms may pair. */
typedef enum {
    RECON_PAIRS_BONDS,   /* equal elements, in their order, and equal bonds: one molecule */
    RECON_PAIRS_ELEMENTS /* equal elements in their order, whatever the bonds; atoms are laid over
                            each other by their numbers */
} recon_pairs;

/* The settings of recon_molecule_net_recipe, then those of recon_training. Zero in any field means
 * its default; a negative weight means none. */
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

/* Trains a model and writes the epoch with the smallest loss on held. held NULL: one conformer in
 * RECON_HELD_OUT of each molecule is held out from data. The state of the first stage is in
 * PATH.stage1. */
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
