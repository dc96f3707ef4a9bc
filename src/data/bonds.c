/* bonds.c - bonds from distances. */
#include "data/bonds.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/elements.h"

#include <math.h>
#include <stdlib.h>

enum { ATOMS_MAX = 1 << 16 };

static recon_status check_places(recon_ctx *ctx, const uint8_t *z, const float *xyz, size_t atoms)
{
    if (atoms > ATOMS_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "bonds: %zu atoms, at most %d", atoms, ATOMS_MAX);
    for (size_t i = 0; i < atoms; i++) {
        if (z[i] < 1 || z[i] > RECON_ELEMENTS)
            return recon_fail(ctx, RECON_ERR_INPUT, "bonds: atom %zu: no element %d", i, z[i]);
        if (!isfinite(xyz[3 * i] + xyz[3 * i + 1] + xyz[3 * i + 2]))
            return recon_fail(ctx, RECON_ERR_INPUT, "bonds: atom %zu: place is not finite", i);
    }
    return RECON_OK;
}

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
    RECON_TRY(check_places(ctx, z, xyz, atoms));
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
