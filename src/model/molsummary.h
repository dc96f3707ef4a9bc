/* molsummary.h (private) - what was discovered of molecules, in numbers: the text of summary.json.
 */
#ifndef MODEL_MOLSUMMARY_H
#define MODEL_MOLSUMMARY_H

#include <recon/model/moldiscover.h>

typedef struct {
    const recon_moldiscover_options *options;
    const recon_molecules *data;
    const recon_embedded *embedded;
    const recon_frames *frames;
    const recon_so3_map *maps; /* [rows] of the same points */
    const char *backend;
} recon_molfindings;

/* Fills in everything of out but the seconds, which it reads. */
recon_status recon_molsummarize(recon_ctx *ctx, recon_moldiscovery *out,
                                const recon_molfindings *f);

/* recon_rmsd_turns by the bonds that its places show; 1 where it is too large to ask. */
recon_status recon_turns_alike(recon_ctx *ctx, size_t *out, const recon_conformer *x);

#endif
