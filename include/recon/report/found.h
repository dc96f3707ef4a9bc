/* found.h - the report on a folder written by `recon discover` or `recon normalize`.
 *
 * Numbers come from summary.json and the arrays beside it. Pictures need the data that the folder
 * was made from, and the model in the folder; without data (NULL) these sections state that they
 * are missing. Samples are drawn with fixed seeds, so the same folder gives the same page. A file
 * that is missing, broken or inconsistent with the others is an error that names it, and so are
 * data other than those of the folder. */
#ifndef RECON_REPORT_FOUND_H
#define RECON_REPORT_FOUND_H

#include <recon/model/discover.h>

typedef struct {
    const recon_data *data; /* the data that the folder was made from; may be NULL */
    const char *missing;    /* why there are no data, for the reader; may be NULL */
    const char *folder;     /* the name of the folder on the page, if it will be moved; NULL: dir */
    const char *table;      /* the table of what was done with the inputs; NULL: dir/poses.csv */
} recon_found_data;
/* Writes a self-contained page about the folder dir to path, as a whole or not at all. If the data
 * are of an application's own kind, the context needs its backbone (recon_backbone_add). */
RECON_API recon_status recon_found_save(recon_ctx *ctx, const char *path, const char *dir,
                                        const recon_found_data *data);
/* Writes the same page as dir/report.html from a discovery in memory, replacing a link of that
 * name; for recon_discover_options.report. data is a recon_found_data. */
RECON_API recon_status recon_found_report(recon_ctx *ctx, void *data, const recon_discovered *found,
                                          const char *dir);

#endif
