/* evaluate_ood.c - which poses count as unusual, and how well a score tells (recon.tex, "OOD
 * detection"). */
#include "experiments/evaluate.h"
#include "core/fail.h"

#include <math.h>
#include <recon/group/so2.h>
#include "stats/roc.h"
#include "data/rotations.h"

#define LEAST_REACH (5 * 3.14159265358979323846 / 180)

double recon_evaluate_reach(recon_rotation_law rotation)
{
    return fmax(rotation.family == RECON_SO2_NORMAL ? 2 * rotation.width : rotation.width,
                LEAST_REACH);
}

void recon_evaluate_unusual(uint8_t *unusual, const recon_rotation_rule *rule,
                            const int64_t *labels, const double *angles, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        recon_rotation_law rotation = recon_rotation_rule_of(rule, (int32_t)labels[i]);
        unusual[i] = fabs(recon_so2_wrap(angles[i])) > recon_evaluate_reach(rotation);
    }
}

recon_status recon_evaluate_ood(recon_ctx *ctx, recon_ood_auc *out, const recon_ood_scores *scores,
                                const uint8_t *unusual, size_t n)
{
    size_t count = 0;
    recon_status status;
    *out = (recon_ood_auc){ 0 };
    RECON_TRY(recon_roc_auc(ctx, &out->ieae, scores->ieae, unusual, n));
    RECON_TRY(recon_roc_auc(ctx, &out->recon, scores->recon, unusual, n));
    RECON_TRY(recon_roc_auc(ctx, &out->density, scores->density, unusual, n));
    for (size_t i = 0; i < n; i++)
        count += unusual[i];
    out->share = (double)count / (double)n;
done:
    return status;
}
