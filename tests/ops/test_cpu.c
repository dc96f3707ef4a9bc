/* What only the cpu table promises: the same bits for any number of threads, on sizes that are cut
 * into several tasks, the last one smaller; and an honest error whenever memory is short. */
#include "ops/cases.h"
#include "core/memory.h"
#include "ops/cpu/dnnl.h"

static const op_case large[] = {
    { CONV, build_conv, { 131, 6, 6, 16, 17, 3, 1, 1, 1, 1 } },
    { CONV, build_conv, { 37, 12, 12, 40, 1, 3, 1, 1, 0, 1 } },
    { CONV, build_conv, { 13, 24, 24, 8, 24, 5, 2, 2, 1, 1 } },
    { CONV, build_conv, { 9, 8, 8, 4, 6, 3, 1, 4, 0, 0 } }, /* more padding than kernel */
    { CONV, build_conv, { 7, 32, 32, 12, 40, 1, 1, 0, 1, 1 } },
    { CONV, build_linear, { 1031, 33, 20, 1, 1 } },
    { STEER, build_steer, { 19, 13, 11, 8, 12, 5, 2, 17, 6, 1 } },
    { STEER, build_steer, { 3, 24, 24, 40, 4, 3, 1, 8, 16, 0 } },
    { MAP, build_map, { RECON_SILU, 517, 129 } },
    { GATE, build_gate, { 517, 65, 2 } },
    { NORM, build_norm, { 4099, 33, 1, 1, 0 } },
    { NORM, build_norm, { 2051, 33, 2, 1, 0 } },
    { NORM, build_norm, { 300, 300, 1, 1, 7 } },
    { NORM, build_norm, { 4099, 33, 1, 1, 0, 1, 1, 1 } },
    { NORM, build_norm, { 4099, 40, 1, 1, 0, 1, 0, 1 } },
    { NORM, build_norm, { 300, 300, 1, 1, 7, 1, 1, 1 } },
    { POOL, build_pool, { 0, 9, 12, 10, 33, 2, 2 } },
    { POOL, build_pool, { 1, 9, 11, 10, 33, 3, 2 } },
    { RESIZE, build_resize, { 0, 9, 7, 5, 33, 14, 10 } },
    { ROTATE, build_rotate, { 9, 12, 12, 3 } },
    { REDUCE, build_reduce, { 1, 70001, 3 } },
    { REDUCE, build_reduce, { 3, 70001, 1 } },
    { COUPLE, build_couple, { 1033, 3, 21, 9, 5, 3, 18, 8, 4, 2 } },
    { COUPLE, build_couple, { 200, 2, 3, 4, 1, 0, 4, 2, 6, 3 } },
    { LOSS, build_loss, { RECON_LOSS_MSE, 1031, 129 } },
    { LOSS, build_loss, { RECON_LOSS_L1, 1031, 129 } },
};
#define LARGE (sizeof large / sizeof *large)

static void run(recon_ctx *ctx, const recon_ops *ops, const entry *e, any_args *args)
{
    CHECK_OK(ctx, e->call(ops, ctx, args));
    CHECK_OK(ctx, e->back(ops, ctx, args));
}

/* The largest difference over all that was written, in units of the root mean square. */
static double distance(const recon_tensor *got, const recon_tensor *want)
{
    size_t n = recon_tensor_count(want);
    double most = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        double d = fabs(number_at(got, i) - number_at(want, i));
        most = d <= most ? most : d;
        square += number_at(want, i) * number_at(want, i);
    }
    return most / (sqrt(square / (double)n) + 1e-30);
}

#define SAME_BYTES(a, b) assert_memory_equal((a)->data, (b)->data, recon_tensor_bytes(a))

/* Calls check for each tensor of the arguments and each gradient. */
typedef void check_fn(const op_case *c, const recon_tensor *got, const recon_tensor *want);
static void for_tensors(check_fn *check, const op_case *c, any_args *got, any_args *want)
{
    for (const slot *s = entries[c->entry].slots; s->role; s++) {
        size_t at[] = { s->at, s->gradient };
        for (int i = 0; i < 2; i++)
            if (at[i] != NO_GRADIENT && tensor_at(want, at[i])->data)
                check(c, tensor_at(got, at[i]), tensor_at(want, at[i]));
    }
}

static void check_bits(const op_case *c, const recon_tensor *got, const recon_tensor *want)
{
    if (memcmp(got->data, want->data, recon_tensor_bytes(want)) != 0)
        fail_msg("%s: the bits depend on the threads", entries[c->entry].name);
}

static void check_value(const op_case *c, const recon_tensor *got, const recon_tensor *want)
{
    if (want->type == RECON_I32)
        check_bits(c, got, want);
    else if (!(distance(got, want) <= 1e-4))
        fail_msg("%s is %g from ref", entries[c->entry].name, distance(got, want));
}

