/* elements.c - the table of elements, and lookups. */
#include "data/elements.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "core/fail.h"
#include "core/memory.h"
#include <math.h>
#include <stdlib.h>

static const struct {
    char symbol[3];
    double radius, mass;
} table[RECON_ELEMENTS] = {
    { "H", 0.31, 1.008 },   { "He", 0.28, 4.0026 }, { "Li", 1.28, 6.94 },   { "Be", 0.96, 9.0122 },
    { "B", 0.84, 10.81 },   { "C", 0.76, 12.011 },  { "N", 0.71, 14.007 },  { "O", 0.66, 15.999 },
    { "F", 0.57, 18.998 },  { "Ne", 0.58, 20.180 }, { "Na", 1.66, 22.990 }, { "Mg", 1.41, 24.305 },
    { "Al", 1.21, 26.982 }, { "Si", 1.11, 28.085 }, { "P", 1.07, 30.974 },  { "S", 1.05, 32.06 },
    { "Cl", 1.02, 35.45 },  { "Ar", 1.06, 39.95 },  { "K", 2.03, 39.098 },  { "Ca", 1.76, 40.078 },
    { "Sc", 1.70, 44.956 }, { "Ti", 1.60, 47.867 }, { "V", 1.53, 50.942 },  { "Cr", 1.39, 51.996 },
    { "Mn", 1.39, 54.938 }, { "Fe", 1.32, 55.845 }, { "Co", 1.26, 58.933 }, { "Ni", 1.24, 58.693 },
    { "Cu", 1.32, 63.546 }, { "Zn", 1.22, 65.38 },  { "Ga", 1.22, 69.723 }, { "Ge", 1.20, 72.630 },
    { "As", 1.19, 74.922 }, { "Se", 1.20, 78.971 }, { "Br", 1.20, 79.904 }, { "Kr", 1.16, 83.798 },
    { "Rb", 2.20, 85.468 }, { "Sr", 1.95, 87.62 },  { "Y", 1.90, 88.906 },  { "Zr", 1.75, 91.224 },
    { "Nb", 1.64, 92.906 }, { "Mo", 1.54, 95.95 },  { "Tc", 1.47, 97 },     { "Ru", 1.46, 101.07 },
    { "Rh", 1.42, 102.91 }, { "Pd", 1.39, 106.42 }, { "Ag", 1.45, 107.87 }, { "Cd", 1.44, 112.41 },
    { "In", 1.42, 114.82 }, { "Sn", 1.39, 118.71 }, { "Sb", 1.39, 121.76 }, { "Te", 1.38, 127.60 },
    { "I", 1.39, 126.90 },  { "Xe", 1.40, 131.29 }, { "Cs", 2.44, 132.91 }, { "Ba", 2.15, 137.33 },
    { "La", 2.07, 138.91 }, { "Ce", 2.04, 140.12 }, { "Pr", 2.03, 140.91 }, { "Nd", 2.01, 144.24 },
    { "Pm", 1.99, 145 },    { "Sm", 1.98, 150.36 }, { "Eu", 1.98, 151.96 }, { "Gd", 1.96, 157.25 },
    { "Tb", 1.94, 158.93 }, { "Dy", 1.92, 162.50 }, { "Ho", 1.92, 164.93 }, { "Er", 1.89, 167.26 },
    { "Tm", 1.90, 168.93 }, { "Yb", 1.87, 173.05 }, { "Lu", 1.87, 174.97 }, { "Hf", 1.75, 178.49 },
    { "Ta", 1.70, 180.95 }, { "W", 1.62, 183.84 },  { "Re", 1.51, 186.21 }, { "Os", 1.44, 190.23 },
    { "Ir", 1.41, 192.22 }, { "Pt", 1.36, 195.08 }, { "Au", 1.36, 196.97 }, { "Hg", 1.32, 200.59 },
    { "Tl", 1.45, 204.38 }, { "Pb", 1.46, 207.2 },  { "Bi", 1.48, 208.98 }, { "Po", 1.40, 209 },
    { "At", 1.50, 210 },    { "Rn", 1.50, 222 },    { "Fr", 2.60, 223 },    { "Ra", 2.21, 226 },
    { "Ac", 2.15, 227 },    { "Th", 2.06, 232.04 }, { "Pa", 2.00, 231.04 }, { "U", 1.96, 238.03 },
    { "Np", 1.90, 237 },    { "Pu", 1.87, 244 },    { "Am", 1.80, 243 },    { "Cm", 1.69, 247 },
    { "Bk", 1.69, 247 },    { "Cf", 1.69, 251 },    { "Es", 1.69, 252 },    { "Fm", 1.69, 257 },
    { "Md", 1.69, 258 },    { "No", 1.69, 259 },    { "Lr", 1.69, 262 },    { "Rf", 1.69, 267 },
    { "Db", 1.69, 268 },    { "Sg", 1.69, 269 },    { "Bh", 1.69, 270 },    { "Hs", 1.69, 269 },
    { "Mt", 1.69, 277 },    { "Ds", 1.69, 281 },    { "Rg", 1.69, 282 },    { "Cn", 1.69, 285 },
    { "Nh", 1.69, 286 },    { "Fl", 1.69, 290 },    { "Mc", 1.69, 290 },    { "Lv", 1.69, 293 },
    { "Ts", 1.69, 294 },    { "Og", 1.69, 294 },
};

