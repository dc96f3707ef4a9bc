/* Whole files in, whole files out: what is refused and how; a write happens completely or not. */
#include "scratch.h"
#include "core/file.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static void fill(unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(i * 31 + i / 251);
}

/* Sizes on both sides of the buffer's and of mapping. */
static void what_is_written_is_read(void **state)
{
    const size_t sizes[] = { 0, 1, 100, 1 << 18, (1 << 18) + 1, (1 << 20) - 1, 1 << 20, 3000001 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t n = sizes[i], pieces[] = { n / 3, 0, n - n / 3 - n / 2, n / 2 };
        unsigned char *bytes = malloc(n + 1);
        fill(bytes, n);
        recon_writer w;
        recon_file f;
        CHECK_OK(*state, recon_writer_open(*state, &w, scratch("x")));
        for (size_t p = 0, at = 0; p < 4; at += pieces[p++])
            CHECK_OK(*state, recon_writer_write(*state, &w, bytes + at, pieces[p]));
        CHECK_OK(*state, recon_writer_commit(*state, &w));
        recon_writer_close(&w);
        CHECK_OK(*state, recon_file_open(*state, &f, scratch("x")));
        assert_int_equal(f.size, n);
        assert_true(n == 0 || memcmp(f.bytes, bytes, n) == 0);
        assert_int_equal(f.mapped, n >= 1 << 20 ? n : 0);
        recon_file_close(&f);
        free(bytes);
        assert_int_equal(scratch_count(), 1);
    }
}

static void what_cannot_be_read_is_named(void **state)
{
    recon_file f;
    CHECK_FAILS(*state, recon_file_open(*state, &f, scratch("none")), RECON_ERR_IO,
                "/none: cannot open: No such file or directory");
    CHECK_FAILS(*state, recon_file_open(*state, &f, scratch_folder), RECON_ERR_IO,
                "is a directory");
    CHECK_FAILS(*state, recon_file_open(*state, &f, "/dev/null"), RECON_ERR_IO,
                "is not a regular file");
    assert_int_equal(mkfifo(scratch("pipe"), 0600), 0);
    CHECK_FAILS(*state, recon_file_open(*state, &f, scratch("pipe")), RECON_ERR_IO,
                "is not a regular file");
    assert_null(f.bytes);
}

/* Root may read everything, so a child gives that up first. */
static int as_nobody(recon_ctx *ctx, const char *path, const char *text)
{
    recon_file f;
    if (setgid(65534) != 0 || setuid(65534) != 0)
        return 2;
    return recon_file_open(ctx, &f, path) == RECON_ERR_IO && strstr(recon_ctx_message(ctx), text)
               ? 0
               : 1;
}

static void run_in_child(int (*body)(recon_ctx *, const char *, const char *), recon_ctx *ctx,
                         const char *path, const char *text)
{
    int code;
    pid_t child = fork();
    if (child == 0)
        _exit(body(ctx, path, text));
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code));
    if (WEXITSTATUS(code) == 2)
        skip();
    assert_int_equal(WEXITSTATUS(code), 0);
}

static void no_permission_is_named(void **state)
{
    const char *path = scratch_write("secret", "x", 1);
    chmod(scratch_folder, 0755);
    chmod(path, 0);
    if (geteuid() == 0)
        run_in_child(as_nobody, *state, path, "/secret: cannot open: Permission denied");
    else {
        recon_file f;
        CHECK_FAILS(*state, recon_file_open(*state, &f, path), RECON_ERR_IO,
                    "/secret: cannot open: Permission denied");
    }
}

static void what_cannot_be_written_is_named(void **state)
{
    recon_writer w;
    CHECK_FAILS(*state, recon_writer_open(*state, &w, scratch("no/such/folder")), RECON_ERR_IO,
                "/no/such/folder: cannot write: No such file or directory");
    CHECK_FAILS(*state, recon_writer_open(*state, &w, scratch_folder), RECON_ERR_IO,
                "is a directory");
    CHECK_FAILS(*state, recon_writer_open(*state, &w, "/dev/null"), RECON_ERR_IO,
                "is not a regular file");
}

