/* peer_faiss.cc - FAISS IndexFlatIP on the data of bench_knn, all points against all.
 *
 *   peer_faiss N D K THREADS      prints seconds
 *
 * Run it with the OpenMP build of OpenBLAS first on the library path: with the pthread build two
 * thread pools collide and FAISS looks slower than it is. */
#include <faiss/IndexFlat.h>
#include <omp.h>
#include <recon/core/rng.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char **argv)
{
    if (argc != 5)
        return std::fprintf(stderr, "usage: peer_faiss N D K THREADS\n"), 2;
    size_t n = std::strtoul(argv[1], nullptr, 10), d = std::strtoul(argv[2], nullptr, 10);
    size_t k = std::strtoul(argv[3], nullptr, 10);
    omp_set_num_threads(std::atoi(argv[4]));
    std::vector<float> z(n * d);
    for (size_t i = 0; i < n; i++) {
        recon_rng r = recon_rng_new(1, i), centre = recon_rng_new(2, i % 1000);
        double norm = 0;
        for (size_t c = 0; c < d; c++) {
            double x = recon_rng_normal(&centre) + 0.5 * recon_rng_normal(&r);
            z[i * d + c] = (float)x;
            norm += x * x;
        }
        for (size_t c = 0; c < d; c++)
            z[i * d + c] /= (float)std::sqrt(norm);
    }
    faiss::IndexFlatIP index((faiss::Index::idx_t)d);
    index.add((faiss::Index::idx_t)n, z.data());
    std::vector<float> score(n * (k + 1));
    std::vector<faiss::Index::idx_t> label(n * (k + 1));
    double best = INFINITY;
    for (int i = 0; i < 3; i++) { /* the best of three, as bench_knn */
        auto begin = std::chrono::steady_clock::now();
        index.search((faiss::Index::idx_t)n, z.data(), (faiss::Index::idx_t)(k + 1), score.data(),
                     label.data()); /* itself and k more */
        std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        best = std::min(best, seconds.count());
    }
    std::printf("%.3f\n", best);
    return 0;
}
