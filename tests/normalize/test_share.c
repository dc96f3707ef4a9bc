/* What Algorithm 1 cannot do over ranks it refuses at each of them. */
#include "ranks.h"
#include "normalize/share.h"

enum { N = 1500, K = 5 };

static void a_pool_beyond_k_is_refused(void **state)
{
    recon_ctx *ctx = *state;
    float *z = malloc(N * 2 * sizeof *z);
    double *pose = malloc(N * sizeof *pose);
    for (size_t i = 0; i < N; i++) {
        z[2 * i] = 1;
        z[2 * i + 1] = (float)i / N;
        pose[i] = 0.001 * (double)i;
    }
    recon_embedded index = { .n = N, .d = 2, .z = z, .group = RECON_SO2, .poses = pose };
    recon_normalize_options o = { .knn.k = K, .pool = K };
    recon_frames frames;
    CHECK_OK(ctx, recon_normalize_share(ctx, &frames, &index, NULL, &o));
    recon_frames_free(&frames);
    o.pool = K + 1;
    CHECK_FAILS(ctx, recon_normalize_share(ctx, &frames, &index, NULL, &o), RECON_ERR_UNSUPPORTED,
                "pool = 6");
    free(pose);
    free(z);
}

static void two_of_openmpi(void **state)
{
    (void)state;
    run_ranks("openmpi", 2, "--oversubscribe --bind-to none");
}

static void two_of_mpich(void **state)
{
    (void)state;
    run_ranks("mpich", 2, "");
}

static int run_rank(void)
{
    const struct CMUnitTest laws[] = { cmocka_unit_test(a_pool_beyond_k_is_refused) };
    int failed = cmocka_run_group_tests(laws, rank_setup, check_teardown);
    recon_comm_finish(ranks);
    return failed;
}

int main(int argc, char **argv)
{
    (void)argc;
    if (is_rank())
        return run_rank();
    snprintf(program, sizeof program, "%s", argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_of_openmpi),
        cmocka_unit_test(two_of_mpich),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
