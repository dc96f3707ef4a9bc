/* onnx.c - messages of onnx.proto, field by field. */
#include "core/onnx.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARINT = 0, BYTES = 2, FIXED32 = 5 }; /* wire types */
enum { NAME = 64, DEPTH = 2 };

/* The numbers of the fields that are written. */
enum { MODEL_IR = 1, MODEL_PRODUCER, MODEL_PRODUCER_VERSION, MODEL_GRAPH = 7, MODEL_OPSET = 8 };
enum { MODEL_METADATA = 14, OPSET_VERSION = 2, ENTRY_KEY = 1, ENTRY_VALUE = 2 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_CONSTANT = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_INPUT = 1, NODE_OUTPUT, NODE_NAME, NODE_OP, NODE_ATTRIBUTE };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_F, ATTRIBUTE_I, ATTRIBUTE_S, ATTRIBUTE_G = 6 };
enum { ATTRIBUTE_INTS = 8, ATTRIBUTE_TYPE = 20 };
enum { TENSOR_DIM = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, TENSOR_DATA = 9 };
enum { VALUE_NAME = 1, VALUE_TYPE = 2, TYPE_TENSOR = 1, TENSOR_OF = 1, TENSOR_SHAPE = 2 };
enum { SHAPE_DIM = 1, DIM_VALUE = 1, DIM_NAME = 2 };

/* A message in the making. */
typedef struct {
    unsigned char *at;
    size_t used, room;
} message;

struct recon_onnx {
    recon_ctx *ctx;
    recon_status status;
    message graph[DEPTH]; /* the network, and a body */
    int depth;
    char (*name)[NAME]; /* of the values, from 1 on */
    size_t values, room;
};

/* --- the wire --------------------------------------------------------------------------------- */

static void put(recon_onnx *o, message *m, const void *bytes, size_t n)
{
    if (!recon_onnx_did(o, RECON_OK))
        return;
    if (recon_onnx_did(o, recon_grow(o->ctx, &m->at, &m->room, m->used, m->used + n, 1)) && n)
        memcpy(m->at + m->used, bytes, n);
    m->used += o->status == RECON_OK ? n : 0;
}

/* Seven bits a byte, the lowest first; the eighth says that more follow. */
static void put_varint(recon_onnx *o, message *m, uint64_t v)
{
    unsigned char byte[10];
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        byte[n++] = (unsigned char)(v | 0x80);
    byte[n++] = (unsigned char)v;
    put(o, m, byte, n);
}

static void put_tag(recon_onnx *o, message *m, unsigned field, unsigned wire)
{
    put_varint(o, m, field << 3 | wire);
}

static void put_int(recon_onnx *o, message *m, unsigned field, int64_t v)
{
    put_tag(o, m, field, VARINT);
    put_varint(o, m, (uint64_t)v);
}

static void put_bytes(recon_onnx *o, message *m, unsigned field, const void *bytes, size_t n)
{
    put_tag(o, m, field, BYTES);
    put_varint(o, m, n);
    put(o, m, bytes, n);
}

static void put_text(recon_onnx *o, message *m, unsigned field, const char *text)
{
    put_bytes(o, m, field, text, strlen(text));
}

/* And is done with it. */
static void put_message(recon_onnx *o, message *m, unsigned field, message *part)
{
    put_bytes(o, m, field, part->at, part->used);
    free(part->at);
    *part = (message){ .at = NULL };
}

static void put_float(recon_onnx *o, message *m, unsigned field, float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    put_tag(o, m, field, FIXED32);
    put(o, m, (unsigned char[]){ bits & 255, bits >> 8 & 255, bits >> 16 & 255, bits >> 24 }, 4);
}

/* --- the graph -------------------------------------------------------------------------------- */

int recon_onnx_did(recon_onnx *o, recon_status status)
{
    if (o->status == RECON_OK)
        o->status = status;
    return o->status == RECON_OK;
}

recon_status recon_onnx_new(recon_ctx *ctx, recon_onnx **out, const char *name)
{
    RECON_CHECK(recon_alloc(ctx, out, 1, sizeof **out));
    (*out)->ctx = ctx;
    put_text(*out, &(*out)->graph[0], GRAPH_NAME, name);
    return RECON_OK; /* a failure stays, and is said by recon_onnx_write */
}

void recon_onnx_free(recon_onnx *o)
{
    if (!o)
        return;
    for (int i = 0; i < DEPTH; i++)
        free(o->graph[i].at);
    recon_free_all(o->name, o);
}

static message *current(recon_onnx *o)
{
    return &o->graph[o->depth];
}

