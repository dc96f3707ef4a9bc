/* memory.c - checked allocation. */
#include "core/memory.h"
#include "core/ctx.h"
#include "core/fail.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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
    recon_status status = recon_alloc_raw(ctx, &fresh, more, size);
    if (status != RECON_OK)
        return status;
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
    recon_status status = recon_alloc_raw(ctx, out, count, size);
    if (status == RECON_OK)
        memset(*(void **)out, 0, count * size);
    return status;
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
