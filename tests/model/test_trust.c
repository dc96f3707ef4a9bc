/* Which Lambda: the one about which held-out poses lie closest. Whether to trust it: by what was
 * measured, and with reasons. */
#include "check.h"
#include "core/json.h"
#include "model/lambda.h"
#include "model/trust.h"

#include <recon/group/so2.h>
#include <stdlib.h>
#include <string.h>

enum { N = 400 };
static const double degree = M_PI / 180;

/* Inputs of one kind, at poses within 30 degrees; each way to Lambda = 1 with an error of its own. */
typedef struct {
    double psi[N], lambda[3][N], own[N];
    recon_lambda_ways ways;
} world;

static void world_make(world *w, double near, double head, double density)
{
    const double noise[] = { near, head, density };
    recon_rng rng = recon_rng_new(11, 0);
    for (int i = 0; i < N; i++) {
        w->psi[i] = recon_so2_wrap(1 + 30 * degree * (2 * recon_rng_uniform(&rng) - 1));
        for (int way = 0; way < 3; way++)
            w->lambda[way][i] = recon_so2_wrap(1 + noise[way] * degree * recon_rng_normal(&rng));
        w->own[i] = 20 * cos(w->psi[i] - w->lambda[2][i]) - 18;
    }
    w->ways = (recon_lambda_ways){
        .kind = &recon_so2_maps, .n = N, .psi = w->psi, .own = { [RECON_LAMBDA_DENSITY] = w->own }
    };
    for (int way = 0; way < 3; way++)
        w->ways.lambda[way + 1] = w->lambda[way];
}

static recon_lambda_choice choose(recon_ctx *ctx, const world *w, recon_lambda asked)
{
    recon_lambda_choice c;
    CHECK_OK(ctx, recon_lambda_choose(ctx, &c, asked, &w->ways));
    return c;
}

static void the_least_noisy_way_is_taken(void **state)
{
    static const struct {
        double noise[3];
        recon_lambda best;
    } trial[] = {
        { { 3, 25, 40 }, RECON_LAMBDA_NEIGHBOURS },
        { { 25, 3, 40 }, RECON_LAMBDA_HEAD },
        { { 25, 40, 3 }, RECON_LAMBDA_DENSITY },
        { { 3, 3, 3 }, RECON_LAMBDA_DENSITY }, /* equally good: the first of the order */
    };
    static world w;
    for (size_t i = 0; i < sizeof trial / sizeof *trial; i++) {
        world_make(&w, trial[i].noise[0], trial[i].noise[1], trial[i].noise[2]);
        recon_lambda_choice c = choose(*state, &w, RECON_LAMBDA_AUTO);
        assert_int_equal(c.taken, trial[i].best);
        assert_int_equal(c.points, N);
        assert_int_equal(choose(*state, &w, RECON_LAMBDA_HEAD).taken, RECON_LAMBDA_HEAD);
    }
}

/* Two independent errors of 25 and 3 degrees lie 17 apart in the median. */
static void how_far_apart_they_are_is_measured(void **state)
{
    static world w;
    world_make(&w, 25, 3, 3);
    recon_lambda_choice c = choose(*state, &w, RECON_LAMBDA_AUTO);
    CHECK_NEAR(c.apart_median[RECON_LAMBDA_NEIGHBOURS][RECON_LAMBDA_HEAD] / degree, 17, 3.5);
    CHECK_NEAR(c.apart_median[RECON_LAMBDA_HEAD][RECON_LAMBDA_NEIGHBOURS] / degree, 17, 3.5);
    assert_true(isnan(c.apart_median[RECON_LAMBDA_HEAD][RECON_LAMBDA_HEAD]));
}

static void what_is_not_there_is_refused(void **state)
{
    static world w;
    recon_lambda_choice c;
    world_make(&w, 3, 3, 3);
    w.ways.lambda[RECON_LAMBDA_DENSITY] = NULL;
    CHECK_FAILS(*state, recon_lambda_choose(*state, &c, RECON_LAMBDA_DENSITY, &w.ways),
                RECON_ERR_INPUT, "has no pose density");
    c = choose(*state, &w, RECON_LAMBDA_AUTO);
    assert_true(c.taken != RECON_LAMBDA_DENSITY && isnan(c.likelihood[RECON_LAMBDA_DENSITY]));
}

