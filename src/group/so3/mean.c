/* mean.c - chordal, Frechet and Tukey means of rotations, with the verdict and the modes.
 *
 * The chordal mean is the top eigenvector of the mean of q q^T; the other two go down from it and
 * from the modes. */
#include "group/mean.h"

#include <math.h>
#include "core/arena.h"
#include "core/fail.h"
#include "core/threads.h"
#include "group/so3/frame.h"
#include "group/so3/verdict.h"
#include "stats/tie.h"

#define SAMPLE_STARTS 256 /* samples tried as starting points with c fixed */
#define HALF_A_STRAY  0.5 /* a background of fewer samples than this is none */

/* One set on its way to a centre. */
typedef struct {
    const recon_so3 *g;
    size_t n;
    recon_so3_frame frame;
    recon_so3_center *out;
} centering;

static int nearest_mode(const recon_so3_center *center, recon_so3 q)
{
    int best = 0;
    for (int k = 1; k < center->modes; k++)
        if (recon_so3_distance(center->mode[k].at, q) <
            recon_so3_distance(center->mode[best].at, q))
            best = k;
    return best;
}

static double spacing(const recon_so3_center *center)
{
    double least = M_PI;
    for (int a = 0; a < center->modes; a++)
        for (int b = 0; b < a; b++)
            least = fmin(least, recon_so3_distance(center->mode[a].at, center->mode[b].at));
    return least;
}

/* From each mode; the greatest mass wins, ties go to the mode nearest the identity. */
static recon_so3 tukey_of_modes(centering *s, double c)
{
    const recon_so3_samples all = { s->g, NULL, s->n };
    recon_so3_center *out = s->out;
    double mass[RECON_MODES_MAX];
    int heaviest = 0;
    for (int k = 0; k < out->modes; k++) {
        recon_so3_descent d = recon_so3_descend(out->mode[k].at, &all, c);
        out->mode[k].at = d.at;
        /* How many samples a Tukey loss sees. */
        mass[k] = (double)s->n - 6 * d.loss / (c * c);
        heaviest = mass[k] > mass[heaviest] ? k : heaviest;
    }
    int best = heaviest;
    for (int k = 0; k < out->modes; k++)
        if (recon_masses_tie(mass[k], mass[heaviest]) &&
            recon_so3_angle(out->mode[k].at) < recon_so3_angle(out->mode[best].at))
            best = k;
    return out->mode[best].at;
}

/* With c fixed and one mode: from the Frechet mean, which may lie beside a narrow peak, and from
 * the sample that is best itself. */
static recon_so3 tukey_of_one(centering *s, double c)
{
    const recon_so3_samples all = { s->g, NULL, s->n };
    recon_so3_descent start = recon_so3_probe(s->out->mode[0].at, &all, c);
    recon_so3_descent best = recon_so3_descend(start.at, &all, c);
    size_t stride = (s->n + SAMPLE_STARTS - 1) / SAMPLE_STARTS;
    for (size_t i = 0; i < s->n; i += stride) {
        recon_so3_descent other = recon_so3_probe(s->g[i], &all, c);
        if (recon_so3_better(&other, &start, 0))
            start = other;
    }
    recon_so3_descent second = recon_so3_descend(start.at, &all, c);
    return recon_so3_better(&second, &best, RECON_SO3_SAME * best.loss) ? second.at : best.at;
}

static recon_so3 tukey(centering *s, double fixed)
{
    recon_so3_center *out = s->out;
    if (out->modes == 1 && fixed == 0)
        return out->mode[0].at;
    out->tukey_c = fixed > 0 ? fixed : spacing(out) / 2;
    return out->modes == 1 ? tukey_of_one(s, fixed) : tukey_of_modes(s, out->tukey_c);
}

/* The Frechet mean; by default of those that belong, each as far as it does. Samples that all
 * belong have the Frechet mean itself. */
static recon_so3 mean_of_one(const centering *s, recon_mean_kind kind,
                             const recon_fisher_robust *robust)
{
    int outliers = kind <= RECON_MEAN_TUKEY && robust->fit.background * (double)s->n > HALF_A_STRAY;
    const recon_so3_samples all = { s->g, outliers ? robust->belongs : NULL, s->n };
    if (kind == RECON_MEAN_CHORDAL)
        return s->frame.mode;
    return recon_so3_frechet(outliers ? &robust->frame : &s->frame, &all);
}

