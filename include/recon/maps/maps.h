/* maps.h - the networks that learn Lambda and Theta: their training options and description. */
#ifndef RECON_MAPS_MAPS_H
#define RECON_MAPS_MAPS_H

#include <recon/backbone/embedded.h>
#include <recon/normalize/normalize.h>

typedef struct recon_maps recon_maps;

/* The source of Lambda: the centre of the neighbours' poses (Gamma), a head that learns it (as in
 * the paper), or the centre of the backbone's pose density. AUTO: the best on held-out inputs. */
typedef enum {
    RECON_LAMBDA_AUTO,
    RECON_LAMBDA_NEIGHBOURS,
    RECON_LAMBDA_HEAD,
    RECON_LAMBDA_DENSITY
} recon_lambda;
RECON_API const char *recon_lambda_name(recon_lambda lambda); /* "auto", "neighbours", ... */

/* The networks for Lambda and Theta: MLPs on z, or, as in the paper, networks on the inputs. */
typedef enum { RECON_HEADS_MLP, RECON_HEADS_PAPER } recon_heads;

/* Zero in any field means its default, which is given here for MLPs. With RECON_HEADS_PAPER,
 * epochs, batch, rate and decay are those of the networks: 60 epochs of batches of 128, 1.35e-4
 * with warm restarts, no decay (molecules: 30 epochs, 4.83e-4); heads on z keep the defaults. */
typedef struct {
    size_t hidden;        /* 256; SO(3): 512 */
    size_t epochs, batch; /* 30, 256; a smaller set is one batch; SO(3): at least 300 steps */
    double rate, decay;   /* 1e-3 (SO(3): 2e-3), with warm-up and a cosine to 0; 0.01 */
    double dropout;       /* 0.2, for Lambda and the density; SO(3): none */
    double held_out;      /* the share of points that is held out: 1/12; SO(3): 0.1 */
    uint64_t seed;
    recon_heads heads;
    uint64_t reserved[RECON_RESERVED];
} recon_maps_options;

/* The sizes of a model's maps and of their calibration. */
typedef struct {
    const recon_group *group;
    size_t d, hidden, weights;
    size_t held_out;         /* points that the calibration is based on */
    recon_so2_family family; /* SO(2): the family of Theta */
    double unit;             /* SO(3): the scale of F, in units of which the networks predict it */
    recon_heads heads;
} recon_maps_info;

#endif
