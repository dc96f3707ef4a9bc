/* steer.c - a convolution by waves, a tile of pixels at a time.
 *
 * A tile is some rows of y. Its features are made (waves.c) and multiplied at once, while they are
 * in the second-level cache: written out they would be many times the size of x. The way back makes
 * them again. Weights are packed once for all tiles. Tiles and the tasks of the way back are cut by
 * the shape of the batch alone, and gradients of weights are summed over tasks in a fixed order
 * (slices.h): the bits depend neither on the number of threads nor on that of ranks. */
#include "ops/cpu/conv.h"
#include "ops/cpu/cpu.h"
#include "ops/cpu/dnnl.h"
#include "ops/cpu/elements.h"
#include "ops/cpu/waves.h"
#include "core/blocks.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/threads.h"

#include <string.h>

#define TILE_FEATURES 262144 /* floats, that fit in the second-level cache */
#define TILE_PIXELS   RECON_BLOCK_STEER
#define MIN_TILES     8 /* over all images                            */
#define BACK_TASKS    8 /* each holds a gradient of the weights of its own */

/* y = f w^T, or df = dy w, for whole tiles and the last. */
typedef struct {
    size_t depth, outputs;
    size_t to, before; /* its first output; features of the products before it */
    const float *w;    /* [outputs][depth] */
    recon_conv_kernel forward, data;
} product;

typedef struct {
    const recon_steer_args *a;
    recon_steer_sizes s;
    recon_waves waves;
    product *product;
    size_t rows, tiles;  /* of a whole tile, and how many an image has */
    const float *x, *dy; /* as floats                                  */
    float *y, *dx;
    recon_pieces pieces; /* images of the tasks of the way back        */
    float *partial;      /* those tasks' gradients of the weights      */
    size_t weights;
} job;

/* ---- products ---- */

static recon_dnnl_shape shape_of(const job *j, const product *p, size_t rows, int back)
{
    recon_dnnl_shape s;
    memset(&s, 0, sizeof s);
    s.kind = RECON_DNNL_PRODUCT;
    s.kh = s.kw = 1;
    s.n = (int64_t)rows;
    s.c = (int64_t)(back ? p->outputs : p->depth);
    s.w = (int64_t)(back ? j->s.o : p->depth);
    s.o = (int64_t)(back ? p->depth : p->outputs);
    s.q = (int64_t)(back ? p->depth : j->s.o);
    return s;
}

/* Plans and packed weights for whole tiles and an image's last. */
static recon_status prepare(recon_ctx *ctx, const job *j, product *p, int back)
{
    size_t count[2] = { j->rows * j->s.q, j->s.p % j->rows * j->s.q };
    recon_conv_kernel *k = back ? &p->data : &p->forward;
    for (int i = 0; i < 2 && recon_dnnl_is_there(); i++) {
        if (count[i] == 0 || p->depth == 0)
            continue;
        recon_dnnl_shape s = shape_of(j, p, count[i], back);
        RECON_CHECK(recon_dnnl_find(ctx, &k->plan[i], &s));
        RECON_CHECK(recon_arena_take(ctx, recon_worker_arena(ctx, 0), &k->packed[i],
                                     recon_dnnl_packed_bytes(k->plan[i]), 1));
        RECON_CHECK(recon_dnnl_pack(ctx, k->plan[i], k->packed[i], p->w, back));
    }
    return RECON_OK;
}

/* y of a tile from its features. */
static recon_status mix(recon_ctx *ctx, const job *j, const product *p, int worker, float *y,
                        const float *feature, size_t pixels)
{
    int last = pixels != j->rows * j->s.q;
    if (p->depth == 0) {
        for (size_t i = 0; i < pixels; i++)
            memset(y + i * j->s.o, 0, p->outputs * sizeof *y);
        return RECON_OK;
    }
    if (recon_dnnl_is_there())
        return recon_dnnl_run(ctx, p->forward.plan[last], worker, (void *)feature,
                              p->forward.packed[last], NULL, y);
    return recon_cpu_product(ctx, y, j->s.o, recon_plain(feature, p->depth),
                             recon_transposed(p->w, p->depth),
                             (size_t[]){ pixels, p->outputs, p->depth }, 0);
}

