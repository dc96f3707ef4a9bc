/* Every table answers to ref: cpu, and cuda where it was built and a device is there.
 *
 * Operands go through a table's own memory, so that one file serves host and device. What a table
 * leaves out is reported as skipped. */
#include "borders.h"
#include "ops/cases.h"
#include "ops/cpu/elements.h"
#include "ops/slices.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char *name;
    recon_ctx *ctx; /* NULL: the backend is not there */
    const recon_ops *ops;
    recon_arena *arena;
} table;

/* One test: a table and, for those that compare whole entries, which. */
typedef struct {
    const table *table;
    int entry;
    char name[64];
} fixture;

static const table *table_under_test(void **state, int there)
{
    const table *t = ((const fixture *)*state)->table;
    if (!t->ctx || !there)
        skip();
    return t;
}

#define TABLE_WITH(state, name)                                                                    \
    table_under_test(state, ((const fixture *)*(state))->table->ops &&                             \
                                ((const fixture *)*(state))->table->ops->name)

/* ---- operands in a table's memory ---- */

static void *upload(const table *t, const void *host, size_t bytes)
{
    void *block;
    CHECK_OK(t->ctx, t->ops->alloc(t->ctx, &block, bytes));
    CHECK_OK(t->ctx, t->ops->upload(t->ctx, block, host, bytes));
    return block;
}

/* Back to the host, and the block is released. */
static void download(const table *t, void *host, void *block, size_t bytes)
{
    CHECK_OK(t->ctx, t->ops->download(t->ctx, host, block, bytes));
    t->ops->release(t->ctx, block);
}

/* Every tensor of the arguments, and of the gradients. Returns how many. */
static int tensors_of(recon_tensor *out[2 * MAX_SLOTS], const entry *e, any_args *args)
{
    int n = 0;
    for (const slot *s = e->slots; s->role; s++) {
        out[n++] = tensor_at(args, s->at);
        if (s->gradient != NO_GRADIENT)
            out[n++] = tensor_at(args, s->gradient);
    }
    return n;
}

/* The call on a table, with operands on the host before and after. */
static void call_on(const table *t, const entry *e, call_fn *call, any_args *args)
{
    any_args there = *args;
    recon_tensor *host[2 * MAX_SLOTS], *device[2 * MAX_SLOTS];
    int n = tensors_of(host, e, args);
    tensors_of(device, e, &there);
    for (int i = 0; i < n; i++)
        if (host[i]->data)
            device[i]->data = upload(t, host[i]->data, recon_tensor_bytes(host[i]));
    CHECK_OK(t->ctx, call(t->ops, t->ctx, &there));
    CHECK_OK(t->ctx, t->ops->sync(t->ctx));
    for (int i = 0; i < n; i++)
        if (host[i]->data)
            download(t, host[i]->data, device[i]->data, recon_tensor_bytes(host[i]));
}

/* ---- whole entries ---- */

/* Of the sum of an element and the root mean square: sums in float may be in any order, bfloat16 is
 * rounded once. Coordinates of a rotation and sharp densities lose digits before they are summed.
 */
static double tolerance(int which, recon_dtype type)
{
    if (type == RECON_BF16) /* coupled channels are rounded too, and summed over few rows */
        return which == COUPLE ? 0x1p-6 : 0x1p-7;
    return which == ROTATE || which == LOSS ? 2e-4 : 3e-5;
}

static double largest(const recon_tensor *t)
{
    double most = 0;
    for (size_t i = 0; t->data && i < recon_tensor_count(t); i++)
        most = fmax(most, fabs(number_at(t, i)));
    return most;
}

/* The size of what a result is a difference of, where it may be much smaller itself. A norm by the
 * batch takes two projections off dy: of two rows nothing but what eps makes is left in dx. */
static double terms(int which, const any_args *args, const recon_tensor *result)
{
    const recon_norm_args *a = &args->norm;
    const recon_field_norm_args *b = &args->field_norm;
    if (which == NORM && result == &a->dx)
        return largest(&a->scale) * largest(&a->inv) * largest(&a->dy);
    if (which == FIELD_NORM && result == &b->dx)
        return largest(&b->scale) * largest(&b->inv) * largest(&b->dy);
    return 0;
}

