/* Models as ONNX files: what they hold, what they compute, how large they are, what is refused. That
 * runtimes give the same answers is for tests/cli/test_export.sh. */
#include "onnx.h"
#include "tiny.h"
#include "backbone/classifier.h"
#include "backbone/kinds.h"
#include "backbone/metadata.h"
#include "maps/so2_heads.h"
#include "model/model.h"
#include "nn/params.h"

#include <recon/group/so2.h>
#include <recon/model/export.h>

static proto load(const char *path, unsigned char **block)
{
    size_t size;
    *block = slurp(path, &size);
    return (proto){ *block, size };
}

static proto export_of(recon_ctx *ctx, recon_lambda lambda, recon_export_what what,
                       unsigned char **block)
{
    recon_model *model = tiny_model(ctx);
    CHECK_OK(ctx, recon_model_use_lambda(ctx, model, lambda));
    CHECK_OK(ctx, recon_model_export(ctx, scratch("m.onnx"), model,
                                     &(recon_export_options){ .what = what, .licence = "CC0" }));
    recon_model_close(ctx, model);
    return load(scratch("m.onnx"), block);
}

static int has_output(proto model, const char *name)
{
    return proto_named(proto_get(model, 7, 0).bytes, 12, 1, name).at != NULL;
}

static int says(proto model, const char *key, const char *value)
{
    proto entry = proto_named(model, 14, 1, key);
    return entry.at && proto_is(proto_get(entry, 2, 0).bytes, value);
}

static size_t nodes(proto model, const char *op)
{
    proto graph = proto_get(model, 7, 0).bytes;
    proto_field f;
    size_t n = 0;
    while (proto_next(&graph, &f))
        n += f.number == 1 && proto_is(proto_get(f.bytes, 4, 0).bytes, op);
    return n;
}

static void a_file_says_what_it_takes_and_gives(void **state)
{
    static const char *const pose[] = { "rotation", "angle", "psi", "lambda" };
    unsigned char *block;
    for (int what = RECON_EXPORT_POSE; what <= RECON_EXPORT_SCORE; what++) {
        proto m = export_of(*state, RECON_LAMBDA_DENSITY, (recon_export_what)what, &block);
        for (size_t i = 0; i < 4; i++)
            assert_true(has_output(m, pose[i]));
        assert_int_equal(has_output(m, "canonical"), what != RECON_EXPORT_POSE);
        assert_int_equal(has_output(m, "p_value"), what == RECON_EXPORT_SCORE);
        assert_int_equal(has_output(m, "log_q"), what == RECON_EXPORT_SCORE);
        assert_true(says(m, "what", recon_export_name((recon_export_what)what)));
        assert_true(says(m, "height", "16") && says(m, "width", "16") && says(m, "channels", "1"));
        assert_true(says(m, "licence", "CC0") && says(m, "lambda", "density"));
        free(block);
    }
}

/* Only what the answer needs is in it: the loop is that of the density's centre. */
static void lambda_is_taken_as_the_model_has_it(void **state)
{
    unsigned char *block;
    proto m = export_of(*state, RECON_LAMBDA_DENSITY, RECON_EXPORT_POSE, &block);
    assert_int_equal(nodes(m, "Loop"), 1);
    assert_int_equal(nodes(m, "GridSample"), 0);
    free(block);
    m = export_of(*state, RECON_LAMBDA_HEAD, RECON_EXPORT_CANONICALIZE, &block);
    assert_int_equal(nodes(m, "Loop"), 0);
    assert_int_equal(nodes(m, "GridSample"), 1);
    assert_true(says(m, "lambda", "head"));
    free(block);
}

