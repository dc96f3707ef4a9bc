/* ends.c - see ends.h. */
#include "model/ends.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/formats.h"
#include "knn/clusters.h"
#include "stats/quantile.h"

#include <complex.h>
#include <math.h>
#include <recon/group/so2.h>
#include <stdlib.h>
#include <string.h>

enum { N = RECON_ENDS, MOST = RECON_ENDS_MOST, ROUNDS = 30, CHANNELS = 4, ALIKE = 20 };
#define OPPOSITE (30 * RECON_TO_RADIANS) /* two modes this close to a half turn are opposite */
#define EDGE     0.85                    /* of the radius: what lies beyond is mostly ground      */
#define STRAYS   0.1                     /* members that may be of another kind                   */
#define RIDGE    1e-4

/* --- moments ---------------------------------------------------------------------------------- */

/* In the disc of the shorter side, with radius 1. */
static double complex place_of(const recon_image_size *s, size_t p)
{
    double half = fmin((double)s->height, (double)s->width) / 2;
    double x = (double)(p % s->width) - ((double)s->width - 1) / 2;
    double y = (double)(p / s->width) - ((double)s->height - 1) / 2;
    return (x - I * y) / half;
}

/* The mean at the edge, less what stands out there. */
static double ground_of(const float *image, const recon_image_size *s, size_t channel)
{
    double mean = 0, most = INFINITY;
    for (int round = 0; round < 3; round++) {
        double sum = 0, squares = 0, n = 0;
        for (size_t p = 0; p < s->height * s->width; p++) {
            double x = (double)image[p * s->channels + channel], r = cabs(place_of(s, p));
            if (r < EDGE || r > 1 || fabs(x - mean) > most)
                continue;
            sum += x;
            squares += x * x;
            n++;
        }
        if (n == 0)
            break;
        mean = sum / n;
        most = sqrt(fmax(squares / n - mean * mean, 0));
    }
    return mean;
}

static double contrast_at(const float *image, const recon_image_size *s, size_t p,
                          const double *ground)
{
    double sum = 0;
    for (size_t c = 0; c < s->channels; c++) {
        double x = (double)image[p * s->channels + c] - ground[c % CHANNELS];
        sum += x * x;
    }
    return cabs(place_of(s, p)) <= 1 ? sum : 0;
}

void recon_ends_moments(double out[N], const float *image, const recon_image_size *s, double by)
{
    double ground[CHANNELS] = { 0 }, mass = 0, square = 0;
    double complex middle = 0, sum[N / 2] = { 0 };
    for (size_t c = 0; c < s->channels && c < CHANNELS; c++)
        ground[c] = ground_of(image, s, c);
    for (size_t p = 0; p < s->height * s->width; p++) {
        double w = contrast_at(image, s, p, ground);
        double complex at = place_of(s, p);
        mass += w;
        middle += w * at;
        square += w * creal(at * conj(at));
    }
    middle /= fmax(mass, 1e-30);
    double spread = sqrt(fmax(square / fmax(mass, 1e-30) - creal(middle * conj(middle)), 1e-12));
    for (size_t p = 0; p < s->height * s->width; p++) {
        double complex at = (place_of(s, p) - middle) / spread;
        double r = creal(at * conj(at)), w = contrast_at(image, s, p, ground) / fmax(mass, 1e-30);
        const double complex order[N / 2] = { r * at,      r * r * at,   at * at,
                                              r * at * at, at * at * at, r * at * at * at };
        for (int a = 0; a < N / 2; a++)
            sum[a] += w * order[a];
    }
    for (int a = 0; a < N / 2; a++) {
        sum[a] *= cexp(I * (a / 2 + 1) * by);
        out[2 * a] = creal(sum[a]);
        out[2 * a + 1] = cimag(sum[a]);
    }
}

/* Of the image rotated by so many steps more. */
static void rotated(double out[N], const double in[N], int fold, int steps)
{
    for (int a = 0; a < N / 2; a++) {
        double complex x =
            (in[2 * a] + I * in[2 * a + 1]) * cexp(I * (a / 2 + 1) * steps * 2 * M_PI / fold);
        out[2 * a] = creal(x);
        out[2 * a + 1] = cimag(x);
    }
}

/* --- the template ----------------------------------------------------------------------------- */

static double product(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i] * b[i];
    return sum;
}

