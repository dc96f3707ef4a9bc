/* Pages: well-formed, everything escaped, nothing loaded, a figure's numbers under it, rows that
 * fill, one failure that stays. `test_page FILE` writes the sample for a browser. */
#include "scratch.h"
#include "xml.h"
#include "report/sample.h"
#include "report/canvas.h"

#include <jansson.h>

static recon_page *new_page(recon_ctx *ctx)
{
    recon_page *page;
    CHECK_OK(ctx, recon_page_new(ctx, &page, "title", "lead"));
    return page;
}

static void finish(recon_ctx *ctx, char **out, recon_page *page)
{
    CHECK_OK(ctx, recon_page_finish(page, out));
}

static char *sample(recon_ctx *ctx)
{
    char *text;
    recon_page *page = new_page(ctx);
    sample_fill(ctx, page);
    finish(ctx, &text, page);
    return text;
}

/* The page's one element, its script blanked: that is no XML. */
static const char *as_xml(char *text)
{
    char *script = strstr(text, "<script>"), *end = strstr(text, "</script>\n</body>");
    assert_non_null(script);
    assert_true(end > script);
    memset(script + strlen("<script>"), ' ', (size_t)(end - script) - strlen("<script>"));
    return strstr(text, "<html");
}

static int occurrences(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static void a_page_is_well_formed_and_repeats(void **state)
{
    char *one = sample(*state), *two = sample(*state);
    assert_string_equal(one, two);
    const char *page = as_xml(one);
    assert_int_equal(xml_count(page, "figure", NULL), SAMPLE_FIGURES);
    assert_int_equal(xml_count(page, "figcaption", NULL), SAMPLE_FIGURES);
    assert_int_equal(xml_count(page, "table", NULL), SAMPLE_TABLES);
    assert_int_equal(xml_count(page, "section", NULL), SAMPLE_SECTIONS);
    assert_int_equal(xml_count(page, "li", NULL), SAMPLE_SECTIONS);
    assert_int_equal(xml_count(page, "h1", NULL), 1);
    assert_int_equal(xml_count(page, "dd", NULL), 4);
    assert_int_equal(xml_count(page, "g", "space"), SAMPLE_THINGS);
    free(one);
    free(two);
}

static void an_empty_page_is_a_page(void **state)
{
    recon_page *page;
    CHECK_OK(*state, recon_page_new(*state, &page, "", NULL));
    char *text;
    finish(*state, &text, page);
    const char *xml = as_xml(text);
    assert_int_equal(xml_count(xml, "main", NULL), 1);
    assert_int_equal(xml_count(xml, "nav", NULL), 0);
    assert_int_equal(xml_count(xml, "section", NULL), 0);
    assert_int_equal(xml_count(xml, "dl", NULL), 0);
    free(text);
    recon_page_free(NULL);
}

static void all_text_is_escaped(void **state)
{
    static const char nasty[] = "<i a=\"&amp;\">\xff\x01%s</i>";
    recon_page *page;
    CHECK_OK(*state, recon_page_new(*state, &page, nasty, nasty));
    recon_page_result(page, nasty, "%s", nasty);
    recon_page_section(page, nasty);
    recon_page_section(page, nasty);
    recon_page_say(page, "%s", nasty);
    recon_page_warning(page, "%s", nasty);
    const recon_molecule_picture m = { nasty, 9, ethanol_z, ethanol, NULL };
    recon_page_molecules(page, &(recon_molecule_sheet){ .molecules = &m, .rows = 1, .columns = 1 },
                         nasty);
    recon_page_table(page, nasty, (const char *const[]){ nasty }, 1);
    recon_page_cell(page, "%s", nasty);
    char *text;
    finish(*state, &text, page);
    const char *xml = as_xml(text);
    assert_int_equal(xml_count(xml, "i", NULL), 0);
    assert_null(strchr(text, '\xff'));
    /* The title twice; contents and headings of both; the molecule's own caption once. */
    assert_int_equal(
        occurrences(text, "&lt;i a=&quot;&amp;amp;&quot;&gt;\xef\xbf\xbd\xef\xbf\xbd%s"),
        2 + 1 + 2 + 4 + 2 + 1 + 1 + 3);
    free(text);
}

static void backquotes_make_code(void **state)
{
    recon_page *page = new_page(*state);
    recon_page_say(page, "%s", "run `a < b` or `c`, not ` alone");
    recon_page_say(page, "%s", "``\xc3`");
    char *text;
    finish(*state, &text, page);
    assert_non_null(
        strstr(text, "<p>run <code>a &lt; b</code> or <code>c</code>, not ` alone</p>"));
    assert_non_null(strstr(text, "<p><code></code>\xef\xbf\xbd`</p>"));
    free(text);
}

static void has_no_handler(void *arg, const xml_tag *tag)
{
    (void)arg;
    for (const char *at = tag->attributes; at < tag->end; at++)
        if (strncmp(at, " on", 3) == 0 && at[strcspn(at + 1, " =\"") + 1] == '=')
            fail_msg("<%s%.40s", tag->name, at);
}

static void nothing_is_loaded(void **state)
{
    char *text = sample(*state);
    assert_int_equal(
        occurrences(text, "http"), /* the policy, the pictures' and the script's names */
        occurrences(text, "http-equiv=") + occurrences(text, "http://www.w3.org/2000/svg"));
    assert_int_equal(occurrences(text, "href="),
                     occurrences(text, "href=\"#") + occurrences(text, "href=\"data:"));
    assert_int_equal(occurrences(text, " src="), 0);
    assert_int_equal(occurrences(text, "@import"), 0);
    assert_int_equal(
        occurrences(text, "url("), /* of the listing: addresses that begin with data: */
        occurrences(text, "url(#") + occurrences(text, "url(${data.sheets"));
    assert_int_equal(occurrences(text, "default-src 'none'"), 1);
    xml_walk(as_xml(text), has_no_handler, NULL);
    free(text);
}

/* A figure's text up to its end. */
static char *figure(const char *text, const char *id)
{
    const char *from = strstr(text, id);
    assert_non_null(from);
    const char *to = strstr(from, "</figure>");
    assert_non_null(to);
    return strndup(from, (size_t)(to - from));
}

static void numbers_fold_under_their_figure(void **state)
{
    char *text = sample(*state);
    static const int folded[] = { 1, 1, 0, 0, 1 };
    for (int i = 0; i < SAMPLE_FIGURES; i++) {
        char id[32];
        snprintf(id, sizeof id, "id=\"figure-%d\"", i + 1);
        char *own = figure(text, id);
        assert_int_equal(occurrences(own, "<details><summary>"), folded[i]);
        assert_int_equal(occurrences(own, "<table>"), folded[i]);
        free(own);
    }
    free(text);
}

static void only_the_first_table_folds(void **state)
{
    recon_page *page = new_page(*state);
    const recon_sphere s = { NULL, sample_ring };
    recon_page_spheres(page, &(recon_sphere_sheet){ .spheres = &s, .rows = 1, .columns = 1 }, "x");
    for (int i = 0; i < 2; i++)
        recon_page_table(page, "empty", (const char *const[]){ "a", "b" }, 2);
    char *text, *own;
    finish(*state, &text, page);
    own = figure(text, "id=\"figure-1\"");
    assert_int_equal(occurrences(own, "<table>"), 1);
    assert_int_equal(occurrences(text, "<table>"), 2);
    assert_int_equal(occurrences(text, ">none</td>"), 2);
    free(own);
    free(text);
}

/* Whether a column with these two cells is set as numbers. */
static int as_numbers(recon_ctx *ctx, const char *a, const char *b)
{
    recon_page *page = new_page(ctx);
    recon_page_table(page, "t", (const char *const[]){ "column" }, 1);
    recon_page_cell(page, "%s", a);
    recon_page_cell(page, "%s", b);
    char *text;
    finish(ctx, &text, page);
    int n = occurrences(text, " class=\"number\"");
    assert_true(n == 0 || n == 3);
    free(text);
    return n == 3;
}

static void columns_of_numbers_are_set_to_the_right(void **state)
{
    static const char *const numbers[] = { "0",
                                           "-1.5e-07",
                                           "89.0 %",
                                           "12.5\xc2\xb0",
                                           "1,500",
                                           "\xe2\x88\x92"
                                           "3",
                                           "0.9 \xc2\xb1 0.1" };
    static const char *const gaps[] = { "", "-", "nan", "\xe2\x80\x93" };
    static const char *const words[] = { "bag", "e", "7 bags", "C2H6O", ",", "\xe2\x88\x92" };
    for (int i = 0; i < 7; i++) {
        assert_true(as_numbers(*state, numbers[i], "1"));
        assert_false(as_numbers(*state, numbers[i], "bag"));
    }
    for (int i = 0; i < 4; i++) {
        assert_true(as_numbers(*state, "1", gaps[i]));
        assert_false(as_numbers(*state, gaps[i], gaps[i]));
    }
    for (int i = 0; i < 6; i++)
        assert_false(as_numbers(*state, words[i], "1"));
}

static void rows_are_headed_and_full(void **state)
{
    recon_page *page = new_page(*state);
    char *out;
    recon_page_table(page, "t", (const char *const[]){ "a", "b" }, 2);
    for (int i = 0; i < 6; i++)
        recon_page_cell(page, "%d", i);
    char *text;
    finish(*state, &text, page);
    assert_int_equal(occurrences(text, "scope=\"col\""), 2);
    assert_int_equal(occurrences(text, "<tr><th scope=\"row\""), 3);
    assert_non_null(strstr(text, "<tr><th scope=\"row\" class=\"number\">4</th>"
                                 "<td class=\"number\">5</td></tr>"));
    free(text);

    page = new_page(*state);
    recon_page_table(page, "short", (const char *const[]){ "a", "b" }, 2);
    recon_page_cell(page, "one");
    recon_page_say(page, "more");
    CHECK_FAILS(*state, recon_page_finish(page, &out), RECON_ERR_INPUT,
                "table \"short\" has 1 cells in 2 columns");
    assert_null(out);
}

static void the_first_failure_stays(void **state)
{
    char *out = (char *)1;
    double bad[9] = { NAN };
    const recon_sphere s = { NULL, bad };
    recon_page *page = new_page(*state);
    recon_page_cell(page, "%s", "lost");
    recon_page_table(page, "none", NULL, 0);
    sample_fill(*state, page);
    assert_int_equal(recon_page_finish(page, &out), RECON_ERR_INPUT);
    assert_null(out);

    page = new_page(*state);
    recon_page_fail(page, RECON_OK);
    recon_page_spheres(page, &(recon_sphere_sheet){ .spheres = &s, .rows = 1, .columns = 1 }, "x");
    recon_page_say(page, "later");
    CHECK_FAILS(*state, recon_page_save(page, scratch("page.html")), RECON_ERR_INPUT,
                "entry of F 0 is nan");
    assert_int_equal(scratch_count(), 0);

    page = new_page(*state);
    recon_page_figure(page, NULL, "missing");
    CHECK_FAILS(*state, recon_page_finish(page, &out), RECON_ERR_INPUT,
                "no picture for \"missing\"");
    page = new_page(*state);
    recon_page_table(page, "none", NULL, 0);
    CHECK_FAILS(*state, recon_page_finish(page, &out), RECON_ERR_INPUT, "\"none\" has no columns");
    page = new_page(*state);
    recon_page_say(page, "text");
    recon_page_cell(page, "%s", "lost");
    CHECK_FAILS(*state, recon_page_finish(page, &out), RECON_ERR_INPUT, "\"lost\" is in no table");
}

static void numbers_have_a_point_everywhere(void **state)
{
    char *plain = sample(*state);
    if (!comma_locale()) {
        free(plain);
        skip();
    }
    char *other = sample(*state);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(plain, other);
    assert_non_null(strstr(plain, "89.0 %"));
    free(plain);
    free(other);
}

static recon_status small_page(recon_ctx *ctx)
{
    const recon_molecule_picture m = { "x", 9, ethanol_z, ethanol, NULL };
    const recon_sphere s = { NULL, sample_ring };
    recon_page *page;
    recon_status status = recon_page_new(ctx, &page, "title", "lead");
    if (status != RECON_OK)
        return status;
    recon_page_result(page, "what", "%d", 1);
    recon_page_section(page, "section");
    recon_page_molecules(page, &(recon_molecule_sheet){ .molecules = &m, .rows = 1, .columns = 1 },
                         "molecule");
    recon_page_table(page, "table", (const char *const[]){ "a" }, 1);
    recon_page_cell(page, "%d", 1);
    recon_page_spheres(page, &(recon_sphere_sheet){ .spheres = &s, .rows = 1, .columns = 1 }, "x");
    return recon_page_save(page, scratch("page.html"));
}

static void memory_may_run_out_anywhere(void **state)
{
    CHECK_ALLOCATIONS(*state, small_page(*state));
    assert_int_equal(scratch_count(), 1);
    assert_int_equal(recon_page_save(new_page(*state), "/no/such/folder/page.html"), RECON_ERR_IO);
}

/* Circles of the still figure, in its coordinates. */
typedef struct {
    double x[9], y[9], r[9];
    int count;
} balls;

static void collect(void *arg, const xml_tag *tag)
{
    balls *b = arg;
    if (strcmp(tag->name, "circle") != 0)
        return;
    assert_true(b->count < 9);
    b->x[b->count] = xml_number(tag, "cx");
    b->y[b->count] = xml_number(tag, "cy");
    b->r[b->count++] = xml_number(tag, "r");
}

static void next_number(double *out, const char **at)
{
    char *end;
    *at += strcspn(*at, "-0123456789");
    *out = strtod(*at, &end);
    *at = end;
}

/* What the script is told of a molecule, seen through the view it is told, is the still figure. */
static void the_script_knows_what_the_figure_shows(void **state)
{
    const recon_molecule_picture m = { NULL, 9, ethanol_z, ethanol, NULL };
    const recon_molecule_sheet sheet = { .molecules = &m, .rows = 1, .columns = 1, .cell = 200 };
    balls still = { .count = 0 };
    recon_page *page = new_page(*state);
    recon_page_molecules(page, &sheet, "x");
    char *text;
    finish(*state, &text, page);
    xml_walk(as_xml(text), collect, &still);
    assert_int_equal(still.count, 9);

    const char *at = strstr(text, "class=\"molecules\">[[");
    assert_non_null(at);
    double view[9], middle = RECON_MARGIN + 100;
    for (int i = 0; i < 9; i++)
        next_number(&view[i], &at);
    for (int atom = 0; atom < 9; atom++) {
        double v[4], off = INFINITY;
        for (int i = 0; i < 4; i++)
            next_number(&v[i], &at);
        double x = middle + 100 * (view[0] * v[1] + view[1] * v[2] + view[2] * v[3]);
        double y = middle - 100 * (view[3] * v[1] + view[4] * v[2] + view[5] * v[3]);
        for (int i = 0; i < 9; i++)
            off = fmin(off, hypot(x - still.x[i], y - still.y[i]) + fabs(100 * v[0] - still.r[i]));
        CHECK_LESS(off, .05);
    }
    free(text);
}

/* What is told of the figure of that kind. Free it with json_decref. */
static json_t *told(const char *text, const char *kind)
{
    char class[40];
    snprintf(class, sizeof class, "class=\"%s\">", kind);
    const char *at = strstr(text, class);
    assert_non_null(at);
    json_t *json = json_loadb(at + strlen(class), strcspn(at + strlen(class), "<"), 0, NULL);
    assert_non_null(json);
    return json;
}

static void the_script_is_told_lists_in_lists(void **state)
{
    const recon_molecule_picture m = { NULL, 9, ethanol_z, ethanol, NULL };
    const recon_sphere s[] = { { "ring", sample_ring }, { "peak", sample_peak } };
    recon_page *page = new_page(*state);
    char *text;
    recon_page_molecules(page, &(recon_molecule_sheet){ .molecules = &m, .rows = 1, .columns = 1 },
                         "x");
    recon_page_spheres(page, &(recon_sphere_sheet){ .spheres = s, .rows = 1, .columns = 2 }, "x");
    finish(*state, &text, page);
    json_t *molecules = told(text, "molecules"), *spheres = told(text, "spheres");
    const json_t *molecule = json_array_get(molecules, 1);
    assert_int_equal(json_array_size(molecules), 2);
    assert_int_equal(json_array_size(json_array_get(molecules, 0)), 9); /* the view */
    assert_int_equal(json_array_size(molecule), 3);
    assert_int_equal(json_array_size(json_array_get(molecule, 0)), 9); /* atoms */
    assert_int_equal(json_array_size(json_array_get(molecule, 1)), 8); /* bonds */
    assert_int_equal(json_array_size(json_array_get(molecule, 2)), 0); /* no axis */
    assert_int_equal(json_array_size(spheres), 3);
    for (size_t i = 1; i < 3; i++)
        assert_int_equal(json_array_size(json_array_get(spheres, i)), 10);
    json_decref(molecules), json_decref(spheres), free(text);
}

static int write_sample(const char *path)
{
    recon_ctx *ctx = recon_ctx_new(NULL);
    recon_page *page;
    recon_status status =
        recon_page_new(ctx, &page, "Garments in their natural pose",
                       "Where 1,500 rotated garments lie, and how far a classifier "
                       "gets once they are rotated back: found without labels.");
    if (status == RECON_OK) {
        sample_fill(ctx, page);
        status = recon_page_save(page, path);
    }
    recon_ctx_free(ctx);
    return status != RECON_OK;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(a_page_is_well_formed_and_repeats),
        SCRATCH_TEST(an_empty_page_is_a_page),
        SCRATCH_TEST(all_text_is_escaped),
        SCRATCH_TEST(backquotes_make_code),
        SCRATCH_TEST(nothing_is_loaded),
        SCRATCH_TEST(numbers_fold_under_their_figure),
        SCRATCH_TEST(only_the_first_table_folds),
        SCRATCH_TEST(columns_of_numbers_are_set_to_the_right),
        SCRATCH_TEST(rows_are_headed_and_full),
        SCRATCH_TEST(the_first_failure_stays),
        SCRATCH_TEST(numbers_have_a_point_everywhere),
        SCRATCH_TEST(memory_may_run_out_anywhere),
        SCRATCH_TEST(the_script_knows_what_the_figure_shows),
        SCRATCH_TEST(the_script_is_told_lists_in_lists),
    };
    if (argc == 2)
        return write_sample(argv[1]);
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
