/* family.c - chooses one family for a whole data set by the likelihood of held-out angles. */
#include <recon/group/so2_density.h>

#include "core/arena.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "group/group.h"
#include "group/so2/mean.h"
#include "group/so2/fit.h"

#include <math.h>
#include <stdlib.h>
#include <recon/group/so2.h>

#define FOLDS    5
#define FAMILIES 4 /* RECON_SO2_UNIFORM .. RECON_SO2_MIXTURE */

typedef struct {
    const double *angles;
    size_t sets, k, used;
    double (*likelihood)[FAMILIES]; /* [used] */
} trial;

/* An arc is known only as far as the farthest of its N angles, at N/(N + 1) of the fitted width.
 * Its density, averaged over where the end may be, falls off beyond as (end/x)^(N + 1); a plain arc
 * would be ruled out by the first angle that lies a little outside. */
static double log_open_arc(const recon_so2_density *p, double members, double angle)
{
    double shrunk = members / (members + 1), end = p->width * shrunk, x = fabs(angle);
    double inside = shrunk / (2 * end);
    double arc = x <= end ? inside : inside * pow(end / x, members + 1);
    return log((1 - p->background) * arc + p->background / (2 * M_PI));
}

/* A fit to few angles cannot know that nothing is background: of one more, that one might be. */
static double held_out(const recon_so2_density *fitted, size_t kept, const double *angles, size_t n)
{
    double sum = 0, members = (double)kept * (1 - fitted->background);
    recon_so2_density p = *fitted;
    p.background = fmax(p.background, 1 / ((double)kept + 1));
    for (size_t i = 0; i < n; i++)
        sum += p.family == RECON_SO2_UNIFORM ? log_open_arc(&p, members, angles[i])
                                             : recon_so2_log_density(&p, angles[i]);
    return sum;
}

/* The angles of a fold go behind those kept; returns how many were kept. */
static size_t split(double *out, const double *angles, size_t k, size_t fold)
{
    size_t kept = 0, left_out = k;
    for (size_t i = 0; i < k; i++)
        out[i % FOLDS == fold ? --left_out : kept++] = recon_so2_wrap(angles[i]);
    return kept;
}

static recon_status try_set(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const trial *t = arg;
    recon_status status;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    const double *angles = t->angles + index * t->sets / t->used * t->k;
    double *parted, *scratch;
    RECON_TRY(recon_arena_take(ctx, arena, &parted, t->k, sizeof *parted));
    RECON_TRY(recon_arena_take(ctx, arena, &scratch, recon_so2_fit_scratch(t->k), sizeof *scratch));
    for (size_t fold = 0; fold < FOLDS && fold < t->k; fold++) {
        size_t kept = split(parted, angles, t->k, fold);
        for (int f = 0; f < FAMILIES && kept > 0; f++) {
            recon_so2_density fitted;
            recon_so2_fit_one(&fitted, parted, kept, (recon_so2_family)(RECON_SO2_UNIFORM + f),
                              scratch);
            t->likelihood[index][f] += held_out(&fitted, kept, parted + kept, t->k - kept);
        }
    }
done:
    recon_arena_release(arena, mark);
    return status;
}

recon_status recon_so2_choose_family(recon_ctx *ctx, recon_so2_family *family, const double *angles,
                                     size_t sets, size_t k)
{
    recon_status status;
    trial t = { angles, sets, k, sets < RECON_CHOICE_SETS ? sets : RECON_CHOICE_SETS, NULL };
    RECON_TRY(recon_so2_check(ctx, angles, sets, k));
    RECON_TRY(recon_alloc(ctx, &t.likelihood, t.used, sizeof *t.likelihood));
    RECON_TRY(recon_parallel(ctx, try_set, &t, t.used));
    double total[FAMILIES] = { 0 };
    for (size_t i = 0; i < t.used; i++)
        for (int f = 0; f < FAMILIES; f++)
            total[f] += t.likelihood[i][f];
    int best = 0;
    for (int f = 1; f < FAMILIES; f++)
        best = total[f] > total[best] ? f : best;
    *family = (recon_so2_family)(RECON_SO2_UNIFORM + best);
done:
    free(t.likelihood);
    return status;
}
