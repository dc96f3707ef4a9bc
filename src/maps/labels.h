/* labels.h (private) - what the heads are taught: standardised embeddings and a target for each
 * head, as plain arrays. */
#ifndef MAPS_LABELS_H
#define MAPS_LABELS_H

#include <recon/normalize/normalize.h>
#include "maps/heads.h"

typedef struct {
    size_t n, d;
    float *z;                      /* [n][d] standardised                          */
    double *mean, *scale;          /* [d]: z = (raw - mean) scale                  */
    float *target[RECON_HEADS];    /* [n][recon_heads[h].targets]                  */
    recon_so2_family theta_family; /* what theta is: RECON_SO2_UNIFORM or _NORMAL  */
} recon_labels;

recon_status recon_labels_make(recon_ctx *ctx, recon_labels *out, const recon_embedded *data,
                               const recon_frames *frames);
void recon_labels_free(recon_labels *labels);

/* RECON_ERR_INPUT for a number that is not finite. */
recon_status recon_embeddings_check(recon_ctx *ctx, const float *z, size_t n, size_t d);

/* out = (raw - mean) scale, n rows of d. */
void recon_standardize(float *out, const float *raw, size_t n, size_t d, const double *mean,
                       const double *scale);

#endif
