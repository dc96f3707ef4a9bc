/* memory.h - checked allocation. Sizes are multiplied only here, so that a hostile count cannot
 * overflow. */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H

#include <stddef.h>
#include <recon/core/ctx.h>

/* Allocates count * size zeroed bytes, aligned to 64, and returns them in *out (a pointer to any
 * pointer). A count of 0 gives a block that must not be read. On failure *out is NULL. free()
 * it. */
recon_status recon_alloc(recon_ctx *ctx, void *out, size_t count, size_t size);

/* Like recon_alloc, but uninitialised: for large buffers that are filled at once. */
recon_status recon_alloc_raw(recon_ctx *ctx, void *out, size_t count, size_t size);

/* Frees several blocks, each of which may be NULL. */
#define recon_free_all(...)                                                                        \
    recon_free_blocks((void *const[]){ __VA_ARGS__ },                                              \
                      sizeof((void *const[]){ __VA_ARGS__ }) / sizeof(void *))
void recon_free_blocks(void *const *blocks, size_t n);

/* Grows *block (a pointer to any pointer), which holds `used` items and has room for *room, to room
 * for at least `need`; the room doubles, for adding items one by one. On failure both are
 * unchanged. */
recon_status recon_grow(recon_ctx *ctx, void *block, size_t *room, size_t used, size_t need,
                        size_t size);

/* Call it before a library that does not survive running out of memory: RECON_ERR_MEMORY if the
 * process may map fewer than `bytes` more (RLIMIT_AS, `ulimit -v`). RECON_LIBRARY_ROOM is enough
 * for any of our calls of oneDNN. */
#define RECON_LIBRARY_ROOM ((size_t)64 << 20)
recon_status recon_room_check(recon_ctx *ctx, size_t bytes);

/* Returns the bytes that this process has mapped, or 0 if the system does not tell. */
size_t recon_mapped_bytes(void);

/* Tests: the n-th allocation from now fails (1 is the next one), once; 0 turns it off. */
void recon_alloc_fail_at(recon_ctx *ctx, long n);

/* Returns the bytes that this process may still take: the least of what the system has available,
 * what its control groups allow, and `ulimit -v`; SIZE_MAX if none of them tells. */
size_t recon_available_memory(void);

/* The limit by control groups alone. root is where they are mounted (/sys/fs/cgroup), list a file
 * like /proc/self/cgroup, of version 1 or 2 of the kernel's interface. Pages of files that the
 * kernel may drop count as free. */
size_t recon_free_in_groups(const char *root, const char *list);

#endif
