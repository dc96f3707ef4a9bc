/* held.c - see held.h. */
#include "model/held.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "model/lambda.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROTATED = 9 /* the seed of rotations */, WAYS = 4 };
/* Laws that know this much less than the density, in nats, still judge: the density is sharper for knowing
 * each input, and a verdict asks no sharpness. */
#define LAWS_BEHIND 0.1

typedef struct {
    const recon_held_job *job;
    recon_model *model;
    size_t *which, n; /* [n] the points held out; codes are made of those before them */
    size_t codes;
    recon_embedded copies; /* of the codes' points and of those held out */
    char *inputs;          /* [n] as the backbone takes them; NULL: no head asks for them */
    recon_seen seen;       /* [n] of the copies */
    double *psi;           /* [n] as they come */
    double *lambda[WAYS];  /* [n] */
    double *own, *of_psi, *of_density; /* [n] log densities of psi: by the density, by laws */
    int64_t *cluster;      /* [n] by the codes */
} held;

static void held_free(held *h)
{
    recon_embedded_free(&h->copies);
    free(h->which);
    free(h->inputs);
    free(h->seen.z);
    free(h->seen.psi);
    free(h->seen.density);
    free(h->psi);
    free(h->lambda[0]);
    free(h->own);
    free(h->of_psi);
    free(h->of_density);
    free(h->cluster);
}

/* --- copies ----------------------------------------------------------------------------------- */

static recon_status read_inputs(recon_ctx *ctx, held *h, const recon_data *data, size_t first)
{
    size_t bytes = recon_data_describe(data).bytes;
    recon_status status = RECON_OK;
    if (!h->model->maps->nets)
        return status;
    RECON_TRY(recon_alloc_raw(ctx, &h->inputs, h->n, bytes));
    data->kind->read(h->inputs, data, first, h->n);
done:
    return status;
}

/* The points that codes are made of and those held out, each at a random rotation, through the backbone. */
static recon_status embed_copies(recon_ctx *ctx, held *h)
{
    const recon_data *data = h->job->data;
    recon_data *some = NULL, *rotated = NULL;
    recon_status status = RECON_OK;
    if (!data->kind->pick)
        return status;
    RECON_TRY(data->kind->pick(ctx, &some, data, h->which, h->codes + h->n));
    if (data->kind->rotate) {
        RECON_TRY(data->kind->rotate(ctx, &rotated, some, h->model->maps->kind->any_rotation,
                                     ROTATED));
        RECON_TRY(recon_backbone_embed(ctx, &h->copies, h->model->backbone, rotated));
    }
    RECON_TRY(read_inputs(ctx, h, rotated ? rotated : some, h->codes));
done:
    recon_data_close(rotated);
    recon_data_close(some);
    return status;
}

/* Of the copies, or where there are none of the points themselves. */
static recon_status gather(recon_ctx *ctx, held *h)
{
    const recon_embedded *all = h->job->points, *from = h->copies.n ? &h->copies : all;
    size_t d = all->d, numbers = all->group->numbers;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &h->seen.z, h->n, d * sizeof *h->seen.z));
    RECON_TRY(recon_alloc_raw(ctx, &h->seen.psi, h->n, numbers * sizeof *h->seen.psi));
    if (from->density)
        RECON_TRY(
            recon_alloc_raw(ctx, &h->seen.density, h->n, RECON_POSE_BINS * sizeof(float)));
    RECON_TRY(recon_alloc_raw(ctx, &h->psi, h->n, numbers * sizeof *h->psi));
    RECON_TRY(recon_alloc_raw(ctx, &h->own, h->n, sizeof *h->own));
    RECON_TRY(recon_alloc_raw(ctx, &h->of_psi, h->n, sizeof *h->of_psi));
    RECON_TRY(recon_alloc_raw(ctx, &h->of_density, h->n, sizeof *h->of_density));
    RECON_TRY(recon_alloc_raw(ctx, &h->cluster, h->n, sizeof *h->cluster));
    RECON_TRY(recon_alloc_raw(ctx, &h->lambda[0], WAYS * h->n, numbers * sizeof *h->psi));
    for (size_t i = 0; i < h->n; i++) {
        size_t point = h->which[h->codes + i], at = h->copies.n ? h->codes + i : point;
        memcpy(h->psi + i * numbers, all->poses + point * numbers, numbers * sizeof *h->psi);
        memcpy(h->seen.z + i * d, from->z + at * d, d * sizeof *h->seen.z);
        memcpy(h->seen.psi + i * numbers, from->poses + at * numbers, numbers * sizeof *h->psi);
        if (from->density)
            memcpy(h->seen.density + i * RECON_POSE_BINS, from->density + at * RECON_POSE_BINS,
                   RECON_POSE_BINS * sizeof(float));
    }
