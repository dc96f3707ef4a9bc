/* Figures: every one well-formed, inside its paper, the same each time and in every locale; what it
 * shows is what went in, and what cannot be shown is refused by name. */
#include "scratch.h"
#include "xml.h"
#include "core/picture.h"
#include "report/figure.h"
#include "report/canvas.h"
#include "report/pictures.h"

#include <recon/core/array.h>

/* Breaks XML, is not UTF-8, and is longer than any figure has room for. */
#define HOSTILE                                                                                    \
    "<b>&\"\x01\xff and a name that is much too long to be shown whole beside, below or above "    \
    "anything that any of the figures shows, however wide it may be on whatever paper"

enum { N = 200, SIDE = 7, CLASSES = 3 };

/* Data of every kind, made once from a fixed seed. */
typedef struct {
    float grey[SIDE * SIDE], colour[SIDE * 4 * 3];
    double angles[N], rotated[N], x[5], y[5], low[5], high[5], zero_first[5];
    uint64_t counts[CLASSES * CLASSES];
    uint8_t marks[4], label[N];
    recon_roc_point roc[N + 1];
    size_t roc_count;
    recon_picture pictures[4];
    recon_so2_density density;
    recon_so2_mode modes[2];
} material;

static material m;
static const char *const names[] = { "one", HOSTILE, "3" };

static void make_curve(recon_ctx *ctx, recon_rng *rng)
{
    double score[N];
    for (int i = 0; i < N; i++) {
        m.label[i] = i % 2;
        score[i] = recon_rng_normal(rng) + m.label[i];
    }
    CHECK_OK(ctx, recon_roc_curve(ctx, m.roc, &m.roc_count, score, m.label, N));
}

static void make_material(recon_ctx *ctx)
{
    recon_rng rng = recon_rng_new(4, 0);
    for (int i = 0; i < SIDE * SIDE; i++)
        m.grey[i] = (float)(1.4 * recon_rng_uniform(&rng) - 0.2); /* also beyond 0 .. 1 */
    for (int i = 0; i < SIDE * 4 * 3; i++)
        m.colour[i] = (float)recon_rng_uniform(&rng);
    for (int i = 0; i < N; i++) {
        m.angles[i] = recon_rng_normal(&rng);
        m.rotated[i] = m.angles[i] + 30;
    }
    for (int i = 0; i < 5; i++) {
        m.x[i] = 5 * pow(2, i);
        m.y[i] = 3 + recon_rng_uniform(&rng);
        m.low[i] = m.y[i] - 1;
        m.high[i] = m.y[i] + 1;
        m.zero_first[i] = i;
    }
    for (int i = 0; i < CLASSES * CLASSES; i++)
        m.counts[i] = i % 4 == 0 ? 90000 : (uint64_t)i;
    m.marks[0] = RECON_MARK_HIT;
    m.marks[1] = m.marks[3] = RECON_MARK_MISS;
    m.pictures[0] = (recon_picture){ m.grey, SIDE, SIDE, 1, HOSTILE };
    m.pictures[1] = (recon_picture){ m.colour, SIDE, 4, 3, NULL };
    m.pictures[2] = (recon_picture){ NULL, 0, 0, 0, NULL };
    m.pictures[3] = m.pictures[0];
    m.density = (recon_so2_density){ .family = RECON_SO2_VONMISES, .width = 3, .background = 0.1 };
    m.modes[0] = (recon_so2_mode){ 0, 0.7 };
    m.modes[1] = (recon_so2_mode){ M_PI, 0.3 };
    make_curve(ctx, &rng);
}

typedef recon_status maker(recon_ctx *ctx, char **out);

static recon_status gallery(recon_ctx *ctx, char **out)
{
    return recon_figure_gallery(ctx, out,
                                &(recon_gallery){ .title = HOSTILE,
                                                  .pictures = m.pictures,
                                                  .rows = 2,
                                                  .columns = 2,
                                                  .headings = names,
                                                  .names = names,
                                                  .blocks = 2 });
}

