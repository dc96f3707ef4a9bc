/* bench_knn.c - exact k-NN against the bare matrix product of the same size, in one run.
 *
 *   bench_knn N D K THREADS      prints lines of "name seconds"
 *
 * sgemm: the full similarity matrix by OpenBLAS on as many threads, row blocks into one buffer,
 * nothing else done. self: our search over all pairs. search and sgemm_queries: the first quarter
 * of the rows as queries. Data: a thousand clusters, as wide as they are apart. */
#include "bench.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 3 };

static double time_sgemm(const float *z, size_t m, size_t n, size_t d, int threads)
{
    enum { ROWS = 1024 };
    float *block = aligned_alloc(64, ROWS * ((n + 15) / 16 * 16) * sizeof *block);
    memset(block, 0, ROWS * n * sizeof *block); /* its pages are not part of the product */
    openblas_set_num_threads(threads);
    double begin = recon_now();
    for (size_t i = 0; i < m; i += ROWS) {
        size_t rows = m - i < ROWS ? m - i : ROWS;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)rows, (blasint)n, (blasint)d,
                    1, z + i * d, (blasint)d, z, (blasint)d, 0, block, (blasint)n);
    }
    double seconds = recon_now() - begin;
    free(block);
    return seconds;
}

/* All pairs when m is 0, otherwise the first m rows as queries. */
static double time_recon(recon_ctx *ctx, int64_t *index, const float *z, size_t m, size_t n,
                         size_t d, const recon_knn_options *o)
{
    double begin = recon_now();
    recon_status status = m ? recon_knn_search(ctx, index, NULL, z, m, z, n, d, o)
                            : recon_knn_self(ctx, index, NULL, z, n, d, o);
    if (status != RECON_OK) {
        fprintf(stderr, "%s\n", recon_ctx_message(ctx));
        exit(1);
    }
    return recon_now() - begin;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return fprintf(stderr, "usage: bench_knn N D K THREADS\n"), 2;
    size_t n = strtoul(argv[1], NULL, 10), d = strtoul(argv[2], NULL, 10);
    size_t k = strtoul(argv[3], NULL, 10), m = n / 4;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = atoi(argv[4]) });
    int threads = recon_ctx_threads(ctx);
    float *z = malloc(n * d * sizeof *z);
    int64_t *index = malloc(n * k * sizeof *index);
    recon_knn_options o = { .k = k, .method = RECON_KNN_EXACT };
    fill_clusters(z, n, d);
    time_sgemm(z, 2048, n, d, threads); /* warm up */
    double gemm = INFINITY, self = INFINITY, part = INFINITY, search = INFINITY;
    for (int i = 0; i < REPEATS; i++) { /* side by side, so that a busy machine is fair to both */
        gemm = fmin(gemm, time_sgemm(z, n, n, d, threads));
        self = fmin(self, time_recon(ctx, index, z, 0, n, d, &o));
        part = fmin(part, time_sgemm(z, m, n, d, threads));
        search = fmin(search, time_recon(ctx, index, z, m, n, d, &o));
    }
    printf("sgemm %.4f\nself %.4f\n", gemm, self);
    printf("queries %zu\nsgemm_queries %.4f\nsearch %.4f\n", m, part, search);
    free(index);
    free(z);
    recon_ctx_free(ctx);
    return 0;
}
