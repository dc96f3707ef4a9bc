/* slices.cu - tensors slice by slice, and sums over slices.
 *
 * A rank adds what lies within its own slices, which leaves it a vector or two; what is left is sent to
 * all, and every rank adds the rest, as on the host (ops/sums.c). */
#include "ops/cuda/slices.h"
#include "ops/cuda/table.h"
extern "C" {
#include "comm/comm.h"
}

#define LINE 64 /* numbers: where the parts of a gradient begin */

/* ---- tensors ---- */

recon_status slice_view::open(recon_ctx *ctx, const recon_tensor &whole, const recon_slices &s)
{
    whole_ = part_ = whole;
    copy_ = nullptr;
    part_.slices = nullptr;
    rows_ = recon_slices_here(&s);
    row_ = whole.data && rows_ ? recon_tensor_bytes(&whole) / rows_ : 0;
    if (!whole.data || s.each * row_ % 16 == 0)
        return RECON_OK;
    return scratch_take(ctx, &copy_, s.each * row_);
}

recon_status slice_view::show(recon_ctx *ctx, size_t begin, size_t end, bool read)
{
    if (!whole_.data)
        return RECON_OK;
    place_ = static_cast<char *>(whole_.data) + begin * row_;
    part_.shape[0] = (end - begin) * whole_.shape[0] / rows_;
    part_.data = copy_ ? copy_ : place_;
    bytes_ = (end - begin) * row_;
    if (copy_ && read)
        CUDA_TRY(
            cudaMemcpyAsync(copy_, place_, bytes_, cudaMemcpyDeviceToDevice, cuda_of(ctx)->stream));
    return RECON_OK;
}

recon_status slice_view::write_back(recon_ctx *ctx) const
{
    if (whole_.data && copy_)
        CUDA_TRY(
            cudaMemcpyAsync(place_, copy_, bytes_, cudaMemcpyDeviceToDevice, cuda_of(ctx)->stream));
    return RECON_OK;
}

recon_status slice_gradient::open(recon_ctx *ctx, const recon_tensor &gradient,
                                  const recon_slices &s)
{
    all_ = gradient;
    stride_ = (recon_tensor_count(&gradient) + LINE - 1) / LINE * LINE;
    part_ = nullptr;
    return gradient.data ? scratch_take(ctx, &part_, slices_here(s) * stride_) : RECON_OK;
}

recon_tensor slice_gradient::of(size_t i) const
{
    recon_tensor part = all_;
    part.data = part_ ? part_ + i * stride_ : nullptr;
    return part;
}

recon_status slice_gradient::finish(recon_ctx *ctx, const recon_slices &s)
{
    return part_ ? sum_slices(ctx, s, data<float>(all_), part_, stride_, recon_tensor_count(&all_))
                 : RECON_OK;
}

/* ---- sums ---- */

/* Number i of vectors that lie `stride` apart, through the merges in order; the sum goes to out. */
template <class T> struct merge_vectors {
    struct {
        unsigned left, right;
    } merge[RECON_SLICES];
    unsigned merges;
    T *out, *vector; /* out NULL: sums stay where they are */
    size_t stride;
    __device__ void at(size_t i) const
    {
        for (unsigned m = 0; m < merges; m++)
            vector[merge[m].left * stride + i] += vector[merge[m].right * stride + i];
        if (out)
            out[i] = vector[i];
    }
};

/* The merges that are made here: before ranks meet, those of own slices, else all the others. Slice i is
 * vector place[i]. */
template <class T>
static merge_vectors<T> merges_of(const recon_slice_tree &t, int where, const unsigned *place)
{
    merge_vectors<T> f = {};
    for (size_t i = 0; i < t.merges; i++)
        if (t.merge[i].where == where) {
            f.merge[f.merges].left = place[t.merge[i].left];
            f.merge[f.merges++].right = place[t.merge[i].right];
        }
    return f;
}

/* Where the vectors that are sent lie, and those of each rank. */
struct meeting {
    unsigned place[RECON_SLICES];
    size_t begin[RECON_SLICES + 1];
    size_t vectors;
};

static meeting meeting_of(const recon_slice_tree &t, size_t slices)
{
    meeting m = {};
    for (size_t i = 0; i < slices; i++) {
        m.place[i] = (unsigned)m.vectors;
        m.vectors += (size_t)t.sent[i];
        m.begin[t.owner[i] + 1] = m.vectors;
    }
    return m;
}

template <class T>
static recon_status meet(recon_ctx *ctx, const recon_slices &s, const recon_slice_tree &t, T *out,
                         const T *part, size_t stride, size_t width)
{
    meeting m = meeting_of(t, s.count);
    T *all;
    TRY(scratch_take(ctx, &all, m.vectors * width));
    for (size_t i = s.begin; i < s.end; i++)
        if (t.sent[i])
            CUDA_TRY(cudaMemcpyAsync(all + m.place[i] * width, part + (i - s.begin) * stride,
                                     width * sizeof(T), cudaMemcpyDeviceToDevice,
                                     cuda_of(ctx)->stream));
    TRY(cuda_gather_ranks(ctx, all, m.begin, width * sizeof(T)));
    merge_vectors<T> f = merges_of<T>(t, -1, m.place);
    f.out = out;
    f.vector = all;
    f.stride = width;
    return each_index(ctx, "sum over slices", width, f);
}

template <class T>
recon_status sum_slices(recon_ctx *ctx, const recon_slices &s, T *out, T *part, size_t stride,
                        size_t width)
{
    recon_slice_tree t = recon_slice_tree_of(ctx, &s);
    unsigned place[RECON_SLICES];
    bool alone = recon_slices_alone(&s);
    for (size_t i = 0; i < RECON_SLICES; i++)
        place[i] = (unsigned)(i - s.begin);
    merge_vectors<T> f = merges_of<T>(t, recon_comm_rank(ctx), place);
    f.out = alone ? out : nullptr;
    f.vector = part;
    f.stride = stride;
    TRY(each_index(ctx, "sum over slices", width, f));
    return alone ? RECON_OK : meet(ctx, s, t, out, part, stride, width);
}

template recon_status sum_slices(recon_ctx *, const recon_slices &, float *, float *, size_t,
                                 size_t);
template recon_status sum_slices(recon_ctx *, const recon_slices &, double *, double *, size_t,
                                 size_t);
