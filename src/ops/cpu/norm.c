/* norm.c - batch norm, of plain channels and of vector fields, and per segment.
 *
 * The formulas are in ref/norm.c. Rows are summed in blocks of fixed size, both moments in one pass.
 * Then everything is a multiply-add by column. Sums and masks are done element by element as the
 * entries add and map do them: in F32 the bits are those of the separate calls. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "ops/sums.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

#define BLOCK RECON_BLOCK_ROWS

/* What the passes need of each column. */
typedef struct {
    float *mean, *inv, *gain, *shift; /* gain = scale inv */
    float *back, *along;              /* dx = gain (g - back - xhat along) */
    double *first, *second;           /* the sums */
} columns;

typedef struct {
    const recon_norm_args *a;
    size_t rows, cols, channels; /* rows of the whole batch */
    recon_pieces pieces;         /* no segments */
    columns c;
    double *sums; /* [tasks][2][cols]; segments: their dscale and dshift, [segments][2][channels] */
} job;

static job make_job(const recon_norm_args *a)
{
    job j = { .a = a, .cols = recon_tensor_cols(&a->x) };
    recon_slices s = recon_slices_in_rows(&a->x, recon_tensor_rows(&a->x));
    j.rows = s.all;
    j.channels = j.cols / a->field;
    j.pieces = recon_pieces_of(s, recon_rows_per_task(j.cols));
    return j;
}

static int from_batch(const recon_norm_args *a)
{
    return a->training || a->offset.data;
}

static recon_status take_columns(recon_ctx *ctx, columns *c, recon_arena *arena, size_t cols)
{
    float *block;
    RECON_CHECK(recon_arena_take(ctx, arena, &block, 6 * cols, sizeof *block));
    *c = (columns){
        block, block + cols, block + 2 * cols, block + 3 * cols, block + 4 * cols, block + 5 * cols,
        NULL,  NULL
    };
    memset(block, 0, 6 * cols * sizeof *block);
    RECON_CHECK(recon_arena_take(ctx, arena, &c->first, 2 * cols, sizeof *c->first));
    c->second = c->first + cols;
    memset(c->first, 0, 2 * cols * sizeof *c->first);
    return RECON_OK;
}

/* ---- kernels over a block of rows ---- */

enum { WIDE = RECON_BLOCK_COLUMNS };
#define EACH for (size_t i = 0; i < n; i++)

/* Sums of g and of g xhat. */
RECON_CLONES static void add_slopes(double *restrict first, double *restrict second,
                                    const float *restrict g, const float *restrict x,
                                    const float *restrict mean, const float *restrict inv,
                                    size_t rows, size_t cols)
{
    float sum[WIDE], along[WIDE];
    for (size_t c = 0; c < cols; c += WIDE) {
        size_t width = cols - c < WIDE ? cols - c : WIDE;
        memset(sum, 0, sizeof sum);
        memset(along, 0, sizeof along);
        for (size_t r = 0; r < rows; r++)
            for (size_t i = 0; i < width; i++) {
                size_t at = r * cols + c + i;
                sum[i] += g[at];
                along[i] += g[at] * (x[at] - mean[c + i]) * inv[c + i];
            }
        for (size_t i = 0; i < width; i++) {
            first[c + i] += (double)sum[i];
            second[c + i] += (double)along[i];
        }
    }
}

RECON_CLONES static void normalise(float *restrict y, const float *restrict x,
                                   const float *restrict mean, const float *restrict gain,
                                   const float *restrict shift, size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++, x += cols, y += cols)
        for (size_t i = 0; i < cols; i++)
            y[i] = (x[i] - mean[i]) * gain[i] + shift[i];
}

RECON_CLONES static void finish(float *restrict y, const float *restrict skip, int relu, size_t n)
{
    if (skip && relu)
        EACH y[i] = y[i] + skip[i] < 0 ? 0 : y[i] + skip[i];
    else if (skip)
        EACH y[i] += skip[i];
    else if (relu)
        EACH y[i] = y[i] < 0 ? 0 : y[i];
}

/* g; more and y NULL: nothing is added, nothing masked. */
RECON_CLONES static void find_g(float *restrict g, const float *restrict dy,
                                const float *restrict more, const float *restrict y, size_t n)
{
    if (more && y)
        EACH g[i] = y[i] > 0 ? dy[i] + more[i] : 0;
    else if (more)
        EACH g[i] = dy[i] + more[i];
    else if (y)
        EACH g[i] = y[i] > 0 ? dy[i] : 0;
    else
        EACH g[i] = dy[i];
}

