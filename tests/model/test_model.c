/* A model's file: written, opened by what its metadata say, the same answers; what is wrong with
 * others is said. Of every kind. */
#include "both.h"

#include "model/model.h"
#include "backbone/kinds.h"

enum { SOME = 8 };

static void poses_of(recon_ctx *ctx, recon_pose *out, const domain *d, const char *path)
{
    recon_model *model;
    CHECK_OK(ctx, recon_model_open(ctx, &model, path, RECON_SINGLE));
    CHECK_OK(ctx, recon_canonicalize(ctx, NULL, out, model, d->inputs, SOME, NULL));
    recon_model_close(ctx, model);
}

/* The parts of an open model, written again. */
static void save_again(recon_ctx *ctx, const char *path, const domain *d, int half, int maps)
{
    const recon_metadata_entry more[] = { { "figures", "none" }, { "k", "7" } };
    recon_model *m = open_model(ctx, d);
    CHECK_OK(ctx, recon_model_save(ctx, path, scratch(d->model), m->backbone, maps ? m->maps : NULL,
                                   &(recon_model_save_options){ half, more, 2, m->codes }));
    recon_model_close(ctx, m);
}

static const char *said(const recon_safetensors *file, const char *key)
{
    const char *value = recon_safetensors_metadata(file, key);
    return value ? value : "nothing";
}

static void check_written_again(recon_ctx *ctx, const domain *d)
{
    static recon_pose want[BOTH_MOST], got[BOTH_MOST];
    recon_safetensors *file;
    poses_of(ctx, want, d, scratch(d->model));
    save_again(ctx, scratch("again"), d, 0, 1);
    poses_of(ctx, got, d, scratch("again"));
    for (size_t i = 0; i < SOME; i++) {
        CHECK_NEAR(psi_apart(d, &got[i], &want[i]), 0, 0);
        CHECK_NEAR(rotate_apart(d, &got[i], &want[i]), 0, 0);
    }
    CHECK_OK(ctx, recon_safetensors_open(ctx, &file, scratch("again")));
    assert_string_equal(said(file, "model"), d->code_kind);
    assert_string_equal(said(file, "preset"), "small");
    assert_string_equal(said(file, "data"), both_options.data);
    assert_string_equal(said(file, "figures"), "none");
    assert_string_equal(said(file, "k"), "7"); /* said anew, not twice */
    assert_string_equal(said(file, "maps"), d->group == RECON_SO2 ? "so2" : "so3");
    assert_non_null(recon_safetensors_metadata(file, "training"));
    recon_safetensors_close(file);
}

static void written_again_it_is_the_same(void **state)
{
    EACH_DOMAIN(d)
    check_written_again(*state, d);
}

static void half_of_the_bytes_say_nearly_the_same(void **state)
{
    static recon_pose want[BOTH_MOST], got[BOTH_MOST];
    EACH_DOMAIN(d)
    {
        size_t whole, half;
        poses_of(*state, want, d, scratch(d->model));
        save_again(*state, scratch("half"), d, 1, 1);
        poses_of(*state, got, d, scratch("half"));
        for (size_t i = 0; i < SOME; i++)
            CHECK_LESS(psi_apart(d, &got[i], &want[i]), d->group == RECON_SO2 ? 0.045 : 0.1);
        free(slurp(scratch(d->model), &whole));
        free(slurp(scratch("half"), &half));
        assert_true(half < 0.75 * (double)whole);
    }
}

/* One function opens any of them: nobody has to know beforehand what a file is. */
static void a_model_says_what_it_is(void **state)
{
    EACH_DOMAIN(d)
    {
        recon_model *model = open_model(*state, d);
        recon_model_info info = recon_model_describe(model);
        const recon_backbone *b = recon_model_backbone(model);
        assert_string_equal(info.kind, d->code_kind);
        assert_string_equal(info.data, d->name);
        assert_true(info.group == d->group && info.maps.group == d->group);
        assert_int_equal(info.code, 8);
        assert_int_equal(info.maps.d, info.code);
        assert_int_equal(info.maps.hidden, both_options.maps.hidden);
        assert_int_equal(info.weights, recon_backbone_weights(b) + info.maps.weights);
        assert_string_equal(b->kind->name, d->code_kind);
        assert_int_equal(info.images.height, d->group == RECON_SO2 ? TINY_SIDE : 0);
        assert_int_equal(info.images.channels, d->group == RECON_SO2 ? 1 : 0);
        assert_int_equal(info.molecules.code, d->group == RECON_SO3 ? 8 : 0);
        recon_model_close(*state, model);
    }
    recon_model_close(*state, NULL);
}

