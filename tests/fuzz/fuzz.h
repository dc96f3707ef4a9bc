/* fuzz.h - what every fuzz target does: bytes in; out comes an array that can be used, or a failure
 * with a message of one line. Anything else aborts. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdlib.h>
#include <string.h>
#include <recon/core/array.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

/* One context for the whole run: a process of libFuzzer has one thread and no end to hook on. */
static inline recon_ctx *fuzz_ctx(void)
{
    static recon_ctx *ctx;
    if (!ctx)
        ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    FUZZ_CHECK(ctx);
    return ctx;
}

static inline void fuzz_check_failure(recon_status status)
{
    const char *message = recon_ctx_message(fuzz_ctx());
    FUZZ_CHECK(status == RECON_ERR_FORMAT || status == RECON_ERR_MEMORY);
    FUZZ_CHECK(message[0] != '\0' && !strchr(message, '\n'));
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
