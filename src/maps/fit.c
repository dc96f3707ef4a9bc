/* fit.c - the heads' training: all at once, since they share nothing but their input, and to Adam
 * the scale of a loss is all one. */
#include "maps/labels.h"
#include "maps/maps.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/permute.h"

#include <math.h>
#include <recon/nn/train.h>
#include <stdlib.h>
#include <string.h>

/* The first `held` places of a random order are held out, the rest is trained on. */
typedef struct {
    recon_ctx *ctx;
    recon_maps *maps;
    const recon_labels *labels;
    recon_maps_options o;
    size_t held, trained;
    float *rows;   /* of a batch */
    size_t *which; /* the points in it */
    recon_var z, target[RECON_HEADS];
    double lowest[RECON_HEADS]; /* loss on the points held out, and the weights that had it: */
    double *best[RECON_HEADS];
} course;

/* --- batches ---------------------------------------------------------------------------------- */

static size_t place(const course *k, size_t i)
{
    return recon_permute(i, k->labels->n, k->o.seed, 0);
}

static recon_var rows_of(course *k, recon_tape *t, const float *from, size_t width, size_t n)
{
    size_t shape[2] = { n, width };
    for (size_t i = 0; i < n; i++)
        memcpy(k->rows + i * width, from + k->which[i] * width, width * sizeof *from);
    return recon_var_input(t, k->rows, RECON_F32, shape, 2);
}

/* The points in which[n], as variables. */
static recon_status feed_points(course *k, recon_tape *t, size_t n)
{
    k->z = rows_of(k, t, k->labels->z, k->labels->d, n);
    for (int h = 0; h < RECON_HEADS; h++)
        k->target[h] = rows_of(k, t, k->labels->target[h], recon_heads[h].targets, n);
    return recon_tape_status(t);
}

static recon_status feed(void *user, recon_tape *t, uint64_t step)
{
    course *k = user;
    uint64_t each = k->trained / k->o.batch, epoch = step / each;
    size_t begin = (size_t)(step % each) * k->o.batch;
    for (size_t i = 0; i < k->o.batch; i++)
        k->which[i] =
            place(k, k->held + recon_permute(begin + i, k->trained, k->o.seed, epoch + 1));
    return feed_points(k, t, k->o.batch);
}

static recon_var head_loss(const course *k, recon_tape *t, int h)
{
    return recon_heads[h].loss(t, recon_mlp_apply(t, &k->maps->head[h], k->z), k->target[h]);
}

static recon_var loss(void *user, recon_tape *t)
{
    recon_var sum = head_loss(user, t, 0);
    for (int h = 1; h < RECON_HEADS; h++)
        sum = recon_var_add(t, sum, head_loss(user, t, h));
    return sum;
}

/* --- the best of each head -------------------------------------------------------------------- */

typedef recon_status exchange(recon_ctx *ctx, recon_param *param, double *values);

static recon_status remember(recon_ctx *ctx, recon_param *param, double *values)
{
    return recon_param_read(ctx, values, param);
}
static recon_status restore(recon_ctx *ctx, recon_param *param, double *values)
{
    return recon_param_write(ctx, param, values);
}

/* The parameters of a head, one behind the other. Returns how many numbers they are. */
static size_t head_params(recon_param *out[2 * RECON_MLP_MAX], size_t *n, const recon_mlp *head)
{
    size_t total = 0;
    *n = 0;
    for (size_t i = 0; i < head->layers; i++) {
        out[(*n)++] = head->layer[i].weight;
        out[(*n)++] = head->layer[i].bias;
    }
    for (size_t i = 0; i < *n; i++)
        total += recon_param_count(out[i]);
    return total;
}

static recon_status exchange_head(course *k, int h, exchange *with)
{
    recon_param *param[2 * RECON_MLP_MAX];
    double *at = k->best[h];
    size_t n;
    head_params(param, &n, &k->maps->head[h]);
    for (size_t i = 0; i < n; i++, at += recon_param_count(param[i - 1])) {
        recon_status status = with(k->ctx, param[i], at);
        if (status != RECON_OK)
            return status;
    }
    return RECON_OK;
}

/* The losses of all heads on the points held out. */
static recon_status held_losses(course *k, recon_tape *t, double sum[RECON_HEADS])
{
    recon_status status = RECON_OK;
    for (size_t at = 0; at < k->held; at += k->o.batch) {
        size_t n = k->held - at < k->o.batch ? k->held - at : k->o.batch;
        for (size_t i = 0; i < n; i++)
            k->which[i] = place(k, at + i);
        RECON_TRY(recon_tape_begin(t, RECON_INFER, 0));
        RECON_TRY(feed_points(k, t, n));
        for (int h = 0; h < RECON_HEADS; h++) {
            double mean;
            RECON_TRY(recon_var_read(t, &mean, head_loss(k, t, h)));
            sum[h] += mean * (double)n / (double)k->held;
        }
    }
done:
    return status;
}

static recon_status validate(void *user, recon_tape *t, double *metric)
{
    course *k = user;
    double mean[RECON_HEADS] = { 0 };
    recon_status status = held_losses(k, t, mean);
    *metric = 0;
    for (int h = 0; status == RECON_OK && h < RECON_HEADS; h++) {
        *metric += mean[h];
        if (!(mean[h] < k->lowest[h]))
            continue;
        k->lowest[h] = mean[h];
        status = exchange_head(k, h, remember);
    }
    return status;
}

