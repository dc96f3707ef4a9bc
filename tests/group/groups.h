/* groups.h - every group, with a pool where there is no uniform law, and poses drawn on it. */
#ifndef TESTS_GROUP_GROUPS_H
#define TESTS_GROUP_GROUPS_H

#include "check.h"

#include <recon/recon.h>
#include "group/group.h"

static const char *const group_names[] = { "so2",       "so3",    "o2",     "c2",     "c5",
                                           "d2",        "d7",     "torus1", "torus3", "torus16",
                                           "r1",        "r3",     "scale",  "se2",    "se3",
                                           "so2*scale", "so3*r3", "c4*r2",  "d3*so2", "o2*torus2" };
enum { GROUPS = sizeof group_names / sizeof *group_names };

/* With a pool of 256 uniform poses, drawn before there is one. The run is the caller's. */
static inline const recon_group *group_of(recon_ctx *ctx, recon_group_run *run, const char *name)
{
    const recon_group *group;
    static double pool[RECON_POOL * RECON_NUMBERS_MAX];
    recon_rng rng = recon_rng_new(17, 0);
    CHECK_OK(ctx, recon_group_find(ctx, &group, name));
    assert_string_equal(group->name, name);
    if (!recon_group_is_unbounded(group))
        return group;
    for (size_t i = 0; i < RECON_POOL; i++)
        group->haar(group, pool + i * group->numbers, &rng);
    recon_group_run_begin(run, group, pool, RECON_POOL);
    return &run->group;
}

/* About the identity: a normal distribution in the logarithm; on a finite part the identity itself. */
static inline void draw_near(const recon_group *g, double *out, double sigma, recon_rng *rng)
{
    double v[RECON_NUMBERS_MAX];
    g->identity(g, out);
    for (int p = 0; g->part[1] && p < 2; p++)
        draw_near(g->part[p], out + (p ? g->part[0]->numbers : 0), sigma, rng);
    if (g->part[1])
        return;
    for (size_t j = 0; j < g->dimension; j++)
        v[j] = sigma * recon_rng_normal(rng);
    if (g->exp)
        g->exp(g, out, v);
    else if (g->dimension == 1) /* O(2): one hand */
        out[0] = v[0];
}

/* One in `odd` is anywhere; 0: none. *stray is told. */
static inline void draw_about(const recon_group *g, double *out, const double *center, double sigma,
                              double odd, int *stray, recon_rng *rng)
{
    double near[RECON_NUMBERS_MAX];
    *stray = recon_rng_uniform(rng) < odd;
    if (*stray)
        g->haar(g, near, rng);
    else
        draw_near(g, near, sigma, rng);
    g->compose(g, out, near, center);
}

#endif