RECON_CLONES static void pull_back(float *restrict dx, const float *restrict g,
                                   const float *restrict x, const columns *c, size_t rows,
                                   size_t cols)
{
    const float *restrict mean = c->mean, *restrict inv = c->inv, *restrict gain = c->gain;
    const float *restrict back = c->back, *restrict along = c->along;
    for (size_t r = 0; r < rows; r++, x += cols, g += cols, dx += cols)
        for (size_t i = 0; i < cols; i++)
            dx[i] = gain[i] * (g[i] - back[i] - (x[i] - mean[i]) * inv[i] * along[i]);
}

/* ---- passes over rows begin .. end ---- */

typedef enum { MOMENTS, NORMALISE, SLOPES, PULL_BACK } pass;

/* What a block of rows passes through on its way to float. */
typedef struct {
    float *x, *dy, *g, *more, *y; /* dx leaves through more */
} rooms;

static const float *read_some(float *room, const recon_tensor *t, size_t at, size_t n)
{
    return t->data ? recon_run_read(room, t, at, n) : NULL;
}

static void write_y(const job *j, const columns *c, const rooms *room, const float *x, size_t at,
                    size_t rows)
{
    const recon_norm_args *a = j->a;
    size_t n = rows * j->cols;
    float *y = recon_run_write(room->y, &a->y, at);
    normalise(y, x, c->mean, c->gain, c->shift, rows, j->cols);
    finish(y, read_some(room->more, &a->skip, at, n), a->relu, n);
    recon_run_wrote(room->y, &a->y, at, n);
}

/* g, which the first pass keeps as dskip where that is asked for. */
static const float *read_g(const recon_norm_args *a, const rooms *room, pass what, size_t at,
                           size_t n)
{
    if (what == PULL_BACK && a->dskip.data)
        return recon_run_read(room->g, &a->dskip, at, n);
    const float *dy = recon_run_read(room->dy, &a->dy, at, n);
    if (!a->relu && !a->dy_more.data && !a->dskip.data)
        return dy;
    float *g = a->dskip.data ? recon_run_write(room->g, &a->dskip, at) : room->g;
    find_g(g, dy, read_some(room->more, &a->dy_more, at, n),
           a->relu ? recon_run_read(room->y, &a->y, at, n) : NULL, n);
    if (a->dskip.data)
        recon_run_wrote(room->g, &a->dskip, at, n);
    return g;
}

/* first, second: where the sums go. */
static recon_status walk(recon_ctx *ctx, const job *j, int worker, pass what, const columns *c,
                         size_t begin, size_t end)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    const recon_norm_args *a = j->a;
    size_t cols = j->cols;
    float *block;
    size_t most = BLOCK * cols;
    RECON_TRY(recon_arena_take(ctx, arena, &block, 5 * most, sizeof *block));
    rooms room = { block, block + most, block + 2 * most, block + 3 * most, block + 4 * most };
    for (size_t r = begin; r < end; r += BLOCK) {
        size_t rows = end - r < BLOCK ? end - r : BLOCK, at = r * cols, n = rows * cols;
        const float *x = recon_run_read(room.x, &a->x, at, n), *g = NULL;
        if (what == SLOPES || what == PULL_BACK)
            g = read_g(a, &room, what, at, n);
        if (what == MOMENTS) {
            recon_add_moments(c->first, c->second, x, rows, cols);
        } else if (what == SLOPES) {
            add_slopes(c->first, c->second, g, x, c->mean, c->inv, rows, cols);
        } else if (what == NORMALISE) {
            write_y(j, c, &room, x, at, rows);
        } else {
            pull_back(recon_run_write(room.more, &a->dx, at), g, x, c, rows, cols);
            recon_run_wrote(room.more, &a->dx, at, n);
        }
    }
done:
    recon_arena_release(arena, mark);
    return status;
}

typedef struct {
    const job *j;
    pass what;
} passing;

static recon_status pass_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const passing *p = arg;
    const job *j = p->j;
    columns c = j->c;
    recon_rows rows = recon_pieces_rows(&j->pieces, task);
    c.first = j->sums + 2 * task * j->cols;
    c.second = c.first + j->cols;
    return walk(ctx, j, worker, p->what, &c, rows.begin, rows.end);
}

