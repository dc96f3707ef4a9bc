/* A recorded step: replaying it does what running it did, on what the memory holds by then. */
#include "check.h"
#include "ops/graph.h"
#include "ops/ops.h"

enum { N = 1000 };

static recon_ctx *gpu(void)
{
    recon_ctx *ctx = recon_ctx_new(NULL);
    if (ctx && recon_ops_attach(ctx, "cuda") == RECON_OK)
        return ctx;
    recon_ctx_free(ctx);
    return NULL;
}

static recon_tensor block(recon_ctx *ctx, const float *from)
{
    recon_tensor t = { .type = RECON_F32, .ndim = 1, .shape = { N } };
    const recon_ops *ops = recon_ops_of(ctx);
    CHECK_OK(ctx, ops->alloc(ctx, &t.data, recon_tensor_bytes(&t)));
    CHECK_OK(ctx, ops->upload(ctx, t.data, from, recon_tensor_bytes(&t)));
    return t;
}

static void a_recorded_step_replays(void **state)
{
    (void)state;
    recon_ctx *ctx = gpu();
    if (!ctx)
        skip();
    const recon_ops *ops = recon_ops_of(ctx);
    float x[N], y[N];
    for (int i = 0; i < N; i++)
        x[i] = (float)i, y[i] = 1;
    recon_tensor tx = block(ctx, x), ty = block(ctx, y);
    recon_add_args add = { .alpha = 2, .beta = 1, .y = ty, .a = tx, .b = ty };
    recon_graph *graph;
    CHECK_OK(ctx, recon_graph_begin(ctx));
    CHECK_OK(ctx, ops->add(ctx, &add));
    CHECK_FAILS(ctx, ops->sync(ctx), RECON_ERR_UNSUPPORTED, "recorded");
    CHECK_OK(ctx, recon_graph_end(ctx, &graph));
    for (int i = 0; i < 3; i++)
        CHECK_OK(ctx, recon_graph_launch(ctx, graph));
    CHECK_OK(ctx, ops->download(ctx, y, ty.data, sizeof y));
    for (int i = 0; i < N; i++)
        CHECK_NEAR(y[i], 1 + 3 * 2 * i, 0); /* recording itself ran nothing */
    recon_graph_free(ctx, graph);
    ops->release(ctx, tx.data);
    ops->release(ctx, ty.data);
    recon_ctx_free(ctx);
}

/* ---- a whole training step ---- */

enum { IMAGES = 8, SIDE = 12, HALF = SIDE / 2, FEATURES = 16, TAPS = 9, WEIGHTS = FEATURES * TAPS };

/* Convolution with bias and ReLU in BF16, batch norm, average pool, dropout, mean over the image,
 * squared error; Adam on the filters. */
typedef struct {
    recon_ctx *ctx;
    const recon_ops *ops;
    recon_tensor x, w, bias, target, loss, one;       /* what the network reads */
    recon_tensor a, b, c, d, e, f;                    /* what each layer makes  */
    recon_tensor da, db, dc, dd, de, df, dw;          /* and its gradient       */
    recon_tensor scale, shift, mean, inv, rm, rv, ds; /* of the norm            */
    recon_tensor master, moments;
    void *state, *norm, *counter;
    void *blocks[64]; /* all of these, to give back */
    int taken;
} network;

static void *take(network *n, size_t bytes)
{
    void **block = &n->blocks[n->taken++];
    CHECK_OK(n->ctx, n->ops->alloc(n->ctx, block, bytes));
    return *block;
}

static recon_tensor place(network *n, recon_dtype type, int ndim, const size_t *shape)
{
    recon_tensor t = { .type = type, .ndim = ndim }, wide;
    memcpy(t.shape, shape, (size_t)ndim * sizeof *shape);
    wide = t;
    wide.type = RECON_F32;
    float host[IMAGES * SIDE * SIDE * FEATURES];
    recon_rng r = recon_rng_new(3, recon_tensor_count(&t));
    for (size_t i = 0; i < recon_tensor_count(&t); i++)
        host[i] = (float)recon_rng_uniform(&r);
    t.data = take(n, recon_tensor_bytes(&t));
    CHECK_OK(n->ctx, n->ops->alloc(n->ctx, &wide.data, recon_tensor_bytes(&wide)));
    CHECK_OK(n->ctx, n->ops->upload(n->ctx, wide.data, host, recon_tensor_bytes(&wide)));
    recon_add_args cast = { .alpha = 1, .y = t, .a = wide };
    CHECK_OK(n->ctx, n->ops->add(n->ctx, &cast));
    n->ops->release(n->ctx, wide.data);
    return t;
}
#define PLACE(type, ...)                                                                           \
    place(n, type, (int)(sizeof((size_t[]){ __VA_ARGS__ }) / sizeof(size_t)),                      \
          (const size_t[]){ __VA_ARGS__ })

