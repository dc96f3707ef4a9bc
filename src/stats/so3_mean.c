/* so3_mean.c - chordal, Frechet and Tukey means of rotations.
 *
 * The chordal mean is the top eigenvector of the mean of q q^T. The other two go down from starting
 * points that turn with the data: Newton steps in the tangent space with the curvature of the
 * squared distance, Tukey's with reweighted samples, each halved until the loss falls. Where all
 * samples lie within a quarter turn of a Frechet mean there is no other (Afsari, 2011). */
#include <recon/stats/so3_mean.h>

#include <math.h>
#include <recon/group/so2.h>
#include "core/arena.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"
#include "stats/eig4.h"
#include "stats/so3_frame.h"
#include "stats/so3_modes.h"

#define STEPS    100
#define STILL    1e-13 /* radians: a step smaller than this is rounding                     */
#define ROUNDING 1e-13 /* of a loss, relative                                               */
#define SAME     1e-9  /* Frechet losses this close (relative) tie                          */
#define AROUND   64    /* starting points on the circle through the two best eigenvectors   */
#define PER_TASK 64    /* blocks of lanes */

int recon_so3_free_directions(const double singular[3], double n)
{
    static const double quantile[5] = { 0, 0, 13.82, 20.52, 27.88 }; /* chi^2 0.999: 2, 5, 9 */
    const double *d = singular;
    const double a[4] = { (1 + d[0] + d[1] + d[2]) / 4, (1 + d[0] - d[1] - d[2]) / 4,
                          (1 - d[0] + d[1] - d[2]) / 4, (1 - d[0] - d[1] + d[2]) / 4 };
    for (int p = 4; p > 1; p--) { /* are the p largest eigenvalues of q q^T equal? */
        double mass = 0, spread = 0;
        for (int i = 0; i < p; i++)
            mass += a[i];
        for (int i = 0; i < p; i++)
            spread += (a[i] - mass / p) * (a[i] - mass / p);
        if (n * p * (p + 2) / 2 * spread / mass < quantile[p])
            return p - 1;
    }
    return 0;
}

/* Loss, and the step that would lead to its minimum were it quadratic. */
typedef struct {
    recon_so3 at;
    double loss, step[3], farthest;
} descent;

/* h x = g by Cramer's rule; h is symmetric, 00 11 22 01 02 12. Weights that vanish give no step. */
static void solve_step(double x[3], const double h[6], const double g[3])
{
    double c00 = h[1] * h[2] - h[5] * h[5], c01 = h[4] * h[5] - h[3] * h[2];
    double c02 = h[3] * h[5] - h[1] * h[4], c11 = h[0] * h[2] - h[4] * h[4];
    double c12 = h[3] * h[4] - h[0] * h[5], c22 = h[0] * h[1] - h[3] * h[3];
    double det = h[0] * c00 + h[3] * c01 + h[4] * c02;
    double scale = det > 0 ? 1 / det : 0;
    x[0] = scale * (c00 * g[0] + c01 * g[1] + c02 * g[2]);
    x[1] = scale * (c01 * g[0] + c11 * g[1] + c12 * g[2]);
    x[2] = scale * (c02 * g[0] + c12 * g[1] + c22 * g[2]);
}

/* c = 0: half the squared distance. Its Hessian is 1 along the way to the sample and
 * (angle/2) cot(angle/2) across; Tukey's weight multiplies both. */
