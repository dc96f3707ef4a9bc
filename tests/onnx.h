/* onnx.h - an evaluator of ONNX graphs, for tests: what an exported file computes, without a runtime.
 *
 * Plain loops in double over what proto.h reads, written from the descriptions of the operators
 * (onnx.ai/onnx/operators, opset 17), and apart from what writes the files. It knows the operators that
 * `recon export` writes, and fails on any other. */
#ifndef TESTS_ONNX_H
#define TESTS_ONNX_H

#include "proto.h"

#include <stdio.h>
#include <stdlib.h>

enum { ONNX_AXES = 6, ONNX_MOST = 8, ONNX_VALUES = 2000 };

typedef struct {
    size_t axes, dim[ONNX_AXES], n;
    double *at; /* integers and truths too */
} onnx_tensor;

typedef struct {
    proto name;
    onnx_tensor tensor;
} onnx_value;

typedef struct {
    proto graph;
    size_t values;
    onnx_value value[ONNX_VALUES]; /* the last of a name counts */
    size_t blocks;
    double *block[2 * ONNX_VALUES];
} onnx_run;

typedef struct {
    onnx_run *run;
    proto at;
    char op[24];
    size_t ins, outs;
    onnx_tensor in[ONNX_MOST], out[ONNX_MOST];
} onnx_node;

static inline onnx_tensor onnx_new(onnx_run *r, size_t axes, const size_t *dim)
{
    onnx_tensor t = { .axes = axes, .n = 1 };
    assert_true(axes <= ONNX_AXES && r->blocks < 2 * ONNX_VALUES);
    for (size_t i = 0; i < axes; i++)
        t.n *= t.dim[i] = dim[i];
    t.at = r->block[r->blocks++] = calloc(t.n + 1, sizeof *t.at);
    return t;
}

static inline void onnx_put(onnx_run *r, proto name, onnx_tensor t)
{
    assert_true(r->values < ONNX_VALUES);
    r->value[r->values++] = (onnx_value){ name, t };
}

static inline onnx_tensor onnx_find(const onnx_run *r, proto name)
{
    for (size_t i = r->values; i-- > 0;)
        if (r->value[i].name.size == name.size && !memcmp(r->value[i].name.at, name.at, name.size))
            return r->value[i].tensor;
    fail_msg("no value is called '%.*s'", (int)name.size, (const char *)name.at);
    return (onnx_tensor){ 0 };
}

static inline onnx_tensor onnx_get(const onnx_run *r, const char *name)
{
    return onnx_find(r, (proto){ (const unsigned char *)name, strlen(name) });
}

/* --- attributes ------------------------------------------------------------------------------- */

static inline int64_t onnx_int(const onnx_node *n, const char *name, int64_t usual)
{
    proto a = proto_named(n->at, 5, 1, name);
    return a.at ? (int64_t)proto_get(a, 3, 0).value : usual;
}

/* How many there are; what is beyond them stays as it was. */
static inline size_t onnx_ints(size_t out[ONNX_MOST], const onnx_node *n, const char *name)
{
    proto a = proto_named(n->at, 5, 1, name);
    size_t count = a.at ? proto_count(a, 8) : 0;
    for (size_t i = 0; i < count; i++)
        out[i] = (size_t)proto_get(a, 8, i).value;
    return count;
}

/* An axis, which may be counted from behind. */
static inline size_t onnx_axis(const onnx_tensor *t, double axis)
{
    size_t a = (size_t)(axis < 0 ? axis + (double)t->axes : axis);
    assert_true(a <= t->axes);
    return a;
}

/* --- element by element ----------------------------------------------------------------------- */

typedef double onnx_fn(double a, double b, double c);

