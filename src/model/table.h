/* table.h (private) - what is known of each input, a line each: poses.csv of discover and of canonicalize,
 * score --out FILE.csv and canonicalize --poses FILE.csv. */
#ifndef MODEL_TABLE_H
#define MODEL_TABLE_H

#include <recon/model/canonicalize.h>
#include "backbone/inputs.h"
#include "core/file.h"

typedef struct {
    recon_writer to;
    const recon_inputs *inputs;
    const recon_group *group;
    int rotated; /* does it have that column? */
} recon_table;

/* Close always: without a commit before it, nothing is left behind. A sync puts all of it on the
 * disk, and leaves the commit nothing to do but to give the file its name. */
#define RECON_NO_TABLE                                                                             \
    {                                                                                              \
        .to = {.fd = -1 }                                                                          \
    }
recon_status recon_table_open(recon_ctx *ctx, recon_table *out, const char *path,
                              const recon_inputs *inputs, const recon_group *group, int rotated);
recon_status recon_table_add(recon_ctx *ctx, recon_table *table, const recon_row *rows,
                             size_t first, size_t n);
recon_status recon_table_sync(recon_ctx *ctx, recon_table *table);
recon_status recon_table_commit(recon_ctx *ctx, recon_table *table);
void recon_table_close(recon_table *table);

/* What the table calls input i: its file or its molecule; images without either are numbered, as
 * canonicalize names their pictures. */
enum { RECON_FILE_NAME = 1024 };
const char *recon_table_name(char out[RECON_FILE_NAME], const recon_inputs *inputs, size_t i);

#endif
