/* dnnl.c - plans of oneDNN's, kept in the context. See dnnl.h; its calls are in src/ops/onednn. */
#include "ops/cpu/dnnl.h"
#include "core/arena.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "ops/cpu/guard.h"
#include "ops/cpu/libraries.h"

#include <stdlib.h>
#include <string.h>

struct recon_dnnl_plan {
    recon_dnnl_shape shape;
    void *made; /* the library's */
    struct recon_dnnl_plan *next;
};

/* Far more than one step needs. Batches of ever new sizes would have ever new plans without it. */
#define PLANS_MOST 512

typedef struct {
    const recon_onednn *library;
    void *engine;
    recon_dnnl_plan *plans; /* the one used last comes first */
    int count;
    int fast_bf16; /* asked once: CPUID takes microseconds on a virtual machine */
    int streams;
    void *stream[]; /* one a worker */
} cache;

static recon_status answer(recon_ctx *ctx, recon_onednn_result r)
{
    if (r.status == 0)
        return RECON_OK;
    return recon_fail(ctx, r.status == RECON_ONEDNN_MEMORY ? RECON_ERR_MEMORY : RECON_ERR_NUMERIC,
                      "oneDNN %s: status %d", r.call, r.status);
}

int recon_dnnl_is_there(void)
{
    return recon_onednn_get() != NULL;
}

static int uses(recon_onednn_isa isa)
{
    const recon_onednn *library = recon_onednn_get();
    return library && library->uses(isa);
}

static int is_bf16_fast(void)
{
    if (recon_processor_has_amx())
        return uses(RECON_ISA_AMX) && recon_processor_may_use_amx();
    return uses(RECON_ISA_BF16);
}

int recon_dnnl_has_exact_bytes(void)
{
    return uses(RECON_ISA_VNNI);
}

int recon_dnnl_takes_amx(void)
{
    return uses(RECON_ISA_AMX);
}

static void plan_free(const cache *c, recon_dnnl_plan *plan)
{
    if (plan->made)
        c->library->plan_free(plan->made);
    free(plan);
}

static void cache_free(void *backend)
{
    cache *c = backend;
    while (c->plans) {
        recon_dnnl_plan *plan = c->plans;
        c->plans = plan->next;
        plan_free(c, plan);
    }
    while (c->streams > 0)
        c->library->stream_free(c->stream[--c->streams]);
    if (c->engine)
        c->library->engine_free(c->engine);
    free(c);
}

/* The context's cache, made by the first convolution. */
static recon_status cache_of(recon_ctx *ctx, cache **out)
{
    recon_status status = RECON_OK;
    int workers = recon_ctx_threads(ctx);
    cache *c = ctx->backend;
    *out = c;
    if (c)
        return RECON_OK;
    RECON_TRY(recon_room_check(ctx, RECON_LIBRARY_ROOM));
    RECON_TRY(recon_alloc(ctx, &c, 1, sizeof *c + (size_t)workers * sizeof *c->stream));
    c->library = recon_onednn_get();
    RECON_TRY(answer(ctx, c->library->engine_new(&c->engine)));
    for (; c->streams < workers; c->streams++)
        RECON_TRY(answer(ctx, c->library->stream_new(&c->stream[c->streams], c->engine)));
    c->fast_bf16 = is_bf16_fast();
    ctx->backend = *out = c;
    ctx->backend_free = cache_free;
    return RECON_OK;
done:
    if (c)
        cache_free(c);
    return status;
}

/* Without a cache nothing can be computed, in whatever type: the first convolution will say so. */
int recon_dnnl_has_fast_bf16(recon_ctx *ctx)
{
    cache *c;
    return recon_dnnl_is_there() && cache_of(ctx, &c) == RECON_OK && c->fast_bf16;
}

static recon_status make_plan(recon_ctx *ctx, const cache *c, recon_dnnl_plan **out,
                              const recon_dnnl_shape *shape)
{
    RECON_CHECK(recon_room_check(ctx, RECON_LIBRARY_ROOM));
    RECON_CHECK(recon_alloc(ctx, out, 1, sizeof **out));
    (*out)->shape = *shape;
    recon_guard guard = recon_guard_enter();
    recon_status status = answer(ctx, c->library->plan_new(&(*out)->made, c->engine, shape));
    recon_guard_leave(&guard);
    if (status != RECON_OK) {
        plan_free(c, *out);
        *out = NULL;
    }
    return status;
}

/* The plan that nobody has used for longest. Those of the call that is being prepared are the
 * latest, so they stay. */
static void drop_last(cache *c)
{
    recon_dnnl_plan **at = &c->plans;
    while ((*at)->next)
        at = &(*at)->next;
    plan_free(c, *at);
    *at = NULL;
    c->count--;
}

recon_status recon_dnnl_find(recon_ctx *ctx, const recon_dnnl_plan **out,
                             const recon_dnnl_shape *shape)
{
    cache *c;
    *out = NULL;
    recon_status status = cache_of(ctx, &c);
    if (status != RECON_OK)
        return status;
    recon_dnnl_plan *plan, **at = &c->plans;
    while (*at && memcmp(&(*at)->shape, shape, sizeof *shape) != 0)
        at = &(*at)->next;
    if ((plan = *at)) {
        *at = plan->next;
    } else {
        status = make_plan(ctx, c, &plan, shape);
        if (status != RECON_OK)
            return status;
        if (++c->count > PLANS_MOST)
            drop_last(c);
    }
    plan->next = c->plans;
    *out = c->plans = plan;
    return RECON_OK;
}

size_t recon_dnnl_packed_bytes(const recon_dnnl_plan *plan)
{
    return recon_onednn_get()->packed_bytes(plan->made);
}

recon_status recon_dnnl_pack(recon_ctx *ctx, const recon_dnnl_plan *plan, void *packed,
                             const void *weights, int rotated)
{
    RECON_CHECK(recon_room_check(ctx, RECON_LIBRARY_ROOM));
    const cache *c = ctx->backend;
    recon_guard guard = recon_guard_enter();
    recon_status status =
        answer(ctx, c->library->pack(plan->made, c->stream[0], packed, weights, rotated));
    recon_guard_leave(&guard);
    return status;
}

recon_status recon_dnnl_unpack(recon_ctx *ctx, const recon_dnnl_plan *plan, float *weights,
                               const void *packed)
{
    RECON_CHECK(recon_room_check(ctx, RECON_LIBRARY_ROOM));
    const cache *c = ctx->backend;
    recon_guard guard = recon_guard_enter();
    recon_status status =
        answer(ctx, c->library->unpack(plan->made, c->stream[0], weights, packed));
    recon_guard_leave(&guard);
    return status;
}

recon_status recon_dnnl_run(recon_ctx *ctx, const recon_dnnl_plan *plan, int worker, void *x,
                            void *packed, const float *bias, void *y)
{
    recon_status status = recon_room_check(ctx, RECON_LIBRARY_ROOM);
    if (status != RECON_OK)
        return status;
    const cache *c = ctx->backend;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    void *scratch;
    recon_guard guard = recon_guard_enter();
    RECON_TRY(recon_arena_take(ctx, arena, &scratch, c->library->scratch_bytes(plan->made) + 1, 1));
    RECON_TRY(
        answer(ctx, c->library->run(plan->made, c->stream[worker], x, packed, bias, y, scratch)));
done:
    recon_guard_leave(&guard);
    recon_arena_release(arena, mark);
    return status;
}