static recon_status roses(recon_ctx *ctx, char **out)
{
    recon_rose r[] = { { .name = names[1], .angles = m.rotated, .count = N },
                       { .name = names[2],
                         .angles = m.angles,
                         .count = N,
                         .density = &m.density,
                         .modes = m.modes,
                         .mode_count = 2,
                         .from = -1,
                         .to = 1 },
                       { .density = &m.density },
                       { .name = "empty" } };
    return recon_figure_roses(ctx, out,
                              &(recon_roses){ .title = HOSTILE,
                                              .roses = r,
                                              .rows = 2,
                                              .columns = 2,
                                              .headings = names,
                                              .names = names,
                                              .pictures = m.pictures,
                                              .picture_rows = 2 });
}

static recon_status theta(recon_ctx *ctx, char **out)
{
    recon_theta_class c[] = { { names[0], 1, 1.1, 0.9, 1.2 },
                              { names[1], 1, 0.8, 0, 0 },
                              { NULL, 0, 0.1, 0, 0.2 },
                              { names[2], 0, 0, 0, 0 } };
    return recon_figure_theta(ctx, out,
                              &(recon_theta_plot){ .title = HOSTILE, .classes = c, .count = 4 });
}

static recon_status roc(recon_ctx *ctx, char **out)
{
    recon_roc_line lines[] = { { names[1], m.roc, m.roc_count }, { NULL, m.roc, m.roc_count } };
    return recon_figure_roc(ctx, out, &(recon_roc_plot){ .lines = lines, .count = 2 });
}

static recon_status neighbors(recon_ctx *ctx, char **out)
{
    return recon_figure_gallery(
        ctx, out,
        &(recon_gallery){
            .title = HOSTILE, .pictures = m.pictures, .rows = 2, .columns = 2, .marks = m.marks });
}

static recon_status lines(recon_ctx *ctx, char **out)
{
    recon_series s[] = { { names[0], m.x, m.y, m.low, m.high, 5, 0, 0, 0, 0 },
                         { names[1], m.x, m.zero_first, NULL, NULL, 5, 1, 0, 0, 0 } };
    recon_panel p[] = { { .heading = HOSTILE,
                          .x_label = names[1],
                          .y_label = HOSTILE,
                          .series = s,
                          .count = 2,
                          .log_x = 1 },
                        { .series = s, .count = 2, .log_y = 1 } };
    return recon_figure_chart(ctx, out, &(recon_chart){ .panels = p, .count = 2 });
}

static recon_status confusion(recon_ctx *ctx, char **out)
{
    return recon_figure_confusion(
        ctx, out,
        &(recon_confusion){
            .title = HOSTILE, .counts = m.counts, .names = names, .classes = CLASSES });
}

static recon_status pose(recon_ctx *ctx, char **out)
{
    return recon_figure_pose(ctx, out,
                             &(recon_pose_plot){ .input = m.pictures[0],
                                                 .canonical = m.pictures[1],
                                                 .density = &m.density,
                                                 .pose = 0.5,
                                                 .candidates = m.modes,
                                                 .candidate_count = 2,
                                                 .fold = 2,
                                                 .score = 1.25 });
}

static maker *const makers[] = { gallery, roses, theta, roc, neighbors, lines, confusion, pose };
enum { FIGURES = sizeof makers / sizeof *makers };

static char *make(recon_ctx *ctx, maker *figure)
{
    char *out;
    CHECK_OK(ctx, figure(ctx, &out));
    return out;
}

static void figures_are_well_formed_and_inside_their_paper(void **state)
{
    for (int i = 0; i < FIGURES; i++) {
        char *out = make(*state, makers[i]);
        xml_check_inside(out);
        assert_true(xml_count(out, "title", NULL) >= 1);
        assert_int_equal(xml_count(out, "desc", NULL), 1);
        assert_int_equal(xml_count(out, "script", NULL), 0);
        assert_null(strstr(out, "nan"));
        assert_null(strstr(out, "inf\""));
        free(out);
    }
}

