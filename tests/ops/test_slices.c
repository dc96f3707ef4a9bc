/* Batches in slices, on 1 to 4 ranks under both MPIs: cut by their size alone, and kernels whose bits
 * are those of one process. */
#include "ranks.h"
#include "ops/ops.h"
#include "ops/slices.h"
#include <recon/core/rng.h>
#include <recon/ops/backend.h>

#include <math.h>
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

/* Slices of images do not begin at multiples of 16 bytes: a GPU's library gets copies of them. */
enum { UNITS = 21, BY = 2, SIDE = 5, IN = 5, OUT = 7, ROWS = UNITS * BY, PIXELS = SIDE * SIDE };

/* What two layers with norms behind them give: of rows `first` .. + `rows`, and, from dw on, of all. */
typedef struct {
    float y[ROWS * PIXELS * OUT], normed[ROWS * PIXELS * OUT], dy[ROWS * PIXELS * OUT];
    float dx[ROWS * PIXELS * IN], dropped[ROWS * PIXELS * OUT];
    float point[ROWS * PIXELS * OUT], fields[ROWS * PIXELS * OUT], dfields[ROWS * PIXELS * OUT];
    float dpoints[ROWS * PIXELS * OUT];
    float dw[OUT * 9 * IN], dbias[OUT], dscale[OUT], dshift[OUT], mean[OUT], var[OUT], loss;
    float dpoint[OUT * OUT], total[OUT], field_mean[OUT], field_var[OUT], field_dscale[OUT];
} answers;

static void fill(float *x, size_t n, size_t first, size_t stream)
{
    for (size_t i = 0; i < n; i++) {
        recon_rng r = recon_rng_new(stream, first + i);
        x[i] = (float)(recon_rng_uniform(&r) - 0.3);
    }
}

/* --- numbers with the backend ----------------------------------------------------------------------- */

/* Arrays of the host that the backend has a copy of. */
static struct {
    void *host, *there;
    size_t bytes;
} lent[64];
static size_t lent_count;

static void *lend(recon_ctx *ctx, void *host, size_t bytes)
{
    void *there;
    assert_true(lent_count < sizeof lent / sizeof *lent);
    CHECK_OK(ctx, recon_ops_of(ctx)->alloc(ctx, &there, bytes));
    CHECK_OK(ctx, recon_ops_of(ctx)->upload(ctx, there, host, bytes));
    lent[lent_count].host = host;
    lent[lent_count].there = there;
    lent[lent_count++].bytes = bytes;
    return there;
}

static void take_back(recon_ctx *ctx)
{
    for (size_t i = 0; i < lent_count; i++) {
        CHECK_OK(ctx, recon_ops_of(ctx)->download(ctx, lent[i].host, lent[i].there, lent[i].bytes));
        recon_ops_of(ctx)->release(ctx, lent[i].there);
    }
    lent_count = 0;
}

static recon_tensor images(recon_ctx *ctx, const recon_slices *cut, float *host, size_t channels)
{
    size_t rows = BY * recon_slices_here(cut);
    return (recon_tensor){ .type = RECON_F32,
                           .ndim = 4,
                           .shape = { rows, SIDE, SIDE, channels },
                           .data = lend(ctx, host, rows * PIXELS * channels * sizeof *host),
                           .slices = cut };
}

static recon_tensor vector(recon_ctx *ctx, float *host, size_t n)
{
    return (recon_tensor){
        .type = RECON_F32, .ndim = 1, .shape = { n }, .data = lend(ctx, host, n * sizeof *host)
    };
}

static recon_tensor filters(recon_ctx *ctx, float *host, size_t size, size_t in)
{
    return (recon_tensor){ .type = RECON_F32,
                           .ndim = 4,
                           .shape = { OUT, size, size, in },
                           .data = lend(ctx, host, OUT * size * size * in * sizeof *host) };
}

