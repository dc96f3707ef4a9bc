/* space.h - one drawing of a thing in space, for a sheet. */
#ifndef REPORT_SPACE_H
#define REPORT_SPACE_H

#include "report/sheet.h"

/* Into the square x, y, side, with the caption below it; an empty one draws nothing. number is for
 * the message. */
recon_status recon_sphere_check(recon_ctx *ctx, const recon_sphere *s, size_t number);
void recon_sphere_draw(recon_ctx *ctx, recon_svg *svg, double x, double y, double side,
                       const recon_sphere *s);
recon_status recon_molecule_check(recon_ctx *ctx, const recon_molecule_picture *m, size_t number);
void recon_molecule_draw(recon_ctx *ctx, recon_svg *svg, double x, double y, double side,
                         const recon_molecule_picture *m);

/* The middle of a molecule's atoms and the scale at which it fills a square of side 2 whichever way
 * it is rotated: two pictures of one molecule have one scale. */
double recon_molecule_scale(double middle[3], const recon_molecule_picture *m);
double recon_atom_radius(uint8_t z);    /* as drawn, Angstrom */
const char *recon_atom_look(uint8_t z); /* its classes        */

#endif
