/* ends.c - whether objects with evenly spaced natural poses look alike in all of them. */
#include "model/ends.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/formats.h"

#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 64 /* are enough */, LEAST = 8 };
#define FAR_OUT   3.0  /* standard deviations of a sign test                                    */
#define DIFFERENT 0.05 /* share of the likeness that the other way round costs, in the median   */
#define OPPOSITE  (30 * RECON_TO_RADIANS) /* two modes this close to a half turn are opposite   */

/* Members in a common frame, and the same turned by one step of the law. */
typedef struct {
    size_t n, pixels;
    float *as, *turned; /* [n][pixels] */
    double *sum;        /* [pixels] of as */
} views;

/* How many evenly spaced poses a law has; 1: it has others. */
static int fold_of(const recon_law *law, const recon_group *g)
{
    if (law->natural == RECON_NATURAL_MODULO)
        return law->fold;
    int opposite = law->natural == RECON_NATURAL_SEVERAL && law->modes == 2 &&
                   g->distance(g, law->mode[0].at, law->mode[1].at) > M_PI - OPPOSITE;
    return opposite ? 2 : 1;
}

static recon_status look(recon_ctx *ctx, views *v, const recon_ends_job *job, int64_t cluster,
                         double step)
{
    const recon_backbone *b = job->backbone;
    float *in = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &in, v->pixels, sizeof *in));
    v->n = 0;
    memset(v->sum, 0, v->pixels * sizeof *v->sum);
    for (size_t i = 0; i < job->n && v->n < MEMBERS; i++) {
        if (job->cluster[i] != cluster)
            continue;
        const double back = -job->poses[i], on = back + step;
        float *as = v->as + v->n * v->pixels, *turned = v->turned + v->n * v->pixels;
        job->data->kind->read(in, job->data, i, 1);
        RECON_TRY(b->kind->rotate(ctx, as, b, in, &back, 1, RECON_BILINEAR));
        RECON_TRY(b->kind->rotate(ctx, turned, b, in, &on, 1, RECON_BILINEAR));
        for (size_t j = 0; j < v->pixels; j++)
            v->sum[j] += (double)as[j];
        v->n++;
    }
done:
    free(in);
    return status;
}

/* Each is compared with the mean of the others, as it is and turned. */
static int are_distinguishable(const views *v)
{
    double lost[MEMBERS], wins = 0;
    for (size_t i = 0; i < v->n; i++) {
        const float *as = v->as + i * v->pixels, *turned = v->turned + i * v->pixels;
        double same = 0, other = 0;
        for (size_t j = 0; j < v->pixels; j++) {
            double others = v->sum[j] - (double)as[j];
            same += (double)as[j] * others;
            other += (double)turned[j] * others;
        }
        wins += same > other;
        lost[i] = (same - other) / fmax(fabs(same), 1e-30);
    }
    recon_sort_doubles(lost, v->n);
    double n = (double)v->n;
    return v->n >= LEAST && wins - n / 2 > FAR_OUT * sqrt(n) / 2 &&
           recon_quantile(lost, v->n, 0.5) > DIFFERENT;
}

recon_status recon_ends_tell(recon_ctx *ctx, recon_laws *laws, const recon_ends_job *job)
{
    views v = { .n = 0 };
    recon_status status = RECON_OK;
    if (!recon_data_images(job->data) || laws->frame == RECON_LAWS_SILENT)
        return status;
    v.pixels = recon_data_describe(job->data).bytes / sizeof(float);
    RECON_TRY(recon_alloc_raw(ctx, &v.as, MEMBERS * v.pixels, sizeof *v.as));
    RECON_TRY(recon_alloc_raw(ctx, &v.turned, MEMBERS * v.pixels, sizeof *v.turned));
    RECON_TRY(recon_alloc_raw(ctx, &v.sum, v.pixels, sizeof *v.sum));
    for (size_t c = 0; c < laws->n; c++) {
        recon_law *law = &laws->law[c];
        int fold = fold_of(law, job->backbone->kind->group);
        if (fold < 2)
            continue;
        RECON_TRY(look(ctx, &v, job, (int64_t)c, 2 * M_PI / fold));
        int several = are_distinguishable(&v);
        law->natural = several ? RECON_NATURAL_SEVERAL : RECON_NATURAL_MODULO;
        law->fold = several ? 1 : fold;
    }
done:
    recon_free_all(v.as, v.turned, v.sum);
    return status;
}