/* --- a step --------------------------------------------------------------------------------------- */

static float weight[8][OUT * 9 * OUT], saved[4][OUT];

static recon_tensor parameter(recon_ctx *ctx, size_t which)
{
    fill(weight[which], OUT, 0, 10 + which);
    return vector(ctx, weight[which], OUT);
}

static recon_norm_args norm_of(recon_ctx *ctx, answers *out, const recon_slices *cut,
                               recon_tensor x)
{
    fill(out->mean, OUT, 0, 7);
    fill(out->var, OUT, 0, 8);
    return (recon_norm_args){ .field = 1,
                              .training = 1,
                              .eps = 1e-5,
                              .momentum = 0.1,
                              .x = x,
                              .y = images(ctx, cut, out->normed, OUT),
                              .scale = parameter(ctx, 0),
                              .shift = parameter(ctx, 1),
                              .running_mean = vector(ctx, out->mean, OUT),
                              .running_var = vector(ctx, out->var, OUT),
                              .mean = vector(ctx, saved[0], OUT),
                              .inv = vector(ctx, saved[1], OUT),
                              .dscale = vector(ctx, out->dscale, OUT),
                              .dshift = vector(ctx, out->dshift, OUT) };
}

/* One scalar and three pairs. */
static recon_field_norm_args field_norm_of(recon_ctx *ctx, answers *out, const recon_slices *cut,
                                           recon_tensor x)
{
    enum { FIELDS = 4 };
    recon_field_norm_args a = { .scalars = 1, .pairs = 3, .training = 1, .eps = 1e-5 };
    memset(out->field_mean, 0, sizeof out->field_mean);
    memset(out->field_var, 0, sizeof out->field_var);
    memset(out->field_dscale, 0, sizeof out->field_dscale);
    a.momentum = 0.1;
    a.x = x;
    a.y = images(ctx, cut, out->fields, OUT);
    a.scale = parameter(ctx, 2), a.scale.shape[0] = FIELDS;
    a.shift = parameter(ctx, 3), a.shift.shape[0] = 1;
    a.bias = parameter(ctx, 4), a.bias.shape[0] = 3;
    a.running_mean = vector(ctx, out->field_mean, FIELDS);
    a.running_var = vector(ctx, out->field_var, FIELDS);
    a.mean = vector(ctx, saved[2], FIELDS), a.inv = vector(ctx, saved[3], FIELDS);
    a.dscale = vector(ctx, out->field_dscale, FIELDS);
    a.dshift = vector(ctx, weight[5], 1), a.dbias = vector(ctx, weight[6], 3);
    a.dx = images(ctx, cut, out->dfields, OUT);
    return a;
}

static recon_conv_args conv_of(recon_ctx *ctx, answers *out, const recon_slices *cut)
{
    static float x[ROWS * PIXELS * IN], w[OUT * 9 * IN], bias[OUT];
    size_t rows = BY * recon_slices_here(cut), first = BY * recon_slices_before(cut);
    fill(x, rows * PIXELS * IN, first * PIXELS * IN, 1);
    fill(w, OUT * 9 * IN, 0, 3);
    fill(bias, OUT, 0, 4);
    return (recon_conv_args){ .stride = 1,
                              .pad = 1,
                              .x = images(ctx, cut, x, IN),
                              .w = filters(ctx, w, 3, IN),
                              .bias = vector(ctx, bias, OUT),
                              .y = images(ctx, cut, out->y, OUT),
                              .dx = images(ctx, cut, out->dx, IN),
                              .dw = filters(ctx, out->dw, 3, IN),
                              .dbias = vector(ctx, out->dbias, OUT) };
}

