/* Channels by frequency. */
#include "check.h"
#include <recon/nn/fields.h>

static void fields_stand_by_frequency(void **state)
{
    (void)state;
    const recon_fields f = { { 32, 24, 0, 8 } };
    assert_int_equal(recon_fields_channels(&f), 32 + 2 * 32);
    assert_int_equal(recon_fields_pairs(&f), 32);
    assert_int_equal(recon_fields_begin(&f, 0), 0);
    assert_int_equal(recon_fields_begin(&f, 1), 32);
    assert_int_equal(recon_fields_begin(&f, 3), 80);
    assert_int_equal(recon_fields_begin(&f, RECON_FREQUENCIES), 96);
}

static void fields_are_printed_up_to_the_last(void **state)
{
    (void)state;
    recon_fields_text text;
    assert_string_equal(recon_fields_print(text, &(recon_fields){ { 32, 24, 0, 8 } }), "32,24,0,8");
    assert_string_equal(recon_fields_print(text, &(recon_fields){ { 1 } }), "1");
    assert_string_equal(recon_fields_print(text, &(recon_fields){ { 0 } }), "0");
    recon_fields most;
    memset(&most, 0xff, sizeof most);
    assert_int_equal(strlen(recon_fields_print(text, &most)), 8 * 20 + 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_stand_by_frequency),
        cmocka_unit_test(fields_are_printed_up_to_the_last),
    };
    return cmocka_run_group_tests_name("nn/fields", tests, NULL, NULL);
}
