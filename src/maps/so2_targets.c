/* so2_targets.c - pseudo-labels from the frames of Algorithm 1. */
#include "maps/so2_heads.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>

static double theta_of(const recon_frames *f, size_t i)
{
    if (f->family == RECON_SO2_UNIFORM || f->family == RECON_SO2_NORMAL)
        return f->theta[i];
    double first = f->identifiability[i * f->identifiability_width];
    return fmin(sqrt(fmax(-2 * log(first), 0)), M_PI); /* beyond pi all wrapped normals are alike */
}

/* The paper's Theta~ = (a, b) is the support of the poses as the backbone gives them. A normal is
 * given the arc of its variance. */
static void set(const recon_targets *t, size_t i, double psi, double gamma, double theta)
{
    double half = t->number == RECON_SO2_NORMAL ? sqrt(3) * theta : theta;
    t->of[RECON_SO2_LAMBDA][2 * i] = (float)cos(gamma);
    t->of[RECON_SO2_LAMBDA][2 * i + 1] = (float)sin(gamma);
    t->of[RECON_SO2_THETA][i] = (float)theta;
    t->of[RECON_SO2_SUPPORT][2 * i] = (float)(gamma - half);
    t->of[RECON_SO2_SUPPORT][2 * i + 1] = (float)(gamma + half);
    t->of[RECON_SO2_DENSITY][i] = (float)psi;
}

static recon_status fill(recon_ctx *ctx, const recon_targets *t, const recon_frames *frames,
                         const double *psi, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double gamma = frames->gamma[i], theta = theta_of(frames, i);
        if (!isfinite(psi[i]) || !isfinite(gamma) || !isfinite(theta))
            return recon_fail(ctx, RECON_ERR_INPUT, "point %zu: psi %g, gamma %g, theta %g", i,
                              psi[i], gamma, theta);
        set(t, i, psi[i], gamma, theta);
    }
    return RECON_OK;
}

recon_status recon_so2_targets(recon_ctx *ctx, recon_targets *out, const recon_embedded *data,
                               const recon_frames *frames)
{
    out->number = frames->family == RECON_SO2_UNIFORM ? RECON_SO2_UNIFORM : RECON_SO2_NORMAL;
    for (int h = 0; h < RECON_SO2_HEADS; h++)
        RECON_CHECK(recon_alloc_raw(ctx, &out->of[h], data->n * recon_so2_heads[h].targets,
                                    sizeof *out->of[h]));
    return fill(ctx, out, frames, data->poses, data->n);
}
