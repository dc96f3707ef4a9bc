/* loss.cu - losses as means, their gradients, and the norm of all gradients; the formulas are those
 * of ref/loss.c. Sums are made in double and always in the same order: threads over strides, blocks
 * by halves, then one block over the blocks. Of a batch in slices each slice has a sum of its own. */
#include "ops/cuda/slices.h"
#include "ops/cuda/table.h"

#define TWO_PI 6.283185307179586477

/* ---- sums of f.term(i), i < n, into f.finish ---- */

template <class F> __global__ void terms_kernel(size_t n, F f, double *partial)
{
    double sum = 0;
    size_t step = (size_t)gridDim.x * THREADS;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += step)
        sum += f.term(i);
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

template <class F> __global__ void terms_finish_kernel(unsigned blocks, F f, const double *partial)
{
    double sum = 0;
    for (unsigned i = threadIdx.x; i < blocks; i += THREADS)
        sum += partial[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        f.finish(sum);
}

template <class F> static recon_status sum_terms(recon_ctx *ctx, const char *name, size_t n, F f)
{
    unsigned blocks = blocks_for(ctx, n ? n : 1);
    double *partial;
    scratch_begin(ctx);
    TRY(scratch_take(ctx, &partial, blocks));
    TRY(launch(ctx, name, terms_kernel<F>, blocks, THREADS, n, f, partial));
    return launch(ctx, name, terms_finish_kernel<F>, 1, THREADS, blocks, f, partial);
}

/* ---- the norm of all gradients ---- */

struct squares {
    double *out;
    const float *x;
    __device__ double term(size_t i) const
    {
        return (double)x[i] * x[i];
    }
    __device__ void finish(double sum) const
    {
        *out = sqrt(sum);
    }
};

recon_status cuda_norm2(recon_ctx *ctx, double *out, const void *x, size_t n, recon_dtype type)
{
    if (type != RECON_F32)
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "norm2 on cuda: float32, not %s",
                          recon_dtype_name(type));
    return sum_terms(ctx, "norm2", n, squares{ out, static_cast<const float *>(x) });
}

/* ---- losses: term(i) is the loss of row i, or of element i; back(i) its gradient ---- */

template <class T> struct loss_base {
    float *loss;
    const T *x;
    const void *target;
    const float *dloss;
    T *dx;
    size_t cols;
    double terms; /* what the sum is divided by */
    __device__ void finish(double sum) const
    {
        *loss = (float)(sum / terms);
    }
    __device__ double upstream() const
    {
        return *dloss / terms;
    }
};

template <class T> struct element_loss : loss_base<T> {
    bool squared;
    __device__ float difference(size_t i) const
    {
        return to_float(this->x[i]) - to_float(static_cast<const T *>(this->target)[i]);
    }
    __device__ double term(size_t i) const
    {
        double d = difference(i);
        return squared ? d * d : fabs(d);
    }
    __device__ void at(size_t i) const
    {
        float d = difference(i);
        float slope = squared ? 2 * d : (float)((d > 0) - (d < 0));
        assign(this->dx[i], (float)this->upstream() * slope);
    }
};

template <class T> struct cos_loss : loss_base<T> {
    __device__ double term(size_t row) const
    {
        const T *x = this->x + row * this->cols;
        const T *t = static_cast<const T *>(this->target) + row * this->cols;
        float sum = 0;
        for (size_t k = 0; k < this->cols; k++)
            sum += to_float(x[k]) * to_float(t[k]);
        return 1 - sum;
    }
    __device__ void at(size_t row) const
    {
        const T *t = static_cast<const T *>(this->target);
        for (size_t i = row * this->cols; i < (row + 1) * this->cols; i++)
            assign(this->dx[i], -(float)this->upstream() * to_float(t[i]));
    }
};

/* A row by the 32 threads of a warp, each at every 32nd number: a thread alone would read memory that is
 * far from its neighbours', and few rows would leave the GPU idle. */
#define WARP 32

__device__ static float warp_max(float x)
{
    for (int far = WARP / 2; far > 0; far /= 2)
        x = fmaxf(x, __shfl_xor_sync(~0u, x, far));
    return x;
}

