/* locate.h - where shifts are: robust location of vectors with modes, and a verdict. There is no uniform law of
 * shifts, so that "none" means: as far apart as those of all poses together, the pool. */
#ifndef GROUP_LOCATE_H
#define GROUP_LOCATE_H

#include "group/normal.h"

enum { RECON_LOCATE_BINS = 512 };

/* The pool for vectors of d numbers: its scale, and how far its members are apart. */
typedef struct {
    size_t d, n;      /* n: members; 0: there is no pool, and no vector is called free */
    double factor[9]; /* Cholesky factor of the covariance */
    double widest;    /* the greatest standard deviation of a coordinate */
    double (*z)[3];   /* [n] members in units of it */
    double doubt;     /* the largest variance, over directions, of a member's mean place */
} recon_shifts;

/* Of self->pool if there is one, else the scale is that of n poses. Free shifts->z. */
recon_status recon_shifts_of(recon_ctx *ctx, recon_shifts *out, const recon_group *self,
                             const double *poses, size_t n);

typedef struct {
    recon_natural
        natural; /* ONE, SEVERAL, AXIS: some directions are free, NONE: all are, or UNSURE */
    int modes;
    double at[RECON_MODES_MAX][3], weight[RECON_MODES_MAX]; /* heaviest first */
    int chosen; /* the mode of the centre: the heaviest; if it is not clear which, the nearest to 0 */
    double known; /* 1: copies of one vector; 0: as far apart as the pool */
    int free_count;
    double free[3][3]; /* unit vectors */
} recon_location;

/* belongs: Tukey's weight of each vector in the chosen mode. Their weighted mean is at[chosen]. */
recon_status recon_locate(recon_ctx *ctx, recon_location *out, double *belongs /* [n] */,
                          const double *y /* [n][d] */, size_t n, const recon_shifts *shifts);

/* Tukey's biweight: the squared radius, in standard deviations of each of d directions, beyond which it is 0,
 * where a mean is 95 % as efficient as the best for a normal distribution. */
double recon_tukey_square(size_t d);

#endif
