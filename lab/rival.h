/* rival.h - networks that the tables compare with, small ones of our own engine: classifiers that are
 * equivariant or were trained with rotated images, and networks that canonicalize images in front of
 * the frozen classifier. docs/paper.md says what each follows and where it differs.
 *
 * All learn from the training part, less one image in RECON_HELD_OUT. Those held out, rotated by the
 * rule of the set, choose the epoch; the test part is not looked at. */
#ifndef LAB_RIVAL_H
#define LAB_RIVAL_H

#include <recon/backbone/classifier.h>
#include <recon/nn/trained.h>

typedef enum {
    RIVAL_AUGMENTED, /* a narrow ResNet-18 that has seen images rotated by any angle         */
    RIVAL_ESCNN,     /* a steerable encoder with a two-layer head                             */
    RIVAL_EQUIADAPT, /* a steerable canonicalizer, by the frozen classifier's loss and a prior */
    RIVAL_PARTIAL,   /* a Partial G-CNN                                                       */
    RIVAL_SGM,       /* a pose that is consistent within each orbit, by an ordinary network   */
    RIVAL_KINDS
} rival_kind;

typedef struct rival rival;

typedef struct {
    rival_kind kind;
    int poses; /* 1: it gives a pose to undo in front of the frozen classifier; 0: it classifies */
    size_t height, width, channels, classes, weights;
} rival_info;

/* The key of its row, "escnn". */
const char *rival_name(rival_kind kind);

/* Zero in any field means its default. */
typedef struct {
    size_t epochs;
    uint64_t seed;
    const char *rule;               /* of the rotations of the images held out               */
    const recon_classifier *frozen; /* of those that give poses              */
    recon_precision precision;
    int resume, overwrite;
} rival_options;

/* Leaves the best epoch in path; result->best is its share of mistakes on the images held out, of SGM
 * how far two views of one disagree about their rotation, as 1 - cosine. */
recon_status rival_train(recon_ctx *ctx, recon_train_result *result, rival_kind kind,
                         const recon_dataset *data, const char *path, const rival_options *options);

/* NULL may be closed. */
recon_status rival_open(recon_ctx *ctx, rival **out, const char *path);
void rival_close(recon_ctx *ctx, rival *r);
rival_info rival_describe(const rival *r);

/* What it says of n images n x height x width x channels: logits [n * classes], or how far each is
 * rotated, [n] radians. */
recon_status rival_logits(recon_ctx *ctx, double *out, rival *r, const float *images, size_t n);
recon_status rival_poses(recon_ctx *ctx, double *out, rival *r, const float *images, size_t n);

/* A recon_guess of one that classifies. */
recon_status rival_guess(recon_ctx *ctx, void *user, int64_t *labels, const float *images,
                         size_t n);

#endif
