/* couple.c - the tensor product, a tile of rows at a time.
 *
 * What a tile makes (planes, coupled or mixed channels) stays in the second-level cache and is
 * never stored for all rows; the way back makes it again. The order of each path and the products
 * that paths share are couple.h's. Tiles and the tasks of the way back are cut by the shape alone,
 * and gradients of weights are summed over tasks in order: the bits do not depend on the number of
 * threads. bf16 is computed in float. */
#include "ops/cpu/conv.h"
#include "ops/cpu/couple.h"
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/threads.h"

#include <string.h>

#define TILE_ROWS  RECON_BLOCK_COUPLE
#define BACK_TASKS 8 /* each holds a gradient of the weights of its own */
#define DEGREES    RECON_COUPLE_DEGREES

typedef struct {
    const recon_couple_args *a;
    const recon_couple_plan *plan;
    recon_couple_split split;
    recon_pieces tiles;
    size_t in, out, weights;     /* lengths of rows of x and y; all weights */
    float *w;                    /* in the products' order */
    size_t tiles_of_task, tasks; /* of the way back; where x is cut, one for each slice */
    float *partial;              /* its tasks' gradients: weights, then bias */
} job;

/* Channels of one degree: planes of a tile, or the scalars of whole rows. */
typedef struct {
    float *at;
    size_t row, plane; /* from row to row, from component to component */
} planes;

typedef struct {
    size_t first, rows;
    float *matrices;
    float *x, *y; /* rows of x and y, or of dx and dy */
    planes in[DEGREES], out[DEGREES], din[DEGREES];
    float *side[2 * DEGREES]; /* of each product: mixed or coupled channels */
} tile;

/* ---- products ---- */

static size_t product_rows(const recon_couple_product *p, size_t rows)
{
    return rows * recon_couple_size(p->degree);
}

/* The operand with the depth's channels, and the one with the outputs'. */
static planes operand(const tile *t, const planes *of, const recon_couple_product *p, size_t i,
                      int outputs)
{
    size_t n = outputs ? p->outputs : p->depth;
    if (p->mixes == outputs)
        return (planes){ t->side[i], n * recon_couple_size(p->degree), n };
    return of[p->degree];
}

/* out = in w^T, or in w on the way back. */
static recon_status mix(recon_ctx *ctx, const job *j, const tile *t, size_t i, int back, planes out,
                        planes in)
{
    const recon_couple_product *p = &j->split.product[i];
    recon_matrix w = { j->w + p->weights, p->depth, !back };
    return recon_cpu_product(ctx, out.at, out.plane, recon_plain(in.at, in.plane), w,
                             (size_t[]){ product_rows(p, t->rows), back ? p->depth : p->outputs,
                                         back ? p->outputs : p->depth },
                             0);
}

/* dw (+)= dy^T a. */
static recon_status add_weights(recon_ctx *ctx, const job *j, const tile *t, size_t i, float *dw,
                                planes dy, planes a, int add)
{
    const recon_couple_product *p = &j->split.product[i];
    return recon_cpu_product(ctx, dw + p->weights, p->depth, recon_transposed(dy.at, dy.plane),
                             recon_plain(a.at, a.plane),
                             (size_t[]){ p->outputs, p->depth, product_rows(p, t->rows) }, add);
}

/* ---- coupling ---- */

/* A path between the channels of degree l1 and those of l3: out = M in, or back out = M^T in. */
static void couple(const job *j, const tile *t, size_t path, int back, planes out, planes in,
                   size_t n, int add)
{
    const recon_couple_path *p = &j->plan->path[path];
    size_t n1 = recon_couple_size(p->l1), n3 = recon_couple_size(p->l3);
    recon_couple_apply(
        &(recon_couple_step){ .out = out.at,
                              .in = in.at,
                              .row_out = out.row,
                              .row_in = in.row,
                              .plane_out = out.plane,
                              .plane_in = in.plane,
                              .m = t->matrices + j->split.place[path].matrix * RECON_COUPLE_LANES,
                              .numbers = j->split.numbers,
                              .step_a = back ? n3 : 1,
                              .step_b = back ? 1 : n3,
                              .rows = t->rows,
                              .na = back ? n1 : n3,
                              .nb = back ? n3 : n1,
                              .n = n,
                              .add = add });
}

/* The channels of a path in its product's side. */
static planes side_of(const job *j, const tile *t, size_t path)
{
    const recon_couple_place *at = &j->split.place[path];
    const recon_couple_product *p = &j->split.product[at->product];
    planes side = operand(t, NULL, p, at->product, p->mixes);
    side.at += at->at;
    return side;
}

