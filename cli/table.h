/* table.h - what is known of each input, a line each: what score --out FILE.csv, canonicalize's
 * poses.csv and canonicalize --poses FILE.csv hold. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "cli/cli.h"
#include "core/file.h"

typedef struct {
    recon_writer to;
    const cli_inputs *inputs;
    const recon_group *group;
    int rotated; /* does it have that column? */
} cli_table;

/* Close always: without a commit before it, nothing is left behind. A sync puts all of it on the
 * disk, and leaves the commit nothing to do but to give the file its name. */
#define CLI_NO_TABLE                                                                               \
    {                                                                                              \
        .to = {.fd = -1 }                                                                          \
    }
recon_status cli_table_open(recon_ctx *ctx, cli_table *out, const char *path,
                            const cli_inputs *inputs, const recon_group *group, int rotated);
recon_status cli_table_add(recon_ctx *ctx, cli_table *table, const recon_row *rows, size_t first,
                           size_t n);
recon_status cli_table_sync(recon_ctx *ctx, cli_table *table);
recon_status cli_table_commit(recon_ctx *ctx, cli_table *table);
void cli_table_close(cli_table *table);

/* What the table calls input i: its file or its molecule; images without either are numbered, as
 * canonicalize names their pictures. */
enum { CLI_FILE_NAME = 1024 };
const char *cli_table_name(char out[CLI_FILE_NAME], const cli_inputs *inputs, size_t i);

#endif
