/* Steerable layers: quarter turns exactly, other rotates up to sampling, gradients, first values,
 * frozen filters. */
#include "check.h"
#include "gradients.h"
#include <recon/nn/steerable.h>
#include <recon/ops/backend.h>
#include "core/memory.h"

#include <pthread.h>
#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
static const double pi = 3.14159265358979323846;

static recon_ctx *ref_of(void **state)
{
    CHECK_OK(*state, recon_ops_attach(*state, "ref"));
    return *state;
}

/* ---- quarter turns ---- */

typedef struct {
    recon_fields in, out;
    recon_steerable layer;
    recon_field_norm norm;
    recon_params *parts; /* running statistics of the norm's parts, for comparison */
    recon_param *part[3];
} model;

/* out[p] = rho(quarter turn) in[rotated back p], on images n,h,h,channels. Counter-clockwise: what
 * was on the right comes to the top. */
static void quarter_turn(const recon_fields *f, double *out, const double *in, const size_t *shape)
{
    static const double cosine[] = { 1, 0, -1, 0 }, sine[] = { 0, 1, 0, -1 };
    size_t n = shape[0], h = shape[1], channels = shape[3];
    for (size_t at = 0; at < n * h * h; at++) {
        size_t image = at / (h * h), row = at / h % h, column = at % h;
        const double *from = in + ((image * h + column) * h + (h - 1 - row)) * channels;
        double *to = out + at * channels;
        memcpy(to, from, f->of[0] * sizeof *to);
        for (size_t m = 1; m < RECON_FREQUENCIES; m++)
            for (size_t c = recon_fields_begin(f, m); c < recon_fields_begin(f, m + 1); c += 2) {
                to[c] = cosine[m % 4] * from[c] - sine[m % 4] * from[c + 1];
                to[c + 1] = sine[m % 4] * from[c] + cosine[m % 4] * from[c + 1];
            }
    }
}

static void rotate_in(void *user, double *out, const double *in, const size_t *shape, int ndim)
{
    assert_int_equal(ndim, 4);
    quarter_turn(&((model *)user)->in, out, in, shape);
}
static void rotate_out(void *user, double *out, const double *in, const size_t *shape, int ndim)
{
    assert_int_equal(ndim, 4);
    quarter_turn(&((model *)user)->out, out, in, shape);
}

static recon_var apply_layer(recon_tape *t, void *user, const recon_var *x)
{
    return recon_steerable_apply(t, &((model *)user)->layer, x[0]);
}
static recon_var apply_norm(recon_tape *t, void *user, const recon_var *x)
{
    return recon_field_norm_apply(t, &((model *)user)->norm, x[0]);
}
static recon_var apply_pool(recon_tape *t, void *user, const recon_var *x)
{
    (void)user;
    return recon_var_average_pool(t, x[0], 2, 2);
}

static double *noise(size_t n, uint64_t stream)
{
    double *x = malloc(n * sizeof *x);
    recon_rng rng = recon_rng_new(7, stream);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i] = recon_rng_normal(&rng);
    return x;
}

static double rotation_error(recon_ctx *ctx, recon_check_function *f, model *m, size_t side)
{
    recon_check_input x = { .type = RECON_F64,
                            .ndim = 4,
                            .shape = { 2, side, side, recon_fields_channels(&m->in) } };
    double *data = noise(2 * side * side * x.shape[3], side), error;
    x.data = data;
    CHECK_OK(ctx, recon_check_equivariance(ctx, &error, f, m, &x, rotate_in, rotate_out, m,
                                           RECON_DOUBLE));
    free(data);
    return error;
}

