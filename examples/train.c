/* train.c - a network of your own: which arm of a spiral is a point on?
 *
 * Shows the whole of nn: parameters by name, a loss written as mathematics, the training loop.
 *   build/examples/train */
#include <recon/recon.h>
#include <recon/nn.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 128, ARMS = 3, STEPS = 1500 };

typedef struct {
    recon_params *params;
    recon_mlp mlp;
    recon_var points, arms; /* of this step */
} spiral;

/* Points are drawn from the step's number alone: that is what makes a run repeatable. */
static recon_status feed(void *user, recon_tape *tape, uint64_t step)
{
    spiral *s = user;
    float x[BATCH * 2];
    int32_t y[BATCH];
    size_t shape[2] = { BATCH, 2 };
    recon_rng rng = recon_rng_new(1, step);
    for (int i = 0; i < BATCH; i++) {
        double r = recon_rng_uniform(&rng);
        y[i] = (int32_t)recon_rng_below(&rng, ARMS);
        double angle = 5 * r + 6.28318 * y[i] / ARMS + 0.15 * recon_rng_normal(&rng);
        x[2 * i] = (float)(r * cos(angle));
        x[2 * i + 1] = (float)(r * sin(angle));
    }
    s->points = recon_var_input(tape, x, RECON_F32, shape, 2);
    s->arms = recon_var_input(tape, y, RECON_I32, shape, 1);
    return recon_tape_status(tape);
}

static recon_var loss(void *user, recon_tape *tape)
{
    spiral *s = user;
    return recon_var_cross_entropy(tape, recon_mlp_apply(tape, &s->mlp, s->points), s->arms);
}

static recon_status train(recon_ctx *ctx, spiral *s, recon_train_result *result)
{
    const size_t sizes[] = { 2, 64, 64, ARMS };
    recon_trainee it = { .feed = feed, .loss = loss };
    recon_train_options options = { 0 };
    recon_status status = recon_params_new(ctx, &s->params, RECON_SINGLE);
    if (status == RECON_OK)
        status = recon_mlp_add(ctx, &s->mlp, s->params, "mlp", sizes, 4, 0);
    if (status == RECON_OK)
        status = recon_params_make(ctx, s->params, 1);
    it.params = s->params;
    it.user = s;
    options.steps = STEPS;
    options.schedule.kind = RECON_RATE_COSINE;
    options.schedule.rate = 0.01;
    options.schedule.steps = STEPS;
    return status == RECON_OK ? recon_train(ctx, result, &it, &options) : status;
}

int main(void)
{
    spiral s = { 0 };
    recon_train_result result;
    recon_ctx *ctx = recon_ctx_new(NULL);
    if (!ctx)
        return EXIT_FAILURE;
    recon_status status = train(ctx, &s, &result);
    if (status == RECON_OK)
        printf("loss %.4f after %d steps of %d points in %.2f s (log 3 = %.4f is guessing)\n",
               result.loss, STEPS, BATCH, result.seconds, log(ARMS));
    else
        fprintf(stderr, "train: %s\n", recon_ctx_message(ctx));
    recon_params_free(ctx, s.params);
    recon_ctx_free(ctx);
    return status == RECON_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