static void neighbours_are_refused(void **state)
{
    recon_ctx *ctx = *state;
    recon_model *model = tiny_model(ctx);
    CHECK_OK(ctx, recon_model_use_lambda(ctx, model, RECON_LAMBDA_NEIGHBOURS));
    CHECK_FAILS(ctx, recon_model_export(ctx, scratch("n.onnx"), model, NULL), RECON_ERR_INPUT,
                "lambda neighbours");
    CHECK_FAILS(ctx,
                recon_model_export(ctx, scratch("n.onnx"), model,
                                   &(recon_export_options){ .reserved = { 1 } }),
                RECON_ERR_INPUT, "recon_export_options");
    recon_model_close(ctx, model);
    assert_int_equal(access(scratch("n.onnx"), F_OK), -1);
}

static size_t times(const recon_param *p)
{
    return recon_param_count(p) * sizeof(float);
}

static size_t mlp_bytes(const recon_mlp *mlp)
{
    size_t n = 0;
    for (size_t i = 0; i < mlp->layers; i++)
        n += times(mlp->layer[i].weight) + times(mlp->layer[i].bias);
    return n;
}

/* Filters as they are expanded, and what else is a weight on the way to the pose; the table of bins and the
 * graph itself are small beside them, even in a model as tiny as this one. */
static void a_file_is_hardly_larger_than_its_weights(void **state)
{
    recon_ctx *ctx = *state;
    recon_model *model = tiny_model(ctx);
    const recon_encoder *e = &recon_backbone_ieae(model->backbone)->encoder;
    size_t bytes = times(e->head.filter) + mlp_bytes(&e->density.mlp), size;
    for (size_t i = 0; i < e->layers; i++)
        bytes += times(e->conv[i].filter);
    CHECK_OK(ctx, recon_model_export(ctx, scratch("m.onnx"), model, NULL));
    free(slurp(scratch("m.onnx"), &size));
    assert_true(size < bytes + 40000);
    recon_model_close(ctx, model);
}

/* --- answers ---------------------------------------------------------------------------------- */

/* A network of every kind, with weights that nobody trained and none of which is 0 or 1: what is left out,
 * swapped or scrambled on the way into the file changes what the file computes. */
typedef struct {
    const char *name;
    recon_ieae_shape shape;
    recon_lambda lambda;
    int on_images; /* heads paper: Lambda and Theta are networks on images */
} network;

enum { CODE = 3, HIDDEN = 5, IMAGES = 5, STEEP = 4 };
static const network networks[] = {
    { "small, by the density",
      { .preset = RECON_PRESET_SMALL, .width = 0.1, .density = 1, .height = 16, .width_px = 16 },
      RECON_LAMBDA_DENSITY,
      0 },
    { "small, colours, sides that are odd and differ",
      { .preset = RECON_PRESET_SMALL, .mask = 2, .height = 13, .width_px = 11, .channels = 3 },
      RECON_LAMBDA_HEAD,
      0 },
    { "fast, two frequencies",
      { .preset = RECON_PRESET_FAST, .frequencies = 2, .density = 1, .height = 12, .width_px = 9 },
      RECON_LAMBDA_HEAD,
      0 },
    { "paper, and its heads",
      { .preset = RECON_PRESET_PAPER, .width = 0.1, .height = 12, .width_px = 12 },
      RECON_LAMBDA_HEAD,
      1 },
    { "photo-small",
      { .preset = RECON_PRESET_PHOTO_SMALL, .density = 1, .height = 16, .channels = 3 },
      RECON_LAMBDA_DENSITY,
      0 },
    { "photo, halved twice",
      { .preset = RECON_PRESET_PHOTO, .density = 1, .height = 50 },
      RECON_LAMBDA_HEAD,
      0 },
};
#define ANGLE 3e-4 /* radians: what rounding may move a pose by; see docs/export.md */
enum { NETWORKS = sizeof networks / sizeof *networks };

static int ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && !strcmp(name + n - m, end);
}

/* Weights are random numbers already; variances stay above zero. Densities become so steep that rounding
 * decides nothing. */
