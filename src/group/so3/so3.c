/* so3.c - rotations of three-space as unit quaternions.
 *
 * Angles come from atan2 and never from acos, which loses half the digits near 0 and near pi. The
 * loops over n call the same inline code as the functions for one, and are not cloned for wider
 * vectors: fused multiply-adds would make the answer depend on the machine. */
#include "group/so3/so3.h"
#include <recon/group/so3.h>

#include <math.h>

/* sin x = x and cos x = 1 to rounding below this, and a quotient by x may underflow. */
#define TINY_ANGLE 1e-8

/* fmax answers for NaN too, and pays for it with a call. */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Scaled by a power of two, which costs no digit: squares of 1e-300 would vanish. */
static inline double norm4(double w, double x, double y, double z)
{
    double largest = larger(larger(fabs(w), fabs(x)), larger(fabs(y), fabs(z)));
    double up = largest < 0x1p-300 ? 0x1p600 : largest > 0x1p300 ? 0x1p-600 : 1;
    w *= up, x *= up, y *= up, z *= up;
    return sqrt(w * w + x * x + y * y + z * z) / up;
}

static inline double norm3(double x, double y, double z)
{
    return norm4(0, x, y, z);
}

static inline recon_so3 scaled(recon_so3 q, double s)
{
    return (recon_so3){ s * q.w, s * q.x, s * q.y, s * q.z };
}

/* Of q and -q the one with w >= 0. */
static inline recon_so3 upper(recon_so3 q)
{
    return scaled(q, q.w < 0 ? -1.0 : 1.0);
}

/* As upper, and for a half turn (w = 0) the one whose first non-zero entry is positive. */
static inline recon_so3 canonical(recon_so3 q)
{
    double first = q.x != 0 ? q.x : q.y != 0 ? q.y : q.z;
    return scaled(q, q.w < 0 || (q.w == 0 && first < 0) ? -1.0 : 1.0);
}

static inline void cross(double out[3], recon_so3 a, const double v[3])
{
    out[0] = a.y * v[2] - a.z * v[1];
    out[1] = a.z * v[0] - a.x * v[2];
    out[2] = a.x * v[1] - a.y * v[0];
}

recon_so3 recon_so3_identity(void)
{
    return (recon_so3){ 1, 0, 0, 0 };
}

recon_so3 recon_so3_normalize(recon_so3 q)
{
    double n = norm4(q.w, q.x, q.y, q.z);
    return upper((recon_so3){ q.w / n, q.x / n, q.y / n, q.z / n });
}

recon_so3 recon_so3_compose(recon_so3 a, recon_so3 b)
{
    /* One Newton step for 1/sqrt of the squared length: it is 1 up to rounding, so that one step
     * takes the drift off, and a product of any length stays on the group. */
    double w = a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z;
    double x = a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y;
    double y = a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x;
    double z = a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w;
    double newton = 1.5 - 0.5 * (w * w + x * x + y * y + z * z);
    return scaled((recon_so3){ w, x, y, z }, w < 0 ? -newton : newton);
}

recon_so3 recon_so3_inverse(recon_so3 a)
{
    return upper((recon_so3){ a.w, -a.x, -a.y, -a.z });
}

double recon_so3_angle(recon_so3 a)
{
    return 2 * atan2(norm3(a.x, a.y, a.z), fabs(a.w));
}

/* Kahan's angle between two unit vectors, 2 atan2(|a - b|, |a + b|), doubled: exact at 0, and
 * accurate to rounding everywhere. The smaller of the two norms goes first since b is also -b. */
double recon_so3_distance(recon_so3 a, recon_so3 b)
{
    double minus = norm4(a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z);
    double plus = norm4(a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z);
    return 4 * (minus < plus ? atan2(minus, plus) : atan2(plus, minus));
}

/* Shoemake, "Uniform random rotations", Graphics Gems III, 1992. */
recon_so3 recon_so3_haar(recon_rng *rng)
{
    double u = recon_rng_uniform(rng);
    double a = 2 * M_PI * recon_rng_uniform(rng), b = 2 * M_PI * recon_rng_uniform(rng);
    double r = sqrt(1 - u), s = sqrt(u);
    return upper((recon_so3){ r * cos(a), r * sin(a), s * cos(b), s * sin(b) });
}

/* v + 2 w (u x v) + 2 u x (u x v), u the vector part. */
static inline void act(double out[3], recon_so3 a, const double v[3])
{
    double t[3], s[3];
    cross(t, a, v);
    cross(s, a, t);
    for (int k = 0; k < 3; k++)
        out[k] = v[k] + 2 * (a.w * t[k] + s[k]);
}

void recon_so3_act(double out[3], recon_so3 a, const double v[3])
{
    act(out, a, v);
}

