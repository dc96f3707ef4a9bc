/* The classifier of molecules: its graph in closed form, what it does not see, its gradient, and
 * that it learns. */
#include "borders.h"
#include "scratch.h"
#include "backbone/gcn.h"

#include "gradients.h"
#include <recon/ops/backend.h>

enum { CLASSES = 5, EACH = 12, N = CLASSES * EACH, ATOMS = 7 };

/* Chains of 4 to 7 atoms, bonds of 1.3; conformers shake a little. */
typedef struct {
    float xyz[N][ATOMS][3];
    uint8_t z[ATOMS];
    recon_conformer list[N];
} chains;

static void make_chains(chains *c, uint64_t seed)
{
    recon_rng rng = recon_rng_new(seed, 0);
    float base[CLASSES][ATOMS][3];
    memset(c->z, 6, sizeof c->z);
    for (int m = 0; m < CLASSES; m++)
        for (int a = 0; a < ATOMS; a++) {
            recon_so3 r = recon_so3_haar(&rng);
            double step[3] = { a ? 1.3 : 0, 0, 0 };
            recon_so3_act(step, r, step);
            for (int k = 0; k < 3; k++)
                base[m][a][k] = (a ? base[m][a - 1][k] : 0) + (float)step[k];
        }
    for (int i = 0; i < N; i++) {
        int m = i % CLASSES;
        for (int k = 0; k < ATOMS * 3; k++)
            c->xyz[i][k / 3][k % 3] = base[m][k / 3][k % 3] + 0.03f * (float)recon_rng_normal(&rng);
        c->list[i] = (recon_conformer){
            .atoms = (size_t)(m % 4 + 4), .z = c->z, .xyz = c->xyz[i][0], .molecule = m
        };
    }
}

static recon_molecules *molecules_of(recon_ctx *ctx, const chains *c)
{
    recon_molecules *data = NULL;
    CHECK_OK(ctx, recon_molecules_make(ctx, &data, c->list, N, NULL));
    return data;
}

static recon_gcn *first_weights(recon_ctx *ctx, recon_precision precision, size_t width)
{
    recon_gcn *c = NULL;
    const recon_gcn_info info = {
        .radius = 2, .width = width, .hidden = width / 2 + 1, .classes = CLASSES
    };
    CHECK_OK(ctx, recon_gcn_make(ctx, &c, info, 0.1, precision, NULL, NULL, 3));
    return c;
}

/* --- the graph -------------------------------------------------------------------------------- */

/* Three atoms in a row along x: D^-1/2 (A + 1) D^-1/2, and features that cancel in the middle. */
static void a_row_of_three_has_a_known_graph(void **state)
{
    static const float xyz[3][3] = { { -1.5f, 0, 0 }, { 0, 0, 0 }, { 1.5f, 0, 0 } };
    static const uint8_t z[3] = { 1, 8, 1 };
    const recon_conformer one = { .atoms = 3, .z = z, .xyz = xyz[0] };
    const double cross = 1 / sqrt(6),
                 want[3][3] = { { 0.5, cross, 0 }, { cross, 1.0 / 3, cross }, { 0, cross, 0.5 } };
    const double x[3] = { sqrt(3), 0, -sqrt(3) }; /* of the harmonic x, towards neighbours */
    recon_molecules *data = NULL;
    recon_gcn_graphs *g = NULL;
    CHECK_OK(*state, recon_molecules_make(*state, &data, &one, 1, NULL));
    CHECK_OK(*state, recon_gcn_graphs_make(*state, &g, data, 2));
    assert_int_equal(g->n, 1);
    assert_int_equal(g->entry[3], 7);
    for (size_t a = 0; a < 3; a++) {
        double row[3] = { 0 }, feature[2] = { 0 };
        for (size_t e = g->entry[a]; e < g->entry[a + 1]; e++)
            row[g->index[e]] += (double)g->weight[e];
        for (size_t b = 0; b < 3; b++) {
            CHECK_NEAR(row[b], want[a][b], 1e-6);
            feature[0] += want[a][b];
            feature[1] += want[a][b] * x[b];
        }
        CHECK_NEAR(g->feature[a * RECON_HARMONICS], feature[0], 1e-6);
        CHECK_NEAR(g->feature[a * RECON_HARMONICS + 1], feature[1], 1e-6);
    }
    recon_gcn_graphs_free(g);
    recon_molecules_close(data);
}

/* --- what it does not see --------------------------------------------------------------------- */

