/* conv.h - a convolution under way: what conv.c, conv_back.c and conv_plan.c share. */
#ifndef OPS_CPU_CONV_H
#define OPS_CPU_CONV_H

#include "ops/cpu/dnnl.h"
#include "ops/ops.h"
#include "ops/sums.h"

/* A convolution prepared for whole tasks, for the last one of a slice, which may be smaller, and for
 * the last one of all, which may be smaller still. */
enum { RECON_CONV_SIZES = 3 };
typedef struct {
    const recon_dnnl_plan *plan[RECON_CONV_SIZES];
    void *packed[RECON_CONV_SIZES];
} recon_conv_kernel;

typedef struct {
    const recon_conv_args *a;
    size_t n, h, w, c, o, kh, kw, p, q; /* one tap: every pixel is an image of 1 x 1 */
    int point;                          /* one tap */
    int cast;                           /* bf16 through float */
    recon_dtype type;                   /* what is computed with */
    recon_pieces pieces;                /* of images */
    size_t images[RECON_CONV_SIZES];    /* of tasks of each size; 0: there are none */
    const void *weights;                /* in that type */
    recon_conv_kernel forward, data, gradient;
    void *partial; /* the tasks' gradients of the weights, stride bytes apart */
    size_t stride;
    double *bias; /* and of the bias, [tasks][o] */
} recon_conv_job;

static inline size_t recon_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t recon_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

/* A product where there is one tap and floats; the rest is oneDNN's, or several products. */
static inline int recon_conv_by_gemm(const recon_conv_job *j)
{
    return j->point && j->type == RECON_F32;
}

/* Without oneDNN numbers are floats: recon_dnnl_has_fast_bf16 is 0. */
static inline int recon_conv_by_dnnl(const recon_conv_job *j)
{
    return !recon_conv_by_gemm(j) && recon_dnnl_is_there();
}

/* Which of the sizes a task of so many images has. */
static inline int recon_conv_size(const recon_conv_job *j, size_t images)
{
    return images == j->images[0] ? 0 : images == j->images[1] ? 1 : 2;
}

/* Sizes, and how the batch is cut. */
recon_conv_job recon_conv_job_of(recon_ctx *ctx, const recon_conv_args *a);

/* Elements at .. at + count of t as the job computes with them: in place, or floats in scratch that
 * part_done stores. */
recon_status recon_conv_part_in(recon_ctx *ctx, const recon_conv_job *j, int worker, void **out,
                                const recon_tensor *t, size_t at, size_t count);
recon_status recon_conv_part_out(recon_ctx *ctx, const recon_conv_job *j, int worker, void **out,
                                 const recon_tensor *t, size_t at, size_t count);
void recon_conv_part_done(const recon_conv_job *j, const void *part, const recon_tensor *t,
                          size_t at, size_t count);

/* The weights as the job computes with them. */
recon_status recon_conv_weights(recon_ctx *ctx, recon_conv_job *j);

/* conv_patches.c: of a task of so many images; dw and dx are written. */
recon_status recon_patches_run(recon_ctx *ctx, const recon_conv_job *j, size_t images, int worker,
                               const float *x, float *y);
recon_status recon_patches_data(recon_ctx *ctx, const recon_conv_job *j, size_t images, int worker,
                                float *dx, const float *dy);
recon_status recon_patches_weights(recon_ctx *ctx, const recon_conv_job *j, size_t images,
                                   int worker, float *dw, const float *x, const float *dy);

/* conv_plan.c: what oneDNN needs, made ready before the tasks; nothing where products serve. */
recon_status recon_conv_plan_forward(recon_ctx *ctx, recon_conv_job *j);
recon_status recon_conv_plan_back(recon_ctx *ctx, recon_conv_job *j);

/* A task's, of this size. */
recon_status recon_conv_run(recon_ctx *ctx, const recon_conv_job *j, int size, int worker, void *x,
                            void *y);
recon_status recon_conv_run_data(recon_ctx *ctx, const recon_conv_job *j, int size, int worker,
                                 void *dx, void *dy);
recon_status recon_conv_run_weights(recon_ctx *ctx, const recon_conv_job *j, int size, int worker,
                                    void *dw, void *x, void *dy);

/* Bytes of a task's gradient of the weights; its numbers in whole tasks' packing; and back to
 * o,kh,kw,c. */
size_t recon_conv_gradient_bytes(const recon_conv_job *j);
size_t recon_conv_packed_count(const recon_conv_job *j);
recon_status recon_conv_unpack(recon_ctx *ctx, const recon_conv_job *j, int size, float *to,
                               const void *from);

#endif
