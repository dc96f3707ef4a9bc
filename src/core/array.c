/* array.c - element types, and conversion to plain numbers.
 *
 * Conversion works on short runs of contiguous elements. In Fortran order a run is gathered first,
 * in tiles of the first dimension, so that all elements of a fetched cache line are used. */
#include "core/blocks.h"
#include "core/npy.h"
#include "core/ctx.h"
#include "core/f16.h"
#include "core/fail.h"
#include "core/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RUN = RECON_BLOCK_ARRAY, TILE = RUN };

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [RECON_F16] = { "float16", 2 }, [RECON_BF16] = { "bfloat16", 2 },
    [RECON_F32] = { "float32", 4 }, [RECON_F64] = { "float64", 8 },
    [RECON_I8] = { "int8", 1 },     [RECON_I16] = { "int16", 2 },
    [RECON_I32] = { "int32", 4 },   [RECON_I64] = { "int64", 8 },
    [RECON_U8] = { "uint8", 1 },    [RECON_U16] = { "uint16", 2 },
    [RECON_U32] = { "uint32", 4 },  [RECON_U64] = { "uint64", 8 },
    [RECON_BOOL] = { "bool", 1 },
};

size_t recon_dtype_size(recon_dtype dtype)
{
    return types[dtype].size;
}

const char *recon_dtype_name(recon_dtype dtype)
{
    return types[dtype].name;
}

int recon_dtype_is_float(recon_dtype dtype)
{
    return dtype <= RECON_F64;
}

size_t recon_array_count(const recon_array *array)
{
    size_t count = 1;
    for (int i = 0; i < array->ndim; i++)
        count *= array->shape[i];
    return count;
}

size_t recon_array_bytes(const recon_array *array)
{
    return recon_array_count(array) * recon_dtype_size(array->dtype);
}

int recon_array_fits(size_t *bytes, recon_dtype dtype, const size_t *shape, int ndim)
{
    size_t product = recon_dtype_size(dtype);
    int empty = 0;
    for (int i = 0; i < ndim; i++) {
        empty |= shape[i] == 0;
        if (__builtin_mul_overflow(product, shape[i] ? shape[i] : 1, &product))
            return 0;
    }
    *bytes = empty ? 0 : product;
    return product <= PTRDIFF_MAX;
}

const char *recon_array_show(recon_array_text text, const recon_array *array)
{
    size_t room = sizeof(recon_array_text);
    size_t used = (size_t)snprintf(text, room, "%s", recon_dtype_name(array->dtype));
    for (int i = 0; i < array->ndim; i++)
        used += (size_t)snprintf(text + used, room - used, i ? " x %zu" : " %zu", array->shape[i]);
    return text;
}

void recon_array_free(recon_array *array)
{
    recon_block_free(array->block, array->mapped);
    *array = (recon_array){ 0 };
}

/* How many of n elements were converted: fewer than n if the next one has no place
 * in the target. */
typedef size_t convert_fn(void *out, recon_dtype dtype, const void *in, size_t n);

#define EACH(type, value)                                                                          \
    for (size_t i = 0; i < n; i++) {                                                               \
        type v = ((const type *)in)[i];                                                            \
        to[i] = (value);                                                                           \
    }                                                                                              \
    break

#define CONVERT_TO(name, real)                                                                     \
    static size_t name(void *out, recon_dtype dtype, const void *in, size_t n)                     \
    {                                                                                              \
        real *to = out;                                                                            \
        switch (dtype) {                                                                           \
        case RECON_F16: EACH(uint16_t, recon_f16_to_float(v));                                     \
        case RECON_BF16: EACH(uint16_t, recon_bf16_to_float(v));                                   \
        case RECON_F32: EACH(float, v);                                                            \
        case RECON_F64: EACH(double, (real)v);                                                     \
        case RECON_I8: EACH(int8_t, v);                                                            \
        case RECON_I16: EACH(int16_t, v);                                                          \
        case RECON_I32: EACH(int32_t, (real)v);                                                    \
        case RECON_I64: EACH(int64_t, (real)v);                                                    \
        case RECON_U8: EACH(uint8_t, v);                                                           \
        case RECON_U16: EACH(uint16_t, v);                                                         \
        case RECON_U32: EACH(uint32_t, (real)v);                                                   \
        case RECON_U64: EACH(uint64_t, (real)v);                                                   \
        case RECON_BOOL: EACH(uint8_t, v != 0);                                                    \
        }                                                                                          \
        return n;                                                                                  \
    }

