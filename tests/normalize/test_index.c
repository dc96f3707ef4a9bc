/* An index answers as recon_normalize does with queries, to the bit: from memory and from a file, all
 * queries at once or one by one, in one thread or in many; and what is added was always there. */
#include "normalize/known.h"

#include <pthread.h>
#include <recon/normalize/index.h>

enum { POINTS = 400, ASKED = N - POINTS };

static recon_embedded rows(const data *w, const recon_group *group, size_t begin, size_t n)
{
    recon_embedded e = view(w, group, n);
    e.z += begin * D;
    e.poses += begin * group->numbers;
    e.labels = NULL;
    return e;
}

static void same(const void *a, const void *b, size_t n, size_t size)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a)
        assert_memory_equal(a, b, n * size);
}

/* Row `at` of b and the rows of a, one by one. */
static void expect_rows(const recon_frames *a, const recon_frames *b, size_t at)
{
    size_t n = a->rows, w = a->group->numbers, k = a->k;
    assert_int_equal(a->family, b->family);
    assert_int_equal(k, b->k);
    same(a->gamma, b->gamma + at * w, n * w, 8);
    same(a->absolute, b->absolute + at * w, n * w, 8);
    same(a->theta, b->theta + at, n, 8);
    same(a->score, b->score + at, n, 8);
    same(a->p, b->p + at, n, 8);
    same(a->background, b->background + at, n, 8);
    same(a->verdict, b->verdict + at, n, 1);
    same(a->fold, b->fold + at, n, 1);
    same(a->symmetry, b->symmetry + at, n, 1);
    same(a->parameters, b->parameters + at * a->parameters_width, n * a->parameters_width, 8);
    same(a->identifiability, b->identifiability + at * a->identifiability_width,
         n * a->identifiability_width, 8);
    size_t modes = RECON_FRAME_MODES * a->modes_width;
    same(a->modes, b->modes + at * modes, n * modes, 8);
    if (k) {
        same(a->neighbors, b->neighbors + at * k, n * k, 8);
        same(a->similarity, b->similarity + at * k, n * k, 8);
        same(a->normalized, b->normalized + at * k * w, n * k * w, 8);
        same(a->members, b->members + at, n, 8);
        same(a->p_embedding, b->p_embedding ? b->p_embedding + at : NULL, n, 8);
    } else {
        same(a->class_of, b->class_of + at, n, 8);
    }
}

/* Every kind of classes, metric and group; clusters of all verdicts. */
enum { WAYS = 9 };
static recon_normalize_options way(int i, const data *w)
{
    const recon_normalize_options ways[WAYS] = {
        { .knn.k = 10 },
        { .knn.k = 7, .family = RECON_SO2_NORMAL },
        { .knn = { .k = 7, .metric = RECON_EUCLIDEAN },
          .mean.kind = RECON_MEAN_TUKEY,
          .family = 1 },
        { .knn = { .k = 5, .metric = RECON_DOT }, .family = RECON_SO2_NORMAL },
        { .knn.k = POINTS, .family = RECON_SO2_NORMAL },
        { .classes = RECON_CLASSES_COMPONENTS, .eps = 0.3, .family = RECON_SO2_NORMAL },
        { .classes = RECON_CLASSES_GIVEN, .class_of = w->label, .family = RECON_SO2_NORMAL },
        { .knn.k = 10, .only_tails = 1, .family = RECON_SO2_NORMAL },
        { .classes = RECON_CLASSES_COMPONENTS,
          .eps = 1,
          .knn.metric = RECON_EUCLIDEAN,
          .family = RECON_SO2_NORMAL },
    };
    return ways[i];
}

/* A quarter of the classes has two modes, another none. */
static data *mixed(void)
{
    data *w = make_data(0.3, NORMAL, 0.1);
    for (size_t i = 0; i < N; i++) {
        recon_rng r = recon_rng_new(31, i);
        double turn = i % CLASSES == 0   ? (double)recon_rng_below(&r, 2) * M_PI
                      : i % CLASSES == 1 ? recon_so2_haar(&r)
                                         : 0;
        double v[3] = { 0, 0, turn };
        w->so2[i] = recon_so2_compose(w->so2[i], turn);
        w->so3[i] = recon_so3_compose(recon_so3_exp(v), w->so3[i]);
    }
    return w;
}

