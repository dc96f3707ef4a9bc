/* Files that come with recon are found where they are, and missed with a remedy. */
#include "scratch.h"

#include "core/shipped.h"
#include <recon/core/safetensors.h>
#include <stdlib.h>

static void what_is_here_comes_before_what_is_installed(void **state)
{
    recon_ctx *ctx = *state;
    char path[256];
    CHECK_OK(ctx, recon_shipped_find(ctx, path, sizeof path, "models", "fashion.safetensors", ""));
    assert_string_equal(path, "models/fashion.safetensors");
    CHECK_OK(ctx, recon_shipped_find(ctx, path, sizeof path, "data", "garments", ""));
    assert_string_equal(path, "data/garments");
}

static void what_was_chosen_comes_first_and_is_for_data_alone(void **state)
{
    recon_ctx *ctx = *state;
    char path[256];
    const char *mine = scratch_write("garments", "", 0);
    setenv("RECON_DATA", scratch_folder, 1);
    CHECK_OK(ctx, recon_shipped_find(ctx, path, sizeof path, "data", "garments", ""));
    assert_string_equal(path, mine);
    CHECK_OK(ctx, recon_shipped_find(ctx, path, sizeof path, "models", "mnist.md", ""));
    assert_string_equal(path, "models/mnist.md");
    unsetenv("RECON_DATA");
}

static void a_model_is_found_by_its_name_where_there_is_no_such_file(void **state)
{
    static const char *const asked[] = { "fashion", "fashion.safetensors", "models/fashion" };
    static const char *const alone[] = { "nowhere", "models/nowhere", "a/fashion", "models/", "" };
    char path[256];
    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        assert_string_equal(recon_shipped_model(path, sizeof path, asked[i]),
                            "models/fashion.safetensors");
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        assert_ptr_equal(recon_shipped_model(path, sizeof path, alone[i]), alone[i]);
    const char *own = scratch_write("fashion", "", 0);
    assert_ptr_equal(recon_shipped_model(path, sizeof path, own), own);
}

static void a_model_that_is_nowhere_is_missed_with_those_that_are_there(void **state)
{
    recon_ctx *ctx = *state;
    recon_safetensors *file = NULL;
    CHECK_FAILS(ctx, recon_safetensors_open(ctx, &file, "nowhere"), RECON_ERR_IO,
                "nowhere: cannot open: No such file or directory (the models that come with recon "
                "are cifar10, conformers, fashion, fashion-plain, ");
    CHECK_FAILS(ctx, recon_safetensors_open(ctx, &file, "fashon"), RECON_ERR_IO,
                "(did you mean fashion? the models that come with recon are cifar10");
    CHECK_FAILS(ctx, recon_safetensors_open(ctx, &file, "a/fashion"), RECON_ERR_IO, "a/fashion");
    assert_null(strstr(recon_ctx_message(ctx), "come with"));
}

static void what_is_nowhere_or_too_long_has_a_remedy(void **state)
{
    recon_ctx *ctx = *state;
    char path[256];
    CHECK_FAILS(ctx, recon_shipped_find(ctx, path, sizeof path, "models", "none", "train one"),
                RECON_ERR_IO, "models/none not found (looked here, in ");
    CHECK_FAILS(ctx, recon_shipped_find(ctx, path, sizeof path, "models", "none", "train one"),
                RECON_ERR_IO, "share/recon): train one");
    CHECK_FAILS(ctx, recon_shipped_find(ctx, path, 8, "data", "garments", "make room"),
                RECON_ERR_IO, "make room");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_here_comes_before_what_is_installed),
        SCRATCH_TEST(what_was_chosen_comes_first_and_is_for_data_alone),
        SCRATCH_TEST(a_model_is_found_by_its_name_where_there_is_no_such_file),
        cmocka_unit_test(a_model_that_is_nowhere_is_missed_with_those_that_are_there),
        cmocka_unit_test(what_is_nowhere_or_too_long_has_a_remedy),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