static int best_step(const double template[N], const double moments[N], int fold)
{
    double best = -INFINITY, at[N];
    int step = 0;
    for (int k = 0; k < fold; k++) {
        rotated(at, moments, fold, k);
        double like = product(template, at);
        step = like > best ? k : step;
        best = fmax(like, best);
    }
    return step;
}

/* The inverse of a positive definite matrix, in place (Gauss and Jordan). */
static void invert(double a[N][N])
{
    for (int k = 0; k < N; k++) {
        double pivot = 1 / a[k][k];
        a[k][k] = 1;
        for (int j = 0; j < N; j++)
            a[k][j] *= pivot;
        for (int i = 0; i < N; i++) {
            double factor = a[i][k];
            if (i == k)
                continue;
            a[i][k] = 0;
            for (int j = 0; j < N; j++)
                a[i][j] -= factor * a[k][j];
        }
    }
}

/* Members at their steps. */
typedef struct {
    double at[MOST][N], far[MOST]; /* far: from the mean, squared */
    size_t n;
    double most; /* farther ones are strays */
} aligned;

/* The template that tells this alignment best from others (Fisher 1936), by those that are no strays; how well. */
static double fit(double template[N], aligned *m)
{
    double mean[N] = { 0 }, inverse[N][N] = { { 0 } }, sorted[MOST], n = 0, d[N];
    for (size_t i = 0; i < m->n; i++)
        for (int a = 0; m->far[i] <= m->most && a < N; a++)
            mean[a] += m->at[i][a];
    for (size_t i = 0; i < m->n; i++)
        n += m->far[i] <= m->most;
    for (int a = 0; a < N; a++)
        mean[a] /= n;
    for (size_t i = 0; i < m->n; i++)
        for (int a = 0; m->far[i] <= m->most && a < N; a++)
            for (int b = 0; b < N; b++)
                inverse[a][b] += (m->at[i][a] - mean[a]) * (m->at[i][b] - mean[b]) / n;
    for (int a = 0; a < N; a++)
        inverse[a][a] += RIDGE;
    invert(inverse);
    for (int a = 0; a < N; a++)
        template[a] = product(inverse[a], mean);
    for (size_t i = 0; i < m->n; i++) {
        double sum = 0;
        for (int a = 0; a < N; a++)
            d[a] = m->at[i][a] - mean[a];
        for (int a = 0; a < N; a++)
            sum += d[a] * product(inverse[a], d);
        m->far[i] = sorted[i] = sum;
    }
    recon_sort_doubles(sorted, m->n);
    m->most = recon_quantile(sorted, m->n, 1 - STRAYS);
    return product(template, mean);
}

/* From one template to the next, until steps are settled. */
static double settle(double template[N], int *step, double (*moments)[N], size_t n, int fold)
{
    static const aligned none;
    aligned m = none;
    double apart = 0;
    m.n = n;
    for (int round = 0, moved = 1; moved && round < ROUNDS; round++) {
        moved = round < 2; /* strays are known after the first */
        for (size_t i = 0; i < n; i++) {
            int k = best_step(template, moments[i], fold);
            moved |= k != step[i];
            step[i] = k;
            rotated(m.at[i], moments[i], fold, k);
        }
        apart = fit(template, &m);
    }
    return apart;
}

double recon_ends_learn(double template[N], int *step, double (*moments)[N], size_t n, int fold)
{
    double scale[N], scaled[MOST][N], best = 0;
    int trial_step[MOST];
    for (int a = 0; a < N; a++) {
        double square = 0;
        for (size_t i = 0; i < n; i++)
            for (int part = a & ~1; part <= (a | 1); part++)
                square += moments[i][part] * moments[i][part] / (double)n;
        scale[a] = (a / 2 / 2 + 1) % fold && square > 0 ? 1 / sqrt(square) : 0;
        for (size_t i = 0; i < n; i++)
            scaled[i][a] = moments[i][a] * scale[a];
    }
    for (int start = 0; start < N; start++) {
        double trial[N] = { 0 };
        trial[start] = 1;
        double apart = scale[start] > 0 ? settle(trial, trial_step, scaled, n, fold) : 0;
        if (apart <= best)
            continue;
        best = apart;
        memcpy(step, trial_step, n * sizeof *step);
        for (int a = 0; a < N; a++)
            template[a] = trial[a] * scale[a];
    }
    return best;
}

