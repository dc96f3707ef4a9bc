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
        cmocka_unit_test(other_tables_say_that_they_cannot),
        cmocka_unit_test(a_missing_gpu_is_said),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
