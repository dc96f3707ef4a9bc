/* conv_plan.cu - see conv_plan.h. cuDNN's graph interface is a set of descriptors with attributes:
 * tensors and a convolution make an operation, this makes a graph, heuristics name engine
 * configurations for it in order of promise, and a configuration becomes a plan that runs. */
#include "ops/cuda/conv_plan.h"

#include <new>
#include <utility>

#define CANDIDATES 16
#define MOST_SPACE ((int64_t)2 << 30) /* workspace a plan may ask for, in bytes */
#define TIMED_RUNS 5
#define MAX_NOTES  32
#define ALIGNMENT  ((int64_t)16) /* of every operand, in bytes */

/* One cuDNN descriptor, freed with its owner. After the first failure the others do nothing, so
 * that calls can be written one below the other and asked once: ok(). */
class descriptor
{
  public:
    descriptor() = default;
    explicit descriptor(cudnnBackendDescriptorType_t type)
    {
        error_ = cudnnBackendCreateDescriptor(type, &at_);
    }
    descriptor(descriptor &&other) noexcept : at_(other.at_), error_(other.error_)
    {
        other.at_ = nullptr;
    }
    descriptor &operator=(descriptor &&other) noexcept
    {
        std::swap(at_, other.at_);
        std::swap(error_, other.error_);
        return *this;
    }
    ~descriptor()
    {
        if (at_)
            cudnnBackendDestroyDescriptor(at_);
    }
    template <class T>
    descriptor &set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t n,
                    const T *value)
    {
        if (ok())
            error_ = cudnnBackendSetAttribute(at_, name, type, n, value);
        return *this;
    }
    descriptor &set(cudnnBackendAttributeName_t name, const descriptor &part)
    {
        return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &part.at_);
    }
    /* Up to n values; how many there were, 0 on failure. */
    template <class T>
    int64_t get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t n,
                T *value) const
    {
        int64_t count = 0;
        if (!ok() ||
            cudnnBackendGetAttribute(at_, name, type, n, &count, value) != CUDNN_STATUS_SUCCESS)
            return 0;
        return count < n ? count : n;
    }
    descriptor &finalize()
    {
        if (ok())
            error_ = cudnnBackendFinalize(at_);
        return *this;
    }
    bool ok() const
    {
        return at_ && error_ == CUDNN_STATUS_SUCCESS;
    }
    cudnnBackendDescriptor_t at() const
    {
        return at_;
    }

  private:
    cudnnBackendDescriptor_t at_ = nullptr;
    cudnnStatus_t error_ = CUDNN_STATUS_SUCCESS;
};

/* plan is empty when cuDNN has none for the key. The parts stay: a plan may refer to them. */
struct conv_plan {
    conv_plan *next;
    conv_key key;
    descriptor x, w, y, conv, operation, graph, config, plan;
    int64_t space;
    double ms;
};

/* ---- the graph of one convolution ---- */

static cudnnDataType_t dnn_type(recon_dtype type)
{
    return type == RECON_BF16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

/* cuDNN names dimensions n, c, h, w; the strides say that channels come last. */
static descriptor tensor_of(char id, recon_dtype type, size_t n, size_t h, size_t w, size_t c)
{
    int64_t dims[] = { (int64_t)n, (int64_t)c, (int64_t)h, (int64_t)w };
    int64_t strides[] = { (int64_t)(h * w * c), 1, (int64_t)(w * c), (int64_t)c };
    int64_t uid = id, alignment = ALIGNMENT;
    cudnnDataType_t dnn = dnn_type(type);
    descriptor d(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    d.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &dnn)
        .set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, dims)
        .set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides)
        .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &uid)
        .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment)
        .finalize();
    return d;
}