static recon_index *fit(recon_ctx *ctx, const recon_embedded *e, recon_normalize_options o)
{
    recon_index *x;
    CHECK_OK(ctx, recon_index_fit(ctx, &x, e, &o));
    return x;
}

static void answers_are_those_of_normalize(void **state)
{
    data *w = mixed();
    for (int i = 0; i < WAYS; i++) {
        const recon_group *group = groups[i == 1];
        recon_normalize_options o = way(i, w);
        recon_embedded e = rows(w, group, 0, POINTS), q = rows(w, group, POINTS, ASKED);
        recon_frames want = normalize(*state, &e, &q, o), got;
        recon_index *fitted = fit(*state, &e, o), *opened;
        CHECK_OK(*state, recon_index_save(*state, fitted, scratch("i")));
        CHECK_OK(*state, recon_index_open(*state, &opened, scratch("i")));
        CHECK_OK(*state, recon_index_query(*state, &got, fitted, &q));
        expect_rows(&got, &want, 0);
        recon_frames_free(&got);
        CHECK_OK(*state, recon_index_query(*state, &got, opened, &q));
        expect_rows(&got, &want, 0);
        recon_frames_free(&got);
        for (size_t r = 0; r < ASKED; r += 40) {
            recon_embedded one = rows(w, group, POINTS + r, 1);
            CHECK_OK(*state, recon_index_query(*state, &got, opened, &one));
            expect_rows(&got, &want, r);
            recon_frames_free(&got);
        }
        CHECK_OK(*state, recon_index_save(*state, opened, scratch("again")));
        scratch_same(scratch("i"), scratch("again"));
        recon_index_free(fitted);
        recon_index_free(opened);
        recon_frames_free(&want);
    }
    free(w);
}

/* Many queries go by tiles, few by bytes; duplicates make ties. */
static void any_number_of_queries_has_the_same_answers(void **state)
{
    enum { MOST = 2 * N };
    data *w = mixed();
    static float z[MOST * D];
    static double g[MOST];
    for (size_t i = 0; i < MOST; i++) {
        memcpy(z + i * D, w->z + i % N * D, D * sizeof *z);
        g[i] = w->so2[i % N];
    }
    recon_embedded e = rows(w, RECON_SO2, 0, POINTS),
                   all = { .n = MOST, .d = D, .z = z, .group = RECON_SO2, .poses = g };
    recon_index *x = fit(*state, &e, neighbors(12));
    recon_frames whole, part;
    CHECK_OK(*state, recon_index_query(*state, &whole, x, &all));
    for (size_t n = 1; n < MOST; n = 3 * n + 1) {
        recon_embedded some = all;
        some.n = n;
        CHECK_OK(*state, recon_index_query(*state, &part, x, &some));
        expect_rows(&part, &whole, 0);
        recon_frames_free(&part);
    }
    recon_frames_free(&whole);
    recon_index_free(x);
    free(w);
}

