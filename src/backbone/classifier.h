/* classifier.h (private) - the parts of the classifier. */
#ifndef BACKBONE_CLASSIFIER_H
#define BACKBONE_CLASSIFIER_H

#include <recon/backbone/classifier.h>
#include <recon/nn/nets.h>

struct recon_classifier {
    recon_classifier_info info;
    recon_params *params;
    union {
        recon_small_cnn small;
        recon_resnet18 resnet18;
    } net;
};

/* Whether an open file is one of a classifier of images. */
int recon_classifier_is(const recon_safetensors *file);

#endif
