/* task.h - a small thing to learn: which of three directions a noisy point lies in. Batches are
 * drawn from the step's number, as training asks for. */
#ifndef TESTS_NN_TASK_H
#define TESTS_NN_TASK_H

#include "check.h"

#include <recon/nn/layers.h>
#include <recon/nn/train.h>

enum { TASK_BATCH = 24, TASK_IN = 6 };

typedef struct {
    recon_params *params;
    recon_mlp mlp;
    recon_norm norm;
    recon_var x, y;
    recon_ctx *stop_ctx; /* interrupts this context */
    uint64_t stop_at;    /* at this step            */
    int stop_late;       /* in the middle of it: the running statistics have moved */
    int stop_now;
} task;

enum { TASK_VALIDATION = 1 << 20 }; /* the step that validation is fed with */

static inline void task_draw(float *x, int32_t *y, uint64_t stream)
{
    recon_rng rng = recon_rng_new(99, stream);
    for (int i = 0; i < TASK_BATCH; i++) {
        y[i] = (int32_t)recon_rng_below(&rng, 3);
        for (int j = 0; j < TASK_IN; j++)
            x[i * TASK_IN + j] = (float)(0.7 * recon_rng_normal(&rng) + 2.0 * (j % 3 == y[i]));
    }
}

static inline recon_status task_feed(void *user, recon_tape *t, uint64_t step)
{
    task *k = user;
    float x[TASK_BATCH * TASK_IN];
    int32_t y[TASK_BATCH];
    task_draw(x, y, step);
    k->stop_now = k->stop_ctx && step == k->stop_at;
    if (k->stop_now && !k->stop_late)
        recon_ctx_interrupt(k->stop_ctx);
    k->x = recon_var_input(t, x, RECON_F32, (size_t[]){ TASK_BATCH, TASK_IN }, 2);
    k->y = recon_var_input(t, y, RECON_I32, (size_t[]){ TASK_BATCH }, 1);
    return recon_tape_status(t);
}

static inline recon_var task_loss(void *user, recon_tape *t)
{
    task *k = user;
    recon_var x = recon_var_cast(t, recon_norm_apply(t, &k->norm, k->x), recon_tape_activations(t));
    if (k->stop_now && k->stop_late)
        recon_ctx_interrupt(k->stop_ctx);
    return recon_var_cross_entropy(t, recon_mlp_apply(t, &k->mlp, x), k->y);
}

static inline recon_status task_validate(void *user, recon_tape *t, double *metric)
{
    recon_status status = task_feed(user, t, TASK_VALIDATION);
    return status == RECON_OK ? recon_var_read(t, metric, task_loss(user, t)) : status;
}

static inline void task_new(recon_ctx *ctx, task *k, recon_precision precision)
{
    *k = (task){ 0 };
    CHECK_OK(ctx, recon_params_new(ctx, &k->params, precision));
    CHECK_OK(ctx, recon_norm_add(ctx, &k->norm, k->params, "norm", TASK_IN, 1));
    CHECK_OK(ctx,
             recon_mlp_add(ctx, &k->mlp, k->params, "mlp", (size_t[]){ TASK_IN, 16, 3 }, 3, 0.1));
    CHECK_OK(ctx, recon_params_make(ctx, k->params, 4));
}

static inline recon_trainee task_trainee(task *k)
{
    return (recon_trainee){ .params = k->params,
                            .feed = task_feed,
                            .loss = task_loss,
                            .validate = task_validate,
                            .user = k };
}

#define TASK_OPTIONS                                                                               \
    .steps = 90, .epoch = 30, .readings = 10, .seed = 3,                                           \
    .schedule = { .kind = RECON_RATE_COSINE, .rate = 0.02, .warmup = 5, .steps = 90 },             \
    .adam = { .decay = 0.01, .clip = 1, .average = 0.9 },                                          \
    .settings = "task: a test, batch: 24, rate: 0.02"

#endif