static void large_cases(recon_dtype type)
{
    static const int threads[] = { 1, 2, 5 };
    recon_ctx *ctx[3];
    recon_arena *arena = recon_arena_make();
    for (int i = 0; i < 3; i++)
        ctx[i] = recon_ctx_new(&(recon_ctx_options){ .threads = threads[i] });
    for (size_t k = 0; k < LARGE; k++) {
        const entry *e = &entries[large[k].entry];
        recon_mark mark = recon_arena_mark(arena);
        maker m = maker_of(ctx[0], arena, type, 0);
        any_args want = build_args(&m, &large[k]), got[3];
        for (int i = 0; i < 3; i++) {
            got[i] = copy_args(&m, e, &want);
            run(ctx[i], &recon_ops_cpu, e, &got[i]);
            for_tensors(check_bits, &large[k], &got[i], &got[0]);
        }
        if (type == RECON_F32) { /* test_ops.c does bf16 */
            run(ctx[1], &recon_ops_ref, e, &want);
            for_tensors(check_value, &large[k], &got[0], &want);
        }
        recon_arena_release(arena, mark);
    }
    for (int i = 0; i < 3; i++)
        recon_ctx_free(ctx[i]);
    recon_arena_free(arena);
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    large_cases(RECON_F32);
}

static void bits_do_not_depend_on_threads_in_bf16(void **state)
{
    (void)state;
    large_cases(RECON_BF16);
}

static void norms_of_gradients_are_the_same_for_any_threads(void **state)
{
    enum { N = 100003 };
    recon_ctx *one = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    recon_arena *arena = recon_arena_make();
    maker m = maker_of(one, arena, RECON_F32, 5);
    recon_tensor x = noise_of(&m, RECON_F32, SHAPE(N));
    double a, b, want;
    CHECK_OK(one, recon_ops_cpu.norm2(one, &a, x.data, N, RECON_F32));
    CHECK_OK(*state, recon_ops_cpu.norm2(*state, &b, x.data, N, RECON_F32));
    CHECK_OK(one, recon_ops_ref.norm2(one, &want, x.data, N, RECON_F32));
    assert_true(a == b);
    CHECK_NEAR(a, want, 1e-6 * want);
    recon_arena_free(arena);
    recon_ctx_free(one);
}

/* A NaN in an image reaches the pixels whose windows hold it, through the ReLU too. */
static void convolution_passes_nan_on(void **state)
{
    recon_arena *arena = recon_arena_make();
    for (int half = 0; half < 2; half++) {
        maker m = maker_of(*state, arena, half ? RECON_BF16 : RECON_F32, 0);
        const op_case c = { CONV, build_conv, { 1, 5, 5, 8, 8, 3, 1, 1, 1, 1 } };
        any_args args = build_args(&m, &c);
        set_number(&args.conv.x, 0, NAN);
        CHECK_OK(*state, recon_ops_cpu.conv(*state, &args.conv));
        assert_true(isnan(number_at(&args.conv.y, 0)));
        assert_true(isfinite(number_at(&args.conv.y, 2 * 8)));
    }
    recon_arena_free(arena);
}

/* One call against a norm, a sum and a ReLU, there and back. */
static void check_norm_and_parts(recon_ctx *ctx, recon_arena *arena, int skip)
{
    const op_case c = { NORM, build_norm, { 1037, 33, 1, 1, 0, 1, (size_t)skip, 1 } };
    maker m = maker_of(ctx, arena, RECON_F32, 0);
    any_args whole = build_args(&m, &c), parts = copy_args(&m, &entries[NORM], &whole);
    recon_norm_args *w = &whole.norm, *a = &parts.norm;
    recon_tensor sum = a->skip, g = copy_of(&m, &a->dy);
    run(ctx, &recon_ops_cpu, &entries[NORM], &whole);
    a->skip.data = NULL;
    a->relu = 0;
    CHECK_OK(ctx, recon_ops_cpu.norm(ctx, a));
    recon_map_args map = { .kind = RECON_RELU, .x = skip ? sum : a->y, .y = copy_of(&m, &a->y) };
    if (skip)
        CHECK_OK(ctx, recon_ops_cpu.add(ctx, &(recon_add_args){ 1, 1, sum, a->y, sum }));
    CHECK_OK(ctx, recon_ops_cpu.map(ctx, &map));
    CHECK_OK(ctx, recon_ops_cpu.add(ctx, &(recon_add_args){ 1, 1, g, a->dy, a->dy_more }));
    map.dy = map.dx = g;
    CHECK_OK(ctx, recon_ops_cpu.map_back(ctx, &map));
    a->dy = g;
    a->dy_more.data = a->dskip.data = NULL;
    CHECK_OK(ctx, recon_ops_cpu.norm_back(ctx, a));
    SAME_BYTES(&w->y, &map.y);
    SAME_BYTES(&w->dx, &a->dx);
    SAME_BYTES(&w->dscale, &a->dscale);
    SAME_BYTES(&w->dshift, &a->dshift);
    if (skip)
        SAME_BYTES(&w->dskip, &g);
}

