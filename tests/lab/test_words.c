/* Words: which are held out, pictures that rotate about their middle, answers of readers that are read
 * in their order. The readers here are scripts: the real ones are tested by the command. */
#include "scratch.h"
#include "core/text.h"
#include "lab/words.h"

#include <recon/group/so2.h>

static const char dictionary[] =
    "apple\nboulder\ncan't\ncat\ncellar\nDublin\nelephant\nextraordinary\n"
    "fjord\ngarden\nhammer\nisland\njungle\nkettle\nlantern\nmarble\nnickel\n"
    "orange\npillow\nquarter\nr\xc3\xa9sum\xc3\xa9\nsilver\ntiger\numbrella";

static words_list list_of(recon_ctx *ctx, int part)
{
    words_list list;
    scratch_write("words", dictionary, sizeof dictionary - 1);
    CHECK_OK(ctx, words_list_read(ctx, &list, scratch("words"), part));
    return list;
}

static void a_word_is_for_training_or_for_tests(void **state)
{
    recon_ctx *ctx = *state;
    words_list train = list_of(ctx, LETTERS_TRAIN), test = list_of(ctx, LETTERS_TEST);
    assert_int_equal(train.n + test.n, 20); /* neither short, long, nor with other signs */
    assert_true(test.n > 0 && train.n > test.n);
    for (size_t i = 0; i < train.n; i++)
        assert_false(words_is_held(train.word[i]));
    for (size_t i = 0; i < test.n; i++)
        assert_true(words_is_held(test.word[i]));
    words_list_free(&train);
    words_list_free(&test);
    scratch_write("none", "a\nb\n", 4);
    CHECK_FAILS(ctx, words_list_read(ctx, &test, scratch("none"), LETTERS_TEST), RECON_ERR_INPUT,
                "no words of 4 to 10 letters");
    words_list_free(&test);
}

/* Fonts of the system, or a skipped test. */
static letters_fonts *fonts_of(recon_ctx *ctx)
{
    letters_fonts *fonts = NULL;
    if (words_fonts_open(ctx, &fonts, NULL, 3, 3, 1) == RECON_OK)
        return fonts;
    letters_fonts_free(fonts);
    print_message("%s\n", recon_ctx_message(ctx));
    skip();
    return NULL;
}

static double difference(const uint8_t *a, const uint8_t *b)
{
    double sum = 0;
    for (size_t i = 0; i < WORDS_PIXELS; i++)
        sum += abs(a[i] - b[i]);
    return sum / WORDS_PIXELS;
}

/* The same words, of which one set stands upright within the band; rotated back the other is it. */
static void pictures_rotate_back(void **state)
{
    recon_ctx *ctx = *state;
    enum { EACH = 4 };
    letters_fonts *fonts = fonts_of(ctx);
    words_list list = list_of(ctx, LETTERS_TRAIN);
    words_set rotated, upright;
    uint8_t back[WORDS_PIXELS], blank[WORDS_PIXELS];
    memset(blank, 255, sizeof blank);
    CHECK_OK(ctx,
             words_set_make(ctx, &rotated, fonts, LETTERS_TEST, &list, EACH, WORDS_ROTATED, 7));
    CHECK_OK(ctx,
             words_set_make(ctx, &upright, fonts, LETTERS_TEST, &list, EACH, WORDS_UPRIGHT, 7));
    assert_int_equal(upright.n, EACH * letters_fonts_count(fonts, LETTERS_TEST));
    for (size_t i = 0; i < upright.n; i++) {
        const uint8_t *stands = upright.pixels + i * WORDS_PIXELS, *band = words_band(stands);
        assert_string_equal(rotated.text[i], upright.text[i]);
        assert_true(upright.angle[i] == 0);
        words_rotate(back, rotated.pixels + i * WORDS_PIXELS, -rotated.angle[i]);
        CHECK_LESS(difference(back, stands), 0.35 * difference(blank, stands));
        for (const uint8_t *p = stands; p < band; p++)
            assert_int_equal(*p, 255);
        for (const uint8_t *p = band + WORDS_BAND * WORDS_SIDE; p < stands + WORDS_PIXELS; p++)
            assert_int_equal(*p, 255);
    }
    words_set_free(&rotated);
    words_set_free(&upright);
    words_list_free(&list);
    letters_fonts_free(fonts);
}