static recon_loss_args loss_of(recon_ctx *ctx, answers *out, const recon_slices *cut,
                               recon_tensor x)
{
    static float target[ROWS * PIXELS * OUT], one = 1;
    size_t rows = BY * recon_slices_here(cut), first = BY * recon_slices_before(cut);
    fill(target, rows * PIXELS * OUT, first * PIXELS * OUT, 2);
    return (recon_loss_args){ .kind = RECON_LOSS_MSE,
                              .x = x,
                              .target = images(ctx, cut, target, OUT),
                              .loss = vector(ctx, &out->loss, 1),
                              .dloss = vector(ctx, &one, 1),
                              .dx = images(ctx, cut, out->dy, OUT) };
}

/* As a linear map sees images: their pixels are rows. */
static recon_tensor pixels(recon_tensor x)
{
    x.shape[0] = recon_tensor_rows(&x);
    x.shape[1] = OUT;
    x.ndim = 2;
    return x;
}

/* A linear map of pixels, whose gradient goes back to images; a norm of fields behind it, and the sum over
 * the batch. */
static void second_layer(recon_ctx *ctx, answers *out, const recon_slices *cut, recon_tensor x)
{
    const recon_ops *ops = recon_ops_of(ctx);
    fill(weight[7], OUT * OUT, 0, 9);
    recon_tensor y = images(ctx, cut, out->point, OUT);
    recon_conv_args point = { .stride = 1, .x = pixels(x), .y = pixels(y) };
    point.w = pixels(filters(ctx, weight[7], 1, OUT));
    CHECK_OK(ctx, ops->conv(ctx, &point));
    recon_field_norm_args norm = field_norm_of(ctx, out, cut, y);
    CHECK_OK(ctx, ops->field_norm(ctx, &norm));
    norm.dy = norm.y;
    CHECK_OK(ctx, ops->field_norm_back(ctx, &norm));
    point.dy = pixels(norm.dx);
    point.dx = images(ctx, cut, out->dpoints, OUT);
    point.dw = pixels(filters(ctx, out->dpoint, 1, OUT));
    CHECK_OK(ctx, ops->conv_back(ctx, &point));
    recon_reduce_args sum = { .outer = 1, .inner = OUT, .batch = 1, .scale = 0.1, .x = norm.y };
    sum.middle = recon_tensor_rows(&norm.y);
    sum.y = vector(ctx, out->total, OUT);
    CHECK_OK(ctx, ops->reduce(ctx, &sum));
}

static void train_once(recon_ctx *ctx, answers *out)
{
    const recon_ops *ops = recon_ops_of(ctx);
    recon_slices cut = recon_slices_of(ctx, UNITS);
    uint64_t counter = 3;
    recon_conv_args conv = conv_of(ctx, out, &cut);
    CHECK_OK(ctx, ops->conv(ctx, &conv));
    recon_norm_args norm = norm_of(ctx, out, &cut, conv.y);
    CHECK_OK(ctx, ops->norm(ctx, &norm));
    second_layer(ctx, out, &cut, norm.y);
    recon_dropout_args dropout = { .rate = 0.4, .seed = 9, .x = norm.y };
    dropout.counter = lend(ctx, &counter, sizeof counter);
    dropout.y = images(ctx, &cut, out->dropped, OUT);
    CHECK_OK(ctx, ops->dropout(ctx, &dropout));
    recon_loss_args loss = loss_of(ctx, out, &cut, dropout.y);
    CHECK_OK(ctx, ops->loss(ctx, &loss));
    CHECK_OK(ctx, ops->loss_back(ctx, &loss));
    norm.dy = loss.dx;
    norm.dx = dropout.y; /* of no further use */
    CHECK_OK(ctx, ops->norm_back(ctx, &norm));
    conv.dy = norm.dx;
    CHECK_OK(ctx, ops->conv_back(ctx, &conv));
    take_back(ctx);
}

#define SAME_ROWS(part, all, from, channels)                                                       \
    assert_memory_equal(part, (all) + (from)*PIXELS * (channels),                                  \
                        rows * PIXELS * (channels) * sizeof(float))

