/* maps.h - the networks that learn Lambda and Theta: training options, and a description of a
 * model's maps. */
#ifndef RECON_MAPS_MAPS_H
#define RECON_MAPS_MAPS_H

#include <recon/backbone/embedded.h>
#include <recon/normalize/normalize.h>

typedef struct recon_maps recon_maps;

/* Where Lambda comes from: the centre of the neighbours' poses (Gamma), the head that learned it
 * (as in the paper), or the centre of the backbone's pose density. AUTO: whichever is best on
 * held-out inputs. */
typedef enum {
    RECON_LAMBDA_AUTO,
    RECON_LAMBDA_NEIGHBOURS,
    RECON_LAMBDA_HEAD,
    RECON_LAMBDA_DENSITY
} recon_lambda;
RECON_API const char *recon_lambda_name(recon_lambda lambda); /* "auto", "neighbours", ... */

/* What Lambda and Theta are: MLPs on z, or separate networks on the inputs, as in the paper. */
typedef enum { RECON_HEADS_MLP, RECON_HEADS_PAPER } recon_heads;

/* Zero in any field means its default. With RECON_HEADS_PAPER epochs, batch, rate and decay are those
 * of the networks: 60 of 128, 1.35e-4 with warm restarts, none (molecules: 30, 4.83e-4); the heads left
 * on z keep theirs. */
typedef struct {
    size_t hidden;        /* 256; SO(3): 512                                               */
    size_t epochs, batch; /* 30 of 256; a smaller set is one batch; SO(3): 300 steps at least */
    double rate, decay;   /* 1e-3 (SO(3): 2e-3), warmed up and then a cosine to 0; 0.01    */
    double dropout;       /* 0.2, of Lambda and the density; SO(3): none                   */
    double held_out;      /* the share of the points that is not trained on: 1/12; SO(3): 0.1   */
    uint64_t seed;
    recon_heads heads;
    uint64_t reserved[RECON_RESERVED];
} recon_maps_options;

/* Sizes, and the calibration. */
typedef struct {
    const recon_group *group;
    size_t d, hidden, weights;
    size_t held_out;         /* points behind the calibration                                */
    recon_so2_family family; /* SO(2): of Theta                                              */
    double unit;             /* SO(3): the usual length of F, which the networks count in    */
    recon_heads heads;
} recon_maps_info;

#endif
