/* Every operation on the tape: its gradient in double, its refusals, its memory. */
#include "borders.h"
#include "check.h"
#include "core/fail.h"
#include "core/memory.h"
#include "nn/tape.h"
#include "group/so3/fisher.h"

#include <recon/group/so3.h>
#include "gradients.h"
#include <recon/nn/layers.h>
#include <stdlib.h>
#include <string.h>

static int setup(void **state)
{
    return check_setup(state) || recon_ops_attach(*state, "ref") != RECON_OK;
}

#define MANY 4096
static double random_numbers[MANY];
static const double *numbers(uint64_t stream)
{
    recon_rng rng = recon_rng_new(11, stream);
    for (int i = 0; i < MANY; i++)
        random_numbers[i] = recon_rng_normal(&rng);
    return random_numbers;
}

#define REAL(at, ...)                                                                              \
    {                                                                                              \
        .type = RECON_F64, .ndim = sizeof((size_t[]){ __VA_ARGS__ }) / sizeof(size_t),             \
        .shape = { __VA_ARGS__ }, .data = random_numbers + (at)                                    \
    }
#define INDEX(array, n)                                                                            \
    {                                                                                              \
        .type = RECON_I32, .ndim = 1, .shape = { n }, .data = (array)                              \
    }

/* --- one operation after the other ------------------------------------------------------------ */

static const int32_t labels[] = { 2, 0, 1 };
static const int32_t ids[] = { 1, 0, 2, 1, 1 }, order[] = { 1, 0, 3, 4, 2 };
static const int32_t starts[] = { 0, 1, 4, 5 }, graph[] = { 0, 2, 2, 5 };

#define OP(name, expression)                                                                       \
    static recon_var name(recon_tape *t, void *user, const recon_var *x)                           \
    {                                                                                              \
        (void)user;                                                                                \
        return expression;                                                                         \
    }
OP(op_conv, recon_var_conv(t, x[0], x[1], x[2], &(recon_conv_options){ .stride = 2, .pad = 1 }))
OP(op_conv_relu, recon_var_conv(t, x[0], x[1], NULL, &(recon_conv_options){ .relu = 1 }))
OP(op_linear, recon_var_linear(t, x[0], x[1], x[2]))
OP(op_relu, recon_var_relu(t, x[0]))
OP(op_silu, recon_var_silu(t, x[0]))
OP(op_sigmoid, recon_var_sigmoid(t, x[0]))
OP(op_softplus, recon_var_softplus(t, x[0]))
OP(op_blend, recon_var_blend(t, 2, x[0], -3, x[1]))
OP(op_twice, recon_var_add(t, x[0], recon_var_add(t, x[0], x[1])))
OP(op_scale, recon_var_scale(t, 0.5, recon_var_mul(t, x[0], x[0])))
OP(op_gate, recon_var_gate(t, x[0], x[1], 2))
OP(op_gate_planes, recon_var_gate_planes(t, x[0], x[1], 3))
OP(op_cross_planes, recon_var_cross_planes(t, x[0], x[1]))
OP(op_pairs, recon_var_pairs(t, x[0], x[1], x[2], x[3], x[4]))
OP(op_unit, recon_var_unit(t, x[0]))
OP(op_angle, recon_var_angle(t, x[0]))
OP(op_segment_norm,
   recon_var_norm(t, x[0], x[1], x[2], NULL, NULL, &(recon_norm_options){ .offset = x[3] }))
OP(op_average_pool, recon_var_average_pool(t, x[0], 2, 2))
OP(op_max_pool, recon_var_max_pool(t, x[0], 3, 2))
OP(op_resize, recon_var_resize(t, x[0], 7, 3, 0))
OP(op_resize_corners, recon_var_resize(t, x[0], 7, 3, 1))
OP(op_rotate, recon_var_rotate(t, x[0], x[1]))
OP(op_dropout, recon_var_dropout(t, x[0], 0.4))
OP(op_dropout_channels, recon_var_dropout_channels(t, x[0], 0.4))
OP(op_gather, recon_var_gather(t, x[0], x[1], x[2], x[3]))
OP(op_segment_sum, recon_var_segment_sum(t, x[0], x[1]))
/* The matrix with entries ids in rows graph, and its transpose by columns. */
static recon_var op_sparse(recon_tape *t, void *user, const recon_var *x)
{
    static const double weights[] = { 1, -2, 3, 0.5, 4 }, rotated[] = { -2, 1, 0.5, 4, 3 };
    static const int32_t rows[] = { 0, 0, 2, 2, 2 };
    const size_t five = 5, four = 4;
    (void)user;
    recon_sparse s = { recon_var_input(t, ids, RECON_I32, &five, 1),
                       recon_var_input(t, weights, RECON_F64, &five, 1),
                       recon_var_input(t, graph, RECON_I32, &four, 1) };
    recon_sparse back = { recon_var_input(t, rows, RECON_I32, &five, 1),
                          recon_var_input(t, rotated, RECON_F64, &five, 1),
                          recon_var_input(t, starts, RECON_I32, &four, 1) };
    return recon_var_sparse(t, s, x[0], back);
}
OP(op_sum, recon_var_sum(t, x[0], 1))
OP(op_spatial_mean, recon_var_spatial_mean(t, x[0]))
OP(op_tensor_product, recon_var_tensor_product(t, x[0], x[1], x[2]))
OP(op_concat, recon_var_concat(t, x, 3))
OP(op_columns, recon_var_add(t, recon_var_columns(t, x[0], 0, 2), recon_var_columns(t, x[0], 2, 2)))
OP(op_reshape, recon_var_sum(t, recon_var_reshape(t, x[0], (size_t[]){ 2, 6 }, 2), 1))
OP(op_cross_entropy, recon_var_cross_entropy(t, x[0], x[1]))
OP(op_mse, recon_var_mse(t, x[0], x[1]))
OP(op_l1, recon_var_l1(t, x[0], x[1]))
OP(op_cosine, recon_var_cosine_loss(t, x[0], x[1]))
OP(op_contrast,
   recon_var_cross_entropy(
       t, recon_var_linear(t, recon_var_unit(t, x[0]), recon_var_unit(t, x[1]), NULL), x[2]))
