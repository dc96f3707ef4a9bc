/* tree.c - folders as wholes, by descriptors.
 *
 * Every function lists a folder first and acts then, in the order of the names: what is changed
 * while it is read cannot confuse it, and a run that is repeated makes the same calls. */
#include "core/tree.h"
#include "core/fail.h"
#include "core/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/memory.h"

enum { PATH = 4096 };

/* --- one folder ------------------------------------------------------------------------------- */

int recon_tree_open(int folder, const char *name)
{
    return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int look(struct stat *out, int folder, const char *name)
{
    return fstatat(folder, name, out, AT_SYMLINK_NOFOLLOW) == 0;
}

int recon_tree_has(int folder, const char *name)
{
    struct stat s;
    return look(&s, folder, name);
}

static int is_folder(int folder, const char *name)
{
    struct stat s;
    return look(&s, folder, name) && S_ISDIR(s.st_mode);
}

static int same_file(int a, int b, const char *name)
{
    struct stat x, y;
    return look(&x, a, name) && look(&y, b, name) && x.st_ino == y.st_ino && x.st_dev == y.st_dev;
}

static recon_status read_entries(recon_ctx *ctx, recon_names *out, DIR *stream, const char *prefix)
{
    recon_status status = RECON_OK;
    const struct dirent *e;
    errno = 0;
    while (status == RECON_OK && (e = readdir(stream))) {
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") &&
            !strncmp(e->d_name, prefix, strlen(prefix)))
            status = recon_names_add(ctx, out, e->d_name);
        errno = 0;
    }
    return status == RECON_OK && errno ? recon_refused(ctx, "a folder", "cannot list") : status;
}

recon_status recon_tree_list(recon_ctx *ctx, recon_names *out, int folder, const char *prefix)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* with a place of its own */
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (!stream) {
        recon_status status = recon_refused(ctx, "a folder", "cannot list");
        if (fd >= 0)
            close(fd);
        return status;
    }
    recon_status status = read_entries(ctx, out, stream, prefix);
    closedir(stream);
    recon_names_sort(out);
    return status;
}

/* --- walking ---------------------------------------------------------------------------------- */

/* What is done to a pair of folders: `to` is -1 where there is one alone. */
typedef struct walk walk;
typedef recon_status visit(walk *w, int from, int to, const char *name);
struct walk {
    recon_ctx *ctx;
    visit *each;
    const char *path; /* of the root, for messages */
    const recon_names *own, *fresh_own;
    const char *last;
    int *possible;
    size_t *kept;
    char below[PATH]; /* the entry being visited, from the root */
};

static recon_status refused(const walk *w, const char *what)
{
    char path[2 * PATH];
    int reason = errno;
    snprintf(path, sizeof path, "%s/%s", w->path, w->below);
    errno = reason;
    return recon_refused(w->ctx, path, what);
}

static recon_status visit_one(walk *w, int from, int to, const char *name, size_t at)
{
    int n = snprintf(w->below + at, sizeof w->below - at, "%s%s", at ? "/" : "", name);
    if (n < 0 || (size_t)n >= sizeof w->below - at)
        return recon_fail(w->ctx, RECON_ERR_IO, "%s: a path in it is too long", w->path);
    recon_status status = w->each(w, from, to, name);
    w->below[at] = '\0';
    return status;
}

/* All entries of `from`; w->below says where it is. */
static recon_status walk_folder(walk *w, int from, int to)
{
    size_t at = strlen(w->below);
    recon_names names = { 0 };
    recon_status status = recon_tree_list(w->ctx, &names, from, "");
    if (status != RECON_OK)
        recon_note(w->ctx, status, "%s/%s", w->path, w->below);
    int last = -1;
    for (size_t i = 0; status == RECON_OK && i < names.n; i++)
        if (at == 0 && w->last && !strcmp(names.name[i], w->last))
            last = (int)i;
        else
            status = visit_one(w, from, to, names.name[i], at);
    if (status == RECON_OK && last >= 0)
        status = visit_one(w, from, to, names.name[last], at);
    recon_names_free(&names);
    return status;
}

/* The folder `name` of both. Where `to` has none it is made, and taken away again if it stays
 * empty. */
static recon_status walk_pair(walk *w, int from, int to, const char *name)
{
    int made = to >= 0 && mkdirat(to, name, 0777) == 0;
    int a = recon_tree_open(from, name), b = to >= 0 ? recon_tree_open(to, name) : -1;
    recon_status status = a < 0 || (to >= 0 && b < 0) ? refused(w, "cannot open") : RECON_OK;
    if (status == RECON_OK)
        status = walk_folder(w, a, b);
    if (a >= 0)
        close(a);
    if (b >= 0)
        close(b);
    if (made)
        unlinkat(to, name, AT_REMOVEDIR);
    return status;
}

/* --- removing, syncing ------------------------------------------------------------------------ */

