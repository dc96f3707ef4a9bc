/* Steerable messages: one layer is e3nn's, gates and norms are what they say, the network rotates
 * with its directions, does not see mirror images unless asked to, and its gradients are right. */
#include "check.h"

#include <recon/group/harmonics.h>
#include "harmonics.h"
#include "gradients.h"
#include <recon/nn/segnn.h>
#include <recon/ops/backend.h>
#include <stdlib.h>
#include "group/e3nn_vectors.h"

/* --- two molecules, all atoms neighbours of each other ---------------------------------------- */

enum { FIRST = 4, NODES = 7, EDGES = 4 * 3 + 3 * 2 };
static const int32_t SEGMENT[3] = { 0, FIRST, NODES };

typedef struct {
    double place[NODES][3];
    int32_t source[EDGES], target[EDGES], ascending[EDGES], order[EDGES], offset[NODES + 1];
    double harmonics[EDGES][16], square[EDGES], attribute[NODES][16];
    recon_segnn *net;
} toy;

static void add_edge(toy *g, size_t e, size_t s, size_t t)
{
    double v[3];
    g->source[e] = (int32_t)s;
    g->target[e] = (int32_t)t;
    g->ascending[e] = (int32_t)e;
    g->square[e] = 0;
    for (int k = 0; k < 3; k++) {
        v[k] = g->place[s][k] - g->place[t][k];
        g->square[e] += v[k] * v[k];
    }
    recon_harmonics_row(g->harmonics[e], v);
    for (int k = 0; k < 16; k++)
        g->attribute[t][k] += g->harmonics[e][k] / (t < FIRST ? FIRST - 1 : NODES - FIRST - 1);
}

static void connect(toy *g)
{
    size_t e = 0, listed = 0;
    memset(g->attribute, 0, sizeof g->attribute);
    for (size_t t = 0; t < NODES; t++) {
        g->offset[t] = (int32_t)e;
        for (size_t s = 0; s < NODES; s++)
            if (s != t && (s < FIRST) == (t < FIRST))
                add_edge(g, e++, s, t);
    }
    g->offset[NODES] = (int32_t)e;
    for (size_t s = 0; s < NODES; s++)
        for (e = 0; e < EDGES; e++)
            if (g->source[e] == (int32_t)s)
                g->order[listed++] = (int32_t)e;
}

static void scatter(toy *g, uint64_t stream)
{
    recon_rng rng = recon_rng_new(5, stream);
    for (int i = 0; i < 3 * NODES; i++)
        g->place[i / 3][i % 3] = recon_rng_normal(&rng);
    connect(g);
}

static recon_var ints(recon_tape *t, const int32_t *x, size_t n)
{
    return recon_var_input(t, x, RECON_I32, &n, 1);
}

static recon_var rows(recon_tape *t, const void *x, size_t n, size_t cols)
{
    return recon_var_input(t, x, RECON_F64, (const size_t[]){ n, cols }, 2);
}

static recon_segnn_graph graph_of(recon_tape *t, const toy *g)
{
    recon_var offset = ints(t, g->offset, NODES + 1);
    return (recon_segnn_graph){ .source = ints(t, g->source, EDGES),
                                .target = ints(t, g->target, EDGES),
                                .offset = offset,
                                .ascending = ints(t, g->ascending, EDGES),
                                .order = ints(t, g->order, EDGES),
                                .order_of = offset,
                                .harmonics = rows(t, g->harmonics, EDGES, 16),
                                .square = rows(t, g->square, EDGES, 1),
                                .attribute = rows(t, g->attribute, NODES, 16),
                                .segment = ints(t, SEGMENT, 3) };
}

static recon_var run_net(recon_tape *t, void *user, const recon_var *x)
{
    const toy *g = user;
    recon_segnn_graph graph = graph_of(t, g);
    return recon_segnn_apply(t, g->net, x[0], &graph);
}

static const recon_segnn_shape SMALL = { .inputs = { { 2, 1, 0, 0 } },
                                         .hidden = { { 3, 2, 2, 1 } },
                                         .layers = 2 };

