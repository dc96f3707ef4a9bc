/* so3_kind.c - maps of rotations: how their density is learned, and what their heads have said,
 * made an answer.
 *
 * The density head learns F of psi itself and the share of a uniform background, by likelihood on
 * the poses, so that it averages over all of a class where Algorithm 1 has k neighbours, and a pose
 * that is plainly wrong costs a bounded amount. The mixture head learns several F side by side, in
 * the same way. Where it has several modes, and the verdict of the neighbours is "several" (a head
 * has learned it), they are the density; else the density head's one F is: a mixture may cut a ring
 * into arcs. Lambda is the gauge of the density or of the chosen mode, Theta its F about Lambda.
 * Three further heads learn the neighbours' moments, as the paper does. */
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "maps/head_training.h"
#include "maps/maps.h"
#include "maps/so3_heads.h"

#include "group/so3/fisher.h"
#include "group/natural.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK = RECON_BLOCK_SO3_MAPS };
#define FIRST 0.5  /* what the mixture's parts begin with, in the head's own unit */
#define TIED  0.75 /* a mode with this share of the heaviest one's weight may be chosen as well */

static int is_unit(double number)
{
    return number > 0 && number < 1e9;
}

/* --- training---------------------------------------------------------------------------------- */

/* The density at z is that of the poses of [x]: a point is taught the pose of one of its neighbours
 * at a time. With its own alone a large network learns poses by heart. */
typedef struct {
    const recon_frames *frames;
    uint64_t seed;
    uint8_t held[]; /* [n] is this point held out? then it teaches nobody */
} partner_source;

/* One of the neighbours, or the point itself; in the place of one held out the next. */
static size_t neighbor(void *user, int head, size_t point, uint64_t draw)
{
    const partner_source *s = user;
    size_t k = s->frames->k;
    recon_rng rng = recon_rng_new(s->seed, draw);
    if (head != RECON_SO3_DENSITY && head != RECON_SO3_MIXTURE)
        return point;
    rng.position = point;
    for (size_t i = recon_rng_below(&rng, k + 1); i < k; i++) {
        size_t other = (size_t)s->frames->neighbors[point * k + i];
        if (!s->held[other])
            return other;
    }
    return point;
}

static recon_status partner_source_new(recon_ctx *ctx, partner_source **out,
                                       const recon_frames *frames, const recon_head_training *l)
{
    RECON_CHECK(recon_alloc(ctx, out, 1, sizeof **out + l->n));
    (*out)->frames = frames;
    (*out)->seed = l->seed;
    for (size_t i = 0; i < l->held; i++)
        (*out)->held[recon_head_training_place(l, i)] = 1;
    return RECON_OK;
}

/* The density is taught from F = 0 on: a first F of random directions makes every pose so unlikely
 * that all of them are taken for background, and nothing is learned from background. The parts of
 * the mixture must differ, or they stay alike: they begin broad, half a turn from each other. */
static recon_status start_broad(recon_ctx *ctx, recon_maps *m, int h, double first)
{
    static const double sign[RECON_FISHER_PARTS][3] = {
        { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 }
    };
    const recon_linear *last = &m->head[h].layer[m->head[h].layers - 1];
    size_t weights = recon_param_count(last->weight), n = recon_param_count(last->bias);
    double *numbers = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &numbers, weights + n, sizeof *numbers));
    RECON_TRY(recon_param_write(ctx, last->weight, numbers));
    for (size_t i = 0; first > 0 && i < RECON_FISHER_PARTS * 3; i++)
        numbers[i / 3 * 9 + i % 3 * 4] = first * sign[i / 3][i % 3];
    RECON_TRY(recon_param_write(ctx, last->bias, numbers));
done:
    free(numbers);
    return status;
}

static recon_status prepare(recon_ctx *ctx, recon_maps *m, recon_head_training *l,
                            const recon_frames *frames, void **keep)
{
    partner_source *s = NULL;
    recon_status status;
    RECON_TRY(start_broad(ctx, m, RECON_SO3_DENSITY, 0));
    RECON_TRY(start_broad(ctx, m, RECON_SO3_MIXTURE, FIRST));
    RECON_TRY(partner_source_new(ctx, &s, frames, l));
    l->partner = neighbor;
    l->partner_user = s;
done:
    *keep = s;
    return status;
}

/* --- answers ---------------------------------------------------------------------------------- */

static recon_status complete(recon_ctx *ctx, recon_fisher *fisher)
{
    double f[9];
    for (int i = 0; i < 9; i++)
        f[i] = fisher->f[i];
    return recon_note(ctx, recon_fisher_of(ctx, fisher, f), "what the density head puts out");
}

/* The modes of what the mixture head put out. */
static recon_status find_modes(recon_ctx *ctx, recon_fisher_mixture *modes)
{
    recon_fisher_mixture parts = *modes;
    for (int k = 0; k < parts.parts; k++)
        RECON_CHECK(complete(ctx, &parts.part[k]));
    return recon_fisher_parts_reduce(ctx, modes, &parts);
}

/* The verdict of the neighbours where the maps have learned it, else the density's own. Of one pose
 * or an axis the density must have a trace. */
