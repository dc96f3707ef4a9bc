/* findings.h - the verdict of each class, with its modes, and where the frames keep them. */
#ifndef NORMALIZE_FINDINGS_H
#define NORMALIZE_FINDINGS_H

#include <recon/normalize/normalize.h>
#include <recon/group/mean.h>

/* What is known of the natural pose of one class. */
typedef struct {
    recon_natural natural;
    int fold;
    double axis[2][3]; /* SO(3) */
    struct {
        double so2;
        recon_so3 so3;
        double weight;
    } mode[RECON_FRAME_MODES]; /* heaviest first; unused: weight 0 */
} recon_finding;

void recon_finding_so2(recon_finding *out, const recon_so2_center *center);
void recon_finding_so3(recon_finding *out, const recon_so3_center *center);

/* verdict, fold, modes and axis of the frames. */
recon_status recon_findings_alloc(recon_ctx *ctx, recon_frames *frames);
void recon_findings_free(recon_frames *frames);
void recon_finding_put(recon_frames *frames, size_t row, const recon_finding *finding);
void recon_finding_clear(recon_frames *frames, size_t row); /* a row without a class */

/* frames->natural from frames->verdict. */
void recon_findings_count(recon_frames *frames);

#endif
