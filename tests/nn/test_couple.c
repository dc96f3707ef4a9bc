/* The tensor product: rotating what goes in rotates what comes out; sizes of the paper's layers;
 * gradients; one layer written out; refusals. */
#include "check.h"

#include <recon/group/harmonics.h>
#include "harmonics.h"
#include "gradients.h"
#include <recon/nn/couple.h>
#include <recon/nn/segnn.h>
#include <recon/ops/backend.h>
#include <stdlib.h>

#define ROWS 5

static const recon_irreps from = { { 5, 4, 3, 2 } }, to = { { 6, 3, 4, 2 } };

static recon_couple_plan *plan_of(recon_ctx *ctx, const recon_irreps *in, const recon_irreps *out,
                                  int parity)
{
    recon_couple_plan *plan;
    CHECK_OK(ctx, recon_couple_plan_make(ctx, &plan, in, out, parity));
    return plan;
}

static double *noise(size_t n, uint64_t stream)
{
    double *x = malloc((n + 1) * sizeof *x);
    recon_rng rng = recon_rng_new(17, stream);
    for (size_t i = 0; i < n; i++)
        x[i] = recon_rng_normal(&rng);
    return x;
}

/* y of one layer on a tape of doubles; bias may be NULL. Free it. */
static double *layer(recon_ctx *ctx, const recon_couple_plan *plan, const recon_irreps *in,
                     const recon_irreps *out, const double *x, const double *attr, const double *w,
                     const double *bias)
{
    size_t weights = recon_couple_plan_weights(plan);
    size_t shape[2] = { ROWS, recon_irreps_dim(in) }, attrs[2] = { ROWS, RECON_HARMONICS };
    double *y = malloc(ROWS * recon_irreps_dim(out) * sizeof *y);
    recon_tape *t;
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_DOUBLE, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    recon_var b = bias ? recon_var_input(t, bias, RECON_F64, out->mul, 1) : NULL;
    recon_var v = recon_var_couple(t, recon_var_input(t, x, RECON_F64, shape, 2),
                                   recon_var_input(t, attr, RECON_F64, attrs, 2),
                                   recon_var_input(t, w, RECON_F64, &weights, 1), b, plan);
    CHECK_OK(ctx, recon_var_read(t, y, v));
    recon_tape_free(t);
    return y;
}

