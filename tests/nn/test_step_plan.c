/* Memory of a step: planned as it is then taken; and a batch in parts is the same step. */
#include "scratch.h"
#include "nn/step.h"
#include "nn/tape.h"

#include <recon/nn/layers.h>
#include <recon/ops/backend.h>

enum { BATCH = 48, IN = 512, HIDDEN = 64 };

/* A network without anything that looks across a batch. */
typedef struct {
    recon_params *params;
    recon_mlp mlp;
    recon_var x, y;
    size_t passes; /* of feed, and the largest slice of them */
    size_t largest;
} fit;

static recon_status feed(void *user, recon_tape *t, uint64_t step)
{
    fit *k = user;
    recon_slice s = recon_tape_slice(t);
    static float x[BATCH][IN], y[BATCH];
    for (size_t i = 0; i < s.n; i++) {
        recon_rng rng = recon_rng_new(7, step * BATCH + s.first + i);
        y[i] = 0;
        for (size_t j = 0; j < IN; j++) {
            x[i][j] = (float)recon_rng_normal(&rng);
            y[i] += x[i][j] / (float)(j + 1);
        }
    }
    k->passes++;
    k->largest = s.n > k->largest ? s.n : k->largest;
    k->x = recon_var_input(t, x, RECON_F32, (size_t[]){ s.n, IN }, 2);
    k->y = recon_var_input(t, y, RECON_F32, (size_t[]){ s.n, 1 }, 2);
    return recon_tape_status(t);
}

static recon_var loss(void *user, recon_tape *t)
{
    fit *k = user;
    return recon_var_mse(t, recon_mlp_apply(t, &k->mlp, k->x), k->y);
}

static recon_status validate(void *user, recon_tape *t, double *metric)
{
    recon_status status = feed(user, t, 1 << 20);
    return status == RECON_OK ? recon_var_read(t, metric, loss(user, t)) : status;
}

static recon_trainee start(recon_ctx *ctx, fit *k)
{
    *k = (fit){ 0 };
    CHECK_OK(ctx, recon_ops_attach(ctx, "cpu"));
    CHECK_OK(ctx, recon_params_new(ctx, &k->params, RECON_SINGLE));
    CHECK_OK(ctx, recon_mlp_add(ctx, &k->mlp, k->params, "mlp", (size_t[]){ IN, HIDDEN, 1 }, 3, 0));
    CHECK_OK(ctx, recon_params_make(ctx, k->params, 4));
    return (recon_trainee){ .params = k->params,
                            .feed = feed,
                            .loss = loss,
                            .validate = validate,
                            .user = k,
                            .units = BATCH,
                            .beside = (size_t)1 << 30,
                            .remedy = "a smaller network takes less" };
}

/* What training is said to take in so many parts, at least. */
static size_t said(recon_ctx *ctx, const recon_trainee *it, uint64_t parts)
{
    recon_step_planner p = { .it = it, .free = SIZE_MAX };
    size_t bytes;
    CHECK_OK(ctx, recon_tape_new(ctx, &p.train, RECON_SINGLE, 0));
    CHECK_OK(ctx, recon_tape_new(ctx, &p.eval, RECON_SINGLE, 0));
    CHECK_OK(ctx, recon_step_planner_run(ctx, &p, &parts, &bytes));
    recon_tape_free(p.eval);
    recon_tape_free(p.train);
    return bytes;
}

#define FIT_OPTIONS                                                                                \
    .steps = 6, .epoch = 3, .readings = 1, .schedule = { .rate = 0.01 }, .settings = "a fit"

static recon_status train(recon_ctx *ctx, recon_train_result *r, fit *k, recon_train_options o)
{
    recon_trainee it = start(ctx, k);
    recon_status status = recon_train(ctx, r, &it, &o);
    recon_params_free(ctx, k->params);
    return status;
}

/* Enough for so many parts and not for fewer, spare memory included. */
static size_t memory_for(recon_ctx *ctx, uint64_t parts)
{
    fit k;
    recon_trainee it = start(ctx, &k);
    size_t bytes = said(ctx, &it, parts);
    recon_params_free(ctx, k.params);
    return bytes + bytes / 9 + 16;
}

