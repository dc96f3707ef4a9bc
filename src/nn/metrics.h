/* metrics.h - readings of a run as lines of JSON. */
#ifndef NN_METRICS_H
#define NN_METRICS_H

#include <stdint.h>
#include <jansson.h>
#include <recon/core/ctx.h>

/* One line, whole or not at all. Takes line over; what cannot be written is a warning. */
void recon_metrics_append(recon_ctx *ctx, const char *path, json_t *line);

/* Leaves the lines whose "step" is at most step: what a resumed run has not repeated yet. due: it begins
 * with the validation after this step, whose line goes too. */
recon_status recon_metrics_cut(recon_ctx *ctx, const char *path, uint64_t step, int due);

#endif
