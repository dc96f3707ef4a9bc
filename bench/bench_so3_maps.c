/* bench_so3_maps.c - how well, and how fast, maps on SO(3) learn what Algorithm 1 finds.
 *
 *   bench_so3_maps cpu|cuda|ref [CLASSES [EPOCHS]]      default 762 classes, 30 epochs
 *
 * Simulated molecules: classes of 82 points in 64 dimensions, poses on a ring about one of three
 * axes (F = 100 there) with an arbitrary right factor for each class, 5 degrees of noise about each
 * axis, and one pose in 25 flipped by a half turn. Ten new points of each class are asked about;
 * unusual poses are uniform ones whose axis is far off (tr(F^T R) < 96). */
#include <recon/normalize/normalize.h>
#include <recon/ops/backend.h>
#include "group/so3/fisher.h"
#include "stats/roc.h"
#include "core/ctx.h"
#include "maps/maps.h"
#include "maps/so3_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { D = 64, EACH = 82, ASKED = 10, K = 25, PLANE = 8 /* dimensions that a class spreads in */ };
#define NOISE   (5 * M_PI / 180)
#define FLIPPED 0.04
#define BLUR    0.6 /* of a class, in units of its distance from the origin */
#define S       100.0
#define DEGREES (180 / M_PI)

typedef struct {
    size_t classes, train, n;
    float *z;
    recon_so3 *psi, *offset;
    int64_t *label;
} world;

/* --- data ------------------------------------------------------------------------------------- */

static void place(float *z, size_t c, recon_rng *rng)
{
    double along[PLANE], length = 0;
    for (int k = 0; k < PLANE; k++)
        along[k] = BLUR * recon_rng_normal(rng) / sqrt(PLANE);
    recon_rng own = recon_rng_new(1, c); /* the class's prototype and directions */
    for (size_t j = 0; j < D; j++) {
        double x = recon_rng_normal(&own);
        for (int k = 0; k < PLANE; k++)
            x += along[k] * recon_rng_normal(&own);
        z[j] = (float)x;
        length += x * x;
    }
    for (size_t j = 0; j < D; j++)
        z[j] /= (float)sqrt(length);
}

static recon_so3 pose(const recon_fisher *f, recon_rng *rng)
{
    double noise[3], flip[3] = { 0 };
    recon_so3 g;
    recon_fisher_sample(&g, f, 1, rng);
    for (int k = 0; k < 3; k++)
        noise[k] = NOISE * recon_rng_normal(rng);
    if (recon_rng_uniform(rng) < FLIPPED)
        flip[recon_rng_below(rng, 3)] = M_PI;
    return recon_so3_compose(recon_so3_compose(g, recon_so3_exp(noise)), recon_so3_exp(flip));
}

static recon_status make_world(recon_ctx *ctx, world *w, size_t classes)
{
    recon_fisher ring[3];
    recon_status status = RECON_OK;
    *w = (world){ .classes = classes, .train = classes * EACH, .n = classes * (EACH + ASKED) };
    w->z = malloc(w->n * D * sizeof *w->z);
    w->psi = malloc(w->n * sizeof *w->psi);
    w->offset = malloc(classes * sizeof *w->offset);
    w->label = malloc(w->n * sizeof *w->label);
    if (!w->z || !w->psi || !w->offset || !w->label)
        return RECON_ERR_MEMORY;
    for (int a = 0; status == RECON_OK && a < 3; a++)
        status = recon_fisher_of(
            ctx, &ring[a],
            (double[9]){ [0] = S * (a == 0), [4] = S * (a == 1), [8] = S * (a == 2) });
    for (size_t c = 0; c < classes; c++) {
        recon_rng rng = recon_rng_new(2, c);
        w->offset[c] = recon_so3_haar(&rng);
    }
    for (size_t i = 0; status == RECON_OK && i < w->n; i++) {
        recon_rng rng = recon_rng_new(3, i);
        size_t c = i % classes;
        w->label[i] = (int64_t)c;
        place(w->z + i * D, c, &rng);
        w->psi[i] = recon_so3_compose(pose(&ring[c % 3], &rng), w->offset[c]);
    }
    return status;
}

static void free_world(world *w)
{
    free(w->z), free(w->psi), free(w->offset), free(w->label);
}

