/* Conversion: every type, both orders, against what the bits mean; integers that do not fit. */
#include "borders.h"
#include "check.h"
#include "core/npy.h"

#include <stdlib.h>

/* A half by its definition, (-1)^s (1 + f / 1024) 2^(e - 15). */
static double half_value(unsigned bits)
{
    double sign = bits & 0x8000 ? -1 : 1;
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    return exponent ? sign * ldexp(1024 + fraction, exponent - 25) : sign * ldexp(fraction, -24);
}

static void every_half_is_what_it_means(void **state)
{
    static uint16_t bits[65536];
    static float single[65536];
    static double real[65536];
    for (int i = 0; i < 65536; i++)
        bits[i] = (uint16_t)i;
    recon_array a = { .dtype = RECON_F16, .ndim = 1, .shape = { 65536 }, .data = bits };
    CHECK_OK(*state, recon_array_to_f64(*state, real, &a));
    CHECK_OK(*state, recon_array_to_f32(*state, single, &a));
    for (unsigned i = 0; i < 65536; i++) {
        double want = half_value(i);
        assert_true(isnan(want) ? isnan(real[i]) && isnan(single[i])
                                : real[i] == want && single[i] == want &&
                                      !signbit(real[i]) == !signbit(want));
    }
}

static void a_bfloat_is_the_upper_half_of_a_float(void **state)
{
    const uint16_t bits[] = { 0x3f80, 0xc040, 0x0000, 0x7f80, 0x7fc0 };
    float f[5];
    recon_array a = { .dtype = RECON_BF16, .ndim = 1, .shape = { 5 }, .data = bits };
    CHECK_OK(*state, recon_array_to_f32(*state, f, &a));
    assert_true(f[0] == 1 && f[1] == -3 && f[2] == 0 && f[3] == INFINITY && isnan(f[4]));
}

/* The value at a C-order index of this shape, put where the order wants it. */
static size_t place(const recon_array *a, size_t index)
{
    size_t at = 0, step = recon_array_count(a);
    for (int i = a->ndim - 1; i >= 0; i--) {
        step /= a->shape[i];
        at += index % a->shape[i] * step;
        index /= a->shape[i];
    }
    return at;
}

static void fortran_order_is_undone(void **state)
{
    enum { SHAPES = 5 + 2 * BORDERS };
    recon_array shapes[SHAPES] = {
        { .ndim = 0 },
        { .ndim = 1, .shape = { 300 } },
        { .ndim = 2, .shape = { 1, 129 } },
        { .ndim = 5, .shape = { 4, 3, 2, 5, 7 } },
        { .ndim = 8, .shape = { 2, 3, 2, 2, 3, 2, 2, 3 } },
    };
    for (int i = 0; i < BORDERS; i++) {
        size_t a = border(RECON_BLOCK_ARRAY, i), b = border(RECON_BLOCK_ARRAY, (i + 1) % BORDERS);
        shapes[5 + 2 * i] = (recon_array){ .ndim = 2, .shape = { a, b } };
        shapes[6 + 2 * i] = (recon_array){ .ndim = 3, .shape = { b, 2, a } };
    }
    for (size_t s = 0; s < SHAPES; s++) {
        recon_array a = shapes[s];
        size_t n = recon_array_count(&a);
        int16_t *v = malloc(n * sizeof *v);
        int64_t *out = malloc(n * sizeof *out);
        for (size_t i = 0; i < n; i++)
            v[place(&a, i)] = (int16_t)(i - 15000);
        a.dtype = RECON_I16;
        a.fortran = 1;
        a.data = v;
        CHECK_OK(*state, recon_array_to_i64(*state, out, &a));
        for (size_t i = 0; i < n; i++)
            assert_true(out[i] == (int64_t)i - 15000 && recon_array_value(&a, i) == (double)out[i]);
        free(v);
        free(out);
    }
}

static void whole_blocks_and_parts_of_them_convert(void **state)
{
    double v[BORDER_MOST(RECON_BLOCK_ARRAY)];
    for (int k = 0; k < BORDERS; k++) {
        size_t n = border(RECON_BLOCK_ARRAY, k);
        recon_array a = { .dtype = RECON_F64, .ndim = 1, .shape = { n }, .data = v };
        int64_t *out = malloc(n * sizeof *out);
        for (size_t i = 0; i < n; i++)
            v[i] = (double)i - 70;
        CHECK_OK(*state, recon_array_to_i64(*state, out, &a));
        for (size_t i = 0; i < n; i++)
            assert_true(out[i] == (int64_t)i - 70);
        v[n - 1] = 0.5;
        assert_int_equal(recon_array_to_i64(*state, out, &a), RECON_ERR_INPUT);
        free(out);
    }
}

