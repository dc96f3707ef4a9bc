/* arena.h - memory that is released all at once.
 *
 * * * A stack of blocks: taking memory moves a pointer, and releasing moves it back to a mark.
 * After the first pass over the same code nothing is allocated and addresses repeat. Built with
 * `make ARENA=malloc`, every request gets its own block, so that sanitizers see each overrun. */
#ifndef CORE_ARENA_H
#define CORE_ARENA_H

#include <stddef.h>
#include <recon/core/ctx.h>

typedef struct recon_arena recon_arena;
typedef struct {
    void *block; /* the block on top, and how much of it was in use */
    size_t used;
} recon_mark;

recon_arena *recon_arena_make(void); /* NULL if out of memory */
void recon_arena_free(recon_arena *arena);

/* Returns count * size uninitialised bytes, aligned to 64, in *out (a pointer to any pointer). They
 * are valid until an earlier mark is released. */
recon_status recon_arena_take(recon_ctx *ctx, recon_arena *arena, void *out, size_t count,
                              size_t size);
recon_mark recon_arena_mark(const recon_arena *arena);
void recon_arena_release(recon_arena *arena, recon_mark mark);

/* Returns the scratch arena of a worker thread. What a task takes is released when it ends. */
recon_arena *recon_worker_arena(recon_ctx *ctx, int worker);

#endif
