/* dataset.h (private) - the fields of a data set, for code that fills one. */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include <recon/core/array.h>
#include <recon/data/dataset.h>
#include "core/pixels.h"

/* Returns the folder of pictures that a spec names, or NULL if it names something else. */
const char *recon_images_folder(const char *spec);

enum { RECON_LABEL_MAX = 1000000 };

struct recon_dataset {
    recon_data data; /* first: a pointer to the one is a pointer to the other */
    recon_dataset_info info;
    const unsigned char *bytes; /* pixels, one of the two */
    const float *floats;
    /* the same before they were cropped, one of the two; both NULL: they were not */
    const unsigned char *whole_bytes;
    const float *whole_floats;
    const int32_t *labels;
    const char *class_names; /* one behind the other, the last one empty; NULL: not known */
    const double *angles;    /* by which each was rotated; NULL: none was */
    size_t *rows;            /* of a part: its images among all; NULL: all */
    size_t among;            /* how many all are; 0: as many as it has itself */
    int cut;                 /* pictures that are not square were made so */
    int cropped;             /* and objects fill their frames */
    recon_array images;
    float *own_floats, *own_crops;
    unsigned char *own_bytes;
    int32_t *own_labels;
    char *own_class_names;
    double *own_angles;
    const struct recon_folder *folder; /* that pictures came from; NULL: no folder */
    struct recon_folder *own_folder;
};

/* Returns the row of image i of a part in the whole set. */
static inline size_t recon_dataset_row(const recon_dataset *data, size_t i)
{
    return data->rows ? data->rows[i] : i;
}

static inline size_t recon_dataset_pixels(const recon_dataset_info *info)
{
    return info->height * info->width * info->channels;
}

/* Returns the bytes of its images in memory, including the set that it is a part of and the images
 * before cropping, but not those that they were rotated or converted from. */
size_t recon_dataset_bytes(const recon_dataset *data);

/* Returns whether its pictures are, or were, not square. What is in the frame then depends on the
 * orientation of the frame, so a network must only see the disc of the shorter side. */
int recon_dataset_is_cut(const recon_dataset *data);

/* Copies image i as it was before cropping. */
void recon_dataset_whole(float *out, const recon_dataset *data, size_t i);

/* Counts the picture files in the folder that are not read, because of their format or depth. The
 * second returns the i-th sentence about them, with a remedy; NULL after the last. */
size_t recon_dataset_unread(const recon_dataset *data);
const char *recon_dataset_unread_why(const recon_dataset *data, size_t i);

/* Opens a view of the n images which[0], which[1] .., in that order; see recon_dataset_take. */
recon_status recon_dataset_pick(recon_ctx *ctx, recon_dataset **out, const recon_dataset *data,
                                const size_t *which, size_t n);

/* Opens two views: one image in every `of`, chosen by seed, in *held, the others in *rest. data
 * must outlive both; close them. */
recon_status recon_dataset_split(recon_ctx *ctx, recon_dataset **rest, recon_dataset **held,
                                 const recon_dataset *data, size_t of, uint64_t seed);

/* For images: returns the file of image i in the folder ("cats/1.png"), else NULL; lent. */
const char *recon_dataset_file(const recon_dataset *data, size_t i);

#endif
