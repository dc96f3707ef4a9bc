/* slices.h - a batch in slices (ops/slices.h) on the GPU, where the backend is deterministic: a library's
 * call has the rows of one slice, and sums over the batch are made slice by slice and then in one tree,
 * so that the bits do not depend on the number of ranks. */
#ifndef OPS_CUDA_SLICES_H
#define OPS_CUDA_SLICES_H

#include "ops/cuda/kernel.h"
#include "ops/slices.h"

#include <initializer_list>

/* What an entry has taken of scratch memory is its own while it calls others. */
class scratch_keeper
{
  public:
    explicit scratch_keeper(recon_ctx *ctx) : state_(cuda_of(ctx)), before_(state_->scratch_kept)
    {
        state_->scratch_kept = state_->scratch_used;
    }
    ~scratch_keeper()
    {
        state_->scratch_kept = before_;
    }
    scratch_keeper(const scratch_keeper &) = delete;
    scratch_keeper &operator=(const scratch_keeper &) = delete;

  private:
    recon_cuda *state_;
    size_t before_;
};

/* x in slices by its first dimension. */
static inline recon_slices slices_of(const recon_tensor &x)
{
    return recon_slices_in_rows(&x, x.shape[0]);
}
static inline size_t slices_here(const recon_slices &s)
{
    return s.end - s.begin;
}

/* f(i, begin, end) of each slice here: its number from 0, and its rows. */
template <class F> recon_status each_slice(const recon_slices &s, F f)
{
    recon_pieces p = recon_pieces_of(s, s.each);
    for (size_t i = 0; i < p.tasks; i++) {
        recon_rows own = recon_pieces_rows(&p, i);
        TRY(f(i, own.begin, own.end));
    }
    return RECON_OK;
}

/* A tensor slice by slice, for libraries, which may choose their kernels by how an address is aligned:
 * where slices do not begin at multiples of 16 bytes each goes through a copy that does. Rows are those of
 * the slices, whatever its first dimension counts: a linear map sees [n][3][c] as 3 n rows. */
class slice_view
{
  public:
    recon_status open(recon_ctx *ctx, const recon_tensor &whole, const recon_slices &s);
    /* Rows begin .. end, filled if they are to be read. Both are at whole rows of its own. */
    recon_status show(recon_ctx *ctx, size_t begin, size_t end, bool read);
    recon_status write_back(recon_ctx *ctx) const;
    const recon_tensor &tensor() const
    {
        return part_;
    }

  private:
    recon_tensor whole_, part_;
    size_t rows_, row_; /* of whole_; bytes of one */
    size_t bytes_;      /* of part_ */
    char *place_;       /* of part_ in whole_ */
    void *copy_;        /* NULL: none */
};

/* The gradient of a parameter, in F32, from those of slices. */
class slice_gradient
{
  public:
    /* Nothing is taken, and nothing will be done, where nobody asks for it. */
    recon_status open(recon_ctx *ctx, const recon_tensor &gradient, const recon_slices &s);
    recon_tensor of(size_t i) const;
    recon_status finish(recon_ctx *ctx, const recon_slices &s);

  private:
    recon_tensor all_;
    float *part_;
    size_t stride_;
};

/* out [width] = the sum over the whole batch of what its slices have left in part, [width] each and
 * `stride` numbers apart; float or double. The parts are not kept; out may be the first of them. */
template <class T>
recon_status sum_slices(recon_ctx *ctx, const recon_slices &s, T *out, T *part, size_t stride,
                        size_t width);

/* entry(part) of each slice of a->x, where a's tensors are named by what it does with them: those it
 * reads, those it writes, and gradients of parameters, which are then summed over the batch. */
template <class A> using slice_tensors = std::initializer_list<recon_tensor A::*>;
enum { SLICE_TENSORS = 4 }; /* of a kind, at most */

template <class A, class F>
recon_status in_slices(recon_ctx *ctx, const A *a, F entry, slice_tensors<A> reads,
                       slice_tensors<A> writes, slice_tensors<A> gradients = {})
{
    recon_slices s = slices_of(a->x);
    slice_view in[SLICE_TENSORS], out[SLICE_TENSORS];
    slice_gradient gradient[SLICE_TENSORS];
    size_t n = 0, m = 0, k = 0;
    scratch_begin(ctx);
    for (auto tensor : reads)
        TRY(in[n++].open(ctx, a->*tensor, s));
    for (auto tensor : writes)
        TRY(out[m++].open(ctx, a->*tensor, s));
    for (auto tensor : gradients)
        TRY(gradient[k++].open(ctx, a->*tensor, s));
    scratch_keeper keeper(ctx);
    auto one = [&](size_t i, size_t begin, size_t end) -> recon_status {
        A part = *a;
        n = m = k = 0;
        for (auto tensor : reads) {
            TRY(in[n].show(ctx, begin, end, true));
            part.*tensor = in[n++].tensor();
        }
        for (auto tensor : writes) {
            TRY(out[m].show(ctx, begin, end, false));
            part.*tensor = out[m++].tensor();
        }
        for (auto tensor : gradients)
            part.*tensor = gradient[k++].of(i);
        TRY(entry(ctx, &part));
        for (size_t j = 0; j < m; j++)
            TRY(out[j].write_back(ctx));
        return RECON_OK;
    };
    TRY(each_slice(s, one));
    for (size_t j = 0; j < k; j++)
        TRY(gradient[j].finish(ctx, s));
    return RECON_OK;
}

#endif
