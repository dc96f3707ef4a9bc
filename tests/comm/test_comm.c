/* Ranks under both MPIs, 1 to 4 of them: what arrives is what was sent, sums have the bits of one
 * process, and a failure is everybody's. The program starts itself under mpirun; then each process
 * checks the laws, as one of the ranks. */
#include "ranks.h"
#include "core/fail.h"
#include "core/memory.h"

/* --- laws, at every rank ---------------------------------------------------------------------- */

static void shares_cover_all_rows_in_whole_units(void **state)
{
    recon_ctx *ctx = *state;
    int size = recon_comm_size(ctx);
    for (size_t n = 0; n < 40; n++) {
        size_t at = 0;
        for (int r = 0; r < size; r++) {
            recon_share s = recon_comm_share(ctx, r, n, 4);
            assert_int_equal(s.begin, at);
            assert_true(s.end >= s.begin && (s.end == n || s.end % 4 == 0));
            at = s.end;
        }
        assert_int_equal(at, n);
    }
}

static void a_broadcast_reaches_everybody(void **state)
{
    recon_ctx *ctx = *state;
    for (int root = 0; root < recon_comm_size(ctx); root++) {
        int data[3] = { -1, -1, -1 };
        if (recon_comm_rank(ctx) == root)
            data[0] = data[2] = 10 * root;
        CHECK_OK(ctx, recon_comm_broadcast(ctx, data, sizeof data, root));
        assert_int_equal(data[0], 10 * root);
        assert_int_equal(data[1], -1);
        assert_int_equal(data[2], 10 * root);
    }
}

/* From a few bytes to what no MPI sends at once; also where some ranks have nothing. */
static void a_gather_has_every_row_in_its_place(void **state)
{
    recon_ctx *ctx = *state;
    const size_t sizes[] = { 1, 2, 7, 1000, 700001 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s], unit = 3;
        uint64_t *rows = calloc(n, sizeof *rows);
        recon_share own = recon_comm_own(ctx, n, unit);
        for (size_t i = own.begin; i < own.end; i++)
            rows[i] = i * i + 1;
        CHECK_OK(ctx, recon_comm_gather(ctx, rows, n, unit, sizeof *rows));
        for (size_t i = 0; i < n; i++)
            assert_int_equal(rows[i], i * i + 1);
        free(rows);
    }
}

/* Numbers whose sum depends on the order: the bits are those of one process, which has them all. */
static void a_sum_has_the_bits_of_one_process(void **state)
{
    recon_ctx *ctx = *state, *alone = recon_ctx_new(NULL);
    enum { PARTS = 23, WIDTH = 5 };
    double mine[PARTS][WIDTH] = { { 0 } }, all[PARTS][WIDTH], sum[WIDTH], want[WIDTH];
    recon_share own = recon_comm_own(ctx, PARTS, 1);
    for (size_t i = 0; i < PARTS; i++)
        for (size_t c = 0; c < WIDTH; c++) {
            recon_rng r = recon_rng_new(i, c);
            all[i][c] = exp(40 * recon_rng_uniform(&r) - 20);
            if (i >= own.begin && i < own.end)
                mine[i][c] = all[i][c];
        }
    CHECK_OK(alone, recon_comm_sum(alone, want, &all[0][0], PARTS, WIDTH));
    CHECK_OK(ctx, recon_comm_sum(ctx, sum, &mine[0][0], PARTS, WIDTH));
    assert_memory_equal(sum, want, sizeof sum);
    recon_ctx_free(alone);
}

static void the_largest_is_known_everywhere(void **state)
{
    recon_ctx *ctx = *state;
    double value = -10 + recon_comm_rank(ctx);
    CHECK_OK(ctx, recon_comm_max(ctx, &value));
    CHECK_NEAR(value, -11 + recon_comm_size(ctx), 0);
}

/* Round the ring while worker 0 is busy: longer than what MPI copies aside. */
static void messages_travel_while_a_rank_works(void **state)
{
    recon_ctx *ctx = *state;
    int size = recon_comm_size(ctx), rank = recon_comm_rank(ctx);
    size_t n = 300000;
    if (size == 1)
        return;
    uint32_t *out = malloc(n * sizeof *out), *in = calloc(n, sizeof *in);
    for (size_t i = 0; i < n; i++)
        out[i] = (uint32_t)(i + (size_t)rank);
    recon_exchange x = { 0 };
    CHECK_OK(ctx, recon_exchange_recv(ctx, &x, in, n * sizeof *in, (rank + size - 1) % size));
    CHECK_OK(ctx, recon_exchange_send(ctx, &x, out, n * sizeof *out, (rank + 1) % size));
    for (int i = 0; i < 50; i++)
        CHECK_OK(ctx, recon_comm_poll(ctx, 0));
    CHECK_OK(ctx, recon_exchange_wait(ctx, &x));
    recon_exchange_close(ctx, &x);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(in[i], i + (size_t)((rank + size - 1) % size));
    free(out);
    free(in);
}

static void a_failure_is_everybodys(void **state)
{
    recon_ctx *ctx = *state;
    int size = recon_comm_size(ctx), rank = recon_comm_rank(ctx);
    CHECK_OK(ctx, recon_comm_agree(ctx, RECON_OK));
    for (int who = 0; who < size; who++) {
        char text[64];
        recon_status own = rank == who || rank == size - 1
                               ? recon_fail(ctx, RECON_ERR_FORMAT, "rank %d is out", rank)
                               : RECON_OK;
        snprintf(text, sizeof text, "rank %d is out", who);
        CHECK_FAILS(ctx, recon_comm_agree(ctx, own), RECON_ERR_FORMAT, text);
    }
    CHECK_OK(ctx, recon_comm_barrier(ctx));
}

static void what_differs_is_noticed(void **state)
{
    recon_ctx *ctx = *state;
    int last = recon_comm_rank(ctx) == recon_comm_size(ctx) - 1;
    CHECK_OK(ctx, recon_comm_same(ctx, 7, "z.npy"));
    if (recon_comm_size(ctx) > 1)
        CHECK_FAILS(ctx, recon_comm_same(ctx, last ? 8 : 7, "z.npy"), RECON_ERR_MISMATCH, "z.npy");
}

static int run_rank(void)
{
    const struct CMUnitTest laws[] = {
        cmocka_unit_test(shares_cover_all_rows_in_whole_units),
        cmocka_unit_test(a_broadcast_reaches_everybody),
        cmocka_unit_test(a_gather_has_every_row_in_its_place),
        cmocka_unit_test(a_sum_has_the_bits_of_one_process),
        cmocka_unit_test(the_largest_is_known_everywhere),
        cmocka_unit_test(messages_travel_while_a_rank_works),
        cmocka_unit_test(a_failure_is_everybodys),
        cmocka_unit_test(what_differs_is_noticed),
    };
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
        cmocka_unit_test_setup_teardown(shares_cover_all_rows_in_whole_units, check_setup,
                                        check_teardown),
        cmocka_unit_test_setup_teardown(a_gather_has_every_row_in_its_place, check_setup,
                                        check_teardown),
        cmocka_unit_test_setup_teardown(a_failure_is_everybodys, check_setup, check_teardown),
        cmocka_unit_test(under_openmpi),
        cmocka_unit_test(under_mpich),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
