/* symmetries.h - laws of rotations that repeat a group, and such as repeat none. */
#ifndef TESTS_GROUP_SYMMETRIES_H
#define TESTS_GROUP_SYMMETRIES_H

#include "check.h"
#include "group/group.h"
#include "group/so3/so3.h"

#include <recon/group/mean.h>
#include <recon/group/matrix_fisher.h>
#include <recon/recon.h>

typedef struct {
    int code, order; /* 0: a free spin; -1: all rotations */
    double axis[3];  /* of highest order, in the group's own frame */
    recon_so3 first, second;
} law;

static inline recon_so3 about(double x, double y, double z, double angle)
{
    return recon_so3_from_axis_angle((const double[]){ x, y, z }, angle);
}

/* Random words of two generators reach every element equally often. */
static inline recon_so3 draw(const law *l, recon_rng *rng)
{
    recon_so3 g = recon_so3_identity();
    if (l->order < 0)
        return recon_so3_haar(rng);
    if (l->order == 0)
        return about(0, 0, 1, 2 * M_PI * recon_rng_uniform(rng));
    for (int i = 0; i < 300; i++)
        g = recon_so3_compose(recon_rng_below(rng, 2) ? l->first : l->second, g);
    return recon_rng_below(rng, 2) ? g : recon_so3_compose(l->first, g);
}

static inline law cyclic(int n)
{
    return (law){ n, n, { 0, 0, 1 }, about(0, 0, 1, 2 * M_PI / n), recon_so3_identity() };
}

static inline law dihedral(int n)
{
    return (law){
        RECON_SYMMETRY_D + n, 2 * n, { 0, 0, 1 }, about(0, 0, 1, 2 * M_PI / n), about(1, 0, 0, M_PI)
    };
}

static inline law solid(int code)
{
    const double golden = (1 + sqrt(5)) / 2;
    const recon_so3 diagonal = about(1, 1, 1, 2 * M_PI / 3);
    if (code == RECON_SYMMETRY_T)
        return (law){ code, 12, { 1, 1, 1 }, about(0, 0, 1, M_PI), diagonal };
    if (code == RECON_SYMMETRY_O)
        return (law){ code, 24, { 0, 0, 1 }, about(0, 0, 1, M_PI / 2), diagonal };
    return (law){ code, 60, { 0, 1, golden }, about(0, 1, golden, 2 * M_PI / 5), diagonal };
}

static inline recon_so3 noise(recon_rng *rng, double degrees)
{
    double v[3];
    for (int i = 0; i < 3; i++)
        v[i] = degrees * M_PI / 180 * recon_rng_normal(rng);
    return recon_so3_exp(v);
}

/* Poses a h a^-1 c with noise; a share of them anywhere. */
static inline void draw_set(recon_so3 *g, size_t n, const law *l, recon_so3 a, recon_so3 c,
                            double degrees, double strays, recon_rng *rng)
{
    for (size_t i = 0; i < n; i++) {
        recon_so3 h = recon_so3_compose(recon_so3_compose(a, draw(l, rng)), recon_so3_inverse(a));
        g[i] = recon_rng_uniform(rng) < strays
                   ? recon_so3_haar(rng)
                   : recon_so3_compose(noise(rng, degrees), recon_so3_compose(h, c));
    }
}

enum { SYMMETRIES = 14 };

static inline law symmetry_law(int i)
{
    static const int cycles[] = { 1, 2, 3, 4, 6 }, dihedrals[] = { 2, 3, 4, 6 };
    if (i < 5)
        return cyclic(cycles[i]);
    if (i < 9)
        return dihedral(dihedrals[i - 5]);
    if (i < 12)
        return solid(RECON_SYMMETRY_T + i - 9);
    return i == 12 ? (law){ .code = RECON_SYMMETRY_SPIN, .order = 0, .axis = { 0, 0, 1 } }
                   : (law){ .code = RECON_SYMMETRY_UNNAMED, .order = -1 };
}

/* What repeats no group: an arc of so many degrees; or modes `apart` degrees from one to the next about an
 * axis, the first with a share of its own; or modes anywhere; or a matrix Fisher law. */
typedef struct {
    const char *name;
    size_t n;
    double arc, apart, share, fisher[3], noise; /* degrees; 0: 5 */
    int modes, scattered, unseen;               /* unseen: so few that nobody can tell */
} foreign;

static inline void draw_foreign(recon_ctx *ctx, recon_so3 *g, const foreign *f, recon_rng *rng)
{
    recon_so3 a = recon_so3_haar(rng), c = recon_so3_haar(rng), mode[64];
    recon_fisher fisher;
    CHECK_OK(ctx, recon_fisher_of(ctx, &fisher,
                                  (const double[]){ f->fisher[0], 0, 0, 0, f->fisher[1], 0, 0, 0,
                                                    f->fisher[2] }));
    for (int m = 0; m < f->modes; m++)
        mode[m] = f->scattered ? recon_so3_haar(rng) : about(0, 0, 1, m * f->apart * M_PI / 180);
    for (size_t i = 0; i < f->n; i++) {
        recon_so3 h = about(0, 0, 1, f->arc * M_PI / 180 * (recon_rng_uniform(rng) - 0.5));
        if (f->fisher[0] > 0) {
            recon_fisher_sample(&h, &fisher, 1, rng);
        } else {
            if (f->modes && f->share > 0)
                h = mode[recon_rng_uniform(rng) < f->share
                             ? 0
                             : 1 + recon_rng_below(rng, (size_t)f->modes - 1)];
            else if (f->modes)
                h = mode[recon_rng_below(rng, (size_t)f->modes)];
            h = recon_so3_compose(noise(rng, f->noise > 0 ? f->noise : 5), h);
        }
        g[i] = recon_so3_compose(recon_so3_compose(a, h), c);
    }
}

#endif
