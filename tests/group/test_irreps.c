/* Irreps: columns are counted as they lie, and text comes back. */
#include "check.h"
#include <recon/group/irreps.h>

static const recon_irreps HIDDEN = { { 100, 64, 16, 8 } };

static void columns_follow_each_other(void **state)
{
    (void)state;
    assert_int_equal(recon_irreps_dim(&HIDDEN), 428); /* numbers of a node, paper's network */
    assert_int_equal(recon_irreps_channels(&HIDDEN), 188);
    assert_int_equal(recon_irreps_begin(&HIDDEN, 0), 0);
    assert_int_equal(recon_irreps_begin(&HIDDEN, 1), 100);
    assert_int_equal(recon_irreps_begin(&HIDDEN, 2), 292);
    assert_int_equal(recon_irreps_begin(&HIDDEN, 3), 372);
    assert_int_equal(recon_irreps_begin(&HIDDEN, RECON_DEGREES), 428);
    recon_irreps both = recon_irreps_join(&HIDDEN, &(recon_irreps){ { 1, 2, 3, 0 } });
    assert_true(recon_irreps_same(&both, &(recon_irreps){ { 101, 66, 19, 8 } }));
    assert_false(recon_irreps_same(&both, &HIDDEN));
}

static void text_comes_back(void **state)
{
    recon_ctx *ctx = *state;
    const recon_irreps lists[] = { HIDDEN, { { 0, 512, 0, 0 } }, { { 1, 0, 0, 3 } }, { { 0 } } };
    const char *texts[] = { "100x0+64x1+16x2+8x3", "512x1", "1x0+3x3", "0" };
    for (size_t i = 0; i < 4; i++) {
        recon_irreps_text text;
        recon_irreps back;
        assert_string_equal(recon_irreps_print(text, &lists[i]), texts[i]);
        CHECK_OK(ctx, recon_irreps_parse(ctx, &back, texts[i]));
        assert_true(recon_irreps_same(&back, &lists[i]));
    }
}

static void other_text_is_refused(void **state)
{
    recon_ctx *ctx = *state;
    recon_irreps out;
    const char *bad[] = { "",        "x",         "1x4",          "1x0+",
                          "1x1+2x0", "1x1+2x1",   "-1x0",         "0x0",
                          "1x0 ",    "70000x0",   "1x0+64x1,1x2", "99999999999999999999x0",
                          "1x-1",    "1x0e+1x1o", "+1x0" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(ctx, recon_irreps_parse(ctx, &out, bad[i]), RECON_ERR_INPUT, "are no channels");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_follow_each_other),
        cmocka_unit_test(text_comes_back),
        cmocka_unit_test(other_text_is_refused),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
