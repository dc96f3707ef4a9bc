/* Settings of a run as text: what was added is found, and differences are named one by one. */
#include "check.h"
#include "nn/settings.h"

static void numbers_are_found_by_name(void **state)
{
    (void)state;
    recon_settings s = { "" };
    recon_settings_add(&s, "images", "%d (%08x)", 55, 0x2cdf);
    recon_settings_add(&s, "epochs before pairs", "%d", 3);
    recon_settings_add(&s, "epochs", "%d", 8);
    recon_settings_add(&s, "backend", "%s", "cpu (oneDNN)");
    assert_string_equal(s.text, "images: 55 (00002cdf), epochs before pairs: 3, epochs: 8, "
                                "backend: cpu (oneDNN)");
    assert_int_equal(recon_settings_number(s.text, "epochs", 99), 8);
    assert_int_equal(recon_settings_number(s.text, "epochs before pairs", 99), 3);
    assert_int_equal(recon_settings_number(s.text, "images", 99), 55);
    assert_int_equal(recon_settings_number(s.text, "backend", 99), 99);
    assert_int_equal(recon_settings_number(s.text, "image", 99), 99);
    assert_int_equal(recon_settings_number("", "epochs", 99), 99);
}

static void check(const char *was, const char *now, const char *want)
{
    char text[256];
    assert_string_equal(recon_settings_compare(text, sizeof text, was, now), want);
}

static void only_what_differs_is_named(void **state)
{
    (void)state;
    check("batch: 13, seed: 0", "batch: 13, seed: 0", "");
    check("batch: 13, seed: 0", "seed: 0, batch: 13", "");
    check("batch: 13, epochs: 1, seed: 0", "batch: 26, epochs: 3, seed: 0",
          "batch: was 13, now 26");
    check("batch: 13, seed: 0", "batch: 26, seed: 1", "batch: was 13, now 26; seed: was 0, now 1");
    check("batch: 1", "batch: 13", "batch: was 1, now 13");
    check("batch: 1, mask: yes", "batch: 1", "mask: was yes, now not set");
    check("batch: 1", "batch: 1, mask: yes", "mask: was not set, now yes");
    check("one thing", "batch: 1",
          "settings: was one thing, now not set; batch: was not set, now 1");
    check("one thing", "another", "settings: was one thing, now another");
}

/* However long the texts are, the answer keeps to its room. */
static void answers_keep_to_their_room(void **state)
{
    (void)state;
    recon_settings s = { "" };
    char text[32];
    for (int i = 0; i < 200; i++)
        recon_settings_add(&s, "name", "value %d", i);
    assert_int_equal(strlen(s.text), sizeof s.text - 1);
    recon_settings_compare(text, sizeof text, s.text, "other: 1");
    assert_int_equal(strlen(text), sizeof text - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_found_by_name),
        cmocka_unit_test(only_what_differs_is_named),
        cmocka_unit_test(answers_keep_to_their_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