CONVERT_TO(to_f32, float)
CONVERT_TO(to_f64, double)

static size_t reals_to_i64(int64_t *to, recon_dtype dtype, const void *in, size_t n)
{
    double real[RUN];
    to_f64(real, dtype, in, n);
    for (size_t i = 0; i < n; i++) {
        if (!(real[i] >= -0x1p63 && real[i] < 0x1p63 && real[i] == trunc(real[i])))
            return i;
        to[i] = (int64_t)real[i];
    }
    return n;
}

static size_t u64_to_i64(int64_t *to, const uint64_t *in, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (in[i] > INT64_MAX)
            return i;
        to[i] = (int64_t)in[i];
    }
    return n;
}

static size_t to_i64(void *out, recon_dtype dtype, const void *in, size_t n)
{
    int64_t *to = out;
    switch (dtype) {
    case RECON_F16:
    case RECON_BF16:
    case RECON_F32:
    case RECON_F64: return reals_to_i64(to, dtype, in, n);
    case RECON_U64: return u64_to_i64(to, in, n);
    case RECON_I8: EACH(int8_t, v);
    case RECON_I16: EACH(int16_t, v);
    case RECON_I32: EACH(int32_t, v);
    case RECON_I64: EACH(int64_t, v);
    case RECON_U8: EACH(uint8_t, v);
    case RECON_U16: EACH(uint16_t, v);
    case RECON_U32: EACH(uint32_t, v);
    case RECON_BOOL: EACH(uint8_t, v != 0);
    }
    return n;
}

