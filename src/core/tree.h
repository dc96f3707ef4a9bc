/* tree.h - what is done to a folder of files as a whole: list, remove, sync, and bring the files of
 * an earlier folder into one that replaces it.
 *
 * Folders are descriptors and links are never followed, so that nothing outside is touched. "Own"
 * are the names, below the folder, of the files that belong to a result; everything else in it is
 * somebody's and kept. */
#ifndef CORE_TREE_H
#define CORE_TREE_H

#include <stddef.h>
#include <recon/core/ctx.h>

/* A list of names, sorted, so that one can be looked up: the files of a folder. */

/* Begins as zero. Paths inside a folder have '/' between their parts. */
typedef struct {
    char **name;
    size_t n, room;
} recon_names;

recon_status recon_names_add(recon_ctx *ctx, recon_names *names, const char *name);
void recon_names_free(recon_names *names);

/* After the last name was added, before the first question. */
void recon_names_sort(recon_names *names);
int recon_names_have(const recon_names *names, const char *name);
/* Whether one of them lies below the folder, at any depth. */
int recon_names_below(const recon_names *names, const char *folder);

/* --- a folder */

/* Entries of a folder whose names begin with the prefix ("": all), sorted. */
recon_status recon_tree_list(recon_ctx *ctx, recon_names *out, int folder, const char *prefix);

/* A folder below another, or -1 with errno. */
int recon_tree_open(int folder, const char *name);

/* Whether there is such an entry, of whatever kind. */
int recon_tree_has(int folder, const char *name);

/* Removes an entry, a folder with all that is in it. path, here and below, is for messages. */
recon_status recon_tree_remove(recon_ctx *ctx, int parent, const char *name, const char *path);

/* Puts the names in the folder and its sub-folders on the disk. The files in them are already. */
recon_status recon_tree_sync(recon_ctx *ctx, int folder, const char *path);

/* Fails where an entry of the old folder stands in the way of one of the new: a folder where a file
 * is to be, or a file of somebody's where a folder is. */
recon_status recon_tree_check(recon_ctx *ctx, int fresh, int old, const recon_names *own,
                              const char *path);

/* Links every file of old that is not its own into fresh, unless fresh has one of that name.
 * *possible becomes 0 where the file system or the file's owner does not let us. recon_tree_unlink
 * takes the links away again. */
recon_status recon_tree_link(recon_ctx *ctx, int fresh, int old, const recon_names *own,
                             const char *path, int *possible);
recon_status recon_tree_unlink(recon_ctx *ctx, int fresh, int old, const char *path);

/* Empties old, which fresh has replaced: its own files are removed, last of all `last`, which lists
 * them; the others move to fresh unless they are there. *kept counts what stays because fresh has
 * something else of that name that is not its own. */
recon_status recon_tree_merge(recon_ctx *ctx, int fresh, const recon_names *fresh_own, int old,
                              const recon_names *old_own, const char *last, const char *path,
                              size_t *kept);

/* Moves all that is in stage up into the folder, and removes the files by these names from it. Both
 * may be done again after they were broken off. */
recon_status recon_tree_move(recon_ctx *ctx, int folder, int stage, const char *path);
recon_status recon_tree_drop(recon_ctx *ctx, int folder, const recon_names *names,
                             const char *path);

#endif