/* In fields, out fields, size, pad, rings. */
static const struct {
    recon_fields in, out;
    recon_steerable_options options;
} layers[] = {
    { { { 1 } }, { { 3, 2 } }, { .size = 7, .pad = 1 } },
    { { { 2, 3 } }, { { 3, 2 } }, { .size = 5 } },
    { { { 2, 3 } }, { { 3, 2 } }, { .size = 3, .pad = 2 } },
    { { { 2, 3 } }, { { 5, 1 } }, { .size = 1 } },
    { { { 3, 2, 1, 1 } }, { { 2, 1, 2, 1 } }, { .size = 5, .rings = RECON_RINGS_WIDE } },
    { { { 0, 2 } }, { { 0, 0, 3 } }, { .size = 3, .pad = RECON_PAD_NONE } },
    { { { 1, 0, 0, 2 } }, { { 0, 1, 0, 0, 1 } }, { .size = 9, .rings = RECON_RINGS_WIDE } },
};

static recon_params *make_layer(recon_ctx *ctx, model *m, size_t which, recon_precision precision)
{
    recon_params *p;
    m->in = layers[which].in;
    m->out = layers[which].out;
    CHECK_OK(ctx, recon_params_new(ctx, &p, precision));
    CHECK_OK(ctx, recon_steerable_add(ctx, &m->layer, p, "layer", &m->in, &m->out,
                                      &layers[which].options));
    CHECK_OK(ctx, recon_params_make(ctx, p, 11));
    return p;
}

static void convolutions_commute_with_quarter_turns(void **state)
{
    recon_ctx *ctx = ref_of(state);
    for (size_t i = 0; i < COUNT(layers); i++)
        for (size_t side = 8; side < 10; side++) {
            model m;
            recon_params *p = make_layer(ctx, &m, i, RECON_DOUBLE);
            CHECK_LESS(rotation_error(ctx, apply_layer, &m, side), 1e-13);
            recon_params_free(ctx, p);
        }
}

/* Scales, biases and statistics away from their first values. */
static void shake(recon_ctx *ctx, recon_param *param, uint64_t stream, double least)
{
    double *x = noise(recon_param_count(param), stream);
    for (size_t i = 0; i < recon_param_count(param); i++)
        x[i] = least + fabs(x[i]);
    CHECK_OK(ctx, recon_param_write(ctx, param, x));
    free(x);
}

static recon_params *make_norm(recon_ctx *ctx, model *m, recon_fields fields)
{
    recon_params *p;
    m->in = m->out = fields;
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_DOUBLE));
    CHECK_OK(ctx, recon_field_norm_add(ctx, &m->norm, p, "norm", &m->in));
    CHECK_OK(ctx, recon_params_make(ctx, p, 12));
    shake(ctx, m->norm.scale, 1, 0.5);
    shake(ctx, m->norm.mean, 2, -0.5);
    shake(ctx, m->norm.var, 3, 0.5);
    if (m->norm.threshold)
        shake(ctx, m->norm.threshold, 5, -1.5);
    return p;
}

static const recon_fields mixes[] = { { { 3 } }, { { 0, 2, 1 } }, { { 2, 1, 0, 2 } } };

static void norms_and_pooling_commute_with_quarter_turns(void **state)
{
    recon_ctx *ctx = ref_of(state);
    for (size_t i = 0; i < COUNT(mixes); i++) {
        model m = { .norm = { .threshold = NULL } };
        recon_params *p = make_norm(ctx, &m, mixes[i]);
        CHECK_LESS(rotation_error(ctx, apply_norm, &m, 6), 1e-14);
        CHECK_LESS(rotation_error(ctx, apply_pool, &m, 8), 1e-14);
        recon_params_free(ctx, p);
    }
}