/* Listed backwards and somewhere else. */
static void order_and_place_of_atoms_do_not_matter(void **state)
{
    static chains c, moved;
    static float logits[2][N * CLASSES];
    recon_gcn *gcn = first_weights(*state, RECON_SINGLE, 16);
    make_chains(&c, 1);
    make_chains(&moved, 1);
    for (int i = 0; i < N; i++)
        for (size_t a = 0; a < c.list[i].atoms; a++)
            for (int k = 0; k < 3; k++)
                moved.xyz[i][c.list[i].atoms - 1 - a][k] = c.xyz[i][a][k] + (float)(4 - k);
    for (int i = 0; i < 2; i++) {
        recon_molecules *data = molecules_of(*state, i ? &moved : &c);
        CHECK_OK(*state, recon_gcn_logits(*state, logits[i], gcn, data, NULL));
        recon_molecules_close(data);
    }
    for (int i = 0; i < N * CLASSES; i++)
        CHECK_NEAR(logits[1][i], logits[0][i], 2e-5);
    recon_gcn_close(*state, gcn);
}

/* Prepared, packed and asked of in blocks: conformer i is one of few, in any number of them. */
static void any_number_is_asked_of_alike(void **state)
{
    enum { MOST = BORDER_MOST(RECON_BLOCK_GRAPHS) };
    static const size_t block[] = { RECON_BLOCK_GRAPHS_TASK, RECON_BLOCK_GCN, RECON_BLOCK_GRAPHS };
    static recon_conformer list[MOST];
    static float few[N * CLASSES], all[MOST * CLASSES];
    static chains c;
    recon_gcn *gcn = first_weights(*state, RECON_SINGLE, 4);
    make_chains(&c, 1);
    recon_molecules *data = molecules_of(*state, &c);
    CHECK_OK(*state, recon_gcn_logits(*state, few, gcn, data, NULL));
    recon_molecules_close(data);
    for (size_t i = 0; i < MOST; i++)
        list[i] = c.list[i % N];
    for (size_t b = 0; b < 3; b++)
        for (int k = 0; k < BORDERS; k++) {
            size_t n = border(block[b], k);
            CHECK_OK(*state, recon_molecules_make(*state, &data, list, n, NULL));
            CHECK_OK(*state, recon_gcn_logits(*state, all, gcn, data, NULL));
            for (size_t i = 0; i < n * CLASSES; i++)
                CHECK_NEAR(all[i], few[i % (N * CLASSES)], 2e-5);
            recon_molecules_close(data);
        }
    recon_gcn_close(*state, gcn);
}

static void rotate_chains(chains *c, const recon_so3 *rotations)
{
    for (int i = 0; i < N * ATOMS; i++) {
        float *at = c->xyz[i / ATOMS][i % ATOMS];
        double v[3] = { at[0], at[1], at[2] };
        recon_so3_act(v, rotations[i / ATOMS], v);
        for (int k = 0; k < 3; k++)
            at[k] = (float)v[k];
    }
}

/* Rotating what was prepared is preparing what was rotated; and rotating does matter. */
static void rotated_features_are_those_of_rotated_molecules(void **state)
{
    static chains c;
    static float quick[N][CLASSES], anew[N][CLASSES], straight[N][CLASSES];
    recon_so3 rotations[N], backwards[N];
    int64_t which[N];
    recon_rng rng = recon_rng_new(5, 0);
    recon_gcn *gcn = first_weights(*state, RECON_SINGLE, 16);
    recon_gcn_graphs *graphs = NULL;
    double apart = 0;
    make_chains(&c, 2);
    for (int i = 0; i < N; i++) {
        which[i] = N - 1 - i;
        rotations[i] = backwards[N - 1 - i] = recon_so3_haar(&rng);
    }
    recon_molecules *data = molecules_of(*state, &c);
    rotate_chains(&c, rotations);
    recon_molecules *rotated = molecules_of(*state, &c);
    CHECK_OK(*state, recon_gcn_graphs_make(*state, &graphs, data, 2));
    CHECK_OK(*state, recon_gcn_logits_rotated(*state, quick[0], gcn, graphs, which, backwards, N));
    CHECK_OK(*state, recon_gcn_logits(*state, straight[0], gcn, data, NULL));
    CHECK_OK(*state, recon_gcn_logits(*state, anew[0], gcn, rotated, NULL));
    for (int i = 0; i < N; i++)
        for (int y = 0; y < CLASSES; y++) {
            CHECK_NEAR(quick[N - 1 - i][y], anew[i][y], 2e-5);
            apart = fmax(apart, fabs((double)anew[i][y] - (double)straight[i][y]));
        }
    CHECK_LESS(0.05, apart);
    recon_gcn_graphs_free(graphs);
    recon_molecules_close(rotated);
    recon_molecules_close(data);
    recon_gcn_close(*state, gcn);
}

/* --- gradient --------------------------------------------------------------------------------- */

