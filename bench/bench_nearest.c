/* bench_nearest.c - exact k-NN on the GPU against the host's, in one run.
 *
 *   bench_nearest N D K QUERIES THREADS [BACKEND]      prints lines of "name number"
 *
 * seconds: all pairs of N rows on the GPU, data in the host's memory before and after; the better of
 * two. device_seconds: less the host's preparation. tile_tflops: products per second while tiles are
 * multiplied and scanned, every pair counted once. host_seconds: the first QUERIES rows among all N on
 * THREADS of the host, and what all N rows would take so. differing: of those rows' neighbours, how
 * many places differ between the two. Data: as bench_knn's, a thousand clusters. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first report behind some tiles, and the last. */
typedef struct {
    recon_progress first, last;
} watch;

static void on_progress(void *user, const recon_progress *p)
{
    watch *w = user;
    if (p->done && !w->first.done)
        w->first = *p;
    w->last = *p;
}

static void on_log(void *user, recon_log_level level, const char *line)
{
    (void)user, (void)level;
    fprintf(stderr, "%s\n", line);
}

/* A query's neighbours among all rows are its own without itself. */
static size_t count_differing(const int64_t *self, const int64_t *query, size_t rows, size_t k)
{
    size_t differing = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0, n = 0; c <= k && n < k; c++)
            if (query[i * (k + 1) + c] != (int64_t)i)
                differing += query[i * (k + 1) + c] != self[i * k + n++];
    return differing;
}

int main(int argc, char **argv)
{
    if (argc < 6)
        return fprintf(stderr, "usage: bench_nearest N D K QUERIES THREADS [BACKEND]\n"), 2;
    size_t n = strtoul(argv[1], NULL, 10), d = strtoul(argv[2], NULL, 10);
    size_t k = strtoul(argv[3], NULL, 10), m = strtoul(argv[4], NULL, 10);
    watch w = { 0 };
    recon_ctx *gpu = recon_ctx_new(&(recon_ctx_options){
        .threads = atoi(argv[5]), .on_log = on_log, .on_progress = on_progress, .user = &w });
    recon_ctx *host = recon_ctx_new(&(recon_ctx_options){ .threads = atoi(argv[5]) });
    float *z = malloc(n * d * sizeof *z);
    int64_t *self = malloc(n * k * sizeof *self), *query = malloc(m * (k + 1) * sizeof *query);
    recon_knn_options o = { .k = k, .method = RECON_KNN_EXACT };
    recon_knn_options more = { .k = k + 1, .method = RECON_KNN_EXACT };
    double seconds = INFINITY, pairs = (double)n * ((double)n + 1) / 2;
    must(gpu, recon_ops_attach(gpu, argc > 6 ? argv[6] : "cuda"));
    fill_clusters(z, n, d);
    for (int i = 0; i < 2; i++) {
        double begin = recon_now();
        w = (watch){ 0 };
        must(gpu, recon_knn_self(gpu, self, NULL, z, n, d, &o));
        seconds = fmin(seconds, recon_now() - begin);
    }
    double share = (double)(w.last.done - w.first.done) / (double)w.last.total;
    printf("seconds %.3f\ndevice_seconds %.3f\n", seconds, w.last.seconds);
    printf("tile_tflops %.1f\n",
           2e-12 * (double)d * pairs * share / (w.last.seconds - w.first.seconds));
    double begin = recon_now();
    must(host, recon_knn_search(host, query, NULL, z, m, z, n, d, &more));
    double took = recon_now() - begin, all = took * (double)n / (double)m;
    printf("host_seconds %.3f\nhost_seconds_all %.1f\ntimes_faster %.1f\n", took, all,
           all / seconds);
    printf("differing %zu\n", count_differing(self, query, m, k));
    free(query);
    free(self);
    free(z);
    recon_ctx_free(host);
    recon_ctx_free(gpu);
    return 0;
}
