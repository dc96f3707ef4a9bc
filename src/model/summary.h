/* summary.h (private) - what was discovered, in numbers: the text of summary.json. */
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
    const char *mean;            /* what Gamma is */
    const char *theta;           /* the family that Theta is the width of; NULL: of none */
    const char *backend;
} recon_summary_input;

/* Fills in everything of out but the seconds, which it reads; its summary is *summary as text. */
recon_status recon_summarize(recon_ctx *ctx, json_t **summary, recon_discovery *out,
                             const recon_summary_input *f);

/* What molecules alone have: how many there are, which look the same after a rotation, and the
 * readings of each. */
recon_status recon_summarize_molecules(recon_ctx *ctx, json_t **summary, recon_discovery *out,
                                       const recon_summary_input *f);

/* The rotations that leave a conformer as it is (recon_rmsd_symmetry_number), by the bonds that its places
 * show; 1 where it is too large to ask. */
recon_status recon_symmetry_number(recon_ctx *ctx, size_t *out, const recon_conformer *x);

/* "source" of *out: spec, rotate, rotate_seed, seed, limit, size, skip_bad, picture_most, not_read,
 * transparent; what was not said is left out, and so is the whole where the source is NULL or its
 * spec is not UTF-8. As recon_json_put. */
void recon_source_add(json_t **out, const recon_source *source);

#endif
