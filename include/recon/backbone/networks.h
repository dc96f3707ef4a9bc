/* networks.h - the backbones that recon trains: what they are, and how they are trained.
 *
 * Both are invariant-equivariant autoencoders (Winter et al., NeurIPS 2022). No label is used: the
 * group is known, so every input is seen in fresh orientations. What is trained is opened with
 * recon_backbone_open. */
#ifndef RECON_BACKBONE_NETWORKS_H
#define RECON_BACKBONE_NETWORKS_H

#include <recon/data/dataset.h>
#include <recon/data/molecules.h>
#include <recon/nn/trained.h>
#include <recon/ops/backend.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    RECON_PRESET_FAST,  /* frequencies 0 to 3, two poolings: for a GPU        */
    RECON_PRESET_PAPER, /* the paper's list of layers, frequencies 0 and 1    */
    RECON_PRESET_SMALL  /* frequencies 0 to 3, pooled early: for two CPU cores */
} recon_preset;

/* "fast", "paper", "small". */
RECON_API const char *recon_preset_name(recon_preset preset);

/* --- images, on SO(2) ------------------------------------------------------------------------- */

/* A steerable encoder gives z = eta(x), which does not change when x is rotated, and the relative
 * pose psi(x), which rotates with it. A decoder makes the canonical x_hat = delta(z), and x_hat
 * rotated by psi(x) must be x.
 *
 * Three optional terms are added to the reconstruction. Two compare two views of an image: their
 * poses must differ by the rotation between them (pose), and their z must match (contrast). The
 * third is the lean: a second pose, nu(x), trained to be phi for an image rotated by phi. It is
 * equivariant like psi, so it can learn only its zero: for every object the mean of the poses in
 * which similar objects occur, its natural pose. psi(x) nu(x)^-1 is then invariant, and is Lambda(x)
 * without neighbours or pseudo-labels: the class [x] is the inputs that the network does not
 * distinguish. */

/* Images may be seen through a disc, so that no corner is lost when they rotate. */
enum {
    RECON_MASK_WIDE =
        1, /* it fades beyond the circle that touches the borders: as version 0.2 had it */
    RECON_MASK_DISC =
        2 /* it fades in front of that, and hides where the frame is                    */
};

/* What the network is. Zero in any field means its default. */
typedef struct {
    recon_preset preset;
    double width;       /* times the preset's fields; 0: 1                         */
    size_t frequencies; /* how many of them, 1 more than the highest; 0: the preset's */
    size_t code;        /* length of z; 0: 128                                     */
    int mask;           /* images are seen through a disc, so that no corner is lost
                           when they rotate; 0: no                                   */
    int density;        /* there is one; filled in by training      */
    size_t height, width_px, channels; /* of the images; filled in by training     */
} recon_ieae_shape;

/* How it is trained. Zero in any field means its default; a negative weight means none. */
typedef struct {
    recon_ieae_shape shape;
    size_t epochs, batch; /* 0: the preset's; of a few images a batch is a quarter of them, and
                             epochs are as many as make 500 steps                          */
    double rate;          /* highest; warmed up, then a cosine to 0; 0: 2e-3               */
    double density, pose, contrast; /* weights of the three terms; 0: the preset's */
    double temperature; /* of the contrast; 0: 0.2                                       */
    double warp;        /* of the second view: shear and scale up to this; 0: 0.2        */
    int augment; /* all views are warped, moved, blurred and made brighter or darker; 0: of fewer than
                    10,000 images with the preset small or with from; negative: no             */
    uint64_t seed, every, patience;
    int threads; /* that make views ready; 0: 2 */
    recon_precision precision;
    int resume;    /* go on from PATH.last; epochs 0: as many as the run was begun with, more: it is
                      made longer, see recon_train                                             */
    int overwrite; /* a model or checkpoint at path may be replaced; 0: RECON_ERR_INPUT where there
                      is one and resume is 0                                                   */
    /* A model of images to start from, of `recon train` or `recon discover`: a path, or the name of one
     * that comes with recon. Its weights are the first ones; for images of another size the decoder
     * starts anew. Fields of shape that are 0 are those of the model (preset too: RECON_PRESET_FAST
     * follows it; a mask may be added). Others that differ are RECON_ERR_INPUT, as are images of other channels, and a
     * density asked for or refused against the model. Of fewer than 10,000 images epochs are as many
     * as make 600 steps. NULL: none. */
    const char *from;
    int crop; /* the images are cropped ones: recorded in the model, so that others will be, too */
    const char *data,
        *rotate; /* SPEC and rule, for the model to say what it was made from; or NULL */
    uint64_t reserved[RECON_RESERVED];
} recon_ieae_options;

/* Trains on data less the part it holds out (see RECON_HELD_OUT) and leaves the epoch that
 * reconstructed that best in path; result->best is its mean squared error. */
