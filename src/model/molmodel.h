/* molmodel.h (private) - what the applications share: conformers, and what the model says of them.
 */
#ifndef MODEL_MOLMODEL_H
#define MODEL_MOLMODEL_H

#include <recon/model/molmodel.h>
#include <recon/model/pose3.h>

struct recon_molmodel {
    recon_molnet *backbone;
    recon_so3_maps *maps;
    recon_molnet_shape shape;
};

/* The poses of n conformers; maps [n] takes what all heads say, or is NULL, and only Lambda's runs.
 */
recon_status recon_molmodel_read(recon_ctx *ctx, recon_pose3 *poses, recon_so3_map *maps,
                                 const recon_molmodel *model, const recon_conformer *x, size_t n);
/* Both, in arrays of their own: free them, whatever the status. */
recon_status recon_molmodel_read_all(recon_ctx *ctx, recon_pose3 **poses, recon_so3_map **maps,
                                     const recon_molmodel *model, const recon_conformer *x,
                                     size_t n);

#endif