/* Differences of terms of a size are rounded by it, a few times. */
static void compare(int which, size_t index, recon_dtype rounded, const recon_tensor *got,
                    const recon_tensor *want, double size)
{
    size_t n = recon_tensor_count(want);
    if (want->type == RECON_I32) {
        assert_memory_equal(got->data, want->data, n * sizeof(int32_t));
        return;
    }
    double square = 0;
    for (size_t i = 0; i < n; i++)
        square += number_at(want, i) * number_at(want, i);
    for (size_t i = 0; i < n; i++) {
        double g = number_at(got, i), w = number_at(want, i);
        double allowed =
            tolerance(which, rounded) * (fabs(w) + sqrt(square / (double)n)) + 0x1p-22 * size;
        if (!(fabs(g - w) <= allowed || (isnan(g) && isnan(w))))
            fail_msg("%s, case %zu, element %zu of %zu: %.9g, expected %.9g +- %g",
                     entries[which].name, index, i, n, g, w, allowed);
    }
}

static void compare_all(int which, size_t index, any_args *got, any_args *want)
{
    recon_tensor *a[2 * MAX_SLOTS], *b[2 * MAX_SLOTS];
    int n = tensors_of(a, &entries[which], got);
    /* dw too, see ops.h; features are rounded once more */
    int all = (which == CONV && want->conv.x.type == RECON_BF16) ||
              (which == STEER && want->steer.x.type == RECON_BF16) ||
              (which == COUPLE && want->couple.x.type == RECON_BF16);
    tensors_of(b, &entries[which], want);
    for (int i = 0; i < n; i++)
        if (b[i]->data)
            compare(which, index, all ? RECON_BF16 : b[i]->type, a[i], b[i],
                    terms(which, want, b[i]));
}

/* Backward starts from what ref's forward saved: a max that two tables choose differently by
 * rounding is no error. */
static void check_call(const table *t, const op_case *c, size_t index, recon_dtype type)
{
    const entry *e = &entries[c->entry];
    maker m = maker_of(t->ctx, t->arena, type, 0);
    recon_mark mark = recon_arena_mark(t->arena);
    any_args want = build_args(&m, c), got = copy_args(&m, e, &want);
    CHECK_OK(t->ctx, e->call(&recon_ops_ref, t->ctx, &want));
    call_on(t, e, e->call, &got);
    compare_all(c->entry, index, &got, &want);
    if (e->back) {
        got = copy_args(&m, e, &want);
        CHECK_OK(t->ctx, e->back(&recon_ops_ref, t->ctx, &want));
        call_on(t, e, e->back, &got);
        compare_all(c->entry, index, &got, &want);
    }
    recon_arena_release(t->arena, mark);
}

static void check_case(const table *t, size_t index, recon_dtype type)
{
    check_call(t, &cases[index], index, type);
}

static void entry_agrees(void **state)
{
    const fixture *f = *state;
    const table *t = table_under_test(state, f->table->ops && entries[f->entry].has(f->table->ops));
    for (size_t i = 0; i < CASES; i++)
        if (cases[i].entry == f->entry) {
            check_case(t, i, RECON_F32);
            check_case(t, i, RECON_BF16);
        }
}