typedef struct {
    const recon_gcn *gcn;
    const recon_gcn_batch *batch;
} network;

static recon_var doubles(recon_tape *t, const float *from, size_t n)
{
    double numbers[256];
    assert_true(n <= 256);
    for (size_t i = 0; i < n; i++)
        numbers[i] = (double)from[i];
    return recon_var_input(t, numbers, RECON_F64, &n, 1);
}

static recon_var ints(recon_tape *t, const int32_t *from, size_t n)
{
    return recon_var_input(t, from, RECON_I32, &n, 1);
}

static recon_var net_loss(recon_tape *t, void *user, const recon_var *x)
{
    const network *n = user;
    const recon_gcn_batch *b = n->batch;
    recon_var share = doubles(t, b->share, b->nodes);
    const recon_gcn_inputs in = {
        .feature = x[0],
        .adjacency = { ints(t, b->index, b->entries), doubles(t, b->weight, b->entries),
                       ints(t, b->offset, b->nodes + 1) },
        .pool = { ints(t, b->row, b->nodes), share, ints(t, b->start, b->n + 1) },
        .spread = { ints(t, b->owner, b->nodes), share, ints(t, b->single, b->nodes + 1) },
    };
    return recon_var_cross_entropy(t, recon_gcn_apply(t, n->gcn, &in), x[1]);
}

/* With rows that belong to no molecule behind, as in training. */
static void the_network_has_its_gradient(void **state)
{
    static chains c;
    enum { MOLECULES = 4 };
    double feature[64 * RECON_HARMONICS], error = 1;
    recon_ctx *ctx = recon_ctx_new(NULL);
    recon_gcn_graphs *graphs = NULL;
    recon_gcn_batch batch;
    (void)state;
    CHECK_OK(ctx, recon_ops_attach(ctx, "ref"));
    recon_gcn *gcn = first_weights(ctx, RECON_DOUBLE, 5);
    make_chains(&c, 3);
    recon_molecules *data = molecules_of(ctx, &c);
    CHECK_OK(ctx, recon_gcn_graphs_make(ctx, &graphs, data, 2));
    const recon_gcn_list list = { .n = MOLECULES };
    recon_gcn_size size = recon_gcn_size_of(graphs, &list);
    size.nodes += 3;
    size.entries += 5;
    CHECK_OK(ctx, recon_gcn_batch_make(ctx, &batch, MOLECULES, size));
    CHECK_OK(ctx, recon_gcn_batch_fill(ctx, &batch, graphs, &list));
    for (size_t i = 0; i < size.nodes * RECON_HARMONICS; i++)
        feature[i] = (double)batch.feature[i];
    const recon_check_input x[2] = {
        { .type = RECON_F64, .ndim = 2, .shape = { size.nodes, RECON_HARMONICS }, .data = feature },
        { .type = RECON_I32, .ndim = 1, .shape = { MOLECULES }, .data = batch.label }
    };
    CHECK_OK(ctx, recon_check_gradient(ctx, &error, net_loss, &(network){ gcn, &batch }, x, 2,
                                       gcn->params, RECON_TRAIN));
    CHECK_LESS(error, 1e-6);
    free(batch.block);
    recon_gcn_graphs_free(graphs);
    recon_molecules_close(data);
    recon_gcn_close(ctx, gcn);
    recon_ctx_free(ctx);
}

/* --- learning --------------------------------------------------------------------------------- */

static const recon_gcn_options tiny = { .width = 32, .epochs = 30, .batch = 12, .seed = 1 };

static void a_small_set_is_memorised(void **state)
{
    static chains c;
    static float logits[N][CLASSES];
    recon_train_result r;
    recon_gcn *gcn = NULL;
    double accuracy;
    make_chains(&c, 4);
    recon_molecules *data = molecules_of(*state, &c);
    CHECK_OK(*state, recon_gcn_train(*state, &r, data, data, scratch("gcn"), &tiny));
    CHECK_NEAR(r.best, 0, 0);
    assert_int_equal(r.steps, 30 * (N / 12));
    CHECK_OK(*state, recon_gcn_open(*state, &gcn, scratch("gcn")));
    CHECK_OK(*state, recon_gcn_accuracy(*state, &accuracy, gcn, data));
    CHECK_NEAR(accuracy, 1, 0);
    recon_gcn_info info = recon_gcn_describe(gcn);
    assert_int_equal(info.width, 32);
    assert_int_equal(info.hidden, 64);
    assert_int_equal(info.classes, CLASSES);
    assert_int_equal(info.weights,
                     16 * 32 + 32 + 2 * (32 * 32 + 32) + 32 * 64 + 64 + 64 * CLASSES + CLASSES);
    CHECK_NEAR(info.radius, 2, 0);
    CHECK_OK(*state, recon_gcn_logits(*state, logits[0], gcn, data, NULL));
    for (int i = 0; i < N; i++)
        for (int y = 0; y < CLASSES; y++)
            assert_true(logits[i][y] <= logits[i][i % CLASSES]);
    recon_gcn_close(*state, gcn);
    recon_molecules_close(data);
}

