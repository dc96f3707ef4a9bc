/* Harmonics with a rotation undone on the tape: what recon_wigner says, and a gradient that is right. */
#include "check.h"

#include "lab/rival_segnn.h"

#include <recon/group/harmonics.h>
#include "harmonics.h"
#include "gradients.h"

enum { N = 3, ROWS = 5 };
static const int32_t owner[ROWS] = { 0, 0, 1, 2, 2 }, order[ROWS] = { 0, 1, 2, 3, 4 },
                     start[N + 1] = { 0, 2, 3, 5 };

static void draw(double *harmonics, double *r, recon_so3 *g)
{
    recon_rng rng = recon_rng_new(4, 0);
    for (size_t i = 0; i < N; i++) {
        g[i] = recon_so3_haar(&rng);
        recon_so3_to_matrix(r + 9 * i, g[i]);
    }
    for (size_t i = 0; i < ROWS * RECON_HARMONICS; i++)
        harmonics[i] = recon_rng_normal(&rng);
}

/* x: harmonics, r, owner, order, start. */
static recon_var undone(recon_tape *t, void *user, const recon_var *x)
{
    undo_tables tables;
    if (undo_tables_feed(user, t, &tables) != RECON_OK)
        return NULL;
    return undo_rotation(t, &tables, x[0], x[1], &(undo_rows){ x[2], x[3], x[4] });
}

static void harmonics_are_rotated_back(void **state)
{
    recon_ctx *ctx = *state;
    double harmonics[ROWS * RECON_HARMONICS], r[9 * N], got[ROWS * RECON_HARMONICS],
        want[RECON_HARMONICS];
    float in[ROWS * RECON_HARMONICS], rotation[9 * N];
    recon_so3 g[N];
    recon_tape *t;
    const size_t rows = ROWS, starts = N + 1;
    draw(harmonics, r, g);
    for (size_t i = 0; i < ROWS * RECON_HARMONICS; i++)
        in[i] = (float)harmonics[i];
    for (size_t i = 0; i < 9 * N; i++)
        rotation[i] = (float)r[i];
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    const recon_var x[] = {
        recon_var_input(t, in, RECON_F32, (size_t[]){ ROWS, RECON_HARMONICS }, 2),
        recon_var_input(t, rotation, RECON_F32, (size_t[]){ N, 9 }, 2),
        recon_var_input(t, owner, RECON_I32, &rows, 1),
        recon_var_input(t, order, RECON_I32, &rows, 1),
        recon_var_input(t, start, RECON_I32, &starts, 1),
    };
    CHECK_OK(ctx, recon_var_read(t, got, undone(t, ctx, x)));
    for (size_t i = 0; i < ROWS; i++) {
        const double *row = harmonics + i * RECON_HARMONICS;
        want[0] = row[0];
        for (int l = 1; l < RECON_DEGREES; l++) {
            double d[49];
            size_t m = 2 * (size_t)l + 1, from = (size_t)(l * l);
            CHECK_OK(ctx, recon_wigner(ctx, d, l, recon_so3_inverse(g[owner[i]])));
            for (size_t a = 0; a < m; a++) {
                want[from + a] = 0;
                for (size_t b = 0; b < m; b++)
                    want[from + a] += d[a * m + b] * row[from + b];
            }
        }
        for (size_t k = 0; k < RECON_HARMONICS; k++)
            CHECK_NEAR(got[i * RECON_HARMONICS + k], want[k], 1e-5);
    }
    recon_tape_free(t);
}

static void its_gradient_is_right(void **state)
{
    recon_ctx *ctx = *state;
    double harmonics[ROWS * RECON_HARMONICS], r[9 * N], error;
    recon_so3 g[N];
    draw(harmonics, r, g);
    const recon_check_input x[] = {
        { RECON_F64, 2, { ROWS, RECON_HARMONICS }, harmonics, 0 },
        { RECON_F64, 2, { N, 9 }, r, 0 },
        { RECON_I32, 1, { ROWS }, owner, 1 },
        { RECON_I32, 1, { ROWS }, order, 1 },
        { RECON_I32, 1, { N + 1 }, start, 1 },
    };
    CHECK_OK(ctx, recon_check_gradient(ctx, &error, undone, ctx, x, 5, NULL, RECON_RECORD));
    CHECK_LESS(error, 1e-6);
}

static int ref_setup(void **state)
{
    return check_setup(state) || recon_ops_attach(*state, "ref") != RECON_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(harmonics_are_rotated_back),
        cmocka_unit_test_setup_teardown(its_gradient_is_right, ref_setup, check_teardown),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
