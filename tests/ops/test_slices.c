/* Batches in slices, on 1 to 4 ranks under both MPIs: cut by their size alone, and kernels whose bits
 * are those of one process. */
#include "ranks.h"
#include "ops/ops.h"
#include "ops/slices.h"
#include <recon/core/rng.h>
#include <recon/ops/backend.h>

#include <string.h>

/* --- cutting ---------------------------------------------------------------------------------- */

static void slices_are_cut_by_the_batch_alone(void **state)
{
    recon_ctx *ctx = *state, *alone = recon_ctx_new(NULL);
    for (size_t n = 1; n < 70; n++) {
        recon_slices s = recon_slices_of(ctx, n), one = recon_slices_of(alone, n);
        assert_true(s.count <= RECON_SLICES && s.count >= 1);
        assert_true((s.count - 1) * s.each < n && n <= s.count * s.each);
        assert_true(s.each == one.each && s.count == one.count && s.all == n);
        assert_int_equal(recon_slices_here(&one), n);
        if (n % RECON_SLICES == 0)
            assert_int_equal(s.count, RECON_SLICES);
    }
    recon_ctx_free(alone);
}

static void tasks_cover_rows_and_stay_within_slices(void **state)
{
    recon_ctx *ctx = *state;
    for (size_t n = 4; n < 40; n++)
        for (size_t by = 1; by < 4; by++)
            for (size_t piece = 1; piece < 20; piece += 3) {
                recon_slices cut = recon_slices_of(ctx, n);
                recon_tensor x = { .slices = &cut };
                size_t rows = by * recon_slices_here(&cut), at = 0;
                recon_pieces p = recon_pieces_of(recon_slices_in_rows(&x, rows), piece);
                for (size_t t = 0; t < p.tasks; t++) {
                    recon_rows own = recon_pieces_rows(&p, t);
                    assert_int_equal(own.begin, at);
                    assert_true(own.end > own.begin && own.end - own.begin <= piece);
                    assert_int_equal(own.begin / p.s.each, (own.end - 1) / p.s.each);
                    at = own.end;
                }
                assert_int_equal(at, rows);
            }
}

/* --- kernels ---------------------------------------------------------------------------------- */

enum { UNITS = 21, BY = 2, SIDE = 6, IN = 5, OUT = 7, ROWS = UNITS * BY, PIXELS = SIDE * SIDE };

/* What a layer with a norm behind it gives: y, dx and the gradients, of rows `first` .. + `rows`. */
typedef struct {
    float y[ROWS * PIXELS * OUT], normed[ROWS * PIXELS * OUT], dy[ROWS * PIXELS * OUT];
    float dx[ROWS * PIXELS * IN], dropped[ROWS * PIXELS * OUT];
    float dw[OUT * 9 * IN], dbias[OUT], dscale[OUT], dshift[OUT], mean[OUT], var[OUT], loss;
} answers;

static void fill(float *x, size_t n, size_t first, size_t stream)
{
    for (size_t i = 0; i < n; i++) {
        recon_rng r = recon_rng_new(stream, first + i);
        x[i] = (float)(recon_rng_uniform(&r) - 0.3);
    }
}

static recon_tensor images(const recon_slices *cut, float *data, size_t rows, size_t channels)
{
    return (recon_tensor){ .type = RECON_F32,
                           .ndim = 4,
                           .shape = { rows, SIDE, SIDE, channels },
                           .data = data,
                           .slices = cut };
}

static recon_tensor vector(float *data, size_t n)
{
    return (recon_tensor){ .type = RECON_F32, .ndim = 1, .shape = { n }, .data = data };
}

