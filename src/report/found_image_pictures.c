/* found_image_pictures.c - the sections of a report on images that show some of them. */
#include "report/found_inputs.h"
#include "report/pictures.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TYPICAL = 2, /* pictures above each circle */
    GALLERY = 24,
    NEIGHBORS = 6,
    NEIGHBORS_MOST = 10 /* of each that are shown */
};

#define OPPOSITE 0.6 /* |E exp(2 i g)| of two opposite modes */
#define HINT     0.3 /* |E exp(i g)|  */
#define UNLIKE   0.05

/* --- poses ------------------------------------------------------------------------------------ */

/* As it came, and in its natural pose. */
static void put(recon_pictures *p, size_t at, const recon_look *l, size_t row)
{
    recon_pictures_put(p, at, recon_data_images(l->data), row, 0);
}

static void put_natural(recon_pictures *p, size_t at, const recon_look *l, size_t row)
{
    recon_pictures_put(p, at, recon_data_images(l->data), row, -l->f->absolute[row]);
}

recon_status recon_images_show_poses(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    const recon_found_groups *g = &l->groups;
    recon_pictures p = { 0 };
    recon_status status;
    if (!l->labels)
        recon_page_say(page, "Without labels, images were grouped by the neighbour graph: members "
                             "of a group are neighbours of each other more often than by chance. "
                             "One kind may be split into several groups.");
    if (!l->data)
        return recon_found_show_poses(ctx, page, l->f, g, NULL, 0);
    recon_page_say(page, "Above each circle: the members of the group that are most often "
                         "neighbours of others, in their natural pose.");
    RECON_TRY(recon_pictures_new(ctx, &p, recon_data_images(l->data), TYPICAL * g->count));
    for (size_t i = 0; i < g->count; i++)
        for (size_t j = 0; j < TYPICAL && j < g->n[i]; j++)
            put_natural(&p, j * g->count + i, l, g->member[i][j]);
    RECON_TRY(recon_found_show_poses(ctx, page, l->f, g, p.picture, TYPICAL));
done:
    recon_pictures_free(&p);
    return status;
}

/* --- pictures --------------------------------------------------------------------------------- */

typedef struct {
    double key;
    size_t row;
} ranked;

static int by_key(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Pairs: as it came, in its natural pose. */
recon_status recon_images_draw_pairs(recon_ctx *ctx, recon_page *page, const recon_look *l,
                                     const size_t *row, size_t n, const char *caption)
{
    static const char *const headings[] = { "input", "natural" };
    char angle[GALLERY][16];
    recon_pictures p = { 0 };
    char *svg = NULL;
    recon_status status;
    RECON_TRY(recon_pictures_new(ctx, &p, recon_data_images(l->data), 2 * n));
    for (size_t i = 0; i < n; i++) {
        put(&p, 2 * i, l, row[i]);
        put_natural(&p, 2 * i + 1, l, row[i]);
        snprintf(angle[i], sizeof angle[i], "%+.0f\xc2\xb0", recon_look_degrees(l, row[i]));
        p.picture[2 * i].caption = angle[i];
    }
    RECON_TRY(recon_figure_gallery(
        ctx, &svg,
        &(recon_gallery){
            .pictures = p.picture, .rows = n, .columns = 2, .headings = headings, .blocks = 4 }));
    recon_page_figure(page, svg, caption);
done:
    recon_pictures_free(&p);
    return status;
}

/* Of the sample, sorted by pose, evenly. */
recon_status recon_images_show_gallery(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    size_t row[GALLERY], n = l->n < GALLERY ? l->n : GALLERY;
    ranked *order = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &order, l->n, sizeof *order));
    for (size_t i = 0; i < l->n; i++)
        order[i] = (ranked){ l->f->absolute[l->row[i]], l->row[i] };
    qsort(order, l->n, sizeof *order, by_key);
    for (size_t i = 0; i < n; i++)
        row[i] = order[(2 * i + 1) * l->n / (2 * n)].row;
    recon_page_say(page,
                   "%zu images were drawn at random and sorted by pose, and %zu were taken evenly "
                   "from that order; none was chosen by hand. What to look for: images of one "
                   "kind should have the same orientation on the right, whatever their "
                   "orientation on the left.",
                   l->n, n);
    RECON_TRY(recon_images_draw_pairs(
        ctx, page, l, row, n,
        "Left: the input, and by how many degrees it is rotated from its natural "
        "pose, counter-clockwise. Right: rotated back by that angle."));
    recon_look_list(page, l, "The images shown", row, n);
done:
    free(order);
    return status;
}

/* --- neighbours ------------------------------------------------------------------------------- */

static void list_neighbors(recon_page *page, const recon_look *l, size_t rows, size_t k)
{
    static const char *const columns[] = { "image", "its neighbours", "of the same class" };
    recon_page_table(page, "The images shown", columns, l->labels ? 3 : 2);
    for (size_t i = 0; i < rows; i++) {
        size_t row = recon_look_row(l, i, rows), hits = 0;
        recon_words words = { .used = 0 };
        for (size_t j = 0; j < k; j++) {
            size_t other = (size_t)l->f->neighbors[row * l->f->k + j];
            recon_words_add(&words, "%s%zu", j ? ", " : "", other);
            hits += l->labels && l->labels[other] == l->labels[row];
        }
        recon_page_cell(page, "%zu", row);
        recon_page_cell(page, "%s", words.text);
        if (l->labels)
            recon_page_cell(page, "%zu of %zu", hits, k);
    }
}

