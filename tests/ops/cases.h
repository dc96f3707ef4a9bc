/* cases.h - the entries of the table, each described once, with inputs to try them on.
 *
 * A description says which fields of an entry's arguments are inputs and outputs, and where their
 * gradients are; with that, one loop compares any entry of any table with ref, and one loop takes
 * finite differences of any of them. A case is a description and some sizes. */
#ifndef TESTS_OPS_CASES_H
#define TESTS_OPS_CASES_H

#include "check.h"
#include "core/arena.h"
#include "core/f16.h"
#include "ops/ops.h"

typedef union {
    recon_conv_args conv;
    recon_steer_args steer;
    recon_map_args map;
    recon_add_args add;
    recon_gate_args gate;
    recon_cross_args cross;
    recon_norm_args norm;
    recon_unit_args unit;
    recon_angle_args angle;
    recon_field_norm_args field_norm;
    recon_pool_args pool;
    recon_resize_args resize;
    recon_rotate_args rotate;
    recon_gather_args gather;
    recon_segment_args segment;
    recon_pairs_args pairs;
    recon_sparse_args sparse;
    recon_reduce_args reduce;
    recon_tensor_product_args product;
    recon_couple_args couple;
    recon_activate_args activate;
    recon_expand_args expand;
    recon_columns_args columns;
    recon_loss_args loss;
} any_args;

typedef enum {
    UNUSED,
    INPUT,  /* read                                                     */
    WEIGHT, /* read; its gradient is F32 when it is BF16                */
    OUTPUT, /* written; its gradient is what the backward entry starts from */
    SAVED,  /* written, and read by the backward entry                  */
    STATE   /* read and written                                         */
} slot_role;

#define NO_GRADIENT ((size_t)-1)
typedef struct {
    slot_role role;
    size_t at, gradient; /* offsets of tensors in the arguments */
    int linear;          /* the output is affine in this input  */
} slot;

typedef recon_status call_fn(const recon_ops *ops, recon_ctx *ctx, const any_args *args);
typedef int has_fn(const recon_ops *ops);

#define MAX_SLOTS 12 /* a slot of role UNUSED ends the list */
typedef struct {
    const char *name;
    has_fn *has;
    call_fn *call, *back; /* back NULL: the entry is its own gradient */
    slot slots[MAX_SLOTS];
} entry;

#define CALL(name, field)                                                                          \
    static recon_status call_##name(const recon_ops *ops, recon_ctx *ctx, const any_args *args)    \
    {                                                                                              \
        return ops->name(ctx, &args->field);                                                       \
    }
#define ENTRY(name, field)                                                                         \
    CALL(name, field)                                                                              \
    static int has_##name(const recon_ops *ops)                                                    \
    {                                                                                              \
        return ops->name != NULL;                                                                  \
    }