static descent probe(recon_so3 at, const recon_so3 *g, size_t n, double c)
{
    descent d = { .at = at };
    double h[6] = { 0 }, sum[3] = { 0 };
    recon_so3 back = recon_so3_inverse(at);
    for (size_t i = 0; i < n; i++) {
        recon_so3 q = recon_so3_compose(back, g[i]);
        double sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z), half = atan2(sine, q.w);
        double scale = sine > 1e-9 ? 2 * half / sine : 2;
        double v[3] = { scale * q.x, scale * q.y, scale * q.z };
        double angle = 2 * half, square = angle * angle;
        double rest = c > 0 ? fmax(1 - square / (c * c), 0) : 1, weight = c > 0 ? rest * rest : 1;
        double across = sine > 1e-9 ? half * q.w / sine : 1;
        double along = weight * (1 - across) / fmax(square, 1e-30);
        d.loss += c > 0 ? c * c / 6 * (1 - rest * rest * rest) : square / 2;
        d.farthest = fmax(d.farthest, angle);
        h[0] += weight * across + along * v[0] * v[0], h[3] += along * v[0] * v[1];
        h[1] += weight * across + along * v[1] * v[1], h[4] += along * v[0] * v[2];
        h[2] += weight * across + along * v[2] * v[2], h[5] += along * v[1] * v[2];
        for (int k = 0; k < 3; k++)
            sum[k] += weight * v[k];
    }
    solve_step(d.step, h, sum);
    return d;
}

static descent descend(recon_so3 from, const recon_so3 *g, size_t n, double c)
{
    descent d = probe(from, g, n, c);
    for (int i = 0; i < STEPS; i++) {
        double size = 1,
               length = sqrt(d.step[0] * d.step[0] + d.step[1] * d.step[1] + d.step[2] * d.step[2]);
        if (length > M_PI / 2)
            size = M_PI / 2 / length;
        descent next;
        for (;; size /= 2) {
            double v[3] = { size * d.step[0], size * d.step[1], size * d.step[2] };
            next = probe(recon_so3_compose(d.at, recon_so3_exp(v)), g, n, c);
            if (next.loss <= d.loss * (1 + ROUNDING) || size * length < STILL)
                break;
        }
        if (next.loss <= d.loss * (1 + ROUNDING))
            d = next;
        if (size * length < STILL)
            break;
    }
    return d;
}

/* Of two candidates whose losses tie, the one nearer the identity. */
static int better(const descent *a, const descent *b, double tie)
{
    if (fabs(a->loss - b->loss) <= tie)
        return recon_so3_angle(a->at) < recon_so3_angle(b->at);
    return a->loss < b->loss;
}

static double dot(recon_so3 p, recon_so3 q)
{
    return p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
}

/* The point at an angle from the mode on the circle through mode and second: for a ring, the ring.
 */
static recon_so3 on_circle(const recon_so3_frame *frame, double angle)
{
    double c = cos(angle / 2), s = sin(angle / 2);
    recon_so3 p = frame->mode, q = frame->second;
    return recon_so3_normalize(
        (recon_so3){ c * p.w + s * q.w, c * p.x + s * q.x, c * p.y + s * q.y, c * p.z + s * q.z });
}

/* Where all samples are within a quarter turn of a minimum there is no other. Where they go round a
 * circle there is about one for each sample, at the mean of the angles and 2 pi / n apart: the best
 * of these is the second start. */
static descent frechet(const recon_so3_frame *frame, const recon_so3 *g, size_t n)
{
    descent best = descend(frame->mode, g, n, 0), start = best;
    if (best.farthest < M_PI / 2)
        return best;
    double middle = 0;
    for (size_t i = 0; i < n; i++)
        middle +=
            recon_so2_wrap(2 * atan2(dot(frame->second, g[i]), dot(frame->mode, g[i]))) / (double)n;
    int around = n < AROUND ? (int)n : AROUND;
    for (int i = 0; i < around; i++) {
        descent other = probe(on_circle(frame, middle + 2 * M_PI * i / around), g, n, 0);
        if (i == 0 || better(&other, &start, 0))
            start = other;
    }
    descent second = descend(start.at, g, n, 0);
    return better(&second, &best, SAME * best.loss) ? second : best;
}

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

