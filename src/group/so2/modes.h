/* modes.h - how many modes does a set of angles have, where, and how heavy are they? */
#ifndef GROUP_SO2_MODES_H
#define GROUP_SO2_MODES_H

#include <stddef.h>
#include <recon/group/mean.h>

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

#endif
