/* memory.h - checked allocation. Sizes are multiplied here and nowhere else, so that a hostile
 * count in a file cannot wrap around. */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H

#include <stddef.h>
#include <recon/core/ctx.h>

/* count * size bytes, zeroed, aligned to 64, through *out (a pointer to any pointer). A count of
 * 0 gives a block that may not be read. On failure *out is NULL. Free with free(). */
recon_status recon_alloc(recon_ctx *ctx, void *out, size_t count, size_t size);

/* As recon_alloc, but the bytes are not set: for large buffers that are filled at once. */
recon_status recon_alloc_raw(recon_ctx *ctx, void *out, size_t count, size_t size);

/* Makes *block (a pointer to any pointer), of used things with room for *room, one with room for
 * need at least; the room doubles, so that things may be added one by one. On failure both stay as
 * they were. */
recon_status recon_grow(recon_ctx *ctx, void *block, size_t *room, size_t used, size_t need,
                        size_t size);

/* In front of a library that does not survive without memory: RECON_ERR_MEMORY where the process
 * may map fewer than `bytes` more (RLIMIT_AS, `ulimit -v`). RECON_LIBRARY_ROOM is enough for any
 * call of oneDNN that we make. */
#define RECON_LIBRARY_ROOM ((size_t)64 << 20)
recon_status recon_room_check(recon_ctx *ctx, size_t bytes);

/* Bytes that this process has mapped, 0 where the system does not say. */
size_t recon_mapped_bytes(void);

/* Tests: the n-th allocation from now fails (1 is the next one), once; 0 turns it off. */
void recon_alloc_fail_at(recon_ctx *ctx, long n);

/* --- how much memory this process may still take: the least of what the system has available,
 * what its control groups allow, and `ulimit -v` */

/* Bytes; SIZE_MAX where nothing says. */
size_t recon_available_memory(void);

/* The control groups' share of it. root is where they are mounted (/sys/fs/cgroup), list a file like
 * /proc/self/cgroup; versions 1 and 2 of the kernel's interface. The pages of files that the kernel
 * may drop count as free. */
size_t recon_free_in_groups(const char *root, const char *list);

#endif
