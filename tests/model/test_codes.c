/* What a model keeps of its training data: which points, their poses, who is near them, and who is
 * not. */
#include "borders.h"
#include "model/codes.h"
#include "check.h"
#include "core/f16.h"
#include "model/whiten.h"

#include <recon/knn/knn.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 6000, D = 6, HELD_EVERY = 12, K = 7 };

static float z[N][D];
static double so2[N];
static recon_so3 so3[N];
static unsigned char held[N];

/* Two clusters, wide in some directions and thin in others, that no coordinate is along. */
static void draw(float *out, recon_rng *rng, size_t i)
{
    double x[D];
    for (size_t j = 0; j < D; j++)
        x[j] = recon_rng_normal(rng) * (j < 2 ? 1 : 0.02);
    for (size_t j = 0; j < D; j++)
        out[j] = (float)(x[j] + 0.5 * x[(j + 1) % D] + (i % 2 ? 3 : -3) + (j == 0));
}

static recon_embedded points(double scale, int angles)
{
    recon_rng rng = recon_rng_new(3, 0);
    for (size_t i = 0; i < N; i++) {
        draw(z[i], &rng, i);
        for (size_t j = 0; j < D; j++)
            z[i][j] *= (float)scale;
        so2[i] = (double)i / N;
        so3[i] = recon_so3_haar(&rng);
        held[i] = i % HELD_EVERY == 5;
    }
    return (recon_embedded){ .n = N,
                             .d = D,
                             .z = z[0],
                             .group = angles ? RECON_SO2 : RECON_SO3,
                             .poses = angles ? so2 : (const double *)so3 };
}

static recon_stored_embeddings *make(recon_ctx *ctx, const recon_embedded *e)
{
    recon_stored_embeddings *c;
    CHECK_OK(ctx, recon_codes_make(ctx, &c, e, held, NULL));
    return c;
}

/* --- which ------------------------------------------------------------------------------------ */

static void halves_are_rounded_to_nearest(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 0x7c00; h++) {
        float x = recon_f16_to_float((uint16_t)h), next = recon_f16_to_float((uint16_t)(h + 1));
        assert_int_equal(recon_f16_from_float(x), h);
        assert_int_equal(recon_f16_from_float(-x), h | 0x8000);
        if (h == 0x7bff)
            next = 0x1p16f;
        float middle = x + (next - x) / 2; /* the tie goes to the even one */
        assert_int_equal(recon_f16_from_float(middle), h + (h & 1));
        assert_int_equal(recon_f16_from_float(nextafterf(middle, 0)), h);
        assert_int_equal(recon_f16_from_float(nextafterf(middle, INFINITY)), h + 1);
    }
    assert_true(isnan(recon_f16_to_float(recon_f16_from_float(NAN))));
}

/* Code i is a point that was not held out: its embedding to half precision, and its own pose. */
static void check_kept(const recon_stored_embeddings *c)
{
    size_t from[2] = { 0 };
    assert_int_equal(c->n, RECON_CODES_MOST);
    for (size_t i = 0; i < c->n; i++) {
        size_t p = (size_t)(c->poses[i] * N + 0.5);
        assert_false(held[p]);
        from[p < N / 2]++;
        for (size_t j = 0; j < D; j++)
            CHECK_NEAR(c->z[i * D + j] * c->scale, z[p][j], 1e-3 * c->scale);
    }
    assert_true(from[0] > c->n / 3 && from[1] > c->n / 3); /* not the first ones */
}

static void codes_are_points_that_do_not_calibrate(void **state)
{
    recon_embedded e = points(1, 1);
    recon_stored_embeddings *c = make(*state, &e), *again = make(*state, &e);
    check_kept(c);
    CHECK_NEAR(c->distances.n, N / HELD_EVERY, 0);
    assert_memory_equal(c->z, again->z, c->n * D * sizeof *c->z); /* the same in every run */
    recon_codes_free(again);
    recon_codes_free(c);
}

/* --- near ------------------------------------------------------------------------------------- */

