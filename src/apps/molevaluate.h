/* molevaluate.h (private) - rows sorted by molecule. */
#ifndef APPS_MOLEVALUATE_H
#define APPS_MOLEVALUATE_H

#include <stddef.h>
#include <stdint.h>
#include <recon/core/ctx.h>

/* Rows row[offset[m]] .. row[offset[m+1]-1] are those of molecule m, ascending. */
typedef struct {
    size_t *offset, *row;
} recon_mol_groups;

/* Molecules are checked. Free also after a failure. */
recon_status recon_mol_groups_make(recon_ctx *ctx, recon_mol_groups *out, const int64_t *molecule,
                                   size_t n, size_t molecules);
void recon_mol_groups_free(recon_mol_groups *groups);

#endif