recon_so3 recon_so3_exp(const double v[3])
{
    double angle = norm3(v[0], v[1], v[2]);
    double s = angle < TINY_ANGLE ? 0.5 : sin(angle / 2) / angle;
    return upper((recon_so3){ cos(angle / 2), s * v[0], s * v[1], s * v[2] });
}

void recon_so3_log(double v[3], recon_so3 a)
{
    recon_so3 q = canonical(a);
    double n = norm3(q.x, q.y, q.z);
    double s = n < TINY_ANGLE ? 2 : 2 * atan2(n, q.w) / n;
    v[0] = s * q.x, v[1] = s * q.y, v[2] = s * q.z;
}

recon_so3 recon_so3_from_axis_angle(const double axis[3], double angle)
{
    double s = sin(angle / 2), n = norm3(axis[0], axis[1], axis[2]);
    return upper(
        (recon_so3){ cos(angle / 2), s * (axis[0] / n), s * (axis[1] / n), s * (axis[2] / n) });
}

void recon_so3_to_axis_angle(double axis[3], double *angle, recon_so3 a)
{
    recon_so3 q = canonical(a);
    double n = norm3(q.x, q.y, q.z);
    *angle = 2 * atan2(n, q.w);
    axis[0] = n > 0 ? q.x / n : 1;
    axis[1] = n > 0 ? q.y / n : 0;
    axis[2] = n > 0 ? q.z / n : 0;
}

static inline void to_matrix(double m[9], recon_so3 a)
{
    double xx = a.x * a.x, yy = a.y * a.y, zz = a.z * a.z;
    double xy = a.x * a.y, xz = a.x * a.z, yz = a.y * a.z;
    double wx = a.w * a.x, wy = a.w * a.y, wz = a.w * a.z;
    m[0] = 1 - 2 * (yy + zz), m[1] = 2 * (xy - wz), m[2] = 2 * (xz + wy);
    m[3] = 2 * (xy + wz), m[4] = 1 - 2 * (xx + zz), m[5] = 2 * (yz - wx);
    m[6] = 2 * (xz - wy), m[7] = 2 * (yz + wx), m[8] = 1 - 2 * (xx + yy);
}

void recon_so3_to_matrix(double m[9], recon_so3 a)
{
    to_matrix(m, a);
}

/* Power iteration on A. The eigenvalues are 4, 0, 0, 0 up to the error e of m, so that the column
 * with the largest diagonal entry, two products further, is off by (e / 4)^3: rounding for float
 * matrices, as for double ones. */
recon_so3 recon_so3_from_matrix(const double m[9])
{
    double A[4][4], q[4], next[4];
    /* The symmetric matrix A = 1 + K, K Davenport's: its top eigenvector is the rotation nearest to
     * m, and A = 4 q q^T where m is a rotation. */
    A[0][0] = 1 + m[0] + m[4] + m[8];
    A[1][1] = 1 + m[0] - m[4] - m[8];
    A[2][2] = 1 - m[0] + m[4] - m[8];
    A[3][3] = 1 - m[0] - m[4] + m[8];
    A[0][1] = A[1][0] = m[7] - m[5];
    A[0][2] = A[2][0] = m[2] - m[6];
    A[0][3] = A[3][0] = m[3] - m[1];
    A[1][2] = A[2][1] = m[1] + m[3];
    A[1][3] = A[3][1] = m[2] + m[6];
    A[2][3] = A[3][2] = m[5] + m[7];
    int best = 0;
    for (int i = 1; i < 4; i++)
        best = A[i][i] > A[best][best] ? i : best;
    for (int i = 0; i < 4; i++)
        q[i] = A[i][best];
    for (int step = 0; step < 2; step++) {
        for (int i = 0; i < 4; i++)
            next[i] = A[i][0] * q[0] + A[i][1] * q[1] + A[i][2] * q[2] + A[i][3] * q[3];
        for (int i = 0; i < 4; i++)
            q[i] = next[i];
    }
    return recon_so3_normalize((recon_so3){ q[0], q[1], q[2], q[3] });
}

double recon_so3_matrix_error(const double m[9])
{
    for (int i = 0; i < 9; i++)
        if (!isfinite(m[i]))
            return INFINITY;
    double det = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                 m[2] * (m[3] * m[7] - m[4] * m[6]);
    if (det < 0)
        return INFINITY;
    double worst = 0;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            const double *a = m + 3 * i, *b = m + 3 * j;
            worst = fmax(worst, fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] - (i == j)));
        }
    return worst;
}

void recon_so3_to_matrix_n(double *m, const recon_so3 *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to_matrix(m + 9 * i, a[i]);
}

void recon_so3_act_n(double *out, recon_so3 a, const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        act(out + 3 * i, a, v + 3 * i);
}
