/* Training from the weights of another model: what is taken, what follows it, what is refused. */
#include "shapes.h"
#include "backbone/ieae.h"
#include "backbone/recipe.h"
#include "nn/params.h"

#include <recon/core/array.h>
#include <recon/ops/backend.h>

static const recon_ieae_options tiny = {
    .shape = { .preset = RECON_PRESET_SMALL, .width = 0.25, .code = 8 },
    .epochs = 1,
    .batch = 16,
    .seed = 5,
    .overwrite = 1,
};
/* Steps so small that they hardly change a zero. */
static const recon_ieae_options standing = {
    .epochs = 1,
    .batch = 16,
    .seed = 6,
    .rate = 1e-30,
    .overwrite = 1,
};

static recon_dataset *shapes(recon_ctx *ctx)
{
    recon_dataset *data;
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, shape_set(40, 1)));
    return data;
}

/* n images of noise, height x width x channels. */
static recon_dataset *noise(recon_ctx *ctx, size_t side, size_t channels)
{
    enum { N = 40, MOST = 16 * 16 * 3 };
    static float pixels[N * MOST];
    recon_rng rng = recon_rng_new(2, 0);
    recon_dataset *data;
    char spec[600];
    for (size_t i = 0; i < N * side * side * channels; i++)
        pixels[i] = (float)recon_rng_uniform(&rng);
    recon_array x = {
        .dtype = RECON_F32, .ndim = 4, .shape = { N, side, side, channels }, .data = pixels
    };
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("noise.npy"), &x));
    snprintf(spec, sizeof spec, "npy:%s", scratch("noise.npy"));
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, spec));
    return data;
}

static const char *base(void)
{
    return scratch("base");
}

static void train_base(recon_ctx *ctx, double density)
{
    recon_train_result r;
    recon_dataset *data = shapes(ctx);
    recon_ieae_options o = tiny;
    o.density = density;
    CHECK_OK(ctx, recon_ieae_train(ctx, &r, data, base(), &o));
    recon_dataset_close(data);
}

/* How many trained entries have the values of the other model's, and how many have not. */
typedef struct {
    size_t same, other;
} comparison;

static int is_same(recon_ctx *ctx, const recon_param *a, const recon_param *b)
{
    size_t n = recon_param_count(a), i = 0;
    double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    CHECK_OK(ctx, recon_param_read(ctx, x, a));
    CHECK_OK(ctx, recon_param_read(ctx, y, b));
    while (i < n && fabs(x[i] - y[i]) < 1e-20)
        i++;
    free(x), free(y);
    return i == n;
}

static comparison compare(recon_ctx *ctx, const char *a, const char *b, const char *prefix)
{
    recon_ieae *m[2];
    comparison out = { 0, 0 };
    CHECK_OK(ctx, recon_ieae_open(ctx, &m[0], a, RECON_SINGLE));
    CHECK_OK(ctx, recon_ieae_open(ctx, &m[1], b, RECON_SINGLE));
    const recon_params *p = m[0]->base.params, *q = m[1]->base.params;
    assert_int_equal(p->count, q->count);
    for (size_t i = 0; i < p->count; i++)
        if (p->entry[i]->trained && !strncmp(p->entry[i]->name, prefix, strlen(prefix)))
            *(is_same(ctx, p->entry[i], q->entry[i]) ? &out.same : &out.other) += 1;
    recon_ieae_close(ctx, m[0]);
    recon_ieae_close(ctx, m[1]);
    return out;
}

static recon_status train_from(recon_ctx *ctx, const recon_dataset *data,
                               const recon_ieae_options *options)
{
    recon_train_result r;
    recon_ieae_options o = *options;
    o.from = o.from ? o.from : base();
    return recon_ieae_train(ctx, &r, data, scratch("new"), &o);
}

static void the_first_weights_are_those_of_the_model(void **state)
{
    recon_ctx *ctx = *state;
    train_base(ctx, 0);
    recon_dataset *data = shapes(ctx);
    CHECK_OK(ctx, train_from(ctx, data, &standing));
    comparison c = compare(ctx, base(), scratch("new"), "");
    assert_int_equal(c.other, 0);
    assert_true(c.same > 20);
    recon_dataset_close(data);
}

static void listen(void *user, recon_log_level level, const char *line)
{
    (void)level;
    *(int *)user += strstr(line, "only its encoder is used") != NULL;
}

static void another_size_takes_the_encoder_alone(void **state)
{
    int said = 0;
    recon_ctx *ctx = *state,
              *heard = recon_ctx_new(&(recon_ctx_options){ .on_log = listen, .user = &said });
    train_base(ctx, 0);
    recon_dataset *data = noise(ctx, 16, 1);
    CHECK_OK(heard, train_from(heard, data, &standing));
    assert_int_equal(said, 1);
    recon_ctx_free(heard);
    assert_int_equal(compare(ctx, base(), scratch("new"), "encoder.").other, 0);
    assert_int_equal(compare(ctx, base(), scratch("new"), "decoder.conv").same, 0);
    recon_dataset_close(data);
}

/* Of a model without a pose density too, which a preset has by default. */
static void shape_and_density_follow_the_model(void **state)
{
    recon_ctx *ctx = *state;
    for (double density = -1; density <= 1; density += 2) {
        recon_ieae *m;
        train_base(ctx, density);
        recon_dataset *data = shapes(ctx);
        CHECK_OK(ctx, train_from(ctx, data, &standing));
        CHECK_OK(ctx, recon_ieae_open(ctx, &m, scratch("new"), RECON_SINGLE));
        recon_ieae_shape s = recon_ieae_describe(m);
        assert_int_equal(s.preset, RECON_PRESET_SMALL);
        assert_int_equal(s.code, 8);
        assert_int_equal(s.density, density > 0);
        CHECK_NEAR(s.width, 0.25, 0);
        recon_ieae_close(ctx, m);
        recon_dataset_close(data);
    }
}