done:
    return status;
}

/* --- asked ------------------------------------------------------------------------------------ */

/* Lambda by a way, and by the way what the density says of the poses. */
static recon_status ask(recon_ctx *ctx, held *h, recon_lambda way)
{
    const recon_maps_kind *kind = h->model->maps->kind;
    const recon_group *g = kind->group;
    recon_read read = { .poses = NULL };
    recon_status status;
    h->lambda[way] = h->lambda[0] + (size_t)way * h->n * g->numbers;
    h->model->maps->lambda = way;
    RECON_TRY(recon_read_new(ctx, &read, h->model, h->n, 0));
    RECON_TRY(recon_model_answer(ctx, &read, h->model, &h->seen, h->inputs, h->n));
    for (size_t i = 0; i < h->n; i++) {
        const double *psi = h->psi + i * g->numbers;
        memcpy(h->lambda[way] + i * g->numbers, read.poses[i].lambda, g->numbers * sizeof *psi);
        h->own[i] = -kind->score(recon_read_map(&read, h->model, i), psi);
        h->cluster[i] = read.cluster[i];
    }
done:
    recon_read_free(&read);
    return status;
}

/* --- laws ------------------------------------------------------------------------------------- */

/* psi of all points, less the natural pose that the density says. */
static void less_density(double *out, const recon_embedded *e, const recon_maps_kind *kind)
{
    for (size_t i = 0; i < e->n; i++) {
        double lambda[RECON_NUMBERS_MAX];
        const double *psi = e->poses + i * e->group->numbers;
        kind->lambda_of(lambda, NULL, RECON_LAMBDA_DENSITY, psi, e->density + i * RECON_POSE_BINS);
        e->group->inverse(e->group, lambda, lambda);
        e->group->compose(e->group, out + i * e->group->numbers, psi, lambda);
    }
}

static double mean_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

/* Whether laws know as much of the poses held out as the density does, by chance or a little less. */
static int are_no_worse(const double *laws, const double *density, size_t n)
{
    return mean_of(laws, n) >= mean_of(density, n) -
                                   fmax(LAWS_BEHIND, recon_error_between(laws, density, n));
}

static recon_status choose_frame(recon_ctx *ctx, recon_laws_frame *frame, const held *h,
                                 const double *upright)
{
    const recon_embedded *e = h->job->points;
    const unsigned char *is_held = h->model->maps->held;
    int64_t *seen = NULL; /* the clusters of the others */
    double *at = NULL;
    recon_status status;
    *frame = RECON_LAWS_SILENT;
    RECON_TRY(recon_alloc_raw(ctx, &seen, e->n, sizeof *seen));
    RECON_TRY(recon_alloc_raw(ctx, &at, h->n, sizeof *at));
    for (size_t i = 0; i < e->n; i++)
        seen[i] = is_held[i] ? -1 : h->job->cluster[i];
    RECON_TRY(recon_laws_log_densities(ctx, h->of_psi, h->cluster, h->psi, h->n, h->job->clusters,
                                       seen, e->poses, e->n));
    if (are_no_worse(h->of_psi, h->own, h->n))
        *frame = RECON_LAWS_OF_PSI;
    if (upright) {
        const double *lambda = h->lambda[RECON_LAMBDA_DENSITY];
        for (size_t i = 0; i < h->n; i++)
            at[i] = h->psi[i] - lambda[i];
        RECON_TRY(recon_laws_log_densities(ctx, h->of_density, h->cluster, at, h->n,
                                           h->job->clusters, seen, upright, e->n));
        const double *other = *frame ? h->of_psi : h->own;
        if (mean_of(h->of_density, h->n) > mean_of(h->own, h->n) + LAWS_BEHIND &&
            mean_of(h->of_density, h->n) >
                mean_of(other, h->n) + recon_error_between(h->of_density, other, h->n))
            *frame = RECON_LAWS_OF_DENSITY;
        recon_log(ctx, RECON_LOG_INFO, "LAWS psi %.3f density-frame %.3f own %.3f of %zu: frame %d",
                  mean_of(h->of_psi, h->n), mean_of(h->of_density, h->n), mean_of(h->own, h->n), h->n,
                  (int)*frame);
    }
done:
    free(at);
    free(seen);
    return status;
}