/* --- the verdict ------------------------------------------------------------------------------ */

static recon_trust good(void)
{
    recon_trust t = { .points = 100,
                      .information = 1,
                      .moved = 2 * degree,
                      .moved_p95 = 8 * degree,
                      .before = 20 * degree,
                      .after = 5 * degree,
                      .gain = 15 * degree,
                      .one = 0.8,
                      .cannot_tell = 0.1,
                      .none = 0.05,
                      .lambda = { .taken = RECON_LAMBDA_DENSITY } };
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            t.lambda.apart_median[a][b] = NAN;
    return t;
}

static void check(const recon_trust *as, recon_trust_level level, unsigned against,
                  const char *words)
{
    recon_trust t = *as;
    char why[RECON_TRUST_REASONS];
    recon_trust_judge(&t);
    assert_int_equal(t.level, level);
    assert_int_equal(t.against, against);
    assert_non_null(
        strstr(recon_trust_reasons(why, sizeof why, &t, RECON_SPELLING_COMMAND), words));
    assert_int_equal(why[0] == '\0', against == 0);
}

static void every_failing_has_its_reason(void **state)
{
    recon_trust t = good();
    (void)state;
    check(&t, RECON_TRUST_GOOD, 0, "");
    t.information = 0.02;
    check(&t, RECON_TRUST_NOT, RECON_TRUST_NOTHING_LEARNED, "Train longer");
    t.information = 0.5; /* by chance */
    t.information_error = 0.3;
    check(&t, RECON_TRUST_NOT, RECON_TRUST_NOTHING_LEARNED, "than a uniform one");
    t = good();
    t.points = 19;
    check(&t, RECON_TRUST_CARE, RECON_TRUST_FEW_HELD_OUT, "Few inputs were held out");
    t.points = 3;
    check(&t, RECON_TRUST_NOT, RECON_TRUST_FEW_HELD_OUT, "Few inputs were held out");
    t = good();
    t.inconsistent = 0.4;
    check(&t, RECON_TRUST_CARE, RECON_TRUST_INCONSISTENT, "contradictory poses");
    t = good();
    t.moved = 15 * degree;
    check(&t, RECON_TRUST_CARE, RECON_TRUST_NOT_FOLLOWING, "when an input is rotated");
    t.moved = 40 * degree;
    check(&t, RECON_TRUST_NOT, RECON_TRUST_NOT_FOLLOWING, "--crop auto");
    t = good();
    t.gain = -5 * degree;
    check(&t, RECON_TRUST_NOT, RECON_TRUST_NO_GAIN, "away from their natural pose");
    t.before = 1 * degree;
    check(&t, RECON_TRUST_CARE, RECON_TRUST_UPRIGHT, "--only-if");
    t.gain = 0.5 * degree; /* a finding: nothing is wrong */
    check(&t, RECON_TRUST_GOOD, RECON_TRUST_UPRIGHT, "already in their natural pose");
    t = good();
    t.gain_error = 8 * degree;
    check(&t, RECON_TRUST_CARE, RECON_TRUST_GAIN_UNSURE, "not certain");
    t.gain_error = 7 * degree;
    check(&t, RECON_TRUST_GOOD, 0, "");
    t = good(); /* too few with one natural pose for a mean */
    t.before = t.after = t.gain = t.gain_error = NAN;
    check(&t, RECON_TRUST_GOOD, 0, "");
    t.against = RECON_TRUST_GAIN_UNKNOWN; /* as with photo presets */
    check(&t, RECON_TRUST_CARE, RECON_TRUST_GAIN_UNKNOWN, "cannot be measured");
    t.information = 0;
    t.against = RECON_TRUST_GAIN_UNKNOWN;
    check(&t, RECON_TRUST_NOT, RECON_TRUST_NOTHING_LEARNED | RECON_TRUST_GAIN_UNKNOWN,
          "hardly better");
    t = good();
    t.cannot_tell = 0.7;
    check(&t, RECON_TRUST_CARE, RECON_TRUST_FEW_OF_A_KIND, "more inputs of each kind");
    t.cannot_tell = 0.9; /* by neighbours, but the density knows most */
    t.one = 0.8;
    check(&t, RECON_TRUST_CARE, RECON_TRUST_FEW_OF_A_KIND, "train --from MODEL");
    t.one = 0.05;
    check(&t, RECON_TRUST_NOT, RECON_TRUST_FEW_OF_A_KIND, "more inputs of each kind");
    t = good();
    t.lambda.apart_median[RECON_LAMBDA_DENSITY][RECON_LAMBDA_HEAD] = 40 * degree;
    check(&t, RECON_TRUST_CARE, RECON_TRUST_DISAGREES, "disagree");
    t.lambda.likelihood[RECON_LAMBDA_HEAD] = NAN; /* not measured, as on SO(3) */
    check(&t, RECON_TRUST_CARE, RECON_TRUST_DISAGREES, "disagree");
    t.lambda.likelihood[RECON_LAMBDA_HEAD] =
        -2; /* a density is the likeliest also where it is wrong */
    check(&t, RECON_TRUST_CARE, RECON_TRUST_DISAGREES, "by more than 20 degrees in the median");
    t.moved_p95 = 100 * degree;
    check(&t, RECON_TRUST_NOT, RECON_TRUST_DISAGREES | RECON_TRUST_NOT_FOLLOWING, "disagree");
    t = good(); /* a density of other data */
    t.lambda.taken = RECON_LAMBDA_NEIGHBOURS;
    t.lambda.likelihood[RECON_LAMBDA_DENSITY] = -1;
    t.lambda.apart_median[RECON_LAMBDA_NEIGHBOURS][RECON_LAMBDA_DENSITY] = 40 * degree;
    check(&t, RECON_TRUST_GOOD, 0, "");
}