static recon_onnx_value new_value(recon_onnx *o, const char *name)
{
    if (!recon_onnx_did(o, RECON_OK) ||
        !recon_onnx_did(
            o, recon_grow(o->ctx, &o->name, &o->room, o->values, o->values + 1, sizeof *o->name)))
        return 0;
    char *at = o->name[o->values++];
    if (name)
        snprintf(at, NAME, "%s", name);
    else
        snprintf(at, NAME, "v%zu", o->values);
    return o->values;
}

static const char *name_of(const recon_onnx *o, recon_onnx_value v)
{
    return v ? o->name[v - 1] : "";
}

static void put_value_info(recon_onnx *o, unsigned field, const char *name, recon_onnx_type type,
                           const recon_onnx_ints *shape)
{
    message info = { 0 }, of = { 0 }, tensor = { 0 }, dims = { 0 };
    for (size_t i = 0; i < shape->count; i++) {
        message dim = { 0 };
        if (shape->at[i] == RECON_ONNX_BATCH)
            put_text(o, &dim, DIM_NAME, "batch");
        else
            put_int(o, &dim, DIM_VALUE, shape->at[i]);
        put_message(o, &dims, SHAPE_DIM, &dim);
    }
    put_int(o, &tensor, TENSOR_OF, type);
    put_message(o, &tensor, TENSOR_SHAPE, &dims);
    put_message(o, &of, TYPE_TENSOR, &tensor);
    put_text(o, &info, VALUE_NAME, name);
    put_message(o, &info, VALUE_TYPE, &of);
    put_message(o, current(o), field, &info);
}

recon_onnx_value recon_onnx_input(recon_onnx *o, const char *name, recon_onnx_type type,
                                  recon_onnx_ints shape)
{
    put_value_info(o, GRAPH_INPUT, name, type, &shape);
    return new_value(o, name);
}

static recon_onnx_value put_constant(recon_onnx *o, const char *name, recon_onnx_type type,
                                     const recon_onnx_ints *shape, const void *data, size_t size)
{
    recon_onnx_value v = new_value(o, name);
    message tensor = { 0 };
    if (!v)
        return 0;
    for (size_t i = 0; i < shape->count; i++) {
        put_int(o, &tensor, TENSOR_DIM, shape->at[i]);
        size *= (size_t)shape->at[i];
    }
    put_int(o, &tensor, TENSOR_TYPE, type);
    put_text(o, &tensor, TENSOR_NAME, name_of(o, v));
    put_bytes(o, &tensor, TENSOR_DATA, data, size);
    put_message(o, current(o), GRAPH_CONSTANT, &tensor);
    return v;
}

/* Raw data are little-endian, like every machine that this runs on. */
recon_onnx_value recon_onnx_floats(recon_onnx *o, const char *name, const float *values,
                                   recon_onnx_ints shape)
{
    return put_constant(o, name, RECON_ONNX_F32, &shape, values, sizeof *values);
}

recon_onnx_value recon_onnx_integers(recon_onnx *o, const int64_t *values, recon_onnx_ints shape)
{
    return put_constant(o, NULL, RECON_ONNX_I64, &shape, values, sizeof *values);
}

recon_onnx_value recon_onnx_number(recon_onnx *o, double value)
{
    return recon_onnx_floats(o, NULL, &(float){ (float)value }, RECON_ONNX_SCALAR);
}

recon_onnx_value recon_onnx_integer(recon_onnx *o, int64_t value)
{
    return recon_onnx_integers(o, &value, RECON_ONNX_SCALAR);
}

recon_onnx_value recon_onnx_true(recon_onnx *o)
{
    return put_constant(o, NULL, RECON_ONNX_BOOL, &RECON_ONNX_SCALAR, &(char){ 1 }, 1);
}

/* --- nodes ------------------------------------------------------------------------------------ */

static void put_attribute(recon_onnx *o, message *node, const recon_onnx_attribute *a)
{
    static const int type[] = { [RECON_ONNX_FLOAT] = 1,
                                [RECON_ONNX_INT] = 2,
                                [RECON_ONNX_TEXT] = 3,
                                [RECON_ONNX_BODY] = 5,
                                [RECON_ONNX_LIST] = 7 };
    message m = { 0 };
    put_text(o, &m, ATTRIBUTE_NAME, a->name);
    switch (a->kind) {
    case RECON_ONNX_INT: put_int(o, &m, ATTRIBUTE_I, a->i); break;
    case RECON_ONNX_FLOAT: put_float(o, &m, ATTRIBUTE_F, a->f); break;
    case RECON_ONNX_TEXT: put_text(o, &m, ATTRIBUTE_S, a->text); break;
    case RECON_ONNX_BODY: put_message(o, &m, ATTRIBUTE_G, &o->graph[1]); break;
    case RECON_ONNX_LIST:
        for (size_t i = 0; i < a->list.count; i++)
            put_int(o, &m, ATTRIBUTE_INTS, a->list.at[i]);
        break;
    }
    put_int(o, &m, ATTRIBUTE_TYPE, type[a->kind]);
    put_message(o, node, NODE_ATTRIBUTE, &m);
}