/* The same bits on one thread and on three. */
static void threads_do_not_matter(void **state)
{
    static chains c;
    static float logits[2][N][CLASSES];
    recon_train_result r;
    recon_gcn_options o = tiny;
    (void)state;
    o.epochs = 2;
    o.overwrite = 1;
    make_chains(&c, 5);
    for (int i = 0; i < 2; i++) {
        recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = i ? 3 : 1 });
        recon_gcn *gcn = NULL;
        recon_molecules *data = molecules_of(ctx, &c);
        CHECK_OK(ctx, recon_gcn_train(ctx, &r, data, data, scratch("threads"), &o));
        CHECK_OK(ctx, recon_gcn_open(ctx, &gcn, scratch("threads")));
        CHECK_OK(ctx, recon_gcn_logits(ctx, logits[i][0], gcn, data, NULL));
        recon_gcn_close(ctx, gcn);
        recon_molecules_close(data);
        recon_ctx_free(ctx);
    }
    assert_memory_equal(logits[0], logits[1], sizeof logits[0]);
}

static void nonsense_is_refused(void **state)
{
    static chains c;
    static float logits[N][CLASSES];
    recon_train_result r;
    recon_gcn *gcn = first_weights(*state, RECON_SINGLE, 8), *none = NULL;
    recon_gcn_graphs *graphs = NULL;
    int64_t which = N;
    recon_so3 rotation = { NAN, 0, 0, 0 };
    make_chains(&c, 6);
    recon_molecules *data = molecules_of(*state, &c), *fewer = NULL;
    CHECK_FAILS(*state, recon_gcn_graphs_make(*state, &graphs, data, -1), RECON_ERR_INPUT,
                "a radius of -1");
    CHECK_OK(*state, recon_gcn_graphs_make(*state, &graphs, data, 2));
    CHECK_FAILS(*state, recon_gcn_logits_rotated(*state, logits[0], gcn, graphs, &which, NULL, 1),
                RECON_ERR_INPUT, "conformer 60, of 60");
    CHECK_FAILS(*state,
                recon_gcn_logits_rotated(*state, logits[0], gcn, graphs, NULL, &rotation, 1),
                RECON_ERR_INPUT, "rotation 0");
    recon_gcn_graphs_free(graphs);
    CHECK_OK(*state, recon_gcn_graphs_make(*state, &graphs, data, 1.5));
    CHECK_FAILS(*state, recon_gcn_logits_rotated(*state, logits[0], gcn, graphs, NULL, NULL, 1),
                RECON_ERR_INPUT, "radius 1.5, but the classifier was made for 2");
    CHECK_FAILS(*state,
                recon_gcn_train(*state, &r, data, data, NULL, &(recon_gcn_options){ .batch = 61 }),
                RECON_ERR_INPUT, "do not fill a batch of 61");
    CHECK_OK(*state, recon_molecules_make(*state, &fewer, c.list, 3, NULL));
    CHECK_FAILS(*state, recon_gcn_train(*state, &r, data, fewer, NULL, &tiny), RECON_ERR_INPUT,
                "of 3 molecules held out of a set of 5");
    CHECK_FAILS(*state, recon_gcn_open(*state, &none, scratch("missing")), RECON_ERR_IO, "missing");
    recon_molecules_close(fewer);
    recon_gcn_graphs_free(graphs);
    recon_molecules_close(data);
    recon_gcn_close(*state, gcn);
}

static void memory_may_run_out(void **state)
{
    static chains c;
    static float logits[N][CLASSES];
    recon_ctx *ctx = *state;
    recon_gcn *gcn = first_weights(ctx, RECON_SINGLE, 8);
    make_chains(&c, 7);
    recon_molecules *data = molecules_of(ctx, &c);
    CHECK_ALLOCATIONS(ctx, recon_gcn_logits(ctx, logits[0], gcn, data, NULL));
    recon_molecules_close(data);
    recon_gcn_close(ctx, gcn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_of_three_has_a_known_graph),
        cmocka_unit_test(order_and_place_of_atoms_do_not_matter),
        cmocka_unit_test(any_number_is_asked_of_alike),
        cmocka_unit_test(rotated_features_are_those_of_rotated_molecules),
        cmocka_unit_test(the_network_has_its_gradient),
        cmocka_unit_test(a_small_set_is_memorised),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
