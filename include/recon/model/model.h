/* model.h - a whole model, as `recon discover` leaves it: the backbone and the maps, in one file.
 *
 * A model that is open does not change: many threads may use it, each with a context of its own on
 * the backend that it was opened with. */
#ifndef RECON_MODEL_MODEL_H
#define RECON_MODEL_MODEL_H

#include <recon/backbone/ieae.h>
#include <recon/maps/maps.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct recon_model recon_model;

/* precision: of the backbone's convolutions. A file that `recon train` wrote has no maps yet, and
 * the message says what to do. */
RECON_API recon_status recon_model_open(recon_ctx *ctx, recon_model **out, const char *path,
                                        recon_precision precision);
RECON_API void recon_model_close(recon_ctx *ctx, recon_model *model);

/* The images it takes, its size and its maps. */
typedef struct {
    recon_ieae_shape shape;
    size_t weights; /* of backbone and maps */
    recon_maps_info maps;
} recon_model_info;
RECON_API recon_model_info recon_model_describe(const recon_model *model);

RECON_API const recon_ieae *recon_model_backbone(const recon_model *model); /* lent */
RECON_API const recon_maps *recon_model_maps(const recon_model *model);     /* lent */

/* Zero in any field means its default. */
typedef struct {
    int half;                             /* weights as bfloat16: half the size, and rounded   */
    const recon_metadata_entry *metadata; /* more than the parts say of themselves             */
    size_t n_metadata;
} recon_model_save_options;

/* Writes backbone and maps to path. What the file `from`, the backbone's own, says of itself in its
 * metadata is said again. Without maps (NULL) it is the backbone alone. options may be NULL. */
RECON_API recon_status recon_model_save(recon_ctx *ctx, const char *path, const char *from,
                                        recon_ieae *backbone, const recon_maps *maps,
                                        const recon_model_save_options *options);

#ifdef __cplusplus
}
#endif
#endif