/* x relu(|x| + bias) / |x| on pairs x rows,2 n, bias n: the unit vector, as long as that. */
static recon_var shrink_pairs(recon_tape *t, recon_var x, recon_var bias)
{
    size_t rows = recon_var_shape(x, NULL)[0], n = recon_var_count(bias);
    double ones[64];
    assert_true(rows <= COUNT(ones));
    for (size_t i = 0; i < rows; i++)
        ones[i] = 1;
    recon_var pairs = recon_var_reshape(t, x, (size_t[]){ rows * n, 2 }, 2);
    recon_var unit = recon_var_unit(t, pairs);
    recon_var length = recon_var_sum(t, recon_var_mul(t, unit, pairs), 1);
    recon_var shift =
        recon_var_linear(t, recon_var_input(t, ones, RECON_F64, (size_t[]){ rows, 1 }, 2),
                         recon_var_reshape(t, bias, (size_t[]){ n, 1 }, 2), NULL);
    length = recon_var_add(t, recon_var_reshape(t, length, (size_t[]){ rows, n }, 2), shift);
    return recon_var_gate(t, recon_var_reshape(t, unit, (size_t[]){ rows, 2 * n }, 2),
                          recon_var_relu(t, length), 2);
}

/* The fused layer against the single operations, on a batch and by its running statistics. */
static recon_var by_parts(recon_tape *t, void *user, const recon_var *x)
{
    const recon_field_norm *l = &((model *)user)->norm;
    size_t scalars = l->fields.of[0], pairs = recon_fields_pairs(&l->fields);
    recon_var scale = recon_var_param(t, l->scale);
    recon_norm_options two = { .field = 2 };
    recon_var s = recon_var_columns(t, x[0], 0, scalars);
    recon_var v = recon_var_columns(t, x[0], scalars, 2 * pairs);
    s = recon_var_norm(t, s, recon_var_columns(t, scale, 0, scalars), recon_var_param(t, l->shift),
                       ((model *)user)->part[0], ((model *)user)->part[1], NULL);
    v = recon_var_norm(t, v, recon_var_columns(t, scale, scalars, pairs), NULL,
                       ((model *)user)->part[2], ((model *)user)->part[2], &two);
    v = shrink_pairs(
        t, v, recon_var_scale(t, -1, recon_var_softplus(t, recon_var_param(t, l->threshold))));
    return recon_var_concat(t, (recon_var[]){ recon_var_relu(t, s), v }, 2);
}

static void the_norm_is_its_parts(void **state)
{
    enum { ROWS = 50, SCALARS = 2, PAIRS = 3, ALL = SCALARS + 2 * PAIRS };
    recon_ctx *ctx = ref_of(state);
    model m;
    double one[ROWS * ALL], two[ROWS * ALL], got[5], want[5], *data = noise(ROWS * ALL, 50);
    recon_params *p = make_norm(ctx, &m, mixes[2]);
    CHECK_OK(ctx, recon_params_new(ctx, &m.parts, RECON_DOUBLE));
    for (size_t i = 0; i < 3; i++)
        CHECK_OK(ctx, recon_params_add_buffer(ctx, &m.part[i], m.parts,
                                              (const char *[]){ "a", "b", "c" }[i],
                                              (size_t[]){ i < 2 ? SCALARS : PAIRS }, 1, 1));
    CHECK_OK(ctx, recon_params_make(ctx, m.parts, 0));
    CHECK_OK(ctx, recon_param_write(ctx, m.norm.mean, (double[]){ 1, 1, 1, 1, 1 }));
    CHECK_OK(ctx, recon_param_write(ctx, m.norm.var, (double[]){ 1, 1, 1, 1, 1 }));
    for (int training = 1; training >= 0; training--) { /* then with what was learned */
        recon_tape *t;
        CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_DOUBLE, 0));
        CHECK_OK(ctx, recon_tape_begin(t, training ? RECON_TRAIN : RECON_INFER, 0));
        recon_var x = recon_var_input(t, data, RECON_F64, (size_t[]){ ROWS, ALL }, 2);
        CHECK_OK(ctx, recon_var_read(t, one, apply_norm(t, &m, &x)));
        CHECK_OK(ctx, recon_var_read(t, two, by_parts(t, &m, &x)));
        for (size_t i = 0; i < ROWS * ALL; i++)
            CHECK_NEAR(one[i], two[i], 1e-13);
        recon_tape_free(t);
    }
    CHECK_OK(ctx, recon_param_read(ctx, got, m.norm.var));
    CHECK_OK(ctx, recon_param_read(ctx, want, m.part[1]));
    CHECK_OK(ctx, recon_param_read(ctx, want + SCALARS, m.part[2]));
    for (size_t i = 0; i < SCALARS + PAIRS; i++)
        CHECK_NEAR(got[i], want[i], 1e-13);
    recon_params_free(ctx, m.parts);
    recon_params_free(ctx, p);
    free(data);
}

