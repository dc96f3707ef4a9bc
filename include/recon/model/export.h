/* export.h - writes a model as an ONNX file, for other runtimes.
 *
 * The input is images n x channels x height x width, float in 0 .. 1, any n. The file contains the
 * whole computation; docs/export.md lists its outputs. */
#ifndef RECON_MODEL_EXPORT_H
#define RECON_MODEL_EXPORT_H

#include <recon/model/model.h>

struct recon_classifier; /* recon/backbone/classifier.h */

/* What the file computes for each image. */
typedef enum {
    RECON_EXPORT_POSE,         /* its pose, and the rotation to its natural pose */
    RECON_EXPORT_CANONICALIZE, /* the same, and the rotated image */
    RECON_EXPORT_SCORE,        /* the same, and how unusual the pose is, for a gate */
} recon_export_what;

/* Zero in any field means its default. */
typedef struct {
    recon_export_what what;
    const char *licence; /* of the model, for the file's metadata; NULL: none is recorded */
    uint64_t reserved[RECON_RESERVED];
} recon_export_options;

/* Returns "pose", "canonicalize" or "score". */
RECON_API const char *recon_export_name(recon_export_what what);

/* Writes the model to path, with ONNX opset 17. Models for molecules, and models whose natural pose
 * comes from neighbours, are RECON_ERR_INPUT, and the message tells why. options may be NULL. */
RECON_API recon_status recon_model_export(recon_ctx *ctx, const char *path,
                                          const recon_model *model,
                                          const recon_export_options *options);

/* The same for a frozen classifier, from images to `logits`, n x classes. licence may be NULL. */
RECON_API recon_status recon_classifier_export(recon_ctx *ctx, const char *path,
                                               const struct recon_classifier *classifier,
                                               const char *licence);

#endif