static void neighbours_are_those_of_a_search(void **state)
{
    enum { QUERIES = 50 };
    static int64_t found[QUERIES][K], want[QUERIES][K];
    static float similar[QUERIES][K];
    recon_embedded e = points(1, 0);
    recon_stored_embeddings *c = make(*state, &e);
    CHECK_OK(*state, recon_codes_nearest(*state, found[0], NULL, c, z[0], QUERIES, K));
    CHECK_OK(*state, recon_knn_search(*state, want[0], similar[0], z[0], QUERIES, c->z, c->n, D,
                                      &(recon_knn_options){ .k = K }));
    assert_memory_equal(found, want, sizeof found);
    CHECK_OK(*state, recon_codes_nearest(*state, NULL, NULL, c, NULL, 0, K));
    CHECK_OK(*state, recon_codes_nearest(*state, found[0], NULL, c, (const float[D]){ 0 }, 1, K));
    assert_int_equal(found[0][0], -1);
    recon_codes_free(c);
}

static void whitened_points_have_unit_covariance(void **state)
{
    float u[D * D], *white = malloc(sizeof z);
    double sum[D] = { 0 }, product[D][D] = { { 0 } };
    points(1, 1);
    CHECK_OK(*state, recon_whiten_find(*state, u, z[0], N, D));
    CHECK_OK(*state, recon_whiten(*state, white, z[0], N, D, u, 1));
    for (size_t i = 0; i < N; i++)
        for (size_t a = 0; a < D; a++) {
            sum[a] += white[i * D + a] / N;
            for (size_t b = 0; b < D; b++)
                product[a][b] += (double)white[i * D + a] * white[i * D + b] / N;
        }
    /* less what was added to the variance in every direction: none exceeds 1 */
    for (size_t a = 0; a < D; a++) {
        CHECK_LESS(product[a][a] - sum[a] * sum[a], 1);
        for (size_t b = 0; b < a; b++)
            CHECK_LESS(fabs(product[a][b] - sum[a] * sum[b]), 0.35);
    }
    free(white);
}

static void rows_are_whitened_in_blocks(void **state)
{
    enum { MOST = BORDER_MOST(RECON_BLOCK_WHITEN) };
    float x[MOST * 2], out[MOST * 2 + 1];
    const float u[4] = { 2, 3, 0, 5 };
    for (int i = 0; i < 2 * MOST; i++)
        x[i] = (float)(i % 11);
    for (int k = 0; k < BORDERS; k++) {
        size_t n = border(RECON_BLOCK_WHITEN, k);
        memset(out, 0, sizeof out);
        CHECK_OK(*state, recon_whiten(*state, out, x, n, 2, u, 0.5f));
        for (size_t i = 0; i < n; i++) {
            CHECK_NEAR(out[2 * i], x[2 * i], 0);
            CHECK_NEAR(out[2 * i + 1], 1.5f * x[2 * i] + 2.5f * x[2 * i + 1], 1e-5);
        }
        CHECK_NEAR(out[2 * n], 0, 0);
    }
}

/* Points that are all the same, up to rounding, stay finite, and where they are; what is elsewhere is
 * far away. */
static void points_that_are_one_stay_finite(void **state)
{
    static float same[N][D], white[N][D], u[D * D];
    double here = 0, away = 0;
    for (int r = 0; r < N; r++)
        for (int j = 0; j < D; j++)
            same[r][j] = (float)(100 + j) * (1 + (float)(r % 2) * 1e-7F);
    CHECK_OK(*state, recon_whiten_find(*state, u, same[0], N, D));
    same[1][0] += 50;
    CHECK_OK(*state, recon_whiten(*state, white[0], same[0], N, D, u, 1));
    for (int j = 0; j < D; j++) {
        assert_true(isfinite(white[0][j]) && isfinite(white[1][j]));
        here = fmax(here, fabs((double)white[0][j] - (double)white[2][j]));
        away = fmax(away, fabs((double)white[0][j] - (double)white[1][j]));
    }
    CHECK_LESS(here, 1);
    assert_true(away > 100);
    for (int j = 0; j < D; j++)
        same[0][j] = 0;
    CHECK_OK(*state, recon_whiten_find(*state, u, same[0], 1, D));
    for (int j = 0; j < D * D; j++)
        assert_true(isfinite(u[j]));
}

