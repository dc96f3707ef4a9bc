/* maps.c - the networks, their file, and their answers. */
#include <recon/stats/so2_moments.h>
#include "maps/maps.h"
#include "core/fail.h"
#include "core/memory.h"
#include "maps/standard.h"
#include "nn/params.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 1 << 16 }; /* numbers of an embedding, or of a hidden layer, in a file */

/* --- the object ------------------------------------------------------------------------------- */

static recon_status add_heads(recon_ctx *ctx, recon_maps *m, double dropout)
{
    for (int h = 0; h < RECON_HEADS; h++) {
        size_t sizes[] = { m->info.d, m->info.hidden, m->info.hidden, recon_heads[h].outputs };
        recon_status status =
            recon_mlp_add(ctx, &m->head[h], m->params, recon_heads[h].name, sizes,
                          sizeof sizes / sizeof *sizes, recon_heads[h].dropout ? dropout : 0);
        if (status != RECON_OK)
            return status;
    }
    return RECON_OK;
}

static recon_status add_buffers(recon_ctx *ctx, recon_maps *m)
{
    const struct {
        recon_param **at;
        const char *name;
        size_t count;
    } buffer[] = { { &m->kept.mean, "standard.mean", m->info.d },
                   { &m->kept.scale, "standard.scale", m->info.d },
                   { &m->kept.quantiles, "calibration.quantiles", RECON_QUANTILES },
                   { &m->kept.scores, "calibration.scores", 1 },
                   { &m->kept.family, "theta.family", 1 } };
    for (size_t i = 0; i < sizeof buffer / sizeof *buffer; i++) {
        recon_status status = recon_params_add_buffer(ctx, buffer[i].at, m->params, buffer[i].name,
                                                      &buffer[i].count, 1, 0);
        if (status != RECON_OK)
            return status;
    }
    return RECON_OK;
}

/* With the weights of a file, or with first ones. */
static recon_status make(recon_ctx *ctx, recon_maps **out, size_t d, size_t hidden, double dropout,
                         const recon_safetensors *file, const char *path, uint64_t seed)
{
    recon_maps *m;
    recon_status status = recon_alloc(ctx, &m, 1, sizeof *m);
    *out = NULL;
    if (status != RECON_OK)
        return status;
    m->info = (recon_maps_info){ .d = d, .hidden = hidden };
    RECON_TRY(recon_alloc(ctx, &m->mean, d, sizeof *m->mean));
    RECON_TRY(recon_alloc(ctx, &m->scale, d, sizeof *m->scale));
    RECON_TRY(recon_params_new(ctx, &m->params, RECON_SINGLE));
    recon_params_expect(m->params, file, path, 0);
    RECON_TRY(add_heads(ctx, m, dropout));
    RECON_TRY(add_buffers(ctx, m));
    RECON_TRY(recon_params_make(ctx, m->params, seed));
    m->info.weights = recon_params_count(m->params);
    *out = m;
done:
    if (status != RECON_OK)
        recon_maps_free(ctx, m);
    return status;
}

recon_status recon_maps_new(recon_ctx *ctx, recon_maps **out, size_t d, size_t hidden,
                            double dropout, uint64_t seed)
{
    return make(ctx, out, d, hidden, dropout, NULL, NULL, seed);
}

void recon_maps_free(recon_ctx *ctx, recon_maps *m)
{
    if (!m)
        return;
    recon_params_free(ctx, m->params);
    free(m->mean);
    free(m->scale);
    free(m);
}

recon_maps_info recon_maps_describe(const recon_maps *maps)
{
    return maps->info;
}

const recon_params *recon_maps_params(const recon_maps *maps)
{
    return maps->params;
}

/* --- what is kept ----------------------------------------------------------------------------- */

recon_status recon_maps_keep(recon_ctx *ctx, recon_maps *m)
{
    recon_status status;
    double family = m->info.family;
    RECON_TRY(recon_param_write(ctx, m->kept.mean, m->mean));
    RECON_TRY(recon_param_write(ctx, m->kept.scale, m->scale));
    RECON_TRY(recon_param_write(ctx, m->kept.quantiles, m->calibration.quantile));
    RECON_TRY(recon_param_write(ctx, m->kept.scores, &m->calibration.n));
    RECON_TRY(recon_param_write(ctx, m->kept.family, &family));
done:
    return status;
}

