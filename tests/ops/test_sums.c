/* Sums over slices, on 1 to 4 ranks under both MPIs: one fixed tree, at once or all together. */
#include "borders.h"
#include "ranks.h"
#include "ops/sums.h"
#include <recon/core/rng.h>

#include <string.h>

/* Numbers whose sum depends on the order. */
static double number(size_t row, size_t column)
{
    recon_rng r = recon_rng_new(row, column);
    return exp(40 * recon_rng_uniform(&r) - 20);
}

/* The tree of the documentation, for eight slices of two tasks each. */
static double by_hand(size_t column)
{
    double s[8];
    for (size_t i = 0; i < 8; i++)
        s[i] = number(2 * i, column) + number(2 * i + 1, column);
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

static void check_sum(recon_ctx *ctx, size_t width)
{
    recon_slices cut = recon_slices_of(ctx, 16);
    recon_tensor x = { .slices = &cut };
    size_t here = recon_slices_here(&cut), before = recon_slices_before(&cut);
    recon_pieces p = recon_pieces_of(recon_slices_in_rows(&x, here), 1);
    double *part = malloc(here * width * sizeof *part), *sum = malloc(width * sizeof *sum);
    for (size_t i = 0; i < here; i++)
        for (size_t c = 0; c < width; c++)
            part[i * width + c] = number(before + i, c);
    CHECK_OK(ctx, recon_pieces_sum(ctx, &p, sum, RECON_F64, part, width * sizeof *part, width));
    for (size_t c = 0; c < width; c++)
        assert_true(sum[c] == by_hand(c));
    free(sum);
    free(part);
}

static void a_sum_is_the_fixed_tree(void **state)
{
    for (int i = 0; i < BORDERS; i++)
        check_sum(*state, border(RECON_BLOCK_SUMS, i));
}

/* --- gradients that wait ------------------------------------------------------------------------ */

enum { WIDE = 6000, NARROW = 7, UNITS = 22 }; /* slices of three, the last of one */

/* A gradient of a batch: parts of this rank's units, and where the sum goes. */
typedef struct {
    recon_slices cut;
    recon_pieces pieces;
    void *part;
    float out[WIDE];
    recon_gradient g;
} gradient;

static recon_status reverse(recon_ctx *ctx, const void *user, float *out, float *sum)
{
    (void)ctx;
    for (size_t i = 0, n = *(const size_t *)user; i < n; i++)
        out[i] = sum[n - 1 - i];
    return RECON_OK;
}

static const size_t wide = WIDE;

static void make(recon_ctx *ctx, gradient *x, size_t units, size_t width, int as_double)
{
    x->cut = recon_slices_of(ctx, units);
    size_t here = recon_slices_here(&x->cut), before = recon_slices_before(&x->cut);
    size_t size = as_double ? sizeof(double) : sizeof(float);
    x->pieces = recon_pieces_of(x->cut, 1);
    x->part = malloc(here * width * size);
    for (size_t i = 0; i < here; i++)
        for (size_t c = 0; c < width; c++)
            if (as_double)
                ((double *)x->part)[i * width + c] = number(before + i, c);
            else
                ((float *)x->part)[i * width + c] = (float)number(before + i, c);
    x->g = (recon_gradient){ .pieces = &x->pieces,
                             .part = x->part,
                             .stride = width * size,
                             .width = width,
                             .as_double = as_double,
                             .arrange = width == WIDE ? reverse : NULL,
                             .user = &wide,
                             .out = x->out,
                             .count = width };
}

/* Three of a batch, and one of a batch that is cut otherwise. */
enum { GRADIENTS = 4 };
static void make_all(recon_ctx *ctx, gradient *x)
{
    make(ctx, &x[0], UNITS, WIDE, 0);
    make(ctx, &x[1], UNITS, NARROW, 1);
    make(ctx, &x[2], UNITS, NARROW, 0);
    make(ctx, &x[3], 5, WIDE, 0);
}

static void gradients_that_wait_have_the_bits_of_one_process(void **state)
{
    recon_ctx *ctx = *state, *alone = recon_ctx_new(NULL);
    static gradient mine[GRADIENTS], all[GRADIENTS];
    recon_sums *sums = NULL;
    make_all(alone, all);
    for (size_t i = 0; i < GRADIENTS; i++)
        CHECK_OK(alone, recon_gradient_sum(alone, &all[i].g));
    for (int again = 0; again < 2; again++) { /* the second time there is room */
        make_all(ctx, mine);
        CHECK_OK(ctx, recon_sums_begin(ctx, &sums));
        for (size_t i = 0; i < GRADIENTS; i++) {
            CHECK_OK(ctx, recon_gradient_sum(ctx, &mine[i].g));
            assert_int_equal(recon_sums_wait_for(ctx, mine[i].out), recon_comm_size(ctx) > 1);
        }
        CHECK_OK(ctx, recon_sums_finish(ctx));
        for (size_t i = 0; i < GRADIENTS; i++) {
            assert_false(recon_sums_wait_for(ctx, mine[i].out));
            assert_memory_equal(mine[i].out, all[i].out, all[i].g.count * sizeof(float));
            free(mine[i].part);
        }
        recon_sums_end(ctx);
    }
    for (size_t i = 0; i < GRADIENTS; i++)
        free(all[i].part);
    recon_sums_free(sums);
    recon_ctx_free(alone);
}

/* Nobody collects: at once, and the same. What waited when the collecting ended is forgotten. */
static void gradients_need_not_wait(void **state)
{
    recon_ctx *ctx = *state;
    static gradient late, now;
    recon_sums *sums = NULL;
    make(ctx, &late, UNITS, WIDE, 0);
    make(ctx, &now, UNITS, WIDE, 0);
    CHECK_OK(ctx, recon_sums_begin(ctx, &sums));
    CHECK_OK(ctx, recon_gradient_sum(ctx, &late.g));
    recon_sums_end(ctx);
    assert_false(recon_sums_wait_for(ctx, late.out));
    CHECK_OK(ctx, recon_sums_finish(ctx));
    CHECK_OK(ctx, recon_gradient_sum(ctx, &now.g));
    free(late.part);
    make(ctx, &late, UNITS, WIDE, 0);
    CHECK_OK(ctx, recon_sums_begin(ctx, &sums));
    CHECK_OK(ctx, recon_gradient_sum(ctx, &late.g));
    CHECK_OK(ctx, recon_sums_finish(ctx));
    assert_memory_equal(late.out, now.out, sizeof now.out);
    recon_sums_end(ctx);
    recon_sums_free(sums);
    free(late.part);
    free(now.part);
}

static int run_rank(void)
{
    const struct CMUnitTest laws[] = {
        cmocka_unit_test(a_sum_is_the_fixed_tree),
        cmocka_unit_test(gradients_that_wait_have_the_bits_of_one_process),
        cmocka_unit_test(gradients_need_not_wait),
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
        cmocka_unit_test_setup_teardown(a_sum_is_the_fixed_tree, check_setup, check_teardown),
        cmocka_unit_test_setup_teardown(gradients_that_wait_have_the_bits_of_one_process,
                                        check_setup, check_teardown),
        cmocka_unit_test(under_openmpi),
        cmocka_unit_test(under_mpich),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
