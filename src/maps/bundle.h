/* bundle.h (private) - heads side by side on one embedding, and what is kept with them: how z is
 * standardised, what scores are usual, and one number more.
 *
 * What the maps of SO(2) and of SO(3) have in common; they differ in their heads, in what a map of
 * one input is, and in what that number says. */
#ifndef MAPS_BUNDLE_H
#define MAPS_BUNDLE_H

#include <recon/nn/layers.h>
#include "maps/calibration.h"
#include "maps/head.h"
#include "maps/tails.h"

typedef struct {
    const recon_head_kind *head; /* [heads]; the first one's layers tell a file's sizes */
    int heads;
    size_t map;         /* bytes of one input's map             */
    const char *number; /* the name by which files hold number  */
} recon_bundle_kind;

typedef struct {
    const recon_bundle_kind *kind;
    size_t d, hidden, weights;
    double number;
    recon_params *params;
    recon_mlp head[RECON_HEADS_MOST];
    struct { /* buffers in params, which files hold */
        recon_param *mean, *scale, *quantiles, *scores, *number;
        recon_param *tails; /* NULL: from a file that has none */
    } kept;
    double *mean, *scale; /* [d], the same in host memory */
    recon_calibration calibration;
    recon_tails tails;
} recon_bundle;

/* New networks; number and calibration are yet to be set. Free it whatever the status; one that is
 * all zeros is free. */
recon_status recon_bundle_new(recon_ctx *ctx, recon_bundle *out, const recon_bundle_kind *kind,
                              size_t d, size_t hidden, double dropout, uint64_t seed);
void recon_bundle_free(recon_ctx *ctx, recon_bundle *bundle);

/* From a file, which may hold more. number is as the file has it: check it. */
recon_status recon_bundle_open(recon_ctx *ctx, recon_bundle *out, const recon_bundle_kind *kind,
                               const char *path);

/* Writes mean, scale, calibration and number to their buffers, so that they are saved. */
recon_status recon_bundle_keep(recon_ctx *ctx, recon_bundle *bundle);

/* Runs the heads whose bits are set over n embeddings and hands their maps, some at a time, to
 * take, with the number of the first. An embedding that is not finite is RECON_ERR_INPUT. */
typedef recon_status recon_take_maps(recon_ctx *ctx, void *user, size_t at, void *maps, size_t n);
recon_status recon_bundle_apply(recon_ctx *ctx, const recon_bundle *bundle, unsigned heads,
                                const float *z, size_t n, recon_take_maps *take, void *user);

#endif
