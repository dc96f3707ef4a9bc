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
    RECON_PRESET_FAST, /* frequencies 0 to 3, two poolings: for a GPU */
    /* The paper's layers and recipe, frequencies 0 and 1. For images: the reconstruction loss
     * alone, Adam at 8e-4 with warm restarts, batches of 128. */
    RECON_PRESET_PAPER,
    RECON_PRESET_SMALL,      /* frequencies 0 to 3, pooled early: for two CPU cores */
    RECON_PRESET_PHOTO,      /* images only: a residual network for photographs, for a GPU */
    RECON_PRESET_PHOTO_SMALL /* the same, narrower, for two CPU cores */
} recon_preset;

/* The name of a preset: "fast", "paper", "small", "photo" or "photo-small". */
RECON_API const char *recon_preset_name(recon_preset preset);

/* --- images, on SO(2) ------------------------------------------------------------------------- */

/* A steerable encoder computes z = eta(x), which does not change when x is rotated, and the
 * relative pose psi(x), which rotates with x. A decoder computes the canonical x_hat = delta(z),
 * and training makes x_hat rotated by psi(x) equal to x.
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
 * encoder is a residual network that processes an image four times, rotated by 0, 90, 180 and
 * 270 degrees, and combines the outputs, which is exactly equivariant to quarter turns;
 * equivariance to other rotations is learned. There is no decoder: they are trained by the
 * likelihood of the density, with the pose and contrast terms, on single passes. Views show
 * nothing outside the frame and are masked to a disc. */

/* Images may be masked to a disc, so that rotating them cuts off no corners. */
enum {
    /* Fades beyond the circle that touches the borders; only files of version 0.2 have it. */
    RECON_MASK_WIDE = 1,
    /* Fades inside that circle, so that the frame is hidden. */
    RECON_MASK_DISC = 2
};

/* Architecture. Zero in any field means its default. */
typedef struct {
    recon_preset preset;
    double width;       /* factor on the preset's number of fields; 0: 1 */
    size_t frequencies; /* their number, one more than the highest; 0: the preset's */
    size_t code;        /* length of z; 0: 128 */
    int mask;    /* RECON_MASK_DISC: always; 0: only if images show something at their borders */
    int density; /* 1 if there is a pose density; filled in by training */
    size_t height, width_px, channels; /* of the images; filled in by training */
} recon_ieae_shape;

/* --- molecules, on SO(3) ---------------------------------------------------------------------- */

/* An equivariant network on atoms computes a latent, which does not change when the molecule x is
 * rotated or translated, and three vectors, which rotate with x. Gram-Schmidt makes the relative
 * pose psi(x) = R from the first two; the third is a translation t. A decoder computes the
 * canonical x_hat from the latent: positions and elements of atoms 0, 1, 2 .. in the order of the
 * data. Training makes R x_hat + t equal to x (the RECON paper's appendix on GEOM).
 *
 * Two optional terms are added to the reconstruction. Both compare a conformer with one of its
 * neighbours in the latent of a first, short stage of training. Alignment: similar conformers can
 * be superimposed, up to the symmetries of their bond graph, so the rotation between them is known,
 * and their poses must differ by it. Contrast: z, then a linear map of the latent, must show which
 * conformers belong together.
 *
 * The preset `paper` uses neither term unless requested, and follows the paper's recipe: plain
 * Adam at 8.89e-5 with a warm-up of 5 epochs, 600 epochs of batches of 128, the loss of elements
 * weighted by 3.614, and the epoch with the smallest error of positions. One thing differs: each
 * step shows conformers in new orientations, to which the network is equivariant. */

enum { RECON_MOLECULE_NET_ELEMENTS = 32 }; /* the most elements that a model can distinguish */

/* Architecture. Zero in any field means its default. */
typedef struct {
    /* RECON_PRESET_FAST: messages between all pairs of atoms, with filters of the distance. _PAPER:
     * steerable messages within the radius. _SMALL: like _FAST, with half the width. */
    recon_preset preset;
    double width;  /* factor on the preset's number of channels; 0: 1 */
    size_t layers; /* 0: the preset's */
    double radius; /* _PAPER: atoms within this distance in Angstrom are neighbours; 0: 2 */
    size_t latent; /* length of the latent; 0: 256, _PAPER 512, _SMALL 128 */
    size_t code;   /* length of z; 0: 64; that of the latent if z is not mapped */
    /* Filled in by training. */
    int mapped;   /* 1: z is a linear map of the latent, scaled to length one; 0: z is the latent */
    size_t slots; /* atoms that the decoder outputs: those of the largest molecule in training */
    size_t elements;
    uint8_t element[RECON_MOLECULE_NET_ELEMENTS]; /* atomic numbers, ascending */
} recon_molecule_net_shape;

/* --- training --------------------------------------------------------------------------------- */

/* One setting of a network's recipe, as in `recon train --set contrast=0.1`; `recon train --help`
 * lists the names. */
typedef struct {
    const char *name, *value;
} recon_setting;

/* How a backbone of any kind is trained. Zero in any field means its default. */
typedef struct {
    /* One of recon_preset_name; NULL: that of `from`, else small on a CPU and fast on a GPU. */
    const char *preset;
    /* Images: the model to start from, written by `recon train` or `recon discover`: a path, or
     * the name of a model that comes with recon. Training starts with its weights. If the images
     * have another size, the decoder starts from scratch; a photo preset that would halve that
     * size a different number of times is RECON_ERR_INPUT. Preset, width, frequencies, code and
     * density are the model's: asking for others is RECON_ERR_INPUT, and images with another
     * number of channels are RECON_ERR_MISMATCH. */
    const char *from;
    int plain; /* use the reconstruction loss alone, as in the paper, without any other term */
    const recon_setting *set; /* [n_set]; if a name is set twice, the last one holds */
    size_t n_set;
    const recon_data *held;         /* molecules: validation data; NULL: 1/RECON_HELD_OUT of data */
    uint64_t seed, every, patience; /* see recon_train_options */
    int threads;                    /* threads that prepare images; 0: 2 */
    recon_precision precision;
    int resume;    /* continue from PATH.last; more epochs than that run asked for extend it */
    int overwrite; /* replace a model or checkpoint at path; 0: finding one is RECON_ERR_INPUT */
    int crop;      /* the images are cropped; the model records it, so that others will be too */
    const char *data,
        *rotate; /* the SPEC and the rotation rule, for the model to record; or NULL */
    uint64_t reserved[RECON_RESERVED];
} recon_training;

/* Completes the settings before data of a kind ("images") are opened: fills in the preset, and in
 * `as` (may be NULL) how the data must be opened if the model to start from decides that. Unknown
 * settings, invalid values, and settings that exclude each other are RECON_ERR_INPUT. */
RECON_API recon_status recon_training_complete(recon_ctx *ctx, recon_training *training,
                                               recon_data_options *as, const char *data);

/* Trains a backbone on data except the held-out part (see RECON_HELD_OUT) and writes the best
 * epoch to path. The best epoch has the lowest result->best on the held-out part: with a pose
 * density, the mean negative log-likelihood of the poses, in bins; for other images, the mean
 * squared error of the reconstruction; for molecules, the loss. Data with only blank images are
 * RECON_ERR_INPUT. */
RECON_API recon_status recon_backbone_train(recon_ctx *ctx, recon_train_result *result,
                                            const recon_data *data, const char *path,
                                            const recon_training *training);

#endif
