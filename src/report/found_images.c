/* found_images.c - what `recon discover` found in images. */
#include "report/found_inputs.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/formats.h"
#include "data/dataset.h"

#include <math.h>
#include <recon/group/so2.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 40 /* rows of a table of classes */ };

/* --- a sample before the model ---------------------------------------------------------------- */

enum {
    SAMPLE = 600, /* images of 28 x 28; of larger ones fewer */
    SAMPLE_LEAST = 100,
    SAMPLE_PIXELS = 28 * 28,
    BATCH = 64
};

static size_t sample(const recon_data *data)
{
    recon_dataset_info d = recon_dataset_describe(recon_data_images(data));
    size_t most = SAMPLE * SAMPLE_PIXELS / (d.height * d.width);
    return most < SAMPLE_LEAST ? SAMPLE_LEAST : most > SAMPLE ? SAMPLE : most;
}

/* Rows first .. first + n of the sample, as they came and each rotated by an angle of its own. */
typedef struct {
    float *images, *rotated; /* [BATCH][pixels] */
    double angle[BATCH];
    recon_pose_score unusual[BATCH];
} batch;

static void read_batch(batch *b, const recon_look *l, size_t first, size_t n)
{
    const recon_dataset *data = recon_data_images(l->data);
    recon_dataset_info d = recon_dataset_describe(data);
    size_t pixels = d.height * d.width * d.channels;
    for (size_t i = 0; i < n; i++) {
        recon_rng rng = recon_rng_new(RECON_FOUND_SEED, first + i);
        b->angle[i] = recon_so2_haar(&rng);
        recon_dataset_get(b->images + i * pixels, data, l->row[first + i]);
        recon_image_rotate(b->rotated + i * pixels, b->images + i * pixels, d.height, d.width,
                           d.channels, b->angle[i], RECON_BILINEAR);
    }
}

static recon_status look_at_batch(recon_ctx *ctx, recon_look *l, batch *b, double *apart,
                                  size_t first, size_t n)
{
    recon_distribution *said = (recon_distribution *)l->said + first;
    read_batch(b, l, first, n);
    RECON_CHECK(recon_distribution_images(ctx, said, l->model, b->images, n));
    RECON_CHECK(recon_score_images(ctx, b->unusual, l->model, b->rotated, n));
    for (size_t i = 0; i < n; i++) {
        double psi = said[i].pose.psi[0], rotated = b->unusual[i].pose.psi[0];
        apart[first + i] = recon_so2_distance(psi, l->f->psi[l->row[first + i]]);
        l->trial.natural[first + i] = said[i].score;
        l->trial.rotated[first + i] = b->unusual[i].score;
        l->trial.miss[first + i] =
            RECON_TO_DEGREES * recon_so2_distance(rotated, psi + b->angle[i]);
    }
    return RECON_OK;
}

static recon_status look(recon_ctx *ctx, recon_look *l, double *apart)
{
    recon_dataset_info d = recon_dataset_describe(recon_data_images(l->data));
    size_t pixels = d.height * d.width * d.channels;
    batch *b = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &b, 1, sizeof *b));
    RECON_TRY(recon_alloc_raw(ctx, &b->images, BATCH * pixels, sizeof *b->images));
    RECON_TRY(recon_alloc_raw(ctx, &b->rotated, BATCH * pixels, sizeof *b->rotated));
    for (size_t at = 0; at < l->n; at += BATCH)
        RECON_TRY(look_at_batch(ctx, l, b, apart, at, l->n - at < BATCH ? l->n - at : BATCH));
done:
    if (b) {
        free(b->images);
        free(b->rotated);
    }
    free(b);
    return status;
}

static const char *name_of(const recon_look *l, size_t row)
{
    return recon_dataset_file(recon_data_images(l->data), row);
}

static const char *label_of(const recon_look *l, int64_t label)
{
    return recon_dataset_class_name(recon_data_images(l->data), (size_t)label);
}

/* --- what was found --------------------------------------------------------------------------- */

static const char *width_word(const recon_found_folder *f)
{
    return strcmp(recon_found_text(f, "theta"), "uniform") ? "standard deviation" : "half-width";
}

