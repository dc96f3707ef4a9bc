/* elements.h - the elements 1 to 118: symbols, radii, masses, formulas. */
#ifndef DATA_ELEMENTS_H
#define DATA_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>
#include <recon/data/molecules.h> /* recon_element_number */
#include <recon/core/ctx.h>

enum { RECON_ELEMENTS = 118 };

/* z is 1 .. 118. Radii are covalent radii for single bonds, in Angstrom (Cordero et al., Dalton
 * Trans. 2008; that of curium beyond it). Masses are standard atomic weights, or that of the
 * longest-lived isotope if there is no standard. */
const char *recon_element_symbol(int z);
double recon_element_radius(int z);
double recon_element_mass(int z);

/* Writes a formula, "C2H6O": carbon, hydrogen, then by the alphabet; may be truncated. Returns
 * out. */
typedef char recon_formula_text[128];
const char *recon_formula(recon_formula_text out, const uint8_t *z, size_t atoms);

/* Writes the symbols of n elements 1 .. 118, "H C N O"; truncated if necessary. Returns out. */
const char *recon_element_list(recon_formula_text out, const uint8_t *z, size_t n);

/* Writes "element Fe (26)", or "element 0" if there is none, for messages. Returns out. */
typedef char recon_element_words[32];
const char *recon_element_text(recon_element_words out, int z);

/* --- bonds, perceived from distances
 *
 * Files of conformers often hold no bonds (XYZ, GEOM). Two atoms are bonded if they are nearer than
 * the sum of their covalent radii and RECON_BOND_SLACK, which allows a stretched bond, but not the
 * 1.85 A across a bicyclo[1.1.1]pentane. Bond orders are not guessed. */

#define RECON_BOND_SLACK 0.25 /* Angstrom */

typedef struct {
    uint16_t a, b; /* atoms, a < b */
} recon_bond;

typedef struct {
    size_t atoms, n;
    recon_bond *list; /* [n], ordered by a, then b; recon_bonds_free it */
} recon_bonds;

/* Finds the bonds. Elements must be 1 to 118 and places finite, for at most 65536 atoms; otherwise
 * RECON_ERR_INPUT names the atom. */
recon_status recon_bonds_perceive(recon_ctx *ctx, recon_bonds *out, const uint8_t *z /* [atoms] */,
                                  const float *xyz /* [atoms][3] */, size_t atoms);
/* Harmless on a zeroed struct and twice. */
void recon_bonds_free(recon_bonds *bonds);

#endif
