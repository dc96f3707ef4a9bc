/* page.h - a report as one HTML page, written from top to bottom.
 *
 * The page is one file: it loads nothing, not even a font, and its own rules forbid it to. Colours
 * follow the reader's choice of light or dark; it reads on a phone, on paper and aloud. Figures are
 * what figure.h makes, and things in space can be rotated by mouse, finger and arrow keys; without
 * script they stand still and nothing else is missing.
 *
 * All text is plain UTF-8 and escaped here; bytes that are not UTF-8 are replaced. In the lead, in
 * paragraphs and in captions of figures, what stands between backquotes is set as code. Formats are
 * printf's, and numbers have a point in every locale. As in core/svg.h calls return nothing: the
 * first failure (memory, a figure that cannot be made, a cell without a table) stays, later calls
 * do nothing, and recon_page_finish says what it was.
 *
 *     recon_page_new(ctx, &page, "Garments", "Where 1,500 garments lie, found without labels.");
 *     recon_page_result(page, "accuracy, rotated back", "%.1f %%", 89.0);
 *     recon_page_section(page, "Poses");
 *     recon_page_fail(page, recon_figure_roses(ctx, &svg, &roses));
 *     recon_page_figure(page, svg, "Poses of each class before and after centring.");
 *     recon_page_table(page, "Width of each class", columns, 2);
 *     recon_page_cell(page, "trousers");
 *     recon_page_cell(page, "%.1f", 12.5);
 *     status = recon_page_save(page, "report.html"); */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stddef.h>
#include <recon/core/ctx.h>
#include "report/figure.h"

typedef struct recon_page recon_page;

/* An empty page; lead is the sentence under the title, NULL: none. */
recon_status recon_page_new(recon_ctx *ctx, recon_page **out, const char *title, const char *lead);

/* One sentence below the title with a verdict in colour, "good", "care" or "bad"; verdict may be NULL. */
void recon_page_verdict(recon_page *page, const char *cls, const char *verdict, const char *fmt,
                        ...) RECON_PRINTF(4, 5);

/* A headline number. They stand on top, side by side, in the order of the calls, whenever those
 * come. */
void recon_page_result(recon_page *page, const char *what, const char *fmt, ...) RECON_PRINTF(3, 4);

/* Begins a section, which stands in the contents. */
void recon_page_section(recon_page *page, const char *heading);

/* A paragraph, and one that warns. */
void recon_page_say(recon_page *page, const char *fmt, ...) RECON_PRINTF(2, 3);
void recon_page_warning(recon_page *page, const char *fmt, ...) RECON_PRINTF(2, 3);

/* A figure made by recon_figure_*; the page takes svg and frees it, also after a failure. svg may
 * be NULL only where recon_page_fail has just been told why. */
void recon_page_figure(recon_page *page, char *svg, const char *caption);

/* The figures of these sheets, each thing in them to be rotated by the reader. */
void recon_page_molecules(recon_page *page, const recon_molecule_sheet *sheet, const char *caption);
void recon_page_spheres(recon_page *page, const recon_sphere_sheet *sheet, const char *caption);

/* A table and its cells, row by row; they must fill the last row. The first column names the row.
 * Columns of numbers are set to the right. A table right behind a figure folds under it, as its
 * numbers; one without cells says so. n is at least 1. */
void recon_page_table(recon_page *page, const char *caption, const char *const *columns /* [n] */,
                      size_t n);
void recon_page_cell(recon_page *page, const char *fmt, ...) RECON_PRINTF(2, 3);

/* A failure of whoever fills the page: it stays as if it were the page's own. RECON_OK changes
 * nothing. */
void recon_page_fail(recon_page *page, recon_status status);

/* Ends the page: its HTML through *out, to be freed with free(); NULL on failure. The page is gone
 * either way. */
recon_status recon_page_finish(recon_page *page, char **out);

/* Ends the page and writes it to path, as recon_svg_save and recon_svg_save_over do. */
recon_status recon_page_save(recon_page *page, const char *path);
recon_status recon_page_save_over(recon_page *page, const char *path);

/* Drops a page that will not be finished. Harmless on NULL. */
void recon_page_free(recon_page *page);

#endif
