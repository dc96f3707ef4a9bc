/* ctx.c - contexts: creation, messages, log lines and progress. */
#include "core/ctx.h"
#include "core/fail.h"
#include "core/threads.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *recon_status_name(recon_status status)
{
    static const char *const name[] = { "ok",      "input",       "io",
                                        "format",  "memory",      "unsupported",
                                        "numeric", "interrupted", "mismatch" };
    size_t i = (size_t)status;
    return i < sizeof name / sizeof *name ? name[i] : "unknown";
}

recon_ctx *recon_ctx_new(const recon_ctx_options *options)
{
    recon_ctx *ctx = calloc(1, sizeof *ctx);
    if (!ctx)
        return NULL;
    if (options)
        ctx->options = *options;
    ctx->process = getpid();
    ctx->progress.every = 0.1;
    ctx->hash_key = recon_hash_key_new();
    pthread_mutex_init(&ctx->lock, NULL);
    ctx->pool = recon_pool_new(ctx->options.threads);
    if (!ctx->pool ||
        recon_reserved_check(ctx, ctx->options.reserved, "recon_ctx_options") != RECON_OK ||
        recon_enum_check(ctx, ctx->options.spelling, RECON_SPELLING_CODE, "spelling") != RECON_OK) {
        recon_ctx_free(ctx);
        return NULL;
    }
    return ctx;
}

void recon_ctx_free(recon_ctx *ctx)
{
    if (!ctx ||
        ctx->process != getpid()) /* a child of fork() has neither its threads nor its GPU */
        return;
    if (ctx->backend_free)
        ctx->backend_free(ctx->backend);
    recon_pool_free(ctx->pool);
    for (void **made = ctx->made_groups, **next; made; made = next) {
        next = *made;
        free(made);
    }
    pthread_mutex_destroy(&ctx->lock);
    free(ctx);
}

const char *recon_ctx_message(const recon_ctx *ctx)
{
    return ctx->message;
}

int recon_ctx_threads(const recon_ctx *ctx)
{
    return recon_pool_threads(ctx->pool);
}

void recon_ctx_interrupt(recon_ctx *ctx)
{
    atomic_store(&ctx->interrupted, 1);
}

void recon_ctx_resume(recon_ctx *ctx)
{
    atomic_store(&ctx->interrupted, 0);
}

recon_status recon_interrupted(recon_ctx *ctx)
{
    return atomic_load(&ctx->interrupted) && !ctx->hold
               ? recon_fail(ctx, RECON_ERR_INTERRUPTED, "interrupted")
               : RECON_OK;
}

/* --- how settings and calls are spelled ------------------------------------------------------- */

typedef struct {
    const char *name, *on, *off, *number, *word; /* a setting alone, switched, with a value */
    char underscore;                             /* within its name */
    const char *keyword;                         /* put behind a name that the language reserves */
    char dot;                                    /* within the name of a call */
    const char *open, *between, *close, *empty;  /* around and between its settings */
} words;

static const words spellings[] = {
    [RECON_SPELLING_PLAIN] = { "%s", "%s=true", "%s=false", "%s=%s", "%s=%s", '_', "", ' ', " (",
                               ", ", ")", "" },
    [RECON_SPELLING_COMMAND] = { "--%s", "--%s", "--no-%s", "--%s %s", "--%s %s", '-', "", ' ', " ",
                                 " ", "", "" },
    [RECON_SPELLING_PYTHON] = { "%s", "%s=True", "%s=False", "%s=%s", "%s=\"%s\"", '_', "_", '.',
                                "(", ", ", ")", "()" },
    [RECON_SPELLING_CODE] = { "`--%s`", "`--%s`", "`--no-%s`", "`--%s` %s", "`--%s` %s", '-', "",
                              ' ', " ", " ", "", "" },
};

typedef struct {
    char *out;
    size_t room, used;
} writer;

static void put(writer *w, const char *fmt, ...) RECON_PRINTF(2, 3);
static void put(writer *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    w->used += (size_t)vsnprintf(w->out + w->used, w->room - w->used, fmt, ap);
    va_end(ap);
    if (w->used >= w->room)
        w->used = w->room;
}

static char *with(char *text, char old, char new)
{
    for (char *at = text; (at = strchr(at, old)) && old != new; at++)
        *at = new;
    return text;
}

/* What stood between the braces. */
static void put_marked(writer *w, char *text, const words *s)
{
    char *call = strchr(text, '('), *rest = NULL;
    const char *before = "";
    if (call) {
        *call = '\0';
        put(w, "%s", with(text, '.', s->dot));
        text = call + 1;
        text[strcspn(text, ")")] = '\0';
        before = s->open;
    }
    for (char *one = strtok_r(text, " ", &rest); one; one = strtok_r(NULL, " ", &rest)) {
        put(w, "%s", before);
        char name[64], *value = strchr(one, '=');
        if (value)
            *value++ = '\0';
        int reserved = !strcmp(one, "from") || !strcmp(one, "lambda");
        snprintf(name, sizeof name, "%s%s", with(one, '_', s->underscore),
                 reserved ? s->keyword : "");
        const char *form = !value                           ? s->name
                           : !strcmp(value, "true")         ? s->on
                           : !strcmp(value, "false")        ? s->off
                           : islower((unsigned char)*value) ? s->word
                                                            : s->number;
        put(w, form, name, value);
        before = s->between;
    }
    if (call)
        put(w, "%s", before == s->open ? s->empty : s->close);
}

