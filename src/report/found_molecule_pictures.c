/* found_molecule_pictures.c - the sections of a report on molecules that show some of them. */
#include "report/found_molecules.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SHOWN = 3,   /* molecules in the gallery ... */
    ABREAST = 4, /* ... with so many conformers each */
    WORST = 12
};

/* Conformers as pictures, with room for those that are rotated. */
typedef struct {
    size_t atoms; /* of the largest */
    float *xyz;   /* [count][atoms][3] */
    double *axis; /* [count][3]        */
    recon_molecule_picture *picture;
} sheet;

static recon_status sheet_new(recon_ctx *ctx, sheet *out, const recon_molecules *data, size_t count)
{
    recon_status status;
    *out = (sheet){ .atoms = recon_molecules_describe(data).atoms };
    RECON_TRY(recon_alloc_raw(ctx, &out->xyz, count * out->atoms, 3 * sizeof *out->xyz));
    RECON_TRY(recon_alloc_raw(ctx, &out->axis, count, 3 * sizeof *out->axis));
    RECON_TRY(recon_alloc(ctx, &out->picture, count, sizeof *out->picture));
done:
    return status;
}

static void sheet_free(sheet *s)
{
    free(s->xyz);
    free(s->axis);
    free(s->picture);
}

static void put(sheet *s, size_t at, const recon_molecule_look *l, size_t row, recon_so3 by,
                const char *caption)
{
    recon_conformer x = recon_molecules_get(l->data, row);
    float *to = s->xyz + at * 3 * s->atoms;
    recon_molecule_rotate(to, &x, by);
    s->picture[at] = (recon_molecule_picture){ caption, x.atoms, x.z, to, NULL };
}

/* Draws the axis that its poses determine, where they do, through a picture rotated by `by`. */
static void put_axis(sheet *s, size_t at, const recon_distribution3 *said, recon_so3 by)
{
    if (said->free > 1)
        return;
    recon_so3_act(s->axis + 3 * at, by, said->axis_now);
    s->picture[at].axis = s->axis + 3 * at;
}

static recon_so3 to_natural(const recon_molecule_look *l, size_t row)
{
    return recon_so3_inverse(recon_so3_at(l->f->absolute, row));
}

/* --- pictures --------------------------------------------------------------------------------- */

/* Conformers as they came, and below each the same in its natural pose; ABREAST at most. */
static recon_status draw_pairs(recon_ctx *ctx, recon_page *page, const recon_molecule_look *l,
                               const size_t *row, size_t n, const char *caption)
{
    static const char *const names[] = { "as they came", "natural pose" };
    recon_conformer x[ABREAST];
    recon_distribution3 said[ABREAST];
    sheet s = { 0 };
    recon_status status;
    for (size_t i = 0; i < n; i++)
        x[i] = recon_molecules_get(l->data, row[i]);
    RECON_TRY(recon_distribution_molecules(ctx, said, l->model, x, n));
    RECON_TRY(sheet_new(ctx, &s, l->data, 2 * n));
    for (size_t i = 0; i < 2 * n; i++) {
        recon_so3 by = i < n ? recon_so3_identity() : to_natural(l, row[i % n]);
        put(&s, i, l, row[i % n], by, NULL);
        put_axis(&s, i, &said[i % n], by);
    }
    recon_page_molecules(
        page,
        &(recon_molecule_sheet){ .molecules = s.picture, .rows = 2, .columns = n, .names = names },
        caption);
done:
    sheet_free(&s);
    return status;
}

static recon_status show_one(recon_ctx *ctx, recon_page *page, const recon_molecule_look *l,
                             size_t group)
{
    const recon_found_groups *g = &l->groups;
    size_t n = g->n[group] < ABREAST ? g->n[group] : ABREAST, row[ABREAST];
    char caption[192];
    for (size_t i = 0; i < n; i++) /* evenly from all of them */
        row[i] = g->member[group][i * g->n[group] / n];
    snprintf(caption, sizeof caption, "%s: %zu of its %zu conformers", g->name[group], n,
             g->n[group]);
    return draw_pairs(ctx, page, l, row, n, caption);
}

static void list_rows(recon_page *page, const recon_molecule_look *l, const char *caption,
                      const size_t *row, size_t n)
{
    static const char *const columns[] = { "conformer", "molecule",
                                           "from its natural pose (degrees)", "score",
                                           "agreement of neighbours" };
    recon_page_table(page, caption, columns, 5);
    for (size_t i = 0; i < n; i++) {
        recon_page_cell(page, "%zu", row[i]);
        recon_page_cell(page, "%s",
                        l->labels ? recon_molecules_name(l->data, (size_t)l->labels[row[i]])
                                  : "not known");
        recon_page_cell(page, "%.0f",
                        RECON_TO_DEGREES * recon_so3_angle(recon_so3_at(l->f->absolute, row[i])));
        recon_page_cell(page, "%.2f", l->f->score[row[i]]);
        recon_page_cell(page, "%.2f", l->f->identifiability[3 * row[i]]);
    }
}

