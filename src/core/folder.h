/* folder.h - folders of results: written as wholes, by one at a time.
 *
 * A result is written into a stage, a folder that nobody looks into, and takes the place of the
 * earlier one when all of it is on the disk: the two folders are exchanged in one step. Whatever
 * else lies in the folder stays: files are linked into the new one before the exchange, sub-folders
 * move after it. Where folders cannot be exchanged the files move one by one, by a journal
 * (core/journal.h) that the next writer completes if this one dies.
 *
 * A writer holds a lock on the folder, by which others know that it lives; what dead ones have left
 * is removed by the next. */
#ifndef CORE_FOLDER_H
#define CORE_FOLDER_H

#include "core/tree.h"

#include <sys/stat.h>

enum { RECON_PATH = 4096 };

/* dir/name in out, which is returned. */
const char *recon_folder_join(char out[RECON_PATH], const char *dir, const char *name);

/* Makes a folder, unless it is there; its parent must be. */
recon_status recon_folder_make(recon_ctx *ctx, const char *path);

/* Keeps other writers out of a folder until close(*fd): waits for them 10 seconds. */
recon_status recon_folder_lock(recon_ctx *ctx, int *fd, const char *dir);

/* For those who read several files of a result: whether it is still the one that was looked at. */
typedef struct {
    struct stat folder, list;
} recon_folder_view;
recon_status recon_folder_look(recon_ctx *ctx, recon_folder_view *out, const char *dir);
recon_status recon_folder_check(recon_ctx *ctx, const recon_folder_view *view, const char *dir);

/* --- which files of a folder belong to a result
 *
 * `recon normalize` and `recon discover` list them in summary.json, as "files"; pictures are listed
 * in poses.csv. Version 0.1.0 had no "files": of its summary the names are known. Everything else
 * in the folder is the user's, and without such a list everything is. */

/* What replaces what: a result of one kind leaves those of the other alone. */
typedef enum { RECON_RESULT, RECON_PICTURES, RECON_FOLDER_KINDS } recon_folder_kind;

const char *recon_folder_kind_name(recon_folder_kind kind);
/* The file that lists the others. */
const char *recon_folder_list(recon_folder_kind kind);

/* The names of the files, sorted; some may be missing from the folder. */
recon_status recon_result_files(recon_ctx *ctx, recon_names *out, recon_folder_kind kind,
                                const char *dir);

/* The same of a result that was just written to dir, with or without a summary: what has these
 * names in another folder is replaced by it. */
recon_status recon_written(recon_ctx *ctx, recon_names *out, recon_folder_kind kind,
                           const char *dir);

/* Whether some result has, or had in version 0.1.0, a file by that name: of leftovers. */
int recon_is_result_file(const char *name, size_t length);

/* --- writing one */

typedef struct {
    char path[RECON_PATH]; /* write here; "" once it is done, one way or the other */
    /* private */
    recon_folder_kind kind;
    char dir[RECON_PATH];    /* as it was asked for, for messages  */
    char target[RECON_PATH]; /* where that is                      */
    int inside;              /* the stage is in the folder         */
    int fd, target_fd;       /* both locked; -1: not there         */
} recon_stage;

#define RECON_NO_STAGE ((recon_stage){ .fd = -1, .target_fd = -1 }) /* may be closed */

/* Close always, also after a failure; without a commit the folder is as it was, and not there if it
 * was not. What is written must have been synced, as recon_writer_commit does. Messages name the
 * folder, not the stage, once it is closed. */
recon_status recon_stage_open(recon_ctx *ctx, recon_stage *out, const char *dir,
                              recon_folder_kind kind);
/* Where to write a file that is to be at `path`: there, or in the stage if that is in its folder;
 * then it comes with the others. out takes the answer if need be. */
const char *recon_stage_file(recon_ctx *ctx, const recon_stage *stage, char out[RECON_PATH],
                             const char *path);
/* Fails if the file is one of the earlier result, or has the name of one that was written to the
 * stage: for what is read, and must not go with a commit. */
recon_status recon_stage_keeps(recon_ctx *ctx, const recon_stage *stage, const char *path);
recon_status recon_stage_commit(recon_ctx *ctx, recon_stage *stage);
void recon_stage_close(recon_ctx *ctx, recon_stage *stage);

#endif