/* Every rank has its rows' numbers, and the sums of all. */
static void check_layers(recon_ctx *ctx, const char *backend)
{
    recon_ctx *alone = recon_ctx_new(&(recon_ctx_options){ .threads = 2 });
    static answers mine, all;
    recon_slices cut = recon_slices_of(ctx, UNITS);
    size_t rows = BY * recon_slices_here(&cut), from = BY * recon_slices_before(&cut);
    CHECK_OK(alone, recon_ops_attach(alone, backend));
    train_once(ctx, &mine);
    train_once(alone, &all);
    SAME_ROWS(mine.y, all.y, from, OUT);
    SAME_ROWS(mine.normed, all.normed, from, OUT);
    SAME_ROWS(mine.dropped, all.dropped, from, OUT);
    SAME_ROWS(mine.dy, all.dy, from, OUT);
    SAME_ROWS(mine.dx, all.dx, from, IN);
    SAME_ROWS(mine.point, all.point, from, OUT);
    SAME_ROWS(mine.fields, all.fields, from, OUT);
    SAME_ROWS(mine.dfields, all.dfields, from, OUT);
    SAME_ROWS(mine.dpoints, all.dpoints, from, OUT);
    assert_memory_equal(mine.dw, all.dw,
                        sizeof all -
                            (size_t)((char *)all.dw - (char *)&all)); /* and what follows */
    recon_ctx_free(alone);
}

static void layers_have_the_bits_of_one_process(void **state)
{
    recon_ctx *ctx = *state;
    if (!recon_ops_of(ctx)->has_slices || !recon_ops_of(ctx)->has_slices(ctx))
        skip();
    check_layers(ctx, "cpu");
}

/* A rank's numbers of a CPU and of a GPU differ by rounding. */
static void check_close(const float *a, const float *b, size_t n)
{
    float most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmaxf(most, fabsf(b[i]));
    assert_true(most > 0);
    for (size_t i = 0; i < n; i++)
        assert_true(fabsf(a[i] - b[i]) <= 1e-3f * most);
}

static void check_gradients(recon_ctx *ctx)
{
    recon_ctx *cpu = recon_ctx_new(&(recon_ctx_options){ .threads = 2 });
    static answers there, here;
    recon_slices cut = recon_slices_of(ctx, UNITS);
    size_t pixels = BY * recon_slices_here(&cut) * PIXELS;
    recon_comm_attach(cpu, ranks);
    train_once(ctx, &there);
    train_once(cpu, &here);
    check_close(there.dx, here.dx, pixels * IN);
    check_close(there.dpoints, here.dpoints, pixels * OUT);
    check_close(there.dw, here.dw, sizeof here.dw / sizeof *here.dw);
    check_close(there.dpoint, here.dpoint, sizeof here.dpoint / sizeof *here.dpoint);
    recon_ctx_free(cpu);
}

/* Ranks share the GPU where there is one, and exchange through the hosts. */
static void so_they_have_on_a_gpu(void **state)
{
    recon_ctx *ctx = recon_ctx_new(NULL);
    (void)state;
    recon_comm_attach(ctx, ranks);
    if (recon_ops_attach(ctx, "cuda-deterministic") == RECON_ERR_UNSUPPORTED) {
        print_message("%s\n", recon_ctx_message(ctx));
        recon_ctx_free(ctx);
        skip();
    }
    assert_true(recon_ops_of(ctx)->has_slices(ctx));
    check_layers(ctx, "cuda-deterministic");
    check_gradients(ctx);
    recon_ctx_free(ctx);
}

static int run_rank(void)
{
    const struct CMUnitTest laws[] = {
        cmocka_unit_test(slices_are_cut_by_the_batch_alone),
        cmocka_unit_test(tasks_cover_rows_and_stay_within_slices),
        cmocka_unit_test(layers_have_the_bits_of_one_process),
        cmocka_unit_test(so_they_have_on_a_gpu),
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
