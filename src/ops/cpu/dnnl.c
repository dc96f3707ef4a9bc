/* dnnl.c - oneDNN 2's C API behind plans. See dnnl.h. */
#include "ops/cpu/dnnl.h"

#if defined(RECON_HAVE_DNNL)
#include "core/arena.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "ops/cpu/guard.h"

#include <dnnl.h>
#include <stdlib.h>
#include <string.h>

#if DNNL_VERSION_MAJOR != 2
#error "written for oneDNN 2: descriptors are made differently in 3"
#endif

struct recon_dnnl_plan {
    recon_dnnl_shape shape;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t run;
    dnnl_memory_desc_t x, y, bias;
    const dnnl_memory_desc_t *packed, *scratch; /* the descriptor's */
    struct recon_dnnl_plan *next;
};

/* Far more than one step needs. Batches of ever new sizes would have ever new plans without it. */
#define PLANS_MOST 512

typedef struct {
    dnnl_engine_t engine;
    recon_dnnl_plan *plans; /* the one used last comes first */
    int count;
    int fast_bf16; /* asked once: CPUID takes microseconds on a virtual machine */
    int streams;
    dnnl_stream_t stream[]; /* one a worker */
} cache;

static recon_status failed(recon_ctx *ctx, const char *what, dnnl_status_t s)
{
    return recon_fail(ctx, s == dnnl_out_of_memory ? RECON_ERR_MEMORY : RECON_ERR_NUMERIC,
                      "oneDNN %s: status %d", what, (int)s);
}

