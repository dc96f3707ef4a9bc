/* points.c - preparation, exact scores and error bounds. */
#include "knn/points.h"
#include "ops/ops.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/simd.h"
#include "core/threads.h"

#define UNIT  0x1p-24  /* half the spacing of floats at 1 */
#define TINY  0x1p-126 /* what a float below it may lose: all of it, where denormals are flushed */
#define LANES 16       /* sums kept side by side: vectors, and one fixed order of addition */
#define BLOCK RECON_BLOCK_POINTS

/* A product of two floats is exact in double, so these sums have the same bits with and without
 * fused multiply-add. */
RECON_CLONES
static double dot(const float *a, const float *b, size_t d)
{
    double sum[LANES] = { 0 };
    size_t i = 0;
    for (; i + LANES <= d; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            sum[l] += (double)a[i + l] * (double)b[i + l];
    for (size_t l = 0; i < d; i++, l++)
        sum[l] += (double)a[i] * (double)b[i];
    for (size_t half = LANES / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            sum[l] += sum[l + half];
    return sum[0];
}

/* Summed from the differences: the expansion |a|^2 + |b|^2 - 2ab would cancel. */
RECON_CLONES
static double squared_distance(const float *a, const float *b, size_t d)
{
    double sum[LANES] = { 0 };
    size_t i = 0;
    for (; i + LANES <= d; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            double x = (double)a[i + l] - (double)b[i + l];
            sum[l] += x * x;
        }
    for (size_t l = 0; i < d; i++, l++) {
        double x = (double)a[i] - (double)b[i];
        sum[l] += x * x;
    }
    for (size_t half = LANES / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            sum[l] += sum[l + half];
    return sum[0];
}

RECON_CLONES
static float product(const float *a, const float *b, size_t d)
{
    float sum[4 * LANES] = { 0 };
    size_t i = 0;
    for (; i + 4 * LANES <= d; i += 4 * LANES)
        for (size_t l = 0; l < 4 * LANES; l++)
            sum[l] += a[i + l] * b[i + l];
    for (size_t l = 0; i < d; i++, l++)
        sum[l] += a[i] * b[i];
    for (size_t half = 2 * LANES; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            sum[l] += sum[l + half];
    return sum[0];
}

static double unit_squared_distance(const float *a, const float *b, size_t d)
{
    double sum = 0, la = sqrt(dot(a, a, d)), lb = sqrt(dot(b, b, d));
    for (size_t i = 0; i < d; i++) {
        double x = (double)a[i] / la - (double)b[i] / lb;
        sum += x * x;
    }
    return sum;
}

double recon_row_distance(const float *a, const float *b, size_t d, recon_metric metric)
{
    return sqrt(metric == RECON_COSINE ? unit_squared_distance(a, b, d)
                                       : squared_distance(a, b, d));
}

/* In double: the terms of w_i are not rounded. */
RECON_CLONES
static double scaled_product(const recon_points *a, size_t i, const float *w)
{
    const float *z = a->z + i * a->d;
    double sum[LANES] = { 0 };
    if (a->metric == RECON_COSINE)
        return dot(z, w, a->d) / a->norm[i];
    for (size_t c = 0; c < a->d; c++)
        sum[c % LANES] += ((double)z[c] - (a->mean ? a->mean[c] : 0)) * a->scale * (double)w[c];
    for (size_t l = 1; l < LANES; l++)
        sum[0] += sum[l];
    return sum[0];
}

float recon_points_product(const recon_points *a, size_t i, const recon_points *b, size_t j)
{
    if (!a->w)
        return (float)scaled_product(a, i, b->w + j * b->d);
    return product(a->w + i * a->d, b->w + j * b->d, a->d);
}

double recon_points_exact(const recon_points *a, size_t i, const recon_points *b, size_t j)
{
    const float *x = a->z + i * a->d, *y = b->z + j * b->d;
    switch (a->metric) {
    case RECON_COSINE: return dot(x, y, a->d) / (a->norm[i] * b->norm[j]);
    case RECON_DOT: return dot(x, y, a->d);
    case RECON_EUCLIDEAN: return -squared_distance(x, y, a->d);
    }
    return 0;
}

double recon_points_blocked(const recon_points *a, size_t i, double exact)
{
    if (a->metric == RECON_EUCLIDEAN)
        return 0.5 * (a->norm[i] * a->norm[i] + exact * a->scale * a->scale);
    return exact * a->scale * a->scale;
}

/* Rounding w costs UNIT relative to each length; a product in single precision, summed in any
 * order, d * UNIT / (1 - d * UNIT) relative to the lengths (Higham, Accuracy and Stability, 3.1):
 * the factor in front covers that to eight million columns, and the second order. Where rows are
 * so much shorter than the longest that they underflow, each entry, product and sum
 * may lose TINY. */
double recon_points_error(const recon_points *a, size_t i, const recon_points *b)
{
    double x = a->metric == RECON_COSINE ? 1 : a->norm[i], y = b->longest, d = (double)a->d;
    double product = (d + 4) * x * y;
    double moved = a->metric == RECON_EUCLIDEAN ? 2 * (x + y) * (x + y) : 0;
    double vanished = 4 * d * (1 + x) * (1 + y);
    return (1.01 + 2 * d * UNIT) * UNIT * (product + moved) + TINY * vanished;
}

/* Cauchy-Schwarz on w_i . w_j - v_i . v_j = (w_i - v_i) . w_j + v_i . (w_j - v_j), v the bytes, and
 * the rounding of both scores. */
double recon_points_coarse_error(const recon_points *a, size_t i, const recon_points *b)
{
    double x = a->metric == RECON_COSINE ? 1 : a->norm[i], rest = (double)a->rest[i];
    return 1.0001 * (rest * b->longest + (x + rest) * b->worst_rest) +
           2 * recon_points_error(a, i, b);
}

typedef struct {
    recon_points *p;
    const char *what;
} preparation;

RECON_CLONES
static int are_finite(const float *x, size_t d)
{
    float sum[LANES] = { 0 }, all = 0;
    size_t i = 0;
    for (; i + LANES <= d; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            sum[l] += x[i + l] * 0.0f; /* NaN if one of them is NaN or infinite */
    for (size_t l = 0; i < d; i++, l++)
        sum[l] += x[i] * 0.0f;
    for (size_t l = 0; l < LANES; l++)
        all += sum[l];
    return all == 0;
}

static recon_status check_row(recon_ctx *ctx, const preparation *in, size_t i)
{
    const recon_points *p = in->p;
    const float *x = p->z + i * p->d;
    int finite = are_finite(x, p->d);
    for (size_t c = 0; !finite && c < p->d; c++)
        if (!isfinite(x[c]))
            return recon_fail(ctx, RECON_ERR_INPUT, "%s: row %zu, column %zu is %g", in->what,
                              p->first + i, c, (double)x[c]);
    return RECON_OK;
}

RECON_CLONES
static void divide(float *restrict w, const float *restrict x, double norm, size_t d)
{
    for (size_t c = 0; c < d; c++)
        w[c] = (float)((double)x[c] / norm);
}

static void make_row(float *restrict w, const recon_points *p, size_t i)
{
    const float *x = p->z + i * p->d;
    if (p->metric == RECON_COSINE)
        divide(w, x, p->norm[i], p->d);
    else
        for (size_t c = 0; c < p->d; c++)
            w[c] = (float)(((double)x[c] - (p->mean ? p->mean[c] : 0)) * p->scale);
}

const float *recon_points_rows(const recon_points *p, size_t begin, size_t n, float *scratch)
{
    if (p->w)
        return p->w + begin * p->d;
    for (size_t i = 0; i < n; i++)
        make_row(scratch + i * p->d, p, begin + i);
    return scratch;
}

static recon_status prepare_cosine(recon_ctx *ctx, const preparation *in, size_t i)
{
    recon_points *p = in->p;
    const float *x = p->z + i * p->d;
    double norm = sqrt(dot(x, x, p->d));
    if (norm == 0)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: row %zu is the zero vector, which has no cosine similarity",
                          in->what, p->first + i);
    p->norm[i] = norm;
    make_row(p->w + i * p->d, p, i);
    return RECON_OK;
}

static recon_status prepare_scaled(recon_ctx *ctx, const preparation *in, size_t i)
{
    recon_points *p = in->p;
    float *w = p->w + i * p->d;
    make_row(w, p, i);
    double norm = sqrt(dot(w, w, p->d));
    if (!(norm < 1e18)) /* only queries can get here: the points themselves are at most 1 long */
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: row %zu is more than 1e18 times longer than the index's rows",
                          in->what, p->first + i);
    p->norm[i] = norm;
    if (p->metric == RECON_EUCLIDEAN)
        p->shift[i] = (float)(0.5 * norm * norm);
    return RECON_OK;
}

RECON_CLONES
static float largest_of(const float *w, size_t d)
{
    float most[LANES] = { 0 };
    size_t i = 0;
    for (; i + LANES <= d; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            most[l] = fabsf(w[i + l]) > most[l] ? fabsf(w[i + l]) : most[l];
    for (; i < d; i++)
        most[0] = fabsf(w[i]) > most[0] ? fabsf(w[i]) : most[0];
    for (size_t l = 1; l < LANES; l++)
        most[0] = most[l] > most[0] ? most[l] : most[0];
    return most[0];
}

static inline __attribute__((always_inline)) void round_run(int8_t *restrict q,
                                                            const float *restrict w, float step,
                                                            double *restrict rest, size_t n)
{
    float divisor = step > 0 ? step : INFINITY;
    for (size_t l = 0; l < n; l++) {
        float whole = rintf(w[l] / divisor);
        whole = whole > 127 ? 127 : whole < -127 ? -127 : whole;
        double off = (double)w[l] - (double)step * (double)whole;
        q[l] = (int8_t)whole;
        rest[l] += off * off;
    }
}

/* w in whole steps, and the square of what that leaves. */
RECON_CLONES
static double round_row(int8_t *q, const float *w, float step, size_t d)
{
    double rest[LANES] = { 0 };
    size_t i = 0;
    for (; i + LANES <= d; i += LANES)
        round_run(q + i, w + i, step, rest, LANES);
    round_run(q + i, w + i, step, rest, d - i);
    for (size_t l = 1; l < LANES; l++)
        rest[0] += rest[l];
    return rest[0];
}

/* int16 by int16 is what processors multiply and add in one instruction. */
RECON_CLONES
void recon_points_coarse(int32_t *restrict out, const recon_points *p, size_t begin, size_t n,
                         const int16_t *restrict query)
{
    const int8_t *row = p->bytes + begin * p->d;
    size_t d = p->d;
    for (size_t i = 0; i < n; i++, row += d) {
        int32_t sum = 0;
        for (size_t c = 0; c < d; c++)
            sum += (int16_t)row[c] * query[c];
        out[i] = sum;
    }
}

static recon_status check_task(recon_ctx *ctx, void *arg, size_t block, int worker)
{
    (void)worker;
    const preparation *in = arg;
    size_t end = (block + 1) * BLOCK < in->p->n ? (block + 1) * BLOCK : in->p->n;
    for (size_t i = block * BLOCK; i < end; i++)
        RECON_CHECK(check_row(ctx, in, i));
    return RECON_OK;
}

static recon_status prepare_task(recon_ctx *ctx, void *arg, size_t block, int worker)
{
    (void)worker;
    const preparation *in = arg;
    size_t end = (block + 1) * BLOCK < in->p->n ? (block + 1) * BLOCK : in->p->n;
    recon_status status = RECON_OK;
    for (size_t i = block * BLOCK; status == RECON_OK && i < end; i++)
        status =
            in->p->metric == RECON_COSINE ? prepare_cosine(ctx, in, i) : prepare_scaled(ctx, in, i);
    return status;
}

static recon_status round_task(recon_ctx *ctx, void *arg, size_t block, int worker)
{
    (void)ctx, (void)worker;
    recon_points *p = arg;
    size_t end = (block + 1) * BLOCK < p->n ? (block + 1) * BLOCK : p->n;
    for (size_t i = block * BLOCK; i < end; i++) {
        const float *w = p->w + i * p->d;
        float step = largest_of(w, p->d) / 127;
        double rest = round_row(p->bytes + i * p->d, w, step, p->d);
        p->step[i] = step;
        p->rest[i] = nextafterf((float)sqrt(rest), INFINITY);
    }
    return RECON_OK;
}

recon_status recon_points_round(recon_ctx *ctx, recon_points *p)
{
    if (p->bytes || p->d > RECON_BYTE_TERMS)
        return RECON_OK;
    RECON_CHECK(recon_alloc_raw(ctx, &p->step, p->n, sizeof *p->step));
    RECON_CHECK(recon_alloc_raw(ctx, &p->rest, p->n, sizeof *p->rest));
    RECON_CHECK(recon_alloc_raw(ctx, &p->bytes, p->n * p->d, sizeof *p->bytes));
    RECON_CHECK(recon_parallel(ctx, round_task, p, (p->n + BLOCK - 1) / BLOCK));
    for (size_t i = 0; i < p->n; i++)
        p->worst_rest = fmax(p->worst_rest, (double)p->rest[i]);
    return RECON_OK;
}

void recon_points_sum(double *sum, const float *z, size_t n, size_t d)
{
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < d; c++)
            sum[c] += (double)z[i * d + c];
}

double recon_points_longest(const float *z, size_t n, size_t d, const double *mean)
{
    double longest = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t c = 0; c < d; c++) {
            double x = (double)z[i * d + c] - (mean ? mean[c] : 0);
            sum += x * x;
        }
        longest = fmax(longest, sum);
    }
    return sqrt(longest);
}

double recon_points_scale(double longest)
{
    int exponent;
    if (longest == 0)
        return 1;
    frexp(longest, &exponent);
    return ldexp(1, -exponent);
}

static recon_status move_and_scale(recon_ctx *ctx, recon_points *p, const recon_points *like)
{
    p->scale = 1;
    if (p->metric == RECON_COSINE)
        return RECON_OK;
    if (p->metric == RECON_EUCLIDEAN) {
        RECON_CHECK(recon_alloc(ctx, &p->mean, p->d, sizeof *p->mean));
        if (like)
            for (size_t c = 0; c < p->d; c++)
                p->mean[c] = like->mean[c];
        else {
            recon_points_sum(p->mean, p->z, p->n, p->d);
            for (size_t c = 0; c < p->d; c++)
                p->mean[c] /= (double)p->n;
        }
    }
    p->scale =
        like ? like->scale : recon_points_scale(recon_points_longest(p->z, p->n, p->d, p->mean));
    return RECON_OK;
}

recon_status recon_points_check(recon_ctx *ctx, const float *z, size_t n, size_t d, size_t first,
                                const char *what)
{
    recon_points p = { .z = z, .n = n, .d = d, .first = first };
    return recon_parallel(ctx, check_task, &(preparation){ &p, what }, (n + BLOCK - 1) / BLOCK);
}

recon_status recon_points_make(recon_ctx *ctx, recon_points *out, const float *z, size_t n,
                               size_t d, recon_metric metric, const recon_points *like,
                               const char *what)
{
    return recon_points_make_part(ctx, out, z, n, d, 0, metric, like, what);
}

recon_status recon_points_make_part(recon_ctx *ctx, recon_points *out, const float *z, size_t n,
                                    size_t d, size_t first, recon_metric metric,
                                    const recon_points *like, const char *what)
{
    recon_status status;
    *out = (recon_points){ .z = z, .n = n, .d = d, .first = first, .metric = metric };
    preparation in = { out, what };
    size_t blocks = (n + BLOCK - 1) / BLOCK;
    RECON_TRY(recon_enum_check(ctx, metric, RECON_EUCLIDEAN, "metric"));
    RECON_TRY(recon_alloc_raw(ctx, &out->w, n * d, sizeof *out->w));
    RECON_TRY(recon_alloc(ctx, &out->shift, n, sizeof *out->shift));
    RECON_TRY(recon_alloc(ctx, &out->norm, n, sizeof *out->norm));
    RECON_TRY(recon_parallel(ctx, check_task, &in, blocks));
    RECON_TRY(move_and_scale(ctx, out, like));
    RECON_TRY(recon_parallel(ctx, prepare_task, &in, blocks));
    out->longest = metric == RECON_COSINE ? 1 : 0;
    for (size_t i = 0; metric != RECON_COSINE && i < n; i++)
        out->longest = fmax(out->longest, out->norm[i]);
    if (recon_ops_on_host(ctx)->has_fast_bytes())
        RECON_TRY(recon_points_round(ctx, out));
done:
    if (status != RECON_OK)
        recon_points_free(out);
    return status;
}

void recon_points_free(recon_points *p)
{
    recon_free_all(p->w, p->shift, p->norm, p->mean, p->bytes, p->step, p->rest);
    *p = (recon_points){ 0 };
}
