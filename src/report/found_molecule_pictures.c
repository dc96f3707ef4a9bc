/* found_molecule_pictures.c - the sections of a report on molecules that show some of them. */
#include "report/found_inputs.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/formats.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    SHOWN = 3,                        /* molecules in the gallery ...       */
    ABREAST = RECON_MOLECULES_ABREAST /* ... with so many conformers each */
};

/* Conformers as pictures, with room for those that are rotated. */
typedef struct {
    size_t atoms; /* of the largest */
    float *xyz;   /* [count][atoms][3] */
    double *axis; /* [count][3]        */
    recon_molecule_picture *picture;
} sheet;

static recon_status sheet_new(recon_ctx *ctx, sheet *out, const recon_look *l, size_t count)
{
    *out = (sheet){ .atoms = recon_molecules_describe(recon_data_molecules(l->data)).atoms };
    RECON_CHECK(recon_alloc_raw(ctx, &out->xyz, count * out->atoms, 3 * sizeof *out->xyz));
    RECON_CHECK(recon_alloc_raw(ctx, &out->axis, count, 3 * sizeof *out->axis));
    return recon_alloc(ctx, &out->picture, count, sizeof *out->picture);
}

static void sheet_free(sheet *s)
{
    free(s->xyz);
    free(s->axis);
    free(s->picture);
}

static void put(sheet *s, size_t at, const recon_look *l, size_t row, recon_so3 by,
                const char *caption)
{
    recon_conformer x = recon_molecules_get(recon_data_molecules(l->data), row);
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

static recon_so3 to_natural(const recon_look *l, size_t row)
{
    return recon_so3_inverse(recon_so3_at(l->f->absolute, row));
}

/* --- pictures --------------------------------------------------------------------------------- */

/* Conformers as they came, and below each the same in its natural pose; ABREAST at most. */
recon_status recon_molecules_draw_pairs(recon_ctx *ctx, recon_page *page, const recon_look *l,
                                        const size_t *row, size_t n, const char *caption)
{
    static const char *const names[] = { "as they came", "natural pose" };
    recon_conformer x[ABREAST];
    recon_distribution3 said[ABREAST];
    sheet s = { 0 };
    recon_status status;
    for (size_t i = 0; i < n; i++)
        x[i] = recon_molecules_get(recon_data_molecules(l->data), row[i]);
    RECON_TRY(recon_distribution_molecules(ctx, said, l->model, x, n));
    RECON_TRY(sheet_new(ctx, &s, l, 2 * n));
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

static recon_status show_one(recon_ctx *ctx, recon_page *page, const recon_look *l, size_t group)
{
    const recon_found_groups *g = &l->groups;
    size_t n = g->n[group] < ABREAST ? g->n[group] : ABREAST, row[ABREAST];
    char caption[192];
    for (size_t i = 0; i < n; i++) /* evenly from all of them */
        row[i] = g->member[group][i * g->n[group] / n];
    snprintf(caption, sizeof caption, "%s: %zu of its %zu conformers", g->name[group], n,
             g->n[group]);
    return recon_molecules_draw_pairs(ctx, page, l, row, n, caption);
}

recon_status recon_molecules_show_gallery(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    recon_page_say(
        page, "Some of the molecules with the most conformers. What to look for: conformers in "
              "different poses should have the same orientation below, except for a spin about "
              "the determined axis if it is free. The line, if there is one, is that axis. Drag "
              "to rotate.");
    for (size_t i = 0; i < l->groups.count && i < SHOWN; i++) {
        RECON_CHECK(show_one(ctx, page, l, i));
        recon_look_list(page, l, "Its conformers", l->groups.member[i],
                        l->groups.n[i] < RECON_FOUND_WORST ? l->groups.n[i] : RECON_FOUND_WORST);
    }
    return RECON_OK;
}

/* --- neighbours ------------------------------------------------------------------------------- */

recon_status recon_molecules_show_neighbors(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    static const char *const marks[] = { "another molecule", "same molecule" };
    size_t rows = l->n < SHOWN ? l->n : SHOWN, k = l->f->k < ABREAST ? l->f->k : ABREAST;
    sheet s = { 0 };
    recon_status status;
    RECON_TRY(sheet_new(ctx, &s, l, rows * (k + 1)));
    for (size_t i = 0; i < rows; i++) {
        size_t row = recon_look_row(l, i, rows);
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