OP(op_vonmises, recon_var_vonmises_loss(t, x[0], x[1]))
OP(op_fisher, recon_var_fisher_loss(t, recon_var_scale(t, 6, x[0]), x[1], x[2]))
OP(op_fisher_alone, recon_var_fisher_loss(t, recon_var_scale(t, 6, x[0]), NULL, x[1]))

#define CONSTANT(at, ...)                                                                          \
    {                                                                                              \
        .type = RECON_F64, .ndim = sizeof((size_t[]){ __VA_ARGS__ }) / sizeof(size_t),             \
        .shape = { __VA_ARGS__ }, .data = random_numbers + (at), .constant = 1                     \
    }
static const struct {
    const char *name;
    recon_check_function *f;
    size_t n;
    recon_check_input x[5];
} operations[] = {
    { "conv", op_conv, 3, { REAL(0, 2, 5, 4, 3), REAL(200, 4, 3, 3, 3), REAL(400, 4) } },
    { "conv_relu", op_conv_relu, 2, { REAL(0, 2, 5, 4, 3), REAL(200, 4, 3, 3, 3) } },
    { "linear", op_linear, 3, { REAL(0, 2, 3, 5), REAL(100, 4, 5), REAL(200, 4) } },
    { "relu", op_relu, 1, { REAL(0, 20) } },
    { "silu", op_silu, 1, { REAL(0, 20) } },
    { "sigmoid", op_sigmoid, 1, { REAL(0, 20) } },
    { "softplus", op_softplus, 1, { REAL(0, 20) } },
    { "blend", op_blend, 2, { REAL(0, 3, 4), REAL(20, 3, 4) } },
    { "one input twice", op_twice, 2, { REAL(0, 3, 4), REAL(20, 3, 4) } },
    { "scaled square", op_scale, 1, { REAL(0, 3, 4) } },
    { "gate", op_gate, 2, { REAL(0, 3, 8), REAL(50, 3, 4) } },
    { "gate of planes", op_gate_planes, 2, { REAL(0, 2, 3, 4), REAL(50, 2, 4) } },
    { "cross product", op_cross_planes, 2, { REAL(0, 2, 3, 4), REAL(50, 2, 3, 4) } },
    { "pairs",
      op_pairs,
      5,
      { REAL(0, 5, 5), REAL(100, 5, 3, 8), REAL(300, 32, 13), CONSTANT(800, 5, 3),
        INDEX(graph, 4) } },
    { "unit", op_unit, 1, { REAL(0, 3, 4) } },
    { "angle", op_angle, 1, { REAL(0, 5, 2) } },
    { "segment norm",
      op_segment_norm,
      4,
      { REAL(0, 5, 3), REAL(50, 3), REAL(60, 3), INDEX(graph, 4) } },
    { "average pool", op_average_pool, 1, { REAL(0, 2, 5, 4, 2) } },
    { "max pool", op_max_pool, 1, { REAL(0, 2, 5, 5, 2) } },
    { "resize", op_resize, 1, { REAL(0, 2, 4, 5, 2) } },
    { "resize, corners aligned", op_resize_corners, 1, { REAL(0, 2, 4, 5, 2) } },
    { "rotate", op_rotate, 2, { REAL(0, 2, 5, 6, 2), REAL(200, 2) } },
    { "dropout", op_dropout, 1, { REAL(0, 4, 5) } },
    { "dropout of channels", op_dropout_channels, 1, { REAL(0, 2, 2, 3, 5) } },
    { "gather", op_gather, 4, { REAL(0, 3, 4), INDEX(ids, 5), INDEX(order, 5), INDEX(starts, 4) } },
    { "segment sum", op_segment_sum, 2, { REAL(0, 5, 3), INDEX(graph, 4) } },
    { "sparse", op_sparse, 1, { REAL(0, 3, 4) } },
    { "sum", op_sum, 1, { REAL(0, 2, 3, 4) } },
    { "spatial mean", op_spatial_mean, 1, { REAL(0, 2, 3, 4, 2) } },
    { "tensor product",
      op_tensor_product,
      3,
      { REAL(0, 4, 2, 3), REAL(100, 4, 5), CONSTANT(200, 3, 5, 2) } },
    { "concat", op_concat, 3, { REAL(0, 3, 2), REAL(10, 3, 1), REAL(20, 3, 4) } },
    { "columns", op_columns, 1, { REAL(0, 3, 4) } },
    { "reshape", op_reshape, 1, { REAL(0, 3, 4) } },
    { "cross-entropy", op_cross_entropy, 2, { REAL(0, 3, 4), INDEX(labels, 3) } },
    { "mse", op_mse, 2, { REAL(0, 3, 4), CONSTANT(20, 3, 4) } },
    { "l1", op_l1, 2, { REAL(0, 3, 4), CONSTANT(20, 3, 4) } },
    { "cosine", op_cosine, 2, { REAL(0, 3, 4), REAL(20, 3, 4) } },
    { "cosine with a constant", op_cosine, 2, { REAL(0, 3, 4), CONSTANT(20, 3, 4) } },
    { "cosine of a constant", op_cosine, 2, { CONSTANT(0, 3, 4), REAL(20, 3, 4) } },
    { "contrast", op_contrast, 3, { REAL(0, 3, 4), REAL(20, 3, 4), INDEX(labels, 3) } },
    { "vonmises", op_vonmises, 2, { REAL(0, 3, 8), CONSTANT(30, 3) } },
    { "fisher", op_fisher, 3, { REAL(0, 3, 9), REAL(30, 3, 1), CONSTANT(40, 3, 9) } },
    { "fisher alone", op_fisher_alone, 2, { REAL(0, 3, 9), CONSTANT(40, 3, 9) } },
    { "fisher parts", op_fisher, 3, { REAL(0, 2, 27), REAL(60, 2, 3), CONSTANT(70, 2, 9) } },
    { "fisher parts alike", op_fisher_alone, 2, { REAL(0, 2, 27), CONSTANT(70, 2, 9) } },
};