/* That inputs have no natural pose is a finding; but a model that has learned nothing says so, too. Where most have
 * one, or cannot be told, it is none. */
static void no_natural_pose_is_a_finding(void **state)
{
    recon_trust t = good();
    (void)state;
    t.none = 0.8;
    t.one = 0.02;
    t.information = 0;
    t.moved = 90 * degree; /* there is nothing that could follow */
    t.moved_p95 = 170 * degree;
    check(&t, RECON_TRUST_CARE, RECON_TRUST_NO_POSE | RECON_TRUST_NOTHING_LEARNED,
          "at every angle");
    t.information = 0.5;
    check(&t, RECON_TRUST_GOOD, RECON_TRUST_NO_POSE, "at every angle");
    t.one = 0.4;
    t.none = 0.55;
    t.information = 1;
    t.moved = t.moved_p95 = 2 * degree;
    check(&t, RECON_TRUST_GOOD, 0, "");
    t.none = 0.1;
    t.one = 0.02;
    t.information = 0;
    check(&t, RECON_TRUST_NOT, RECON_TRUST_NOTHING_LEARNED, "hardly better");
}

/* Whatever the reasons are, no sentence is said twice. */
static void a_remedy_is_said_once(void **state)
{
    static const char *const once[] = { "train --from MODEL", "Use more inputs", "Train longer",
                                        "--crop auto", "Check the report" };
    char why[RECON_TRUST_REASONS];
    (void)state;
    for (unsigned against = 0; against < 2 * RECON_TRUST_NO_POSE; against++) {
        const recon_trust t = { .against = against };
        recon_trust_reasons(why, sizeof why, &t, RECON_SPELLING_COMMAND);
        assert_true(strlen(why) + 1 < sizeof why);
        for (size_t i = 0; i < sizeof once / sizeof *once; i++) {
            const char *first = strstr(why, once[i]);
            assert_true(!first || !strstr(first + 1, once[i]));
        }
    }
}

/* Whatever else was measured: trustworthy is only what follows rotations in 95 % of the inputs and of which
 * the ways to Lambda say the same, but for a density that knows clearly less. With the other measures good, that is enough. */
