/* molecule_frame.c - Gram-Schmidt and what follows from it, composed of operations of the tape. */
#include "backbone/molecule_frame.h"

#include <math.h>

recon_status recon_molecule_tables_feed(recon_tape *t, recon_molecule_tables *out)
{
    float cross[27] = { 0 }, act[81] = { 0 };
    for (size_t i = 0; i < 3; i++) {
        size_t j = (i + 1) % 3, k = (i + 2) % 3;
        cross[(i * 3 + j) * 3 + k] = 1;
        cross[(j * 3 + i) * 3 + k] = -1;
        for (size_t row = 0; row < 3; row++)
            act[(i * 9 + 3 * row + i) * 3 + row] = 1;
    }
    out->cross = recon_var_constant(t, cross, RECON_F32, (size_t[]){ 3, 3, 3 }, 3);
    out->act = recon_var_constant(t, act, RECON_F32, (size_t[]){ 3, 9, 3 }, 3);
    return recon_tape_status(t);
}

static recon_var shaped(recon_tape *t, recon_var x, size_t a, size_t b, size_t c)
{
    return recon_var_reshape(t, x, (size_t[]){ a, b, c }, c ? 3 : 2);
}

static recon_var column(recon_tape *t, recon_var y, size_t n, size_t which)
{
    return shaped(t, recon_var_columns(t, y, which, 1), n, 3, 0);
}

/* b less its part along the unit vectors a. */
static recon_var without(recon_tape *t, recon_var b, recon_var a, size_t n)
{
    recon_var along = recon_var_sum(t, recon_var_mul(t, a, b), 1);
    along = shaped(t, along, n, 1, 0);
    return recon_var_blend(t, 1, b, -1, recon_var_gate(t, a, along, 3));
}

void recon_molecule_frame(recon_tape *t, const recon_molecule_tables *tables, recon_var y,
                          recon_var *r, recon_var *shift)
{
    size_t n = y ? recon_var_shape(y, NULL)[0] : 0;
    recon_var a = recon_var_unit(t, column(t, y, n, 0));
    recon_var b = recon_var_unit(t, without(t, column(t, y, n, 1), a, n));
    recon_var c = recon_var_tensor_product(t, shaped(t, a, n, 1, 3), b, tables->cross);
    recon_var columns[] = { shaped(t, a, n, 3, 1), shaped(t, b, n, 3, 1), shaped(t, c, n, 3, 1) };
    *r = shaped(t, recon_var_concat(t, columns, 3), n, 9, 0);
    *shift = column(t, y, n, 2);
}

recon_var recon_molecule_act(recon_tape *t, const recon_molecule_tables *tables, recon_var r,
                             recon_var x)
{
    return recon_var_tensor_product(t, x, r, tables->act);
}

recon_var recon_molecule_apart(recon_tape *t, recon_var r, recon_var s, recon_var weight)
{
    recon_var off = recon_var_blend(t, 1, r, -1, s);
    recon_var length = recon_var_sum(t, recon_var_mul(t, off, recon_var_unit(t, off)), 1);
    size_t n = length ? recon_var_count(length) : 0;
    weight = recon_var_reshape(t, weight, (size_t[]){ n }, 1);
    length = recon_var_sum(t, recon_var_mul(t, length, weight), 0);
    length = recon_var_reshape(t, length, (size_t[]){ 1 }, 1);
    return recon_var_scale(t, 1 / (2 * M_SQRT2), length);
}

/* --- on the host ------------------------------------------------------------------------------ */

static double scaled(double v[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++)
        v[k] /= length;
    return length;
}

/* b less its part along a, of length one; 0 when too little is left to be a direction. */
static int perpendicular(double out[3], const double a[3], const double b[3])
{
    double before = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    double along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (int k = 0; k < 3; k++)
        out[k] = b[k] - along * a[k];
    return scaled(out) > 1e-12 * before;
}

recon_so3 recon_molecule_frame_of(const double y[9])
{
    double a[3] = { y[0], y[3], y[6] }, b[3] = { y[1], y[4], y[7] }, c[3], m[9];
    if (!(scaled(a) > 0))
        a[0] = 1, a[1] = a[2] = 0;
    if (!perpendicular(c, a, b)) {
        size_t least = fabs(a[0]) < fabs(a[1]) ? 0 : 1;
        double axis[3] = { 0 };
        axis[fabs(a[2]) < fabs(a[least]) ? 2 : least] = 1;
        perpendicular(c, a, axis);
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        m[3 * k] = a[k];
        m[3 * k + 1] = c[k];
        m[3 * k + 2] = a[i] * c[j] - a[j] * c[i];
    }
    return recon_so3_from_matrix(m);
}
