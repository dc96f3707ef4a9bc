/* The image autoencoder: codes do not turn, poses do, what it learns survives threads, files and
 * being cut short. */
#include "shapes.h"

#include <recon/backbone/ieae.h>
#include <recon/group/so2.h>
#include <recon/ops/backend.h>

static const double right_angle = 1.5707963267948966;
static const recon_ieae_options tiny = {
    .shape = { .preset = RECON_PRESET_SMALL, .width = 0.5, .code = 8 },
    .epochs = 3,
    .batch = 16,
    .seed = 5,
};

static void train(recon_ctx *ctx, const recon_ieae_options *o, const char *path, uint32_t n,
                  recon_train_result *r)
{
    recon_dataset *data;
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, shape_set(n, 1)));
    CHECK_OK(ctx, recon_ieae_train(ctx, r, data, path, o));
    recon_dataset_close(data);
}

/* The code of x turned by right angles is that of x, and the pose is ahead by as much: even sides
 * and symmetric windows leave no other error than rounding. */
static void right_angles_are_exact(void **state)
{
    recon_ctx *ctx = *state;
    for (int preset = 0; preset < 3; preset++) {
        recon_ieae_options o = tiny;
        recon_train_result r;
        recon_ieae *m;
        float x[4][SHAPE_PIXELS], z[4][8];
        double psi[4];
        o.shape.preset = (recon_preset)preset;
        o.shape.width = 0.2;
        o.shape.mask = preset == 1;
        o.epochs = 12; /* for norms to know their inputs */
        train(ctx, &o, scratch("m"), 60, &r);
        CHECK_OK(ctx, recon_ieae_open(ctx, &m, scratch("m"), RECON_SINGLE));
        for (int q = 0; q < 4; q++)
            shape_draw(x[q], 1, q * right_angle, 0.2);
        CHECK_OK(ctx, recon_ieae_embed(ctx, z[0], psi, m, x[0], 4));
        for (int q = 1; q < 4; q++) {
            CHECK_NEAR(recon_so2_distance(psi[q], psi[0] + q * right_angle), 0, 1e-3);
            for (int i = 0; i < 8; i++)
                CHECK_NEAR(z[q][i], z[0][i], 1e-3 * (1 + fabs((double)z[0][i])));
        }
        recon_ieae_close(ctx, m);
    }
}

static void training_learns_to_rebuild_and_to_tell_turns(void **state)
{
    recon_ctx *ctx = *state;
    recon_ieae_options o = tiny;
    recon_train_result first, last;
    recon_ieae *m;
    float x[2][SHAPE_PIXELS], z[2][8];
    double psi[2], worst = 0;
    o.epochs = 1;
    train(ctx, &o, scratch("m"), 600, &first);
    o.epochs = 12;
    train(ctx, &o, scratch("m"), 600, &last);
    CHECK_LESS(last.best, 0.5 * first.best);
    CHECK_OK(ctx, recon_ieae_open(ctx, &m, scratch("m"), RECON_SINGLE));
    for (double turn = 0.1; turn < 3.1; turn += 0.3) { /* any angle, nearly */
        shape_draw(x[0], 0, 0, 0);
        shape_draw(x[1], 0, turn, 0);
        CHECK_OK(ctx, recon_ieae_embed(ctx, z[0], psi, m, x[0], 2));
        worst = fmax(worst, recon_so2_distance(psi[1] - psi[0], turn));
    }
    CHECK_LESS(worst, 0.2);
    recon_ieae_close(ctx, m);
}

static void same_file(const char *a, const char *b)
{
    size_t n, m;
    unsigned char *x = slurp(a, &n), *y = slurp(b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

static void threads_and_a_resumed_run_give_the_same_bits(void **state)
{
    recon_ctx *ctx = *state, *one = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    recon_ieae_options o = tiny;
    recon_train_result r;
    o.threads = 1;
    train(ctx, &o, scratch("two"), 100, &r);
    o.threads = 3;
    train(one, &o, scratch("one"), 100, &r);
    same_file(scratch("one"), scratch("two"));
    recon_ctx_free(one);
}

static void batches_of_any_size_embed_alike(void **state)
{
    recon_ctx *ctx = *state;
    recon_train_result r;
    recon_dataset *data;
    recon_embedded e;
    recon_ieae *m;
    float image[SHAPE_PIXELS], z[8];
    double psi;
    train(ctx, &tiny, scratch("m"), 40, &r);
    CHECK_OK(ctx, recon_ieae_open(ctx, &m, scratch("m"), RECON_SINGLE));
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, shape_set(300, 2)));
    CHECK_OK(ctx, recon_ieae_embed_all(ctx, &e, m, data));
    assert_int_equal(e.n, 300);
    assert_int_equal(e.labels[299], 1);
    for (size_t i = 0; i < e.n; i += 37) {
        recon_dataset_get(image, data, i);
        CHECK_OK(ctx, recon_ieae_embed(ctx, z, &psi, m, image, 1));
        CHECK_NEAR(recon_so2_distance(psi, e.so2[i]), 0, 1e-4);
        for (int j = 0; j < 8; j++)
            CHECK_NEAR(z[j], e.z[i * 8 + (size_t)j], 1e-4);
    }
    recon_embedded_free(&e);
    recon_dataset_close(data);
    recon_ieae_close(ctx, m);
}

static void what_does_not_fit_is_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_train_result r;
    recon_dataset *data;
    recon_embedded e;
    recon_ieae *m;
    recon_ieae_options o = tiny;
    train(ctx, &tiny, scratch("m"), 40, &r);
    CHECK_OK(ctx, recon_ieae_open(ctx, &m, scratch("m"), RECON_SINGLE));
    char spec[600];
    snprintf(spec, sizeof spec, "idx:%s", idx_set("other", 20));
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, spec));
    CHECK_FAILS(ctx, recon_ieae_embed_all(ctx, &e, m, data), RECON_ERR_INPUT,
                "images of 4 x 3 x 1, but the model was made for 12 x 12 x 1");
    CHECK_FAILS(ctx, recon_ieae_train(ctx, &r, data, scratch("n"), &o), RECON_ERR_INPUT,
                "8 x 8 at least");
    recon_dataset_close(data);
    recon_ieae_close(ctx, m);
    scratch_write("text", "not a model", 11);
    CHECK_FAILS(ctx, recon_ieae_open(ctx, &m, scratch("text"), RECON_SINGLE), RECON_ERR_FORMAT,
                "text");
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, shape_set(40, 1)));
    o.batch = 64;
    CHECK_FAILS(ctx, recon_ieae_train(ctx, &r, data, scratch("n"), &o), RECON_ERR_INPUT,
                "do not fill a batch of 64");
    o.shape.width = 1e9;
    CHECK_FAILS(ctx, recon_ieae_train(ctx, &r, data, scratch("n"), &o), RECON_ERR_INPUT, "width");
    recon_dataset_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(right_angles_are_exact),
        SCRATCH_TEST(training_learns_to_rebuild_and_to_tell_turns),
        SCRATCH_TEST(threads_and_a_resumed_run_give_the_same_bits),
        SCRATCH_TEST(batches_of_any_size_embed_alike),
        SCRATCH_TEST(what_does_not_fit_is_said),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
