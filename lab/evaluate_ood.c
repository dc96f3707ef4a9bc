/* evaluate_ood.c - which poses count as unusual, and how well a score tells (recon.tex, "OOD
 * detection"). */
#include "lab/evaluate.h"
#include "core/fail.h"

#include <math.h>
#include <recon/group/so2.h>
#include "stats/roc.h"
#include "data/rotations.h"

#define DEGREE (3.14159265358979323846 / 180)

const recon_reach recon_reaches[RECON_REACHES] = {
    { 2, 5 * DEGREE }, { 1, 5 * DEGREE }, { 3, 5 * DEGREE }, { 2, 15 * DEGREE }
};

double recon_evaluate_reach(recon_rotation_law law, recon_reach reach)
{
    return fmax(law.family == RECON_SO2_NORMAL ? reach.sigmas * law.width : law.width, reach.least);
}

void recon_evaluate_unusual(uint8_t *unusual, const recon_rotation_rule *rule, recon_reach reach,
                            const int64_t *labels, const double *angles, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        recon_rotation_law law = recon_rotation_rule_of(rule, (int32_t)labels[i]);
        unusual[i] = fabs(recon_so2_wrap(angles[i])) > recon_evaluate_reach(law, reach);
    }
}

recon_status recon_evaluate_ood(recon_ctx *ctx, recon_ood_auc *out, const recon_ood_scores *scores,
                                const uint8_t *unusual, size_t n)
{
    size_t count = 0;
    recon_status status = RECON_OK;
    for (size_t i = 0; i < n; i++)
        count += unusual[i];
    *out = (recon_ood_auc){ NAN, NAN, NAN, NAN, (double)count / (double)n };
    if (count == 0 || count == n)
        return RECON_OK;
    RECON_TRY(recon_roc_auc(ctx, &out->ieae, scores->ieae, unusual, n));
    RECON_TRY(recon_roc_auc(ctx, &out->recon, scores->recon, unusual, n));
    RECON_TRY(recon_roc_auc(ctx, &out->density, scores->density, unusual, n));
    if (scores->undo)
        RECON_TRY(recon_roc_auc(ctx, &out->undo, scores->undo, unusual, n));
done:
    return status;
}