static recon_status show_width(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    double theta;
    recon_status status = recon_found_number(ctx, &theta, f, "all.theta_deg");
    if (status == RECON_OK)
        recon_page_result(page,
                          recon_found_has_width(f) ? "typical rotation from the natural pose"
                                                   : "typical rotation and error of the model",
                          "\xc2\xb1%.0f\xc2\xb0", theta);
    return status;
}

#define DIFFERENT 1.2 /* times as wide: worth a sentence */

/* The labels with the least and the greatest width, where these differ. */
static void say_extremes(recon_page *page, const recon_look *l)
{
    const char *key, *narrow = NULL, *wide = NULL;
    json_t *value;
    double least = INFINITY, most = -INFINITY;
    json_object_foreach(json_object_get(l->f->summary, "labels"), key, value)
    {
        double theta = json_number_value(json_object_get(value, "theta_deg"));
        if (theta < least) {
            least = theta;
            narrow = key;
        }
        if (theta > most) {
            most = theta;
            wide = key;
        }
    }
    if (narrow && most > DIFFERENT * least)
        recon_page_say(page,
                       "Kinds of objects differ: class %s varies least (%.0f degrees), class %s "
                       "varies most (%.0f degrees).",
                       narrow, least, wide, most);
}

static const char *extent(double theta)
{
    return theta < 5    ? "they hardly vary at all"
           : theta < 45 ? "they are tilted to either side, but upright is clearly defined"
           : theta < 90 ? "they are rotated far, but not uniformly"
                        : "they have nearly all orientations";
}

/* How far images occur rotated, and which classes do so most; not where the error of the network would
 * pass for it. */
static void say_width(recon_page *page, const recon_look *l, double theta)
{
    recon_found_words count;
    recon_found_count(count, l->f->rows);
    if (recon_found_has_width(l->f))
        recon_page_say(page,
                       "These %s images vary around their natural poses with a %s of %.0f degrees "
                       "(median over images): %s.",
                       count, width_word(l->f), theta, extent(theta));
    else
        recon_page_say(page,
                       "The pose densities of these %s images have a %s of %.0f degrees (median "
                       "over images). With a photo preset that is how far images are rotated and "
                       "how far the network is wrong, together: upright images may have such "
                       "widths too.",
                       count, width_word(l->f), theta);
}

static recon_status show_found(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    const recon_found_folder *f = l->f;
    double theta, several, folded, hits = recon_found_overall(f, "hit_rate");
    double none = recon_found_natural(f, RECON_NATURAL_NONE);
    recon_found_words a, b;
    RECON_CHECK(recon_found_number(ctx, &theta, f, "all.theta_deg"));
    RECON_CHECK(recon_found_number(ctx, &several, f, "all.several_modes"));
    RECON_CHECK(recon_found_number(ctx, &folded, f, "all.modulo_180"));
    say_width(page, l, theta);
    recon_page_say(
        page,
        "Fraction with several natural poses: %s. Fraction whose pose is known only modulo 180 "
        "degrees, because they also occur upside down or look the same that way: %s.",
        recon_found_share(a, several), recon_found_share(b, folded));
    if (!isnan(none))
        recon_page_say(page,
                       "Fraction without a natural pose, because their neighbours have all "
                       "orientations: %s.",
                       recon_found_share(a, none));
    if (recon_found_has_width(f))
        say_extremes(page, l);
    if (!isnan(hits))
        recon_page_say(page,
                       "Of the %zu neighbours of an image, %s have its label; labels were used "
                       "only for this figure.",
                       f->k, recon_found_share(a, hits));
    recon_page_say(page,
                   "How it was found: a network maps each image to an embedding that does not "
                   "change when the image is rotated, and an angle that does. Images with nearly "
                   "the same embedding show the same kind of object; the angles of these %zu "
                   "neighbours show which pose is natural, and how far images vary around it.%s",
                   f->k,
                   strcmp(recon_found_text(f, "lambda"), "density")
                       ? ""
                       : " This network predicts the natural pose itself, learned from the poses "
                         "in which such images occur; the neighbours only give the spread around "
                         "it.");
    return RECON_OK;
}