/* --- far -------------------------------------------------------------------------------------- */

static double share_below(const double *p, size_t n, double level)
{
    size_t below = 0;
    for (size_t i = 0; i < n; i++)
        below += p[i] < level;
    return (double)below / (double)n;
}

static void p_values_of_new_points_are_uniform(void **state)
{
    enum { NEW = 4000 };
    static float fresh[NEW][D];
    static double p[NEW];
    recon_rng rng = recon_rng_new(8, 0);
    recon_embedded e = points(1, 1);
    recon_stored_embeddings *c = make(*state, &e);
    for (size_t i = 0; i < NEW; i++)
        draw(fresh[i], &rng, i);
    CHECK_OK(*state, recon_codes_p_values(*state, p, NULL, c, fresh[0], NEW));
    for (double level = 0.05; level < 1; level += 0.15)
        CHECK_NEAR(share_below(p, NEW, level), level,
                   4 * sqrt(level * (1 - level) / (N / HELD_EVERY)));
    for (size_t i = 0; i < NEW; i++) /* off the data where they hardly vary: small for a cosine */
        fresh[i][D - 1] += 0.5f;
    CHECK_OK(*state, recon_codes_p_values(*state, p, NULL, c, fresh[0], NEW));
    CHECK_LESS(0.95, share_below(p, NEW, 0.05));
    fresh[0][0] = 1e6f;
    CHECK_OK(*state, recon_codes_p_values(*state, p, NULL, c, fresh[0], 1));
    CHECK_NEAR(p[0], 1.0 / (N / HELD_EVERY + 1), 1e-9);
    recon_codes_free(c);
}

/* Along rays of many lengths: short ones of another direction are near, and long ones of the same direction
 * are at no angle. */
static void unlike_by_distance_or_by_angle(void **state)
{
    enum { NEW = 1000 };
    static float fresh[NEW][D];
    static double p[NEW];
    recon_rng rng = recon_rng_new(10, 0);
    recon_embedded e = points(1, 1);
    for (size_t i = 0; i < N; i++) {
        double length = exp(0.8 * recon_rng_normal(&rng));
        for (size_t j = 0; j < D; j++)
            z[i][j] = (float)(length * ((j == i % 3) + 0.05 * recon_rng_normal(&rng)));
    }
    recon_stored_embeddings *c = make(*state, &e);
    for (int far = 0; far < 2; far++) {
        for (size_t i = 0; i < NEW; i++)
            for (size_t j = 0; j < D; j++)
                fresh[i][j] = (float)((far ? 60 : 0.3) * (j == i % 3 + (far ? 0 : 3)));
        CHECK_OK(*state, recon_codes_p_values(*state, p, NULL, c, fresh[0], NEW));
        CHECK_LESS(0.95, share_below(p, NEW, 0.05));
    }
    CHECK_OK(*state, recon_codes_p_values(*state, p, NULL, c, (const float[D]){ 0 }, 1));
    CHECK_LESS(p[0], 0.05);
    recon_codes_free(c);
}

/* What a rotation does to an embedding: a step in a direction in which the data hardly vary. */
static void rotate(float *out, recon_rng *rng)
{
    out[D - 1] += (float)(0.5 * recon_rng_normal(rng));
}