/* Where a text begins and ends, by the measure the figures are laid out with. */
static void check_text(void *arg, const xml_tag *tag)
{
    xml_box *box = arg;
    if (strcmp(tag->name, "svg") == 0)
        xml_check_place(box, tag);
    if (strcmp(tag->name, "text") != 0)
        return;
    char shown[256] = "", *to = shown;
    for (const char *at = tag->end + 1; *at != '<'; at = xml_character(at))
        *to++ = *at == '&' ? 'n' : *at;
    const char *cls = xml_attribute(tag, "class");
    const char *quote = cls ? strchr(cls, '"') : NULL;
    char known[64] = "";
    if (cls)
        snprintf(known, sizeof known, "%.*s", (int)(quote - cls), cls);
    double size = strstr(known, "title") ? 14 : strstr(known, "small") ? 9.5 : 11;
    double width = recon_text_width(shown, size), x = xml_number(tag, "x");
    double y = xml_number(tag, "y"),
           share = strstr(known, "mid") ? 0.5 : strstr(known, "end") != NULL;
    if (xml_attribute(tag, "transform")) {
        xml_inside(box, tag, x, y + share * width);
        xml_inside(box, tag, x, y - (1 - share) * width);
    } else {
        xml_inside(box, tag, x - share * width, y);
        xml_inside(box, tag, x + (1 - share) * width, y);
    }
}

static void no_text_runs_over_the_edge(void **state)
{
    for (int i = 0; i < FIGURES; i++) {
        char *out = make(*state, makers[i]);
        xml_box box = { 0, 0 };
        xml_walk(out, check_text, &box);
        free(out);
    }
}

static void figures_repeat(void **state)
{
    for (int i = 0; i < FIGURES; i++) {
        char *once = make(*state, makers[i]), *again = make(*state, makers[i]);
        assert_string_equal(once, again);
        free(once);
        free(again);
    }
}

static void the_locale_changes_no_figure(void **state)
{
    char *before[FIGURES];
    for (int i = 0; i < FIGURES; i++)
        before[i] = make(*state, makers[i]);
    const char *comma = comma_locale();
    for (int i = 0; i < FIGURES; i++) {
        char *after = make(*state, makers[i]);
        assert_string_equal(before[i], after);
        free(before[i]);
        free(after);
    }
    setlocale(LC_NUMERIC, "C");
    if (!comma)
        skip();
}

static recon_status make_and_free(recon_ctx *ctx, maker *figure)
{
    char *out;
    recon_status status = figure(ctx, &out);
    assert_true((status == RECON_OK) == (out != NULL));
    free(out);
    return status;
}

static void memory_may_run_out_anywhere(void **state)
{
    for (int i = 0; i < FIGURES; i++)
        CHECK_ALLOCATIONS(*state, make_and_free(*state, makers[i]));
}

/* What a picture embeds is the picture, each pixel magnified alike. */
static void check_embedded(recon_ctx *ctx, const char *text, const recon_picture *p)
{
    unsigned char bytes[8192];
    recon_pixels got;
    size_t size = xml_base64(bytes, text);
    CHECK_OK(ctx, recon_picture_whole(ctx, &got, recon_png_scan, bytes, size, "embedded"));
    size_t times = got.width / p->width;
    assert_int_equal(got.channels, p->channels);
    assert_int_equal(got.width, times * p->width);
    assert_int_equal(got.height, times * p->height);
    for (size_t y = 0; y < got.height; y++)
        for (size_t x = 0; x < got.width; x++)
            for (size_t c = 0; c < got.channels; c++) {
                float v = p->pixels[(y / times * p->width + x / times) * p->channels + c];
                double want = 255 * fmin(fmax(v, 0), 1);
                CHECK_NEAR(got.bytes[(y * got.width + x) * got.channels + c], want, 0.51);
            }
    free(got.bytes);
}

static void a_gallery_shows_its_pictures(void **state)
{
    char *out;
    CHECK_OK(*state, gallery(*state, &out));
    assert_int_equal(xml_count(out, "image", "pixels"), 3); /* one of four is empty */
    const char *at = strstr(out, "<image");
    check_embedded(*state, at, &m.pictures[0]);
    at = strstr(at + 1, "<image");
    check_embedded(*state, at, &m.pictures[1]);
    free(out);
}

