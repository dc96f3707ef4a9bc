/* torus.c - a group of one's own for recon_normalize: T^2, two angles that rotate independently, say
 * those of the joints of an arm. The table says how poses are composed, what their centre is, and how
 * likely one is; the circles of the torus have the statistics of SO(2). */
#include <math.h>
#include <recon/recon.h>
#include <stdio.h>

enum { CIRCLES = 2, N = 240, KINDS = 3, D = 3, K = 25, MOST = 100 };

static void identity(const recon_group *self, double *out)
{
    (void)self;
    out[0] = out[1] = 0;
}

static void compose(const recon_group *self, double *out, const double *a, const double *b)
{
    (void)self;
    for (int j = 0; j < CIRCLES; j++)
        out[j] = recon_so2_compose(a[j], b[j]);
}

static void inverse(const recon_group *self, double *out, const double *a)
{
    (void)self;
    for (int j = 0; j < CIRCLES; j++)
        out[j] = recon_so2_inverse(a[j]);
}

static double distance(const recon_group *self, const double *a, const double *b)
{
    (void)self;
    return hypot(recon_so2_distance(a[0], b[0]), recon_so2_distance(a[1], b[1]));
}

static double length(const recon_group *self, const double *a)
{
    return distance(self, a, (const double[CIRCLES]){ 0, 0 });
}

static void haar(const recon_group *self, double *out, recon_rng *rng)
{
    (void)self;
    out[0] = recon_so2_haar(rng);
    out[1] = recon_so2_haar(rng);
}

static recon_status check(recon_ctx *ctx, const recon_group *self, const double *poses, size_t n)
{
    (void)self;
    for (size_t i = 0; i < n * CIRCLES; i++)
        if (!isfinite(poses[i]))
            return recon_fail(ctx, RECON_ERR_INPUT, "pose %zu holds %g", i / CIRCLES, poses[i]);
    return RECON_OK;
}

/* Angles of one circle, of k poses. */
static recon_status take_circle(recon_ctx *ctx, double angles[MOST], const double *poses, size_t k,
                                size_t j)
{
    if (k > MOST)
        return recon_fail(ctx, RECON_ERR_INPUT, "classes of %d poses at most", MOST);
    for (size_t i = 0; i < k; i++)
        angles[i] = poses[i * CIRCLES + j];
    return RECON_OK;
}

/* There is one natural pose where either circle has one. */
static recon_status center(recon_ctx *ctx, const recon_group *self, recon_center *out, void *fits,
                           const double *poses, size_t sets, size_t k,
                           const recon_mean_options *options)
{
    double angles[MOST];
    recon_so2_center circle;
    (void)self, (void)fits;
    for (size_t i = 0; i < sets * CIRCLES; i++) {
        size_t s = i / CIRCLES, j = i % CIRCLES;
        recon_status status = take_circle(ctx, angles, poses + s * k * CIRCLES, k, j);
        if (status == RECON_OK)
            status = recon_so2_mean(ctx, &circle, angles, k, options);
        if (status != RECON_OK)
            return status;
        if (j == 0)
            out[s] = (recon_center){ .fold = 1, .modes = 1, .mode[0].weight = 1 };
        if (circle.natural != RECON_NATURAL_ONE)
            out[s].natural = RECON_NATURAL_UNSURE, out[s].fold = 0;
        out[s].mean[j] = out[s].mode[0].at[j] = circle.mean;
        out[s].identifiability[j] = circle.moment[0];
    }
    return RECON_OK;
}

/* A fit is one density for each circle. */
static recon_status fit(recon_ctx *ctx, const recon_group *self, void *fits, const double *poses,
                        size_t sets, size_t k, int family)
{
    double angles[MOST];
    recon_so2_density *out = fits;
    recon_status status = RECON_OK;
    (void)self, (void)family;
    for (size_t i = 0; status == RECON_OK && i < sets * CIRCLES; i++) {
        status = take_circle(ctx, angles, poses + i / CIRCLES * k * CIRCLES, k, i % CIRCLES);
        if (status == RECON_OK)
            status = recon_so2_fit_batch(ctx, &out[i], angles, 1, k, RECON_SO2_NORMAL, NULL);
    }
    return status;
}

