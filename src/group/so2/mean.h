/* mean.h - sets of angles: in order, their modes, moments, centre and Tukey mean. */
#ifndef GROUP_SO2_MEAN_H
#define GROUP_SO2_MEAN_H

#include <stddef.h>
#include <recon/core/ctx.h>
#include <recon/group/mean.h>
#include <recon/group/so2_density.h>

/* --- Sets of angles from outside: checked, and in order */

/* RECON_ERR_INPUT when k is 0 or an angle is not finite; the message names the first one. */
recon_status recon_so2_check(recon_ctx *ctx, const double *angles /* [sets][k] */, size_t sets,
                             size_t k);

/* n angles wrapped. out may be a. */
void recon_so2_wrap_n(double *out, const double *a, size_t n);

/* The angles folded into (-pi, pi], smallest first. out must not be angles. */
void recon_so2_sort(double *out, const double *angles, size_t n);

/* The place of the angle that follows the widest gap between sorted ones. */
size_t recon_so2_after_gap(const double *sorted, size_t n);

/* --- How many modes does a set of angles have, where, and how heavy are they? */

/* Radians: nothing finer is split. */
#define RECON_SO2_RESOLUTION (3.14159265358979323846 / 180)

/* One arc in which the angles are dense, counter-clockwise. */
typedef struct {
    size_t first, last; /* indices of the sorted angles at its ends, last may be before first */
    double from, width; /* the angle where it begins, and its length in radians             */
    double center;      /* the mean of its angles, (-pi, pi]                                 */
    double weight;      /* the share of all angles that lie nearer to it than to another arc  */
} recon_so2_arc;

/* Scratch: this many doubles for n angles. */
size_t recon_so2_modes_scratch(size_t n);

typedef struct {
    int count;
    int outliers; /* one mode, but some angles do not belong to it */
    double one;   /* log-likelihood of the best single arc, with the rest spread over the circle */
    double stray; /* nats that this gains over one arc or normal that all angles belong to */
    double flat;  /* nats that of these two the arc gains over the normal */
    double from, width; /* that arc: all angles */
    recon_so2_arc arc[RECON_MODES_MAX];
} recon_so2_modes;

/* One mode that all angles belong to. */
static inline int recon_so2_one_mode(const recon_so2_modes *modes)
{
    return modes->count == 1 && !modes->outliers;
}

/* The modes of n >= 1 sorted angles in (-pi, pi]; variance is their mean squared distance from the
 * Frechet mean. Rotating all angles rotates the arcs and changes nothing else. */
void recon_so2_find_modes(recon_so2_modes *out, const double *sorted, size_t n, double variance,
                          double *scratch);

/* --- The centre of a density of angles that may have any shape.
 *
 * With one mode it is a chordal mean: the top of a broad, flat mode lies anywhere on it by chance. With
 * several the mean may lie where no pose does; then it is that of the heaviest mode alone. A mode is a
 * stretch of the circle between two valleys. A valley parts two modes if the density in it is below
 * RECON_VALLEY of the lower peak beside it, and if either side holds RECON_MODE_LEAST of the mass.
 *
 * Of an arc the middle is known from its ends, and much better than from how much of the mass is in either
 * half: n poses that are even on it have a mean that is off by its width / sqrt(12 n), but ends that are
 * off by its width / n. So a mode is levelled first: of what is above RECON_CENTRE_LEVEL of its peak a
 * tenth counts, RECON_CENTRE_ABOVE. An arc with bumps up to 1 / RECON_CENTRE_LEVEL times as high as the
 * rest becomes nearly flat, and a density that is nearly even all around still has a direction.
 *
 * The low floor around a peak is doubt and must not pull the mean, but a flat arc counts as a whole.
 * Nothing has to tell one from the other: a flat arc of the mode's mass and height, once levelled, would
 * have the width mass / level. The mean is taken again of what lies within RECON_CENTRE_REACH such widths
 * of the last mean, to either side, RECON_CENTRE_STEPS times, each with the mass that was within. A flat
 * arc lies within. A peak on a floor does not: the window shrinks onto it, as the floor's mass is left
 * out. The mean of all comes first, so that the centre is continuous in p as long as the mode is the
 * same. */

#define RECON_VALLEY       0.05
#define RECON_MODE_LEAST   0.1
#define RECON_CENTRE_LEVEL 0.4
#define RECON_CENTRE_ABOVE 0.1
#define RECON_CENTRE_REACH 0.75
#define RECON_CENTRE_STEPS 4
#define RECON_CENTRE_STAY                                                                          \
    1e-6 /* of the last sum, at the last mean: where nothing lies within, it stays */

/* p is RECON_SO2_BINS. Returns the centre, in (-pi, pi]. *alone, which may be NULL, becomes the
 * heaviest mode as a density of its own: with one mode that is p. */
double recon_so2_centre(const recon_so2_density *p, recon_so2_density *alone);

/* --- The trigonometric moments of a density of angles, and whether a pose with that
 * density is defined at all, or only modulo a part of a turn. */

enum { RECON_SO2_MOMENTS = 4 };

/* moment[m - 1] = |E exp(i m theta)| in closed form, m = 1 .. RECON_SO2_MOMENTS. */
void recon_so2_moments(double moment[RECON_SO2_MOMENTS], const recon_so2_density *p);

/* The distance from the mean direction that this share of the angles, in (0, 1], keeps within: a
 * width that the rest, from elsewhere, hardly moves. */
double recon_so2_deviation(const recon_so2_density *p, double share);

/* How many poses look alike: m means that the pose is defined modulo 360 / m degrees.
 *
 * The moments of one mode fall with m, those of m modes evenly spaced and equally heavy vanish
 * below the m-th. So m = 2, 3, 4 when the m-th moment is at least RECON_FOLD_CLEAR and twice every
 * lower one, the lowest such m; for two sharp opposite modes that is when the lighter has a quarter
 * of the weight. 0 when no moment reaches RECON_FOLD_LEAST: nothing is defined. Otherwise 1. A
 * quarter is what a normal distribution of 95 degrees has, or a uniform one on +-142: beyond, one
 * pose is hardly likelier than the others. */
#define RECON_FOLD_CLEAR 0.25
#define RECON_FOLD_LEAST 0.25
int recon_so2_fold(const double moment[RECON_SO2_MOMENTS]);

/* --- The Tukey mean of sorted angles whose modes are known */

/* *c > 0 is kept; 0 is decided here, and stays 0 where the answer is that of one mode. */
double recon_so2_tukey(double *c, const double *sorted, size_t n, const recon_so2_modes *modes,
                       double one);

#endif
