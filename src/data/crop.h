/* crop.h (private) - where the object of an image is, against its background.
 *
 * The background is the median colour of the border. What differs from it by more than
 * RECON_CROP_SEEN of the largest difference, and by more than RECON_CROP_NOISE times the noise of the
 * border, is object; parts with less than RECON_CROP_PART of the largest part's pixels are specks and do
 * not count. */
#ifndef DATA_CROP_H
#define DATA_CROP_H

#include <recon/data/dataset.h>

#define RECON_CROP_SEEN  0.1
#define RECON_CROP_NOISE 6.0
#define RECON_CROP_PART  0.02
/* Objects that span less of their frame than this deserve a word: the network sees few pixels. */
#define RECON_CROP_SMALL 0.6

enum { RECON_CROP_CHANNELS = 4 }; /* more than these are not looked at */

/* The smallest circle that holds the object. It rotates with the object, its radius does not change:
 * the object's box and its sides would. */
typedef struct {
    double x, y,
        radius; /* pixels, from the corner of the top left one; radius 0: nothing was found */
    float background[RECON_CROP_CHANNELS];
    int scene; /* a photograph that fills its frame: the border itself differs from its median as much
                  as an object would, so there is no plain ground, and what was found means little */
    int touches; /* it reaches the border, which cuts it off */
} recon_object;

recon_status recon_object_find(recon_ctx *ctx, recon_object *out, const float *image, size_t height,
                               size_t width, size_t channels);

/* The share of the frame's side that the median object spans, of a few hundred images of data; 1 where
 * none is found. A scene spans all of it. */
recon_status recon_dataset_span(recon_ctx *ctx, double *out, const recon_dataset *data);

#endif
