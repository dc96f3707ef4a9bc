/* SVG: well-formed whatever goes in, numbers that come back, failures that stay. */
#include "scratch.h"
#include "xml.h"
#include "core/svg.h"

static char *one_text(recon_ctx *ctx, const char *text)
{
    recon_svg *svg;
    char *out;
    CHECK_OK(ctx, recon_svg_new(ctx, &svg, 100, 50, NULL));
    recon_svg_text(svg, text, 1, 2, text);
    CHECK_OK(ctx, recon_svg_finish(svg, &out));
    return out;
}

static void any_bytes_make_a_well_formed_picture(void **state)
{
    recon_rng rng = recon_rng_new(5, 0);
    for (int i = 0; i < 200; i++) {
        char bytes[64];
        size_t n = recon_rng_below(&rng, sizeof bytes);
        for (size_t k = 0; k < n; k++)
            bytes[k] = (char)(1 + recon_rng_below(&rng, 255));
        bytes[n] = '\0';
        char *out = one_text(*state, bytes);
        xml_walk(out, NULL, NULL);
        free(out);
    }
}

static void text_comes_through_and_what_xml_cannot_hold_is_replaced(void **state)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        { "plain", ">plain<" },
        { "a < b & \"c\" > d", ">a &lt; b &amp; &quot;c&quot; &gt; d<" },
        { "37\xc2\xb0 \xe2\x88\x92 \xf0\x9f\x98\x80",
          ">37\xc2\xb0 \xe2\x88\x92 \xf0\x9f\x98\x80<" },
        { "\x01\x1f", ">\xef\xbf\xbd\xef\xbf\xbd<" },
        { "\xff"
          "a\xc2",
          ">\xef\xbf\xbd"
          "a\xef\xbf\xbd<" },
        { "\xc0\xaf", ">\xef\xbf\xbd\xef\xbf\xbd<" },                 /* an overlong slash */
        { "\xed\xa0\x80", ">\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd<" }, /* a surrogate       */
        { "\xef\xbf\xbf", ">\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd<" }, /* not a character   */
        { "\xe2\x80\xae", ">\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd<" }, /* right to left     */
        { "\xe2\x81\xa6", ">\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd<" }, /* isolated          */
        { "\xc2\x9b", ">\xef\xbf\xbd\xef\xbf\xbd<" },                 /* CSI               */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *out = one_text(*state, cases[i].in);
        if (!strstr(out, cases[i].out))
            fail_msg("case %zu: %s lacks %s", i, out, cases[i].out);
        free(out);
    }
}

static void numbers_are_what_they_were_to_half_a_unit(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(6, 0);
    for (int i = 0; i < 2000; i++) {
        recon_svg_digits digits;
        int decimals = (int)recon_rng_below(&rng, 10);
        double unit = pow(10, -decimals);
        double value = recon_rng_normal(&rng) * pow(10, recon_rng_uniform(&rng) * 10 - 2);
        if (fabs(value) > 1e9)
            continue;
        recon_svg_number(digits, value, decimals);
        CHECK_NEAR(strtod(digits, NULL), value, 0.5 * unit + 1e-15 * fabs(value) + 1e-15);
        assert_int_equal(strspn(digits, "-0123456789."), strlen(digits));
    }
    recon_svg_digits d;
    assert_string_equal(recon_svg_number(d, -0.001, 2), "0.00");
    assert_string_equal(recon_svg_number(d, -0.5, 2), "-0.50");
    assert_string_equal(recon_svg_number(d, 12, 0), "12");
    assert_string_equal(recon_svg_number(d, NAN, 2), "?");
    assert_string_equal(recon_svg_number(d, -INFINITY, 0), "?");
    assert_string_equal(recon_svg_number(d, 1e10, 0), "?");
}

static char *scene(recon_ctx *ctx, recon_status *status)
{
    static const unsigned char bytes[] = { 1, 2, 3, 4 };
    recon_svg *svg;
    char *out = NULL;
    recon_svg_options options = { "a <title>", "what it shows", "cls", ".a{fill:red}" };
    *status = recon_svg_new(ctx, &svg, 120.5, 80, &options);
    if (*status != RECON_OK)
        return NULL;
    recon_svg_group(svg, "a");
    recon_svg_line(svg, NULL, 0, 0.125, 1.5, 2);
    recon_svg_rect(svg, "b", 1, 2, 3, 4);
    recon_svg_circle(svg, "c", 10, 10, 5);
    recon_svg_group_end(svg);
    recon_svg_text_upwards(svg, "d", 20, 30, "up");
    recon_svg_image(svg, NULL, 0, 0, 28, 28, bytes, sizeof bytes, "label");
    recon_svg_path(svg, "e");
    recon_svg_move(svg, 1, 1);
    recon_svg_to(svg, 2, -0.0);
    recon_svg_arc(svg, 3, 1, 4, 5);
    recon_svg_path_close(svg);
    recon_svg_path_end(svg);
    *status = recon_svg_finish(svg, &out);
    return out;
}

