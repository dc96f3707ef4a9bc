/* Proposition 1 on the circle: poses of a class, offset by an arbitrary canonical pose and blurred
 * by an imperfect backbone, become the true distribution when they are normalised by their mean. */
#include "check.h"

#include <recon/group/so2.h>
#include <recon/group/so2_density.h>
#include <recon/group/mean.h>
#include "group/wasserstein.h"

enum { REPEATS = 20 };

/* W1 from n normalised poses to the truth. */
static double recovered_distance(recon_ctx *ctx, size_t n, double noise, double offset,
                                 uint64_t stream)
{
    enum { TRUTH = 10000 };
    assert_true(n <= TRUTH);
    static double truth[TRUTH], poses[TRUTH];
    recon_so2_density mu = { .family = RECON_SO2_UNIFORM, .width = M_PI / 3 };
    recon_so2_density blur = { .family = RECON_SO2_NORMAL, .width = noise };
    recon_rng rng = recon_rng_new(15, stream);
    for (int i = 0; i < TRUTH; i++) /* evenly spaced: nearer to mu than any sample */
        truth[i] = mu.width * ((2 * i + 1.0) / TRUTH - 1);
    for (size_t i = 0; i < n; i++)
        poses[i] = recon_so2_sample(&mu, &rng) + recon_so2_sample(&blur, &rng) + offset;
    recon_so2_center gamma;
    double distance;
    CHECK_OK(ctx, recon_so2_mean(ctx, &gamma, poses, n, NULL));
    for (size_t i = 0; i < n; i++)
        poses[i] = recon_so2_compose(poses[i], recon_so2_inverse(gamma.mean));
    CHECK_OK(ctx, recon_so2_wasserstein(ctx, &distance, poses, truth, n, TRUTH, 1));
    return distance;
}

static double average_distance(recon_ctx *ctx, size_t n, double noise)
{
    double sum = 0;
    recon_rng rng = recon_rng_new(16, n);
    for (uint64_t i = 0; i < REPEATS; i++)
        sum += recovered_distance(ctx, n, noise, recon_so2_haar(&rng), i);
    return sum / REPEATS;
}

static void normalising_recovers_the_distribution(void **state)
{
    double last = 1;
    for (size_t n = 50; n <= 3200; n *= 4) { /* about as 1/sqrt(n) */
        double now = average_distance(*state, n, 0.01);
        CHECK_LESS(now, 0.65 * last);
        last = now;
    }
    CHECK_LESS(last, 0.03);
    last = 1;
    for (double noise = 0.8; noise > 0.15; noise /= 2) { /* then the sampling error is left */
        double now = average_distance(*state, 8000, noise);
        CHECK_LESS(now, 0.6 * last);
        last = now;
    }
}

static void the_offset_does_not_matter(void **state)
{
    recon_rng rng = recon_rng_new(17, 0);
    double at_zero = recovered_distance(*state, 400, 0.05, 0, 3);
    for (int i = 0; i < 50; i++)
        CHECK_NEAR(recovered_distance(*state, 400, 0.05, recon_so2_haar(&rng), 3), at_zero, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normalising_recovers_the_distribution),
        cmocka_unit_test(the_offset_does_not_matter),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