/* ---- other rotations: the mean over the picture of a small network's fields ---- */

enum { SIDE = 33 };
typedef struct {
    recon_steerable first, second;
    recon_field_norm norm;
} network;
static const recon_fields code = { { 4, 3, 2 } };

static recon_params *make_network(recon_ctx *ctx, network *n)
{
    const recon_fields image = { { 1 } }, hidden = { { 4, 4, 2 } };
    const recon_steerable_options five = { .size = 5 };
    recon_params *p;
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_DOUBLE));
    CHECK_OK(ctx, recon_steerable_add(ctx, &n->first, p, "first", &image, &hidden, &five));
    CHECK_OK(ctx, recon_field_norm_add(ctx, &n->norm, p, "norm", &hidden));
    CHECK_OK(ctx, recon_steerable_add(ctx, &n->second, p, "second", &hidden, &code, &five));
    CHECK_OK(ctx, recon_params_make(ctx, p, 5));
    return p;
}

/* Blobs of one width, rotated by an angle, sampled where the pixels are: no interpolation. */
static void draw(double *image, double width, double angle)
{
    static const double blob[][3] = {
        { 3, 1, 1 }, { -2, 4, -0.7 }, { -1, -5, 1.2 }, { 5, -2, 0.6 }
    };
    memset(image, 0, SIDE * SIDE * sizeof *image);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        for (size_t b = 0; b < COUNT(blob); b++) {
            double x = (double)(i % SIDE) - SIDE / 2, y = SIDE / 2 - (double)(i / SIDE);
            double dx = x - (cos(angle) * blob[b][0] - sin(angle) * blob[b][1]);
            double dy = y - (sin(angle) * blob[b][0] + cos(angle) * blob[b][1]);
            image[i] += blob[b][2] * exp(-(dx * dx + dy * dy) / (2 * width * width));
        }
}

static void encode(recon_ctx *ctx, double *out, const network *n, double width, double angle)
{
    double image[SIDE * SIDE];
    recon_tape *t;
    draw(image, width, angle);
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_DOUBLE, 0));
    recon_var x = recon_var_input(t, image, RECON_F64, (size_t[]){ 1, SIDE, SIDE, 1 }, 4);
    x = recon_field_norm_apply(t, &n->norm, recon_steerable_apply(t, &n->first, x));
    x = recon_var_spatial_mean(t, recon_steerable_apply(t, &n->second, x));
    CHECK_OK(ctx, recon_tape_status(t));
    CHECK_OK(ctx, recon_var_read(t, out, x));
    recon_tape_free(t);
}

static double oblique_error(recon_ctx *ctx, const network *n, double width, double angle)
{
    double upright[16], rotated[16], off = 0, size = 0;
    encode(ctx, upright, n, width, 0);
    encode(ctx, rotated, n, width, angle);
    for (size_t m = 0; m < 3; m++)
        for (size_t c = recon_fields_begin(&code, m); c < recon_fields_begin(&code, m + 1);
             c += recon_field_size(m)) {
            double x = upright[c], y = m ? upright[c + 1] : 0, t = (double)m * angle;
            double dx = rotated[c] - (cos(t) * x - sin(t) * y);
            double dy = m ? rotated[c + 1] - (sin(t) * x + cos(t) * y) : 0;
            off += dx * dx + dy * dy;
            size += x * x + y * y;
        }
    return sqrt(off / size);
}

