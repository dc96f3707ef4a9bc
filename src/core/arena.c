/* arena.c - a list of blocks, oldest first; releasing keeps them for the next pass. */
#include "core/arena.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>

#define ALIGN       64
#define FIRST_BLOCK ((size_t)1 << 16)

typedef struct block {
    struct block *below, *above;
    char *bytes;
    size_t size, used;
} block;

struct recon_arena {
    block *top; /* the block in use; those above it are empty and wait */
    block *first;
};

recon_arena *recon_arena_make(void)
{
    return calloc(1, sizeof(recon_arena));
}

static void free_above(recon_arena *arena, block *b)
{
    block *doomed = b ? b->above : arena->first;
    if (b)
        b->above = NULL;
    else
        arena->first = NULL;
    while (doomed) {
        block *next = doomed->above;
        recon_free_all(doomed->bytes, doomed);
        doomed = next;
    }
}

void recon_arena_free(recon_arena *arena)
{
    if (!arena)
        return;
    free_above(arena, NULL);
    free(arena);
}

static recon_status push_block(recon_ctx *ctx, recon_arena *arena, size_t size)
{
    block *b;
    RECON_CHECK(recon_alloc(ctx, &b, 1, sizeof *b));
    recon_status status = recon_alloc_raw(ctx, &b->bytes, size, 1);
    if (status != RECON_OK) {
        free(b);
        return status;
    }
    b->size = size;
    free_above(arena, arena->top); /* too small for this request, so for the next pass too */
    b->below = arena->top;
    if (arena->top)
        arena->top->above = b;
    else
        arena->first = b;
    arena->top = b;
    return RECON_OK;
}

/* The next block up, when it is there and large enough. */
static block *waiting_block(recon_arena *arena, size_t bytes)
{
    block *b = arena->top ? arena->top->above : arena->first;
    return b && b->size >= bytes ? b : NULL;
}

static size_t block_size(const recon_arena *arena, size_t bytes)
{
#ifdef RECON_ARENA_MALLOC
    (void)arena;
    return bytes;
#else
    size_t size = arena->top ? 2 * arena->top->size : FIRST_BLOCK;
    return size < bytes ? bytes : size;
#endif
}

recon_status recon_arena_take(recon_ctx *ctx, recon_arena *arena, void *out, size_t count,
                              size_t size)
{
    *(void **)out = NULL;
    if (size && count > (SIZE_MAX - ALIGN) / size)
        return recon_alloc_raw(ctx, out, count, size); /* refuses, with the message */
    size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    block *b = arena->top;
    if (!b || b->size - b->used < bytes) {
        b = waiting_block(arena, bytes);
        if (!b) {
            RECON_CHECK(push_block(ctx, arena, block_size(arena, bytes)));
            b = arena->top;
        }
        arena->top = b;
    }
    *(void **)out = b->bytes + b->used;
    b->used += bytes;
    return RECON_OK;
}

recon_mark recon_arena_mark(const recon_arena *arena)
{
    return (recon_mark){ arena->top, arena->top ? arena->top->used : 0 };
}

void recon_arena_release(recon_arena *arena, recon_mark mark)
{
    while (arena->top != mark.block) {
        arena->top->used = 0;
        arena->top = arena->top->below;
    }
    if (arena->top)
        arena->top->used = mark.used;
#ifdef RECON_ARENA_MALLOC
    free_above(arena, arena->top);
#endif
}
