/* The free spin: a judge whose best pose is known, contests that cut corners without being wrong,
 * and what does not matter to the choice. */
#include "borders.h"
#include "check.h"
#include "backbone/gcn.h"

#include "model/spin.h"

#define DEGREE (3.14159265358979323846 / 180)

enum { N = 40, K = 9, QUERIES = 5, LABELS = 3 };

/* Conformers of one class: rotated from upright by truth, and seen as psi = truth c. */
typedef struct {
    recon_so3 truth[N], psi[N], c;
    recon_so3 lambda[QUERIES];
    int64_t neighbors[QUERIES][K];
    double axis[QUERIES][3];
    size_t asked;
} world;

/* Likes label 1 upright, and the others in another pose and not quite as well. */
static recon_status by_pose(recon_ctx *ctx, void *user, float *log_p, const int64_t *conformer,
                            const recon_so3 *rotations, size_t n)
{
    static const double elsewhere[3] = { 0.3, 1.2, -0.4 };
    world *w = user;
    (void)ctx;
    w->asked += n;
    for (size_t i = 0; i < n; i++) {
        recon_so3 pose = recon_so3_compose(rotations[i], w->truth[conformer[i]]);
        double up = recon_so3_angle(pose), off = recon_so3_distance(pose, recon_so3_exp(elsewhere));
        log_p[LABELS * i] = log_p[LABELS * i + 2] = (float)(-0.5 - 4 * off * off);
        log_p[LABELS * i + 1] = (float)(-0.1 - 4 * up * up);
    }
    return RECON_OK;
}

/* Poses about the axis w by any angle, tilted by a little; Lambda of query q is off by spin q. */
static void make_world(world *w, uint64_t seed, const double spin[QUERIES])
{
    recon_rng rng = recon_rng_new(seed, 0);
    const double axis[3] = { 0.6, 0, 0.8 };
    *w = (world){ .c = recon_so3_haar(&rng) };
    for (size_t i = 0; i < N; i++) {
        double tilt[3];
        for (int k = 0; k < 3; k++)
            tilt[k] = 0.02 * recon_rng_normal(&rng);
        w->truth[i] = recon_so3_compose(
            recon_so3_exp(tilt), recon_so3_from_axis_angle(axis, 6.3 * recon_rng_uniform(&rng)));
        w->psi[i] = recon_so3_compose(w->truth[i], w->c);
    }
    for (size_t q = 0; q < QUERIES; q++) {
        for (size_t j = 0; j < K; j++)
            w->neighbors[q][j] = (int64_t)recon_rng_below(&rng, N);
        memcpy(w->axis[q], axis, sizeof axis);
        w->lambda[q] = recon_so3_compose(recon_so3_from_axis_angle(axis, spin[q]), w->c);
    }
}

static recon_spin_classes classes_of(const world *w)
{
    return (recon_spin_classes){ .n = QUERIES,
                                 .k = K,
                                 .neighbors = w->neighbors[0],
                                 .psi = w->psi,
                                 .conformers = N,
                                 .lambda = w->lambda,
                                 .axis = w->axis[0] };
}

static const double grid[QUERIES] = { 0, 50 * DEGREE, 180 * DEGREE, -130 * DEGREE, 350 * DEGREE };

static void the_best_spin_is_found(void **state)
{
    static world w;
    recon_spin got[QUERIES];
    uint64_t passes;
    make_world(&w, 1, grid);
    recon_spin_classes all = classes_of(&w);
    CHECK_OK(*state, recon_spin_choose(*state, got, &passes, &all, by_pose, &w, LABELS,
                                       &(recon_spin_options){ .refine = RECON_SPIN_REFINE_NONE }));
    for (size_t q = 0; q < QUERIES; q++) {
        CHECK_NEAR(recon_so3_distance(got[q].lambda, w.c), 0, 1e-6); /* psi lambda^-1 = truth */
        CHECK_NEAR(got[q].score, -0.1 * K, 0.01);
    }
    assert_int_equal(passes, w.asked);
    assert_true(passes < QUERIES * 36 * K / 2);
}

