/* tape.h (private) - the record of a tape, and helpers to write operations.
 *
 * An operation checks shapes (recon_tape_refuse), takes memory for the result (recon_tape_like,
 * _make), calls the kernel (RECON_CALL), and is recorded (recon_tape_record). Its backward pass
 * asks where each gradient goes (recon_tape_want), calls the kernel, and passes the gradient on
 * (recon_tape_give). Neither checks for errors in between: they stick to the tape. */
#ifndef NN_TAPE_H
#define NN_TAPE_H

#include <recon/nn/tape.h>
#include "core/arena.h"
#include "nn/params.h"
#include "nn/step.h"
#include "ops/ops.h"
#include "ops/sums.h"

enum { RECON_NODE_INPUTS = 4 };
typedef void recon_back(recon_tape *t, recon_var n);

typedef struct recon_node {
    recon_tensor value, grad; /* grad.data NULL: none has arrived */
    recon_tensor more;        /* what the gradient is to be added to, where the node adds it */
    int adds;           /* the node's way back adds `more` itself, in a pass it makes anyway */
    recon_param *param; /* of a leaf that is one */
    int needs;          /* somebody asks for its gradient */
    int of_batch;       /* made from what is cut into slices */
    recon_back *back;   /* NULL: a leaf */
    recon_var in[RECON_NODE_INPUTS];
    void *args; /* the kernel's, kept for the way back */
    recon_var before;
} recon_node;

/* A gradient that is handed over later. */
typedef struct recon_late {
    recon_var x;
    recon_tensor gradient;
    int shared;
    struct recon_late *next;
} recon_late;

/* Told of a parameter whose gradient is complete. */
typedef recon_status recon_ready(void *user, const recon_param *param);

/* What kernels read on the way. */
typedef struct {
    uint64_t counter; /* the number of the step, for dropout */
    double share64;   /* what a gradient begins with: 1, or the slice's share of the batch */
    float share32;
} recon_tape_constants;

struct recon_tape {
    recon_ctx *ctx;
    const recon_ops *ops;
    recon_precision precision;
    recon_tape_mode mode;
    recon_status status;
    recon_arena *nodes;
    recon_mark empty;
    recon_step side[2]; /* where values live; one but for recon_tape_pass */
    int at;
    recon_var last;
    const char *layer;
    int frozen;                      /* parameters get no gradient: those of a network that stays */
    uint64_t seed, sites;            /* dropouts so far in this step */
    recon_tape_constants *constants; /* in the backend's memory */
    recon_slice slice;
    recon_slices cut;             /* the slice in slices; count 0: it is not cut */
    recon_sums *sums;             /* gradients that wait for other ranks; NULL: none has yet */
    recon_late *late, **late_end; /* while late_end is set, gradients of weights come later */
    recon_ready *ready;           /* NULL: nobody asks */
    void *ready_user;
    recon_ops plan; /* what ops points to while it is planned */
};

/* From here on a backward pass tells of every parameter it reaches, as soon as all kernels that add
 * to its gradient were called: in an order that the record alone decides. Not of a batch that is
 * cut, whose gradients are complete all at once. */
void recon_tape_tell_ready(recon_tape *t, recon_ready *ready, void *user);

/* What is applied in between belongs to a network that stays as it is: its parameters get no
 * gradient, and it runs as it would outside of training. Returns what thaw puts back. */
recon_tape_mode recon_tape_freeze(recon_tape *t);
void recon_tape_thaw(recon_tape *t, recon_tape_mode mode);

/* Which part of a batch the passes that follow are about; their gradients count by its share. All
 * zero: no part. */
void recon_tape_split(recon_tape *t, recon_slice slice);
/* The same of this rank's slices of a batch: losses, norms and gradients are those of all ranks. */
void recon_tape_cut(recon_tape *t, const recon_slices *cut);

/* The slices of a batch that is cut; NULL: it is not. */
const recon_slices *recon_tape_slices(const recon_tape *t);
/* recon_var_input of rows that are not the batch's own things, but so many to each slice: rows says
 * how they are cut, and is lent until the tape begins again. NULL: they are not. */
recon_var recon_var_input_rows(recon_tape *t, const void *host, recon_dtype type,
                               const size_t *shape, int ndim, const recon_slices *rows);

/* From here on values have shapes and addresses, but nothing is computed, and no memory is taken:
 * recon_tape_peak says how much it would be. recon_tape_execute ends that, and begins with one
 * block of the peak. */
void recon_tape_plan(recon_tape *t);
void recon_tape_execute(recon_tape *t);