static void a_roc_legend_has_the_area(void **state)
{
    double score[N], area;
    recon_svg_digits digits;
    recon_rng rng = recon_rng_new(9, 0);
    recon_roc_point points[N + 1];
    recon_roc_line line = { "scores", points, 0 };
    for (int i = 0; i < N; i++)
        score[i] = floor(4 * (recon_rng_normal(&rng) + m.label[i])); /* with ties */
    CHECK_OK(*state, recon_roc_curve(*state, points, &line.count, score, m.label, N));
    CHECK_OK(*state, recon_roc_auc(*state, &area, score, m.label, N));
    char *out;
    CHECK_OK(*state,
             recon_figure_roc(*state, &out, &(recon_roc_plot){ .lines = &line, .count = 1 }));
    char want[64];
    snprintf(want, sizeof want, ">scores, area %s</text>", recon_svg_number(digits, area, 3));
    assert_non_null(strstr(out, want));
    free(out);
}

static void every_point_is_drawn_but_those_a_logarithm_has_not(void **state)
{
    char *out = make(*state, lines);
    assert_int_equal(xml_count(out, "circle", "c1 dot"), 10);
    assert_int_equal(xml_count(out, "circle", "c2 dot"), 9); /* a zero on the second panel */
    assert_int_equal(xml_count(out, "path", "c2 line dashed"), 2);
    free(out);
}

typedef struct {
    double dot[4][2], truth[4][3]; /* x and y; left, right and y */
    size_t dots, truths;
} theta_places;

static void note_theta(void *arg, const xml_tag *tag)
{
    theta_places *p = arg;
    const char *class = xml_attribute(tag, "class");
    if (class && !strcmp(tag->name, "circle") && !strncmp(class, "c1 dot\"", 7)) {
        p->dot[p->dots][0] = xml_number(tag, "cx");
        p->dot[p->dots++][1] = xml_number(tag, "cy");
    } else if (class && !strcmp(tag->name, "line") && !strncmp(class, "c2 line\"", 8) &&
               p->truths < 4) { /* the legend's comes last */
        p->truth[p->truths][0] = xml_number(tag, "x1");
        p->truth[p->truths][1] = xml_number(tag, "x2");
        p->truth[p->truths++][2] = xml_number(tag, "y1");
    }
}

/* Whatever their true widths: equal ones push nobody aside, and heights alone are read. */
static void each_class_has_its_own_column_of_widths(void **state)
{
    theta_places p = { .dots = 0 };
    char *out = make(*state, theta);
    xml_walk(out, note_theta, &p);
    assert_int_equal(p.dots, 4);
    assert_int_equal(p.truths, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(p.truth[i][0] < p.dot[i][0] && p.dot[i][0] < p.truth[i][1]);
        CHECK_NEAR(p.dot[i][0] - p.dot[0][0], i * (p.dot[1][0] - p.dot[0][0]), 0.05);
        CHECK_NEAR(p.dot[i][0], (p.truth[i][0] + p.truth[i][1]) / 2, 0.05);
    }
    double unit = p.truth[2][2] - p.truth[0][2]; /* from a width of 0 to one of 1 */
    const double predicted[] = { 1.1, 0.8, 0.1, 0 };
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(p.dot[i][1], p.truth[2][2] - predicted[i] * unit, 0.05);
    free(out);
}

static void no_width_is_shown_below_zero(void **state)
{
    recon_ctx *ctx = *state;
    const recon_theta_class wide = { "a", 0.5, 0.1, -2, 0.4 };
    char *svg = NULL;
    CHECK_OK(ctx,
             recon_figure_theta(ctx, &svg, &(recon_theta_plot){ .classes = &wide, .count = 1 }));
    assert_null(strstr(svg, "\xe2\x88\x92"));
    free(svg);
}

static void hits_and_misses_are_framed(void **state)
{
    char *out = make(*state, neighbors);
    assert_int_equal(xml_count(out, "rect", "c3 frame"), 1);
    assert_int_equal(xml_count(out, "rect", "c2 frame"), 2);
    assert_non_null(strstr(out, ". 1 of 3 neighbours are of the input's class."));
    free(out);
    out = make(*state, gallery);
    assert_int_equal(xml_count(out, "rect", "c3 frame") + xml_count(out, "rect", "c2 frame"), 0);
    free(out);
}