/* clang-format off */
#define ONNX_ELEMENTWISE(X) \
    X(Identity, 1, a) X(Relu, 1, a > 0 ? a : 0) X(Abs, 1, fabs(a)) X(Neg, 1, -a) \
    X(Sqrt, 1, sqrt(a)) X(Exp, 1, exp(a)) X(Log, 1, log(a)) X(Sin, 1, sin(a)) \
    X(Atan, 1, atan(a)) X(Round, 1, rint(a)) X(Softplus, 1, log(1 + exp(a))) X(Add, 2, a + b) \
    X(Sub, 2, a - b) X(Mul, 2, a * b) X(Div, 2, a / b) X(Max, 2, a > b ? a : b) \
    X(Min, 2, a < b ? a : b) X(Mod, 2, a - b * floor(a / b)) X(Equal, 2, a == b) \
    X(Less, 2, a < b) X(LessOrEqual, 2, a <= b) X(Greater, 2, a > b) \
    X(GreaterOrEqual, 2, a >= b) X(And, 2, a != 0 && b != 0) X(Or, 2, a != 0 || b != 0) \
    X(Where, 3, a != 0 ? b : c)
#define ONNX_FUNCTION(name, ins, value) \
    static inline double onnx_##name(double a, double b, double c) { (void)a, (void)b, (void)c; return value; }
#define ONNX_ENTRY(name, ins, value) { #name, ins, onnx_##name },
ONNX_ELEMENTWISE(ONNX_FUNCTION)
static const struct { const char *op; size_t ins; onnx_fn *f; } onnx_each[] = { ONNX_ELEMENTWISE(ONNX_ENTRY) };
/* clang-format on */

/* Axes are matched from the last one on; one of length 1 is repeated. */
static inline onnx_tensor onnx_broadcast(onnx_run *r, const onnx_tensor *in, size_t ins, onnx_fn *f)
{
    size_t axes = 0, dim[ONNX_AXES] = { 0 }, step[3][ONNX_AXES] = { { 0 } };
    for (size_t k = 0; k < ins; k++)
        axes = in[k].axes > axes ? in[k].axes : axes;
    for (size_t i = 0; i < axes; i++)
        dim[i] = 1;
    for (size_t k = 0; k < ins; k++)
        for (size_t i = axes - in[k].axes, j = 0, stride = in[k].n; i < axes; i++, j++) {
            assert_true(in[k].dim[j] == 1 || dim[i] == 1 || dim[i] == in[k].dim[j]);
            dim[i] = in[k].dim[j] == 1 ? dim[i] : in[k].dim[j];
            stride /= in[k].dim[j] ? in[k].dim[j] : 1;
            step[k][i] = in[k].dim[j] == 1 ? 0 : stride;
        }
    onnx_tensor out = onnx_new(r, axes, dim);
    for (size_t at = 0; at < out.n; at++) {
        size_t from[3] = { 0 };
        for (size_t i = axes, rest = at; i-- > 0; rest /= dim[i])
            for (size_t k = 0; k < ins; k++)
                from[k] += rest % dim[i] * step[k][i];
        out.at[at] =
            f(in[0].at[from[0]], ins > 1 ? in[1].at[from[1]] : 0, ins > 2 ? in[2].at[from[2]] : 0);
    }
    return out;
}

/* --- along axes ------------------------------------------------------------------------------- */

/* A tensor as outer x length x inner numbers, where length is that of axes first .. last. */
typedef struct {
    size_t outer, length, inner;
} onnx_lines;

static inline onnx_lines onnx_along(const onnx_tensor *t, size_t first, size_t last)
{
    onnx_lines l = { 1, 1, 1 };
    for (size_t i = 0; i < t->axes; i++)
        *(i < first ? &l.outer : i <= last ? &l.length : &l.inner) *= t->dim[i];
    return l;
}

/* What becomes of a line. */
static inline double onnx_fold(const char *op, const double *x, size_t n, size_t step)
{
    int least = strstr(op, "Min") != NULL;
    double sum = 0, squares = 0, logs = 0;
    size_t best = 0;
    for (size_t i = 0; i < n; i++) {
        double v = x[i * step];
        sum += v;
        squares += v * v;
        best = (least ? v < x[best * step] : v > x[best * step]) ? i : best;
    }
    for (size_t i = 0; i < n; i++)
        logs += exp(x[i * step] - x[best * step]);
    return strstr(op, "Arg")         ? (double)best
           : strstr(op, "LogSumExp") ? x[best * step] + log(logs)
           : strstr(op, "Sum")       ? sum
           : strstr(op, "Mean")      ? sum / (double)n
           : strstr(op, "L2")        ? sqrt(squares)
                                     : x[best * step];
}