static void train_once(recon_ctx *ctx, answers *out)
{
    const recon_ops *ops = recon_ops_of(ctx);
    recon_slices cut = recon_slices_of(ctx, UNITS);
    size_t rows = BY * recon_slices_here(&cut), first = BY * recon_slices_before(&cut);
    static float x[ROWS * PIXELS * IN], target[ROWS * PIXELS * OUT], w[OUT * 9 * IN];
    float bias[OUT], scale[OUT], shift[OUT], mean[OUT], inv[OUT];
    const float one = 1;
    uint64_t counter = 3;
    fill(x, rows * PIXELS * IN, first * PIXELS * IN, 1);
    fill(target, rows * PIXELS * OUT, first * PIXELS * OUT, 2);
    fill(w, OUT * 9 * IN, 0, 3);
    fill(bias, OUT, 0, 4);
    fill(scale, OUT, 0, 5);
    fill(shift, OUT, 0, 6);
    fill(out->mean, OUT, 0, 7);
    fill(out->var, OUT, 0, 8);
    recon_conv_args conv = { .stride = 1, .pad = 1, .x = images(&cut, x, rows, IN) };
    conv.w = (recon_tensor){ .type = RECON_F32, .ndim = 4, .shape = { OUT, 3, 3, IN }, .data = w };
    conv.bias = vector(bias, OUT);
    conv.y = images(&cut, out->y, rows, OUT);
    CHECK_OK(ctx, ops->conv(ctx, &conv));
    recon_norm_args norm = { .field = 1, .training = 1, .eps = 1e-5, .momentum = 0.1 };
    norm.x = conv.y;
    norm.y = images(&cut, out->normed, rows, OUT);
    norm.scale = vector(scale, OUT), norm.shift = vector(shift, OUT);
    norm.running_mean = vector(out->mean, OUT), norm.running_var = vector(out->var, OUT);
    norm.mean = vector(mean, OUT), norm.inv = vector(inv, OUT);
    CHECK_OK(ctx, ops->norm(ctx, &norm));
    recon_dropout_args dropout = { .rate = 0.4, .seed = 9, .counter = &counter, .x = norm.y };
    dropout.y = images(&cut, out->dropped, rows, OUT);
    CHECK_OK(ctx, ops->dropout(ctx, &dropout));
    recon_loss_args loss = { .kind = RECON_LOSS_MSE, .x = dropout.y };
    loss.target = images(&cut, target, rows, OUT);
    loss.loss = vector(&out->loss, 1), loss.dloss = vector((float *)&one, 1);
    loss.dx = images(&cut, out->dy, rows, OUT);
    CHECK_OK(ctx, ops->loss(ctx, &loss));
    CHECK_OK(ctx, ops->loss_back(ctx, &loss));
    norm.dy = loss.dx;
    norm.dx = dropout.y; /* of no further use */
    norm.dscale = vector(out->dscale, OUT), norm.dshift = vector(out->dshift, OUT);
    CHECK_OK(ctx, ops->norm_back(ctx, &norm));
    conv.dy = norm.dx;
    conv.dx = images(&cut, out->dx, rows, IN);
    conv.dw = conv.w, conv.dw.data = out->dw;
    conv.dbias = vector(out->dbias, OUT);
    CHECK_OK(ctx, ops->conv_back(ctx, &conv));
}

#define SAME_ROWS(part, all, from, channels)                                                       \
    assert_memory_equal(part, (all) + (from)*PIXELS * (channels),                                  \
                        rows * PIXELS * (channels) * sizeof(float))

/* Every rank has its rows' numbers, and the sums of all. */
static void a_layer_has_the_bits_of_one_process(void **state)
{
    recon_ctx *ctx = *state, *alone = recon_ctx_new(&(recon_ctx_options){ .threads = 2 });
    static answers mine, all;
    recon_slices cut = recon_slices_of(ctx, UNITS);
    size_t rows = BY * recon_slices_here(&cut), from = BY * recon_slices_before(&cut);
    if (!recon_ops_of(ctx)->has_slices || !recon_ops_of(ctx)->has_slices())
        skip();
    train_once(ctx, &mine);
    train_once(alone, &all);
    SAME_ROWS(mine.y, all.y, from, OUT);
    SAME_ROWS(mine.normed, all.normed, from, OUT);
    SAME_ROWS(mine.dropped, all.dropped, from, OUT);
    SAME_ROWS(mine.dy, all.dy, from, OUT);
    SAME_ROWS(mine.dx, all.dx, from, IN);
    assert_memory_equal(mine.dw, all.dw,
                        sizeof all - ((char *)all.dw - (char *)&all)); /* and what follows it */
    recon_ctx_free(alone);
}

static int run_rank(void)
{
    const struct CMUnitTest laws[] = {
        cmocka_unit_test(slices_are_cut_by_the_batch_alone),
        cmocka_unit_test(tasks_cover_rows_and_stay_within_slices),
        cmocka_unit_test(a_layer_has_the_bits_of_one_process),
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
        cmocka_unit_test_setup_teardown(slices_are_cut_by_the_batch_alone, check_setup,
                                        check_teardown),
        cmocka_unit_test_setup_teardown(tasks_cover_rows_and_stay_within_slices, check_setup,
                                        check_teardown),
        cmocka_unit_test(under_openmpi),
        cmocka_unit_test(under_mpich),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
