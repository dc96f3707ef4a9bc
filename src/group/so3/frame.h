/* frame.h - singular values and modes of 3x3 matrices, computed with quaternions.
 *
 * A rotation matrix is linear in q q^T, so that a mean rotation M is a mean of q q^T, and tr(F^T R)
 * is a quadratic form q^T K q. The eigenvectors of that 4x4 matrix give the proper singular value
 * decomposition M = U diag(d) V^T: U, V rotations, d0 >= d1 >= |d2|, the last with M's sign. With
 * eigenvalues a0 >= a1 >= a2 >= a3
 *
 *   d0 = a0 + a1 - a2 - a3    d1 = a0 - a1 + a2 - a3    d2 = a0 - a1 - a2 + a3,
 *
 * the top eigenvector is U V^T, and the others, relative to it, are the columns of V. */
#ifndef GROUP_SO3_FRAME_H
#define GROUP_SO3_FRAME_H

#include <recon/group/so3.h>

typedef struct {
    recon_so3 mode;     /* U V^T: the rotation nearest to M */
    double singular[3]; /* proper: only the last may be negative */
    double body[3][3];  /* body[k] is column k of V, det V = 1 */
    recon_so3 second; /* the second eigenvector: the direction in which the mean is least certain */
} recon_so3_frame;

/* RECON_ERR_INPUT unless all n are unit quaternions; the message counts from first. */
recon_status recon_so3_check(recon_ctx *ctx, const recon_so3 *samples, size_t n, size_t first);

/* m += weight * q q^T, the upper triangle. */
void recon_so3_moment_add(double m[10], recon_so3 q, double weight);

/* The same triangle for a matrix: q^T m q = tr(F^T R(q)) / 4. */
void recon_so3_moment_of_matrix(double m[10], const double f[9]);

void recon_so3_frame_of(recon_so3_frame *out, const double m[10]);

/* U diag(s) V^T, row-major, for other values s in the same frame. */
void recon_so3_frame_matrix(double f[9], const recon_so3_frame *frame, const double s[3]);

/* The rotation at a fraction t of the geodesic from p to q. */
recon_so3 recon_so3_toward(recon_so3 p, recon_so3 q, double t);

/* tr(F^T R(g)). */
double recon_so3_trace(const double f[9], recon_so3 g);

/* --- Descent to a Frechet or a Tukey mean */

/* A point with its loss: the sum of half the squared distances, or of Tukey's m(distance; c). */
typedef struct {
    recon_so3 at;
    double loss;
    double step[3];  /* the Newton step to the minimum */
    double farthest; /* distance of the farthest sample */
} recon_so3_descent;

/* Samples with weights; NULL: all have the weight 1. */
typedef struct {
    const recon_so3 *g;
    const double *weight;
    size_t n;
} recon_so3_samples;

/* c = 0: the Frechet loss. */
recon_so3_descent recon_so3_probe(recon_so3 at, const recon_so3_samples *s, double c);
recon_so3_descent recon_so3_descend(recon_so3 from, const recon_so3_samples *s, double c);

/* Returns whether a has the lower loss, or, within tie, is nearer the identity. */
int recon_so3_better(const recon_so3_descent *a, const recon_so3_descent *b, double tie);

/* The Frechet mean of samples with this frame. */
recon_so3 recon_so3_frechet(const recon_so3_frame *frame, const recon_so3_samples *s);

/* The rotation at an angle from the mode on the circle through mode and second, which is the ring
 * if there is one; and the angle where that circle is closest to a rotation. */
recon_so3 recon_so3_on_circle(const recon_so3_frame *frame, double angle);
double recon_so3_along_circle(const recon_so3_frame *frame, recon_so3 g);

#define RECON_SO3_SAME 1e-9 /* losses this close (relative) tie */

#endif
