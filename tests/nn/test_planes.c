/* A steerable layer run by waves is the dense one: outputs and both gradients, for frequencies
 * 0 .. 3 in any mix, sizes, paddings and ring rules; and the operations are as few as promised. */
#include "check.h"
#include <recon/nn/steerable.h>
#include <recon/ops/backend.h>
#include "core/ctx.h"
#include "nn/planes.h"
#include "ops/steer.h"

#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct {
    recon_fields in, out;
} mixes[] = {
    { { { 3 } }, { { 2 } } },
    { { { 2, 3 } }, { { 3, 2 } } },
    { { { 1 } }, { { 2, 1, 1, 1 } } },
    { { { 2, 1, 2, 1 } }, { { 2 } } },
    { { { 3, 2, 1, 1 } }, { { 2, 1, 2, 1 } } },
    { { { 0, 2, 1 } }, { { 0, 0, 3, 1 } } },
    { { { 17, 9, 8 } }, { { 5, 6, 3 } } },
};
static const recon_steerable_options forms[] = {
    { .size = 1 },
    { .size = 3 },
    { .size = 3, .pad = RECON_PAD_NONE, .rings = RECON_RINGS_WIDE },
    { .size = 5 },
    { .size = 5, .pad = 3, .rings = RECON_RINGS_WIDE },
    { .size = 7 },
    { .size = 7, .pad = 1, .rings = RECON_RINGS_WIDE },
};

enum { N = 2, H = 7, W = 6, WIDE = COUNT(mixes) - 1 };

/* Everything a layer computes: y, dx and dw, one behind the other. */
typedef struct {
    size_t count;
    double *number;
} result;

static double *noise(size_t n, uint64_t stream)
{
    double *x = malloc((n + 1) * sizeof *x);
    recon_rng rng = recon_rng_new(7, stream);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i] = recon_rng_normal(&rng);
    return x;
}

/* Numbers of the tape's own type. */
static recon_var input(recon_tape *t, const double *x, recon_precision precision, size_t n,
                       size_t h, size_t w, size_t c)
{
    size_t shape[4] = { n, h, w, c };
    float *single = malloc((n * h * w * c + 1) * sizeof *single);
    for (size_t i = 0; i < n * h * w * c; i++)
        single[i] = (float)x[i];
    recon_var v = precision == RECON_DOUBLE ? recon_var_input(t, x, RECON_F64, shape, 4)
                                            : recon_var_input(t, single, RECON_F32, shape, 4);
    free(single);
    return v;
}

static void read_all(recon_ctx *ctx, recon_tape *t, result *r, recon_var y, recon_var x,
                     const recon_steerable *l)
{
    recon_var dx = recon_var_gradient(t, x);
    size_t ny = recon_var_count(y), nx = recon_var_count(x), nw = recon_param_count(l->weight);
    r->count = ny + nx + nw;
    r->number = malloc(r->count * sizeof *r->number);
    CHECK_OK(ctx, recon_var_read(t, r->number, y));
    CHECK_OK(ctx, recon_var_read(t, r->number + ny, dx));
    CHECK_OK(ctx, recon_param_read_gradient(ctx, r->number + ny + nx, l->weight));
}

static result run(recon_ctx *ctx, size_t mix, const recon_steerable_options *form,
                  recon_steerable_way way, recon_precision precision)
{
    recon_steerable_options o = *form;
    recon_params *p;
    recon_steerable l;
    recon_tape *t;
    result r;
    o.way = way;
    CHECK_OK(ctx, recon_params_new(ctx, &p, precision));
    CHECK_OK(ctx, recon_steerable_add(ctx, &l, p, "l", &mixes[mix].in, &mixes[mix].out, &o));
    CHECK_OK(ctx, recon_params_make(ctx, p, 3));
    CHECK_OK(ctx, recon_tape_new(ctx, &t, precision, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_TRAIN, 0));
    size_t c = recon_fields_channels(&l.in), outs = recon_fields_channels(&l.out);
    size_t h = H + 2 * l.pad + 1 - l.size, w = W + 2 * l.pad + 1 - l.size;
    double *x = noise(N * H * W * c, mix), *target = noise(N * h * w * outs, 99);
    recon_var in = recon_var_watch(t, input(t, x, precision, N, H, W, c));
    recon_var y = recon_steerable_apply(t, &l, in);
    CHECK_OK(ctx, recon_tape_backward(
                      t, recon_var_mse(t, y, input(t, target, precision, N, h, w, outs))));
    read_all(ctx, t, &r, y, in, &l);
    free(x), free(target);
    recon_tape_free(t);
    recon_params_free(ctx, p);
    return r;
}

/* Can every output be computed at all? */
static int is_reached(size_t mix, const recon_steerable_options *form)
{
    int all = 1;
    for (size_t m = 0; m < RECON_FREQUENCIES; m++) {
        size_t elements = 0;
        for (size_t n = 0; n < RECON_FREQUENCIES; n++)
            if (mixes[mix].in.of[n])
                elements += recon_steerable_elements(NULL, n, m, form->size, form->rings);
        all &= elements > 0 || mixes[mix].out.of[m] == 0;
    }
    return all;
}

static void ways_agree(recon_ctx *ctx, recon_precision precision, double tolerance)
{
    for (size_t m = 0; m < COUNT(mixes); m++)
        for (size_t f = 0; f < COUNT(forms); f++) {
            if (!is_reached(m, &forms[f]) || (precision == RECON_DOUBLE && m == WIDE))
                continue; /* ref takes its time */
            result dense = run(ctx, m, &forms[f], RECON_WAY_DENSE, precision);
            result waves = run(ctx, m, &forms[f], RECON_WAY_WAVES, precision);
            assert_int_equal(dense.count, waves.count);
            for (size_t i = 0; i < dense.count; i++)
                CHECK_NEAR(waves.number[i], dense.number[i],
                           tolerance * (1 + fabs(dense.number[i])));
            free(dense.number), free(waves.number);
        }
}

