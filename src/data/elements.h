/* elements.h - the elements 1 to 118: symbols, radii, masses, formulas. */
#ifndef DATA_ELEMENTS_H
#define DATA_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>
#include <recon/data/molecules.h> /* recon_element_number */

enum { RECON_ELEMENTS = 118 };

/* z is 1 .. 118. Radii are covalent, single bonds, in Angstrom (Cordero et al., Dalton Trans. 2008;
 * beyond curium, where there is none, curium's). Masses are standard atomic weights, and of the
 * longest-lived isotope where there is no standard. */
const char *recon_element_symbol(int z);
double recon_element_radius(int z);
double recon_element_mass(int z);

/* "C2H6O": carbon, hydrogen, then by the alphabet; what does not fit is cut. Returns out. */
typedef char recon_formula_text[128];
const char *recon_formula(recon_formula_text out, const uint8_t *z, size_t atoms);

/* "H C N O": the symbols of n elements, 1 .. 118 each; what does not fit is cut. Returns out. */
const char *recon_element_list(recon_formula_text out, const uint8_t *z, size_t n);

/* "element Fe (26)", and "element 0" where there is none, for messages. Returns out. */
typedef char recon_element_words[32];
const char *recon_element_text(recon_element_words out, int z);

#endif