static recon_natural judge(const recon_so3_map *m)
{
    recon_natural own = recon_so3_natural(&m->density, m->background);
    int best = 0;
    for (int k = 1; k < RECON_NATURAL_KINDS; k++)
        best = m->chance[k] > m->chance[best] ? k : best;
    if (!(m->chance[best] > 0))
        return own;
    if (own == RECON_NATURAL_NONE && (best == RECON_NATURAL_ONE || best == RECON_NATURAL_AXIS))
        return RECON_NATURAL_UNSURE;
    return (recon_natural)best;
}

/* Among the heaviest modes, those nearly as heavy included, the one nearest the identity, as
 * Algorithm 1 does: otherwise noise would choose, for each member of a class anew. */
static int choose(const recon_fisher_mixture *modes)
{
    int best = 0;
    for (int k = 1; k < modes->parts; k++)
        if (modes->weight[k] >= TIED * modes->weight[0] &&
            recon_so3_angle(modes->part[k].mode) < recon_so3_angle(modes->part[best].mode))
            best = k;
    return best;
}

/* From what the heads put out to all that follows from it. */
static recon_status finish_one(recon_ctx *ctx, recon_so3_map *m)
{
    RECON_CHECK(complete(ctx, &m->density));
    m->verdict = judge(m);
    if (m->verdict == RECON_NATURAL_SEVERAL)
        RECON_CHECK(find_modes(ctx, &m->modes));
    if (m->verdict == RECON_NATURAL_SEVERAL && m->modes.parts > 1) {
        m->chosen = choose(&m->modes);
        m->density = m->modes.part[m->chosen];
        m->background = m->modes.background;
    } else {
        m->verdict = m->verdict == RECON_NATURAL_SEVERAL ? RECON_NATURAL_UNSURE : m->verdict;
        m->modes = (recon_fisher_mixture){ 1, m->background, { 1 }, { m->density } };
    }
    m->free = recon_fisher_free(&m->density);
    m->lambda = recon_fisher_gauge(&m->density, m->free);
    recon_fisher_center(m->theta, m->density.f, m->lambda);
    return RECON_OK;
}

typedef struct {
    recon_so3_map *maps;
    size_t n;
} pass;

static recon_status finish_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const pass *p = arg;
    (void)worker;
    for (size_t i = task * BLOCK; i < (task + 1) * BLOCK && i < p->n; i++)
        RECON_CHECK(finish_one(ctx, &p->maps[i]));
    return RECON_OK;
}

static recon_status finish(recon_ctx *ctx, void *maps, size_t n, recon_maps_part part, double unit)
{
    (void)part; /* Lambda is the gauge of the density: it needs all of this */
    (void)unit;
    return recon_parallel(ctx, finish_task, &(pass){ maps, n }, (n + BLOCK - 1) / BLOCK);
}

static double score(const void *map, const double *psi)
{
    return recon_so3_map_score(map, recon_so3_at(psi, 0));
}

static recon_tail_point tail(const void *map, const double *psi)
{
    const recon_so3_map *m = map;
    const double *size = m->density.moment; /* one pose: 1 1 1; an axis: 1 0 0; none: 0 0 0 */
    return (recon_tail_point){ (1 - m->background) * (size[0] + size[1] + size[2]) / 3,
                               recon_so3_map_tail(m, recon_so3_at(psi, 0)) };
}

static void lambda_of(double *out, const void *map, recon_lambda way, const double *psi,
                      const float *log_q)
{
    const recon_so3_map *m = map;
    (void)psi, (void)log_q;
    memcpy(out, way == RECON_LAMBDA_HEAD ? &m->lambda_label : &m->lambda, sizeof m->lambda);
}

static void surrogates(double out[3], const void *map, const double *psi)
{
    recon_so3 pose = recon_so3_at(psi, 0);
    out[0] = recon_so3_map_trace(map, pose);
    out[1] = recon_so3_map_trace_label(map, pose);
    out[2] = recon_so3_map_trace_uncentred(map, pose);
}

/* Of a small set 300 steps at least: after 30 most poses still pass for background. */
const recon_maps_kind recon_so3_maps = {
    .group = RECON_SO3,
    .head = recon_so3_heads,
    .heads = RECON_SO3_HEADS,
    .lambda = 1u << RECON_SO3_DENSITY | 1u << RECON_SO3_MIXTURE | 1u << RECON_SO3_VERDICT,
    .by_head = 1u << RECON_SO3_LAMBDA,
    .map = sizeof(recon_so3_map),
    .lambda_at = offsetof(recon_so3_map, lambda),
    .free_at = offsetof(recon_so3_map, free),
    .number = "theta.unit",
    .parameter_is = "above 0",
    .parameter_fits = is_unit,
    .usual = RECON_LAMBDA_DENSITY,
    .any_rotation = "haar",
    .defaults = { .hidden = 512,
                  .epochs = 30,
                  .batch = 256,
                  .rate = 2e-3,
                  .decay = 0.01,
                  .held_out = 0.1 },
    .steps_least = 300,
    .plain = 1,
    .targets = recon_so3_targets,
    .prepare = prepare,
    .finish = finish,
    .score = score,
    .lambda_of = lambda_of,
    .tail = tail,
    .surrogates = surrogates,
};
