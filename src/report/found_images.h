/* found_images.h (private) - images, looked at once more for their report. */
#ifndef REPORT_FOUND_IMAGES_H
#define REPORT_FOUND_IMAGES_H

#include "report/found.h"

/* Everything a section may want. Without data: the folder and its groups alone. */
typedef struct {
    const recon_found_folder *f;
    const recon_dataset *data;
    int64_t *labels; /* [rows] or NULL */
    recon_found_groups groups;
    const char *width; /* what Theta is: "half-width" ... */
    size_t *row, n;    /* the sample, and what the model says of it */
    double *theta;     /* [n] degrees */
    double *known;     /* [n] |E exp(i g)| where the natural pose could not be told, else NaN */
    double *folded;    /* [n] |E exp(2 i g)| */
    double *like;      /* [n] p-values of the embeddings; NaN: the model keeps no codes */
    recon_found_trial trial;
} recon_image_look;

/* What a class is called, or its number as text. */
const char *recon_image_class(recon_found_words out, const recon_image_look *look, int64_t label);

/* Labels of the data, and a sample of them before the model. */
recon_status recon_image_look_open(recon_ctx *ctx, recon_image_look *look);
void recon_image_look_free(recon_image_look *look);

/* Sections with pictures; without data they say so. */
recon_status recon_image_show_poses(recon_ctx *ctx, recon_page *page, const recon_image_look *look);
recon_status recon_image_show_gallery(recon_ctx *ctx, recon_page *page,
                                      const recon_image_look *look);
recon_status recon_image_show_neighbors(recon_ctx *ctx, recon_page *page,
                                        const recon_image_look *look);
recon_status recon_image_show_worst(recon_ctx *ctx, recon_page *page, const recon_image_look *look);

enum { RECON_IMAGE_CLASSES = 40 }; /* rows of a table of classes */

#endif
