/* evaluate_molecules_ood.c - which poses of molecules count as unusual (recon.tex, "OOD detection", geometric
 * graphs). */
#include "lab/evaluate_molecules.h"
#include "lab/evaluate.h"
#include "core/fail.h"
#include "data/permute.h"

#include <math.h>

double recon_evaluate_molecule_trace(const double f[9], recon_so3 g)
{
    double m[9], sum = 0;
    recon_so3_to_matrix(m, g);
    for (int i = 0; i < 9; i++)
        sum += f[i] * m[i];
    return sum;
}

/* A new rotation for row i; its stream is its own, so the others do not matter to it. */
static int rotate_anew(recon_so3 *extra, recon_so3 truth, const double f[9], double tau,
                       uint64_t seed, size_t i)
{
    recon_rng rng = recon_rng_new(seed, i);
    recon_so3 anew = recon_so3_haar(&rng);
    *extra = recon_so3_compose(anew, recon_so3_inverse(truth));
    return recon_evaluate_molecule_trace(f, anew) < tau;
}

recon_status recon_evaluate_molecule_unusual(recon_ctx *ctx, recon_so3 *extra, uint8_t *unusual,
                                             const recon_so3 *truth, const int64_t *molecule,
                                             size_t n, const double *fisher, size_t molecules,
                                             double tau, uint64_t seed)
{
    recon_molecule_groups g = { 0 };
    recon_status status;
    RECON_TRY(recon_molecule_groups_make(ctx, &g, molecule, n, molecules));
    RECON_TRY(recon_evaluate_check_numbers(ctx, fisher, 9 * molecules, "entry of the true F"));
    for (size_t i = 0; i < n; i++) {
        extra[i] = recon_so3_identity();
        unusual[i] = 0;
        if (!isfinite(recon_so3_angle(truth[i])))
            RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "evaluate: rotation %zu is not finite", i));
    }
    for (size_t m = 0; m < molecules; m++) {
        size_t count = g.offset[m + 1] - g.offset[m];
        for (size_t i = 0; i < count / 2; i++) {
            size_t row = g.row[g.offset[m] + recon_permute(i, count, seed, m)];
            unusual[row] = (uint8_t)rotate_anew(&extra[row], truth[row], fisher + 9 * m,
                                                tau == 0 ? RECON_MOLECULE_UNUSUAL : tau, seed, row);
        }
    }
done:
    recon_molecule_groups_free(&g);
    return status;
}