const char *recon_element_symbol(int z)
{
    return table[z - 1].symbol;
}

double recon_element_radius(int z)
{
    return table[z - 1].radius;
}

double recon_element_mass(int z)
{
    return table[z - 1].mass;
}

static int from_digits(const char *text, size_t n)
{
    int z = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return 0;
        z = 10 * z + (text[i] - '0');
    }
    return z <= RECON_ELEMENTS ? z : 0;
}

int recon_element_number(const char *symbol, size_t n)
{
    if (n == 1 && strchr("DdTt", *symbol) && *symbol)
        return 1;
    for (int z = 1; n && n < sizeof table->symbol && z <= RECON_ELEMENTS; z++)
        if (strlen(table[z - 1].symbol) == n && !strncasecmp(table[z - 1].symbol, symbol, n))
            return z;
    return n <= 3 ? from_digits(symbol, n) : 0;
}

/* --- formulas --------------------------------------------------------------------------------- */

static size_t append(recon_formula_text out, size_t used, int z, size_t count)
{
    char part[32];
    int n = count > 1 ? snprintf(part, sizeof part, "%s%zu", table[z - 1].symbol, count)
                      : snprintf(part, sizeof part, "%s", table[z - 1].symbol);
    if (used + (size_t)n >= sizeof(recon_formula_text))
        return used;
    memcpy(out + used, part, (size_t)n + 1);
    return used + (size_t)n;
}

/* The first by the alphabet among those still counted; 0: none. */
static int next_element(const size_t *count)
{
    int best = 0;
    for (int z = 1; z <= RECON_ELEMENTS; z++)
        if (count[z] && (!best || strcmp(table[z - 1].symbol, table[best - 1].symbol) < 0))
            best = z;
    return best;
}

const char *recon_formula(recon_formula_text out, const uint8_t *z, size_t atoms)
{
    size_t count[RECON_ELEMENTS + 1] = { 0 }, used = 0;
    const int first[] = { 6, 1 };
    out[0] = '\0';
    for (size_t i = 0; i < atoms; i++)
        count[z[i]]++;
    for (int i = 0, carbon = count[6] > 0; carbon && i < 2; i++)
        if (count[first[i]]) {
            used = append(out, used, first[i], count[first[i]]);
            count[first[i]] = 0;
        }
    for (int e; (e = next_element(count));) {
        used = append(out, used, e, count[e]);
        count[e] = 0;
    }
    return out;
}

const char *recon_element_list(recon_formula_text out, const uint8_t *z, size_t n)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n && used + 1 < sizeof(recon_formula_text); i++) {
        size_t room = sizeof(recon_formula_text) - used;
        used += (size_t)snprintf(out + used, room, "%s%s", i ? " " : "", table[z[i] - 1].symbol);
    }
    return out;
}

const char *recon_element_text(recon_element_words out, int z)
{
    if (z >= 1 && z <= RECON_ELEMENTS)
        snprintf(out, sizeof(recon_element_words), "element %s (%d)", table[z - 1].symbol, z);
    else
        snprintf(out, sizeof(recon_element_words), "element %d", z);
    return out;
}

/* --- bonds ------------------------------------------------------------------------------------ */

enum { ATOMS_MAX = 1 << 16 };

static int bonded(const uint8_t *z, const float *xyz, size_t i, size_t j)
{
    const float *p = xyz + 3 * i, *q = xyz + 3 * j;
    double x = (double)p[0] - q[0], y = (double)p[1] - q[1], w = (double)p[2] - q[2];
    double reach = recon_element_radius(z[i]) + recon_element_radius(z[j]) + RECON_BOND_SLACK;
    return x * x + y * y + w * w < reach * reach;
}

/* All bonds to list, or with NULL only their number. */
static size_t collect(recon_bond *list, const uint8_t *z, const float *xyz, size_t atoms)
{
    size_t n = 0;
    for (size_t i = 0; i < atoms; i++)
        for (size_t j = i + 1; j < atoms; j++)
            if (bonded(z, xyz, i, j)) {
                if (list)
                    list[n] = (recon_bond){ (uint16_t)i, (uint16_t)j };
                n++;
            }
    return n;
}

recon_status recon_bonds_perceive(recon_ctx *ctx, recon_bonds *out, const uint8_t *z,
                                  const float *xyz, size_t atoms)
{
    recon_status status;
    *out = (recon_bonds){ .atoms = atoms };
    if (atoms > ATOMS_MAX)
        RECON_TRY(
            recon_fail(ctx, RECON_ERR_INPUT, "bonds: %zu atoms, at most %d", atoms, ATOMS_MAX));
    for (size_t i = 0; i < atoms; i++) {
        if (z[i] < 1 || z[i] > RECON_ELEMENTS)
            RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "bonds: atom %zu: no element %d", i, z[i]));
        if (!isfinite(xyz[3 * i] + xyz[3 * i + 1] + xyz[3 * i + 2]))
            RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "bonds: atom %zu: place is not finite", i));
    }
    out->n = collect(NULL, z, xyz, atoms);
    RECON_TRY(recon_alloc(ctx, &out->list, out->n, sizeof *out->list));
    collect(out->list, z, xyz, atoms);
done:
    if (status != RECON_OK)
        *out = (recon_bonds){ 0 };
    return status;
}

void recon_bonds_free(recon_bonds *bonds)
{
    free(bonds->list);
    *bonds = (recon_bonds){ 0 };
}