/* The gradient of a tile's features. */
static recon_status unmix(recon_ctx *ctx, const job *j, const product *p, int worker,
                          float *feature, const float *dy, size_t pixels)
{
    int last = pixels != j->rows * j->s.q;
    if (p->depth == 0)
        return RECON_OK;
    if (recon_dnnl_is_there())
        return recon_dnnl_run(ctx, p->data.plan[last], worker, (void *)dy, p->data.packed[last],
                              NULL, feature);
    return recon_cpu_product(ctx, feature, p->depth, recon_plain(dy, j->s.o),
                             recon_plain(p->w, p->depth),
                             (size_t[]){ pixels, p->depth, p->outputs }, 0);
}

/* ---- tiles ---- */

/* Rows first .. first + rows of an image. */
typedef struct {
    size_t image, first, rows;
    recon_wave_tile features;
    float *scratch;
} tile;

static recon_status open_tile(recon_ctx *ctx, const job *j, recon_arena *arena, tile *t,
                              size_t index)
{
    *t = (tile){ .image = index / j->tiles, .first = index % j->tiles * j->rows };
    t->rows = recon_min(j->rows, j->s.p - t->first);
    t->features.pixels = t->rows * j->s.q;
    RECON_CHECK(recon_arena_take(ctx, arena, &t->features.feature,
                                 t->features.pixels * j->waves.features + 1, sizeof(float)));
    return recon_arena_take(ctx, arena, &t->scratch, recon_waves_scratch(&j->waves),
                            sizeof *t->scratch);
}

static void filter(const job *j, const tile *t)
{
    const float *x = j->x + t->image * j->s.h * j->s.w * j->s.c;
    for (size_t r = 0; r < t->rows; r++)
        recon_waves_row(&j->waves, &t->features, r * j->s.q, x, t->first + r, t->scratch);
}

/* Where the tile's pixels begin in y and dy. */
static size_t pixels_at(const job *j, const tile *t)
{
    return (t->image * j->s.p + t->first) * j->s.q * j->s.o;
}

static float *features_of(const product *p, const tile *t)
{
    return t->features.feature + t->features.pixels * p->before;
}

static recon_status forward_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const job *j = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    tile t;
    RECON_CHECK(open_tile(ctx, j, arena, &t, index));
    filter(j, &t);
    for (size_t i = 0; i < j->a->products; i++) {
        const product *p = &j->product[i];
        float *y = j->y + pixels_at(j, &t) + p->to;
        RECON_CHECK(mix(ctx, j, p, worker, y, features_of(p, &t), t.features.pixels));
    }
    return RECON_OK;
}

/* The gradients of one tile; adds to the task's of the weights, unless it is its first. */
static recon_status tile_back(recon_ctx *ctx, const job *j, int worker, const tile *t, float *dw,
                              int add)
{
    const float *dy = j->dy + pixels_at(j, t);
    size_t pixels = t->features.pixels;
    if (dw)
        filter(j, t);
    for (size_t i = 0; dw && i < j->a->products; i++) {
        const product *p = &j->product[i];
        RECON_CHECK(recon_cpu_product(ctx, dw + (p->w - j->product->w), p->depth,
                                      recon_transposed(dy + p->to, j->s.o),
                                      recon_plain(features_of(p, t), p->depth),
                                      (size_t[]){ p->outputs, p->depth, pixels }, add));
    }
    for (size_t i = 0; j->dx && i < j->a->products; i++) {
        const product *p = &j->product[i];
        RECON_CHECK(unmix(ctx, j, p, worker, features_of(p, t), dy + p->to, pixels));
    }
    if (j->dx) {
        float *dx = j->dx + t->image * j->s.h * j->s.w * j->s.c;
        for (size_t r = 0; r < t->rows; r++)
            recon_waves_row_back(&j->waves, &t->features, r * j->s.q, dx, t->first + r, t->scratch);
    }
    return RECON_OK;
}

