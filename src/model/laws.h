/* laws.h (private) - the clusters of a discovery, and the law of the poses of each: hundreds of
 * poses of one kind decide where the ten nearest cannot.
 *
 * Poses of a cluster can be compared in a frame that its members share. For similar inputs the
 * frame of the backbone is one, but not always if the backbone was trained on other inputs. Then
 * the natural pose of its density is one, from which the data's own may differ by a rotation.
 * Each cluster has its law in one of the two, if that predicts its members' poses about as well as
 * the density does; else the density judges. */
#ifndef MODEL_LAWS_H
#define MODEL_LAWS_H

#include <recon/core/safetensors.h>
#include <recon/group/group.h>
#include <recon/group/so2_density.h>
#include <recon/backbone/embedded.h>
#include "maps/calibration.h"
#include "normalize/pooled.h"

typedef enum {
    RECON_LAWS_SILENT = 0, /* there is no shared frame: the density judges */
    RECON_LAWS_OF_PSI,     /* laws of psi */
    RECON_LAWS_OF_DENSITY  /* laws of psi relative to the natural pose of the density */
} recon_laws_frame;

/* The anchor of a cluster (recon_model_anchor): none, its natural pose in the frame that its
 * members share, or the rotation from the natural pose that is found. */
typedef enum { RECON_ANCHOR_NONE = 0, RECON_ANCHOR_POSE, RECON_ANCHOR_STEP } recon_law_anchor;

/* The moments by which ends are told apart, see model/ends.h. */
enum { RECON_ENDS = 12 };

/* The law of one cluster. */
typedef struct {
    recon_laws_frame frame;
    recon_natural natural;
    int fold, modes;
    int symmetry;      /* a recon_symmetry_code above C1, or 0: none is named */
    double axis[2][3]; /* of the symmetry, where the group has axes: see recon_center */
    size_t inputs;     /* members */
    double width;      /* of a normal: radians within a mode */
    int ends;          /* steps of a full turn that its template tells apart; 0: there is none */
    double template[RECON_ENDS];
    recon_law_anchor anchor; /* of an opened model alone */
    double anchored[RECON_NUMBERS_MAX];
    struct {
        double at[RECON_NUMBERS_MAX], weight;
    } mode[RECON_MODES_MAX]; /* the first is the one that all members take */
} recon_law;

/* The fewest poses for a law. */
enum { RECON_LAW_LEAST = 12 };
/* The least mean direction of one natural pose, that of an arc of +-108 degrees: of a broader one rotating gains
 * next to nothing. */
#define RECON_LEAST_DIRECTION 0.5

typedef struct {
    size_t n;
    recon_law *law; /* [n] */
    /* Of SO(2): the density of the poses of each cluster with a natural pose, zero of others, and how unusual its
     * own are, each for that of the others; NULL: not known. */
    float *density; /* [n][RECON_POSE_BINS] */
    recon_calibration usual;
    double
        known; /* nats about a pose by the others of its cluster, mean; of laws that were calibrated */
} recon_laws;

/* The laws of n clusters, of[points] those of the points (-1: none of them), by poses [points] in this frame. */
recon_status recon_laws_make(recon_ctx *ctx, recon_laws *out, recon_laws_frame frame, size_t n,
                             const int64_t *of, const recon_group *group, const double *poses,
                             size_t points);
/* Names the symmetry that the poses of each cluster repeat, in the law's own frame; of->poses are psi and upright. */
recon_status recon_laws_name(recon_ctx *ctx, recon_laws *laws, const recon_clustering *of,
                             const int64_t *cluster);
/* The law of a cluster whose symmetry is named; NULL: of another, or of none. */
const recon_law *recon_laws_named(const recon_laws *laws, int64_t cluster);
void recon_laws_free(recon_laws *laws);
/* What n <= RECON_KDE_MOST poses say: verdict, fold, modes and width of the law. */
recon_status recon_law_make(recon_ctx *ctx, recon_law *law, const recon_group *group,
                            const double *poses, size_t n);

/* Of SO(2): the log densities of n_at poses, of clusters of_at, by the poses of these clusters. */
recon_status recon_laws_log_densities(recon_ctx *ctx, double *out, const int64_t *of_at,
                                      const double *at, size_t n_at, size_t n, const int64_t *of,
                                      const double *poses, size_t points);

/* Finds density, usual and known of laws that were made, by the same clusters, the frame being set. poses are psi;
 * upright the same less what the density says, or NULL: not known. */
recon_status recon_laws_calibrate(recon_ctx *ctx, recon_laws *laws, const int64_t *of,
                                  const double *poses, const double *upright, size_t points);
/* Whether a cluster's density is that of psi, or of the same less what the density says. */
int recon_laws_by_psi(const recon_laws *laws, int64_t cluster);

/* The share of the inputs whose pose, so measured, is as unusual for its cluster; where no natural pose is known, the
 * share of all poses that are as far from one of them. NaN: of this cluster too little is known. */
double recon_laws_p_value(const recon_laws *laws, int64_t cluster, double pose);

/* Of SO(2): silences laws in the frame of the density if they do harm. They correct what the density says by cluster,
 * but the network may see a rotated input in another cluster. n inputs that were held out have poses psi, and their
 * rotated copies the clusters and lambda by the density alone. If the laws move lambda away from psi, by more
 * than half a degree and twice the standard error on average, they are silent. */
void recon_laws_compare(recon_laws *laws, const int64_t *cluster, const double *psi,
                        const double *lambda, size_t n);

/* Moves the natural pose of a member, lambda from a network, to the mode that all members take. */
void recon_law_lambda(double *lambda, const recon_law *law, const recon_group *group);

/* Returns the number of natural poses of its members: the modes, or 1 for an anchored pose. */
int recon_law_poses(const recon_law *law);

/* Its width as that of a family on SO(2), a recon_so2_family: a sigma, or the half-width of an
 * arc. */
double recon_law_theta(const recon_law *law, int family);

/* As a row of numbers in a file. */
size_t recon_law_width(const recon_group *group);
void recon_law_write(float *out, const recon_law *law, const recon_group *group);
int recon_law_read(recon_law *out, const float *row, const recon_group *group); /* 0: no law */

#endif
