/* held.c - see held.h. */
#include "model/held.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "backbone/pose_density.h"
#include "knn/clusters.h"
#include "model/ends.h"
#include "model/lambda.h"
#include "normalize/kde.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROTATED = 9 /* the seed of rotations */, WAYS = 4 };
/* Laws judge that know such a share of what is known at most: a density is sharper for knowing each input, and
 * a verdict asks no sharpness. psi, by which ends are told, may be noisy; mixed kinds look alike to the density. */
#define LAWS_KNOW 0.75
#define PSI_KNOWS 0.5
#define LITTLE    0.6 /* nats */
#define CORRECTS                                                                                   \
    0.25 /* nats that the law of what the density says must know more than that itself */

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

recon_status recon_held_upright(recon_ctx *ctx, double **out, const recon_embedded *e,
                                const recon_maps_kind *kind)
{
    recon_status status = RECON_OK;
    *out = NULL;
    if (!kind->compared || !e->density)
        return status;
    RECON_TRY(recon_alloc_raw(ctx, out, e->n, e->group->numbers * sizeof **out));
    for (size_t i = 0; i < e->n; i++) {
        double lambda[RECON_NUMBERS_MAX];
        const double *psi = e->poses + i * e->group->numbers;
        kind->lambda_of(lambda, NULL, RECON_LAMBDA_DENSITY, psi, e->density + i * RECON_POSE_BINS);
        e->group->inverse(e->group, lambda, lambda);
        e->group->compose(e->group, *out + i * e->group->numbers, psi, lambda);
    }
done:
    return status;
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
    RECON_TRY(recon_laws_log_densities(ctx, h->of_psi, h->cluster, h->given.psi, h->n, n, others,
                                       e->poses, e->n));
    for (size_t i = 0; upright && i < h->n; i++)
        at[i] = h->given.psi[i] - h->lambda[RECON_LAMBDA_DENSITY][i];
    if (upright)
        RECON_TRY(recon_laws_log_densities(ctx, h->of_density, h->cluster, at, h->n, n, others,
                                           upright, e->n));
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

/* Of a law, what the kernel density estimate of its members' poses knows of each by the others. */
static double nats_of(const recon_kde *kde, const double *poses, const size_t *member, size_t n)
{
    double some[RECON_KDE_MOST], mean;
    size_t most = n < RECON_KDE_MOST ? n : RECON_KDE_MOST;
    for (size_t i = 0; i < most; i++)
        some[i] = poses[member[i * n / most]];
    recon_kde_width(&mean, kde, some, most);
    return mean;
}

/* What the density knows of its members' poses. */
static double own_of(const recon_embedded *e, const size_t *member, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)e->density[member[i] * RECON_POSE_BINS + (size_t)recon_pose_bin(0)];
    return sum / (double)n + log(2 * M_PI);
}

/* Unequal poses in the frame of the density may be one that it mistakes for another now and then. Where psi says
 * that there is none, a density that knows little has learned single inputs by heart. */
static recon_laws_frame frame_of(double own, double psi, double density, const recon_law *by_psi,
                                 const recon_law *by_density)
{
    double best = fmax(own, fmax(psi, density));
    int clear = by_density && by_density->natural != RECON_NATURAL_SEVERAL;
    if (density > own + CORRECTS && density >= LAWS_KNOW * best)
        return RECON_LAWS_OF_DENSITY;
    if (psi >= PSI_KNOWS * best || (by_psi->natural == RECON_NATURAL_NONE && best < LITTLE))
        return RECON_LAWS_OF_PSI;
    return clear && density >= LAWS_KNOW * best ? RECON_LAWS_OF_DENSITY : RECON_LAWS_SILENT;
}

