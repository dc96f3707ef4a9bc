/* steer.c - a convolution by waves, in its two steps: planes of features, then products.
 *
 * A plane's feature is a linear form in the pixels under the filter, so one function lists its
 * terms and both directions go through it. */
#include "ops/ref/ref.h"
#include "ops/steer.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

/* One product under way: its planes, the features of all pixels, and where its weights and outputs
 * are. */
typedef struct {
    const recon_steer_args *args;
    recon_steer_sizes s;
    const recon_steer_plane *plane;
    size_t planes, depth, outputs, to, weights;
    double *x, *w, *wave, *feature; /* feature [n p q][depth] */
    double *dy, *dx, *dw;
} job;

/* Feature c of a plane is factor[0] wave[0] on channel at[0] and factor[1] wave[1] on at[1]. */
typedef struct {
    int parts;
    const double *wave[2];
    double factor[2];
    size_t at[2];
} form;

static form form_of(const job *j, const recon_steer_plane *p, size_t c)
{
    size_t taps = j->s.size * j->s.size, at = p->from + c;
    int im = c % 2;
    form f = { 1, { j->wave + (size_t)p->a * taps }, { 1 }, { at } };
    if (p->b < 0)
        return f;
    f.parts = 2;
    f.wave[1] = j->wave + (size_t)p->b * taps;
    f.at[1] = p->from + (c ^ 1);
    f.factor[0] = im && p->conjugate ? -1 : 1;
    f.factor[1] = im || p->conjugate ? 1 : -1;
    return f;
}

/* The feature at a pixel: reads x, or adds df to dx. */
static double apply(const job *j, const form *f, size_t pixel, double *dx, double df)
{
    const recon_steer_sizes *s = &j->s;
    size_t q = pixel % s->q, p = pixel / s->q % s->p, n = pixel / s->q / s->p;
    double sum = 0;
    for (size_t t = 0; t < s->size * s->size; t++) {
        size_t row = p + t / s->size - s->pad, col = q + t % s->size - s->pad; /* outside: huge */
        if (row >= s->h || col >= s->w)
            continue;
        size_t at = ((n * s->h + row) * s->w + col) * s->c;
        for (int k = 0; k < f->parts; k++) {
            double factor = f->factor[k] * f->wave[k][t];
            if (dx)
                dx[at + f->at[k]] += factor * df;
            else
                sum += factor * j->x[at + f->at[k]];
        }
    }
    return sum;
}

/* All features of pixels begin .. end, or their gradients' way to dx. */
static void each_feature(const job *j, size_t begin, size_t end, double *dx)
{
    for (size_t pixel = begin; pixel < end; pixel++) {
        double *feature = j->feature + pixel * j->depth;
        for (const recon_steer_plane *p = j->plane; p < j->plane + j->planes; p++)
            for (size_t c = 0; c < p->channels; c++, feature++) {
                form f = form_of(j, p, c);
                double value = apply(j, &f, pixel, dx, *feature);
                *feature = dx ? *feature : value;
            }
    }
}

static void feature_span(const void *args, size_t begin, size_t end)
{
    each_feature(args, begin, end, NULL);
}

/* Whole images: pixels of one add to the same places. */
static void back_span(const void *args, size_t begin, size_t end)
{
    const job *j = args;
    each_feature(j, begin * j->s.p * j->s.q, end * j->s.p * j->s.q, j->dx);
}

static recon_status multiply(recon_ctx *ctx, double *c, size_t ldc, const double *a, int ta,
                             size_t lda, const double *b, int tb, size_t m, size_t n, size_t k)
{
    return recon_ref_gemm(ctx, &(recon_gemm_args){ .type = RECON_F64,
                                                   .transpose_a = ta,
                                                   .transpose_b = tb,
                                                   .m = m,
                                                   .n = n,
                                                   .k = k,
                                                   .alpha = 1,
                                                   .a = a,
                                                   .b = b,
                                                   .c = c,
                                                   .lda = lda,
                                                   .ldb = tb ? k : n,
                                                   .ldc = ldc });
}

static recon_status forward(recon_ctx *ctx, job *j)
{
    recon_status status = RECON_OK;
    size_t pixels = j->s.n * j->s.p * j->s.q;
    double *y;
    RECON_TRY(recon_ref_spans(ctx, feature_span, j, pixels, 16));
    RECON_TRY(recon_alloc_raw(ctx, &y, pixels * j->outputs, sizeof *y));
    status = multiply(ctx, y, j->outputs, j->feature, 0, j->depth, j->w + j->weights, 1, pixels,
                      j->outputs, j->depth);
    for (size_t i = 0; i < pixels; i++)
        recon_ref_store(&j->args->y, i * j->s.o + j->to, y + i * j->outputs, j->outputs);
    free(y);
done:
    return status;
}