static void every_operation_has_its_gradient(void **state)
{
    recon_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        double error = 1;
        numbers(i);
        CHECK_OK(ctx, recon_check_gradient(ctx, &error, operations[i].f, NULL, operations[i].x,
                                           operations[i].n, NULL, RECON_TRAIN));
        if (!(error < 1e-6))
            fail_msg("%s: gradient off by %g", operations[i].name, error);
    }
}

/* The mean over rows, which are shared out in blocks. */
static void a_loss_of_rows_is_their_mean(void **state)
{
    enum { MOST = BORDER_MOST(RECON_BLOCK_FISHER), F = 9 };
    recon_ctx *ctx = *state;
    double f[MOST][F], g[MOST][F], one[MOST], loss;
    recon_rng rng = recon_rng_new(6, 0);
    recon_tape *t;
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_DOUBLE, 0));
    for (int i = 0; i < MOST; i++) {
        recon_so3_to_matrix(g[i], recon_so3_haar(&rng));
        for (int k = 0; k < F; k++)
            f[i][k] = 3 * recon_rng_normal(&rng);
    }
    for (int k = -MOST; k < BORDERS; k++) {
        size_t n = k < 0 ? 1 : border(RECON_BLOCK_FISHER, k), at = k < 0 ? (size_t)(k + MOST) : 0;
        const size_t shape[2] = { n, F };
        double want = 0;
        CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
        recon_var x = recon_var_input(t, f[at], RECON_F64, shape, 2);
        recon_var y = recon_var_input(t, g[at], RECON_F64, shape, 2);
        CHECK_OK(ctx, recon_var_read(t, &loss, recon_var_fisher_loss(t, x, NULL, y)));
        for (size_t i = 0; k >= 0 && i < n; i++)
            want += one[i] / (double)n;
        if (k < 0)
            one[at] = loss;
        else
            CHECK_NEAR(loss, want, 1e-12);
    }
    recon_tape_free(t);
}

/* --- whole networks --------------------------------------------------------------------------- */

typedef struct {
    recon_residual block;
    recon_norm fields;
    recon_mlp head;
} net;

static recon_var net_loss(recon_tape *t, void *user, const recon_var *x)
{
    const net *n = user;
    recon_var y = recon_norm_apply(t, &n->fields, recon_residual_apply(t, &n->block, x[0]));
    return recon_var_cross_entropy(t, recon_mlp_apply(t, &n->head, recon_var_spatial_mean(t, y)),
                                   x[1]);
}

static void a_residual_network_has_its_gradient(void **state)
{
    recon_ctx *ctx = *state;
    recon_params *p = NULL;
    net n;
    double error = 1;
    recon_check_input x[] = { REAL(0, 3, 5, 4, 2), INDEX(labels, 3) };
    numbers(100);
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_DOUBLE));
    CHECK_OK(ctx, recon_residual_add(ctx, &n.block, p, "block", 2, 4, 2));
    CHECK_OK(ctx, recon_norm_add(ctx, &n.fields, p, "fields", 2, 2));
    CHECK_OK(ctx, recon_mlp_add(ctx, &n.head, p, "head", (size_t[]){ 4, 6, 3 }, 3, 0.2));
    CHECK_OK(ctx, recon_params_make(ctx, p, 5));
    CHECK_OK(ctx, recon_check_gradient(ctx, &error, net_loss, &n, x, 2, p, RECON_TRAIN));
    CHECK_LESS(error, 1e-6);
    CHECK_OK(ctx, recon_check_gradient(ctx, &error, net_loss, &n, x, 2, p, RECON_RECORD));
    CHECK_LESS(error, 1e-6);
    recon_params_free(ctx, p);
}

