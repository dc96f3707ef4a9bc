/* Every gradient of ref, in double, against differences of what it is the gradient of.
 *
 * For a random direction v of one input and random dy, <dy, J v> by central differences must be
 * <dx, v>. Where the output is affine in the input the difference has no error but rounding, for
 * any step: that is the adjoint test <y', J x'> = <J^T y', x'>. */
#include "ops/cases.h"

#define DIRECTIONS 3

typedef struct {
    recon_ctx *ctx;
    recon_arena *arena;
    int entry;
} fixture;

static double dot(const recon_tensor *a, const recon_tensor *b)
{
    double sum = 0;
    for (size_t i = 0; i < recon_tensor_count(a); i++)
        sum += number_at(a, i) * number_at(b, i);
    return sum;
}

/* <dy, y(x + step v)> - <dy, y(x - step v)>, element by element so that nothing cancels late. */
static double difference(maker *m, const entry *e, const any_args *args, const slot *input,
                         const recon_tensor *v, double step)
{
    any_args side[2];
    for (int k = 0; k < 2; k++) {
        side[k] = copy_args(m, e, args);
        const recon_tensor *x = tensor_at(&side[k], input->at);
        for (size_t i = 0; i < recon_tensor_count(x); i++)
            set_number(x, i, number_at(x, i) + (k ? -step : step) * number_at(v, i));
        CHECK_OK(m->ctx, e->call(&recon_ops_ref, m->ctx, &side[k]));
    }
    double sum = 0;
    for (const slot *s = e->slots; s->role; s++) {
        if (s->role != OUTPUT)
            continue;
        const recon_tensor *dy = tensor_at(&side[0], s->gradient);
        const recon_tensor *plus = tensor_at(&side[0], s->at), *minus = tensor_at(&side[1], s->at);
        for (size_t i = 0; i < recon_tensor_count(dy); i++)
            sum += number_at(dy, i) * (number_at(plus, i) - number_at(minus, i));
    }
    return sum;
}

static int is_affine(const op_case *c, const slot *s, const any_args *args)
{
    return s->linear && !(c->entry == CONV && args->conv.relu) &&
           !(c->entry == NORM && args->norm.relu) && !(c->entry == POOL && args->pool.max);
}

static void check_input(maker *m, size_t index, const any_args *args, const slot *input)
{
    const op_case *c = &cases[index];
    any_args copy = *args;
    const recon_tensor *x = tensor_at(&copy, input->at), *dx = tensor_at(&copy, input->gradient);
    int affine = is_affine(c, input, args);
    double step = affine ? 1 : 1e-6, tolerance = affine ? 1e-12 : 1e-6;
    for (int d = 0; d < DIRECTIONS; d++) {
        recon_mark mark = recon_arena_mark(m->arena);
        recon_tensor v = noise_of(m, RECON_F64, x->ndim, x->shape);
        double got = dot(dx, &v), size = sqrt(dot(dx, dx)) + 1e-3;
        double want = difference(m, &entries[c->entry], args, input, &v, step) / (2 * step);
        if (!(fabs(got - want) <= tolerance * size))
            fail_msg("%s, case %zu, input at %zu: <dx, v> = %.17g, difference %.17g, |dx| %g",
                     entries[c->entry].name, index, input->at, got, want, size);
        recon_arena_release(m->arena, mark);
    }
}

static void gradients_are_differences(void **state)
{
    const fixture *f = *state;
    const entry *e = &entries[f->entry];
    for (size_t i = 0; i < CASES; i++) {
        if (cases[i].entry != f->entry)
            continue;
        recon_mark mark = recon_arena_mark(f->arena);
        maker m = maker_of(f->ctx, f->arena, RECON_F64, 0);
        any_args args = build_case(&m, i);
        CHECK_OK(f->ctx, e->call(&recon_ops_ref, f->ctx, &args));
        CHECK_OK(f->ctx, e->back(&recon_ops_ref, f->ctx, &args));
        for (const slot *s = e->slots; s->role; s++)
            if ((s->role == INPUT || s->role == WEIGHT) && s->gradient != NO_GRADIENT &&
                tensor_at(&args, s->at)->data)
                check_input(&m, i, &args, s);
        recon_arena_release(f->arena, mark);
    }
}

int main(void)
{
    static fixture fixtures[ENTRIES];
    struct CMUnitTest tests[ENTRIES];
    size_t n = 0;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 2 });
    recon_arena *arena = recon_arena_make();
    if (!ctx || !arena)
        return 1;
    for (int i = 0; i < ENTRIES; i++) {
        if (!entries[i].back)
            continue;
        fixtures[i] = (fixture){ ctx, arena, i };
        tests[n++] = (struct CMUnitTest){ .name = entries[i].name,
                                          .test_func = gradients_are_differences,
                                          .initial_state = &fixtures[i] };
    }
    int failed = _cmocka_run_group_tests("gradients", tests, n, NULL, NULL);
    recon_arena_free(arena);
    recon_ctx_free(ctx);
    return failed;
}
