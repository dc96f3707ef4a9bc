/* How often each verdict is given for each law, k by k: a thousand sets each. Writes the tables and
 * figures of docs/notebook/verdicts.md (VERDICTS names another file) and holds them against what is
 * promised.
 */
#include "group/verdicts.h"

#include "core/svg.h"
#include <stdio.h>
#include <string.h>

enum { SETS = 1000 };

static const char head[] =
    "# How often each verdict is given\n"
    "\n"
    "Operating characteristics of the verdicts of [SO(2)](statistics-so2.md#the-verdict) "
    "and\n"
    "[SO(3)](statistics-so3.md#the-verdict): percentages of 1,000 simulated "
    "classes for each\n"
    "distribution and number of poses k. `make check-slow` regenerates this page and fails if"
    " a stated error rate\n"
    "is exceeded. The last columns are the error of Gamma in degrees, from the nearest true "
    "mode, in classes with\n"
    "the verdict one, several or modulo: the median, and the 90th percentile.\n"
    "\n"
    "## How to choose k\n"
    "\n"
    "| expected poses of a class | k | why |\n"
    "| --- | --- | --- |\n"
    "| one pose, within +-60 degrees or a sigma of 32 | 10 | 92 % or more are classified as "
    "one, and at most 1.1 % as several |\n"
    "| one broad pose (+-90, sigma 64), or outliers | 25 to 50 | with 10 poses, 40 to 70 % "
    "are \"cannot tell\" |\n"
    "| two poses, opposite or 90 apart, sigma up to 20 | 25 | with 10 poses, up to half are "
    "\"cannot tell\" |\n"
    "| a symmetry that should be identified | 50 | with fewer poses the verdict is several, "
    "because the modes do not yet have equal counts |\n"
    "| rotations: an axis with a free spin | 25 | with 10 poses only 40 % are recognized |\n"
    "| no natural pose | 50, rotations 25 | showing that there is none takes more poses than "
    "showing that there is one |\n"
    "\n"
    "The error of Gamma falls as 1 / sqrt(k). What limits k is the size of the classes: use "
    "the largest k at which\n"
    "nearly all neighbours are still of one kind (check the hit rate if you have labels, "
    "otherwise the background,\n"
    "the share of poses that fit no distribution). If \"cannot tell\" is frequent, k is too "
    "small. `recon discover`\n"
    "pools the poses of the neighbours' neighbours, up to 50 for images and 25 for molecules.\n";

static const char *const titles[] = { "SO(2)", "SO(3)" };

/* --- figures: a bar for each k, one below the other, law by law ---------------------------------
 */

static const struct {
    const char *name, *cls;
} legend[RECON_NATURAL_KINDS] = { { "one", "one" },    { "several", "several" },
                                  { "modulo", "mod" }, { "axis", "mod" },
                                  { "none", "none" },  { "cannot tell", "unsure" } };

static const char style[] =
    ".paper{fill:#fff}text{font:12px "
    "sans-serif;fill:#222}.k{font-size:9px;fill:#666;text-anchor:end}"
    ".name{text-anchor:end}.one{fill:#0072b2}.several{fill:#e69f00}.mod{fill:#009e73}"
    ".none{fill:#444}.unsure{fill:#ccc}";

enum { NAMES = 270, BARS = 400, BAR = 9, LAW = 3 * (BAR + 2) + 10, TOP = 40 };

/* The verdict that a group has no use for. */
static int is_foreign(int so3, int verdict)
{
    return verdict == (so3 ? RECON_NATURAL_MODULO : RECON_NATURAL_AXIS);
}

static void draw_legend(recon_svg *svg, int so3)
{
    double x = NAMES;
    for (int v = 0; v < RECON_NATURAL_KINDS; v++) {
        if (is_foreign(so3, v))
            continue;
        recon_svg_rect(svg, legend[v].cls, x, 10, 12, 12);
        recon_svg_text(svg, NULL, x + 17, 20, legend[v].name);
        x += 30 + 7.5 * (double)strlen(legend[v].name);
    }
}

