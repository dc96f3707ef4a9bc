/* molecule_net.h - the molecule backbone: an invariant-equivariant autoencoder on SO(3).
 *
 * An equivariant network on atoms gives a latent, which does not change when the molecule x is
 * rotated or moved, and three vectors, which rotate with it. The first two make the relative pose
 * psi(x) = R by Gram-Schmidt, the third is a shift t. A decoder makes the canonical x_hat of the
 * latent: places and elements of atom 0, 1, 2 .. in the order in which the data lists them; and
 * R x_hat + t must be x (Winter et al., NeurIPS 2022; the RECON paper's appendix on GEOM). No label
 * is used: the group is known, so every conformer is seen in fresh orientations.
 *
 * Two terms may stand beside the reconstruction, both between a conformer and a neighbour of it in
 * the latent of a first, short stage of training. Alike conformers can be laid over each other, up
 * to their bond graph's symmetries, so the rotation between them is known: their poses must differ by
 * it. And z, then a linear map of the latent, must tell which conformers belong together. */
#ifndef RECON_BACKBONE_MOLECULE_NET_H
#define RECON_BACKBONE_MOLECULE_NET_H

#include <recon/backbone/embedded.h>
#include <recon/backbone/ieae.h>
#include <recon/data/molecules.h>
#include <recon/nn/train.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct recon_molecule_net recon_molecule_net;

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
    uint64_t seed, every, patience;
    recon_precision precision;
    int resume;
    const char *data,
        *rotate; /* SPEC and rule, for the model to say what it was made from; or NULL */
} recon_molecule_net_options;

/* Trains on data and leaves the epoch with the least loss on held in path, result->best is that
 * loss; held NULL: one conformer in RECON_HELD_OUT of each molecule is kept from data for it. The
 * first stage's state lies beside it, in PATH.stage1, and is read again by a resumed run. */
RECON_API recon_status recon_molecule_net_train(recon_ctx *ctx, recon_train_result *result,
                                                const recon_molecules *data,
                                                const recon_molecules *held, const char *path,
                                                const recon_molecule_net_options *options);

/* A model that is open does not change: many threads may use it, each with a context of its own on
 * the backend that it was opened with. */
RECON_API recon_status recon_molecule_net_open(recon_ctx *ctx, recon_molecule_net **out,
                                               const char *path, recon_precision precision);
RECON_API void recon_molecule_net_close(recon_ctx *ctx, recon_molecule_net *model);
RECON_API recon_molecule_net_shape recon_molecule_net_describe(const recon_molecule_net *model);

/* What the model says of n conformers; any array may be NULL. */
typedef struct {
    float *z;       /* [n][code]                                                   */
    float *latent;  /* [n][latent]                                                 */
    recon_so3 *psi; /* [n]                                                         */
    float *shift;   /* [n][3], t: Angstrom, from the mean of the atoms' places     */
} recon_molecule_net_answer;

/* Conformers of any size; an element that the model does not know is RECON_ERR_INPUT. A conformer
 * whose vectors are parallel or zero (atoms on a line) gets a pose of no meaning,
 * but a rotation. */
RECON_API recon_status recon_molecule_net_embed(recon_ctx *ctx,
                                                const recon_molecule_net_answer *out,
                                                const recon_molecule_net *model,
                                                const recon_conformer *x, size_t n);
/* The canonical molecules x_hat of n latents: places [n][slots][3] and element scores
 * [n][slots][elements], either of which may be NULL. */
RECON_API recon_status recon_molecule_net_decode(recon_ctx *ctx, float *places, float *scores,
                                                 const recon_molecule_net *model,
                                                 const float *latent, size_t n);

/* How well one conformer is rebuilt, over the atoms the decoder has slots for. */
typedef struct {
    float l1;          /* mean over coordinates, Angstrom            */
    float rmsd, heavy; /* over all atoms; over all but hydrogen (NaN: none) */
    float elements;    /* share of the atoms whose element is right  */
} recon_molecule_net_error;
RECON_API recon_status recon_molecule_net_reconstruct(recon_ctx *ctx,
                                                      recon_molecule_net_error *out /* [n] */,
                                                      const recon_molecule_net *model,
                                                      const recon_conformer *x, size_t n);

#ifdef __cplusplus
}
#endif
#endif