static void put_node(recon_onnx *o, const char *op, const recon_onnx_inputs *in,
                     const recon_onnx_value *out, size_t n, const recon_onnx_attributes *with)
{
    message node = { 0 };
    if (!recon_onnx_did(o, RECON_OK))
        return;
    for (size_t i = 0; i < RECON_ONNX_INPUTS && in->of[i]; i++)
        put_text(o, &node, NODE_INPUT, name_of(o, in->of[i]));
    for (size_t i = 0; i < n; i++)
        put_text(o, &node, NODE_OUTPUT, name_of(o, out[i]));
    put_text(o, &node, NODE_NAME, name_of(o, out[0]));
    put_text(o, &node, NODE_OP, op);
    for (size_t i = 0; i < RECON_ONNX_ATTRIBUTES && with->of[i].name; i++)
        put_attribute(o, &node, &with->of[i]);
    put_message(o, current(o), GRAPH_NODE, &node);
}

void recon_onnx_output(recon_onnx *o, const char *name, recon_onnx_value value,
                       recon_onnx_type type, recon_onnx_ints shape)
{
    recon_onnx_value out = new_value(o, name);
    put_node(o, "Identity", &RECON_ONNX_IN(value), &out, 1, &RECON_ONNX_PLAIN);
    put_value_info(o, GRAPH_OUTPUT, name, type, &shape);
}

void recon_onnx_ops(recon_onnx *o, recon_onnx_value *out, size_t n, const char *op,
                    recon_onnx_inputs in, recon_onnx_attributes attributes)
{
    for (size_t i = 0; i < n; i++)
        out[i] = new_value(o, NULL);
    put_node(o, op, &in, out, n, &attributes);
}

recon_onnx_value recon_onnx_op(recon_onnx *o, const char *op, recon_onnx_inputs in,
                               recon_onnx_attributes attributes)
{
    recon_onnx_value out;
    recon_onnx_ops(o, &out, 1, op, in, attributes);
    return out;
}

void recon_onnx_body_begin(recon_onnx *o)
{
    o->depth = 1;
    put_text(o, current(o), GRAPH_NAME, "body");
}

void recon_onnx_body_end(recon_onnx *o)
{
    o->depth = 0;
}

/* --- the file --------------------------------------------------------------------------------- */

recon_status recon_onnx_write(recon_ctx *ctx, const char *path, const recon_onnx *o,
                              const recon_metadata_entry *metadata, size_t n_metadata)
{
    recon_onnx head = { .ctx = ctx, .status = o->status };
    const message *graph = &o->graph[0];
    recon_writer w = { .fd = -1 };
    message m = { 0 };
    recon_status status;
    for (size_t i = 0; i < n_metadata; i++) /* strings of a protobuf are */
        if (!recon_utf8_is(metadata[i].value))
            return recon_fail(ctx, RECON_ERR_INPUT, "%s: must be UTF-8", metadata[i].key);
    /* All of the model but the bytes of its graph, which come last. */
    message opset = { 0 };
    put_int(&head, &m, MODEL_IR, RECON_ONNX_IR);
    put_text(&head, &m, MODEL_PRODUCER, "recon");
    put_text(&head, &m, MODEL_PRODUCER_VERSION, RECON_VERSION);
    put_int(&head, &opset, OPSET_VERSION, RECON_ONNX_OPSET);
    put_message(&head, &m, MODEL_OPSET, &opset);
    for (size_t i = 0; i < n_metadata; i++) {
        message entry = { 0 };
        put_text(&head, &entry, ENTRY_KEY, metadata[i].key);
        put_text(&head, &entry, ENTRY_VALUE, metadata[i].value);
        put_message(&head, &m, MODEL_METADATA, &entry);
    }
    put_tag(&head, &m, MODEL_GRAPH, BYTES);
    put_varint(&head, &m, graph->used);
    RECON_TRY(head.status);
    RECON_TRY(recon_writer_open(ctx, &w, path));
    RECON_TRY(recon_writer_write(ctx, &w, m.at, m.used));
    RECON_TRY(recon_writer_write(ctx, &w, graph->at, graph->used));
    RECON_TRY(recon_writer_commit(ctx, &w));
done:
    recon_writer_close(&w);
    free(m.at);
    return status;
}
