/* evaluate_ood.c - which poses count as odd, and how well a score tells (recon.tex, "OOD
 * detection"). */
#include "experiments/evaluate.h"
#include "core/fail.h"

#include <math.h>
#include <recon/group/so2.h>
#include <recon/stats/roc.h>

#define LEAST_REACH (5 * 3.14159265358979323846 / 180)

double recon_evaluate_reach(recon_turn turn)
{
    return fmax(turn.family == RECON_SO2_NORMAL ? 2 * turn.width : turn.width, LEAST_REACH);
}

void recon_evaluate_odd(uint8_t *odd, const recon_turn_rule *rule, const int64_t *labels,
                        const double *angles, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        recon_turn turn = recon_turn_rule_of(rule, (int32_t)labels[i]);
        odd[i] = fabs(recon_so2_wrap(angles[i])) > recon_evaluate_reach(turn);
    }
}

recon_status recon_evaluate_ood(recon_ctx *ctx, recon_odd_auc *out, const recon_odd_scores *scores,
                                const uint8_t *odd, size_t n)
{
    size_t count = 0;
    recon_status status;
    *out = (recon_odd_auc){ 0 };
    RECON_TRY(recon_roc_auc(ctx, &out->ieae, scores->ieae, odd, n));
    RECON_TRY(recon_roc_auc(ctx, &out->recon, scores->recon, odd, n));
    RECON_TRY(recon_roc_auc(ctx, &out->density, scores->density, odd, n));
    for (size_t i = 0; i < n; i++)
        count += odd[i];
    out->share = (double)count / (double)n;
done:
    return status;
}
