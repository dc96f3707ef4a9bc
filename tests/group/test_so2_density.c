/* Densities of angles: they integrate to 1, samples follow them, fits find what made the sample,
 * also among wrong-class neighbours, and rotating everything changes no score. */
#include "borders.h"
#include "check.h"
#include "group/so2/fit.h"
#include "group/vectors.h"

#include <stdlib.h>
#include <recon/group/so2.h>
#include <recon/group/so2_density.h>
#include <recon/group/mean.h>

#define DEGREE (M_PI / 180)

static recon_so2_density uniform(double degrees)
{
    return (recon_so2_density){ .family = RECON_SO2_UNIFORM, .width = degrees * DEGREE };
}

static recon_so2_density normal(double degrees)
{
    return (recon_so2_density){ .family = RECON_SO2_NORMAL, .width = degrees * DEGREE };
}

static recon_so2_density vonmises(double kappa)
{
    return (recon_so2_density){ .family = RECON_SO2_VONMISES, .width = kappa };
}

static recon_so2_density opposite(double kappa, double weight)
{
    return (recon_so2_density){ .family = RECON_SO2_MIXTURE,
                                .parts = 2,
                                .part = { { weight, 0, kappa }, { 1 - weight, M_PI, kappa } } };
}

/* Midpoints in x, theta = pi x^power: fine where narrow densities live. */
static double integral(recon_so2_density p, double power)
{
    enum { STEPS = 40000 };
    double sum = 0;
    for (int i = 0; i < STEPS; i++) {
        double x = (2 * i + 1.0) / STEPS - 1, theta = M_PI * x * fabs(pow(x, power - 1));
        double stretch = M_PI * power * fabs(pow(x, power - 1)) * 2 / STEPS;
        sum += stretch * exp(recon_so2_log_density(&p, theta));
    }
    return sum;
}

static void densities_integrate_to_one(void **state)
{
    (void)state;
    for (double kappa = 1e-3; kappa < 2e8; kappa *= 10)
        CHECK_NEAR(integral(vonmises(kappa), 5), 1, 1e-6);
    for (double degrees = 0.05; degrees < 400; degrees *= 1.7)
        CHECK_NEAR(integral(normal(degrees), 5), 1, 1e-6);
    for (double degrees = 1; degrees <= 180; degrees += 17.9)
        CHECK_NEAR(integral(uniform(degrees), 1), 1, 5e-3);
    recon_so2_density p = opposite(30, 0.3);
    p.background = 0.2;
    CHECK_NEAR(integral(p, 1), 1, 1e-9);
}

/* Jacobi's identity: at sigma = 1.5 the code changes from windings to harmonics. */
static void the_wrapped_normal_does_not_jump(void **state)
{
    (void)state;
    recon_so2_density a = { .family = RECON_SO2_NORMAL, .width = 1.5 };
    recon_so2_density b = { .family = RECON_SO2_NORMAL, .width = nextafter(1.5, 2) };
    for (double x = -M_PI; x < M_PI; x += 0.1)
        CHECK_NEAR(recon_so2_log_density(&a, x), recon_so2_log_density(&b, x), 1e-14);
}

/* Simpson on exp(kappa (cos - 1)) and on its first harmonic. */
static void bessel_by_quadrature(double *norm, double *spread, double kappa)
{
    enum { STEPS = 20000 };
    double width = fmin(M_PI, 12 / sqrt(kappa)), sum = 0, minus = 0;
    for (int i = 0; i <= STEPS; i++) {
        double x = width * i / STEPS, s = sin(x / 2), w = i % STEPS == 0 ? 1 : i % 2 ? 4 : 2;
        double f = w * exp(-2 * kappa * s * s);
        sum += f;
        minus += f * 2 * s * s;
    }
    *norm = log(2 * width / STEPS / 3 * sum);
    *spread = minus / sum;
}

static void vonmises_constants_agree_with_quadrature(void **state)
{
    (void)state;
    for (double kappa = 0.01; kappa < 2e8; kappa *= 1.9) {
        double norm, spread;
        bessel_by_quadrature(&norm, &spread, kappa);
        CHECK_NEAR(recon_vonmises_log_norm(kappa), norm, 1e-12);
        CHECK_NEAR(recon_vonmises_spread(kappa) / spread, 1, 1e-11);
        CHECK_NEAR(recon_vonmises_kappa(spread) / kappa, 1, kappa < 0.1 ? 1e-10 : 1e-11);
    }
    CHECK_NEAR(recon_vonmises_log_norm(0), log(2 * M_PI), 1e-15);
    CHECK_NEAR(recon_vonmises_kappa(1), 0, 0);
    assert_true(isinf(recon_vonmises_kappa(0)));
}