/* Over axes that stand side by side, or over all. */
static inline void onnx_reduce(onnx_node *n)
{
    const onnx_tensor *x = &n->in[0];
    size_t axis[ONNX_MOST] = { 0, x->axes - 1 }, dim[ONNX_AXES], axes = 0;
    size_t count = onnx_ints(axis, n, "axes"), first = 0, last = x->axes - 1;
    if (strstr(n->op, "Arg"))
        first = last = (size_t)onnx_int(n, "axis", 0);
    else if (n->ins > 1)
        first = last = onnx_axis(x, n->in[1].at[0]);
    else if (count)
        first = axis[0], last = axis[count - 1];
    assert_true(!count || last - first + 1 == count);
    for (size_t i = 0; i < x->axes; i++)
        if (i < first || i > last)
            dim[axes++] = x->dim[i];
        else if (onnx_int(n, "keepdims", 1))
            dim[axes++] = 1;
    onnx_lines l = onnx_along(x, first, last);
    n->out[0] = onnx_new(n->run, axes, dim);
    for (size_t i = 0; i < l.outer * l.inner; i++)
        n->out[0].at[i] = onnx_fold(n->op, x->at + i / l.inner * l.length * l.inner + i % l.inner,
                                    l.length, l.inner);
}

static inline void onnx_softmax(onnx_node *n)
{
    const onnx_tensor *x = &n->in[0];
    size_t axis = (size_t)onnx_int(n, "axis", -1);
    onnx_lines l = onnx_along(x, axis, axis);
    n->out[0] = onnx_new(n->run, x->axes, x->dim);
    for (size_t i = 0; i < x->n; i++) {
        size_t from = i / (l.length * l.inner) * l.length * l.inner + i % l.inner;
        double y = x->at[i] - onnx_fold("LogSumExp", x->at + from, l.length, l.inner);
        n->out[0].at[i] = !strcmp(n->op, "Softmax") ? exp(y) : y;
    }
}

static inline void onnx_cumulate(onnx_node *n)
{
    const onnx_tensor *x = &n->in[0];
    size_t axis = onnx_axis(x, n->in[1].at[0]);
    onnx_lines l = onnx_along(x, axis, axis);
    assert_true(onnx_int(n, "exclusive", 0) && !onnx_int(n, "reverse", 0));
    n->out[0] = onnx_new(n->run, x->axes, x->dim);
    for (size_t i = 0; i < x->n; i++)
        if (i / l.inner % l.length > 0)
            n->out[0].at[i] = n->out[0].at[i - l.inner] + x->at[i - l.inner];
}

/* --- places ----------------------------------------------------------------------------------- */

static inline void onnx_concat(onnx_node *n)
{
    size_t axis = (size_t)onnx_int(n, "axis", 0), dim[ONNX_AXES], begin = 0;
    memcpy(dim, n->in[0].dim, sizeof dim);
    for (size_t k = 1; k < n->ins; k++)
        dim[axis] += n->in[k].dim[axis];
    n->out[0] = onnx_new(n->run, n->in[0].axes, dim);
    onnx_lines all = onnx_along(&n->out[0], axis, axis);
    for (size_t k = 0; k < n->ins; begin += n->in[k++].dim[axis]) {
        onnx_lines l = onnx_along(&n->in[k], axis, axis);
        assert_true(l.outer == all.outer && l.inner == all.inner);
        for (size_t i = 0; i < n->in[k].n; i++)
            n->out[0].at[i + i / (l.length * l.inner) * (all.length - l.length) * l.inner +
                         begin * l.inner] = n->in[k].at[i];
    }
}

