/* Files that come with recon are found where they are, and missed with a remedy. */
#include "scratch.h"

#include "core/shipped.h"
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

static void what_is_nowhere_or_too_long_has_a_remedy(void **state)
{
    recon_ctx *ctx = *state;
    char path[256];
    CHECK_FAILS(ctx, recon_shipped_find(ctx, path, sizeof path, "models", "none", "train one"),
                RECON_ERR_IO, "models/none is not there (looked here, in ");
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
        cmocka_unit_test(what_is_nowhere_or_too_long_has_a_remedy),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