/* The same file, whatever came when. */
static void added_points_were_always_there(void **state)
{
    const size_t cuts[WAYS] = { 11, N - 1, 200, N - 10, N - 70, 1, 200, 400, 300 };
    data *w = mixed();
    memcpy(w->z + (N - 3) * D, w->z, D * sizeof *w->z); /* copies: ties, and a point behind them */
    memcpy(w->z + (N - 2) * D, w->z, D * sizeof *w->z);
    for (int i = 1; i < WAYS - 1; i++) {
        const recon_group *group = groups[i == 1];
        recon_normalize_options o = way(i, w);
        size_t cut = cuts[i];
        int given = o.classes == RECON_CLASSES_GIVEN;
        recon_embedded all = rows(w, group, 0, N), first = rows(w, group, 0, cut),
                       rest = rows(w, group, cut, N - cut);
        recon_index *whole = fit(*state, &all, o), *part = fit(*state, &first, o), *grown;
        CHECK_OK(*state, recon_index_save(*state, part, scratch("part")));
        recon_index_free(part);
        CHECK_OK(*state, recon_index_open(*state, &part, scratch("part")));
        CHECK_OK(*state,
                 recon_index_add(*state, &grown, part, &rest, given ? w->label + cut : NULL));
        CHECK_OK(*state, recon_index_save(*state, whole, scratch("whole")));
        CHECK_OK(*state, recon_index_save(*state, grown, scratch("grown")));
        scratch_same(scratch("whole"), scratch("grown"));
        recon_index_free(whole);
        recon_index_free(part);
        recon_index_free(grown);
    }
    free(w);
}

static void a_query_needs_no_pose(void **state)
{
    data *w = mixed();
    recon_embedded e = rows(w, RECON_SO3, 0, POINTS), q = rows(w, RECON_SO3, POINTS, ASKED);
    recon_index *x = fit(*state, &e, neighbors(10));
    recon_frames posed, bare;
    CHECK_OK(*state, recon_index_query(*state, &posed, x, &q));
    q.poses = NULL;
    CHECK_OK(*state, recon_index_query(*state, &bare, x, &q));
    same(bare.gamma, posed.gamma, ASKED * 4, 8);
    same(bare.verdict, posed.verdict, ASKED, 1);
    same(bare.p_embedding, posed.p_embedding, ASKED, 8);
    for (size_t i = 0; i < ASKED; i++)
        assert_true(isnan(bare.score[i]) && isnan(bare.p[i]) && isnan(bare.absolute[4 * i]));
    recon_frames_free(&posed);
    recon_frames_free(&bare);
    recon_index_free(x);
    free(w);
}

/* --- many threads ------------------------------------------------------------------------------ */

typedef struct {
    const recon_index *index;
    const recon_embedded *queries;
    const recon_frames *want;
    pthread_t thread;
} user;

static void *ask(void *arg)
{
    const user *u = arg;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    for (size_t r = 0; r < ASKED; r += 8) {
        recon_embedded one = *u->queries;
        recon_frames got;
        one.n = 1;
        one.z += r * D;
        one.poses += r;
        CHECK_OK(ctx, recon_index_query(ctx, &got, u->index, &one));
        expect_rows(&got, u->want, r);
        recon_frames_free(&got);
    }
    recon_ctx_free(ctx);
    return NULL;
}

static void eight_threads_ask_one_index(void **state)
{
    enum { USERS = 8 };
    data *w = mixed();
    recon_embedded e = rows(w, RECON_SO2, 0, POINTS), q = rows(w, RECON_SO2, POINTS, ASKED);
    recon_frames want = normalize(*state, &e, &q, neighbors(10));
    recon_index *x = fit(*state, &e, neighbors(10));
    user users[USERS];
    for (int i = 0; i < USERS; i++) {
        users[i] = (user){ x, &q, &want, 0 };
        assert_int_equal(pthread_create(&users[i].thread, NULL, ask, &users[i]), 0);
    }
    for (int i = 0; i < USERS; i++)
        pthread_join(users[i].thread, NULL);
    recon_index_free(x);
    recon_frames_free(&want);
    free(w);
}

/* --- refusals ---------------------------------------------------------------------------------- */