/* Elements begin, begin + step, .. of an axis. */
static inline onnx_tensor onnx_part(onnx_run *r, const onnx_tensor *x, size_t axis, int64_t begin,
                                    int64_t step, size_t count)
{
    size_t dim[ONNX_AXES];
    onnx_lines l = onnx_along(x, axis, axis);
    memcpy(dim, x->dim, sizeof dim);
    dim[axis] = count;
    onnx_tensor out = onnx_new(r, x->axes, dim);
    for (size_t i = 0; i < out.n; i++) {
        size_t at = (size_t)(begin + step * (int64_t)(i / l.inner % count));
        assert_true(at < l.length);
        out.at[i] = x->at[(i / (count * l.inner) * l.length + at) * l.inner + i % l.inner];
    }
    return out;
}

static inline void onnx_split(onnx_node *n)
{
    size_t axis = (size_t)onnx_int(n, "axis", 0), begin = 0;
    for (size_t k = 0; k < n->outs; k++) {
        size_t size = n->ins > 1 ? (size_t)n->in[1].at[k] : n->in[0].dim[axis] / n->outs;
        n->out[k] = onnx_part(n->run, &n->in[0], axis, (int64_t)begin, 1, size);
        begin += size;
    }
    assert_true(begin == n->in[0].dim[axis]);
}

static inline void onnx_slice(onnx_node *n)
{
    size_t axis = onnx_axis(&n->in[0], n->in[3].at[0]);
    double size = (double)n->in[0].dim[axis], begin = n->in[1].at[0], end = n->in[2].at[0];
    double step = n->ins > 4 ? n->in[4].at[0] : 1;
    assert_true(n->in[1].n == 1);
    begin = fmin(fmax(begin < 0 ? begin + size : begin, 0), step < 0 ? size - 1 : size);
    end = fmin(fmax(end < 0 ? end + size : end, step < 0 ? -1 : 0), size);
    n->out[0] = onnx_part(n->run, &n->in[0], axis, (int64_t)begin, (int64_t)step,
                          (size_t)fmax(ceil((end - begin) / step), 0));
}

static inline void onnx_gather(onnx_node *n)
{
    const onnx_tensor *x = &n->in[0], *which = &n->in[1];
    size_t axis = (size_t)onnx_int(n, "axis", 0), dim[ONNX_AXES], axes = 0;
    onnx_lines l = onnx_along(x, axis, axis);
    int each = !strcmp(n->op, "GatherElements");
    for (size_t i = 0; i < x->axes; i++)
        if (i != axis || each)
            dim[axes++] = each ? which->dim[i] : x->dim[i];
        else
            for (size_t k = 0; k < which->axes; k++)
                dim[axes++] = which->dim[k];
    n->out[0] = onnx_new(n->run, axes, dim);
    size_t count = each ? which->dim[axis] : which->n;
    for (size_t i = 0; i < n->out[0].n; i++) {
        size_t at = (size_t)which->at[each ? i : i / l.inner % count];
        assert_true(at < l.length);
        n->out[0].at[i] = x->at[(i / (count * l.inner) * l.length + at) * l.inner + i % l.inner];
    }
}

static inline void onnx_transpose(onnx_node *n)
{
    const onnx_tensor *x = &n->in[0];
    size_t perm[ONNX_MOST], dim[ONNX_AXES], stride[ONNX_AXES];
    assert_true(onnx_ints(perm, n, "perm") == x->axes);
    for (size_t i = 0; i < x->axes; i++) {
        onnx_lines l = onnx_along(x, perm[i], perm[i]);
        dim[i] = l.length;
        stride[i] = l.inner;
    }
    n->out[0] = onnx_new(n->run, x->axes, dim);
    for (size_t at = 0; at < x->n; at++) {
        size_t from = 0, rest = at;
        for (size_t i = x->axes; i-- > 0; rest /= dim[i])
            from += rest % dim[i] * stride[i];
        n->out[0].at[at] = x->at[from];
    }
}

/* --- shapes ----------------------------------------------------------------------------------- */

static inline void onnx_shape(onnx_node *n)
{
    n->out[0] = onnx_new(n->run, 1, &n->in[0].axes);
    for (size_t i = 0; i < n->in[0].axes; i++)
        n->out[0].at[i] = (double)n->in[0].dim[i];
}