static void gather(void *run, const char *from, size_t stride, size_t size, size_t n)
{
    char *to = run;
    for (size_t i = 0; i < n; i++, from += stride)
        switch (size) { /* known sizes become plain moves */
        case 1: to[i] = *from; break;
        case 2: memcpy(to + 2 * i, from, 2); break;
        case 4: memcpy(to + 4 * i, from, 4); break;
        default: memcpy(to + 8 * i, from, 8); break;
        }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* bad: the C-order index of the first element that cannot be converted; before, the count of
 * all. */
static recon_status convert_c_order(recon_ctx *ctx, size_t *bad, char *out, size_t width,
                                    convert_fn *convert, const recon_array *in)
{
    size_t count = recon_array_count(in), size = recon_dtype_size(in->dtype);
    for (size_t at = 0; at < count && *bad == count; at += RUN) {
        size_t n = least(RUN, count - at);
        const char *from = (const char *)in->data + at * size;
        size_t good = convert(out + at * width, in->dtype, from, n);
        if (good < n)
            *bad = at + good;
        RECON_CHECK(recon_interrupted_at(ctx, at / RUN));
    }
    return RECON_OK;
}

/* One tile of Fortran-order elements: rows of the first dimension times a run along the last. from
 * and to are element offsets of its corner, the strides are in elements. Returns what is bad. */
static size_t convert_tile(char *out, size_t width, convert_fn *convert, const recon_array *in,
                           size_t from, size_t to, size_t rows, size_t n)
{
    size_t count = recon_array_count(in), size = recon_dtype_size(in->dtype);
    size_t row_step = count / in->shape[0], last_step = count / in->shape[in->ndim - 1];
    for (size_t i = 0; i < rows; i++) {
        uint64_t run[RUN];
        size_t at = to + i * row_step;
        gather(run, (const char *)in->data + (from + i) * size, last_step * size, size, n);
        size_t good = convert(out + at * width, in->dtype, run, n);
        if (good < n)
            return at + good;
    }
    return count;
}

/* The dimensions between the first and the last, as one counter: its offsets in both orders. */
static void middle_offsets(size_t *from, size_t *to, const recon_array *in, size_t counter)
{
    size_t c_step = in->shape[in->ndim - 1], fortran_step = recon_array_count(in) / c_step;
    *from = *to = 0;
    for (int i = in->ndim - 2; i > 0; i--) {
        size_t index = counter % in->shape[i];
        counter /= in->shape[i];
        fortran_step /= in->shape[i];
        *from += index * fortran_step;
        *to += index * c_step;
        c_step *= in->shape[i];
    }
}

static recon_status convert_fortran(recon_ctx *ctx, size_t *bad, char *out, size_t width,
                                    convert_fn *convert, const recon_array *in)
{
    size_t count = recon_array_count(in), first = in->shape[0], last = in->shape[in->ndim - 1];
    size_t row_step = count / first, last_step = count / last, tiles = 0;
    for (size_t m = 0; m < count / first / last; m++) {
        size_t from, to;
        middle_offsets(&from, &to, in, m);
        for (size_t i = 0; i < first; i += TILE)
            for (size_t j = 0; j < last; j += RUN) {
                RECON_CHECK(recon_interrupted_at(ctx, tiles++));
                size_t b = convert_tile(out, width, convert, in, from + i + j * last_step,
                                        to + i * row_step + j, least(TILE, first - i),
                                        least(RUN, last - j));
                *bad = least(*bad, b);
            }
    }
    return RECON_OK;
}

static recon_status convert_all(recon_ctx *ctx, size_t *bad, void *out, size_t width,
                                convert_fn *convert, const recon_array *in)
{
    *bad = recon_array_count(in);
    return (in->fortran && in->ndim > 1 && *bad > 0 ? convert_fortran : convert_c_order)(
        ctx, bad, out, width, convert, in);
}

recon_status recon_array_to_f32(recon_ctx *ctx, float *out, const recon_array *in)
{
    size_t bad; /* none: every number has a nearest float */
    return convert_all(ctx, &bad, out, sizeof *out, to_f32, in);
}

double recon_array_value(const recon_array *array, size_t index)
{
    size_t at = index, size = recon_dtype_size(array->dtype);
    double value = 0;
    if (array->fortran) {
        size_t step = recon_array_count(array);
        at = 0;
        for (int i = array->ndim - 1; i >= 0; i--) {
            step /= array->shape[i];
            at += index % array->shape[i] * step;
            index /= array->shape[i];
        }
    }
    to_f64(&value, array->dtype, (const char *)array->data + at * size, 1);
    return value;
}

recon_status recon_array_to_f64(recon_ctx *ctx, double *out, const recon_array *in)
{
    size_t bad; /* none */
    return convert_all(ctx, &bad, out, sizeof *out, to_f64, in);
}

static recon_status not_an_integer(recon_ctx *ctx, const recon_array *in, size_t index)
{
    char place[RECON_MAX_DIMS * 24];
    size_t used = 0, step = recon_array_count(in);
    place[0] = '\0';
    for (int i = 0; i < in->ndim; i++) {
        step /= in->shape[i];
        used += (size_t)snprintf(place + used, sizeof place - used, i ? ", %zu" : "%zu",
                                 index / step % in->shape[i]);
    }
    return recon_fail(ctx, RECON_ERR_INPUT, "%s at [%s] is not a 64-bit integer",
                      recon_dtype_name(in->dtype), place);
}

recon_status recon_array_to_i64(recon_ctx *ctx, int64_t *out, const recon_array *in)
{
    size_t bad;
    RECON_CHECK(convert_all(ctx, &bad, out, sizeof *out, to_i64, in));
    if (bad < recon_array_count(in))
        RECON_CHECK(not_an_integer(ctx, in, bad));
    return RECON_OK;
}
