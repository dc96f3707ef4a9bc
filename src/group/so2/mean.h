/* mean.h - sets of angles: sorting, modes, moments, centre and Tukey mean. */
#ifndef GROUP_SO2_MEAN_H
#define GROUP_SO2_MEAN_H

#include <stddef.h>
#include <recon/core/ctx.h>
#include <recon/group/mean.h>
#include <recon/group/so2_density.h>

/* --- Checking and sorting sets of angles */

/* RECON_ERR_INPUT if k is 0 or an angle is not finite; the message names the first one. */
recon_status recon_so2_check(recon_ctx *ctx, const double *angles /* [sets][k] */, size_t sets,
                             size_t k);

/* The chordal or the Frechet mean of angles with weights, which may be NULL. */
recon_status recon_so2_weighted_mean(recon_ctx *ctx, double *out, const double *angles,
                                     const double *weights, size_t n, int chordal);

/* Wraps n angles. out may be a. */
void recon_so2_wrap_n(double *out, const double *a, size_t n);

/* Wraps angles into (-pi, pi] and sorts them in ascending order. out must not be angles. */
void recon_so2_sort(double *out, const double *angles, size_t n);

/* Returns the index of the angle after the widest gap between sorted ones. */
size_t recon_so2_after_gap(const double *sorted, size_t n);

/* --- The modes of a set of angles */

/* The finest resolution of modes, in radians. */
#define RECON_SO2_RESOLUTION (3.14159265358979323846 / 180)

/* An arc in which the angles are dense, counter-clockwise. */
typedef struct {
    size_t first, last; /* indices of the sorted angles at its ends; last may be before first */
    double from, width; /* the angle where it begins, and its length in radians */
    double center;      /* the mean of its angles, (-pi, pi] */
    double weight;      /* the share of all angles that are nearer to it than to another arc */
} recon_so2_arc;

/* The number of doubles of scratch for n angles. */
size_t recon_so2_modes_scratch(size_t n);

typedef struct {
    int count;
    int outliers; /* 1: one mode, but some angles do not belong to it */
    double one;   /* log-likelihood of the best single arc, with the rest spread over the circle */
    double stray; /* nats that this gains over an arc or a normal for all angles */
    double flat;  /* nats that this arc for all angles gains over the normal */
    double from, width; /* the arc for all angles */
    recon_so2_arc arc[RECON_MODES_MAX];
} recon_so2_modes;

/* Returns whether there is one mode that all angles belong to. */
static inline int recon_so2_one_mode(const recon_so2_modes *modes)
{
    return modes->count == 1 && !modes->outliers;
}

/* Finds the modes of n >= 1 sorted angles in (-pi, pi]; variance is their mean squared distance
 * from the Frechet mean. Rotating all angles rotates the arcs and changes nothing else. */
void recon_so2_find_modes(recon_so2_modes *out, const double *sorted, size_t n, double variance,
                          double *scratch);

/* --- The centre of a density of angles that may have any shape.
 *
 * With one mode it is a chordal mean, because the maximum of a broad, flat mode can be anywhere on
 * it. With several, the mean may be where no pose is, so only the heaviest mode is used. A mode is
 * a stretch of the circle between two valleys. A valley separates two modes if its density is below
 * RECON_VALLEY of the lower peak beside it, and if each side holds RECON_MODE_LEAST of the mass.
 *
 * The ends of an arc determine its middle much better than the masses of its halves: n poses
 * uniform on it have a mean with an error of width / sqrt(12 n), and ends with an error of width /
 * n. So a mode is levelled first: only a tenth, RECON_CENTRE_ABOVE, of what exceeds
 * RECON_CENTRE_LEVEL of its peak counts. An arc with bumps up to 1 / RECON_CENTRE_LEVEL times as
 * high as the rest becomes nearly flat, and a density that is nearly uniform on the circle still
 * has a direction.
 *
 * The low floor around a peak is uncertainty and must not move the mean, but all of a flat arc
 * counts. One rule covers both: a flat arc with the mass and height of the levelled mode would have
 * the width mass / level. The mean is computed again from what lies within RECON_CENTRE_REACH such
 * widths on either side of the last mean, RECON_CENTRE_STEPS times, each with the mass within the
 * last window. A flat arc stays inside the window. Around a peak on a floor the window shrinks to
 * the peak, as the mass of the floor is left out. The first mean is that of the whole mode, so the
 * centre is continuous in p as long as the mode is the same. */

#define RECON_VALLEY       0.05
#define RECON_MODE_LEAST   0.1
#define RECON_CENTRE_LEVEL 0.4
#define RECON_CENTRE_ABOVE 0.1
#define RECON_CENTRE_REACH 0.75
#define RECON_CENTRE_STEPS 4
#define RECON_CENTRE_STAY                                                                          \
    1e-6 /* weight of the last mean, which remains if nothing lies within the window */

/* p is RECON_SO2_BINS. Returns the centre, in (-pi, pi]. *alone, which may be NULL, receives the
 * heaviest mode as a density of its own, which is p if there is one mode. */
double recon_so2_centre(const recon_so2_density *p, recon_so2_density *alone);

/* --- The trigonometric moments of a density of angles, which show whether a pose with that density
 * is defined, and modulo which part of a turn. */

enum { RECON_SO2_MOMENTS = 4 };

/* moment[m - 1] = |E exp(i m theta)| in closed form, m = 1 .. RECON_SO2_MOMENTS. */
void recon_so2_moments(double moment[RECON_SO2_MOMENTS], const recon_so2_density *p);

/* Returns the distance from the mean direction within which this share of the angles, in (0, 1],
 * lies: a width that outliers hardly change. */
double recon_so2_deviation(const recon_so2_density *p, double share);

/* Returns m if the pose is defined modulo 360 / m degrees, or 0 if it is not defined.
 *
 * The moments of one mode fall with m; those of m evenly spaced, equally heavy modes vanish below
 * the m-th. So it is the lowest m = 2, 3, 4 whose moment is at least RECON_FOLD_CLEAR and twice
 * every lower one; for two sharp opposite modes that holds if the lighter one has a quarter of the
 * weight. It is 0 if no moment reaches RECON_FOLD_LEAST, and 1 otherwise. A normal distribution
 * with a sigma of 95 degrees, or a uniform one on +-142, has a moment of 0.25; in a broader one no
 * pose is much more likely than the others. */
#define RECON_FOLD_CLEAR 0.25
#define RECON_FOLD_LEAST 0.25
int recon_so2_fold(const double moment[RECON_SO2_MOMENTS]);

/* The Tukey mean of sorted angles with known modes. *c > 0 is used as given; 0 is replaced by a
 * value from the data, or stays 0 if the mean is that of a single mode. */
double recon_so2_tukey(double *c, const double *sorted, size_t n, const recon_so2_modes *modes,
                       double one);

#endif
