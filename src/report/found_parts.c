/* found_parts.c - what the reports of images, molecules and plain poses have in common. */
#include "report/found.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/memory.h"
#include "stats/quantile.h"

#include <math.h>
#include "core/picture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- words ------------------------------------------------------------------------------------ */

const char *recon_found_count(recon_found_words out, size_t n)
{
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%zu", n), used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
    return out;
}

const char *recon_found_share(recon_found_words out, double share)
{
    recon_svg_digits digits;
    if (isnan(share))
        return strcpy(out, "not known");
    if (share <= 0)
        return strcpy(out, "none");
    if (share < 0.001)
        return strcpy(out, "under 0.1 %");
    snprintf(out, sizeof(recon_found_words), "%s %%",
             recon_svg_number(digits, 100 * share, share < 0.0995 ? 1 : 0));
    return out;
}

double recon_found_median(double *values, size_t n)
{
    recon_sort_doubles(values, n);
    return n ? recon_quantile(values, n, 0.5) : NAN;
}

double recon_found_degrees(const recon_found_folder *f, size_t row)
{
    const recon_group *group = f->group;
    return rint(RECON_TO_DEGREES * group->length(group, f->absolute + row * group->numbers));
}

int recon_found_draws(recon_ctx *ctx, recon_page *page)
{
    const uint8_t pixel = 0;
    uint8_t *png = NULL;
    size_t size;
    recon_status status = recon_png_encode(ctx, &png, &size, &pixel, 1, 1, 1);
    free(png);
    if (status == RECON_ERR_UNSUPPORTED)
        recon_page_warning(page, "Pictures are left out: this recon was built without libpng.");
    return status != RECON_ERR_UNSUPPORTED;
}

/* --- how numbers spread ----------------------------------------------------------------------- */

recon_status recon_found_show_spread(recon_ctx *ctx, recon_page *page, const recon_found_spread *s)
{
    static const char *const columns[] = { "share of them", "at most" };
    static const double shares[] = { 0.05, 0.25, 0.5, 0.75, 0.95, 1 };
    double *sorted = NULL;
    char *svg = NULL, caption[300];
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &sorted, s->n, sizeof *sorted));
    memcpy(sorted, s->values, s->n * sizeof *sorted);
    recon_sort_doubles(sorted, s->n);
    RECON_TRY(recon_figure_histogram(ctx, &svg,
                                     &(recon_histogram_plot){ .x_label = s->x_label,
                                                              .values = sorted,
                                                              .count = s->n,
                                                              .from = s->from,
                                                              .to = s->to,
                                                              .marks = s->marks,
                                                              .mark_count = s->mark_count }));
    recon_page_figure(page, svg,
                      recon_spell(caption, sizeof caption, s->caption, RECON_SPELLING_COMMAND));
    recon_page_table(page, s->x_label, columns, 2);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        recon_page_cell(page, "%.0f %%", 100 * shares[i]);
        recon_page_cell(page, "%.2f", recon_quantile(sorted, s->n, shares[i]));
    }
done:
    free(sorted);
    return status;
}

/* --- warnings --------------------------------------------------------------------------------- */

/* The share of rows of whose neighbours' poses more than that do not belong. */
static double share_suspect(const recon_found_folder *f)
{
    size_t count = 0;
    for (size_t i = 0; f->background && i < f->rows; i++)
        count += f->background[i] > RECON_BACKGROUND_MUCH;
    return (double)count / (double)f->rows;
}

const char *recon_found_class_option(const recon_found_folder *f)
{
    return f->k ? "k" : "eps";
}

int recon_found_warn(recon_page *page, const recon_found_folder *f)
{
    double suspect = share_suspect(f), singles = recon_found_maybe(f, "single_classes");
    recon_found_words words;
    int said = 0;
    if (suspect > 0.2 && ++said)
        recon_page_say(
            page,
            "In %s of the neighbourhoods more than %.0f %% of the poses fit no distribution: "
            "their neighbours are not all of one kind, their estimated poses are wrong, or they "
            "are symmetric under rotations. For the first two a smaller {%s}, more data or more "
            "training may help.",
            recon_found_share(words, suspect), 100 * RECON_BACKGROUND_MUCH,
            recon_found_class_option(f));
    if (f->rows < 200 && ++said)
        recon_page_say(page, "There are only %zu of them, so fractions and widths are uncertain.",
                       f->rows);
    if (f->k * 10 > f->points && ++said)
        recon_page_say(page,
                       "%zu neighbours are a large part of %zu points: unless all are of one "
                       "kind, they include other kinds. Use a smaller {k}.",
                       f->k, f->points);
    if (singles > 0 && ++said)
        recon_page_say(page,
                       "%s, whose natural pose is simply its own pose and therefore meaningless.",
                       recon_count((recon_count_text){ 0 }, (size_t)singles,
                                   "class is a single point", "classes are single points"));
    return said;
}

