/* Options end in a reserved tail: a word of it that is set is refused by every function that reads
 * them, by name, before anything is done; a tail of zeros changes nothing. */
#include "tiny.h"

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
    recon_fisher_fit fit;
    recon_so2_density density;
    REFUSES(recon_mean_options, WITH(0), recon_so2_mean(ctx, &center, angles, 3, &o));
    REFUSES(recon_mean_options, WITH(0), recon_so3_mean(ctx, &center3, g, 3, &o));
    REFUSES(recon_fisher_fit_options, WITH(0), recon_fisher_fit_samples(ctx, &fit, g, 3, &o));
    REFUSES(recon_so2_fit_options, WITH(0),
            recon_so2_fit_batch(ctx, &density, angles, 1, 3, RECON_SO2_NORMAL, &o));
}

static void algorithm_1_refuses(void **state)
{
    recon_ctx *ctx = *state;
    const float z[4] = { 1, 2, 3, 4 };
    const double psi[4] = { 0.1, 0.2, 0.3, 0.4 };
    const recon_embedded e = { .n = 4, .d = 1, .z = z, .so2 = psi };
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
    REFUSES(recon_ieae_options, WITH(0),
            recon_ieae_train(ctx, &result, images, scratch("none.safetensors"), &o));
    REFUSES(recon_molecule_net_options, WITH(0),
            recon_molecule_net_train(ctx, &result, NULL, NULL, scratch("none.safetensors"), &o));
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
    recon_pose2 pose;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_is_not_made),         cmocka_unit_test(statistics_refuse),
        cmocka_unit_test(algorithm_1_refuses),           cmocka_unit_test(readers_refuse),
        cmocka_unit_test(training_and_discovery_refuse), cmocka_unit_test(canonicalization_refuses),
    };
    return cmocka_run_group_tests(tests, tiny_setup, scratch_teardown);
}