/* Blocks without a projection are read twice by the next: their gradients meet in the norm's own pass. */
typedef struct {
    recon_residual block[3];
    recon_norm norm;
    recon_param *w;
} chain;

static recon_var chain_loss(recon_tape *t, void *user, const recon_var *x)
{
    const chain *n = user;
    recon_var y = x[0];
    for (size_t i = 0; i < 3; i++)
        y = recon_residual_apply(t, &n->block[i], y);
    y = recon_var_add(t, recon_var_add(t, y, y), recon_var_mul(t, y, y)); /* five readers of one */
    return recon_var_mse(t, y, x[1]);
}

static void gradients_meet_in_a_chain_of_blocks(void **state)
{
    static const char *const names[] = { "a", "b", "c" };
    static const recon_tape_mode modes[] = { RECON_TRAIN, RECON_RECORD };
    recon_ctx *ctx = *state;
    recon_params *p;
    chain n;
    double error = 1;
    recon_check_input x[] = { REAL(0, 3, 5, 4, 2), REAL(200, 3, 5, 4, 2) };
    x[1].constant = 1;
    numbers(400);
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_DOUBLE));
    for (size_t i = 0; i < 3; i++)
        CHECK_OK(ctx, recon_residual_add(ctx, &n.block[i], p, names[i], 2, 2, 1));
    CHECK_OK(ctx, recon_params_make(ctx, p, 5));
    for (int k = 0; k < 2; k++) {
        CHECK_OK(ctx, recon_check_gradient(ctx, &error, chain_loss, &n, x, 2, p, modes[k]));
        CHECK_LESS(error, 1e-6);
    }
    recon_params_free(ctx, p);
}

/* A parameter may be what is added to a norm, without a ReLU behind it, and be read elsewhere. */
static recon_var skip_loss(recon_tape *t, void *user, const recon_var *x)
{
    const chain *n = user;
    recon_var w = recon_var_param(t, n->w), y = recon_var_mul(t, w, x[0]);
    y = recon_var_norm(t, y, recon_var_param(t, n->norm.scale), recon_var_param(t, n->norm.shift),
                       n->norm.mean, n->norm.var, &(recon_norm_options){ .skip = w });
    return recon_var_mse(t, y, x[0]);
}

static void a_norm_adds_a_parameter(void **state)
{
    recon_ctx *ctx = *state;
    recon_params *p;
    chain n;
    double error = 1;
    recon_check_input x = REAL(0, 6, 2);
    x.constant = 1;
    numbers(12);
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_DOUBLE));
    CHECK_OK(ctx, recon_norm_add(ctx, &n.norm, p, "norm", 2, 1));
    CHECK_OK(ctx, recon_params_add(ctx, &n.w, p, "w", (size_t[]){ 6, 2 }, 2,
                                   (recon_init){ RECON_INIT_HE, 0 }));
    CHECK_OK(ctx, recon_params_make(ctx, p, 3));
    CHECK_OK(ctx, recon_check_gradient(ctx, &error, skip_loss, &n, &x, 1, p, RECON_TRAIN));
    CHECK_LESS(error, 1e-6);
    recon_params_free(ctx, p);
}

static void the_checker_sees_a_wrong_gradient(void **state)
{
    recon_ctx *ctx = *state;
    double error = 0;
    recon_check_input x = REAL(0, 3, 4);
    numbers(3);
    CHECK_OK(ctx, recon_check_gradient(ctx, &error, op_sigmoid, NULL, &x, 1, NULL, RECON_RECORD));
    CHECK_LESS(error, 1e-8);
    CHECK_FAILS(ctx, recon_check_gradient(ctx, &error, op_sigmoid, NULL, &x, 1, NULL, RECON_INFER),
                RECON_ERR_INPUT, "with gradients");
}

/* A parameter on both sides of one operation gets both gradients. */
static recon_var squared_map(recon_tape *t, void *user, const recon_var *x)
{
    recon_var w = recon_var_param(t, user), y = recon_var_linear(t, w, w, NULL);
    return recon_var_mse(t, recon_var_linear(t, x[0], y, NULL), x[0]);
}

static void a_parameter_may_be_used_twice_in_one_operation(void **state)
{
    recon_ctx *ctx = *state;
    recon_params *p;
    recon_param *w;
    recon_check_input x = REAL(0, 2, 3);
    double error = 1;
    x.constant = 1; /* it is its own target */
    numbers(7);
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_DOUBLE));
    CHECK_OK(ctx, recon_params_add(ctx, &w, p, "w", (size_t[]){ 3, 3 }, 2,
                                   (recon_init){ RECON_INIT_HE, 0 }));
    CHECK_OK(ctx, recon_params_make(ctx, p, 3));
    CHECK_OK(ctx, recon_check_gradient(ctx, &error, squared_map, w, &x, 1, p, RECON_RECORD));
    CHECK_LESS(error, 1e-6);
    recon_params_free(ctx, p);
}

