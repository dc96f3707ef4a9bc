/* folder.c - stages, locks, and the exchange of folders. */
#include "core/folder.h"
#include "core/text.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ROOM     512  /* that paths have for what is joined to them, or is put beside them */
#define ATTEMPTS 1000 /* at a name for a stage that nobody has */

/* Paths fit: what is joined to a folder has room behind it (find_target). */
static const char *print_path(char out[RECON_PATH], const char *fmt, ...) RECON_PRINTF(2, 3);
static const char *print_path(char out[RECON_PATH], const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(out, RECON_PATH, fmt, ap);
    va_end(ap);
    return out;
}

const char *recon_folder_join(char out[RECON_PATH], const char *dir, const char *name)
{
    return print_path(out, "%s/%s", dir, name);
}

/* --- locking and reading --------------------------------------------------------------------- */

recon_status recon_folder_make(recon_ctx *ctx, const char *path)
{
    struct stat s;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &s) == 0 && S_ISDIR(s.st_mode)))
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_IO, "%s: cannot make the folder: %s", path, strerror(errno));
}

recon_status recon_folder_lock(recon_ctx *ctx, int *fd, const char *dir)
{
    recon_status status = recon_lock_folder(ctx, fd, dir, dir);
    if (status == RECON_OK && *fd < 0)
        status = recon_fail(ctx, RECON_ERR_IO, "%s: there is no such folder", dir);
    if (status == RECON_OK)
        status = recon_journal_roll(ctx, *fd, dir);
    if (status != RECON_OK && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

static int same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int view_of(recon_folder_view *out, const char *dir)
{
    char path[RECON_PATH];
    *out = (recon_folder_view){ 0 };
    if (stat(recon_folder_join(path, dir, recon_folder_list(RECON_RESULT)), &out->list) != 0)
        out->list = (struct stat){ 0 }; /* none, then as now */
    return stat(dir, &out->folder) == 0;
}

recon_status recon_folder_look(recon_ctx *ctx, recon_folder_view *out, const char *dir)
{
    RECON_CHECK(recon_journal_check(ctx, dir));
    view_of(out, dir); /* what is missing will be missed by who reads it */
    return RECON_OK;
}

static int unchanged(const struct stat *a, const struct stat *b)
{
    return same(a, b) && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

recon_status recon_folder_check(recon_ctx *ctx, const recon_folder_view *view, const char *dir)
{
    recon_folder_view now;
    if (!recon_journal_is_in(dir) && view_of(&now, dir) && same(&now.folder, &view->folder) &&
        unchanged(&now.list, &view->list))
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_IO, "%s: was replaced while it was read; run this again", dir);
}

/* --- leftovers -------------------------------------------------------------------------------- */

/* "gamma.npy.tmp-0". */
static int is_temporary(const char *name)
{
    const char *dot = strstr(name, ".tmp-");
    if (!dot || dot[5 + strspn(dot + 5, "0123456789")])
        return 0;
    size_t n = (size_t)(dot - name);
    return recon_is_result_file(name, n) ||
           (n == strlen(RECON_JOURNAL) && !strncmp(name, RECON_JOURNAL, n));
}

/* Whether an entry was left by a writer that is dead: nobody has locked it. */
static int is_dead(int folder, const char *name)
{
    int stage = recon_is_stage(name, RECON_STAGE_INSIDE);
    if (!stage && !is_temporary(name))
        return 0;
    struct stat info;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int dead = fd >= 0 && fstat(fd, &info) == 0 &&
               (stage ? S_ISDIR(info.st_mode) : S_ISREG(info.st_mode)) && recon_lock_take(fd);
    if (fd >= 0)
        close(fd);
    return dead;
}

/* In the folder itself, which is locked. */
static void sweep_inside(recon_ctx *ctx, int folder, const char *path)
{
    recon_names names = { 0 };
    if (recon_tree_list(ctx, &names, folder, "") == RECON_OK)
        for (size_t i = 0; i < names.n; i++)
            if (is_dead(folder, names.name[i]))
                recon_tree_remove(ctx, folder, names.name[i], path);
    recon_names_free(&names);
}

/* The files of an earlier result in dir, and those that a new one has by the same names. */
static recon_status replaced(recon_ctx *ctx, recon_names *out, recon_folder_kind kind,
                             const char *dir, const recon_names *fresh)
{
    recon_status status = recon_result_files(ctx, out, kind, dir);
    for (size_t i = 0; status == RECON_OK && i < fresh->n; i++)
        status = recon_names_add(ctx, out, fresh->name[i]);
    recon_names_sort(out);
    return status;
}

/* Brings what is somebody's in the folder `old`, which lies beside, to the one that replaced it. It
 * is empty then, unless that has something else by the same name. */
static recon_status merge(recon_ctx *ctx, const recon_stage *s, recon_folder_kind kind, int fresh,
                          int old, const char *old_path)
{
    recon_names own = { 0 }, fresh_own = { 0 };
    size_t kept = 0;
    recon_status status;
    RECON_TRY(recon_written(ctx, &fresh_own, kind, s->target));
    RECON_TRY(replaced(ctx, &own, kind, old_path, &fresh_own));
    RECON_TRY(recon_tree_merge(ctx, fresh, &fresh_own, old, &own, recon_folder_list(kind), s->dir,
                               &kept));
    if (kept)
        recon_log(ctx, RECON_LOG_WARN, "%s: %s kept in %s", s->dir,
                  recon_count((recon_count_text){ 0 }, kept, "file of the same name is",
                              "files of the same names are"),
                  old_path);
    else if (rmdir(old_path) != 0)
        RECON_TRY(recon_refused(ctx, old_path, "cannot remove"));
done:
    recon_names_free(&own);
    recon_names_free(&fresh_own);
    return status;
}

/* Whether it is of ours or of the folder's owner: others may put there what they like. */
static int is_trusted(const recon_stage *s, int fd)
{
    struct stat info, target;
    return fstat(fd, &info) == 0 &&
           (info.st_uid == geteuid() || (s->target_fd >= 0 && fstat(s->target_fd, &target) == 0 &&
                                         info.st_uid == target.st_uid));
}

/* A stage beside the folder that nobody has locked: incomplete, or what the folder was before. */
static void sweep_one(recon_ctx *ctx, const recon_stage *s, recon_folder_kind kind, int parent,
                      const char *name)
{
    char path[RECON_PATH];
    int fd = recon_tree_open(parent, name);
    if (fd < 0)
        return;
    print_path(path, "%.*s%s", (int)(strrchr(s->target, '/') + 1 - s->target), s->target, name);
    if (is_trusted(s, fd) && recon_lock_take(fd) && recon_is_at(fd, path)) {
        if (recon_tree_has(fd, RECON_STAGE_MARKER))
            recon_tree_remove(ctx, parent, name, s->dir);
        else if (s->target_fd >= 0)
            merge(ctx, s, kind, s->target_fd, fd, path);
    }
    close(fd);
}

/* How the names of stages beside the folder begin. They say for what: by that it is known which
 * files of a folder that was replaced are whose. */
static void stage_prefix(char out[RECON_PATH], const recon_stage *s, recon_folder_kind kind)
{
    print_path(out, ".%s.recon-%s", strrchr(s->target, '/') + 1, recon_folder_kind_name(kind));
}

static int open_parent(const recon_stage *s)
{
    char parent[RECON_PATH];
    char *slash = strrchr(strcpy(parent, s->target), '/');
    slash[slash == parent] = '\0';
    return open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void sweep_beside(recon_ctx *ctx, const recon_stage *s, recon_folder_kind kind, int parent)
{
    char prefix[RECON_PATH];
    recon_names names = { 0 };
    stage_prefix(prefix, s, kind);
    if (recon_tree_list(ctx, &names, parent, prefix) == RECON_OK)
        for (size_t i = 0; i < names.n; i++)
            if (recon_is_stage(names.name[i], prefix))
                sweep_one(ctx, s, kind, parent, names.name[i]);
    recon_names_free(&names);
}

/* Nothing here is a failure: what stays is tried again by the next run. */
static void sweep(recon_ctx *ctx, const recon_stage *s)
{
    int parent = open_parent(s);
    for (int kind = 0; parent >= 0 && kind < RECON_FOLDER_KINDS; kind++)
        sweep_beside(ctx, s, (recon_folder_kind)kind, parent);
    if (parent >= 0)
        close(parent);
    if (s->target_fd >= 0)
        sweep_inside(ctx, s->target_fd, s->dir);
}

/* --- opening ---------------------------------------------------------------------------------- */

static recon_status check_length(recon_ctx *ctx, const char *path)
{
    if (strlen(path) < RECON_PATH - ROOM)
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_INPUT, "%.64s...: the path is too long", path);
}

/* Where the folder is, or will be: links and dots resolved. */
static recon_status find_target(recon_ctx *ctx, char target[RECON_PATH], const char *dir)
{
    char parent[RECON_PATH], found[PATH_MAX];
    struct stat info;
    RECON_CHECK(check_length(ctx, dir));
    if (realpath(dir, found)) {
        errno = EEXIST;
        if (stat(found, &info) != 0 || !S_ISDIR(info.st_mode))
            return recon_refused(ctx, dir, "cannot make the folder");
        return check_length(ctx, print_path(target, "%s", found));
    }
    strcpy(parent, dir);
    for (size_t n = strlen(parent); n > 1 && parent[n - 1] == '/';)
        parent[--n] = '\0';
    if (errno != ENOENT || lstat(parent, &info) == 0) /* a link to nothing, say */
        return recon_refused(ctx, dir, "cannot make the folder");
    char *slash = strrchr(parent, '/'), *name = slash ? slash + 1 : parent;
    if (slash)
        *slash = '\0';
    if (!realpath(!slash ? "." : slash == parent ? "/" : parent, found)) {
        errno = ENOENT;
        return recon_refused(ctx, dir, "cannot make the folder");
    }
    print_path(target, "%s/%s", strcmp(found, "/") ? found : "", name);
    return check_length(ctx, target);
}

/* A shell that stands in the folder, or below it, would be left in one that is gone; and a mount
 * point has its place. */
static int must_stay(const char *target)
{
    char here[PATH_MAX];
    struct statx info;
    size_t n = strlen(target);
    if (!getcwd(here, sizeof here) ||
        (!strncmp(here, target, n) && (here[n] == '/' || !here[n] || n == 1)))
        return 1;
    return statx(AT_FDCWD, target, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &info) == 0 &&
           (info.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

/* Makes the folder and locks it. One that somebody takes for a leftover before it is locked is made
 * again. Returns 0, or -1 with errno. */
static int make_stage(recon_stage *s, const char *prefix)
{
    for (unsigned n = 0; n < ATTEMPTS; n++) {
        print_path(s->path, "%s-%ld-%u", prefix, (long)getpid(), n);
        if (mkdir(s->path, 0777) != 0) {
            s->path[0] = '\0'; /* whosever it is */
            if (errno != EEXIST)
                return -1;
            continue;
        }
        s->fd = open(s->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (s->fd < 0 && errno != ENOENT)
            return -1;
        if (s->fd >= 0 && recon_lock_claim(s->fd) && recon_is_at(s->fd, s->path))
            return 0;
        if (s->fd >= 0)
            close(s->fd);
        s->fd = -1;
        s->path[0] = '\0';
    }
    errno = EEXIST;
    return -1;
}

static int make_beside(recon_stage *s)
{
    char prefix[RECON_PATH], name[RECON_PATH];
    int above = (int)(strrchr(s->target, '/') + 1 - s->target);
    stage_prefix(name, s, s->kind);
    print_path(prefix, "%.*s%s", above, s->target, name);
    return make_stage(s, prefix);
}

static int make_inside(recon_stage *s)
{
    char prefix[RECON_PATH];
    s->inside = 1;
    return make_stage(s, recon_folder_join(prefix, s->target, RECON_STAGE_INSIDE));
}

/* Beside it if that may be. */
static int make_either(recon_stage *s)
{
    if (s->target_fd >= 0 && must_stay(s->target))
        return make_inside(s);
    if (make_beside(s) == 0)
        return 0;
    int refused = errno == EACCES || errno == EPERM || errno == EROFS || errno == ENAMETOOLONG;
    return refused && s->target_fd >= 0 ? make_inside(s) : -1;
}

static recon_status mark(recon_ctx *ctx, const recon_stage *s)
{
    int fd = openat(s->fd, RECON_STAGE_MARKER, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return recon_refused(ctx, s->dir, "cannot write into the folder");
    close(fd);
    return RECON_OK;
}

recon_status recon_stage_open(recon_ctx *ctx, recon_stage *out, const char *dir,
                              recon_folder_kind kind)
{
    recon_status status;
    *out = (recon_stage){ .kind = kind, .fd = -1, .target_fd = -1 };
    RECON_TRY(find_target(ctx, out->target, dir));
    strcpy(out->dir, dir);
    RECON_TRY(recon_lock_folder(ctx, &out->target_fd, out->target, dir));
    if (out->target_fd >= 0) {
        if (faccessat(out->target_fd, ".", W_OK, AT_EACCESS) != 0)
            RECON_TRY(recon_refused(ctx, dir, "cannot write into the folder"));
        RECON_TRY(recon_journal_roll(ctx, out->target_fd, dir));
    }
    sweep(ctx, out);
    if (make_either(out) != 0)
        RECON_TRY(recon_refused(ctx, dir, "cannot make the folder"));
    RECON_TRY(mark(ctx, out));
done:
    if (status != RECON_OK)
        recon_stage_close(ctx, out);
    return status;
}

const char *recon_stage_file(recon_ctx *ctx, const recon_stage *s, char out[RECON_PATH],
                             const char *path)
{
    char folder[RECON_PATH], target[RECON_PATH];
    const char *slash = strrchr(path, '/');
    print_path(folder, "%.*s", slash ? (int)(slash - path + (slash == path)) : 1,
               slash ? path : ".");
    if (!s->path[0] || find_target(ctx, target, folder) != RECON_OK || strcmp(target, s->target))
        return path;
    return recon_folder_join(out, s->path, slash ? slash + 1 : path);
}

recon_status recon_stage_keeps(recon_ctx *ctx, const recon_stage *s, const char *path)
{
    char inside[RECON_PATH];
    recon_names own = { 0 };
    const char *in_stage = recon_stage_file(ctx, s, inside, path);
    if (in_stage == path)
        return RECON_OK;
    const char *name = strrchr(in_stage, '/') + 1;
    recon_status status = recon_result_files(ctx, &own, s->kind, s->target);
    if (status == RECON_OK && recon_names_have(&own, name))
        status = recon_fail(ctx, RECON_ERR_INPUT,
                            "%s: belongs to the result that would be replaced; name another folder",
                            path);
    else if (status == RECON_OK && recon_tree_has(s->fd, name))
        status = recon_fail(ctx, RECON_ERR_INPUT,
                            "%s: would be replaced by the result's file of that name; name another "
                            "folder",
                            path);
    recon_names_free(&own);
    return status;
}

/* --- closing ---------------------------------------------------------------------------------- */

/* The message says where the user meant it to go. */
static void rename_in_message(recon_ctx *ctx, const char *from, const char *to)
{
    char text[sizeof ctx->message];
    pthread_mutex_lock(&ctx->lock);
    char *at = strstr(ctx->message, from);
    if (at) {
        size_t before = (size_t)(at - ctx->message);
        snprintf(text, sizeof text, "%s", at + strlen(from));
        snprintf(at, sizeof ctx->message - before, "%.900s%.900s", to, text);
    }
    pthread_mutex_unlock(&ctx->lock);
}

void recon_stage_close(recon_ctx *ctx, recon_stage *s)
{
    char message[sizeof ctx->message];
    if (s->path[0]) {
        rename_in_message(ctx, s->path, s->dir);
        strcpy(message, ctx->message); /* that of the failure, not of one in clearing up */
        if (s->fd >= 0)
            recon_tree_remove(ctx, AT_FDCWD, s->path, s->dir);
        else
            rmdir(s->path);
        strcpy(ctx->message, message);
    }
    if (s->fd >= 0)
        close(s->fd);
    if (s->target_fd >= 0)
        close(s->target_fd);
    s->fd = s->target_fd = -1;
    s->path[0] = '\0';
}

/* --- the commit ------------------------------------------------------------------------------- */

static void sync_parent(const recon_stage *s)
{
    int parent = open_parent(s);
    if (parent < 0)
        return;
    fsync(parent);
    close(parent);
}

/* All names on the disk, and no mark any more: from here on the stage is a result. */
static recon_status complete(recon_ctx *ctx, const recon_stage *s)
{
    if (unlinkat(s->fd, RECON_STAGE_MARKER, 0) != 0 && errno != ENOENT)
        return recon_refused(ctx, s->dir, "cannot write");
    return recon_tree_sync(ctx, s->fd, s->dir);
}

/* The names that the stage has not got. */
static recon_status gone(recon_ctx *ctx, recon_names *out, const recon_stage *s,
                         const recon_names *own)
{
    for (size_t i = 0; i < own->n; i++)
        if (!recon_tree_has(s->fd, own->name[i]))
            RECON_CHECK(recon_names_add(ctx, out, own->name[i]));
    return RECON_OK;
}

static recon_status commit_inside(recon_ctx *ctx, recon_stage *s, const recon_names *own)
{
    recon_names remove = { 0 };
    recon_status status;
    RECON_TRY(recon_tree_check(ctx, s->fd, s->target_fd, own, s->dir));
    RECON_TRY(gone(ctx, &remove, s, own));
    RECON_TRY(complete(ctx, s));
    RECON_TRY(recon_journal_write(ctx, s->target, strrchr(s->path, '/') + 1, &remove));
    s->path[0] = '\0'; /* it counts from here on */
    RECON_TRY(recon_journal_roll(ctx, s->target_fd, s->dir));
done:
    recon_names_free(&remove);
    return status;
}

/* From beside the folder into it, without the links to what is there. */
static recon_status commit_moved(recon_ctx *ctx, recon_stage *s, const recon_names *own)
{
    char path[RECON_PATH], prefix[RECON_PATH];
    RECON_CHECK(recon_tree_unlink(ctx, s->fd, s->target_fd, s->dir));
    stage_prefix(prefix, s, s->kind);
    print_path(path, "%s/" RECON_STAGE_INSIDE "%s", s->target,
               strrchr(s->path, '/') + 1 + strlen(prefix));
    if (rename(s->path, path) != 0)
        return recon_refused(ctx, s->dir, "cannot replace");
    strcpy(s->path, path);
    s->inside = 1;
    return commit_inside(ctx, s, own);
}

/* Owner, group and rights as the old folder has them; 0 where that cannot be. What has attributes
 * of its own is better not replaced. */
static int make_alike(const recon_stage *s)
{
    struct stat old, fresh;
    char names[1024];
    ssize_t n = flistxattr(s->target_fd, names, sizeof names);
    for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1)
        if (strncmp(names + at, "security.", 9))
            return 0;
    if ((n < 0 && errno != ENOTSUP) || fstat(s->target_fd, &old) != 0 || fstat(s->fd, &fresh) != 0)
        return 0;
    if ((old.st_uid != fresh.st_uid || old.st_gid != fresh.st_gid) &&
        fchown(s->fd, old.st_uid, old.st_gid) != 0)
        return 0;
    return old.st_mode == fresh.st_mode || fchmod(s->fd, old.st_mode & 07777) == 0;
}

/* The two have changed places: the stage's name leads to the old folder now. What goes wrong with
 * that does not concern the result, and the next run tries again. */
static void retire(recon_ctx *ctx, recon_stage *s)
{
    char old[RECON_PATH];
    strcpy(old, s->path);
    s->path[0] = '\0';
    sync_parent(s);
    if (merge(ctx, s, s->kind, s->fd, s->target_fd, old) != RECON_OK)
        recon_log(ctx, RECON_LOG_WARN, "%s: parts of the folder before are still in %s: %s", s->dir,
                  old, recon_ctx_message(ctx));
    fsync(s->fd);
}

static int cannot_exchange(int reason)
{
    return reason == EINVAL || reason == ENOSYS || reason == EXDEV || reason == EBUSY ||
           reason == EPERM || reason == EACCES || reason == EOPNOTSUPP;
}

static recon_status commit_beside(recon_ctx *ctx, recon_stage *s, const recon_names *own)
{
    int possible = make_alike(s);
    recon_status status = recon_tree_check(ctx, s->fd, s->target_fd, own, s->dir);
    if (status == RECON_OK && possible)
        status = recon_tree_link(ctx, s->fd, s->target_fd, own, s->dir, &possible);
    if (status == RECON_OK)
        status = complete(ctx, s);
    if (status != RECON_OK)
        return status;
    if (possible && renameat2(AT_FDCWD, s->path, AT_FDCWD, s->target, RENAME_EXCHANGE) == 0) {
        retire(ctx, s);
        return RECON_OK;
    }
    return !possible || cannot_exchange(errno) ? commit_moved(ctx, s, own)
                                               : recon_refused(ctx, s->dir, "cannot replace");
}

/* There was no folder. One that somebody has made meanwhile is replaced like any other. */
static recon_status commit_first(recon_ctx *ctx, recon_stage *s, int *done)
{
    RECON_CHECK(complete(ctx, s));
    *done = rename(s->path, s->target) == 0;
    if (*done) {
        s->path[0] = '\0';
        sync_parent(s);
        return RECON_OK;
    }
    if (errno != ENOTEMPTY && errno != EEXIST)
        return recon_refused(ctx, s->dir, "cannot make the folder");
    return recon_folder_lock(ctx, &s->target_fd, s->target);
}

/* A folder that its owner has moved or removed while we were at work. */
static recon_status find_again(recon_ctx *ctx, recon_stage *s)
{
    if (s->target_fd < 0 || s->inside || recon_is_at(s->target_fd, s->target))
        return RECON_OK;
    close(s->target_fd);
    recon_status status = recon_lock_folder(ctx, &s->target_fd, s->target, s->dir);
    return status == RECON_OK && s->target_fd >= 0 ? recon_journal_roll(ctx, s->target_fd, s->dir)
                                                   : status;
}

recon_status recon_stage_commit(recon_ctx *ctx, recon_stage *s)
{
    recon_names own = { 0 }, fresh = { 0 };
    recon_status status = RECON_OK;
    int done = 0, hold = ctx->hold;
    RECON_TRY(find_again(ctx, s));
    if (s->target_fd < 0)
        RECON_TRY(commit_first(ctx, s, &done));
    if (done)
        return RECON_OK;
    ctx->hold = 1; /* until the last file has moved the folder lacks what is its owner's */
    RECON_TRY(recon_written(ctx, &fresh, s->kind, s->path));
    RECON_TRY(replaced(ctx, &own, s->kind, s->target, &fresh));
    RECON_TRY((s->inside ? commit_inside : commit_beside)(ctx, s, &own));
done:
    ctx->hold = hold;
    recon_names_free(&own);
    recon_names_free(&fresh);
    return status;
}
