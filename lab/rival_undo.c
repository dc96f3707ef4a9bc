/* rival_undo.c - see rival_undo.h. */
#include "lab/rival_undo.h"
#include "core/fail.h"
#include "core/memory.h"
#include "nn/tape.h"

#include <recon/group/clebsch_gordan.h>
#include <stdlib.h>

enum { LARGEST = 25 * 9 * 49 }; /* numbers of a table */

/* --- constants -------------------------------------------------------------------------------- */

static recon_var constant(recon_tape *t, const double *values, float *room, size_t i, size_t j,
                          size_t k)
{
    const size_t shape[3] = { i, j, k };
    if (t->precision == RECON_DOUBLE)
        return recon_var_input(t, values, RECON_F64, shape, 3);
    for (size_t at = 0; at < i * j * k; at++)
        room[at] = (float)values[at];
    return recon_var_input(t, room, RECON_F32, shape, 3);
}

/* [m m][9][k k], m and k the sizes of degrees l and l + 1: matrices row-major. C is scaled so that its
 * squares add up to 1, and k of them to one for each component. */
static void fill_raise(double *out, int l)
{
    double c[5 * 3 * 7];
    size_t m = 2 * (size_t)l + 1, k = m + 2, at = 0;
    recon_clebsch_gordan(c, l, 1, l + 1);
    for (size_t a = 0; a < m * m; a++)
        for (size_t b = 0; b < 9; b++)
            for (size_t d = 0; d < k * k; d++)
                out[at++] = (double)k * c[(a / m * 3 + b / 3) * k + d / k] *
                            c[(a % m * 3 + b % 3) * k + d % k];
}

/* [m][m m][m]: component j of the result is the sum over i of D[i][j] x[i]. */
static void fill_undo(double *out, int l)
{
    size_t m = 2 * (size_t)l + 1;
    for (size_t at = 0; at < m * m * m * m; at++)
        out[at] = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            out[(i * m * m + i * m + j) * m + j] = 1;
}

recon_status undo_tables_feed(recon_ctx *ctx, recon_tape *t, undo_tables *out)
{
    double *values = NULL;
    float *room = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &values, LARGEST, sizeof *values));
    RECON_TRY(recon_alloc_raw(ctx, &room, LARGEST, sizeof *room));
    for (int l = 1; l < RECON_DEGREES; l++) {
        size_t m = 2 * (size_t)l + 1, k = m + 2;
        fill_undo(values, l);
        out->undo[l - 1] = constant(t, values, room, m, m * m, m);
        if (l + 1 == RECON_DEGREES)
            break;
        fill_raise(values, l);
        out->raise[l - 1] = constant(t, values, room, m * m, 9, k * k);
    }
    status = recon_tape_status(t);
done:
    free(room);
    free(values);
    return status;
}

/* --- applied ---------------------------------------------------------------------------------- */

/* Of one degree, whose components begin at `from`: d [n][m m]. */
static recon_var undo_degree(recon_tape *t, recon_var table, recon_var harmonics, recon_var d,
                             const undo_rows *rows, size_t from, size_t m)
{
    size_t n = recon_var_shape(harmonics, NULL)[0];
    recon_var x = recon_var_columns(t, harmonics, from, m);
    d = recon_var_gather(t, d, rows->owner, rows->order, rows->start);
    x = recon_var_reshape(t, x, (const size_t[]){ n, 1, m }, 3);
    return recon_var_reshape(t, recon_var_tensor_product(t, x, d, table), (const size_t[]){ n, m },
                             2);
}

recon_var undo_rotation(recon_tape *t, const undo_tables *tables, recon_var harmonics, recon_var r,
                        const undo_rows *rows)
{
    recon_var part[RECON_DEGREES], d = r;
    if (!harmonics || !r)
        return NULL;
    size_t n = recon_var_shape(r, NULL)[0];
    part[0] = recon_var_columns(t, harmonics, 0, 1);
    for (size_t l = 1; l < RECON_DEGREES; l++) {
        size_t m = 2 * l + 1, k = m + 2;
        part[l] = undo_degree(t, tables->undo[l - 1], harmonics, d, rows, l * l, m);
        if (l + 1 == RECON_DEGREES)
            break;
        d = recon_var_reshape(t, d, (const size_t[]){ n, 1, m * m }, 3);
        d = recon_var_reshape(t, recon_var_tensor_product(t, d, r, tables->raise[l - 1]),
                              (const size_t[]){ n, k * k }, 2);
    }
    return recon_var_concat(t, part, RECON_DEGREES);
}
