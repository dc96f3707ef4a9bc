/* onnx.h (private) - a network as an ONNX file, written node by node.
 *
 * The format is Protocol Buffers (onnx.proto of the ONNX project): numbered fields, each a variable
 * length integer or bytes preceded by their length, which is simple enough to write by hand.
 *
 * Functions return the value that they make. The first failure is kept, later calls do nothing, and
 * recon_onnx_write reports it, so code that makes a graph need not check in between. */
#ifndef CORE_ONNX_H
#define CORE_ONNX_H

#include <recon/core/safetensors.h>
#include <stdint.h>

enum { RECON_ONNX_OPSET = 17, RECON_ONNX_IR = 8 };
enum { RECON_ONNX_BATCH = -1 /* a dimension that is only known when the network runs */ };
enum { RECON_ONNX_INPUTS = 8, RECON_ONNX_ATTRIBUTES = 6, RECON_ONNX_INTS = 8 };

typedef struct recon_onnx recon_onnx;
typedef size_t recon_onnx_value; /* 0: none */
typedef enum { RECON_ONNX_F32 = 1, RECON_ONNX_I64 = 7, RECON_ONNX_BOOL = 9 } recon_onnx_type;

/* The dimensions of a tensor, or the numbers of an attribute. */
typedef struct {
    size_t count;
    int64_t at[RECON_ONNX_INTS];
} recon_onnx_ints;

typedef struct {
    const char *name; /* NULL: none */
    enum {
        RECON_ONNX_INT,
        RECON_ONNX_FLOAT,
        RECON_ONNX_TEXT,
        RECON_ONNX_LIST,
        RECON_ONNX_BODY /* the graph of recon_onnx_body_end */
    } kind;
    int64_t i;
    float f;
    const char *text;
    recon_onnx_ints list;
} recon_onnx_attribute;

/* Both lists end at the first empty entry. */
typedef struct {
    recon_onnx_value of[RECON_ONNX_INPUTS];
} recon_onnx_inputs;
typedef struct {
    recon_onnx_attribute of[RECON_ONNX_ATTRIBUTES];
} recon_onnx_attributes;

recon_status recon_onnx_new(recon_ctx *ctx, recon_onnx **out, const char *name);
void recon_onnx_free(recon_onnx *onnx);

/* Records a failure of the calling code as if it were the graph's own. RECON_OK changes nothing.
 * Returns whether there was no failure so far. */
int recon_onnx_did(recon_onnx *onnx, recon_status status);

recon_onnx_value recon_onnx_input(recon_onnx *onnx, const char *name, recon_onnx_type type,
                                  recon_onnx_ints shape);
/* Makes the value an output of the graph under this name. */
void recon_onnx_output(recon_onnx *onnx, const char *name, recon_onnx_value value,
                       recon_onnx_type type, recon_onnx_ints shape);

/* Constants, copied. name NULL: a number is used as the name. */
recon_onnx_value recon_onnx_floats(recon_onnx *onnx, const char *name, const float *values,
                                   recon_onnx_ints shape);
recon_onnx_value recon_onnx_integers(recon_onnx *onnx, const int64_t *values,
                                     recon_onnx_ints shape);
recon_onnx_value recon_onnx_number(recon_onnx *onnx, double value);   /* a scalar */
recon_onnx_value recon_onnx_integer(recon_onnx *onnx, int64_t value); /* a scalar */
recon_onnx_value recon_onnx_true(recon_onnx *onnx);

/* An operator with one output, and with n. */
recon_onnx_value recon_onnx_op(recon_onnx *onnx, const char *op, recon_onnx_inputs in,
                               recon_onnx_attributes attributes);
void recon_onnx_ops(recon_onnx *onnx, recon_onnx_value *out, size_t n, const char *op,
                    recon_onnx_inputs in, recon_onnx_attributes attributes);

/* Between the two calls, everything goes into a separate graph, the body of a Loop, which can use
 * the values outside. The next operator with RECON_ONNX_BODY receives it. Bodies do not nest. */
void recon_onnx_body_begin(recon_onnx *onnx);
void recon_onnx_body_end(recon_onnx *onnx);

/* Writes the file as a whole or not at all, or returns the first failure. */
recon_status recon_onnx_write(recon_ctx *ctx, const char *path, const recon_onnx *onnx,
                              const recon_metadata_entry *metadata, size_t n_metadata);

/* For short calls. */
#define RECON_ONNX_SHAPE(...)                                                                      \
    ((recon_onnx_ints){ sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), { __VA_ARGS__ } })
#define RECON_ONNX_SCALAR    ((recon_onnx_ints){ 0, { 0 } })
#define RECON_ONNX_IN(...)   ((recon_onnx_inputs){ { __VA_ARGS__ } })
#define RECON_ONNX_PLAIN     ((recon_onnx_attributes){ { { .name = NULL } } })
#define RECON_ONNX_WITH(...) ((recon_onnx_attributes){ { __VA_ARGS__ } })
#define RECON_ONNX_SET_INT(key, value)                                                             \
    {                                                                                              \
        .name = key, .kind = RECON_ONNX_INT, .i = value                                            \
    }
#define RECON_ONNX_SET_TEXT(key, value)                                                            \
    {                                                                                              \
        .name = key, .kind = RECON_ONNX_TEXT, .text = value                                        \
    }
#define RECON_ONNX_SET_INTS(key, ...)                                                              \
    {                                                                                              \
        .name = key, .kind = RECON_ONNX_LIST, .list = RECON_ONNX_SHAPE(__VA_ARGS__)                \
    }

#endif