__device__ static float warp_sum(float x)
{
    for (int far = WARP / 2; far > 0; far /= 2)
        x += __shfl_xor_sync(~0u, x, far);
    return x;
}

/* log of the sum of exp(x[k]), k < n, in every thread of the warp. */
template <class T> __device__ static float log_sum_exp(const T *x, size_t n, size_t lane)
{
    float top = -INFINITY, sum = 0;
    for (size_t k = lane; k < n; k += WARP)
        top = fmaxf(top, to_float(x[k]));
    top = warp_max(top);
    for (size_t k = lane; k < n; k += WARP)
        sum += expf(to_float(x[k]) - top);
    return top + logf(warp_sum(sum));
}

/* term(i) and at(i) are of thread i % WARP for row i / WARP. */
template <class T> struct entropy_loss : loss_base<T> {
    __device__ size_t label_of(size_t row) const
    {
        return (size_t) static_cast<const int *>(this->target)[row];
    }
    __device__ double term(size_t i) const
    {
        size_t row = i / WARP, label = label_of(row);
        const T *x = this->x + row * this->cols;
        float all = log_sum_exp(x, this->cols, i % WARP);
        if (i % WARP)
            return 0;
        return label < this->cols ? all - to_float(x[label]) : NAN;
    }
    __device__ void at(size_t i) const
    {
        size_t row = i / WARP, label = label_of(row);
        const T *x = this->x + row * this->cols;
        T *dx = this->dx + row * this->cols;
        float all = log_sum_exp(x, this->cols, i % WARP), up = (float)this->upstream();
        for (size_t k = i % WARP; k < this->cols; k += WARP)
            assign(dx[k], up * (expf(to_float(x[k]) - all) - (k == label ? 1.f : 0.f)));
    }
};

/* ---- the von Mises mixture, in double: few numbers, and kappa multiplies
 * small differences ---- */

/* log I0(x) - x and 1 - I1(x) / I0(x); above 30 by Hankel's series, subtracted term by term. */
__device__ static void bessel(double *log_i0, double *spread, double x)
{
    if (x < 30) {
        double i0 = cyl_bessel_i0(x);
        *log_i0 = log(i0) - x;
        *spread = 1 - cyl_bessel_i1(x) / i0;
        return;
    }
    double a = 1, b = 1, sum = 1, minus = 0;
    for (int j = 1; a > 1e-18; j++) {
        double odd = 2 * j - 1, scale = 8 * x * j;
        a *= odd * odd / scale;
        b *= (odd * odd - 4) / scale;
        sum += a;
        minus += a - b;
    }
    *log_i0 = log(sum) - 0.5 * log(TWO_PI * x);
    *spread = minus / sum;
}

struct component {
    double logit, c, s, reciprocal, raw, kappa, sine, versine, spread, joint;
};

