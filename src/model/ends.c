/* ends.c - whether objects with evenly spaced natural poses look alike in all of them. */
#include "model/ends.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/formats.h"
#include "knn/clusters.h"

#include "stats/quantile.h"

#include <math.h>
#include <recon/group/so2.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 64 /* are enough */, LEAST = 8 };
#define FAR_OUT   3.0 /* standard deviations of a sign test                                    */
#define DIFFERENT 0.1 /* share of what halfway costs that the other way round does, in the median */
#define OPPOSITE  (30 * RECON_TO_RADIANS) /* two modes this close to a half turn are opposite   */

/* Members in a common frame, rotated by steps of half of the law's. */
enum { AS_IS, HALFWAY, ON, BACK, VIEWS };
typedef struct {
    size_t n, pixels;
    float *view[VIEWS]; /* [n][pixels] */
    double *sum;        /* [pixels] of those as they are */
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

static recon_status look(recon_ctx *ctx, views *v, const recon_ends_job *job, const double *poses,
                         const size_t *member, size_t n, double step)
{
    static const double steps[VIEWS] = { 0, 0.5, 1, -0.5 };
    const recon_backbone *b = job->backbone;
    float *in = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &in, v->pixels, sizeof *in));
    v->n = n < MEMBERS ? n : MEMBERS;
    memset(v->sum, 0, v->pixels * sizeof *v->sum);
    for (size_t i = 0; i < v->n; i++) {
        size_t at = member[i * n / v->n];
        job->data->kind->read(in, job->data, at, 1);
        for (int w = 0; w < VIEWS; w++) {
            const double by = steps[w] * step - poses[at];
            float *to = v->view[w] + i * v->pixels;
            RECON_TRY(b->kind->rotate(ctx, to, b, in, &by, 1, RECON_BILINEAR));
            for (size_t j = 0; w == AS_IS && j < v->pixels; j++)
                v->sum[j] += (double)to[j];
        }
    }
done:
    free(in);
    return status;
}

/* Each is compared with the mean of the others, in every view. */
static int are_distinguishable(const views *v)
{
    double lost[MEMBERS], wins = 0;
    for (size_t i = 0; i < v->n; i++) {
        double like[VIEWS] = { 0 };
        for (size_t j = 0; j < v->pixels; j++) {
            double others = v->sum[j] - (double)v->view[AS_IS][i * v->pixels + j];
            for (int w = 0; w < VIEWS; w++)
                like[w] += (double)v->view[w][i * v->pixels + j] * others;
        }
        wins += like[AS_IS] > like[ON];
        lost[i] = (like[AS_IS] - like[ON]) /
                  fmax(fabs(like[AS_IS] - (like[HALFWAY] + like[BACK]) / 2), 1e-30);
    }
    recon_sort_doubles(lost, v->n);
    double n = (double)v->n;
    return v->n >= LEAST && wins - n / 2 > FAR_OUT * sqrt(n) / 2 &&
           recon_quantile(lost, v->n, 0.5) > DIFFERENT;
}

recon_status recon_ends_tell(recon_ctx *ctx, recon_laws *laws, const recon_ends_job *job)
{
    views v = { .n = 0 };
    size_t *member = NULL, *first = NULL;
    recon_status status = RECON_OK;
    if (!recon_data_images(job->data))
        return status;
    v.pixels = recon_data_describe(job->data).bytes / sizeof(float);
    for (int w = 0; w < VIEWS; w++)
        RECON_TRY(recon_alloc_raw(ctx, &v.view[w], MEMBERS * v.pixels, sizeof *v.view[w]));
    RECON_TRY(recon_by_label(ctx, &member, &first, job->cluster, job->n, laws->n));
    RECON_TRY(recon_alloc_raw(ctx, &v.sum, v.pixels, sizeof *v.sum));
    for (size_t c = 0; c < laws->n; c++) {
        recon_law *law = &laws->law[c];
        int fold = fold_of(law, job->backbone->kind->group);
        if (fold < 2 || law->frame == RECON_LAWS_SILENT)
            continue;
        RECON_TRY(look(ctx, &v, job, job->poses[law->frame], member + first[c],
                       first[c + 1] - first[c], 2 * M_PI / fold));
        int several = are_distinguishable(&v);
        law->natural = several ? RECON_NATURAL_SEVERAL : RECON_NATURAL_MODULO;
        law->fold = several ? 1 : fold;
    }
done:
    free(member);
    free(first);
    for (int w = 0; w < VIEWS; w++)
        free(v.view[w]);
    free(v.sum);
    return status;
}