static void draw_law(recon_svg *svg, const law *l, const outcome *outcomes, double y)
{
    recon_svg_text(svg, "name", NAMES - 26, y + LAW / 2 - 1, l->name);
    for (int k = 0; k < KS; k++, y += BAR + 2) {
        char number[8];
        double x = NAMES;
        snprintf(number, sizeof number, "%zu", ks[k]);
        recon_svg_text(svg, "k", NAMES - 5, y + BAR - 1, number);
        for (int v = 0; v < RECON_NATURAL_KINDS; v++) {
            double width = BARS * outcomes[k].share[v];
            recon_svg_rect(svg, legend[v].cls, x, y, width, BAR);
            x += width;
        }
    }
}

/* Beside the page, with -so2.svg or -so3.svg for its .md. */
static void draw(recon_ctx *ctx, const char *page, int so3, outcome all[LAWS][KS])
{
    char path[1024], *text = NULL;
    double rows = 0, y = TOP;
    recon_svg *svg;
    for (int i = 0; i < LAWS; i++)
        rows += laws[i].so3 == so3;
    snprintf(path, sizeof path, "%.*s-so%d.svg", (int)(strlen(page) - 3), page, so3 + 2);
    CHECK_OK(ctx, recon_svg_new(ctx, &svg, NAMES + BARS + 10, TOP + rows * LAW,
                                &(recon_svg_options){ .title = "How often each verdict is given",
                                                      .desc = "Shares of the verdicts on each law, "
                                                              "from 10, 25 and 50 poses",
                                                      .style = style }));
    recon_svg_rect(svg, "paper", 0, 0, NAMES + BARS + 10, TOP + rows * LAW);
    draw_legend(svg, so3);
    for (int i = 0; i < LAWS; i++)
        if (laws[i].so3 == so3) {
            draw_law(svg, &laws[i], all[i], y);
            y += LAW;
        }
    CHECK_OK(ctx, recon_svg_finish(svg, &text));
    CHECK_OK(ctx, recon_svg_save(ctx, path, text));
    free(text);
}

/* --- tables ----------------------------------------------------------------------------------- */

static void write_row(FILE *f, const law *l, size_t k, const outcome *o)
{
    int known = ONE | SEVERAL | MODULO;
    fprintf(f, "| %s | %zu |", l->name, k);
    for (int v = 0; v < RECON_NATURAL_KINDS; v++)
        if (!is_foreign(l->so3, v))
            fprintf(f, " %.1f |", 100 * o->share[v]);
    double median = error_quantile(o, SETS, known, 0.5), most = error_quantile(o, SETS, known, 0.9);
    if (isnan(median))
        fprintf(f, " | |\n");
    else
        fprintf(f, " %.1f | %.1f |\n", median, most);
}

static void write_head(FILE *f, int so3)
{
    fprintf(f, "\n## %s\n\n", titles[so3]);
    fprintf(
        f, "![Shares of the verdicts on each law, from 10, 25 and 50 poses](verdicts-so%d.svg)\n\n",
        so3 + 2);
    fprintf(f, "| law | k | one | several | %s | none | cannot tell | median | 90 %% |\n",
            so3 ? "axis" : "modulo");
    fprintf(f, "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
}

static void verdicts_keep_their_promises(void **state)
{
    const char *asked = getenv("VERDICTS"), *path = asked ? asked : "docs/notebook/verdicts.md";
    FILE *f = fopen(path, "w");
    outcome all[LAWS][KS];
    assert_non_null(f);
    fputs(head, f);
    for (int so3 = 0; so3 < 2; so3++) {
        write_head(f, so3);
        for (int i = 0; i < LAWS; i++)
            for (int k = 0; laws[i].so3 == so3 && k < KS; k++) {
                all[i][k] = try_law(*state, &laws[i], ks[k], SETS);
                write_row(f, &laws[i], ks[k], &all[i][k]);
            }
        draw(*state, path, so3, all);
    }
    assert_int_equal(fclose(f), 0);
    for (int i = 0; i < LAWS; i++)
        for (int k = 0; k < KS; k++) {
            check_promises(&laws[i], k, &all[i][k], SETS);
            outcome_free(&all[i][k]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(verdicts_keep_their_promises) };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
