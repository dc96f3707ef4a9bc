/* run_files.c - names, what must not be lost, and the log. */
#include "nn/run_files.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "nn/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <recon/core/safetensors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

recon_status recon_run_file(recon_ctx *ctx, char **out, const char *path, const char *ending)
{
    size_t room = path ? strlen(path) + strlen(ending) + 1 : 0;
    *out = NULL;
    recon_status status = path ? recon_alloc(ctx, out, room, 1) : RECON_OK;
    if (path && status == RECON_OK)
        snprintf(*out, room, "%s%s", path, ending);
    return status;
}

enum { LONGEST = 4096 }; /* what a system takes as a path */

static int is_there(const char *path, const char *ending)
{
    char name[LONGEST + 32];
    int n = snprintf(name, sizeof name, "%s%s", path, ending);
    return n > 0 && (size_t)n < sizeof name && access(name, F_OK) == 0;
}

const char *recon_run_refusal(char *out, size_t room, const char *path, int resume, int overwrite,
                              recon_spelling spelling)
{
    static const char *const endings[] = { RECON_FILE_LAST, RECON_FILE_STAGE RECON_FILE_LAST, "" };
    enum { COUNT = sizeof endings / sizeof *endings };
    int i = 0;
    while (path && i < COUNT && !is_there(path, endings[i]))
        i++;
    if (!path || i == COUNT || overwrite || (resume && i < COUNT - 1))
        return NULL;
    char spelled[200];
    const char *fmt =
        resume ? "%s exists, but not %s" RECON_FILE_LAST
                 ", from which {resume=true} continues: {overwrite=true} replaces it"
               : "%s%s exists: {resume=true} continues that run, {overwrite=true} replaces it";
    snprintf(out, room, recon_spell(spelled, sizeof spelled, fmt, spelling), path,
             resume ? path : endings[i]);
    return out;
}

recon_status recon_run_check(recon_ctx *ctx, const char *path, int resume, int overwrite)
{
    char why[2 * LONGEST];
    return recon_run_refusal(why, sizeof why, path, resume, overwrite, ctx->options.spelling)
               ? recon_fail(ctx, RECON_ERR_INPUT, "%s", why)
               : RECON_OK;
}

/* Of one checkpoint. */
static recon_status read_number(recon_ctx *ctx, size_t *out, const char *path, const char *ending,
                                const char *name)
{
    recon_safetensors *file = NULL;
    const char *line;
    char *last = NULL;
    recon_status status = RECON_OK;
    if (!is_there(path, ending))
        return RECON_OK;
    RECON_TRY(recon_run_file(ctx, &last, path, ending));
    RECON_TRY(recon_safetensors_open(ctx, &file, last));
    line = recon_safetensors_metadata(file, "settings");
    *out = line ? recon_settings_number(line, name, *out) : *out;
done:
    recon_safetensors_close(file);
    free(last);
    return status;
}

recon_status recon_run_setting(recon_ctx *ctx, size_t *out, const char *path, const char *name)
{
    if (!path)
        return RECON_OK;
    RECON_CHECK(read_number(ctx, out, path, RECON_FILE_STAGE RECON_FILE_LAST, name));
    return read_number(ctx, out, path, RECON_FILE_LAST, name);
}

recon_status recon_run_begin(recon_ctx *ctx, size_t *epochs, const char *path, int resume,
                             int overwrite)
{
    recon_status status = recon_run_check(ctx, path, resume, overwrite);
    return status == RECON_OK && resume && !*epochs
               ? recon_run_setting(ctx, epochs, path, RECON_SETTING_EPOCHS)
               : status;
}

recon_status recon_run_fills(recon_ctx *ctx, size_t n, size_t batch, const char *one)
{
    return n >= batch ? RECON_OK
                      : recon_fail(ctx, RECON_ERR_INPUT,
                                   "%zu %s%s not fill a batch of %zu: use a smaller batch", n, one,
                                   n == 1 ? " does" : "s do", batch);
}

/* --- the log: lines of JSON, appended whole ---------------------------------------------------- */

/* A disk may be full in the middle of a line: the half is taken back, where that can be done. */
static int append(const char *path, const char *text, size_t n)
{
    struct stat before;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0)
        return 0;
    int known = fstat(fd, &before) == 0, good = recon_put(fd, text, n), why = errno;
    if (known && !good && ftruncate(fd, before.st_size) != 0)
        known = 0; /* nothing is left to try; a resumed run drops the half */
    good = close(fd) == 0 && good;
    errno = why;
    return good;
}

void recon_metrics_append(recon_ctx *ctx, const char *path, json_t *line)
{
    char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    size_t n = text ? strlen(text) : 0;
    json_decref(line);
    if (!text)
        return;
    text[n] = '\n'; /* in place of the end: the length is known */
    if (!append(path, text, n + 1))
        recon_log(ctx, RECON_LOG_WARN, "%s: a line was not written: %s", path, strerror(errno));
    free(text);
}

static int is_kept(const char *line, size_t n, uint64_t step, int due)
{
    json_t *value = json_loadb(line, n, 0, NULL);
    json_t *at = json_object_get(value, "step");
    uint64_t here = (uint64_t)json_integer_value(at);
    int again = due && here == step && json_object_get(value, "validation");
    int kept = json_is_integer(at) && here <= step && !again;
    json_decref(value);
    return kept;
}

recon_status recon_metrics_cut(recon_ctx *ctx, const char *path, uint64_t step, int due)
{
    recon_file file;
    recon_writer writer = { .fd = -1 };
    recon_status status;
    if (access(path, F_OK) != 0)
        return RECON_OK;
    RECON_TRY(recon_file_open(ctx, &file, path));
    RECON_TRY(recon_writer_open(ctx, &writer, path));
    const char *at = (const char *)file.bytes, *end = at + file.size, *stop;
    for (; at < end && (stop = memchr(at, '\n', (size_t)(end - at))); at = stop + 1)
        if (is_kept(at, (size_t)(stop - at), step, due))
            RECON_TRY(recon_writer_write(ctx, &writer, at, (size_t)(stop - at) + 1));
    RECON_TRY(recon_writer_commit(ctx, &writer));
done:
    recon_writer_close(&writer);
    recon_file_close(&file);
    return status;
}
