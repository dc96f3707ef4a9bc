/* Ranks with devices of their own, on 1 to 4 ranks under both MPIs, by way of the hosts: gradients become
 * their sum over ranks, through one fixed tree, and buffers their mean; the same bits at every rank. A
 * bucket of gradients is summed as soon as all of them are complete, and no sooner. */
#include "ranks.h"
#include "nn/params.h"
#include "nn/peers.h"
#include "nn/tape.h"

#include <recon/nn/layers.h>
#include <recon/ops/backend.h>
#include <string.h>

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
        recon_peers_begin(&peers, p);
        CHECK_OK(ctx, recon_peers_finish(ctx, &peers, p));
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

static void all_begin_with_the_weights_of_the_first(void **state)
{
    recon_ctx *ctx = *state;
    recon_params *p = params_of(ctx);
    float *weights = (float *)p->weights, *buffers = (float *)p->buffers;
    size_t rank = (size_t)recon_comm_rank(ctx);
    for (size_t i = 0; i < WEIGHTS; i++)
        weights[i] = number(rank, i);
    for (size_t i = 0; i < BUFFERS; i++)
        buffers[i] = number(rank, WEIGHTS + i);
    CHECK_OK(ctx, recon_ranks_weights(ctx, p));
    for (size_t i = 0; i < WEIGHTS; i++)
        assert_true(weights[i] == number(0, i));
    for (size_t i = 0; i < BUFFERS; i++)
        assert_true(buffers[i] == number(0, WEIGHTS + i));
    recon_params_free(ctx, p);
}

/* Of a batch that is shared out, every rank has its own rows, and then all. */
static void a_batch_is_made_whole(void **state)
{
    enum { THINGS = 20, EACH = 3 };
    recon_ctx *ctx = *state;
    recon_slices cut = recon_slices_of(ctx, THINGS);
    recon_tape *t;
    float x[THINGS * EACH];
    for (size_t i = 0; i < THINGS * EACH; i++)
        x[i] = number(9, i);
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 1));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    recon_tape_cut(t, &cut);
    recon_var own = recon_var_input(t, x + EACH * recon_slices_before(&cut), RECON_F32,
                                    (size_t[]){ recon_slices_here(&cut), EACH }, 2);
    recon_var all = recon_var_whole(t, own);
    CHECK_OK(ctx, recon_tape_status(t));
    assert_int_equal(all->value.shape[0], THINGS);
    assert_memory_equal(all->value.data, x, sizeof x);
    recon_tape_free(t);
}

/* --- buckets ---------------------------------------------------------------------------------- */

enum { ENTRIES = 9, ENTRY = 50000 };

static recon_params *many_params(recon_ctx *ctx)
{
    recon_params *p;
    recon_param *entry;
    char name[8];
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_SINGLE));
    for (int i = 0; i < ENTRIES; i++) {
        snprintf(name, sizeof name, "w%d", i);
        CHECK_OK(ctx, recon_params_add(ctx, &entry, p, name, (const size_t[]){ ENTRY }, 1,
                                       (recon_init){ RECON_INIT_CONSTANT, 0 }));
        CHECK_OK(ctx, recon_params_add_buffer(ctx, &entry, p, strcat(name, "b"),
                                              (const size_t[]){ BUFFERS }, 1, 0));
    }
    CHECK_OK(ctx, recon_params_make(ctx, p, 1));
    return p;
}

static void buckets_cover_the_block(void **state)
{
    recon_ctx *ctx = *state;
    recon_params *few = params_of(ctx), *many = many_params(ctx);
    recon_peers peers = { .size = 1 };
    recon_peers_begin(&peers, few);
    assert_int_equal(peers.buckets, 1); /* too little to be taken apart */
    assert_int_equal(peers.bucket[0].end, few->n_weights);
    recon_peers_begin(&peers, many);
    assert_true(peers.buckets > 1 && peers.buckets <= RECON_PEERS_BUCKETS);
    size_t waits = 0, at = 0;
    for (size_t i = 0; i < peers.buckets; i++) {
        assert_int_equal(peers.bucket[i].begin, at);
        assert_true(peers.bucket[i].end > at);
        at = peers.bucket[i].end;
        waits += peers.bucket[i].waits;
    }
    assert_int_equal(at, many->n_weights);
    assert_int_equal(waits, ENTRIES);
    recon_params_free(ctx, few);
    recon_params_free(ctx, many);
}

/* Rank r has r + 1 everywhere: is a bucket the sum over ranks (or still this rank's own)? */
static int is_summed(recon_ctx *ctx, const recon_params *p, const recon_bucket *b)
{
    int rank = recon_comm_rank(ctx), size = recon_comm_size(ctx);
    const float *x = (const float *)p->gradients;
    int summed = x[b->begin] == (float)(size * (size + 1) / 2);
    for (size_t i = b->begin; i < b->end; i++)
        assert_true(x[i] == (float)(summed ? size * (size + 1) / 2 : rank + 1));
    return summed;
}

