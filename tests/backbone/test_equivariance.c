/* Errors of equivariance: of codes made by hand, and of an encoder where they are known. */
#include "apps/tiny.h"

#include <recon/backbone/equivariance.h>
#include <recon/group/so2.h>

enum { N = 101, D = 3 };

/* Image i: its pose is off by i hundredths of a radian to either side, across the cut too, and its
 * code longer by i thousandths. */
static void make(float z[2][N * D], double psi[2][N], double angles[N])
{
    recon_rng rng = recon_rng_new(1, 0);
    for (int i = 0; i < N; i++) {
        psi[0][i] = recon_so2_haar(&rng);
        angles[i] = recon_so2_haar(&rng);
        psi[1][i] = recon_so2_wrap(psi[0][i] + angles[i] + (i % 2 ? 0.01 : -0.01) * i);
        for (int j = 0; j < D; j++) {
            z[0][i * D + j] = (float)recon_rng_normal(&rng);
            z[1][i * D + j] = (float)((double)z[0][i * D + j] * (1 + 0.001 * i));
        }
    }
}

static void errors_are_those_put_in(void **state)
{
    recon_ctx *ctx = *state;
    float z[2][N * D];
    double psi[2][N], angles[N];
    recon_equivariance e;
    make(z, psi, angles);
    recon_codes before = { z[0], psi[0] }, after = { z[1], psi[1] };
    CHECK_OK(ctx, recon_equivariance_compare(ctx, &e, &before, &after, angles, N, D));
    assert_int_equal(e.n, N);
    CHECK_NEAR(e.pose_median, 0.5, 1e-9);
    CHECK_NEAR(e.pose_p95, 0.95, 1e-9);
    CHECK_NEAR(e.pose_max, 1.0, 1e-9);
    CHECK_NEAR(e.code_median, 0.05, 1e-6);
    CHECK_NEAR(e.code_p95, 0.095, 1e-6);
    CHECK_NEAR(e.code_max, 0.1, 1e-6);
}

static void what_is_not_finite_is_named(void **state)
{
    recon_ctx *ctx = *state;
    float z[2][N * D];
    double psi[2][N], angles[N];
    recon_equivariance e;
    make(z, psi, angles);
    recon_codes before = { z[0], psi[0] }, after = { z[1], psi[1] };
    CHECK_FAILS(ctx, recon_equivariance_compare(ctx, &e, &before, &after, angles, 0, D),
                RECON_ERR_INPUT, "no images");
    for (int j = 0; j < D; j++)
        z[0][4 * D + j] = 0;
    CHECK_FAILS(ctx, recon_equivariance_compare(ctx, &e, &before, &after, angles, N, D),
                RECON_ERR_INPUT, "of image 4");
    psi[1][2] = NAN;
    CHECK_FAILS(ctx, recon_equivariance_compare(ctx, &e, &before, &after, angles, N, D),
                RECON_ERR_INPUT, "of image 2");
}

/* 16 x 16 pixels turned by quarters pass through every layer exactly; in between they do not. */
static void quarter_turns_are_exact(void **state)
{
    recon_ctx *ctx = *state;
    const double angles[] = { 0, 1.5707963267948966, 3.141592653589793, -1.5707963267948966, 0.4 };
    recon_dataset *data = tiny_data(ctx);
    recon_ieae *model = NULL;
    recon_equivariance e[5], random, again;
    tiny_train(ctx, data, 0);
    CHECK_OK(ctx, recon_ieae_open(ctx, &model, scratch("backbone.safetensors"), RECON_SINGLE));
    CHECK_OK(ctx, recon_equivariance_sweep(ctx, e, model, data, angles, 5));
    for (int a = 0; a < 4; a++) {
        assert_int_equal(e[a].n, TINY_N);
        CHECK_LESS(e[a].pose_max, 1e-3);
        CHECK_LESS(e[a].code_max, 1e-3);
    }
    CHECK_LESS(10 * e[1].code_median, e[4].code_median);
    CHECK_OK(ctx, recon_equivariance_random(ctx, &random, model, data, 7));
    CHECK_OK(ctx, recon_equivariance_random(ctx, &again, model, data, 7));
    assert_memory_equal(&random, &again, sizeof random);
    CHECK_LESS(random.pose_median, random.pose_p95);
    recon_ieae_close(ctx, model);
    recon_dataset_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_those_put_in),
        cmocka_unit_test(what_is_not_finite_is_named),
        SCRATCH_TEST(quarter_turns_are_exact),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