recon_status recon_images_show_neighbors(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    static const char *const headings[1 + NEIGHBORS_MOST] = { "input", "nearest" };
    size_t rows = l->n < NEIGHBORS ? l->n : NEIGHBORS;
    size_t k = l->f->k < NEIGHBORS_MOST ? l->f->k : NEIGHBORS_MOST;
    uint8_t marks[NEIGHBORS * (NEIGHBORS_MOST + 1)];
    recon_found_words caption[NEIGHBORS * (NEIGHBORS_MOST + 1)];
    recon_pictures p = { 0 };
    char *svg = NULL;
    recon_status status;
    RECON_TRY(recon_pictures_new(ctx, &p, recon_data_images(l->data), rows * (k + 1)));
    for (size_t i = 0; i < rows * (k + 1); i++) {
        size_t row = recon_look_row(l, i / (k + 1), rows), j = i % (k + 1), shown = row;
        if (j > 0)
            shown = (size_t)l->f->neighbors[row * l->f->k + j - 1];
        put(&p, i, l, shown);
        if (!l->labels)
            continue;
        p.picture[i].caption = recon_look_label(caption[i], l, l->labels[shown]);
        marks[i] = j == 0                               ? RECON_MARK_NONE
                   : l->labels[shown] == l->labels[row] ? RECON_MARK_HIT
                                                        : RECON_MARK_MISS;
    }
    RECON_TRY(recon_figure_gallery(ctx, &svg,
                                   &(recon_gallery){ .pictures = p.picture,
                                                     .rows = rows,
                                                     .columns = k + 1,
                                                     .headings = headings,
                                                     .cell = 52,
                                                     .marks = l->labels ? marks : NULL }));
    recon_page_figure(page, svg,
                      l->labels
                          ? "Some images, evenly from the sample, with their nearest neighbours "
                            "as given; below each its label. They should show the same kind of "
                            "object in any pose."
                          : "Some images, evenly from the sample, with their nearest neighbours "
                            "as given. They should show the same kind of object in any pose.");
    list_neighbors(page, l, rows, k);
done:
    recon_pictures_free(&p);
    return status;
}

/* --- doubtful cases --------------------------------------------------------------------------- */

/* The rows of the sample that are lowest by key [n], which is INFINITY where they do not count; at,
 * their numbers in the sample. How many. */
static size_t lowest(size_t at[RECON_FOUND_WORST], size_t row[RECON_FOUND_WORST],
                     const recon_look *l, const double *key)
{
    size_t n = recon_found_extreme(at, RECON_FOUND_WORST, key, 1, -1, l->n);
    while (n > 0 && isinf(key[at[n - 1]]))
        n--;
    for (size_t i = 0; i < n; i++)
        row[i] = l->row[at[i]];
    return n;
}

static const char *why_untold(const recon_distribution *said)
{
    return said->moment[1] > OPPOSITE ? "two opposite orientations are about as likely"
           : said->moment[0] > HINT   ? "one orientation is likelier, but not clearly"
                                      : "no orientation stands out";
}

/* Of the sample: what the model has said that it does not know. */
static recon_status show_untold(recon_ctx *ctx, recon_page *page, const recon_look *l,
                                double *known)
{
    static const char *const columns[] = { "image", "why" };
    const recon_distribution *said = l->said;
    size_t at[RECON_FOUND_WORST], row[RECON_FOUND_WORST] = { 0 }, all = 0;
    recon_found_words words;
    for (size_t i = 0; i < l->n; i++) {
        int untold =
            said[i].verdict == RECON_NATURAL_UNSURE || said[i].verdict == RECON_NATURAL_NONE;
        known[i] = untold ? said[i].moment[0] : INFINITY;
        all += (size_t)untold;
    }
    recon_page_section(page, "Images whose orientation could not be determined");
    if (!all) {
        recon_page_say(page, "None of the %zu images of the sample.", l->n);
        return RECON_OK;
    }
    recon_page_say(
        page,
        "%zu of the %zu images of the sample: the model finds no clear orientation. The least"
        " clear ones are shown. Leave them as they are, or check them yourself.",
        all, l->n);
    size_t n = lowest(at, row, l, known);
    RECON_CHECK(
        recon_images_draw_pairs(ctx, page, l, row, n, "Left: the input. Right: the best guess."));
    recon_page_table(page, "Why", columns, 2);
    for (size_t i = 0; i < n; i++) {
        recon_page_cell(page, "%s", recon_look_name(words, l, row[i]));
        recon_page_cell(page, "%s", why_untold(&said[at[i]]));
    }
    return RECON_OK;
}

static recon_status show_unlike(recon_ctx *ctx, recon_page *page, const recon_look *l, double *like)
{
    const recon_distribution *said = l->said;
    size_t at[RECON_FOUND_WORST], row[RECON_FOUND_WORST] = { 0 };
    if (isnan(said[0].p_embedding))
        return RECON_OK; /* a model without codes */
    for (size_t i = 0; i < l->n; i++)
        like[i] = said[i].p_embedding <= UNLIKE ? said[i].p_embedding : INFINITY;
    size_t n = lowest(at, row, l, like);
    recon_page_section(page, "Outliers");
    if (!n) {
        recon_page_say(page, "None of the %zu images of the sample.", l->n);
        return RECON_OK;
    }
    recon_page_say(
        page,
        "Fewer than %.0f in 100 images are as far from all others in the embedding. They may "
        "be the only ones of their kind, damaged, or from another source. Their poses were "
        "estimated from dissimilar images, so do not rely on them.",
        100 * UNLIKE);
    RECON_CHECK(
        recon_images_draw_pairs(ctx, page, l, row, n, "The images furthest from all others"));
    recon_look_list(page, l, "The images furthest from all others", row, n);
    return RECON_OK;
}

recon_status recon_images_show_doubtful(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    double *key = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &key, l->n, sizeof *key));
    RECON_TRY(show_untold(ctx, page, l, key));
    RECON_TRY(show_unlike(ctx, page, l, key));
done:
    free(key);
    return status;
}