static double *noise(size_t n, uint64_t stream)
{
    double *x = malloc(n * sizeof *x);
    recon_rng rng = recon_rng_new(11, stream);
    for (size_t i = 0; i < n; i++)
        x[i] = recon_rng_normal(&rng);
    return x;
}

typedef struct {
    recon_params *params;
    recon_segnn net;
} model;

static model *model_new(recon_ctx *ctx, const recon_segnn_shape *shape)
{
    model *m = malloc(sizeof *m);
    CHECK_OK(ctx, recon_params_new(ctx, &m->params, RECON_DOUBLE));
    CHECK_OK(ctx, recon_segnn_add(ctx, &m->net, m->params, "net", shape));
    CHECK_OK(ctx, recon_params_make(ctx, m->params, 3));
    return m;
}

static void model_free(recon_ctx *ctx, model *m)
{
    recon_segnn_free(&m->net);
    recon_params_free(ctx, m->params);
    free(m);
}

static double *answer(recon_ctx *ctx, model *m, toy *g, const double *x)
{
    double *y = malloc(NODES * recon_irreps_dim(&m->net.shape.hidden) * sizeof *y);
    recon_tape *t;
    g->net = &m->net;
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_DOUBLE, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    recon_var in = rows(t, x, NODES, recon_irreps_dim(&m->net.shape.inputs));
    CHECK_OK(ctx, recon_var_read(t, y, run_net(t, g, &in)));
    recon_tape_free(t);
    return y;
}

/* --- one layer -------------------------------------------------------------------------------- */

/* e3nn's weights lie by (l1, l2, l3), each [in][out]; ours by l3, each [out][l1, l2, in]. Returns
 * how many there are. */
static size_t weights_of_e3nn(double *w, const recon_irreps *irreps, const recon_couple_plan *plan)
{
    size_t at = 0, filled[RECON_DEGREES] = { 0 };
    for (size_t path = 0; path < 64; path++) {
        size_t l1 = path / 16, l2 = path / 4 % 4, l3 = path % 4, begin = 0;
        if (l3 + l1 < l2 || l3 + l2 < l1 || l3 > l1 + l2 || (l1 + l2 + l3) % 2)
            continue;
        for (size_t l = 0; l < l3; l++)
            begin += irreps->mul[l] * recon_couple_plan_columns(plan, l);
        for (size_t u = 0; u < irreps->mul[l1]; u++)
            for (size_t o = 0; o < irreps->mul[l3]; o++)
                w[begin + o * recon_couple_plan_columns(plan, l3) + filled[l3] + u] =
                    sin(0.1 * (double)at++);
        filled[l3] += irreps->mul[l1];
    }
    return at;
}

static void one_layer_is_that_of_e3nn(void **state)
{
    recon_ctx *ctx = *state;
    const recon_irreps irreps = { { 4, 3, 2, 1 } };
    enum { DIM = 30, WEIGHTS = 130 };
    double x[DIM], attr[16], w[WEIGHTS], y[DIM];
    recon_couple_plan *plan;
    recon_tape *t;
    for (int i = 0; i < DIM; i++)
        x[i] = cos(0.3 * i);
    recon_harmonics_row(attr, e3nn_direction + 9);
    CHECK_OK(ctx, recon_couple_plan_make(ctx, &plan, &irreps, &irreps, 1));
    assert_int_equal(recon_couple_plan_weights(plan), WEIGHTS);
    assert_int_equal(weights_of_e3nn(w, &irreps, plan), WEIGHTS);
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_DOUBLE, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    const size_t weights = WEIGHTS;
    recon_var v = recon_var_couple(t, rows(t, x, 1, DIM), rows(t, attr, 1, 16),
                                   recon_var_input(t, w, RECON_F64, &weights, 1), NULL, plan);
    CHECK_OK(ctx, recon_var_read(t, y, v));
    for (size_t l = 0; l < 4; l++)
        for (size_t i = recon_irreps_begin(&irreps, l); i < recon_irreps_begin(&irreps, l + 1); i++)
            CHECK_NEAR(y[i] * e3nn_layer_scale[l], e3nn_layer[i], 1e-13);
    recon_tape_free(t);
    recon_couple_plan_free(plan);
}

/* --- parts ------------------------------------------------------------------------------------ */