static void *constant(network *n, const void *host, size_t bytes)
{
    void *data = take(n, bytes);
    CHECK_OK(n->ctx, n->ops->upload(n->ctx, data, host, bytes));
    return data;
}

static void build(network *n)
{
    n->x = PLACE(RECON_BF16, IMAGES, SIDE, SIDE, 1);
    n->w = PLACE(RECON_BF16, FEATURES, 3, 3, 1);
    n->master = PLACE(RECON_F32, WEIGHTS);
    n->dw = PLACE(RECON_F32, FEATURES, 3, 3, 1);
    n->moments = PLACE(RECON_F32, 2, WEIGHTS);
    n->a = PLACE(RECON_BF16, IMAGES, SIDE, SIDE, FEATURES);
    n->b = PLACE(RECON_BF16, IMAGES, SIDE, SIDE, FEATURES);
    n->da = PLACE(RECON_BF16, IMAGES, SIDE, SIDE, FEATURES);
    n->db = PLACE(RECON_BF16, IMAGES, SIDE, SIDE, FEATURES);
    n->c = PLACE(RECON_BF16, IMAGES, HALF, HALF, FEATURES);
    n->d = PLACE(RECON_BF16, IMAGES, HALF, HALF, FEATURES);
    n->dc = PLACE(RECON_BF16, IMAGES, HALF, HALF, FEATURES);
    n->dd = PLACE(RECON_BF16, IMAGES, HALF, HALF, FEATURES);
    n->e = PLACE(RECON_BF16, IMAGES, FEATURES);
    n->de = PLACE(RECON_BF16, IMAGES, FEATURES);
    n->f = PLACE(RECON_F32, IMAGES, FEATURES);
    n->df = PLACE(RECON_F32, IMAGES, FEATURES);
    n->target = PLACE(RECON_F32, IMAGES, FEATURES);
    n->loss = PLACE(RECON_F32, 1);
    n->one = PLACE(RECON_F32, 1);
    recon_tensor *own[] = { &n->bias, &n->scale, &n->shift, &n->mean,
                            &n->inv,  &n->rm,    &n->rv,    &n->ds };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        *own[i] = PLACE(RECON_F32, FEATURES);
    n->state = constant(n, &(recon_adam_state){ 0.01, 0.1, 0.01 }, sizeof(recon_adam_state));
    n->norm = constant(n, &(double){ 0 }, sizeof(double));
    n->counter = constant(n, &(uint64_t){ 7 }, sizeof(uint64_t));
}

static void run_step(network *n)
{
    recon_ctx *ctx = n->ctx;
    const recon_ops *ops = n->ops;
    recon_conv_args conv = { .stride = 1,
                             .pad = 1,
                             .relu = 1,
                             .y = n->a,
                             .x = n->x,
                             .w = n->w,
                             .bias = n->bias,
                             .dy = n->da,
                             .dw = n->dw };
    recon_norm_args norm = { .field = 1,
                             .training = 1,
                             .eps = 1e-5,
                             .momentum = 0.1,
                             .y = n->b,
                             .x = n->a,
                             .scale = n->scale,
                             .shift = n->shift,
                             .running_mean = n->rm,
                             .running_var = n->rv,
                             .mean = n->mean,
                             .inv = n->inv,
                             .dy = n->db,
                             .dx = n->da,
                             .dscale = n->ds,
                             .dshift = n->ds };
    recon_pool_args pool = {
        .size = 2, .stride = 2, .y = n->c, .x = n->b, .dy = n->dc, .dx = n->db
    };
    recon_dropout_args drop = {
        .rate = 0.2, .seed = 1, .counter = n->counter, .y = n->d, .x = n->c
    };
    recon_reduce_args mean = { .outer = IMAGES,
                               .middle = HALF * HALF,
                               .inner = FEATURES,
                               .scale = 1.0 / (HALF * HALF),
                               .y = n->e,
                               .x = n->d,
                               .dy = n->de,
                               .dx = n->dd };
    recon_loss_args loss = { .kind = RECON_LOSS_MSE,
                             .loss = n->loss,
                             .x = n->f,
                             .target = n->target,
                             .dloss = n->one,
                             .dx = n->df };
    recon_adam_args adam = { .n = WEIGHTS,
                             .b1 = 0.9,
                             .b2 = 0.99,
                             .eps = 1e-8,
                             .clip = 1,
                             .state = n->state,
                             .grad_norm = n->norm,
                             .w = n->master.data,
                             .g = n->dw.data,
                             .m = n->moments.data,
                             .v = (float *)n->moments.data + WEIGHTS,
                             .bf16 = n->w.data,
                             .type = RECON_F32 };
    CHECK_OK(ctx, ops->conv(ctx, &conv));
    CHECK_OK(ctx, ops->norm(ctx, &norm));
    CHECK_OK(ctx, ops->pool(ctx, &pool));
    CHECK_OK(ctx, ops->dropout(ctx, &drop));
    CHECK_OK(ctx, ops->reduce(ctx, &mean));
    CHECK_OK(ctx, ops->add(ctx, &(recon_add_args){ .alpha = 1, .y = n->f, .a = n->e }));
    CHECK_OK(ctx, ops->loss(ctx, &loss));
    CHECK_OK(ctx, ops->loss_back(ctx, &loss));
    CHECK_OK(ctx, ops->add(ctx, &(recon_add_args){ .alpha = 1, .y = n->de, .a = n->df }));
    CHECK_OK(ctx, ops->reduce_back(ctx, &mean));
    drop.x = n->dd, drop.y = n->dc;
    CHECK_OK(ctx, ops->dropout(ctx, &drop));
    CHECK_OK(ctx, ops->pool_back(ctx, &pool));
    CHECK_OK(ctx, ops->norm_back(ctx, &norm));
    CHECK_OK(ctx, ops->conv_back(ctx, &conv));
    CHECK_OK(ctx, ops->norm2(ctx, n->norm, n->dw.data, WEIGHTS, RECON_F32));
    CHECK_OK(ctx, ops->adam(ctx, &adam));
}

