/* laws.h (private) - clusters of the inputs of a discovery, and the law of the poses of each: what a hundred
 * poses of one kind say, where the ten nearest leave it open.
 *
 * Poses of a cluster can be compared if they are told in a frame that its members share. The frame of the
 * backbone is one for inputs that are alike to it. Of a backbone that was trained on other inputs it may not
 * be; there the natural pose that its density holds for right is one, from which the data's own may differ by
 * a rotation. Which of the two, if any, is decided by inputs that were held out: what is known of their poses
 * by the law of their cluster must be as much as the density knows. */
#ifndef MODEL_LAWS_H
#define MODEL_LAWS_H

#include <recon/core/safetensors.h>
#include <recon/group/group.h>
#include <recon/group/so2_density.h>
#include <recon/backbone/embedded.h>
#include "maps/calibration.h"

typedef enum {
    RECON_LAWS_SILENT = 0, /* the frames are not shared: the density judges      */
    RECON_LAWS_OF_PSI,     /* laws of psi                                        */
    RECON_LAWS_OF_DENSITY  /* of psi less the natural pose that the density says */
} recon_laws_frame;

/* What somebody said of a cluster's natural pose (recon_model_anchor): nothing, where it lies in the frame that
 * its members share, or how far it is from the one that is found. */
typedef enum { RECON_ANCHOR_NONE = 0, RECON_ANCHOR_POSE, RECON_ANCHOR_STEP } recon_law_anchor;

/* The law of one cluster. */
typedef struct {
    recon_natural natural;
    int fold, modes;
    size_t inputs;           /* members */
    double width;            /* of a normal: radians within a mode */
    recon_law_anchor anchor; /* of an opened model alone */
    double said[RECON_NUMBERS_MAX];
    struct {
        double at[RECON_NUMBERS_MAX], weight;
    } mode[RECON_MODES_MAX]; /* the first is the one that all members take */
} recon_law;

/* A law of fewer poses says nothing. */
enum { RECON_LAW_LEAST = 12 };

typedef struct {
    recon_laws_frame frame;
    size_t n;
    recon_law *law; /* [n] */
    /* Of SO(2): the density of the poses of each cluster with a natural pose, zero of others, and how unusual its
     * own are, each for that of the others; NULL: not known. */
    float *density; /* [n][RECON_POSE_BINS] */
    recon_calibration usual;
    double
        known; /* nats about a pose by the others of its cluster, mean; of laws that were calibrated */
} recon_laws;

/* The laws of n clusters, of[points] those of the points (-1: none of them), by poses [points]. */
recon_status recon_laws_make(recon_ctx *ctx, recon_laws *out, size_t n, const int64_t *of,
                             const recon_group *group, const double *poses, size_t points);
void recon_laws_free(recon_laws *laws);

/* Of SO(2): the log densities of n_at poses, of clusters of_at, by the poses of these clusters; and fit [n],
 * which may be NULL, the sum of that over the poses of each cluster by the others of the same. */
recon_status recon_laws_log_densities(recon_ctx *ctx, double *out, double *fit,
                                      const int64_t *of_at, const double *at, size_t n_at, size_t n,
                                      const int64_t *of, const double *poses, size_t points);

/* Finds density, usual and known of laws that were made, by the same clusters, the frame being set. poses are psi;
 * upright the same less what the density says, or NULL: not known. */
recon_status recon_laws_calibrate(recon_ctx *ctx, recon_laws *laws, const int64_t *of,
                                  const double *poses, const double *upright, size_t points);
/* Whether a cluster's density is that of psi, or of the same less what the density says. */
int recon_laws_by_psi(const recon_laws *laws, int64_t cluster);

/* The share of the inputs whose pose, so measured, is as unusual for its cluster; where no natural pose is known, the
 * share of all poses that are as far from one of them. NaN: of this cluster too little is known. */
double recon_laws_p_value(const recon_laws *laws, int64_t cluster, double pose);

/* The natural pose of a member, where Lambda is that of a network: in the mode that all members take. */
void recon_law_lambda(double *lambda, const recon_law *law, recon_laws_frame frame,
                      const recon_group *group);

/* How many natural poses its members have: the modes, or the one that somebody said. */
int recon_law_poses(const recon_law *law);

/* Its width as that of a family on SO(2), a recon_so2_family: a sigma, or the half-width of an arc. */
double recon_law_theta(const recon_law *law, int family);

/* As a row of numbers in a file. */
size_t recon_law_width(const recon_group *group);
void recon_law_write(float *out, const recon_law *law, const recon_group *group);
int recon_law_read(recon_law *out, const float *row, const recon_group *group); /* 0: no law */

#endif
