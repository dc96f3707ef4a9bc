/* fuzz_folder.h - sets of several files, of which one is made up: the first byte of an input says
 * which, the rest is its bytes. The others are as they should be. */
#ifndef TESTS_FUZZ_FOLDER_H
#define TESTS_FUZZ_FOLDER_H

#include "fuzz.h"
#include <recon/core/array.h>
#include "core/file.h"

enum { FUZZ_MEMBERS = 64 };
static char fuzz_folder[] = "/tmp/recon-fuzz-XXXXXX";
static struct {
    const char *name;
    recon_file good;
} fuzz_member[FUZZ_MEMBERS];
static size_t fuzz_members;

static inline const char *fuzz_path_of(const char *name)
{
    static char path[4][4096];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", fuzz_folder, name);
    return path[turn];
}

static inline void fuzz_folder_remove(void)
{
    for (size_t i = 0; i < fuzz_members; i++) {
        unlink(fuzz_path_of(fuzz_member[i].name));
        recon_file_close(&fuzz_member[i].good);
    }
    rmdir(fuzz_folder);
}

static inline void fuzz_folder_make(void)
{
    FUZZ_CHECK(mkdtemp(fuzz_folder));
    atexit(fuzz_folder_remove);
}

static inline void fuzz_write(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(fuzz_path_of(name), "wb");
    FUZZ_CHECK(f && fwrite(bytes, 1, size, f) == size);
    fclose(f);
}

/* A member that is on the disk as it should be. */
static inline void fuzz_member_keep(const char *name)
{
    fuzz_member[fuzz_members].name = name;
    FUZZ_CHECK(fuzz_members < FUZZ_MEMBERS);
    FUZZ_CHECK(recon_file_open(fuzz_ctx(), &fuzz_member[fuzz_members++].good, fuzz_path_of(name)) ==
               RECON_OK);
}

/* The array of one dimension, or of rows of cols. */
static inline void fuzz_member_array(const char *name, recon_dtype type, const void *data,
                                     size_t rows, size_t cols)
{
    recon_array a = { .dtype = type, .ndim = cols ? 2 : 1, .shape = { rows, cols }, .data = data };
    FUZZ_CHECK(recon_npy_write(fuzz_ctx(), fuzz_path_of(name), &a) == RECON_OK);
    fuzz_member_keep(name);
}

/* Puts an input in the place of the member that it names; which that is goes to *which. */
static inline void fuzz_replace(size_t *which, const uint8_t *bytes, size_t size)
{
    *which = size ? bytes[0] % fuzz_members : 0;
    fuzz_write(fuzz_member[*which].name, size ? bytes + 1 : bytes, size ? size - 1 : 0);
}

static inline void fuzz_restore(size_t which)
{
    const recon_file *good = &fuzz_member[which].good;
    fuzz_write(fuzz_member[which].name, good->bytes, good->size);
}

#endif