/* --- what else a tape owes -------------------------------------------------------------------- */

typedef struct {
    recon_params *params;
    recon_linear layer;
    recon_tape *tape;
} small;

static void small_new(recon_ctx *ctx, small *s)
{
    CHECK_OK(ctx, recon_params_new(ctx, &s->params, RECON_SINGLE));
    CHECK_OK(ctx, recon_linear_add(ctx, &s->layer, s->params, "head", 4, 3));
    CHECK_OK(ctx, recon_params_make(ctx, s->params, 1));
    CHECK_OK(ctx, recon_tape_new(ctx, &s->tape, RECON_SINGLE, 1));
}

static void small_free(recon_ctx *ctx, small *s)
{
    recon_tape_free(s->tape);
    recon_params_free(ctx, s->params);
}

static recon_var small_loss(small *s, size_t n, size_t width)
{
    float x[64];
    for (size_t i = 0; i < 64; i++)
        x[i] = (float)random_numbers[i];
    recon_var in = recon_var_input(s->tape, x, RECON_F32, (size_t[]){ n, width }, 2);
    recon_var y = recon_linear_apply(s->tape, &s->layer, in);
    return recon_var_cross_entropy(s->tape, y,
                                   recon_var_input(s->tape, labels, RECON_I32, (size_t[]){ n }, 1));
}

static void passes_add_up_until_cleared(void **state)
{
    recon_ctx *ctx = *state;
    small s;
    double once[12], twice[12];
    numbers(5);
    small_new(ctx, &s);
    CHECK_OK(ctx, recon_tape_begin(s.tape, RECON_TRAIN, 0));
    recon_var loss = small_loss(&s, 3, 4);
    CHECK_OK(ctx, recon_tape_backward(s.tape, loss));
    CHECK_OK(ctx, recon_param_read_gradient(ctx, once, s.layer.weight));
    CHECK_OK(ctx, recon_tape_backward(s.tape, loss));
    CHECK_OK(ctx, recon_tape_begin(s.tape, RECON_TRAIN, 1));
    CHECK_OK(ctx, recon_tape_backward(s.tape, small_loss(&s, 3, 4)));
    CHECK_OK(ctx, recon_param_read_gradient(ctx, twice, s.layer.weight));
    for (int i = 0; i < 12; i++)
        CHECK_NEAR(twice[i], 3 * once[i], 1e-6);
    CHECK_OK(ctx, recon_params_clear_gradients(ctx, s.params));
    CHECK_OK(ctx, recon_param_read_gradient(ctx, twice, s.layer.weight));
    for (int i = 0; i < 12; i++)
        CHECK_NEAR(twice[i], 0, 0);
    small_free(ctx, &s);
}

static void a_mismatch_names_the_layer_and_both_shapes(void **state)
{
    recon_ctx *ctx = *state;
    small s;
    small_new(ctx, &s);
    CHECK_OK(ctx, recon_tape_begin(s.tape, RECON_TRAIN, 0));
    recon_var loss = small_loss(&s, 3, 5);
    assert_null(loss);
    CHECK_FAILS(ctx, recon_tape_status(s.tape), RECON_ERR_INPUT,
                "head: a linear map of 3 x 5 does not fit weight head.weight of 3 x 4");
    assert_null(recon_var_relu(s.tape, loss)); /* stays failed, keeps the message */
    CHECK_FAILS(ctx, recon_tape_backward(s.tape, loss), RECON_ERR_INPUT, "3 x 5");
    CHECK_OK(ctx, recon_tape_begin(s.tape, RECON_TRAIN, 1));
    CHECK_OK(ctx, recon_tape_backward(s.tape, small_loss(&s, 3, 4)));
    small_free(ctx, &s);
}

/* Neither rows nor where they are from may be other than whole numbers. */
static void rows_are_gathered_by_whole_numbers(void **state)
{
    recon_ctx *ctx = *state;
    recon_tape *t;
    float x[5] = { 0 };
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 1));
    for (int wrong = 0; wrong < 4; wrong++) { /* the last time, nothing is */
        static const int32_t *const numbers[] = { ids, order, starts };
        static const size_t count[] = { 5, 5, 4 };
        recon_var of[3];
        CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
        for (int i = 0; i < 3; i++)
            of[i] = i == wrong ? recon_var_input(t, x, RECON_F32, &count[i], 1)
                               : recon_var_input(t, numbers[i], RECON_I32, &count[i], 1);
        recon_var rows = recon_var_input(t, x, RECON_F32, (size_t[]){ 3, 1 }, 2);
        assert_true(!recon_var_gather(t, rows, of[0], of[1], of[2]) == (wrong < 3));
        assert_int_equal(recon_tape_status(t), wrong < 3 ? RECON_ERR_INPUT : RECON_OK);
    }
    recon_tape_free(t);
}

