/* JSON: places in messages, numbers that come back, files that are whole. */
#include "scratch.h"
#include "core/json.h"

static void errors_name_the_place(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "", "f.json: line 1, column 0: " },
        { "{\n  \"a\": 1,\n  \"b\": }", "f.json: line 3, column 8: " },
        { "[1, 2", "f.json: line 1, column 5: " },
        { "{\"a\": 1, \"a\": 2}", "duplicate object key" },
        { "{} x", "end of file expected" },
        { "{\"a\": \"\\u0000\"}", "\\u0000" },
        { "[1e999]", "real number overflow" },
        { "[\"\xff\"]", "unable to decode byte 0xff" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *value;
        CHECK_FAILS(
            *state,
            recon_json_parse(*state, &value, cases[i].text, strlen(cases[i].text), "f.json"),
            RECON_ERR_FORMAT, cases[i].message);
        assert_null(value);
        assert_null(strchr(recon_ctx_message(*state), '\n'));
    }
}

static void missing_files_are_named(void **state)
{
    json_t *value;
    CHECK_FAILS(*state, recon_json_read(*state, &value, scratch("none.json")), RECON_ERR_IO,
                "/none.json: cannot open");
    assert_null(value);
}

static void every_number_comes_back(void **state)
{
    recon_rng rng = recon_rng_new(11, 0);
    double numbers[200] = { 0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0 };
    json_t *list = json_array(), *again;
    for (int i = 0; i < 200; i++) {
        if (i >= 5)
            numbers[i] = recon_rng_normal(&rng) * pow(10, (i % 40) - 20);
        json_array_append_new(list, json_real(numbers[i]));
    }
    CHECK_OK(*state, recon_json_write(*state, scratch("x.json"), list));
    CHECK_OK(*state, recon_json_read(*state, &again, scratch("x.json")));
    for (size_t i = 0; i < 200; i++)
        assert_true(json_real_value(json_array_get(again, i)) == numbers[i]);
    json_decref(list);
    json_decref(again);
}

static void files_look_like_this(void **state)
{
    size_t size;
    json_t *value = json_pack("{s:i, s:[s, b], s:{}}", "z", 1, "a", "text", 1, "empty");
    CHECK_OK(*state, recon_json_write(*state, scratch("x.json"), value));
    unsigned char *text = slurp(scratch("x.json"), &size);
    const char *want =
        "{\n  \"z\": 1,\n  \"a\": [\n    \"text\",\n    true\n  ],\n  \"empty\": {}\n}\n";
    assert_int_equal(size, strlen(want));
    assert_memory_equal(text, want, size);
    free(text);
    json_decref(value);
}

static void what_cannot_be_written_leaves_nothing(void **state)
{
    json_t *value = json_object();
    CHECK_FAILS(*state, recon_json_write(*state, scratch("x.json"), NULL), RECON_ERR_MEMORY,
                "out of memory");
    CHECK_FAILS(*state, recon_json_write(*state, scratch("no/x.json"), value), RECON_ERR_IO,
                "/no/x.json: cannot write");
    CHECK_ALLOCATIONS(*state, recon_json_write(*state, scratch("x.json"), value));
    json_decref(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(errors_name_the_place),
        SCRATCH_TEST(missing_files_are_named),
        SCRATCH_TEST(every_number_comes_back),
        SCRATCH_TEST(files_look_like_this),
        SCRATCH_TEST(what_cannot_be_written_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