/* As RECON_TRY, for a call of the library. */
#define TRY_DNNL(call)                                                                             \
    do {                                                                                           \
        dnnl_status_t dnnl_code = (call);                                                          \
        if (dnnl_code != dnnl_success) {                                                           \
            status = failed(ctx, #call, dnnl_code);                                                \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

int recon_dnnl_is_there(void)
{
    return 1;
}

static int uses(dnnl_cpu_isa_t isa)
{
    return (dnnl_get_effective_cpu_isa() & isa) == isa; /* never above the user's limit */
}

static int is_bf16_fast(void)
{
    if (recon_processor_has_amx())
        return uses(dnnl_cpu_isa_avx512_core_amx) && recon_processor_may_use_amx();
    return uses(dnnl_cpu_isa_avx512_core_bf16);
}

int recon_dnnl_has_exact_bytes(void)
{
    return uses(dnnl_cpu_isa_avx512_core_vnni);
}

int recon_dnnl_takes_amx(void)
{
    return uses(dnnl_cpu_isa_avx512_core_amx);
}

static void plan_free(recon_dnnl_plan *plan)
{
    dnnl_primitive_destroy(plan->run);
    dnnl_primitive_desc_destroy(plan->desc);
    free(plan);
}

static void cache_free(void *backend)
{
    cache *c = backend;
    while (c->plans) {
        recon_dnnl_plan *plan = c->plans;
        c->plans = plan->next;
        plan_free(plan);
    }
    while (c->streams > 0)
        dnnl_stream_destroy(c->stream[--c->streams]);
    if (c->engine)
        dnnl_engine_destroy(c->engine);
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
    TRY_DNNL(dnnl_engine_create(&c->engine, dnnl_cpu, 0));
    for (; c->streams < workers; c->streams++)
        TRY_DNNL(dnnl_stream_create(&c->stream[c->streams], c->engine, dnnl_stream_default_flags));
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
    return cache_of(ctx, &c) == RECON_OK && c->fast_bf16;
}

static dnnl_status_t describe(recon_dnnl_plan *plan, dnnl_convolution_desc_t *out,
                              recon_dnnl_kind kind)
{
    const recon_dnnl_shape *s = &plan->shape;
    dnnl_data_type_t type = s->bf16 ? dnnl_bf16 : dnnl_f32;
    dnnl_data_type_t type_w = kind == RECON_DNNL_WEIGHTS ? dnnl_f32 : type;
    dnnl_memory_desc_t w;
    dnnl_memory_desc_init_by_tag(&plan->x, 4, (dnnl_dims_t){ s->n, s->c, s->h, s->w }, type,
                                 dnnl_nhwc);
    dnnl_memory_desc_init_by_tag(&plan->y, 4, (dnnl_dims_t){ s->n, s->o, s->p, s->q }, type,
                                 dnnl_nhwc);
    dnnl_memory_desc_init_by_tag(&w, 4, (dnnl_dims_t){ s->o, s->c, s->kh, s->kw }, type_w,
                                 dnnl_format_tag_any);
    dnnl_memory_desc_init_by_tag(&plan->bias, 1, (dnnl_dims_t){ s->o }, dnnl_f32, dnnl_a);
    dnnl_dims_t stride = { s->stride, s->stride }, pad = { s->pad_h, s->pad_w };
    if (kind == RECON_DNNL_DATA)
        return dnnl_convolution_backward_data_desc_init(out, dnnl_convolution_direct, &plan->x, &w,
                                                        &plan->y, stride, pad, pad);
    if (kind == RECON_DNNL_WEIGHTS)
        return dnnl_convolution_backward_weights_desc_init(out, dnnl_convolution_direct, &plan->x,
                                                           &w, NULL, &plan->y, stride, pad, pad);
    return dnnl_convolution_forward_desc_init(out, dnnl_forward_training, dnnl_convolution_direct,
                                              &plan->x, &w, s->bias ? &plan->bias : NULL, &plan->y,
                                              stride, pad, pad);
}

static dnnl_status_t describe_product(recon_dnnl_plan *plan, dnnl_matmul_desc_t *out)
{
    const recon_dnnl_shape *s = &plan->shape;
    dnnl_memory_desc_t w;
    dnnl_memory_desc_init_by_strides(&plan->x, 2, (dnnl_dims_t){ s->n, s->c }, dnnl_f32,
                                     (dnnl_dims_t){ s->w, 1 });
    dnnl_memory_desc_init_by_strides(&plan->y, 2, (dnnl_dims_t){ s->n, s->o }, dnnl_f32,
                                     (dnnl_dims_t){ s->q, 1 });
    dnnl_memory_desc_init_by_tag(&w, 2, (dnnl_dims_t){ s->c, s->o }, dnnl_f32, dnnl_format_tag_any);
    return dnnl_matmul_desc_init(out, &plan->x, &w, NULL, &plan->y);
}

/* On some machines with AMX the batch-reduce kernels of oneDNN 2.6 die with SIGILL. Its other
 * kernels for AMX do not, and are faster on most of our shapes. */
static int is_faulty(const_dnnl_primitive_desc_t desc)
{
    const char *name = "";
    dnnl_primitive_desc_query(desc, dnnl_query_impl_info_str, 0, &name);
    return strncmp(name, "brgconv", 7) == 0 && strstr(name, "amx");
}

/* The first implementation that the library offers and that is not faulty. */
static dnnl_status_t choose(dnnl_primitive_desc_t *out, const_dnnl_op_desc_t op,
                            dnnl_primitive_attr_t attr, dnnl_engine_t engine,
                            dnnl_primitive_desc_t hint)
{
    dnnl_primitive_desc_iterator_t at;
    dnnl_status_t status = dnnl_primitive_desc_iterator_create(&at, op, attr, engine, hint);
    if (status != dnnl_success)
        return status;
    *out = dnnl_primitive_desc_iterator_fetch(at);
    while (*out && is_faulty(*out)) {
        dnnl_primitive_desc_destroy(*out);
        *out = NULL;
        status = dnnl_primitive_desc_iterator_next(at);
        if (status == dnnl_success)
            *out = dnnl_primitive_desc_iterator_fetch(at);
    }
    dnnl_primitive_desc_iterator_destroy(at);
    return *out ? dnnl_success : status == dnnl_success ? dnnl_out_of_memory : status;
}

/* Of a convolution; the backward kinds want to see the forward one. */
static recon_status make_conv(recon_ctx *ctx, recon_dnnl_plan *plan, dnnl_engine_t engine,
                              dnnl_primitive_attr_t attr)
{
    recon_status status = RECON_OK;
    dnnl_convolution_desc_t d, forward;
    dnnl_primitive_desc_t hint = NULL;
    if (plan->shape.kind != RECON_DNNL_FORWARD) {
        TRY_DNNL(describe(plan, &forward, RECON_DNNL_FORWARD));
        TRY_DNNL(dnnl_primitive_desc_create(&hint, &forward, NULL, engine, NULL));
    }
    TRY_DNNL(describe(plan, &d, plan->shape.kind));
    TRY_DNNL(choose(&plan->desc, &d, attr, engine, hint));
done:
    dnnl_primitive_desc_destroy(hint);
    return status;
}

static recon_status make_product(recon_ctx *ctx, recon_dnnl_plan *plan, dnnl_engine_t engine,
                                 dnnl_primitive_attr_t attr)
{
    recon_status status = RECON_OK;
    dnnl_matmul_desc_t d;
    TRY_DNNL(describe_product(plan, &d));
    TRY_DNNL(dnnl_primitive_desc_create(&plan->desc, &d, attr, engine, NULL));
done:
    return status;
}

static recon_status make_primitive(recon_ctx *ctx, recon_dnnl_plan *plan, dnnl_engine_t engine)
{
    recon_status status = RECON_OK;
    dnnl_primitive_attr_t attr = NULL;
    TRY_DNNL(dnnl_primitive_attr_create(&attr));
    TRY_DNNL(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    RECON_TRY(plan->shape.kind == RECON_DNNL_PRODUCT ? make_product(ctx, plan, engine, attr)
                                                     : make_conv(ctx, plan, engine, attr));
    TRY_DNNL(dnnl_primitive_create(&plan->run, plan->desc));
    dnnl_query_t weights =
        plan->shape.kind == RECON_DNNL_WEIGHTS ? dnnl_query_diff_weights_md : dnnl_query_weights_md;
    plan->packed = dnnl_primitive_desc_query_md(plan->desc, weights, 0);
    plan->scratch = dnnl_primitive_desc_query_md(plan->desc, dnnl_query_scratchpad_md, 0);
done:
    dnnl_primitive_attr_destroy(attr);
    return status;
}

static recon_status make_plan(recon_ctx *ctx, recon_dnnl_plan **out, dnnl_engine_t engine,
                              const recon_dnnl_shape *shape)
{
    RECON_CHECK(recon_room_check(ctx, RECON_LIBRARY_ROOM));
    RECON_CHECK(recon_alloc(ctx, out, 1, sizeof **out));
    (*out)->shape = *shape;
    recon_guard guard = recon_guard_enter(); /* making looks at the thread count, too */
    recon_status status = make_primitive(ctx, *out, engine);
    recon_guard_leave(&guard);
    if (status != RECON_OK) {
        plan_free(*out);
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
    plan_free(*at);
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
        status = make_plan(ctx, &plan, c->engine, shape);
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
    return dnnl_memory_desc_get_size(plan->packed);
}

/* Descriptor of o,kh,kw,c in memory, or of c,kh,kw,o when rotated. */
static void describe_plain(const recon_dnnl_plan *plan, dnnl_memory_desc_t *out, int rotated)
{
    const recon_dnnl_shape *s = &plan->shape;
    int64_t inner = rotated ? s->o : s->c, taps = s->kh * s->kw;
    if (s->kind == RECON_DNNL_PRODUCT) {
        dnnl_dims_t steps = { rotated ? s->o : 1, rotated ? 1 : s->c };
        dnnl_memory_desc_init_by_strides(out, 2, (dnnl_dims_t){ s->c, s->o }, dnnl_f32, steps);
        return;
    }
    dnnl_dims_t dims = { s->o, s->c, s->kh, s->kw };
    dnnl_dims_t strides = { rotated ? 1 : taps * inner, rotated ? taps * inner : 1, s->kw * inner,
                            inner };
    dnnl_memory_desc_init_by_strides(out, 4, dims, plan->packed->data_type, strides);
}

static recon_status reorder(recon_ctx *ctx, const dnnl_memory_desc_t *to_desc, void *to,
                            const dnnl_memory_desc_t *from_desc, const void *from)
{
    recon_status status = recon_room_check(ctx, RECON_LIBRARY_ROOM);
    if (status != RECON_OK)
        return status;
    cache *c = ctx->backend;
    dnnl_primitive_desc_t desc = NULL;
    dnnl_primitive_t run = NULL;
    dnnl_memory_t a = NULL, b = NULL;
    recon_guard guard = recon_guard_enter();
    TRY_DNNL(dnnl_memory_create(&a, from_desc, c->engine, (void *)from));
    TRY_DNNL(dnnl_memory_create(&b, to_desc, c->engine, to));
    TRY_DNNL(
        dnnl_reorder_primitive_desc_create(&desc, from_desc, c->engine, to_desc, c->engine, NULL));
    TRY_DNNL(dnnl_primitive_create(&run, desc));
    dnnl_exec_arg_t args[] = { { DNNL_ARG_FROM, a }, { DNNL_ARG_TO, b } };
    TRY_DNNL(dnnl_primitive_execute(run, c->stream[0], 2, args));
done:
    recon_guard_leave(&guard);
    dnnl_primitive_destroy(run);
    dnnl_primitive_desc_destroy(desc);
    dnnl_memory_destroy(a);
    dnnl_memory_destroy(b);
    return status;
}

recon_status recon_dnnl_pack(recon_ctx *ctx, const recon_dnnl_plan *plan, void *packed,
                             const void *weights, int rotated)
{
    dnnl_memory_desc_t plain;
    describe_plain(plan, &plain, rotated);
    return reorder(ctx, plan->packed, packed, &plain, weights);
}

recon_status recon_dnnl_unpack(recon_ctx *ctx, const recon_dnnl_plan *plan, float *weights,
                               const void *packed)
{
    dnnl_memory_desc_t plain;
    describe_plain(plan, &plain, 0);
    return reorder(ctx, &plain, weights, plan->packed, packed);
}

/* Which arguments a kind takes for x, weights and y. */
static const int argument[4][3] = {
    [RECON_DNNL_FORWARD] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST },
    [RECON_DNNL_DATA] = { DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST },
    [RECON_DNNL_WEIGHTS] = { DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST },
    [RECON_DNNL_PRODUCT] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST },
};

recon_status recon_dnnl_run(recon_ctx *ctx, const recon_dnnl_plan *plan, int worker, void *x,
                            void *packed, const float *bias, void *y)
{
    recon_status status = recon_room_check(ctx, RECON_LIBRARY_ROOM);
    if (status != RECON_OK)
        return status;
    cache *c = ctx->backend;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    const int *name = argument[plan->shape.kind];
    void *scratch;
    dnnl_exec_arg_t args[5] = { { name[0], NULL },
                                { name[1], NULL },
                                { name[2], NULL },
                                { DNNL_ARG_SCRATCHPAD, NULL },
                                { DNNL_ARG_BIAS, NULL } };
    int count = plan->shape.bias ? 5 : 4;
    recon_guard guard = recon_guard_enter();
    RECON_TRY(
        recon_arena_take(ctx, arena, &scratch, dnnl_memory_desc_get_size(plan->scratch) + 1, 1));
    TRY_DNNL(dnnl_memory_create(&args[0].memory, &plan->x, c->engine, x));
    TRY_DNNL(dnnl_memory_create(&args[1].memory, plan->packed, c->engine, packed));
    TRY_DNNL(dnnl_memory_create(&args[2].memory, &plan->y, c->engine, y));
    TRY_DNNL(dnnl_memory_create(&args[3].memory, plan->scratch, c->engine, scratch));
    if (plan->shape.bias)
        TRY_DNNL(dnnl_memory_create(&args[4].memory, &plan->bias, c->engine, (void *)bias));
    TRY_DNNL(dnnl_primitive_execute(plan->run, c->stream[worker], count, args));
done:
    recon_guard_leave(&guard);
    for (int i = 0; i < 5; i++)
        dnnl_memory_destroy(args[i].memory);
    recon_arena_release(arena, mark);
    return status;
}

#else /* no oneDNN: conv.c does not come here */

#include "core/fail.h"

int recon_dnnl_is_there(void)
{
    return 0;
}
int recon_dnnl_has_fast_bf16(recon_ctx *ctx)
{
    (void)ctx;
    return 0;
}
int recon_dnnl_has_exact_bytes(void)
{
    return 0;
}
int recon_dnnl_takes_amx(void)
{
    return 0;
}
size_t recon_dnnl_packed_bytes(const recon_dnnl_plan *plan)
{
    (void)plan;
    return 0;
}

static recon_status none(recon_ctx *ctx)
{
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "built without oneDNN");
}

recon_status recon_dnnl_find(recon_ctx *ctx, const recon_dnnl_plan **out,
                             const recon_dnnl_shape *shape)
{
    (void)out, (void)shape;
    return none(ctx);
}
recon_status recon_dnnl_pack(recon_ctx *ctx, const recon_dnnl_plan *plan, void *packed,
                             const void *weights, int rotated)
{
    (void)plan, (void)packed, (void)weights, (void)rotated;
    return none(ctx);
}
recon_status recon_dnnl_unpack(recon_ctx *ctx, const recon_dnnl_plan *plan, float *weights,
                               const void *packed)
{
    (void)plan, (void)weights, (void)packed;
    return none(ctx);
}
recon_status recon_dnnl_run(recon_ctx *ctx, const recon_dnnl_plan *plan, int worker, void *x,
                            void *packed, const float *bias, void *y)
{
    (void)plan, (void)worker, (void)x, (void)packed, (void)bias, (void)y;
    return none(ctx);
}

#endif
