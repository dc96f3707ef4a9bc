/* demo_molecules.c - the tour's part about molecules: conformers as they occur and thrown any way.
 */
#include "lab/demo.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/memory.h"
#include "report/found.h"

#include <errno.h>
#include <math.h>
#include "lab/canonical_set.h"
#include "data/xyz.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static recon_status open_all(recon_ctx *ctx, demo_molecules *m)
{
    recon_molecules *all = NULL, *some = NULL;
    demo_path model;
    recon_status status;
    RECON_TRY(demo_model(ctx, model, "conformers.safetensors"));
    RECON_TRY(recon_model_open(ctx, &m->model, model, RECON_SINGLE));
    RECON_TRY(recon_molecules_open(ctx, &all, "conformers/test", NULL));
    RECON_TRY(recon_molecules_take(ctx, &some, all, DEMO_CONFORMERS, TAKE_SEED));
    RECON_TRY(recon_molecules_rotate(ctx, &m->occur, some, "fisher", TEST_SEED));
    RECON_TRY(recon_molecules_rotate(ctx, &m->thrown, m->occur, "haar", TEST_SEED));
    m->n = recon_molecules_describe(m->occur).n;
done:
    recon_molecules_close(some);
    recon_molecules_close(all);
    return status;
}

static recon_status distributions(recon_ctx *ctx, recon_distribution3 **out,
                                  const recon_model *model, const recon_molecules *data)
{
    size_t n = recon_molecules_describe(data).n;
    recon_conformer *x = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, out, n, sizeof **out));
    RECON_TRY(recon_alloc_raw(ctx, &x, n, sizeof *x));
    for (size_t i = 0; i < n; i++)
        x[i] = recon_molecules_get(data, i);
    RECON_TRY(recon_distribution_molecules(ctx, *out, model, x, n));
done:
    free(x);
    return status;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Radians between where the axis of conformer i points, thrown as it is, and where recon says that
 * it does. Which end of the axis is the front is anyone's choice, but the same when upright. */
static recon_status axis_error(recon_ctx *ctx, double *out, const demo_molecules *m, size_t i)
{
    const recon_distribution3 *said = &m->of[1][i];
    recon_fisher law;
    double f[9], upright[3], now[3];
    recon_molecules_fisher(f, m->occur, (size_t)recon_molecules_get(m->occur, i).molecule);
    recon_status status = recon_fisher_of(ctx, &law, f);
    if (status != RECON_OK)
        return status;
    recon_so3_act(upright, law.mode, law.body[0]);
    recon_so3_act(now, recon_molecules_rotation(m->thrown, i), law.body[0]);
    double cosine = dot(now, said->axis_now) * (dot(upright, said->axis) < 0 ? -1 : 1);
    *out = acos(fmin(fmax(cosine, -1), 1));
    return RECON_OK;
}

static recon_status measure_axes(recon_ctx *ctx, demo_molecules *m)
{
    double *error = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &error, m->n, sizeof *error));
    for (size_t i = 0; i < m->n; i++)
        RECON_TRY(axis_error(ctx, &error[i], m, i));
    m->axis_error = recon_found_median(error, m->n);
done:
    free(error);
    return status;
}

static recon_status measure_unusual(recon_ctx *ctx, demo_molecules *m)
{
    double *score = NULL;
    uint8_t *unusual = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &score, 2 * m->n, sizeof *score));
    RECON_TRY(recon_alloc_raw(ctx, &unusual, 2 * m->n, sizeof *unusual));
    for (size_t i = 0; i < 2 * m->n; i++) {
        unusual[i] = i >= m->n;
        score[i] = m->of[unusual[i]][i % m->n].score;
    }
    m->alarm.threshold = recon_score_threshold(m->model, DEMO_ALARMS);
    demo_alarm_measure(&m->alarm, score, unusual, 2 * m->n);
    RECON_TRY(recon_roc_auc(ctx, &m->auc, score, unusual, 2 * m->n));
done:
    free(unusual);
    free(score);
    return status;
}

static recon_status keep_files(recon_ctx *ctx, const demo_molecules *m, const demo *d)
{
    demo_path path;
    recon_status status;
    RECON_TRY(recon_folder_make(ctx, demo_file(path, d, "molecules")));
    RECON_TRY(recon_xyz_write(ctx, demo_file(path, d, "molecules/occur.xyz"), m->occur));
    RECON_TRY(recon_xyz_write(ctx, demo_file(path, d, "molecules/thrown.xyz"), m->thrown));
    RECON_TRY(recon_xyz_write(ctx, demo_file(path, d, "molecules/natural.xyz"), m->natural));
done:
    return status;
}

recon_status demo_molecules_run(recon_ctx *ctx, demo_molecules *m, const demo *d)
{
    double begun = recon_now();
    recon_status status;
    RECON_TRY(open_all(ctx, m));
    RECON_TRY(distributions(ctx, &m->of[0], m->model, m->occur));
    RECON_TRY(distributions(ctx, &m->of[1], m->model, m->thrown));
    RECON_TRY(measure_axes(ctx, m));
    RECON_TRY(measure_unusual(ctx, m));
    RECON_TRY(recon_canonical_set(ctx, &m->natural, NULL, m->model, m->thrown));
    RECON_TRY(keep_files(ctx, m, d));
    m->seconds = recon_now() - begun;
done:
    return status;
}

void demo_molecules_free(recon_ctx *ctx, demo_molecules *m)
{
    free(m->of[0]);
    free(m->of[1]);
    recon_molecules_close(m->natural);
    recon_molecules_close(m->thrown);
    recon_molecules_close(m->occur);
    recon_model_close(ctx, m->model);
}
