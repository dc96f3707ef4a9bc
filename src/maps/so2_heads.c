/* so2_heads.c - the table of heads on SO(2).
 *
 * Theta is the median of its pseudo-labels, not their mean: where some neighbours are of a wrong
 * class the labels have a long tail. Widths are regressed as they are and kept positive when they
 * are read: behind a softplus one wild step could push the output to where no gradient brings it
 * back. They are trained without dropout, which pulls a regression towards its mean (by 5 to 10%
 * with a rate of 0.2) and does nothing of the kind to a direction or a share. */
#include "maps/so2_heads.h"

#include <math.h>
#include <recon/group/so2.h>

enum { PARTS = RECON_SO2_PARTS_MAX };

static double softplus(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

#define LOSS(name, expression)                                                                     \
    static recon_var name(recon_tape *t, recon_var y, recon_var target, double family)             \
    {                                                                                              \
        (void)family;                                                                              \
        return expression;                                                                         \
    }
LOSS(lambda_loss, recon_var_cosine_loss(t, recon_var_unit(t, y), target))
LOSS(theta_loss, recon_var_l1(t, y, target))
LOSS(squared_loss, recon_var_mse(t, y, target))
LOSS(density_loss, recon_var_vonmises_loss(t, y, target))

static void read_lambda(void *map, const double *y, double family)
{
    recon_so2_map *out = map;
    (void)family;
    out->lambda = recon_so2_wrap(atan2(y[1], y[0]));
}

static void read_theta(void *map, const double *y, double family)
{
    recon_so2_map *out = map;
    (void)family;
    out->theta = y[0] < RECON_THETA_LEAST ? RECON_THETA_LEAST : y[0]; /* NaN stays */
}

/* Plain regression of two angles, as the paper's baseline does it, seam and all. */
static void read_support(void *map, const double *y, double family)
{
    recon_so2_map *out = map;
    (void)family;
    out->midpoint = recon_so2_wrap((y[0] + y[1]) / 2);
    out->half_width = fabs(y[1] - y[0]) / 2;
}

static void read_density(void *map, const double *y, double family)
{
    recon_so2_map *out = map;
    double top = y[0], sum = 0;
    (void)family;
    out->density = (recon_so2_density){ .family = RECON_SO2_MIXTURE, .parts = PARTS };
    for (int k = 1; k < PARTS; k++)
        top = fmax(top, y[k]);
    for (int k = 0; k < PARTS; k++)
        sum += exp(y[k] - top);
    for (int k = 0; k < PARTS; k++)
        out->density.part[k] = (recon_so2_part){
            .weight = exp(y[k] - top) / sum,
            .mean = recon_so2_wrap(atan2(y[PARTS + 2 * k + 1], y[PARTS + 2 * k])),
            .kappa = softplus(y[3 * PARTS + k]),
        };
}

const recon_head_kind recon_so2_heads[RECON_SO2_HEADS] = {
    [RECON_SO2_LAMBDA] = { "lambda", 2, 2, 1, lambda_loss, read_lambda, NULL, 0 },
    [RECON_SO2_THETA] = { "theta", 1, 1, 0, theta_loss, read_theta, NULL, 0 },
    [RECON_SO2_SUPPORT] = { "support", 2, 2, 0, squared_loss, read_support, NULL, 0 },
    [RECON_SO2_DENSITY] = { "density", 4 * PARTS, 1, 1, density_loss, read_density, NULL, 0 },
};

/* 1 - cos is half the squared distance of two unit vectors, and so the mean of their squared errors. */
const recon_head_kind recon_so2_networks[RECON_SO2_THETA + 1] = {
    [RECON_SO2_LAMBDA] = { "lambda", 2, 2, 0, lambda_loss, read_lambda, NULL, 0 },
    [RECON_SO2_THETA] = { "theta", 1, 1, 0, squared_loss, read_theta, NULL, 0 },
};
