/* plugin.c - oneDNN's C API behind plans: every call to it. */
#include "ops/cpu/libraries.h"
#include "ops/onednn/versions.h"

#include <omp.h>
#include <stdio.h>

typedef recon_onednn_result result;

typedef struct {
    recon_dnnl_shape shape;
    dnnl_engine_t engine;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t run;
    memory_desc x, y, bias, plain[2]; /* plain: weights as given, and rotated */
    memory_desc_of packed, scratch;   /* the primitive's */
} plan;

/* A call of the library; where it fails, goes to done: with what has happened. */
#define TRY(made)                                                                                  \
    do {                                                                                           \
        if ((all.status = (int)(made))) {                                                          \
            all.call = #made;                                                                      \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

static int uses(recon_onednn_isa isa)
{
    static const dnnl_cpu_isa_t names[] = { [RECON_ISA_VNNI] = dnnl_cpu_isa_avx512_core_vnni,
                                            [RECON_ISA_BF16] = dnnl_cpu_isa_avx512_core_bf16,
                                            [RECON_ISA_AMX] = dnnl_cpu_isa_avx512_core_amx };
    return (dnnl_get_effective_cpu_isa() & names[isa]) == names[isa];
}

/* One OpenMP thread for the calling thread: the parallel loop is ours. */
static int alone(void)
{
    int before = omp_get_max_threads();
    omp_set_num_threads(1);
    return before;
}

static result gemm(const recon_gemm_args *g)
{
    char ta = g->transpose_a ? 'T' : 'N', tb = g->transpose_b ? 'T' : 'N';
    dnnl_dim_t m = (dnnl_dim_t)g->m, n = (dnnl_dim_t)g->n, k = (dnnl_dim_t)g->k;
    dnnl_dim_t lda = (dnnl_dim_t)g->lda, ldb = (dnnl_dim_t)g->ldb, ldc = (dnnl_dim_t)g->ldc;
    const int32_t zero = 0;
    int threads = alone();
    dnnl_status_t s = g->type == RECON_I8 ? dnnl_gemm_s8s8s32(ta, tb, 'F', m, n, k, 1, g->a, lda, 0,
                                                              g->b, ldb, 0, 0, g->c, ldc, &zero)
                                          : dnnl_sgemm(ta, tb, m, n, k, (float)g->alpha, g->a, lda,
                                                       g->b, ldb, (float)g->beta, g->c, ldc);
    omp_set_num_threads(threads);
    return (result){ (int)s, "gemm" };
}

/* --- objects ---------------------------------------------------------------------------------- */

static result engine_new(void **out)
{
    dnnl_engine_t engine = NULL;
    result all = { (int)dnnl_engine_create(&engine, dnnl_cpu, 0), "dnnl_engine_create" };
    *out = engine;
    return all;
}

static void engine_free(void *engine)
{
    dnnl_engine_destroy(engine);
}

static result stream_new(void **out, void *engine)
{
    dnnl_stream_t stream = NULL;
    result all = { (int)dnnl_stream_create(&stream, engine, dnnl_stream_default_flags),
                   "dnnl_stream_create" };
    *out = stream;
    return all;
}

static void stream_free(void *stream)
{
    dnnl_stream_destroy(stream);
}

/* --- plans ------------------------------------------------------------------------------------ */

static void plan_free(void *made)
{
    plan *p = made;
    memory_desc descs[] = { p->x, p->y, p->bias, p->plain[0], p->plain[1] };
    dnnl_primitive_destroy(p->run);
    dnnl_primitive_desc_destroy(p->desc);
    for (size_t i = 0; i < sizeof descs / sizeof *descs; i++)
        if (descs[i])
            memory_desc_free(descs[i]);
    free(p);
}

/* Images are plain NHWC. */
static result describe_images(plan *p)
{
    const recon_dnnl_shape *s = &p->shape;
    result all = { 0 };
    dnnl_data_type_t type = s->bf16 ? dnnl_bf16 : dnnl_f32;
    dnnl_dims_t x = { s->n, s->c, s->h, s->w }, y = { s->n, s->o, s->p, s->q }, bias = { s->o };
    TRY(memory_desc_new(&p->x, 4, x, type, dnnl_nhwc));
    TRY(memory_desc_new(&p->y, 4, y, type, dnnl_nhwc));
    TRY(memory_desc_new(&p->bias, 1, bias, dnnl_f32, dnnl_a));
done:
    return all;
}

/* Weights o,kh,kw,c in memory, or c,kh,kw,o when rotated. */
static result describe_plain(plan *p, int rotated)
{
    const recon_dnnl_shape *s = &p->shape;
    result all = { 0 };
    int64_t inner = rotated ? s->o : s->c, taps = s->kh * s->kw;
    dnnl_dims_t matrix = { s->c, s->o }, dims = { s->o, s->c, s->kh, s->kw };
    dnnl_dims_t steps = { rotated ? s->o : 1, rotated ? 1 : s->c };
    dnnl_dims_t strides = { rotated ? 1 : taps * inner, rotated ? taps * inner : 1, s->kw * inner,
                            inner };
    if (s->kind == RECON_DNNL_PRODUCT)
        TRY(memory_desc_strided(&p->plain[rotated], 2, matrix, dnnl_f32, steps));
    else
        TRY(memory_desc_strided(&p->plain[rotated], 4, dims, type_of(p->packed), strides));
done:
    return all;
}

static dnnl_status_t describe_kind(plan *p, dnnl_primitive_desc_t *out, memory_desc w,
                                   recon_dnnl_kind kind, dnnl_primitive_desc_t hint,
                                   dnnl_primitive_attr_t attr)
{
    static const dnnl_prop_kind_t kinds[] = { [RECON_DNNL_FORWARD] = dnnl_forward_training,
                                              [RECON_DNNL_DATA] = dnnl_backward_data,
                                              [RECON_DNNL_WEIGHTS] = dnnl_backward_weights };
    const recon_dnnl_shape *s = &p->shape;
    dnnl_dims_t stride = { s->stride, s->stride }, pad = { s->pad_h, s->pad_w };
    conv_form form = { kinds[kind], stride, pad, hint };
    return describe_conv(out, p->engine, &form, p->x, w, s->bias ? p->bias : NULL, p->y, attr);
}

/* The backward kinds want to see the forward one, of the same types. */
static result make_conv(plan *p, dnnl_primitive_attr_t attr)
{
    const recon_dnnl_shape *s = &p->shape;
    result all = { 0 };
    dnnl_data_type_t type = s->bf16 ? dnnl_bf16 : dnnl_f32;
    dnnl_dims_t dims = { s->o, s->c, s->kh, s->kw };
    dnnl_primitive_desc_t hint = NULL;
    memory_desc w = NULL, dw = NULL;
    int of_weights = s->kind == RECON_DNNL_WEIGHTS;
    all = describe_images(p);
    if (all.status)
        return all;
    TRY(memory_desc_new(&w, 4, dims, type, dnnl_format_tag_any));
    TRY(memory_desc_new(&dw, 4, dims, of_weights ? dnnl_f32 : type, dnnl_format_tag_any));
    if (s->kind != RECON_DNNL_FORWARD)
        TRY(describe_kind(p, &hint, w, RECON_DNNL_FORWARD, NULL, NULL));
    TRY(describe_kind(p, &p->desc, dw, (recon_dnnl_kind)s->kind, hint, attr));
done:
    dnnl_primitive_desc_destroy(hint);
    if (w)
        memory_desc_free(w);
    if (dw)
        memory_desc_free(dw);
    return all;
}

static result make_product(plan *p, dnnl_primitive_attr_t attr)
{
    const recon_dnnl_shape *s = &p->shape;
    result all = { 0 };
    dnnl_dims_t x = { s->n, s->c }, y = { s->n, s->o }, dims = { s->c, s->o };
    dnnl_dims_t x_steps = { s->w, 1 }, y_steps = { s->q, 1 };
    memory_desc w = NULL;
    TRY(memory_desc_strided(&p->x, 2, x, dnnl_f32, x_steps));
    TRY(memory_desc_strided(&p->y, 2, y, dnnl_f32, y_steps));
    TRY(memory_desc_new(&w, 2, dims, dnnl_f32, dnnl_format_tag_any));
    TRY(describe_product(&p->desc, p->engine, p->x, w, p->y, s->o == 1 && s->q > 1, attr));
done:
    if (w)
        memory_desc_free(w);
    return all;
}

static result make_primitive(plan *p)
{
    result all = { 0 };
    dnnl_primitive_attr_t attr = NULL;
    dnnl_query_t weights =
        p->shape.kind == RECON_DNNL_WEIGHTS ? dnnl_query_diff_weights_md : dnnl_query_weights_md;
    TRY(dnnl_primitive_attr_create(&attr));
    TRY(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    all = p->shape.kind == RECON_DNNL_PRODUCT ? make_product(p, attr) : make_conv(p, attr);
    if (all.status)
        goto done;
    TRY(dnnl_primitive_create(&p->run, p->desc));
    p->packed = dnnl_primitive_desc_query_md(p->desc, weights, 0);
    p->scratch = dnnl_primitive_desc_query_md(p->desc, dnnl_query_scratchpad_md, 0);
    all = describe_plain(p, 0);
    if (!all.status)
        all = describe_plain(p, 1);
done:
    dnnl_primitive_attr_destroy(attr);
    return all;
}

static result plan_new(void **out, void *engine, const recon_dnnl_shape *shape)
{
    plan *p = *out = calloc(1, sizeof *p);
    if (!p)
        return (result){ RECON_ONEDNN_MEMORY, "calloc" };
    p->shape = *shape;
    p->engine = engine;
    int threads = alone(); /* making looks at the thread count, too */
    result all = make_primitive(p);
    omp_set_num_threads(threads);
    if (all.status) {
        plan_free(p);
        *out = NULL;
    }
    return all;
}

static size_t packed_bytes(const void *made)
{
    return dnnl_memory_desc_get_size(((const plan *)made)->packed);
}

static size_t scratch_bytes(const void *made)
{
    return dnnl_memory_desc_get_size(((const plan *)made)->scratch);
}

/* --- calls ------------------------------------------------------------------------------------ */

static result reorder(const plan *p, dnnl_stream_t stream, memory_desc_of to_desc, void *to,
                      memory_desc_of from_desc, const void *from)
{
    result all = { 0 };
    dnnl_primitive_desc_t desc = NULL;
    dnnl_primitive_t run = NULL;
    dnnl_memory_t a = NULL, b = NULL;
    int threads = alone();
    TRY(dnnl_memory_create(&a, from_desc, p->engine, (void *)from));
    TRY(dnnl_memory_create(&b, to_desc, p->engine, to));
    TRY(dnnl_reorder_primitive_desc_create(&desc, from_desc, p->engine, to_desc, p->engine, NULL));
    TRY(dnnl_primitive_create(&run, desc));
    dnnl_exec_arg_t args[] = { { DNNL_ARG_FROM, a }, { DNNL_ARG_TO, b } };
    TRY(dnnl_primitive_execute(run, stream, 2, args));
done:
    omp_set_num_threads(threads);
    dnnl_primitive_destroy(run);
    dnnl_primitive_desc_destroy(desc);
    dnnl_memory_destroy(a);
    dnnl_memory_destroy(b);
    return all;
}

static result pack(const void *made, void *stream, void *packed, const void *weights, int rotated)
{
    const plan *p = made;
    return reorder(p, stream, p->packed, packed, p->plain[rotated], weights);
}

static result unpack(const void *made, void *stream, void *weights, const void *packed)
{
    const plan *p = made;
    return reorder(p, stream, p->plain[0], weights, p->packed, packed);
}

/* Which arguments a kind takes for x, weights and y. */
static const int argument[4][3] = {
    [RECON_DNNL_FORWARD] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST },
    [RECON_DNNL_DATA] = { DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST },
    [RECON_DNNL_WEIGHTS] = { DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST },
    [RECON_DNNL_PRODUCT] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST },
};

static result run(const void *made, void *stream, void *x, void *packed, const float *bias, void *y,
                  void *scratch)
{
    const plan *p = made;
    result all = { 0 };
    const int *name = argument[p->shape.kind];
    dnnl_exec_arg_t args[5] = { { name[0], NULL },
                                { name[1], NULL },
                                { name[2], NULL },
                                { DNNL_ARG_SCRATCHPAD, NULL },
                                { DNNL_ARG_BIAS, NULL } };
    int threads = alone();
    TRY(dnnl_memory_create(&args[0].memory, p->x, p->engine, x));
    TRY(dnnl_memory_create(&args[1].memory, p->packed, p->engine, packed));
    TRY(dnnl_memory_create(&args[2].memory, p->y, p->engine, y));
    TRY(dnnl_memory_create(&args[3].memory, p->scratch, p->engine, scratch));
    if (p->shape.bias)
        TRY(dnnl_memory_create(&args[4].memory, p->bias, p->engine, (void *)bias));
    TRY(dnnl_primitive_execute(p->run, stream, p->shape.bias ? 5 : 4, args));
done:
    omp_set_num_threads(threads);
    for (int i = 0; i < 5; i++)
        dnnl_memory_destroy(args[i].memory);
    return all;
}

const recon_plugin *recon_plugin_table(void)
{
    static char version[32];
    static const recon_onednn table = { .plugin = { RECON_VERSION, "oneDNN", version },
                                        .uses = uses,
                                        .gemm = gemm,
                                        .engine_new = engine_new,
                                        .engine_free = engine_free,
                                        .stream_new = stream_new,
                                        .stream_free = stream_free,
                                        .plan_new = plan_new,
                                        .plan_free = plan_free,
                                        .packed_bytes = packed_bytes,
                                        .scratch_bytes = scratch_bytes,
                                        .pack = pack,
                                        .unpack = unpack,
                                        .run = run };
    const dnnl_version_t *v = dnnl_version();
    snprintf(version, sizeof version, "%d.%d.%d", v->major, v->minor, v->patch);
    return &table.plugin;
}
