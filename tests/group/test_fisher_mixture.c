/* Mixtures of matrix Fisher distributions: they are densities, their samples follow them, parts of one
 * mode are joined and modes are not, and tails of samples are spread evenly. */
#include "check.h"
#include "group/so3/fisher.h"
#include "group/tail.h"

#define DEGREE (M_PI / 180)

static recon_fisher fisher_about(recon_ctx *ctx, recon_so3 mode, const double s[3])
{
    double r[9], f[9];
    recon_fisher out;
    recon_so3_to_matrix(r, mode);
    for (int i = 0; i < 9; i++)
        f[i] = r[i] * s[i % 3]; /* R diag(s) */
    CHECK_OK(ctx, recon_fisher_of(ctx, &out, f));
    return out;
}

static recon_so3 about_z(double angle)
{
    return recon_so3_from_axis_angle((double[]){ 0, 0, 1 }, angle);
}

/* Parts about the z axis, at these angles, of equal weight unless changed. */
static recon_fisher_mixture parts_at(recon_ctx *ctx, const double *angle, int n, const double s[3])
{
    recon_fisher_mixture p = { .parts = n, .background = 0.1 };
    for (int k = 0; k < n; k++) {
        p.weight[k] = 1.0 / n;
        p.part[k] = fisher_about(ctx, about_z(angle[k]), s);
    }
    return p;
}

static const double firm[3] = { 20, 20, 20 };

static void it_is_a_density(void **state)
{
    recon_fisher_mixture p = parts_at(*state, (double[]){ 0, 2, 4 }, 3, (double[]){ 3, 2, 1 });
    recon_rng rng = recon_rng_new(1, 0);
    double sum = 0;
    enum { N = 40000 };
    for (int i = 0; i < N; i++)
        sum += exp(recon_fisher_parts_log_density(&p, recon_so3_haar(&rng))) / N;
    CHECK_NEAR(sum, 1, 0.02);
}

/* Of one part it is the distribution of matrix_fisher.h. */
static void one_part_is_the_one_distribution(void **state)
{
    recon_fisher_mixture p = parts_at(*state, (double[]){ 1 }, 1, firm);
    recon_rng rng = recon_rng_new(2, 0);
    for (int i = 0; i < 100; i++) {
        recon_so3 g = recon_so3_haar(&rng);
        CHECK_NEAR(recon_fisher_parts_log_density(&p, g),
                   recon_fisher_mixture_log_density(&p.part[0], p.background, g), 1e-12);
        CHECK_NEAR(recon_fisher_parts_tail(&p, g), recon_fisher_tail(&p.part[0], p.background, g),
                   0);
    }
}

static void modes_stay_apart(void **state)
{
    recon_fisher_mixture p = parts_at(*state, (double[]){ 0, 0.1, M_PI, 2 }, 4, firm), modes;
    p.weight[0] = 0.3, p.weight[1] = 0.2, p.weight[2] = 0.45, p.weight[3] = 0.05;
    CHECK_OK(*state, recon_fisher_parts_reduce(*state, &modes, &p));
    assert_int_equal(modes.parts, 2); /* the last one is too light */
    CHECK_NEAR(modes.weight[0], 0.5 / 0.95, 1e-12);
    CHECK_NEAR(modes.background, 1 - 0.9 * 0.95, 1e-12);
    CHECK_LESS(recon_so3_distance(modes.part[0].mode, about_z(0.04)), 0.5 * DEGREE);
    CHECK_LESS(recon_so3_distance(modes.part[1].mode, about_z(M_PI)), 1e-6);
}

/* A ring that was cut into arcs is a ring again. */
static void arcs_of_a_ring_are_joined(void **state)
{
    const double arc[3] = { 1, 1, 40 }; /* the z axis is held; the spin hardly is */
    recon_fisher_mixture p = parts_at(*state, (double[]){ 0, M_PI / 2, M_PI, -M_PI / 2 }, 4, arc),
                         modes;
    CHECK_OK(*state, recon_fisher_parts_reduce(*state, &modes, &p));
    assert_int_equal(modes.parts, 1);
    CHECK_NEAR(modes.part[0].singular[0], 40, 4);
    CHECK_LESS(fabs(modes.part[0].singular[1]), 0.1);
}

static recon_so3 sample(const recon_fisher_mixture *p, recon_rng *rng)
{
    double u = (recon_rng_uniform(rng) - p->background) / (1 - p->background);
    recon_so3 out = recon_so3_haar(rng);
    if (u >= 0)
        recon_fisher_sample(&out, &p->part[u >= p->weight[0]], 1, rng);
    return out;
}

/* Of samples of two modes, background included, tails are spread evenly. */
static void tails_of_samples_are_even(void **state)
{
    enum { N = 4000, BINS = 10 };
    recon_fisher_mixture p = parts_at(*state, (double[]){ 0, M_PI }, 2, firm);
    size_t count[BINS] = { 0 };
    recon_rng rng = recon_rng_new(3, 0);
    p.weight[0] = 0.7, p.weight[1] = 0.3;
    for (size_t i = 0; i < N; i++) {
        double u = recon_fisher_parts_tail(&p, sample(&p, &rng));
        count[u < 1 ? (int)(u * BINS) : BINS - 1]++;
    }
    for (int b = 0; b < BINS; b++)
        CHECK_NEAR((double)count[b] / N, 1.0 / BINS, 0.025);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_a_density),
        cmocka_unit_test(one_part_is_the_one_distribution),
        cmocka_unit_test(modes_stay_apart),
        cmocka_unit_test(arcs_of_a_ring_are_joined),
        cmocka_unit_test(tails_of_samples_are_even),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