static void disturb(recon_ctx *ctx, const recon_params *params, recon_rng *rng)
{
    for (size_t k = 0; k < params->count; k++) {
        recon_param *p = params->entry[k];
        size_t n = recon_param_count(p);
        double *x = malloc(n * sizeof *x);
        CHECK_OK(ctx, recon_param_read(ctx, x, p));
        for (size_t i = 0; i < n; i++)
            x[i] = strstr(p->name, "density")       ? STEEP * x[i]
                   : ends_in(p->name, ".weight")    ? x[i]
                   : ends_in(p->name, ".threshold") ? x[i] - STEEP
                   : ends_in(p->name, ".var")       ? 0.5 + recon_rng_uniform(rng)
                                                    : x[i] + 0.3 * recon_rng_normal(rng);
        CHECK_OK(ctx, recon_param_write(ctx, p, x));
        free(x);
    }
}

static recon_params *nets_of(recon_ctx *ctx, recon_ieae_shape shape)
{
    static const char *const name[] = { "lambda_image", "theta_image" };
    recon_encoder encoder;
    recon_params *params;
    recon_mlp out;
    shape.density = 0;
    CHECK_OK(ctx, recon_params_new(ctx, &params, RECON_SINGLE));
    for (int h = 0; h < 2; h++) {
        size_t sizes[] = { CODE, HIDDEN, recon_so2_networks[h].outputs };
        recon_layer_name full;
        snprintf(full, sizeof full, "%s.out", name[h]);
        CHECK_OK(ctx, recon_encoder_add(ctx, &encoder, params, name[h], &shape));
        CHECK_OK(ctx, recon_mlp_add(ctx, &out, params, full, sizes, 3, 0));
    }
    CHECK_OK(ctx, recon_params_make(ctx, params, 3));
    return params;
}

/* Of all three kinds of densities there are enough points for a table of their own. */
static recon_maps *maps_of(recon_ctx *ctx, recon_rng *rng)
{
    enum { POINTS = 900 };
    recon_tail_point tail[POINTS];
    double score[POINTS];
    recon_maps *m;
    CHECK_OK(ctx, recon_maps_new(ctx, &m, &recon_so2_maps, CODE, HIDDEN, 0, NULL, 5));
    disturb(ctx, m->params, rng);
    m->number = RECON_SO2_NORMAL;
    for (int j = 0; j < CODE; j++) {
        m->mean[j] = recon_rng_normal(rng);
        m->scale[j] = 0.5 + recon_rng_uniform(rng);
    }
    for (int i = 0; i < POINTS; i++) {
        tail[i] = (recon_tail_point){ 0.1 + 0.45 * (i % 3), recon_rng_uniform(rng) };
        score[i] = recon_rng_normal(rng);
    }
    CHECK_OK(ctx, recon_maps_calibrate(ctx, m, score, tail, POINTS));
    return m;
}

static recon_model *model_of(recon_ctx *ctx, const network *of)
{
    recon_ieae_shape s = of->shape;
    recon_rng rng = recon_rng_new(7, 0);
    recon_metadata_list l = { .n = 0 };
    recon_model *model;
    recon_ieae *b;
    s.code = CODE;
    s.width = s.width > 0 ? s.width : 1.0 / 64;
    s.width_px = s.width_px ? s.width_px : s.height;
    s.channels = s.channels ? s.channels : 1;
    CHECK_OK(ctx, recon_encoder_shape(ctx, &s));
    CHECK_OK(ctx, recon_ieae_make(ctx, &b, &s, RECON_SINGLE, NULL, NULL, 1));
    recon_maps *maps = maps_of(ctx, &rng);
    recon_params *nets = of->on_images ? nets_of(ctx, s) : NULL;
    const recon_params *sets[] = { b->base.params, maps->params, nets };
    disturb(ctx, b->base.params, &rng);
    if (nets)
        disturb(ctx, nets, &rng);
    recon_metadata_add(&l, "model", "ieae");
    recon_metadata_add(&l, "preset", recon_preset_name(s.preset));
    recon_metadata_add(&l, "maps", "so2");
    recon_metadata_add(&l, "heads", nets ? "paper" : "mlp");
    recon_metadata_add_number(&l, "width_factor", s.width);
    recon_metadata_add_number(&l, "frequencies", (double)s.frequencies);
    recon_metadata_add_number(&l, "code", CODE);
    recon_metadata_add_number(&l, "mask", s.mask);
    recon_metadata_add_number(&l, "density", s.density);
    recon_metadata_add_number(&l, "height", (double)s.height);
    recon_metadata_add_number(&l, "width", (double)s.width_px);
    recon_metadata_add_number(&l, "channels", (double)s.channels);
    CHECK_OK(ctx,
             recon_params_save_all(ctx, scratch("any"), sets, nets ? 3 : 2, l.entry, l.n, NULL));
    recon_maps_free(ctx, maps);
    recon_params_free(ctx, nets);
    recon_ieae_close(ctx, b);
    CHECK_OK(ctx, recon_model_open(ctx, &model, scratch("any"), RECON_SINGLE));
    CHECK_OK(ctx, recon_model_use_lambda(ctx, model, of->lambda));
    return model;
}

