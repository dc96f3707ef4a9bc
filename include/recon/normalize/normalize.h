/* normalize.h - Algorithm 1 of the paper: from (z, psi) to centred pose distributions.
 *
 * For each point it finds the class [x] among the embeddings, the centre Gamma of the poses of the
 * class, the centred poses (g Gamma^-1), and the parameters theta of their distribution around the
 * identity. The result does not depend on the backbone's arbitrary canonical pose. */
#ifndef RECON_NORMALIZE_NORMALIZE_H
#define RECON_NORMALIZE_NORMALIZE_H

#include <recon/backbone/embedded.h>
#include <recon/knn/knn.h>
#include <recon/group/mean.h>
#include <recon/group/so2_density.h>

typedef enum {
    RECON_CLASSES_KNN = 0,    /* the k nearest neighbours */
    RECON_CLASSES_COMPONENTS, /* connected components of d < eps, including the point itself */
    RECON_CLASSES_GIVEN       /* the classes in class_of */
} recon_classes;

/* Zero means the default, but KNN needs k, COMPONENTS eps and GIVEN class_of. */
typedef struct {
    recon_classes classes;
    recon_knn_options knn; /* k, metric, method, include_self; recall is filled in for you */
    double eps;            /* see recon_knn_components */
    /* [index->n] GIVEN: the class of each point, a number of at least 0, or a negative one for
     * none. A query belongs to the class of its nearest point. */
    const int64_t *class_of;
    /* KNN without queries: the number of poses that a verdict is based on, including those of the
     * neighbours' neighbours; 0: the poses of the row's cluster. */
    size_t pool;
    recon_mean_options mean;
    int family; /* an index of group->families (SO(2): a recon_so2_family), if there are several */
    /* KNN with queries: use only each query's own k neighbours. The neighbours of the index are not
     * searched, so p is the tail of the row's own density, there is no p_embedding, and no cluster
     * decides the verdict. */
    int only_tails;
    int no_symmetry; /* the symmetries that the poses of clusters repeat are not named */
    uint64_t reserved[RECON_RESERVED];
} recon_normalize_options;

enum { RECON_FRAME_MODES = 4 };
#define RECON_FRAMES_UNLIKE 0.01 /* queries up to this p_embedding are unlike the index */

/* The result: one row per query, or per point of the index if there are no queries. A pose is
 * group->numbers doubles. */
typedef struct {
    const recon_group *group;
    size_t rows;
    size_t k;           /* 0 for COMPONENTS */
    int64_t *neighbors; /* [rows][k]; NULL for COMPONENTS */
    double *similarity; /* [rows][k] cosine, inner product or distance of each neighbour */
    int64_t *members;   /* [rows] the class is this many of the neighbours, from the nearest on */
    int64_t *class_of;  /* [rows] component, -1 for a query outside all; or class; NULL for KNN */
    size_t classes;     /* rows for KNN, else the number of components or classes */
    double *gamma;      /* [rows] centre of the class; NaN if class_of is -1 */
    double *normalized; /* [rows][k] centred poses of the class; NULL for COMPONENTS */
    double *absolute;   /* [rows] the row's own pose, centred: psi(x) Gamma^-1 */
    /* [rows][identifiability_width], see the group: for SO(2) |E exp(i m theta)|, m = 1..4; for
     * SO(3) the singular values of the mean rotation. */
    double *identifiability;
    size_t identifiability_width;
    /* [rows] the width in radians: half-width of an arc, sigma of a normal, else the
     * root-mean-square distance of the poses of the class from the centre. */
    double *theta;
    /* [rows][parameters_width] of the density: 1 (half-width, sigma or kappa); for a mixture
     * weights, then means, then kappas, 3 x RECON_SO2_PARTS_MAX, unused parts zero; 9 for F. */
    double *parameters;
    size_t parameters_width;
    int family; /* the one that was used, of group->families */
    /* [rows] the weight of the uniform part of p: the fitted one, but at least 1 / (n + 2) for a
     * class of n, and 1 for a class of one. */
    double *background;
    double *score; /* [rows] -log p(absolute pose), normalised, always finite */
    /* [rows] the p-value of the row's own pose: the share of poses, among rows with the same
     * verdict, that are at least as unusual for their own density. */
    double *p;
    /* [rows] KNN: the p-value of the distance to the nearest neighbour: the share of the index's
     * points that are as far from theirs. NULL with only_tails, and for more than a million points
     * with queries or over ranks. A query up to RECON_FRAMES_UNLIKE, or further from the index than
     * all its points are, has the verdict "cannot tell". */
    double *p_embedding;
    int8_t *verdict;  /* [rows] a recon_natural; -1 if class_of is -1 */
    int8_t *fold;     /* [rows] m: known up to m rotations; 1: one or several poses; 0: unknown */
    int8_t *symmetry; /* [rows] the group of these rotations: a recon_symmetry_code */
    /* [rows][RECON_FRAME_MODES][modes_width], not centred, heaviest first: the pose (SO(2): an
     * angle; SO(3): a matrix), then its weight; unused modes are zero. */
    double *modes;
    size_t modes_width; /* numbers of a pose as it is written, plus 1 */
    /* [rows][2][3] the best determined direction, in the frame before the rotation and in the one
     * after it; NULL without group->has_axis. */
    double *axis;
    /* [rows][RECON_FREE_MAX][group->dimension] with the verdict AXIS: a basis of the free directions, see
     * recon_center; unused ones, and those of other verdicts, are zero. NULL without group->directions. */
    double *free;
    size_t singles; /* classes of one point, whose centre is the point's own pose */
    size_t outside; /* rows without a class */
    size_t
        collapsed; /* rows whose neighbours all have the row's embedding, and are thus arbitrary */
    size_t natural[RECON_NATURAL_KINDS]; /* rows with a class, by verdict */
    double hit_rate; /* the share of the class with the same label as the row; NaN without labels */
    double recall;   /* of the neighbour search, 1 if exact */
    struct {
        double classes, centers, fits;
    } seconds;
} recon_frames;

