/* natural.h - what the poses of a class say about its natural pose: that there is one, or several,
 * or one up to a symmetry, an axis, or none; or that they cannot tell.
 *
 * Of samples this is a test with stated error rates, which recon_so2_mean and recon_so3_mean make
 * (docs/statistics.md). A density of angles is put to the same test (recon_so2_quantiles); of one
 * of rotations it is a reading of its shape. */
#ifndef RECON_STATS_NATURAL_H
#define RECON_STATS_NATURAL_H

#include <recon/stats/matrix_fisher.h>
#include <recon/stats/so2_moments.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    RECON_NATURAL_ONE = 0, /* one pose                                                      */
    RECON_NATURAL_SEVERAL, /* several poses                                                 */
    RECON_NATURAL_MODULO,  /* SO(2): one modulo a half, third or quarter turn               */
    RECON_NATURAL_AXIS,    /* SO(3): an axis has its place, the spin about it is free       */
    RECON_NATURAL_NONE,    /* none: poses are spread evenly, or nearly so                   */
    RECON_NATURAL_UNSURE   /* cannot tell: too few poses, or poses that fit two answers     */
} recon_natural;
enum { RECON_NATURAL_KINDS = RECON_NATURAL_UNSURE + 1 };

/* Of a density of rotations, with the share beside it that fits no distribution: where that is most
 * of them, or where no axis is held to within 60 degrees, there is none. */
RECON_API recon_natural recon_so3_natural(const recon_fisher *density, double background);

/* A background, the share of poses that fit no distribution, above RECON_BACKGROUND_MUCH deserves a
 * warning; so do more inputs without a natural pose than RECON_NATURAL_FEW of all. */
#define RECON_BACKGROUND_MUCH 0.2
#define RECON_NATURAL_FEW     0.05

/* "one", "several", "modulo", "axis", "none", "cannot_tell". */
RECON_API const char *recon_natural_name(recon_natural natural);

#ifdef __cplusplus
}
#endif
#endif