static void what_does_not_fit_is_refused(void **state)
{
    recon_ctx *ctx = *state;
    data *w = mixed();
    recon_embedded e = rows(w, RECON_SO2, 0, POINTS), q = rows(w, RECON_SO2, POINTS, ASKED),
                   other = rows(w, RECON_SO3, 0, 5);
    recon_normalize_options o = neighbors(10), given = way(6, w);
    recon_index *x, *y;
    recon_frames f;
    CHECK_FAILS(ctx, recon_index_fit(ctx, &x, &e, NULL), RECON_ERR_INPUT, "options are needed");
    o.knn.method = RECON_KNN_HNSW;
    CHECK_FAILS(ctx, recon_index_fit(ctx, &x, &e, &o), RECON_ERR_UNSUPPORTED, "an index is exact");
    o = neighbors(0);
    CHECK_FAILS(ctx, recon_index_fit(ctx, &x, &e, &o), RECON_ERR_INPUT, "k is 0");
    assert_null(x);
    o = neighbors(10);
    x = fit(ctx, &e, o);
    CHECK_FAILS(ctx, recon_index_query(ctx, &f, x, &other), RECON_ERR_INPUT,
                "queries have poses in SO(3), the embeddings in SO(2)");
    q.d--;
    CHECK_FAILS(ctx, recon_index_query(ctx, &f, x, &q), RECON_ERR_INPUT, "queries have 7 columns");
    q.d++;
    CHECK_FAILS(ctx, recon_index_add(ctx, &y, x, &q, w->label), RECON_ERR_INPUT,
                "the index has none that were given");
    w->z[(POINTS + 2) * D + 1] = NAN;
    CHECK_FAILS(ctx, recon_index_add(ctx, &y, x, &q, NULL), RECON_ERR_INPUT,
                "new points: row 2, column 1 is");
    w->z[(POINTS + 2) * D + 1] = 0;
    q.poses = NULL;
    CHECK_FAILS(ctx, recon_index_add(ctx, &y, x, &q, NULL), RECON_ERR_INPUT, "poses are needed");
    q.poses = w->so2 + POINTS;
    recon_index_free(x);
    x = fit(ctx, &e, given);
    CHECK_FAILS(ctx, recon_index_add(ctx, &y, x, &q, NULL), RECON_ERR_INPUT, "need theirs");
    recon_index_free(x);
    recon_index_free(NULL);
    CHECK_FAILS(ctx, recon_index_open(ctx, &x, scratch("none")), RECON_ERR_IO, "none");
    scratch_write("text", "not an index", 12);
    CHECK_FAILS(ctx, recon_index_open(ctx, &x, scratch("text")), RECON_ERR_FORMAT, "text");
    CHECK_FAILS(ctx, recon_index_open(ctx, &x, "mnist-small"), RECON_ERR_FORMAT, "not an index");
    free(w);
}

static recon_status all_of_it(recon_ctx *ctx, const recon_embedded *e, const recon_embedded *q,
                              const recon_normalize_options *o)
{
    recon_index *x = NULL, *y = NULL, *z = NULL;
    recon_frames f = { 0 };
    recon_status status = recon_index_fit(ctx, &x, e, o);
    const int64_t *class_of = o->class_of;
    if (status == RECON_OK)
        status = recon_index_add(ctx, &y, x, q, class_of);
    if (status == RECON_OK)
        status = recon_index_save(ctx, y, scratch("y"));
    if (status == RECON_OK)
        status = recon_index_open(ctx, &z, scratch("y"));
    if (status == RECON_OK)
        status = recon_index_query(ctx, &f, z, q);
    recon_frames_free(&f);
    recon_index_free(x);
    recon_index_free(y);
    recon_index_free(z);
    scratch_clear();
    return status;
}

static void every_allocation_may_fail(void **state)
{
    data *w = mixed();
    recon_embedded e = rows(w, RECON_SO2, 0, 14), q = rows(w, RECON_SO2, 14, 2);
    recon_normalize_options o = neighbors(4), given = way(6, w);
    CHECK_ALLOCATIONS(*state, all_of_it(*state, &e, &q, &o));
    CHECK_ALLOCATIONS(*state, all_of_it(*state, &e, &q, &given));
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(answers_are_those_of_normalize),
        SCRATCH_TEST(any_number_of_queries_has_the_same_answers),
        SCRATCH_TEST(added_points_were_always_there),
        SCRATCH_TEST(a_query_needs_no_pose),
        SCRATCH_TEST(eight_threads_ask_one_index),
        SCRATCH_TEST(what_does_not_fit_is_refused),
        SCRATCH_TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
