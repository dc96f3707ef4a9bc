/* memory.c - checked allocation. */
#include "core/memory.h"
#include "core/ctx.h"
#include "core/fail.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <stdio.h>

#define ALIGN 64 /* a cache line, and the widest vector */

void recon_alloc_fail_at(recon_ctx *ctx, long n)
{
    atomic_store(&ctx->fail_at, n);
}

static int told_to_fail(recon_ctx *ctx)
{
    return atomic_load(&ctx->fail_at) > 0 && atomic_fetch_sub(&ctx->fail_at, 1) == 1;
}

recon_status recon_alloc_raw(recon_ctx *ctx, void *out, size_t count, size_t size)
{
    void *block = NULL;
    size_t bytes = 0;
    int fits = !__builtin_mul_overflow(count, size, &bytes) && bytes <= SIZE_MAX - ALIGN;
    if (fits && !told_to_fail(ctx))
        block = aligned_alloc(ALIGN, (bytes ? bytes + ALIGN - 1 : ALIGN) / ALIGN * ALIGN);
    memcpy(out, &block, sizeof block);
    if (!block)
        return recon_fail(ctx, RECON_ERR_MEMORY, "out of memory: %zu x %zu bytes", count, size);
    return RECON_OK;
}

recon_status recon_grow(recon_ctx *ctx, void *block, size_t *room, size_t used, size_t need,
                        size_t size)
{
    void *old, *fresh;
    if (need <= *room)
        return RECON_OK;
    size_t more = *room <= SIZE_MAX / 2 && need < 2 * *room ? 2 * *room : need;
    RECON_CHECK(recon_alloc_raw(ctx, &fresh, more, size));
    memcpy(&old, block, sizeof old);
    if (used)
        memcpy(fresh, old, used * size);
    free(old);
    memcpy(block, &fresh, sizeof fresh);
    *room = more;
    return RECON_OK;
}

recon_status recon_alloc(recon_ctx *ctx, void *out, size_t count, size_t size)
{
    RECON_CHECK(recon_alloc_raw(ctx, out, count, size));
    memset(*(void **)out, 0, count * size);
    return RECON_OK;
}

void recon_free_blocks(void *const *blocks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(blocks[i]);
}

/* Looked up rather than tried out: what a try takes for a moment another thread may miss. */
size_t recon_mapped_bytes(void)
{
    char text[64] = { 0 };
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    return n > 0 ? strtoull(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

recon_status recon_room_check(recon_ctx *ctx, size_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return RECON_OK;
    size_t mapped = recon_mapped_bytes();
    if (mapped <= limit.rlim_cur && limit.rlim_cur - mapped >= bytes)
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_MEMORY,
                      "out of memory: %zu of %zu MiB (ulimit -v) are mapped, and a library needs "
                      "%zu more",
                      mapped >> 20, (size_t)limit.rlim_cur >> 20, bytes >> 20);
}

/* --- what is left -------------------------------------------------------------------------------- */

enum { PATH_ROOM = 4096, LINE_ROOM = 1024 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The number behind a name in a file of "name number" lines; of name "" the file's first word.
 * otherwise: there is no such file, line or number ("max"). */
static size_t read_number(const char *path, const char *name, size_t otherwise)
{
    char line[LINE_ROOM];
    size_t n = strlen(name);
    FILE *f = fopen(path, "re");
    if (!f)
        return otherwise;
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, name, n) != 0)
            continue;
        const char *at = line + n + strspn(line + n, " ");
        if (*at < '0' || *at > '9')
            continue;
        otherwise = strtoull(at, NULL, 10);
        break;
    }
    fclose(f);
    return otherwise;
}

static size_t read_in(const char *folder, const char *file, const char *name, size_t otherwise)
{
    char path[PATH_ROOM + 64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return read_number(path, name, otherwise);
}

/* Of one group; files are called otherwise in version 1. */
static size_t free_in_group(const char *folder, int first)
{
    size_t most = read_in(folder, first ? "memory.limit_in_bytes" : "memory.max", "", SIZE_MAX);
    size_t used = read_in(folder, first ? "memory.usage_in_bytes" : "memory.current", "", 0);
    size_t files =
        read_in(folder, "memory.stat", first ? "total_inactive_file" : "inactive_file", 0);
    used -= smaller(used, files);
    return most == SIZE_MAX ? SIZE_MAX : most - smaller(most, used);
}

/* A group is bound by those above it. Within a container its own may be seen as the root alone. */
static size_t free_in_chain(const char *root, const char *group, int first)
{
    char folder[PATH_ROOM];
    size_t least = SIZE_MAX, top = strlen(root);
    int n = snprintf(folder, sizeof folder, "%s%s%s", root, first ? "/memory" : "", group);
    if (n < 0 || (size_t)n >= sizeof folder)
        return SIZE_MAX;
    top += first ? strlen("/memory") : 0;
    for (;;) {
        least = smaller(least, free_in_group(folder, first));
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= top || !slash)
            return least;
        *slash = '\0';
    }
}

size_t recon_free_in_groups(const char *root, const char *list)
{
    char line[LINE_ROOM];
    size_t least = SIZE_MAX;
    FILE *f = fopen(list, "re");
    while (f && fgets(line, sizeof line, f)) { /* "number:controllers:/path" */
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'),
             *group = strchr(controllers ? controllers + 1 : line, ':');
        if (!controllers || !group)
            continue;
        *group++ = '\0';
        int second = controllers[1] == '\0', first = !strcmp(controllers + 1, "memory");
        if (first || second)
            least = smaller(least, free_in_chain(root, group, first));
    }
    if (f)
        fclose(f);
    return least;
}

/* Beside what a library must find free, stacks of threads and what is freed but still mapped. */
#define LIMIT_ROOM (2 * RECON_LIBRARY_ROOM)

static size_t free_of_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return SIZE_MAX;
    size_t most = limit.rlim_cur, used = recon_mapped_bytes() + LIMIT_ROOM;
    return most - smaller(most, used);
}

size_t recon_available_memory(void)
{
    size_t available = read_number("/proc/meminfo", "MemAvailable:", SIZE_MAX);
    available = available > SIZE_MAX >> 10 ? SIZE_MAX : available << 10; /* it is in KiB */
    available = smaller(available, recon_free_in_groups("/sys/fs/cgroup", "/proc/self/cgroup"));
    return smaller(available, free_of_limit());
}
