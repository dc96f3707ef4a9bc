/* model.h (private) - what the applications share: images, and what the model says of them. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <recon/model/model.h>
#include <recon/model/pose.h>

struct recon_model {
    recon_ieae *backbone;
    recon_maps *maps;
    recon_ieae_shape shape;
};

/* Numbers of one image. */
static inline size_t recon_model_pixels(const recon_model *model)
{
    return model->shape.height * model->shape.width_px * model->shape.channels;
}

/* The pose of an input whose natural pose is lambda. */
recon_pose2 recon_pose_make(double psi, double lambda);

/* RECON_ERR_INPUT for a pixel that is not finite. */
recon_status recon_model_check(recon_ctx *ctx, const recon_model *model, const float *images,
                               size_t n);

/* Checks n images and gives their poses; maps [n] takes what the other heads say too, or is NULL,
 * and they do not run. */
recon_status recon_model_read(recon_ctx *ctx, recon_pose2 *poses, recon_so2_map *maps,
                              const recon_model *model, const float *images, size_t n);
/* Both, in arrays of their own: free them, whatever the status. */
recon_status recon_model_read_all(recon_ctx *ctx, recon_pose2 **poses, recon_so2_map **maps,
                                  const recon_model *model, const float *images, size_t n);

#endif
