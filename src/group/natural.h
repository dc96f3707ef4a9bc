/* natural.h (private) - counts of natural poses for a summary. */
#ifndef GROUP_NATURAL_H
#define GROUP_NATURAL_H

#include <jansson.h>
#include <recon/group/mean.h>
#include <recon/group/matrix_fisher.h>

/* The share of each kind by its name. Nothing counted: all 0. */
json_t *recon_natural_json(const size_t count[RECON_NATURAL_KINDS]);

/* The same of one kind. */
double recon_natural_share(const size_t count[RECON_NATURAL_KINDS], recon_natural kind);

/* Of a density of rotations, with the share beside it that fits no distribution: where that is most
 * of them, or where no axis is held to within 60 degrees, there is none. */
recon_natural recon_so3_natural(const recon_fisher *density, double background);

#endif
