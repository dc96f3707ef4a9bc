/* Options end in a reserved tail: a word of it that is set is refused by every function that reads
 * them, by name, before anything is done; a tail of zeros changes nothing. */
#include "backbone/molecule_net.h"
#include "backbone/ieae.h"
#include "tiny.h"
#include "group/so3/fisher_fit.h"

#include <recon/backbone/classifier.h>
#include <recon/recon.h>

/* call, which reads the options o, with each word of their tail set. */
#define REFUSES(type, init, call)                                                                  \
    do {                                                                                           \
        for (int word = 0; word < RECON_RESERVED; word++) {                                        \
            type o = init;                                                                         \
            o.reserved[word] = (uint64_t)1 << 63;                                                  \
            CHECK_FAILS(ctx, call, RECON_ERR_INPUT, " of " #type " is not zero");                  \
        }                                                                                          \
    } while (0)
#define WITH(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void a_context_is_not_made(void **state)
{
    (void)state;
    for (int word = 0; word < RECON_RESERVED; word++) {
        recon_ctx_options o = { .threads = 1 };
        o.reserved[word] = 1;
        assert_null(recon_ctx_new(&o));
    }
}

static void statistics_refuse(void **state)
{
    recon_ctx *ctx = *state;
    const double angles[3] = { 0.1, 0.2, 0.3 };
    const recon_so3 g[3] = { { 1, 0, 0, 0 }, { 1, 0, 0, 0 }, { 1, 0, 0, 0 } };
    recon_so2_center center;
    recon_so3_center center3;
    recon_so2_density density;
    REFUSES(recon_mean_options, WITH(0), recon_so2_mean(ctx, &center, angles, 3, &o));
    REFUSES(recon_mean_options, WITH(0), recon_so3_mean(ctx, &center3, g, 3, &o));
    REFUSES(recon_so2_fit_options, WITH(0),
            recon_so2_fit_batch(ctx, &density, angles, 1, 3, RECON_SO2_NORMAL, &o));
}

static void algorithm_1_refuses(void **state)
{
    recon_ctx *ctx = *state;
    const float z[4] = { 1, 2, 3, 4 };
    const double psi[4] = { 0.1, 0.2, 0.3, 0.4 };
    const recon_embedded e = { .n = 4, .d = 1, .z = z, .group = RECON_SO2, .poses = psi };
    const recon_normalize_options usual = { .knn = { .k = 2 } };
    int64_t index[8];
    recon_frames frames;
    REFUSES(recon_knn_options, WITH(.k = 2), recon_knn_self(ctx, index, NULL, z, 4, 1, &o));
    REFUSES(recon_knn_options, WITH(.k = 2), recon_knn_search(ctx, index, NULL, z, 4, z, 4, 1, &o));
    REFUSES(recon_normalize_options, usual, recon_normalize(ctx, &frames, &e, NULL, &o));
    recon_normalize_options inner = usual;
    inner.mean.reserved[1] = 1;
    CHECK_FAILS(ctx, recon_normalize(ctx, &frames, &e, NULL, &inner), RECON_ERR_INPUT,
                "recon_mean_options");
    inner = usual;
    inner.knn.reserved[2] = 1;
    CHECK_FAILS(ctx, recon_normalize(ctx, &frames, &e, NULL, &inner), RECON_ERR_INPUT,
                "recon_knn_options");
}

static void readers_refuse(void **state)
{
    recon_ctx *ctx = *state;
    recon_data *data;
    recon_dataset *images;
    recon_molecules *molecules;
    REFUSES(recon_data_options, WITH(0), recon_data_open(ctx, &data, "garments", &o));
    REFUSES(recon_dataset_options, WITH(0), recon_dataset_open_with(ctx, &images, "garments", &o));
    REFUSES(recon_molecules_options, WITH(0),
            recon_molecules_open(ctx, &molecules, "conformers", &o));
    recon_molecules_options inner = { 0 };
    inner.select.reserved[0] = 1;
    CHECK_FAILS(ctx, recon_molecules_open(ctx, &molecules, "conformers", &inner), RECON_ERR_INPUT,
                "recon_select_options");
}

static void training_and_discovery_refuse(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *images = tiny_data(ctx);
    recon_train_result result;
    recon_discovery found;
    REFUSES(recon_training, WITH(0),
            recon_backbone_train(ctx, &result, recon_dataset_data(images),
                                 scratch("none.safetensors"), &o));
    REFUSES(recon_training, WITH(0), recon_training_complete(ctx, &o, NULL, "molecules"));
    REFUSES(recon_discover_options, WITH(0),
            recon_discover(ctx, &found, scratch("model.safetensors"), NULL,
                           recon_dataset_data(images), scratch_folder, &o));
    recon_discover_options inner = { 0 };
    inner.maps.reserved[3] = 1;
    CHECK_FAILS(ctx,
                recon_discover(ctx, &found, scratch("model.safetensors"), NULL,
                               recon_dataset_data(images), scratch_folder, &inner),
                RECON_ERR_INPUT, "recon_maps_options");
    recon_dataset_close(images);
}

static void canonicalization_refuses(void **state)
{
    static float out[TINY_PIXELS];
    recon_ctx *ctx = *state;
    recon_model *model = tiny_model(ctx);
    recon_pose pose;
    REFUSES(recon_canonicalize_options, WITH(0),
            recon_canonicalize(ctx, out, &pose, model, tiny_images[0], 1, &o));
    REFUSES(recon_canonicalize_options, WITH(0),
            recon_canonicalize_images(ctx, out, &pose, model, tiny_images[0], 1, &o));
    REFUSES(recon_canonicalize_options, WITH(0),
            recon_canonicalize_search(ctx, out, &pose, model, tiny_images[0], 1, NULL, NULL, &o));
    CHECK_OK(ctx, recon_canonicalize(ctx, out, &pose, model, tiny_images[0], 1,
                                     &(recon_canonicalize_options){ 0 }));
    recon_model_close(ctx, model);
}

/* call, which reads the enum `where`, with a number that none of its constants has. */
#define NO_SUCH(what, where, call)                                                                 \
    do {                                                                                           \
        (where) = 77;                                                                              \
        CHECK_FAILS(ctx, call, RECON_ERR_INPUT, "no " what " has the number 77");                  \
        (where) = 0;                                                                               \
    } while (0)

static void numbers_that_no_constant_has_are_refused(void **state)
{
    recon_ctx *ctx = *state;
    const float z[4] = { 1, 2, 3, 4 };
    const double psi[4] = { 0.1, 0.2, 0.3, 0.4 };
    const recon_so3 g[3] = { { 1, 0, 0, 0 }, { 1, 0, 0, 0 }, { 1, 0, 0, 0 } };
    const recon_embedded e = { .n = 4, .d = 1, .z = z, .group = RECON_SO2, .poses = psi };
    recon_normalize_options o = { .knn = { .k = 2 }, .eps = 1 };
    recon_frames frames;
    int64_t index[8];
    NO_SUCH("method", o.knn.method, recon_knn_self(ctx, index, NULL, z, 4, 1, &o.knn));
    NO_SUCH("method", o.knn.method, recon_knn_search(ctx, index, NULL, z, 4, z, 4, 1, &o.knn));
    NO_SUCH("method", o.knn.method, recon_normalize(ctx, &frames, &e, NULL, &o));
    NO_SUCH("metric", o.knn.metric, recon_knn_self(ctx, index, NULL, z, 4, 1, &o.knn));
    NO_SUCH("kind of classes", o.classes, recon_normalize(ctx, &frames, &e, NULL, &o));
    NO_SUCH("family", o.family, recon_normalize(ctx, &frames, &e, NULL, &o));
    NO_SUCH("mean", o.mean.kind, recon_normalize(ctx, &frames, &e, NULL, &o));
    recon_so2_center center;
    recon_so3_center center3;
    recon_fisher_fit fit;
    recon_fisher_fit_options fisher = { 0 };
    NO_SUCH("mean", o.mean.kind, recon_so2_mean(ctx, &center, psi, 3, &o.mean));
    NO_SUCH("mean", o.mean.kind, recon_so3_mean(ctx, &center3, g, 3, &o.mean));
    NO_SUCH("fit", fisher.method, recon_fisher_fit_samples(ctx, &fit, g, 3, &fisher));
    recon_embedded read;
    recon_quaternions order;
    NO_SUCH("order of quaternions", order,
            recon_embedded_read(ctx, &read, RECON_SO3, order, "z.npy", "g.npy", NULL));
    recon_backbone_kind kind = { .name = "torus", .data = "outlines" };
    CHECK_FAILS(ctx, recon_backbone_add(ctx, &kind), RECON_ERR_INPUT, "poses of a group");
    CHECK_FAILS(
        ctx, recon_embedded_read(ctx, &read, NULL, RECON_QUATERNIONS_NONE, "z.npy", "g.npy", NULL),
        RECON_ERR_INPUT, "poses of a group");
}

static void models_refuse_such_numbers_too(void **state)
{
    static float out[TINY_PIXELS];
    recon_ctx *ctx = *state;
    recon_model *model = tiny_model(ctx), *other;
    recon_dataset *images = tiny_data(ctx);
    const recon_data *data = recon_dataset_data(images);
    const char *path = scratch("none.safetensors");
    recon_pose pose;
    recon_train_result result;
    recon_discovery found;
    recon_canonicalize_options c = { 0 };
    const recon_bitmap b = { 16, 16, 1, 0, RECON_F32, tiny_images[0] };
    NO_SUCH("interpolation", c.interpolation,
            recon_canonicalize(ctx, out, &pose, model, tiny_images[0], 1, &c));
    NO_SUCH("interpolation", c.interpolation,
            recon_bitmap_rotate(ctx, out, &b, 1, c.interpolation));
    recon_lambda lambda;
    NO_SUCH("lambda", lambda, recon_model_use_lambda(ctx, model, lambda));
    recon_precision precision;
    NO_SUCH("precision", precision,
            recon_model_open(ctx, &other, scratch("model.safetensors"), precision));
    recon_export_options x = { 0 };
    NO_SUCH("kind of export", x.what, recon_model_export(ctx, scratch("none.onnx"), model, &x));
    recon_discover_options d = tiny_options;
    const char *from = scratch("backbone.safetensors");
    NO_SUCH("family", d.family, recon_discover(ctx, &found, from, NULL, data, scratch_folder, &d));
    NO_SUCH("lambda", d.lambda, recon_discover(ctx, &found, from, NULL, data, scratch_folder, &d));
    NO_SUCH("kind of heads", d.maps.heads,
            recon_discover(ctx, &found, from, NULL, data, scratch_folder, &d));
    NO_SUCH("mean", d.mean.kind, recon_discover(ctx, &found, from, NULL, data, scratch_folder, &d));
    NO_SUCH("precision", d.precision,
            recon_discover(ctx, &found, from, NULL, data, scratch_folder, &d));
    recon_ieae_options t = { .epochs = 1 };
    NO_SUCH("preset", t.shape.preset, recon_ieae_train(ctx, &result, images, path, &t));
    NO_SUCH("kind of views", t.views, recon_ieae_train(ctx, &result, images, path, &t));
    NO_SUCH("precision", t.precision, recon_ieae_train(ctx, &result, images, path, &t));
    recon_molecule_net_options m = { .epochs = 1 };
    NO_SUCH("kind of pairs", m.pairs, recon_molecule_net_train(ctx, &result, NULL, NULL, path, &m));
    recon_classifier_options k = { .epochs = 1 };
    NO_SUCH("net", k.net, recon_classifier_train(ctx, &result, images, path, &k));
    NO_SUCH("precision", k.precision, recon_classifier_train(ctx, &result, images, path, &k));
    recon_spin_options s = { 0 };
    NO_SUCH("refinement", s.refine,
            recon_canonicalize_spin(ctx, NULL, NULL, model, NULL, 0, NULL, 0, NULL, NULL, 1, &s));
    recon_dataset_close(images);
    recon_model_close(ctx, model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_is_not_made),
        cmocka_unit_test(statistics_refuse),
        cmocka_unit_test(algorithm_1_refuses),
        cmocka_unit_test(readers_refuse),
        cmocka_unit_test(training_and_discovery_refuse),
        cmocka_unit_test(canonicalization_refuses),
        cmocka_unit_test(numbers_that_no_constant_has_are_refused),
        cmocka_unit_test(models_refuse_such_numbers_too),
    };
    return cmocka_run_group_tests(tests, tiny_setup, scratch_teardown);
}