static double largest_difference(const double *a, const double *b, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* |y(D x, D attr) - D y(x, attr)|, or of -1 in place of a rotation: (-1)^l. */
static double error_of_rotation(recon_ctx *ctx, int parity, int mirror, uint64_t stream)
{
    static const recon_irreps one = { { 1, 1, 1, 1 } };
    recon_couple_plan *plan = plan_of(ctx, &from, &to, parity);
    recon_rng rng = recon_rng_new(3, stream);
    recon_so3 rotation = recon_so3_haar(&rng);
    size_t dims[3] = { recon_irreps_dim(&from), RECON_HARMONICS, recon_irreps_dim(&to) };
    double *x = noise(ROWS * dims[0], 1), *attr = noise(ROWS * dims[1], 2), *in[2] = { x, attr };
    double *w = noise(recon_couple_plan_weights(plan), 3), *bias = noise(to.mul[0], 4), *moved[3];
    const recon_irreps *irreps[3] = { &from, &one, &to };
    double *y = layer(ctx, plan, &from, &to, x, attr, w, bias);
    for (int i = 0; i < 3; i++) {
        const double *was = i < 2 ? in[i] : y;
        moved[i] = malloc(ROWS * dims[i] * sizeof *moved[i]);
        CHECK_OK(ctx, recon_irreps_rotate(ctx, moved[i], was, ROWS, irreps[i], rotation));
        for (size_t k = 0; mirror && k < ROWS * dims[i]; k++) {
            size_t col = k % dims[i], l = 3;
            while (recon_irreps_begin(irreps[i], l) > col)
                l--;
            moved[i][k] *= l % 2 ? -1 : 1;
        }
    }
    double *got = layer(ctx, plan, &from, &to, moved[0], moved[1], w, bias);
    double error = largest_difference(got, moved[2], ROWS * dims[2]);
    for (int i = 0; i < 3; i++)
        free(moved[i]);
    free(got), free(y), free(x), free(attr), free(w), free(bias);
    recon_couple_plan_free(plan);
    return error;
}

static void rotating_the_input_rotates_the_output(void **state)
{
    for (uint64_t i = 0; i < 6; i++)
        CHECK_LESS(error_of_rotation(*state, i % 2, 0, i), 1e-12);
}

/* Parity is what makes the paper's network blind to mirror images. */
static void mirrors_are_seen_without_parity(void **state)
{
    CHECK_LESS(error_of_rotation(*state, 1, 1, 7), 1e-12);
    CHECK_LESS(1, error_of_rotation(*state, 0, 1, 7));
}

/* Reference: architectures of SEGNN counted by hand: weights of the four layers, and fan in. */
static void the_papers_layers_have_their_sizes(void **state)
{
    static const struct {
        recon_irreps in, out;
        size_t weights;
    } layers[] = { { { { 201, 128, 32, 16 } }, { { 188, 64, 16, 8 } }, 117492 },
                   { { { 100, 64, 16, 8 } }, { { 188, 64, 16, 8 } }, 58608 },
                   { { { 200, 128, 32, 16 } }, { { 188, 64, 16, 8 } }, 117216 },
                   { { { 100, 64, 16, 8 } }, { { 100, 64, 16, 8 } }, 42064 } };
    static const size_t fan_in[4] = { 377, 537, 553, 425 };
    for (size_t i = 0; i < 4; i++) {
        recon_couple_plan *plan = plan_of(*state, &layers[i].in, &layers[i].out, 1);
        assert_int_equal(recon_couple_plan_weights(plan), layers[i].weights);
        for (size_t l = 0; l < 4 && i == 0; l++)
            assert_int_equal(recon_couple_plan_columns(plan, l), fan_in[l]);
        recon_couple_plan_free(plan);
    }
}

/* Scalars and vectors written out: sqrt(2 l3 + 1) C is 1 for l2 = 0, 1 / sqrt 3 for a dot product,
 * and for a cross product epsilon / sqrt 2. */
static void scalars_and_vectors_have_their_closed_forms(void **state)
{
    static const recon_irreps in = { { 1, 1, 0, 0 } };
    recon_couple_plan *plan = plan_of(*state, &in, &in, 0);
    double *x = noise(ROWS * 4, 1), *attr = noise(ROWS * 16, 2), *w = noise(6, 3), bias = 0.75;
    assert_int_equal(recon_couple_plan_weights(plan), 6);
    for (size_t r = 0; r < ROWS; r++) /* without degree 2, the path 1 2 1 is silent */
        memset(attr + 16 * r + 4, 0, 12 * sizeof *attr);
    double *y = layer(*state, plan, &in, &in, x, attr, w, &bias);
    for (size_t r = 0; r < ROWS; r++) {
        const double *s = x + 4 * r, *v = s + 1, *a = attr + 16 * r, *b = a + 1, *got = y + 4 * r;
        double dot = (v[0] * b[0] + v[1] * b[1] + v[2] * b[2]) / sqrt(3);
        CHECK_NEAR(got[0], bias + w[0] * s[0] * a[0] + w[1] * dot, 1e-13);
        for (size_t i = 0; i < 3; i++) {
            size_t j = (i + 1) % 3, k = (i + 2) % 3;
            double cross = (v[j] * b[k] - v[k] * b[j]) / sqrt(2);
            CHECK_NEAR(got[1 + i], w[2] * s[0] * b[i] + w[3] * v[i] * a[0] + w[4] * cross, 1e-13);
        }
    }
    free(x), free(attr), free(w), free(y);
    recon_couple_plan_free(plan);
}

static recon_var couple_op(recon_tape *t, void *plan, const recon_var *x)
{
    return recon_var_couple(t, x[0], x[1], x[2], x[3], plan);
}

static void gradients_are_differences(void **state)
{
    recon_couple_plan *plan = plan_of(*state, &from, &to, 1);
    size_t weights = recon_couple_plan_weights(plan), dim = recon_irreps_dim(&from);
    double *x = noise(ROWS * dim, 1), *attr = noise(ROWS * 16, 2), *w = noise(weights, 3), error;
    double *bias = noise(to.mul[0], 4);
    const recon_check_input in[] = {
        { .type = RECON_F64, .ndim = 2, .shape = { ROWS, dim }, .data = x },
        { .type = RECON_F64, .ndim = 2, .shape = { ROWS, 16 }, .data = attr, .constant = 1 },
        { .type = RECON_F64, .ndim = 1, .shape = { weights }, .data = w },
        { .type = RECON_F64, .ndim = 1, .shape = { to.mul[0] }, .data = bias },
    };
    CHECK_OK(*state,
             recon_check_gradient(*state, &error, couple_op, plan, in, 4, NULL, RECON_TRAIN));
    CHECK_LESS(error, 1e-7);
    free(x), free(attr), free(w), free(bias);
    recon_couple_plan_free(plan);
}

/* Outputs of one size at first: sum of deviations^2 along a row of w, times 3, is 1. */
static void deviations_follow_the_fan_in(void **state)
{
    recon_couple_plan *plan = plan_of(*state, &from, &to, 1);
    double *d = noise(recon_couple_plan_weights(plan), 1), *at = d;
    recon_couple_plan_deviations(plan, d);
    for (size_t l = 0; l < 4; l++)
        for (size_t o = 0; o < to.mul[l]; o++) {
            double sum = 0;
            for (size_t k = 0; k < recon_couple_plan_columns(plan, l); k++, at++)
                sum += 3 * *at * *at;
            CHECK_NEAR(sum, 1, 1e-12);
        }
    free(d);
    recon_couple_plan_free(plan);
}

static void check_refusal(recon_ctx *ctx, const recon_couple_plan *plan, const size_t sizes[4],
                          const char *text)
{
    static const double zero[200];
    size_t shape[2] = { 2, sizes[0] }, attrs[2] = { 2, sizes[1] };
    recon_tape *t;
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_DOUBLE, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_TRAIN, 0));
    recon_var_couple(t, recon_var_input(t, zero, RECON_F64, shape, 2),
                     recon_var_input(t, zero, RECON_F64, attrs, 2),
                     recon_var_input(t, zero, RECON_F64, &sizes[2], 1),
                     recon_var_input(t, zero, RECON_F64, &sizes[3], 1), plan);
    CHECK_FAILS(ctx, recon_tape_status(t), RECON_ERR_INPUT, text);
    recon_tape_free(t);
}