static const recon_irreps PARTS[] = { { { 2, 1, 0, 1 } }, { { 1, 1, 0, 0 } } };

static void joining_puts_degrees_together(void **state)
{
    recon_ctx *ctx = *state;
    double a[12], b[4], y[16];
    recon_tape *t;
    for (int i = 0; i < 12; i++)
        a[i] = i, b[i % 4] = 100 + i % 4;
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_DOUBLE, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    const recon_var parts[] = { rows(t, a, 1, 12), rows(t, b, 1, 4) };
    CHECK_OK(ctx, recon_var_read(t, y, recon_var_irreps_join(t, parts, PARTS, 2)));
    const double want[] = { 0, 1, 100, 2, 3, 4, 101, 102, 103, 5, 6, 7, 8, 9, 10, 11 };
    for (int i = 0; i < 16; i++)
        assert_true(y[i] == want[i]);
    recon_tape_free(t);
}

static void gates_open_their_channels(void **state)
{
    recon_ctx *ctx = *state;
    const recon_irreps out = { { 1, 1, 1, 0 } };
    const double x[11] = { 0.7, -0.4, 1.3, 1, 2, 3, 4, 5, 6, 7, 8 };
    double y[9], vector = 1.8462285453 / (1 + exp(0.4)), tensor = 1.8462285453 / (1 + exp(-1.3));
    recon_tape *t;
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_DOUBLE, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    CHECK_OK(ctx, recon_var_read(t, y, recon_var_activate(t, rows(t, x, 1, 11), &out)));
    CHECK_NEAR(y[0], 1.6765324703 * 0.7 / (1 + exp(-0.7)), 1e-14);
    for (int k = 0; k < 8; k++)
        CHECK_NEAR(y[1 + k], (k < 3 ? vector : tensor) * (k + 1), 1e-13);
    recon_tape_free(t);
}

/* The factors: mean squares of SiLU and sigmoid of a normal number, by the trapezoid rule. */
static void gates_keep_the_variance(void **state)
{
    (void)state;
    double silu = 0, sigmoid = 0, h = 1e-3;
    for (double z = -12; z <= 12; z += h) {
        double p = h * exp(-z * z / 2) / sqrt(2 * M_PI), s = 1 / (1 + exp(-z));
        silu += p * z * s * z * s;
        sigmoid += p * s * s;
    }
    CHECK_NEAR(1.6765324703 * 1.6765324703 * silu, 1, 1e-9);
    CHECK_NEAR(1.8462285453 * 1.8462285453 * sigmoid, 1, 1e-9);
}

static recon_var join_and_activate(recon_tape *t, void *user, const recon_var *x)
{
    (void)user; /* three scalars in all: the gates of two vectors and of one of degree 3 */
    return recon_var_activate(t, recon_var_irreps_join(t, x, PARTS, 2),
                              &(recon_irreps){ { 0, 2, 0, 1 } });
}

static void parts_have_right_gradients(void **state)
{
    recon_ctx *ctx = *state;
    double *a = noise(3 * 12, 1), *b = noise(3 * 4, 2), error;
    const recon_check_input in[] = {
        { .type = RECON_F64, .ndim = 2, .shape = { 3, 12 }, .data = a },
        { .type = RECON_F64, .ndim = 2, .shape = { 3, 4 }, .data = b },
    };
    CHECK_OK(ctx,
             recon_check_gradient(ctx, &error, join_and_activate, NULL, in, 2, NULL, RECON_TRAIN));
    CHECK_LESS(error, 1e-8);
    free(a), free(b);
}

