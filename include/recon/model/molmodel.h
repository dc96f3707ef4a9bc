/* molmodel.h - a whole model of molecules, as `recon discover` leaves it: what model.h is to
 * images.
 *
 * A model that is open does not change: many threads may use it, each with a context of its own on
 * the backend that it was opened with. */
#ifndef RECON_MODEL_MOLMODEL_H
#define RECON_MODEL_MOLMODEL_H

#include <recon/model/model.h>
#include <recon/backbone/molnet.h>
#include <recon/maps/so3_maps.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct recon_molmodel recon_molmodel;

/* precision: of the backbone's products. A file that `recon train` wrote has no maps yet, and the
 * message says what to do. */
RECON_API recon_status recon_molmodel_open(recon_ctx *ctx, recon_molmodel **out, const char *path,
                                           recon_precision precision);
RECON_API void recon_molmodel_close(recon_ctx *ctx, recon_molmodel *model);

/* The molecules it takes, its size and its maps. */
typedef struct {
    recon_molnet_shape shape;
    size_t weights; /* of backbone and maps */
    recon_so3_maps_info maps;
} recon_molmodel_info;
RECON_API recon_molmodel_info recon_molmodel_describe(const recon_molmodel *model);

RECON_API const recon_molnet *recon_molmodel_backbone(const recon_molmodel *model); /* lent */
RECON_API const recon_so3_maps *recon_molmodel_maps(const recon_molmodel *model);   /* lent */

/* As recon_model_save. */
RECON_API recon_status recon_molmodel_save(recon_ctx *ctx, const char *path, const char *from,
                                           recon_molnet *backbone, const recon_so3_maps *maps,
                                           const recon_model_save_options *options);

#ifdef __cplusplus
}
#endif
#endif
