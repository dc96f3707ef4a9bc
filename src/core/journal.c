/* journal.c - the list of what is left to do in a folder.
 *
 * The file holds zero-terminated texts: a first line, the places of the folder and of the stage
 * (device and inode of each), the name of the stage, the names of the files to remove, "end". Names
 * may be any bytes, which JSON cannot hold. Every step can be repeated. The places identify a
 * journal that was written here: one that was copied or unpacked with the folder has others. */
#include "core/journal.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char begins[] = "recon journal ", first[] = "recon journal 2", end[] = "end";

/* Where a folder and its stage are. */
typedef char places[4 * 21];

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

static void print_places(places out, const struct stat *folder, const struct stat *stage)
{
    snprintf(out, sizeof(places), "%ju %ju %ju %ju", (uintmax_t)folder->st_dev,
             (uintmax_t)folder->st_ino, (uintmax_t)stage->st_dev, (uintmax_t)stage->st_ino);
}

recon_status recon_journal_write(recon_ctx *ctx, const char *folder, const char *stage,
                                 const recon_names *remove)
{
    char path[4096], inside[4096];
    struct stat here, there;
    places where;
    recon_writer to = { .fd = -1 };
    recon_status status;
    snprintf(path, sizeof path, "%s/" RECON_JOURNAL, folder);
    snprintf(inside, sizeof inside, "%s/%s", folder, stage);
    RECON_TRY(recon_writer_open(ctx, &to, path));
    if (stat(folder, &here) != 0 || lstat(inside, &there) != 0)
        RECON_TRY(recon_refused(ctx, folder, "cannot write " RECON_JOURNAL));
    print_places(where, &here, &there);
    RECON_TRY(put(ctx, &to, first));
    RECON_TRY(put(ctx, &to, where));
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

/* Nobody carries it out. */
static recon_status foreign(recon_ctx *ctx, const char *folder)
{
    return recon_fail(
        ctx, RECON_ERR_FORMAT,
        "%s/" RECON_JOURNAL ": was not written in this folder by this version of "
        "recon, but came with a copy, an archive or an earlier version: the files may "
        "be of two results; remove it to use them",
        folder);
}

typedef struct {
    const char *places, *stage;
    recon_names remove;
} journal;

static recon_status parse(recon_ctx *ctx, journal *out, const char *bytes, size_t size,
                          const char *folder)
{
    const char *at = bytes, *stop = bytes + size, *text = at;
    for (size_t i = 0; at < stop; i++) {
        text = at;
        at += strlen(at) + 1;
        if (i == 0 && strcmp(text, first))
            break;
        if (i == 1)
            out->places = text;
        if (i == 2)
            out->stage = text;
        if (i > 2 && at < stop) {
            RECON_CHECK(recon_names_add(ctx, &out->remove, text));
        }
    }
    if (at != stop || strcmp(text, end) || !out->stage ||
        !recon_is_stage(out->stage, RECON_STAGE_INSIDE))
        return foreign(ctx, folder);
    recon_names_sort(&out->remove);
    return RECON_OK;
}

/* Whether the journal is of this folder and of the stage in it, which is -1 where it is
 * gone: it was emptied before. */
static recon_status check_places(recon_ctx *ctx, const journal *j, int fd, int stage,
                                 const char *folder)
{
    struct stat here, there;
    places where;
    if (fstat(fd, &here) != 0 || (stage >= 0 && fstat(stage, &there) != 0))
        return recon_refused(ctx, folder, "cannot look into the folder");
    size_t n = strlen(j->places);
    if (stage >= 0)
        print_places(where, &here, &there);
    else
        n = (size_t)snprintf(where, sizeof where, "%ju %ju ", (uintmax_t)here.st_dev,
                             (uintmax_t)here.st_ino);
    if (n == strlen(where) && !strncmp(j->places, where, n))
        return RECON_OK;
    return foreign(ctx, folder);
}

/* --- doing ------------------------------------------------------------------------------------ */

static recon_status carry_out(recon_ctx *ctx, const journal *j, int fd, int stage,
                              const char *folder)
{
    RECON_CHECK(recon_tree_drop(ctx, fd, &j->remove, folder));
    if (stage >= 0)
        RECON_CHECK(recon_tree_move(ctx, fd, stage, folder));
    RECON_CHECK(recon_tree_sync(ctx, fd, folder));
    if (stage >= 0)
        RECON_CHECK(recon_tree_remove(ctx, fd, j->stage, folder));
    if (unlinkat(fd, RECON_JOURNAL, 0) != 0)
        return recon_refused(ctx, folder, "cannot remove " RECON_JOURNAL);
    fsync(fd);
    return RECON_OK;
}

/* Whether there is a journal that counts: a file that begins as ours do, of this user or of the
 * folder's owner. In a folder that others may write to, anybody can put one there. */
static int has_journal(int folder)
{
    char head[sizeof begins - 1];
    struct stat info, owner;
    int in = openat(folder, RECON_JOURNAL, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (in < 0)
        return 0;
    int found = fstat(in, &info) == 0 && fstat(folder, &owner) == 0 && S_ISREG(info.st_mode) &&
                (info.st_uid == geteuid() || info.st_uid == owner.st_uid) &&
                read(in, head, sizeof head) == (ssize_t)sizeof head &&
                !memcmp(head, begins, sizeof head);
    close(in);
    return found;
}

enum { LOOK, CARRY_OUT };

/* The folder is locked. */
static recon_status settle(recon_ctx *ctx, int fd, const char *folder, int what)
{
    journal j = { 0 };
    char *bytes = NULL;
    int stage = -1;
    size_t size = 0;
    recon_status status;
    if (!has_journal(fd))
        return RECON_OK;
    RECON_TRY(read_bytes(ctx, &bytes, &size, fd, folder));
    RECON_TRY(parse(ctx, &j, bytes, size, folder));
    stage = recon_tree_open(fd, j.stage);
    if (stage < 0 && errno != ENOENT)
        RECON_TRY(recon_refused(ctx, folder, "cannot open the new files"));
    RECON_TRY(check_places(ctx, &j, fd, stage, folder));
    status = what == CARRY_OUT
                 ? carry_out(ctx, &j, fd, stage, folder)
                 : recon_fail(ctx, RECON_ERR_IO,
                              "%s: a process that replaced its result did not finish", folder);
    if (status != RECON_OK)
        recon_note(ctx, status,
                   "%s is between two results; the next recon command that writes there completes "
                   "the new one",
                   folder);
done:
    if (stage >= 0)
        close(stage);
    recon_names_free(&j.remove);
    free(bytes);
    return status;
}

recon_status recon_journal_roll(recon_ctx *ctx, int fd, const char *folder)
{
    return settle(ctx, fd, folder, CARRY_OUT);
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
recon_status recon_journal_check(recon_ctx *ctx, const char *folder)
{
    double begun = recon_now();
    recon_status status = RECON_OK;
    while (status == RECON_OK && recon_journal_is_in(folder)) {
        int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
            return recon_refused(ctx, folder, "cannot open the folder");
        status = recon_lock_claim(fd) ? settle(ctx, fd, folder, LOOK)
                                      : recon_lock_rest(ctx, folder, begun);
        close(fd);
    }
    return status;
}