static void vonmises_agrees_with_scipy(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof vonmises_kappa / sizeof *vonmises_kappa; k++)
        for (size_t i = 0; i < sizeof vonmises_angle / sizeof *vonmises_angle; i++) {
            recon_so2_density p = vonmises(vonmises_kappa[k]);
            double want = vonmises_logpdf[k][i];
            CHECK_NEAR(recon_so2_log_density(&p, vonmises_angle[i]), want,
                       1e-12 * fmax(fabs(want), 10));
        }
}

static void one_part_is_a_von_mises(void **state)
{
    (void)state;
    recon_so2_density v = vonmises(7),
                      m = { .family = RECON_SO2_MIXTURE, .parts = 1, .part = { { 1, 0, 7 } } };
    for (double x = -3.1; x < M_PI; x += 0.1)
        CHECK_NEAR(recon_so2_log_density(&m, x), recon_so2_log_density(&v, x), 1e-13);
}

/* Proposition 2. */
static void rotating_everything_changes_no_score(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(2, 0);
    recon_so2_density all[] = { uniform(60), normal(32), vonmises(9), opposite(20, 0.4) };
    for (int i = 0; i < 400; i++) {
        recon_so2_density p = all[i % 4], rotated = p;
        double g = recon_so2_sample(&p, &rng), by = recon_so2_haar(&rng);
        rotated.center = recon_so2_compose(p.center, by);
        CHECK_NEAR(recon_so2_score(&rotated, recon_so2_compose(g, by)), recon_so2_score(&p, g),
                   1e-11);
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov: the sample's distribution function against the integral of the density. */
static double largest_deviation(const recon_so2_density *p, double *sample, int n)
{
    qsort(sample, (size_t)n, sizeof *sample, ascending);
    double mass = 0, worst = 0, x = -M_PI;
    for (int i = 0; i < n; i++) {
        int steps = 1 + (int)((sample[i] - x) / 1e-3);
        double h = (sample[i] - x) / steps;
        for (int j = 0; j < steps; j++, x += h)
            mass += h * exp(recon_so2_log_density(p, x + h / 2));
        worst = fmax(worst, fabs(mass - (i + 0.5) / n));
    }
    return worst;
}

static void samples_follow_the_density(void **state)
{
    (void)state;
    enum { N = 20000 };
    static double sample[N];
    recon_so2_density all[] = { uniform(75),  normal(20),  normal(110),   vonmises(0.5),
                                vonmises(40), vonmises(0), vonmises(2e6), opposite(15, 0.2) };
    all[1].background = 0.3;
    for (size_t f = 0; f < sizeof all / sizeof *all; f++) {
        recon_rng rng = recon_rng_new(3, f);
        for (int i = 0; i < N; i++)
            sample[i] = recon_so2_sample(&all[f], &rng);
        CHECK_LESS(largest_deviation(&all[f], sample, N), 1.9 / sqrt(N));
    }
}

static void draw(double *out, size_t n, const recon_so2_density *p, uint64_t stream)
{
    recon_rng rng = recon_rng_new(4, stream);
    for (size_t i = 0; i < n; i++)
        out[i] = recon_so2_sample(p, &rng);
}

static void fits_find_what_made_the_sample(void **state)
{
    enum { N = 20000 };
    static double sample[N];
    recon_so2_density all[] = { uniform(75), normal(5), normal(60), vonmises(3), vonmises(200) };
    for (size_t f = 0; f < sizeof all / sizeof *all; f++)
        for (int polluted = 0; polluted < 2; polluted++) {
            recon_so2_density truth = all[f], found;
            truth.background = 0.2 * polluted;
            draw(sample, N, &truth, f);
            CHECK_OK(*state, recon_so2_fit_batch(*state, &found, sample, 1, N, truth.family, NULL));
            CHECK_NEAR(found.width / truth.width, 1, 0.05);
            CHECK_NEAR(found.background, truth.background, 0.03);
            if (!polluted) {
                CHECK_OK(*state, recon_so2_fit_batch(*state, &found, sample, 1, N, truth.family,
                                                     &(recon_so2_fit_options){ .plain = 1 }));
                CHECK_NEAR(found.width / truth.width, 1,
                           truth.family == RECON_SO2_NORMAL && truth.width > 1
                               ? 0.1 /* it does not unwrap */
                               : 0.03);
                CHECK_NEAR(found.background, 0, 0);
            }
        }
}

static void a_mixture_finds_its_parts(void **state)
{
    enum { N = 4000 };
    static double sample[N];
    recon_so2_density truth = opposite(25, 0.7), found;
    truth.background = 0.1;
    draw(sample, N, &truth, 0);
    CHECK_OK(*state, recon_so2_fit_batch(*state, &found, sample, 1, N, RECON_SO2_MIXTURE, NULL));
    assert_int_equal(found.parts, 2);
    CHECK_NEAR(found.background, 0.1, 0.02);
    for (int i = 0; i < 2; i++) {
        const recon_so2_part *part = &found.part[i];
        int at_zero = fabs(part->mean) < 1;
        CHECK_NEAR(recon_so2_distance(part->mean, at_zero ? 0 : M_PI), 0, 1.5 * DEGREE);
        CHECK_NEAR(part->weight, at_zero ? 0.7 : 0.3, 0.03);
        CHECK_NEAR(part->kappa, 25, 4);
    }
}

static void em_never_loses_likelihood(void **state)
{
    (void)state;
    enum { N = 60 };
    double sample[N], scratch[8 * N];
    for (uint64_t seed = 0; seed < 40; seed++) {
        recon_so2_density truth = opposite(4 + (double)seed, 0.6);
        draw(sample, N, &truth, seed);
        recon_mixture_em em;
        recon_mixture_start(&em, sample, N, 1 + (int)(seed % 4), scratch);
        double before = recon_mixture_step(&em);
        for (int i = 0; i < 100; i++) {
            double now = recon_mixture_step(&em);
            assert_true(now >= before - 1e-9 * N);
            before = now;
        }
    }
}

static void equal_angles_are_no_accident(void **state)
{
    double same[12], one = 2;
    for (int i = 0; i < 12; i++)
        same[i] = 0.5;
    for (int f = RECON_SO2_UNIFORM; f <= RECON_SO2_MIXTURE; f++) {
        recon_so2_density p;
        CHECK_OK(*state, recon_so2_fit_batch(*state, &p, same, 1, 12, (recon_so2_family)f, NULL));
        assert_true(isfinite(recon_so2_log_density(&p, 0.5)));
        CHECK_OK(*state, recon_so2_fit_batch(*state, &p, &one, 1, 1, (recon_so2_family)f, NULL));
        assert_true(isfinite(recon_so2_log_density(&p, one)));
    }
}

static void sets_are_independent(void **state)
{
    enum { K_FEW = 12, MOST = BORDER_MOST(RECON_BLOCK_FITS) };
    double angles[MOST * K_FEW];
    recon_so2_density truth = normal(30);
    draw(angles, MOST * K_FEW, &truth, 3);
    for (int i = 0; i < BORDERS; i++) {
        size_t sets = border(RECON_BLOCK_FITS, i);
        recon_so2_density one, *all = malloc(sets * sizeof *all);
        CHECK_OK(*state,
                 recon_so2_fit_batch(*state, all, angles, sets, K_FEW, RECON_SO2_NORMAL, NULL));
        for (size_t j = 0; j < sets; j++) {
            CHECK_OK(*state, recon_so2_fit_batch(*state, &one, angles + j * K_FEW, 1, K_FEW,
                                                 RECON_SO2_NORMAL, NULL));
            CHECK_NEAR(all[j].width, one.width, 0);
        }
        free(all);
    }
}

/* The table of docs/notebook/statistics-so2.md, with room: root mean square error in degrees. */
static double width_error(recon_ctx *ctx, recon_so2_density truth, size_t k, double pollution)
{
    enum { SETS = 1000, K_MOST = 50 };
    static double angles[SETS * K_MOST];
    static recon_so2_density found[SETS];
    double sum = 0;
    truth.background = pollution;
    draw(angles, SETS * k, &truth, k);
    CHECK_OK(ctx, recon_so2_fit_batch(ctx, found, angles, SETS, k, truth.family, NULL));
    for (size_t i = 0; i < SETS; i++)
        sum += (found[i].width - truth.width) * (found[i].width - truth.width);
    return sqrt(sum / SETS) / DEGREE;
}

static void widths_survive_wrong_neighbours(void **state)
{
    CHECK_LESS(width_error(*state, uniform(60), 25, 0), 7);
    CHECK_LESS(width_error(*state, uniform(60), 25, 0.2), 18);
    CHECK_LESS(width_error(*state, uniform(90), 50, 0.2), 15);
    CHECK_LESS(width_error(*state, normal(1.5), 10, 0.2), 11);
    CHECK_LESS(width_error(*state, normal(1.5), 25, 0.2), 0.5);
    CHECK_LESS(width_error(*state, normal(32), 25, 0.2), 12.5);
    CHECK_LESS(width_error(*state, normal(32), 50, 0.2), 8);
    CHECK_LESS(width_error(*state, normal(64), 50, 0.2), 17.5);
    CHECK_LESS(width_error(*state, normal(64), 25, 0), 12.9); /* clean wings are no background */
}

/* As Algorithm 1 leaves them: each set about its own mean. */
static void draw_centred(recon_ctx *ctx, double *angles, size_t sets, size_t k,
                         const recon_so2_density *truth, uint64_t stream)
{
    draw(angles, sets * k, truth, stream);
    for (size_t i = 0; i < sets; i++) {
        recon_so2_center center;
        CHECK_OK(ctx, recon_so2_mean(ctx, &center, angles + i * k, k, NULL));
        for (size_t j = 0; j < k; j++)
            angles[i * k + j] = recon_so2_compose(angles[i * k + j], -center.mean);
    }
}

static void the_family_is_found(void **state)
{
    enum { SETS = 150, K = 25 };
    static double angles[SETS * K];
    struct {
        recon_so2_density truth;
        double pollution;
    } all[] = { { uniform(60), 0 },   { uniform(90), 0.05 },    { normal(64), 0 },
                { normal(50), 0.05 }, { opposite(20, 0.5), 0 }, { opposite(20, 0.3), 0.1 } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        recon_so2_family family;
        recon_so2_density truth = all[i].truth;
        truth.background = all[i].pollution;
        draw_centred(*state, angles, SETS, K, &truth, i);
        CHECK_OK(*state, recon_so2_choose_family(*state, &family, angles, SETS, K));
        if (truth.family == RECON_SO2_NORMAL) /* a von Mises is all but the same */
            assert_in_range(family, RECON_SO2_NORMAL, RECON_SO2_VONMISES);
        else
            assert_string_equal(recon_so2_family_name(family), recon_so2_family_name(truth.family));
        recon_so2_density found[SETS];
        CHECK_OK(*state, recon_so2_fit_batch(*state, found, angles, SETS, K, RECON_SO2_AUTO, NULL));
        assert_int_equal(found[SETS - 1].family, family);
    }
}

static void the_number_of_threads_does_not_matter(void **state)
{
    (void)state;
    enum { SETS = 100, K = 12 };
    static double angles[SETS * K];
    static recon_so2_density a[SETS], b[SETS];
    recon_so2_density truth = opposite(10, 0.5);
    draw(angles, SETS * K, &truth, 7);
    for (int threads = 1; threads <= 3; threads++) {
        recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = threads });
        CHECK_OK(ctx, recon_so2_fit_batch(ctx, threads == 1 ? a : b, angles, SETS, K,
                                          RECON_SO2_AUTO, NULL));
        for (int i = 0; threads > 1 && i < SETS; i++)
            assert_memory_equal(a[i].part, b[i].part, sizeof a[i].part);
        recon_ctx_free(ctx);
    }
}

