/* pictures.h (private) - images of a data set as pictures of a figure, as they are or rotated. */
#ifndef REPORT_PICTURES_H
#define REPORT_PICTURES_H

#include <recon/data/dataset.h>
#include "report/figure.h"

enum { RECON_PICTURE_SIDE = 64 }; /* larger images are made smaller: more is not seen */

/* Room for count pictures; those that are not put stay empty. */
typedef struct {
    recon_dataset_info info;
    size_t pixels;                 /* of a picture */
    float *block, *read, *rotated; /* [count][pixels]; one image as it is and rotated */
    recon_picture *picture;        /* [count] */
} recon_pictures;

recon_status recon_pictures_new(recon_ctx *ctx, recon_pictures *out, const recon_dataset *data,
                                size_t count);
void recon_pictures_free(recon_pictures *pictures);

/* The pixels of picture `at`, to be filled: height x width x channels of it. */
float *recon_pictures_place(recon_pictures *pictures, size_t at);

/* Image i of data, rotated by angle, becomes picture `at`. Its label; -1: none. */
int32_t recon_pictures_put(recon_pictures *pictures, size_t at, const recon_dataset *data, size_t i,
                           double angle);

#endif
