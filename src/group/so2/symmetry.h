/* symmetry.h - the cyclic group that a set of angles repeats. */
#ifndef GROUP_SO2_SYMMETRY_H
#define GROUP_SO2_SYMMETRY_H

#include <recon/group/mean.h>

typedef struct {
    int fold; /* m, at most RECON_MODES_MAX: alike after each m-th of a turn; 1: one pose; 0: none is named */
    double center;  /* of the m equivalent ones the nearest to the identity */
    double p_value; /* that they are taken as evenly, by chance */
} recon_so2_named;

/* Names nothing for fewer than RECON_SYMMETRY_LEAST angles. */
void recon_so2_symmetry(recon_so2_named *out, const double *angles, size_t n);

/* Whether `fold` evenly spaced centres may be taken as often as one another. */
int recon_so2_repeats(const double *angles, size_t n, int fold);

#endif
