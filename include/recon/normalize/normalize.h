/* normalize.h - Algorithm 1 of the paper: from (z, psi) to centred pose distributions.
 *
 * For every point: its class [x] among the embeddings, the poses of that class, their centre Gamma,
 * the centred poses (g Gamma^-1), and the parameters theta of their distribution around the
 * identity. The result no longer depends on the backbone's arbitrary canonical pose. */
#ifndef RECON_NORMALIZE_NORMALIZE_H
#define RECON_NORMALIZE_NORMALIZE_H

#include <recon/backbone/embedded.h>
#include <recon/knn/knn.h>
#include <recon/group/mean.h>
#include <recon/group/so2_density.h>

typedef enum {
    RECON_CLASSES_KNN = 0,    /* the k nearest neighbours                                        */
    RECON_CLASSES_COMPONENTS, /* connected components of d < eps, the point itself among them    */
    RECON_CLASSES_GIVEN       /* class_of says it                                                 */
} recon_classes;

/* Zero means the default, but KNN needs k, COMPONENTS eps and GIVEN class_of. */
typedef struct {
    recon_classes classes;
    recon_knn_options knn; /* k, metric, method, include_self; recall is filled in for you */
    double eps;            /* see recon_knn_components */
    const int64_t
        *class_of; /* [index->n] GIVEN: any number of at least 0 for a class, less for none.
                                A query belongs to the class of its nearest point                 */
    size_t pool;   /* KNN without queries: poses that a verdict is made from, those of the
                              neighbours' neighbours among them; 0: those of the row's cluster */
    recon_mean_options mean;
    int family; /* of group->families, on SO(2) a recon_so2_family; not asked of a group with one */
    int only_tails; /* of queries, KNN: by their own k neighbours alone. The index is not searched
                       for its own neighbours, so that p is the tail of the row's own density, there
                       is no p_embedding, and no cluster gives the verdict                     */
    uint64_t reserved[RECON_RESERVED];
} recon_normalize_options;

enum { RECON_FRAME_MODES = 4 };
#define RECON_FRAMES_UNLIKE 0.01

/* The result: one row per query, or per point of the index if there are no queries. A pose is
 * group->numbers doubles. */
typedef struct {
    const recon_group *group;
    size_t rows;
    size_t k;           /* 0 for COMPONENTS                                               */
    int64_t *neighbors; /* [rows][k]; NULL for COMPONENTS                                 */
    double *similarity; /* [rows][k] of each neighbour: its cosine, inner product or distance */
    int64_t *members;   /* [rows] how many of the neighbours make the class, from the nearest on:
                           a class of fewer than k ends where it does                          */
    int64_t *class_of;  /* [rows] COMPONENTS: the component, -1 for a query outside all; GIVEN:
                                the class; NULL for KNN                                        */
    size_t classes;     /* rows for KNN, components otherwise                             */
    double *gamma;      /* [rows] centre of the class; NaN where class_of is -1           */
    double *normalized; /* [rows][k] the class's poses, centred; NULL for COMPONENTS      */
    double *absolute;   /* [rows] the row's own pose, centred: psi(x) Gamma^-1            */
    double *identifiability; /* [rows][identifiability_width], see the group: of SO(2)
                                |E exp(i m theta)|, m = 1..4, of SO(3) the singular values of the
                                mean rotation                                                  */
    size_t identifiability_width;
    double *theta; /* [rows] width in radians: half-width of an arc, sigma of a normal, else the
                      root-mean-square distance of the class's poses from the centre       */
    double *parameters; /* [rows][parameters_width] of the density: half-width, sigma or kappa: 1;
                           mixture: weights, then means, then kappas: 3 x RECON_SO2_PARTS_MAX,
                           unused parts zero; F: 9                                              */
    size_t parameters_width;
    int family;         /* the one used, of group->families                               */
    double *background; /* [rows] weight of the uniform part of p: what the fit found, but for
                                a class of n at least 1 / (n + 2), and 1 for a class of one    */
    double *score;      /* [rows] -log p(absolute pose), normalised, always finite        */
    double *p; /* [rows] p-value of the row's own pose: the share of poses, among rows with the same
                  verdict, that are as unusual for their own density       */
    double
        *p_embedding; /* [rows] KNN: p-value of the distance to the nearest neighbour, the share of
                            the index's points that are as far from theirs. NULL with only_tails,
                            and of more than a million points with queries or over ranks. A query
                            below RECON_FRAMES_UNLIKE, or further away than all points are, has the
                            verdict "cannot tell"                                              */
    int8_t *verdict;  /* [rows] a recon_natural; -1 where class_of is -1                      */
    int8_t *fold;     /* [rows] m: the pose is known modulo 360/m degrees; 1: one pose or several;
                           0: no pose is known                                                  */
    double *modes;    /* [rows][RECON_FRAME_MODES][modes_width] heaviest first: where (SO(2): an
                           angle; SO(3): a matrix), then weight; unused ones zero. Uncentred     */
    size_t modes_width; /* numbers of a pose as it is written, and 1                           */
    double *axis;     /* [rows][2][3] SO(3): the best determined direction: in the frame before the
                         rotation, and where the rotations take it; NULL without group->has_axis    */
    size_t singles;   /* classes of one point: its centre is its own pose, and means
                         nothing                                                        */
    size_t outside;   /* rows without a class                                           */
    size_t collapsed; /* rows whose neighbours all have the row's own embedding: who is among
                         them, the order of the points decides                          */
    size_t natural[RECON_NATURAL_KINDS]; /* rows with a class, by verdict                      */
    double hit_rate; /* share of a row's class with the row's label; NaN without labels        */
    double recall;   /* of the neighbour search, 1 when exact                                  */
    struct {
        double classes, centers, fits;
    } seconds;
} recon_frames;

