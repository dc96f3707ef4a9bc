/* evaluate_widths.c - what was predicted of each class against how its images were really rotated.
 */
#include "lab/evaluate.h"
#include "core/fail.h"

#include <math.h>

/* Means first, then the spread about them: one pass would lose the spread of a narrow class. */
static void describe(recon_width *of, const double *theta, const int64_t *labels, size_t n,
                     size_t classes)
{
    for (size_t i = 0; i < n; i++) {
        of[labels[i]].n++;
        of[labels[i]].mean += theta[i];
    }
    for (size_t c = 0; c < classes; c++)
        of[c].mean /= (double)of[c].n; /* NaN for none */
    for (size_t i = 0; i < n; i++)
        of[labels[i]].spread += pow(theta[i] - of[labels[i]].mean, 2);
    for (size_t c = 0; c < classes; c++)
        of[c].spread = sqrt(of[c].spread / (double)of[c].n);
}

recon_status recon_evaluate_widths(recon_ctx *ctx, recon_width_error *out, recon_width *of,
                                   const double *theta, const int64_t *labels, size_t n,
                                   const double *truth, size_t classes)
{
    size_t seen = 0;
    recon_status status;
    *out = (recon_width_error){ 0 };
    for (size_t c = 0; c < classes; c++)
        of[c] = (recon_width){ .truth = truth[c] };
    RECON_TRY(recon_evaluate_check_labels(ctx, labels, n, classes));
    RECON_TRY(recon_evaluate_check_numbers(ctx, theta, n, "theta"));
    describe(of, theta, labels, n, classes);
    for (size_t c = 0; c < classes; c++)
        if (of[c].n) {
            out->by_class += fabs(of[c].mean - truth[c]);
            seen++;
        }
    out->by_class /= (double)seen;
    for (size_t i = 0; i < n; i++)
        out->by_sample += fabs(theta[i] - truth[labels[i]]) / (double)n;
done:
    return status;
}