static double worst_error(recon_ctx *ctx, const network *n, double width)
{
    double worst = 0;
    for (int degrees = 15; degrees < 90; degrees += 15)
        worst = fmax(worst, oblique_error(ctx, n, width, degrees * pi / 180));
    return worst;
}

static void smooth_pictures_rotate_by_any_angle(void **state)
{
    recon_ctx *ctx = ref_of(state);
    network n;
    recon_params *p = make_network(ctx, &n);
    double rough = worst_error(ctx, &n, 0.6), middle = worst_error(ctx, &n, 1);
    double smooth = worst_error(ctx, &n, 2);
    CHECK_LESS(smooth, 0.01);
    CHECK_LESS(smooth, 0.5 * middle);
    CHECK_LESS(middle, 0.5 * rough);
    CHECK_LESS(oblique_error(ctx, &n, 0.8, pi / 2), 1e-13); /* and these exactly */
    recon_params_free(ctx, p);
}

/* ---- gradients ---- */

static void gradients_are_differences(void **state)
{
    recon_ctx *ctx = ref_of(state);
    for (size_t i = 0; i < COUNT(layers); i++) {
        model m;
        double error, *data;
        recon_params *p = make_layer(ctx, &m, i, RECON_DOUBLE);
        recon_check_input x = { .type = RECON_F64,
                                .ndim = 4,
                                .shape = { 2, 5, 5, recon_fields_channels(&m.in) } };
        x.data = data = noise(2 * 5 * 5 * x.shape[3], i);
        CHECK_OK(ctx, recon_check_gradient(ctx, &error, apply_layer, &m, &x, 1, p, RECON_TRAIN));
        CHECK_LESS(error, 1e-7);
        free(data);
        recon_params_free(ctx, p);
    }
}

static void gradients_of_norms_are_differences(void **state)
{
    recon_ctx *ctx = ref_of(state);
    for (size_t i = 0; i < COUNT(mixes); i++)
        for (int training = 0; training < 2; training++) {
            model m = { .norm = { .threshold = NULL } };
            double error, *data;
            recon_params *p = make_norm(ctx, &m, mixes[i]);
            recon_check_input x = { .type = RECON_F64,
                                    .ndim = 4,
                                    .shape = { 2, 3, 3, recon_fields_channels(&m.in) } };
            x.data = data = noise(2 * 3 * 3 * x.shape[3], 40 + i);
            CHECK_OK(ctx, recon_check_gradient(ctx, &error, apply_norm, &m, &x, 1, p,
                                               training ? RECON_TRAIN : RECON_RECORD));
            CHECK_LESS(error, 1e-6);
            free(data);
            recon_params_free(ctx, p);
        }
}

/* ---- first values ---- */

static double variance_after(recon_ctx *ctx, const recon_fields *in, const recon_fields *out,
                             size_t size)
{
    enum { H = 16 };
    size_t channels = recon_fields_channels(in), outs = recon_fields_channels(out);
    double *x = noise(H * H * channels, 3), square = 0;
    float *image = malloc(H * H * channels * sizeof *image);
    recon_params *p;
    recon_steerable l;
    recon_tape *t;
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_SINGLE));
    CHECK_OK(ctx, recon_steerable_add(
                      ctx, &l, p, "layer", in, out,
                      &(recon_steerable_options){ .size = size, .pad = RECON_PAD_NONE }));
    CHECK_OK(ctx, recon_params_make(ctx, p, 21));
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    for (size_t i = 0; i < H * H * channels; i++)
        image[i] = (float)x[i];
    recon_var y = recon_var_input(t, image, RECON_F32, (size_t[]){ 1, H, H, channels }, 4);
    y = recon_steerable_apply(t, &l, y);
    size_t n = (H + 1 - size) * (H + 1 - size) * outs;
    double *read = malloc(n * sizeof *read);
    CHECK_OK(ctx, recon_tape_status(t));
    CHECK_OK(ctx, recon_var_read(t, read, y));
    for (size_t i = 0; i < n; i++)
        square += read[i] * read[i] / (double)n;
    free(x), free(image), free(read);
    recon_tape_free(t);
    recon_params_free(ctx, p);
    return square;
}

