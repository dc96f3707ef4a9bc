/* loader.h - batches, made ready by threads of their own while the last one is used.
 *
 * Batch b is a function of the data, the seed and b: any number of threads gives the same batches
 * in the same order, and a run can begin at any of them. */
#ifndef RECON_DATA_LOADER_H
#define RECON_DATA_LOADER_H

#include <recon/data/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct recon_loader recon_loader;

/* Zero in any field means its default. */
typedef struct {
    size_t batch;   /* images, 0: 64                                                        */
    int shuffle;    /* a new order every epoch                                              */
    int keep_last;  /* the last batch of an epoch may be smaller; 0: what is over is left out */
    uint64_t seed;  /* of the orders                                                        */
    uint64_t first; /* the batch to begin with, counted over epochs                         */
    int threads;    /* 0: 1                                                                 */
} recon_loader_options;

typedef struct {
    size_t n;
    const float *images;   /* n x height x width x channels */
    const int32_t *labels; /* n, -1 without labels          */
} recon_batch;

/* data is lent until the close. */
RECON_API recon_status recon_loader_open(recon_ctx *ctx, recon_loader **out,
                                         const recon_dataset *data,
                                         const recon_loader_options *options);
RECON_API void recon_loader_close(recon_loader *loader);

RECON_API uint64_t recon_loader_batches(const recon_loader *loader); /* in an epoch */

/* The next batch, without end; lent until the next call. */
RECON_API void recon_loader_next(recon_batch *out, recon_loader *loader);

#ifdef __cplusplus
}
#endif
#endif