#define PAIR(name, field)                                                                          \
    CALL(name, field)                                                                              \
    CALL(name##_back, field)                                                                       \
    static int has_##name(const recon_ops *ops)                                                    \
    {                                                                                              \
        return ops->name != NULL && ops->name##_back != NULL;                                      \
    }

PAIR(conv, conv)
PAIR(steer, steer)
PAIR(map, map)
ENTRY(add, add)
PAIR(gate, gate)
ENTRY(cross, cross)
PAIR(norm, norm)
PAIR(unit, unit)
PAIR(angle, angle)
PAIR(field_norm, field_norm)
PAIR(pool, pool)
PAIR(resize, resize)
PAIR(rotate, rotate)
PAIR(gather, gather)
PAIR(segment_sum, segment)
PAIR(pairs, pairs)
ENTRY(sparse, sparse)
PAIR(reduce, reduce)
PAIR(tensor_product, product)
PAIR(couple, couple)
PAIR(activate, activate)
PAIR(expand, expand)
ENTRY(columns, columns)
PAIR(loss, loss)

#define AT(field, tensor) offsetof(any_args, field.tensor)
#define FIXED(field, t)                                                                            \
    {                                                                                              \
        INPUT, AT(field, t), NO_GRADIENT, 0                                                        \
    }
#define CURVED(role, field, t)                                                                     \
    {                                                                                              \
        role, AT(field, t), AT(field, d##t), 0                                                     \
    }
#define STRAIGHT(role, field, t)                                                                   \
    {                                                                                              \
        role, AT(field, t), AT(field, d##t), 1                                                     \
    }
#define KEPT(role, field, t)                                                                       \
    {                                                                                              \
        role, AT(field, t), NO_GRADIENT, 0                                                         \
    }

enum {
    CONV,
    STEER,
    MAP,
    ADD,
    GATE,
    CROSS,
    NORM,
    UNIT,
    ANGLE,
    FIELD_NORM,
    POOL,
    RESIZE,
    ROTATE,
    GATHER,
    SEGMENT,
    PAIRS,
    SPARSE,
    REDUCE,
    PRODUCT,
    COUPLE,
    ACTIVATE,
    EXPAND,
    COLUMNS,
    LOSS,
    ENTRIES
};

static const entry entries[ENTRIES] = {
    [CONV] = { "conv",
               has_conv,
               call_conv,
               call_conv_back,
               { STRAIGHT(INPUT, conv, x), STRAIGHT(WEIGHT, conv, w), STRAIGHT(WEIGHT, conv, bias),
                 CURVED(OUTPUT, conv, y) } },
    [STEER] = { "steer",
                has_steer,
                call_steer,
                call_steer_back,
                { STRAIGHT(INPUT, steer, x), STRAIGHT(WEIGHT, steer, w), FIXED(steer, wave),
                  CURVED(OUTPUT, steer, y) } },
    [MAP] = { "map",
              has_map,
              call_map,
              call_map_back,
              { CURVED(INPUT, map, x), CURVED(OUTPUT, map, y) } },
    [ADD] = { "add",
              has_add,
              call_add,
              NULL,
              { FIXED(add, a), FIXED(add, b), KEPT(OUTPUT, add, y) } },
    [GATE] = { "gate",
               has_gate,
               call_gate,
               call_gate_back,
               { STRAIGHT(INPUT, gate, x), STRAIGHT(INPUT, gate, g), CURVED(OUTPUT, gate, y) } },
    [CROSS] = { "cross",
                has_cross,
                call_cross,
                NULL,
                { FIXED(cross, a), FIXED(cross, b), KEPT(OUTPUT, cross, y) } },
    [NORM] = { "norm",
               has_norm,
               call_norm,
               call_norm_back,
               { CURVED(INPUT, norm, x), STRAIGHT(WEIGHT, norm, scale),
                 STRAIGHT(WEIGHT, norm, shift), STRAIGHT(INPUT, norm, skip), FIXED(norm, dy_more),
                 FIXED(norm, offset), KEPT(STATE, norm, running_mean),
                 KEPT(STATE, norm, running_var), KEPT(SAVED, norm, mean), KEPT(SAVED, norm, inv),
                 CURVED(OUTPUT, norm, y) } },
    [UNIT] = { "unit",
               has_unit,
               call_unit,
               call_unit_back,
               { CURVED(INPUT, unit, x), CURVED(OUTPUT, unit, y) } },
    [ANGLE] = { "angle",
                has_angle,
                call_angle,
                call_angle_back,
                { CURVED(WEIGHT, angle, x), CURVED(OUTPUT, angle, y) } },
    [FIELD_NORM] = { "field_norm",
                     has_field_norm,
                     call_field_norm,
                     call_field_norm_back,
                     { CURVED(INPUT, field_norm, x), CURVED(WEIGHT, field_norm, scale),
                       CURVED(WEIGHT, field_norm, shift), CURVED(WEIGHT, field_norm, bias),
                       KEPT(STATE, field_norm, running_mean), KEPT(STATE, field_norm, running_var),
                       KEPT(SAVED, field_norm, mean), KEPT(SAVED, field_norm, inv),
                       CURVED(OUTPUT, field_norm, y) } },
    [POOL] = { "pool",
               has_pool,
               call_pool,
               call_pool_back,
               { STRAIGHT(INPUT, pool, x), CURVED(OUTPUT, pool, y), KEPT(SAVED, pool, index) } },
    [RESIZE] = { "resize",
                 has_resize,
                 call_resize,
                 call_resize_back,
                 { STRAIGHT(INPUT, resize, x), CURVED(OUTPUT, resize, y) } },
    [ROTATE] = { "rotate",
                 has_rotate,
                 call_rotate,
                 call_rotate_back,
                 { STRAIGHT(INPUT, rotate, x), CURVED(WEIGHT, rotate, angle),
                   CURVED(OUTPUT, rotate, y) } },
    [GATHER] = { "gather",
                 has_gather,
                 call_gather,
                 call_gather_back,
                 { STRAIGHT(INPUT, gather, x), FIXED(gather, index), FIXED(gather, order),
                   FIXED(gather, offset), CURVED(OUTPUT, gather, y) } },
    [SEGMENT] = { "segment_sum",
                  has_segment_sum,
                  call_segment_sum,
                  call_segment_sum_back,
                  { STRAIGHT(INPUT, segment, x), FIXED(segment, offset),
                    CURVED(OUTPUT, segment, y) } },
    [PAIRS] = { "pairs",
                has_pairs,
                call_pairs,
                call_pairs_back,
                { STRAIGHT(INPUT, pairs, s), STRAIGHT(INPUT, pairs, u), STRAIGHT(WEIGHT, pairs, w),
                  FIXED(pairs, xyz), FIXED(pairs, offset), CURVED(OUTPUT, pairs, y) } },
    [SPARSE] = { "sparse",
                 has_sparse,
                 call_sparse,
                 NULL,
                 { FIXED(sparse, x), FIXED(sparse, index), FIXED(sparse, weight),
                   FIXED(sparse, offset), KEPT(OUTPUT, sparse, y) } },
    [REDUCE] = { "reduce",
                 has_reduce,
                 call_reduce,
                 call_reduce_back,
                 { STRAIGHT(INPUT, reduce, x), CURVED(OUTPUT, reduce, y) } },
    [PRODUCT] = { "tensor_product",
                  has_tensor_product,
                  call_tensor_product,
                  call_tensor_product_back,
                  { STRAIGHT(INPUT, product, a), STRAIGHT(INPUT, product, b), FIXED(product, c),
                    CURVED(OUTPUT, product, y) } },
    [COUPLE] = { "couple",
                 has_couple,
                 call_couple,
                 call_couple_back,
                 { STRAIGHT(INPUT, couple, x), FIXED(couple, attr), STRAIGHT(WEIGHT, couple, w),
                   STRAIGHT(WEIGHT, couple, bias), CURVED(OUTPUT, couple, y) } },
    [ACTIVATE] = { "activate",
                   has_activate,
                   call_activate,
                   call_activate_back,
                   { CURVED(INPUT, activate, x), CURVED(OUTPUT, activate, y) } },
    [EXPAND] = { "expand",
                 has_expand,
                 call_expand,
                 call_expand_back,
                 { STRAIGHT(WEIGHT, expand, weight), FIXED(expand, basis),
                   CURVED(OUTPUT, expand, filter) } },
    [COLUMNS] = { "columns",
                  has_columns,
                  call_columns,
                  NULL,
                  { FIXED(columns, src), KEPT(STATE, columns, dst) } },
    [LOSS] = { "loss",
               has_loss,
               call_loss,
               call_loss_back,
               { CURVED(INPUT, loss, x), FIXED(loss, target), CURVED(OUTPUT, loss, loss) } },
};

static inline recon_tensor *tensor_at(any_args *args, size_t offset)
{
    return (recon_tensor *)((char *)args + offset);
}

/* ---- tensors on the host ---- */

typedef struct {
    recon_ctx *ctx;
    recon_arena *arena;
    recon_rng rng;
    recon_dtype type, weights; /* of activations, and of what stays in F32 (F64) */
} maker;

static inline maker maker_of(recon_ctx *ctx, recon_arena *arena, recon_dtype type, uint64_t stream)
{
    return (maker){ .ctx = ctx,
                    .arena = arena,
                    .rng = recon_rng_new(31, stream),
                    .type = type,
                    .weights = type == RECON_F64 ? RECON_F64 : RECON_F32 };
}

static inline double number_at(const recon_tensor *t, size_t i)
{
    switch (t->type) {
    case RECON_F64: return ((const double *)t->data)[i];
    case RECON_F32: return ((const float *)t->data)[i];
    case RECON_BF16: return recon_bf16_to_float(((const uint16_t *)t->data)[i]);
    default: return ((const int32_t *)t->data)[i];
    }
}

static inline void set_number(const recon_tensor *t, size_t i, double x)
{
    switch (t->type) {
    case RECON_F64: ((double *)t->data)[i] = x; break;
    case RECON_F32: ((float *)t->data)[i] = (float)x; break;
    case RECON_BF16: ((uint16_t *)t->data)[i] = recon_bf16_from_float((float)x); break;
    default: ((int32_t *)t->data)[i] = (int32_t)x; break;
    }
}

#define SHAPE(...)                                                                                 \
    (int)(sizeof((size_t[]){ __VA_ARGS__ }) / sizeof(size_t)), (const size_t[])                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* All bits set: NaN in every type, so that what an entry fails to write shows. */
static inline recon_tensor blank(maker *m, recon_dtype type, int ndim, const size_t *shape)
{
    recon_tensor t = { .type = type, .ndim = ndim };
    memcpy(t.shape, shape, (size_t)ndim * sizeof *shape);
    CHECK_OK(m->ctx, recon_arena_take(m->ctx, m->arena, &t.data, recon_tensor_bytes(&t), 1));
    memset(t.data, 0xff, recon_tensor_bytes(&t));
    return t;
}

static inline recon_tensor noise_of(maker *m, recon_dtype type, int ndim, const size_t *shape)
{
    recon_tensor t = blank(m, type, ndim, shape);
    for (size_t i = 0; i < recon_tensor_count(&t); i++)
        set_number(&t, i, recon_rng_normal(&m->rng));
    return t;
}

static inline recon_tensor copy_of(maker *m, const recon_tensor *from)
{
    recon_tensor t = blank(m, from->type, from->ndim, from->shape);
    memcpy(t.data, from->data, recon_tensor_bytes(from));
    return t;
}

/* n + 1 ascending offsets from 0 to total, some segments empty. */
static inline recon_tensor offsets(maker *m, size_t n, size_t total)
{
    recon_tensor t = blank(m, RECON_I32, SHAPE(n + 1));
    int32_t *at = t.data;
    for (size_t i = 0; i <= n; i++)
        at[i] = i == 0 ? 0 : i == n ? (int32_t)total : (int32_t)recon_rng_below(&m->rng, total + 1);
    for (size_t i = 1; i <= n; i++)
        for (size_t j = i; j > 0 && at[j - 1] > at[j]; j--) {
            int32_t swap = at[j];
            at[j] = at[j - 1];
            at[j - 1] = swap;
        }
    return t;
}

/* ---- what each entry is tried on; p are the sizes in the order of the comment ---- */

/* n h w c, o kernel, stride pad, relu bias */
static void build_conv(maker *m, any_args *args, const size_t *p)
{
    size_t n = p[0], h = p[1], w = p[2], c = p[3], o = p[4], k = p[5], stride = p[6], pad = p[7];
    args->conv = (recon_conv_args){ .stride = stride,
                                    .pad = pad,
                                    .relu = (int)p[8],
                                    .x = noise_of(m, m->type, SHAPE(n, h, w, c)),
                                    .w = noise_of(m, m->type, SHAPE(o, k, k, c)),
                                    .y = blank(m, m->type,
                                               SHAPE(n, (h + 2 * pad - k) / stride + 1,
                                                     (w + 2 * pad - k) / stride + 1, o)) };
    if (p[9])
        args->conv.bias = noise_of(m, m->weights, SHAPE(o));
}

/* n c o, relu bias */
static void build_linear(maker *m, any_args *args, const size_t *p)
{
    args->conv = (recon_conv_args){ .stride = 1,
                                    .relu = (int)p[3],
                                    .x = noise_of(m, m->type, SHAPE(p[0], p[1])),
                                    .w = noise_of(m, m->type, SHAPE(p[2], p[1])),
                                    .y = blank(m, m->type, SHAPE(p[0], p[2])) };
    if (p[4])
        args->conv.bias = noise_of(m, m->weights, SHAPE(p[2]));
}

/* n h w, scalars pairs, size pad, outputs of three products: of all kinds of planes twice, and of
 * none. Waves without any symmetry. */
static void build_steer(maker *m, any_args *args, const size_t *p)
{
    static const recon_steer_product made_of[3] = { { 3, 0 }, { 4, 0 }, { 0, 0 } };
    size_t scalars = p[3], pairs = 2 * p[4], size = p[5], pad = p[6], weights = 0;
    const recon_steer_plane planes[] = { { 0, scalars, 0, -1, 0 },     { scalars, pairs, 1, 2, 0 },
                                         { scalars, pairs, 3, -1, 0 }, { scalars, pairs, 0, 3, 1 },
                                         { 0, scalars, 2, -1, 0 },     { scalars, pairs, 2, 1, 0 },
                                         { scalars, pairs, 2, 0, 1 } };
    recon_steer_plane *plane;
    recon_steer_product *product;
    CHECK_OK(m->ctx, recon_arena_take(m->ctx, m->arena, &plane, 1, sizeof planes));
    CHECK_OK(m->ctx, recon_arena_take(m->ctx, m->arena, &product, 1, sizeof made_of));
    memcpy(plane, planes, sizeof planes);
    memcpy(product, made_of, sizeof made_of);
    for (size_t i = 0, at = 0; i < 3; i++) {
        product[i].outputs = p[7 + i];
        for (size_t k = 0; k < product[i].planes; k++)
            weights += product[i].outputs * plane[at++].channels;
    }
    args->steer =
        (recon_steer_args){ .pad = pad,
                            .plane = plane,
                            .product = product,
                            .products = 3,
                            .x = noise_of(m, m->type, SHAPE(p[0], p[1], p[2], scalars + pairs)),
                            .w = noise_of(m, m->type, SHAPE(weights)),
                            .wave = noise_of(m, m->weights, SHAPE(4, size, size)),
                            .y = blank(m, m->type,
                                       SHAPE(p[0], p[1] + 2 * pad + 1 - size,
                                             p[2] + 2 * pad + 1 - size, p[7] + p[8] + p[9])) };
}

/* kind, rows cols */
static void build_map(maker *m, any_args *args, const size_t *p)
{
    args->map = (recon_map_args){ .kind = (recon_unary)p[0],
                                  .x = noise_of(m, m->type, SHAPE(p[1], p[2])),
                                  .y = blank(m, m->type, SHAPE(p[1], p[2])) };
    for (size_t i = 0; i < p[1] * p[2]; i += 5) /* far out too: nothing may overflow */
        set_number(&args->map.x, i, 40 * number_at(&args->map.x, i));
}

/* n, a cast: 0 none 1 of a 2 of y, b there */
static void build_add(maker *m, any_args *args, const size_t *p)
{
    args->add = (recon_add_args){ .alpha = 0.75,
                                  .beta = -1.5,
                                  .a = noise_of(m, p[1] == 1 ? m->weights : m->type, SHAPE(p[0])),
                                  .y = blank(m, p[1] == 2 ? m->weights : m->type, SHAPE(p[0])) };
    if (p[2])
        args->add.b = noise_of(m, m->type, SHAPE(p[0]));
}

/* rows fields field planes */
static void build_gate(maker *m, any_args *args, const size_t *p)
{
    args->gate = (recon_gate_args){ .field = p[2],
                                    .planes = (int)p[3],
                                    .x = noise_of(m, m->type, SHAPE(p[0], p[1] * p[2])),
                                    .g = noise_of(m, m->type, SHAPE(p[0], p[1])),
                                    .y = blank(m, m->type, SHAPE(p[0], p[1] * p[2])) };
}

/* rows fields */
static void build_cross(maker *m, any_args *args, const size_t *p)
{
    args->cross = (recon_cross_args){ .a = noise_of(m, m->type, SHAPE(p[0], 3, p[1])),
                                      .b = noise_of(m, m->type, SHAPE(p[0], 3, p[1])),
                                      .y = blank(m, m->type, SHAPE(p[0], 3, p[1])) };
}

/* rows channels field, training, segments (0: none), relu skip, a second gradient of y. The last
 * only of numbers that no differences are taken of: those know one gradient. */
static void build_norm(maker *m, any_args *args, const size_t *p)
{
    size_t rows = p[0], channels = p[1], field = p[2], segments = p[4];
    recon_norm_args *a = &args->norm;
    *a = (recon_norm_args){ .field = field,
                            .training = (int)p[3],
                            .eps = 1e-3,
                            .momentum = 0.1,
                            .x = noise_of(m, m->type, SHAPE(rows, channels * field)),
                            .y = blank(m, m->type, SHAPE(rows, channels * field)),
                            .scale = noise_of(m, m->weights, SHAPE(channels)) };
    a->relu = (int)p[5];
    if (field == 1)
        a->shift = noise_of(m, m->weights, SHAPE(channels));
    if (p[6])
        a->skip = noise_of(m, m->type, SHAPE(rows, channels * field));
    if (p[7] && m->type != RECON_F64)
        a->dy_more = noise_of(m, m->type, SHAPE(rows, channels * field));
    if (p[3] || segments) {
        a->inv = blank(m, m->weights, SHAPE(segments ? segments : 1, channels));
        if (field == 1)
            a->mean = blank(m, m->weights, SHAPE(segments ? segments : 1, channels));
    }
    if (segments) {
        a->offset = offsets(m, segments, rows);
        return;
    }
    a->running_var = noise_of(m, m->weights, SHAPE(channels));
    for (size_t i = 0; i < channels; i++)
        set_number(&a->running_var, i, 0.5 + fabs(number_at(&a->running_var, i)));
    if (field == 1)
        a->running_mean = noise_of(m, m->weights, SHAPE(channels));
}

/* rows fields field */
/* rows cols */
static void build_unit(maker *m, any_args *args, const size_t *p)
{
    args->unit = (recon_unit_args){ .x = noise_of(m, m->type, SHAPE(p[0], p[1])),
                                    .y = blank(m, m->type, SHAPE(p[0], p[1])) };
}

/* n */
static void build_angle(maker *m, any_args *args, const size_t *p)
{
    args->angle = (recon_angle_args){ .x = noise_of(m, m->weights, SHAPE(p[0], 2)),
                                      .y = blank(m, m->weights, SHAPE(p[0])) };
}

/* rows, scalars pairs, training */
static void build_field_norm(maker *m, any_args *args, const size_t *p)
{
    size_t rows = p[0], scalars = p[1], pairs = p[2], fields = scalars + pairs;
    recon_field_norm_args *a = &args->field_norm;
    *a = (recon_field_norm_args){ .scalars = scalars,
                                  .pairs = pairs,
                                  .training = (int)p[3],
                                  .eps = 1e-3,
                                  .momentum = 0.1,
                                  .x = noise_of(m, m->type, SHAPE(rows, scalars + 2 * pairs)),
                                  .y = blank(m, m->type, SHAPE(rows, scalars + 2 * pairs)),
                                  .scale = noise_of(m, m->weights, SHAPE(fields)),
                                  .running_mean = noise_of(m, m->weights, SHAPE(fields)),
                                  .running_var = noise_of(m, m->weights, SHAPE(fields)) };
    for (size_t i = 0; i < fields; i++)
        set_number(&a->running_var, i, 0.5 + fabs(number_at(&a->running_var, i)));
    if (scalars)
        a->shift = noise_of(m, m->weights, SHAPE(scalars));
    if (pairs)
        a->bias = noise_of(m, m->weights, SHAPE(pairs));
    if (p[3]) {
        a->mean = noise_of(m, m->weights, SHAPE(fields));
        a->inv = blank(m, m->weights, SHAPE(fields));
    }
}

/* max, n h w c, size stride */
static void build_pool(maker *m, any_args *args, const size_t *p)
{
    size_t n = p[1], h = p[2], w = p[3], c = p[4], size = p[5], stride = p[6];
    size_t down = (h - size) / stride + 1, across = (w - size) / stride + 1;
    args->pool = (recon_pool_args){ .max = (int)p[0],
                                    .size = size,
                                    .stride = stride,
                                    .x = noise_of(m, m->type, SHAPE(n, h, w, c)),
                                    .y = blank(m, m->type, SHAPE(n, down, across, c)) };
    if (p[0])
        args->pool.index = blank(m, RECON_I32, SHAPE(n, down, across, c));
}

/* size stride, n h w c */
/* align corners, n h w c, new h w */
static void build_resize(maker *m, any_args *args, const size_t *p)
{
    args->resize = (recon_resize_args){ .align_corners = (int)p[0],
                                        .x = noise_of(m, m->type, SHAPE(p[1], p[2], p[3], p[4])),
                                        .y = blank(m, m->type, SHAPE(p[1], p[5], p[6], p[4])) };
}

/* n h w c */
static void build_rotate(maker *m, any_args *args, const size_t *p)
{
    args->rotate = (recon_rotate_args){ .x = noise_of(m, m->type, SHAPE(p[0], p[1], p[2], p[3])),
                                        .y = blank(m, m->type, SHAPE(p[0], p[1], p[2], p[3])),
                                        .angle = noise_of(m, m->weights, SHAPE(p[0])) };
}

/* rows edges width */
static void build_gather(maker *m, any_args *args, const size_t *p)
{
    size_t rows = p[0], edges = p[1], width = p[2];
    recon_gather_args *a = &args->gather;
    *a = (recon_gather_args){ .x = noise_of(m, m->type, SHAPE(rows, width)),
                              .y = blank(m, m->type, SHAPE(edges, width)),
                              .index = blank(m, RECON_I32, SHAPE(edges)),
                              .order = blank(m, RECON_I32, SHAPE(edges)),
                              .offset = blank(m, RECON_I32, SHAPE(rows + 1)) };
    int32_t *index = a->index.data, *order = a->order.data, *offset = a->offset.data, n = 0;
    for (size_t e = 0; e < edges; e++)
        index[e] = (int32_t)recon_rng_below(&m->rng, rows);
    for (size_t r = 0; r < rows; r++) {
        offset[r] = n;
        for (size_t e = 0; e < edges; e++)
            if (index[e] == (int32_t)r)
                order[n++] = (int32_t)e;
    }
    offset[rows] = n;
}

/* segments rows width */
static void build_segment(maker *m, any_args *args, const size_t *p)
{
    args->segment = (recon_segment_args){ .x = noise_of(m, m->type, SHAPE(p[1], p[2])),
                                          .y = blank(m, m->type, SHAPE(p[0], p[2])),
                                          .offset = offsets(m, p[0], p[1]) };
}

/* molecules rows, rows of no molecule, scalars vectors. Atoms a few Angstrom apart, some of them
 * far out, two in one place. */
static void build_pairs(maker *m, any_args *args, const size_t *p)
{
    size_t rows = p[1] + p[2], scalars = p[3], vectors = p[4];
    recon_pairs_args *a = &args->pairs;
    *a = (recon_pairs_args){ .scalars = scalars,
                             .vectors = vectors,
                             .s = noise_of(m, m->type, SHAPE(rows, scalars + vectors)),
                             .u = noise_of(m, m->type, SHAPE(rows, 3, 4 * vectors)),
                             .w = noise_of(m, m->weights,
                                           SHAPE(RECON_PAIRS_KNOTS, scalars + 5 * vectors)),
                             .y = blank(m, m->type, SHAPE(rows, scalars + 4 * vectors)),
                             .xyz = noise_of(m, m->weights, SHAPE(rows, 3)),
                             .offset = offsets(m, p[0], p[1]) };
    for (size_t i = 0; i < 3 * rows; i++)
        set_number(&a->xyz, i, (i % 16 == 7 ? 20 : 3) * number_at(&a->xyz, i));
    for (size_t i = 3; i < 6 && rows > 1; i++)
        set_number(&a->xyz, i, number_at(&a->xyz, i - 3));
}

/* rows of y and x, entries, width */
static void build_sparse(maker *m, any_args *args, const size_t *p)
{
    args->sparse = (recon_sparse_args){ .x = noise_of(m, m->type, SHAPE(p[1], p[3])),
                                        .y = blank(m, m->type, SHAPE(p[0], p[3])),
                                        .index = blank(m, RECON_I32, SHAPE(p[2])),
                                        .weight = noise_of(m, m->weights, SHAPE(p[2])),
                                        .offset = offsets(m, p[0], p[2]) };
    for (size_t e = 0; e < p[2]; e++)
        set_number(&args->sparse.index, e, (double)recon_rng_below(&m->rng, p[1]));
}

/* outer middle inner */
static void build_reduce(maker *m, any_args *args, const size_t *p)
{
    args->reduce = (recon_reduce_args){ .outer = p[0],
                                        .middle = p[1],
                                        .inner = p[2],
                                        .scale = -0.3,
                                        .x = noise_of(m, m->type, SHAPE(p[0], p[1], p[2])),
                                        .y = blank(m, m->type, SHAPE(p[0], p[2])) };
}

/* rows channels, ni nj nk */
static void build_product(maker *m, any_args *args, const size_t *p)
{
    size_t rows = p[0], channels = p[1], ni = p[2], nj = p[3], nk = p[4];
    args->product =
        (recon_tensor_product_args){ .rows = rows,
                                     .channels = channels,
                                     .ni = ni,
                                     .nj = nj,
                                     .nk = nk,
                                     .a = noise_of(m, m->type, SHAPE(rows, channels, ni)),
                                     .b = noise_of(m, m->type, SHAPE(rows, nj)),
                                     .c = noise_of(m, m->weights, SHAPE(ni, nj, nk)),
                                     .y = blank(m, m->type, SHAPE(rows, channels, nk)) };
}

/* Paths and their entries by chance, as large as the group's: kernels may not count on what the
 * group makes of them. Two entries of a path may fall together. */
static void fill_plan(maker *m, recon_couple_plan *plan, int parity)
{
    uint32_t term = 0;
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t l3 = i / 16, l1 = i / 4 % 4, l2 = i % 4, terms = 3 * (l1 + l2 + l3) + 1;
        if (!plan->in[l1] || !plan->out[l3] || l1 + l2 < l3 || l1 + l3 < l2 || l2 + l3 < l1 ||
            (parity && (l1 + l2 + l3) % 2))
            continue;
        terms = terms > 20 ? 20 : terms;
        double scale = sqrt((2 * l3 + 1) / (double)terms);
        plan->path[plan->paths++] =
            (recon_couple_path){ l1, l2, l3, plan->columns[l3], term, terms };
        plan->columns[l3] += plan->in[l1];
        for (uint32_t k = 0; k < terms; k++)
            plan->term[term++] = (recon_couple_term){ (uint8_t)recon_rng_below(&m->rng, 2 * l1 + 1),
                                                      (uint8_t)recon_rng_below(&m->rng, 2 * l2 + 1),
                                                      (uint8_t)recon_rng_below(&m->rng, 2 * l3 + 1),
                                                      scale * recon_rng_normal(&m->rng) };
    }
}

/* rows, parity and 2 for a bias, channels in of each degree, and out */
static void build_couple(maker *m, any_args *args, const size_t *p)
{
    recon_couple_plan *plan;
    size_t weights = 0, dim[2] = { 0, 0 };
    CHECK_OK(m->ctx, recon_arena_take(m->ctx, m->arena, &plan, 1, sizeof *plan));
    memset(plan, 0, sizeof *plan);
    for (size_t l = 0; l < 4; l++) {
        plan->in[l] = (uint32_t)p[2 + l], plan->out[l] = (uint32_t)p[6 + l];
        dim[0] += p[2 + l] * (2 * l + 1), dim[1] += p[6 + l] * (2 * l + 1);
    }
    fill_plan(m, plan, p[1] & 1);
    for (size_t l = 0; l < 4; l++)
        weights += (size_t)plan->out[l] * plan->columns[l];
    args->couple = (recon_couple_args){ .plan = plan,
                                        .x = noise_of(m, m->type, SHAPE(p[0], dim[0])),
                                        .attr = noise_of(m, m->weights, SHAPE(p[0], 16)),
                                        .w = noise_of(m, m->type, SHAPE(weights)),
                                        .y = blank(m, m->type, SHAPE(p[0], dim[1])) };
    if (p[1] & 2)
        args->couple.bias = noise_of(m, m->weights, SHAPE(p[6]));
}

/* rows, channels of degrees 0 .. 3 */
static void build_activate(maker *m, any_args *args, const size_t *p)
{
    size_t gates = p[2] + p[3] + p[4], dim = p[1] + 3 * p[2] + 5 * p[3] + 7 * p[4];
    args->activate = (recon_activate_args){ .x = noise_of(m, m->type, SHAPE(p[0], dim + gates)),
                                            .y = blank(m, m->type, SHAPE(p[0], dim)) };
    for (int l = 0; l < 4; l++)
        args->activate.channels[l] = (uint32_t)p[1 + l];
}

/* taps, scalars and pairs out, scalars and fields in, dim of those; some blocks have no elements */
static void build_expand(maker *m, any_args *args, const size_t *p)
{
    const uint32_t copies[2][2] = { { (uint32_t)p[1], (uint32_t)p[2] },
                                    { (uint32_t)p[3], (uint32_t)p[4] } };
    const uint32_t dim[2][2] = { { 1, 2 }, { 1, (uint32_t)p[5] } };
    const uint32_t taps = (uint32_t)p[0], cols = (uint32_t)(p[3] + p[4] * p[5]);
    uint32_t weights = 0, numbers = 0;
    for (uint32_t n = 0; n < 4; n++) {
        uint32_t to = n / 2, from = n % 2, elements = (n + (uint32_t)p[0]) % 4 * 5;
        args->expand.plan.block[n] =
            (recon_expand_block){ .copies_out = copies[0][to],
                                  .copies_in = copies[1][from],
                                  .dim_out = dim[0][to],
                                  .dim_in = dim[1][from],
                                  .elements = elements,
                                  .taps = taps,
                                  .start = (to ? copies[0][0] * taps * cols : 0) +
                                           (from ? copies[1][0] : 0),
                                  .row = taps * cols,
                                  .step = cols,
                                  .first_weight = weights,
                                  .first_basis = numbers };
        weights += copies[0][to] * copies[1][from] * elements;
        numbers += elements * dim[0][to] * dim[1][from] * taps;
    }
    args->expand.plan.count = 4;
    args->expand.weight = noise_of(m, m->weights, SHAPE(weights));
    args->expand.basis = noise_of(m, m->weights, SHAPE(numbers));
    args->expand.filter = blank(m, m->type, SHAPE(p[1] + 2 * p[2], taps, 1, cols));
}

/* rows, columns of src and dst, cols from to */
static void build_columns(maker *m, any_args *args, const size_t *p)
{
    args->columns = (recon_columns_args){ .rows = p[0],
                                          .cols = p[3],
                                          .from = p[4],
                                          .to = p[5],
                                          .src = noise_of(m, m->type, SHAPE(p[0], p[1])),
                                          .dst = noise_of(m, m->type, SHAPE(p[0], p[2])) };
}

/* Some rows sit close to a sharp component: kappa 1e5 and an angle a few deviations off. */
static void sharpen(recon_loss_args *a, size_t rows, size_t parts)
{
    for (size_t r = 0; r < rows; r += 2) {
        double x = number_at(&a->x, (r * 4 + 1) * parts);
        double y = number_at(&a->x, (r * 4 + 1) * parts + 1);
        set_number(&a->x, (r * 4 + 3) * parts, r % 4 ? 1e5 : 1e3);
        set_number(&a->target, r, atan2(y, x) + (r % 4 ? 0.004 : 0.05));
    }
}

/* kind, rows cols */
static void build_loss(maker *m, any_args *args, const size_t *p)
{
    recon_loss_kind kind = (recon_loss_kind)p[0];
    size_t rows = p[1], cols = p[2];
    recon_loss_args *a = &args->loss;
    *a = (recon_loss_args){ .kind = kind,
                            .x = noise_of(m, m->type, SHAPE(rows, cols)),
                            .loss = blank(m, m->weights, SHAPE(1)) };
    if (kind == RECON_LOSS_CROSS_ENTROPY) {
        a->target = blank(m, RECON_I32, SHAPE(rows));
        for (size_t r = 0; r < rows; r++)
            set_number(&a->target, r, (double)recon_rng_below(&m->rng, cols));
    } else if (kind == RECON_LOSS_VONMISES) {
        a->target = noise_of(m, m->weights, SHAPE(rows));
        sharpen(a, rows, cols / 4);
    } else {
        a->target = noise_of(m, m->type, SHAPE(rows, cols));
    }
}

typedef struct {
    int entry;
    void (*build)(maker *m, any_args *args, const size_t *p);
    size_t p[10];
} op_case;

static const op_case cases[] = {
    { CONV, build_conv, { 1, 1, 1, 1, 1, 1, 1, 0, 0, 1 } },
    { CONV, build_conv, { 2, 7, 5, 3, 8, 3, 1, 1, 1, 1 } },
    { CONV, build_conv, { 3, 9, 11, 8, 17, 5, 2, 2, 0, 1 } },
    { CONV, build_conv, { 1, 13, 9, 17, 3, 7, 1, 3, 1, 0 } },
    { CONV, build_conv, { 2, 8, 8, 96, 96, 3, 1, 1, 1, 1 } },
    { CONV, build_conv, { 2, 10, 7, 3, 96, 5, 1, 2, 0, 0 } },
    { CONV, build_conv, { 5, 6, 6, 17, 8, 1, 2, 0, 0, 1 } },
    { CONV, build_conv, { 1, 9, 9, 1, 8, 7, 2, 3, 1, 1 } },
    { CONV, build_conv, { 3, 9, 8, 8, 3, 3, 2, 0, 0, 1 } },
    { CONV, build_linear, { 1, 1, 1, 0, 1 } },
    { CONV, build_linear, { 1, 96, 17, 1, 1 } },
    { CONV, build_linear, { 37, 17, 8, 0, 1 } },
    { CONV, build_linear, { 129, 96, 3, 0, 0 } },
    { STEER, build_steer, { 1, 1, 1, 1, 1, 1, 0, 1, 2, 0 } },
    { STEER, build_steer, { 2, 7, 5, 3, 2, 3, 1, 4, 6, 1 } },
    { STEER, build_steer, { 1, 13, 9, 17, 20, 5, 2, 8, 4, 0 } },
    { STEER, build_steer, { 3, 9, 11, 0, 8, 7, 3, 3, 16, 2 } },
    { STEER, build_steer, { 1, 8, 6, 16, 0, 5, 0, 5, 2, 0 } },
    { STEER, build_steer, { 2, 5, 6, 4, 3, 3, 4, 2, 2, 0 } }, /* more padding than filter */
    { MAP, build_map, { RECON_RELU, 3, 17 } },
    { MAP, build_map, { RECON_SILU, 1, 1 } },
    { MAP, build_map, { RECON_SILU, 129, 17 } },
    { MAP, build_map, { RECON_SIGMOID, 33, 96 } },
    { MAP, build_map, { RECON_SOFTPLUS, 7, 96 } },
    { ADD, build_add, { 1, 0, 1 } },
    { ADD, build_add, { 1733, 0, 1 } },
    { ADD, build_add, { 1733, 1, 0 } },
    { ADD, build_add, { 1733, 2, 0 } },
    { ADD, build_add, { 515, 2, 1 } },
    { GATE, build_gate, { 1, 1, 1 } },
    { GATE, build_gate, { 5, 17, 1 } },
    { GATE, build_gate, { 33, 8, 3 } },
    { GATE, build_gate, { 130, 96, 2 } },
    { NORM, build_norm, { 2, 1, 1, 1, 0 } },
    { NORM, build_norm, { 75, 17, 1, 1, 0 } },
    { NORM, build_norm, { 1001, 96, 1, 1, 0 } },
    { NORM, build_norm, { 75, 17, 1, 0, 0 } },
    { NORM, build_norm, { 75, 8, 3, 1, 0 } },
    { NORM, build_norm, { 33, 17, 2, 0, 0 } },
    { NORM, build_norm, { 75, 17, 1, 1, 6 } },
    { NORM, build_norm, { 91, 3, 5, 1, 4 } },
    { NORM, build_norm, { 40, 8, 1, 0, 3 } },
    { NORM, build_norm, { 75, 17, 1, 1, 0, 1 } },
    { NORM, build_norm, { 301, 32, 1, 1, 0, 1, 0, 1 } },
    { NORM, build_norm, { 75, 16, 1, 1, 0, 1, 1 } },
    { NORM, build_norm, { 301, 64, 1, 1, 0, 1, 1, 1 } },
    { NORM, build_norm, { 301, 24, 1, 0, 0, 1, 1, 1 } },
    { NORM, build_norm, { 75, 17, 1, 0, 0, 1 } },
    { NORM, build_norm, { 75, 8, 1, 1, 0, 0, 1, 1 } },
    { NORM, build_norm, { 75, 8, 3, 1, 0, 1, 1, 1 } },
    { NORM, build_norm, { 33, 17, 2, 1, 0, 1 } },
    { NORM, build_norm, { 75, 17, 1, 1, 6, 1, 1, 1 } },
    { NORM, build_norm, { 40, 8, 1, 0, 3, 1, 0, 1 } },
    { UNIT, build_unit, { 1, 2 } },
    { UNIT, build_unit, { 67, 3 } },
    { UNIT, build_unit, { 33, 129 } },
    { ANGLE, build_angle, { 1 } },
    { ANGLE, build_angle, { 2500 } },
    { FIELD_NORM, build_field_norm, { 2, 1, 1, 1 } },
    { FIELD_NORM, build_field_norm, { 75, 17, 6, 1 } },
    { FIELD_NORM, build_field_norm, { 75, 17, 6, 0 } },
    { FIELD_NORM, build_field_norm, { 301, 32, 48, 1 } },
    { FIELD_NORM, build_field_norm, { 301, 8, 4, 0 } },
    { FIELD_NORM, build_field_norm, { 33, 6, 5, 1 } },
    { FIELD_NORM, build_field_norm, { 40, 0, 8, 1 } },
    { FIELD_NORM, build_field_norm, { 40, 9, 0, 1 } },
    { POOL, build_pool, { 0, 1, 1, 1, 1, 1, 1 } },
    { POOL, build_pool, { 0, 2, 8, 6, 17, 2, 2 } },
    { POOL, build_pool, { 0, 3, 9, 7, 3, 3, 2 } },
    { POOL, build_pool, { 1, 2, 8, 6, 96, 2, 2 } },
    { POOL, build_pool, { 1, 1, 9, 10, 8, 3, 2 } },
    { POOL, build_pool, { 1, 3, 7, 7, 17, 3, 1 } },
    { POOL, build_pool, { 0, 3, 11, 8, 1, 5, 3 } },
    { RESIZE, build_resize, { 0, 1, 1, 1, 1, 3, 2 } },
    { RESIZE, build_resize, { 0, 2, 5, 7, 3, 10, 14 } },
    { RESIZE, build_resize, { 1, 2, 5, 7, 17, 11, 13 } },
    { RESIZE, build_resize, { 1, 3, 6, 6, 8, 1, 9 } },
    { RESIZE, build_resize, { 0, 1, 12, 12, 96, 5, 7 } },
    { ROTATE, build_rotate, { 1, 1, 1, 1 } },
    { ROTATE, build_rotate, { 3, 9, 9, 3 } },
    { ROTATE, build_rotate, { 1, 8, 8, 17 } },
    { ROTATE, build_rotate, { 5, 11, 6, 1 } },
    { ROTATE, build_rotate, { 2, 24, 24, 96 } },
    { GATHER, build_gather, { 1, 1, 1 } },
    { GATHER, build_gather, { 19, 67, 17 } },
    { GATHER, build_gather, { 40, 7, 96 } },
    { SEGMENT, build_segment, { 1, 1, 1 } },
    { SEGMENT, build_segment, { 13, 67, 17 } },
    { SEGMENT, build_segment, { 5, 131, 96 } },
    { REDUCE, build_reduce, { 1, 1, 1 } },
    { REDUCE, build_reduce, { 5, 49, 17 } },
    { REDUCE, build_reduce, { 1, 1003, 3 } },
    { REDUCE, build_reduce, { 33, 96, 1 } },
    { PRODUCT, build_product, { 1, 1, 1, 1, 1 } },
    { PRODUCT, build_product, { 7, 17, 3, 5, 3 } },
    { PRODUCT, build_product, { 33, 8, 5, 3, 7 } },
    { PRODUCT, build_product, { 5, 96, 1, 3, 3 } },
    { COUPLE, build_couple, { 1, 1, 1, 0, 0, 0, 1, 0, 0, 0 } },
    { COUPLE, build_couple, { 7, 3, 3, 2, 1, 1, 4, 2, 1, 1 } },
    { COUPLE, build_couple, { 37, 2, 5, 4, 3, 2, 9, 3, 5, 2 } },
    { COUPLE, build_couple, { 5, 3, 33, 17, 16, 8, 40, 20, 8, 16 } },
    { COUPLE, build_couple, { 70, 3, 5, 0, 0, 0, 8, 3, 2, 1 } }, /* scalars alone go in */
    { COUPLE, build_couple, { 19, 1, 0, 3, 0, 2, 0, 5, 1, 0 } }, /* and none of them     */
    { COUPLE, build_couple, { 3, 2, 0, 0, 0, 4, 2, 0, 0, 0 } },
    { ACTIVATE, build_activate, { 1, 1, 1, 0, 0 } },
    { ACTIVATE, build_activate, { 7, 5, 4, 3, 2 } },
    { ACTIVATE, build_activate, { 300, 100, 64, 16, 8 } },
    { ACTIVATE, build_activate, { 20, 0, 0, 3, 1 } },
    { ACTIVATE, build_activate, { 33, 9, 0, 0, 0 } },
    { EXPAND, build_expand, { 25, 3, 5, 4, 3, 2 } },
    { EXPAND, build_expand, { 9, 17, 8, 1, 16, 2 } },
    { EXPAND, build_expand, { 1, 8, 3, 6, 5, 11 } },
    { EXPAND, build_expand, { 2, 0, 1, 1, 0, 2 } },
    { COLUMNS, build_columns, { 1, 1, 1, 1, 0, 0 } },
    { COLUMNS, build_columns, { 37, 17, 25, 8, 3, 11 } },
    { COLUMNS, build_columns, { 5, 96, 99, 96, 0, 3 } },
    { LOSS, build_loss, { RECON_LOSS_CROSS_ENTROPY, 1, 3 } },
    { LOSS, build_loss, { RECON_LOSS_CROSS_ENTROPY, 67, 10 } },
    { LOSS, build_loss, { RECON_LOSS_MSE, 13, 17 } },
    { LOSS, build_loss, { RECON_LOSS_MSE, 1, 1 } },
    { LOSS, build_loss, { RECON_LOSS_L1, 33, 8 } },
    { LOSS, build_loss, { RECON_LOSS_COS, 65, 3 } },
    { LOSS, build_loss, { RECON_LOSS_VONMISES, 1, 4 } },
    { LOSS, build_loss, { RECON_LOSS_VONMISES, 67, 12 } },
    { GATE, build_gate, { 1, 1, 1, 1 } },
    { GATE, build_gate, { 33, 17, 3, 1 } },
    { GATE, build_gate, { 130, 64, 3, 1 } },
    { GATE, build_gate, { 2, 1300, 2, 1 } },
    { CROSS, build_cross, { 1, 1 } },
    { CROSS, build_cross, { 33, 64 } },
    { CROSS, build_cross, { 3, 1029 } },
    { PAIRS, build_pairs, { 1, 1, 0, 1, 1 } },
    { PAIRS, build_pairs, { 1, 2, 1, 3, 2 } },
    { PAIRS, build_pairs, { 5, 37, 4, 17, 9 } },
    { PAIRS, build_pairs, { 3, 40, 0, 128, 64 } },
    { PAIRS, build_pairs, { 2, 70, 3, 33, 0 } },
    { PAIRS, build_pairs, { 1, 75, 0, 0, 5 } },
    { SPARSE, build_sparse, { 1, 1, 1, 1 } },
    { SPARSE, build_sparse, { 40, 19, 67, 17 } },
    { SPARSE, build_sparse, { 300, 320, 900, 128 } },
    { REDUCE, build_reduce, { 65, 3, 17 } },
};
#define CASES (sizeof cases / sizeof *cases)

/* By what a case is, not where it stands: cases that come or go leave the others their numbers. */
static inline uint64_t stream_of(const op_case *c)
{
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    for (const char *at = entries[c->entry].name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
    for (size_t i = 0; i < sizeof c->p / sizeof *c->p; i++)
        hash = (hash ^ c->p[i]) * 0x100000001b3;
    return hash;
}

/* The arguments of a case: forward tensors from its builder, gradients to go with them. */
static inline any_args build_args(maker *m, const op_case *from)
{
    any_args args;
    memset(&args, 0, sizeof args);
    m->rng = recon_rng_new(31, stream_of(from));
    from->build(m, &args, from->p);
    for (const slot *s = entries[from->entry].slots; s->role; s++) {
        recon_tensor *t = tensor_at(&args, s->at);
        if (!t->data || s->gradient == NO_GRADIENT)
            continue;
        recon_dtype type = s->role == WEIGHT ? m->weights : t->type;
        *tensor_at(&args, s->gradient) = s->role == OUTPUT ? noise_of(m, type, t->ndim, t->shape)
                                                           : blank(m, type, t->ndim, t->shape);
    }
    return args;
}

static inline any_args build_case(maker *m, size_t i)
{
    return build_args(m, &cases[i]);
}

/* With tensors of its own. */
static inline any_args copy_args(maker *m, const entry *e, const any_args *from)
{
    any_args args = *from;
    for (const slot *s = e->slots; s->role; s++) {
        recon_tensor *t = tensor_at(&args, s->at);
        if (t->data)
            *t = copy_of(m, t);
        if (s->gradient != NO_GRADIENT && tensor_at(&args, s->gradient)->data)
            *tensor_at(&args, s->gradient) = copy_of(m, tensor_at(&args, s->gradient));
    }
    return args;
}

#endif