/* Whole images: their rows add to the same places of dx. */
static recon_status back_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const job *j = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    recon_rows own = recon_pieces_rows(&j->pieces, index);
    size_t begin = own.begin, end = own.end;
    size_t image = j->s.h * j->s.w * j->s.c;
    float *dw = j->partial ? j->partial + index * j->weights : NULL;
    if (j->dx)
        memset(j->dx + begin * image, 0, (end - begin) * image * sizeof *j->dx);
    for (size_t i = begin * j->tiles; i < end * j->tiles; i++) {
        tile t;
        RECON_CHECK(recon_interrupted(ctx)); /* large images take minutes */
        RECON_CHECK(open_tile(ctx, j, arena, &t, i));
        RECON_CHECK(tile_back(ctx, j, worker, &t, dw, i > begin * j->tiles));
        recon_arena_release(arena, mark);
    }
    return RECON_OK;
}

/* ---- whole calls ---- */

static recon_status open_products(recon_ctx *ctx, job *j, const float *w)
{
    const recon_steer_plane *plane = j->a->plane;
    size_t to = 0, before = 0;
    RECON_CHECK(recon_arena_take(ctx, recon_worker_arena(ctx, 0), &j->product, j->a->products + 1,
                                 sizeof *j->product));
    for (size_t i = 0; i < j->a->products; i++) {
        const recon_steer_product *from = &j->a->product[i];
        size_t depth = recon_steer_depth(plane, from->planes);
        j->product[i] = (product){
            .depth = depth, .outputs = from->outputs, .to = to, .before = before, .w = w
        };
        plane += from->planes;
        to += from->outputs;
        before += depth;
        w += from->outputs * depth;
    }
    return RECON_OK;
}

/* Rows of a tile. */
static size_t rows_of(const job *j)
{
    size_t features = j->waves.features ? j->waves.features : 1;
    size_t pixels = recon_min(TILE_FEATURES / features + 1, TILE_PIXELS);
    size_t rows =
        recon_min(recon_up(pixels, j->s.q), recon_up(j->pieces.s.all * j->s.p, MIN_TILES));
    return recon_up(j->s.p, recon_up(j->s.p, rows)); /* an image's tiles alike */
}

static recon_status open_job(recon_ctx *ctx, job *j, const recon_steer_args *a)
{
    recon_arena *arena = recon_worker_arena(ctx, 0);
    const float *w, *wave;
    *j = (job){ .a = a, .s = recon_steer_sizes_of(a), .weights = recon_tensor_count(&a->w) };
    recon_slices images = recon_slices_in_rows(&a->x, j->s.n);
    j->pieces = recon_pieces_of(images, recon_up(images.all, BACK_TASKS));
    RECON_CHECK(recon_part_read(ctx, arena, &j->x, &a->x, 0, recon_tensor_count(&a->x)));
    RECON_CHECK(recon_part_read(ctx, arena, &w, &a->w, 0, j->weights));
    RECON_CHECK(recon_part_read(ctx, arena, &wave, &a->wave, 0, recon_tensor_count(&a->wave)));
    RECON_CHECK(recon_waves_open(ctx, &j->waves, arena, a, wave));
    j->rows = rows_of(j);
    j->tiles = recon_up(j->s.p, j->rows);
    return open_products(ctx, j, w);
}

static recon_status prepare_all(recon_ctx *ctx, job *j, int back)
{
    for (size_t i = 0; i < j->a->products; i++)
        RECON_CHECK(prepare(ctx, j, &j->product[i], back));
    return RECON_OK;
}

recon_status recon_cpu_steer(recon_ctx *ctx, const recon_steer_args *a)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    size_t count = recon_tensor_count(&a->y);
    job j;
    if (count == 0)
        return RECON_OK;
    RECON_TRY(open_job(ctx, &j, a));
    RECON_TRY(prepare_all(ctx, &j, 0));
    RECON_TRY(recon_part_write(ctx, arena, &j.y, &a->y, 0, count));
    RECON_TRY(recon_parallel(ctx, forward_task, &j, j.s.n * j.tiles));
    recon_run_wrote(j.y, &a->y, 0, count);
done:
    recon_arena_release(arena, mark);
    return status;
}

