/* so3_kind.c - maps of rotations: how their density is learned, and what their heads have said,
 * made an answer.
 *
 * The density head learns F of psi itself and the share of a uniform background, by likelihood on
 * the poses, so that it averages over all of a class where Algorithm 1 has k neighbours, and a pose
 * that is plainly wrong costs a bounded amount. Lambda is its gauge, Theta its F about Lambda.
 * Three further heads learn Algorithm 1's own answers, as the paper does. */
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "maps/head_training.h"
#include "maps/maps.h"
#include "maps/so3_heads.h"

#include "stats/fisher_gauge.h"
#include <stdlib.h>

enum { BLOCK = 64 /* maps of a task */ };

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
    if (head != RECON_SO3_DENSITY)
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
    recon_status status = recon_alloc(ctx, out, 1, sizeof **out + l->n);
    if (status != RECON_OK)
        return status;
    (*out)->frames = frames;
    (*out)->seed = l->seed;
    for (size_t i = 0; i < l->held; i++)
        (*out)->held[recon_head_training_place(l, i)] = 1;
    return RECON_OK;
}

/* The density is taught from F = 0 on: a first F of random directions makes every pose so unlikely
 * that all of them are taken for background, and nothing is learned from background. */
static recon_status start_uniform(recon_ctx *ctx, recon_maps *m)
{
    const recon_mlp *head = &m->head[RECON_SO3_DENSITY];
    recon_param *weight = head->layer[head->layers - 1].weight;
    double *zeros = NULL;
    recon_status status = recon_alloc(ctx, &zeros, recon_param_count(weight), sizeof *zeros);
    if (status == RECON_OK)
        status = recon_param_write(ctx, weight, zeros);
    free(zeros);
    return status;
}

static recon_status prepare(recon_ctx *ctx, recon_maps *m, recon_head_training *l,
                            const recon_frames *frames, void **keep)
{
    partner_source *s = NULL;
    recon_status status;
    RECON_TRY(start_uniform(ctx, m));
    RECON_TRY(partner_source_new(ctx, &s, frames, l));
    l->partner = neighbor;
    l->partner_user = s;
done:
    *keep = s;
    return status;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* From the density's F to all that follows from it. */
static recon_status finish_one(recon_ctx *ctx, recon_so3_map *m)
{
    double f[9];
    for (int i = 0; i < 9; i++)
        f[i] = m->density.f[i];
    recon_status status = recon_fisher_of(ctx, &m->density, f);
    if (status != RECON_OK)
        return recon_note(ctx, status, "what the density head puts out");
    m->free = recon_fisher_free(&m->density);
    m->lambda = recon_fisher_gauge(&m->density, m->free);
    recon_fisher_center(m->theta, f, m->lambda);
    return RECON_OK;
}

typedef struct {
    recon_so3_map *maps;
    size_t n;
} pass;

static recon_status finish_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const pass *p = arg;
    recon_status status = RECON_OK;
    (void)worker;
    for (size_t i = task * BLOCK; status == RECON_OK && i < (task + 1) * BLOCK && i < p->n; i++)
        status = finish_one(ctx, &p->maps[i]);
    return status;
}

static recon_status finish(recon_ctx *ctx, void *maps, size_t n, recon_maps_part part, double unit)
{
    (void)part; /* Lambda is the gauge of the density: it needs all of this */
    (void)unit;
    return recon_parallel(ctx, finish_task, &(pass){ maps, n }, (n + BLOCK - 1) / BLOCK);
}

static double score(const void *map, const void *psi)
{
    return recon_so3_map_score(map, *(const recon_so3 *)psi);
}

static recon_tail_point tail(const void *map, const void *psi)
{
    const recon_so3_map *m = map;
    const double *size = m->density.moment; /* one pose: 1 1 1; an axis: 1 0 0; none: 0 0 0 */
    return (recon_tail_point){ (1 - m->background) * (size[0] + size[1] + size[2]) / 3,
                               recon_so3_map_tail(m, *(const recon_so3 *)psi) };
}

/* Of a small set 300 steps at least: after 30 most poses still pass for background. */
const recon_maps_kind recon_so3_maps = {
    .group = RECON_SO3,
    .name = "so3",
    .head = recon_so3_heads,
    .heads = RECON_SO3_HEADS,
    .lambda = 1u << RECON_SO3_DENSITY,
    .map = sizeof(recon_so3_map),
    .number = "theta.unit",
    .number_is = "above 0",
    .number_fits = is_unit,
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
    .tail = tail,
};