/* Runs Algorithm 1 on the index, or on queries (may be NULL) against it. With COMPONENTS a query
 * belongs to the component of its nearest point, if that is nearer than eps.
 * Queries may be without poses, see recon_index_query, which answers more than once. options are
 * required. Free the frames with recon_frames_free, also after a failure; calling it twice is safe. */
RECON_API recon_status recon_normalize(recon_ctx *ctx, recon_frames *out,
                                       const recon_embedded *index, const recon_embedded *queries,
                                       const recon_normalize_options *options);
RECON_API void recon_frames_free(recon_frames *frames);

/* Makes the centres of similar rows agree. On SO(3) the poses of a class may lie on a ring; noise
 * then decides where on the ring a mean lies, so neighbourhoods of one class disagree, and no map
 * can learn them. This replaces Gamma by the gauge of F Gamma, the distribution of the uncentred
 * poses: of its equally good centres, the one nearest the identity, which is the mode if the data
 * determine one. Normalised and absolute poses are updated; scores and identifiability do not
 * depend on it. Rows without a class are not changed. RECON_ERR_UNSUPPORTED for a group without
 * `gauge`, such as SO(2). */
RECON_API recon_status recon_frames_gauge(recon_ctx *ctx, recon_frames *frames);

/* Writes the frames to the folder dir, which is created if necessary: gamma.npy, absolute.npy,
 * identifiability.npy, theta.npy, parameters.npy, background.npy, score.npy, p.npy, verdict.npy,
 * fold.npy, symmetry.npy, modes.npy, axis.npy if group->has_axis, neighbors.npy, similarity.npy, members.npy,
 * normalized.npy and p_embedding.npy with KNN, else classes.npy, and summary (text, may be NULL) as
 * summary.json. Poses are written as `poses` (RECON_F32 or RECON_F64), rotations as 3 x 3 matrices;
 * parameters of a mixture are rows x 3 x parts, F is rows x 3 x 3.
 *
 * An earlier result in dir is replaced as a whole or not at all: readers see either the old or the
 * new one, and a failure changes nothing. The files of a result are those that its summary lists as
 * "files" (for version 0.1.0, the names above). Everything else in dir is kept, except files with
 * the name of a new one. If another process is writing to dir, this waits for up to 10 seconds and
 * then fails. docs/trust.md describes file systems that cannot exchange folders. */
RECON_API recon_status recon_frames_write(recon_ctx *ctx, const char *dir,
                                          const recon_frames *frames, recon_dtype poses,
                                          const char *summary);

#endif