static int are_finite(const double *x, size_t n)
{
    size_t i = 0;
    while (i < n && isfinite(x[i]))
        i++;
    return i == n;
}

static int is_rising(const double *x, size_t n)
{
    size_t i = 1;
    while (i < n && x[i - 1] <= x[i])
        i++;
    return i == n;
}

/* From the buffers, which may be a file's and hold anything. */
static recon_status recall(recon_ctx *ctx, recon_maps *m, const char *path)
{
    recon_status status;
    double family;
    RECON_TRY(recon_param_read(ctx, m->mean, m->kept.mean));
    RECON_TRY(recon_param_read(ctx, m->scale, m->kept.scale));
    RECON_TRY(recon_param_read(ctx, m->calibration.quantile, m->kept.quantiles));
    RECON_TRY(recon_param_read(ctx, &m->calibration.n, m->kept.scores));
    RECON_TRY(recon_param_read(ctx, &family, m->kept.family));
    if (!are_finite(m->mean, m->info.d) || !are_finite(m->scale, m->info.d))
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: 'standard' is not finite", path));
    if (!are_finite(m->calibration.quantile, RECON_QUANTILES) ||
        !is_rising(m->calibration.quantile, RECON_QUANTILES) ||
        !(m->calibration.n >= 1 && m->calibration.n < 1e15))
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: 'calibration' is no rising table", path));
    if (family != RECON_SO2_UNIFORM && family != RECON_SO2_NORMAL)
        RECON_TRY(
            recon_fail(ctx, RECON_ERR_FORMAT, "%s: 'theta.family' is %g: 1 or 2", path, family));
    m->info.family = (recon_so2_family)family;
    m->info.held_out = (size_t)m->calibration.n;
done:
    return status;
}

/* --- files ------------------------------------------------------------------------------------ */

/* The sizes are those of Lambda's first layer. */
static recon_status read_sizes(recon_ctx *ctx, size_t *d, size_t *hidden,
                               const recon_safetensors *file, const char *path)
{
    recon_array weight;
    recon_status status = recon_safetensors_get(ctx, &weight, file, "lambda.0.weight");
    if (status != RECON_OK)
        return recon_note(ctx, status, "the file holds no maps");
    if (weight.ndim != 2 || weight.shape[0] < 1 || weight.shape[1] < 1 || weight.shape[0] > MOST ||
        weight.shape[1] > MOST)
        status = recon_fail(ctx, RECON_ERR_FORMAT, "%s: 'lambda.0.weight' is no weight", path);
    *hidden = weight.shape[0];
    *d = weight.shape[1];
    recon_array_free(&weight);
    return status;
}