const char *recon_spell(char *out, size_t room, const char *text, recon_spelling spelling)
{
    writer w = { .out = out, .room = room };
    if (!strchr(text, '{'))
        return text;
    for (const char *at = text; *at && w.used < room;) {
        char marked[256];
        const char *end =
            *at == '{' && (islower((unsigned char)at[1]) || at[1] == '%') ? strchr(at, '}') : NULL;
        if (end && (size_t)(end - at) <= sizeof marked) {
            snprintf(marked, (size_t)(end - at), "%s", at + 1);
            put_marked(&w, marked, &spellings[spelling]);
            at = end + 1;
        } else {
            put(&w, "%c", *at++);
        }
    }
    return w.used < room ? out : text;
}

/* --- messages --------------------------------------------------------------------------------- */

static void print_line(const recon_ctx *ctx, char *out, size_t room, const char *fmt, va_list ap)
{
    char spelled[1024];
    vsnprintf(out, room, recon_spell(spelled, sizeof spelled, fmt, ctx->options.spelling), ap);
    recon_keep_to_one_line(out);
}

recon_status recon_fail(recon_ctx *ctx, recon_status status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    pthread_mutex_lock(&ctx->lock);
    if (!ctx->in_parallel || !ctx->message[0])
        print_line(ctx, ctx->message, sizeof ctx->message, fmt, ap);
    pthread_mutex_unlock(&ctx->lock);
    va_end(ap);
    return status;
}

recon_status recon_note(recon_ctx *ctx, recon_status status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    pthread_mutex_lock(&ctx->lock);
    size_t used = strlen(ctx->message);
    size_t room = sizeof ctx->message - used;
    if (room > 4) {
        char *at = ctx->message + used;
        memcpy(at, " (", 3);
        print_line(ctx, at + 2, room - 3, fmt, ap); /* one byte kept for the bracket */
        strcat(at, ")");
    }
    pthread_mutex_unlock(&ctx->lock);
    va_end(ap);
    return status;
}

recon_status recon_note_file(recon_ctx *ctx, recon_status status, const char *path)
{
    return strstr(recon_ctx_message(ctx), path) ? status : recon_note(ctx, status, "in %s", path);
}

void recon_log(recon_ctx *ctx, recon_log_level level, const char *fmt, ...)
{
    if (!ctx->options.on_log)
        return;
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    print_line(ctx, line, sizeof line, fmt, ap);
    va_end(ap);
    pthread_mutex_lock(&ctx->lock);
    ctx->options.on_log(ctx->options.user, level, line);
    pthread_mutex_unlock(&ctx->lock);
}

double recon_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show_progress(recon_ctx *ctx, int finished)
{
    recon_progress p = { .label = ctx->progress.label,
                         .done = atomic_load(&ctx->progress.done),
                         .total = ctx->progress.total,
                         .seconds = recon_now() - ctx->progress.begun,
                         .finished = finished,
                         .before = ctx->progress.before,
                         .measure = ctx->progress.measure,
                         .value = ctx->progress.value };
    ctx->options.on_progress(ctx->options.user, &p);
}

void recon_progress_begin(recon_ctx *ctx, const char *label, uint64_t total)
{
    if (ctx->progress_held)
        return;
    ctx->progress.label = label;
    ctx->progress.total = total ? total : 1;
    ctx->progress.begun = ctx->progress.shown = recon_now();
    ctx->progress.measure = NULL;
    ctx->progress.before = 0;
    atomic_store(&ctx->progress.done, 0);
}

void recon_progress_continue(recon_ctx *ctx, uint64_t before)
{
    if (ctx->progress_held)
        return;
    ctx->progress.before = before;
    atomic_store(&ctx->progress.done, before);
}

void recon_progress_measure(recon_ctx *ctx, const char *measure, double value)
{
    if (ctx->progress_held)
        return;
    ctx->progress.measure = measure;
    ctx->progress.value = value;
}

void recon_progress_add(recon_ctx *ctx, uint64_t done)
{
    if (ctx->progress_held)
        return;
    atomic_fetch_add(&ctx->progress.done, done);
    if (!ctx->options.on_progress || pthread_mutex_trylock(&ctx->lock) != 0)
        return; /* somebody else is showing it just now */
    double now = recon_now();
    if (now - ctx->progress.shown >= ctx->progress.every) {
        ctx->progress.shown = now;
        show_progress(ctx, 0);
    }
    pthread_mutex_unlock(&ctx->lock);
}

void recon_progress_end(recon_ctx *ctx)
{
    if (ctx->options.on_progress && !ctx->progress_held)
        show_progress(ctx, 1);
}

void recon_progress_hold(recon_ctx *ctx)
{
    ctx->progress_held++;
}

void recon_progress_release(recon_ctx *ctx)
{
    ctx->progress_held--;
}

/* --- options ---------------------------------------------------------------------------------- */

recon_status recon_reserved_check(recon_ctx *ctx, const uint64_t *reserved, const char *type)
{
    for (int i = 0; reserved && i < RECON_RESERVED; i++)
        if (reserved[i])
            return recon_fail(
                ctx, RECON_ERR_INPUT,
                "reserved[%d] of %s is not zero: the options were not cleared, or the "
                "program was made for a later version",
                i, type);
    return RECON_OK;
}

recon_status recon_enum_check(recon_ctx *ctx, unsigned value, unsigned last, const char *what)
{
    if (value > last)
        return recon_fail(ctx, RECON_ERR_INPUT, "no %s has the number %d", what, (int)value);
    return RECON_OK;
}