/* Keys that do not fit beside the others go below them, and the legend is as high as its rows. */
static void a_legend_breaks_where_it_is_full(void **state)
{
    const recon_key keys[] = { { RECON_KEY_AREA, "c1", "one of three" },
                               { RECON_KEY_AREA, "c2", "two of three" },
                               { RECON_KEY_AREA, "c3", "three of three" } };
    const double width = recon_text_width("one of three", 11);
    (void)state;
    CHECK_NEAR(recon_legend_height(keys, 3, 20 * width), recon_legend_height(keys, 1, 20 * width),
               0);
    for (size_t n = 1; n <= 3; n++)
        CHECK_NEAR(recon_legend_height(keys, n, 1.5 * width),
                   (double)n * recon_legend_height(keys, 1, width), 1e-9);
}

static void a_pose_is_drawn_with_or_without_its_canonical_image(void **state)
{
    char *out = make(*state, pose);
    assert_int_equal(xml_count(out, "image", "pixels"), 2);
    assert_non_null(strstr(out, ">natural pose<"));
    free(out);
    CHECK_OK(*state, recon_figure_pose(
                         *state, &out,
                         &(recon_pose_plot){ .input = m.pictures[0], .density = &m.density }));
    assert_int_equal(xml_count(out, "image", "pixels"), 1);
    assert_null(strstr(out, ">natural pose<"));
    free(out);
}

/* The height that the figure's root says. */
static double height_of(const char *svg)
{
    const char *at = strstr(svg, "height=\"");
    assert_non_null(at);
    return strtod(at + 8, NULL);
}

static void captions_have_room_on_either_side(void **state)
{
    recon_picture said = { m.grey, SIDE, SIDE, 1, "a" }, plain = { m.grey, SIDE, SIDE, 1, NULL };
    double height[4];
    for (int k = 0; k < 4; k++) {
        const recon_picture pair[] = { k & 1 ? said : plain, k & 2 ? said : plain };
        char *out;
        CHECK_OK(*state,
                 recon_figure_gallery(
                     *state, &out, &(recon_gallery){ .pictures = pair, .rows = 1, .columns = 2 }));
        height[k] = height_of(out);
        free(out);
    }
    assert_true(height[1] > height[0]);
    assert_true(height[2] == height[1] && height[3] == height[1]);
}

static void circles_have_what_they_were_given(void **state)
{
    char *out = make(*state, roses);
    assert_int_equal(xml_count(out, "path", "c1 area"), 2);
    assert_int_equal(xml_count(out, "path", "c2 line"), 2);
    assert_int_equal(xml_count(out, "path", "c3 wide"), 1);
    assert_int_equal(xml_count(out, "circle", "c2 dot"), 3); /* two modes and their key */
    assert_int_equal(xml_count(out, "image", "pixels"), 3);  /* one of four is empty */
    free(out);
}

static void tables_say_what_was_measured(void **state)
{
    char *out = make(*state, theta);
    assert_non_null(strstr(out, ">57.3\xc2\xb0<")); /* one radian */
    assert_non_null(strstr(out, ">5.7\xc2\xb0<"));  /* the mean error: 0.4 / 4 radians */
    free(out);
    out = make(*state, confusion);
    assert_non_null(strstr(out, ">90k<"));
    assert_non_null(strstr(out, ">100.0%<"));
    free(out);
    out = make(*state, pose);
    assert_non_null(strstr(out, "modulo 180\xc2\xb0"));
    assert_non_null(strstr(out, ">28.6\xc2\xb0<"));
    assert_non_null(strstr(out, ">1.25<"));
    assert_non_null(strstr(out, ">70%<"));
    free(out);
}

#define REFUSED(figure, text, ...)                                                                 \
    do {                                                                                           \
        char *out_ = (char *)1;                                                                    \
        CHECK_FAILS(*state, figure(*state, &out_, &__VA_ARGS__), RECON_ERR_INPUT, text);           \
        assert_null(out_);                                                                         \
    } while (0)

