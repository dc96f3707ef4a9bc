/* bytes.c - blocks of 8 x 32 sums in registers. The instruction multiplies four unsigned bytes with
 * four signed ones: b is made unsigned, by 128 more, and sums begin with what that adds, taken
 * away. */
#include "ops/cpu/cpu.h"
#include "core/arena.h"
#include "core/ctx.h"
#include "core/fail.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#include <string.h>

#define VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

enum { ROWS = 8, LANES = 16, COLS = 2 * LANES, TERMS = 4 };

int recon_bytes_fit(const recon_gemm_args *g)
{
    return !g->transpose_a && !g->transpose_b && g->k % TERMS == 0 && g->k > 0 &&
           __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}

/* out [LANES][4] = four rows of b from one column on, n of its columns, as unsigned bytes. */
VNNI static void pack_lanes(uint8_t *out, const int8_t *b, size_t ldb, size_t n)
{
    __mmask16 there = (__mmask16)((1u << n) - 1);
    __m128i r0 = _mm_maskz_loadu_epi8(there, b), r1 = _mm_maskz_loadu_epi8(there, b + ldb);
    __m128i r2 = _mm_maskz_loadu_epi8(there, b + 2 * ldb);
    __m128i r3 = _mm_maskz_loadu_epi8(there, b + 3 * ldb);
    __m128i low = _mm_unpacklo_epi8(r0, r1), high = _mm_unpackhi_epi8(r0, r1);
    __m128i low2 = _mm_unpacklo_epi8(r2, r3), high2 = _mm_unpackhi_epi8(r2, r3);
    __m128i sign = _mm_set1_epi8((char)0x80);
    __m128i *to = (__m128i *)out;
    _mm_storeu_si128(to, _mm_xor_si128(_mm_unpacklo_epi16(low, low2), sign));
    _mm_storeu_si128(to + 1, _mm_xor_si128(_mm_unpackhi_epi16(low, low2), sign));
    _mm_storeu_si128(to + 2, _mm_xor_si128(_mm_unpacklo_epi16(high, high2), sign));
    _mm_storeu_si128(to + 3, _mm_xor_si128(_mm_unpackhi_epi16(high, high2), sign));
}

/* out [k / 4][COLS][4]: columns from j on. */
static void pack(uint8_t *out, const recon_gemm_args *g, size_t j)
{
    const int8_t *b = (const int8_t *)g->b + j;
    size_t n = g->n - j < COLS ? g->n - j : COLS;
    size_t left = n < LANES ? n : LANES, right = n - left;
    for (size_t t = 0; t < g->k; t += TERMS, out += COLS * TERMS) {
        pack_lanes(out, b + t * g->ldb, g->ldb, left);
        pack_lanes(out + LANES * TERMS, b + t * g->ldb + (right ? LANES : 0), g->ldb, right);
    }
}

/* What b's 128 more adds to a row. */
VNNI static int32_t surplus(const int8_t *a, size_t k)
{
    __m512i sum = _mm512_setzero_si512(), more = _mm512_set1_epi8((char)0x80);
    for (size_t t = 0; t < k; t += 64) {
        __mmask64 there = k - t < 64 ? (1ull << (k - t)) - 1 : ~0ull;
        sum = _mm512_dpbusd_epi32(sum, more, _mm512_maskz_loadu_epi8(there, a + t));
    }
    return _mm512_reduce_add_epi32(sum);
}

/* `rows` rows of a, a constant, times packed columns. */
VNNI static inline __attribute__((always_inline)) void block(int rows, const recon_gemm_args *g,
                                                             const int8_t *a, const int32_t *extra,
                                                             const uint8_t *packed, int32_t *c,
                                                             size_t n)
{
    __m512i sum[ROWS][2];
    __mmask16 left = (__mmask16)(n < LANES ? (1u << n) - 1 : 0xffff);
    __mmask16 right = (__mmask16)(n < LANES ? 0 : (1u << (n - LANES)) - 1);
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
        sum[r][0] = sum[r][1] = _mm512_set1_epi32(-extra[r]);
    for (size_t t = 0; t < g->k; t += TERMS, packed += COLS * TERMS) {
        __m512i b0 = _mm512_loadu_si512(packed), b1 = _mm512_loadu_si512(packed + LANES * TERMS);
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++) {
            int32_t four;
            memcpy(&four, a + (size_t)r * g->lda + t, sizeof four);
            __m512i all = _mm512_set1_epi32(four);
            sum[r][0] = _mm512_dpbusd_epi32(sum[r][0], b0, all);
            sum[r][1] = _mm512_dpbusd_epi32(sum[r][1], b1, all);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
        _mm512_mask_storeu_epi32(c + (size_t)r * g->ldc, left, sum[r][0]);
        _mm512_mask_storeu_epi32(c + (size_t)r * g->ldc + LANES, right, sum[r][1]);
    }
}

VNNI static void columns(const recon_gemm_args *g, const int32_t *extra, const uint8_t *packed,
                         size_t j)
{
    const int8_t *a = g->a;
    int32_t *c = (int32_t *)g->c + j;
    size_t n = g->n - j < COLS ? g->n - j : COLS, i = 0;
    for (; i + ROWS <= g->m; i += ROWS)
        block(ROWS, g, a + i * g->lda, extra + i, packed, c + i * g->ldc, n);
    for (; i < g->m; i++)
        block(1, g, a + i * g->lda, extra + i, packed, c + i * g->ldc, n);
}

recon_status recon_bytes_tile(recon_ctx *ctx, const recon_gemm_args *g, int worker)
{
    recon_arena *arena = recon_worker_arena(ctx, worker);
    uint8_t *packed;
    int32_t *extra;
    RECON_CHECK(recon_arena_take(ctx, arena, &packed, g->k * COLS, 1));
    RECON_CHECK(recon_arena_take(ctx, arena, &extra, g->m, sizeof *extra));
    for (size_t i = 0; i < g->m; i++)
        extra[i] = surplus((const int8_t *)g->a + i * g->lda, g->k);
    for (size_t j = 0; j < g->n; j += COLS) {
        pack(packed, g, j);
        columns(g, extra, packed, j);
    }
    return RECON_OK;
}

#else

int recon_bytes_fit(const recon_gemm_args *g)
{
    (void)g;
    return 0;
}

recon_status recon_bytes_tile(recon_ctx *ctx, const recon_gemm_args *g, int worker)
{
    (void)g, (void)worker;
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "products of bytes on another processor");
}
#endif
