/* findings.h - the verdict of each class with its modes, and their arrays in the frames. */
#ifndef NORMALIZE_FINDINGS_H
#define NORMALIZE_FINDINGS_H

#include <jansson.h>
#include <recon/normalize/normalize.h>
#include <recon/group/mean.h>

/* The verdict on the natural pose of a class. */
typedef struct {
    recon_natural natural;
    int fold, symmetry;
    double axis[2][3]; /* with group->has_axis */
} recon_class_verdict;

/* Returns the recon_symmetry_code that a verdict implies if no group of rotations is named. */
int recon_symmetry_of(recon_natural natural, int fold);

/* The length of a class's modes: RECON_FRAME_MODES poses, each followed by its weight, heaviest
 * first, unused ones with the weight 0; then the free directions, of this length. */
size_t recon_class_verdict_free(const recon_group *group);
size_t recon_class_verdict_modes(const recon_group *group);
void recon_class_verdict_take(recon_class_verdict *out, double *modes, const recon_group *group,
                              const recon_center *center);

/* Allocates verdict, fold, symmetry, modes and axis of the frames. */
recon_status recon_findings_alloc(recon_ctx *ctx, recon_frames *frames);
void recon_findings_free(recon_frames *frames);
void recon_class_verdict_put(recon_frames *frames, size_t row, const recon_class_verdict *finding,
                             const double *modes);
void recon_class_verdict_clear(recon_frames *frames, size_t row); /* a row without a class */
void recon_class_verdict_doubt(recon_frames *frames, size_t row); /* "cannot tell" */

/* Counts frames->verdict into frames->natural. */
void recon_findings_count(recon_frames *frames);

/* Changes the verdict of row i from one natural pose or an axis to "cannot tell". Others stay. */
void recon_frames_make_unsure(recon_frames *frames, size_t i);

/* Adds to count[code] the rows of each symmetry (recon_symmetry_code). */
enum { RECON_SYMMETRY_CODES = RECON_SYMMETRY_SPIN + 1 };
void recon_findings_count_symmetries(size_t *count, const recon_frames *frames);

/* These counts of the symmetries that are named, other than C1: {"C4": rows, ...}. */
json_t *recon_findings_symmetries(const size_t *count);

/* Adds the rows with each free direction; and these counts by name: {"any shift along x": rows, ...}. */
void recon_findings_count_free(size_t *count /* [RECON_DIRECTIONS] */, const recon_frames *frames);
json_t *recon_findings_free_directions(const size_t *count, const recon_group *group);

#endif
