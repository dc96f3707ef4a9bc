/* The context: its message, its notes, its log and its progress. */
#include "check.h"
#include "core/ctx.h"
#include "core/fail.h"

static void a_message_is_one_line_whatever_it_quotes(void **state)
{
    recon_ctx *ctx = *state;
    assert_int_equal(recon_fail(ctx, RECON_ERR_IO, "%s: gone", "a\nb\033[2J"), RECON_ERR_IO);
    assert_string_equal(recon_ctx_message(ctx), "a?b?[2J: gone");
    assert_int_equal(recon_note(ctx, RECON_ERR_IO, "reading %s", "c\rd\x7f"), RECON_ERR_IO);
    assert_string_equal(recon_ctx_message(ctx), "a?b?[2J: gone (reading c?d?)");
}

static void a_message_does_not_steer_a_terminal(void **state)
{
    static const struct {
        const char *in, *out;
    } list[] = {
        { "\xc2\x9b"
          "31mX",
          "?31mX" }, /* U+009B: CSI */
        { "a\xc2\x85"
          "b",
          "a?b" },                                     /* U+0085: a new line */
        { "\x9b[2J", "?[2J" },                         /* CSI as a byte */
        { "exe.\xe2\x80\xaegpj", "exe.?gpj" },         /* U+202E: right to left */
        { "\xe2\x81\xa6x\xe2\x81\xa9", "?x?" },        /* U+2066 and U+2069 */
        { "\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "???" }, /* U+200E, U+200F, U+061C */
        { "a\xe2\x80\xa8q\xe2\x80\xa9z", "a?q?z" },    /* U+2028 and U+2029 */
        { "\xe2\x80", "??" },                          /* cut short */
        { "\xc0\x9b\xed\xa0\x80", "?????" },           /* too long a form; a surrogate */
        { "caf\xe9", "caf?" },                         /* Latin-1 */
        { "caf\xc3\xa9 \xe6\xb0\xb4 \xf0\x9f\x92\xa7",
          "caf\xc3\xa9 \xe6\xb0\xb4 \xf0\x9f\x92\xa7" },
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        recon_fail(*state, RECON_ERR_IO, "%s", list[i].in);
        assert_string_equal(recon_ctx_message(*state), list[i].out);
    }
}

static void a_message_that_is_too_long_is_cut(void **state)
{
    recon_ctx *ctx = *state;
    char text[4096];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    for (size_t length = 1000; length < 1030; length++) {
        recon_fail(ctx, RECON_ERR_INPUT, "%.*s", (int)length, text);
        for (int notes = 0; notes < 3; notes++)
            recon_note(ctx, RECON_ERR_INPUT, "%s", text);
        assert_true(strlen(recon_ctx_message(ctx)) < sizeof ctx->message);
    }
}

static void settings_are_in_the_words_of_the_context(void **state)
{
    static const char fmt[] =
        "{size=%d}, {crop=auto}, {skip_bad=true} or {density=false}; {train(from=MODEL rate=0.1)} without "
        "{head_rate} and {from}: {recon.discover()}, { \"a\": {%s} }";
    static const char *const said[] = {
        [RECON_SPELLING_PLAIN] =
            "size=7, crop=auto, skip_bad=true or density=false; train (from=MODEL, rate=0.1) without "
            "head_rate and from: recon discover, { \"a\": {size} }",
        [RECON_SPELLING_COMMAND] =
            "--size 7, --crop auto, --skip-bad or --no-density; train --from MODEL --rate 0.1 without "
            "--head-rate and --from: recon discover, { \"a\": --{size} }",
        [RECON_SPELLING_PYTHON] =
            "size=7, crop=\"auto\", skip_bad=True or density=False; train(from_=MODEL, rate=0.1) without "
            "head_rate and from_: recon.discover(), { \"a\": {size} }",
        [RECON_SPELLING_CODE] =
            "`--size` 7, `--crop` auto, `--skip-bad` or `--no-density`; train `--from` MODEL `--rate` 0.1 "
            "without `--head-rate` and `--from`: recon discover, { \"a\": `--{size}` }",
    };
    (void)state;
    for (unsigned i = 0; i < sizeof said / sizeof *said; i++) {
        recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .spelling = (recon_spelling)i });
        recon_fail(ctx, RECON_ERR_INPUT, fmt, 7, "{size}"); /* what is quoted stays */
        assert_string_equal(recon_ctx_message(ctx), said[i]);
        recon_fail(ctx, RECON_ERR_INPUT, "%s", "{size}");
        recon_note(ctx, RECON_ERR_INPUT, "{size}");
        recon_ctx_free(ctx);
    }
    char out[8];
    static const char text[] = "use {skip_bad=true}";
    assert_ptr_equal(recon_spell(out, sizeof out, text, RECON_SPELLING_COMMAND), text);
    assert_null(recon_ctx_new(&(recon_ctx_options){ .spelling = RECON_SPELLING_CODE + 1 }));
}

typedef struct {
    int lines, reports, finished;
    recon_progress last;
} heard;

static void on_log(void *user, recon_log_level level, const char *line)
{
    heard *h = user;
    assert_int_equal(level, RECON_LOG_WARN);
    assert_string_equal(line, "seven 7?");
    h->lines++;
}

static void on_progress(void *user, const recon_progress *p)
{
    heard *h = user;
    h->reports++;
    h->finished += p->finished;
    h->last = *p;
}

static void log_and_progress_reach_the_caller(void **state)
{
    (void)state;
    heard h = { 0 };
    recon_ctx_options o = {
        .threads = 1, .on_log = on_log, .on_progress = on_progress, .user = &h
    };
    recon_ctx *ctx = recon_ctx_new(&o);
    recon_log(ctx, RECON_LOG_WARN, "seven %d%s", 7, "\xc2\x9b");
    assert_int_equal(h.lines, 1);
    recon_progress_begin(ctx, "job", 10);
    for (int i = 0; i < 10; i++)
        recon_progress_add(ctx, 1);
    recon_progress_end(ctx);
    assert_true(h.finished == 1 && h.last.finished && h.last.done == 10 && h.last.total == 10);
    assert_string_equal(h.last.label, "job");
    recon_progress_begin(ctx, "outer", 2);
    recon_progress_hold(ctx);
    recon_progress_begin(ctx, "inner", 5);
    recon_progress_add(ctx, 5);
    recon_progress_end(ctx);
    recon_progress_release(ctx);
    recon_progress_add(ctx, 2);
    recon_progress_end(ctx);
    assert_true(h.finished == 2 && h.last.done == 2 && h.last.total == 2);
    assert_string_equal(h.last.label, "outer");
    recon_ctx_free(ctx);
}

static void every_status_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(recon_status_name(RECON_OK), "ok");
    assert_string_equal(recon_status_name(RECON_ERR_INTERRUPTED), "interrupted");
    assert_string_equal(recon_status_name((recon_status)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_is_one_line_whatever_it_quotes),
        cmocka_unit_test(a_message_does_not_steer_a_terminal),
        cmocka_unit_test(a_message_that_is_too_long_is_cut),
        cmocka_unit_test(settings_are_in_the_words_of_the_context),
        cmocka_unit_test(log_and_progress_reach_the_caller),
        cmocka_unit_test(every_status_has_a_name),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
