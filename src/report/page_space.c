/* page_space.c - things in space: the still figure, and what the script needs to rotate it.
 *
 * The script draws into the still figure, at the places the figure gave each thing, so that layout
 * and looks are decided once. It is told the view and, in the order of drawing, every thing that is
 * there: nothing is computed twice that C has computed. */
#include "report/page_parts.h"
#include <recon/group/matrix_fisher.h>
#include "core/fail.h"
#include "report/canvas.h"

#include <stdlib.h>

/* JSON in which commas go before all but the first. */
typedef struct {
    recon_page *page;
    recon_markup text;
    int first;
} json;

static void open_list(json *j)
{
    recon_markup_put(&j->text, j->first ? "[" : ",[");
    j->first = 1;
}

static void close_list(json *j)
{
    recon_markup_put(&j->text, "]");
    j->first = 0;
}

static void put(json *j, const char *fmt, ...) RECON_PRINTF(2, 3);
static void put(json *j, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = recon_page_print(j->page, fmt, ap);
    va_end(ap);
    if (!text)
        return;
    recon_markup_put(&j->text, j->first ? "" : ",");
    recon_markup_put(&j->text, text);
    j->first = 0;
    free(text);
}

static void put_view(json *j)
{
    double columns[3][3];
    for (int c = 0; c < 3; c++)
        recon_view(columns[c], (double[3]){ c == 0, c == 1, c == 2 });
    open_list(j);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            put(j, "%.9f", columns[c][r]);
    close_list(j);
}

/* [[atoms: look, radius, x, y, z], [bonds: a, b], axis: x, y, z or nothing], lengths in halves of
 * the picture's side. */
static recon_status put_molecule(json *j, const recon_molecule_picture *m)
{
    recon_bonds bonds = { 0 };
    double middle[3], scale = recon_molecule_scale(middle, m);
    recon_status status = recon_bonds_perceive(j->page->ctx, &bonds, m->z, m->xyz, m->atoms);
    open_list(j);
    open_list(j);
    for (size_t i = 0; i < m->atoms && status == RECON_OK; i++) {
        const float *at = m->xyz + 3 * i;
        put(j, "[\"%s\",%.4f,%.4f,%.4f,%.4f]", recon_atom_look(m->z[i]),
            scale * recon_atom_radius(m->z[i]), scale * ((double)at[0] - middle[0]),
            scale * ((double)at[1] - middle[1]), scale * ((double)at[2] - middle[2]));
    }
    close_list(j);
    open_list(j);
    for (size_t i = 0; i < bonds.n; i++)
        put(j, "[%d,%d]", bonds.list[i].a, bonds.list[i].b);
    close_list(j);
    open_list(j);
    for (int c = 0; m->axis && c < 3; c++)
        put(j, "%.4f", m->axis[c]);
    close_list(j);
    close_list(j);
    recon_bonds_free(&bonds);
    return status;
}

/* F by rows and log c(F). */
static recon_status put_sphere(json *j, const double f[9])
{
    recon_fisher fisher;
    recon_status status = recon_fisher_of(j->page->ctx, &fisher, f);
    open_list(j);
    for (int i = 0; i < 9 && status == RECON_OK; i++)
        put(j, "%.9g", f[i]);
    if (status == RECON_OK)
        put(j, "%.9g", fisher.log_constant);
    close_list(j);
    return status;
}

static json begin(recon_page *page)
{
    json j = { .page = page, .text = { .ctx = page->ctx }, .first = 1 };
    open_list(&j);
    put_view(&j);
    return j;
}

/* Takes svg and the text of j. */
static void end(json *j, char *svg, const char *caption, const char *kind)
{
    close_list(j);
    recon_page_fail(j->page, j->text.status);
    if (j->page->status == RECON_OK)
        recon_page_picture(j->page, svg, caption, kind, j->text.text);
    free(j->text.text);
    free(svg);
}

void recon_page_molecules(recon_page *page, const recon_molecule_sheet *sheet, const char *caption)
{
    char *svg;
    if (page->status != RECON_OK)
        return;
    recon_page_fail(page, recon_figure_molecules(page->ctx, &svg, sheet));
    json j = begin(page);
    for (size_t i = 0; page->status == RECON_OK && i < sheet->rows * sheet->columns; i++)
        if (sheet->molecules[i].atoms)
            recon_page_fail(page, put_molecule(&j, &sheet->molecules[i]));
    end(&j, svg, caption, "molecules");
}

void recon_page_spheres(recon_page *page, const recon_sphere_sheet *sheet, const char *caption)
{
    char *svg;
    if (page->status != RECON_OK)
        return;
    recon_page_fail(page, recon_figure_spheres(page->ctx, &svg, sheet));
    json j = begin(page);
    for (size_t i = 0; page->status == RECON_OK && i < sheet->rows * sheet->columns; i++)
        if (sheet->spheres[i].f)
            recon_page_fail(page, put_sphere(&j, sheet->spheres[i].f));
    end(&j, svg, caption, "spheres");
}