/* Kinds whose Lambdas are not compared have no likelihood to decide by: there laws are silent. */
static recon_status put_laws(recon_ctx *ctx, held *h)
{
    const recon_embedded *e = h->job->points;
    const recon_maps_kind *kind = h->model->maps->kind;
    recon_stored_codes *codes = h->model->codes;
    recon_laws_frame frame = RECON_LAWS_SILENT;
    double *upright = NULL;
    recon_status status;
    if (kind->compared && e->density) {
        RECON_TRY(recon_alloc_raw(ctx, &upright, e->n, e->group->numbers * sizeof *upright));
        less_density(upright, e, kind);
    }
    if (kind->compared)
        RECON_TRY(choose_frame(ctx, &frame, h, upright));
    recon_laws_free(&codes->laws);
    RECON_TRY(recon_laws_make(ctx, &codes->laws, h->job->clusters, h->job->cluster, e->group,
                              frame == RECON_LAWS_OF_DENSITY ? upright : e->poses, e->n));
    codes->laws.frame = frame;
done:
    free(upright);
    return status;
}

/* --- all -------------------------------------------------------------------------------------- */

static recon_status make_codes(recon_ctx *ctx, held *h)
{
    const recon_embedded *e = h->job->points;
    recon_stored_codes *codes;
    recon_status status;
    RECON_TRY(recon_codes_make(ctx, &h->model->codes, e, h->model->maps->held, h->copies.z));
    codes = h->model->codes;
    RECON_TRY(recon_alloc_raw(ctx, &codes->cluster, codes->n, sizeof *codes->cluster));
    for (size_t i = 0; i < codes->n; i++)
        codes->cluster[i] = h->job->cluster[h->which[i]];
    codes->laws.n = h->job->clusters;
    RECON_TRY(recon_alloc(ctx, &codes->laws.law, codes->laws.n, sizeof *codes->laws.law));
done:
    return status;
}

static recon_status decide(recon_ctx *ctx, recon_lambda_choice *out, held *h)
{
    const recon_maps *maps = h->model->maps;
    const recon_maps_kind *kind = maps->kind;
    int density = recon_maps_know_density(kind, h->job->points->density != NULL);
    recon_lambda_ways ways = { .kind = kind, .n = h->n, .psi = h->psi };
    recon_status status;
    RECON_TRY(ask(ctx, h, RECON_LAMBDA_NEIGHBOURS));
    RECON_TRY(ask(ctx, h, RECON_LAMBDA_HEAD));
    if (density)
        RECON_TRY(ask(ctx, h, RECON_LAMBDA_DENSITY));
    RECON_TRY(put_laws(ctx, h));
    recon_laws_frame frame = h->model->codes->laws.frame;
    for (int way = 1; way < WAYS; way++)
        ways.lambda[way] = h->lambda[way];
    if (density && h->job->points->density)
        ways.own[RECON_LAMBDA_DENSITY] =
            frame == RECON_LAWS_OF_DENSITY ? h->of_density : h->own;
    if (frame == RECON_LAWS_OF_PSI)
        ways.own[RECON_LAMBDA_NEIGHBOURS] = h->of_psi;
    RECON_TRY(recon_lambda_choose(ctx, out, h->job->asked, &ways));
    h->model->maps->lambda = out->taken;
done:
    return status;
}

recon_status recon_held_decide(recon_ctx *ctx, recon_lambda_choice *out, recon_model *model,
                               const recon_held_job *job)
{
    held h = { .job = job, .model = model };
    size_t n = job->points->n;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &h.which, n, sizeof *h.which));
    h.n = recon_codes_points(h.which, model->maps->held, n);
    while (h.codes < h.n && !model->maps->held[h.which[h.codes]])
        h.codes++;
    h.n -= h.codes;
    RECON_TRY(embed_copies(ctx, &h));
    RECON_TRY(make_codes(ctx, &h));
    RECON_TRY(gather(ctx, &h));
    RECON_TRY(decide(ctx, out, &h));
done:
    held_free(&h);
    return status;
}
