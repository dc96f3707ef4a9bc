/* networks.h - the backbones that recon trains: architecture and training.
 *
 * Both are invariant-equivariant autoencoders (Winter et al., NeurIPS 2022). Labels are not used:
 * the group is known, so every input is shown in new orientations. A trained backbone is opened
 * with recon_backbone_open. */
#ifndef RECON_BACKBONE_NETWORKS_H
#define RECON_BACKBONE_NETWORKS_H

#include <recon/data/dataset.h>
#include <recon/data/molecules.h>
#include <recon/nn/trained.h>
#include <recon/ops/backend.h>

typedef enum {
    RECON_PRESET_FAST, /* frequencies 0 to 3, two poolings: for a GPU        */
    RECON_PRESET_PAPER, /* the paper's layers and recipe, frequencies 0 and 1; of images: reconstruction
                           alone, Adam at 8e-4 with warm restarts, batches of 128 */
    RECON_PRESET_SMALL,      /* frequencies 0 to 3, pooled early: for two CPU cores */
    RECON_PRESET_PHOTO,      /* images alone: a residual network for photographs, for a GPU  */
    RECON_PRESET_PHOTO_SMALL /* the same, narrower, for two CPU cores */
} recon_preset;

/* "fast", "paper", "small", "photo", "photo-small". */
RECON_API const char *recon_preset_name(recon_preset preset);

/* --- images, on SO(2) ------------------------------------------------------------------------- */

/* A steerable encoder computes z = eta(x), which does not change when x is rotated, and the
 * relative pose psi(x), which rotates with it. A decoder computes the canonical x_hat = delta(z),
 * and x_hat rotated by psi(x) must equal x.
 *
 * Three optional terms are added to the reconstruction. Two compare two views of an image: their
 * poses must differ by the rotation between them (pose), and their z must match (contrast). The
 * third is the pose density q(g | x): the probability of each rotation g to have produced x from
 * its natural pose. A head of the encoder computes it in bins, and it is trained by the likelihood
 * of the rotations that produced the views. It rotates with x, so it cannot learn the rotations
 * themselves but only in which poses similar objects occur. Its centre is a natural pose without
 * neighbours or pseudo-labels: Lambda(x) = psi(x) - centre.
 *
 * The photo presets are for natural images, squares of 16 to 256 pixels, colour or grey. Their
 * encoder is a residual network that processes an image four times, rotated by 0, 90, 180 and 270
 * degrees, and combines the outputs, which is exactly equivariant to quarter turns; equivariance to
 * other rotations is learned. There is no decoder: they are trained by the likelihood of the
 * density, with the pose and contrast terms, on single passes. Views show nothing outside the frame
 * and are masked to a disc. */

/* Images may be masked to a disc, so that no corner is lost when they rotate. */
enum {
    /* Fades beyond the circle that touches the borders; only files of version 0.2 have it. */
    RECON_MASK_WIDE = 1,
    /* Fades inside that circle, so that the frame is hidden. */
    RECON_MASK_DISC = 2
};

/* Architecture. Zero in any field means its default. */
typedef struct {
    recon_preset preset;
    double width;       /* times the preset's fields; 0: 1                         */
    size_t frequencies; /* how many of them, 1 more than the highest; 0: the preset's */
    size_t code;        /* length of z; 0: 128                                     */
    int mask;           /* RECON_MASK_DISC: images are seen through a disc; 0: they are not,
                           unless they show something at their borders             */
    int density;        /* whether there is a pose density; filled in by training  */
    size_t height, width_px, channels; /* of the images; filled in by training     */
} recon_ieae_shape;

/* --- molecules, on SO(3) ---------------------------------------------------------------------- */

/* An equivariant network on atoms computes a latent, which does not change when the molecule x is
 * rotated or translated, and three vectors, which rotate with it. The first two give the relative
 * pose psi(x) = R by Gram-Schmidt, the third is a translation t. A decoder computes the canonical
 * x_hat from the latent: positions and elements of atoms 0, 1, 2 .. in the order of the data; and R
 * x_hat + t must equal x (the RECON paper's appendix on GEOM).
 *
 * Two optional terms are added to the reconstruction, both between a conformer and a neighbour of
 * it in the latent of a first, short stage of training. Similar conformers can be superimposed, up
 * to the symmetries of their bond graph, so the rotation between them is known, and their poses
 * must differ by it (alignment). And z, then a linear map of the latent, must show which conformers
 * belong together (contrast).
 *
 * The preset `paper` has neither unless requested, and follows the paper's recipe: plain Adam at
 * 8.89e-5 with a warm-up of 5 epochs, 600 epochs of batches of 128, elements weighted 3.614, the
 * epoch with the least error of positions. What differs: each step shows conformers in new
 * orientations, to which the network is equivariant. */

enum { RECON_MOLECULE_NET_ELEMENTS = 32 }; /* different ones that a model can tell, at most */

/* Architecture. Zero in any field means its default. */
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

/* --- training --------------------------------------------------------------------------------- */

/* A number of a network's recipe by its name, as `recon train --set contrast=0.1` takes it; the help
 * of `recon train` lists the names. */
typedef struct {
    const char *name, *value;
} recon_setting;

/* Training of a backbone of any kind. Zero in any field means its default. */
typedef struct {
    const char *
        preset; /* recon_preset_name; NULL: that of `from`, else small on a CPU and fast on a GPU */
    /* Images: a model to start from, of `recon train` or `recon discover`: a path, or the name of one
     * that comes with recon. Its weights are the first ones; for images of another size the decoder
     * starts anew, and photo presets are RECON_ERR_INPUT where they halve those another number of
     * times. Preset, width, frequencies, code and density are the model's: others that are asked for
     * are RECON_ERR_INPUT, and images of other channels RECON_ERR_MISMATCH. */
    const char *from;
    int plain; /* reconstruction alone, as in the paper: all other terms are left out */
    const recon_setting
        *set; /* [n_set]; of two of one name the last holds                          */
    size_t n_set;
    const recon_data
        *held; /* molecules: validation data; NULL: one in RECON_HELD_OUT of data       */
    uint64_t seed, every,
        patience; /* see recon_train_options                                      */
    int threads;  /* that make images ready; 0: 2                                  */
    recon_precision precision;
    int resume;    /* continue from PATH.last; without epochs as many as the run started with, with
                      more it is extended                                                            */
    int overwrite; /* a model or checkpoint at path may be replaced; 0: RECON_ERR_INPUT where there
                      is one and resume is 0                                                         */
    int crop; /* the images are cropped ones: recorded in the model, so that others will be, too     */
    const char *data,
        *rotate; /* SPEC and rule, for the model to say what it was made from; or NULL */
    uint64_t reserved[RECON_RESERVED];
} recon_training;

/* Completes a training of data of a kind ("images") before they are opened: the preset, and how the
 * data are to be opened (may be NULL) where the model to start from decides that. RECON_ERR_INPUT for
 * a setting that is not known or has no such value, and for settings that exclude each other. */
RECON_API recon_status recon_training_complete(recon_ctx *ctx, recon_training *training,
                                               recon_data_options *as, const char *data);

/* Trains a backbone on data except the held-out part (see RECON_HELD_OUT) and writes the best epoch to
 * path, by result->best on the held-out part. With a pose density that is the mean negative
 * log-likelihood of its poses, in bins; of images without one the mean squared error of their
 * reconstruction, of molecules the loss. Data with only blank images are RECON_ERR_INPUT. */
RECON_API recon_status recon_backbone_train(recon_ctx *ctx, recon_train_result *result,
                                            const recon_data *data, const char *path,
                                            const recon_training *training);

#endif