static recon_status remove_each(walk *w, int from, int to, const char *name)
{
    int folder = is_folder(from, name);
    if (folder) {
        RECON_CHECK(walk_pair(w, from, to, name));
    }
    if (unlinkat(from, name, folder ? AT_REMOVEDIR : 0) != 0 && errno != ENOENT)
        return refused(w, "cannot remove");
    return RECON_OK;
}

recon_status recon_tree_remove(recon_ctx *ctx, int parent, const char *name, const char *path)
{
    walk w = { .ctx = ctx, .each = remove_each, .path = path };
    return remove_each(&w, parent, -1, name);
}

/* Some file systems cannot sync a folder. */
static int sync_folder(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == EROFS;
}

static recon_status sync_each(walk *w, int from, int to, const char *name)
{
    (void)to;
    if (!is_folder(from, name))
        return RECON_OK;
    int fd = recon_tree_open(from, name);
    recon_status status = fd < 0 ? refused(w, "cannot open") : walk_folder(w, fd, -1);
    if (status == RECON_OK && !sync_folder(fd))
        status = refused(w, "cannot write");
    if (fd >= 0)
        close(fd);
    return status;
}

recon_status recon_tree_sync(recon_ctx *ctx, int folder, const char *path)
{
    walk w = { .ctx = ctx, .each = sync_each, .path = path };
    recon_status status = walk_folder(&w, folder, -1);
    return status == RECON_OK && !sync_folder(folder) ? recon_refused(ctx, path, "cannot write")
                                                      : status;
}

/* --- before the exchange ---------------------------------------------------------------------- */

static recon_status check_each(walk *w, int fresh, int old, const char *name)
{
    int folder = is_folder(fresh, name);
    if (!recon_tree_has(old, name))
        return RECON_OK;
    if (!folder && is_folder(old, name))
        return recon_fail(w->ctx, RECON_ERR_IO,
                          "%s/%s: is a folder, where a file of the result has to go", w->path,
                          w->below);
    if (folder && !is_folder(old, name))
        return recon_names_have(w->own, w->below)
                   ? RECON_OK
                   : recon_fail(w->ctx, RECON_ERR_IO,
                                "%s/%s: is a file, where a folder of the result has to go", w->path,
                                w->below);
    return folder ? walk_pair(w, fresh, old, name) : RECON_OK;
}

recon_status recon_tree_check(recon_ctx *ctx, int fresh, int old, const recon_names *own,
                              const char *path)
{
    walk w = { .ctx = ctx, .each = check_each, .path = path, .own = own };
    return walk_folder(&w, fresh, old);
}

/* Files that are not ours to link, or not on this file system. */
static int cannot_link(int reason)
{
    return reason == EPERM || reason == EACCES || reason == EMLINK || reason == EXDEV ||
           reason == EOPNOTSUPP || reason == ENOSYS;
}

/* A folder on another file system cannot move. */
static int is_elsewhere(int folder, const char *name)
{
    struct stat a, b;
    return fstat(folder, &a) == 0 && look(&b, folder, name) && a.st_dev != b.st_dev;
}

/* A folder of somebody's moves as a whole, afterwards. */
static recon_status link_folder(walk *w, int old, int fresh, const char *name)
{
    if (is_elsewhere(old, name))
        *w->possible = 0;
    return is_folder(fresh, name) || recon_names_below(w->own, w->below)
               ? walk_pair(w, old, fresh, name)
               : RECON_OK;
}

static recon_status link_each(walk *w, int old, int fresh, const char *name)
{
    if (is_folder(old, name))
        return link_folder(w, old, fresh, name);
    if (!*w->possible || recon_names_have(w->own, w->below) || recon_tree_has(fresh, name))
        return RECON_OK;
    if (linkat(old, name, fresh, name, 0) == 0 || errno == ENOENT) /* just taken away */
        return RECON_OK;
    if (!cannot_link(errno))
        return refused(w, "cannot keep");
    *w->possible = 0;
    return RECON_OK;
}

recon_status recon_tree_link(recon_ctx *ctx, int fresh, int old, const recon_names *own,
                             const char *path, int *possible)
{
    walk w = { .ctx = ctx, .each = link_each, .path = path, .own = own, .possible = possible };
    *possible = 1;
    return walk_folder(&w, old, fresh);
}

static recon_status unlink_each(walk *w, int fresh, int old, const char *name)
{
    if (is_folder(fresh, name))
        return is_folder(old, name) ? walk_pair(w, fresh, old, name) : RECON_OK;
    if (same_file(fresh, old, name) && unlinkat(fresh, name, 0) != 0)
        return refused(w, "cannot remove");
    return RECON_OK;
}

recon_status recon_tree_unlink(recon_ctx *ctx, int fresh, int old, const char *path)
{
    walk w = { .ctx = ctx, .each = unlink_each, .path = path };
    return walk_folder(&w, fresh, old);
}

