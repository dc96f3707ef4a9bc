/* so3_heads.c - the table of heads on SO(3).
 *
 * The squared distance of matrices is the chordal distance of rotations, so that Lambda's label is
 * learned as a plain matrix and made a rotation when it is read. Labels are regressed, and dropout
 * would pull them towards the mean of all classes; the density alone takes what options ask for. */
#include "maps/so3_heads.h"
#include "group/so3/fisher.h"
#include "group/so3/frame.h"

#include <math.h>

enum { F = 9, EIGHTHS = 8, PARTS = RECON_FISHER_PARTS };

static recon_var squared_loss(recon_tape *t, recon_var y, recon_var target, double unit)
{
    (void)unit; /* labels come in it */
    return recon_var_mse(t, y, target);
}

/* Gradients are clipped by their norm over all heads. The mode of a ring is noise, which no head
 * learns: at full size its gradients would take the room of the density's. Adam makes up for it. */
static recon_var label_loss(recon_tape *t, recon_var y, recon_var target, double unit)
{
    return recon_var_scale(t, 1.0 / 256, squared_loss(t, y, target, unit));
}

/* A wide network's first steps are wild. In eighths of the unit they stay within a density's width;
 * an F that has gone further astray makes every pose so unlikely that all are taken for background,
 * from which nothing is learned. */
static recon_var density_f(recon_tape *t, recon_var y, size_t parts, double unit)
{
    return recon_var_scale(t, unit / EIGHTHS, recon_var_columns(t, y, 0, F * parts));
}

/* Both heads of densities put out F of each part, then the shares of group/so3/fisher.h. */
static recon_var loss_of_parts(recon_tape *t, recon_var y, recon_var pose, size_t parts,
                               double unit)
{
    return recon_var_fisher_loss(t, density_f(t, y, parts, unit),
                                 recon_var_columns(t, y, F * parts, parts), pose);
}

static recon_var density_loss(recon_tape *t, recon_var y, recon_var pose, double unit)
{
    return loss_of_parts(t, y, pose, 1, unit);
}

/* Without a background first: this is convex in F, so that poses call back an F gone astray however
 * far. With one from the start whole classes stayed background, which ones the seed decided. */
static recon_var density_early(recon_tape *t, recon_var y, recon_var pose, double unit)
{
    return recon_var_fisher_loss(t, density_f(t, y, 1, unit), NULL, pose);
}

static recon_var mixture_loss(recon_tape *t, recon_var y, recon_var pose, double unit)
{
    return loss_of_parts(t, y, pose, PARTS, unit);
}

/* Without shares too: a part that has lost its share early on is not asked again. */
static recon_var mixture_early(recon_tape *t, recon_var y, recon_var pose, double unit)
{
    return recon_var_fisher_loss(t, density_f(t, y, PARTS, unit), NULL, pose);
}

/* Of a matrix that holds no numbers a frame would be found too. */
static void read_lambda(void *map, const double *y, double unit)
{
    double m[10], size = 0;
    recon_so3_frame frame;
    (void)unit;
    for (int i = 0; i < F; i++)
        size += fabs(y[i]);
    recon_so3_moment_of_matrix(m, y);
    recon_so3_frame_of(&frame, m);
    ((recon_so3_map *)map)->lambda_label =
        isfinite(size) ? frame.mode : (recon_so3){ NAN, NAN, NAN, NAN };
}

static void read_f(double out[F], const double *y, double unit)
{
    for (int i = 0; i < F; i++)
        out[i] = unit * y[i];
}

static void read_theta(void *map, const double *y, double unit)
{
    read_f(((recon_so3_map *)map)->theta_label, y, unit);
}

static void read_support(void *map, const double *y, double unit)
{
    read_f(((recon_so3_map *)map)->support, y, unit);
}

/* F and weights alone: what is to be computed from them is not for one thread. */
static void read_density(void *map, const double *y, double unit)
{
    recon_so3_map *out = map;
    read_f(out->density.f, y, unit / EIGHTHS);
    out->background = 1 / (1 + exp(-y[F]));
}

static void read_mixture(void *map, const double *y, double unit)
{
    recon_fisher_mixture *out = &((recon_so3_map *)map)->modes;
    double weight[PARTS + 1];
    recon_fisher_log_shares(weight, y + F * PARTS, PARTS);
    out->parts = PARTS;
    out->background = exp(weight[0]);
    for (int k = 0; k < PARTS; k++) {
        read_f(out->part[k].f, y + F * k, unit / EIGHTHS);
        out->weight[k] = exp(weight[k + 1]) / (1 - out->background);
    }
}

static void read_verdict(void *map, const double *y, double unit)
{
    (void)unit;
    for (int i = 0; i < RECON_NATURAL_KINDS; i++)
        ((recon_so3_map *)map)->chance[i] = y[i];
}

const recon_head_kind recon_so3_heads[RECON_SO3_HEADS] = {
    [RECON_SO3_LAMBDA] = { "lambda", F, F, 0, label_loss, read_lambda, NULL, 0 },
    [RECON_SO3_THETA] = { "theta", F, F, 0, label_loss, read_theta, NULL, 0 },
    [RECON_SO3_SUPPORT] = { "support", F, F, 0, label_loss, read_support, NULL, 0 },
    [RECON_SO3_DENSITY] = { "density", F + 1, F, 1, density_loss, read_density, density_early, 0 },
    [RECON_SO3_MIXTURE] = { "mixture", (F + 1) * PARTS, F, 1, mixture_loss, read_mixture,
                            mixture_early, .optional = 1 },
    [RECON_SO3_VERDICT] = { "verdict", RECON_NATURAL_KINDS, RECON_NATURAL_KINDS, 0, squared_loss,
                            read_verdict, NULL, .optional = 1 },
};

const recon_head_kind recon_so3_networks[RECON_SO3_THETA + 1] = {
    [RECON_SO3_LAMBDA] = { "lambda", F, F, 0, squared_loss, read_lambda, NULL, 0 },
    [RECON_SO3_THETA] = { "theta", F, F, 0, squared_loss, read_theta, NULL, 0 },
};
