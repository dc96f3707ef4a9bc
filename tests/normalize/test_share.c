/* Algorithm 1 over ranks: what one rank cannot see it is told, and what cannot be done is refused at each. */
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

/* Poses of one class, which every point's neighbours show: all ranks take the family of one process,
 * whatever the law of the poses. */
static void all_ranks_take_one_family(void **state)
{
    recon_ctx *alone = recon_ctx_new(NULL);
    float *z = malloc(N * 2 * sizeof *z);
    double *pose = malloc(N * sizeof *pose);
    for (int normal = 0; normal < 2; normal++) {
        recon_rng rng = recon_rng_new(4, (uint64_t)normal);
        for (size_t i = 0; i < N; i++) {
            z[2 * i] = 1;
            z[2 * i + 1] = (float)recon_rng_uniform(&rng);
            pose[i] = normal ? 0.4 * recon_rng_normal(&rng) : 2.4 * recon_rng_uniform(&rng);
        }
        recon_embedded index = { .n = N, .d = 2, .z = z, .group = RECON_SO2, .poses = pose };
        const recon_normalize_options o = { .knn.k = 10 * K };
        recon_frames frames, want;
        CHECK_OK(*state, recon_normalize_share(*state, &frames, &index, NULL, &o));
        CHECK_OK(alone, recon_normalize(alone, &want, &index, NULL, &o));
        assert_int_equal(frames.family, want.family);
        assert_true((want.family == RECON_SO2_UNIFORM) == !normal);
        recon_frames_free(&frames);
        recon_frames_free(&want);
    }
    free(pose);
    free(z);
    recon_ctx_free(alone);
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
    const struct CMUnitTest laws[] = { cmocka_unit_test(a_pool_beyond_k_is_refused),
                                       cmocka_unit_test(all_ranks_take_one_family) };
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
