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
    size_t stem;          /* ResNet-18: channels of the stem, at most 1024; 0: 64 */
    double shift;         /* augmentation: random shifts of up to this many pixels */
    int flip;             /* augmentation: half of the images are mirrored */
    int rotate;           /* augmentation: random rotations, with edge pixels repeated outside */
    size_t epochs, batch; /* 0: 3 epochs of batches of 64 (small), 15 of 128 (ResNet-18) */
    double rate;          /* 0: 2e-3 (small), 1e-3 (ResNet-18); warm-up, then a cosine to 0 */
    double decay;         /* weight decay, times the rate; 0: 0.01; negative: none */
    uint64_t seed;
    uint64_t every;    /* steps between checkpoints within an epoch; 0: none */
    uint64_t patience; /* stop after this many epochs without improvement; 0: run all */
    recon_precision precision;
    int bf16;              /* write the weights in bfloat16: half the file size */
    int resume, overwrite; /* see recon_ieae_options */
} recon_classifier_options;

/* Trains on data except a held-out part (see RECON_HELD_OUT) and writes the epoch with the lowest
 * error rate on that part to path; result->best is that error rate. */
RECON_API recon_status recon_classifier_train(recon_ctx *ctx, recon_train_result *result,
                                              const recon_dataset *data, const char *path,
                                              const recon_classifier_options *options);

/* Opens the file that recon_classifier_train wrote. Closing NULL does nothing. */
RECON_API recon_status recon_classifier_open(recon_ctx *ctx, recon_classifier **out,
                                             const char *path);
RECON_API void recon_classifier_close(recon_ctx *ctx, recon_classifier *classifier);

/* The network, the shape of its images, and the number of its weights. */
typedef struct {
    recon_net net;
    size_t stem; /* channels of the stem of a ResNet-18, else 0 */
    size_t height, width, channels, classes, weights;
} recon_classifier_info;
RECON_API recon_classifier_info recon_classifier_describe(const recon_classifier *classifier);

/* The accuracy on labelled data. */
RECON_API recon_status recon_classifier_accuracy(recon_ctx *ctx, double *out,
                                                 const recon_classifier *classifier,
                                                 const recon_dataset *data);

/* Writes the logits of images [n][height][width][channels] to out [n][classes]. */
RECON_API recon_status recon_classifier_logits(recon_ctx *ctx, double *out,
                                               const recon_classifier *classifier,
                                               const float *images, size_t n);

#endif
