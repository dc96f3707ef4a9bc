/* versions.h - where the C interfaces of oneDNN 2 and 3 differ: how shapes and primitives are described.
 *
 * Version 3 keeps descriptors of memory to itself; to be alike, those of version 2 are on the heap. */
#ifndef OPS_ONEDNN_VERSIONS_H
#define OPS_ONEDNN_VERSIONS_H

#include <dnnl.h>
#include <stdlib.h>
#include <string.h>

#if DNNL_VERSION_MAJOR != 2 && DNNL_VERSION_MAJOR != 3
#error "written for oneDNN 2 and 3"
#endif

/* What a convolution is made of. */
typedef struct {
    dnnl_prop_kind_t kind;
    const dnnl_dim_t *stride, *pad;
    dnnl_primitive_desc_t hint; /* of the forward one, for the others */
} conv_form;

static const char *name_of(const_dnnl_primitive_desc_t desc)
{
    const char *name = "";
    dnnl_primitive_desc_query(desc, dnnl_query_impl_info_str, 0, (void *)&name);
    return name;
}

/* On some machines with AMX the batch-reduce kernels of oneDNN 2.6 die with SIGILL. Its other
 * kernels for AMX do not, and are faster on most of our shapes. */
static int is_faulty(const_dnnl_primitive_desc_t desc)
{
    const char *name = name_of(desc);
    return strncmp(name, "brgconv", 7) == 0 && strstr(name, "amx");
}

#if DNNL_VERSION_MAJOR == 2
typedef dnnl_memory_desc_t *memory_desc;
typedef const dnnl_memory_desc_t *memory_desc_of; /* a primitive's */

static void memory_desc_free(memory_desc d)
{
    free(d);
}

static dnnl_status_t memory_desc_new(memory_desc *out, int n, const dnnl_dim_t *dims,
                                     dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    *out = calloc(1, sizeof **out);
    return *out ? dnnl_memory_desc_init_by_tag(*out, n, dims, type, tag) : dnnl_out_of_memory;
}

static dnnl_status_t memory_desc_strided(memory_desc *out, int n, const dnnl_dim_t *dims,
                                         dnnl_data_type_t type, const dnnl_dim_t *strides)
{
    *out = calloc(1, sizeof **out);
    return *out ? dnnl_memory_desc_init_by_strides(*out, n, dims, type, strides)
                : dnnl_out_of_memory;
}

static dnnl_data_type_t type_of(memory_desc_of d)
{
    return d->data_type;
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

static dnnl_status_t describe_conv(dnnl_primitive_desc_t *out, dnnl_engine_t engine,
                                   const conv_form *f, memory_desc x, memory_desc w,
                                   memory_desc bias, memory_desc y, dnnl_primitive_attr_t attr)
{
    dnnl_convolution_desc_t d;
    dnnl_status_t status =
        f->kind == dnnl_backward_data
            ? dnnl_convolution_backward_data_desc_init(&d, dnnl_convolution_direct, x, w, y,
                                                       f->stride, f->pad, f->pad)
        : f->kind == dnnl_backward_weights
            ? dnnl_convolution_backward_weights_desc_init(&d, dnnl_convolution_direct, x, w, NULL,
                                                          y, f->stride, f->pad, f->pad)
            : dnnl_convolution_forward_desc_init(&d, f->kind, dnnl_convolution_direct, x, w, bias,
                                                 y, f->stride, f->pad, f->pad);
    return status ? status : choose(out, &d, attr, engine, f->hint);
}

static dnnl_status_t describe_product(dnnl_primitive_desc_t *out, dnnl_engine_t engine,
                                      memory_desc x, memory_desc w, memory_desc y, int column,
                                      dnnl_primitive_attr_t attr)
{
    (void)column;
    dnnl_matmul_desc_t d;
    dnnl_status_t status = dnnl_matmul_desc_init(&d, x, w, NULL, y);
    return status ? status : dnnl_primitive_desc_create(out, &d, attr, engine, NULL);
}

#else
typedef dnnl_memory_desc_t memory_desc;
typedef const_dnnl_memory_desc_t memory_desc_of;

static void memory_desc_free(memory_desc d)
{
    dnnl_memory_desc_destroy(d);
}

static dnnl_status_t memory_desc_new(memory_desc *out, int n, const dnnl_dim_t *dims,
                                     dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    return dnnl_memory_desc_create_with_tag(out, n, dims, type, tag);
}

static dnnl_status_t memory_desc_strided(memory_desc *out, int n, const dnnl_dim_t *dims,
                                         dnnl_data_type_t type, const dnnl_dim_t *strides)
{
    return dnnl_memory_desc_create_with_strides(out, n, dims, type, strides);
}

static dnnl_data_type_t type_of(memory_desc_of d)
{
    dnnl_data_type_t type = dnnl_data_type_undef;
    dnnl_memory_desc_query(d, dnnl_query_data_type, &type);
    return type;
}

static dnnl_status_t describe_conv(dnnl_primitive_desc_t *out, dnnl_engine_t engine,
                                   const conv_form *f, memory_desc x, memory_desc w,
                                   memory_desc bias, memory_desc y, dnnl_primitive_attr_t attr)
{
    const dnnl_dims_t dense = { 0 };
    dnnl_status_t status = f->kind == dnnl_backward_data
                               ? dnnl_convolution_backward_data_primitive_desc_create(
                                     out, engine, dnnl_convolution_direct, x, w, y, f->stride,
                                     dense, f->pad, f->pad, f->hint, attr)
                           : f->kind == dnnl_backward_weights
                               ? dnnl_convolution_backward_weights_primitive_desc_create(
                                     out, engine, dnnl_convolution_direct, x, w, NULL, y, f->stride,
                                     dense, f->pad, f->pad, f->hint, attr)
                               : dnnl_convolution_forward_primitive_desc_create(
                                     out, engine, f->kind, dnnl_convolution_direct, x, w, bias, y,
                                     f->stride, dense, f->pad, f->pad, attr);
    while (status == dnnl_success && is_faulty(*out))
        status = dnnl_primitive_desc_next_impl(*out);
    return status;
}

/* Where y is one column of a wider matrix, the batch-reduce kernels of oneDNN 3.7 write it without gaps. */
static dnnl_status_t describe_product(dnnl_primitive_desc_t *out, dnnl_engine_t engine,
                                      memory_desc x, memory_desc w, memory_desc y, int column,
                                      dnnl_primitive_attr_t attr)
{
    dnnl_status_t status = dnnl_matmul_primitive_desc_create(out, engine, x, w, NULL, y, attr);
    while (status == dnnl_success && column && strncmp(name_of(*out), "brg", 3) == 0)
        status = dnnl_primitive_desc_next_impl(*out);
    return status;
}
#endif

#endif