/* Three bumps a channel, anywhere. */
static void draw(float *out, size_t height, size_t width, size_t channels, recon_rng *rng)
{
    for (size_t c = 0; c < channels; c++)
        for (int k = 0; k < 3; k++) {
            double y = recon_rng_uniform(rng) * (double)height;
            double x = recon_rng_uniform(rng) * (double)width;
            for (size_t i = 0; i < height * width; i++) {
                double h = (double)(i / width) - y, w = (double)(i % width) - x;
                out[i * channels + c] += (float)(exp(-(h * h + w * w) / 9) / 3);
            }
        }
}

static float *images_of(size_t height, size_t width, size_t channels)
{
    recon_rng rng = recon_rng_new(1, 0);
    size_t size = height * width * channels;
    float *x = calloc(IMAGES * size, sizeof *x);
    for (size_t i = 0; i < IMAGES; i++)
        draw(x + i * size, height, width, channels, &rng);
    return x;
}

/* Row i of an output is these n numbers. */
static void check_row(const onnx_run *r, const char *name, const char *output, size_t i,
                      const double *want, size_t n, double tolerance)
{
    onnx_tensor t = onnx_get(r, output);
    assert_int_equal(t.n, IMAGES * n);
    for (size_t k = 0; k < n; k++)
        if (!(fabs(t.at[i * n + k] - want[k]) <= tolerance))
            fail_msg("%s: %s of image %zu, %zu: %.9g, expected %.9g +- %g", name, output, i, k,
                     t.at[i * n + k], want[k], tolerance);
}

static void check_pair(const onnx_run *r, const char *name, const char *output, size_t i,
                       double angle)
{
    check_row(r, name, output, i, (double[]){ cos(angle), sin(angle) }, 2, ANGLE);
}

static void check_density(const onnx_run *r, const char *name, size_t i, const recon_so2_density *p,
                          const float *log_q)
{
    enum { BINS = RECON_POSE_BINS, PARTS = RECON_SO2_PARTS_MAX };
    double q[BINS], weight[PARTS], mean[2 * PARTS], kappa[PARTS];
    for (int b = 0; log_q && b < BINS; b++)
        q[b] = (double)log_q[b];
    for (int k = 0; k < PARTS; k++) {
        weight[k] = p->part[k].weight;
        mean[2 * k] = cos(p->part[k].mean);
        mean[2 * k + 1] = sin(p->part[k].mean);
        kappa[k] = p->part[k].kappa;
    }
    if (log_q) {
        check_row(r, name, "log_q", i, q, BINS, 1e-3);
    } else {
        check_row(r, name, "weights", i, weight, PARTS, 1e-5);
        check_row(r, name, "means", i, mean, 2 * PARTS, ANGLE);
        check_row(r, name, "kappas", i, kappa, PARTS, 1e-4 * (1 + kappa[0]));
    }
}