/* --- after it --------------------------------------------------------------------------------- */

/* A folder that holds files of the old result, or has its like in the new one, is taken apart;
 * another moves. */
static recon_status merge_folder(walk *w, int old, int fresh, const char *name)
{
    if (!recon_names_below(w->own, w->below)) {
        if (renameat(old, name, fresh, name) == 0)
            return RECON_OK;
        if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
            return refused(w, "cannot move");
    }
    if (recon_tree_has(fresh, name) && !is_folder(fresh, name)) {
        ++*w->kept;
        return RECON_OK;
    }
    recon_status status = walk_pair(w, old, fresh, name);
    if (status == RECON_OK && unlinkat(old, name, AT_REMOVEDIR) != 0 && errno != ENOTEMPTY &&
        errno != EEXIST)
        status = refused(w, "cannot remove");
    return status;
}

static recon_status merge_each(walk *w, int old, int fresh, const char *name)
{
    if (is_folder(old, name))
        return merge_folder(w, old, fresh, name);
    int there = recon_tree_has(fresh, name);
    if (recon_names_have(w->own, w->below) || same_file(old, fresh, name) ||
        (there && recon_names_have(w->fresh_own, w->below)))
        return unlinkat(old, name, 0) == 0 || errno == ENOENT ? RECON_OK
                                                              : refused(w, "cannot remove");
    if (there)
        ++*w->kept;
    else if (renameat(old, name, fresh, name) != 0)
        return refused(w, "cannot move");
    return RECON_OK;
}

recon_status recon_tree_merge(recon_ctx *ctx, int fresh, const recon_names *fresh_own, int old,
                              const recon_names *old_own, const char *last, const char *path,
                              size_t *kept)
{
    walk w = { .ctx = ctx,
               .each = merge_each,
               .path = path,
               .own = old_own,
               .last = last,
               .kept = kept,
               .fresh_own = fresh_own };
    return walk_folder(&w, old, fresh);
}

/* --- in place --------------------------------------------------------------------------------- */

static recon_status move_each(walk *w, int stage, int folder, const char *name)
{
    if (!is_folder(stage, name))
        return renameat(stage, name, folder, name) == 0 ? RECON_OK : refused(w, "cannot replace");
    recon_status status = walk_pair(w, stage, folder, name);
    if (status == RECON_OK && unlinkat(stage, name, AT_REMOVEDIR) != 0)
        status = refused(w, "cannot remove");
    return status;
}

recon_status recon_tree_move(recon_ctx *ctx, int folder, int stage, const char *path)
{
    walk w = { .ctx = ctx, .each = move_each, .path = path };
    return walk_folder(&w, stage, folder);
}

static recon_status drop_each(walk *w, int from, int to, const char *name)
{
    if (is_folder(from, name)) {
        if (!recon_names_below(w->own, w->below))
            return RECON_OK;
        recon_status status = walk_pair(w, from, to, name);
        unlinkat(from, name, AT_REMOVEDIR); /* unless there is something else in it */
        return status;
    }
    if (recon_names_have(w->own, w->below) && unlinkat(from, name, 0) != 0 && errno != ENOENT)
        return refused(w, "cannot remove");
    return RECON_OK;
}

recon_status recon_tree_drop(recon_ctx *ctx, int folder, const recon_names *names, const char *path)
{
    walk w = { .ctx = ctx, .each = drop_each, .path = path, .own = names };
    return walk_folder(&w, folder, -1);
}

/* --- names --------------------------------------------------------------------------------------- */

recon_status recon_names_add(recon_ctx *ctx, recon_names *names, const char *name)
{
    RECON_CHECK(
        recon_grow(ctx, &names->name, &names->room, names->n, names->n + 1, sizeof *names->name));
    char *copy = strdup(name);
    if (!copy)
        return recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
    names->name[names->n++] = copy;
    return RECON_OK;
}

void recon_names_free(recon_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->name[i]);
    free(names->name);
    *names = (recon_names){ 0 };
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void recon_names_sort(recon_names *names)
{
    if (names->n > 1)
        qsort(names->name, names->n, sizeof *names->name, compare);
}

int recon_names_have(const recon_names *names, const char *name)
{
    return names->n && bsearch(&name, names->name, names->n, sizeof *names->name, compare) != NULL;
}

int recon_names_below(const recon_names *names, const char *folder)
{
    size_t length = strlen(folder), from = 0, to = names->n;
    while (from < to) { /* the first that is not before "folder/" */
        size_t middle = from + (to - from) / 2;
        const char *name = names->name[middle];
        int order = strncmp(name, folder, length);
        if (order < 0 || (order == 0 && (unsigned char)name[length] < '/'))
            from = middle + 1;
        else
            to = middle;
    }
    return from < names->n && !strncmp(names->name[from], folder, length) &&
           names->name[from][length] == '/';
}
