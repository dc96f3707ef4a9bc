/* summary.h (private) - computes summary.json, the results of a discovery in numbers. */
#ifndef MODEL_SUMMARY_H
#define MODEL_SUMMARY_H

#include <jansson.h>
#include <recon/model/discover.h>
#include "data/formats.h"

typedef struct {
    const recon_discover_options *options;
    const recon_data *data;
    uint64_t identity; /* of the data */
    const recon_embedded *embedded;
    const recon_frames *frames;
    const void *maps; /* [rows] of the same points: recon_so2_map or recon_so3_map, by the group */
    recon_lambda lambda;
    const double *inconsistency; /* [rows], or NULL: see recon_backbone_kind */
    const char *mean;            /* the kind of mean that Gamma is */
    const char *theta;           /* the family whose width Theta is; NULL: none */
    const char *backend;
} recon_summary_input;

/* Fills in out except its seconds, which must be set; out->summary is the text of *summary. */
recon_status recon_summarize(recon_ctx *ctx, json_t **summary, recon_discovery *out,
                             const recon_summary_input *f);

/* Adds what only molecules have: their number, symmetric ones, and the readings of each. */
recon_status recon_summarize_molecules(recon_ctx *ctx, json_t **summary, recon_discovery *out,
                                       const recon_summary_input *f);

/* Counts the rotations that leave a conformer unchanged (recon_rmsd_symmetry_number), with bonds
 * perceived from its coordinates; 1 if it is too large. */
recon_status recon_symmetry_number(recon_ctx *ctx, size_t *out, const recon_conformer *x);

/* Adds "source" to *out: spec, rotate, rotate_seed, seed, limit, size, skip_bad, picture_most,
 * not_read, transparent, without those that were not given; or nothing if the source is NULL or its
 * spec is not UTF-8. Fails like recon_json_put. */
void recon_source_add(json_t **out, const recon_source *source);

#endif