/* The same numbers in another shape; what is -1 follows from the others. */
static inline void onnx_reshape(onnx_node *n)
{
    const onnx_tensor *x = &n->in[0];
    size_t dim[ONNX_AXES], axes = 0, known = 1;
    if (!strcmp(n->op, "Flatten"))
        dim[axes++] = x->dim[0], dim[axes++] = x->n / x->dim[0];
    else if (!strcmp(n->op, "Reshape"))
        for (; axes < n->in[1].n; axes++) {
            dim[axes] = (size_t)fmax(n->in[1].at[axes], 0);
            known *= dim[axes] ? dim[axes] : 1;
        }
    else if (!strcmp(n->op, "Unsqueeze"))
        for (size_t i = 0, at = (size_t)n->in[1].at[0]; axes < x->axes + 1; axes++)
            dim[axes] = axes == at ? 1 : x->dim[i++];
    else
        for (size_t i = 0; i < x->axes; i++)
            if (i != (size_t)n->in[1].at[0])
                dim[axes++] = x->dim[i];
    for (size_t i = 0; !strcmp(n->op, "Reshape") && i < axes; i++)
        dim[i] = dim[i] ? dim[i] : x->n / known;
    n->out[0] = onnx_new(n->run, axes, dim);
    assert_true(n->out[0].n == x->n);
    memcpy(n->out[0].at, x->at, x->n * sizeof *x->at);
}

static inline void onnx_expand(onnx_node *n)
{
    size_t dim[ONNX_AXES];
    for (size_t i = 0; i < n->in[1].n; i++)
        dim[i] = (size_t)n->in[1].at[i];
    onnx_tensor both[2] = { n->in[0], onnx_new(n->run, n->in[1].n, dim) };
    n->out[0] = onnx_broadcast(n->run, both, 2, onnx_Identity);
}

static inline void onnx_range(onnx_node *n)
{
    double from = n->in[0].at[0], step = n->in[2].at[0];
    size_t count = (size_t)ceil((n->in[1].at[0] - from) / step);
    n->out[0] = onnx_new(n->run, 1, &count);
    for (size_t i = 0; i < count; i++)
        n->out[0].at[i] = from + (double)i * step;
}

static inline void onnx_trilu(onnx_node *n)
{
    const onnx_tensor *x = &n->in[0];
    assert_true(x->axes == 2 && !onnx_int(n, "upper", 1));
    n->out[0] = onnx_new(n->run, 2, x->dim);
    for (size_t i = 0; i < x->n; i++)
        n->out[0].at[i] = i % x->dim[1] <= i / x->dim[1] ? x->at[i] : 0;
}

/* To integers and truths; the rest stays in double. */
static inline void onnx_cast(onnx_node *n)
{
    int64_t to = onnx_int(n, "to", 0);
    n->out[0] = onnx_new(n->run, n->in[0].axes, n->in[0].dim);
    for (size_t i = 0; i < n->in[0].n; i++) {
        double v = n->in[0].at[i];
        n->out[0].at[i] = to == 7 ? trunc(v) : to == 9 ? v != 0 : v;
    }
}

/* --- networks --------------------------------------------------------------------------------- */

/* A stack of matrices by one, or by a stack of as many. */
static inline void onnx_matmul(onnx_node *n)
{
    const onnx_tensor *a = &n->in[0], *b = &n->in[1];
    int gemm = !strcmp(n->op, "Gemm"), turned = gemm && onnx_int(n, "transB", 0);
    size_t rows = a->dim[a->axes - 2], terms = a->dim[a->axes - 1], dim[ONNX_AXES];
    size_t columns = b->dim[b->axes - (turned ? 2 : 1)], one = terms * columns;
    assert_true(b->n % one == 0 && (b->n == one || b->n / one == a->n / (rows * terms)));
    memcpy(dim, a->dim, sizeof dim);
    dim[a->axes - 1] = columns;
    n->out[0] = onnx_new(n->run, a->axes, dim);
    for (size_t i = 0; i < n->out[0].n; i++) {
        size_t row = i / columns, c = i % columns;
        const double *x = a->at + row * terms;
        const double *w = b->at + (b->n == one ? 0 : row / rows * one);
        double sum = n->ins > 2 ? n->in[2].at[c] : 0;
        for (size_t k = 0; k < terms; k++)
            sum += x[k] * w[turned ? c * terms + k : k * columns + c];
        n->out[0].at[i] = sum;
    }
}