/* Rotated inputs are not unlike the training data, where codes know what rotations do; others are. */
static void rotations_make_nothing_unlike(void **state)
{
    enum { NEW = 4000 };
    static float fresh[NEW][D], rotated[N][D];
    static double p[NEW];
    static size_t which[N];
    recon_rng rng = recon_rng_new(9, 0);
    recon_embedded e = points(1, 1);
    size_t n = recon_codes_points(which, held, N);
    assert_int_equal(n, RECON_CODES_MOST + N / HELD_EVERY);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(held[which[i]], i >= RECON_CODES_MOST);
        memcpy(rotated[i], z[which[i]], sizeof *rotated);
        rotate(rotated[i], &rng);
    }
    for (size_t i = 0; i < NEW; i++) {
        draw(fresh[i], &rng, i);
        rotate(fresh[i], &rng);
    }
    for (int known = 0; known < 2; known++) {
        recon_stored_embeddings *c;
        CHECK_OK(*state, recon_codes_make(*state, &c, &e, held, known ? rotated[0] : NULL));
        CHECK_OK(*state, recon_codes_p_values(*state, p, NULL, c, fresh[0], NEW));
        if (known)
            CHECK_NEAR(share_below(p, NEW, 0.05), 0.05, 4 * sqrt(0.05 * 0.95 / (N / HELD_EVERY)));
        else
            CHECK_LESS(0.5, share_below(p, NEW, 0.05));
        if (known) {
            for (size_t i = 0; i < NEW; i++)
                fresh[i][3] += 2; /* where neither data nor rotations vary */
            CHECK_OK(*state, recon_codes_p_values(*state, p, NULL, c, fresh[0], NEW));
            CHECK_LESS(0.95, share_below(p, NEW, 0.05));
        }
        recon_codes_free(c);
    }
}

/* In any unit: half precision ends at 65504, and loses digits below 1e-4. */
static void p_values_do_not_depend_on_the_scale(void **state)
{
    static double want[N], p[N];
    const double scale[] = { 1, 0x1p40, 0x1p-40 };
    for (size_t s = 0; s < sizeof scale / sizeof *scale; s++) {
        recon_embedded e = points(scale[s], 1);
        recon_stored_embeddings *c = make(*state, &e);
        CHECK_OK(*state, recon_codes_p_values(*state, s ? p : want, NULL, c, z[0], N));
        for (size_t i = 0; s && i < N; i++)
            CHECK_NEAR(p[i], want[i], 1e-3);
        recon_codes_free(c);
    }
}

/* --- files ------------------------------------------------------------------------------------ */

enum { LAWS = 2 };
static void give_laws(recon_ctx *ctx, recon_stored_embeddings *c)
{
    c->cluster = calloc(c->n, sizeof *c->cluster);
    for (size_t i = 0; i < c->n; i++)
        c->cluster[i] = (int64_t)(i % LAWS);
    CHECK_OK(ctx, recon_laws_make(ctx, &c->laws, RECON_LAWS_OF_DENSITY, LAWS, c->cluster, c->group,
                                  c->poses, c->n));
    for (size_t k = 0; k < LAWS; k++)
        c->laws.law[k].natural = RECON_NATURAL_ONE;
    if (c->group == RECON_SO2) /* on SO(3) nothing is known of what is usual */
        CHECK_OK(ctx, recon_laws_calibrate(ctx, &c->laws, c->cluster, c->poses, c->poses, c->n));
}

static void a_file_gives_them_back(void **state)
{
    for (int angles = 0; angles <= 1; angles++) {
        static double before[N], after[N];
        char path[] = "/tmp/recon-codes-XXXXXX";
        recon_embedded e = points(1, angles);
        recon_stored_embeddings *c = make(*state, &e), *again;
        give_laws(*state, c);
        recon_codes_tensors t;
        recon_safetensors *file;
        close(mkstemp(path));
        CHECK_OK(*state, recon_codes_tensors_make(*state, &t, c));
        assert_int_equal(t.entries, RECON_CODES_TENSORS - (angles ? 0 : 3));
        CHECK_OK(*state, recon_safetensors_write(*state, path, t.entry, t.entries, NULL, 0));
        CHECK_OK(*state, recon_safetensors_open(*state, &file, path));
        CHECK_OK(*state,
                 recon_codes_read(*state, &again, file, path, angles ? RECON_SO2 : RECON_SO3, D));
        CHECK_OK(*state, recon_codes_p_values(*state, before, NULL, c, z[0], N));
        CHECK_OK(*state, recon_codes_p_values(*state, after, NULL, again, z[0], N));
        assert_memory_equal(before, after, sizeof before);
        assert_memory_equal(c->cluster, again->cluster, c->n * sizeof *c->cluster);
        for (size_t k = 0; k < LAWS; k++)
            assert_memory_equal(&c->laws.law[k], &again->laws.law[k], sizeof(recon_law));
        assert_true(again->laws.n == LAWS);
        for (int i = 0; i < 8; i++)
            assert_true(!angles || recon_laws_p_value(&c->laws, i % LAWS, i) ==
                                       recon_laws_p_value(&again->laws, i % LAWS, i));
        assert_memory_equal(c->poses, again->poses, c->n * c->group->numbers * sizeof *c->poses);
        recon_codes_free(again);
        CHECK_FAILS(*state, recon_codes_read(*state, &again, file, path, RECON_SO2, D + 1),
                    RECON_ERR_FORMAT, "codes.z");
        recon_safetensors_close(file);
        recon_codes_tensors_free(&t);
        recon_codes_free(c);
        unlink(path);
    }
}