static descriptor convolution_of(const conv_dims &d)
{
    int64_t spatial = 2, ones[] = { 1, 1 }, stride[] = { (int64_t)d.stride, (int64_t)d.stride };
    int64_t pad[] = { (int64_t)d.pad, (int64_t)d.pad };
    cudnnDataType_t compute = CUDNN_DATA_FLOAT;
    cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    descriptor c(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    c.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &spatial)
        .set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute)
        .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode)
        .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2, pad)
        .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2, pad)
        .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2, ones)
        .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2, stride)
        .finalize();
    return c;
}

/* The names of one pass's operation and of its attributes. */
struct pass_names {
    cudnnBackendDescriptorType_t operation;
    cudnnBackendAttributeName_t conv, x, w, y, alpha, beta;
};
static const pass_names names[] = {
    { CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA },
    { CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA },
    { CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA },
};

static bool make_graph(recon_cuda *s, conv_plan *plan)
{
    const conv_key &key = plan->key;
    const conv_dims &d = key.dims;
    const pass_names &name = names[key.pass];
    float alpha = 1, beta = 0;
    plan->x = tensor_of('x', key.type, d.n, d.h, d.w, d.c);
    plan->w = tensor_of('w', key.filter, d.o, d.kh, d.kw, d.c);
    plan->y = tensor_of('y', key.type, d.n, d.p, d.q, d.o);
    plan->conv = convolution_of(d);
    if (!plan->x.ok() || !plan->w.ok() || !plan->y.ok() || !plan->conv.ok())
        return false;
    plan->operation = descriptor(name.operation);
    plan->operation.set(name.conv, plan->conv)
        .set(name.x, plan->x)
        .set(name.w, plan->w)
        .set(name.y, plan->y)
        .set(name.alpha, CUDNN_TYPE_FLOAT, 1, &alpha)
        .set(name.beta, CUDNN_TYPE_FLOAT, 1, &beta)
        .finalize();
    if (!plan->operation.ok())
        return false;
    plan->graph = descriptor(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    plan->graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &s->dnn)
        .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, plan->operation)
        .finalize();
    return plan->graph.ok();
}

/* ---- engines ---- */

/* Does the note speak of sums in no fixed order, or of digits lost on the way? In F32 tensor cores
 * mean TF32. */
static bool refused(cudnnBackendNumericalNote_t note, const conv_key &key)
{
    switch (note) {
    case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
    case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS: return key.type == RECON_F32 && !key.dims.tf32;
    case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
    case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
    case CUDNN_NUMERICAL_NOTE_FFT:
    case CUDNN_NUMERICAL_NOTE_WINOGRAD:
    case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4:
    case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6:
    case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13: return true;
    default: return false;
    }
}

static bool allowed(const descriptor &config, const conv_key &key)
{
    descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t at = engine.at();
    cudnnBackendNumericalNote_t notes[MAX_NOTES];
    if (config.get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &at) != 1)
        return false;
    int64_t n =
        engine.get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, MAX_NOTES, notes);
    for (int64_t i = 0; i < n; i++)
        if (refused(notes[i], key))
            return false;
    return true;
}

/* Makes config a plan that can run; false when the engine does not support it after all. */
static bool try_config(recon_cuda *s, conv_plan *to, descriptor &&config)
{
    if (!config.ok() || !allowed(config, to->key))
        return false;
    descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    int64_t space = 0;
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &s->dnn)
        .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config)
        .finalize();
    if (plan.get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &space) != 1 ||
        space > MOST_SPACE)
        return false;
    to->config = std::move(config);
    to->plan = std::move(plan);
    to->space = space;
    return true;
}

