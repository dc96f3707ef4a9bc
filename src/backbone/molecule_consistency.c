/* molecule_consistency.c - do alike conformers get like poses?
 *
 * Conformers of one bond graph can be laid over each other, so the rotation between them is known
 * without the network: x_i = T x_j, and then psi(x_i) should be T psi(x_j). Where a part looks the
 * same after a rotation (a para-substituted ring, two like arms), a network may read one conformer
 * this way and the next one that way. The spread of their poses is then the network's, not the
 * data's. */
#include "backbone/molecule_net.h"
#include "backbone/molecule_partners.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/kinds.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>

enum { PARTNERS = 8, CANDIDATES = 16 };

static int is_zero(const double v[3])
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

/* Between two poses, or between where they take an axis. */
static double apart(recon_so3 p, recon_so3 q, const double axis[3])
{
    double a[3], b[3], cosine = 0;
    if (is_zero(axis))
        return recon_so3_distance(p, q);
    recon_so3_act(a, p, axis);
    recon_so3_act(b, q, axis);
    for (int k = 0; k < 3; k++)
        cosine += a[k] * b[k];
    return acos(fmin(fmax(cosine, -1), 1));
}

/* The median over the partners of i. */
static double off_of(const recon_molecule_partners *all, const recon_so3 *psi, size_t i,
                     const double axis[3])
{
    double off[PARTNERS];
    size_t n = all->count[i];
    for (size_t k = 0; k < n; k++) {
        const recon_molecule_partner *p = &all->list[i * all->most + k];
        off[k] = apart(psi[i], recon_so3_compose(p->rotation, psi[p->who]), axis);
    }
    recon_sort_doubles(off, n);
    return n ? recon_quantile(off, n, 0.5) : NAN;
}

recon_status recon_molecule_net_inconsistency(recon_ctx *ctx, double *out, const recon_data *data,
                                              const recon_embedded *points, const double *axis)
{
    const recon_molecules *molecules = recon_data_molecules(data);
    recon_molecule_partners partners = { 0 };
    recon_conformer *x = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &x, points->n, sizeof *x));
    for (size_t i = 0; i < points->n; i++)
        x[i] = recon_molecules_get(molecules, i);
    RECON_TRY(
        recon_molecule_partners_find(ctx, &partners, x, points->z, points->n, points->d,
                                     &(recon_molecule_partners_options){ CANDIDATES, PARTNERS }));
    for (size_t i = 0; i < points->n; i++)
        out[i] = off_of(&partners, points->so3, i, axis + 3 * i);
done:
    recon_molecule_partners_free(&partners);
    free(x);
    return status;
}
