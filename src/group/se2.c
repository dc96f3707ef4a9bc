/* se2.c - rigid motions of the plane. */
#include <recon/group/se2.h>

#include <math.h>

recon_se2 recon_se2_identity(void)
{
    return (recon_se2){ 0, { 0, 0 } };
}

recon_se2 recon_se2_compose(recon_se2 a, recon_se2 b)
{
    recon_se2 out = { .angle = recon_so2_compose(a.angle, b.angle) };
    recon_se2_act(out.t, a, b.t);
    return out;
}

recon_se2 recon_se2_inverse(recon_se2 a)
{
    recon_se2 out = { .angle = recon_so2_inverse(a.angle) };
    recon_so2_act(out.t, out.angle, (const double[]){ -a.t[0], -a.t[1] });
    return out;
}

void recon_se2_act(double out[2], recon_se2 a, const double x[2])
{
    recon_se2_act_n(out, a, x, 1);
}

void recon_se2_act_n(double *out, recon_se2 a, const double *x, size_t n)
{
    double c = cos(a.angle), s = sin(a.angle);
    for (size_t i = 0; i < n; i++) {
        double px = x[2 * i], py = x[2 * i + 1];
        out[2 * i] = c * px - s * py + a.t[0];
        out[2 * i + 1] = s * px + c * py + a.t[1];
    }
}

void recon_se2_compose_n(recon_se2 *out, const recon_se2 *a, const recon_se2 *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = recon_se2_compose(a[i], b[i]);
}

void recon_se2_inverse_n(recon_se2 *out, const recon_se2 *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = recon_se2_inverse(a[i]);
}
