/* classifier.h - the frozen image classifier of the experiments. */
#ifndef RECON_BACKBONE_CLASSIFIER_H
#define RECON_BACKBONE_CLASSIFIER_H

#include <recon/data/dataset.h>
#include <recon/nn/trained.h>
#include <recon/ops/backend.h>

typedef struct recon_classifier recon_classifier;

typedef enum { RECON_NET_SMALL, RECON_NET_RESNET18 } recon_net;

/* Zero in any field means its default. */
typedef struct {
    recon_net net;
    size_t stem;          /* ResNet-18: channels of the stem, at most 1024; 0: 64             */
    double shift;         /* each image moved at random by up to so many pixels              */
    int flip;             /* and mirrored half of the time                                   */
    int rotate;           /* and rotated by any angle, the edge's pixels repeated outside    */
    size_t epochs, batch; /* 0: 3 of 64 (small), 15 of 128 (ResNet-18)                       */
    double rate;          /* 0: 2e-3 (small), 1e-3 (ResNet-18); warmed up, then a cosine to 0 */
    double decay;         /* of the weights, times the rate; 0: 0.01; negative: none         */
    uint64_t seed;
    uint64_t every;    /* steps between checkpoints within an epoch; 0: none */
    uint64_t patience; /* epochs without a better one; 0: all are run        */
    recon_precision precision;
    int bf16;              /* weights are written in bfloat16: half the file */
    int resume, overwrite; /* see recon_ieae_options                           */
} recon_classifier_options;

/* Trains on data less the part it holds out (see RECON_HELD_OUT) and leaves the epoch that did best
 * there in path; result->best is its share of mistakes. */
RECON_API recon_status recon_classifier_train(recon_ctx *ctx, recon_train_result *result,
                                              const recon_dataset *data, const char *path,
                                              const recon_classifier_options *options);

/* What train left in path. NULL may be closed. */
RECON_API recon_status recon_classifier_open(recon_ctx *ctx, recon_classifier **out,
                                             const char *path);
RECON_API void recon_classifier_close(recon_ctx *ctx, recon_classifier *classifier);

/* The network, the images it takes and how many numbers it has. */
typedef struct {
    recon_net net;
    size_t stem; /* of ResNet-18, else 0 */
    size_t height, width, channels, classes, weights;
} recon_classifier_info;
RECON_API recon_classifier_info recon_classifier_describe(const recon_classifier *classifier);

/* Share of data whose most likely class is its label. */
RECON_API recon_status recon_classifier_accuracy(recon_ctx *ctx, double *out,
                                                 const recon_classifier *classifier,
                                                 const recon_dataset *data);

/* Logits of n images n x height x width x channels to out [n * classes]. */
RECON_API recon_status recon_classifier_logits(recon_ctx *ctx, double *out,
                                               const recon_classifier *classifier,
                                               const float *images, size_t n);

#endif
