/* fisher_mixture.h (private) - densities of several modes on SO(3): matrix Fisher distributions
 * side by side, with a uniform background. */
#ifndef GROUP_SO3_FISHER_MIXTURE_H
#define GROUP_SO3_FISHER_MIXTURE_H

#include <recon/group/matrix_fisher.h>

enum { RECON_FISHER_PARTS = 4 };

typedef struct {
    int parts;                         /* 1 .. RECON_FISHER_PARTS                */
    double background;                 /* share of the uniform distribution      */
    double weight[RECON_FISHER_PARTS]; /* of the parts among each other: of sum 1 */
    recon_fisher part[RECON_FISHER_PARTS];
} recon_fisher_mixture;

/* log((1 - background) sum of weight p + background). */
double recon_fisher_parts_log_density(const recon_fisher_mixture *mixture, recon_so3 g);

/* n independent samples. */
void recon_fisher_parts_sample(recon_so3 *out, const recon_fisher_mixture *mixture, size_t n,
                               recon_rng *rng);

/* The same mixture with one part for each mode, heaviest first. Parts are of one mode where the
 * density between them stays above a quarter of the lower peak; their mode is the matrix Fisher
 * distribution with the mean rotation of these parts. A mode with less than a tenth of the weight is
 * none, and is counted with the background. */
recon_status recon_fisher_parts_reduce(recon_ctx *ctx, recon_fisher_mixture *out,
                                       const recon_fisher_mixture *mixture);

#endif