/* --- widths ----------------------------------------------------------------------------------- */

static void table_widths(recon_page *page, const recon_look *l)
{
    static const char *const columns[] = { "class",
                                           "images",
                                           "width (degrees)",
                                           "several natural poses (%)",
                                           "known modulo 180 (%)",
                                           "no natural pose (%)" };
    size_t shown = 0;
    const char *key;
    json_t *value;
    if (!json_object_size(json_object_get(l->f->summary, "labels")))
        return;
    recon_page_table(page, "Median width of each class", columns, 6);
    json_object_foreach(json_object_get(l->f->summary, "labels"), key, value)
    {
        if (shown++ == CLASSES)
            break;
        recon_page_cell(page, "%s", key);
        recon_page_cell(page, "%.0f", json_number_value(json_object_get(value, "points")));
        recon_page_cell(page, "%.1f", json_number_value(json_object_get(value, "theta_deg")));
        recon_page_cell(page, "%.1f",
                        100 * json_number_value(json_object_get(value, "several_modes")));
        recon_page_cell(page, "%.1f",
                        100 * json_number_value(json_object_get(value, "modulo_180")));
        recon_page_cell(page, "%.1f",
                        100 * json_number_value(
                                  json_object_get(json_object_get(value, "natural_pose"), "none")));
    }
}

static recon_status show_widths(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    const recon_mark median = { "median of all", recon_found_maybe(l->f, "all.theta_deg") };
    int known = recon_found_has_width(l->f);
    const recon_distribution *said = l->said;
    double *own = NULL;
    size_t n = l->data ? l->n : l->f->rows;
    recon_found_spread s = { .x_label = "width of an image's poses (degrees)",
                             .caption = known
                                            ? "Histogram of widths. The width says how far similar "
                                              "images vary around their natural pose."
                                            : "Histogram of widths: how far images are rotated "
                                              "and how far the network is wrong, together.",
                             .n = n,
                             .marks = &median,
                             .mark_count = 1 };
    recon_status status = RECON_OK;
    recon_page_section(page, known ? "How far they vary" : "Widths");
    recon_page_say(page,
                   known ? "For every image the model predicts how far similar images vary: Theta, "
                           "the %s of their poses."
                         : "For every image the model predicts Theta, the %s of its poses; with a "
                           "photo preset the network's own error is part of it.",
                   width_word(l->f));
    if (!l->data)
        recon_page_say(page, "Without the images the model cannot be evaluated; these are the "
                             "widths fitted to each image's neighbours, which are noisier.");
    RECON_TRY(recon_alloc_raw(ctx, &own, n, sizeof *own));
    for (size_t i = 0; i < n; i++)
        own[i] = RECON_TO_DEGREES * (l->data ? said[i].theta : l->f->theta[i]);
    s.values = own;
    RECON_TRY(recon_found_show_spread(ctx, page, &s));
    table_widths(page, l);
done:
    free(own);
    return status;
}

static void table_hits(recon_page *page, const recon_look *l)
{
    static const char *const columns[] = { "class", "neighbours of the same class (%)" };
    size_t shown = 0;
    const char *key;
    json_t *value;
    if (!json_object_size(json_object_get(l->f->summary, "labels")))
        return;
    recon_page_table(page, "Hit rate of each class", columns, 2);
    json_object_foreach(json_object_get(l->f->summary, "labels"), key, value)
    {
        if (shown++ == CLASSES)
            break;
        recon_page_cell(page, "%s", key);
        recon_page_cell(page, "%.1f", 100 * json_number_value(json_object_get(value, "hit_rate")));
    }
}

/* --- warnings --------------------------------------------------------------------------------- */