static void expect_old(void)
{
    size_t size;
    unsigned char *bytes = slurp(scratch("x"), &size);
    assert_int_equal(size, 3);
    assert_memory_equal(bytes, "old", 3);
    free(bytes);
    assert_int_equal(scratch_count(), 1);
}

static void without_a_commit_nothing_happened(void **state)
{
    recon_writer w;
    unsigned char big[1000] = { 0 };
    scratch_write("x", "old", 3);
    CHECK_OK(*state, recon_writer_open(*state, &w, scratch("x")));
    for (int i = 0; i < 1000; i++)
        CHECK_OK(*state, recon_writer_write(*state, &w, big, sizeof big));
    assert_int_equal(scratch_count(), 2);
    recon_writer_close(&w);
    expect_old();
    recon_writer_close(&w); /* twice is harmless */
}

/* A megabyte, in small pieces. The writer stays open. */
static recon_status write_much(recon_ctx *ctx, recon_writer *w, const char *path)
{
    unsigned char block[5000] = { 0 };
    recon_status status = recon_writer_open(ctx, w, path);
    for (int i = 0; i < 200 && status == RECON_OK; i++)
        status = recon_writer_write(ctx, w, block, sizeof block);
    return status == RECON_OK ? recon_writer_commit(ctx, w) : status;
}

/* The limit cuts the write that crosses it short and refuses the next, as a full disk does. */
static void a_write_that_fails_leaves_the_old_file(void **state)
{
    struct rlimit old, limit;
    scratch_write("x", "old", 3);
    getrlimit(RLIMIT_FSIZE, &old);
    limit = old;
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t most = 0; most <= 900000; most += 299999) {
        limit.rlim_cur = most;
        setrlimit(RLIMIT_FSIZE, &limit);
        recon_writer w;
        recon_status status = write_much(*state, &w, scratch("x"));
        setrlimit(RLIMIT_FSIZE, &old);
        CHECK_FAILS(*state, status, RECON_ERR_IO, "/x: cannot write: File too large");
        CHECK_FAILS(*state, recon_writer_commit(*state, &w), RECON_ERR_IO,
                    "/x: an earlier write failed");
        recon_writer_close(&w);
        expect_old();
    }
}

/* A disk of 64 KiB that only this child sees. */
static int on_a_full_disk(recon_ctx *ctx, const char *path, const char *text)
{
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", scratch_folder, "tmpfs", 0, "size=64k") != 0)
        return 2;
    recon_writer w;
    int told = write_much(ctx, &w, path) == RECON_ERR_IO && strstr(recon_ctx_message(ctx), text);
    recon_writer_close(&w);
    return told && scratch_count() == 0 ? 0 : 1;
}

static void a_full_disk_leaves_nothing(void **state)
{
    run_in_child(on_a_full_disk, *state, scratch("x"), "/x: cannot write: No space left on device");
}