static void numbers_that_are_none_are_named(void **state)
{
    double bad[] = { 1, 2, NAN }, huge[] = { 1, 1e10, 3 }, good[] = { 1, 2, 3 };
    float pixels[] = { 0, INFINITY, 1, 0 };
    recon_picture picture = { pixels, 2, 2, 1, NULL }, odd = { pixels, 2, 1, 0, NULL };
    recon_roc_point out_of_range[] = { { 0, 0, 0 }, { 1, 1.5, 0 } };
    recon_series series = { "s", good, bad, NULL, NULL, 3, 0, 0, 0, 0 }, late = series;
    late.y = huge;
    REFUSED(recon_figure_gallery, "picture 0: pixel 1 is inf",
            (recon_gallery){ .pictures = &picture, .rows = 1, .columns = 1 });
    REFUSED(recon_figure_gallery, "picture 0 is 2 x 1 x 0",
            (recon_gallery){ .pictures = &odd, .rows = 1, .columns = 1 });
    REFUSED(recon_figure_roses, "angle 2 is nan (circle 0)",
            (recon_roses){
                .roses = &(recon_rose){ .angles = bad, .count = 3 }, .rows = 1, .columns = 1 });
    REFUSED(recon_figure_theta, "theta: value 1 is nan (class 0)",
            (recon_theta_plot){ .classes = &(recon_theta_class){ "a", 1, NAN, 0, 0 }, .count = 1 });
    REFUSED(recon_figure_theta, "theta: a width of -0.1: 0 at least (class 0)",
            (recon_theta_plot){ .classes = &(recon_theta_class){ "a", 1, -0.1, -0.1, -0.1 },
                                .count = 1 });
    REFUSED(recon_figure_roc, "curve 0: point 1 is (1, 1.5)",
            (recon_roc_plot){ .lines = &(recon_roc_line){ "a", out_of_range, 2 }, .count = 1 });
    REFUSED(recon_figure_chart, "chart: y 2 is nan (series 0)",
            (recon_chart){ .panels = &(recon_panel){ .series = &series, .count = 1 }, .count = 1 });
    REFUSED(recon_figure_chart, "chart: y 1 is 1e+10",
            (recon_chart){ .panels = &(recon_panel){ .series = &late, .count = 1 }, .count = 1 });
    REFUSED(recon_figure_pose, "pose 0 is nan",
            (recon_pose_plot){ .density = &m.density, .pose = NAN });
    REFUSED(recon_figure_pose, "weight 0 is 2",
            (recon_pose_plot){ .density = &m.density,
                               .candidates = &(recon_so2_mode){ 0, 2 },
                               .candidate_count = 1 });
}

static void a_logarithmic_axis_needs_positive_numbers(void **state)
{
    recon_series s = { "s", m.zero_first, m.y, NULL, NULL, 5, 0, 0, 0, 0 };
    REFUSED(recon_figure_chart, "x 0 is 0, not for a logarithmic axis",
            (recon_chart){ .panels = &(recon_panel){ .series = &s, .count = 1, .log_x = 1 },
                           .count = 1 });
}

static void nothing_to_show_is_refused(void **state)
{
    uint64_t zeros[4] = { 0 };
    recon_rose empty = { .name = "empty" };
    REFUSED(recon_figure_gallery, "0 x 0", (recon_gallery){ .rows = 0 });
    REFUSED(recon_figure_roses, "no circle", (recon_roses){ .rows = 0 });
    REFUSED(recon_figure_roses, "no circle",
            (recon_roses){ .roses = &empty, .rows = 1, .columns = 1 });
    REFUSED(recon_figure_theta, "no classes", (recon_theta_plot){ .count = 0 });
    REFUSED(recon_figure_roc, "0 curves", (recon_roc_plot){ .count = 0 });
    REFUSED(recon_figure_roc, "curve 0 has 1 points",
            (recon_roc_plot){ .lines = &(recon_roc_line){ "a", m.roc, 1 }, .count = 1 });
    REFUSED(recon_figure_chart, "0 panels", (recon_chart){ .count = 0 });
    REFUSED(recon_figure_chart, "0 series",
            (recon_chart){ .panels = &(recon_panel){ .count = 0 }, .count = 1 });
    REFUSED(recon_figure_confusion, "0 classes", (recon_confusion){ .classes = 0 });
    REFUSED(recon_figure_confusion, "all counts are zero",
            (recon_confusion){ .counts = zeros, .classes = 2 });
    REFUSED(recon_figure_pose, "no density", (recon_pose_plot){ .pose = 0 });
}

