/* inputs.h (private) - the inputs of a set, as given and as they should be: pairs of pictures, and a
 * table of all, which a reader sorts, filters, marks and downloads for `canonicalize --actions`.
 *
 *     recon_lines lines; // or lines and names of one's own
 *     RECON_TRY(recon_lines_read(ctx, &lines, "DIR/poses.csv", group));
 *     const recon_listing all = { .line = lines.line, .n = lines.n, .heading = lines.heading,
 *                                 .group = group, .data = data };
 *     recon_page_section(page, "As given, and upright");
 *     recon_page_pairs(page, &all, row, n, "Some of them."); // rows of all, in any order
 *     recon_page_listing(page, &all);
 *
 * Like everything in page.h these return nothing: the page keeps the first failure. */
#ifndef REPORT_INPUTS_H
#define REPORT_INPUTS_H

#include "model/table.h"
#include "report/page.h"

typedef struct {
    const recon_line *line; /* [n] */
    size_t n;
    const char *heading; /* of the column of names: "file", "molecule", as in poses.csv */
    const recon_group *group;
    const recon_data *data; /* the same inputs in the same order; NULL: without pictures */
} recon_listing;

/* Some lines as pairs of pictures with their names, as given and rotated; a line that is not rotated
 * stays as it is. Pictures of files are read from these. Nothing where there are no pictures. */
void recon_page_pairs(recon_page *page, const recon_listing *l, const size_t *row, size_t n,
                      const char *caption);

/* Up to n lines for such pairs, of `all` at most n: first some that are rotated, evenly by how far, then
 * some that are left because nothing can be told, then others. How many. */
enum { RECON_PAIRS_MOST = 24 };
recon_status recon_pairs_choose(recon_ctx *ctx, size_t row[RECON_PAIRS_MOST], size_t *n,
                                const recon_listing *l);

/* All lines. Beyond RECON_LISTING_MOST they are left out, and that is said. */
enum { RECON_LISTING_MOST = 50000 };
void recon_page_listing(recon_page *page, const recon_listing *l);

/* What is done with a line, in a few words: "rotated by 91 degrees". Returns out. */
typedef char recon_line_words[64];
const char *recon_line_say(recon_line_words out, const recon_line *line, const recon_group *group);

/* --- how inputs of a kind are drawn ------------------------------------------------------------- */

enum { RECON_LISTING_BYTES = 8500000 /* of all pictures of a listing, before base64 */ };

typedef struct {
    const recon_data_kind *kind;
    const recon_group *group;
    const char *new_data, *rotated; /* in commands: a SPEC, where the result goes */
    recon_status (*pairs)(recon_ctx *ctx, recon_page *page, const recon_listing *l,
                          const size_t *row, size_t n, const char *caption);
    /* Members of the object that the script draws from, each with a comma in front. */
    recon_status (*pictures)(recon_ctx *ctx, recon_markup *json, const recon_listing *l);
} recon_input_drawing;

extern const recon_input_drawing recon_images_drawing, recon_molecules_drawing;

/* That of data of this kind whose poses are on this group; NULL: there is none. */
const recon_input_drawing *recon_input_drawing_of(const char *kind, const recon_group *group);

#endif
