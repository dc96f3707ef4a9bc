/* moltimes.h - what canonicalising molecules costs: what times.h is to images. */
#ifndef RECON_APPS_MOLTIMES_H
#define RECON_APPS_MOLTIMES_H

#include <recon/apps/molmodel.h>
#include <recon/apps/times.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In one call with n >= 1 conformers: the fastest of several rounds, after one that is not counted.
 */
RECON_API recon_status recon_moltimes_measure(recon_ctx *ctx, recon_times *out,
                                              const recon_molmodel *model, const recon_conformer *x,
                                              size_t n);

#ifdef __cplusplus
}
#endif
#endif
