/* Frames: Gram-Schmidt gives rotations and right gradients, and rotates with its vectors. */
#include "check.h"
#include "backbone/molecule_frame.h"

#include "gradients.h"
#include <recon/ops/backend.h>

enum { N = 6 };

static void random_vectors(double *y, uint64_t stream)
{
    recon_rng rng = recon_rng_new(9, stream);
    for (size_t i = 0; i < 9 * N; i++)
        y[i] = recon_rng_normal(&rng);
}

/* r [n][9] and shift [n][3] of vectors y [n][3][3], as the tape has them. */
static void frames(recon_ctx *ctx, double *r, double *shift, const double *y)
{
    float in[9 * N];
    recon_molecule_tables tables;
    recon_tape *t;
    recon_var a, b;
    for (size_t i = 0; i < 9 * N; i++)
        in[i] = (float)y[i];
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    CHECK_OK(ctx, recon_molecule_tables_feed(t, &tables));
    recon_molecule_frame(t, &tables, recon_var_input(t, in, RECON_F32, (size_t[]){ N, 3, 3 }, 3),
                         &a, &b);
    CHECK_OK(ctx, recon_var_read(t, r, a));
    CHECK_OK(ctx, recon_var_read(t, shift, b));
    recon_tape_free(t);
}

static void columns_come_from_the_vectors(void **state)
{
    recon_ctx *ctx = *state;
    double y[9 * N], r[9 * N], shift[3 * N], want[9];
    random_vectors(y, 0);
    frames(ctx, r, shift, y);
    for (size_t i = 0; i < N; i++) {
        const double *v = y + 9 * i, *m = r + 9 * i;
        double along = 0, off = 0, size = 0;
        CHECK_LESS(recon_so3_matrix_error(m), 1e-6);
        for (size_t k = 0; k < 3; k++) { /* column 0 along y1, column 1 in the plane of y1, y2 */
            along += m[3 * k] * v[3 * k];
            size += v[3 * k] * v[3 * k];
            off += m[3 * k + 2] * v[3 * k + 1];
            CHECK_NEAR(shift[3 * i + k], v[3 * k + 2], 1e-6);
        }
        CHECK_NEAR(along, sqrt(size), 1e-5);
        CHECK_NEAR(off, 0, 1e-5);
        recon_so3_to_matrix(want, recon_molecule_frame_of(v));
        for (size_t k = 0; k < 9; k++)
            CHECK_NEAR(m[k], want[k], 1e-6);
    }
}

static void frames_rotate_with_their_vectors(void **state)
{
    recon_ctx *ctx = *state;
    double y[9 * N], rotated[9 * N], r[2][9 * N], shift[3 * N], h[9];
    recon_rng rng = recon_rng_new(4, 0);
    recon_so3 rotation = recon_so3_haar(&rng);
    recon_so3_to_matrix(h, rotation);
    random_vectors(y, 1);
    for (size_t i = 0; i < 27 * N; i++) {
        size_t row = i / 9 % 3, column = i / 3 % 3, k = i % 3, at = i / 27 * 9;
        rotated[at + 3 * row + column] =
            (k ? rotated[at + 3 * row + column] : 0) + h[3 * row + k] * y[at + 3 * k + column];
    }
    frames(ctx, r[0], shift, y);
    frames(ctx, r[1], shift, rotated);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(
            recon_so3_distance(recon_so3_compose(rotation, recon_so3_from_matrix(r[0] + 9 * i)),
                               recon_so3_from_matrix(r[1] + 9 * i)),
            0, 1e-5);
}

static void vectors_without_a_frame_still_give_a_rotation(void **state)
{
    static const double none[][9] = { { 0 },
                                      { 1, 2, 0, 0, 0, 0, 0, 0, 0 },
                                      { 0, 1, 0, 0, 1, 0, 0, 1, 0 },
                                      { NAN, 1, 0, 0, 1, 0, 0, 1, 0 } };
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        double m[9];
        recon_so3_to_matrix(m, recon_molecule_frame_of(none[i]));
        CHECK_LESS(recon_so3_matrix_error(m), 1e-12);
    }
}

/* --- gradients -------------------------------------------------------------------------------- */

static void constants(double *cross, double *act)
{
    memset(cross, 0, 27 * sizeof *cross);
    memset(act, 0, 81 * sizeof *act);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            size_t k = 3 - i - j;
            if (i != j)
                cross[9 * i + 3 * j + k] = (j + 3 - i) % 3 == 1 ? 1 : -1;
            act[27 * i + 3 * (3 * j + i) + j] = 1;
        }
}