static void weigh_modes(centering *c)
{
    for (int k = 0; k < c->out->modes; k++)
        c->out->mode[k].weight = 0;
    for (size_t i = 0; i < c->n; i++)
        c->out->mode[nearest_mode(c->out, c->g[i])].weight += 1 / (double)c->n;
}

static double spacing(const recon_so3_center *center)
{
    double least = M_PI;
    for (int a = 0; a < center->modes; a++)
        for (int b = 0; b < a; b++)
            least = fmin(least, recon_so3_distance(center->mode[a].at, center->mode[b].at));
    return least;
}

/* How many samples a Tukey loss sees. Masses within three standard deviations tie, or the answer
 * would change from one draw to the next; one less than half the other is the lesser in any case.
 */
static double mass_of(const descent *d, size_t n, double c)
{
    return (double)n - 6 * d->loss / (c * c);
}

static int tied(double less, double more)
{
    return less >= more / 2 && more - less <= 3 * sqrt(more + less);
}

/* From each mode; the greatest mass wins, ties go to the mode nearest the identity. */
static recon_so3 tukey_of_modes(centering *s, double c)
{
    recon_so3_center *out = s->out;
    double mass[RECON_MODES_MAX];
    int heaviest = 0;
    for (int k = 0; k < out->modes; k++) {
        descent d = descend(out->mode[k].at, s->g, s->n, c);
        out->mode[k].at = d.at;
        mass[k] = mass_of(&d, s->n, c);
        heaviest = mass[k] > mass[heaviest] ? k : heaviest;
    }
    int best = heaviest;
    for (int k = 0; k < out->modes; k++)
        if (tied(mass[k], mass[heaviest]) &&
            recon_so3_angle(out->mode[k].at) < recon_so3_angle(out->mode[best].at))
            best = k;
    return out->mode[best].at;
}

/* With c fixed and one mode: from the Frechet mean, which may lie beside a narrow peak, and from
 * the sample that is best itself. */
static recon_so3 tukey_of_one(centering *s, double c)
{
    descent start = probe(s->out->mode[0].at, s->g, s->n, c);
    descent best = descend(start.at, s->g, s->n, c);
    for (size_t i = 0; i < s->n; i++) {
        descent other = probe(s->g[i], s->g, s->n, c);
        if (better(&other, &start, 0))
            start = other;
    }
    descent second = descend(start.at, s->g, s->n, c);
    return better(&second, &best, SAME * best.loss) ? second.at : best.at;
}

static recon_so3 tukey(centering *s, double fixed)
{
    recon_so3_center *out = s->out;
    if (out->modes == 1 && fixed == 0)
        return out->mode[0].at;
    out->tukey_c = fixed > 0 ? fixed : spacing(out) / 2;
    return out->modes == 1 ? tukey_of_one(s, fixed) : tukey_of_modes(s, out->tukey_c);
}

static void report_frame(recon_so3_center *out, const recon_so3_frame *frame)
{
    for (int k = 0; k < 3; k++) {
        out->singular[k] = frame->singular[k];
        out->axis_body[k] = frame->body[0][k];
    }
    recon_so3_act(out->axis_world, frame->mode, out->axis_body);
}

static recon_status center(recon_ctx *ctx, centering *s, const recon_mean_options *options,
                           const recon_so3_kernels *kernels, recon_arena *arena)
{
    recon_so3_center *out = s->out;
    recon_so3 at[RECON_MODES_MAX];
    double m[10] = { 0 };
    for (size_t i = 0; i < s->n; i++)
        recon_so3_moment_add(m, s->g[i], 1 / (double)s->n);
    recon_so3_frame_of(&s->frame, m);
    *out = (recon_so3_center){ .count = s->n };
    report_frame(out, &s->frame);
    recon_status status = recon_so3_modes(ctx, &out->modes, at, s->g, s->n, kernels, arena);
    if (status != RECON_OK)
        return status;
    recon_so3 frechet_mean = s->frame.mode;
    if (options->kind != RECON_MEAN_CHORDAL &&
        (options->kind == RECON_MEAN_FRECHET || out->modes == 1))
        frechet_mean = frechet(&s->frame, s->g, s->n).at;
    for (int k = 0; k < out->modes; k++)
        out->mode[k].at = out->modes == 1 ? frechet_mean : at[k];
    weigh_modes(s);
    out->mean = options->kind == RECON_MEAN_TUKEY ? tukey(s, options->tukey_c) : frechet_mean;
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
    recon_so3_kernels_make(&job.kernels);
    return recon_parallel(ctx, center_task, &job, sets);
}

