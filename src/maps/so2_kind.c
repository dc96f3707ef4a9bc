/* so2_kind.c - maps of angles: head outputs turned into answers. */
#include <recon/data/dataset.h>
#include <recon/group/so2.h>
#include "backbone/pose_density.h"
#include "maps/so2_heads.h"

#include <math.h>

static int is_family(double number)
{
    return number == RECON_SO2_UNIFORM || number == RECON_SO2_NORMAL;
}

static recon_status finish(recon_ctx *ctx, void *maps, size_t n, recon_maps_part part,
                           double number)
{
    recon_so2_map *map = maps;
    (void)ctx;
    for (size_t i = 0; part == RECON_MAPS_ALL && i < n; i++) {
        map[i].family = (recon_so2_family)number;
        map[i].theta_label = map[i].theta;
        map[i].theta = recon_so2_width(&map[i].density, map[i].family);
    }
    return RECON_OK;
}

static double score(const void *map, const double *psi)
{
    return recon_so2_map_score(map, *psi);
}

static recon_tail_point tail(const void *map, const double *psi)
{
    return recon_so2_tail_point(map, *psi);
}

static void lambda_of(double *out, const void *map, recon_lambda way, const double *psi,
                      const float *log_q)
{
    *out = way == RECON_LAMBDA_DENSITY ? recon_so2_wrap(*psi - recon_pose_centre(log_q))
                                       : ((const recon_so2_map *)map)->lambda;
}

static void put_density(void *map, const double *psi, const float *log_q, recon_maps_part part,
                        int keep_lambda, int keep_theta)
{
    recon_so2_map *out = map;
    const recon_so2_map before = *out;
    recon_so2_map_density(out, *psi, log_q, part);
    out->lambda = keep_lambda ? before.lambda : out->lambda;
    out->theta = keep_theta ? before.theta : out->theta;
}

/* Theta as its network has it, and not the width of the density; on SO(3) both are kept. */
static void keep_theta(void *map)
{
    recon_so2_map *out = map;
    out->theta = out->theta_label;
}

/* The paper scores poses by the size of g_abs. */
static void surrogates(double out[3], const void *map, const double *psi)
{
    out[0] = fabs(recon_so2_absolute(map, *psi));
}

static void blank(void *map, double number)
{
    *(recon_so2_map *)map = (recon_so2_map){ .family = (recon_so2_family)number };
}

static int is_finite(const void *map)
{
    return isfinite(((const recon_so2_map *)map)->theta);
}

const recon_maps_kind recon_so2_maps = {
    .group = RECON_SO2,
    .head = recon_so2_heads,
    .heads = RECON_SO2_HEADS,
    .lambda = 1u << RECON_SO2_LAMBDA,
    .map = sizeof(recon_so2_map),
    .lambda_at = offsetof(recon_so2_map, lambda),
    .number = "theta.family",
    .parameter_is = "1 or 2",
    .parameter_fits = is_family,
    .parameter_is_family = 1,
    .usual = RECON_LAMBDA_HEAD,
    .compared = 1,
    .any_rotation = "all",
    .defaults = { .hidden = 256,
                  .epochs = 30,
                  .batch = 256,
                  .rate = 1e-3,
                  .decay = 0.01,
                  .dropout = 0.2,
                  .held_out = 1.0 / RECON_HELD_OUT /* as many as a backbone does */ },
    .as_split = 1,
    .targets = recon_so2_targets,
    .finish = finish,
    .score = score,
    .lambda_of = lambda_of,
    .put_density = put_density,
    .after_nets = keep_theta,
    .tail = tail,
    .surrogates = surrogates,
    .blank = blank,
    .is_finite = is_finite,
};