static void check_scores(recon_ctx *ctx, const onnx_run *r, const char *name,
                         const recon_model *model, const float *x)
{
    static float z[IMAGES * CODE], log_q[IMAGES][RECON_POSE_BINS];
    recon_pose_score score[IMAGES];
    double psi[IMAGES];
    const recon_seen seen = { .z = z, .psi = psi, .density = log_q[0] };
    const recon_ieae *b = recon_backbone_ieae(model->backbone);
    recon_read of;
    CHECK_OK(ctx, recon_ieae_embed(ctx, &seen, b, x, IMAGES));
    CHECK_OK(ctx, recon_score_images(ctx, score, model, x, IMAGES));
    CHECK_OK(ctx, recon_model_read_all(ctx, &of, model, x, IMAGES, 0));
    for (size_t i = 0; i < IMAGES; i++) {
        recon_tail_point p =
            recon_so2_tail_point(recon_read_map(&of, model, i), of.poses[i].psi[0]);
        check_row(r, name, "score", i, &score[i].score, 1, 1e-3);
        check_row(r, name, "p_value", i, &score[i].p_value, 1, 3e-4);
        check_row(r, name, "sharpness", i, &p.sharpness, 1, 1e-4);
        check_row(r, name, "tail", i, &p.tail, 1, 3e-4);
        check_density(r, name, i, &((const recon_so2_map *)of.maps)[i].density,
                      b->shape.density ? log_q[i] : NULL);
    }
    recon_read_free(&of);
}

static void check_canonical(const onnx_run *r, const char *name, const recon_ieae_shape *s,
                            const float *want)
{
    size_t pixels = s->height * s->width_px, n = s->channels * pixels;
    double *row = malloc(n * sizeof *row);
    for (size_t i = 0; i < IMAGES; i++) {
        for (size_t k = 0; k < n; k++)
            row[k] = (double)want[i * n + k % pixels * s->channels + k / pixels];
        check_row(r, name, "canonical", i, row, n, 1e-3);
    }
    free(row);
}

static void check_network(recon_ctx *ctx, const network *of, recon_export_what what)
{
    recon_model *model = model_of(ctx, of);
    recon_ieae_shape s = recon_model_describe(model).images;
    float *x = images_of(s.height, s.width_px, s.channels);
    float *y = images_of(s.height, s.width_px, s.channels);
    recon_pose pose[IMAGES];
    unsigned char *block;
    CHECK_OK(ctx, recon_model_export(ctx, scratch("m.onnx"), model,
                                     &(recon_export_options){ .what = what }));
    CHECK_OK(ctx, recon_canonicalize_images(ctx, y, pose, model, x, IMAGES, NULL));
    onnx_run *r =
        onnx_begin(load(scratch("m.onnx"), &block), x, IMAGES, s.height, s.width_px, s.channels);
    for (size_t i = 0; i < IMAGES; i++) {
        double off = recon_so2_distance(onnx_get(r, "angle").at[i], pose[i].rotation[0]);
        check_row(r, of->name, "angle", i, &(double){ onnx_get(r, "angle").at[i] + off }, 1, ANGLE);
        check_pair(r, of->name, "rotation", i, pose[i].rotation[0]);
        check_pair(r, of->name, "psi", i, pose[i].psi[0]);
        check_pair(r, of->name, "lambda", i, pose[i].lambda[0]);
    }
    if (what != RECON_EXPORT_POSE)
        check_canonical(r, of->name, &s, y);
    if (what == RECON_EXPORT_SCORE)
        check_scores(ctx, r, of->name, model, x);
    onnx_end(r);
    free(block);
    free(x);
    free(y);
    recon_model_close(ctx, model);
}

static void files_compute_what_the_library_does(void **state)
{
    for (int i = 0; i < NETWORKS; i++)
        check_network(*state, &networks[i], RECON_EXPORT_SCORE);
    check_network(*state, &networks[0], RECON_EXPORT_POSE);
    check_network(*state, &networks[1], RECON_EXPORT_CANONICALIZE);
}

