/* fuzz.h - what every fuzz target does: bytes in; out comes something that can be used, or a
 * failure with a message of one line. Anything else aborts.
 *
 * A target is a function of bytes. libFuzzer makes them up (`make fuzz`); test_corpus.c takes them
 * from the files in tests/fuzz/corpus, where every input that once did harm is kept. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <recon/core/array.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static recon_ctx *fuzz_own_ctx;
static inline void fuzz_end(void)
{
    recon_ctx_free(fuzz_own_ctx);
}

/* One context for the whole run: libFuzzer says when it begins, not when it ends. */
static inline recon_ctx *fuzz_ctx(void)
{
    if (!fuzz_own_ctx) {
        fuzz_own_ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
        atexit(fuzz_end);
    }
    FUZZ_CHECK(fuzz_own_ctx);
    return fuzz_own_ctx;
}

static inline void fuzz_check_message(void)
{
    const char *message = recon_ctx_message(fuzz_ctx());
    FUZZ_CHECK(message[0] != '\0' && !strchr(message, '\n'));
}

/* Of readers, which have a file to blame and nothing else. */
static inline void fuzz_check_failure(recon_status status)
{
    FUZZ_CHECK(status == RECON_ERR_FORMAT);
    fuzz_check_message();
}

/* Of those who open a file by its name: the message has it. What a file says may also be
 * RECON_ERR_INPUT where it contradicts another, and RECON_ERR_IO where that is not there. */
static inline void fuzz_check_refusal(recon_status status, const char *path)
{
    FUZZ_CHECK(status == RECON_ERR_FORMAT || status == RECON_ERR_INPUT || status == RECON_ERR_IO ||
               status == RECON_ERR_MISMATCH);
    fuzz_check_message();
    if (!strstr(recon_ctx_message(fuzz_ctx()), path))
        fprintf(stderr, "no '%s' in: %s\n", path, recon_ctx_message(fuzz_ctx()));
    FUZZ_CHECK(strstr(recon_ctx_message(fuzz_ctx()), path));
}

/* A file with these bytes, and no others: the one before is gone. */
static inline const char *fuzz_file(const void *bytes, size_t size)
{
    static char path[64];
    static int fd = -1;
    if (fd < 0)
        fd = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_CHECK(fd >= 0 && ftruncate(fd, 0) == 0);
    for (size_t at = 0; at < size;) {
        ssize_t n = pwrite(fd, (const char *)bytes + at, size - at, (off_t)at);
        FUZZ_CHECK(n > 0);
        at += (size_t)n;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

/* Reads every element, all three ways. */
static inline void fuzz_use(const recon_array *array)
{
    size_t n = recon_array_count(array);
    void *out = malloc(n ? n * sizeof(double) : 1);
    FUZZ_CHECK(out);
    FUZZ_CHECK(recon_array_to_f32(fuzz_ctx(), out, array) == RECON_OK);
    FUZZ_CHECK(recon_array_to_f64(fuzz_ctx(), out, array) == RECON_OK);
    recon_array_to_i64(fuzz_ctx(), out, array);
    free(out);
}

#endif