/* --- figures ---------------------------------------------------------------------------------- */

/* What is said of one point, by maps or by its neighbours. */
typedef struct {
    recon_so3 lambda;
    const double *theta;
} answer;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double share(double *x, size_t n, double at)
{
    qsort(x, n, sizeof *x, by_size);
    return x[(size_t)(at * (double)(n - 1))];
}

/* Where Lambda takes the axis, and the mean squared error of Theta's entries. */
static void errors_of(double *axis, double *mse, const world *w, size_t i, answer said)
{
    size_t c = i % w->classes;
    double e[3] = { c % 3 == 0, c % 3 == 1, c % 3 == 2 }, moved[3], sum = 0;
    recon_so3_act(moved, recon_so3_compose(said.lambda, recon_so3_inverse(w->offset[c])), e);
    *axis = acos(fmin(fmax(moved[0] * e[0] + moved[1] * e[1] + moved[2] * e[2], -1), 1));
    for (int k = 0; k < 9; k++) {
        double d = said.theta[k] - (k % 4 ? 0 : S * e[k / 4]);
        sum += d * d / 9;
    }
    *mse = sum;
}

static void print_errors(const char *who, double *axis, double *mse, size_t n)
{
    printf(
        "%-12s axis %5.2f degrees in the median, %5.2f at 90 %%;  F: mse %4.0f, %4.0f at 90 %%\n",
        who, share(axis, n, 0.5) * DEGREES, share(axis, n, 0.9) * DEGREES, share(mse, n, 0.5),
        share(mse, n, 0.9));
}

enum { SPEAKERS = 3 };

static recon_status tell_errors(const world *w, const recon_so3_map *map, const recon_frames *near)
{
    static const char *const who[SPEAKERS] = { "density", "labels", "neighbours" };
    size_t n = w->n - w->train;
    double *axis = malloc(SPEAKERS * n * sizeof *axis), *mse = malloc(SPEAKERS * n * sizeof *mse);
    recon_status status = axis && mse ? RECON_OK : RECON_ERR_MEMORY;
    for (size_t i = 0; status == RECON_OK && i < n; i++) {
        const answer said[SPEAKERS] = { { map[i].lambda, map[i].theta },
                                        { map[i].lambda_label, map[i].theta_label },
                                        { recon_so3_at(near->gamma, i), near->theta + 9 * i } };
        for (size_t k = 0; k < SPEAKERS; k++)
            errors_of(&axis[k * n + i], &mse[k * n + i], w, w->train + i, said[k]);
    }
    for (size_t k = 0; status == RECON_OK && k < SPEAKERS; k++)
        print_errors(who[k], axis + k * n, mse + k * n, n);
    free(axis);
    free(mse);
    return status;
}

enum { SCORES = 5 };
static const char *const score_name[SCORES] = { "density", "trace", "labels' trace",
                                                "uncentred trace", "neighbours' density" };

/* All scores of one pose of the point asked i; whether it is unusual. */
static recon_status score_pose(recon_ctx *ctx, double score[SCORES], uint8_t *unusual,
                               const world *w, const recon_so3_map *map, const recon_frames *near,
                               size_t i, recon_so3 psi)
{
    size_t c = (w->train + i) % w->classes;
    double r[9];
    recon_fisher p;
    recon_so3_to_matrix(r, recon_so3_compose(psi, recon_so3_inverse(w->offset[c])));
    *unusual = S * r[4 * (c % 3)] < 96;
    recon_status status = recon_fisher_of(ctx, &p, near->theta + 9 * i);
    recon_so3 g = recon_so3_compose(psi, recon_so3_inverse(recon_so3_at(near->gamma, i)));
    score[0] = recon_so3_map_score(&map[i], psi);
    score[1] = recon_so3_map_trace(&map[i], psi);
    score[2] = recon_so3_map_trace_label(&map[i], psi);
    score[3] = recon_so3_map_trace_uncentred(&map[i], psi);
    score[4] = -recon_fisher_mixture_log_density(&p, near->background[i], g);
    return status;
}

