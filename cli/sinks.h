/* sinks.h - where canonical inputs go, block by block. */
#ifndef CLI_SINKS_H
#define CLI_SINKS_H

#include "cli/cli.h"
#include "core/folder.h"
#include "data/xyz.h"

enum { CLI_BLOCK = 1024 }; /* inputs that are taken at once */

typedef struct {
    const char *path;
    const cli_inputs *inputs;
    size_t block_bytes; /* of CLI_BLOCK canonical inputs, at most */
    /* one of the three */
    recon_npy_writer *npy;
    recon_xyz_writer *xyz;
    recon_stage stage;       /* of the folder: pictures and poses come in one step */
    const char *folder;      /* in which they are written */
    recon_dataset_info size; /* of images */
    recon_interpolation interpolation;
    size_t picture_most;
} cli_sink;

/* path: FILE.npy or a folder for images, FILE.xyz for molecules. Close always. */
recon_status cli_sink_open(recon_ctx *ctx, cli_sink *to, const char *path, const cli_inputs *inputs,
                           recon_interpolation interpolation, size_t picture_most);
/* n canonical inputs from the first on, and of images their poses. */
recon_status cli_sink_take(recon_ctx *ctx, cli_sink *to, const void *canonical, const void *poses,
                           size_t first, size_t n);
/* Puts all in its place, and to `poses`, a path or NULL, the absolute poses: ndim 1, angles [n], or
 * 3, matrices [n][3][3]. */
recon_status cli_sink_commit(recon_ctx *ctx, cli_sink *to, const char *poses,
                             const double *absolute, int ndim);
void cli_sink_close(recon_ctx *ctx, cli_sink *to);

#endif