static void the_trustworthy_follow_rotations_and_agree(void **state)
{
    size_t good_ones = 0;
    recon_rng rng = recon_rng_new(21, 0);
    (void)state;
    for (int i = 0; i < 20000; i++) {
        recon_trust t = good();
        recon_lambda_choice *c = &t.lambda;
        int others = i % 2, way = 1 + (int)(3 * recon_rng_uniform(&rng));
        c->taken = (recon_lambda)(1 + way % 3);
        t.moved_p95 = 120 * degree * recon_rng_uniform(&rng);
        for (int a = 1; a < 4; a++)
            c->likelihood[a] = -3 * recon_rng_uniform(&rng);
        c->apart_median[c->taken][way] = 40 * degree * recon_rng_uniform(&rng);
        if (others) {
            t.information = 2 * recon_rng_uniform(&rng);
            t.moved = t.moved_p95 * recon_rng_uniform(&rng);
            t.gain = 40 * degree * (recon_rng_uniform(&rng) - 0.5);
            t.cannot_tell = recon_rng_uniform(&rng);
            t.one = recon_rng_uniform(&rng);
            t.points = (size_t)(100 * recon_rng_uniform(&rng));
        }
        int foreign =
            way == RECON_LAMBDA_DENSITY && c->likelihood[way] < c->likelihood[c->taken] - 0.3;
        int holds = t.moved_p95 <= 60 * degree &&
                    (foreign || c->apart_median[c->taken][way] <= 20 * degree);
        recon_trust_judge(&t);
        assert_true(t.level != RECON_TRUST_GOOD || holds);
        assert_true(others || (t.level == RECON_TRUST_GOOD) == holds);
        good_ones += t.level == RECON_TRUST_GOOD;
    }
    assert_true(good_ones > 1000);
}

/* Rotated are the inputs that the density or their neighbours give one natural pose; if hardly any, all. */
static void inputs_without_a_natural_pose_need_not_follow(void **state)
{
    enum { ROWS = 400 };
    unsigned char firm[ROWS], among[ROWS];
    int8_t verdict[ROWS];
    size_t which[RECON_TRUST_COPIES];
    const recon_frames f = { .group = RECON_SO2, .rows = ROWS, .verdict = verdict };
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        among[i] = i % 2 == 0;
        firm[i] = i % 5 == 0;
        verdict[i] = i % 3 == 0 ? RECON_NATURAL_ONE : RECON_NATURAL_UNSURE;
    }
    size_t n = recon_trust_to_rotate(which, &f, firm, among), next = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (i % 2 == 0 && (i % 5 == 0 || i % 3 == 0))
            assert_int_equal(which[next++], i);
    assert_int_equal(n, next);
    memset(verdict, RECON_NATURAL_NONE, sizeof verdict);
    memset(firm, 0, sizeof firm);
    assert_int_equal(recon_trust_to_rotate(which, &f, firm, among), ROWS / 2);
    assert_int_equal(recon_trust_to_rotate(which, &f, firm, NULL), RECON_TRUST_COPIES);
}

/* Of a density that knows nothing a gain is not claimed. */
static void nothing_learned_gains_nothing(void **state)
{
    recon_trust t = good();
    (void)state;
    t.information = 0;
    recon_trust_judge(&t);
    assert_true(isnan(t.gain) && isnan(t.before) && isnan(t.after));
}

static void information_is_a_mean_with_its_error(void **state)
{
    const double nats[] = { 1, 2, 3, 4, 5 };
    recon_trust t = recon_trust_unmeasured();
    (void)state;
    recon_trust_information(&t, nats, 5);
    assert_int_equal(t.points, 5);
    CHECK_NEAR(t.information, 3, 1e-12);
    CHECK_NEAR(t.information_error, sqrt(2.5 / 5), 1e-12);
    recon_trust_information(&t, nats, 1);
    assert_true(t.information == 1 && isnan(t.information_error));
    recon_trust_information(&t, nats, 0);
    assert_true(t.points == 0 && isnan(t.information) && isnan(t.information_error));
}

