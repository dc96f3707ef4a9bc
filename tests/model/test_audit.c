/* An audit of simulated sets whose truth is known: the rate, the recall, where inputs belong. */
#include "check.h"

#include <math.h>
#include <recon/core/rng.h>
#include <recon/group/so2.h>
#include <recon/group/so3.h>
#include <recon/model/audit.h>
#include <recon/ops/backend.h>
#include <stdlib.h>

enum { N = 900, KINDS = 6, D = 8, WRONG = 27 };

static recon_ctx *ctx;

typedef struct {
    float z[N][D], density[N][RECON_POSE_BINS];
    double pose[N], pose3[N][4], applied[N];
    recon_audited out[N];
    recon_audit_result result;
} set;

static double far_angle(recon_rng *rng)
{
    return (recon_rng_uniform(rng) < 0.5 ? -1 : 1) *
           (M_PI / 3 + 2 * M_PI / 3 * recon_rng_uniform(rng));
}

/* q about the pose that was applied, with an error of its own; of one input in ten half of it is upside down. */
static void draw_density(float *out, double at, recon_rng *rng)
{
    double flip = recon_rng_uniform(rng) < 0.1 ? 0.5 : 0.002, sum = 0, p[RECON_POSE_BINS];
    double centre = at + 0.1 * recon_rng_normal(rng);
    for (int b = 0; b < RECON_POSE_BINS; b++) {
        double c = cos(2 * M_PI * b / RECON_POSE_BINS - centre);
        sum += p[b] = (1 - flip) * exp(20 * (c - 1)) + flip * exp(20 * (-c - 1)) + 1e-4;
    }
    for (int b = 0; b < RECON_POSE_BINS; b++)
        out[b] = (float)log(p[b] / sum * RECON_POSE_BINS / (2 * M_PI));
}

/* poses: in how many, evenly spaced, each kind stands. */
static set *draw(size_t wrong, int poses, uint64_t seed)
{
    recon_rng rng = recon_rng_new(seed, 0);
    set *s = calloc(1, sizeof *s);
    for (size_t i = 0; i < N; i++) {
        int kind = (int)(i % KINDS);
        s->applied[i] = i < wrong ? far_angle(&rng) : 0;
        double at = s->applied[i] + 0.1 * recon_rng_normal(&rng) +
                    2 * M_PI * (double)recon_rng_below(&rng, (uint64_t)poses) / poses;
        for (int d = 0; d < D; d++)
            s->z[i][d] = (float)((d == kind) + 0.05 * recon_rng_normal(&rng));
        s->pose[i] = recon_so2_wrap(at + kind);
        draw_density(s->density[i], at, &rng);
    }
    return s;
}

static void audit(set *s, const recon_group *group, const double *poses, int with_density)
{
    const recon_embedded e = { .n = N,
                               .d = D,
                               .z = s->z[0],
                               .group = group,
                               .poses = poses,
                               .density = with_density ? s->density[0] : NULL };
    assert_int_equal(recon_audit_embedded(ctx, s->out, &s->result, &e, 0.05), RECON_OK);
}

static size_t right_calls(const set *s, size_t wrong)
{
    size_t right = 0;
    for (size_t i = 0; i < wrong; i++)
        right += (size_t)s->out[i].wrong;
    return right;
}

static void called_are_wrong(void **state)
{
    (void)state;
    set *s = draw(WRONG, 1, 1);
    audit(s, RECON_SO2, s->pose, 1);
    size_t right = right_calls(s, WRONG);
    assert_true(right >= 0.8 * WRONG);
    assert_true((double)(s->result.wrong - right) <= 0.07 * (double)s->result.wrong);
    for (size_t i = 0; i < WRONG; i++)
        if (s->out[i].wrong)
            CHECK_NEAR(recon_so2_distance(s->out[i].rotation[0], -s->applied[i]), 0, 0.6);
    free(s);
}

static void of_an_aligned_set_none_is_called(void **state)
{
    (void)state;
    set *s = draw(0, 1, 2);
    audit(s, RECON_SO2, s->pose, 1);
    assert_true(s->result.wrong <= 0.002 * N);
    assert_true(s->result.known > 1);
    free(s);
}

/* Four poses: a rotation by a quarter turn is no evidence, and nothing is known. */
static void several_poses_raise_nothing(void **state)
{
    (void)state;
    set *s = draw(0, 4, 3);
    audit(s, RECON_SO2, s->pose, 1);
    assert_int_equal(s->result.wrong, 0);
    assert_true(s->result.mixed > N / 2);
    free(s);
}

/* By the poses of the neighbours alone; the rotated rank first. */
static void any_group_is_ranked(void **state)
{
    (void)state;
    set *s = draw(WRONG, 1, 4);
    for (size_t i = 0; i < N; i++) {
        s->pose3[i][0] = cos(s->pose[i] / 2);
        s->pose3[i][3] = sin(s->pose[i] / 2);
    }
    audit(s, RECON_SO3, s->pose3[0], 0);
    for (size_t i = 0; i < WRONG; i++) {
        double above = 0;
        for (size_t j = WRONG; j < N; j++)
            above += s->out[j].score < s->out[i].score;
        assert_true(above >= 0.95 * (N - WRONG));
    }
    free(s);
}

static void too_few_are_refused(void **state)
{
    (void)state;
    recon_audit_result r;
    const recon_embedded e = { .n = RECON_AUDIT_FEW - 1, .d = D, .group = RECON_SO2 };
    assert_int_equal(recon_audit_embedded(ctx, NULL, &r, &e, 0.05), RECON_ERR_INPUT);
}

static int set_up(void **state)
{
    (void)state;
    ctx = recon_ctx_new(NULL);
    return recon_ops_attach(ctx, "cpu") != RECON_OK;
}

static int tear_down(void **state)
{
    (void)state;
    recon_ctx_free(ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(called_are_wrong),
        cmocka_unit_test(of_an_aligned_set_none_is_called),
        cmocka_unit_test(several_poses_raise_nothing),
        cmocka_unit_test(any_group_is_ranked),
        cmocka_unit_test(too_few_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
