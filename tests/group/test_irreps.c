/* Irreps: columns are counted as they lie, and text says what is there. */
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
    const size_t want[RECON_DEGREES] = { 101, 66, 19, 8 };
    assert_memory_equal(both.mul, want, sizeof want);
}

static void text_names_what_is_there(void **state)
{
    (void)state;
    const recon_irreps lists[] = { HIDDEN, { { 0, 512, 0, 0 } }, { { 1, 0, 0, 3 } }, { { 0 } } };
    const char *texts[] = { "100x0+64x1+16x2+8x3", "512x1", "1x0+3x3", "0" };
    for (size_t i = 0; i < 4; i++) {
        recon_irreps_text text;
        assert_string_equal(recon_irreps_print(text, &lists[i]), texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_follow_each_other),
        cmocka_unit_test(text_names_what_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
