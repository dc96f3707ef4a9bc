/* natural.h - what the poses of a class say about its natural pose: that there is one, or several,
 * or one up to a symmetry, or none. The one place where this is decided, for whole classes, for
 * densities and for reports.
 *
 * A pose is natural when poses gather there: the mean cosine of the turn from it, or of m times the
 * turn, is a quarter at least (of rotations a half, see fisher_gauge.h), and more than as many
 * poses drawn evenly from the group would show. Few poses always seem to gather somewhere: the mean
 * of n random directions has a length of about 1/sqrt(n), so that four poses or fewer never tell.
 */
#ifndef RECON_STATS_NATURAL_H
#define RECON_STATS_NATURAL_H

#include <recon/stats/so2_moments.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    RECON_NATURAL_ONE = 0, /* one pose                                                      */
    RECON_NATURAL_SEVERAL, /* several poses                                                 */
    RECON_NATURAL_MODULO,  /* SO(2): one modulo a half, third or quarter turn               */
    RECON_NATURAL_AXIS,    /* SO(3): an axis has its place, the spin about it is free       */
    RECON_NATURAL_NONE     /* none: poses do not differ from evenly spread ones             */
} recon_natural;
enum { RECON_NATURAL_KINDS = RECON_NATURAL_NONE + 1 };

/* Of poses with these moments and so many modes; n as in recon_so2_fold_of_samples. */
RECON_API recon_natural recon_so2_natural(const double moment[RECON_SO2_MOMENTS], int modes,
                                          double n);

/* Of rotations, by what recon_so3_free_directions or recon_fisher_free says of them, their modes,
 * and the share that fits no distribution: where that is most of them, nothing is known. */
RECON_API recon_natural recon_so3_natural(int free_directions, int modes, double background);

/* A background, the share of poses that fit no distribution, above RECON_BACKGROUND_MUCH deserves a
 * warning; so do more inputs without a natural pose than RECON_NATURAL_FEW of all. */
#define RECON_BACKGROUND_MUCH 0.2
#define RECON_NATURAL_FEW     0.05

/* "one", "several", "modulo", "axis", "none". */
RECON_API const char *recon_natural_name(recon_natural natural);

#ifdef __cplusplus
}
#endif
#endif
