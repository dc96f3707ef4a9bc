/* molecule_encoder.h - the interface of encoders of molecules, from a batch of atoms to latents and
 * vectors.
 *
 * An encoder is a struct that begins with a recon_molecule_encoder and adds its layers. It is made
 * before recon_params_make and does not change afterwards; data of a batch are in the batch. It
 * computes in the tape's type of activations and returns float. It must not use recon_tape_pass,
 * because the batch is needed later. */
#ifndef BACKBONE_MOLECULE_ENCODER_H
#define BACKBONE_MOLECULE_ENCODER_H

#include <recon/backbone/networks.h>
#include <recon/nn/segnn.h>
#include "backbone/molecule_batch.h"

typedef struct recon_molecule_encoder recon_molecule_encoder;
struct recon_molecule_encoder {
    /* Copies what the encoder needs in addition to the batch, such as a graph of neighbours, into
     * batch->edge. edges is the capacity; 0: as many as there are. May be NULL. */
    recon_status (*feed)(recon_tape *tape, const recon_molecule_encoder *encoder,
                         recon_molecule_batch *batch, const recon_molecule_pack *pack,
                         size_t edges);
    /* Returns the number of edges of a conformer, from which a run computes its capacity. NULL:
     * none. */
    size_t (*edges)(const recon_molecule_encoder *encoder, const recon_conformer *x);
    /* *latent [n][shape.latent], *y [n][3][3] float: y[.][k][v] is component k of vector v, in the
     * order y1, y2, shift. */
    void (*apply)(recon_tape *tape, const recon_molecule_encoder *encoder,
                  const recon_molecule_batch *batch, recon_var *latent, recon_var *y);
    void (*free)(
        recon_molecule_encoder *encoder); /* itself and what it holds; parameters are params' */
};

/* Make an encoder and add its parameters "encoder..." to params. They use preset, width, layers (0:
 * the encoder's own default), radius, latent and elements of shape. On failure *out is NULL. */
recon_status recon_molecule_fast_new(recon_ctx *ctx, recon_molecule_encoder **out,
                                     recon_params *params, const recon_molecule_net_shape *shape);
recon_status recon_molecule_paper_new(recon_ctx *ctx, recon_molecule_encoder **out,
                                      recon_params *params, const recon_molecule_net_shape *shape);

/* The paper's encoder at any size: steerable messages along bonds. */
typedef struct {
    recon_irreps hidden;     /* the paper's encoder: 100, 64, 16, 8; its maps: 50, 32, 8, 4 */
    size_t layers;           /* 6; 4 */
    double radius;           /* of neighbours, Angstrom: 2 */
    size_t scalars, vectors; /* that are pooled: 512, 512. vectors 0: the network is invariant,
                                and apply sets *y to NULL */
    size_t outputs;          /* length of the latent, or how many numbers a map answers */
    size_t elements;
    int chiral; /* sees mirror images; 0: does not, as the paper's */
} recon_molecule_paper_shape;

/* As recon_molecule_paper_new, with parameters "NAME..". */
recon_status recon_molecule_paper_make(recon_ctx *ctx, recon_molecule_encoder **out,
                                       recon_params *params, const char *name,
                                       const recon_molecule_paper_shape *shape);

#endif