static recon_status backward(recon_ctx *ctx, job *j)
{
    size_t pixels = j->s.n * j->s.p * j->s.q;
    const double *dy = j->dy + j->to;
    if (j->dw) {
        RECON_CHECK(recon_ref_spans(ctx, feature_span, j, pixels, 16));
        RECON_CHECK(multiply(ctx, j->dw + j->weights, j->depth, dy, 1, j->s.o, j->feature, 0,
                             j->outputs, j->depth, pixels));
    }
    if (j->dx) {
        RECON_CHECK(multiply(ctx, j->feature, j->depth, dy, 0, j->s.o, j->w + j->weights, 0, pixels,
                             j->depth, j->outputs));
        RECON_CHECK(recon_ref_spans(ctx, back_span, j, j->s.n, 1));
    }
    return RECON_OK;
}

typedef recon_status step(recon_ctx *ctx, job *j);
static recon_status each_product(recon_ctx *ctx, job *j, step *run)
{
    j->plane = j->args->plane;
    for (size_t i = 0; i < j->args->products; i++) {
        j->planes = j->args->product[i].planes;
        j->outputs = j->args->product[i].outputs;
        j->depth = recon_steer_depth(j->plane, j->planes);
        RECON_CHECK(recon_alloc_raw(ctx, &j->feature, j->s.n * j->s.p * j->s.q * j->depth,
                                    sizeof *j->feature));
        RECON_CHECK(run(ctx, j));
        free(j->feature);
        j->feature = NULL;
        j->plane += j->planes;
        j->to += j->outputs;
        j->weights += j->outputs * j->depth;
    }
    return RECON_OK;
}

static void job_free(job *j)
{
    recon_free_all(j->x, j->w, j->wave, j->feature, j->dy, j->dx, j->dw);
}

static recon_status job_open(recon_ctx *ctx, job *j, const recon_steer_args *args)
{
    *j = (job){ .args = args, .s = recon_steer_sizes_of(args) };
    RECON_CHECK(recon_ref_widen(ctx, &j->x, &args->x));
    RECON_CHECK(recon_ref_widen(ctx, &j->w, &args->w));
    return recon_ref_widen(ctx, &j->wave, &args->wave);
}

recon_status recon_ref_steer(recon_ctx *ctx, const recon_steer_args *args)
{
    recon_status status = RECON_OK;
    job j;
    RECON_TRY(job_open(ctx, &j, args));
    RECON_TRY(each_product(ctx, &j, forward));
done:
    job_free(&j);
    return status;
}

recon_status recon_ref_steer_back(recon_ctx *ctx, const recon_steer_args *args)
{
    recon_status status = RECON_OK;
    size_t nx = recon_tensor_count(&args->x), nw = recon_tensor_count(&args->w);
    job j;
    RECON_TRY(job_open(ctx, &j, args));
    RECON_TRY(recon_ref_widen(ctx, &j.dy, &args->dy));
    if (args->dx.data)
        RECON_TRY(recon_alloc(ctx, &j.dx, nx, sizeof *j.dx));
    if (args->dw.data)
        RECON_TRY(recon_alloc(ctx, &j.dw, nw, sizeof *j.dw));
    RECON_TRY(each_product(ctx, &j, backward));
    if (args->dx.data)
        recon_ref_store(&args->dx, 0, j.dx, nx);
    if (args->dw.data)
        recon_ref_store(&args->dw, 0, j.dw, nw);
done:
    job_free(&j);
    return status;
}

/* Plain loops cost what they count; a feature is a filter of one channel, or two. */
int recon_ref_steer_pays(recon_ctx *ctx, const recon_steer_args *a, int training)
{
    recon_steer_sizes s = recon_steer_sizes_of(a);
    size_t features = 0, planes = 0;
    (void)ctx, (void)training;
    for (size_t i = 0; i < a->products; i++)
        planes += a->product[i].planes;
    for (size_t i = 0; i < planes; i++)
        features += a->plane[i].channels * (a->plane[i].b < 0 ? 1 : 2);
    return recon_steer_product_work(a) + (double)(features * s.size * s.size) <
           recon_steer_dense_work(a);
}