int recon_found_warn_of_none(recon_page *page, const recon_found_folder *f, const char *many)
{
    double none = recon_found_natural(f, RECON_NATURAL_NONE);
    double unsure = recon_found_natural(f, RECON_NATURAL_UNSURE);
    recon_found_words words;
    int said = 0;
    if (none > RECON_NATURAL_FEW && ++said)
        recon_page_say(page,
                       "%s of the %s have no natural pose: their neighbours show that such %s "
                       "occur in all orientations, so canonicalizing them may be meaningless.",
                       recon_found_share(words, none), many, many);
    if (unsure > RECON_NATURAL_FEW && ++said)
        recon_page_say(page,
                       "For %s of the %s it is not clear whether they have a natural pose: "
                       "their neighbours are too few, or fit no simple distribution. A larger "
                       "{%s} or more data may help.",
                       recon_found_share(words, unsure), many, recon_found_class_option(f));
    return said;
}

void recon_found_say_checked(recon_page *page, const char *others)
{
    recon_page_say(page,
                   "No warnings. These were checked: many inputs without a natural pose, many "
                   "poses that fit no distribution, too small a data set, too many neighbours for "
                   "it, classes of one point, %s. This is no proof: look at the pictures and the "
                   "worst cases.",
                   others);
}

/* --- settings --------------------------------------------------------------------------------- */

/* What a key of the summary is called; itself where it says enough. */
static const char *setting(const char *key)
{
    static const char *const words[][2] = {
        { "version", "version of recon" },
        { "group", "group of the poses" },
        { "identity", "identity of the inputs" },
        { "points", "points that neighbours are taken from" },
        { "dimensions", "dimensions of an embedding" },
        { "rows", "points that were evaluated" },
        { "classes", "what a class is (knn: the nearest neighbours)" },
        { "class_count", "number of classes" },
        { "k", "neighbours of a point ({k})" },
        { "eps", "distance that links points ({eps})" },
        { "include_self", "a point is among its own neighbours" },
        { "metric", "similarity of embeddings" },
        { "mean", "centre of poses" },
        { "tukey_c_deg", "Tukey's c (degrees)" },
        { "family", "family of a class's poses" },
        { "theta", "family whose width Theta is" },
        { "lambda", "where the natural pose comes from" },
        { "recall", "true neighbours found (1: all)" },
        { "hit_rate", "share of neighbours with the label" },
        { "single_classes", "classes of one point" },
        { "rows_outside", "points in no class" },
        { "concentration", "concentration (median)" },
        { "background", "share of poses that fit no distribution (median)" },
        { "molecule_count", "molecules" },
        { "symmetric_count", "molecules that are symmetric under rotations" },
        { "half", "weights stored as bfloat16" },
        { "backend", "computed by" },
        { "spec", "data ({data})" },
        { "rotate", "rotated on purpose by ({rotate})" },
        { "rotate_seed", "seed of these rotations" },
        { "limit", "number used ({limit})" },
        { "size", "size of images ({size})" },
        { "skip_bad", "unreadable inputs skipped ({skip_bad})" },
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(key, words[i][0]))
            return words[i][1];
    return key;
}

static void show_value(recon_page *page, const char *key, const json_t *value)
{
    char words[100];
    recon_page_cell(page, "%s",
                    recon_spell(words, sizeof words, setting(key), RECON_SPELLING_COMMAND));
    if (json_is_string(value))
        recon_page_cell(page, "%s", json_string_value(value));
    else if (json_is_boolean(value))
        recon_page_cell(page, "%s", json_is_true(value) ? "yes" : "no");
    else if (json_is_integer(value))
        recon_page_cell(page, "%lld", (long long)json_integer_value(value));
    else
        recon_page_cell(page, "%.4g", json_real_value(value));
}

/* Strings, numbers and truths of an object; lists and objects have their own place. */
static void show_object(recon_page *page, const char *caption, json_t *object)
{
    static const char *const columns[] = { "setting", "value" };
    const char *key;
    json_t *value;
    if (!json_object_size(object))
        return;
    recon_page_table(page, caption, columns, 2);
    json_object_foreach(object, key, value) if (!json_is_object(value) && !json_is_array(value) &&
                                                !json_is_null(value)) show_value(page, key, value);
}

static void show_seconds(recon_page *page, json_t *seconds)
{
    static const char *const columns[] = { "step", "seconds" };
    const char *key;
    json_t *value;
    if (!json_object_size(seconds))
        return;
    recon_page_table(page, "Time", columns, 2);
    json_object_foreach(seconds, key, value)
    {
        recon_page_cell(page, "%s", key);
        recon_page_cell(page, "%.2f", json_number_value(value));
    }
}

void recon_found_show_settings(recon_page *page, const recon_found_folder *f)
{
    recon_page_section(page, "Settings and timings");
    show_object(page, "Settings", f->summary);
    show_object(page, "The data", json_object_get(f->summary, "source"));
    show_seconds(page, json_object_get(f->summary, "seconds"));
}
