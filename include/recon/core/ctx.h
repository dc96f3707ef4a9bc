/* ctx.h - the context: one run's threads, messages, progress and kernels.
 *
 * A context belongs to one thread at a time. Two contexts in two threads share nothing. */
#ifndef RECON_CORE_CTX_H
#define RECON_CORE_CTX_H

#include <stddef.h>
#include <stdint.h>
#include <recon/core/status.h>
#include <recon/core/version.h>

typedef struct recon_ctx recon_ctx;

typedef enum { RECON_LOG_WARN, RECON_LOG_INFO, RECON_LOG_DEBUG } recon_log_level;

/* Progress of a long job. Reported at most ten times a second, and at the end. */
typedef struct {
    const char *label;   /* "knn", "normalize" ... */
    uint64_t done;       /* units of work done, out of total */
    uint64_t total;      /* never 0 */
    double seconds;      /* since the job began */
    int finished;        /* 1 on the last call of the job */
    uint64_t before;     /* the part of `done` that an earlier run did, if this one resumes it */
    const char *measure; /* the name of value, such as "loss"; NULL: nothing is measured */
    double value;
} recon_progress;

/* Options are structures allocated by the caller. Each ends in `reserved`, space for fields of
 * later versions, so that programs need not be recompiled. Clear the whole structure ({ 0 }): a
 * non-zero value in `reserved` is RECON_ERR_INPUT, and the message names the structure. */
enum { RECON_RESERVED = 4 };

/* How messages spell settings and calls, to match what the user of the program types.
 *   plain    crop=auto     recon train (from=MODEL)
 *   command  --crop auto   recon train --from MODEL
 *   Python   crop="auto"   recon.train(from_=MODEL)
 * CODE is the command's spelling, with options between backquotes. */
typedef enum {
    RECON_SPELLING_PLAIN,
    RECON_SPELLING_COMMAND,
    RECON_SPELLING_PYTHON,
    RECON_SPELLING_CODE
} recon_spelling;

/* Zero in any field means its default. */
typedef struct {
    int threads; /* 0: as many as this process may use; at most 256 */
    recon_spelling spelling;
    void (*on_log)(void *user, recon_log_level level, const char *line);
    void (*on_progress)(void *user, const recon_progress *progress);
    void *user; /* passed to both callbacks */
    uint64_t reserved[RECON_RESERVED];
} recon_ctx_options;

/* Returns a new context, or NULL if memory or threads are not available or a field of options is
 * not valid. options may be NULL.
 *
 * A context belongs to the process that made it. After fork() it has no threads in the child: calls
 * that compute are RECON_ERR_INPUT, and recon_ctx_free does nothing. The child can make a context
 * of its own and use with it what the parent opened or made on the CPU, such as a model. */
RECON_API recon_ctx *recon_ctx_new(const recon_ctx_options *options);
RECON_API void recon_ctx_free(recon_ctx *ctx);

/* Returns the message of the last failure, or "". Valid until the next call with ctx. */
RECON_API const char *recon_ctx_message(const recon_ctx *ctx);

/* Sets the message, one line, and returns status. In fmt, "{crop=auto}" is a setting,
 * "{skip_bad=true}" a setting that is switched on, and "{recon.train(from=MODEL)}" a call; they are
 * spelled as the context's options ask. Callbacks and kinds of an application report their failures
 * with it, as the library does. Any worker thread may call it; in a parallel loop the first message
 * counts. */
RECON_API recon_status recon_fail(recon_ctx *ctx, recon_status status, const char *fmt, ...)
    RECON_PRINTF(3, 4);

/* Returns the number of threads of the context. */
RECON_API int recon_ctx_threads(const recon_ctx *ctx);

/* Makes the running call, and every later one until recon_ctx_resume, return RECON_ERR_INTERRUPTED
 * soon. Safe in a signal handler and from any thread. */
RECON_API void recon_ctx_interrupt(recon_ctx *ctx);
RECON_API void recon_ctx_resume(recon_ctx *ctx);

#endif
