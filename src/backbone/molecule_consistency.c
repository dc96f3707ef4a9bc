/* molecule_consistency.c - checks that similar conformers get consistent poses.
 *
 * Conformers of one bond graph can be superimposed, so the rotation between them is known without
 * the network: if x_i = T x_j, psi(x_i) should be T psi(x_j). If a part looks the same after a
 * rotation (a para-substituted ring, two equal arms), the network may choose differently for each
 * conformer. The spread of their poses then comes from the network, not from the data. */
#include "backbone/molecule_net.h"
#include "backbone/molecule_partners.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/formats.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>

enum { CANDIDATES = 25, BEST = 5 };

static int by_rmsd(const void *a, const void *b)
{
    const recon_molecule_partner *p = a, *q = b;
    if (p->rmsd != q->rmsd)
        return p->rmsd < q->rmsd ? -1 : 1;
    return (p->who > q->who) - (p->who < q->who);
}

/* The median over the partners of i that fit it best: of a poor fit the rotation means little. */
static double off_of(recon_molecule_partners *all, const recon_so3 *psi, size_t i)
{
    recon_molecule_partner *list = all->list + i * all->most;
    double off[BEST];
    size_t n = all->count[i] < BEST ? all->count[i] : BEST;
    qsort(list, all->count[i], sizeof *list, by_rmsd);
    for (size_t k = 0; k < n; k++)
        off[k] = recon_so3_distance(psi[i], recon_so3_compose(list[k].rotation, psi[list[k].who]));
    recon_sort_doubles(off, n);
    return n ? recon_quantile(off, n, 0.5) : NAN;
}

recon_status recon_molecule_net_inconsistency(recon_ctx *ctx, double *out, const recon_data *data,
                                              const recon_embedded *points)
{
    const recon_molecules *molecules = recon_data_molecules(data);
    recon_molecule_partners partners = { 0 };
    recon_conformer *x = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &x, points->n, sizeof *x));
    for (size_t i = 0; i < points->n; i++)
        x[i] = recon_molecules_get(molecules, i);
    RECON_TRY(recon_molecule_partners_find(
        ctx, &partners, x, points->z, points->n, points->d,
        &(recon_molecule_partners_options){ .k = CANDIDATES, .most = CANDIDATES }));
    for (size_t i = 0; i < points->n; i++)
        out[i] = off_of(&partners, (const recon_so3 *)points->poses, i);
done:
    recon_molecule_partners_free(&partners);
    free(x);
    return status;
}