/* Each vector of an atom has its length among the atom's scalars. */
static void pairs_have_a_scalar_for_each_vector(void **state)
{
    enum { ATOMS = 3, VECTORS = 2 };
    static const float x[RECON_PAIRS_KNOTS * 5 * (VECTORS + 1)];
    static const int32_t all[] = { 0, ATOMS };
    recon_ctx *ctx = *state;
    recon_tape *t;
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 1));
    for (size_t scalars = VECTORS - 1; scalars <= VECTORS + 1; scalars++) {
        const size_t filters[2] = { RECON_PAIRS_KNOTS, scalars + 4 * VECTORS };
        CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
        recon_var s = recon_var_input(t, x, RECON_F32, (size_t[]){ ATOMS, scalars }, 2);
        recon_var u = recon_var_input(t, x, RECON_F32, (size_t[]){ ATOMS, 3, 4 * VECTORS }, 3);
        recon_var w = recon_var_input(t, x, RECON_F32, filters, 2);
        recon_var at = recon_var_input(t, x, RECON_F32, (size_t[]){ ATOMS, 3 }, 2);
        recon_var molecules = recon_var_input(t, all, RECON_I32, (size_t[]){ 2 }, 1);
        assert_true(!recon_var_pairs(t, s, u, w, at, molecules) == (scalars < VECTORS));
        assert_int_equal(recon_tape_status(t), scalars < VECTORS ? RECON_ERR_INPUT : RECON_OK);
    }
    recon_tape_free(t);
}

static void addresses_repeat_and_memory_stands_still(void **state)
{
    recon_ctx *ctx = *state;
    small s;
    void *place = NULL;
    size_t peak = 0;
    small_new(ctx, &s);
    for (uint64_t step = 0; step < 1000; step++) {
        CHECK_OK(ctx, recon_tape_begin(s.tape, RECON_TRAIN, step));
        recon_var loss = small_loss(&s, 3, 4);
        CHECK_OK(ctx, recon_tape_backward(s.tape, loss));
        if (step == 1) {
            place = loss->value.data;
            peak = recon_tape_peak(s.tape);
        } else if (step > 1) {
            assert_int_equal(recon_tape_peak(s.tape), peak);
#ifndef RECON_ARENA_MALLOC
            assert_ptr_equal(loss->value.data, place);
#else
            place = loss->value.data; /* blocks of their own may lie anywhere */
            assert_non_null(place);
#endif
        }
    }
    small_free(ctx, &s);
}

static void passing_on_reuses_memory_and_changes_nothing(void **state)
{
    recon_ctx *ctx = *state;
    recon_tape *t;
    float x[100];
    double plain[100], passed[100];
    size_t peak[2];
    for (int i = 0; i < 100; i++)
        x[i] = (float)(i - 50) / 20;
    for (int pass = 0; pass < 2; pass++) {
        CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 1));
        recon_var y = recon_var_input(t, x, RECON_F32, (size_t[]){ 100 }, 1);
        for (int i = 0; i < 20; i++) {
            y = recon_var_sigmoid(t, pass ? recon_tape_pass(t, y) : y);
            if (pass && i % 3 == 0) /* twice with nothing in between but a view of it */
                y = recon_tape_pass(t, recon_var_dropout(t, recon_tape_pass(t, y), 0.5));
        }
        CHECK_OK(ctx, recon_var_read(t, pass ? passed : plain, y));
        peak[pass] = recon_tape_peak(t);
        recon_tape_free(t);
    }
    assert_memory_equal(plain, passed, sizeof plain);
    assert_true(peak[1] * 4 < peak[0]);
}

static void double_is_for_ref_alone(void **state)
{
    (void)state;
    recon_ctx *ctx = recon_ctx_new(NULL);
    recon_tape *t;
    recon_params *p;
    CHECK_FAILS(ctx, recon_tape_new(ctx, &t, RECON_DOUBLE, 1), RECON_ERR_INPUT, "backend ref");
    CHECK_FAILS(ctx, recon_params_new(ctx, &p, RECON_DOUBLE), RECON_ERR_INPUT, "backend ref");
    assert_null(t);
    assert_null(p);
    recon_ctx_free(ctx);
}

/* Products of two sets of bf16 rows: both gradients arrive whole and near those of floats. */
static void rows_times_rows_have_gradients_in_bf16(void **state)
{
    recon_ctx *ctx = *state;
    float x[2][35];
    double gradient[2][2][35];
    numbers(21);
    for (int i = 0; i < 70; i++)
        x[i / 35][i % 35] = (float)random_numbers[i];
    for (int low = 0; low < 2; low++) {
        recon_tape *t;
        recon_var side[2], rows[2];
        CHECK_OK(ctx, recon_tape_new(ctx, &t, low ? RECON_MIXED : RECON_SINGLE, 1));
        CHECK_OK(ctx, recon_tape_begin(t, RECON_RECORD, 0));
        for (int i = 0; i < 2; i++) {
            side[i] =
                recon_var_watch(t, recon_var_input(t, x[i], RECON_F32, (size_t[]){ 5, 7 }, 2));
            rows[i] = recon_var_unit(t, low ? recon_var_cast(t, side[i], RECON_BF16) : side[i]);
        }
        const int32_t own[] = { 0, 1, 2, 3, 4 };
        recon_var loss =
            recon_var_cross_entropy(t, recon_var_linear(t, rows[0], rows[1], NULL),
                                    recon_var_input(t, own, RECON_I32, (size_t[]){ 5 }, 1));
        CHECK_OK(ctx, recon_tape_backward(t, loss));
        for (int i = 0; i < 2; i++)
            CHECK_OK(ctx, recon_var_read(t, gradient[low][i], recon_var_gradient(t, side[i])));
        recon_tape_free(t);
    }
    for (int i = 0; i < 70; i++)
        CHECK_NEAR(gradient[1][i / 35][i % 35], gradient[0][i / 35][i % 35], 1e-3);
}