static void what_contradicts_the_model_is_refused(void **state)
{
    recon_ctx *ctx = *state;
    const struct {
        recon_ieae_options o;
        const char *message;
    } asked[] = {
        { { .shape = { .preset = RECON_PRESET_PAPER } }, "its preset is small, but paper was" },
        { { .shape = { .width = 0.5 } }, "its width is 0.25, but 0.5 was asked for" },
        { { .shape = { .frequencies = 3 } }, "its number of frequencies is 4, but 3 was" },
        { { .shape = { .code = 9 } }, "its code is 8, but 9 was asked for" },
        { { .density = -1 }, "it has a pose density" },
    };
    train_base(ctx, 0);
    recon_dataset *data = shapes(ctx), *colour = noise(ctx, SHAPE_SIDE, 3);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        CHECK_FAILS(ctx, train_from(ctx, data, &asked[i].o), RECON_ERR_INPUT, asked[i].message);
    CHECK_FAILS(
        ctx, train_from(ctx, colour, &standing), RECON_ERR_MISMATCH,
        "its number of channels is 1, but these images have 3 (grey 1, colour 3): convert them, or train without "
        "it");
    train_base(ctx, -1);
    CHECK_FAILS(ctx, train_from(ctx, data, &(recon_ieae_options){ .density = 1 }), RECON_ERR_INPUT,
                "it has no pose density");
    scratch_write("text", "not a model", 11);
    CHECK_FAILS(ctx, train_from(ctx, data, &(recon_ieae_options){ .from = scratch("text") }),
                RECON_ERR_FORMAT, "text");
    recon_dataset_close(colour);
    recon_dataset_close(data);
}

static void stop(void *user, recon_log_level level, const char *line)
{
    (void)level;
    if (strstr(line, "MiB per step"))
        recon_ctx_interrupt(*(recon_ctx **)user);
}

/* Fewer steps than a first training of so few images takes. */
static void a_short_training_is_the_default(void **state)
{
    recon_ctx *ctx = *state, *brief;
    brief = recon_ctx_new(&(recon_ctx_options){ .on_log = stop, .user = &brief });
    recon_safetensors *file;
    train_base(ctx, 0);
    recon_dataset *data = shapes(ctx);
    CHECK_FAILS(brief, train_from(brief, data, &(recon_ieae_options){ .overwrite = 1 }),
                RECON_ERR_INTERRUPTED, "interrupted after step 0");
    CHECK_OK(ctx, recon_safetensors_open(ctx, &file, scratch("new.last")));
    const char *line = recon_safetensors_metadata(file, "settings");
    assert_non_null(strstr(line, "epochs: 150, batch: ")); /* of a quarter of the images each */
    assert_non_null(strstr(line, ", from: "));
    recon_safetensors_close(file);
    recon_dataset_close(data);
    recon_ctx_free(brief);
}

static int is_lost(recon_ctx *ctx)
{
    recon_safetensors *file;
    CHECK_OK(ctx, recon_safetensors_open(ctx, &file, scratch("new")));
    int lost = recon_recipe_is_lost(ctx, file);
    recon_safetensors_close(file);
    return lost;
}

/* It is trained again from what it was trained from, or not at all. */
static void a_model_knows_what_it_was_trained_from(void **state)
{
    recon_ctx *ctx = *state;
    recon_safetensors *file;
    recon_ieae *m;
    train_base(ctx, 0);
    recon_dataset *data = shapes(ctx);
    CHECK_OK(ctx, train_from(ctx, data, &standing));
    assert_false(is_lost(ctx));
    CHECK_OK(ctx, recon_safetensors_open(ctx, &file, scratch("new")));
    assert_string_equal(recon_recipe_from(file), base());
    CHECK_OK(ctx, recon_ieae_open(ctx, &m, scratch("new"), RECON_SINGLE));
    CHECK_OK(ctx, recon_ieae_refit(ctx, scratch("again"), &m->base, file, recon_dataset_data(data),
                                   RECON_SINGLE));
    assert_int_equal(compare(ctx, base(), scratch("again"), "").other, 0);
    recon_ieae_close(ctx, m);
    recon_safetensors_close(file);
    CHECK_OK(ctx, train_from(ctx, data, &tiny)); /* the base of the next */
    assert_int_equal(rename(scratch("new"), base()), 0);
    CHECK_OK(ctx, recon_ieae_train(ctx, &(recon_train_result){ 0 }, data, scratch("new"), &tiny));
    assert_false(is_lost(ctx)); /* was trained from nothing */
    CHECK_OK(ctx, train_from(ctx, data, &standing));
    train_base(ctx, 0);
    assert_true(is_lost(ctx));
    unlink(base());
    assert_true(is_lost(ctx));
    recon_dataset_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(the_first_weights_are_those_of_the_model),
        SCRATCH_TEST(another_size_takes_the_encoder_alone),
        SCRATCH_TEST(shape_and_density_follow_the_model),
        SCRATCH_TEST(what_contradicts_the_model_is_refused),
        SCRATCH_TEST(a_short_training_is_the_default),
        SCRATCH_TEST(a_model_knows_what_it_was_trained_from),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