static void a_picture_has_what_was_drawn(void **state)
{
    static const char *const parts[] = {
        "viewBox=\"0 0 120.5 80\"",
        "width=\"100%\"",
        "<title>a &lt;title&gt;</title>",
        "<desc>what it shows</desc>",
        ".a{fill:red}",
        "<line x1=\"0\" y1=\"0.13\" x2=\"1.5\" y2=\"2\"/>",
        "<rect class=\"b\" x=\"1\" y=\"2\" width=\"3\" height=\"4\"/>",
        "<circle class=\"c\" cx=\"10\" cy=\"10\" r=\"5\"/>",
        "<text class=\"d\" x=\"20\" y=\"30\" transform=\"rotate(-90 20 30)\">up</text>",
        "href=\"data:image/png;base64,AQIDBA==\"",
        "<title>label</title>",
        "<path class=\"e\" d=\"M1 1L2 0A3 3 0 0 1 4 5Z\"/>"
    };
    recon_status status;
    char *out = scene(*state, &status);
    CHECK_OK(*state, status);
    xml_check_inside(out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(out, parts[i]))
            fail_msg("%s lacks %s", out, parts[i]);
    free(out);
}

static void bytes_of_every_length_come_back(void **state)
{
    recon_rng rng = recon_rng_new(7, 0);
    for (size_t n = 0; n < 40; n++) {
        unsigned char bytes[40], again[64];
        recon_svg *svg;
        char *out;
        for (size_t i = 0; i < n; i++)
            bytes[i] = (unsigned char)recon_rng_u32(&rng);
        CHECK_OK(*state, recon_svg_new(*state, &svg, 9, 9, NULL));
        recon_svg_image(svg, NULL, 0, 0, 9, 9, bytes, n, NULL);
        CHECK_OK(*state, recon_svg_finish(svg, &out));
        assert_int_equal(xml_base64(again, out), n);
        assert_memory_equal(again, bytes, n);
        free(out);
    }
}

static void the_first_failure_stays(void **state)
{
    recon_svg *svg;
    char *out;
    CHECK_OK(*state, recon_svg_new(*state, &svg, 9, 9, NULL));
    recon_svg_line(svg, NULL, 0, 0, 1, 1);
    recon_svg_circle(svg, NULL, 1, NAN, 1);
    recon_svg_circle(svg, NULL, 1e300, 1, 1);
    recon_svg_fail(svg, RECON_ERR_IO);
    CHECK_FAILS(*state, recon_svg_finish(svg, &out), RECON_ERR_INPUT, "svg: a coordinate is nan");
    assert_null(out);
    CHECK_OK(*state, recon_svg_new(*state, &svg, 9, 9, NULL));
    recon_svg_fail(svg, RECON_OK);
    recon_svg_fail(svg, RECON_ERR_FORMAT);
    assert_int_equal(recon_svg_finish(svg, &out), RECON_ERR_FORMAT);
    assert_null(out);
    CHECK_FAILS(*state, recon_svg_new(*state, &svg, 0, 9, NULL), RECON_ERR_INPUT, "0 x 9");
    CHECK_FAILS(*state, recon_svg_new(*state, &svg, 9, NAN, NULL), RECON_ERR_INPUT, "9 x nan");
    assert_null(svg);
}

static recon_status scene_once(recon_ctx *ctx)
{
    recon_status status;
    free(scene(ctx, &status));
    return status;
}

static void memory_may_run_out_anywhere(void **state)
{
    CHECK_ALLOCATIONS(*state, scene_once(*state));
}

static void files_hold_the_text(void **state)
{
    recon_status status;
    size_t size;
    char *out = scene(*state, &status);
    CHECK_OK(*state, recon_svg_save(*state, scratch("x.svg"), out));
    unsigned char *again = slurp(scratch("x.svg"), &size);
    assert_int_equal(size, strlen(out));
    assert_memory_equal(again, out, size);
    CHECK_FAILS(*state, recon_svg_save(*state, scratch("no/x.svg"), out), RECON_ERR_IO,
                "/no/x.svg: cannot write");
    free(again);
    free(out);
}

static void the_locale_changes_nothing(void **state)
{
    recon_status status;
    char *before = scene(*state, &status), *after;
    if (!comma_locale()) {
        free(before);
        skip();
    }
    after = scene(*state, &status);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(before, after);
    free(before);
    free(after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(any_bytes_make_a_well_formed_picture),
        SCRATCH_TEST(text_comes_through_and_what_xml_cannot_hold_is_replaced),
        SCRATCH_TEST(numbers_are_what_they_were_to_half_a_unit),
        SCRATCH_TEST(a_picture_has_what_was_drawn),
        SCRATCH_TEST(bytes_of_every_length_come_back),
        SCRATCH_TEST(the_first_failure_stays),
        SCRATCH_TEST(memory_may_run_out_anywhere),
        SCRATCH_TEST(files_hold_the_text),
        SCRATCH_TEST(the_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
