/* pairs.c - messages between all atoms of a molecule: a task a molecule, vectors of channels.
 *
 * A pair has the same filters either way, so they are made once for both. On the way back their
 * gradients too are gathered for both; a task then takes the molecules of a part of a slice, in order,
 * and the parts are added up in order (sums.h). The formulas are in ref/pairs.c. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "ops/pairs.h"
#include "ops/sums.h"
#include "core/blocks.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#include <string.h>

enum { PARTS = RECON_BLOCK_PAIRS, PARTS_OF_SLICE = PARTS / RECON_SLICES };

/* Of one molecule, rows from its first atom on; what is not needed is NULL. */
typedef struct {
    recon_pairs_widths n;
    const float *s, *u, *dy, *w;
    float *y, *ds, *du, *dw;
    float *f, *df; /* [n.w] of one pair */
} rows;

typedef struct {
    float n[3], weight[RECON_PAIRS_TAPS];
    size_t tap;
} lean_pair;

/* Target i, source j. */
static lean_pair pair_of(const float *xyz, size_t i, size_t j)
{
    double at[2][3];
    lean_pair lean;
    for (size_t k = 0; k < 3; k++)
        at[0][k] = xyz[3 * i + k], at[1][k] = xyz[3 * j + k];
    recon_pair p = recon_pair_of(at[0], at[1]);
    for (int k = 0; k < 3; k++)
        lean.n[k] = (float)p.n[k];
    for (int k = 0; k < RECON_PAIRS_TAPS; k++)
        lean.weight[k] = (float)p.weight[k];
    lean.tap = (size_t)p.tap;
    return lean;
}

RECON_CLONES static void make_filters(float *restrict f, const float *restrict w, size_t row,
                                      const float *restrict weight)
{
    const float a = weight[0], b = weight[1], c = weight[2], d = weight[3];
    for (size_t i = 0; i < row; i++)
        f[i] = a * w[i] + b * w[row + i] + c * w[2 * row + i] + d * w[3 * row + i];
}

RECON_CLONES static void scatter_filters(float *restrict dw, const float *restrict df, size_t row,
                                         const float *restrict weight)
{
    for (size_t k = 0; k < RECON_PAIRS_TAPS; k++)
        for (size_t i = 0; i < row; i++)
            dw[k * row + i] += weight[k] * df[i];
}

RECON_CLONES static void multiply_add(float *restrict y, const float *restrict a,
                                      const float *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] += a[i] * b[i];
}

/* Vector terms of V channels: y [1 + 3][V], b [V], u [3][4][V], f [5][V]. */
RECON_CLONES static void send_vectors(float *restrict y, const float *restrict b,
                                      const float *restrict u, const float *restrict f,
                                      const float *restrict n, size_t V)
{
    const float nx = n[0], ny = n[1], nz = n[2];
    for (size_t v = 0; v < V; v++) {
        const float *x = u + v;
        float ex = x[V], ey = x[5 * V], ez = x[9 * V];
        float h = nx * x[2 * V] + ny * x[6 * V] + nz * x[10 * V];
        float q = nx * x[3 * V] + ny * x[7 * V] + nz * x[11 * V];
        float along = f[v] * b[v] + f[3 * V + v] * h, c = f[V + v], e = f[2 * V + v];
        y[v] += f[4 * V + v] * q;
        y[V + v] += c * x[0] + e * (ny * ez - nz * ey) + along * nx;
        y[2 * V + v] += c * x[4 * V] + e * (nz * ex - nx * ez) + along * ny;
        y[3 * V + v] += c * x[8 * V] + e * (nx * ey - ny * ex) + along * nz;
    }
}

static void send(const rows *r, size_t i, size_t j, const float n[3])
{
    size_t S = r->n.scalars;
    float *y = r->y + i * r->n.y;
    const float *s = r->s + j * r->n.s;
    multiply_add(y, r->f, s, S);
    send_vectors(y + S, s + S, r->u + j * r->n.u, r->f + S, n, r->n.vectors);
}

/* The gradients of what is sent: db [V], du [3][4][V], from dy [1 + 3][V]. */
RECON_CLONES static void return_vectors(float *restrict db, float *restrict du,
                                        const float *restrict dy, const float *restrict f,
                                        const float *restrict n, size_t V)
{
    const float nx = n[0], ny = n[1], nz = n[2];
    for (size_t v = 0; v < V; v++) {
        float *x = du + v, gx = dy[V + v], gy = dy[2 * V + v], gz = dy[3 * V + v];
        float along = nx * gx + ny * gy + nz * gz, c = f[V + v], e = f[2 * V + v];
        float h = f[3 * V + v] * along, q = f[4 * V + v] * dy[v];
        db[v] += f[v] * along;
        x[0] += c * gx, x[4 * V] += c * gy, x[8 * V] += c * gz;
        x[V] += e * (gy * nz - gz * ny);
        x[5 * V] += e * (gz * nx - gx * nz);
        x[9 * V] += e * (gx * ny - gy * nx);
        x[2 * V] += h * nx, x[6 * V] += h * ny, x[10 * V] += h * nz;
        x[3 * V] += q * nx, x[7 * V] += q * ny, x[11 * V] += q * nz;
    }
}

