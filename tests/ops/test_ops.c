/* Every table answers to ref/, on fresh random inputs and odd shapes. */
#include "check.h"
#include "ops/ops.h"

#include <stdlib.h>

static float *noise(size_t n, uint64_t stream)
{
    float *x = malloc((n ? n : 1) * sizeof *x);
    recon_rng r = recon_rng_new(99, stream);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)recon_rng_normal(&r);
    return x;
}

static void gemm_agrees(void **state)
{
    static const size_t shape[][3] = { { 1, 1, 1 },   { 3, 5, 7 },     { 17, 1, 33 },
                                       { 64, 64, 9 }, { 513, 100, 8 }, { 130, 1030, 5 } };
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
        for (int form = 0; form < 8; form++) {
            size_t m = shape[s][0], n = shape[s][1], k = shape[s][2], ldc = n + 3;
            float *a = noise(m * k, 1), *b = noise(k * n, 2), *c = noise(m * ldc, 3);
            float *want = noise(m * ldc, 3);
            recon_gemm_args g = { .type = RECON_F32,
                                  .transpose_a = form & 1,
                                  .transpose_b = form >> 1 & 1,
                                  .m = m,
                                  .n = n,
                                  .k = k,
                                  .alpha = 1.5,
                                  .beta = form >> 2 ? -0.5 : 0,
                                  .a = a,
                                  .b = b,
                                  .c = c,
                                  .lda = form & 1 ? m : k,
                                  .ldb = form >> 1 & 1 ? k : n,
                                  .ldc = ldc };
            CHECK_OK(*state, recon_ops_cpu.gemm(*state, &g));
            g.c = want;
            CHECK_OK(*state, recon_ops_ref.gemm(*state, &g));
            for (size_t i = 0; i < m * ldc; i++)
                CHECK_NEAR(c[i], want[i], 1e-5 * sqrt((double)k) * (1 + fabs(want[i])));
            free(a), free(b), free(c), free(want);
        }
}

static void byte_products_are_exact(void **state)
{
    enum { M = 37, N = 530, K = 300 };
    static int8_t a[M * K], b[K * N];
    static int32_t got[M * N], want[M * N];
    recon_rng r = recon_rng_new(5, 0);
    for (size_t i = 0; i < sizeof a; i++)
        a[i] = i < K ? -128 : (int8_t)recon_rng_u32(&r); /* a row of extremes: nothing saturates */
    for (size_t i = 0; i < sizeof b; i++)
        b[i] = i % N == 0 ? -128 : i % N == 1 ? 127 : (int8_t)recon_rng_u32(&r);
    recon_gemm_args g = { .type = RECON_I8,
                          .m = M,
                          .n = N,
                          .k = K,
                          .alpha = 1,
                          .a = a,
                          .b = b,
                          .c = got,
                          .lda = K,
                          .ldb = N,
                          .ldc = N };
    CHECK_OK(*state, recon_ops_cpu.gemm(*state, &g));
    g.c = want;
    CHECK_OK(*state, recon_ops_ref.gemm(*state, &g));
    assert_memory_equal(got, want, sizeof want);
    assert_int_equal(want[0], 128 * 128 * K);
}

static size_t scan(recon_ctx *ctx, const recon_ops *ops, recon_topk_args t, recon_hit *out)
{
    size_t total = 0, next = 0, count = 0;
    recon_hit buffer[300];
    t.hits = buffer;
    t.capacity = 300;
    t.next = &next;
    t.count = &count;
    while (next < t.rows) {
        CHECK_OK(ctx, ops->topk(ctx, &t));
        memcpy(out + total, buffer, count * sizeof *out);
        total += count;
    }
    return total;
}

static void topk_scans_alike(void **state)
{
    enum { ROWS = 70, COLS = 131, LD = 140 };
    float *scores = noise(ROWS * LD, 4), *rf = noise(ROWS, 5), *cf = noise(COLS, 6);
    float *rs = noise(ROWS, 7), *cs = noise(COLS, 8);
    recon_hit *got = malloc(sizeof *got * ROWS * COLS), *want = malloc(sizeof *want * ROWS * COLS);
    for (int lift = 0; lift < 4; lift++) {
        for (size_t i = 0; lift && i < ROWS; i++)
            rf[i] += 1;
        for (size_t i = 0; lift && i < COLS; i++)
            cf[i] += 1;
        recon_topk_args t = { .scores = scores,
                              .ld = LD,
                              .rows = ROWS,
                              .cols = COLS,
                              .row_floor = rf,
                              .row_shift = rs,
                              .col_floor = cf,
                              .col_shift = cs };
        size_t n = scan(*state, &recon_ops_ref, t, want);
        assert_int_equal(scan(*state, &recon_ops_cpu, t, got), n);
        assert_memory_equal(got, want, n * sizeof *got);
        assert_in_range(n, 1, ROWS * COLS - 1);
    }
    free(scores), free(rf), free(cf), free(rs), free(cs), free(got), free(want);
}

static void topk_scans_bytes_alike(void **state)
{
    enum { ROWS = 40, COLS = 200 };
    static int32_t bytes[ROWS * COLS];
    float *rf = noise(ROWS, 5), *cf = noise(COLS, 6), *zero = calloc(COLS, sizeof *zero);
    float *rs = noise(ROWS, 7), *cs = noise(COLS, 8);
    recon_hit *got = malloc(sizeof *got * ROWS * COLS), *want = malloc(sizeof *want * ROWS * COLS);
    recon_rng r = recon_rng_new(6, 0);
    for (size_t i = 0; i < ROWS * COLS; i++)
        bytes[i] = (int32_t)(recon_rng_u32(&r) % 5) - 2;
    recon_topk_args t = { .bytes = bytes,
                          .row_scale = rs,
                          .col_scale = cs,
                          .ld = COLS,
                          .rows = ROWS,
                          .cols = COLS,
                          .row_floor = rf,
                          .row_shift = zero,
                          .col_floor = cf,
                          .col_shift = zero };
    size_t n = scan(*state, &recon_ops_ref, t, want);
    assert_in_range(n, 1, ROWS * COLS - 1);
    assert_int_equal(scan(*state, &recon_ops_cpu, t, got), n);
    assert_memory_equal(got, want, n * sizeof *got);
    free(rf), free(cf), free(zero), free(rs), free(cs), free(got), free(want);
}

static void backends_are_chosen_by_name(void **state)
{
    CHECK_OK(*state, recon_ops_attach(*state, "ref"));
    assert_string_equal(recon_ops_name(*state), "ref");
    CHECK_FAILS(*state, recon_ops_attach(*state, "abacus"), RECON_ERR_INPUT, "'abacus'");
    CHECK_OK(*state, recon_ops_attach(*state, "cpu"));
    assert_memory_equal(recon_ops_name(*state), "cpu", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_agrees),
        cmocka_unit_test(byte_products_are_exact),
        cmocka_unit_test(topk_scans_alike),
        cmocka_unit_test(topk_scans_bytes_alike),
        cmocka_unit_test(backends_are_chosen_by_name),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