/* queries may be NULL. With COMPONENTS a query belongs to the component of its nearest point, if
 * that is nearer than eps. options are required. Free the frames with recon_frames_free, which is
 * safe after a failure and if called twice. */
RECON_API recon_status recon_normalize(recon_ctx *ctx, recon_frames *out,
                                       const recon_embedded *index, const recon_embedded *queries,
                                       const recon_normalize_options *options);
RECON_API void recon_frames_free(recon_frames *frames);

/* On SO(3) the poses of a class may lie on a ring; the position of any mean on the ring is then
 * determined by noise, so neighbourhoods of one class disagree, and no map can learn them. This
 * replaces Gamma by the gauge of F Gamma, the distribution of the uncentred poses: among its
 * equally good centres the one nearest the identity, which is the mode if the data determine one.
 * Normalised and absolute poses are updated. Scores and identifiability do not depend on
 * it. Rows without a class are not changed. RECON_ERR_UNSUPPORTED for a group without
 * `gauge`, such as SO(2), where one mode is as good as another. */
RECON_API recon_status recon_frames_gauge(recon_ctx *ctx, recon_frames *frames);

/* Writes the frames to the folder dir, which is created if necessary: gamma.npy, absolute.npy,
 * identifiability.npy, theta.npy, parameters.npy, background.npy, score.npy, p.npy, verdict.npy,
 * fold.npy, modes.npy, with group->has_axis axis.npy, with KNN neighbors.npy, similarity.npy,
 * members.npy, normalized.npy and p_embedding.npy, otherwise classes.npy, and summary (its text, or NULL) as summary.json. Poses are written as
 * `poses` (RECON_F32 or RECON_F64), rotations as 3 x 3 matrices; parameters of a mixture are rows x
 * 3 x parts, F is rows x 3 x 3.
 *
 * An earlier result in dir is replaced as a whole or not at all: readers see one or the other, and
 * after a failure it is unchanged, or dir does not exist if it did not before. The files of a
 * result are those that its summary lists as "files" (for version 0.1.0, the names above).
 * Everything else in dir is kept, except files with the name of a new one. If another process is
 * writing to dir, this waits for up to 10 seconds, then fails. docs/trust.md describes file systems
 * that cannot exchange folders. */
RECON_API recon_status recon_frames_write(recon_ctx *ctx, const char *dir,
                                          const recon_frames *frames, recon_dtype poses,
                                          const char *summary);

#endif
