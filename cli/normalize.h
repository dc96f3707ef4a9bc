/* normalize.h - `recon normalize`, for those who run it within something larger. */
#ifndef CLI_NORMALIZE_H
#define CLI_NORMALIZE_H

#include "cli/cli.h"

/* What was asked for. Zero in any field means its default. */
typedef struct {
    const char *z, *poses, *labels, *query[2], *query_labels, *out;
    int group, mean, metric, family, classes, approx; /* places among the choices */
    int include_self;
    double tukey_degrees, eps;
    size_t k; /* 0: not given */
    cli_common common;
} normalize_settings;

typedef struct {
    size_t points, dimensions;
    recon_frames frames;
    double seconds; /* to read and to answer */
    char *summary;  /* what summary.json says */
} normalize_result;

/* Reads the files, and writes the answer into the folder s->out. Free always. */
recon_status normalize_files(recon_ctx *ctx, normalize_result *out, const normalize_settings *s);
void normalize_free(normalize_result *result);

#endif
