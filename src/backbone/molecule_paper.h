/* molecule_paper.h - the paper's encoder of molecules at any size: steerable messages along bonds. */
#ifndef BACKBONE_MOLECULE_PAPER_H
#define BACKBONE_MOLECULE_PAPER_H

#include <recon/nn/segnn.h>
#include "backbone/molecule_encoder.h"

typedef struct {
    recon_irreps hidden;     /* the paper's encoder: 100, 64, 16, 8; its maps: 50, 32, 8, 4      */
    size_t layers;           /* 6; 4                                                             */
    double radius;           /* of neighbours, Angstrom: 2                                       */
    size_t scalars, vectors; /* that are pooled: 512, 512. vectors 0: the network is invariant,
                                and apply sets *y to NULL                                        */
    size_t outputs;          /* length of the latent, or how many numbers a map answers          */
    size_t elements;
    int chiral; /* sees mirror images; 0: does not, as the paper's                               */
} recon_molecule_paper_shape;

/* As recon_molecule_paper_new, with parameters "NAME..". */
recon_status recon_molecule_paper_make(recon_ctx *ctx, recon_molecule_encoder **out,
                                       recon_params *params, const char *name,
                                       const recon_molecule_paper_shape *shape);

#endif
