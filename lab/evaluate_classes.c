/* evaluate_classes.c - classes whose pose is not fully defined, and pairs of classes that are each
 * other's rotation (recon.tex, "Picking up on partial symmetries"). */
#include "lab/evaluate.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <recon/group/so2.h>
#include <recon/group/mean.h>
#include "group/wasserstein.h"
#include <stdlib.h>

enum { MOMENTS = 4 };

recon_status recon_evaluate_folds(recon_ctx *ctx, recon_fold_share *of, const int *fold,
                                  const double *moments, const int64_t *labels, size_t n,
                                  size_t classes)
{
    recon_status status;
    for (size_t c = 0; c < classes; c++)
        of[c] = (recon_fold_share){ 0 };
    RECON_TRY(recon_evaluate_check_labels(ctx, labels, n, classes));
    RECON_TRY(recon_evaluate_check_numbers(ctx, moments, MOMENTS * n, "moment"));
    for (size_t i = 0; i < n; i++) {
        recon_fold_share *f = &of[labels[i]];
        f->n++;
        f->share += fold[i] == 2;
        for (size_t m = 0; m < MOMENTS; m++)
            f->moment[m] += moments[MOMENTS * i + m];
    }
    for (size_t c = 0; c < classes; c++) {
        of[c].share /= (double)of[c].n; /* NaN for none */
        for (size_t m = 0; m < MOMENTS; m++)
            of[c].moment[m] /= (double)of[c].n;
    }
done:
    return status;
}

/* Poses of one class, in the frame of the backbone and about the natural pose. */
typedef struct {
    size_t n;
    double *psi, *lambda, *absolute;
} part;

static recon_status gather(recon_ctx *ctx, part *out, const recon_posed *posed, int64_t label)
{
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &out->psi, posed->n, sizeof *out->psi));
    RECON_TRY(recon_alloc_raw(ctx, &out->lambda, posed->n, sizeof *out->lambda));
    RECON_TRY(recon_alloc_raw(ctx, &out->absolute, posed->n, sizeof *out->absolute));
    for (size_t i = 0; i < posed->n; i++) {
        if (posed->labels[i] != label)
            continue;
        out->psi[out->n] = posed->psi[i];
        out->lambda[out->n] = posed->lambda[i];
        out->absolute[out->n++] = recon_so2_wrap(posed->psi[i] - posed->lambda[i]);
    }
    if (out->n == 0)
        RECON_TRY(
            recon_fail(ctx, RECON_ERR_INPUT, "evaluate: nothing has label %lld", (long long)label));
done:
    return status;
}

recon_status recon_evaluate_pair(recon_ctx *ctx, recon_class_pair *out, const recon_posed *posed,
                                 int64_t a, int64_t b)
{
    const int64_t label[2] = { a, b };
    part p[2] = { { 0 }, { 0 } };
    recon_status status;
    *out = (recon_class_pair){ 0 };
    for (int i = 0; i < 2; i++) {
        recon_so2_center center;
        RECON_TRY(gather(ctx, &p[i], posed, label[i]));
        RECON_TRY(recon_so2_mean(ctx, &center, p[i].lambda, p[i].n,
                                 &(recon_mean_options){ .kind = RECON_MEAN_CHORDAL }));
        out->n[i] = p[i].n;
        out->natural[i] = center.mean;
    }
    out->between = recon_so2_distance(out->natural[0], out->natural[1]);
    RECON_TRY(recon_so2_wasserstein(ctx, &out->before, p[0].psi, p[1].psi, p[0].n, p[1].n, 1));
    RECON_TRY(
        recon_so2_wasserstein(ctx, &out->after, p[0].absolute, p[1].absolute, p[0].n, p[1].n, 1));
done:
    for (int i = 0; i < 2; i++) {
        free(p[i].psi);
        free(p[i].lambda);
        free(p[i].absolute);
    }
    return status;
}
