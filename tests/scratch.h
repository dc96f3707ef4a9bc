/* scratch.h - a folder of its own for each test program, and raw bytes in and out of it. */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include "check.h"
#include "core/memory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Not in /tmp itself: who writes a folder reads the one above it too, and the number of his calls
 * would be that of everybody's files. */
static char scratch_above[] = "/tmp/recon-test-XXXXXX";
static char scratch_folder[sizeof scratch_above + sizeof "/in"];

static inline int scratch_make(void)
{
    if (!mkdtemp(scratch_above))
        return -1;
    snprintf(scratch_folder, sizeof scratch_folder, "%s/in", scratch_above);
    return mkdir(scratch_folder, 0700);
}

static inline void scratch_remove(void)
{
    rmdir(scratch_folder);
    rmdir(scratch_above);
}

/* The path of a file in the folder; the last four answers stay valid. */
static inline const char *scratch(const char *name)
{
    static char path[4][512];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", scratch_folder, name);
    return path[turn];
}

static inline int scratch_count(void)
{
    int n = 0;
    DIR *folder = opendir(scratch_folder);
    for (struct dirent *e; (e = readdir(folder));)
        n += e->d_name[0] != '.';
    closedir(folder);
    return n;
}

static inline void scratch_clear(void)
{
    DIR *folder = opendir(scratch_folder);
    for (struct dirent *e; (e = readdir(folder));)
        if (e->d_name[0] != '.')
            unlink(scratch(e->d_name));
    closedir(folder);
}

static inline const char *scratch_write(const char *name, const void *bytes, size_t n)
{
    const char *path = scratch(name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
    return path;
}

/* The whole file; free it. */
static inline unsigned char *slurp(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    unsigned char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    fclose(f);
    return bytes;
}

/* What several programs need and none of them tries is made by the first that comes, and kept in the
 * folder RECON_KEPT, where tools/run-tests gives one: a training gives the same bytes every time. */
static inline void copy_file(const char *to, const char *from)
{
    size_t n;
    unsigned char *bytes = slurp(from, &n);
    FILE *f = fopen(to, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
    free(bytes);
}

/* Whether a file of this name was kept, and is in the scratch folder now as NAME. */
static inline int scratch_find(const char *kept, const char *name)
{
    const char *folder = getenv("RECON_KEPT");
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "", kept);
    if (!folder || access(path, R_OK) != 0)
        return 0;
    copy_file(scratch(name), path);
    return 1;
}

/* Others may be about to do the same: whoever comes last replaces equal bytes. */
static inline void scratch_keep(const char *kept, const char *name)
{
    const char *folder = getenv("RECON_KEPT");
    char path[1024], own[1100];
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%s", folder, kept);
    snprintf(own, sizeof own, "%s.%ld", path, (long)getpid());
    copy_file(own, scratch(name));
    assert_int_equal(rename(own, path), 0);
}

static inline void scratch_same(const char *a, const char *b)
{
    size_t n, m;
    unsigned char *x = slurp(a, &n), *y = slurp(b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

/* Runs call with its n-th allocation failing, for n = 1, 2, ..., until it succeeds; every failure
 * must say so and leave the folder as empty as it was. */
#define CHECK_ALLOCATIONS(ctx, call)                                                               \
    do {                                                                                           \
        int before_ = scratch_count();                                                             \
        recon_status status_ = RECON_ERR_MEMORY;                                                   \
        for (long n_ = 1; status_ != RECON_OK; n_++) {                                             \
            recon_alloc_fail_at(ctx, n_);                                                          \
            status_ = (call);                                                                      \
            if (status_ == RECON_OK)                                                               \
                break;                                                                             \
            assert_int_equal(status_, RECON_ERR_MEMORY);                                           \
            assert_non_null(strstr(recon_ctx_message(ctx), "out of memory"));                      \
            assert_int_equal(scratch_count(), before_);                                            \
            assert_true(n_ < 1000);                                                                \
        }                                                                                          \
        recon_alloc_fail_at(ctx, 0);                                                               \
    } while (0)

/* Group fixtures: check_setup with the folder. */
static inline int scratch_setup(void **state)
{
    return scratch_make() == 0 ? check_setup(state) : -1;
}
static inline int scratch_teardown(void **state)
{
    scratch_clear();
    scratch_remove();
    return check_teardown(state);
}
/* Test teardown: what one test leaves does not meet the next. */
static inline int scratch_clean(void **state)
{
    (void)state;
    scratch_clear();
    return 0;
}
#define SCRATCH_TEST(f) cmocka_unit_test_teardown(f, scratch_clean)

#endif
