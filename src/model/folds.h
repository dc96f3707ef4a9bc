/* folds.h (private) - calibration on few inputs.
 *
 * A tenth of 80 inputs is 8, and the backbone was trained on them, so they calibrate badly. Instead
 * the backbone, Algorithm 1 and the maps are fitted again on all but one part of the inputs, for
 * each part in turn, and the scores of these parts are pooled. They are only used for the
 * calibration. */
#ifndef MODEL_FOLDS_H
#define MODEL_FOLDS_H

#include <recon/model/discover.h>
#include "maps/maps.h"

enum { RECON_FOLDS = 5, RECON_FOLDS_BELOW = 500 /* inputs */ };

typedef struct {
    const char *model; /* the backbone's file */
    const recon_backbone *backbone;
    const recon_data *data;
    const recon_discover_options *options;
    const char *dir;     /* for files that are removed again */
    double maps_seconds; /* that fitting them to all inputs took */
} recon_folds_job;

/* Classes and centres of embedded points, as discover finds them. */
recon_status recon_discover_frames(recon_ctx *ctx, recon_frames *out, const recon_embedded *points,
                                   const recon_backbone_kind *kind,
                                   const recon_discover_options *options);

/* How many folds there will be, as asked or by the number of inputs; 0: none, and the log warns
 * where there should be some. */
size_t recon_folds_count(recon_ctx *ctx, const recon_folds_job *job);

/* Calibrates maps, which were fitted to all inputs; to scores [inputs] the score of each by the maps that have not
 * seen it. The log says how long it will take. */
recon_status recon_folds_calibrate(recon_ctx *ctx, double *scores, recon_maps *maps, size_t folds,
                                   const recon_folds_job *job);

#endif