/* Similar points 10 or 20 degrees from the Lambda of all: that is what they gain. Of fewer than ten that
 * count, or without neighbours that do, nothing is said. */
static void the_gain_is_how_much_closer_points_come_to_similar_ones(void **state)
{
    enum { ROWS = 12, K = 3 };
    unsigned char counts[ROWS], known[ROWS];
    double psi[ROWS], lambda[ROWS];
    int64_t near[ROWS * K];
    recon_trust t = recon_trust_unmeasured();
    const recon_frames f = { .group = RECON_SO2, .rows = ROWS, .k = K, .neighbors = near };
    recon_trust_points p = { .psi = psi,
                             .lambda = lambda,
                             .index_psi = psi,
                             .index_lambda = lambda,
                             .counts = counts,
                             .index_counts = known,
                             .frames = &f };
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        lambda[i] = 1;
        counts[i] = known[i] = i < 10;
        psi[i] = i < 10 ? 1 + (i % 2 ? 20 : -10) * degree : 3;
        for (int j = 0; j < K; j++) /* of the other sort, or one that does not count */
            near[i * K + j] = j == 2 ? 11 : (i + 1 + 2 * j) % 10;
    }
    recon_trust_distances(&t, &p);
    CHECK_NEAR(t.before / degree, 15, 1e-9);
    CHECK_NEAR(t.after / degree, 0, 1e-9);
    CHECK_NEAR(t.gain / degree, 15, 1e-9);
    CHECK_NEAR(t.gain_error / degree, 5 / 3., 1e-9); /* half gain 20, half 10 */
    p.smoothed = 1; /* that Lambdas agree is no news: 30 from the neighbours' poses, now 10 or 20 */
    recon_trust_distances(&t, &p);
    CHECK_NEAR(t.gain / degree, 15, 1e-9);
    CHECK_NEAR(t.gain_error / degree, 5 / 3., 1e-9);
    for (int how = 0; how < 2; how++) { /* one point too few */
        t = recon_trust_unmeasured();
        counts[0] = how != 0;
        for (int j = 0; how && j < K; j++)
            near[j] = 11;
        recon_trust_distances(&t, &p);
        assert_true(isnan(t.before) && isnan(t.after) && isnan(t.gain));
    }
}

/* Three kinds of known laws, with what happens in practice: some Lambdas are far off, every point has an
 * error of its own in the frame of its kind, and some neighbours are of another kind. */
enum { ALIKE = 300, KINDS = 3, POINTS = ALIKE * KINDS, NEAR = 10 };
typedef struct {
    double psi[POINTS], lambda[POINTS], gain;
    int64_t near[POINTS * NEAR];
    unsigned char counts[POINTS];
} simulated;

static double normal_of(recon_rng *rng, double sigma)
{
    return sigma * sqrt(-2 * log(1 - recon_rng_uniform(rng))) *
           cos(2 * M_PI * recon_rng_uniform(rng));
}

static void simulate(simulated *s, double bias, uint64_t seed)
{
    recon_rng rng = recon_rng_new(seed, 0);
    s->gain = 0;
    for (int i = 0; i < POINTS; i++) {
        int kind = i / ALIKE;
        double frame = kind + normal_of(&rng, 8 * degree);
        double pose = kind == 0   ? 0
                      : kind == 1 ? 45 * degree * (2 * recon_rng_uniform(&rng) - 1)
                                  : normal_of(&rng, 20 * degree);
        double error = bias + (recon_rng_uniform(&rng) < 0.03 ? recon_so2_haar(&rng)
                                                              : normal_of(&rng, 4 * degree));
        s->psi[i] = frame + pose;
        s->lambda[i] = frame + error;
        s->gain += (fabs(pose) - fabs(recon_so2_wrap(error))) / POINTS;
        s->counts[i] = 1;
        for (int j = 0; j < NEAR; j++) {
            int of = recon_rng_uniform(&rng) < 0.15 ? POINTS : ALIKE;
            double at = (of == ALIKE ? kind * ALIKE : 0) + of * recon_rng_uniform(&rng);
            s->near[i * NEAR + j] = (int64_t)at;
        }
    }
}