/* Of a Fisher mixture: no part, nine and a half, more than there may be, another number of rotations. */
static void only_whole_parts_fit(void **state)
{
    recon_ctx *ctx = *state;
    static const float zeros[200];
    static const size_t columns[] = { 0, 8, 13, 9 * (RECON_FISHER_PARTS + 1), 9 };
    recon_tape *t;
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 1));
    for (int i = 0; i < 5; i++) {
        CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
        recon_var f = recon_var_input(t, zeros, RECON_F32, (size_t[]){ 2, columns[i] }, 2),
                  r = recon_var_input(t, zeros, RECON_F32, (size_t[]){ i == 4 ? 3 : 2, 9 }, 2);
        assert_null(recon_var_fisher_loss(t, f, NULL, r));
        CHECK_FAILS(ctx, recon_tape_status(t), RECON_ERR_INPUT, "rotations");
    }
    recon_tape_free(t);
}

/* A label that is no class is no class: the loss says so instead of reading elsewhere. */
static void a_label_outside_makes_the_loss_nan(void **state)
{
    recon_ctx *ctx = *state;
    const float logits[] = { 1, 2, 3, 1, 0, 0 };
    recon_tape *t;
    double loss;
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 1));
    for (int32_t wrong = -1; wrong <= 3; wrong += 4) {
        const int32_t label[] = { 0, wrong };
        CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
        recon_var x = recon_var_input(t, logits, RECON_F32, (size_t[]){ 2, 3 }, 2);
        recon_var y = recon_var_input(t, label, RECON_I32, (size_t[]){ 2 }, 1);
        CHECK_OK(ctx, recon_var_read(t, &loss, recon_var_cross_entropy(t, x, y)));
        assert_true(isnan(loss));
    }
    recon_tape_free(t);
}

static void running_out_of_memory_is_an_error_anywhere(void **state)
{
    recon_ctx *ctx = *state;
    for (long n = 1;; n++) {
        recon_params *p = NULL;
        recon_tape *t = NULL;
        recon_linear layer;
        recon_status status;
        recon_alloc_fail_at(ctx, n);
        RECON_TRY(recon_params_new(ctx, &p, RECON_MIXED));
        RECON_TRY(recon_linear_add(ctx, &layer, p, "head", 4, 3));
        RECON_TRY(recon_params_make(ctx, p, 1));
        RECON_TRY(recon_tape_new(ctx, &t, RECON_MIXED, 1));
        RECON_TRY(recon_tape_begin(t, RECON_TRAIN, 0));
        float x[12] = { 1, 2, 3 };
        recon_var in = recon_var_input(t, x, RECON_F32, (size_t[]){ 3, 4 }, 2);
        in = recon_var_cast(t, in, RECON_BF16);
        recon_var y = recon_var_relu(t, recon_linear_apply(t, &layer, in));
        y = recon_var_cross_entropy(t, y,
                                    recon_var_input(t, labels, RECON_I32, (size_t[]){ 3 }, 1));
        RECON_TRY(recon_tape_backward(t, y));
    done:
        recon_alloc_fail_at(ctx, 0);
        recon_tape_free(t);
        recon_params_free(ctx, p);
        if (status == RECON_OK)
            break;
        assert_int_equal(status, RECON_ERR_MEMORY);
        assert_true(n < 100);
    }
}

/* Rotating by a quarter commutes with a spatial mean of a scalar field, not with a general filter.
 */
static void quarter_turn(void *user, double *out, const double *in, const size_t *s, int ndim)
{
    (void)user;
    for (size_t n = 0; ndim == 4 && n < s[0]; n++)
        for (size_t i = 0; i < s[1]; i++)
            for (size_t j = 0; j < s[2]; j++)
                for (size_t c = 0; c < s[3]; c++)
                    out[((n * s[1] + s[2] - 1 - j) * s[2] + i) * s[3] + c] =
                        in[((n * s[1] + i) * s[2] + j) * s[3] + c];
    if (ndim == 2)
        memcpy(out, in, s[0] * s[1] * sizeof *out);
}

static recon_var smooth(recon_tape *t, void *user, const recon_var *x)
{
    recon_var w = recon_var_input(t, user, RECON_F64, (size_t[]){ 1, 3, 3, 1 }, 4);
    return recon_var_conv(t, x[0], w, NULL, &(recon_conv_options){ .pad = 1 });
}