/* True when the operation is not to be done: the tape or an input has failed. */
int recon_tape_skips(const recon_tape *t, recon_var a, recon_var b, recon_var c);
/* Keeps the first failure; true when all is well. */
int recon_tape_did(recon_tape *t, recon_status status);
/* Calls an entry of the table, unless something has failed before. */
#define RECON_CALL(t, op, ...)                                                                     \
    (void)((t)->status == RECON_OK && recon_tape_did((t), (t)->ops->op((t)->ctx, __VA_ARGS__)))
/* "LAYER: message", sticking to the tape. Returns NULL. */
recon_var recon_tape_refuse(recon_tape *t, const char *fmt, ...) RECON_PRINTF(2, 3);
recon_var recon_tape_mismatch(recon_tape *t, const char *op, recon_var a, const char *what,
                              recon_var b);

recon_tensor recon_tape_make(recon_tape *t, recon_dtype type, const size_t *shape, int ndim);
recon_tensor recon_tape_like(recon_tape *t, const recon_tensor *x);

/* The result of an operation on up to four inputs (NULL ones at the end or in between). It is cut
 * into slices as they are. */
typedef struct {
    recon_var x[RECON_NODE_INPUTS];
} recon_operands;
recon_var recon_tape_record(recon_tape *t, recon_tensor value, recon_operands in, recon_back *back,
                            const void *args, size_t size);

/* Calls entry op with the arguments a, and records that y comes of the inputs, with op_back. */
#define RECON_APPLY(t, op, a, y, ...)                                                              \
    (RECON_CALL(t, op, &(a)),                                                                      \
     recon_tape_record(t, y, (recon_operands){ { __VA_ARGS__ } }, op##_back, &(a), sizeof(a)))

/* Where the gradient of x is to be written; .data NULL when nobody asks. */
recon_tensor recon_tape_want(recon_tape *t, recon_var x);
/* The same, and somewhere when nobody asks: for kernels that write all they can. */
recon_tensor recon_tape_want_all(recon_tape *t, recon_var x);
/* Products want both sides of one type: w in that of the activations; its gradient goes to the
 * weight as it is kept. */
recon_tensor recon_tape_weight_as(recon_tape *t, recon_var w, recon_dtype type);
/* A computed weight may have been rounded; its gradient is not. */
recon_tensor recon_tape_want_weight(recon_tape *t, recon_var w);
void recon_tape_give(recon_tape *t, recon_var x, recon_tensor gradient);
/* Hands a node's own gradient on, uncopied; x is no parameter. */
void recon_tape_share(recon_tape *t, recon_var x, recon_tensor gradient);

int recon_same_shape(const recon_tensor *a, const recon_tensor *b);

/* The commonest ways back, as functions called <op>_back: to the one variable x of an operation
 * whose arguments are recon_<kind>_args, to two inputs whose gradients have these names, and to x,
 * weight and bias of a layer. */
#define RECON_BACK_TO_ONE(op, kind)                                                                \
    static void op##_back(recon_tape *t, recon_var n)                                              \
    {                                                                                              \
        recon_##kind##_args *a = n->args;                                                          \
        a->dy = n->grad;                                                                           \
        a->dx = recon_tape_want(t, n->in[0]);                                                      \
        RECON_CALL(t, op##_back, a);                                                               \
        recon_tape_give(t, n->in[0], a->dx);                                                       \
    }
#define RECON_BACK_TO_TWO(op, first, second)                                                       \
    static void op##_back(recon_tape *t, recon_var n)                                              \
    {                                                                                              \
        recon_##op##_args *a = n->args;                                                            \
        a->dy = n->grad;                                                                           \
        a->first = recon_tape_want(t, n->in[0]);                                                   \
        a->second = recon_tape_want(t, n->in[1]);                                                  \
        RECON_CALL(t, op##_back, a);                                                               \
        recon_tape_give(t, n->in[0], a->first);                                                    \
        recon_tape_give(t, n->in[1], a->second);                                                   \
    }
#define RECON_BACK_TO_LAYER(op)                                                                    \
    static void op##_back(recon_tape *t, recon_var n)                                              \
    {                                                                                              \
        recon_##op##_args *a = n->args;                                                            \
        a->dy = n->grad;                                                                           \
        a->dx = recon_tape_want(t, n->in[0]);                                                      \
        a->dw = recon_tape_want_weight(t, n->in[1]);                                               \
        a->dbias = recon_tape_want(t, n->in[2]);                                                   \
        RECON_CALL(t, op##_back, a);                                                               \
        recon_tape_give(t, n->in[0], a->dx);                                                       \
        recon_tape_give(t, n->in[1], a->dw);                                                       \
        recon_tape_give(t, n->in[2], a->dbias);                                                    \
    }

/* The filter of this shape and type, see ops.h. weight is one-dimensional, basis a constant. */
recon_var recon_var_expand(recon_tape *t, recon_var weight, recon_var basis,
                           const recon_expand_plan *plan, recon_dtype type, const size_t *shape,
                           int ndim);

#endif
