/* Ranks with devices of their own, on 1 to 4 ranks under both MPIs, by way of the hosts: gradients become
 * their sum over ranks, through one fixed tree, and buffers their mean; the same bits at every rank. */
#include "ranks.h"
#include "nn/params.h"
#include "nn/peers.h"

enum { WEIGHTS = 5000, BUFFERS = 3 };

/* Numbers whose sum depends on the order. */
static float number(size_t rank, size_t i)
{
    recon_rng r = recon_rng_new(rank, i);
    return (float)exp(40 * recon_rng_uniform(&r) - 20);
}

/* Neighbours, then neighbours of those. */
static float by_hand(size_t first, size_t count, size_t i)
{
    size_t half = 1;
    if (count == 1)
        return number(first, i);
    while (2 * half < count)
        half *= 2;
    return by_hand(first, half, i) + by_hand(first + half, count - half, i);
}

static recon_params *params_of(recon_ctx *ctx)
{
    recon_params *p;
    recon_param *entry;
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_SINGLE));
    CHECK_OK(ctx, recon_params_add(ctx, &entry, p, "w", (const size_t[]){ WEIGHTS }, 1,
                                   (recon_init){ RECON_INIT_CONSTANT, 0 }));
    CHECK_OK(ctx, recon_params_add_buffer(ctx, &entry, p, "b", (const size_t[]){ BUFFERS }, 1, 0));
    CHECK_OK(ctx, recon_params_make(ctx, p, 1));
    return p;
}

static void gradients_add_up_and_buffers_are_averaged(void **state)
{
    recon_ctx *ctx = *state;
    size_t rank = (size_t)recon_comm_rank(ctx), size = (size_t)recon_comm_size(ctx);
    recon_params *p = params_of(ctx);
    float *gradients = (float *)p->gradients, *buffers = (float *)p->buffers;
    recon_peers peers;
    CHECK_OK(ctx, recon_peers_open(ctx, &peers));
    assert_int_equal(peers.size, size);
    assert_null(peers.table); /* no device here */
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < WEIGHTS; i++)
            gradients[i] = number(rank, i);
        for (size_t i = 0; i < BUFFERS; i++)
            buffers[i] = number(rank, WEIGHTS + i);
        CHECK_OK(ctx, recon_peers_sum(ctx, &peers, p));
        for (size_t i = 0; i < WEIGHTS; i++)
            assert_true(gradients[i] == by_hand(0, size, i));
        for (size_t i = 0; i < BUFFERS; i++) {
            double mean = (double)by_hand(0, size, WEIGHTS + i) / (double)size;
            CHECK_NEAR((double)buffers[i] / mean, 1, 1e-6);
        }
    }
    recon_peers_close(&peers);
    recon_params_free(ctx, p);
}

static int run_rank(void)
{
    const struct CMUnitTest laws[] = { cmocka_unit_test(
        gradients_add_up_and_buffers_are_averaged) };
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
        cmocka_unit_test_setup_teardown(gradients_add_up_and_buffers_are_averaged, check_setup,
                                        check_teardown),
        cmocka_unit_test(under_openmpi),
        cmocka_unit_test(under_mpich),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
