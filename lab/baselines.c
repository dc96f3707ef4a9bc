/* baselines.c - the other methods, as JSON and as text. */
#include "lab/baselines.h"
#include "core/fail.h"
#include "core/json.h"
#include "lab/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const baseline_kind baseline_kinds[BASELINES] = {
    [BASELINE_EQUIADAPT] = { "equiadapt", "EquiAdapt", "canonicalizer", 1, 2 },
    [BASELINE_ESCNN] = { "escnn", "steerable classifier (ESCNN)", "classifier", 1, 1 },
    [BASELINE_PARTIAL] = { "partial_gcnn", "Partial G-CNN", "classifier", 1, 1 },
    [BASELINE_SEGNN] = { "segnn", "SEGNN classifier", "classifier", 1, 1 },
    [BASELINE_SGM] = { "sgm", "SGM's canonical pose", "canonicalizer", 0, 2 },
    [BASELINE_SGM_RECON] = { "sgm_recon", "RECON on SGM's poses", "canonicalizer", 0, 2 },
    [BASELINE_PCA] = { "pca", "long axis", "none", 0, 1 },
    [BASELINE_TTA8] = { "tta8", "mean of 8 rotations", "none", 0, 8 },
    [BASELINE_TTA36] = { "tta36", "mean of 36 rotations", "none", 0, 36 },
    [BASELINE_AUGMENTED] = { "augmented", "trained with rotations", "classifier", 1, 1 },
    [BASELINE_KABSCH] = { "kabsch", "Kabsch onto upright inputs", "none", 0, 1 },
    [BASELINE_KNN] = { "knn", "labels of k neighbours in z", "none", 1, 1 },
};

recon_status baseline_read_training(recon_ctx *ctx, baseline *out, const char *path)
{
    recon_safetensors *file = NULL;
    const char *line;
    recon_status status;
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    line = recon_safetensors_metadata(file, "training");
    snprintf(out->training, sizeof out->training, "%s", line ? line : "");
done:
    recon_safetensors_close(file);
    return status;
}

void baseline_refuse(baseline *out, const char *fmt, ...)
{
    va_list ap;
    *out = (baseline){ .accuracy = NAN, .ms = NAN };
    va_start(ap, fmt);
    vsnprintf(out->reason, sizeof out->reason, fmt, ap);
    va_end(ap);
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *baselines_accuracy(const baseline of[BASELINES])
{
    json_t *out = json_object();
    for (int i = 0; i < BASELINES; i++)
        recon_json_put(&out, baseline_kinds[i].key, number(100 * of[i].accuracy));
    return out;
}

json_t *baselines_json(const baseline of[BASELINES])
{
    json_t *out = json_object();
    for (int i = 0; i < BASELINES; i++) {
        const baseline_kind *k = &baseline_kinds[i];
        int there = isfinite(of[i].accuracy);
        double hits = of[i].hit_rate > 0 ? of[i].hit_rate : NAN;
        json_t *one =
            json_pack("{s:s, s:b, s:s, s:f, s:o, s:I, s:o, s:s?, s:n}", "method", k->label,
                      "labels", k->labels, "retraining", k->retraining, "passes", k->passes, "ms",
                      number(of[i].ms), "weights", (json_int_t)of[i].weights, "hit_rate",
                      number(hits), "reason", there ? NULL : of[i].reason, "training");
        if (of[i].training[0])
            recon_json_put_text(&one, "training", of[i].training);
        recon_json_put(&out, k->key, one);
    }
    return out;
}

void baselines_show(const json_t *result)
{
    if (!lab_at(result, "baselines"))
        return;
    lab_print_table(result,
                    &(lab_table){ .title = "\nwhat the other methods need\n",
                                  .over = "baselines",
                                  .instead = "baselines.*.reason",
                                  LAB_COLUMNS({ "", "baselines.*.method", "  %-34s" },
                                              { "labels", "baselines.*.labels", "%8s" },
                                              { "retraining", "baselines.*.retraining", "%16s" },
                                              { "passes", "baselines.*.passes", "%8.0f" },
                                              { "ms per input", "baselines.*.ms", "%14.3f" },
                                              { "weights", "baselines.*.weights", "%10.0f" }) });
}