static int warn_of_poses(recon_page *page, const recon_found_folder *f)
{
    double theta = recon_found_maybe(f, "all.theta_deg");
    double several = recon_found_maybe(f, "all.several_modes");
    double folded = recon_found_maybe(f, "all.modulo_180");
    recon_found_words words;
    int said = 0;
    if (several > 0.05 && ++said)
        recon_page_warning(page,
                           "%s of the images have several natural poses. Canonicalization takes "
                           "the most likely; a frozen model can choose among them "
                           "(canonicalize(judge=) in Python, recon_canonicalize_search in C).",
                           recon_found_share(words, several));
    if (folded > 0.05 && ++said)
        recon_page_warning(page,
                           "For %s of the images the pose is known only modulo 180 degrees: which "
                           "of the two is upright was chosen, not found.",
                           recon_found_share(words, folded));
    said += recon_found_warn_of_none(page, f, "images");
    if (theta < 3 && ++said)
        recon_page_warning(page, "The images occur in nearly one pose. Then their spread cannot "
                                 "be learned, and every other pose is flagged as unusual.");
    return said;
}

/* The smallest class that occurs, by the summary; 0 without labels. */
static size_t smallest_class(const recon_found_folder *f)
{
    size_t least = 0;
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(f->summary, "labels"), key, value)
    {
        size_t n = (size_t)json_integer_value(json_object_get(value, "points"));
        least = least == 0 || n < least ? n : least;
    }
    return least;
}

static int warn(recon_page *page, const recon_look *l)
{
    double hits = recon_found_overall(l->f, "hit_rate");
    size_t least = smallest_class(l->f);
    recon_found_words words;
    int said = warn_of_poses(page, l->f);
    if (hits < 0.5 && ++said)
        recon_page_warning(page,
                           "Only %s of neighbours share the label. Poses of different kinds are "
                           "mixed; train longer, or use a smaller {k}.",
                           recon_found_share(words, hits));
    if (least && least <= l->f->k && ++said)
        recon_page_warning(page,
                           "The smallest class has %s, but classes have %zu neighbours: "
                           "some of them must be of another class. Use a smaller {k}.",
                           RECON_COUNT(least, "image"), l->f->k);
    return said;
}

/* --- the page --------------------------------------------------------------------------------- */

static const recon_inputs_page images = {
    .one = "an image",
    .many = "images",
    .noun = "image",
    .set = "class",
    .rotation = "an angle drawn uniformly from the circle",
    .groups = { "Poses, cluster by cluster", "Poses, class by class" },
    .worst = { "The images with the highest scores: unusual among their own neighbours",
               "Those whose neighbours agree least on a pose (1: all the same; 0: all "
               "orientations): their natural pose is a guess" },
    .checked =
        "several natural poses, poses known modulo 180 degrees, hardly any rotations, labels "
        "that neighbours do not share",
    .abreast = RECON_FOUND_WORST,
    .has_sign = 1,
    .needs_png = 1,
    .said = sizeof(recon_distribution),
    .sample = sample,
    .look = look,
    .name = name_of,
    .label = label_of,
    .show_found = show_found,
    .show_poses = recon_images_show_poses,
    .show_gallery = recon_images_show_gallery,
    .show_widths = show_widths,
    .show_neighbors = recon_images_show_neighbors,
    .table_hits = table_hits,
    .draw_pairs = recon_images_draw_pairs,
    .show_doubtful = recon_images_show_doubtful,
    .warn = warn,
};

static recon_status show_sections(recon_ctx *ctx, recon_page *page, const recon_found_folder *f,
                                  const recon_data *data)
{
    return recon_inputs_sections(ctx, page, &images, f, data);
}

static const recon_found_tile tiles[] = {
    { "several_modes", "have several natural poses", RECON_TILE_NEEDED },
    { "modulo_180", "look alike upside down", RECON_TILE_NEEDED },
    { "natural_pose.none", "have no natural pose", RECON_TILE_SAID },
    { NULL, NULL, RECON_TILE_SAID },
};

const recon_found_kind recon_found_images = { .name = "images",
                                              .group = RECON_SO2,
                                              .title = "The poses of these images",
                                              .has_pictures = 1,
                                              .many = "images",
                                              .hits = "of neighbours share the label",
                                              .tiles = tiles,
                                              .result = show_width,
                                              .sections = show_sections };