/* The gradients of the filters, df [5][V]. */
RECON_CLONES static void return_filters(float *restrict df, const float *restrict dy,
                                        const float *restrict b, const float *restrict u,
                                        const float *restrict n, size_t V)
{
    const float nx = n[0], ny = n[1], nz = n[2];
    for (size_t v = 0; v < V; v++) {
        const float *x = u + v, gx = dy[V + v], gy = dy[2 * V + v], gz = dy[3 * V + v];
        float along = nx * gx + ny * gy + nz * gz;
        df[v] += b[v] * along;
        df[V + v] += x[0] * gx + x[4 * V] * gy + x[8 * V] * gz;
        df[2 * V + v] += x[V] * (gy * nz - gz * ny) + x[5 * V] * (gz * nx - gx * nz) +
                         x[9 * V] * (gx * ny - gy * nx);
        df[3 * V + v] += along * (nx * x[2 * V] + ny * x[6 * V] + nz * x[10 * V]);
        df[4 * V + v] += dy[v] * (nx * x[3 * V] + ny * x[7 * V] + nz * x[11 * V]);
    }
}

static void send_back(const rows *r, size_t i, size_t j, const float n[3])
{
    size_t S = r->n.scalars, V = r->n.vectors;
    const float *dy = r->dy + i * r->n.y, *s = r->s + j * r->n.s, *u = r->u + j * r->n.u;
    float *ds = r->ds + j * r->n.s;
    multiply_add(ds, r->f, dy, S);
    return_vectors(ds + S, r->du + j * r->n.u, dy + S, r->f + S, n, V);
    if (r->dw) {
        multiply_add(r->df, s, dy, S);
        return_filters(r->df + S, dy + S, s + S, u, n, V);
    }
}

typedef void visit(const rows *r, size_t i, size_t j, const float n[3]);

/* Both ways between every two atoms. */
static recon_status each_pair(recon_ctx *ctx, const rows *r, const float *xyz, size_t atoms,
                              visit *go)
{
    for (size_t i = 0; i < atoms; i++) {
        RECON_CHECK(recon_interrupted(ctx)); /* thousands of atoms take seconds */
        for (size_t j = i + 1; j < atoms; j++) {
            lean_pair p = pair_of(xyz, i, j);
            const float back[3] = { -p.n[0], -p.n[1], -p.n[2] };
            make_filters(r->f, r->w + p.tap * r->n.w, r->n.w, p.weight);
            if (r->dw)
                memset(r->df, 0, r->n.w * sizeof *r->df);
            go(r, i, j, p.n);
            go(r, j, i, back);
            if (r->dw)
                scatter_filters(r->dw + p.tap * r->n.w, r->df, r->n.w, p.weight);
        }
    }
    return RECON_OK;
}

/* ---- one molecule ---- */

typedef struct {
    const recon_pairs_args *a;
    recon_pairs_widths n;
    size_t molecules;
    recon_pieces pieces;            /* parts of slices */
    size_t first[RECON_SLICES + 1]; /* molecule of each of this rank's slices; their end */
    float *dw;                      /* [parts][knots][n.w], or NULL */
    int backward;
} job;

/* Rows of a result as zeros, in scratch where they are not wanted. */
static recon_status take_sums(recon_ctx *ctx, recon_arena *arena, float **out,
                              const recon_tensor *t, size_t at, size_t count)
{
    RECON_CHECK(t->data ? recon_part_write(ctx, arena, out, t, at, count)
                        : recon_arena_take(ctx, arena, out, count, sizeof **out));
    memset(*out, 0, count * sizeof **out);
    return RECON_OK;
}

static void give_sums(const float *sums, const recon_tensor *t, size_t at, size_t count)
{
    if (t->data)
        recon_run_wrote(sums, t, at, count);
}

static recon_status open_rows(recon_ctx *ctx, recon_arena *arena, rows *r, const job *j,
                              size_t begin, size_t atoms)
{
    *r = (rows){ .n = j->n, .w = j->a->w.data };
    RECON_CHECK(recon_part_read(ctx, arena, &r->s, &j->a->s, begin * r->n.s, atoms * r->n.s));
    RECON_CHECK(recon_part_read(ctx, arena, &r->u, &j->a->u, begin * r->n.u, atoms * r->n.u));
    RECON_CHECK(recon_arena_take(ctx, arena, &r->f, 2 * r->n.w, sizeof *r->f));
    r->df = r->f + r->n.w;
    return RECON_OK;
}

static recon_status forth(recon_ctx *ctx, recon_arena *arena, const job *j, size_t begin,
                          size_t atoms)
{
    size_t at = begin * j->n.y, count = atoms * j->n.y;
    rows r;
    RECON_CHECK(open_rows(ctx, arena, &r, j, begin, atoms));
    RECON_CHECK(take_sums(ctx, arena, &r.y, &j->a->y, at, count));
    RECON_CHECK(each_pair(ctx, &r, (const float *)j->a->xyz.data + 3 * begin, atoms, send));
    give_sums(r.y, &j->a->y, at, count);
    return RECON_OK;
}

