/* families.h (private) - tables from which recon_group_find makes a group of a family. Name, words and
 * what depends on n are yet to be filled in. */
#ifndef GROUP_FAMILIES_H
#define GROUP_FAMILIES_H

#include <recon/group/group.h>

extern const recon_group recon_group_cyclic; /* C_n: an element is its number, 0 .. n - 1 */
extern const recon_group recon_group_torus;  /* T^n: n angles                             */

#endif
