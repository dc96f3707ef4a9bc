/* pictures.h - images of a data set as the pictures of a figure. */
#ifndef CLI_PICTURES_H
#define CLI_PICTURES_H

#include <recon/data/dataset.h>
#include <recon/report/figure.h>

/* Room for count pictures of the data's size. Free always. */
typedef struct {
    recon_dataset_info info;
    size_t pixels;
    float *block, *scratch; /* [count][pixels], [pixels] */
    recon_picture *picture; /* [count] */
} pictures;

recon_status pictures_new(recon_ctx *ctx, pictures *out, const recon_dataset *data, size_t count);
void pictures_free(pictures *p);

/* The pixels of picture `at`, to be filled. */
float *pictures_place(pictures *p, size_t at);

/* Image i of data, turned by angle, becomes picture `at`. */
void pictures_put(pictures *p, size_t at, const recon_dataset *data, size_t i, double angle);

#endif
