/* metrics.c - lines of JSON, appended whole. */
#include "nn/metrics.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
