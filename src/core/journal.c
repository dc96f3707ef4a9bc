/* journal.c - what is left to do in a folder.
 *
 * The file holds texts with a zero behind each: a first line, the name of the stage, the names of
 * the files to be removed, "end". Names may be any bytes, so JSON would not do. Every step can be
 * done twice. */
#include "core/journal.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/lock.h"
#include "core/memory.h"
#include "core/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char first[] = "recon journal 1", end[] = "end";

int recon_is_stage(const char *name, const char *prefix)
{
    static const char digits[] = "0123456789";
    size_t n = strlen(prefix);
    if (strncmp(name, prefix, n) || name[n] != '-')
        return 0;
    const char *pid = name + n + 1, *number = pid + strspn(pid, digits) + 1;
    return number > pid + 1 && number[-1] == '-' && *number && !number[strspn(number, digits)];
}

/* --- writing ---------------------------------------------------------------------------------- */

static recon_status put(recon_ctx *ctx, recon_writer *to, const char *text)
{
    return recon_writer_write(ctx, to, text, strlen(text) + 1);
}

recon_status recon_journal_write(recon_ctx *ctx, const char *folder, const char *stage,
                                 const recon_names *remove)
{
    char path[4096];
    recon_writer to = { .fd = -1 };
    recon_status status;
    snprintf(path, sizeof path, "%s/" RECON_JOURNAL, folder);
    RECON_TRY(recon_writer_open(ctx, &to, path));
    RECON_TRY(put(ctx, &to, first));
    RECON_TRY(put(ctx, &to, stage));
    for (size_t i = 0; i < remove->n; i++)
        RECON_TRY(put(ctx, &to, remove->name[i]));
    RECON_TRY(put(ctx, &to, end));
    RECON_TRY(recon_writer_commit(ctx, &to));
done:
    recon_writer_close(&to);
    return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Not by recon_file_open, which calls for this. A zero is put behind the bytes. */
static recon_status read_bytes(recon_ctx *ctx, char **out, size_t *size, int fd, const char *folder)
{
    struct stat s;
    int in = openat(fd, RECON_JOURNAL, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    recon_status status;
    *out = NULL;
    if (in < 0 || fstat(in, &s) != 0 || !S_ISREG(s.st_mode))
        RECON_TRY(recon_refused(ctx, folder, "cannot read " RECON_JOURNAL));
    RECON_TRY(recon_alloc_raw(ctx, out, (size_t)s.st_size + 1, 1));
    for (*size = 0; *size < (size_t)s.st_size;) {
        ssize_t n = read(in, *out + *size, (size_t)s.st_size - *size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            RECON_TRY(recon_refused(ctx, folder, "cannot read " RECON_JOURNAL));
        *size += (size_t)n;
    }
    (*out)[*size] = '\0';
done:
    if (in >= 0)
        close(in);
    return status;
}

static recon_status parse(recon_ctx *ctx, const char **stage, recon_names *remove,
                          const char *bytes, size_t size, const char *folder)
{
    const char *at = bytes, *stop = bytes + size, *text = at;
    for (size_t i = 0; at < stop; i++) {
        text = at;
        at += strlen(at) + 1;
        if (i == 0 && strcmp(text, first))
            break;
        if (i == 1)
            *stage = text;
        if (i > 1 && at < stop) {
            recon_status status = recon_names_add(ctx, remove, text);
            if (status != RECON_OK)
                return status;
        }
    }
    if (at != stop || strcmp(text, end) || !*stage || !recon_is_stage(*stage, RECON_STAGE_INSIDE))
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s/" RECON_JOURNAL ": recon did not write this",
                          folder);
    recon_names_sort(remove);
    return RECON_OK;
}

/* --- doing ------------------------------------------------------------------------------------ */

/* A stage that is gone was emptied before. */
static recon_status empty_stage(recon_ctx *ctx, int fd, const char *stage, const char *folder)
{
    int from = recon_tree_open(fd, stage);
    if (from < 0)
        return errno == ENOENT ? RECON_OK : recon_refused(ctx, folder, "cannot open the new files");
    recon_status status = recon_tree_move(ctx, fd, from, folder);
    close(from);
    return status;
}

static recon_status roll(recon_ctx *ctx, int fd, const char *folder)
{
    recon_names remove = { 0 };
    const char *stage = NULL;
    char *bytes = NULL;
    size_t size;
    recon_status status;
    RECON_TRY(read_bytes(ctx, &bytes, &size, fd, folder));
    RECON_TRY(parse(ctx, &stage, &remove, bytes, size, folder));
    RECON_TRY(recon_tree_drop(ctx, fd, &remove, folder));
    RECON_TRY(empty_stage(ctx, fd, stage, folder));
    RECON_TRY(recon_tree_sync(ctx, fd, folder));
    if (recon_tree_has(fd, stage))
        RECON_TRY(recon_tree_remove(ctx, fd, stage, folder));
    if (unlinkat(fd, RECON_JOURNAL, 0) != 0)
        RECON_TRY(recon_refused(ctx, folder, "cannot remove " RECON_JOURNAL));
    fsync(fd);
done:
    recon_names_free(&remove);
    free(bytes);
    return status;
}

/* Whether there is a journal that may be carried out: a file that begins as ours do, of this user
 * or of the folder's owner. In a folder that others may write to, anybody can put one there. */
static int has_journal(int folder)
{
    char begins[sizeof first] = "";
    struct stat info, owner;
    int in = openat(folder, RECON_JOURNAL, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (in < 0)
        return 0;
    int found = fstat(in, &info) == 0 && fstat(folder, &owner) == 0 && S_ISREG(info.st_mode) &&
                (info.st_uid == geteuid() || info.st_uid == owner.st_uid) &&
                read(in, begins, sizeof begins) == (ssize_t)sizeof begins &&
                !memcmp(begins, first, sizeof first);
    close(in);
    return found;
}

recon_status recon_journal_roll(recon_ctx *ctx, int fd, const char *folder)
{
    if (!has_journal(fd))
        return RECON_OK;
    recon_status status = roll(ctx, fd, folder);
    if (status == RECON_OK)
        return status;
    return recon_note(ctx, status,
                      "%s is between two results; the next recon command there that may write "
                      "completes the new one",
                      folder);
}

int recon_journal_is_in(const char *folder)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/" RECON_JOURNAL, folder), found = 0;
    if (n >= (int)sizeof path || access(path, F_OK) != 0) /* as nearly always */
        return 0;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        found = has_journal(fd);
        close(fd);
    }
    return found;
}

/* A writer that lives completes it by itself. */
recon_status recon_journal_settle(recon_ctx *ctx, const char *folder)
{
    double begun = recon_now();
    recon_status status = RECON_OK;
    while (status == RECON_OK && recon_journal_is_in(folder)) {
        int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
            return recon_refused(ctx, folder, "cannot open the folder");
        status = recon_lock_claim(fd) ? recon_journal_roll(ctx, fd, folder)
                                      : recon_lock_rest(ctx, folder, begun);
        close(fd);
    }
    return status;
}