/* The whole tensor; the sums over the batch end up in j->c. */
static recon_status run_pass(recon_ctx *ctx, job *j, pass what)
{
    size_t n = 2 * j->cols;
    memset(j->sums, 0, j->pieces.tasks * n * sizeof *j->sums);
    RECON_CHECK(recon_parallel(ctx, pass_task, &(passing){ j, what }, j->pieces.tasks));
    return recon_pieces_sum(ctx, &j->pieces, j->c.first, RECON_F64, j->sums, n * sizeof *j->sums,
                            n);
}

/* ---- statistics of a channel ---- */

/* The sum over the columns of channel f. */
static double of_field(const double *by_column, size_t f, size_t field)
{
    double sum = 0;
    for (size_t i = f * field; i < (f + 1) * field; i++)
        sum += by_column[i];
    return sum;
}

static void move(float *running, double momentum, double now)
{
    *running = (float)((1 - momentum) * (double)*running + momentum * now);
}

/* From the sums to mean and inv of segment s, kept for the way back. */
static void find(const job *j, const columns *c, size_t s, size_t count)
{
    const recon_norm_args *a = j->a;
    double rows = count ? (double)count : 1, m = (double)a->field;
    for (size_t f = 0; f < j->channels; f++) {
        size_t at = s * j->channels + f;
        double mean = a->field == 1 ? c->first[f] / rows : 0;
        double var = fmax(of_field(c->second, f, a->field) / (rows * m) - mean * mean, 0);
        ((float *)a->inv.data)[at] = (float)(1 / sqrt(var + a->eps));
        if (a->field == 1)
            ((float *)a->mean.data)[at] = (float)mean;
        if (a->offset.data)
            continue;
        if (a->field == 1) {
            move((float *)a->running_mean.data + f, a->momentum, mean);
            var *= rows > 1 ? rows / (rows - 1) : 1;
        }
        move((float *)a->running_var.data + f, a->momentum, var);
    }
}

/* Mean, inv, gain and shift of each column of segment s. */
static void set_columns(const job *j, const columns *c, size_t s)
{
    const recon_norm_args *a = j->a;
    const float *scale = a->scale.data;
    for (size_t i = 0; i < j->cols; i++) {
        size_t f = i / a->field, at = s * j->channels + f;
        if (from_batch(a))
            c->inv[i] = ((const float *)a->inv.data)[at];
        else
            c->inv[i] = (float)(1 / sqrt((double)((float *)a->running_var.data)[f] + a->eps));
        c->gain[i] = scale[f] * c->inv[i];
        if (a->field != 1)
            continue;
        c->mean[i] = from_batch(a) ? ((const float *)a->mean.data)[at]
                                   : ((const float *)a->running_mean.data)[f];
        if (a->shift.data)
            c->shift[i] = ((const float *)a->shift.data)[f];
    }
}

/* back and along from the sums. */
static void set_slopes(const job *j, const columns *c, size_t count)
{
    size_t m = j->a->field;
    double rows = count ? (double)count : 1;
    if (!from_batch(j->a))
        return;
    for (size_t i = 0; i < j->cols; i++) {
        c->back[i] = m == 1 ? (float)(c->first[i] / rows) : 0;
        c->along[i] = (float)(of_field(c->second, i / m, m) / (rows * (double)m));
    }
}

static void set_gradients(const job *j, const double *dscale, const double *dshift)
{
    for (size_t f = 0; f < j->channels; f++) {
        ((float *)j->a->dscale.data)[f] = (float)dscale[f];
        if (j->a->field == 1 && j->a->dshift.data)
            ((float *)j->a->dshift.data)[f] = (float)dshift[f];
    }
}

/* The columns' sums as gradients of the channels: dscale, then dshift. */
static void channel_sums(const job *j, const columns *c, double *out)
{
    for (size_t f = 0; f < j->channels; f++) {
        out[f] = of_field(c->second, f, j->a->field);
        out[j->channels + f] = of_field(c->first, f, j->a->field);
    }
}

/* ---- segments: a task each ---- */