static void norm_sum_and_relu_are_those_of_separate_calls(void **state)
{
    recon_arena *arena = recon_arena_make();
    for (int skip = 0; skip < 2; skip++)
        check_norm_and_parts(*state, arena, skip);
    recon_arena_free(arena);
}

/* And through the nonlinearities of scalars and pairs. */
static void norms_of_fields_pass_nan_on(void **state)
{
    enum { SCALARS = 4, TWOS = 3, COLS = SCALARS + 2 * TWOS };
    recon_arena *arena = recon_arena_make();
    for (int half = 0; half < 2; half++) {
        maker m = maker_of(*state, arena, half ? RECON_BF16 : RECON_F32, 0);
        const op_case c = { FIELD_NORM, build_field_norm, { 2, SCALARS, TWOS, 0 } };
        any_args args = build_args(&m, &c);
        set_number(&args.field_norm.x, 1, NAN);
        set_number(&args.field_norm.x, SCALARS + 2, NAN);
        CHECK_OK(*state, recon_ops_cpu.field_norm(*state, &args.field_norm));
        for (size_t i = 0; i < 2 * COLS; i++)
            assert_true(!isnan(number_at(&args.field_norm.y, i)) == !(i == 1 || i == SCALARS + 2));
    }
    recon_arena_free(arena);
}

/* Every allocation of a first step fails in turn; then the same context computes. */
static void check_short_memory(recon_ctx *outer, recon_arena *arena, const op_case *c)
{
    const entry *e = &entries[c->entry];
    maker m = maker_of(outer, arena, RECON_BF16, 0);
    any_args args = build_args(&m, c);
    recon_status status = RECON_ERR_MEMORY;
    for (long n = 1; status != RECON_OK; n++) {
        recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 2 });
        recon_alloc_fail_at(ctx, n);
        status = e->call(&recon_ops_cpu, ctx, &args);
        if (status == RECON_OK)
            status = e->back(&recon_ops_cpu, ctx, &args);
        if (status != RECON_OK)
            assert_int_equal(status, RECON_ERR_MEMORY);
        recon_alloc_fail_at(ctx, 0);
        run(ctx, &recon_ops_cpu, e, &args);
        recon_ctx_free(ctx);
    }
}

static void short_memory_is_an_error(void **state)
{
    static const op_case steer = { STEER, build_steer, { 3, 6, 6, 8, 3, 3, 1, 5, 6, 1 } };
    static const op_case couple = { COUPLE, build_couple, { 70, 3, 4, 3, 2, 1, 5, 3, 1, 1 } };
    recon_arena *arena = recon_arena_make();
    check_short_memory(*state, arena, &large[0]);
    check_short_memory(*state, arena, &steer);
    check_short_memory(*state, arena, &couple);
    recon_arena_free(arena);
}

/* Every field set, whatever lay in the memory before. */
static const recon_dnnl_plan *plan_in_dirt(recon_ctx *ctx, int dirt)
{
    const recon_dnnl_plan *plan;
    recon_dnnl_shape s;
    memset(&s, dirt, sizeof s);
    s.kind = RECON_DNNL_FORWARD;
    s.bf16 = s.bias = 0;
    s.n = s.c = s.o = 4;
    s.h = s.w = s.p = s.q = 6;
    s.kh = s.kw = 3;
    s.stride = s.pad_h = s.pad_w = 1;
    CHECK_OK(ctx, recon_dnnl_find(ctx, &plan, &s));
    return plan;
}

static void a_shape_has_one_plan(void **state)
{
    if (!recon_dnnl_is_there())
        skip();
    assert_ptr_equal(plan_in_dirt(*state, 0xff), plan_in_dirt(*state, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(bits_do_not_depend_on_threads_in_bf16),
        cmocka_unit_test(norms_of_gradients_are_the_same_for_any_threads),
        cmocka_unit_test(convolution_passes_nan_on),
        cmocka_unit_test(norm_sum_and_relu_are_those_of_separate_calls),
        cmocka_unit_test(norms_of_fields_pass_nan_on),
        cmocka_unit_test(short_memory_is_an_error),
        cmocka_unit_test(a_shape_has_one_plan),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
