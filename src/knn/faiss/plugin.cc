/* plugin.cc - FAISS behind C: exceptions stop here. */
#include "knn/faiss.h"

#include <faiss/IndexFlat.h>
#include <faiss/IndexHNSW.h>
#include <faiss/IndexIVFFlat.h>
#include <faiss/Index.h>
#include <faiss/impl/AuxIndexStructures.h>
#include <omp.h>

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define FAISS_VERSION                                                                              \
    TEXT(FAISS_VERSION_MAJOR) "." TEXT(FAISS_VERSION_MINOR) "." TEXT(FAISS_VERSION_PATCH)

#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

struct recon_faiss {
    std::unique_ptr<faiss::Index> coarse; /* the inverted lists' quantizer */
    std::unique_ptr<faiss::Index> index;
};

namespace
{
/* FAISS takes its threads from the caller's OpenMP setting; put it back afterwards. */
class Threads
{
    int before;

  public:
    explicit Threads(int n) : before(omp_get_max_threads())
    {
        omp_set_num_threads(n);
    }
    ~Threads()
    {
        omp_set_num_threads(before);
    }
};

/* FAISS has one place for the whole process in which to ask whether to stop. Ours stays there, since
 * another thread may be asking, and answers for the call that the asking thread is in; one of the
 * program's own is left alone. */
thread_local struct {
    recon_faiss_stop *stop;
    void *user;
} current;

class Stop : public faiss::InterruptCallback
{
    bool want_interrupt() override
    {
        return current.stop && current.stop(current.user);
    }

  public:
    static void install()
    {
        std::lock_guard<std::mutex> guard(lock);
        if (!instance)
            instance = std::make_unique<Stop>();
    }
};

class Stoppable
{
  public:
    Stoppable(recon_faiss_stop *stop, void *user)
    {
        Stop::install();
        current = { stop, user };
    }
    ~Stoppable()
    {
        current = {};
    }
};

/* About 4 sqrt(n) lists, one in sixteen of them visited: FAISS's own rule of thumb, on its safe
 * side. */
void make_lists(recon_faiss &f, const float *w, size_t n, size_t d, faiss::MetricType metric)
{
    size_t lists =
        std::max<size_t>(1, std::min<size_t>(n / 40, (size_t)(4 * std::sqrt((double)n))));
    f.coarse = std::make_unique<faiss::IndexFlat>((faiss::Index::idx_t)d, metric);
    auto ivf = std::make_unique<faiss::IndexIVFFlat>(f.coarse.get(), d, lists, metric);
    ivf->cp.niter = 10;
    ivf->cp.min_points_per_centroid = 1; /* below it FAISS prints a warning, and we never print */
    ivf->nprobe = std::max<size_t>(8, lists / 16);
    ivf->train((faiss::Index::idx_t)n, w);
    ivf->add((faiss::Index::idx_t)n, w);
    f.index = std::move(ivf);
}

void make_graph(recon_faiss &f, const float *w, size_t n, size_t d, faiss::MetricType metric)
{
    auto hnsw = std::make_unique<faiss::IndexHNSWFlat>((int)d, 32, metric);
    hnsw->hnsw.efConstruction = 80;
    hnsw->hnsw.efSearch = 128;
    hnsw->add((faiss::Index::idx_t)n, w);
    f.index = std::move(hnsw);
}

recon_status failed(const std::exception &e, char *message, size_t size)
{
    std::snprintf(message, size, "%s", e.what());
    return dynamic_cast<const std::bad_alloc *>(&e) ? RECON_ERR_MEMORY : RECON_ERR_NUMERIC;
}
} // namespace

static recon_status index_new(recon_faiss **out, const float *w, size_t n, size_t d, int euclidean,
                              int graph, int threads, recon_faiss_stop *stop, void *user,
                              char *message, size_t size)
{
    *out = nullptr;
    try {
        Threads scope(threads);
        Stoppable until(stop, user);
        auto f = std::make_unique<recon_faiss>();
        auto metric = euclidean ? faiss::METRIC_L2 : faiss::METRIC_INNER_PRODUCT;
        if (graph)
            make_graph(*f, w, n, d, metric);
        else
            make_lists(*f, w, n, d, metric);
        *out = f.release();
        return RECON_OK;
    } catch (const std::exception &e) {
        recon_status status = failed(e, message, size);
        return stop(user) ? RECON_ERR_INTERRUPTED : status;
    }
}

static recon_status index_search(recon_faiss *f, int64_t *out, const float *queries, size_t m,
                                 size_t k, int threads, char *message, size_t size)
{
    try {
        Threads scope(threads);
        std::vector<float> distance(m * k);
        f->index->search((faiss::Index::idx_t)m, queries, (faiss::Index::idx_t)k, distance.data(),
                         out);
        return RECON_OK;
    } catch (const std::exception &e) {
        return failed(e, message, size);
    }
}

static void index_free(recon_faiss *f)
{
    delete f;
}

const recon_plugin *recon_plugin_table(void)
{
    static const recon_faiss_table table = {
        { RECON_VERSION, "FAISS", FAISS_VERSION }, index_new, index_search, index_free
    };
    return &table.plugin;
}