/* R x + t of three points each, and how far R is from another set of rotations. */
static recon_var posed(recon_tape *t, void *user, const recon_var *x)
{
    recon_molecule_tables tables = { x[1], x[2] };
    recon_var r, shift, apart, moved;
    (void)user;
    recon_molecule_frame(t, &tables, x[0], &r, &shift);
    moved =
        recon_var_reshape(t, recon_molecule_act(t, &tables, r, x[3]), (size_t[]){ 1, 9 * N }, 2);
    apart = recon_var_reshape(t, recon_molecule_apart(t, r, x[4], x[5]), (size_t[]){ 1, 1 }, 2);
    shift = recon_var_reshape(t, shift, (size_t[]){ 1, 3 * N }, 2);
    return recon_var_concat(t, (recon_var[]){ moved, shift, apart }, 3);
}

static void gradients_are_right(void **state)
{
    recon_ctx *ctx = *state;
    double y[9 * N], cross[27], act[81], points[9 * N], other[9 * N], weight[N], error;
    recon_rng rng = recon_rng_new(8, 0);
    random_vectors(y, 2);
    random_vectors(points, 3);
    constants(cross, act);
    for (size_t i = 0; i < N; i++) {
        recon_so3_to_matrix(other + 9 * i, recon_so3_haar(&rng));
        weight[i] = recon_rng_uniform(&rng);
    }
    const recon_check_input x[] = {
        { RECON_F64, 3, { N, 3, 3 }, y, 0 },   { RECON_F64, 3, { 3, 3, 3 }, cross, 1 },
        { RECON_F64, 3, { 3, 9, 3 }, act, 1 }, { RECON_F64, 3, { N, 3, 3 }, points, 0 },
        { RECON_F64, 2, { N, 9 }, other, 1 },  { RECON_F64, 2, { 1, N }, weight, 1 },
    };
    CHECK_OK(ctx, recon_check_gradient(ctx, &error, posed, NULL, x, 6, NULL, RECON_RECORD));
    CHECK_LESS(error, 1e-6);
}

/* --- comparing -------------------------------------------------------------------------------- */

/* Rotations an angle apart score |sin(angle / 2)|, and r r^T of one's own is the identity. */
static void half_the_sine_of_the_angle(void **state)
{
    recon_ctx *ctx = *state;
    const double axis[3] = { 0.6, 0, 0.8 };
    recon_rng rng = recon_rng_new(6, 0);
    recon_tape *t;
    recon_molecule_tables tables;
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    for (double angle = 0; angle < 3.1; angle += 0.5) {
        recon_so3 a = recon_so3_haar(&rng);
        recon_so3 b = recon_so3_compose(recon_so3_from_axis_angle(axis, angle), a);
        double p[9], q[9], got;
        float x[9], y[9], eye[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, one = 1;
        recon_so3_to_matrix(p, a);
        recon_so3_to_matrix(q, b);
        for (size_t i = 0; i < 9; i++) {
            x[i] = (float)p[i];
            y[i] = (float)q[i];
        }
        CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
        CHECK_OK(ctx, recon_molecule_tables_feed(t, &tables));
        recon_var u = recon_var_input(t, x, RECON_F32, (size_t[]){ 1, 3, 3 }, 3);
        recon_var v = recon_var_input(t, y, RECON_F32, (size_t[]){ 1, 9 }, 2);
        recon_var w = recon_var_input(t, &one, RECON_F32, (size_t[]){ 1, 1 }, 2);
        recon_var e = recon_var_input(t, eye, RECON_F32, (size_t[]){ 1, 9 }, 2);
        u = recon_var_reshape(t, recon_molecule_act(t, &tables, v, u), (size_t[]){ 1, 9 }, 2);
        CHECK_OK(ctx, recon_var_read(t, &got, recon_molecule_apart(t, u, e, w)));
        CHECK_NEAR(got, sin(angle / 2), 1e-6);
    }
    recon_tape_free(t);
}

static int ref_setup(void **state)
{
    return check_setup(state) || recon_ops_attach(*state, "ref") != RECON_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_come_from_the_vectors),
        cmocka_unit_test(frames_rotate_with_their_vectors),
        cmocka_unit_test(vectors_without_a_frame_still_give_a_rotation),
        cmocka_unit_test(half_the_sine_of_the_angle),
        cmocka_unit_test_setup_teardown(gradients_are_right, ref_setup, check_teardown),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