static void what_does_not_fit_is_refused(void **state)
{
    static const recon_irreps small = { { 2, 1, 0, 0 } }, none = { { 0 } };
    static const recon_irreps huge = { { (size_t)1 << 40, 0, 0, 0 } };
    recon_couple_plan *plan = plan_of(*state, &small, &small, 1), *bad;
    size_t w = recon_couple_plan_weights(plan);
    check_refusal(*state, plan, (size_t[]){ 6, 16, w, 2 }, "rows of 5 numbers, not 6");
    check_refusal(*state, plan, (size_t[]){ 5, 15, w, 2 }, "attributes");
    check_refusal(*state, plan, (size_t[]){ 5, 16, w + 1, 2 }, "weights");
    check_refusal(*state, plan, (size_t[]){ 5, 16, w, 3 }, "bias");
    recon_couple_plan_free(plan);
    CHECK_FAILS(*state, recon_couple_plan_make(*state, &bad, &none, &small, 1), RECON_ERR_INPUT,
                "with 0 on its input side");
    CHECK_FAILS(*state, recon_couple_plan_make(*state, &bad, &small, &huge, 1), RECON_ERR_INPUT,
                "output side");
    recon_couple_plan_free(NULL);
}

static int setup(void **state)
{
    return check_setup(state) || recon_ops_attach(*state, "ref") != RECON_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotating_the_input_rotates_the_output),
        cmocka_unit_test(mirrors_are_seen_without_parity),
        cmocka_unit_test(the_papers_layers_have_their_sizes),
        cmocka_unit_test(scalars_and_vectors_have_their_closed_forms),
        cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(deviations_follow_the_fan_in),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, check_teardown);
}
