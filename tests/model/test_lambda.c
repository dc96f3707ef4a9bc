/* Which of three ways to Lambda is taken, by the poses of points held out. */
#include "check.h"
#include "backbone/pose_density.h"
#include "maps/maps.h"
#include "maps/so2_map.h"
#include "model/lambda.h"
#include "group/so2/fit.h"

#include <math.h>
#include <recon/core/rng.h>
#include <recon/group/so2.h>

enum { N = 60 };
static const double degree = M_PI / 180;

/* Points whose natural pose is 0 in the backbone's frame, with poses of +-10 degrees; what each way says
 * of it is off by so much. */
static recon_lambda taken_of(recon_ctx *ctx, double neighbours, double head, double density,
                             int flat_from)
{
    static double psi[N], gamma[N];
    static double said[N], centre[N], own[N];
    const recon_lambda_ways ways = { .kind = &recon_so2_maps,
                                     .n = N,
                                     .psi = psi,
                                     .lambda = { [RECON_LAMBDA_NEIGHBOURS] = gamma,
                                                 [RECON_LAMBDA_HEAD] = said,
                                                 [RECON_LAMBDA_DENSITY] = centre },
                                     .own = { [RECON_LAMBDA_DENSITY] = own } };
    recon_rng rng = recon_rng_new(3, 0);
    recon_lambda_choice out;
    for (int i = 0; i < N; i++) {
        double off[3];
        psi[i] = 10 * degree * recon_rng_normal(&rng);
        for (int k = 0; k < 3; k++)
            off[k] = recon_rng_normal(&rng) * degree;
        gamma[i] = neighbours * off[0];
        int flat = i >= flat_from; /* then its centre is anywhere, and it says so */
        double kappa = flat ? 0.1 : 50, norm = recon_vonmises_log_norm(kappa);
        double bias = flat ? recon_so2_haar(&rng) : density * off[2];
        said[i] = head * off[1];
        centre[i] = bias;
        own[i] = kappa * (cos(psi[i] - bias) - 1) - norm;
    }
    CHECK_OK(ctx, recon_lambda_choose(ctx, &out, RECON_LAMBDA_AUTO, &ways));
    return out.taken;
}

static recon_lambda taken(recon_ctx *ctx, double neighbours, double head, double density)
{
    return taken_of(ctx, neighbours, head, density, N);
}

static void the_likeliest_way_is_taken(void **state)
{
    assert_int_equal(taken(*state, 1, 40, 40), RECON_LAMBDA_NEIGHBOURS);
    assert_int_equal(taken(*state, 40, 1, 40), RECON_LAMBDA_HEAD);
    assert_int_equal(taken(*state, 40, 40, 1), RECON_LAMBDA_DENSITY);
}

/* What chance may have put first does not count: sixty points cannot tell 5 degrees from 6. */
static void of_equals_the_density_is_taken(void **state)
{
    assert_int_equal(taken(*state, 5, 40, 6), RECON_LAMBDA_DENSITY);
}

/* A density that says of half of the points that it does not know tells more than a head that is off by
 * 35 degrees for all of them. */
static void a_density_may_say_that_it_does_not_know(void **state)
{
    assert_int_equal(taken_of(*state, 60, 35, 1, N / 2), RECON_LAMBDA_DENSITY);
}

/* Angles spread evenly have the density of the circle, but for what five weights gain by themselves. */
static void log_densities_are_those_of_the_mixture_that_fits(void **state)
{
    enum { MANY = 2000 };
    double angle[MANY], log_p[MANY], sum = 0;
    recon_rng rng = recon_rng_new(4, 0);
    (void)state;
    for (int i = 0; i < MANY; i++)
        angle[i] = recon_so2_haar(&rng);
    recon_lambda_log_densities(log_p, angle, MANY);
    for (int i = 0; i < MANY; i++)
        sum += log_p[i] + log(2 * M_PI);
    CHECK_NEAR(sum / MANY, 0, 0.01);
    for (int i = 0; i < MANY; i++)
        angle[i] = 8 * degree * recon_rng_normal(&rng);
    recon_lambda_log_densities(log_p, angle, MANY);
    sum = 0;
    for (int i = 0; i < MANY; i++)
        sum += log_p[i];
    CHECK_NEAR(sum / MANY, -0.5 * log(2 * M_PI * M_E) - log(8 * degree), 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_likeliest_way_is_taken),
        cmocka_unit_test(of_equals_the_density_is_taken),
        cmocka_unit_test(a_density_may_say_that_it_does_not_know),
        cmocka_unit_test(log_densities_are_those_of_the_mixture_that_fits),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