/* Convolutions and poolings: windows over the last two axes. */
static inline void onnx_window(onnx_node *n)
{
    const onnx_tensor *x = &n->in[0], *w = &n->in[1];
    int conv = !strcmp(n->op, "Conv"), most = !strcmp(n->op, "MaxPool");
    size_t pad[ONNX_MOST] = { 0 }, stride[ONNX_MOST] = { 1, 1 }, size[ONNX_MOST];
    size_t groups = (size_t)onnx_int(n, "group", 1), H = x->dim[2], W = x->dim[3], dim[4];
    onnx_ints(pad, n, "pads");
    onnx_ints(stride, n, "strides");
    if (conv)
        size[0] = w->dim[2], size[1] = w->dim[3];
    else
        onnx_ints(size, n, "kernel_shape");
    dim[0] = x->dim[0];
    dim[1] = conv ? w->dim[0] : x->dim[1];
    for (size_t i = 0; i < 2; i++)
        dim[2 + i] = (x->dim[2 + i] + pad[i] + pad[2 + i] - size[i]) / stride[i] + 1;
    size_t ins = conv ? w->dim[1] : 1, share = conv ? dim[1] / groups : 1;
    assert_true(!conv || ins * groups == x->dim[1]);
    n->out[0] = onnx_new(n->run, 4, dim);
    for (size_t at = 0; at < n->out[0].n; at++) {
        size_t q = at % dim[3], p = at / dim[3] % dim[2], o = at / (dim[3] * dim[2]) % dim[1];
        size_t first = at / (dim[3] * dim[2] * dim[1]) * x->dim[1] + o / share * ins;
        double sum = conv && n->ins > 2 ? n->in[2].at[o] : most ? -INFINITY : 0;
        for (size_t c = 0; c < ins; c++)
            for (size_t t = 0; t < size[0] * size[1]; t++) {
                size_t i = p * stride[0] + t / size[1] - pad[0];
                size_t j = q * stride[1] + t % size[1] - pad[1];
                if (i >= H || j >= W) /* before the first, too */
                    continue;
                double v = x->at[((first + c) * H + i) * W + j];
                sum = conv   ? sum + v * w->at[(o * ins + c) * size[0] * size[1] + t]
                      : most ? fmax(sum, v)
                             : sum + v / (double)(size[0] * size[1]);
            }
        n->out[0].at[at] = sum;
    }
}

static inline void onnx_batch_norm(onnx_node *n)
{
    onnx_lines l = onnx_along(&n->in[0], 1, 1);
    n->out[0] = onnx_new(n->run, n->in[0].axes, n->in[0].dim);
    for (size_t i = 0; i < n->in[0].n; i++) {
        size_t c = i / l.inner % l.length;
        n->out[0].at[i] =
            (n->in[0].at[i] - n->in[3].at[c]) / sqrt(n->in[4].at[c] + 1e-5) * n->in[1].at[c] +
            n->in[2].at[c];
    }
}