static void one_of_everything_is_enough(void **state)
{
    double one = 1;
    char *out;
    recon_series s = { NULL, &one, &one, NULL, NULL, 1, 0, 0, 0, 0 };
    CHECK_OK(*state,
             recon_figure_chart(
                 *state, &out,
                 &(recon_chart){
                     .panels = &(recon_panel){ .series = &s, .count = 1, .log_x = 1, .log_y = 1 },
                     .count = 1 }));
    xml_check_inside(out);
    free(out);
    CHECK_OK(*state, recon_figure_roses(
                         *state, &out,
                         &(recon_roses){ .roses = &(recon_rose){ .angles = &one, .count = 1 },
                                         .rows = 1,
                                         .columns = 1,
                                         .bins = 1 }));
    xml_check_inside(out);
    free(out);
    CHECK_OK(*state, recon_figure_confusion(
                         *state, &out,
                         &(recon_confusion){ .counts = &(uint64_t){ UINT64_MAX }, .classes = 1 }));
    xml_check_inside(out);
    assert_non_null(strstr(out, ">18E<"));
    free(out);
}

static int setup(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    make_material(*state);
    return 0;
}

/* Pictures are as large as their images, as far as more is seen. */
static void small_images_keep_their_size(void **state)
{
    static const size_t size[][4] = {
        { 5, 9, 5, 9 }, { 64, 64, 64, 64 }, { 65, 9, 64, 64 }, { 9, 65, 64, 64 }
    };
    static float x[2 * 65 * 65];
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        char spec[600];
        recon_dataset *d;
        recon_pictures p;
        recon_array a = {
            .dtype = RECON_F32, .ndim = 3, .shape = { 2, size[i][0], size[i][1] }, .data = x
        };
        CHECK_OK(*state, recon_npy_write(*state, scratch("x.npy"), &a));
        snprintf(spec, sizeof spec, "npy:%s", scratch("x.npy"));
        CHECK_OK(*state, recon_dataset_open(*state, &d, spec));
        CHECK_OK(*state, recon_pictures_new(*state, &p, d, 1));
        assert_int_equal(p.picture->height, size[i][2]);
        assert_int_equal(p.picture->width, size[i][3]);
        recon_pictures_free(&p);
        recon_dataset_close(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_well_formed_and_inside_their_paper),
        cmocka_unit_test(no_text_runs_over_the_edge),
        cmocka_unit_test(figures_repeat),
        cmocka_unit_test(the_locale_changes_no_figure),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(a_gallery_shows_its_pictures),
        cmocka_unit_test(a_roc_legend_has_the_area),
        cmocka_unit_test(every_point_is_drawn_but_those_a_logarithm_has_not),
        cmocka_unit_test(each_class_has_its_own_column_of_widths),
        cmocka_unit_test(no_width_is_shown_below_zero),
        cmocka_unit_test(hits_and_misses_are_framed),
        cmocka_unit_test(a_legend_breaks_where_it_is_full),
        cmocka_unit_test(a_pose_is_drawn_with_or_without_its_canonical_image),
        cmocka_unit_test(captions_have_room_on_either_side),
        cmocka_unit_test(circles_have_what_they_were_given),
        cmocka_unit_test(tables_say_what_was_measured),
        cmocka_unit_test(numbers_that_are_none_are_named),
        cmocka_unit_test(a_logarithmic_axis_needs_positive_numbers),
        cmocka_unit_test(nothing_to_show_is_refused),
        cmocka_unit_test(one_of_everything_is_enough),
        cmocka_unit_test(small_images_keep_their_size),
    };
    return cmocka_run_group_tests(tests, setup, scratch_teardown);
}
