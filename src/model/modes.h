/* modes.h (private) - the modes of a smooth density of angles. */
#ifndef MODEL_MODES_H
#define MODEL_MODES_H

#include <recon/group/so2_density.h>
#include <recon/group/mean.h>

/* Finds the modes of a density without edges (no arc), relative to the angle `from`, heaviest
 * first, then nearest 0, and returns their number, at least 1. A mode is a peak that rises well
 * above the valleys beside it and holds a relevant share of the mass; its weight is the mass
 * between these valleys. A flat density has one mode, at 0. */
int recon_density_modes(recon_so2_mode out[RECON_MODES_MAX], const recon_so2_density *p,
                        double from);

#endif