recon_status recon_molecule_show_gallery(recon_ctx *ctx, recon_page *page,
                                         const recon_molecule_look *l)
{
    recon_status status = RECON_OK;
    recon_page_section(page, "From the input to its natural pose");
    if (!l->data) {
        recon_page_say(page, "Not shown: the molecules are not available.");
        return status;
    }
    recon_page_say(
        page, "Some of the molecules with the most conformers. What to look for: conformers in "
              "different poses should have the same orientation below, except for a spin about "
              "the determined axis if it is free. The line, if there is one, is that axis. Drag "
              "to rotate.");
    for (size_t i = 0; i < l->groups.count && i < SHOWN; i++) {
        RECON_TRY(show_one(ctx, page, l, i));
        list_rows(page, l, "Its conformers", l->groups.member[i],
                  l->groups.n[i] < WORST ? l->groups.n[i] : WORST);
    }
done:
    return status;
}

/* --- neighbours and worst cases --------------------------------------------------------------- */

static recon_status draw_neighbors(recon_ctx *ctx, recon_page *page, const recon_molecule_look *l)
{
    static const char *const marks[] = { "another molecule", "same molecule" };
    size_t rows = l->n < SHOWN ? l->n : SHOWN, k = l->f->k < ABREAST ? l->f->k : ABREAST;
    sheet s = { 0 };
    recon_status status;
    RECON_TRY(sheet_new(ctx, &s, l->data, rows * (k + 1)));
    for (size_t i = 0; i < rows; i++) {
        size_t row = l->row[(2 * i + 1) * l->n / (2 * rows)];
        put(&s, i * (k + 1), l, row, recon_so3_identity(), "input");
        for (size_t j = 0; j < k; j++) {
            size_t other = (size_t)l->f->neighbors[row * l->f->k + j];
            put(&s, i * (k + 1) + 1 + j, l, other, recon_so3_identity(),
                marks[l->labels[other] == l->labels[row]]);
        }
    }
    recon_page_molecules(
        page, &(recon_molecule_sheet){ .molecules = s.picture, .rows = rows, .columns = k + 1 },
        "Some conformers, evenly from a sample, and to the right of each its nearest neighbours "
        "as given.");
done:
    sheet_free(&s);
    return status;
}

recon_status recon_molecule_show_neighbors(recon_ctx *ctx, recon_page *page,
                                           const recon_molecule_look *l)
{
    static const char *const columns[] = { "neighbours", "of the same molecule" };
    double hits = recon_found_overall(l->f, "hit_rate");
    recon_found_words words;
    recon_status status = RECON_OK;
    recon_page_section(page, "Neighbours");
    recon_page_say(page,
                   "Everything above assumes that the %zu nearest neighbours of each conformer in "
                   "the embedding are of its kind.",
                   l->f->k);
    if (l->data)
        status = draw_neighbors(ctx, page, l);
    else
        recon_page_say(page, "Not shown: the molecules are not available.");
    if (isnan(hits))
        return status;
    recon_page_table(page, "Hit rate", columns, 2);
    recon_page_cell(page, "%zu", l->f->k);
    recon_page_cell(page, "%s", recon_found_share(words, hits));
    return status;
}

static recon_status show_extreme(recon_ctx *ctx, recon_page *page, const recon_molecule_look *l,
                                 const double *key, size_t stride, double sign, const char *caption)
{
    size_t row[WORST], n = recon_found_extreme(row, WORST, key, stride, sign, l->f->rows);
    recon_status status =
        l->data ? draw_pairs(ctx, page, l, row, n < ABREAST ? n : ABREAST, caption) : RECON_OK;
    if (status == RECON_OK)
        list_rows(page, l, caption, row, n);
    return status;
}

recon_status recon_molecule_show_worst(recon_ctx *ctx, recon_page *page,
                                       const recon_molecule_look *l)
{
    recon_status status;
    recon_page_section(page, "Worst cases");
    recon_page_say(page, "Failures, or unusual data: look here first.");
    if (!l->data)
        recon_page_say(page, "Listed, not shown: the molecules are not available.");
    RECON_TRY(
        show_extreme(ctx, page, l, l->f->score, 1, 1,
                     "The conformers with the highest scores: unusual among their own neighbours"));
    RECON_TRY(show_extreme(ctx, page, l, l->f->identifiability, 3, -1,
                           "Those whose neighbours agree least, not even on an axis: their natural "
                           "pose is a guess"));
done:
    return status;
}