static void noise_keeps_its_variance(void **state)
{
    recon_ctx *ctx = *state;
    CHECK_OK(ctx, recon_ops_attach(ctx, "cpu"));
    const recon_fields plain = { { 16 } }, some = { { 32, 32 } }, many = { { 24, 16, 12, 8 } };
    CHECK_NEAR(variance_after(ctx, &some, &some, 5), 1, 0.1);
    CHECK_NEAR(variance_after(ctx, &some, &many, 7), 1, 0.1);
    CHECK_NEAR(variance_after(ctx, &many, &some, 3), 1, 0.1);
    CHECK_NEAR(variance_after(ctx, &many, &many, 1), 1, 0.1);
    CHECK_NEAR(variance_after(ctx, &plain, &many, 7), 1, 0.1);
}

static void weights_are_counted_in_closed_form(void **state)
{
    recon_ctx *ctx = *state;
    const recon_fields h = { { 32, 32 } };
    recon_params *p;
    recon_steerable l;
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_SINGLE));
    CHECK_OK(ctx, recon_steerable_add(ctx, &l, p, "five", &h, &h,
                                      &(recon_steerable_options){ .size = 5 }));
    assert_int_equal(recon_params_count(p), 32 * 32 * (3 + 4 + 4 + 10));
    recon_params_free(ctx, p);
}

/* ---- frozen filters, other backends and precisions ---- */

/* The layer's output on one fixed image. */
static void outputs(recon_ctx *ctx, double *out, const model *m, recon_precision precision,
                    recon_tape_mode mode)
{
    size_t shape[4] = { 1, 6, 6, recon_fields_channels(&m->in) };
    float image[6 * 6 * 16];
    double *x = noise(6 * 6 * shape[3], 9);
    recon_tape *t;
    for (size_t i = 0; i < 6 * 6 * shape[3]; i++)
        image[i] = (float)x[i];
    CHECK_OK(ctx, recon_tape_new(ctx, &t, precision, 0));
    CHECK_OK(ctx, recon_tape_begin(t, mode, 0));
    recon_var v = recon_var_input(t, image, RECON_F32, shape, 4);
    v = recon_var_cast(t, v, recon_tape_activations(t));
    v = recon_steerable_apply(t, &m->layer, v);
    CHECK_OK(ctx, recon_tape_status(t));
    CHECK_OK(ctx, recon_var_read(t, out, v));
    free(x);
    recon_tape_free(t);
}