recon_status recon_maps_open(recon_ctx *ctx, recon_maps **out, const char *path)
{
    recon_safetensors *file = NULL;
    recon_maps *m = NULL;
    size_t d = 0, hidden = 0;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    RECON_TRY(read_sizes(ctx, &d, &hidden, file, path));
    RECON_TRY(make(ctx, &m, d, hidden, 0, file, path, 0));
    RECON_TRY(recall(ctx, m, path));
    *out = m;
done:
    recon_safetensors_close(file);
    if (status != RECON_OK)
        recon_maps_free(ctx, m);
    return status;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* A pass over at most RECON_MAPS_ROWS embeddings. */
typedef struct {
    recon_tape *tape;
    float *rows;
    double *y;
    recon_so2_map *map;
} pass;

static recon_status pass_new(recon_ctx *ctx, pass *p, size_t d)
{
    recon_status status;
    *p = (pass){ 0 };
    RECON_TRY(recon_tape_new(ctx, &p->tape, RECON_SINGLE, 0));
    RECON_TRY(recon_alloc_raw(ctx, &p->rows, RECON_MAPS_ROWS * d, sizeof *p->rows));
    RECON_TRY(recon_alloc_raw(ctx, &p->y, RECON_MAPS_ROWS * RECON_HEAD_OUTPUTS, sizeof *p->y));
    RECON_TRY(recon_alloc(ctx, &p->map, RECON_MAPS_ROWS, sizeof *p->map));
done:
    return status;
}

static void pass_free(pass *p)
{
    recon_tape_free(p->tape);
    free(p->rows);
    free(p->y);
    free(p->map);
}

/* The first `heads` heads of n embeddings to p->map. */
static recon_status pass_over(const pass *p, const recon_maps *m, int heads, const float *z,
                              size_t n)
{
    recon_status status;
    size_t shape[2] = { n, m->info.d };
    recon_standardize(p->rows, z, n, m->info.d, m->mean, m->scale);
    RECON_TRY(recon_tape_begin(p->tape, RECON_INFER, 0));
    recon_var x = recon_var_input(p->tape, p->rows, RECON_F32, shape, 2);
    for (int h = 0; h < heads; h++) {
        RECON_TRY(recon_var_read(p->tape, p->y, recon_mlp_apply(p->tape, &m->head[h], x)));
        for (size_t i = 0; i < n; i++)
            recon_heads[h].read(&p->map[i], p->y + i * recon_heads[h].outputs);
    }
done:
    return status;
}

/* Hands the maps of each pass to take, with the number of the first. */
typedef void take_maps(void *out, const recon_maps *m, size_t at, const recon_so2_map *map,
                       size_t n);

static recon_status apply(recon_ctx *ctx, const recon_maps *m, int heads, const float *z, size_t n,
                          take_maps *take, void *out)
{
    pass p;
    size_t d = m->info.d;
    recon_status status;
    RECON_TRY(pass_new(ctx, &p, d));
    RECON_TRY(recon_embeddings_check(ctx, z, n, d));
    for (size_t at = 0; at < n; at += RECON_MAPS_ROWS) {
        size_t some = n - at < RECON_MAPS_ROWS ? n - at : RECON_MAPS_ROWS;
        RECON_TRY(pass_over(&p, m, heads, z + at * d, some));
        take(out, m, at, p.map, some);
    }
done:
    pass_free(&p);
    return status;
}

/* The width of the arc or of the normal that keeps as many angles as near. Of a normal the median,
 * 0.6745 sigma: the share that is least moved by others. Of an arc 85 %: so much of an arc and of a
 * normal of the same variance lie equally near, within 2 %, and a mixture of few peaks that stands
 * for an arc has a shape in between. */
static double width_of(const recon_so2_density *p, recon_so2_family family)
{
    double width = family == RECON_SO2_UNIFORM ? recon_so2_deviation(p, 0.85) / 0.85
                                               : recon_so2_deviation(p, 0.5) / 0.6744897501960817;
    return fmin(fmax(width, RECON_THETA_LEAST), M_PI);
}

static void take_all(void *out, const recon_maps *m, size_t at, const recon_so2_map *map, size_t n)
{
    recon_so2_map *to = (recon_so2_map *)out + at;
    for (size_t i = 0; i < n; i++) {
        to[i] = map[i];
        to[i].family = m->info.family;
        to[i].theta_label = map[i].theta;
        to[i].theta = width_of(&map[i].density, m->info.family);
    }
}

static void take_lambda(void *out, const recon_maps *m, size_t at, const recon_so2_map *map,
                        size_t n)
{
    (void)m;
    for (size_t i = 0; i < n; i++)
        ((double *)out)[at + i] = map[i].lambda;
}

recon_status recon_maps_apply(recon_ctx *ctx, recon_so2_map *out, const recon_maps *maps,
                              const float *z, size_t n)
{
    return apply(ctx, maps, RECON_HEADS, z, n, take_all, out);
}

recon_status recon_maps_lambda(recon_ctx *ctx, double *out, const recon_maps *maps, const float *z,
                               size_t n)
{
    return apply(ctx, maps, RECON_HEAD_LAMBDA + 1, z, n, take_lambda, out);
}

double recon_maps_p_value(const recon_maps *maps, double score)
{
    return recon_calibration_p_value(&maps->calibration, score);
}

double recon_maps_threshold(const recon_maps *maps, double false_alarms)
{
    return recon_calibration_threshold(&maps->calibration, false_alarms);
}