/* Which size is `block`. Sums that are shared out go to slices, or to so many tasks, first. */
#define EACH_OF(count, block) ((count) * (block))
static const struct {
    op_case is;
    int varied;
    size_t block;
} borders[] = {
    { { CONV, build_conv, { 0, 4, 4, 1, 2, 3, 1, 1, 1, 1 } }, 0, RECON_BLOCK_CONV / 16 },
    { { CONV, build_conv, { 0, 4, 4, 1, 2, 3, 1, 1, 1, 1 } }, 0, RECON_BLOCK_PATCHES / 16 },
    { { CONV, build_linear, { 0, 1, 1, 0, 1 } }, 0, RECON_RUN },
    { { CONV, build_linear, { 2, 1, 0, 0, 1 } }, 2, RECON_RUN },
    { { STEER, build_steer, { 1, 1, 0, 1, 1, 1, 0, 1, 2, 0 } }, 2, RECON_BLOCK_STEER },
    { { STEER, build_steer, { 1, 1, 0, 1, 1, 1, 0, 1, 2, 0 } }, 2, EACH_OF(8, RECON_BLOCK_STEER) },
    { { MAP, build_map, { RECON_SILU, 1, 0 } }, 2, RECON_RUN },
    { { MAP, build_map, { RECON_RELU, 1, 0 } }, 2, RECON_TASK },
    { { ADD, build_add, { 0, 0, 1 } }, 0, RECON_RUN },
    { { GATE, build_gate, { 0, 1, 3 } }, 0, RECON_RUN / 3 },
    { { GATE, build_gate, { 2, 0, 2, 1 } }, 1, RECON_RUN },
    { { CROSS, build_cross, { 1, 0 } }, 1, RECON_RUN },
    { { NORM, build_norm, { 0, 3, 1, 1, 0, 1, 1, 1 } }, 0, RECON_BLOCK_ROWS },
    { { NORM, build_norm, { 0, 3, 1, 1, 0 } }, 0, EACH_OF(RECON_SLICES, RECON_BLOCK_ROWS) },
    { { NORM, build_norm, { 5, 0, 1, 1, 0 } }, 1, RECON_BLOCK_COLUMNS },
    { { NORM, build_norm, { 5, 0, 2, 1, 0 } }, 1, RECON_BLOCK_COLUMNS / 2 },
    { { FIELD_NORM, build_field_norm, { 0, 2, 1, 1 } }, 0, RECON_BLOCK_ROWS },
    { { FIELD_NORM, build_field_norm, { 0, 2, 1, 1 } },
      0,
      EACH_OF(RECON_SLICES, RECON_BLOCK_ROWS) },
    { { FIELD_NORM, build_field_norm, { 5, 0, 0, 1 } }, 1, RECON_BLOCK_COLUMNS },
    { { UNIT, build_unit, { 2, 0 } }, 1, 8 },
    { { ANGLE, build_angle, { 0 } }, 0, RECON_RUN },
    { { GATHER, build_gather, { 0, 7, 1 } }, 0, RECON_RUN / 2 + 1 },
    { { SEGMENT, build_segment, { 0, 9, 1 } }, 0, RECON_RUN / 2 + 1 },
    { { SEGMENT, build_segment, { 2, 9, 0 } }, 2, RECON_BLOCK_COLUMNS },
    { { REDUCE, build_reduce, { 2, 3, 0 } }, 2, RECON_BLOCK_COLUMNS },
    { { REDUCE, build_reduce, { 1, 0, 1 } }, 1, RECON_RUN },
    { { COLUMNS, build_columns, { 0, 2, 2, 1, 1, 0 } }, 0, RECON_RUN / 2 + 1 },
    { { COUPLE, build_couple, { 0, 3, 2, 1, 0, 0, 2, 1, 0, 0 } }, 0, RECON_BLOCK_COUPLE },
    { { ACTIVATE, build_activate, { 0, 1, 1, 0, 0 } }, 0, RECON_RUN },
    { { EXPAND, build_expand, { 0, 3, 5, 4, 3, 2 } }, 0, 16 },
    { { LOSS, build_loss, { RECON_LOSS_MSE, 0, 1 } }, 1, RECON_RUN },
    { { LOSS, build_loss, { RECON_LOSS_L1, 0, 1 } }, 1, EACH_OF(RECON_SLICES, RECON_RUN) },
    { { PAIRS, build_pairs, { 0, 200, 0, 2, 1 } }, 0, RECON_BLOCK_PAIRS },
    { { SPARSE, build_sparse, { 3, 5, 7, 0 } }, 3, RECON_BLOCK_COLUMNS },
};