/* Of the paths that couple first: the coupled channels, from x. */
static void couple_inputs(const job *j, const tile *t)
{
    for (size_t i = 0; i < j->plan->paths; i++) {
        uint32_t l1 = j->plan->path[i].l1;
        if (!j->split.product[j->split.place[i].product].mixes)
            couple(j, t, i, 0, side_of(j, t, i), t->in[l1], j->plan->in[l1], 0);
    }
}

/* Of the others: what they mixed, onto y; or from dy the gradients of that. */
static void couple_outputs(const job *j, const tile *t, int back)
{
    for (size_t i = 0; i < j->plan->paths; i++) {
        uint32_t l3 = j->plan->path[i].l3;
        planes side = side_of(j, t, i), y = t->out[l3];
        if (j->split.product[j->split.place[i].product].mixes)
            couple(j, t, i, back, back ? side : y, back ? y : side, j->plan->out[l3], !back);
    }
}

/* ---- tiles ---- */

/* Planes for a tile's degrees; the scalars are in the rows themselves. */
static recon_status take_planes(recon_ctx *ctx, recon_arena *arena, planes *out, const tile *t,
                                const uint32_t *channels, float *rows)
{
    out[0] = (planes){ rows, recon_couple_dim(channels), recon_couple_dim(channels) };
    for (size_t l = 1; l < DEGREES; l++) {
        out[l].plane = channels[l];
        out[l].row = channels[l] * recon_couple_size(l);
        RECON_CHECK(
            recon_arena_take(ctx, arena, &out[l].at, t->rows * out[l].row + 1, sizeof *out[l].at));
    }
    return RECON_OK;
}

static void read_planes(const planes *to, const tile *t, const uint32_t *channels,
                        const float *rows)
{
    for (size_t l = 1; l < DEGREES; l++)
        recon_couple_to_planes(to[l].at, channels[l], rows + recon_couple_at(channels, l),
                               recon_couple_dim(channels), t->rows, channels[l],
                               recon_couple_size(l));
}

static void write_planes(float *rows, const tile *t, const uint32_t *channels, const planes *from)
{
    for (size_t l = 1; l < DEGREES; l++)
        recon_couple_from_planes(rows + recon_couple_at(channels, l), recon_couple_dim(channels),
                                 from[l].at, channels[l], t->rows, channels[l],
                                 recon_couple_size(l));
}

/* Degrees that no product of this kind writes start from 0. */
static void clear_unwritten(const job *j, const tile *t, const planes *p, const uint32_t *channels,
                            int mixes)
{
    for (size_t l = 0; l < DEGREES; l++) {
        int written = 0;
        for (size_t i = 0; i < j->split.products; i++)
            written |= j->split.product[i].mixes == mixes && j->split.product[i].degree == l;
        for (size_t r = 0; !written && r < t->rows; r++)
            memset(p[l].at + r * p[l].row, 0, channels[l] * recon_couple_size(l) * sizeof *p[l].at);
    }
}

/* The tile's matrices, planes of x, and room. */
static recon_status open_tile(recon_ctx *ctx, const job *j, recon_arena *arena, tile *t,
                              size_t index)
{
    const float *x, *attr = j->a->attr.data;
    recon_rows own = recon_pieces_rows(&j->tiles, index);
    *t = (tile){ .first = own.begin, .rows = own.end - own.begin };
    RECON_CHECK(recon_part_read(ctx, arena, &x, &j->a->x, t->first * j->in, t->rows * j->in));
    RECON_CHECK(take_planes(ctx, arena, t->in, t, j->plan->in, (float *)x));
    read_planes(t->in, t, j->plan->in, x);
    RECON_CHECK(recon_arena_take(
        ctx, arena, &t->matrices,
        recon_couple_blocks(t->rows) * RECON_COUPLE_LANES * j->split.numbers + 1, sizeof(float)));
    recon_couple_matrices(t->matrices, j->plan, &j->split, attr + t->first * RECON_COUPLE_ATTRS,
                          t->rows);
    for (size_t i = 0; i < j->split.products; i++) {
        const recon_couple_product *p = &j->split.product[i];
        size_t n = p->mixes ? p->outputs : p->depth;
        RECON_CHECK(
            recon_arena_take(ctx, arena, &t->side[i], product_rows(p, t->rows) * n, sizeof(float)));
    }
    return RECON_OK;
}

