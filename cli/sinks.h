/* sinks.h - writes canonical inputs, block by block. */
#ifndef CLI_SINKS_H
#define CLI_SINKS_H

#include "cli/cli.h"
#include "cli/pictures.h"
#include "model/table.h"
#include "core/folder.h"
#include "data/xyz.h"
#include "core/npy.h"

enum { CLI_BLOCK = 1024 }; /* inputs that are taken at once */

typedef struct {
    const char *path;
    const cli_inputs *inputs;
    size_t block_bytes; /* of CLI_BLOCK canonical inputs, at most */
    /* one of the three */
    recon_npy_writer *npy;
    recon_xyz_writer *xyz;
    recon_stage stage;  /* of the folder: pictures and poses come in one step */
    const char *folder; /* in which they are written; NULL: not a folder */
    recon_table table;  /* poses.csv of a folder, or the file that was asked for */
    int has_table;
    recon_dataset_info size; /* of images */
    cli_rotation how;        /* pictures are rotated; without a budget */
    double *page_angle; /* [n] of a folder: pages of TIFF files are written once all are known */
} cli_sink;

#define CLI_NO_SINK                                                                                \
    {                                                                                              \
        .stage = RECON_NO_STAGE, .table = RECON_NO_TABLE                                           \
    }

/* path: FILE.npy or a folder for images, FILE.xyz for molecules. table: a path for the table, or
 * NULL; a folder has its own; group: of its poses. Close always. */
recon_status cli_sink_open(recon_ctx *ctx, cli_sink *to, const char *path, const char *table,
                           const cli_inputs *inputs, const recon_group *group,
                           const cli_rotation *how);
/* Writes n canonical inputs from the first on, if the sink is a file. */
recon_status cli_sink_take(recon_ctx *ctx, cli_sink *to, const void *canonical, size_t first,
                           size_t n);
/* The same if it is a folder: each picture is rotated by its angle when it is written, from its own
 * file if it has one, else from `in`; out has room for n images. A file that is not rotated is
 * copied. Stacks are written by commit. */
recon_status cli_sink_pictures(recon_ctx *ctx, cli_sink *to, float *out, const float *in,
                               const double *angles, size_t first, size_t n);
/* Completes the table of a staged result ahead of the rest, so that it can be read. */
recon_status cli_sink_complete_table(recon_ctx *ctx, cli_sink *to);
/* Commits everything, including the table, and writes absolute poses to `poses`, which may be
 * NULL. */
recon_status cli_sink_commit(recon_ctx *ctx, cli_sink *to, const char *poses,
                             const recon_group *group, const double *absolute);
void cli_sink_close(recon_ctx *ctx, cli_sink *to);

#endif