static void empty_arrays_convert_to_nothing(void **state)
{
    recon_array a = { .dtype = RECON_F32, .fortran = 1, .ndim = 3, .shape = { 4, 0, 2 } };
    CHECK_OK(*state, recon_array_to_f32(*state, NULL, &a));
    CHECK_OK(*state, recon_array_to_i64(*state, NULL, &a));
}

static void extremes_survive(void **state)
{
    const uint64_t u[] = { 0, INT64_MAX };
    const int64_t i[] = { INT64_MIN, INT64_MAX };
    const double d[] = { -0x1p63, 0x1p62 };
    int64_t out[2];
    recon_array a = { .dtype = RECON_U64, .ndim = 1, .shape = { 2 }, .data = u };
    CHECK_OK(*state, recon_array_to_i64(*state, out, &a));
    assert_true(out[0] == 0 && out[1] == INT64_MAX);
    a.dtype = RECON_I64, a.data = i;
    CHECK_OK(*state, recon_array_to_i64(*state, out, &a));
    assert_memory_equal(out, i, sizeof i);
    a.dtype = RECON_F64, a.data = d;
    CHECK_OK(*state, recon_array_to_i64(*state, out, &a));
    assert_true(out[0] == INT64_MIN && out[1] == INT64_C(1) << 62);
    const double huge[] = { 1e300, -1e300 };
    float f[2];
    a.data = huge;
    CHECK_OK(*state, recon_array_to_f32(*state, f, &a));
    assert_true(f[0] == INFINITY && f[1] == -INFINITY);
}

static void what_is_no_integer_is_named(void **state)
{
    const double bad[] = { 0.5, NAN, INFINITY, 0x1p63, -0x1.1p63 };
    double v[200] = { 0 };
    int64_t out[200];
    recon_array a = { .dtype = RECON_F64, .ndim = 2, .shape = { 2, 100 }, .data = v };
    for (int i = 0; i < 5; i++) {
        v[170] = bad[i];
        a.fortran = 0;
        CHECK_FAILS(*state, recon_array_to_i64(*state, out, &a), RECON_ERR_INPUT,
                    "float64 at [1, 70] is not a 64-bit integer");
        a.fortran = 1;
        CHECK_FAILS(*state, recon_array_to_i64(*state, out, &a), RECON_ERR_INPUT, "at [0, 85]");
    }
    const uint64_t large[] = { 1, UINT64_C(1) << 63 };
    recon_array u = { .dtype = RECON_U64, .ndim = 1, .shape = { 2 }, .data = large };
    CHECK_FAILS(*state, recon_array_to_i64(*state, out, &u), RECON_ERR_INPUT, "uint64 at [1]");
}

static void sizes_that_cannot_be_counted_do_not_fit(void **state)
{
    (void)state;
    size_t bytes;
    assert_true(recon_array_fits(&bytes, RECON_F32, (size_t[]){ 3, 4 }, 2));
    assert_int_equal(bytes, 48);
    assert_true(recon_array_fits(&bytes, RECON_F64, NULL, 0));
    assert_int_equal(bytes, 8);
    assert_true(recon_array_fits(&bytes, RECON_F32, (size_t[]){ 0, 1 << 20 }, 2));
    assert_int_equal(bytes, 0);
    assert_false(recon_array_fits(&bytes, RECON_F32, (size_t[]){ SIZE_MAX / 4 + 1 }, 1));
    assert_false(recon_array_fits(&bytes, RECON_U8, (size_t[]){ SIZE_MAX }, 1));
    assert_false(recon_array_fits(&bytes, RECON_U8, (size_t[]){ 0, SIZE_MAX, SIZE_MAX }, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_is_what_it_means),
        cmocka_unit_test(a_bfloat_is_the_upper_half_of_a_float),
        cmocka_unit_test(fortran_order_is_undone),
        cmocka_unit_test(whole_blocks_and_parts_of_them_convert),
        cmocka_unit_test(empty_arrays_convert_to_nothing),
        cmocka_unit_test(extremes_survive),
        cmocka_unit_test(what_is_no_integer_is_named),
        cmocka_unit_test(sizes_that_cannot_be_counted_do_not_fit),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
