/* natural.h (private) - counts of verdicts, and verdicts on densities of rotations. */
#ifndef GROUP_NATURAL_H
#define GROUP_NATURAL_H

#include <jansson.h>
#include <recon/group/mean.h>
#include <recon/group/matrix_fisher.h>

/* Returns the share of each verdict, by its name; all 0 if the counts are. */
json_t *recon_natural_json(const size_t count[RECON_NATURAL_KINDS]);

/* Returns the share of one verdict. */
double recon_natural_share(const size_t count[RECON_NATURAL_KINDS], recon_natural kind);

/* Returns the verdict on a density of rotations. It is none if the background is more than half, or
 * if no axis is determined to within 60 degrees. */
recon_natural recon_so3_natural(const recon_fisher *density, double background);

/* The verdict on poses of two parts, from those on the parts. Free directions are of the kind
 * RECON_NATURAL_AXIS; a part without any pose is one whose directions are all free. */
recon_natural recon_natural_join(recon_natural a, recon_natural b);

#endif
