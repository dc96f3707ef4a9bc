/* Text: lines and words are what is between their ends, numbers are read as printf wrote them. */
#include "check.h"
#include "data/text.h"

#include <stdio.h>

static recon_span span(const char *text)
{
    return (recon_span){ text, text + strlen(text) };
}

static void lines_and_words_lose_nothing(void **state)
{
    (void)state;
    recon_span rest = span("one\n\n two\tthree,\r\nlast"), line, word;
    const char *const lines[] = { "one", "", " two\tthree,\r", "last" };
    const size_t words[] = { 1, 0, 2, 1 };
    for (int i = 0; i < 4; i++) {
        assert_true(recon_text_line(&line, &rest));
        assert_true(recon_text_is(line, lines[i]));
        assert_int_equal(recon_text_empty(line), words[i] == 0);
        for (size_t k = 0; k < words[i]; k++) {
            word = recon_text_word(&line);
            assert_true(recon_span_size(word) > 0);
        }
        assert_true(recon_text_empty(line));
        assert_int_equal(recon_span_size(recon_text_word(&line)), 0);
    }
    assert_false(recon_text_line(&line, &rest));
    assert_true(recon_text_empty(span(" \t,\r ")));
}

/* What printf writes comes back as the same float, and the same count. */
static void numbers_come_back(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(2, 0);
    const char *const formats[] = { "%.9g", "%.8e", "%+.9g" };
    for (int i = 0; i < 3000; i++) {
        char text[64];
        double x;
        size_t n;
        float want = (float)(recon_rng_normal(&rng) * pow(10, 60 * recon_rng_uniform(&rng) - 30));
        snprintf(text, sizeof text, formats[i % 3], (double)want);
        assert_true(recon_text_number(&x, span(text)));
        assert_true((float)x == want);
        uint64_t count = recon_rng_u64(&rng) >> recon_rng_below(&rng, 64);
        snprintf(text, sizeof text, "%llu", (unsigned long long)count);
        assert_true(recon_text_count(&n, span(text)));
        assert_true(n == count);
    }
}

static void what_is_no_number_is_none(void **state)
{
    (void)state;
    const char *const neither[] = { "",     "-",     ".",   "e5", "nan", "inf",   "1x",
                                    "0x10", "1.2.3", "--1", "1e", "1e+", "1.5E-x" };
    double x;
    size_t n;
    for (size_t i = 0; i < sizeof neither / sizeof *neither; i++) {
        assert_false(recon_text_number(&x, span(neither[i])));
        assert_false(recon_text_count(&n, span(neither[i])));
    }
    assert_false(recon_text_number(&x, span("1e39"))); /* no float */
    assert_true(recon_text_number(&x, span("-0e400")) && x == 0);
    assert_false(recon_text_count(&n, span("18446744073709551616")));
    assert_false(recon_text_count(&n, span("-1")));
    assert_false(recon_text_count(&n, span("1.0")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_words_lose_nothing),
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(what_is_no_number_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