/* Off the grid by 4 degrees, and tilted by 10: refined to about 3. */
static void refining_finds_spin_and_tilt(void **state)
{
    static world w;
    static const double across[3] = { 0, 1, 0 };
    recon_spin got[QUERIES], plain[QUERIES];
    double spin[QUERIES];
    for (size_t q = 0; q < QUERIES; q++)
        spin[q] = grid[q] + 4 * DEGREE;
    make_world(&w, 2, spin);
    recon_spin_classes all = classes_of(&w);
    CHECK_OK(*state, recon_spin_choose(*state, got, NULL, &all, by_pose, &w, LABELS,
                                       &(recon_spin_options){ .refine = RECON_SPIN_REFINE_SPIN }));
    for (size_t q = 0; q < QUERIES; q++)
        CHECK_LESS(recon_so3_distance(got[q].lambda, w.c), 2 * DEGREE);
    for (size_t q = 0; q < QUERIES; q++)
        w.lambda[q] =
            recon_so3_compose(recon_so3_from_axis_angle(across, 10 * DEGREE), w.lambda[q]);
    CHECK_OK(*state, recon_spin_choose(*state, plain, NULL, &all, by_pose, &w, LABELS,
                                       &(recon_spin_options){ .refine = RECON_SPIN_REFINE_SPIN }));
    CHECK_OK(*state, recon_spin_choose(*state, got, NULL, &all, by_pose, &w, LABELS, NULL));
    for (size_t q = 0; q < QUERIES; q++) {
        CHECK_LESS(9.5 * DEGREE, recon_so3_distance(plain[q].lambda, w.c));
        CHECK_LESS(recon_so3_distance(got[q].lambda, w.c), 4 * DEGREE);
        assert_true(got[q].score > plain[q].score);
    }
}

/* Without an axis, from any Lambda: the whole group is searched. */
static void the_whole_group_is_searched_without_an_axis(void **state)
{
    static world w;
    recon_spin got[QUERIES];
    recon_rng rng = recon_rng_new(9, 0);
    make_world(&w, 4, grid);
    for (size_t q = 0; q < QUERIES; q++)
        w.lambda[q] = recon_so3_haar(&rng);
    recon_spin_classes all = classes_of(&w);
    CHECK_OK(*state, recon_spin_choose(*state, got, NULL, &all, by_pose, &w, LABELS,
                                       &(recon_spin_options){ .whole = 1 }));
    for (size_t q = 0; q < QUERIES; q++)
        CHECK_LESS(recon_so3_distance(got[q].lambda, w.c), 5 * DEGREE);
}

/* Lambda is only known up to a spin: what comes out does not depend on which one it was. */
static void the_choice_does_not_depend_on_the_gauge(void **state)
{
    static world w[2];
    recon_spin got[2][QUERIES];
    double spin[QUERIES];
    for (size_t q = 0; q < QUERIES; q++)
        spin[q] = grid[q] + 70 * DEGREE;
    make_world(&w[0], 3, grid);
    make_world(&w[1], 3, spin);
    for (int i = 0; i < 2; i++) {
        recon_spin_classes all = classes_of(&w[i]);
        CHECK_OK(*state,
                 recon_spin_choose(*state, got[i], NULL, &all, by_pose, &w[i], LABELS, NULL));
    }
    for (size_t q = 0; q < QUERIES; q++)
        CHECK_NEAR(recon_so3_distance(got[0][q].lambda, got[1][q].lambda), 0, 1e-6);
}

/* Noise from -9 to 0 in steps of a half, so that there are ties: of the conformer and the angle, to
 * the nearest ten degrees. */
static recon_status by_chance(recon_ctx *ctx, void *user, float *log_p, const int64_t *conformer,
                              const recon_so3 *rotations, size_t n)
{
    world *w = user;
    (void)ctx;
    w->asked += n;
    for (size_t i = 0; i < n; i++) {
        double axis[3], angle;
        recon_so3 pose = recon_so3_compose(
            rotations[i], recon_so3_compose(w->psi[conformer[i]], recon_so3_inverse(w->c)));
        recon_so3_to_axis_angle(axis, &angle, pose);
        long step = lround((axis[0] < 0 ? 360 * DEGREE - angle : angle) / (10 * DEGREE)) % 36;
        recon_rng rng = recon_rng_new((uint64_t)conformer[i], (uint64_t)step);
        for (size_t y = 0; y < LABELS; y++)
            log_p[LABELS * i + y] = -(float)recon_rng_below(&rng, 19) / 2;
    }
    return RECON_OK;
}