static void the_gain_is_near_the_truth_and_not_above_it(void **state)
{
    simulated s;
    const recon_frames f = { .group = RECON_SO2, .rows = POINTS, .k = NEAR, .neighbors = s.near };
    recon_trust_points p = { .psi = s.psi,
                             .lambda = s.lambda,
                             .index_psi = s.psi,
                             .index_lambda = s.lambda,
                             .counts = s.counts,
                             .index_counts = s.counts,
                             .frames = &f };
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        recon_trust t = recon_trust_unmeasured();
        simulate(&s, 0, seed);
        recon_trust_distances(&t, &p);
        assert_true(t.gain < s.gain + 1 * degree && t.gain > 0.45 * s.gain);
    }
    for (uint64_t seed = 1; seed <= 5; seed++) { /* Lambdas that agree upon what is wrong */
        recon_trust t = recon_trust_unmeasured();
        simulate(&s, 60 * degree, seed);
        p.smoothed = 1;
        recon_trust_distances(&t, &p);
        assert_true(s.gain < 0 && t.gain < 0);
    }
}

/* Poses of one kind that are found with errors of their own, and copies whose poses are known and are found with as
 * large ones: what is left is what the inputs were off, and what they are off afterwards. */
static void known_rotations_correct_the_gain(void **state)
{
    enum { COPIES = 200 };
    static simulated s;
    size_t which[COPIES];
    double psi[COPIES], lambda[COPIES], known[COPIES];
    const recon_frames f = { .group = RECON_SO2, .rows = ALIKE, .k = NEAR, .neighbors = s.near };
    const recon_trust_copies copies = { COPIES, which, psi, lambda, known };
    recon_trust_points p = { .psi = s.psi,
                             .lambda = s.lambda,
                             .index_psi = s.psi,
                             .index_lambda = s.lambda,
                             .counts = s.counts,
                             .index_counts = s.counts,
                             .frames = &f };
    (void)state;
    for (int way = 0; way < 2; way++)
        for (double error = 2; error < 20; error += 5) {
            recon_rng rng = recon_rng_new(7, (uint64_t)error);
            recon_trust t = recon_trust_unmeasured();
            double before = 0, after = 0;
            for (int i = 0; i < ALIKE; i++) {
                double pose = normal_of(&rng, 20 * degree), off = normal_of(&rng, error * degree);
                s.psi[i] = 1 + pose + off;
                s.lambda[i] = 1;
                s.counts[i] = 1;
                before += fabs(pose) / ALIKE;
                after += fabs(off) / ALIKE;
                for (int j = 0; j < NEAR; j++)
                    s.near[i * NEAR + j] = (int64_t)(ALIKE * recon_rng_uniform(&rng));
            }
            for (size_t k = 0; k < COPIES; k++) {
                which[k] = k;
                known[k] = normal_of(&rng, 20 * degree);
                lambda[k] = 1;
                psi[k] = 1 + known[k] + normal_of(&rng, error * degree);
            }
            p.smoothed = way;
            recon_trust_distances(&t, &p);
            double raw = t.gain, raw_error = t.gain_error;
            recon_trust_correct(&t, &p, &copies);
            CHECK_NEAR(t.before / degree, before / degree, 2.5);
            CHECK_NEAR(t.after / degree, after / degree, 1.5);
            CHECK_NEAR(t.gain, t.before - t.after, 1e-12);
            assert_true(fabs(t.gain - (before - after)) < fabs(raw - (before - after)));
            assert_true(t.gain_error >= raw_error);
        }
}

/* What is known of the learned points beyond chance better than of the others is known by heart. */
static void points_known_by_heart_are_noticed(void **state)
{
    double nats[N];
    unsigned char held[N];
    (void)state;
    for (int more = 0; more < 2; more++) {
        recon_rng rng = recon_rng_new(3, 0);
        for (int i = 0; i < N; i++) {
            held[i] = i % 12 == 0;
            nats[i] = 1 + normal_of(&rng, 1) + (more && !held[i] ? 1 : 0);
        }
        assert_int_equal(recon_trust_memorized(nats, held, N), more);
    }
    memset(held, 0, sizeof held); /* with none to compare them to, nobody knows */
    assert_true(recon_trust_memorized(nats, held, N));
}