/* As a way back tells of them: the last ones first. One is not reached. */
static void a_bucket_is_summed_when_it_is_complete(void **state)
{
    recon_ctx *ctx = *state;
    recon_params *p = many_params(ctx), *others = params_of(ctx);
    recon_peers peers;
    float *x = (float *)p->gradients;
    CHECK_OK(ctx, recon_peers_open(ctx, &peers));
    for (size_t i = 0; i < p->n_weights; i++)
        x[i] = (float)(recon_comm_rank(ctx) + 1);
    recon_peers_begin(&peers, p);
    CHECK_OK(ctx, recon_peers_ready(ctx, &peers, p, others->entry[0])); /* not one of them */
    for (size_t i = p->count; i-- > 1;) {
        CHECK_OK(ctx, recon_peers_ready(ctx, &peers, p, p->entry[i]));
        for (size_t k = 0; recon_comm_size(ctx) > 1 && k < peers.buckets; k++)
            assert_int_equal(is_summed(ctx, p, &peers.bucket[k]), peers.bucket[k].waits == 0);
    }
    for (size_t k = 1; k < peers.buckets; k++)
        assert_int_equal(peers.bucket[k].waits, 0);
    assert_int_equal(peers.bucket[0].waits, 1);
    CHECK_OK(ctx, recon_peers_finish(ctx, &peers, p));
    for (size_t k = 0; k < peers.buckets; k++)
        assert_true(is_summed(ctx, p, &peers.bucket[k]));
    recon_peers_close(&peers);
    recon_params_free(ctx, others);
    recon_params_free(ctx, p);
}

/* --- a network ---------------------------------------------------------------------------------- */

enum { WIDTH = 300, ITEMS = 4 };

typedef struct {
    recon_ctx *ctx;
    recon_peers peers;
    recon_params *params;
    recon_mlp mlp;
    size_t begun; /* buckets whose sum had begun before the last parameter was told of */
} net;

static recon_status tell(void *user, const recon_param *param)
{
    net *n = user;
    n->begun = 0;
    for (size_t i = 0; i < n->peers.buckets; i++)
        n->begun += n->peers.bucket[i].waits == 0;
    return recon_peers_ready(n->ctx, &n->peers, n->params, param);
}

/* The gradients of this rank's things, summed over ranks: at the end, or on the way. */
static void go_back(net *n, int on_the_way, float *out)
{
    float x[ITEMS * WIDTH], y[ITEMS * WIDTH] = { 0 };
    recon_tape *t;
    CHECK_OK(n->ctx, recon_tape_new(n->ctx, &t, RECON_SINGLE, 1));
    if (on_the_way)
        recon_tape_tell_ready(t, tell, n);
    CHECK_OK(n->ctx, recon_tape_begin(t, RECON_TRAIN, 0));
    for (size_t i = 0; i < ITEMS * WIDTH; i++) {
        recon_rng r = recon_rng_new(5 + (uint64_t)recon_comm_rank(n->ctx), i);
        x[i] = (float)recon_rng_normal(&r);
    }
    CHECK_OK(n->ctx, recon_params_clear_gradients(n->ctx, n->params));
    recon_peers_begin(&n->peers, n->params);
    recon_var in = recon_var_input(t, x, RECON_F32, (size_t[]){ ITEMS, WIDTH }, 2);
    recon_var target = recon_var_input(t, y, RECON_F32, (size_t[]){ ITEMS, WIDTH }, 2);
    recon_var loss = recon_var_mse(t, recon_mlp_apply(t, &n->mlp, in), target);
    CHECK_OK(n->ctx, recon_tape_backward(t, loss));
    CHECK_OK(n->ctx, recon_peers_finish(n->ctx, &n->peers, n->params));
    memcpy(out, n->params->gradients, n->params->n_weights * sizeof *out);
    recon_tape_free(t);
}

static void sums_on_the_way_are_those_at_the_end(void **state)
{
    net n = { .ctx = *state };
    CHECK_OK(n.ctx, recon_ops_attach(n.ctx, "ref"));
    CHECK_OK(n.ctx, recon_params_new(n.ctx, &n.params, RECON_SINGLE));
    CHECK_OK(n.ctx, recon_mlp_add(n.ctx, &n.mlp, n.params, "mlp",
                                  (size_t[]){ WIDTH, WIDTH, WIDTH, WIDTH, WIDTH }, 5, 0));
    CHECK_OK(n.ctx, recon_params_make(n.ctx, n.params, 3));
    CHECK_OK(n.ctx, recon_peers_open(n.ctx, &n.peers));
    size_t count = n.params->n_weights;
    float *end = malloc(count * sizeof *end), *way = malloc(count * sizeof *way);
    assert_true(end && way);
    go_back(&n, 0, end);
    go_back(&n, 1, way);
    assert_memory_equal(end, way, count * sizeof *end);
    assert_true(n.peers.buckets > 1);
    assert_int_equal(n.begun, n.peers.buckets - 1); /* the first layer's waits for the end */
    free(end);
    free(way);
    recon_peers_close(&n.peers);
    recon_params_free(n.ctx, n.params);
}

static int run_rank(void)
{
    const struct CMUnitTest laws[] = {
        cmocka_unit_test(gradients_add_up_and_buffers_are_averaged),
        cmocka_unit_test(all_begin_with_the_weights_of_the_first),
        cmocka_unit_test(a_batch_is_made_whole),
        cmocka_unit_test(a_bucket_is_summed_when_it_is_complete),
        cmocka_unit_test(sums_on_the_way_are_those_at_the_end),
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
        cmocka_unit_test_setup_teardown(gradients_add_up_and_buffers_are_averaged, check_setup,
                                        check_teardown),
        cmocka_unit_test_setup_teardown(buckets_cover_the_block, check_setup, check_teardown),
        cmocka_unit_test(under_openmpi),
        cmocka_unit_test(under_mpich),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
