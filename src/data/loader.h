/* loader.h - prepares batches in background threads.
 *
 * Batch b depends only on the data, the seed and b: any number of threads gives the same batches in
 * the same order, and a run can begin at any of them. */
#ifndef DATA_LOADER_H
#define DATA_LOADER_H

#include <recon/data/dataset.h>

typedef struct recon_loader recon_loader;

/* Zero in any field means its default, unchanged images. All random transformations of an image are
 * applied in one resampling (bilinear), or two with regrid. With two views of an image, only the
 * second is warped. The warp does not rotate (its matrix is symmetric), so the angle is also the
 * truth for a warped view. */
typedef struct {
    size_t batch;       /* images, 0: 64 */
    int shuffle;        /* a new order every epoch */
    int keep_last;      /* the last batch of an epoch may be smaller; 0: what is over is left out */
    uint64_t seed;      /* of the orders */
    uint64_t first;     /* the batch to begin with, counted over epochs */
    size_t from, count; /* the images of each batch that are made; count 0: all */
    int threads;        /* 0: 1 */
    int views;          /* of each image: 1 or 2; 0: 1 */
    int rotate;         /* each view by an angle of its own, uniform on the circle */
    double shear; /* stretched by up to shear / 2 along a random axis, squeezed across it; < 1 */
    double scale; /* larger or smaller by a factor of up to 1 + scale */
    double shift; /* moved by up to so many pixels, in both directions */
    int flip;     /* half of the images mirrored, left for right, in all of their views */
    int inside;   /* views show nothing from beyond the disc within the frame, in a disc of their
                       own: they are never made smaller, and moved only as far as they are made
                       larger */
    int all;      /* every view is warped, not the last one alone */
    int edge;     /* outside of an image is the nearest pixel of its edge; 0: zero */
    double gain;  /* brighter or darker by a factor of up to 1 + gain */
    double blur;  /* each pixel gives up to this share to either neighbour, twice; < 1/2 */
    const float
        *mask;  /* [height * width] what images are multiplied by before anything else; lent, or
                       NULL */
    int regrid; /* resampled twice, by way of a random grid: what earlier resamplings left
                       behind tells less about them */
} recon_loader_options;

typedef struct {
    size_t n, views;
    const float *images; /* views x n x height x width x channels */
    const float *angles; /* views x n: radians by which this view was rotated, 0 without rotation */
    const int32_t *labels; /* n, -1 without labels */
} recon_batch;

/* data is lent until the close. */
recon_status recon_loader_open(recon_ctx *ctx, recon_loader **out, const recon_dataset *data,
                               const recon_loader_options *options);
void recon_loader_close(recon_loader *loader);

/* Returns the bytes that its batches will take. */
size_t recon_loader_bytes(const recon_dataset *data, const recon_loader_options *options);
uint64_t recon_loader_batches(const recon_loader *loader); /* in an epoch */

/* Returns the next batch, endlessly; lent until the next call. */
void recon_loader_next(recon_batch *out, recon_loader *loader);

#endif