template <class T> struct mixture_loss : loss_base<T> {
    __device__ component part(size_t row, size_t k) const
    {
        size_t parts = this->cols / 4;
        const T *x = this->x + row * this->cols;
        double theta = static_cast<const float *>(this->target)[row], log_i0;
        double px = to_float(x[parts + 2 * k]), py = to_float(x[parts + 2 * k + 1]);
        double r = hypot(px, py);
        component m;
        m.logit = to_float(x[k]);
        m.c = r > 0 ? px / r : 1;
        m.s = r > 0 ? py / r : 0;
        m.reciprocal = r > 0 ? 1 / r : 0;
        m.raw = to_float(x[3 * parts + k]);
        m.kappa = fmax(m.raw, 0.) + log1p(exp(-fabs(m.raw)));
        double dc = cos(theta) - m.c, ds = sin(theta) - m.s;
        m.sine = m.c * sin(theta) - m.s * cos(theta);
        m.versine = (dc * dc + ds * ds) / 2;
        bessel(&log_i0, &m.spread, m.kappa);
        m.joint = m.logit - m.kappa * m.versine - log(TWO_PI) - log_i0;
        return m;
    }
    /* Logs of the sums of weights and of joint densities. */
    __device__ void sums(double *prior, double *all, size_t row) const
    {
        size_t parts = this->cols / 4;
        double top = -1e300, joint_top = -1e300, sum = 0, joint_sum = 0;
        for (size_t k = 0; k < parts; k++) {
            component m = part(row, k);
            top = fmax(top, m.logit);
            joint_top = fmax(joint_top, m.joint);
        }
        for (size_t k = 0; k < parts; k++) {
            component m = part(row, k);
            sum += exp(m.logit - top);
            joint_sum += exp(m.joint - joint_top);
        }
        *prior = top + log(sum);
        *all = joint_top + log(joint_sum);
    }
    __device__ double term(size_t row) const
    {
        double prior, all;
        sums(&prior, &all, row);
        return prior - all;
    }
    __device__ void at(size_t row) const
    {
        size_t parts = this->cols / 4;
        T *dx = this->dx + row * this->cols;
        double prior, all, up = this->upstream();
        sums(&prior, &all, row);
        for (size_t k = 0; k < parts; k++) {
            component m = part(row, k);
            double share = exp(m.joint - all), slope = 1 / (1 + exp(-m.raw));
            double rotation = -up * share * m.kappa * m.sine * m.reciprocal;
            assign(dx[k], (float)(up * (exp(m.logit - prior) - share)));
            assign(dx[parts + 2 * k], (float)(rotation * -m.s));
            assign(dx[parts + 2 * k + 1], (float)(rotation * m.c));
            assign(dx[3 * parts + k], (float)(up * share * (m.versine - m.spread) * slope));
        }
    }
};

/* ---- the entries ---- */

/* Over n terms of `all` in the batch. */
template <class F>
static recon_status run(recon_ctx *ctx, const recon_loss_args *a, F f, size_t n, size_t all,
                        bool back, size_t threads = 1)
{
    typedef std::remove_pointer_t<decltype(f.dx)> T;
    f.loss = data<float>(a->loss);
    f.x = data<T>(a->x);
    f.target = a->target.data;
    f.dloss = data<float>(a->dloss);
    f.dx = data<T>(a->dx);
    f.cols = recon_tensor_cols(&a->x);
    f.terms = (double)all;
    n *= threads; /* of a term */
    return back ? each_index(ctx, "loss_back", n, f) : sum_terms(ctx, "loss", n, f);
}

/* Of x, or of a slice of it. */
static recon_status loss_either(recon_ctx *ctx, const recon_loss_args *a, const recon_tensor &x,
                                bool back)
{
    return by_type(ctx, "loss", a->x.type, [&]<class T>(T) {
        size_t rows = recon_tensor_rows(&a->x), count = recon_tensor_count(&a->x);
        size_t all = recon_slices_in_rows(&x, recon_tensor_count(&x)).all;
        size_t batch = recon_slices_in_rows(&x, recon_tensor_rows(&x)).all;
        element_loss<T> element = {};
        switch (a->kind) {
        case RECON_LOSS_MSE: element.squared = true; return run(ctx, a, element, count, all, back);
        case RECON_LOSS_L1: return run(ctx, a, element, count, all, back);
        case RECON_LOSS_COS: return run(ctx, a, cos_loss<T>{}, rows, batch, back);
        case RECON_LOSS_VONMISES: return run(ctx, a, mixture_loss<T>{}, rows, batch, back);
        default: return run(ctx, a, entropy_loss<T>{}, rows, batch, back, WARP);
        }
    });
}

recon_status cuda_loss(recon_ctx *ctx, const recon_loss_args *args)
{
    typedef recon_loss_args A;
    auto entry = [&](recon_ctx *, const A *a) { return loss_either(ctx, a, args->x, false); };
    if (!args->x.slices)
        return entry(ctx, args);
    return in_slices<A>(ctx, args, entry, { &A::x, &A::target }, {}, { &A::loss });
}

recon_status cuda_loss_back(recon_ctx *ctx, const recon_loss_args *args)
{
    return loss_either(ctx, args, args->x, true);
}
