/* fisher_mixture.c - densities of several modes: see fisher.h. */
#include "group/so3/fisher.h"
#include "core/fail.h"
#include "group/so3/frame.h"

#include <math.h>

enum { MOST = RECON_FISHER_PARTS, PATH = 16 };
#define DIP   0.25 /* of the lower peak, as in so3/modes.c */
#define LEAST 0.1  /* the smallest weight of a mode        */

/* The parts alone, without the background. */
static double log_parts(const recon_fisher_mixture *p, recon_so3 g)
{
    double term[MOST];
    for (int k = 0; k < p->parts; k++)
        term[k] = log(p->weight[k]) + recon_fisher_log_density(&p->part[k], g);
    return recon_log_sum(term, p->parts);
}

double recon_fisher_parts_log_density(const recon_fisher_mixture *p, recon_so3 g)
{
    const double term[2] = { log1p(-p->background) + log_parts(p, g), log(p->background) };
    return recon_log_sum(term, 2);
}

/* --- modes ------------------------------------------------------------------------------------ */

/* Whether the density stays high on the shortest way from part a's mode to part b's. On a ring that
 * way lies on the ring. */
static int connected(const recon_fisher_mixture *p, int a, int b)
{
    recon_so3 from = p->part[a].mode, to = p->part[b].mode;
    double floor = fmin(log_parts(p, from), log_parts(p, to)) + log(DIP);
    for (int i = 1; i < PATH; i++)
        if (log_parts(p, recon_so3_toward(from, to, (double)i / PATH)) < floor)
            return 0;
    return 1;
}

/* The matrix Fisher distribution with the mean of the parts of a group. */
static recon_status merge(recon_ctx *ctx, recon_fisher *out, const recon_fisher_mixture *p,
                          const int group[MOST], int which, double weight)
{
    double mean[9], sum[9] = { 0 }, m[10], d[3], s[3], f[9];
    recon_so3_frame frame;
    for (int k = 0; k < p->parts; k++) {
        recon_fisher_mean(mean, &p->part[k]);
        for (int i = 0; group[k] == which && i < 9; i++)
            sum[i] += p->weight[k] / weight * mean[i];
    }
    recon_so3_moment_of_matrix(m, sum);
    recon_so3_frame_of(&frame, m);
    recon_fisher_inside(d, frame.singular);
    recon_fisher_invert_moment(s, d);
    recon_so3_frame_matrix(f, &frame, s);
    return recon_fisher_of(ctx, out, f);
}

static int heaviest(const double weight[MOST])
{
    int best = 0;
    for (int k = 1; k < MOST; k++)
        best = weight[k] > weight[best] ? k : best;
    return best;
}

recon_status recon_fisher_parts_reduce(recon_ctx *ctx, recon_fisher_mixture *out,
                                       const recon_fisher_mixture *p)
{
    int group[MOST], members[MOST] = { 0 };
    double weight[MOST] = { 0 }, kept = 0;
    /* group[k] is the first part of the mode to which part k belongs. */
    for (int a = 0; a < p->parts; a++) {
        group[a] = a;
        for (int b = 0; b < a; b++) {
            int from = group[a], to = group[b];
            if (from == to || !connected(p, a, b))
                continue;
            for (int c = 0; c <= a; c++)
                group[c] = group[c] == from ? to : group[c];
        }
    }
    for (int k = 0; k < p->parts; k++) {
        weight[group[k]] += p->weight[k];
        members[group[k]]++;
    }
    out->parts = 0;
    while (out->parts < MOST) {
        int g = heaviest(weight), n = out->parts;
        if (n > 0 && weight[g] < LEAST)
            break;
        out->part[n] = p->part[g]; /* the only one, or: */
        if (members[g] > 1)
            RECON_CHECK(merge(ctx, &out->part[n], p, group, g, weight[g]));
        out->weight[n] = weight[g];
        kept += weight[g];
        weight[g] = 0;
        out->parts++;
    }
    for (int k = 0; k < out->parts; k++)
        out->weight[k] /= kept;
    out->background = 1 - (1 - p->background) * kept;
    return RECON_OK;
}
