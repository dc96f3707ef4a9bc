/* rival_net.h (private) - the networks behind rival.h, between the files that open, train and use
 * them. */
#ifndef LAB_RIVAL_NET_H
#define LAB_RIVAL_NET_H

#include "backbone/encoder.h"
#include "data/loader.h"
#include "lab/rival.h"
#include "lab/rival_partial.h"

#include <recon/nn/nets.h>

enum { RIVAL_BATCH = 250 }; /* images of a pass that does not train */

struct rival {
    rival_info info;
    recon_params *params;
    float *mask; /* [height * width] through which it sees, or NULL */
    union {
        recon_resnet18 resnet;
        struct {
            recon_encoder encoder;
            recon_mlp head; /* of classifiers */
        } steerable;
        recon_mlp plain; /* on the pixels */
        partial_net partial;
    } net;
};

typedef struct {
    const char *name;
    int poses, masked;
    int pairs; /* it learns by two views of each image, how far one is rotated against the other */
    size_t epochs, batch;
    double rate, decay;
    recon_loader_options views; /* of the images that it learns from */
    recon_status (*add)(recon_ctx *ctx, rival *r);
    recon_var (*apply)(recon_tape *tape, const rival *r, recon_var x); /* logits, or n x 2 */
    recon_status (*feed)(recon_tape *tape, rival *r, double offset);   /* before a step, or NULL */
    recon_var (*penalty)(recon_tape *tape, const rival *r); /* of a classifier, 1 x 1, or NULL */
    recon_status (*freeze)(recon_ctx *ctx, rival *r);       /* or NULL */
} rival_net;
extern const rival_net rival_nets[RIVAL_KINDS];

/* With the weights of a file, which is lent; file NULL: untrained. */
recon_status rival_make(recon_ctx *ctx, rival **out, rival_info info, recon_precision precision,
                        const recon_safetensors *file, const char *path, uint64_t seed);

/* What the network needs on the tape besides images. Angles that it samples begin at `offset` radians:
 * 0, but in training. */
recon_status rival_feed(recon_tape *tape, rival *r, double offset);

/* The images as the network sees them. out may be in. */
void rival_see(float *out, const rival *r, const float *in, size_t n);

#endif
