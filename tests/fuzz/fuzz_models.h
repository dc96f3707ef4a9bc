/* fuzz_models.h - files of models. An input is a list of lies about a small good one (edits.h): it
 * is refused, or it opens and answers with numbers. */
#ifndef TESTS_FUZZ_MODELS_H_
#define TESTS_FUZZ_MODELS_H_

#include "core/file.h"
#include "edits.h"
#include "fuzz.h"
#include "models.h"

#include <math.h>

static edit_file fuzz_good;

static inline void fuzz_good_end(void)
{
    edit_end(&fuzz_good);
}

static inline void fuzz_good_make(small_writer *write)
{
    char path[] = "/tmp/recon-fuzz-XXXXXX";
    recon_file file;
    int fd = mkstemp(path);
    FUZZ_CHECK(fd >= 0 && close(fd) == 0);
    FUZZ_CHECK(write(fuzz_ctx(), path) == RECON_OK);
    FUZZ_CHECK(recon_file_open(fuzz_ctx(), &file, path) == RECON_OK);
    fuzz_good = edit_begin(file.bytes, file.size);
    recon_file_close(&file);
    unlink(path);
    atexit(fuzz_good_end);
}

/* The path of the file that the input describes. */
static inline const char *fuzz_lie(small_writer *write, const uint8_t *text, size_t n)
{
    size_t size;
    if (!fuzz_good.header)
        fuzz_good_make(write);
    unsigned char *bytes = edit_apply(&size, &fuzz_good, (const char *)text, n);
    const char *path = fuzz_file(bytes, size);
    free(bytes);
    return path;
}

/* How many files have opened so far: one number for all targets of a program. */
__attribute__((weak)) long fuzz_files_opened;

/* Whether it opened; otherwise it was refused as it should be. */
static inline int fuzz_opened(recon_status status, const char *path)
{
    if (status != RECON_OK)
        fuzz_check_refusal(status, path);
    else
        fuzz_files_opened++;
    return status == RECON_OK;
}

/* Whether it answered; otherwise it said that it has no answer. */
static inline int fuzz_answered(recon_status status)
{
    if (status != RECON_OK) {
        FUZZ_CHECK(status == RECON_ERR_NUMERIC || status == RECON_ERR_INPUT);
        fuzz_check_message();
    }
    return status == RECON_OK;
}

#ifdef RECON_FUZZER
#include "fuzz_lies.h"
#endif

#endif
