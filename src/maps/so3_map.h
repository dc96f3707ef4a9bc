/* so3_map.h (private) - what the maps say of one input with a pose in SO(3), and what follows from
 * it once that pose is known. */
#ifndef MAPS_SO3_MAP_H
#define MAPS_SO3_MAP_H

#include <recon/group/mean.h>
#include "group/so3/fisher.h"

/* Rotations are in the backbone's frame, that of psi; matrices are row-major. */
typedef struct {
    recon_so3 lambda;     /* Lambda(x), the natural pose: the gauge of `density`, see
                             group/so3/fisher.h                                                    */
    double theta[9];      /* Theta(x): F of psi Lambda^-1, in world axes                       */
    int free;             /* directions in which Lambda could as well be rotated: 0, the natural
                             pose is known; 1, an axis of it, and the spin about that is free; 2; 3,
                             nothing is known                                                  */
    recon_fisher density; /* of psi given x; where there are several modes, the chosen one     */
    double background;    /* share of the uniform distribution beside all modes, (0, 1)        */
    recon_fisher_mixture modes; /* of psi given x: all of it, one part for each mode, the heaviest
                                   first                                                       */
    int chosen;                 /* which of them */
    double
        chance[RECON_NATURAL_KINDS]; /* of each verdict that the neighbours of such an input have,
                                   learned; 0 in files without that head                       */
    recon_natural verdict; /* several only where there are several modes                      */
    /* The paper's: regressions of the neighbours' moments, see so3_targets.c. */
    recon_so3 lambda_label; /* of Gamma, the mode of their matrix Fisher distribution          */
    double theta_label[9];  /* of F about that mode                                          */
    double support[9];      /* of F of the uncentred poses                                 */
} recon_so3_map;

/* The natural pose of mode k: its gauge. That of the chosen mode is Lambda. */
recon_so3 recon_so3_map_mode(const recon_so3_map *map, int k);

/* g_abs = psi Lambda^-1. */
recon_so3 recon_so3_absolute(const recon_so3_map *map, recon_so3 psi);

/* -log p(psi | x), which is -log p(g_abs): how unnatural the pose is. Normalised, background
 * included. */
double recon_so3_map_score(const recon_so3_map *map, recon_so3 psi);

/* How unusual the pose is for this input: the chance of a score as high under its own density
 * (group/tail.h). recon_maps_p_value makes a p-value of it. */
double recon_so3_map_tail(const recon_so3_map *map, recon_so3 psi);

/* The paper's scores, lacking log c(F): -tr(Theta^T g_abs) with Theta and Lambda of this map, the
 * same with those learned as labels, and -tr(support^T psi), without centring. Higher is more
 * unusual. */
double recon_so3_map_trace(const recon_so3_map *map, recon_so3 psi);
double recon_so3_map_trace_label(const recon_so3_map *map, recon_so3 psi);
double recon_so3_map_trace_uncentred(const recon_so3_map *map, recon_so3 psi);

#endif