static recon_natural natural_of(recon_ctx *ctx, const recon_so2_density *density)
{
    recon_natural natural;
    CHECK_OK(ctx, recon_trust_natural(ctx, &natural, density));
    return natural;
}

static recon_so2_density arc_of(double reach)
{
    recon_so2_density arc = { .family = RECON_SO2_BINS };
    for (int b = 0; b < RECON_POSE_BINS; b++)
        arc.bin[b] = fmin(b, RECON_POSE_BINS - b) * 5 <= reach ? 1 : 0.001f;
    return arc;
}

/* Of two opposite poses the lighter one counts, too, if it has a fifth of the mass; and a density that is
 * broader than any half of the circle is not one of a natural pose. */
static void a_firm_pose_is_neither_broad_nor_one_of_two(void **state)
{
    recon_so2_density one = { .family = RECON_SO2_NORMAL, .width = 1 }, broad = one,
                      two = { .family = RECON_SO2_BINS }, uneven = two, arc = arc_of(90),
                      broad_arc = arc_of(120), circle = arc_of(180);
    broad.width = 1.5;
    two.bin[0] = two.bin[RECON_POSE_BINS / 2] = (float)(RECON_POSE_BINS / (4 * M_PI));
    for (int b = 0; b < RECON_POSE_BINS; b++) {
        double from = fmin(b, RECON_POSE_BINS - b) * 5 * degree, to = M_PI - from;
        uneven.bin[b] = (float)(4 * exp(-100 * from * from) + exp(-100 * to * to));
    }
    assert_int_equal(natural_of(*state, &one), RECON_NATURAL_ONE);
    assert_int_equal(natural_of(*state, &arc), RECON_NATURAL_ONE);
    assert_int_equal(natural_of(*state, &broad), RECON_NATURAL_UNSURE);
    assert_int_equal(natural_of(*state, &broad_arc), RECON_NATURAL_UNSURE);
    assert_int_equal(natural_of(*state, &circle), RECON_NATURAL_UNSURE);
    assert_int_equal(natural_of(*state, &two), RECON_NATURAL_MODULO);
    assert_int_equal(natural_of(*state, &uneven), RECON_NATURAL_SEVERAL);
}

/* --- written and read ------------------------------------------------------------------------- */

/* Whatever is written is read back: every reason, every measure, NaN as NaN. */
static void json_gives_it_back(void **state)
{
    for (unsigned bits = 1; bits <= RECON_TRUST_FRAME; bits *= 2) {
        recon_trust t = good(), back, of_file;
        int known;
        t.level = RECON_TRUST_CARE;
        t.against = bits | RECON_TRUST_DISAGREES;
        t.lambda.likelihood[RECON_LAMBDA_HEAD] = -1.25;
        t.lambda.apart_p95[RECON_LAMBDA_HEAD][RECON_LAMBDA_NEIGHBOURS] = 0.5;
        t.gain = NAN;
        t.frame = 1.5;
        json_t *json = recon_trust_json(&t);
        assert_true(recon_trust_from_json(&back, json));
        char *text = recon_json_text(json);
        CHECK_OK(*state, recon_trust_read(*state, &of_file, &known, "with care", text, "file"));
        assert_true(known);
        for (int i = 0; i < 2; i++) {
            const recon_trust *got = i ? &of_file : &back;
            assert_true(got->level == t.level && got->against == t.against && got->points == 100);
            assert_true(got->lambda.taken == RECON_LAMBDA_DENSITY && isnan(got->gain));
            CHECK_NEAR(got->before, t.before, 1e-14);
            CHECK_NEAR(got->frame, 1.5, 0);
            CHECK_NEAR(got->lambda.likelihood[RECON_LAMBDA_HEAD], -1.25, 0);
            CHECK_NEAR(got->lambda.apart_p95[RECON_LAMBDA_NEIGHBOURS][RECON_LAMBDA_HEAD], 0.5,
                       1e-14);
            assert_true(isnan(got->lambda.apart_median[2][1]));
        }
        free(text);
    }
}

