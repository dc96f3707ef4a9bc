/* held.c - see held.h. */
#include "model/held.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "model/ends.h"
#include "model/lambda.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROTATED = 9 /* the seed of rotations */, WAYS = 4 };
/* Laws that know such a share of what the density knows judge: the density is sharper for knowing each
 * input, and a verdict asks no sharpness. */
#define LAWS_KNOW 0.67

typedef struct {
    const recon_held_job *job;
    recon_model *model;
    size_t *which, n; /* [n] the points held out; codes are made of those before them */
    size_t codes;
    recon_embedded copies;     /* of the codes' points and of those held out */
    recon_data *points;        /* those themselves; inputs may point into them */
    char *inputs;              /* [n] as the backbone takes them; NULL: no head asks for them */
    recon_seen given, rotated; /* [n] as they come, and of the copies */
    double *lambda[WAYS];      /* [n] */
    double *own, *of_psi, *of_density; /* [n] log densities of psi: by the density, by laws */
    int64_t *cluster;                  /* [n] by the codes */
} held;

static void seen_free(recon_seen *s)
{
    free(s->z);
    free(s->psi);
    free(s->density);
}

static void held_free(held *h)
{
    recon_embedded_free(&h->copies);
    free(h->which);
    free(h->inputs);
    recon_data_close(h->points);
    seen_free(&h->given);
    seen_free(&h->rotated);
    free(h->lambda[0]);
    free(h->own);
    free(h->of_psi);
    free(h->of_density);
    free(h->cluster);
}

/* --- copies ----------------------------------------------------------------------------------- */

static recon_status read_inputs(recon_ctx *ctx, held *h)
{
    const recon_data *data = h->points;
    size_t bytes = recon_data_describe(data).bytes;
    recon_status status = RECON_OK;
    if (!h->model->maps->nets)
        return status;
    RECON_TRY(recon_alloc_raw(ctx, &h->inputs, h->n, bytes));
    data->kind->read(h->inputs, data, h->codes, h->n);
done:
    return status;
}

/* The points that codes are made of and those held out, each at a random rotation, through the backbone. */
static recon_status embed_copies(recon_ctx *ctx, held *h)
{
    const recon_data *data = h->job->data;
    recon_data *rotated = NULL;
    recon_status status = RECON_OK;
    if (!data->kind->pick)
        return status;
    RECON_TRY(data->kind->pick(ctx, &h->points, data, h->which, h->codes + h->n));
    if (data->kind->rotate) {
        RECON_TRY(data->kind->rotate(ctx, &rotated, h->points, h->model->maps->kind->any_rotation,
                                     ROTATED));
        RECON_TRY(recon_backbone_embed(ctx, &h->copies, h->model->backbone, rotated));
    }
    RECON_TRY(read_inputs(ctx, h));
done:
    recon_data_close(rotated);
    return status;
}

/* Of the points held out; copies count like h->which. */
static recon_status gather(recon_ctx *ctx, recon_seen *out, const held *h,
                           const recon_embedded *from, int copies)
{
    size_t d = from->d, numbers = from->group->numbers;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &out->z, h->n, d * sizeof *out->z));
    RECON_TRY(recon_alloc_raw(ctx, &out->psi, h->n, numbers * sizeof *out->psi));
    if (from->density)
        RECON_TRY(recon_alloc_raw(ctx, &out->density, h->n, RECON_POSE_BINS * sizeof(float)));
    for (size_t i = 0; i < h->n; i++) {
        size_t at = copies ? h->codes + i : h->which[h->codes + i];
        memcpy(out->z + i * d, from->z + at * d, d * sizeof *out->z);
        memcpy(out->psi + i * numbers, from->poses + at * numbers, numbers * sizeof *out->psi);
        if (from->density)
            memcpy(out->density + i * RECON_POSE_BINS, from->density + at * RECON_POSE_BINS,
                   RECON_POSE_BINS * sizeof(float));
    }
done:
    return status;
}

