/* modes.h (private) - where a smooth density of angles has its modes, and how heavy they are. */
#ifndef MODEL_MODES_H
#define MODEL_MODES_H

#include <recon/group/so2_density.h>
#include <recon/group/mean.h>

/* Modes of a density without edges (no arc), as seen from the angle `from`: heaviest first, then
 * nearest 0; how many, at least 1. A mode is a peak that rises well above the valley beside it and
 * holds more than a sliver of the mass; its weight is the mass from valley to valley. A flat
 * density has one mode, at 0. */
int recon_density_modes(recon_so2_mode out[RECON_MODES_MAX], const recon_so2_density *p,
                        double from);

#endif