/* Everything summed, the floor at -7; the first of the best. */
static recon_spin exhaustive(world *w, size_t q)
{
    recon_spin best = { .score = -INFINITY };
    for (int i = 0; i < 36; i++) {
        recon_so3 rotation = recon_so3_from_axis_angle(w->axis[q], i * 10 * DEGREE);
        float sum[LABELS] = { 0 }, most = -INFINITY;
        for (size_t j = 0; j < K; j++) {
            int64_t id = w->neighbors[q][j];
            float row[LABELS];
            recon_so3 whole = recon_so3_compose(
                rotation, recon_so3_compose(w->lambda[q], recon_so3_inverse(w->psi[id])));
            by_chance(NULL, w, row, &id, &whole, 1);
            for (size_t y = 0; y < LABELS; y++)
                sum[y] += row[y] < -7 ? -7 : row[y];
        }
        for (size_t y = 0; y < LABELS; y++)
            most = sum[y] > most ? sum[y] : most;
        if (most > best.score)
            best = (recon_spin){ .rotation = rotation, .score = most };
    }
    return best;
}

static void cutting_corners_finds_what_looking_everywhere_finds(void **state)
{
    for (uint64_t seed = 10; seed < 30; seed++) {
        static world w;
        recon_spin got[QUERIES];
        make_world(&w, seed, grid);
        recon_spin_classes all = classes_of(&w);
        CHECK_OK(*state,
                 recon_spin_choose(*state, got, NULL, &all, by_chance, &w, LABELS,
                                   &(recon_spin_options){ .refine = RECON_SPIN_REFINE_NONE }));
        for (size_t q = 0; q < QUERIES; q++) {
            recon_spin want = exhaustive(&w, q);
            CHECK_NEAR(got[q].score, want.score, 0);
            CHECK_NEAR(recon_so3_distance(got[q].rotation, want.rotation), 0, 1e-9);
        }
    }
}

static recon_status blind(recon_ctx *ctx, void *user, float *log_p, const int64_t *conformer,
                          const recon_so3 *rotations, size_t n)
{
    (void)ctx, (void)conformer, (void)rotations;
    for (size_t i = 0; i < n * LABELS; i++)
        log_p[i] = *(const float *)user;
    return RECON_OK;
}

static void a_blind_judge_leaves_everything_as_it_is(void **state)
{
    static world w;
    recon_spin got[QUERIES];
    float says = -1;
    make_world(&w, 4, grid);
    recon_spin_classes all = classes_of(&w);
    CHECK_OK(*state, recon_spin_choose(*state, got, NULL, &all, blind, &says, LABELS, NULL));
    for (size_t q = 0; q < QUERIES; q++) {
        CHECK_NEAR(recon_so3_angle(got[q].rotation), 0, 0);
        CHECK_NEAR(got[q].score, -K, 1e-6);
    }
    all.n = 0;
    CHECK_OK(*state, recon_spin_choose(*state, got, NULL, &all, blind, &says, LABELS, NULL));
}

static void nonsense_is_refused(void **state)
{
    static world w;
    recon_spin got[QUERIES];
    float says = NAN;
    make_world(&w, 5, grid);
    recon_spin_classes all = classes_of(&w);
    CHECK_FAILS(*state, recon_spin_choose(*state, got, NULL, &all, blind, &says, LABELS, NULL),
                RECON_ERR_INPUT, "not a number");
    w.neighbors[2][3] = N;
    CHECK_FAILS(*state, recon_spin_choose(*state, got, NULL, &all, by_pose, &w, LABELS, NULL),
                RECON_ERR_INPUT, "neighbour 3 of query 2 is 40, of 40");
    w.axis[1][0] = w.axis[1][2] = 0;
    CHECK_FAILS(*state, recon_spin_choose(*state, got, NULL, &all, by_pose, &w, LABELS, NULL),
                RECON_ERR_INPUT, "query 1 has no axis");
    w.psi[7].w = INFINITY;
    CHECK_FAILS(*state, recon_spin_choose(*state, got, NULL, &all, by_pose, &w, LABELS, NULL),
                RECON_ERR_INPUT, "pose 7");
    all.k = 0;
    CHECK_FAILS(*state, recon_spin_choose(*state, got, NULL, &all, by_pose, &w, LABELS, NULL),
                RECON_ERR_INPUT, "no neighbours");
}