static recon_status make_room(recon_ctx *ctx, held *h)
{
    const recon_embedded *all = h->job->points;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &h->own, h->n, sizeof *h->own));
    RECON_TRY(recon_alloc_raw(ctx, &h->of_psi, h->n, sizeof *h->of_psi));
    RECON_TRY(recon_alloc_raw(ctx, &h->of_density, h->n, sizeof *h->of_density));
    RECON_TRY(recon_alloc_raw(ctx, &h->cluster, h->n, sizeof *h->cluster));
    RECON_TRY(
        recon_alloc_raw(ctx, &h->lambda[0], WAYS * h->n, all->group->numbers * sizeof(double)));
    RECON_TRY(gather(ctx, &h->given, h, all, 0));
    /* Heads that are networks on the inputs are asked about these as they come. */
    RECON_TRY(h->copies.n && !h->inputs ? gather(ctx, &h->rotated, h, &h->copies, 1)
                                        : gather(ctx, &h->rotated, h, all, 0));
done:
    return status;
}

/* --- asked ------------------------------------------------------------------------------------ */

/* Lambda by a way, and by the way what the density says of the poses. */
static recon_status ask(recon_ctx *ctx, held *h, const recon_seen *seen, recon_lambda way)
{
    const recon_maps_kind *kind = h->model->maps->kind;
    const recon_group *g = kind->group;
    recon_read read = { .poses = NULL };
    recon_status status;
    h->lambda[way] = h->lambda[0] + (size_t)way * h->n * g->numbers;
    h->model->maps->lambda = way;
    RECON_TRY(recon_read_new(ctx, &read, h->model, h->n, 0));
    RECON_TRY(recon_model_answer(ctx, &read, h->model, seen, h->inputs, h->n));
    for (size_t i = 0; i < h->n; i++) {
        const double *psi = h->given.psi + i * g->numbers;
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

/* What laws in either frame know of the poses held out, by the poses of the others; upright: psi of all points
 * less what the density says, or NULL. */
static recon_status ask_laws(recon_ctx *ctx, const held *h, const double *upright)
{
    const recon_embedded *e = h->job->points;
    size_t n = h->job->clusters;
    int64_t *others = NULL;
    double *at = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &others, e->n, sizeof *others));
    RECON_TRY(recon_alloc_raw(ctx, &at, h->n, sizeof *at));
    for (size_t i = 0; i < e->n; i++)
        others[i] = h->model->maps->held[i] ? -1 : h->job->cluster[i];
    RECON_TRY(recon_laws_log_densities(ctx, h->of_psi, NULL, h->cluster, h->given.psi, h->n, n,
                                       others, e->poses, e->n));
    for (size_t i = 0; upright && i < h->n; i++)
        at[i] = h->given.psi[i] - h->lambda[RECON_LAMBDA_DENSITY][i];
    if (upright)
        RECON_TRY(recon_laws_log_densities(ctx, h->of_density, NULL, h->cluster, at, h->n, n,
                                           others, upright, e->n));
done:
    free(at);
    free(others);
    return status;
}

/* Nats that are known of a pose, on average, beyond that there is one. */
static double known(const double *log_p, size_t n)
{
    return mean_of(log_p, n) + log(2 * M_PI);
}

static recon_laws_frame choose_frame(const held *h, int upright)
{
    double own = known(h->own, h->n), psi = known(h->of_psi, h->n);
    double density = upright ? known(h->of_density, h->n) : -INFINITY;
    int enough = psi > 0 && psi >= LAWS_KNOW * own;
    double error =
        upright ? recon_error_between(h->of_density, enough ? h->of_psi : h->own, h->n) : 0;
    recon_laws_frame frame = enough ? RECON_LAWS_OF_PSI : RECON_LAWS_SILENT;
    if (density > own + 0.1 && density > (enough ? psi : own) + error)
        frame = RECON_LAWS_OF_DENSITY;
    return frame;
}

