/* head_training.c - trains all heads at once. They only share their input and the limit on the norm
 * of the gradient, so the scale of a loss determines its share of that. */
#include "maps/head_training.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/shuffle.h"
#include "nn/params.h"
#include "nn/restarts.h"

#include <math.h>
#include <recon/nn/train.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    recon_ctx *ctx;
    const recon_head_training *l;
    size_t *which; /* [batch] the points of a batch */
    float *rows;   /* [batch][targets] */
    int early;     /* is this one of the first? */
    recon_var x, target[RECON_HEADS_MOST];
    double lowest[RECON_HEADS_MOST]; /* loss on the points held out, and the weights that had it: */
    double *best[RECON_HEADS_MOST];
} trainer;

/* --- the plan --------------------------------------------------------------------------------- */

static size_t size_or(size_t asked, size_t otherwise)
{
    return asked ? asked : otherwise;
}
static double number_or(double asked, double otherwise)
{
    return asked > 0 ? asked : otherwise;
}

size_t recon_head_training_epochs(const recon_maps_options *d, size_t steps_least, size_t n)
{
    size_t steps = n / d->batch ? n / d->batch : 1, least = steps_least / steps;
    return least > d->epochs ? least : d->epochs;
}

recon_status recon_head_training_plan(recon_ctx *ctx, recon_head_training *l,
                                      const recon_maps_options *o, const recon_maps_options *d)
{
    double share = number_or(o->held_out, d->held_out);
    if (!(share < 1) || !(o->dropout < 1))
        return recon_fail(ctx, RECON_ERR_INPUT, "held out %g, dropout %g: below 1", share,
                          o->dropout);
    l->held = (size_t)((double)l->n * share);
    l->held = l->held ? l->held : 1;
    l->batch = size_or(o->batch, d->batch);
    l->batch = l->batch < l->n - l->held ? l->batch : l->n - l->held;
    l->epochs = size_or(o->epochs, d->epochs);
    l->rate = number_or(o->rate, d->rate);
    l->decay = number_or(o->decay, d->decay);
    l->seed = o->seed;
    return RECON_OK;
}

size_t recon_head_training_place(const recon_head_training *l, size_t i)
{
    return l->as_split ? recon_permute_back(i, l->n, 0, 0) : recon_permute(i, l->n, l->seed, 0);
}

/* --- a step ----------------------------------------------------------------------------------- */

/* Of the points themselves, or in training (draw > 0) of their partners. */
static recon_var targets_of(trainer *k, recon_tape *t, int h, size_t n, uint64_t draw)
{
    const recon_head_training *l = k->l;
    size_t width = l->kind[h].targets, shape[2] = { n, width };
    for (size_t i = 0; i < n; i++) {
        size_t from =
            draw && l->partner ? l->partner(l->partner_user, h, k->which[i], draw) : k->which[i];
        memcpy(k->rows + i * width, l->target[h] + from * width, width * sizeof(float));
    }
    return recon_var_input(t, k->rows, RECON_F32, shape, 2);
}

static recon_status feed(void *user, recon_tape *t, uint64_t step)
{
    trainer *k = user;
    const recon_head_training *l = k->l;
    size_t trained = l->n - l->held;
    uint64_t each = trained / l->batch, epoch = step / each;
    size_t begin = (size_t)(step % each) * l->batch;
    k->early = epoch < l->epochs / RECON_HEAD_TRAINING_EARLY;
    for (size_t i = 0; i < l->batch; i++)
        k->which[i] = recon_head_training_place(
            l, l->held + recon_permute(begin + i, trained, l->seed, epoch + 1));
    k->x = l->input(l->user, t, k->which, l->batch, step + 1);
    for (int h = 0; h < l->heads; h++)
        k->target[h] = targets_of(k, t, h, l->batch, step + 1);
    return recon_tape_status(t);
}

static recon_var loss(void *user, recon_tape *t)
{
    trainer *k = user;
    recon_var sum = NULL;
    for (int h = 0; h < k->l->heads; h++) {
        const recon_head_kind *kind = &k->l->kind[h];
        recon_var y = k->l->output(k->l->user, t, h, k->x);
        recon_var term =
            (k->early && kind->early ? kind->early : kind->loss)(t, y, k->target[h], k->l->number);
        if (k->l->weight[h] > 0)
            term = recon_var_scale(t, k->l->weight[h], term);
        sum = h ? recon_var_add(t, sum, term) : term;
    }
    return sum;
}

/* --- the best of each head -------------------------------------------------------------------- */