static double distance(const double *a, const double *b, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

enum { WHICH = 4, OUTPUTS = 6 * 6 * 10 }; /* of layers: 2,1,2,1 fields come out */

static void frozen_layers_answer_alike(void **state)
{
    recon_ctx *ctx = *state;
    double live[OUTPUTS], frozen[OUTPUTS], later[OUTPUTS];
    CHECK_OK(ctx, recon_ops_attach(ctx, "cpu"));
    for (int mixed = 0; mixed < 2; mixed++) {
        recon_precision precision = mixed ? RECON_MIXED : RECON_SINGLE;
        model m;
        recon_params *p = make_layer(ctx, &m, WHICH, precision);
        outputs(ctx, live, &m, precision, RECON_INFER);
        CHECK_OK(ctx, recon_steerable_freeze(ctx, &m.layer));
        outputs(ctx, frozen, &m, precision, RECON_INFER);
        assert_memory_equal(live, frozen, sizeof live);
        shake(ctx, m.layer.weight, 77, 0);
        outputs(ctx, later, &m, precision, RECON_INFER);
        assert_memory_equal(later, frozen, sizeof live); /* until it is frozen again */
        outputs(ctx, live, &m, precision, RECON_RECORD);
        CHECK_OK(ctx, recon_steerable_freeze(ctx, &m.layer));
        outputs(ctx, later, &m, precision, RECON_INFER);
        assert_memory_equal(later, live, sizeof live);
        assert_true(distance(later, frozen, OUTPUTS) > 0.1);
        recon_params_free(ctx, p);
    }
}

static void precisions_and_backends_agree(void **state)
{
    recon_ctx *ctx = *state;
    double want[OUTPUTS], got[OUTPUTS];
    model m;
    CHECK_OK(ctx, recon_ops_attach(ctx, "ref"));
    recon_params *p = make_layer(ctx, &m, WHICH, RECON_SINGLE);
    outputs(ctx, want, &m, RECON_SINGLE, RECON_INFER);
    recon_params_free(ctx, p);
    CHECK_OK(ctx, recon_ops_attach(ctx, "cpu"));
    p = make_layer(ctx, &m, WHICH, RECON_MIXED);
    outputs(ctx, got, &m, RECON_SINGLE, RECON_INFER);
    CHECK_LESS(distance(got, want, OUTPUTS), 1e-5);
    outputs(ctx, got, &m, RECON_MIXED, RECON_INFER);
    CHECK_LESS(distance(got, want, OUTPUTS), 0.1);
    assert_true(distance(got, want, OUTPUTS) > 1e-4);
    recon_params_free(ctx, p);
}

/* The sampled basis is not for files: a model holds its weights and nothing that follows. */
static void files_hold_weights_alone(void **state)
{
    recon_ctx *ctx = *state;
    model m;
    CHECK_OK(ctx, recon_ops_attach(ctx, "cpu"));
    recon_params *p = make_layer(ctx, &m, WHICH, RECON_SINGLE);
    CHECK_OK(ctx, recon_steerable_freeze(ctx, &m.layer));
    assert_int_equal(recon_params_entries(p), 1);
    recon_params_free(ctx, p);
}

/* A frozen layer, read by threads that have their own contexts. */
typedef struct {
    pthread_t thread;
    const model *m;
    double out[OUTPUTS];
} reader;

static void *read_frozen(void *arg)
{
    reader *r = arg;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    recon_ops_attach(ctx, "cpu");
    outputs(ctx, r->out, r->m, RECON_SINGLE, RECON_INFER);
    recon_ctx_free(ctx);
    return NULL;
}

static void frozen_layers_serve_many_threads(void **state)
{
    recon_ctx *ctx = *state;
    double want[OUTPUTS];
    model m;
    reader r[3];
    CHECK_OK(ctx, recon_ops_attach(ctx, "cpu"));
    recon_params *p = make_layer(ctx, &m, WHICH, RECON_SINGLE);
    CHECK_OK(ctx, recon_steerable_freeze(ctx, &m.layer));
    outputs(ctx, want, &m, RECON_SINGLE, RECON_INFER);
    for (int i = 0; i < 3; i++) {
        r[i].m = &m;
        assert_int_equal(pthread_create(&r[i].thread, NULL, read_frozen, &r[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(r[i].thread, NULL);
        assert_memory_equal(r[i].out, want, sizeof want);
    }
    recon_params_free(ctx, p);
}

/* Every allocation in turn fails, and nothing is lost. */
static recon_status build(recon_ctx *ctx, recon_params **p)
{
    recon_steerable l;
    recon_field_norm n;
    recon_status s = recon_params_new(ctx, p, RECON_MIXED);
    if (s == RECON_OK)
        s = recon_steerable_add(ctx, &l, *p, "l", &layers[1].in, &layers[1].out, NULL);
    if (s == RECON_OK)
        s = recon_field_norm_add(ctx, &n, *p, "n", &layers[1].out);
    if (s == RECON_OK)
        s = recon_params_make(ctx, *p, 1);
    return s == RECON_OK ? recon_steerable_freeze(ctx, &l) : s;
}

static void memory_may_run_out_anywhere(void **state)
{
    recon_ctx *ctx = *state;
    recon_status status = RECON_ERR_MEMORY;
    CHECK_OK(ctx, recon_ops_attach(ctx, "cpu"));
    for (long n = 1; status != RECON_OK; n++) {
        recon_params *p = NULL;
        recon_alloc_fail_at(ctx, n);
        status = build(ctx, &p);
        recon_alloc_fail_at(ctx, 0);
        assert_true(status == RECON_OK ? n > 10 : status == RECON_ERR_MEMORY);
        recon_params_free(ctx, p);
    }
}

static void what_cannot_be_built_is_refused(void **state)
{
    recon_ctx *ctx = *state;
    const recon_fields scalars = { { 4 } }, vectors = { { 0, 2 } }, none = { { 0 } };
    const recon_fields huge = { { 5000 } };
    recon_params *p;
    recon_steerable l;
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_SINGLE));
    CHECK_FAILS(ctx,
                recon_steerable_add(ctx, &l, p, "even", &scalars, &scalars,
                                    &(recon_steerable_options){ .size = 4 }),
                RECON_ERR_INPUT, "even: a steerable filter of size 4");
    CHECK_FAILS(ctx,
                recon_steerable_add(ctx, &l, p, "large", &scalars, &scalars,
                                    &(recon_steerable_options){ .size = 17 }),
                RECON_ERR_INPUT, "size 17");
    CHECK_FAILS(ctx,
                recon_steerable_add(ctx, &l, p, "point", &scalars, &vectors,
                                    &(recon_steerable_options){ .size = 1 }),
                RECON_ERR_INPUT, "point: fields 4 do not reach all of 0,2");
    CHECK_FAILS(ctx, recon_steerable_add(ctx, &l, p, "empty", &none, &scalars, NULL),
                RECON_ERR_INPUT, "empty: fields 0 do not reach");
    CHECK_FAILS(ctx, recon_steerable_add(ctx, &l, p, "huge", &scalars, &huge, NULL),
                RECON_ERR_INPUT, "huge: fields 5000 have 5000 channels");
    recon_params_free(ctx, p);
}

static void images_of_other_fields_are_refused(void **state)
{
    recon_ctx *ctx = *state;
    float image[5 * 5 * 3] = { 0 };
    model m;
    recon_tape *t;
    CHECK_OK(ctx, recon_ops_attach(ctx, "cpu"));
    recon_params *p = make_layer(ctx, &m, 1, RECON_SINGLE);
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    recon_var x = recon_var_input(t, image, RECON_F32, (size_t[]){ 1, 5, 5, 3 }, 4);
    assert_null(recon_steerable_apply(t, &m.layer, x));
    CHECK_FAILS(ctx, recon_tape_status(t), RECON_ERR_INPUT,
                "layer: a convolution of 1 x 5 x 5 x 3");
    recon_tape_free(t);
    recon_params_free(ctx, p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_commute_with_quarter_turns),
        cmocka_unit_test(norms_and_pooling_commute_with_quarter_turns),
        cmocka_unit_test(the_norm_is_its_parts),
        cmocka_unit_test(smooth_pictures_rotate_by_any_angle),
        cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(gradients_of_norms_are_differences),
        cmocka_unit_test(noise_keeps_its_variance),
        cmocka_unit_test(weights_are_counted_in_closed_form),
        cmocka_unit_test(frozen_layers_answer_alike),
        cmocka_unit_test(precisions_and_backends_agree),
        cmocka_unit_test(frozen_layers_serve_many_threads),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(files_hold_weights_alone),
        cmocka_unit_test(what_cannot_be_built_is_refused),
        cmocka_unit_test(images_of_other_fields_are_refused),
    };
    return cmocka_run_group_tests_name("nn/steerable", tests, check_setup, check_teardown);
}
