/* found_image_pictures.c - the sections of a report on images that show some of them. */
#include "report/found_images.h"
#include "report/pictures.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TYPICAL = 2, /* pictures above each circle */
    GALLERY = 24,
    NEIGHBORS = 6,
    NEIGHBORS_MOST = 10, /* of each that are shown */
    WORST = 12
};

#define OPPOSITE 0.6 /* |E exp(2 i g)| of two opposite modes */
#define HINT     0.3 /* |E exp(i g)|  */
#define UNLIKE   0.05

/* Whole degrees from the natural pose; 0 has no minus. */
static double degrees_of(const recon_found_folder *f, size_t row)
{
    return rint(RECON_TO_DEGREES * f->absolute[row]) + 0.0;
}

/* --- poses ------------------------------------------------------------------------------------ */

static double rotation_of(const recon_found_folder *f, size_t row)
{
    return -f->absolute[row];
}

recon_status recon_image_show_poses(recon_ctx *ctx, recon_page *page, const recon_image_look *l)
{
    const recon_found_groups *g = &l->groups;
    recon_pictures p = { 0 };
    recon_status status;
    recon_page_section(page, l->labels ? "Poses, class by class" : "Poses, cluster by cluster");
    if (!l->labels)
        recon_page_say(page, "Without labels, images were grouped by the neighbour graph: members "
                             "of a group are neighbours of each other more often than by chance. "
                             "One kind may be split into several groups.");
    if (!l->data)
        return recon_found_show_poses(ctx, page, l->f, g, NULL, 0);
    recon_page_say(page, "Above each circle: the members of the group that are most often "
                         "neighbours of others, in their natural pose.");
    RECON_TRY(recon_pictures_new(ctx, &p, l->data, TYPICAL * g->count));
    for (size_t i = 0; i < g->count; i++)
        for (size_t j = 0; j < TYPICAL && j < g->n[i]; j++)
            recon_pictures_put(&p, j * g->count + i, l->data, g->member[i][j],
                               rotation_of(l->f, g->member[i][j]));
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

/* Its file, or its number. */
static const char *name_of(recon_found_words number, const recon_image_look *l, size_t row)
{
    const char *file = l->data ? recon_dataset_file(l->data, row) : NULL;
    snprintf(number, sizeof(recon_found_words), "%zu", row);
    return file ? file : number;
}

/* The numbers of some rows: what their pictures do not say. */
static void list_rows(recon_page *page, const recon_image_look *l, const char *caption,
                      const size_t *row, size_t n)
{
    static const char *const columns[] = { "image", "class", "from its natural pose (degrees)",
                                           "score", "agreement of neighbours" };
    recon_found_words words;
    recon_page_table(page, caption, columns, 5);
    for (size_t i = 0; i < n; i++) {
        recon_page_cell(page, "%s", name_of(words, l, row[i]));
        recon_page_cell(page, "%s",
                        l->labels ? recon_image_class(words, l, l->labels[row[i]]) : "not known");
        recon_page_cell(page, "%+.0f", degrees_of(l->f, row[i]));
        recon_page_cell(page, "%.2f", l->f->score[row[i]]);
        recon_page_cell(page, "%.2f", l->f->identifiability[4 * row[i]]);
    }
}

/* Pairs: as it came, in its natural pose. */
static recon_status show_pairs(recon_ctx *ctx, recon_page *page, const recon_image_look *l,
                               const size_t *row, size_t n, const char *caption)
{
    static const char *const headings[] = { "input", "natural" };
    char angle[GALLERY][16];
    recon_pictures p = { 0 };
    char *svg = NULL;
    recon_status status;
    RECON_TRY(recon_pictures_new(ctx, &p, l->data, 2 * n));
    for (size_t i = 0; i < n; i++) {
        recon_pictures_put(&p, 2 * i, l->data, row[i], 0);
        recon_pictures_put(&p, 2 * i + 1, l->data, row[i], rotation_of(l->f, row[i]));
        snprintf(angle[i], sizeof angle[i], "%+.0f\xc2\xb0", degrees_of(l->f, row[i]));
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
recon_status recon_image_show_gallery(recon_ctx *ctx, recon_page *page, const recon_image_look *l)
{
    size_t row[GALLERY], n = l->n < GALLERY ? l->n : GALLERY;
    ranked *order = NULL;
    recon_status status;
    recon_page_section(page, "From the input to its natural pose");
    if (!l->data) {
        recon_page_say(page, "Not shown: the images are not available.");
        return RECON_OK;
    }
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
    RECON_TRY(show_pairs(ctx, page, l, row, n,
                         "Left: the input, and by how many degrees it is rotated from its natural "
                         "pose, counter-clockwise. Right: rotated back by that angle."));
    list_rows(page, l, "The images shown", row, n);
done:
    free(order);
    return status;
}

/* --- neighbours ------------------------------------------------------------------------------- */

typedef struct {
    size_t k;
    uint8_t hit[NEIGHBORS * NEIGHBORS_MOST];
    recon_found_words caption[NEIGHBORS * (NEIGHBORS_MOST + 1)];
} hood;

static void put_neighbor(recon_pictures *p, hood *h, const recon_image_look *l, size_t at,
                         size_t row)
{
    recon_pictures_put(p, at, l->data, row, 0);
    if (l->labels)
        p->picture[at].caption = recon_image_class(h->caption[at], l, l->labels[row]);
}

/* The row of the sample that is shown as number i of `rows`. */
static size_t shown_row(const recon_image_look *l, size_t i, size_t rows)
{
    return l->row[(2 * i + 1) * l->n / (2 * rows)];
}

static void list_neighbors(recon_page *page, const recon_image_look *l, size_t rows, size_t k)
{
    static const char *const columns[] = { "image", "its neighbours", "of the same class" };
    recon_page_table(page, "The images shown", columns, l->labels ? 3 : 2);
    for (size_t i = 0; i < rows; i++) {
        size_t row = shown_row(l, i, rows), hits = 0;
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

static recon_status draw_neighbors(recon_ctx *ctx, recon_page *page, const recon_image_look *l)
{
    size_t rows = l->n < NEIGHBORS ? l->n : NEIGHBORS;
    hood h = { .k = l->f->k < NEIGHBORS_MOST ? l->f->k : NEIGHBORS_MOST };
    recon_pictures p = { 0 };
    char *svg = NULL;
    recon_status status;
    RECON_TRY(recon_pictures_new(ctx, &p, l->data, rows * (h.k + 1)));
    for (size_t i = 0; i < rows; i++) { /* inputs first, then all neighbours */
        size_t row = shown_row(l, i, rows);
        put_neighbor(&p, &h, l, i, row);
        for (size_t j = 0; j < h.k; j++) {
            size_t other = (size_t)l->f->neighbors[row * l->f->k + j];
            put_neighbor(&p, &h, l, rows + i * h.k + j, other);
            h.hit[i * h.k + j] = l->labels && l->labels[other] == l->labels[row];
        }
    }
    RECON_TRY(recon_figure_neighbors(ctx, &svg,
                                     &(recon_neighbor_sheet){ .inputs = p.picture,
                                                              .neighbors = p.picture + rows,
                                                              .hit = l->labels ? h.hit : NULL,
                                                              .rows = rows,
                                                              .k = h.k }));
    recon_page_figure(page, svg,
                      l->labels
                          ? "Some images, evenly from the sample, with their nearest neighbours "
                            "as given; below each its label. They should show the same kind of "
                            "object in any pose."
                          : "Some images, evenly from the sample, with their nearest neighbours "
                            "as given. They should show the same kind of object in any pose.");
    list_neighbors(page, l, rows, h.k);
done:
    recon_pictures_free(&p);
    return status;
}

static void table_hits(recon_page *page, const recon_image_look *l)
{
    static const char *const columns[] = { "class", "neighbours of the same class (%)" };
    size_t shown = 0;
    recon_found_words words;
    const char *key;
    json_t *value;
    if (!json_object_size(json_object_get(l->f->summary, "labels")))
        return;
    recon_page_table(page, "Hit rate of each class", columns, 2);
    json_object_foreach(json_object_get(l->f->summary, "labels"), key, value)
    {
        if (shown++ == RECON_IMAGE_CLASSES)
            break;
        recon_page_cell(page, "%s", recon_image_class(words, l, atoll(key)));
        recon_page_cell(page, "%.1f", 100 * json_number_value(json_object_get(value, "hit_rate")));
    }
}

recon_status recon_image_show_neighbors(recon_ctx *ctx, recon_page *page, const recon_image_look *l)
{
    double hits = recon_found_overall(l->f, "hit_rate");
    recon_found_words words;
    recon_status status = RECON_OK;
    recon_page_section(page, "Neighbours");
    recon_page_say(page,
                   "Everything above assumes that the %zu nearest neighbours of each image in the "
                   "embedding are of its kind.",
                   l->f->k);
    if (!isnan(hits))
        recon_page_say(page, "Measured with the labels: %s of them are of the image's class.",
                       recon_found_share(words, hits));
    if (l->data)
        status = draw_neighbors(ctx, page, l);
    else
        recon_page_say(page, "Not shown: the images are not available.");
    table_hits(page, l);
    return status;
}

/* --- worst cases ------------------------------------------------------------------------------ */

static recon_status show_extreme(recon_ctx *ctx, recon_page *page, const recon_image_look *l,
                                 const double *key, size_t stride, double sign, const char *caption)
{
    size_t row[WORST], n = recon_found_extreme(row, WORST, key, stride, sign, l->f->rows);
    recon_status status = l->data ? show_pairs(ctx, page, l, row, n, caption) : RECON_OK;
    if (status == RECON_OK)
        list_rows(page, l, caption, row, n);
    return status;
}

/* The lowest of the sample by key, those that are at most `most`: numbers within the sample. NaN is none of them. */
static size_t lowest(size_t out[WORST], const double *key, size_t n, double most)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(key[i] <= most))
            continue;
        size_t at = count < WORST ? count++ : WORST;
        for (; at > 0 && key[out[at - 1]] > key[i]; at--)
            if (at < WORST)
                out[at] = out[at - 1];
        if (at < WORST)
            out[at] = i;
    }
    return count;
}

static const char *why_untold(const recon_image_look *l, size_t i)
{
    return l->folded[i] > OPPOSITE ? "two opposite orientations are about as likely"
           : l->known[i] > HINT    ? "one orientation is likelier, but not clearly"
                                   : "no orientation stands out";
}

/* Of the sample: what the model has said that it does not know. */
static recon_status show_doubtful(recon_ctx *ctx, recon_page *page, const recon_image_look *l)
{
    static const char *const columns[] = { "image", "why" };
    size_t at[WORST], row[WORST] = { 0 }, n = lowest(at, l->known, l->n, INFINITY), all = 0;
    recon_found_words words;
    recon_status status = RECON_OK;
    for (size_t i = 0; i < l->n; i++)
        all += !isnan(l->known[i]);
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
    for (size_t i = 0; i < n; i++)
        row[i] = l->row[at[i]];
    RECON_TRY(show_pairs(ctx, page, l, row, n, "Left: the input. Right: the best guess."));
    recon_page_table(page, "Why", columns, 2);
    for (size_t i = 0; i < n; i++) {
        recon_page_cell(page, "%s", name_of(words, l, row[i]));
        recon_page_cell(page, "%s", why_untold(l, at[i]));
    }
done:
    return status;
}

static recon_status show_unlike(recon_ctx *ctx, recon_page *page, const recon_image_look *l)
{
    size_t at[WORST], row[WORST] = { 0 }, n = lowest(at, l->like, l->n, UNLIKE);
    recon_status status = RECON_OK;
    if (!l->n || isnan(l->like[0]))
        return RECON_OK; /* a model without codes */
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
    for (size_t i = 0; i < n; i++)
        row[i] = l->row[at[i]];
    RECON_TRY(show_pairs(ctx, page, l, row, n, "The images furthest from all others"));
    list_rows(page, l, "The images furthest from all others", row, n);
done:
    return status;
}

recon_status recon_image_show_worst(recon_ctx *ctx, recon_page *page, const recon_image_look *l)
{
    recon_status status;
    recon_page_section(page, "Worst cases");
    recon_page_say(page, "Failures, or unusual data: look here first.");
    if (!l->data)
        recon_page_say(page, "Listed, not shown: the images are not available.");
    RECON_TRY(
        show_extreme(ctx, page, l, l->f->score, 1, 1,
                     "The images with the highest scores: unusual among their own neighbours"));
    RECON_TRY(show_extreme(ctx, page, l, l->f->identifiability, 4, -1,
                           "Those whose neighbours agree least on a pose (1: all the same; 0: all "
                           "orientations): their natural pose is a guess"));
    if (l->data) {
        RECON_TRY(show_doubtful(ctx, page, l));
        RECON_TRY(show_unlike(ctx, page, l));
    }
done:
    return status;
}