static void the_plan_is_what_a_step_takes(void **state)
{
    recon_ctx *ctx = *state;
    fit k;
    recon_trainee it = start(ctx, &k);
    recon_step_planner p = { .it = &it, .free = SIZE_MAX };
    size_t bytes;
    uint64_t parts = 3;
    CHECK_OK(ctx, recon_tape_new(ctx, &p.train, RECON_SINGLE, 0));
    CHECK_OK(ctx, recon_tape_new(ctx, &p.eval, RECON_SINGLE, 0));
    CHECK_OK(ctx, recon_step_planner_run(ctx, &p, &parts, &bytes));
    assert_int_equal(parts, 3);
    size_t planned = recon_tape_peak(p.train);
    assert_true(planned > BATCH / 3 * IN * sizeof(float));
    CHECK_OK(ctx, recon_params_clear_gradients(ctx, k.params));
    for (int part = 0; part < 3; part++) {
        CHECK_OK(ctx, recon_tape_begin(p.train, RECON_TRAIN, 0));
        CHECK_OK(ctx, feed(&k, p.train, 0));
        CHECK_OK(ctx, recon_tape_backward(p.train, loss(&k, p.train)));
    }
    assert_int_equal(recon_tape_peak(p.train), planned);
    recon_tape_free(p.eval);
    recon_tape_free(p.train);
    recon_params_free(ctx, k.params);
}

static void parts_cover_a_batch_once(void **state)
{
    (void)state;
    for (size_t units = 1; units < 20; units++)
        for (size_t parts = 1; parts <= units; parts++) {
            size_t next = 0;
            for (size_t i = 0; i < parts; i++) {
                recon_slice s = recon_slice_of(units, parts, i);
                assert_int_equal(s.first, next);
                assert_true(s.n > 0 && s.n <= (units + parts - 1) / parts && s.of == units);
                next += s.n;
            }
            assert_int_equal(next, units);
        }
}

static void a_split_batch_is_the_same_step(void **state)
{
    recon_ctx *ctx = *state;
    fit k;
    recon_train_result whole, split;
    CHECK_OK(ctx, train(ctx, &whole, &k, (recon_train_options){ FIT_OPTIONS }));
    assert_int_equal(k.largest, BATCH);
    CHECK_OK(ctx, train(ctx, &split, &k,
                        (recon_train_options){ FIT_OPTIONS, .memory = memory_for(ctx, 4) }));
    CHECK_NEAR(split.loss, whole.loss, 1e-4 * whole.loss);
    assert_int_equal(k.largest, BATCH); /* planned first, then found too large */
}

/* Planned for the most it may take, it is refused, and the message has the remedy. */
static void what_cannot_fit_is_refused(void **state)
{
    recon_ctx *ctx = *state;
    fit k;
    recon_train_result r;
    recon_train_options o = { FIT_OPTIONS, .memory = (size_t)1 << 30, .path = scratch("m") };
    CHECK_FAILS(ctx, train(ctx, &r, &k, o), RECON_ERR_MEMORY,
                "and 1024 MiB are free (a smaller network takes less)");
    assert_int_not_equal(access(scratch("m"), F_OK), 0);
    assert_int_not_equal(access(scratch("m.last"), F_OK), 0);
}

/* All but 24 MiB of it grows with the pixels: 0.9 GiB hold sqrt(898 / 1024) of 100 pixels a side. */
static void the_size_that_would_fit_is_said(void **state)
{
    recon_ctx *ctx = *state;
    fit k;
    recon_train_result r;
    recon_trainee it = start(ctx, &k);
    it.side = 100;
    CHECK_FAILS(
        ctx,
        recon_train(ctx, &r, &it, &(recon_train_options){ FIT_OPTIONS, .memory = (size_t)1 << 30 }),
        RECON_ERR_MEMORY, "single inputs (those of 88 x 88 pixels would fit), and 1024 MiB");
    recon_params_free(ctx, k.params);
}

/* However much memory there is when it goes on. */
static void a_resumed_run_splits_as_before(void **state)
{
    recon_ctx *ctx = *state;
    fit k;
    recon_train_result r;
    recon_train_options o = { FIT_OPTIONS, .memory = memory_for(ctx, 4), .path = scratch("whole") };
    CHECK_OK(ctx, train(ctx, &r, &k, o));
    o.path = scratch("cut");
    o.steps = 3;
    CHECK_OK(ctx, train(ctx, &r, &k, o));
    o.steps = 6;
    o.resume = 1;
    o.memory = 0;
    CHECK_OK(ctx, train(ctx, &r, &k, o));
    assert_int_equal(k.largest, BATCH / 4); /* planned and trained */
    assert_int_equal(r.steps, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(the_plan_is_what_a_step_takes),   SCRATCH_TEST(parts_cover_a_batch_once),
        SCRATCH_TEST(a_split_batch_is_the_same_step),  SCRATCH_TEST(what_cannot_fit_is_refused),
        SCRATCH_TEST(the_size_that_would_fit_is_said), SCRATCH_TEST(a_resumed_run_splits_as_before),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
