/* crop.h (private) - finds the object of an image on its background.
 *
 * The background is the median colour of the border. What differs from it by more than
 * RECON_CROP_SEEN of the largest difference, and by more than RECON_CROP_NOISE times the noise of
 * the border, is object; parts with less than RECON_CROP_PART of the largest part's pixels are
 * specks and do not count. */
#ifndef DATA_CROP_H
#define DATA_CROP_H

#include <recon/data/dataset.h>

#define RECON_CROP_SEEN  0.1
#define RECON_CROP_NOISE 6.0
#define RECON_CROP_PART  0.02
/* Objects that span less of their frame than this are reported: networks see too few pixels. */
#define RECON_CROP_SMALL 0.6

enum { RECON_CROP_CHANNELS = 4 }; /* more than these are not looked at */

/* The smallest circle around the object. It rotates with the object with the same radius, unlike a
 * box. */
typedef struct {
    double x, y, radius; /* pixels, from the top left corner; radius 0: nothing was found */
    float background[RECON_CROP_CHANNELS];
    /* 1: a photograph without a plain background: its border differs from the median as much as an
     * object would, so the circle means little. */
    int scene;
    int touches; /* 1: it reaches the border, which may cut it off */
} recon_object;

recon_status recon_object_find(recon_ctx *ctx, recon_object *out, const float *image, size_t height,
                               size_t width, size_t channels);

/* Computes the share of the frame's side that the median object spans, over a few hundred images of
 * data; 1 if no object is found. A scene spans all of it. */
recon_status recon_dataset_span(recon_ctx *ctx, double *out, const recon_dataset *data);

#endif
