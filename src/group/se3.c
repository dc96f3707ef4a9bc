/* se3.c - rigid motions of three-space. */
#include "group/se3.h"
#include "group/so3/so3.h"

recon_se3 recon_se3_about(recon_so3 r, const double center[3])
{
    recon_se3 out = { .r = r };
    recon_so3_act(out.t, r, center);
    for (int k = 0; k < 3; k++)
        out.t[k] = center[k] - out.t[k];
    return out;
}

void recon_se3_act(double out[3], recon_se3 a, const double x[3])
{
    recon_se3_act_n(out, a, x, 1);
}

void recon_se3_act_n(double *out, recon_se3 a, const double *x, size_t n)
{
    recon_so3_act_n(out, a.r, x, n);
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] += a.t[k];
}