static void blocks_end_where_they_should(void **state)
{
    for (size_t i = 0; i < sizeof borders / sizeof *borders; i++)
        for (int k = 0; k < BORDERS; k++) {
            const table *t = ((const fixture *)*state)->table;
            op_case c = borders[i].is;
            c.p[borders[i].varied] = border(borders[i].block, k);
            t = table_under_test(state, t->ops && entries[c.entry].has(t->ops));
            check_call(t, &c, 1000 * i + (size_t)k, k % 2 ? RECON_BF16 : RECON_F32);
        }
}

/* More atoms than a table may keep the pairs of; not a case, since differences of it take long. */
static void pairs_of_a_large_molecule_agree(void **state)
{
    static const op_case large = { PAIRS, build_pairs, { 2, 700, 5, 3, 2 } };
    check_call(TABLE_WITH(state, pairs), &large, CASES, RECON_F32);
}

/* Gradients that nobody asked for are not made, and the others do not change. */
static void gradients_are_optional(void **state)
{
    const table *t = TABLE_WITH(state, conv_back);
    const entry *e = &entries[CONV];
    maker m = maker_of(t->ctx, t->arena, RECON_F32, 0);
    for (int leave = 0; leave < 3; leave++) {
        recon_mark mark = recon_arena_mark(t->arena);
        any_args want = build_case(&m, 1);
        CHECK_OK(t->ctx, e->call(&recon_ops_ref, t->ctx, &want));
        recon_tensor *d[] = { &want.conv.dx, &want.conv.dw, &want.conv.dbias };
        d[leave]->data = NULL;
        any_args got = copy_args(&m, e, &want);
        CHECK_OK(t->ctx, e->back(&recon_ops_ref, t->ctx, &want));
        call_on(t, e, e->back, &got);
        compare_all(CONV, 1, &got, &want);
        recon_arena_release(t->arena, mark);
    }
}

/* ---- entries that take plain pointers ---- */

static void gemm_on(const table *t, recon_gemm_args g, size_t a_bytes, size_t b_bytes,
                    size_t c_bytes)
{
    void *a = upload(t, g.a, a_bytes), *b = upload(t, g.b, b_bytes), *c = g.c;
    g.a = a;
    g.b = b;
    g.c = upload(t, c, c_bytes);
    CHECK_OK(t->ctx, t->ops->gemm(t->ctx, &g));
    download(t, c, g.c, c_bytes);
    t->ops->release(t->ctx, a);
    t->ops->release(t->ctx, b);
}

/* form: transpose a, transpose b, beta; the last two of the kinds are BF16 into F32 and BF16. */
static void check_gemm(const table *t, const size_t shape[3], int form, int kind)
{
    size_t m = shape[0], n = shape[1], k = shape[2], ldc = n + 3;
    recon_dtype in = kind ? RECON_BF16 : RECON_F32, out = kind == 2 ? RECON_BF16 : RECON_F32;
    maker make = maker_of(t->ctx, t->arena, in, (uint64_t)form);
    recon_tensor a = noise_of(&make, in, SHAPE(m, k)), b = noise_of(&make, in, SHAPE(k, n));
    recon_tensor got = noise_of(&make, out, SHAPE(m, ldc)), want = copy_of(&make, &got);
    recon_gemm_args g = { .type = in,
                          .c_bf16 = kind == 2,
                          .transpose_a = form & 1,
                          .transpose_b = form >> 1 & 1,
                          .m = m,
                          .n = n,
                          .k = k,
                          .alpha = 1.5,
                          .beta = form >> 2 ? -0.5 : 0,
                          .a = a.data,
                          .b = b.data,
                          .c = got.data,
                          .lda = form & 1 ? m : k,
                          .ldb = form >> 1 & 1 ? k : n,
                          .ldc = ldc };
    gemm_on(t, g, recon_tensor_bytes(&a), recon_tensor_bytes(&b), recon_tensor_bytes(&got));
    g.c = want.data;
    CHECK_OK(t->ctx, recon_ops_ref.gemm(t->ctx, &g));
    double error = out == RECON_BF16 ? 0x1p-7 : 1e-5 * sqrt((double)k);
    for (size_t i = 0; i < m * ldc; i++) {
        double w = number_at(&want, i);
        CHECK_NEAR(number_at(&got, i), w, error * (1 + fabs(w)));
    }
}

