/* The basis of steerable filters: the kernel constraint, counts, norms, independence. */
#include "check.h"
#include <recon/nn/steerable_basis.h>

enum { TAPS = RECON_STEERABLE_SIZE * RECON_STEERABLE_SIZE, HIGHEST = 4 };
static const size_t sizes[] = { 1, 3, 5, 7, 9, 15 };
#define SIZES (sizeof sizes / sizeof *sizes)

/* Runs a check on every element of every pair of frequencies, for all sizes and both rules. */
typedef void element_check(const recon_steerable_element *e, size_t in, size_t out, size_t size);
static void on_every_element(element_check *check)
{
    recon_steerable_element e[RECON_STEERABLE_ELEMENTS];
    for (size_t s = 0; s < SIZES; s++)
        for (size_t in = 0; in <= HIGHEST; in++)
            for (size_t out = 0; out <= HIGHEST; out++)
                for (int rule = 0; rule < 2; rule++) {
                    size_t n = recon_steerable_elements(e, in, out, sizes[s], (recon_rings)rule);
                    assert_true(n <= RECON_STEERABLE_ELEMENTS);
                    for (size_t b = 0; b < n; b++)
                        check(&e[b], in, out, sizes[s]);
                }
}

static void rotate(double out[2][2], double angle)
{
    out[0][0] = out[1][1] = cos(angle);
    out[1][0] = sin(angle);
    out[0][1] = -sin(angle);
}

static void multiply(double out[2][2], double a[2][2], double b[2][2])
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j];
}

/* rho_out(t) K rho_in(t)^-1; a scalar is the corner of a matrix that is otherwise 0. */
static void carried(double out[2][2], double k[2][2], size_t in_f, size_t out_f, double t)
{
    double left[2][2], right[2][2], half[2][2];
    rotate(left, (double)out_f * t);
    rotate(right, -(double)in_f * t);
    multiply(half, left, k);
    multiply(out, half, right);
}

static void tap_matrix(double k[2][2], const double *filter, size_t in, size_t out, size_t size,
                       size_t tap)
{
    size_t rows = recon_field_size(out), columns = recon_field_size(in);
    memset(k, 0, 4 * sizeof(double));
    for (size_t a = 0; a < rows; a++)
        for (size_t b = 0; b < columns; b++)
            k[a][b] = filter[(a * columns + b) * size * size + tap];
}

static double difference(double a[2][2], double b[2][2])
{
    double worst = 0;
    for (int i = 0; i < 4; i++)
        worst = fmax(worst, fabs(a[i / 2][i % 2] - b[i / 2][i % 2]));
    return worst;
}

/* Tap (row, column) is carried by a quarter turn to (size - 1 - column, row). */
static void obeys_on_the_grid(const recon_steerable_element *e, size_t in, size_t out, size_t size)
{
    double filter[4 * TAPS], here[2][2], there[2][2], want[2][2];
    recon_steerable_sample(filter, e, in, out, size);
    for (size_t row = 0; row < size; row++)
        for (size_t column = 0; column < size; column++) {
            tap_matrix(here, filter, in, out, size, row * size + column);
            tap_matrix(there, filter, in, out, size, (size - 1 - column) * size + row);
            carried(want, here, in, out, acos(-1) / 2);
            CHECK_LESS(difference(there, want), 1e-14);
        }
}

static void sampled_filters_obey_the_constraint_for_quarter_turns(void **state)
{
    (void)state;
    on_every_element(obeys_on_the_grid);
}

/* The element anywhere in the plane, from its description alone. */
static void matrix_at(double k[2][2], const recon_steerable_element *e, size_t in, size_t out,
                      size_t size, double x, double y)
{
    double w[2], gamma[2][2], wave[2][2];
    recon_steerable_wave(w, e->ring, e->frequency, size, x, y);
    rotate(gamma, e->quarter * acos(-1) / 2);
    wave[0][0] = wave[1][1] = w[0];
    wave[1][0] = w[1];
    wave[0][1] = -w[1];
    multiply(k, gamma, wave);
    for (int i = 0; i < 2; i++) {
        k[i][1] *= in == 0 ? 0 : e->conjugate ? -1 : 1;
        k[1][i] *= out != 0;
    }
}

static void obeys_anywhere(const recon_steerable_element *e, size_t in, size_t out, size_t size)
{
    recon_rng rng = recon_rng_new(1, in * 16 + out);
    for (int trial = 0; trial < 3; trial++) {
        double here[2][2], there[2][2], want[2][2];
        double x = 4 * recon_rng_uniform(&rng) - 2, y = 4 * recon_rng_uniform(&rng) - 2;
        double t = 6 * recon_rng_uniform(&rng), c = cos(t), s = sin(t);
        matrix_at(here, e, in, out, size, x, y);
        matrix_at(there, e, in, out, size, c * x - s * y, s * x + c * y);
        carried(want, here, in, out, t);
        CHECK_LESS(difference(there, want), 1e-12);
    }
}

static void closed_forms_obey_the_constraint_for_every_rotation(void **state)
{
    (void)state;
    on_every_element(obeys_anywhere);
}

/* What is sampled is what the description says, at one scale. */
static void agrees(const recon_steerable_element *e, size_t in, size_t out, size_t size)
{
    double filter[4 * TAPS], here[2][2], want[2][2], middle = (double)(size / 2);
    double dot = 0, squares = 0, both = 0;
    recon_steerable_sample(filter, e, in, out, size);
    for (size_t i = 0; i < size * size; i++) {
        double x = (double)(i % size) - middle, y = middle - (double)(i / size);
        tap_matrix(here, filter, in, out, size, i);
        matrix_at(want, e, in, out, size, x, y);
        for (int j = 0; j < 4; j++) {
            dot += here[j / 2][j % 2] * want[j / 2][j % 2];
            squares += here[j / 2][j % 2] * here[j / 2][j % 2];
            both += want[j / 2][j % 2] * want[j / 2][j % 2];
        }
    }
    CHECK_NEAR(squares, (double)recon_field_size(out), 1e-12);
    CHECK_NEAR(dot, sqrt(squares * both), 1e-12 * dot);
    assert_true(both > 0.99); /* the ring runs through the middle tap or four others */
}

