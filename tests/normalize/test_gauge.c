/* Frames with another centre: the same poses and scores, and centres that agree within a class. */
#include "scratch.h"

#include <recon/normalize/normalize.h>
#include "group/so3/fisher.h"

enum { CLASSES = 3, EACH = 80, N = CLASSES * EACH, D = 4, K = 25 };
#define DEGREE (M_PI / 180)

typedef struct {
    float z[N][D];
    recon_so3 psi[N], offset[CLASSES];
} world;

/* The first classes lie on rings, the last about one rotation. */
static world *new_world(recon_ctx *ctx)
{
    static const double s[CLASSES][3] = { { 100, 0, 0 }, { 0, 100, 0 }, { 80, 60, 40 } };
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    for (size_t c = 0; c < CLASSES; c++) {
        recon_rng r = recon_rng_new(21, c);
        recon_fisher f;
        w->offset[c] = recon_so3_from_axis_angle((double[]){ 1, (double)c, -1 }, 0.8);
        CHECK_OK(ctx, recon_fisher_of(ctx, &f,
                                      (double[9]){ [0] = s[c][0], [4] = s[c][1], [8] = s[c][2] }));
        for (size_t i = c; i < N; i += CLASSES) {
            for (size_t j = 0; j < D; j++)
                w->z[i][j] = (float)((j == c) + 0.05 * recon_rng_normal(&r));
            recon_fisher_sample(&w->psi[i], &f, 1, &r);
            w->psi[i] = recon_so3_compose(w->psi[i], w->offset[c]);
        }
    }
    return w;
}

static void normalize(recon_ctx *ctx, recon_frames *f, const world *w)
{
    recon_embedded e = {
        .n = N, .d = D, .z = &w->z[0][0], .group = RECON_SO3, .poses = (const double *)w->psi
    };
    recon_normalize_options o = { .knn.k = K, .mean.kind = RECON_MEAN_FRECHET };
    CHECK_OK(ctx, recon_normalize(ctx, f, &e, NULL, &o));
}

static double spread(const recon_frames *f, size_t c)
{
    double sum = 0;
    for (size_t i = c + CLASSES; i < N; i += CLASSES)
        sum +=
            recon_so3_distance(recon_so3_at(f->gamma, i), recon_so3_at(f->gamma, c)) / (EACH - 1);
    return sum;
}

static void centres_agree_within_a_class(void **state)
{
    world *w = new_world(*state);
    recon_frames f;
    normalize(*state, &f, w);
    assert_true(spread(&f, 0) > 20 * DEGREE && spread(&f, 1) > 20 * DEGREE);
    CHECK_OK(*state, recon_frames_gauge(*state, &f));
    for (size_t c = 0; c < CLASSES; c++)
        CHECK_LESS(spread(&f, c), 4 * DEGREE);
    recon_frames_free(&f), free(w);
}

/* psi = absolute Gamma = normalised Gamma, and the density of what is centred is the same. */
static void poses_and_scores_stay(void **state)
{
    world *w = new_world(*state);
    recon_frames f;
    normalize(*state, &f, w);
    CHECK_OK(*state, recon_frames_gauge(*state, &f));
    for (size_t i = 0; i < N; i++) {
        recon_fisher p;
        CHECK_NEAR(recon_so3_distance(
                       recon_so3_compose(recon_so3_at(f.absolute, i), recon_so3_at(f.gamma, i)),
                       w->psi[i]),
                   0, 1e-7);
        for (size_t j = 0; j < K; j++)
            CHECK_NEAR(recon_so3_distance(recon_so3_compose(recon_so3_at(f.normalized, i * K + j),
                                                            recon_so3_at(f.gamma, i)),
                                          w->psi[f.neighbors[i * K + j]]),
                       0, 1e-7);
        CHECK_OK(*state, recon_fisher_of(*state, &p, f.parameters + 9 * i));
        CHECK_NEAR(
            -recon_fisher_mixture_log_density(&p, f.background[i], recon_so3_at(f.absolute, i)),
            f.score[i], 1e-6);
        double body[3], world_axis[3];
        recon_fisher_axes(body, world_axis, &p); /* centred: the axis stays where it is */
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(body[k], world_axis[k], 1e-6);
    }
    recon_frames_free(&f), free(w);
}

/* Between two modes there is no pose: their centre stays at one of them. */
static void a_mode_among_several_stays(void **state)
{
    world *w = new_world(*state);
    const recon_so3 half = recon_so3_from_axis_angle((double[]){ 1, 0, 0 }, M_PI / 2);
    recon_frames f, before;
    for (size_t i = 0; i < N; i++)
        w->psi[i] = recon_so3_compose(i / CLASSES % 2 ? half : recon_so3_identity(), w->offset[0]);
    normalize(*state, &before, w);
    normalize(*state, &f, w);
    CHECK_OK(*state, recon_frames_gauge(*state, &f));
    size_t several = 0;
    for (size_t i = 0; i < N; i++)
        if (f.verdict[i] == RECON_NATURAL_SEVERAL && ++several)
            CHECK_NEAR(recon_so3_distance(recon_so3_at(f.gamma, i), recon_so3_at(before.gamma, i)),
                       0, 0);
    assert_true(several > N / 2);
    recon_frames_free(&before), recon_frames_free(&f), free(w);
}

static void rows_without_a_class_stay(void **state)
{
    world *w = new_world(*state);
    const float far[D] = { 0, 0, 0, 1 };
    recon_frames f;
    recon_embedded e = {
        .n = N, .d = D, .z = &w->z[0][0], .group = RECON_SO3, .poses = (const double *)w->psi
    };
    recon_embedded q = {
        .n = 1, .d = D, .z = far, .group = RECON_SO3, .poses = (const double *)w->psi
    };
    recon_normalize_options o = { .classes = RECON_CLASSES_COMPONENTS, .eps = 0.2 };
    CHECK_OK(*state, recon_normalize(*state, &f, &e, &q, &o));
    CHECK_OK(*state, recon_frames_gauge(*state, &f));
    assert_true(isnan(recon_so3_at(f.gamma, 0).w));
    recon_frames_free(&f), free(w);
}

static void angles_have_none(void **state)
{
    recon_frames f = { .group = RECON_SO2 };
    CHECK_FAILS(*state, recon_frames_gauge(*state, &f), RECON_ERR_UNSUPPORTED, "SO(2)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(centres_agree_within_a_class),
        cmocka_unit_test(poses_and_scores_stay),
        cmocka_unit_test(a_mode_among_several_stays),
        cmocka_unit_test(rows_without_a_class_stay),
        cmocka_unit_test(angles_have_none),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
