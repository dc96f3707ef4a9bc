/* evaluate.h (private) - what the measures check alike. */
#ifndef APPS_EVALUATE_H
#define APPS_EVALUATE_H

#include <recon/apps/evaluate.h>

/* Every label is 0 .. classes - 1, and there is at least one. */
recon_status recon_evaluate_check_labels(recon_ctx *ctx, const int64_t *labels, size_t n,
                                         size_t classes);

/* Every number is finite; what: "pose", "theta". */
recon_status recon_evaluate_check_numbers(recon_ctx *ctx, const double *values, size_t n,
                                          const char *what);

#endif