static recon_status forward_tile(recon_ctx *ctx, const job *j, recon_arena *arena, size_t index)
{
    const float *bias = j->a->bias.data;
    tile t;
    RECON_CHECK(open_tile(ctx, j, arena, &t, index));
    RECON_CHECK(recon_part_write(ctx, arena, &t.y, &j->a->y, t.first * j->out, t.rows * j->out));
    RECON_CHECK(take_planes(ctx, arena, t.out, &t, j->plan->out, t.y));
    couple_inputs(j, &t);
    for (size_t i = 0; i < j->split.products; i++) {
        const recon_couple_product *p = &j->split.product[i];
        RECON_CHECK(mix(ctx, j, &t, i, 0, operand(&t, t.out, p, i, 1), operand(&t, t.in, p, i, 0)));
    }
    clear_unwritten(j, &t, t.out, j->plan->out, 0);
    couple_outputs(j, &t, 0);
    for (size_t r = 0; bias && r < t.rows; r++)
        for (size_t o = 0; o < j->plan->out[0]; o++)
            t.y[r * j->out + o] += bias[o];
    write_planes(t.y, &t, j->plan->out, t.out);
    recon_run_wrote(t.y, &j->a->y, t.first * j->out, t.rows * j->out);
    return RECON_OK;
}

static recon_status forward_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    return forward_tile(ctx, arg, recon_worker_arena(ctx, worker), index);
}

/* ---- the way back ---- */

/* dx of a tile. The sides of the paths that couple first become gradients. */
static recon_status inputs_back(recon_ctx *ctx, const job *j, recon_arena *arena, tile *t)
{
    float *dx;
    RECON_CHECK(recon_part_write(ctx, arena, &dx, &j->a->dx, t->first * j->in, t->rows * j->in));
    RECON_CHECK(take_planes(ctx, arena, t->din, t, j->plan->in, dx));
    for (size_t i = 0; i < j->split.products; i++) {
        const recon_couple_product *p = &j->split.product[i];
        RECON_CHECK(mix(ctx, j, t, i, 1, operand(t, t->din, p, i, 0), operand(t, t->out, p, i, 1)));
    }
    clear_unwritten(j, t, t->din, j->plan->in, 1);
    /* Of the paths that couple first: their gradients, onto dx. */
    for (size_t i = 0; i < j->plan->paths; i++) {
        uint32_t l1 = j->plan->path[i].l1;
        if (!j->split.product[j->split.place[i].product].mixes)
            couple(j, t, i, 1, t->din[l1], side_of(j, t, i), j->plan->in[l1], 1);
    }
    write_planes(dx, t, j->plan->in, t->din);
    recon_run_wrote(dx, &j->a->dx, t->first * j->in, t->rows * j->in);
    return RECON_OK;
}

static void sum_bias(const job *j, const tile *t, const float *dy, float *sum, int add)
{
    size_t n = j->plan->out[0];
    if (!add)
        memset(sum, 0, n * sizeof *sum);
    for (size_t r = 0; r < t->rows; r++)
        for (size_t o = 0; o < n; o++)
            sum[o] += dy[r * j->out + o];
}

static recon_status back_tile(recon_ctx *ctx, const job *j, recon_arena *arena, size_t index,
                              float *sums, int add)
{
    const float *dy;
    tile t;
    RECON_CHECK(open_tile(ctx, j, arena, &t, index));
    RECON_CHECK(recon_part_read(ctx, arena, &dy, &j->a->dy, t.first * j->out, t.rows * j->out));
    RECON_CHECK(take_planes(ctx, arena, t.out, &t, j->plan->out, (float *)dy));
    read_planes(t.out, &t, j->plan->out, dy);
    couple_outputs(j, &t, 1);
    if (j->a->dbias.data)
        sum_bias(j, &t, dy, sums + j->weights, add);
    if (j->a->dw.data) {
        /* Gradients of the weights, from dy's planes. */
        couple_inputs(j, &t);
        for (size_t i = 0; i < j->split.products; i++) {
            const recon_couple_product *p = &j->split.product[i];
            RECON_CHECK(add_weights(ctx, j, &t, i, sums, operand(&t, t.out, p, i, 1),
                                    operand(&t, t.in, p, i, 0), add));
        }
    }
    if (j->a->dx.data)
        RECON_CHECK(inputs_back(ctx, j, arena, &t));
    return RECON_OK;
}