/* About twice what is seen among a hundred sets whose ends do not differ. */
double recon_ends_critical(size_t n, int fold)
{
    double numbers = fold > 3 ? N : N * 2 / 3., share = numbers / (double)n;
    return share < 1 / 3. ? 7 * fold / ((1 - share) * (1 - share)) : INFINITY;
}

/* --- laws ------------------------------------------------------------------------------------- */

/* How many evenly spaced poses a law has; 1: it has others. */
static int fold_of(const recon_law *law)
{
    if (law->natural == RECON_NATURAL_MODULO)
        return law->fold;
    int opposite = law->natural == RECON_NATURAL_SEVERAL && law->modes == 2 &&
                   recon_so2_distance(law->mode[0].at[0], law->mode[1].at[0]) > M_PI - OPPOSITE;
    return opposite ? 2 : 1;
}

double recon_ends_turn(const recon_law *law, const float *image, const recon_image_size *size,
                       double pose)
{
    double moments[N];
    if (!law->ends)
        return 0;
    recon_ends_moments(moments, image, size, -pose);
    return -best_step(law->template, moments, law->ends) * 2 * M_PI / law->ends;
}

/* Room for members of a cluster. */
typedef struct {
    recon_image_size size;
    float *image;
    double moments[MOST][N], template[N], pose[MOST];
    int step[MOST];
} looking;

static recon_status tell(recon_ctx *ctx, looking *l, recon_law *law, const recon_ends_job *job,
                         const size_t *member, size_t members)
{
    const double *poses = job->poses[law->frame];
    size_t n = members < MOST ? members : MOST;
    int fold = fold_of(law);
    for (size_t i = 0; i < n; i++) {
        size_t at = member[i * members / n];
        job->data->kind->read(l->image, job->data, at, 1);
        l->pose[i] = poses[at];
        recon_ends_moments(l->moments[i], l->image, &l->size, -poses[at]);
    }
    double apart = recon_ends_learn(l->template, l->step, l->moments, n, fold);
    if (apart <= recon_ends_critical(n, fold)) { /* alike, if they are many enough to say so */
        law->natural = n < ALIKE * (size_t)fold ? RECON_NATURAL_SEVERAL : RECON_NATURAL_MODULO;
        law->fold = law->natural == RECON_NATURAL_MODULO ? fold : 1;
        return RECON_OK;
    }
    for (size_t i = 0; i < n; i++)
        l->pose[i] = recon_so2_wrap(l->pose[i] - l->step[i] * 2 * M_PI / fold);
    double width = law->width;
    RECON_CHECK(recon_law_make(ctx, law, RECON_SO2, l->pose, n));
    law->width = fmin(law->width, width); /* which may be that of another frame */
    law->ends = fold;
    for (int a = 0; a < N; a++)
        law->template[a] = (double)(float)l->template[a]; /* as a file rounds it */
    if (law->natural == RECON_NATURAL_MODULO) {
        law->natural = RECON_NATURAL_SEVERAL;
        law->fold = 1;
    }
    return RECON_OK;
}

recon_status recon_ends_tell(recon_ctx *ctx, recon_laws *laws, const recon_ends_job *job)
{
    const recon_dataset *images = recon_data_images(job->data);
    size_t *member = NULL, *first = NULL;
    looking *l = NULL;
    recon_status status = RECON_OK;
    if (!images)
        return status;
    recon_dataset_info info = recon_dataset_describe(images);
    RECON_TRY(recon_alloc(ctx, &l, 1, sizeof *l));
    l->size = (recon_image_size){ info.height, info.width, info.channels };
    RECON_TRY(
        recon_alloc_raw(ctx, &l->image, info.height * info.width * info.channels, sizeof(float)));
    RECON_TRY(recon_by_label(ctx, &member, &first, job->cluster, job->n, laws->n));
    for (size_t c = 0; c < laws->n; c++)
        if (fold_of(&laws->law[c]) > 1 && laws->law[c].frame != RECON_LAWS_SILENT)
            RECON_TRY(tell(ctx, l, &laws->law[c], job, member + first[c], first[c + 1] - first[c]));
done:
    if (l)
        free(l->image);
    recon_free_all(l, member, first);
    return status;
}
