/* harmonics.c - real spherical harmonics as polynomials. */
#include <recon/group/harmonics.h>

#include <math.h>
#include <string.h>

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

void recon_harmonics_row(double out[RECON_HARMONICS], const double v[3])
{
    double u[3];
    memset(out, 0, RECON_HARMONICS * sizeof *out);
    out[0] = 1;
    if (!direction(u, v))
        return;
    const double x = u[0], y = u[1], z = u[2], xx = x * x, yy = y * y, zz = z * z;
    const double s3 = sqrt(3), s5 = sqrt(5), s7 = sqrt(7), s15 = sqrt(15);
    const double s105 = sqrt(105), s42 = sqrt(42) / 4, s70 = sqrt(70) / 4;
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