static recon_status back_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const job *j = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    size_t begin = index * j->tiles_of_task;
    size_t end = recon_min(j->tiles.tasks, begin + j->tiles_of_task);
    float *sums = j->partial + index * (j->weights + j->plan->out[0]);
    for (size_t i = begin; i < end; i++) {
        RECON_CHECK(back_tile(ctx, j, arena, i, sums, i > begin));
        recon_arena_release(arena, mark);
    }
    return RECON_OK;
}

/* ---- whole calls ---- */

/* Between w as the caller has it and the products' order. */
static void copy_weights(const job *j, float *products, float *plain, int to_products)
{
    for (size_t i = 0; i < j->plan->paths; i++) {
        recon_couple_block b = recon_couple_block_of(j->plan, &j->split, i);
        for (size_t o = 0; o < b.rows; o++) {
            float *mine = products + b.in_product + o * b.step;
            float *theirs = plain + b.in_plan + o * b.plan_step;
            memcpy(to_products ? mine : theirs, to_products ? theirs : mine,
                   b.length * sizeof *mine);
        }
    }
}

static recon_status open_job(recon_ctx *ctx, job *j, const recon_couple_args *a)
{
    recon_arena *arena = recon_worker_arena(ctx, 0);
    const float *w;
    *j = (job){ .a = a,
                .plan = a->plan,
                .split = recon_couple_split_of(a->plan),
                .in = recon_couple_dim(a->plan->in),
                .out = recon_couple_dim(a->plan->out),
                .weights = recon_couple_weight(a->plan, DEGREES) };
    j->tiles = recon_pieces_of(recon_slices_in_rows(&a->x, recon_tensor_rows(&a->x)), TILE_ROWS);
    j->tiles_of_task = a->x.slices ? j->tiles.per : recon_up(j->tiles.tasks, BACK_TASKS);
    j->tasks = recon_up(j->tiles.tasks, j->tiles_of_task);
    RECON_CHECK(recon_part_read(ctx, arena, &w, &a->w, 0, j->weights));
    RECON_CHECK(recon_arena_take(ctx, arena, &j->w, j->weights + 1, sizeof *j->w));
    copy_weights(j, j->w, (float *)w, 1);
    return RECON_OK;
}

recon_status recon_cpu_couple(recon_ctx *ctx, const recon_couple_args *a)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    job j;
    if (recon_tensor_rows(&a->x) == 0)
        return RECON_OK;
    RECON_TRY(open_job(ctx, &j, a));
    RECON_TRY(recon_parallel(ctx, forward_task, &j, j.tiles.tasks));
done:
    recon_arena_release(arena, mark);
    return status;
}

recon_status recon_couple_sum(recon_ctx *ctx, recon_gradient weights, float *dbias, size_t biases)
{
    weights.stride = (weights.width + biases) * sizeof(float);
    recon_gradient bias = weights;
    bias.part = (float *)weights.part + weights.width;
    bias.width = bias.count = biases;
    bias.arrange = NULL;
    bias.out = dbias;
    if (weights.out)
        RECON_CHECK(recon_gradient_sum(ctx, &weights));
    if (bias.out)
        RECON_CHECK(recon_gradient_sum(ctx, &bias));
    return RECON_OK;
}

static recon_status to_plain(recon_ctx *ctx, const void *user, float *out, float *products)
{
    (void)ctx;
    copy_weights(user, products, out, 0);
    return RECON_OK;
}

recon_status recon_cpu_couple_back(recon_ctx *ctx, const recon_couple_args *a)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    job j;
    if (recon_tensor_rows(&a->x) == 0)
        return recon_ops_ref.couple_back(ctx, a);
    RECON_TRY(open_job(ctx, &j, a));
    RECON_TRY(recon_arena_take(ctx, arena, &j.partial, j.tasks * (j.weights + j.plan->out[0]) + 1,
                               sizeof(float)));
    RECON_TRY(recon_parallel(ctx, back_task, &j, j.tasks));
    /* Over the tasks, in order, and back to the caller's order. */
    recon_pieces tasks = recon_pieces_each(&j.tiles.s, j.a->x.slices ? 1 : j.tasks);
    recon_gradient weights = { .pieces = &tasks,
                               .part = j.partial,
                               .width = j.weights,
                               .arrange = to_plain,
                               .user = &j,
                               .out = j.a->dw.data,
                               .count = j.weights };
    RECON_TRY(recon_couple_sum(ctx, weights, j.a->dbias.data, j.plan->out[0]));
done:
    recon_arena_release(arena, mark);
    return status;
}