/* A classifier's file, as the library would write it. */
static recon_classifier *classifier_of(recon_ctx *ctx, recon_net net)
{
    enum { SIDE = 12, CHANNELS = 2, CLASSES = 3 };
    union {
        recon_small_cnn small;
        recon_resnet18 resnet18;
    } layers;
    recon_rng rng = recon_rng_new(9, 0);
    recon_metadata_list l = { .n = 0 };
    recon_classifier *c;
    recon_params *p;
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_SINGLE));
    CHECK_OK(ctx, net == RECON_NET_SMALL
                      ? recon_small_cnn_add(ctx, &layers.small, p, SIDE, SIDE, CHANNELS, CLASSES)
                      : recon_resnet18_add(ctx, &layers.resnet18, p, CHANNELS, CLASSES, 2));
    CHECK_OK(ctx, recon_params_make(ctx, p, 1));
    disturb(ctx, p, &rng);
    recon_metadata_add(&l, "model", "classifier");
    recon_metadata_add(&l, "net", net == RECON_NET_SMALL ? "small" : "resnet18");
    recon_metadata_add_number(&l, "stem", 2);
    recon_metadata_add_number(&l, "height", SIDE);
    recon_metadata_add_number(&l, "width", SIDE);
    recon_metadata_add_number(&l, "channels", CHANNELS);
    recon_metadata_add_number(&l, "classes", CLASSES);
    CHECK_OK(ctx, recon_params_save(ctx, scratch("any"), p, l.entry, l.n));
    recon_params_free(ctx, p);
    CHECK_OK(ctx, recon_classifier_open(ctx, &c, scratch("any")));
    return c;
}

static void so_do_those_of_classifiers(void **state)
{
    recon_ctx *ctx = *state;
    for (int net = 0; net < 2; net++) {
        recon_classifier *c = classifier_of(ctx, (recon_net)net);
        recon_classifier_info info = recon_classifier_describe(c);
        float *x = images_of(info.height, info.width, info.channels);
        double logits[IMAGES * 3], most = 0;
        unsigned char *block;
        CHECK_OK(ctx, recon_classifier_logits(ctx, logits, c, x, IMAGES));
        CHECK_OK(ctx, recon_classifier_export(ctx, scratch("c.onnx"), c, "CC0"));
        onnx_run *r = onnx_begin(load(scratch("c.onnx"), &block), x, IMAGES, info.height,
                                 info.width, info.channels);
        for (size_t i = 0; i < IMAGES * info.classes; i++)
            most = fmax(most, fabs(logits[i]));
        for (size_t i = 0; i < IMAGES; i++)
            check_row(r, net ? "resnet18" : "small", "logits", i, logits + i * info.classes,
                      info.classes, 1e-5 * (1 + most));
        onnx_end(r);
        free(block);
        free(x);
        recon_classifier_close(ctx, c);
    }
}

/* --- in need ---------------------------------------------------------------------------------- */

/* Every place where memory may end: an error, and no file. */
static void no_memory_is_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_model *model = tiny_model(ctx);
    for (long n = 1; n < 3000; n += 97) {
        recon_alloc_fail_at(ctx, n);
        recon_status status =
            recon_model_export(ctx, scratch("less.onnx"), model,
                               &(recon_export_options){ .what = RECON_EXPORT_SCORE });
        recon_alloc_fail_at(ctx, 0);
        if (status != RECON_OK)
            assert_int_equal(status, RECON_ERR_MEMORY);
        assert_int_equal(access(scratch("less.onnx"), F_OK), status == RECON_OK ? 0 : -1);
        unlink(scratch("less.onnx"));
    }
    recon_model_close(ctx, model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_says_what_it_takes_and_gives),
        cmocka_unit_test(lambda_is_taken_as_the_model_has_it),
        cmocka_unit_test(neighbours_are_refused),
        cmocka_unit_test(a_file_is_hardly_larger_than_its_weights),
        cmocka_unit_test(files_compute_what_the_library_does),
        cmocka_unit_test(so_do_those_of_classifiers),
        cmocka_unit_test(no_memory_is_said),
    };
    return cmocka_run_group_tests(tests, tiny_setup, scratch_teardown);
}