static void a_link_stays_a_link(void **state)
{
    recon_writer w;
    struct stat info;
    scratch_write("target", "old", 3);
    assert_int_equal(symlink("target", scratch("link")), 0);
    CHECK_OK(*state, recon_writer_open(*state, &w, scratch("link")));
    CHECK_OK(*state, recon_writer_write(*state, &w, "newer", 5));
    CHECK_OK(*state, recon_writer_commit(*state, &w));
    recon_writer_close(&w);
    assert_int_equal(lstat(scratch("link"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(scratch("target"), &info), 0);
    assert_int_equal(info.st_size, 5);
}

/* One that leads to nothing too, by way of another: what it leads to is made. */
static void a_link_to_nothing_stays_a_link(void **state)
{
    recon_writer w;
    struct stat info;
    assert_int_equal(symlink(scratch("second"), scratch("first")), 0);
    assert_int_equal(symlink("made", scratch("second")), 0);
    CHECK_OK(*state, recon_writer_open(*state, &w, scratch("first")));
    CHECK_OK(*state, recon_writer_write(*state, &w, "new", 3));
    CHECK_OK(*state, recon_writer_commit(*state, &w));
    recon_writer_close(&w);
    assert_true(lstat(scratch("first"), &info) == 0 && S_ISLNK(info.st_mode));
    assert_true(lstat(scratch("second"), &info) == 0 && S_ISLNK(info.st_mode));
    assert_true(lstat(scratch("made"), &info) == 0 && S_ISREG(info.st_mode));
    assert_int_equal(symlink("round", scratch("round")), 0);
    CHECK_FAILS(*state, recon_writer_open(*state, &w, scratch("round")), RECON_ERR_IO,
                "round: cannot write: Too many levels");
}

/* What a dead writer has left is taken away by the next for the same file; a living one's stays. */
static void temporary_files_of_the_dead_are_removed(void **state)
{
    recon_writer slow, quick;
    scratch_write("x.tmp-0", "left", 4);
    CHECK_OK(*state, recon_writer_open(*state, &slow, scratch("x")));
    assert_int_equal(scratch_count(), 1);
    CHECK_OK(*state, recon_writer_open(*state, &quick, scratch("x")));
    assert_int_equal(scratch_count(), 2);
    CHECK_OK(*state, recon_writer_write(*state, &quick, "quick", 5));
    CHECK_OK(*state, recon_writer_commit(*state, &quick));
    recon_writer_close(&quick);
    CHECK_OK(*state, recon_writer_commit(*state, &slow));
    recon_writer_close(&slow);
    assert_int_equal(scratch_count(), 1);
}

static const char *cleared; /* by another process, just before this one locks it */

int flock(int fd, int operation)
{
    if (cleared)
        unlink(cleared);
    cleared = NULL;
    return (int)syscall(SYS_flock, fd, operation);
}

/* A file that is not locked yet looks like a dead writer's, and another may take it away. */
static void a_file_lost_before_its_lock_is_made_again(void **state)
{
    recon_writer w;
    char name[600];
    snprintf(name, sizeof name, "%s", scratch("x.tmp-0"));
    cleared = name;
    CHECK_OK(*state, recon_writer_open(*state, &w, scratch("x")));
    assert_null(cleared);
    CHECK_OK(*state, recon_writer_write(*state, &w, "new", 3));
    CHECK_OK(*state, recon_writer_commit(*state, &w));
    recon_writer_close(&w);
    assert_int_equal(access(scratch("x"), F_OK), 0);
    assert_int_equal(scratch_count(), 1);
}

static void the_umask_holds(void **state)
{
    recon_writer w;
    struct stat info;
    mode_t old = umask(027);
    CHECK_OK(*state, recon_writer_open(*state, &w, scratch("x")));
    CHECK_OK(*state, recon_writer_commit(*state, &w));
    recon_writer_close(&w);
    umask(old);
    assert_int_equal(stat(scratch("x"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
}

static recon_status write_and_read(recon_ctx *ctx)
{
    recon_writer w;
    recon_file f = { 0 };
    recon_status status = recon_writer_open(ctx, &w, scratch("y"));
    if (status == RECON_OK)
        recon_writer_close(&w);
    if (status == RECON_OK)
        status = recon_file_open(ctx, &f, scratch("x"));
    recon_file_close(&f);
    return status;
}

static void without_memory_nothing_leaks(void **state)
{
    scratch_write("x", "old", 3);
    CHECK_ALLOCATIONS(*state, write_and_read(*state));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(what_is_written_is_read),
        SCRATCH_TEST(what_cannot_be_read_is_named),
        SCRATCH_TEST(no_permission_is_named),
        SCRATCH_TEST(what_cannot_be_written_is_named),
        SCRATCH_TEST(without_a_commit_nothing_happened),
        SCRATCH_TEST(a_write_that_fails_leaves_the_old_file),
        SCRATCH_TEST(a_full_disk_leaves_nothing),
        SCRATCH_TEST(a_link_stays_a_link),
        SCRATCH_TEST(a_link_to_nothing_stays_a_link),
        SCRATCH_TEST(temporary_files_of_the_dead_are_removed),
        SCRATCH_TEST(a_file_lost_before_its_lock_is_made_again),
        SCRATCH_TEST(the_umask_holds),
        SCRATCH_TEST(without_memory_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