static void gemm_agrees(void **state)
{
    enum { SHAPES = 5 + 2 * BORDERS };
    size_t shape[SHAPES][3] = {
        { 1, 1, 1 }, { 3, 5, 7 }, { 17, 1, 33 }, { 64, 64, 9 }, { 513, 100, 8 }
    };
    const table *t = TABLE_WITH(state, gemm);
    for (int i = 0; i < 2 * BORDERS; i++) { /* too large for a product alone */
        size_t wide = i / BORDERS;
        shape[5 + i][wide] = border(wide ? RECON_BLOCK_GEMM_N : RECON_BLOCK_GEMM_M, i % BORDERS);
        shape[5 + i][!wide] = 5;
        shape[5 + i][2] = 3;
    }
    for (size_t s = 0; s < SHAPES; s++)
        for (int form = 0; form < 8; form++)
            for (int kind = 0; kind < 3; kind++) {
                recon_mark mark = recon_arena_mark(t->arena);
                check_gemm(t, shape[s], form, kind);
                recon_arena_release(t->arena, mark);
            }
}

/* Of parts of two matrices: blocks that are whole and not, sums that are a multiple of four terms or
 * not. */
static void byte_products_are_exact(void **state)
{
    enum { M = 37, N = 530, K = 300 };
    static const size_t shapes[][3] = { { M, N, K },  { M, N, K - 1 }, { 8, 32, 4 },
                                        { 1, 1, 64 }, { 33, 16, 132 }, { 9, 49, 8 } };
    const table *t = TABLE_WITH(state, gemm);
    static int8_t a[M * K], b[K * N];
    static int32_t got[M * N], want[M * N];
    recon_rng r = recon_rng_new(5, 0);
    for (size_t i = 0; i < sizeof a; i++)
        a[i] = i < K ? -128 : (int8_t)recon_rng_u32(&r); /* a row of extremes: nothing saturates */
    for (size_t i = 0; i < sizeof b; i++)
        b[i] = i % N == 0 ? -128 : i % N == 1 ? 127 : (int8_t)recon_rng_u32(&r);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        recon_gemm_args g = { .type = RECON_I8,
                              .m = shapes[i][0],
                              .n = shapes[i][1],
                              .k = shapes[i][2],
                              .alpha = 1,
                              .a = a,
                              .b = b,
                              .c = got,
                              .lda = K,
                              .ldb = N,
                              .ldc = N };
        gemm_on(t, g, sizeof a, sizeof b, sizeof got);
        g.c = want;
        CHECK_OK(t->ctx, recon_ops_ref.gemm(t->ctx, &g));
        assert_memory_equal(got, want, sizeof want); /* and nothing beside it is written */
        assert_int_equal(want[0], 128 * 128 * (int)g.k);
    }
}

static void dropout_on(const table *t, const recon_dropout_args *args, recon_tensor *y)
{
    recon_dropout_args a = *args;
    size_t bytes = recon_tensor_bytes(y);
    void *counter = upload(t, args->counter, sizeof *args->counter);
    a.counter = counter;
    a.x.data = upload(t, args->x.data, bytes);
    a.y = *y;
    a.y.data = upload(t, y->data, bytes);
    CHECK_OK(t->ctx, t->ops->dropout(t->ctx, &a));
    download(t, y->data, a.y.data, bytes);
    t->ops->release(t->ctx, a.x.data);
    t->ops->release(t->ctx, counter);
}