/* Bilinear, zeros outside, corners not aligned. */
static inline void onnx_grid_sample(onnx_node *n)
{
    const onnx_tensor *x = &n->in[0], *grid = &n->in[1];
    size_t C = x->dim[1], H = x->dim[2], W = x->dim[3], size = grid->dim[1] * grid->dim[2];
    size_t dim[] = { x->dim[0], C, grid->dim[1], grid->dim[2] };
    proto mode = proto_named(n->at, 5, 1, "mode"), pad = proto_named(n->at, 5, 1, "padding_mode");
    assert_true(proto_is(proto_get(mode, 4, 0).bytes, "bilinear"));
    assert_true(proto_is(proto_get(pad, 4, 0).bytes, "zeros") && !onnx_int(n, "align_corners", 0));
    n->out[0] = onnx_new(n->run, 4, dim);
    for (size_t at = 0; at < n->out[0].n; at++) {
        size_t plane = at / size;
        const double *g = grid->at + 2 * (plane / C * size + at % size);
        double u = ((g[0] + 1) * (double)W - 1) / 2, v = ((g[1] + 1) * (double)H - 1) / 2;
        for (int k = 0; k < 4; k++) {
            double i = floor(v) + k / 2, j = floor(u) + k % 2;
            if (i >= 0 && j >= 0 && i < (double)H && j < (double)W)
                n->out[0].at[at] += (1 - fabs(u - j)) * (1 - fabs(v - i)) *
                                    x->at[(plane * H + (size_t)i) * W + (size_t)j];
        }
    }
}

/* --- graphs ----------------------------------------------------------------------------------- */

static void onnx_evaluate(onnx_run *r, proto graph);

/* The body's first inputs are the round and whether to go on, and so is its first output; the others are
 * handed from round to round. */
static inline void onnx_loop(onnx_node *n)
{
    proto body = proto_get(proto_named(n->at, 5, 1, "body"), 6, 0).bytes;
    double going = n->in[1].at[0];
    assert_true(n->outs == n->ins - 2 && proto_count(body, 12) == n->outs + 1);
    for (double round = 0; going != 0 && round < n->in[0].at[0]; round++) {
        size_t outside = n->run->values;
        onnx_tensor number = onnx_new(n->run, 0, NULL);
        number.at[0] = round;
        for (size_t k = 0; k < n->ins; k++)
            onnx_put(n->run, proto_get(proto_get(body, 11, k).bytes, 1, 0).bytes,
                     k ? n->in[k] : number);
        onnx_evaluate(n->run, body);
        for (size_t k = 1; k < n->ins; k++)
            n->in[k] = onnx_find(n->run, proto_get(proto_get(body, 12, k - 1).bytes, 1, 0).bytes);
        going = n->in[1].at[0];
        n->run->values = outside;
    }
    for (size_t k = 0; k < n->outs; k++)
        n->out[k] = n->in[k + 2];
}

static inline void onnx_step(onnx_node *n)
{
    static const struct {
        const char *ops;
        void (*evaluate)(onnx_node *n);
    } list[] = { { " Conv AveragePool MaxPool ", onnx_window },
                 { " Gemm MatMul ", onnx_matmul },
                 { " BatchNormalization ", onnx_batch_norm },
                 { " GridSample ", onnx_grid_sample },
                 { " ReduceSum ReduceMean ReduceMax ReduceMin ReduceL2 ReduceLogSumExp ArgMin "
                   "ArgMax ",
                   onnx_reduce },
                 { " Softmax LogSoftmax ", onnx_softmax },
                 { " CumSum ", onnx_cumulate },
                 { " Concat ", onnx_concat },
                 { " Split ", onnx_split },
                 { " Slice ", onnx_slice },
                 { " Gather GatherElements ", onnx_gather },
                 { " Transpose ", onnx_transpose },
                 { " Shape ", onnx_shape },
                 { " Reshape Flatten Squeeze Unsqueeze ", onnx_reshape },
                 { " Expand ", onnx_expand },
                 { " Range ", onnx_range },
                 { " Trilu ", onnx_trilu },
                 { " Cast ", onnx_cast },
                 { " Loop ", onnx_loop } };
    char word[32];
    snprintf(word, sizeof word, " %s ", n->op);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strstr(list[i].ops, word)) {
            list[i].evaluate(n);
            return;
        }
    for (size_t i = 0; i < sizeof onnx_each / sizeof *onnx_each; i++)
        if (!strcmp(onnx_each[i].op, n->op)) {
            assert_true(n->ins == onnx_each[i].ins);
            n->out[0] = onnx_broadcast(n->run, n->in, n->ins, onnx_each[i].f);
            return;
        }
    fail_msg("no operator is called '%s'", n->op);
}