static recon_status segment_task(recon_ctx *ctx, void *arg, size_t s, int worker)
{
    const job *j = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    const int32_t *offset = j->a->offset.data;
    size_t begin = (size_t)offset[s], end = (size_t)offset[s + 1];
    columns c;
    RECON_CHECK(take_columns(ctx, &c, arena, j->cols));
    if (j->sums) { /* backward */
        set_columns(j, &c, s);
        RECON_CHECK(walk(ctx, j, worker, SLOPES, &c, begin, end));
        set_slopes(j, &c, end - begin);
        channel_sums(j, &c, j->sums + 2 * s * j->channels);
        RECON_CHECK(walk(ctx, j, worker, PULL_BACK, &c, begin, end));
    } else {
        RECON_CHECK(walk(ctx, j, worker, MOMENTS, &c, begin, end));
        find(j, &c, s, end - begin);
        set_columns(j, &c, s);
        RECON_CHECK(walk(ctx, j, worker, NORMALISE, &c, begin, end));
    }
    return RECON_OK;
}

static size_t segments(const recon_norm_args *a)
{
    return recon_tensor_count(&a->offset) - 1;
}

static recon_status sum_segments(recon_ctx *ctx, const job *j, double *part,
                                 const recon_tensor *out)
{
    const recon_slices *cut = j->a->offset.slices;
    recon_pieces tasks = cut ? recon_pieces_of(*cut, 1) : recon_pieces_alone(segments(j->a));
    return recon_gradient_sum(ctx, &(recon_gradient){ .pieces = &tasks,
                                                      .part = part,
                                                      .stride = 2 * j->channels * sizeof *part,
                                                      .width = j->channels,
                                                      .as_double = 1,
                                                      .out = out->data,
                                                      .count = j->channels });
}

static recon_status segments_back(recon_ctx *ctx, job *j)
{
    size_t n = 2 * j->channels, count = segments(j->a);
    RECON_CHECK(
        recon_arena_take(ctx, recon_worker_arena(ctx, 0), &j->sums, count * n, sizeof *j->sums));
    RECON_CHECK(recon_parallel(ctx, segment_task, j, count));
    RECON_CHECK(sum_segments(ctx, j, j->sums, &j->a->dscale));
    if (j->a->field == 1 && j->a->dshift.data)
        RECON_CHECK(sum_segments(ctx, j, j->sums + j->channels, &j->a->dshift));
    return RECON_OK;
}

/* ---- the whole batch ---- */

static recon_status take_sums(recon_ctx *ctx, job *j)
{
    recon_arena *arena = recon_worker_arena(ctx, 0);
    RECON_CHECK(take_columns(ctx, &j->c, arena, j->cols));
    return recon_arena_take(ctx, arena, &j->sums, 2 * j->pieces.tasks * j->cols, sizeof *j->sums);
}

static recon_status batch_forward(recon_ctx *ctx, job *j)
{
    RECON_CHECK(take_sums(ctx, j));
    if (j->a->training) {
        RECON_CHECK(run_pass(ctx, j, MOMENTS));
        find(j, &j->c, 0, j->rows);
    }
    set_columns(j, &j->c, 0);
    return recon_parallel(ctx, pass_task, &(passing){ j, NORMALISE }, j->pieces.tasks);
}

static recon_status batch_back(recon_ctx *ctx, job *j)
{
    double *gradient;
    RECON_CHECK(take_sums(ctx, j));
    RECON_CHECK(recon_arena_take(ctx, recon_worker_arena(ctx, 0), &gradient, 2 * j->channels,
                                 sizeof *gradient));
    set_columns(j, &j->c, 0);
    RECON_CHECK(run_pass(ctx, j, SLOPES));
    set_slopes(j, &j->c, j->rows);
    channel_sums(j, &j->c, gradient);
    set_gradients(j, gradient, gradient + j->channels);
    return recon_parallel(ctx, pass_task, &(passing){ j, PULL_BACK }, j->pieces.tasks);
}

recon_status recon_cpu_norm(recon_ctx *ctx, const recon_norm_args *a)
{
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    job j = make_job(a);
    recon_status status = a->offset.data ? recon_parallel(ctx, segment_task, &j, segments(a))
                                         : batch_forward(ctx, &j);
    recon_arena_release(arena, mark);
    return status;
}

recon_status recon_cpu_norm_back(recon_ctx *ctx, const recon_norm_args *a)
{
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    job j = make_job(a);
    recon_status status = a->offset.data ? segments_back(ctx, &j) : batch_back(ctx, &j);
    recon_arena_release(arena, mark);
    return status;
}