static double background(const recon_group *self, const void *of)
{
    const recon_so2_density *circle = of;
    (void)self;
    return fmax(circle[0].background, circle[1].background);
}

static double score(const recon_group *self, const void *of, double b, const double *pose)
{
    double sum = 0;
    (void)self;
    for (int j = 0; j < CIRCLES; j++) {
        recon_so2_density circle = ((const recon_so2_density *)of)[j];
        circle.background = b;
        sum += recon_so2_score(&circle, pose[j]);
    }
    return sum;
}

/* Of two normals the squared distance, in units of sigma, is above x with the chance exp(-x / 2). */
static double tail(const recon_group *self, const void *of, double b, const double *pose)
{
    const recon_so2_density *circle = of;
    (void)self;
    return b + (1 - b) * exp(-0.5 * (pow(pose[0] / circle[0].width, 2) +
                                     pow(pose[1] / circle[1].width, 2)));
}

static void parameters(const recon_group *self, double *out, const void *of)
{
    const recon_so2_density *circle = of;
    (void)self;
    out[0] = circle[0].width;
    out[1] = circle[1].width;
}

static const recon_family normal = { "normal", { CIRCLES, 0 } };
static const recon_group torus = { .name = "torus",
                                   .words = "the torus",
                                   .meaning = "two angles that rotate independently",
                                   .numbers = CIRCLES,
                                   .identity = identity,
                                   .compose = compose,
                                   .inverse = inverse,
                                   .length = length,
                                   .distance = distance,
                                   .haar = haar,
                                   .check = check,
                                   .shape = { CIRCLES, 0 },
                                   .identifiability = CIRCLES,
                                   .families = &normal,
                                   .family_count = 1,
                                   .fit_size = CIRCLES * sizeof(recon_so2_density),
                                   .center = center,
                                   .fit = fit,
                                   .background = background,
                                   .score = score,
                                   .tail = tail,
                                   .parameters = parameters };

/* Each kind of object has a canonical of its own, and occurs within 0.2 radians of its natural pose. */
int main(void)
{
    static const double canonical[KINDS][CIRCLES] = { { 2, -1 }, { -3, 0.5 }, { 0.7, 3.1 } };
    static float z[N][D];
    static double g[N][CIRCLES];
    recon_ctx *ctx = recon_ctx_new(NULL);
    recon_rng rng = recon_rng_new(1, 0);
    recon_embedded data = { .n = N, .d = D, .z = z[0], .group = &torus, .poses = g[0] };
    recon_frames frames;
    double worst = 0;
    for (int i = 0; i < N; i++) {
        z[i][i % KINDS] = 1;
        for (int j = 0; j < D; j++)
            z[i][j] += 0.05f * (float)recon_rng_normal(&rng);
        for (int j = 0; j < CIRCLES; j++)
            g[i][j] = recon_so2_wrap(0.2 * recon_rng_normal(&rng) + canonical[i % KINDS][j]);
    }
    if (recon_normalize(ctx, &frames, &data, NULL, &(recon_normalize_options){ .knn.k = K })) {
        fprintf(stderr, "torus: %s\n", recon_ctx_message(ctx));
        return 1;
    }
    for (int i = 0; i < N; i++)
        worst = fmax(worst, distance(&torus, frames.gamma + i * CIRCLES, canonical[i % KINDS]));
    printf("%d poses of %s: natural poses are found to within %.2f radians, widths %.2f and %.2f\n",
           N, torus.words, worst, frames.parameters[0], frames.parameters[1]);
    int wrong = worst > 0.3 || frames.natural[RECON_NATURAL_ONE] < 0.9 * N;
    recon_frames_free(&frames);
    recon_ctx_free(ctx);
    return wrong;
}
