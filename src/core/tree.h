/* tree.h - operations on a whole folder: list, remove, sync, and move the files of an earlier
 * folder into one that replaces it.
 *
 * * * Folders are descriptors and links are never followed, so nothing outside is touched. `own`
 * are the names, below the folder, of the files of a result; all else is kept. */
#ifndef CORE_TREE_H
#define CORE_TREE_H

#include <stddef.h>
#include <recon/core/ctx.h>

/* A sorted list of names of files, initialised with zeros. Paths inside a folder use '/'. */
typedef struct {
    char **name;
    size_t n, room;
} recon_names;

recon_status recon_names_add(recon_ctx *ctx, recon_names *names, const char *name);
void recon_names_free(recon_names *names);

/* Call it after adding the last name and before the first lookup. */
void recon_names_sort(recon_names *names);
int recon_names_have(const recon_names *names, const char *name);
/* Returns whether one of them lies below the folder, at any depth. */
int recon_names_below(const recon_names *names, const char *folder);

/* --- a folder */

/* Lists the entries of a folder whose names begin with the prefix ("": all), sorted. */
recon_status recon_tree_list(recon_ctx *ctx, recon_names *out, int folder, const char *prefix);

/* Opens a folder below another; -1 with errno on failure. */
int recon_tree_open(int folder, const char *name);

/* Returns whether there is such an entry, of any type. */
int recon_tree_has(int folder, const char *name);

/* Removes an entry, a folder with its content. path, here and below, is for messages. */
recon_status recon_tree_remove(recon_ctx *ctx, int parent, const char *name, const char *path);

/* Forces the names in the folder and its sub-folders to the disk, after their files. */
recon_status recon_tree_sync(recon_ctx *ctx, int folder, const char *path);

/* Fails if an entry of the old folder is in the way of one of the new folder: a folder in place of
 * a file, or a file that is not `own` in place of a folder. */
recon_status recon_tree_check(recon_ctx *ctx, int fresh, int old, const recon_names *own,
                              const char *path);

/* Links every file of old that is not `own` into fresh, unless fresh has one of that name.
 * *possible becomes 0 if the file system or the owner of a file does not allow it.
 * recon_tree_unlink removes the links again. */
recon_status recon_tree_link(recon_ctx *ctx, int fresh, int old, const recon_names *own,
                             const char *path, int *possible);
recon_status recon_tree_unlink(recon_ctx *ctx, int fresh, int old, const char *path);

/* Empties old, which fresh has replaced: its own files are removed, `last`, which lists them, at
 * the end; the others are moved to fresh unless they exist there. *kept counts the files that
 * remain because fresh has another one of that name that is not its own. */
recon_status recon_tree_merge(recon_ctx *ctx, int fresh, const recon_names *fresh_own, int old,
                              const recon_names *old_own, const char *last, const char *path,
                              size_t *kept);

/* move brings everything in stage up into the folder; drop removes the files of these names from
 * it. Both may be repeated after an interruption. */
recon_status recon_tree_move(recon_ctx *ctx, int folder, int stage, const char *path);
recon_status recon_tree_drop(recon_ctx *ctx, int folder, const recon_names *names,
                             const char *path);

#endif