recon_status recon_cpu_steer_back(recon_ctx *ctx, const recon_steer_args *a)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    size_t count = recon_tensor_count(&a->x);
    job j;
    if (recon_tensor_count(&a->dy) == 0)
        return recon_ops_ref.steer_back(ctx, a);
    RECON_TRY(open_job(ctx, &j, a));
    RECON_TRY(recon_part_read(ctx, arena, &j.dy, &a->dy, 0, recon_tensor_count(&a->dy)));
    if (a->dw.data)
        RECON_TRY(recon_arena_take(ctx, arena, &j.partial, j.pieces.tasks * j.weights + 1,
                                   sizeof(float)));
    if (a->dx.data) {
        RECON_TRY(prepare_all(ctx, &j, 1));
        RECON_TRY(recon_part_write(ctx, arena, &j.dx, &a->dx, 0, count));
    }
    RECON_TRY(recon_parallel(ctx, back_task, &j, j.pieces.tasks));
    if (a->dx.data)
        recon_run_wrote(j.dx, &a->dx, 0, count);
    if (a->dw.data)
        RECON_TRY(recon_gradient_sum(ctx, &(recon_gradient){ .pieces = &j.pieces,
                                                             .part = j.partial,
                                                             .stride = j.weights * sizeof(float),
                                                             .width = j.weights,
                                                             .out = a->dw.data,
                                                             .count = j.weights }));
done:
    recon_arena_release(arena, mark);
    return status;
}

/* ---- the times of both ways, as far as shapes tell ---- */

/* Nanoseconds a pixel on one core of an Ice Lake server, fitted to 21 layers (frequencies up to 3,
 * sizes 1 to 7, 8 to 384 channels, images of 7 to 28 pixels): off by a third at most, and the way
 * chosen was the faster one for all of them. Other machines scale the two alike.
 * docs/notebook/performance.md has the ratios, bench_steerable measures them anew. */
typedef struct {
    double dense, taps, pixel; /* a multiply-add; a tap of an output; a pixel        */
    double product, filter, feature,
        launch; /* a multiply-add, twice; a feature; a tile's product */
} cost;
static const cost inference = { 0.0138, 0.001, 34, 0.0191, 0.0137, 0.185, 6200 };
static const cost training = { 0.0461, 0.279, 101, 0.0900, 0.0518, 0.225, 22400 };

enum { LANES = 16 };

/* How much faster a dense convolution is in bf16 where it is fast at all, at the least: 1.9 was
 * measured with AMX, 2.0 is the peak with AVX512_BF16. Filtering by waves is done in float. */
#define BF16_GAIN 1.8

static double whole_lanes(size_t n)
{
    return (double)((n + LANES - 1) / LANES * LANES);
}

static double dense_time(const recon_steer_args *a, const cost *k)
{
    recon_steer_sizes s = recon_steer_sizes_of(a);
    return (double)(s.size * s.size) * whole_lanes(s.o) * (k->dense * (double)s.c + k->taps) +
           k->pixel;
}

static double waves_time(const recon_steer_args *a, const cost *k)
{
    recon_steer_sizes s = recon_steer_sizes_of(a);
    const recon_steer_plane *plane = a->plane;
    double taps = (double)(s.size * s.size), pixels = (double)(s.p * s.q), time = 0;
    pixels = pixels < TILE_PIXELS ? pixels : TILE_PIXELS;
    for (size_t i = 0; i < a->products; i++) {
        double depth = (double)recon_steer_depth(plane, a->product[i].planes);
        time += k->product * depth * whole_lanes(a->product[i].outputs) + k->launch / pixels;
        for (size_t n = 0; n < a->product[i].planes; n++, plane++)
            time += whole_lanes(plane->channels) * (plane->b < 0 ? 1 : 2) *
                    (k->filter * taps + k->feature);
    }
    return time;
}

int recon_cpu_steer_pays(recon_ctx *ctx, const recon_steer_args *a, int training_too)
{
    const cost *k = training_too ? &training : &inference;
    double gain = a->x.type == RECON_BF16 && recon_dnnl_has_fast_bf16(ctx) ? BF16_GAIN : 1;
    return !recon_dnnl_is_there() || waves_time(a, k) < dense_time(a, k) / gain;
}
