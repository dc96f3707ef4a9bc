/* classifier.h (private) - the parts of the classifier, and the frozen one as a part of another
 * network. */
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

/* Logits of x n x height x width x channels, as recon_classifier_logits has them: norms use their
 * running statistics also where the tape trains, and the weights get no gradient; x does. */
recon_var recon_classifier_apply(recon_tape *tape, const recon_classifier *classifier, recon_var x);

#endif