/* Over the nodes of each molecule scalars have mean 0, and all channels mean square 1. */
static void norms_make_unit_channels(void **state)
{
    recon_ctx *ctx = *state;
    const recon_irreps irreps = { { 2, 0, 1, 2 } };
    enum { DIM = 2 + 5 + 14 };
    double *x = noise(NODES * DIM, 4), y[NODES * DIM];
    recon_irreps_norm norm;
    recon_params *params;
    recon_tape *t;
    CHECK_OK(ctx, recon_params_new(ctx, &params, RECON_DOUBLE));
    CHECK_OK(ctx, recon_irreps_norm_add(ctx, &norm, params, "norm", &irreps));
    CHECK_OK(ctx, recon_params_make(ctx, params, 0));
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_DOUBLE, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    CHECK_OK(ctx, recon_var_read(t, y,
                                 recon_irreps_norm_apply(t, &norm, rows(t, x, NODES, DIM),
                                                         ints(t, SEGMENT, 3))));
    static const size_t begin[] = { 0, 1, 2, 7, 14, 21 };
    for (size_t c = 0; c < 5; c++)
        for (size_t s = 0; s < 2; s++) {
            double sum = 0, square = 0, n = SEGMENT[s + 1] - SEGMENT[s];
            for (int32_t r = SEGMENT[s]; r < SEGMENT[s + 1]; r++)
                for (size_t i = begin[c]; i < begin[c + 1]; i++) {
                    sum += y[(size_t)r * DIM + i];
                    square += y[(size_t)r * DIM + i] * y[(size_t)r * DIM + i];
                }
            if (c < 2)
                CHECK_NEAR(sum, 0, 1e-12);
            CHECK_NEAR(square / n / (double)(begin[c + 1] - begin[c]), 1, 1e-3); /* eps */
        }
    recon_tape_free(t);
    recon_params_free(ctx, params);
    free(x);
}

/* --- the network ------------------------------------------------------------------------------ */

static void rotate_places(toy *g, recon_so3 r, double mirror)
{
    for (int i = 0; i < NODES; i++) {
        for (int k = 0; k < 3; k++)
            g->place[i][k] *= mirror;
        recon_so3_act(g->place[i], r, g->place[i]);
        for (int k = 0; k < 3; k++)
            g->place[i][k] += 3 - k;
    }
    connect(g);
}

/* Rotates rows, and multiplies degree l by (-1)^l where they are mirrored too. */
static void rotate_rows(recon_ctx *ctx, double *x, const recon_irreps *irreps, recon_so3 r,
                        double mirror)
{
    size_t dim = recon_irreps_dim(irreps);
    CHECK_OK(ctx, recon_irreps_rotate(ctx, x, x, NODES, irreps, r));
    for (size_t l = 1; l < 4; l += 2)
        for (size_t i = 0; i < NODES; i++)
            for (size_t k = recon_irreps_begin(irreps, l); k < recon_irreps_begin(irreps, l + 1);
                 k++)
                x[i * dim + k] *= mirror;
}

/* The largest difference between the network of rotated places and what it said, rotated. */
static double rotation_error(recon_ctx *ctx, int chiral, double mirror)
{
    recon_segnn_shape shape = SMALL;
    shape.chiral = chiral;
    model *m = model_new(ctx, &shape);
    recon_rng rng = recon_rng_new(9, 0);
    recon_so3 r = recon_so3_haar(&rng);
    toy g;
    size_t count = NODES * recon_irreps_dim(&shape.hidden);
    double *x = noise(NODES * recon_irreps_dim(&shape.inputs), 6), worst = 0;
    scatter(&g, 1);
    double *y = answer(ctx, m, &g, x);
    rotate_places(&g, r, mirror);
    rotate_rows(ctx, x, &shape.inputs, r, mirror);
    rotate_rows(ctx, y, &shape.hidden, r, mirror);
    double *got = answer(ctx, m, &g, x);
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, fabs(got[i] - y[i]));
    free(x), free(y), free(got);
    model_free(ctx, m);
    return worst;
}

static void the_network_rotates_with_its_places(void **state)
{
    CHECK_LESS(rotation_error(*state, 0, 1), 1e-11);
    CHECK_LESS(rotation_error(*state, 1, 1), 1e-11);
}

static void mirror_images_are_seen_when_asked_for(void **state)
{
    CHECK_LESS(rotation_error(*state, 0, -1), 1e-11);
    CHECK_LESS(1e-2, rotation_error(*state, 1, -1));
}