RECON_API recon_status recon_ieae_train(recon_ctx *ctx, recon_train_result *result,
                                        const recon_dataset *data, const char *path,
                                        const recon_ieae_options *options);

/* --- molecules, on SO(3) ---------------------------------------------------------------------- */

/* An equivariant network on atoms gives a latent, which does not change when the molecule x is
 * rotated or moved, and three vectors, which rotate with it. The first two make the relative pose
 * psi(x) = R by Gram-Schmidt, the third is a shift t. A decoder makes the canonical x_hat of the
 * latent: places and elements of atom 0, 1, 2 .. in the order in which the data lists them; and
 * R x_hat + t must be x (the RECON paper's appendix on GEOM).
 *
 * Two terms may stand beside the reconstruction, both between a conformer and a neighbour of it in
 * the latent of a first, short stage of training. Alike conformers can be laid over each other, up
 * to their bond graph's symmetries, so the rotation between them is known: their poses must differ by
 * it. And z, then a linear map of the latent, must tell which conformers belong together.
 *
 * The preset `paper` has neither unless they are asked for, and follows the paper's recipe: plain Adam
 * at 8.89e-5 with a warm-up of 5 epochs, 600 epochs of batches of 128, elements weighted 3.614, the
 * epoch with the least error of positions. What differs: each step shows conformers in new
 * orientations, to which the network is equivariant. */

/* Which neighbours the terms may pair. */
typedef enum {
    RECON_PAIRS_BONDS,   /* equal elements, in their order, and equal bonds: one molecule        */
    RECON_PAIRS_ELEMENTS /* equal elements in their order, whatever the bonds; atoms are laid over
                            each other by their numbers                                          */
} recon_pairs;

enum { RECON_MOLECULE_NET_ELEMENTS = 32 }; /* different ones that a model can tell, at most */

/* What the network is. Zero in any field means its default. */
typedef struct {
    recon_preset preset; /* RECON_PRESET_FAST: messages between all pairs of atoms, through filters
                            of the distance; _PAPER: steerable messages within the radius;
                            _SMALL: fast, of half the width                                     */
    double width;        /* times the preset's channels; 0: 1                                   */
    size_t layers;       /* 0: the preset's                                                     */
    double radius;       /* Angstrom within which _PAPER sees a neighbour; 0: 2                 */
    size_t latent;       /* its length; 0: 256, _PAPER 512, _SMALL 128                          */
    size_t code;         /* length of z; 0: 64. Without the map it is the latent's              */
    int mapped;          /* z is a linear map of the latent, of length one; else it is the latent.
                            Filled in by training, as what follows is                           */
    size_t slots;        /* atoms that the decoder makes: those of the largest molecule learnt  */
    size_t elements;
    uint8_t element[RECON_MOLECULE_NET_ELEMENTS]; /* atomic numbers, ascending */
} recon_molecule_net_shape;

/* How it is trained. Zero in any field means its default; a negative weight means none. */
typedef struct {
    recon_molecule_net_shape shape;
    size_t epochs;          /* in all; 0: the preset's; of a few conformers as many as make 500
                               steps                                                           */
    size_t before;          /* of them the first stage, reconstruction alone; 0: 8, more where
                               epochs are added, or a third of all where that is less, which may
                               be none                                                         */
    size_t batch;           /* conformers in a step; 0: the preset's; of a few conformers a
                               quarter of them                                                 */
    double rate;            /* highest; 0: the preset's                                        */
    double element;         /* weight of the elements' cross-entropy; 0: the preset's          */
    double align, contrast; /* weights of the two terms; 0: the preset's                       */
    double temperature;     /* of the contrast; 0: 0.1                                         */
    recon_pairs pairs;
    uint64_t seed, every, patience;
    recon_precision precision;
    int resume;    /* go on from PATH.last; epochs 0: as many as the run was begun with, more: it is
                      made longer, see recon_train                                             */
    int overwrite; /* a model or checkpoint at path may be replaced; 0: RECON_ERR_INPUT where there
                      is one and resume is 0                                                   */
    const char *data,
        *rotate; /* SPEC and rule, for the model to say what it was made from; or NULL */
    uint64_t reserved[RECON_RESERVED];
} recon_molecule_net_options;

/* Trains on data and leaves the epoch with the least loss on held in path, result->best is that
 * loss; held NULL: one conformer in RECON_HELD_OUT of each molecule is kept from data for it. The
 * first stage's state lies beside it, in PATH.stage1, and is read again by a resumed run. */
RECON_API recon_status recon_molecule_net_train(recon_ctx *ctx, recon_train_result *result,
                                                const recon_molecules *data,
                                                const recon_molecules *held, const char *path,
                                                const recon_molecule_net_options *options);

#ifdef __cplusplus
}
#endif
#endif
