/* A molecule model's file: written, opened, the same answers; what is wrong with others is said. */
#include "chains.h"

#include <recon/model/molcanonicalize.h>

enum { SOME = 6 };

static recon_molecules *data;
static recon_conformer *list;

static int setup(void **state)
{
    if (chains_setup(state) != 0)
        return -1;
    data = chains_data(*state);
    list = chains_list(data);
    return 0;
}

static int teardown(void **state)
{
    free(list);
    recon_molecules_close(data);
    return scratch_teardown(state);
}

static void poses_of(recon_ctx *ctx, recon_pose3 *out, const char *path)
{
    recon_molmodel *model;
    CHECK_OK(ctx, recon_molmodel_open(ctx, &model, path, RECON_SINGLE));
    CHECK_OK(ctx, recon_molcanonicalize(ctx, NULL, out, model, list, SOME));
    recon_molmodel_close(ctx, model);
}

/* The parts of an open model, written again. */
static void save_again(recon_ctx *ctx, const char *path, int half, int maps)
{
    recon_molnet *backbone;
    recon_so3_maps *heads;
    const recon_metadata_entry more[] = { { "figures", "none" }, { "k", "7" } };
    CHECK_OK(ctx, recon_molnet_open(ctx, &backbone, scratch("model.safetensors"), RECON_SINGLE));
    CHECK_OK(ctx, recon_so3_maps_open(ctx, &heads, scratch("model.safetensors")));
    CHECK_OK(ctx, recon_molmodel_save(ctx, path, scratch("model.safetensors"), backbone,
                                      maps ? heads : NULL,
                                      &(recon_model_save_options){ half, more, 2 }));
    recon_so3_maps_free(ctx, heads);
    recon_molnet_close(ctx, backbone);
}

static void written_again_it_is_the_same(void **state)
{
    recon_pose3 want[SOME], got[SOME];
    recon_safetensors *file;
    poses_of(*state, want, scratch("model.safetensors"));
    save_again(*state, scratch("again"), 0, 1);
    poses_of(*state, got, scratch("again"));
    for (int i = 0; i < SOME; i++) {
        CHECK_NEAR(recon_so3_distance(got[i].turn, want[i].turn), 0, 0);
        assert_int_equal(got[i].free, want[i].free);
    }
    CHECK_OK(*state, recon_safetensors_open(*state, &file, scratch("again")));
    assert_string_equal(recon_safetensors_metadata(file, "group"), "so3");
    assert_string_equal(recon_safetensors_metadata(file, "maps"), "so3");
    assert_string_equal(recon_safetensors_metadata(file, "mean"), "gauge");
    assert_string_equal(recon_safetensors_metadata(file, "data"), "chains");
    assert_string_equal(recon_safetensors_metadata(file, "figures"), "none");
    assert_string_equal(recon_safetensors_metadata(file, "k"), "7"); /* said anew, not twice */
    recon_safetensors_close(file);
}

static void half_of_the_bytes_say_nearly_the_same(void **state)
{
    recon_pose3 want[SOME], got[SOME];
    size_t whole, half;
    poses_of(*state, want, scratch("model.safetensors"));
    save_again(*state, scratch("half"), 1, 1);
    poses_of(*state, got, scratch("half"));
    for (int i = 0; i < SOME; i++)
        CHECK_LESS(recon_so3_distance(got[i].psi, want[i].psi), 0.1);
    free(slurp(scratch("model.safetensors"), &whole));
    free(slurp(scratch("half"), &half));
    assert_true(half < 0.75 * (double)whole);
}

static void a_model_describes_itself(void **state)
{
    recon_molmodel *model = chains_model(*state);
    recon_molmodel_info info = recon_molmodel_describe(model);
    assert_int_equal(info.maps.d, info.shape.code);
    assert_int_equal(info.weights,
                     recon_molnet_weights(recon_molmodel_backbone(model)) + info.maps.weights);
    assert_int_equal(info.maps.hidden, recon_so3_maps_describe(recon_molmodel_maps(model)).hidden);
    recon_molmodel_close(*state, model);
    recon_molmodel_close(*state, NULL);
}

static void what_is_no_whole_model_is_refused(void **state)
{
    recon_molmodel *model;
    recon_model *image;
    size_t size;
    CHECK_FAILS(
        *state, recon_molmodel_open(*state, &model, scratch("backbone.safetensors"), RECON_SINGLE),
        RECON_ERR_INPUT, "backbone.safetensors: a model without maps: run `recon discover`");
    CHECK_FAILS(*state, recon_molmodel_open(*state, &model, scratch("nothing"), RECON_SINGLE),
                RECON_ERR_IO, "nothing");
    assert_true(recon_model_open(*state, &image, scratch("model.safetensors"), RECON_SINGLE) !=
                RECON_OK);
    unsigned char *bytes = slurp(scratch("model.safetensors"), &size);
    CHECK_FAILS(
        *state,
        recon_molmodel_open(*state, &model, scratch_write("cut", bytes, size - 64), RECON_SINGLE),
        RECON_ERR_FORMAT, "cut");
    free(bytes);
    assert_null(model);
}

/* Whatever byte of the header is broken: an error or a model, never a crash. */
static void broken_headers_do_no_harm(void **state)
{
    size_t size, opened = 0;
    unsigned char *bytes = slurp(scratch("model.safetensors"), &size);
    recon_rng rng = recon_rng_new(9, 0);
    for (int round = 0; round < 60; round++) {
        recon_molmodel *model;
        size_t at = 8 + recon_rng_below(&rng, (uint64_t)bytes[0] + 256u * bytes[1]);
        unsigned char kept = bytes[at];
        bytes[at] = (unsigned char)('0' + recon_rng_below(&rng, 75));
        opened += recon_molmodel_open(*state, &model, scratch_write("broken", bytes, size),
                                      RECON_SINGLE) == RECON_OK;
        recon_molmodel_close(*state, model);
        bytes[at] = kept;
    }
    free(bytes);
    assert_true(opened < 60);
}

static recon_status open_and_close(recon_ctx *ctx)
{
    recon_molmodel *model;
    recon_status status =
        recon_molmodel_open(ctx, &model, scratch("model.safetensors"), RECON_SINGLE);
    recon_molmodel_close(ctx, model);
    return status;
}

static void without_memory_nothing_leaks(void **state)
{
    CHECK_ALLOCATIONS(*state, open_and_close(*state));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_again_it_is_the_same),
        cmocka_unit_test(half_of_the_bytes_say_nearly_the_same),
        cmocka_unit_test(a_model_describes_itself),
        cmocka_unit_test(what_is_no_whole_model_is_refused),
        cmocka_unit_test(broken_headers_do_no_harm),
        cmocka_unit_test(without_memory_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
