/* Proposition 1 on SO(3): poses of a class, offset by an arbitrary canonical pose and blurred by an
 * imperfect backbone, become the true distribution when they are normalised by their mean. */
#include "check.h"

#include <recon/group/mean.h>
#include "group/wasserstein_so3.h"

enum { REPEATS = 8, MOST = 512 };

/* Uniform within 60 degrees of the identity, which is its Frechet mean. */
static recon_so3 draw(recon_rng *rng)
{
    recon_so3 q = recon_so3_haar(rng);
    while (recon_so3_angle(q) > M_PI / 3)
        q = recon_so3_haar(rng);
    return q;
}

/* W1 from n normalised poses to as many of the truth. */
static double recovered_distance(recon_ctx *ctx, size_t n, double noise, recon_so3 offset,
                                 uint64_t stream)
{
    static recon_so3 truth[MOST], poses[MOST];
    recon_rng rng = recon_rng_new(91, stream);
    recon_so3_center gamma;
    double distance = NAN;
    for (size_t i = 0; i < n; i++) {
        double v[3];
        for (int k = 0; k < 3; k++)
            v[k] = noise * recon_rng_normal(&rng);
        truth[i] = draw(&rng);
        poses[i] = recon_so3_compose(recon_so3_compose(draw(&rng), recon_so3_exp(v)), offset);
    }
    CHECK_OK(ctx, recon_so3_mean(ctx, &gamma, poses, n, NULL));
    for (size_t i = 0; i < n; i++)
        poses[i] = recon_so3_compose(poses[i], recon_so3_inverse(gamma.mean));
    CHECK_OK(ctx, recon_so3_wasserstein(ctx, &distance, poses, truth, n, 1));
    return distance;
}

static double average_distance(recon_ctx *ctx, size_t n, double noise)
{
    double sum = 0;
    recon_rng rng = recon_rng_new(92, n);
    for (uint64_t i = 0; i < REPEATS; i++)
        sum += recovered_distance(ctx, n, noise, recon_so3_haar(&rng), i);
    return sum / REPEATS;
}

/* Between two samples in three dimensions W1 falls as n^(-1/3): by 0.63 for four times as many. */
static void normalising_recovers_the_distribution(void **state)
{
    double last = 1;
    for (size_t n = 32; n <= MOST; n *= 4) {
        double now = average_distance(*state, n, 0.02);
        CHECK_LESS(now, 0.72 * last);
        last = now;
    }
    last = 1;
    for (double noise = 0.8; noise > 0.15; noise /= 2) { /* down to the sampling error */
        double now = average_distance(*state, 256, noise);
        CHECK_LESS(now, 0.85 * last);
        last = now;
    }
}

static void the_offset_does_not_matter(void **state)
{
    recon_rng rng = recon_rng_new(93, 0);
    double at_identity = recovered_distance(*state, 100, 0.05, recon_so3_identity(), 3);
    for (int i = 0; i < 30; i++)
        CHECK_NEAR(recovered_distance(*state, 100, 0.05, recon_so3_haar(&rng), 3), at_identity,
                   1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normalising_recovers_the_distribution),
        cmocka_unit_test(the_offset_does_not_matter),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
