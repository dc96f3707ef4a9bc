/* frame.c - proper singular values from one 4x4 eigenproblem. See so3/frame.h for why. */
#include "group/so3/frame.h"

#include <math.h>
#include "core/simd.h"
#include "stats/eig4.h"
#include "group/so3/so3.h"

#define UNIT 1e-6 /* how far a squared length may be from 1: float quaternions pass */

static inline double square(recon_so3 q)
{
    return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
}

RECON_CLONES
static size_t count_bad(const recon_so3 *samples, size_t n)
{
    size_t bad = 0;
    for (size_t i = 0; i < n; i++)
        bad += !(fabs(square(samples[i]) - 1) <= UNIT);
    return bad;
}

recon_status recon_so3_check(recon_ctx *ctx, const recon_so3 *samples, size_t n, size_t first)
{
    if (count_bad(samples, n) == 0)
        return RECON_OK;
    size_t at = 0;
    while (fabs(square(samples[at]) - 1) <= UNIT)
        at++;
    return recon_fail(ctx, RECON_ERR_INPUT, "rotation %zu: quaternion of length %g, not 1",
                      first + at, sqrt(square(samples[at])));
}

void recon_so3_moment_add(double m[10], recon_so3 q, double weight)
{
    const double v[4] = { q.w, q.x, q.y, q.z };
    for (int i = 0, at = 0; i < 4; i++)
        for (int j = i; j < 4; j++)
            m[at++] += weight * v[i] * v[j];
}

void recon_so3_moment_of_matrix(double m[10], const double f[9])
{
    const double entry[10] = { f[0] + f[4] + f[8], f[7] - f[5],        f[2] - f[6],
                               f[3] - f[1],        f[0] - f[4] - f[8], f[1] + f[3],
                               f[2] + f[6],        f[4] - f[0] - f[8], f[5] + f[7],
                               f[8] - f[0] - f[4] };
    for (int i = 0; i < 10; i++)
        m[i] = entry[i] / 4;
}

static recon_so3 quaternion(const double v[4])
{
    return recon_so3_normalize((recon_so3){ v[0], v[1], v[2], v[3] });
}

/* The vector part of p^-1 q; the real part vanishes for orthogonal p and q. */
static void seen_from(double out[3], const double p[4], const double q[4])
{
    out[0] = p[0] * q[1] - p[1] * q[0] - p[2] * q[3] + p[3] * q[2];
    out[1] = p[0] * q[2] - p[2] * q[0] - p[3] * q[1] + p[1] * q[3];
    out[2] = p[0] * q[3] - p[3] * q[0] - p[1] * q[2] + p[2] * q[1];
}

static double determinant(double v[3][3])
{
    return v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) -
           v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
           v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
}

void recon_so3_frame_of(recon_so3_frame *out, const double m[10])
{
    recon_eig4 e;
    recon_eig4_of(&e, m);
    out->mode = quaternion(e.vector[0]);
    out->second = quaternion(e.vector[1]);
    out->singular[0] = (e.value[0] - e.value[3]) + (e.value[1] - e.value[2]);
    out->singular[1] = (e.value[0] - e.value[3]) - (e.value[1] - e.value[2]);
    out->singular[2] = (e.value[0] - e.value[1]) - (e.value[2] - e.value[3]);
    for (int k = 0; k < 3; k++)
        seen_from(out->body[k], e.vector[0], e.vector[k + 1]);
    if (determinant(out->body) < 0)
        for (int i = 0; i < 3; i++)
            out->body[2][i] = -out->body[2][i];
}

void recon_so3_frame_matrix(double f[9], const recon_so3_frame *frame, const double s[3])
{
    for (int i = 0; i < 9; i++)
        f[i] = 0;
    for (int k = 0; k < 3; k++) {
        double world[3];
        recon_so3_act(world, frame->mode, frame->body[k]);
        for (int i = 0; i < 9; i++)
            f[i] += s[k] * world[i / 3] * frame->body[k][i % 3];
    }
}

double recon_so3_trace(const double f[9], recon_so3 g)
{
    double r[9], sum = 0;
    recon_so3_to_matrix(r, g);
    for (int i = 0; i < 9; i++)
        sum += f[i] * r[i];
    return sum;
}

recon_so3 recon_so3_toward(recon_so3 p, recon_so3 q, double t)
{
    double sign = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0 ? -1 : 1;
    double half = recon_so3_distance(p, q) / 2;
    double u = half > 1e-6 ? sin((1 - t) * half) : 1 - t;
    double v = sign * (half > 1e-6 ? sin(t * half) : t);
    return recon_so3_normalize(
        (recon_so3){ u * p.w + v * q.w, u * p.x + v * q.x, u * p.y + v * q.y, u * p.z + v * q.z });
}