static void refuse(recon_ctx *ctx, const char *path, recon_status status, const char *message)
{
    recon_model *model;
    CHECK_FAILS(ctx, recon_model_open(ctx, &model, path, RECON_SINGLE), status, message);
    assert_null(model);
}

static void what_is_no_whole_model_is_refused(void **state)
{
    EACH_DOMAIN(d)
    {
        size_t size;
        char message[100];
        snprintf(message, sizeof message, "%s: a model without maps: run `recon discover`",
                 d->backbone);
        refuse(*state, scratch(d->backbone), RECON_ERR_INPUT, message);
        save_again(*state, scratch("part"), d, 0, 0);
        refuse(*state, scratch("part"), RECON_ERR_INPUT, "holds no maps");
        unsigned char *bytes = slurp(scratch(d->model), &size);
        refuse(*state, scratch_write("cut", bytes, size - 64), RECON_ERR_FORMAT, "cut");
        free(bytes);
    }
    refuse(*state, scratch("images.npy"), RECON_ERR_FORMAT, "images.npy");
    refuse(*state, scratch("nothing"), RECON_ERR_IO, "nothing");
}

/* A file of somebody else's, and one with the maps of another group than its backbone's. */
static void parts_must_belong_together(void **state)
{
    const recon_metadata_entry unknown = { "model", "unheard" };
    recon_model *images = open_model(*state, &both[0]), *molecules = open_model(*state, &both[1]);
    float one = 1;
    const recon_tensor_entry x = {
        "x", { .dtype = RECON_F32, .ndim = 1, .shape = { 1 }, .data = &one }
    };
    CHECK_OK(*state, recon_safetensors_write(*state, scratch("unheard"), &x, 1, &unknown, 1));
    refuse(*state, scratch("unheard"), RECON_ERR_FORMAT, "not a model of `recon train`");
    CHECK_OK(*state, recon_safetensors_write(*state, scratch("unheard"), &x, 1, NULL, 0));
    refuse(*state, scratch("unheard"), RECON_ERR_FORMAT, "not a model of `recon train`");
    CHECK_OK(*state, recon_model_save(*state, scratch("mixed"), scratch(both[0].model),
                                      images->backbone, molecules->maps, NULL));
    refuse(*state, scratch("mixed"), RECON_ERR_FORMAT,
           "mixed: the maps are for so3, but not the backbone 'ieae'");
    recon_model_close(*state, molecules), recon_model_close(*state, images);
}

/* Whatever byte of the header is broken: an error or a model, never a crash. */
static void broken_headers_do_no_harm(void **state)
{
    EACH_DOMAIN(d)
    {
        size_t size, opened = 0;
        unsigned char *bytes = slurp(scratch(d->model), &size);
        recon_rng rng = recon_rng_new(9, 0);
        for (int round = 0; round < 60; round++) {
            recon_model *model;
            size_t at = 8 + recon_rng_below(&rng, (uint64_t)bytes[0] + 256u * bytes[1]);
            unsigned char kept = bytes[at];
            bytes[at] = (unsigned char)('0' + recon_rng_below(&rng, 75));
            opened += recon_model_open(*state, &model, scratch_write("broken", bytes, size),
                                       RECON_SINGLE) == RECON_OK;
            recon_model_close(*state, model);
            bytes[at] = kept;
        }
        free(bytes);
        assert_true(opened < 60);
    }
}

static recon_status open_and_close(recon_ctx *ctx, const domain *d)
{
    recon_model *model;
    recon_status status = recon_model_open(ctx, &model, scratch(d->model), RECON_SINGLE);
    recon_model_close(ctx, model);
    return status;
}

static void without_memory_nothing_leaks(void **state)
{
    EACH_DOMAIN(d)
    CHECK_ALLOCATIONS(*state, open_and_close(*state, d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_again_it_is_the_same),
        cmocka_unit_test(half_of_the_bytes_say_nearly_the_same),
        cmocka_unit_test(a_model_says_what_it_is),
        cmocka_unit_test(what_is_no_whole_model_is_refused),
        cmocka_unit_test(parts_must_belong_together),
        cmocka_unit_test(broken_headers_do_no_harm),
        cmocka_unit_test(without_memory_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, both_setup, both_teardown);
}
