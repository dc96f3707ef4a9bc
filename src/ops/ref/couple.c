/* couple.c - the tensor product by its definition: a loop over the entries of c, and over pairs of
 * channels. */
#include "ops/ref/ref.h"
#include "ops/couple.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>

typedef struct {
    const recon_couple_plan *plan;
    size_t rows, in, out; /* in, out: lengths of rows */
    double *x, *attr, *w, *bias, *y;
    double *dy, *dx, *dw, *dbias;
} job;

/* One entry of c in one row: factor = c attr, its places in x and y, and its matrix of weights. */
typedef struct {
    double factor;
    size_t x, y, w;
    size_t channels, outputs, columns;
    size_t step_x, step_y; /* between channels */
} entry;

static entry entry_of(const job *j, const recon_couple_path *p, const recon_couple_term *t,
                      size_t row)
{
    const recon_couple_plan *plan = j->plan;
    double attr = j->attr[row * RECON_COUPLE_ATTRS + recon_couple_attr(p->l2) + t->m2];
    return (entry){ .factor = t->value * attr,
                    .x = row * j->in + recon_couple_at(plan->in, p->l1) + t->m1,
                    .y = row * j->out + recon_couple_at(plan->out, p->l3) + t->m3,
                    .w = recon_couple_weight(plan, p->l3) + p->column,
                    .channels = plan->in[p->l1],
                    .outputs = plan->out[p->l3],
                    .columns = plan->columns[p->l3],
                    .step_x = recon_couple_size(p->l1),
                    .step_y = recon_couple_size(p->l3) };
}

static void add_y(const job *j, const entry *e)
{
    for (size_t o = 0; o < e->outputs; o++)
        for (size_t u = 0; u < e->channels; u++)
            j->y[e->y + o * e->step_y] +=
                e->factor * j->w[e->w + o * e->columns + u] * j->x[e->x + u * e->step_x];
}

static void add_dx(const job *j, const entry *e)
{
    for (size_t o = 0; o < e->outputs; o++)
        for (size_t u = 0; u < e->channels; u++)
            j->dx[e->x + u * e->step_x] +=
                e->factor * j->w[e->w + o * e->columns + u] * j->dy[e->y + o * e->step_y];
}

static void add_dw(const job *j, const entry *e)
{
    for (size_t o = 0; o < e->outputs; o++)
        for (size_t u = 0; u < e->channels; u++)
            j->dw[e->w + o * e->columns + u] +=
                e->factor * j->x[e->x + u * e->step_x] * j->dy[e->y + o * e->step_y];
}

typedef void adder(const job *j, const entry *e);
static void each_entry(const job *j, const recon_couple_path *p, size_t row, adder *add)
{
    for (uint32_t t = 0; t < p->terms; t++) {
        entry e = entry_of(j, p, &j->plan->term[p->term + t], row);
        add(j, &e);
    }
}

static void y_span(const void *args, size_t begin, size_t end)
{
    const job *j = args;
    for (size_t r = begin; r < end; r++) {
        for (size_t o = 0; j->bias && o < j->plan->out[0]; o++)
            j->y[r * j->out + o] = j->bias[o];
        for (uint32_t p = 0; p < j->plan->paths; p++)
            each_entry(j, &j->plan->path[p], r, add_y);
    }
}

static void dx_span(const void *args, size_t begin, size_t end)
{
    const job *j = args;
    for (size_t r = begin; r < end; r++)
        for (uint32_t p = 0; p < j->plan->paths; p++)
            each_entry(j, &j->plan->path[p], r, add_dx);
}

/* Paths have weights of their own, rows have not. */
static void dw_span(const void *args, size_t begin, size_t end)
{
    const job *j = args;
    for (size_t p = begin; p < end; p++)
        for (size_t r = 0; r < j->rows; r++)
            each_entry(j, &j->plan->path[p], r, add_dw);
}

static void job_free(job *j)
{
    recon_free_all(j->x, j->attr, j->w, j->bias, j->y, j->dy, j->dx, j->dw, j->dbias);
}

static recon_status job_open(recon_ctx *ctx, job *j, const recon_couple_args *a)
{
    *j = (job){ .plan = a->plan,
                .rows = recon_tensor_rows(&a->x),
                .in = recon_couple_dim(a->plan->in),
                .out = recon_couple_dim(a->plan->out) };
    RECON_CHECK(recon_ref_widen(ctx, &j->x, &a->x));
    RECON_CHECK(recon_ref_widen(ctx, &j->attr, &a->attr));
    return recon_ref_widen(ctx, &j->w, &a->w);
}

recon_status recon_ref_couple(recon_ctx *ctx, const recon_couple_args *a)
{
    recon_status status = RECON_OK;
    size_t count = recon_tensor_count(&a->y);
    job j;
    RECON_TRY(job_open(ctx, &j, a));
    if (a->bias.data)
        RECON_TRY(recon_ref_widen(ctx, &j.bias, &a->bias));
    RECON_TRY(recon_alloc(ctx, &j.y, count, sizeof *j.y));
    RECON_TRY(recon_ref_spans(ctx, y_span, &j, j.rows, 16));
    recon_ref_store(&a->y, 0, j.y, count);
done:
    job_free(&j);
    return status;
}

/* Zeros to add up, where somebody asks. */
static recon_status zeros(recon_ctx *ctx, double **out, const recon_tensor *t)
{
    return t->data ? recon_alloc(ctx, out, recon_tensor_count(t), sizeof **out) : RECON_OK;
}
static void store(const recon_tensor *t, const double *from)
{
    if (t->data)
        recon_ref_store(t, 0, from, recon_tensor_count(t));
}

recon_status recon_ref_couple_back(recon_ctx *ctx, const recon_couple_args *a)
{
    recon_status status = RECON_OK;
    job j;
    RECON_TRY(job_open(ctx, &j, a));
    RECON_TRY(recon_ref_widen(ctx, &j.dy, &a->dy));
    RECON_TRY(zeros(ctx, &j.dx, &a->dx));
    RECON_TRY(zeros(ctx, &j.dw, &a->dw));
    RECON_TRY(zeros(ctx, &j.dbias, &a->dbias));
    if (j.dx)
        RECON_TRY(recon_ref_spans(ctx, dx_span, &j, j.rows, 16));
    if (j.dw)
        RECON_TRY(recon_ref_spans(ctx, dw_span, &j, j.plan->paths, 1));
    for (size_t r = 0; j.dbias && r < j.rows; r++)
        for (size_t o = 0; o < j.plan->out[0]; o++)
            j.dbias[o] += j.dy[r * j.out + o];
    store(&a->dx, j.dx);
    store(&a->dw, j.dw);
    store(&a->dbias, j.dbias);
done:
    job_free(&j);
    return status;
}