/* Channels too, of widths that do and do not make whole blocks of four draws. */
static void dropout_of_channels_agrees(void **state)
{
    const table *t = TABLE_WITH(state, dropout);
    static const size_t channels[] = { 1, 7, 128, 2050 };
    for (size_t c = 0; c < sizeof channels / sizeof *channels; c++) {
        maker m = maker_of(t->ctx, t->arena, c % 2 ? RECON_BF16 : RECON_F32, c);
        recon_mark mark = recon_arena_mark(t->arena);
        uint64_t counter = 3;
        recon_tensor got = blank(&m, m.type, SHAPE(3, 6, channels[c]));
        recon_tensor want = blank(&m, m.type, SHAPE(3, 6, channels[c]));
        recon_dropout_args a = { .rate = 0.3,
                                 .seed = 5,
                                 .site = 9,
                                 .counter = &counter,
                                 .planes = 6,
                                 .x = noise_of(&m, m.type, SHAPE(3, 6, channels[c])),
                                 .y = want };
        CHECK_OK(t->ctx, recon_ops_ref.dropout(t->ctx, &a));
        dropout_on(t, &a, &got);
        for (size_t i = 0; i < recon_tensor_count(&want); i++)
            CHECK_NEAR(number_at(&got, i), number_at(&want, i), 0x1p-7 * fabs(number_at(&want, i)));
        recon_arena_release(t->arena, mark);
    }
}

/* The same elements on every table: the mask is a function of seed, counter and site. */
static void dropout_agrees(void **state)
{
    const table *t = TABLE_WITH(state, dropout);
    for (int bf16 = 0; bf16 < 2; bf16++)
        for (int k = 0; k < 2 * BORDERS;
             k++) { /* a draw has four numbers, and none at a run's end */
            size_t n = border(k < BORDERS ? RECON_RUN - 4 : 1, k % BORDERS);
            maker m = maker_of(t->ctx, t->arena, bf16 ? RECON_BF16 : RECON_F32, n);
            recon_mark mark = recon_arena_mark(t->arena);
            uint64_t counter = 0x700000000 + n;
            recon_tensor got = blank(&m, m.type, SHAPE(n)), want = blank(&m, m.type, SHAPE(n));
            recon_dropout_args a = { .rate = 0.3,
                                     .seed = 5 + n,
                                     .site = 9,
                                     .counter = &counter,
                                     .x = noise_of(&m, m.type, SHAPE(n)),
                                     .y = want };
            CHECK_OK(t->ctx, recon_ops_ref.dropout(t->ctx, &a));
            dropout_on(t, &a, &got);
            for (size_t i = 0; i < n; i++)
                CHECK_NEAR(number_at(&got, i), number_at(&want, i),
                           (bf16 ? 0x1p-7 : 1e-6) * fabs(number_at(&want, i)));
            recon_arena_release(t->arena, mark);
        }
}

static void norm2_agrees(void **state)
{
    const table *t = TABLE_WITH(state, norm2);
    for (int k = 0; k < 3 * BORDERS; k++) {
        size_t n = border((size_t[]){ 2, RECON_RUN, RECON_TASK }[k / BORDERS], k % BORDERS);
        maker m = maker_of(t->ctx, t->arena, RECON_F32, n);
        recon_mark mark = recon_arena_mark(t->arena);
        recon_tensor x = noise_of(&m, RECON_F32, SHAPE(n));
        double want, got = NAN;
        CHECK_OK(t->ctx, recon_ops_ref.norm2(t->ctx, &want, x.data, n, RECON_F32));
        void *there = upload(t, x.data, recon_tensor_bytes(&x)), *out = upload(t, &got, sizeof got);
        CHECK_OK(t->ctx, t->ops->norm2(t->ctx, out, there, n, RECON_F32));
        download(t, &got, out, sizeof got);
        t->ops->release(t->ctx, there);
        CHECK_NEAR(got, want, 1e-6 * want);
        recon_arena_release(t->arena, mark);
    }
}

/* Weights, moments, average and rounded weights; the gradient's place is taken by index 4. */
enum { ADAM_BLOCKS = 6 };

static void adam_on(const table *t, recon_adam_args a, void *const block[ADAM_BLOCKS])
{
    void *there[ADAM_BLOCKS];
    for (int i = 0; i < ADAM_BLOCKS; i++)
        there[i] = upload(t, block[i], a.n * (i == 5 ? 2 : 4));
    void *now = upload(t, a.state, sizeof *a.state), *norm = upload(t, a.grad_norm, 8);
    a.state = now;
    a.grad_norm = norm;
    a.w = there[0], a.m = there[1], a.v = there[2], a.ema = there[3], a.g = there[4];
    a.bf16 = there[5];
    CHECK_OK(t->ctx, t->ops->adam(t->ctx, &a));
    for (int i = 0; i < ADAM_BLOCKS; i++)
        download(t, block[i], there[i], a.n * (i == 5 ? 2 : 4));
    t->ops->release(t->ctx, now);
    t->ops->release(t->ctx, norm);
}

