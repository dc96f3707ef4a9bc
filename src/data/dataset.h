/* dataset.h (private) - what a data set holds, for those who fill one. */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include <recon/core/array.h>
#include <recon/data/dataset.h>
#include "core/pixels.h"

/* The folder of pictures that a spec names; NULL: it names something else. */
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
    recon_array images;
    float *own_floats, *own_crops;
    unsigned char *own_bytes;
    int32_t *own_labels;
    char *own_class_names;
    double *own_angles;
    const struct recon_folder *folder; /* that pictures came from; NULL: no folder */
    struct recon_folder *own_folder;
};

/* Where image i of a part stands among all. */
static inline size_t recon_dataset_row(const recon_dataset *data, size_t i)
{
    return data->rows ? data->rows[i] : i;
}

static inline size_t recon_dataset_pixels(const recon_dataset_info *info)
{
    return info->height * info->width * info->channels;
}

/* What its images take in memory, with all of those that it is a part of, and with what they were
 * before they were cropped; not what they were rotated or converted from. */
size_t recon_dataset_bytes(const recon_dataset *data);

/* Whether its pictures are not square, or were not. What their frame holds then depends on how the frame
 * lies, so that a network must see no more than the disc of the shorter side. */
int recon_dataset_is_cut(const recon_dataset *data);

/* Image i before it was cropped; as recon_dataset_get has it where it was not. */
void recon_dataset_whole(float *out, const recon_dataset *data, size_t i);

/* How many picture files lie in the folder and are not read: of other formats, or in folders of
 * folders. And the i-th sentence on them, with what to do; NULL behind the last. */
size_t recon_dataset_unread(const recon_dataset *data);
const char *recon_dataset_unread_why(const recon_dataset *data, size_t i);

/* A view of the n images which[0], which[1] .., in that order; as recon_dataset_take. */
recon_status recon_dataset_pick(recon_ctx *ctx, recon_dataset **out, const recon_dataset *data,
                                const size_t *which, size_t n);

/* Two views: one image of `of`, chosen by seed, in *held, the others in *rest. data must outlive
 * both; close them too. */
recon_status recon_dataset_split(recon_ctx *ctx, recon_dataset **rest, recon_dataset **held,
                                 const recon_dataset *data, size_t of, uint64_t seed);

/* Of images: the file of image i, by its name in the folder ("cats/1.png"); lent. Else NULL. */
const char *recon_dataset_file(const recon_dataset *data, size_t i);

#endif