static inline onnx_tensor onnx_constant(onnx_run *r, proto t)
{
    size_t dim[ONNX_AXES], axes = proto_count(t, 1), type = proto_get(t, 2, 0).value;
    size_t bytes = type == 1 ? sizeof(float) : type == 7 ? sizeof(int64_t) : 1;
    proto raw = proto_get(t, 9, 0).bytes;
    for (size_t i = 0; i < axes; i++)
        dim[i] = proto_get(t, 1, i).value;
    onnx_tensor out = onnx_new(r, axes, dim);
    assert_true(raw.size == out.n * bytes);
    for (size_t i = 0; i < out.n; i++) {
        float f;
        int64_t whole;
        memcpy(&f, raw.at + i * bytes, type == 1 ? sizeof f : 0);
        memcpy(&whole, raw.at + i * bytes, type == 7 ? sizeof whole : 0);
        out.at[i] = type == 1 ? (double)f : type == 7 ? (double)whole : raw.at[i];
    }
    return out;
}

static void onnx_evaluate(onnx_run *r, proto graph)
{
    proto_field f;
    for (proto rest = graph; proto_next(&rest, &f);)
        if (f.number == 5)
            onnx_put(r, proto_get(f.bytes, 8, 0).bytes, onnx_constant(r, f.bytes));
    for (proto rest = graph; proto_next(&rest, &f);) {
        if (f.number != 1)
            continue;
        onnx_node n = { .run = r, .at = f.bytes };
        n.ins = proto_count(n.at, 1);
        n.outs = proto_count(n.at, 2);
        assert_true(n.ins <= ONNX_MOST && n.outs <= ONNX_MOST);
        for (size_t i = 0; i < n.ins; i++)
            n.in[i] = onnx_find(r, proto_get(n.at, 1, i).bytes);
        proto op = proto_get(n.at, 4, 0).bytes;
        snprintf(n.op, sizeof n.op, "%.*s", (int)op.size, (const char *)op.at);
        onnx_step(&n);
        for (size_t i = 0; i < n.outs; i++)
            onnx_put(r, proto_get(n.at, 2, i).bytes, n.out[i]);
    }
}

/* Every output has the dimensions that the file says; those without a number are n. */
static inline void onnx_check_outputs(const onnx_run *r, size_t n)
{
    for (size_t k = 0; k < proto_count(r->graph, 12); k++) {
        proto info = proto_get(r->graph, 12, k).bytes;
        onnx_tensor t = onnx_find(r, proto_get(info, 1, 0).bytes);
        proto shape = proto_get(proto_get(proto_get(info, 2, 0).bytes, 1, 0).bytes, 2, 0).bytes;
        assert_int_equal(proto_count(shape, 1), t.axes);
        for (size_t i = 0; i < t.axes; i++) {
            proto dim = proto_get(shape, 1, i).bytes;
            assert_int_equal(t.dim[i], proto_count(dim, 1) ? proto_get(dim, 1, 0).value : n);
        }
    }
}

/* The file's graph on n images, which are n x height x width x channels; onnx_get has the outputs. The
 * bytes of the file must stay until onnx_end. */
static inline onnx_run *onnx_begin(proto model, const float *images, size_t n, size_t height,
                                   size_t width, size_t channels)
{
    onnx_run *r = calloc(1, sizeof *r);
    r->graph = proto_get(model, 7, 0).bytes;
    onnx_tensor x = onnx_new(r, 4, (size_t[]){ n, channels, height, width });
    for (size_t i = 0, size = height * width; i < x.n; i++)
        x.at[i] = (double)
            images[(i / (size * channels) * size + i % size) * channels + i / size % channels];
    onnx_put(r, proto_get(proto_get(r->graph, 11, 0).bytes, 1, 0).bytes, x);
    onnx_evaluate(r, r->graph);
    onnx_check_outputs(r, n);
    return r;
}

static inline void onnx_end(onnx_run *r)
{
    while (r->blocks > 0)
        free(r->block[--r->blocks]);
    free(r);
}

#endif