static void check_adam(const table *t, size_t n)
{
    const table ref = { "ref", t->ctx, &recon_ops_ref, t->arena };
    maker m = maker_of(t->ctx, t->arena, RECON_F32, 0);
    recon_mark mark = recon_arena_mark(t->arena);
    void *got[ADAM_BLOCKS], *want[ADAM_BLOCKS];
    for (int i = 0; i < ADAM_BLOCKS; i++) {
        recon_tensor x = noise_of(&m, i == 5 ? RECON_BF16 : RECON_F32, SHAPE(n));
        for (size_t j = 0; j < n && i == 2; j++)
            set_number(&x, j, fabs(number_at(&x, j)));
        recon_tensor y = copy_of(&m, &x);
        got[i] = x.data, want[i] = y.data;
    }
    recon_adam_state now = { 0.01, 0.1, 0.02 };
    double norm = 5;
    for (int clip = 0; clip < 3; clip++) { /* none, one that bites, one that does not */
        recon_adam_args a = { .n = n,
                              .b1 = 0.9,
                              .b2 = 0.99,
                              .eps = 1e-8,
                              .decay = 0.1,
                              .clip = clip == 2 ? 10 : clip,
                              .ema_decay = 0.95,
                              .state = &now,
                              .grad_norm = &norm,
                              .type = RECON_F32 };
        adam_on(t, a, got);
        adam_on(&ref, a, want);
        for (int i = 0; i < 5; i++)
            for (size_t j = 0; j < n; j++)
                CHECK_NEAR(((float *)got[i])[j], ((float *)want[i])[j],
                           2e-6 * (1 + fabs(((float *)want[i])[j])));
        for (size_t j = 0; j < n; j++)
            assert_int_equal(((uint16_t *)got[5])[j], recon_bf16_from_float(((float *)got[0])[j]));
    }
    recon_arena_release(t->arena, mark);
}

static void adam_agrees(void **state)
{
    for (int i = 0; i < BORDERS; i++)
        check_adam(TABLE_WITH(state, adam), border(RECON_RUN, i));
}

static void memory_is_zeroed(void **state)
{
    const table *t = TABLE_WITH(state, zero);
    unsigned char bytes[1000];
    memset(bytes, 0x5a, sizeof bytes);
    void *block = upload(t, bytes, sizeof bytes);
    CHECK_OK(t->ctx, t->ops->zero(t->ctx, block, sizeof bytes - 1));
    download(t, bytes, block, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        assert_int_equal(bytes[i], i + 1 < sizeof bytes ? 0 : 0x5a);
}

static float *noise(size_t n, uint64_t stream)
{
    float *x = malloc((n ? n : 1) * sizeof *x);
    recon_rng r = recon_rng_new(99, stream);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)recon_rng_normal(&r);
    return x;
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

static void check_topk(const table *on, size_t cols)
{
    enum { ROWS = 70, COLS = 2 * RECON_BLOCK_TOPK + 1, LD = COLS + 9 };
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
                              .cols = cols,
                              .row_floor = rf,
                              .row_shift = rs,
                              .col_floor = cf,
                              .col_shift = cs };
        size_t n = scan(on->ctx, &recon_ops_ref, t, want);
        assert_int_equal(scan(on->ctx, on->ops, t, got), n);
        assert_memory_equal(got, want, n * sizeof *got);
        assert_in_range(n, 1, ROWS * COLS - 1);
    }
    free(scores), free(rf), free(cf), free(rs), free(cs), free(got), free(want);
}

static void topk_scans_alike(void **state)
{
    for (int i = 0; i < BORDERS; i++)
        check_topk(TABLE_WITH(state, topk), border(RECON_BLOCK_TOPK, i));
}

