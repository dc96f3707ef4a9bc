/* inputs_molecules.c - conformers as pairs and in listings. */
#include "core/fail.h"
#include "core/memory.h"
#include "data/formats.h"
#include "report/canvas.h"
#include "report/inputs.h"

#include <math.h>
#include <recon/group/so3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ABREAST = 6,
    BYTES_AN_ATOM = 15 /* in a listing, about */
};

/* --- pairs ------------------------------------------------------------------------------------ */

/* What rotates a line's input into its natural pose. */
static recon_so3 back(const recon_line *line)
{
    return line->rotated ? recon_so3_inverse(recon_so3_at(line->pose, 0)) : recon_so3_identity();
}

/* Its atoms, rotated about the origin. */
static void rotate(float *out, const recon_conformer *x, recon_so3 by)
{
    for (size_t a = 0; a < x->atoms; a++) {
        double at[3] = { x->xyz[3 * a], x->xyz[3 * a + 1], x->xyz[3 * a + 2] };
        recon_so3_act(at, by, at);
        for (size_t i = 0; i < 3; i++)
            out[3 * a + i] = (float)at[i];
    }
}

/* At most ABREAST side by side: as given, and below in their natural pose. */
static recon_status put_some(recon_ctx *ctx, recon_page *page, const recon_listing *l,
                             const size_t *row, size_t n, const char *caption)
{
    static const char *const names[] = { "as given", "natural pose" };
    const recon_molecules *data = recon_data_molecules(l->data);
    size_t atoms = recon_molecules_describe(data).atoms;
    recon_molecule_picture picture[2 * ABREAST];
    const char *headings[ABREAST];
    recon_line_words words[ABREAST];
    float *xyz = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &xyz, n * atoms, 3 * sizeof *xyz));
    for (size_t i = 0; i < n; i++) {
        const recon_line *line = &l->line[row[i]];
        recon_conformer x = recon_molecules_get(data, row[i]);
        float *rotated = xyz + i * 3 * atoms;
        rotate(rotated, &x, back(line));
        headings[i] = line->name;
        picture[i] = (recon_molecule_picture){ NULL, x.atoms, x.z, x.xyz, NULL };
        picture[n + i] = (recon_molecule_picture){ recon_line_say(words[i], line, l->group),
                                                   x.atoms, x.z, rotated, NULL };
    }
    recon_page_molecules(page,
                         &(recon_molecule_sheet){ .molecules = picture,
                                                  .rows = 2,
                                                  .columns = n,
                                                  .headings = headings,
                                                  .names = names,
                                                  .cell = 130 },
                         caption);
done:
    free(xyz);
    return status;
}

static recon_status put_pairs(recon_ctx *ctx, recon_page *page, const recon_listing *l,
                              const size_t *row, size_t n, const char *caption)
{
    recon_status status = RECON_OK;
    for (size_t i = 0; i < n && status == RECON_OK; i += ABREAST)
        status = put_some(ctx, page, l, row + i, n - i < ABREAST ? n - i : ABREAST,
                          i ? "More of them." : caption);
    return status;
}

/* --- listings --------------------------------------------------------------------------------- */

static void put(recon_markup *m, const char *fmt, ...) RECON_PRINTF(2, 3);
static void put(recon_markup *m, const char *fmt, ...)
{
    char text[128];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    recon_markup_put(m, text);
}

/* [[atoms: look, radius in Angstrom], [bonds: a, b]] */
static recon_status put_molecule(recon_ctx *ctx, recon_markup *m, const recon_conformer *x)
{
    recon_bonds bonds = { 0 };
    recon_status status = recon_bonds_perceive(ctx, &bonds, x->z, x->xyz, x->atoms);
    for (size_t a = 0; a < x->atoms; a++)
        put(m, "%s[\"%s\",%.2f]", a ? "," : "[[", recon_atom_look(x->z[a]),
            recon_atom_radius(x->z[a]));
    recon_markup_put(m, "],[");
    for (size_t b = 0; b < bonds.n; b++)
        put(m, "%s[%d,%d]", b ? "," : "", bonds.list[b].a, bonds.list[b].b);
    recon_markup_put(m, "]]");
    recon_bonds_free(&bonds);
    return status;
}

/* [molecule, scale, quaternion into its natural pose, x, y, z of each atom in thousandths of half a
 * picture] */
static void put_conformer(recon_markup *m, const recon_line *line, const recon_conformer *x)
{
    recon_molecule_picture p = { .atoms = x->atoms, .z = x->z, .xyz = x->xyz };
    double middle[3], scale = recon_molecule_scale(middle, &p);
    recon_so3 by = recon_so3_inverse(recon_so3_at(line->pose, 0));
    put(m, "[%d,%.4f,%.4f,%.4f,%.4f,%.4f", (int)x->molecule, scale, by.w, by.x, by.y, by.z);
    for (size_t k = 0; k < 3 * x->atoms; k++)
        put(m, ",%.0f", 1000 * scale * ((double)x->xyz[k] - middle[k % 3]));
    recon_markup_put(m, "]");
}

/* The molecules that occur, by their number, and so many of the conformers as there is room for. */
static recon_status put_pictures(recon_ctx *ctx, recon_markup *m, const recon_listing *l)
{
    const recon_molecules *data = recon_data_molecules(l->data);
    recon_molecules_info info = recon_molecules_describe(data);
    size_t n = 0, atoms = 0, known = 0;
    uint8_t *put_before = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &put_before, info.molecules, 1));
    while (n < l->n &&
           (atoms += recon_molecules_get(data, n).atoms) * BYTES_AN_ATOM < RECON_LISTING_BYTES)
        n++;
    recon_markup_put(m, ",\"view\":");
    for (int r = 0; r < 9; r++) {
        double column[3];
        recon_view(column, (double[3]){ r % 3 == 0, r % 3 == 1, r % 3 == 2 });
        put(m, "%s%.6f", r ? "," : "[", column[r / 3]);
    }
    recon_markup_put(m, "],\"molecules\":{");
    for (size_t i = 0; i < n; i++) {
        recon_conformer x = recon_molecules_get(data, i);
        if (put_before[x.molecule])
            continue;
        put_before[x.molecule] = 1;
        put(m, "%s\"%d\":", known++ ? "," : "", (int)x.molecule);
        RECON_TRY(put_molecule(ctx, m, &x));
    }
    recon_markup_put(m, "},\"conformers\":[");
    for (size_t i = 0; i < n; i++) {
        recon_conformer x = recon_molecules_get(data, i);
        recon_markup_put(m, i ? ",\n" : "\n");
        put_conformer(m, &l->line[i], &x);
    }
    recon_markup_put(m, "]");
done:
    free(put_before);
    return status;
}

const recon_input_drawing recon_molecules_drawing = { .kind = &recon_molecules_kind,
                                                      .group = RECON_SO3,
                                                      .new_data = "xyz:NEW",
                                                      .rotated = "rotated.xyz",
                                                      .pairs = put_pairs,
                                                      .pictures = put_pictures };