static void equivariance_is_told_from_its_absence(void **state)
{
    recon_ctx *ctx = *state;
    double round[9] = { 1, 2, 1, 2, 5, 2, 1, 2, 1 }, skew[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    double error = 1;
    recon_check_input x = REAL(0, 2, 6, 6, 1);
    numbers(9);
    CHECK_OK(ctx, recon_check_equivariance(ctx, &error, smooth, round, &x, quarter_turn,
                                           quarter_turn, NULL, RECON_DOUBLE));
    CHECK_LESS(error, 1e-14);
    CHECK_OK(ctx, recon_check_equivariance(ctx, &error, smooth, skew, &x, quarter_turn,
                                           quarter_turn, NULL, RECON_DOUBLE));
    assert_true(error > 0.1);
    CHECK_OK(ctx, recon_check_equivariance(ctx, &error, op_spatial_mean, NULL, &x, quarter_turn,
                                           quarter_turn, NULL, RECON_SINGLE));
    CHECK_LESS(error, 1e-6);
}

/* --- parameters whose gradient is complete ------------------------------------------------------------ */

enum { TOLD = 8 };

typedef struct {
    const recon_param *param[TOLD];
    double gradient[TOLD][4]; /* as it was then */
    size_t count;
} told;

static recon_status note_told(void *user, const recon_param *param)
{
    told *all = user;
    assert_true(all->count < TOLD);
    memcpy(all->gradient[all->count], param->grad.data, sizeof all->gradient[0]);
    all->param[all->count++] = param;
    return RECON_OK;
}

/* `early` is used by the first operation and by the last, `twice` by one operation for both inputs. */
static void a_complete_gradient_is_told_once_and_in_order(void **state)
{
    recon_ctx *ctx = *state;
    static const char *const names[] = { "early", "middle", "twice", "unused" };
    recon_params *p;
    recon_param *e[4];
    recon_tape *t;
    told all = { .count = 0 };
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_DOUBLE));
    for (int i = 0; i < 4; i++)
        CHECK_OK(ctx, recon_params_add(ctx, &e[i], p, names[i], (size_t[]){ 4 }, 1,
                                       (recon_init){ RECON_INIT_CONSTANT, 0.5 + i }));
    CHECK_OK(ctx, recon_params_make(ctx, p, 1));
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_DOUBLE, 1));
    recon_tape_tell_ready(t, note_told, &all);
    for (int again = 0; again < 2; again++) {
        all.count = 0;
        CHECK_OK(ctx, recon_params_clear_gradients(ctx, p));
        CHECK_OK(ctx, recon_tape_begin(t, RECON_TRAIN, 0));
        recon_var x = recon_var_input(t, numbers(7), RECON_F64, (size_t[]){ 4 }, 1);
        x = recon_var_mul(t, x, recon_var_param(t, e[0]));
        x = recon_var_mul(t, x, recon_var_param(t, e[1]));
        recon_var twice = recon_var_param(t, e[2]);
        x = recon_var_mul(t, x, recon_var_mul(t, twice, twice));
        x = recon_var_mul(t, x, recon_var_param(t, e[0]));
        CHECK_OK(ctx, recon_tape_backward(t, recon_var_sum(t, x, 0)));
        assert_int_equal(all.count, 3);
        assert_ptr_equal(all.param[0], e[2]);
        assert_ptr_equal(all.param[1], e[1]);
        assert_ptr_equal(all.param[2], e[0]);
        for (size_t i = 0; i < all.count; i++)
            assert_memory_equal(all.gradient[i], all.param[i]->grad.data, sizeof all.gradient[i]);
    }
    recon_tape_free(t);
    recon_params_free(ctx, p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_has_its_gradient),
        cmocka_unit_test(a_loss_of_rows_is_their_mean),
        cmocka_unit_test(a_residual_network_has_its_gradient),
        cmocka_unit_test(gradients_meet_in_a_chain_of_blocks),
        cmocka_unit_test(a_norm_adds_a_parameter),
        cmocka_unit_test(the_checker_sees_a_wrong_gradient),
        cmocka_unit_test(passes_add_up_until_cleared),
        cmocka_unit_test(a_mismatch_names_the_layer_and_both_shapes),
        cmocka_unit_test(rows_are_gathered_by_whole_numbers),
        cmocka_unit_test(pairs_have_a_scalar_for_each_vector),
        cmocka_unit_test(addresses_repeat_and_memory_stands_still),
        cmocka_unit_test(passing_on_reuses_memory_and_changes_nothing),
        cmocka_unit_test(a_parameter_may_be_used_twice_in_one_operation),
        cmocka_unit_test(rows_times_rows_have_gradients_in_bf16),
        cmocka_unit_test(double_is_for_ref_alone),
        cmocka_unit_test(only_whole_parts_fit),
        cmocka_unit_test(a_label_outside_makes_the_loss_nan),
        cmocka_unit_test(running_out_of_memory_is_an_error_anywhere),
        cmocka_unit_test(equivariance_is_told_from_its_absence),
        cmocka_unit_test(a_complete_gradient_is_told_once_and_in_order),
    };
    return cmocka_run_group_tests(tests, setup, check_teardown);
}
