/* test_version.c - headers, library and what the build is made with agree. */
#include "check.h"
#include <recon/recon.h>
#include "knn/search.h"
#include "core/pixels.h"
#include "core/picture.h"

#include <stdio.h>
#include <string.h>

static void headers_and_library_agree(void **state)
{
    char text[64];
    (void)state;
    snprintf(text, sizeof text, "%d.%d.%d", RECON_VERSION_MAJOR, RECON_VERSION_MINOR,
             RECON_VERSION_PATCH);
    assert_memory_equal(text, recon_version(), strlen(text));
    const char *rest = recon_version() + strlen(text);
    assert_true(!*rest || !strcmp(rest, "-dev"));
}

static void versions_compare_number_by_number(void **state)
{
    enum { A = RECON_VERSION_MAJOR, B = RECON_VERSION_MINOR, C = RECON_VERSION_PATCH };
    (void)state;
    assert_true(RECON_VERSION_AT_LEAST(A, B, C));
    assert_true(RECON_VERSION_AT_LEAST(A - 1, B + 9, C + 9));
    assert_true(RECON_VERSION_AT_LEAST(A, B - 1, C + 9));
    assert_false(RECON_VERSION_AT_LEAST(A, B, C + 1));
    assert_false(RECON_VERSION_AT_LEAST(A, B + 1, 0));
    assert_false(RECON_VERSION_AT_LEAST(A + 1, 0, 0));
}

static int has(const char *name)
{
    for (size_t i = 0; recon_version_library(i).name; i++)
        if (!strcmp(recon_version_library(i).name, name))
            return recon_version_library(i).present;
    fail_msg("%s is not in the list", name);
    return 0;
}

/* Not what the compiler was told, but what calls do. */
static void libraries_are_those_that_calls_use(void **state)
{
    recon_ctx *ctx = *state;
    recon_pixels pixels;
    recon_status without_png =
        recon_picture_whole(ctx, &pixels, recon_png_scan, "no picture", 10, "test");
    assert_int_equal(has("libpng"), without_png != RECON_ERR_UNSUPPORTED);
    assert_int_equal(has("FAISS"), recon_approx_is_there());
    if (!has("CUDA"))
        assert_int_equal(recon_ops_attach(ctx, "cuda"), RECON_ERR_UNSUPPORTED);
}

static void the_list_ends_and_says_what_is_lost(void **state)
{
    size_t n = 0;
    (void)state;
    for (; recon_version_library(n).name; n++)
        assert_true(strlen(recon_version_library(n).without) > 0);
    assert_int_equal(n, 10);
    assert_null(recon_version_library(n + 1).name);
    assert_null(recon_version_library((size_t)-1).name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_and_library_agree),
        cmocka_unit_test(versions_compare_number_by_number),
        cmocka_unit_test(libraries_are_those_that_calls_use),
        cmocka_unit_test(the_list_ends_and_says_what_is_lost),
    };
    return cmocka_run_group_tests_name("version", tests, check_setup, check_teardown);
}