static int belongs(const recon_param *param, const char *head)
{
    size_t n = strlen(head);
    return !strncmp(param->name, head, n) && param->name[n] == '.';
}

static size_t head_size(const recon_head_training *l, int h)
{
    size_t total = 0;
    for (size_t i = 0; i < l->params->count; i++)
        if (belongs(l->params->entry[i], l->name[h]))
            total += recon_param_count(l->params->entry[i]);
    return total;
}

/* The numbers of a head, running statistics among them, to k->best or back from there. */
static recon_status exchange(trainer *k, int h, int back)
{
    const recon_params *p = k->l->params;
    recon_status status = RECON_OK;
    double *at = k->best[h];
    for (size_t i = 0; status == RECON_OK && i < p->count; i++) {
        if (!belongs(p->entry[i], k->l->name[h]))
            continue;
        status = back ? recon_param_write(k->ctx, p->entry[i], at)
                      : recon_param_read(k->ctx, at, p->entry[i]);
        at += recon_param_count(p->entry[i]);
    }
    return status;
}

/* The loss of a head on the points held out. */
static recon_status held_loss(trainer *k, recon_tape *t, int h, double *out)
{
    const recon_head_training *l = k->l;
    *out = 0;
    for (size_t at = 0; at < l->held; at += l->batch) {
        size_t n = l->held - at < l->batch ? l->held - at : l->batch;
        double mean;
        for (size_t i = 0; i < n; i++)
            k->which[i] = recon_head_training_place(l, at + i);
        RECON_CHECK(recon_tape_begin(t, RECON_INFER, 0));
        recon_var y = l->output(l->user, t, h, l->input(l->user, t, k->which, n, 0));
        recon_var term = l->kind[h].loss(t, y, targets_of(k, t, h, n, 0), l->number);
        RECON_CHECK(recon_var_read(t, &mean, term));
        *out += mean * (double)n / (double)l->held;
    }
    return RECON_OK;
}

static recon_status validate(void *user, recon_tape *t, double *metric)
{
    trainer *k = user;
    *metric = 0;
    for (int h = 0; h < k->l->heads; h++) {
        double mean;
        RECON_CHECK(held_loss(k, t, h, &mean));
        *metric += mean;
        if (!(mean < k->lowest[h]))
            continue;
        k->lowest[h] = mean;
        RECON_CHECK(exchange(k, h, 0));
    }
    return RECON_OK;
}

/* --- the run ---------------------------------------------------------------------------------- */

static recon_schedule schedule_of(const recon_head_training *l, uint64_t epoch, uint64_t steps)
{
    if (l->restarts)
        return recon_restarts(l->rate, epoch, steps);
    return (recon_schedule){
        .kind = RECON_RATE_COSINE, .rate = l->rate, .warmup = steps / 20, .steps = steps
    };
}

static recon_status train(trainer *k)
{
    const recon_head_training *l = k->l;
    uint64_t epoch = (l->n - l->held) / l->batch, steps = l->epochs * epoch;
    const recon_trainee it = {
        .params = l->params, .feed = feed, .loss = loss, .validate = validate, .user = k
    };
    const recon_train_options options = {
        .steps = steps,
        .epoch = epoch,
        .seed = l->seed,
        .precision = l->precision,
        .label = l->label,
        .plain = l->plain,
        .schedule = schedule_of(l, epoch, steps),
        .adam = { .decay = l->decay, .clip = 1 }, /* the paper's clip: first steps are wild */
    };
    recon_train_result result;
    RECON_CHECK(recon_train(k->ctx, &result, &it, &options));
    for (int h = 0; h < l->heads; h++)
        RECON_CHECK(exchange(k, h, 1));
    return RECON_OK;
}

recon_status recon_head_training_run(recon_ctx *ctx, const recon_head_training *l)
{
    trainer k = { .ctx = ctx, .l = l };
    size_t width = 0;
    recon_status status;
    for (int h = 0; h < l->heads; h++) {
        k.lowest[h] = HUGE_VAL;
        width = width > l->kind[h].targets ? width : l->kind[h].targets;
        RECON_TRY(recon_alloc(ctx, &k.best[h], head_size(l, h), sizeof *k.best[h]));
    }
    RECON_TRY(recon_alloc(ctx, &k.rows, l->batch * width, sizeof *k.rows));
    RECON_TRY(recon_alloc(ctx, &k.which, l->batch, sizeof *k.which));
    RECON_TRY(train(&k));
done:
    for (int h = 0; h < l->heads; h++)
        free(k.best[h]);
    recon_free_all(k.which, k.rows);
    return status;
}