static void elements_are_as_described_and_of_norm_one(void **state)
{
    (void)state;
    on_every_element(agrees);
}

static size_t count(size_t in, size_t out, size_t size)
{
    return recon_steerable_elements(NULL, in, out, size, RECON_RINGS_NARROW);
}

/* e2cnn and escnn have bases of these sizes. */
static void counts_are_those_of_the_libraries(void **state)
{
    (void)state;
    static const size_t want[][5] = { /* size, 00, 01, 10, 11 */
                                      { 7, 4, 6, 6, 14 },
                                      { 5, 3, 4, 4, 10 },
                                      { 3, 2, 2, 2, 6 },
                                      { 1, 1, 0, 0, 2 }
    };
    for (size_t i = 0; i < 4; i++)
        for (size_t pair = 0; pair < 4; pair++)
            assert_int_equal(count(pair / 2, pair % 2, want[i][0]), want[i][1 + pair]);
    static const size_t second[][4] = { { 5, 4, 4, 6 }, { 3, 2, 2, 4 } }; /* size, 02, 12, 22 */
    for (size_t i = 0; i < 2; i++)
        for (size_t in = 0; in < 3; in++) {
            assert_int_equal(count(in, 2, second[i][0]), second[i][1 + in]);
            assert_int_equal(count(2, in, second[i][0]), second[i][1 + in]);
        }
}

static void one_tap_joins_only_equal_frequencies(void **state)
{
    (void)state;
    for (size_t in = 0; in < RECON_FREQUENCIES; in++)
        for (size_t out = 0; out < RECON_FREQUENCIES; out++)
            for (int rule = 0; rule < 2; rule++)
                assert_int_equal(recon_steerable_elements(NULL, in, out, 1, (recon_rings)rule),
                                 in != out ? 0 : recon_field_size(in));
}

/* Wide rings take 2 r: (0 -> 4) exists on ring 2 of 5 x 5, and not with care. */
static void wide_rings_take_more(void **state)
{
    (void)state;
    assert_int_equal(recon_steerable_elements(NULL, 0, 4, 5, RECON_RINGS_WIDE), 2);
    assert_int_equal(recon_steerable_elements(NULL, 0, 4, 5, RECON_RINGS_NARROW), 0);
    assert_int_equal(recon_steerable_elements(NULL, 3, 3, 7, RECON_RINGS_WIDE), 8 + 2);
}

/* Gram-Schmidt: what is left of each element after those before it. */
static double least_left_over(size_t in, size_t out, size_t size, recon_rings rings)
{
    static double v[RECON_STEERABLE_ELEMENTS][4 * TAPS];
    recon_steerable_element e[RECON_STEERABLE_ELEMENTS];
    size_t n = recon_steerable_elements(e, in, out, size, rings);
    size_t length = recon_field_size(in) * recon_field_size(out) * size * size;
    double least = INFINITY;
    for (size_t b = 0; b < n; b++) {
        recon_steerable_sample(v[b], &e[b], in, out, size);
        for (size_t a = 0; a <= b; a++) {
            double dot = 0;
            for (size_t i = 0; i < length; i++)
                dot += v[a][i] * v[b][i];
            for (size_t i = 0; i < length && a < b; i++)
                v[b][i] -= dot * v[a][i];
            if (a == b)
                least = fmin(least, dot / (double)recon_field_size(out));
            for (size_t i = 0; i < length && a == b; i++)
                v[b][i] /= sqrt(dot);
        }
    }
    return least;
}

static void elements_are_independent(void **state)
{
    (void)state;
    for (size_t s = 0; s < SIZES; s++)
        for (size_t in = 0; in <= HIGHEST; in++)
            for (size_t out = 0; out <= HIGHEST; out++)
                for (int rule = 0; rule < 2; rule++)
                    assert_true(least_left_over(in, out, sizes[s], (recon_rings)rule) > 0.2);
}

/* One ring, both weights: a quarter turn of the value apart, so orthogonal at every tap. */
static void the_two_weights_are_orthogonal(void **state)
{
    (void)state;
    double a[4 * TAPS], b[4 * TAPS], dot = 0;
    recon_steerable_element e[RECON_STEERABLE_ELEMENTS];
    recon_steerable_elements(e, 1, 2, 7, RECON_RINGS_NARROW);
    recon_steerable_sample(a, &e[0], 1, 2, 7);
    recon_steerable_sample(b, &e[1], 1, 2, 7);
    for (size_t i = 0; i < 4 * 49; i++)
        dot += a[i] * b[i];
    CHECK_NEAR(dot, 0, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sampled_filters_obey_the_constraint_for_quarter_turns),
        cmocka_unit_test(closed_forms_obey_the_constraint_for_every_rotation),
        cmocka_unit_test(elements_are_as_described_and_of_norm_one),
        cmocka_unit_test(counts_are_those_of_the_libraries),
        cmocka_unit_test(one_tap_joins_only_equal_frequencies),
        cmocka_unit_test(wide_rings_take_more),
        cmocka_unit_test(elements_are_independent),
        cmocka_unit_test(the_two_weights_are_orthogonal),
    };
    return cmocka_run_group_tests_name("nn/steerable_basis", tests, NULL, NULL);
}
