/* Widths fitted to few angles among wrong-class neighbours: bias and root mean square error.
 *
 *   build/bench/bench_so2_width [REPEATS]
 *
 * Three estimators of the same width, in degrees, each set first centred by the default mean: the
 * second moment, the median distance (scaled to be right without pollution), and the library's fit.
 * Outliers are uniform on the circle; a clump lies at 140 degrees, 5 wide. Then the time of a fit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <recon/group/so2.h>
#include <recon/group/so2_density.h>
#include <recon/group/mean.h>

#define DEGREE (M_PI / 180)

typedef struct {
    const char *name;
    double outliers, clump; /* shares */
} pollution;

static const pollution pollutions[] = { { "none", 0, 0 },
                                        { "5% outliers", 0.05, 0 },
                                        { "20% outliers", 0.2, 0 },
                                        { "20% clump", 0, 0.2 } };

static const recon_so2_density truths[] = {
    { .family = RECON_SO2_UNIFORM, .width = 60 * DEGREE },
    { .family = RECON_SO2_UNIFORM, .width = 90 * DEGREE },
    { .family = RECON_SO2_NORMAL, .width = 1.5 * DEGREE },
    { .family = RECON_SO2_NORMAL, .width = 32 * DEGREE },
    { .family = RECON_SO2_NORMAL, .width = 64 * DEGREE },
};

typedef struct {
    double sum, squares;
    size_t count;
} tally;

static void add(tally *t, double error)
{
    t->sum += error / DEGREE;
    t->squares += error / DEGREE * error / DEGREE;
    t->count++;
}

static void show(const tally *t)
{
    double n = (double)t->count;
    printf(" %+6.1f / %5.1f |", t->sum / n, sqrt(t->squares / n));
}

static double draw(recon_rng *rng, const recon_so2_density *truth, const pollution *p)
{
    double u = recon_rng_uniform(rng);
    if (u < p->outliers)
        return recon_so2_haar(rng);
    if (u < p->outliers + p->clump)
        return recon_so2_wrap(DEGREE * (140 + 5 * recon_rng_normal(rng)));
    return recon_so2_sample(truth, rng);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double by_median(const double *angles, size_t k, recon_so2_family family)
{
    double d[64];
    for (size_t i = 0; i < k; i++)
        d[i] = fabs(angles[i]);
    qsort(d, k, sizeof *d, ascending);
    double median = (d[(k - 1) / 2] + d[k / 2]) / 2;
    return median * (family == RECON_SO2_UNIFORM ? 2 : 1.4826);
}

static int row(recon_ctx *ctx, const recon_so2_density *truth, size_t k, const pollution *p,
               size_t repeats)
{
    tally plain = { 0 }, median = { 0 }, robust = { 0 };
    recon_rng rng = recon_rng_new(1, k);
    for (size_t r = 0; r < repeats; r++) {
        double angles[64];
        recon_so2_center center;
        recon_so2_density fit;
        for (size_t i = 0; i < k; i++)
            angles[i] = draw(&rng, truth, p);
        if (recon_so2_mean(ctx, &center, angles, k, NULL))
            return 1;
        for (size_t i = 0; i < k; i++)
            angles[i] = recon_so2_wrap(angles[i] - center.mean);
        add(&median, by_median(angles, k, truth->family) - truth->width);
        if (recon_so2_fit_batch(ctx, &fit, angles, 1, k, truth->family, NULL))
            return 1;
        add(&robust, fit.width - truth->width);
        if (recon_so2_fit_batch(ctx, &fit, angles, 1, k, truth->family,
                                &(recon_so2_fit_options){ .plain = 1 }))
            return 1;
        add(&plain, fit.width - truth->width);
    }
    printf("| %s %g | %zu | %s |", recon_so2_family_name(truth->family), truth->width / DEGREE, k,
           p->name);
    show(&plain);
    show(&median);
    show(&robust);
    printf("\n");
    return 0;
}

/* Microseconds of processor time for one fit of each family. */
static int times(recon_ctx *ctx, size_t k)
{
    enum { SETS = 1000 };
    static double angles[SETS * 64];
    static recon_so2_density out[SETS];
    recon_rng rng = recon_rng_new(2, k);
    for (size_t i = 0; i < SETS * k; i++)
        angles[i] = draw(&rng, &truths[3], &pollutions[2]);
    printf("| %zu |", k);
    for (int f = RECON_SO2_UNIFORM; f <= RECON_SO2_MIXTURE; f++) {
        clock_t begun = clock();
        if (recon_so2_fit_batch(ctx, out, angles, SETS, k, (recon_so2_family)f, NULL))
            return 1;
        printf(" %.1f |", 1e6 * (double)(clock() - begun) / CLOCKS_PER_SEC / SETS);
    }
    printf("\n");
    return 0;
}

int main(int argc, char **argv)
{
    size_t repeats = argc > 1 ? (size_t)atol(argv[1]) : 4000;
    static const size_t sizes[] = { 10, 25, 50 };
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    int failed = !ctx;
    printf("| truth | k | wrong neighbours | second moment | median | likelihood |\n");
    printf("| --- | --- | --- | --- | --- | --- |\n");
    for (size_t t = 0; t < sizeof truths / sizeof *truths; t++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t p = 0; p < sizeof pollutions / sizeof *pollutions && !failed; p++)
                failed = row(ctx, &truths[t], sizes[i], &pollutions[p], repeats);
    printf("\n| us a fit: k | uniform | normal | vonmises | mixture |\n");
    printf("| --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !failed; i++)
        failed = times(ctx, sizes[i]);
    recon_ctx_free(ctx);
    return failed;
}
