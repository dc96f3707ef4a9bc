/* Sums over ranks between GPUs, with one rank: NCCL is there, joins, adds up, and can be recorded.
 * Without a GPU or without NCCL it is skipped. */
#include "check.h"
#include "ops/graph.h"
#include "ops/ops.h"
#include "ops/peers.h"

#include <recon/ops/backend.h>
#include <stdlib.h>

enum { N = 100000 };

static recon_ctx *open_ctx(const char *backend)
{
    recon_ctx *ctx = recon_ctx_new(NULL);
    unsigned char id[RECON_PEERS_ID];
    char card[RECON_PEERS_CARD];
    const recon_peer_table *peers =
        recon_ops_attach(ctx, backend) == RECON_OK ? recon_ops_peers(ctx) : NULL;
    recon_status status = peers ? peers->make_id(ctx, id) : RECON_ERR_UNSUPPORTED;
    if (status == RECON_ERR_UNSUPPORTED) {
        print_message("%s\n", recon_ctx_message(ctx));
        recon_ctx_free(ctx);
        return NULL;
    }
    CHECK_OK(ctx, status);
    CHECK_OK(ctx, peers->card(ctx, card));
    assert_true(card[0] != '\0');
    CHECK_OK(ctx, peers->join(ctx, id, 0, 1));
    return ctx;
}

/* A sum of one rank is what it was; four of them and one that is recorded and replayed twice. */
static void check_backend(const char *backend)
{
    static float x[N], got[N];
    recon_ctx *ctx = open_ctx(backend);
    if (!ctx)
        skip();
    const recon_ops *ops = recon_ops_of(ctx);
    const recon_peer_table *peers = recon_ops_peers(ctx);
    recon_graph *graph;
    void *there;
    for (size_t i = 0; i < N; i++)
        x[i] = (float)i / 7;
    CHECK_OK(ctx, ops->alloc(ctx, &there, sizeof x));
    CHECK_OK(ctx, ops->upload(ctx, there, x, sizeof x));
    for (int i = 0; i < 4; i++)
        CHECK_OK(ctx, peers->sum(ctx, there, N));
    CHECK_OK(ctx, peers->sums_end(ctx));
    CHECK_OK(ctx, recon_graph_begin(ctx));
    CHECK_OK(ctx, peers->sum(ctx, (float *)there + N / 2, N - N / 2));
    CHECK_OK(ctx, peers->sum(ctx, there, N / 2));
    CHECK_OK(ctx, peers->sums_end(ctx));
    CHECK_OK(ctx, recon_graph_end(ctx, &graph));
    for (int i = 0; i < 2; i++)
        CHECK_OK(ctx, recon_graph_launch(ctx, graph));
    CHECK_OK(ctx, ops->download(ctx, got, there, sizeof got));
    assert_memory_equal(got, x, sizeof x);
    recon_graph_free(ctx, graph);
    ops->release(ctx, there);
    recon_ctx_free(ctx);
}

static void one_rank_adds_up(void **state)
{
    (void)state;
    check_backend("cuda");
}

static void other_backends_have_no_peers(void **state)
{
    (void)state;
    recon_ctx *ctx = recon_ctx_new(NULL);
    CHECK_OK(ctx, recon_ops_attach(ctx, "cpu"));
    assert_null(recon_ops_peers(ctx));
    recon_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_rank_adds_up),
        cmocka_unit_test(other_backends_have_no_peers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