/* Beside a kind with many codes one with four, far apart, so that most of the ten nearest are of the other. New ones of it
 * are of its cluster and not unlike it, and what is of neither is unlike. */
static void a_rare_kind_is_a_kind(void **state)
{
    enum { MANY = 300, FEW = 4, ALL = MANY + FEW, NEW = 200 };
    static float at[ALL][D], fresh[NEW][D];
    static double poses[ALL], p[NEW];
    static unsigned char out[ALL], unlike[NEW];
    static int64_t own[ALL], found[NEW];
    static size_t which[ALL];
    recon_rng rng = recon_rng_new(11, 0);
    recon_stored_embeddings *c;
    size_t right = 0, like = 0;
    for (size_t i = 0; i < ALL; i++) {
        own[i] = i >= MANY;
        out[i] = i < MANY && i % 6 == 0;
        for (size_t j = 0; j < D; j++)
            at[i][j] =
                (float)((j == (size_t)own[i]) + (own[i] ? 0.1 : 0.05) * recon_rng_normal(&rng));
    }
    const recon_embedded e = { .n = ALL, .d = D, .z = at[0], .group = RECON_SO2, .poses = poses };
    CHECK_OK(*state, recon_codes_make(*state, &c, &e, out, NULL));
    recon_codes_points(which, out, ALL);
    c->cluster = calloc(c->n, sizeof *c->cluster);
    for (size_t i = 0; i < c->n; i++)
        c->cluster[i] = own[which[i]];
    for (int kind = 1; kind < 3; kind++) {
        for (size_t i = 0; i < NEW; i++)
            for (size_t j = 0; j < D; j++)
                fresh[i][j] = (float)((j == (size_t)kind) + 0.1 * recon_rng_normal(&rng));
        CHECK_OK(*state, recon_codes_clusters(*state, found, c, fresh[0], NEW, 10));
        CHECK_OK(*state, recon_codes_p_values(*state, p, unlike, c, fresh[0], NEW));
        for (size_t i = 0; i < NEW; i++) {
            right += kind == 1 && found[i] == 1;
            like += (kind == 1) != unlike[i];
        }
    }
    CHECK_LESS(0.9 * NEW, (double)right);
    CHECK_LESS(1.6 * NEW, (double)like);
    recon_codes_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_are_rounded_to_nearest),
        cmocka_unit_test(codes_are_points_that_do_not_calibrate),
        cmocka_unit_test(neighbours_are_those_of_a_search),
        cmocka_unit_test(rows_are_whitened_in_blocks),
        cmocka_unit_test(whitened_points_have_unit_covariance),
        cmocka_unit_test(points_that_are_one_stay_finite),
        cmocka_unit_test(p_values_of_new_points_are_uniform),
        cmocka_unit_test(unlike_by_distance_or_by_angle),
        cmocka_unit_test(rotations_make_nothing_unlike),
        cmocka_unit_test(p_values_do_not_depend_on_the_scale),
        cmocka_unit_test(a_file_gives_them_back),
        cmocka_unit_test(a_rare_kind_is_a_kind),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
