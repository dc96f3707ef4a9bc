/* found.h - the report of a folder written by `recon discover` or `recon normalize`, in words and
 * figures. If data are given, the model of the folder is opened.
 *
 * Numbers come from summary.json and the arrays beside it. Pictures need the data that the folder
 * was made from; without them (NULL) those sections say so. Samples are drawn with fixed seeds, so
 * the same folder gives the same page. A file that is missing, broken or inconsistent with the
 * others is an error that names it, and so are other data than those of the folder. */
#ifndef RECON_REPORT_FOUND_H
#define RECON_REPORT_FOUND_H

#include <recon/model/discover.h>

/* A self-contained page, written to path as a whole or not at all: results, then sections, for any
 * kind of folder. One of an application's own kind of data needs a context with its backbone
 * (recon_backbone_add). */
typedef struct {
    const recon_data *data; /* that the folder was made from; may be NULL                     */
    const char *missing;    /* why there are no data, for the reader; NULL: not said          */
    const char *folder; /* how the page names the folder, if it will be elsewhere; NULL: as dir */
} recon_found_data;
RECON_API recon_status recon_found_save(recon_ctx *ctx, const char *path, const char *dir,
                                        const recon_found_data *data);
/* The same as report.html in dir, where it replaces a link, for recon_discover_options.report: made of
 * what the discovery holds in memory. data is a recon_found_data. */
RECON_API recon_status recon_found_report(recon_ctx *ctx, void *data, const recon_discovered *found,
                                          const char *dir);

#endif