/* Its logits, less the logarithm of their sum. */
static void our_classifier_is_a_judge(void **state)
{
    enum { MANY = 100 };
    static const float xyz[2][3][3] = { { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1.2f, 0 } },
                                        { { 0, 0, 0 }, { 0, 1, 0.3f }, { 1, 1, 1 } } };
    static const uint8_t z[3] = { 8, 1, 1 };
    static float log_p[3][MANY], logits[3][MANY];
    const recon_conformer list[2] = { { .atoms = 3, .z = z, .xyz = xyz[0][0] },
                                      { .atoms = 3, .z = z, .xyz = xyz[1][0] } };
    const recon_gcn_info info = { .radius = 2, .width = 8, .hidden = 8, .classes = MANY };
    const int64_t which[3] = { 1, 0, 1 };
    recon_rng rng = recon_rng_new(6, 0);
    recon_so3 rotations[3] = { recon_so3_haar(&rng), recon_so3_haar(&rng), recon_so3_identity() };
    recon_molecules *data = NULL;
    recon_gcn_graphs *graphs = NULL;
    recon_gcn *gcn = NULL;
    CHECK_OK(*state, recon_gcn_make(*state, &gcn, info, 0, RECON_SINGLE, NULL, NULL, 1));
    CHECK_OK(*state, recon_molecules_make(*state, &data, list, 2, NULL));
    CHECK_OK(*state, recon_gcn_graphs_make(*state, &graphs, data, 2));
    CHECK_OK(*state, recon_spin_by_gcn(*state, &(recon_spin_gcn){ gcn, graphs }, log_p[0], which,
                                       rotations, 3));
    CHECK_OK(*state, recon_gcn_logits_rotated(*state, logits[0], gcn, graphs, which, rotations, 3));
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int y = 0; y < MANY; y++) {
            sum += exp((double)log_p[i][y]);
            CHECK_NEAR(log_p[i][y] - log_p[i][0], logits[i][y] - logits[i][0], 1e-5);
        }
        CHECK_NEAR(sum, 1, 1e-5);
    }
    recon_gcn_close(*state, gcn);
    recon_gcn_graphs_free(graphs);
    recon_molecules_close(data);
}

/* Every answer is a distribution, however many are asked for at once. */
static void answers_are_normalised_in_blocks(void **state)
{
    enum { MOST = BORDER_MOST(RECON_BLOCK_SPIN_ROWS), FEW = 4 };
    static const float xyz[3][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1.2f, 0 } };
    static const uint8_t z[3] = { 8, 1, 1 };
    const recon_conformer one = { .atoms = 3, .z = z, .xyz = xyz[0] };
    const recon_gcn_info info = { .radius = 2, .width = 4, .hidden = 4, .classes = FEW };
    static const int64_t which[MOST];
    float log_p[MOST][FEW];
    recon_rng rng = recon_rng_new(6, 0);
    recon_so3 rotations[MOST];
    recon_molecules *data = NULL;
    recon_gcn_graphs *graphs = NULL;
    recon_gcn *gcn = NULL;
    for (int i = 0; i < MOST; i++)
        rotations[i] = recon_so3_haar(&rng);
    CHECK_OK(*state, recon_gcn_make(*state, &gcn, info, 0, RECON_SINGLE, NULL, NULL, 1));
    CHECK_OK(*state, recon_molecules_make(*state, &data, &one, 1, NULL));
    CHECK_OK(*state, recon_gcn_graphs_make(*state, &graphs, data, 2));
    for (int k = 0; k < BORDERS; k++) {
        size_t n = border(RECON_BLOCK_SPIN_ROWS, k);
        CHECK_OK(*state, recon_spin_by_gcn(*state, &(recon_spin_gcn){ gcn, graphs }, log_p[0],
                                           which, rotations, n));
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (int y = 0; y < FEW; y++)
                sum += exp((double)log_p[i][y]);
            CHECK_NEAR(sum, 1, 1e-5);
        }
    }
    recon_gcn_close(*state, gcn);
    recon_gcn_graphs_free(graphs);
    recon_molecules_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_spin_is_found),
        cmocka_unit_test(refining_finds_spin_and_tilt),
        cmocka_unit_test(the_whole_group_is_searched_without_an_axis),
        cmocka_unit_test(the_choice_does_not_depend_on_the_gauge),
        cmocka_unit_test(cutting_corners_finds_what_looking_everywhere_finds),
        cmocka_unit_test(a_blind_judge_leaves_everything_as_it_is),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(our_classifier_is_a_judge),
        cmocka_unit_test(answers_are_normalised_in_blocks),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