/* Three steps, the last two of them replayed or run; the weights they end with. */
static void train(recon_ctx *ctx, float weights[WEIGHTS], int record)
{
    network n = { .ctx = ctx, .ops = recon_ops_of(ctx) };
    recon_graph *graph = NULL;
    build(&n);
    run_step(&n);
    if (record) {
        CHECK_OK(ctx, recon_graph_begin(ctx));
        run_step(&n);
        CHECK_OK(ctx, recon_graph_end(ctx, &graph));
    }
    for (int i = 0; i < 2; i++)
        if (record)
            CHECK_OK(ctx, recon_graph_launch(ctx, graph));
        else
            run_step(&n);
    CHECK_OK(ctx, n.ops->download(ctx, weights, n.master.data, WEIGHTS * sizeof *weights));
    recon_graph_free(ctx, graph);
    while (n.taken > 0)
        n.ops->release(ctx, n.blocks[--n.taken]);
}

/* So sums have one order, and a graph reads its learning rate and counters where they lie. */
static void a_recorded_training_step_gives_the_same_bits(void **state)
{
    (void)state;
    static float before[WEIGHTS], plain[WEIGHTS], recorded[WEIGHTS];
    recon_ctx *one = gpu(), *two = gpu();
    if (!one || !two)
        skip();
    train(one, plain, 0);
    train(one, before, 0);
    train(two, recorded, 1);
    assert_memory_equal(plain, before, sizeof plain);
    assert_memory_equal(plain, recorded, sizeof plain);
    for (int i = 0; i < WEIGHTS; i++)
        assert_true(isfinite(plain[i]));
    recon_ctx_free(one);
    recon_ctx_free(two);
}

static void other_tables_say_that_they_cannot(void **state)
{
    recon_graph *graph = (recon_graph *)*state;
    CHECK_OK(*state, recon_ops_attach(*state, "ref"));
    CHECK_FAILS(*state, recon_graph_begin(*state), RECON_ERR_UNSUPPORTED, "ref cannot record");
    CHECK_FAILS(*state, recon_graph_end(*state, &graph), RECON_ERR_UNSUPPORTED, "cannot record");
    assert_true(graph == NULL);
    recon_graph_free(*state, NULL);
}

/* Without CUDA or without a GPU the message says which of the two is missing. */
static void a_missing_gpu_is_said(void **state)
{
    recon_ctx *ctx = gpu();
    if (ctx) {
        recon_ctx_free(ctx);
        skip();
    }
    CHECK_FAILS(*state, recon_ops_attach(*state, "cuda"), RECON_ERR_UNSUPPORTED, "backend cuda");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recorded_step_replays),
        cmocka_unit_test(a_recorded_training_step_gives_the_same_bits),
        cmocka_unit_test(other_tables_say_that_they_cannot),
        cmocka_unit_test(a_missing_gpu_is_said),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
