/* folder.h - folders of results, each written as a whole by one process at a time.
 *
 * A result is written into a stage, a folder that nobody reads. When all of it is on the disk, the
 * stage and the folder are exchanged in one step. Other files of the folder are kept: files are
 * linked into the new one before the exchange, and sub-folders are moved after it. If the file
 * system cannot exchange folders, the files are moved one by one, with a journal (core/journal.h)
 * that the next writer completes if this one dies.
 *
 * A writer holds a lock on the folder, which shows others that it is alive. Leftovers of dead
 * writers are removed by the next one. */
#ifndef CORE_FOLDER_H
#define CORE_FOLDER_H

#include "core/tree.h"

#include <sys/stat.h>

enum { RECON_PATH = 4096 };

/* Writes dir/name to out and returns it. */
const char *recon_folder_join(char out[RECON_PATH], const char *dir, const char *name);

/* Makes a folder unless it exists; its parent must exist. */
recon_status recon_folder_make(recon_ctx *ctx, const char *path);

/* Keeps other writers out of a folder until close(*fd): waits for them 10 seconds. */
recon_status recon_folder_lock(recon_ctx *ctx, int *fd, const char *dir);

/* For reading several files of a result: check fails if it was replaced since look. */
typedef struct {
    struct stat folder, list;
} recon_folder_view;
recon_status recon_folder_look(recon_ctx *ctx, recon_folder_view *out, const char *dir);
recon_status recon_folder_check(recon_ctx *ctx, const recon_folder_view *view, const char *dir);

/* --- which files of a folder belong to a result
 *
 * * `recon normalize` and `recon discover` list them in summary.json, as "files"; pictures are
 * listed in poses.csv. Everything else in the folder, or all without a list, belongs to the
 * user. */

/* The result that pictures were rotated by may lie in a folder of this name among them. */
#define RECON_FOUND "found"
/* Molecules have one file in place of pictures. */
#define RECON_UPRIGHT_XYZ "upright.xyz"

/* A result replaces earlier ones of its own kind only. */
typedef enum { RECON_RESULT, RECON_PICTURES, RECON_FOLDER_KINDS } recon_folder_kind;

const char *recon_folder_kind_name(recon_folder_kind kind);
/* The file that lists the others. */
const char *recon_folder_list(recon_folder_kind kind);

/* Lists the names of the files, sorted; some may be missing from the folder. */
recon_status recon_result_files(recon_ctx *ctx, recon_names *out, recon_folder_kind kind,
                                const char *dir);

/* The same for a result that was just written to dir, with or without a summary: files with these
 * names in the target folder are replaced. */
recon_status recon_written(recon_ctx *ctx, recon_names *out, recon_folder_kind kind,
                           const char *dir);

/* Returns whether results have a file of that name; for leftovers. */
int recon_is_result_file(const char *name, size_t length);

/* --- writing one */

typedef struct {
    char path[RECON_PATH]; /* write here; "" after a commit or a close */
    /* private */
    recon_folder_kind kind;
    char dir[RECON_PATH];    /* the path that was asked for, for messages */
    char target[RECON_PATH]; /* the resolved path */
    int inside;              /* the stage is inside the folder */
    int fd, target_fd;       /* both locked; -1: does not exist */
} recon_stage;

#define RECON_NO_STAGE ((recon_stage){ .fd = -1, .target_fd = -1 }) /* may be closed */

/* Always close a stage, also after a failure; without a commit the folder is unchanged, or still
 * does not exist. Files in it must be synced before the commit, as recon_writer_commit does. After
 * the close, messages name the folder instead of the stage. */
recon_status recon_stage_open(recon_ctx *ctx, recon_stage *out, const char *dir,
                              recon_folder_kind kind);
/* Returns where to write a file for `path`: in the stage if the path is in its folder, so that it
 * appears with the other files; otherwise path. out may receive the result. */
const char *recon_stage_file(recon_ctx *ctx, const recon_stage *stage, char out[RECON_PATH],
                             const char *path);
/* Fails if the file belongs to the earlier result, or has the name of a file in the stage: for
 * inputs, which a commit must not remove. */
recon_status recon_stage_keeps(recon_ctx *ctx, const recon_stage *stage, const char *path);
recon_status recon_stage_commit(recon_ctx *ctx, recon_stage *stage);
void recon_stage_close(recon_ctx *ctx, recon_stage *stage);

#endif
