/* fisher_gauge.c - the rotation nearest the identity among equally good centres.
 *
 * log p(q) is a quadratic form of the quaternion q (so3/frame.h), so that the centres that are
 * equally good are the unit quaternions of the space that its top eigenvectors span. The nearest
 * to the identity there is the identity's shadow, made unit length. */
#include "group/so3/fisher.h"
#include "group/so3/so3.h"

#define NO_SHADOW 1e-12 /* the identity is at a right angle to all of them */

int recon_fisher_free(const recon_fisher *fisher)
{
    const double *s = fisher->singular;
    const double concentration[3] = { s[1] + s[2], s[0] + s[2], s[0] + s[1] }; /* rising */
    int free = 0;
    while (free < 3 && concentration[free] < RECON_FISHER_LOOSE)
        free++;
    return free;
}

/* The eigenvectors are the mode and the mode after half turns about the body's axes. */
static recon_so3 eigenvector(const recon_fisher *fisher, int k)
{
    const recon_so3 q = fisher->mode;
    if (k == 0)
        return q;
    const double *b = fisher->body[k - 1];
    return (recon_so3){ -q.x * b[0] - q.y * b[1] - q.z * b[2], q.w * b[0] + q.y * b[2] - q.z * b[1],
                        q.w * b[1] + q.z * b[0] - q.x * b[2],
                        q.w * b[2] + q.x * b[1] - q.y * b[0] };
}

recon_so3 recon_fisher_gauge(const recon_fisher *fisher, int free_directions)
{
    recon_so3 sum = { 0, 0, 0, 0 };
    if (free_directions == 0)
        return fisher->mode;
    for (int k = 0; k <= free_directions; k++) {
        recon_so3 v = eigenvector(fisher, k);
        sum.w += v.w * v.w;
        sum.x += v.w * v.x;
        sum.y += v.w * v.y;
        sum.z += v.w * v.z;
    }
    return sum.w > NO_SHADOW ? recon_so3_normalize(sum) : fisher->mode;
}

void recon_fisher_axes(double body[3], double world[3], const recon_fisher *fisher)
{
    for (int i = 0; i < 3; i++)
        body[i] = fisher->body[0][i];
    recon_so3_act(world, fisher->mode, body);
}

void recon_fisher_center(double out[9], const double f[9], recon_so3 g)
{
    double r[9], product[9];
    recon_so3_to_matrix(r, g);
    for (int i = 0; i < 9; i++) {
        const double *row = f + i / 3 * 3,
                     *rotated = r + i % 3 * 3; /* a row of g: a column of g^-1 */
        product[i] = row[0] * rotated[0] + row[1] * rotated[1] + row[2] * rotated[2];
    }
    for (int i = 0; i < 9; i++)
        out[i] = product[i];
}