static recon_status judge(recon_ctx *ctx, recon_so3_verdict *verdict, recon_fisher_robust *robust,
                          const centering *s, const recon_so3_kernels *kernels, recon_arena *arena)
{
    const recon_so3_evidence evidence = { s->g, s->n, s->frame.singular, robust };
    RECON_CHECK(recon_arena_take(ctx, arena, &robust->belongs, s->n, sizeof *robust->belongs));
    RECON_CHECK(recon_fisher_fit_robust(ctx, robust, s->g, s->n));
    RECON_CHECK(recon_so3_modes(ctx, &verdict->modes, verdict->at, s->g, s->n, kernels,
                                &robust->fit, arena));
    return recon_so3_judge(ctx, verdict, &evidence, arena);
}

static recon_status center(recon_ctx *ctx, centering *s, const recon_mean_options *options,
                           const recon_so3_kernels *kernels, recon_arena *arena)
{
    recon_so3_center *out = s->out;
    recon_so3_verdict verdict;
    recon_fisher_robust robust;
    double m[10] = { 0 };
    for (size_t i = 0; i < s->n; i++)
        recon_so3_moment_add(m, s->g[i], 1 / (double)s->n);
    recon_so3_frame_of(&s->frame, m);
    RECON_CHECK(judge(ctx, &verdict, &robust, s, kernels, arena));
    *out = (recon_so3_center){
        .count = s->n, .fit = robust.fit, .natural = verdict.natural, .modes = verdict.modes
    };
    for (int k = 0; k < 3; k++) {
        out->singular[k] = s->frame.singular[k];
        out->axis_body[k] = s->frame.body[0][k];
    }
    recon_so3_act(out->axis_world, s->frame.mode, out->axis_body);
    recon_so3 mean = s->frame.mode;
    if (options->kind > RECON_MEAN_TUKEY || out->modes == 1)
        mean = mean_of_one(s, options->kind, &robust);
    for (int k = 0; k < out->modes; k++)
        out->mode[k].at = out->modes == 1 ? mean : verdict.at[k];
    for (int k = 0; k < s->out->modes; k++)
        s->out->mode[k].weight = 0;
    for (size_t i = 0; i < s->n; i++)
        s->out->mode[nearest_mode(s->out, s->g[i])].weight += 1 / (double)s->n;
    out->mean = options->kind <= RECON_MEAN_TUKEY ? tukey(s, options->tukey_c) : mean;
    return RECON_OK;
}

typedef struct {
    recon_so3_center *out;
    const recon_so3 *samples;
    size_t k;
    recon_mean_options options;
    recon_so3_kernels kernels;
} batch;

static recon_status center_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const batch *job = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    centering s = { .g = job->samples + index * job->k, .n = job->k, .out = &job->out[index] };
    recon_status status;
    RECON_TRY(recon_so3_check(ctx, s.g, s.n, index * job->k));
    RECON_TRY(center(ctx, &s, &job->options, &job->kernels, arena));
done:
    recon_arena_release(arena, mark);
    return status;
}

recon_status recon_so3_mean_batch(recon_ctx *ctx, recon_so3_center *out, const recon_so3 *samples,
                                  size_t sets, size_t k, const recon_mean_options *options)
{
    batch job = { .out = out, .samples = samples, .k = k };
    if (options)
        job.options = *options;
    if (k == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "mean of rotations: no rotations");
    if (!(job.options.tukey_c >= 0 && job.options.tukey_c <= M_PI))
        return recon_fail(ctx, RECON_ERR_INPUT, "mean of rotations: tukey_c is %g, not in [0, pi]",
                          job.options.tukey_c);
    RECON_CHECK(recon_mean_options_check(ctx, &job.options));
    recon_so3_kernels_make(&job.kernels);
    return recon_parallel(ctx, center_task, &job, sets);
}

recon_status recon_so3_mean(recon_ctx *ctx, recon_so3_center *out, const recon_so3 *samples,
                            size_t n, const recon_mean_options *options)
{
    return recon_so3_mean_batch(ctx, out, samples, 1, n, options);
}