static void the_text_has_room_for_every_reason(void **state)
{
    recon_trust t = good();
    char text[RECON_TRUST_TEXT];
    t.against = 2 * RECON_TRUST_FRAME - 1;
    for (int how = RECON_SPELLING_PLAIN; how <= RECON_SPELLING_CODE; how++) {
        json_t *json =
            json_loads(recon_trust_text(text, sizeof text, &t, (recon_spelling)how), 0, NULL);
        assert_int_equal(json_array_size(json_object_get(json, "against")), 11);
        json_decref(json);
    }
    size_t length = strlen(recon_trust_text(text, sizeof text, &t, RECON_SPELLING_PLAIN));
    assert_int_equal(strlen(recon_trust_text(text, length + 1, &t, RECON_SPELLING_PLAIN)), length);
    assert_string_equal(recon_trust_text(text, length, &t, RECON_SPELLING_PLAIN), "");
    recon_trust_text(text, sizeof text, &t, RECON_SPELLING_PYTHON);
    assert_non_null(strstr(text, "train(from_=MODEL)"));
    (void)state;
}

/* Files may say anything. */
static void what_is_no_trust_is_not_taken_for_one(void **state)
{
    static char large[1 << 15];
    recon_trust t;
    int known;
    json_t *odd = json_pack("{s:s, s:s, s:[s, i], s:s, s:i}", "verdict", "do not use", "gain_deg",
                            "much", "against", "no such", 7, "lambda_choice", "head", "points", -3);
    assert_true(recon_trust_from_json(&t, odd));
    assert_true(t.level == RECON_TRUST_NOT && t.against == 0 && t.points == 0 && isnan(t.gain));
    json_decref(odd);
    assert_false(recon_trust_from_json(&t, NULL));
    CHECK_OK(*state, recon_trust_read(*state, &t, &known, NULL, "{}", "file"));
    assert_false(known);
    CHECK_OK(*state, recon_trust_read(*state, &t, &known, "as it may be", "not read", "file"));
    assert_false(known);
    CHECK_OK(*state, recon_trust_read(*state, &t, &known, "trustworthy", NULL, "file"));
    assert_true(known && t.level == RECON_TRUST_GOOD && isnan(t.information));
    CHECK_FAILS(*state, recon_trust_read(*state, &t, &known, "trustworthy", "{", "file"),
                RECON_ERR_FORMAT, "file: line 1");
    memset(large, ' ', sizeof large - 1);
    CHECK_FAILS(*state, recon_trust_read(*state, &t, &known, "trustworthy", large, "file"),
                RECON_ERR_FORMAT, "trust_measures has 32767 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_noisy_way_is_taken),
        cmocka_unit_test(how_far_apart_they_are_is_measured),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(every_failing_has_its_reason),
        cmocka_unit_test(no_natural_pose_is_a_finding),
        cmocka_unit_test(a_remedy_is_said_once),
        cmocka_unit_test(known_rotations_correct_the_gain),
        cmocka_unit_test(the_trustworthy_follow_rotations_and_agree),
        cmocka_unit_test(inputs_without_a_natural_pose_need_not_follow),
        cmocka_unit_test(nothing_learned_gains_nothing),
        cmocka_unit_test(information_is_a_mean_with_its_error),
        cmocka_unit_test(the_gain_is_how_much_closer_points_come_to_similar_ones),
        cmocka_unit_test(the_gain_is_near_the_truth_and_not_above_it),
        cmocka_unit_test(points_known_by_heart_are_noticed),
        cmocka_unit_test(a_firm_pose_is_neither_broad_nor_one_of_two),
        cmocka_unit_test(json_gives_it_back),
        cmocka_unit_test(the_text_has_room_for_every_reason),
        cmocka_unit_test(what_is_no_trust_is_not_taken_for_one),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