static void topk_scans_bytes_alike(void **state)
{
    const table *on = TABLE_WITH(state, topk);
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
    size_t n = scan(on->ctx, &recon_ops_ref, t, want);
    assert_in_range(n, 1, ROWS * COLS - 1);
    assert_int_equal(scan(on->ctx, on->ops, t, got), n);
    assert_memory_equal(got, want, n * sizeof *got);
    free(rf), free(cf), free(zero), free(rs), free(cs), free(got), free(want);
}

static void backends_are_chosen_by_name(void **state)
{
    recon_ctx *ctx = ((const fixture *)*state)->table->ctx;
    CHECK_OK(ctx, recon_ops_attach(ctx, "ref"));
    assert_string_equal(recon_ops_name(ctx), "ref");
    assert_ptr_equal(recon_ops_on_host(ctx), &recon_ops_ref);
    assert_int_equal(recon_precision_on(ctx, RECON_AUTO), RECON_SINGLE);
    CHECK_FAILS(ctx, recon_ops_attach(ctx, "abacus"), RECON_ERR_INPUT, "'abacus'");
    CHECK_OK(ctx, recon_ops_attach(ctx, "cpu"));
    assert_memory_equal(recon_ops_name(ctx), "cpu", 3);
    assert_ptr_equal(recon_ops_on_host(ctx), &recon_ops_cpu);
}

/* ---- the tests, for each table ---- */

#define PLAIN(test)                                                                                \
    {                                                                                              \
#test, test                                                                                \
    }
static const struct {
    const char *name;
    CMUnitTestFunction test;
} plain[] = { PLAIN(blocks_end_where_they_should),
              PLAIN(pairs_of_a_large_molecule_agree),
              PLAIN(gradients_are_optional),
              PLAIN(gemm_agrees),
              PLAIN(byte_products_are_exact),
              PLAIN(dropout_agrees),
              PLAIN(dropout_of_channels_agrees),
              PLAIN(norm2_agrees),
              PLAIN(adam_agrees),
              PLAIN(memory_is_zeroed),
              PLAIN(topk_scans_alike),
              PLAIN(topk_scans_bytes_alike) };

enum { PLAINS = sizeof plain / sizeof *plain, TABLES = 2, TESTS = TABLES * (PLAINS + ENTRIES) + 1 };

static table open_table(const char *name)
{
    table t = { .name = name, .arena = recon_arena_make() };
    t.ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 2 });
    if (t.ctx && recon_ops_attach(t.ctx, name) == RECON_OK) {
        t.ops = recon_ops_of(t.ctx);
        return t;
    }
    recon_ctx_free(t.ctx);
    t.ctx = NULL;
    return t;
}

static struct CMUnitTest test_of(fixture *f, const table *t, int which, const char *name,
                                 CMUnitTestFunction test)
{
    *f = (fixture){ .table = t, .entry = which };
    snprintf(f->name, sizeof f->name, "%s: %s", t->name, name);
    return (struct CMUnitTest){ .name = f->name, .test_func = test, .initial_state = f };
}

int main(void)
{
    static fixture fixtures[TESTS];
    struct CMUnitTest tests[TESTS];
    table tables[TABLES] = { open_table("cpu"), open_table("cuda") };
    size_t n = 0;
    for (int t = 0; t < TABLES; t++) {
        for (int i = 0; i < ENTRIES; i++, n++)
            tests[n] = test_of(&fixtures[n], &tables[t], i, entries[i].name, entry_agrees);
        for (int i = 0; i < PLAINS; i++, n++)
            tests[n] = test_of(&fixtures[n], &tables[t], 0, plain[i].name, plain[i].test);
    }
    tests[n] = test_of(&fixtures[n], &tables[0], 0, "chosen by name", backends_are_chosen_by_name);
    int failed = _cmocka_run_group_tests("ops", tests, TESTS, NULL, NULL);
    for (int t = 0; t < TABLES; t++) {
        recon_arena_free(tables[t].arena);
        recon_ctx_free(tables[t].ctx);
    }
    return failed;
}
