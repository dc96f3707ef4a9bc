/* table.h (private) - tables with one line per input: poses.csv of discover and canonicalize, score
 * --out FILE.csv and canonicalize --poses FILE.csv. */
#ifndef MODEL_TABLE_H
#define MODEL_TABLE_H

#include <recon/model/canonicalize.h>
#include <recon/model/discover.h>
#include "backbone/inputs.h"
#include "core/file.h"
#include "data/text.h"
#include "model/laws.h"

typedef struct {
    recon_writer to;
    const recon_inputs *inputs;
    const recon_group *group;
    int rotated; /* does it have that column? */
} recon_table;

/* Always close a table; without a commit nothing is left behind. A sync forces it to the disk, so
 * that the commit only has to rename the file. */
#define RECON_NO_TABLE                                                                             \
    {                                                                                              \
        .to = {.fd = -1 }                                                                          \
    }
/* Into a stream that out->to has already; else to path. */
recon_status recon_table_open(recon_ctx *ctx, recon_table *out, const char *path,
                              const recon_inputs *inputs, const recon_group *group, int rotated);
recon_status recon_table_add(recon_ctx *ctx, recon_table *table, const recon_row *rows,
                             size_t first, size_t n);
recon_status recon_table_sync(recon_ctx *ctx, recon_table *table);
recon_status recon_table_commit(recon_ctx *ctx, recon_table *table);
void recon_table_close(recon_table *table);

/* --- clusters.csv, with one line per cluster of a discovery --- */

typedef struct {
    size_t inputs, verdict[RECON_NATURAL_KINDS];
    double rotation; /* sum of the distances from their natural pose */
} recon_cluster_count;
void recon_cluster_add(recon_cluster_count *count, const recon_group *group, const recon_row *row);
/* counts [laws->n]; clusters without inputs are left out. prior [n_prior], in their order; NULL: not asked. */
recon_status recon_clusters_write(recon_ctx *ctx, const char *path, const recon_group *group,
                                  const recon_laws *laws, const recon_cluster_count *counts,
                                  const recon_prior_cluster *prior, size_t n_prior);

/* --- read again ------------------------------------------------------------------------------- */

/* The next line of such a file: names in quotes may have line ends. 0: there is none. */
int recon_table_line(recon_span *line, recon_span *rest);
/* The next field of a line of such a file, without its quotation marks, to out, which has room for the
 * line; 0: there is none. *at begins at the line. */
int recon_table_field(char *out, const char **at, const char *end);

/* A line of poses.csv. */
typedef struct {
    const char *name;                   /* of the file or molecule              */
    double pose[RECON_NUMBERS_MAX];     /* of the input, about its natural pose */
    double score, p_value, p_embedding; /* NaN: not known                       */
    recon_natural verdict;
    int64_t cluster; /* -1: not known */
    int rotated;     /* by canonicalizing; of a table without that column 0 */
} recon_line;

typedef struct {
    recon_line *line; /* [n] */
    size_t n;
    char *text;          /* the names, and the heading of their column: */
    const char *heading; /* "file", "molecule", "input" */
} recon_lines;

/* The lines of a table of poses of this group. Free them also after a failure. */
recon_status recon_lines_read(recon_ctx *ctx, recon_lines *out, const char *path,
                              const recon_group *group);
void recon_lines_free(recon_lines *lines);

/* Returns the name of input i in the table: its file or molecule, or, for other images, a number,
 * as in the pictures that canonicalize writes. */
enum { RECON_FILE_NAME = 1024 };
const char *recon_table_name(char out[RECON_FILE_NAME], const recon_inputs *inputs, size_t i);
/* The heading of that column: "file", "molecule". */
const char *recon_table_heading(const recon_inputs *inputs);

/* A text as a field, between quotation marks, its own doubled; and whatever else there is in a table: numbers,
 * commas, the end of a line. */
recon_status recon_table_text(recon_ctx *ctx, recon_writer *to, const char *text);
recon_status recon_table_fields(recon_ctx *ctx, recon_writer *to, const char *fmt, ...)
    RECON_PRINTF(3, 4);

#endif