static void bad_input_is_named(void **state)
{
    recon_so2_density p[2];
    recon_so2_family family;
    double angles[6] = { 0, 0.1, 0.2, 0.3, NAN, 0.5 };
    CHECK_FAILS(*state, recon_so2_fit_batch(*state, p, angles, 2, 3, RECON_SO2_NORMAL, NULL),
                RECON_ERR_INPUT, "angle 1 of set 1 is nan");
    CHECK_FAILS(*state, recon_so2_fit_batch(*state, p, angles, 1, 0, RECON_SO2_NORMAL, NULL),
                RECON_ERR_INPUT, "no angles");
    CHECK_FAILS(*state, recon_so2_choose_family(*state, &family, angles, 2, 3), RECON_ERR_INPUT,
                "angle 1 of set 1");
    CHECK_FAILS(*state,
                recon_so2_fit_batch(*state, p, angles, 1, 3, RECON_SO2_MIXTURE,
                                    &(recon_so2_fit_options){ .plain = 1 }),
                RECON_ERR_INPUT, "plain");
    CHECK_FAILS(*state, recon_so2_fit_batch(*state, p, angles, 1, 3, (recon_so2_family)9, NULL),
                RECON_ERR_INPUT, "number 9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(densities_integrate_to_one),
        cmocka_unit_test(the_wrapped_normal_does_not_jump),
        cmocka_unit_test(vonmises_constants_agree_with_quadrature),
        cmocka_unit_test(vonmises_agrees_with_scipy),
        cmocka_unit_test(one_part_is_a_von_mises),
        cmocka_unit_test(rotating_everything_changes_no_score),
        cmocka_unit_test(samples_follow_the_density),
        cmocka_unit_test(fits_find_what_made_the_sample),
        cmocka_unit_test(a_mixture_finds_its_parts),
        cmocka_unit_test(em_never_loses_likelihood),
        cmocka_unit_test(equal_angles_are_no_accident),
        cmocka_unit_test(sets_are_independent),
        cmocka_unit_test(widths_survive_wrong_neighbours),
        cmocka_unit_test(the_family_is_found),
        cmocka_unit_test(the_number_of_threads_does_not_matter),
        cmocka_unit_test(bad_input_is_named),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