/* Kinds whose Lambdas are not compared have no likelihood to decide by: there laws are silent. */
static recon_status put_laws(recon_ctx *ctx, held *h, int density)
{
    const recon_embedded *e = h->job->points;
    const recon_maps_kind *kind = h->model->maps->kind;
    recon_stored_embeddings *codes = h->model->codes;
    recon_laws_frame frame = RECON_LAWS_SILENT;
    double *upright = NULL;
    recon_status status = RECON_OK;
    if (kind->compared && e->density) {
        RECON_TRY(recon_alloc_raw(ctx, &upright, e->n, e->group->numbers * sizeof *upright));
        less_density(upright, e, kind);
    }
    if (kind->compared) {
        RECON_TRY(ask(ctx, h, &h->given, density ? RECON_LAMBDA_DENSITY : RECON_LAMBDA_HEAD));
        RECON_TRY(ask_laws(ctx, h, upright));
        frame = choose_frame(h, upright != NULL);
    }
    const double *of = frame == RECON_LAWS_OF_DENSITY ? upright : e->poses;
    recon_laws_free(&codes->laws);
    RECON_TRY(
        recon_laws_make(ctx, &codes->laws, h->job->clusters, h->job->cluster, e->group, of, e->n));
    RECON_TRY(ask(ctx, h, &h->rotated, RECON_LAMBDA_NEIGHBOURS));
    RECON_TRY(ask(ctx, h, &h->rotated, RECON_LAMBDA_HEAD));
    if (density)
        RECON_TRY(ask(ctx, h, &h->rotated, RECON_LAMBDA_DENSITY));
    if (kind->compared)
        RECON_TRY(ask_laws(ctx, h, upright));
    codes->laws.frame = frame;
    RECON_TRY(recon_ends_tell(ctx, &codes->laws,
                              &(recon_ends_job){ .backbone = h->model->backbone,
                                                 .data = h->job->data,
                                                 .poses = of,
                                                 .cluster = h->job->cluster,
                                                 .n = e->n }));
done:
    free(upright);
    return status;
}

/* --- all -------------------------------------------------------------------------------------- */

static recon_status make_codes(recon_ctx *ctx, held *h)
{
    const recon_embedded *e = h->job->points;
    recon_stored_embeddings *codes;
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
    recon_lambda_ways ways = { .kind = kind, .n = h->n, .psi = h->given.psi };
    unsigned char *one = NULL;
    recon_status status;
    RECON_TRY(put_laws(ctx, h, density));
    RECON_TRY(recon_alloc_raw(ctx, &one, h->n, 1));
    h->model->maps->lambda = RECON_LAMBDA_NEIGHBOURS;
    for (size_t i = 0; i < h->n; i++) {
        const recon_law *law = recon_model_law(h->model, h->cluster[i]);
        one[i] = !law || law->natural == RECON_NATURAL_ONE;
        if (law)
            memcpy(h->lambda[RECON_LAMBDA_NEIGHBOURS] + i * kind->group->numbers, law->mode[0].at,
                   kind->group->numbers * sizeof(double));
    }
    ways.one = one;
    recon_laws_frame frame = h->model->codes->laws.frame;
    for (int way = 1; way < WAYS; way++)
        ways.lambda[way] = h->lambda[way];
    if (density && h->job->points->density)
        ways.own[RECON_LAMBDA_DENSITY] = frame == RECON_LAWS_OF_DENSITY ? h->of_density : h->own;
    if (frame == RECON_LAWS_OF_PSI)
        ways.own[RECON_LAMBDA_NEIGHBOURS] = h->of_psi;
    RECON_TRY(recon_lambda_choose(ctx, out, h->job->asked, &ways));
    h->model->maps->lambda = out->taken;
done:
    free(one);
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
    RECON_TRY(make_room(ctx, &h));
    RECON_TRY(decide(ctx, out, &h));
done:
    held_free(&h);
    return status;
}

recon_status recon_held_calibrate(recon_ctx *ctx, recon_model *model, const recon_held_job *job)
{
    const recon_embedded *e = job->points;
    const recon_maps_kind *kind = model->maps->kind;
    double *upright = NULL;
    recon_status status = RECON_OK;
    if (!kind->compared)
        return status;
    if (e->density && model->maps->lambda == RECON_LAMBDA_DENSITY) {
        RECON_TRY(recon_alloc_raw(ctx, &upright, e->n, e->group->numbers * sizeof *upright));
        less_density(upright, e, kind);
    }
    RECON_TRY(
        recon_laws_calibrate(ctx, &model->codes->laws, job->cluster, e->poses, upright, e->n));
done:
    free(upright);
    return status;
}