/* The law of each cluster in the frame that knows enough; a width with less noise in it counts. */
static recon_status choose_laws(recon_ctx *ctx, const held *h, recon_laws *laws, recon_laws *other,
                                const double *upright)
{
    const recon_embedded *e = h->job->points;
    double usual = known(h->own, h->n);
    size_t *member = NULL, *first = NULL;
    recon_kde kde;
    recon_status status;
    recon_kde_new(&kde, e->group);
    RECON_TRY(recon_by_label(ctx, &member, &first, h->job->cluster, e->n, laws->n));
    for (size_t c = 0; c < laws->n; c++) {
        const size_t *own = member + first[c], n = first[c + 1] - first[c];
        recon_law *law = &laws->law[c];
        double width = upright ? fmin(law->width, other->law[c].width) : law->width;
        law->frame = frame_of(upright ? own_of(e, own, n) : usual, nats_of(&kde, e->poses, own, n),
                              upright ? nats_of(&kde, upright, own, n) : -INFINITY, law,
                              upright ? &other->law[c] : NULL);
        if (law->frame == RECON_LAWS_OF_DENSITY)
            *law = other->law[c];
        if (law->frame == RECON_LAWS_SILENT || (upright && law->natural == other->law[c].natural))
            law->width = width;
    }
done:
    free(member);
    free(first);
    return status;
}

/* Kinds whose Lambdas are not compared have no likelihood to decide by: there laws are silent. */
static recon_status put_laws(recon_ctx *ctx, held *h, int density)
{
    const recon_embedded *e = h->job->points;
    const recon_maps_kind *kind = h->model->maps->kind;
    recon_laws *laws = &h->model->codes->laws, mine = { .n = 0 }, other = { .n = 0 };
    double *upright = NULL;
    recon_status status;
    RECON_TRY(recon_held_upright(ctx, &upright, e, kind));
    RECON_TRY(recon_laws_make(ctx, &mine, kind->compared ? RECON_LAWS_OF_PSI : RECON_LAWS_SILENT,
                              h->job->clusters, h->job->cluster, e->group, e->poses, e->n));
    if (upright)
        RECON_TRY(recon_laws_make(ctx, &other, RECON_LAWS_OF_DENSITY, h->job->clusters,
                                  h->job->cluster, e->group, upright, e->n));
    if (kind->compared) {
        RECON_TRY(ask(ctx, h, &h->given, density ? RECON_LAMBDA_DENSITY : RECON_LAMBDA_HEAD));
        RECON_TRY(choose_laws(ctx, h, &mine, &other, upright));
    }
    RECON_TRY(ask(ctx, h, &h->rotated, RECON_LAMBDA_NEIGHBOURS));
    RECON_TRY(ask(ctx, h, &h->rotated, RECON_LAMBDA_HEAD));
    if (density)
        RECON_TRY(ask(ctx, h, &h->rotated, RECON_LAMBDA_DENSITY));
    if (upright && density)
        recon_laws_compare(&mine, h->cluster, h->given.psi, h->lambda[RECON_LAMBDA_DENSITY], h->n);
    if (kind->compared)
        RECON_TRY(ask_laws(ctx, h, upright));
    RECON_TRY(recon_laws_name(ctx, &mine,
                              &(recon_clustering){ .group = e->group,
                                                   .n = e->n,
                                                   .k = h->job->k,
                                                   .neighbors = h->job->neighbors,
                                                   .poses = { e->poses, upright } },
                              h->job->cluster));
    RECON_TRY(recon_ends_tell(ctx, &mine,
                              &(recon_ends_job){ .data = h->job->data,
                                                 .poses = { NULL, e->poses, upright },
                                                 .cluster = h->job->cluster,
                                                 .n = e->n }));
    recon_laws_free(laws);
    *laws = mine;
    mine = (recon_laws){ .n = 0 };
done:
    recon_laws_free(&mine);
    recon_laws_free(&other);
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
    for (int way = 1; way < WAYS; way++)
        ways.lambda[way] = h->lambda[way];
    for (size_t i = 0; density && h->job->points->density && i < h->n; i++)
        if (h->cluster[i] >= 0 &&
            h->model->codes->laws.law[h->cluster[i]].frame == RECON_LAWS_OF_DENSITY)
            h->own[i] = h->of_density[i];
    if (density && h->job->points->density)
        ways.own[RECON_LAMBDA_DENSITY] = h->own;
    if (known(h->of_psi, h->n) > 0)
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
    if (model->maps->lambda == RECON_LAMBDA_DENSITY)
        RECON_TRY(recon_held_upright(ctx, &upright, e, kind));
    RECON_TRY(
        recon_laws_calibrate(ctx, &model->codes->laws, job->cluster, e->poses, upright, e->n));
done:
    free(upright);
    return status;
}