static recon_status time_plan(recon_ctx *ctx, conv_plan *plan, const conv_operands &on)
{
    recon_cuda *s = cuda_of(ctx);
    cudaEvent_t begin, end;
    float ms = 0;
    TRY(conv_plan_run(ctx, plan, on));
    CUDA_TRY(cudaEventCreate(&begin));
    CUDA_TRY(cudaEventCreate(&end));
    CUDA_TRY(cudaEventRecord(begin, s->stream));
    for (int i = 0; i < TIMED_RUNS; i++)
        TRY(conv_plan_run(ctx, plan, on));
    CUDA_TRY(cudaEventRecord(end, s->stream));
    CUDA_TRY(cudaEventSynchronize(end));
    CUDA_TRY(cudaEventElapsedTime(&ms, begin, end));
    CUDA_TRY(cudaEventDestroy(begin));
    CUDA_TRY(cudaEventDestroy(end));
    plan->ms = ms / TIMED_RUNS;
    return RECON_OK;
}

/* Goes through what the heuristics name: takes the first that works, or the fastest. */
static void choose(recon_ctx *ctx, conv_plan *plan, cudnnBackendHeurMode_t mode,
                   const conv_operands &on)
{
    recon_cuda *s = cuda_of(ctx);
    descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR), config[CANDIDATES];
    cudnnBackendDescriptor_t at[CANDIDATES];
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, plan->graph)
        .set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode)
        .finalize();
    for (int i = 0; i < CANDIDATES; i++) {
        config[i] = descriptor(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
        at[i] = config[i].at();
    }
    int64_t n = heuristics.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                               CANDIDATES, at);
    for (int64_t i = 0; i < n && (s->tune || !plan->plan.ok()); i++) {
        descriptor old_config = std::move(plan->config), old_plan = std::move(plan->plan);
        int64_t old_space = plan->space;
        double old_ms = plan->ms;
        bool works = try_config(s, plan, std::move(config[i]));
        if (works && s->tune)
            works = time_plan(ctx, plan, on) == RECON_OK;
        if (!works || (old_plan.ok() && plan->ms > old_ms)) {
            plan->config = std::move(old_config);
            plan->plan = std::move(old_plan);
            plan->space = old_space;
            plan->ms = old_ms;
        }
    }
}

/* ---- the plans of a context ---- */

recon_status conv_plan_find(recon_ctx *ctx, const conv_plan **out, const conv_key &key,
                            const conv_operands &on)
{
    recon_cuda *s = cuda_of(ctx);
    conv_plan *plan = s->plans;
    while (plan && !(plan->key == key))
        plan = plan->next;
    if (!plan) {
        TRY(cuda_not_captured(ctx, "a convolution of a new shape"));
        plan = new (std::nothrow) conv_plan{};
        if (!plan)
            return recon_fail(ctx, RECON_ERR_MEMORY, "%zu bytes for a plan", sizeof *plan);
        plan->key = key;
        plan->next = s->plans;
        s->plans = plan;
        if (make_graph(s, plan))
            choose(ctx, plan, CUDNN_HEUR_MODE_A, on);
        if (plan->graph.ok() && !plan->plan.ok())
            choose(ctx, plan, CUDNN_HEUR_MODE_FALLBACK, on);
    }
    *out = plan->plan.ok() ? plan : nullptr;
    return RECON_OK;
}

recon_status conv_plan_run(recon_ctx *ctx, const conv_plan *plan, const conv_operands &on)
{
    recon_cuda *s = cuda_of(ctx);
    size_t used = s->scratch_used;
    void *space = nullptr, *data[] = { on.x, on.w, on.y };
    int64_t ids[] = { 'x', 'w', 'y' };
    if (plan->space)
        TRY(scratch_take(ctx, &space, (size_t)plan->space));
    s->scratch_used = used; /* the stream keeps those who take it next behind this run */
    descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 3, ids)
        .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, data)
        .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &space)
        .finalize();
    DNN_TRY(cudnnBackendExecute(s->dnn, plan->plan.at(), pack.at()));
    return RECON_OK;
}

double conv_plan_ms(const conv_plan *plan)
{
    return plan->ms;
}

void conv_plans_free(conv_plan *plans)
{
    while (plans) {
        conv_plan *next = plans->next;
        delete plans;
        plans = next;
    }
}
