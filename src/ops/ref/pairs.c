/* pairs.c - messages between all atoms of a molecule, pair by pair, in double. */
#include "ops/ref/ref.h"
#include "ops/pairs.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>

/* The arguments widened, sums to be rounded once at the end, and room for a row of filters. */
typedef struct {
    const recon_pairs_args *a;
    recon_pairs_widths n;
    double *s, *u, *w, *xyz, *dy; /* dy: backward                  */
    double *y, *ds, *du, *dw;     /* sums                          */
    double *f, *df;               /* [n.w]: filters of a pair      */
} job;

/* Target i, source j: rows of all that the pair touches. */
typedef struct {
    recon_pair at;
    const double *s, *u, *dy;
    double *y, *ds, *du;
} meeting;

static meeting meeting_of(const job *b, size_t i, size_t j)
{
    meeting m = { .at = recon_pair_of(b->xyz + 3 * i, b->xyz + 3 * j),
                  .s = b->s + j * b->n.s,
                  .u = b->u + j * b->n.u };
    if (b->y)
        m.y = b->y + i * b->n.y;
    if (b->dy)
        m.dy = b->dy + i * b->n.y, m.ds = b->ds + j * b->n.s, m.du = b->du + j * b->n.u;
    return m;
}

static void cross(double out[3], const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The four vectors c, e, h, q of channel v. */
static void vectors_at(double out[4][3], const double *u, size_t v, size_t vectors)
{
    for (size_t set = 0; set < 4; set++)
        for (size_t k = 0; k < 3; k++)
            out[set][k] = u[(k * 4 + set) * vectors + v];
}

static void send(const job *b, const meeting *m)
{
    size_t S = b->n.scalars, V = b->n.vectors;
    for (size_t c = 0; c < S; c++)
        m->y[c] += b->f[c] * m->s[c];
    for (size_t v = 0; v < V; v++) {
        const double *n = m->at.n, *f = b->f + S + v; /* f of b, c, e, h, q: V apart */
        double u[4][3], rotated[3];
        vectors_at(u, m->u, v, V);
        cross(rotated, n, u[1]);
        double along = f[0] * m->s[S + v] + f[3 * V] * dot(n, u[2]);
        m->y[S + v] += f[4 * V] * dot(n, u[3]);
        for (size_t k = 0; k < 3; k++)
            m->y[S + (k + 1) * V + v] += f[V] * u[0][k] + f[2 * V] * rotated[k] + along * n[k];
    }
}

static void send_back(const job *b, const meeting *m)
{
    size_t S = b->n.scalars, V = b->n.vectors;
    for (size_t c = 0; c < S; c++) {
        m->ds[c] += b->f[c] * m->dy[c];
        b->df[c] += m->s[c] * m->dy[c];
    }
    for (size_t v = 0; v < V; v++) {
        const double *n = m->at.n, *f = b->f + S + v, scalar = m->dy[S + v];
        const double g[3] = { m->dy[S + V + v], m->dy[S + 2 * V + v], m->dy[S + 3 * V + v] };
        double *df = b->df + S + v, u[4][3], rotated[3], along = dot(n, g);
        vectors_at(u, m->u, v, V);
        cross(rotated, g, n); /* e . (g x n) = g . (n x e) */
        m->ds[S + v] += f[0] * along;
        for (size_t k = 0; k < 3; k++) {
            double *du = m->du + 4 * k * V + v;
            du[0] += f[V] * g[k];
            du[V] += f[2 * V] * rotated[k];
            du[2 * V] += f[3 * V] * along * n[k];
            du[3 * V] += f[4 * V] * scalar * n[k];
        }
        df[0] += m->s[S + v] * along;
        df[V] += dot(u[0], g);
        df[2 * V] += dot(u[1], rotated);
        df[3 * V] += along * dot(n, u[2]);
        df[4 * V] += scalar * dot(n, u[3]);
    }
}

static void each_pair(const job *b, void visit(const job *, const meeting *))
{
    for (size_t g = 0; g + 1 < b->a->offset.shape[0]; g++) {
        size_t begin = recon_ref_int(&b->a->offset, g), end = recon_ref_int(&b->a->offset, g + 1);
        for (size_t i = begin; i < end; i++)
            for (size_t j = begin; j < end; j++)
                if (i != j) {
                    meeting m = meeting_of(b, i, j);
                    for (size_t c = 0; c < b->n.w; c++) {
                        b->f[c] = b->df[c] = 0;
                        for (int k = 0; k < RECON_PAIRS_TAPS; k++)
                            b->f[c] +=
                                m.at.weight[k] * b->w[((size_t)m.at.tap + (size_t)k) * b->n.w + c];
                    }
                    visit(b, &m);
                }
    }
}

static void send_back_and_gather(const job *b, const meeting *m)
{
    send_back(b, m);
    for (size_t k = 0; k < RECON_PAIRS_TAPS; k++)
        for (size_t c = 0; c < b->n.w; c++)
            b->dw[((size_t)m->at.tap + k) * b->n.w + c] += m->at.weight[k] * b->df[c];
}

static recon_status open_job(recon_ctx *ctx, job *b, const recon_pairs_args *a)
{
    *b = (job){ .a = a, .n = recon_pairs_widths_of(a->scalars, a->vectors) };
    RECON_CHECK(recon_ref_widen(ctx, &b->s, &a->s));
    RECON_CHECK(recon_ref_widen(ctx, &b->u, &a->u));
    RECON_CHECK(recon_ref_widen(ctx, &b->w, &a->w));
    RECON_CHECK(recon_ref_widen(ctx, &b->xyz, &a->xyz));
    RECON_CHECK(recon_alloc(ctx, &b->f, b->n.w, sizeof *b->f));
    return recon_alloc(ctx, &b->df, b->n.w, sizeof *b->df);
}

static void close_job(job *b)
{
    double *all[] = { b->s, b->u, b->w, b->xyz, b->dy, b->y, b->ds, b->du, b->dw, b->f, b->df };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void store(const recon_tensor *t, const double *sums)
{
    if (t->data)
        recon_ref_store(t, 0, sums, recon_tensor_count(t));
}

recon_status recon_ref_pairs(recon_ctx *ctx, const recon_pairs_args *args)
{
    recon_status status = RECON_OK;
    job b = { 0 };
    RECON_TRY(open_job(ctx, &b, args));
    RECON_TRY(recon_alloc(ctx, &b.y, recon_tensor_count(&args->y), sizeof *b.y));
    each_pair(&b, send);
    store(&args->y, b.y);
done:
    close_job(&b);
    return status;
}

recon_status recon_ref_pairs_back(recon_ctx *ctx, const recon_pairs_args *args)
{
    recon_status status = RECON_OK;
    job b = { 0 };
    RECON_TRY(open_job(ctx, &b, args));
    RECON_TRY(recon_ref_widen(ctx, &b.dy, &args->dy));
    RECON_TRY(recon_alloc(ctx, &b.ds, recon_tensor_count(&args->s), sizeof *b.ds));
    RECON_TRY(recon_alloc(ctx, &b.du, recon_tensor_count(&args->u), sizeof *b.du));
    RECON_TRY(recon_alloc(ctx, &b.dw, recon_tensor_count(&args->w), sizeof *b.dw));
    each_pair(&b, send_back_and_gather);
    store(&args->ds, b.ds);
    store(&args->du, b.du);
    store(&args->dw, b.dw);
done:
    close_job(&b);
    return status;
}