recon_status recon_so3_mean(recon_ctx *ctx, recon_so3_center *out, const recon_so3 *samples,
                            size_t n, const recon_mean_options *options)
{
    return recon_so3_mean_batch(ctx, out, samples, 1, n, options);
}

typedef struct {
    recon_so3 *mean;
    double *singular;
    const recon_so3 *samples;
    size_t sets, k;
} chordal_batch;

typedef double four __attribute__((vector_size(32)));

/* Mean moments of up to RECON_LANES sets side by side. The full product of a quaternion with itself
 * is four vectors, which is faster than its ten different entries. */
RECON_CLONES
static void block_moments(double m[10][RECON_LANES], const recon_so3 *samples, size_t sets,
                          size_t k)
{
    for (size_t l = 0; l < sets; l++) {
        four row[4] = { { 0 } };
        for (size_t i = 0; i < k; i++) {
            const recon_so3 s = samples[l * k + i];
            const four q = { s.w, s.x, s.y, s.z };
            row[0] += s.w * q, row[1] += s.x * q, row[2] += s.y * q, row[3] += s.z * q;
        }
        for (int a = 0, at = 0; a < 4; a++)
            for (int b = a; b < 4; b++)
                m[at++][l] = row[a][b] / (double)k;
    }
}

static void block_results(const chordal_batch *job, const recon_eig4_lanes *e, size_t first,
                          size_t sets)
{
    for (size_t l = 0; l < sets; l++) {
        job->mean[first + l] = recon_so3_normalize((recon_so3){
            e->vector[0][0][l], e->vector[0][1][l], e->vector[0][2][l], e->vector[0][3][l] });
        if (!job->singular)
            continue;
        double *d = job->singular + 3 * (first + l);
        double outer = e->value[0][l] - e->value[3][l], inner = e->value[1][l] - e->value[2][l];
        d[0] = outer + inner, d[1] = outer - inner;
        d[2] = (e->value[0][l] - e->value[1][l]) - (e->value[2][l] - e->value[3][l]);
    }
}

static recon_status chordal_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const chordal_batch *job = arg;
    size_t first = index * PER_TASK * RECON_LANES, end = first + PER_TASK * RECON_LANES;
    (void)worker;
    for (; first < job->sets && first < end; first += RECON_LANES) {
        size_t sets = job->sets - first < RECON_LANES ? job->sets - first : RECON_LANES;
        const recon_so3 *samples = job->samples + first * job->k;
        double m[10][RECON_LANES] = { { 0 } };
        recon_eig4_lanes e;
        recon_status status = recon_so3_check(ctx, samples, sets * job->k, first * job->k);
        if (status != RECON_OK)
            return status;
        block_moments(m, samples, sets, job->k);
        recon_eig4_many(&e, m);
        block_results(job, &e, first, sets);
    }
    return RECON_OK;
}

recon_status recon_so3_chordal_batch(recon_ctx *ctx, recon_so3 *mean, double *singular,
                                     const recon_so3 *samples, size_t sets, size_t k)
{
    chordal_batch job = { mean, singular, samples, sets, k };
    size_t per_task = PER_TASK * RECON_LANES;
    if (k == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "mean of rotations: no rotations");
    return recon_parallel(ctx, chordal_task, &job, sets / per_task + (sets % per_task != 0));
}