static void ways_agree_in_double(void **state)
{
    CHECK_OK(*state, recon_ops_attach(*state, "ref"));
    ways_agree(*state, RECON_DOUBLE, 1e-12);
}

static void ways_agree_in_float(void **state)
{
    CHECK_OK(*state, recon_ops_attach(*state, "cpu"));
    ways_agree(*state, RECON_SINGLE, 1e-5);
}

/* ---- frozen ---- */

static void infer(recon_ctx *ctx, double *out, const recon_steerable *l, recon_precision precision)
{
    size_t c = recon_fields_channels(&l->in);
    double *x = noise(N * H * W * c, 4);
    recon_tape *t;
    CHECK_OK(ctx, recon_tape_new(ctx, &t, precision, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    recon_var v = input(t, x, precision, N, H, W, c);
    v = recon_steerable_apply(t, l, recon_var_cast(t, v, recon_tape_activations(t)));
    CHECK_OK(ctx, recon_tape_status(t));
    CHECK_OK(ctx, recon_var_read(t, out, v));
    recon_tape_free(t);
    free(x);
}

static void frozen_weights_answer_alike(void **state)
{
    enum { OUTPUTS = N * H * W * 7 };
    double live[OUTPUTS], frozen[OUTPUTS];
    recon_ctx *ctx = *state;
    CHECK_OK(ctx, recon_ops_attach(ctx, "cpu"));
    for (int mixed = 0; mixed < 2; mixed++) {
        recon_precision precision = mixed ? RECON_MIXED : RECON_SINGLE;
        recon_steerable_options o = { .size = 5, .way = RECON_WAY_WAVES };
        recon_params *p;
        recon_steerable l;
        CHECK_OK(ctx, recon_params_new(ctx, &p, precision));
        CHECK_OK(ctx, recon_steerable_add(ctx, &l, p, "l", &mixes[1].in, &mixes[1].out, &o));
        CHECK_OK(ctx, recon_params_make(ctx, p, 3));
        infer(ctx, live, &l, precision);
        CHECK_OK(ctx, recon_steerable_freeze(ctx, &l));
        infer(ctx, frozen, &l, precision);
        assert_memory_equal(live, frozen, sizeof live);
        recon_params_free(ctx, p);
    }
}

/* ---- operations, and the choice ---- */

/* What the table is asked about. */
static recon_steer_args form_of(const recon_steerable *l, const recon_planes *p, size_t side)
{
    return (recon_steer_args){ .pad = l->pad,
                               .plane = p->plane,
                               .product = p->product,
                               .products = p->products,
                               .x = { .ndim = 4,
                                      .shape = { 1, side, side, recon_fields_channels(&l->in) } },
                               .wave = { .ndim = 3, .shape = { p->waves, l->size, l->size } } };
}

/* Multiply-adds per pixel and pair of fields of frequencies 0 and 1, by size. */
static void operations_are_few(void **state)
{
    static const size_t want[][3] = { { 3, 81, 20 }, { 5, 225, 35 }, { 7, 441, 50 } };
    recon_ctx *ctx = *state;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    for (size_t i = 0; i < COUNT(want); i++) {
        recon_steerable l = { .in = { { 1, 1 } }, .out = { { 1, 1 } }, .size = want[i][0] };
        recon_planes *p;
        CHECK_OK(ctx, recon_planes_of(ctx, &p, arena, &l));
        recon_steer_args a = form_of(&l, p, 9);
        CHECK_NEAR(recon_steer_dense_work(&a), (double)want[i][1], 0);
        CHECK_NEAR(recon_steer_product_work(&a), (double)want[i][2], 0);
    }
    recon_arena_release(arena, mark);
}

/* Wide layers go by waves, a first layer does not: it has one channel to filter. */
static void the_choice_looks_at_shapes(void **state)
{
    static const struct {
        recon_fields in, out;
        size_t size, side;
        int waves;
    } layers[] = {
        { { { 128, 128 } }, { { 128, 128 } }, 5, 24, 1 },
        { { { 32, 32 } }, { { 32, 32 } }, 5, 24, 1 },
        { { { 32, 24, 16, 8 } }, { { 64, 48, 24, 8 } }, 5, 14, 1 },
        { { { 8, 6, 4 } }, { { 8, 6, 4 } }, 5, 28, 0 },
        { { { 1 } }, { { 8, 6, 4 } }, 7, 28, 0 },
    };
    recon_ctx *ctx = *state;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    for (size_t i = 0; i < COUNT(layers); i++) {
        recon_steerable l = { .in = layers[i].in,
                              .out = layers[i].out,
                              .size = layers[i].size,
                              .pad = layers[i].size / 2 };
        recon_planes *p;
        CHECK_OK(ctx, recon_planes_of(ctx, &p, arena, &l));
        recon_steer_args a = form_of(&l, p, layers[i].side);
        assert_int_equal(recon_ops_cpu.steer_pays(ctx, &a, 0), layers[i].waves);
    }
    recon_arena_release(arena, mark);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_agree_in_double),        cmocka_unit_test(ways_agree_in_float),
        cmocka_unit_test(frozen_weights_answer_alike), cmocka_unit_test(operations_are_few),
        cmocka_unit_test(the_choice_looks_at_shapes),
    };
    return cmocka_run_group_tests_name("nn/planes", tests, check_setup, check_teardown);
}
