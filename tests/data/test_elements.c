/* Elements: symbols and numbers are each other's inverse, radii and masses are what they must be.
 */
#include "check.h"
#include "data/elements.h"

#include <stdio.h>

static void symbols_and_numbers_are_inverse(void **state)
{
    (void)state;
    for (int z = 1; z <= RECON_ELEMENTS; z++) {
        char text[4];
        const char *symbol = recon_element_symbol(z);
        assert_int_equal(recon_element_number(symbol, strlen(symbol)), z);
        int n = snprintf(text, sizeof text, "%d", z);
        assert_int_equal(recon_element_number(text, (size_t)n), z);
        for (int other = 1; other < z; other++)
            assert_string_not_equal(symbol, recon_element_symbol(other));
    }
    assert_int_equal(recon_element_number("cl", 2), 17);
    assert_int_equal(recon_element_number("BR", 2), 35);
    assert_int_equal(recon_element_number("D", 1), 1);
    assert_int_equal(recon_element_number("T", 1), 1);
    const char *const none[] = { "", "X", "Xx", "C1", "0", "119", "1000", "-1", "Car", "*" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(recon_element_number(none[i], strlen(none[i])), 0);
    assert_int_equal(recon_element_number("\0", 1), 0);
}

/* Noble gases close the rows of the periodic table; single bonds of ethane, water, chlorine. */
static void the_table_is_periodic(void **state)
{
    (void)state;
    const int noble[] = { 2, 10, 18, 36, 54, 86, 118 };
    const char *const names[] = { "He", "Ne", "Ar", "Kr", "Xe", "Rn", "Og" };
    for (int i = 0; i < 7; i++)
        assert_string_equal(recon_element_symbol(noble[i]), names[i]);
    for (int i = 0; i < 6; i++) /* an alkali metal is larger than anything of the row before */
        assert_true(recon_element_radius(noble[i] + 1) > recon_element_radius(noble[i]) * 1.7);
    int falls = 0; /* argon, cobalt, tellurium, thorium, uranium */
    for (int z = 2; z <= 94; z++)
        falls += recon_element_mass(z) < recon_element_mass(z - 1);
    assert_int_equal(falls, 5);
    CHECK_NEAR(2 * recon_element_radius(6), 1.53, 0.02);
    CHECK_NEAR(recon_element_radius(1) + recon_element_radius(8), 0.96, 0.02);
    CHECK_NEAR(2 * recon_element_radius(17), 1.99, 0.06);
    CHECK_NEAR(recon_element_mass(6) + 4 * recon_element_mass(1), 16.043, 1e-3);
    CHECK_NEAR(recon_element_mass(8) + 2 * recon_element_mass(1), 18.015, 1e-3);
}

static void formulas_are_in_hills_order(void **state)
{
    (void)state;
    recon_formula_text f;
    assert_string_equal(recon_formula(f, (const uint8_t[]){ 1, 8, 6, 1, 6, 1, 1, 1, 1 }, 9),
                        "C2H6O");
    assert_string_equal(recon_formula(f, (const uint8_t[]){ 8, 1, 1 }, 3), "H2O");
    assert_string_equal(recon_formula(f, (const uint8_t[]){ 35, 6, 17, 9, 1 }, 5), "CHBrClF");
    assert_string_equal(recon_formula(f, (const uint8_t[]){ 11, 17 }, 2), "ClNa");
    uint8_t all[2 * RECON_ELEMENTS]; /* longer than the text: cut, not overrun */
    for (int i = 0; i < 2 * RECON_ELEMENTS; i++)
        all[i] = (uint8_t)(i / 2 + 1);
    assert_true(strlen(recon_formula(f, all, sizeof all)) < sizeof f);
    assert_memory_equal(f, "C2H2Ac2Ag2", 10);
}

static void messages_name_elements(void **state)
{
    (void)state;
    recon_formula_text list;
    recon_element_words one;
    assert_string_equal(recon_element_text(one, 26), "element Fe (26)");
    assert_string_equal(recon_element_text(one, 0), "element 0");
    assert_string_equal(recon_element_text(one, 119), "element 119");
    assert_string_equal(recon_element_list(list, (const uint8_t[]){ 1, 6, 17 }, 3), "H C Cl");
    assert_string_equal(recon_element_list(list, NULL, 0), "");
    uint8_t all[RECON_ELEMENTS];
    for (int i = 0; i < RECON_ELEMENTS; i++)
        all[i] = (uint8_t)(i + 1);
    assert_true(strlen(recon_element_list(list, all, sizeof all)) < sizeof list);
    assert_memory_equal(list, "H He Li", 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_and_numbers_are_inverse),
        cmocka_unit_test(the_table_is_periodic),
        cmocka_unit_test(formulas_are_in_hills_order),
        cmocka_unit_test(messages_name_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