/* --- the run ---------------------------------------------------------------------------------- */

static recon_status train(course *k)
{
    uint64_t epoch = k->trained / k->o.batch, steps = k->o.epochs * epoch;
    const recon_trainee it = { k->maps->params, feed, loss, validate, k };
    const recon_train_options options = {
        .steps = steps,
        .epoch = epoch,
        .seed = k->o.seed,
        .schedule = { RECON_RATE_COSINE, k->o.rate, 0, steps / 20, steps, 0, 0 },
        .adam = { .decay = k->o.decay, .clip = 1 }, /* the paper's clip: first steps are wild */
    };
    recon_train_result result;
    recon_status status;
    RECON_TRY(recon_train(k->ctx, &result, &it, &options));
    for (int h = 0; h < RECON_HEADS; h++)
        RECON_TRY(exchange_head(k, h, restore));
done:
    return status;
}

/* The scores of the points held out say what is usual. */
static recon_status calibrate(course *k, const recon_embedded *data)
{
    recon_so2_map *map = NULL;
    double *score = NULL;
    float *z = NULL;
    size_t d = data->d;
    recon_status status;
    RECON_TRY(recon_alloc(k->ctx, &map, k->held, sizeof *map));
    RECON_TRY(recon_alloc(k->ctx, &score, k->held, sizeof *score));
    RECON_TRY(recon_alloc_raw(k->ctx, &z, k->held * d, sizeof *z));
    for (size_t i = 0; i < k->held; i++)
        memcpy(z + i * d, data->z + place(k, i) * d, d * sizeof *z);
    RECON_TRY(recon_maps_apply(k->ctx, map, k->maps, z, k->held));
    for (size_t i = 0; i < k->held; i++)
        score[i] = recon_so2_map_score(&map[i], data->so2[place(k, i)]);
    recon_calibrate(&k->maps->calibration, score, k->held);
    k->maps->info.held_out = k->held;
done:
    free(z);
    free(score);
    free(map);
    return status;
}

static recon_status settle_options(recon_ctx *ctx, course *k, const recon_maps_options *options)
{
    recon_maps_options o = options ? *options : (recon_maps_options){ 0 };
    o.hidden = o.hidden ? o.hidden : 512;
    o.epochs = o.epochs ? o.epochs : 30;
    o.batch = o.batch ? o.batch : 256;
    o.rate = o.rate > 0 ? o.rate : 1e-3;
    o.decay = o.decay > 0 ? o.decay : 0.01;
    o.dropout = o.dropout > 0 ? o.dropout : 0.2;
    o.held_out = o.held_out > 0 ? o.held_out : 0.1;
    if (!(o.held_out < 1) || !(o.dropout < 1))
        return recon_fail(ctx, RECON_ERR_INPUT, "held out %g, dropout %g: below 1", o.held_out,
                          o.dropout);
    k->held = (size_t)((double)k->labels->n * o.held_out);
    k->held = k->held ? k->held : 1;
    k->trained = k->labels->n - k->held;
    o.batch = o.batch < k->trained ? o.batch : k->trained;
    k->o = o;
    return RECON_OK;
}

static recon_status take_scratch(course *k)
{
    recon_param *param[2 * RECON_MLP_MAX];
    size_t n, width = k->labels->d > 2 ? k->labels->d : 2; /* the widest target has two */
    recon_status status;
    RECON_TRY(recon_alloc(k->ctx, &k->rows, k->o.batch * width, sizeof *k->rows));
    RECON_TRY(recon_alloc(k->ctx, &k->which, k->o.batch, sizeof *k->which));
    for (int h = 0; h < RECON_HEADS; h++) {
        k->lowest[h] = HUGE_VAL;
        RECON_TRY(recon_alloc(k->ctx, &k->best[h], head_params(param, &n, &k->maps->head[h]),
                              sizeof *k->best[h]));
    }
done:
    return status;
}

static void free_scratch(course *k)
{
    for (int h = 0; h < RECON_HEADS; h++)
        free(k->best[h]);
    free(k->which);
    free(k->rows);
}

recon_status recon_maps_fit(recon_ctx *ctx, recon_maps **out, const recon_embedded *data,
                            const recon_frames *frames, const recon_maps_options *options)
{
    recon_labels labels;
    course k = { .ctx = ctx, .labels = &labels };
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_labels_make(ctx, &labels, data, frames));
    RECON_TRY(settle_options(ctx, &k, options));
    RECON_TRY(recon_maps_new(ctx, &k.maps, data->d, k.o.hidden, k.o.dropout, k.o.seed));
    memcpy(k.maps->mean, labels.mean, data->d * sizeof *labels.mean);
    memcpy(k.maps->scale, labels.scale, data->d * sizeof *labels.scale);
    k.maps->info.family = labels.theta_family;
    RECON_TRY(take_scratch(&k));
    RECON_TRY(train(&k));
    RECON_TRY(calibrate(&k, data));
    RECON_TRY(recon_maps_keep(ctx, k.maps));
    *out = k.maps;
done:
    if (status != RECON_OK)
        recon_maps_free(ctx, k.maps);
    free_scratch(&k);
    recon_labels_free(&labels);
    return status;
}
