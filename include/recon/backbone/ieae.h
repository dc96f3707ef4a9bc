/* ieae.h - the image backbone: an invariant-equivariant autoencoder on SO(2).
 *
 * A steerable encoder gives z = eta(x), which does not change when x is rotated, and the relative
 * pose psi(x), which rotates with it. A decoder makes the canonical x_hat = delta(z), and x_hat
 * rotated by psi(x) must be x (Winter et al., NeurIPS 2022). No label is used: the group is known,
 * so every image is shown in new random orientations.
 *
 * Three optional terms are added to the reconstruction. Two compare two views of an image: their
 * poses must differ by the rotation between them (pose), and their z must match (contrast). The
 * third is the lean: a second pose, nu(x), trained to be phi for an image rotated by phi. It is
 * equivariant like psi, so it can learn only its zero: for every object the mean of the poses in
 * which similar objects occur, its natural pose. psi(x) nu(x)^-1 is then invariant, and is Lambda(x)
 * without neighbours or pseudo-labels: the class [x] is the inputs that the network does not
 * distinguish. */
#ifndef RECON_BACKBONE_IEAE_H
#define RECON_BACKBONE_IEAE_H

#include <recon/backbone/embedded.h>
#include <recon/data/dataset.h>
#include <recon/nn/train.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct recon_ieae recon_ieae;

typedef enum {
    RECON_PRESET_FAST,  /* frequencies 0 to 3, two poolings: for a GPU        */
    RECON_PRESET_PAPER, /* the paper's list of layers, frequencies 0 and 1    */
    RECON_PRESET_SMALL  /* frequencies 0 to 2, pooled early: for two CPU cores */
} recon_preset;

/* What the network is. Zero in any field means its default. */
typedef struct {
    recon_preset preset;
    double width;       /* times the preset's fields; 0: 1                         */
    size_t frequencies; /* how many of them, 1 more than the highest; 0: the preset's */
    size_t code;        /* length of z; 0: 128                                     */
    int mask;           /* images are seen through a disc, so that no corner is lost
                           when they rotate; 0: no                                   */
    int lean;           /* there is one; filled in by training      */
    size_t height, width_px, channels; /* of the images; filled in by training     */
} recon_ieae_shape;

/* How it is trained. Zero in any field means its default; a negative weight means none. */
typedef struct {
    recon_ieae_shape shape;
    size_t epochs, batch; /* 0: the preset's; of a few images a batch is a quarter of them, and
                             epochs are as many as make 500 steps                          */
    double rate;          /* highest; warmed up, then a cosine to 0; 0: 2e-3               */
    double lean, pose, contrast; /* weights of the three terms; 0: the preset's */
    double temperature;          /* of the contrast; 0: 0.2                                       */
    double warp;                 /* of the second view: shear and scale up to this; 0: 0.2        */
    uint64_t seed, every, patience;
    int threads; /* that make views ready; 0: 2 */
    recon_precision precision;
    int resume;
    const char *data,
        *rotate; /* SPEC and rule, for the model to say what it was made from; or NULL */
} recon_ieae_options;

/* Trains on data less the part it holds out (see RECON_HELD_OUT) and leaves the epoch that
 * reconstructed that best in path; result->best is its mean squared error. */
RECON_API recon_status recon_ieae_train(recon_ctx *ctx, recon_train_result *result,
                                        const recon_dataset *data, const char *path,
                                        const recon_ieae_options *options);

/* precision: of the convolutions. The weights are those of the file whatever it holds beside
 * them (see maps.h). A model that is open does not change: many threads may use it, each with a
 * context of its own on the backend that it was opened with. */
RECON_API recon_status recon_ieae_open(recon_ctx *ctx, recon_ieae **out, const char *path,
                                       recon_precision precision);
RECON_API void recon_ieae_close(recon_ctx *ctx, recon_ieae *model);
RECON_API recon_ieae_shape recon_ieae_describe(const recon_ieae *model);

/* n images n x height x width x channels to z [n * code], psi [n] and lean [n], any of which may be
 * NULL. A model without a lean gives NaN for it. */
RECON_API recon_status recon_ieae_embed(recon_ctx *ctx, float *z, double *psi, double *lean,
                                        const recon_ieae *model, const float *images, size_t n);
/* The canonical images x_hat of n codes, to out n x height x width x channels. */
RECON_API recon_status recon_ieae_decode(recon_ctx *ctx, float *out, const recon_ieae *model,
                                         const float *z, size_t n);

/* "fast", "paper", "small". */
RECON_API const char *recon_preset_name(recon_preset preset);

#ifdef __cplusplus
}
#endif
#endif
