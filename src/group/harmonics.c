/* harmonics.c - real spherical harmonics, by recursion and as polynomials.
 *
 * The recursion carries K_l^m = sqrt((2l+1) (2 - [m = 0]) (l-m)!/(l+m)!) P_l^m(y) / sin^m, which is
 * a polynomial in y, and (z + i x)^m = sin^m exp(i m a): no factorials, no angles, and nothing
 * singular at the poles. */
#include <recon/group/harmonics.h>

#include <math.h>

/* Scaled by the largest entry first: squares of 1e-200 would vanish. Returns 0 for
 * the zero vector. */
static int direction(double u[3], const double v[3])
{
    if (v[0] == 0 && v[1] == 0 && v[2] == 0)
        return 0;
    double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2]))); /* 0 beside a NaN */
    double x = v[0] / largest, y = v[1] / largest, z = v[2] / largest;
    double n = sqrt(x * x + y * y + z * z);
    u[0] = x / n, u[1] = y / n, u[2] = z / n;
    return 1;
}

static void no_direction(double *out, int count)
{
    out[0] = 1;
    for (int k = 1; k < count; k++)
        out[k] = 0;
}

/* Order m of degrees m .. lmax: c and s are real and imaginary part of (z + i x)^m, k is K_m^m. */
static void one_order(double *out, int lmax, int m, double y, double k, double c, double s)
{
    double before = 0, now = k;
    for (int l = m; l <= lmax; l++) {
        double *middle = out + l * l + l;
        if (m > 0)
            middle[-m] = now * s;
        middle[m] = now * c;
        double n = l + 1, mm = (double)m * m, ll = (double)l * l;
        double up = sqrt((4 * n * n - 1) / (n * n - mm));
        double back = l > m ? sqrt((ll - mm) / (4 * ll - 1)) : 0;
        double next = up * (y * now - back * before);
        before = now, now = next;
    }
}

void recon_harmonics(double *out, int lmax, const double v[3])
{
    double u[3], k = 1, c = 1, s = 0;
    if (!direction(u, v)) {
        no_direction(out, (lmax + 1) * (lmax + 1));
        return;
    }
    for (int m = 0; m <= lmax; m++) {
        one_order(out, lmax, m, u[1], k, c, s);
        double turned = c * u[2] - s * u[0];
        s = c * u[0] + s * u[2];
        c = turned;
        k *= sqrt((2 * m + 3.0) / (2 * m + 2.0)) * (m == 0 ? sqrt(2) : 1);
    }
}

void recon_harmonics_row(double out[RECON_HARMONICS], const double v[3])
{
    double u[3];
    if (!direction(u, v)) {
        no_direction(out, RECON_HARMONICS);
        return;
    }
    const double x = u[0], y = u[1], z = u[2], xx = x * x, yy = y * y, zz = z * z;
    const double s3 = sqrt(3), s5 = sqrt(5), s7 = sqrt(7), s15 = sqrt(15);
    const double s105 = sqrt(105), s42 = sqrt(42) / 4, s70 = sqrt(70) / 4;
    out[0] = 1;
    out[1] = s3 * x;
    out[2] = s3 * y;
    out[3] = s3 * z;
    out[4] = s15 * x * z;
    out[5] = s15 * x * y;
    out[6] = s5 * (yy - 0.5 * (xx + zz));
    out[7] = s15 * y * z;
    out[8] = 0.5 * s15 * (zz - xx);
    out[9] = s70 * x * (3 * zz - xx);
    out[10] = s105 * x * y * z;
    out[11] = s42 * x * (4 * yy - xx - zz);
    out[12] = 0.5 * s7 * y * (2 * yy - 3 * (xx + zz));
    out[13] = s42 * z * (4 * yy - xx - zz);
    out[14] = 0.5 * s105 * y * (zz - xx);
    out[15] = s70 * z * (zz - 3 * xx);
}