static recon_status tell_scores(recon_ctx *ctx, const world *w, const recon_so3_map *map,
                                const recon_frames *near)
{
    size_t n = w->n - w->train;
    uint8_t *unusual = malloc(2 * n);
    double *all = malloc(SCORES * 2 * n * sizeof *all), auc;
    recon_status status = unusual && all ? RECON_OK : RECON_ERR_MEMORY;
    for (size_t at = 0; status == RECON_OK && at < 2 * n; at++) {
        recon_rng rng = recon_rng_new(4, at);
        double score[SCORES];
        int drawn = at % 2;
        recon_so3 psi = drawn ? recon_so3_haar(&rng) : w->psi[w->train + at / 2];
        status = score_pose(ctx, score, &unusual[at], w, map, near, at / 2, psi);
        unusual[at] &= drawn; /* what occurs is natural, however it was flipped */
        for (size_t k = 0; k < SCORES; k++)
            all[k * 2 * n + at] = score[k];
    }
    for (size_t k = 0; status == RECON_OK && k < SCORES; k++) {
        status = recon_roc_auc(ctx, &auc, all + k * 2 * n, unusual, 2 * n);
        printf("AUC %-20s %.4f\n", score_name[k], auc);
    }
    free(all);
    free(unusual);
    return status;
}

/* --- the run ---------------------------------------------------------------------------------- */

static recon_status frames_of(recon_ctx *ctx, recon_frames *out, const recon_embedded *index,
                              const recon_embedded *asked)
{
    recon_normalize_options o = { .knn.k = K };
    recon_status status = recon_normalize(ctx, out, index, asked, &o);
    return status == RECON_OK ? recon_frames_gauge(ctx, out) : status;
}

static recon_status measure(recon_ctx *ctx, const world *w, size_t epochs)
{
    size_t n = w->n - w->train;
    recon_embedded index = { .n = w->train,
                             .d = D,
                             .z = w->z,
                             .group = RECON_SO3,
                             .poses = (double *)w->psi,
                             .labels = w->label };
    recon_embedded asked = { .n = n,
                             .d = D,
                             .z = w->z + w->train * D,
                             .group = RECON_SO3,
                             .poses = (double *)(w->psi + w->train) };
    recon_frames frames = { 0 }, near = { 0 };
    recon_maps *maps = NULL;
    recon_so3_map *map = malloc(n * sizeof *map);
    size_t spins = 0;
    double begun;
    recon_status status = map ? frames_of(ctx, &frames, &index, NULL) : RECON_ERR_MEMORY;
    if (status == RECON_OK)
        status = frames_of(ctx, &near, &index, &asked);
    begun = recon_now();
    if (status == RECON_OK)
        status =
            recon_maps_fit(ctx, &maps, &index, &frames, &(recon_maps_options){ .epochs = epochs });
    printf("%zu points, hit rate %.4f; fitted in %.1f s\n", w->train, frames.hit_rate,
           recon_now() - begun);
    begun = recon_now();
    if (status == RECON_OK)
        status = recon_maps_apply(ctx, map, maps, &(recon_maps_inputs){ .n = n, .z = asked.z },
                                  RECON_MAPS_ALL);
    printf("all heads    %.5f ms an embedding\n", (recon_now() - begun) / (double)n * 1e3);
    for (size_t i = 0; status == RECON_OK && i < n; i++)
        spins += map[i].free == 1;
    printf("free spins   told of %.3f\n", (double)spins / (double)n);
    if (status == RECON_OK)
        status = tell_errors(w, map, &near);
    if (status == RECON_OK)
        status = tell_scores(ctx, w, map, &near);
    recon_maps_free(ctx, maps);
    recon_frames_free(&frames), recon_frames_free(&near);
    free(map);
    return status;
}

int main(int argc, char **argv)
{
    recon_ctx *ctx = recon_ctx_new(NULL);
    world w = { 0 };
    recon_status status =
        ctx ? recon_ops_attach(ctx, argc > 1 ? argv[1] : "cpu") : RECON_ERR_MEMORY;
    if (status == RECON_OK)
        status = make_world(ctx, &w, argc > 2 ? strtoul(argv[2], NULL, 10) : 762);
    if (status == RECON_OK)
        status = measure(ctx, &w, argc > 3 ? strtoul(argv[3], NULL, 10) : 0);
    if (status != RECON_OK)
        fprintf(stderr, "bench_so3_maps: %s\n", ctx ? recon_ctx_message(ctx) : "out of memory");
    free_world(&w);
    recon_ctx_free(ctx);
    return status != RECON_OK;
}
