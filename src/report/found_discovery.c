/* found_discovery.c - the page of a discovery: pairs, a table of all inputs, clusters, and whether to
 * trust it. What it says of inputs and clusters is what poses.csv and clusters.csv say. */
#include "report/found.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/memory.h"
#include "data/text.h"
#include "report/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static recon_listing list(const recon_found_folder *f, const recon_data *data)
{
    return (recon_listing){ f->lines.line, f->lines.n, f->lines.heading, f->group, data };
}

/* --- clusters --------------------------------------------------------------------------------- */

/* By how much the inputs of a cluster come closer to their natural pose, mean, degrees. */
static double gain_of(const recon_found_folder *f, int64_t cluster)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < f->lines.n; i++) {
        const recon_line *line = &f->lines.line[i];
        if (line->cluster != cluster)
            continue;
        sum += line->rotated ? f->group->length(f->group, line->pose) : 0;
        n++;
    }
    return n ? sum / (double)n * RECON_TO_DEGREES : 0;
}

enum { LISTED = 200 /* clusters */ };

/* clusters.csv as it is, and the gain. */
static recon_status table_clusters(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    static const char *const columns[] = { "cluster",
                                           "inputs",
                                           "verdict",
                                           "with that verdict",
                                           "poses: share",
                                           "width (degrees)",
                                           "from the natural pose (degrees, mean)",
                                           "action",
                                           "gain (degrees)",
                                           "about what the model held upright (degrees)" };
    enum { COLUMNS = sizeof columns / sizeof *columns - 1 };
    int prior = !!json_object_get(f->summary, "prior_differs");
    char path[RECON_PATH], *field = NULL;
    recon_file file = { 0 };
    recon_span rest, line;
    recon_status status;
    RECON_TRY(recon_file_open(ctx, &file, recon_folder_join(path, f->dir, "clusters.csv")));
    RECON_TRY(recon_alloc_raw(ctx, &field, file.size + 1, 1));
    rest = recon_text_begin((const char *)file.bytes, file.size);
    recon_text_line(&line, &rest); /* the header */
    recon_page_table(page, "All clusters", columns, COLUMNS + (size_t)prior);
    for (size_t i = 0; i < LISTED && recon_text_line(&line, &rest); i++) {
        const char *at = line.at;
        size_t cluster = SIZE_MAX, c = 0;
        for (; c + 1 < COLUMNS && recon_table_field(field, &at, line.end); c++) {
            if (c == 0)
                recon_parse_count(&cluster, field, 0);
            recon_page_cell(page, "%s", field);
        }
        if (c + 1 != COLUMNS)
            RECON_TRY(
                recon_fail(ctx, RECON_ERR_FORMAT, "%s: line %zu: %zu fields", path, i + 2, c));
        recon_page_cell(page, "%.1f", gain_of(f, (int64_t)cluster));
        if (prior)
            recon_page_cell(page, "%s",
                            recon_table_field(field, &at, line.end) && *field ? field : "-");
    }
done:
    free(field);
    recon_file_close(&file);
    return status;
}

static recon_status show_clusters(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    recon_found_groups groups = { 0 };
    recon_status status;
    recon_page_section(page, "Clusters");
    RECON_TRY(recon_found_group(ctx, &groups, f));
    if (groups.count)
        RECON_TRY(recon_found_show_poses(ctx, page, f, &groups));
    recon_page_say(page,
                   "Inputs that look alike whichever way they are rotated. The width is that of "
                   "their poses about one natural pose. The gain is by how much rotating them "
                   "brings them closer to it, on average, if the natural pose is right.");
    if (json_array_size(json_object_get(f->summary, "prior_differs")))
        recon_page_say(
            page, "The model that began here had learned from other inputs. The last column is "
                  "how far these lie from what it holds for upright: "
                  "`{recon.canonicalize(prior)}` takes that instead.");
    RECON_TRY(table_clusters(ctx, page, f));
done:
    recon_found_groups_free(&groups);
    return status;
}

/* --- the page --------------------------------------------------------------------------------- */

static void show_notes(recon_page *page, const recon_found_folder *f)
{
    double hits = recon_found_overall(f, "hit_rate");
    double symmetric = recon_found_maybe(f, "symmetric_count");
    recon_found_words words;
    if (!isnan(hits))
        recon_page_say(page,
                       "%s of the neighbours of an input have its label. Labels were used only for "
                       "this figure.%s",
                       recon_found_share(words, hits),
                       hits < 0.5
                           ? " So few suggest that different kinds are mixed: train longer, or "
                             "use a smaller {k}."
                           : "");
    if (symmetric > 0)
        recon_page_say(
            page,
            "%.0f of the molecules are symmetric under rotations, like water and benzene: "
            "no data or training can tell such poses apart.",
            symmetric);
    recon_found_warn_of_none(page, f, recon_found_many(f));
    recon_found_warn(page, f);
}

recon_status recon_found_discovery(recon_ctx *ctx, recon_page *page, const recon_found_folder *f,
                                   const recon_data *data)
{
    const recon_listing all = list(f, data && recon_found_draws(ctx, page) ? data : NULL);
    size_t row[RECON_PAIRS_MOST], n;
    RECON_CHECK(recon_pairs_choose(ctx, row, &n, &all));
    if (all.data) {
        recon_page_section(page, "As given, and rotated");
        recon_page_pairs(page, &all, row, n,
                         "Left: as given. Right: as recon rotates it. First inputs that would be "
                         "rotated, evenly by angle, then some that stay as they are.");
    }
    recon_page_section(page, "All inputs");
    recon_page_listing(page, &all);
    RECON_CHECK(show_clusters(ctx, page, f));
    recon_page_section(page, "Can these poses be trusted?");
    recon_found_show_trust(page, f);
    show_notes(page, f);
    recon_found_show_next(page, f);
    recon_found_show_settings(page, f);
    return RECON_OK;
}
