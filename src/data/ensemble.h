/* ensemble.h - all conformers of one molecule at once: what readers of large files hand on. */
#ifndef DATA_ENSEMBLE_H
#define DATA_ENSEMBLE_H

#include <stdint.h>
#include <recon/core/ctx.h>

/* A value; what it points to is lent until the call it was handed to returns. */
typedef struct {
    const char *name;     /* SMILES, mostly                     */
    size_t atoms, n;      /* n conformers of so many atoms      */
    const uint8_t *z;     /* [atoms]                            */
    const float *xyz;     /* [n][atoms][3], Angstrom            */
    const double *energy; /* [n], kcal/mol                  */
} recon_ensemble;

/* Called for one molecule after the other. What it returns, other than RECON_OK,
 * ends the reading. */
typedef recon_status recon_ensemble_visitor(recon_ctx *ctx, void *arg,
                                            const recon_ensemble *molecule);

#endif