static void training_words_are_nearly_upright_and_varied(void **state)
{
    recon_ctx *ctx = *state;
    enum { EACH = 40 };
    letters_fonts *fonts = fonts_of(ctx);
    words_list list = list_of(ctx, LETTERS_TRAIN);
    words_set set, again;
    size_t dark = 0, numbers = 0;
    CHECK_OK(ctx, words_set_make(ctx, &set, fonts, LETTERS_TRAIN, &list, EACH, WORDS_VARIED, 7));
    CHECK_OK(ctx, words_set_make(ctx, &again, fonts, LETTERS_TRAIN, &list, EACH, WORDS_VARIED, 7));
    assert_memory_equal(set.pixels, again.pixels, set.n * WORDS_PIXELS);
    for (size_t i = 0; i < set.n; i++) {
        uint8_t corner = set.pixels[i * WORDS_PIXELS];
        assert_true(fabs(set.angle[i]) <= 10 * RECON_TO_RADIANS);
        assert_true(corner == 0 || corner == 255);
        dark += corner == 255;
        numbers += set.text[i][0] <= '9';
    }
    assert_true(dark > set.n / 4 && dark < 3 * set.n / 4 && numbers > 0 && numbers < set.n / 4);
    words_set_free(&set);
    words_set_free(&again);
    words_list_free(&list);
    letters_fonts_free(fonts);
}

/* --- readers ---------------------------------------------------------------------------------- */

static void install(const char *name, const char *text)
{
    chmod(scratch_write(name, text, strlen(text)), 0755);
}

static char *put_first(void)
{
    char *before = strdup(getenv("PATH")), path[4096];
    snprintf(path, sizeof path, "%s:%s", scratch_folder, before);
    setenv("PATH", path, 1);
    return before;
}

static void put_back(char *path)
{
    setenv("PATH", path, 1);
    free(path);
}

/* A page for each file of the list, with its name's number; the third page is empty. */
static const char pages[] = "#!/bin/sh\nseparator=\n"
                            "while read -r file; do\n"
                            "  number=${file##*/}; number=${number%.pgm}\n"
                            "  [ $number != 00002 ] || number=\n"
                            "  printf \"$separator%s\\n\" $number; separator='\\f'\n"
                            "done <$1\n";

static void pages_are_read_in_their_order(void **state)
{
    recon_ctx *ctx = *state;
    enum { N = 11 };
    words_text text[N], expected;
    char *path = put_first();
    install("tesseract", pages);
    CHECK_OK(ctx, words_read(ctx, text, NULL, WORDS_TESSERACT, scratch_folder, N));
    for (int i = 0; i < N; i++) {
        snprintf(expected, sizeof expected, "%05d", i);
        assert_string_equal(text[i], i == 2 ? "" : expected);
    }
    install("tesseract", "#!/bin/sh\nprintf 'one\\n'; echo 'no more memory' >&2\n");
    CHECK_FAILS(ctx, words_read(ctx, text, NULL, WORDS_TESSERACT, scratch_folder, N),
                RECON_ERR_UNSUPPORTED, "tesseract: no more memory");
    put_back(path);
}

/* The script that node is given is part of the source. */
static void the_other_reader_is_given_its_script(void **state)
{
    recon_ctx *ctx = *state;
    enum { N = 3 };
    words_text text[N], own[N];
    char *path = put_first();
    install("node", "#!/bin/sh\n[ -f \"$1\" ] || exit 1\n"
                    "while read -r file; do echo '{ \"text\": \"a\", \"own\": \"b\" }'; done\n");
    CHECK_OK(ctx, words_read(ctx, text, own, WORDS_PPOCR, scratch_folder, N));
    for (int i = 0; i < N; i++) {
        assert_string_equal(text[i], "a");
        assert_string_equal(own[i], "b");
    }
    put_back(path);
}

/* A page that cannot be told ends the list: it stays, and those behind it are asked about again. */
static void orientations_are_read_past_failures(void **state)
{
    recon_ctx *ctx = *state;
    enum { N = 9 };
    int quarters[N];
    char *path = put_first();
    install("tesseract", "#!/bin/sh\nwhile read -r file; do\n"
                         "  case $file in\n"
                         "  *[36].pgm) echo 'Too few characters' >&2; exit 1 ;;\n"
                         "  *4.pgm) echo 'Rotate: 270' ;;\n"
                         "  *) echo 'Rotate: 90' ;;\n"
                         "  esac\ndone <$1\n");
    CHECK_OK(ctx, words_osd(ctx, quarters, scratch_folder, N));
    for (int i = 0; i < N; i++)
        assert_int_equal(quarters[i], i == 3 || i == 6 ? 0 : i == 4 ? 1 : 3);
    put_back(path);
}

static void a_reader_that_is_not_there_is_named(void **state)
{
    recon_ctx *ctx = *state;
    char *path = strdup(getenv("PATH"));
    setenv("PATH", scratch_folder, 1);
    for (int reader = 0; reader < WORDS_READERS; reader++)
        CHECK_FAILS(ctx, words_reader_check(ctx, reader, scratch_folder), RECON_ERR_UNSUPPORTED,
                    "`tools/setup words` installs what is missing");
    put_back(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(a_word_is_for_training_or_for_tests),
        SCRATCH_TEST(pictures_rotate_back),
        SCRATCH_TEST(training_words_are_nearly_upright_and_varied),
        SCRATCH_TEST(pages_are_read_in_their_order),
        SCRATCH_TEST(the_other_reader_is_given_its_script),
        SCRATCH_TEST(orientations_are_read_past_failures),
        SCRATCH_TEST(a_reader_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
