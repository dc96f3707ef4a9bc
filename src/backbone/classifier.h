/* classifier.h (private) - the parts of the classifier, and its use as a frozen part of other
 * networks. */
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

/* The logits of x n x height x width x channels, equal to those of recon_classifier_logits: norms
 * use their running statistics even in training, and the weights get no gradient, but x does. */
recon_var recon_classifier_apply(recon_tape *tape, const recon_classifier *classifier, recon_var x);

#endif