static recon_status back(recon_ctx *ctx, recon_arena *arena, const job *j, size_t part,
                         size_t begin, size_t atoms)
{
    const recon_pairs_args *a = j->a;
    rows r;
    RECON_CHECK(open_rows(ctx, arena, &r, j, begin, atoms));
    RECON_CHECK(recon_part_read(ctx, arena, &r.dy, &a->dy, begin * r.n.y, atoms * r.n.y));
    RECON_CHECK(take_sums(ctx, arena, &r.ds, &a->ds, begin * r.n.s, atoms * r.n.s));
    RECON_CHECK(take_sums(ctx, arena, &r.du, &a->du, begin * r.n.u, atoms * r.n.u));
    r.dw = j->dw ? j->dw + part * RECON_PAIRS_KNOTS * r.n.w : NULL;
    RECON_CHECK(each_pair(ctx, &r, (const float *)a->xyz.data + 3 * begin, atoms, send_back));
    give_sums(r.ds, &a->ds, begin * r.n.s, atoms * r.n.s);
    give_sums(r.du, &a->du, begin * r.n.u, atoms * r.n.u);
    return RECON_OK;
}

/* ---- all of them ---- */

/* Molecules part, part + parts, ... of a slice. */
static recon_status part_task(recon_ctx *ctx, void *arg, size_t part, int worker)
{
    const job *j = arg;
    const int32_t *offset = j->a->offset.data;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_status status = RECON_OK;
    size_t parts = j->pieces.per, slice = part / parts, m = j->first[slice] + part % parts;
    for (; status == RECON_OK && m < j->first[slice + 1]; m += parts) {
        recon_mark mark = recon_arena_mark(arena);
        size_t begin = (size_t)offset[m], atoms = (size_t)(offset[m + 1] - offset[m]);
        status = j->backward ? back(ctx, arena, j, part, begin, atoms)
                             : forth(ctx, arena, j, begin, atoms);
        recon_arena_release(arena, mark);
    }
    return status;
}

/* Rows behind the last molecule. */
static void clear_rest(const job *j, const recon_tensor *t)
{
    if (!t->data)
        return;
    size_t row = recon_tensor_bytes(t) / t->shape[0];
    size_t used = (size_t)((const int32_t *)j->a->offset.data)[j->molecules];
    memset((char *)t->data + used * row, 0, (t->shape[0] - used) * row);
}

static job job_of(const recon_pairs_args *a)
{
    job j = { .a = a,
              .n = recon_pairs_widths_of(a->scalars, a->vectors),
              .molecules = a->offset.shape[0] - 1 };
    j.pieces = recon_pieces_alone(j.molecules);
    j.first[1] = j.molecules;
    return j;
}

/* As many parts as are worth a gradient of their own; of a slice always as many. */
static void set_parts(job *j)
{
    const recon_tensor *s = &j->a->s;
    const int32_t *offset = j->a->offset.data;
    recon_slices cut = recon_slices_in_rows(s, s->shape[0]);
    size_t slice = 0, last = cut.end - cut.begin - 1;
    if (!s->slices) {
        j->pieces = recon_pieces_alone(j->molecules < PARTS ? j->molecules : PARTS);
        return;
    }
    for (size_t m = 0; m < j->molecules; m++)
        while (slice < last && (size_t)offset[m] >= (slice + 1) * cut.each)
            j->first[++slice] = m;
    j->first[slice + 1] = j->molecules;
    j->pieces = recon_pieces_each(&cut, PARTS_OF_SLICE);
}

recon_status recon_cpu_pairs(recon_ctx *ctx, const recon_pairs_args *args)
{
    job j = job_of(args);
    clear_rest(&j, &args->y);
    return recon_parallel(ctx, part_task, &j, j.pieces.tasks);
}

recon_status recon_cpu_pairs_back(recon_ctx *ctx, const recon_pairs_args *args)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    size_t count = recon_tensor_count(&args->w);
    job j = job_of(args);
    j.backward = 1;
    if (args->dw.data) {
        set_parts(&j);
        RECON_TRY(recon_arena_take(ctx, arena, &j.dw, j.pieces.tasks * count, sizeof *j.dw));
        memset(j.dw, 0, j.pieces.tasks * count * sizeof *j.dw);
    }
    clear_rest(&j, &args->ds);
    clear_rest(&j, &args->du);
    RECON_TRY(recon_parallel(ctx, part_task, &j, j.pieces.tasks));
    if (args->dw.data)
        RECON_TRY(recon_gradient_sum(ctx, &(recon_gradient){ .pieces = &j.pieces,
                                                             .part = j.dw,
                                                             .stride = count * sizeof *j.dw,
                                                             .width = count,
                                                             .out = args->dw.data,
                                                             .count = count }));
done:
    recon_arena_release(arena, mark);
    return status;
}
