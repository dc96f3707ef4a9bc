/* estimators.h - the paper's simulations of the natural pose: means of four distributions on the circle,
 * `recon reproduce estimators`. */
#ifndef LAB_ESTIMATORS_H
#define LAB_ESTIMATORS_H

#include "lab/reproduce.h"

/* What --json prints; with figures also DIR/estimators.svg. Release result, also on failure. */
recon_status estimators_run(recon_ctx *ctx, json_t **result, const reproduce_settings *s);
/* spread is not looked at. */
void estimators_print(const json_t *result, const json_t *spread);

#endif