static void molecules_do_not_hear_each_other(void **state)
{
    recon_ctx *ctx = *state;
    model *m = model_new(ctx, &SMALL);
    toy g, other;
    size_t dim = recon_irreps_dim(&SMALL.hidden);
    double *x = noise(NODES * recon_irreps_dim(&SMALL.inputs), 7);
    scatter(&g, 2);
    scatter(&other, 3);
    memcpy(other.place, g.place, FIRST * sizeof *g.place); /* the first stays, the second moves */
    connect(&other);
    double *y = answer(ctx, m, &g, x), *z = answer(ctx, m, &other, x);
    assert_memory_equal(y, z, FIRST * dim * sizeof *y);
    assert_true(memcmp(y + FIRST * dim, z + FIRST * dim, (NODES - FIRST) * dim * sizeof *y));
    free(x), free(y), free(z);
    model_free(ctx, m);
}

static void gradients_are_differences(void **state)
{
    recon_ctx *ctx = *state;
    const recon_segnn_shape shape = {
        .inputs = { { 2, 1, 0, 0 } }, .hidden = { { 2, 1, 1, 1 } }, .layers = 1, .chiral = 1
    };
    model *m = model_new(ctx, &shape);
    toy g;
    double *x = noise(NODES * 5, 8), error;
    const recon_check_input in = { .type = RECON_F64, .ndim = 2, .shape = { NODES, 5 }, .data = x };
    scatter(&g, 4);
    g.net = &m->net;
    CHECK_OK(ctx, recon_check_gradient(ctx, &error, run_net, &g, &in, 1, m->params, RECON_TRAIN));
    CHECK_LESS(error, 1e-7);
    free(x);
    model_free(ctx, m);
}

/* Counted by hand, path by path. */
static void the_papers_layer_has_its_weights(void **state)
{
    recon_ctx *ctx = *state;
    const recon_segnn_shape shape = { .inputs = { { 5, 0, 0, 0 } },
                                      .hidden = { { 100, 64, 16, 8 } },
                                      .layers = 1 };
    model *m = model_new(ctx, &shape);
    size_t biases = 100 + 3 * 188 + 100, norms = 188 + 100, embedding = 5 * 188;
    assert_int_equal(recon_params_count(m->params), 335380 + biases + norms + embedding);
    model_free(ctx, m);
}

static void misfits_are_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_segnn_shape shape = SMALL;
    recon_params *params;
    recon_segnn net;
    recon_tape *t;
    CHECK_OK(ctx, recon_params_new(ctx, &params, RECON_DOUBLE));
    shape.layers = RECON_SEGNN_LAYERS + 1;
    CHECK_FAILS(ctx, recon_segnn_add(ctx, &net, params, "net", &shape), RECON_ERR_INPUT,
                "net: 33 layers: at most 32");
    recon_segnn_free(&net);
    shape.layers = 1, shape.inputs = (recon_irreps){ { 0 } };
    CHECK_FAILS(ctx, recon_segnn_add(ctx, &net, params, "net", &shape), RECON_ERR_INPUT, "input");
    recon_segnn_free(&net);
    recon_params_free(ctx, params);
    double x[12] = { 0 };
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_DOUBLE, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    recon_var_activate(t, rows(t, x, 1, 12), &PARTS[0]);
    CHECK_FAILS(ctx, recon_tape_status(t), RECON_ERR_INPUT, "gates of 2x0+1x1+1x3");
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    const recon_var parts[] = { rows(t, x, 1, 12), rows(t, x, 1, 5) };
    recon_var_irreps_join(t, parts, PARTS, 2);
    CHECK_FAILS(ctx, recon_tape_status(t), RECON_ERR_INPUT, "1 x 5");
    recon_tape_free(t);
}

static int setup(void **state)
{
    return check_setup(state) || recon_ops_attach(*state, "ref") != RECON_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_layer_is_that_of_e3nn),
        cmocka_unit_test(joining_puts_degrees_together),
        cmocka_unit_test(gates_open_their_channels),
        cmocka_unit_test(gates_keep_the_variance),
        cmocka_unit_test(parts_have_right_gradients),
        cmocka_unit_test(norms_make_unit_channels),
        cmocka_unit_test(the_network_rotates_with_its_places),
        cmocka_unit_test(mirror_images_are_seen_when_asked_for),
        cmocka_unit_test(molecules_do_not_hear_each_other),
        cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(the_papers_layer_has_its_weights),
        cmocka_unit_test(misfits_are_said),
    };
    return cmocka_run_group_tests(tests, setup, check_teardown);
}
