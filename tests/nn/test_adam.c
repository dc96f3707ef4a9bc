/* Adam against the formulas by hand, in double. */
#include "check.h"
#include "nn/params.h"

#include <recon/nn/adam.h>
#include <recon/nn/tape.h>
#include <recon/ops/backend.h>

static int setup(void **state)
{
    return check_setup(state) || recon_ops_attach(*state, "ref") != RECON_OK;
}

/* loss = mean of (w - target)^2 over two numbers: the gradient is w - target. */
static void gradients(recon_ctx *ctx, recon_tape *t, recon_params *p, recon_param *w,
                      const double *target)
{
    CHECK_OK(ctx, recon_params_clear_gradients(ctx, p));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_TRAIN, 0));
    recon_var goal = recon_var_input(t, target, RECON_F64, (size_t[]){ 2 }, 1);
    CHECK_OK(ctx, recon_tape_backward(t, recon_var_mse(t, recon_var_param(t, w), goal)));
}

typedef struct {
    double w[2], m[2], v[2], average[2];
} hand;

static void hand_step(hand *h, const double *target, int t, const recon_adam_options *o,
                      double rate)
{
    double g[2] = { h->w[0] - target[0], h->w[1] - target[1] };
    double norm = sqrt(g[0] * g[0] + g[1] * g[1]);
    double s = o->clip > 0 && norm > o->clip ? o->clip / norm : 1;
    for (int i = 0; i < 2; i++) {
        h->m[i] = 0.9 * h->m[i] + 0.1 * s * g[i];
        h->v[i] = 0.999 * h->v[i] + 0.001 * s * g[i] * s * g[i];
        double mhat = h->m[i] / (1 - pow(0.9, t)), vhat = h->v[i] / (1 - pow(0.999, t));
        h->w[i] -= rate * (mhat / (sqrt(vhat) + 1e-8) + o->decay * h->w[i]);
        h->average[i] = o->average * h->average[i] + (1 - o->average) * h->w[i];
    }
}

static void updates_follow_the_formulas(void **state)
{
    recon_ctx *ctx = *state;
    const recon_adam_options options[] = {
        { 0 }, { .decay = 0.1 }, { .clip = 0.5 }, { .decay = 0.02, .clip = 1, .average = 0.9 }
    };
    const double target[2] = { 3, -1 };
    for (int k = 0; k < 4; k++) {
        recon_params *p = NULL;
        recon_param *w;
        recon_adam *adam = NULL;
        recon_tape *t = NULL;
        hand h = { .w = { 0.5, 0.5 }, .average = { 0.5, 0.5 } };
        double got[2];
        CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_DOUBLE));
        CHECK_OK(ctx, recon_params_add(ctx, &w, p, "w", (size_t[]){ 2 }, 1,
                                       (recon_init){ RECON_INIT_CONSTANT, 0.5 }));
        CHECK_OK(ctx, recon_params_make(ctx, p, 1));
        CHECK_OK(ctx, recon_adam_new(ctx, &adam, p, &options[k]));
        CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_DOUBLE, 1));
        for (int step = 1; step <= 50; step++) {
            gradients(ctx, t, p, w, target);
            CHECK_OK(ctx, recon_adam_update(ctx, adam, 0.1 / step));
            hand_step(&h, target, step, &options[k], 0.1 / step);
            CHECK_OK(ctx, recon_param_read(ctx, got, w));
            CHECK_NEAR(got[0], h.w[0], 1e-12);
            CHECK_NEAR(got[1], h.w[1], 1e-12);
        }
        CHECK_OK(ctx, recon_adam_swap(ctx, adam));
        CHECK_OK(ctx, recon_param_read(ctx, got, w));
        CHECK_NEAR(got[0], options[k].average > 0 ? h.average[0] : h.w[0], 1e-12);
        CHECK_OK(ctx, recon_adam_swap(ctx, adam));
        CHECK_OK(ctx, recon_param_read(ctx, got, w));
        CHECK_NEAR(got[0], h.w[0], 1e-12);
        recon_tape_free(t);
        recon_adam_free(ctx, adam);
        recon_params_free(ctx, p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(updates_follow_the_formulas) };
    return cmocka_run_group_tests(tests, setup, check_teardown);
}
