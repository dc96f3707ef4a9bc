/* dataset.h - sets of images, with or without labels, opened by name; and rotations of images.
 *
 *   garments                2,000 images of fashion/test, which come with recon
 *   fashion, mnist          known sets, if the system has them in a usual place; /train (the
 *                           default), /test, and /val, the part of train that training holds out
 *   cifar10                 likewise: colour, 32 x 32; tools/get-cifar10 downloads it
 *   mnist12k                mnist with only the first 12,000 training images, as in the paper
 *   idx:FILE  npy:FILE      images n x h x w [x c]; labels, if any, in the file whose name has
 *                           "labels" for "images" (and idx1 for idx3)
 *   images:DIR              the PNG, JPEG, TIFF, PGM and PPM files of a folder, sorted by name and
 *                           rotated as their orientation tag says; each page of a TIFF file is an
 *                           image (FILE#1 ...); sub-folders of pictures are classes, sorted by name
 *   amat:FILE               text, one row per image: the pixels of a square image, row by row, and
 *                           a label
 *
 * Bytes are scaled to 0 .. 1; floats are not changed. The log warns about floats above
 * RECON_PIXEL_USUAL, which look like 0 .. 255; those beyond RECON_PIXEL_MOST are refused. If one
 * picture of a folder is in colour, all are read as colour. If they have different sizes, or are
 * larger than RECON_SIZE_KEPT, all are made squares (see `size` below) whose side is the median of
 * their shorter sides, at most RECON_SIZE_CHOSEN, and the log reports it.
 *
 * A picture is transparent if at least 1 % of its pixels have an alpha below 128 of 255. Its
 * transparent pixels become 0, visible ones alpha (1 + x) / 2: dark and light objects both differ
 * from the background, which is the same as outside the picture. All others are composited over
 * black, alpha x. The log warns if a folder has both. Samples of 16 bits are read as 8. */
#ifndef RECON_DATA_DATASET_H
#define RECON_DATA_DATASET_H

#include <recon/core/array.h>
#include <recon/data/data.h>
#include <recon/group/so2_density.h>

typedef struct recon_dataset recon_dataset;
typedef struct {
    size_t n, height, width, channels;
    size_t classes; /* largest label + 1; 0: no labels */
    size_t skipped; /* images that were left out, with skip_bad */
} recon_dataset_info;

/* Zero in any field means its default. */
typedef struct {
    int skip_bad; /* images: and amat: skip and count unreadable images; 0: the first is an error */
    int crop;     /* centre each object and scale it to fill its frame, as recon_image_crop does */
    /* images: resize each picture to size x size: the shorter side is fitted, and the longer one
     * cut off at both ends. 0: see above; RECON_SIZE_AUTO: as if their sizes differed, as in
     * training. */
    size_t size;
    size_t channels; /* images: 1 grey, 3 colour, or as many as TIFF files have; 0: see above */
    /* images: the most bytes that the pixels of one picture may take; 0: 256 MiB, or 32 times the
     * size of its file if that is more. */
    size_t picture_most;
    uint64_t reserved[RECON_RESERVED];
} recon_dataset_options;

/* The name under which models and results record the rule above for transparent pictures. */
#define RECON_TRANSPARENT "lifted"

#define RECON_HELD_OUT  12 /* one image in this many is held out for validation */
#define RECON_SIZE_AUTO ((size_t)-1)
/* In a recon_source, for training: pictures of a folder are cropped if some are not square and
 * their objects, on plain backgrounds, span less than RECON_CROP_WITHIN of the disc in the shorter
 * side (median). The log reports it. */
#define RECON_CROP_OPEN   (-1)
#define RECON_CROP_WITHIN 0.8
/* The largest side that is chosen by default: RECON_SIZE_CHOSEN for few pictures, falling to
 * RECON_SIZE_LEAST for very many, so that a network learns them in minutes on two cores. */
#define RECON_SIZE_CHOSEN 48
#define RECON_SIZE_LEAST  28
#define RECON_SIZE_KEPT   2048 /* pictures with a longer side are resized */
#define RECON_PIXEL_USUAL 10 /* floats are expected in 0 .. 1; standardised ones stay below this */
/* Larger absolute values are RECON_ERR_INPUT, since networks would overflow. */
#define RECON_PIXEL_MOST 1e12

/* Opens the images of spec, with the default options. */
RECON_API recon_status recon_dataset_open(recon_ctx *ctx, recon_dataset **out, const char *spec);
/* The same with options, which may be NULL. */
RECON_API recon_status recon_dataset_open_with(recon_ctx *ctx, recon_dataset **out,
                                               const char *spec,
                                               const recon_dataset_options *options);
/* Makes a data set of images in memory, n x h x w [x c] bytes or floats as in an npy: file, and
 * labels [n] or NULL. Both must outlive it. Only the option crop is used. */
RECON_API recon_status recon_dataset_make(recon_ctx *ctx, recon_dataset **out,
                                          const recon_array *images, const recon_array *labels,
                                          const recon_dataset_options *options);
RECON_API void recon_dataset_close(recon_dataset *data);
RECON_API recon_dataset_info recon_dataset_describe(const recon_dataset *data);
/* Returns the same handle for functions that take inputs of any kind; lent. */
RECON_API const recon_data *recon_dataset_data(const recon_dataset *data);

/* Opens a view of count images chosen by seed, in their order. data must outlive it. Close it. */
RECON_API recon_status recon_dataset_take(recon_ctx *ctx, recon_dataset **out,
                                          const recon_dataset *data, size_t count, uint64_t seed);

/* Copies image i to out [height][width][channels] and returns its label, or -1 without labels. Any
 * thread may call it. */
RECON_API int32_t recon_dataset_get(float *out, const recon_dataset *data, size_t i);

/* Returns the name of a class: for images: the sub-folder, for garments and fashion the garment
 * ("T-shirt"); NULL if it has only a number. Valid while data is open. */
RECON_API const char *recon_dataset_class_name(const recon_dataset *data, size_t label);

/* Returns the angle in radians by which recon_dataset_rotate rotated image i, or 0. This is the
 * ground truth, for evaluation only. */
RECON_API double recon_dataset_angle(const recon_dataset *data, size_t i);

/* --- rotated images --------------------------------------------------------------------------- */

typedef enum {
    RECON_BILINEAR,
    /* Keys' cubic convolution with a = -1/2, the Catmull-Rom spline: sharper, but the result may
     * leave the range of the pixels. */
    RECON_BICUBIC
} recon_interpolation;

/* Rotates one image of height x width x channels floats, row 0 on top, about its centre by angle
 * radians, counter-clockwise as seen on screen, with zeros outside; an angle of 0 copies it. The op
 * `rotate` does the same. out must not be in. */
RECON_API void recon_image_rotate(float *out, const float *in, size_t height, size_t width,
                                  size_t channels, double angle, recon_interpolation interpolation);

/* Centres and scales the object of an image, so that the smallest circle around it spans
 * RECON_CROP_FILL of the shorter side of out. The object is everything that differs from the median
 * colour of the border, which is subtracted; if it is light, above 0.5, the image is inverted, and
 * the largest difference becomes 1: ink on any paper then looks alike, and zeros outside the frame are
 * background. The scale is never smaller than the one that fits the whole image into out, which is
 * also used if no object is found. If an image is not square, and its object reaches the border or
 * is wider than the shorter side, only the central square is used. Cropping commutes with rotating,
 * up to the accuracy of resampling. out must not be in; at most 4 channels. */
#define RECON_CROP_FILL 0.9
RECON_API recon_status recon_image_crop(recon_ctx *ctx, float *out, size_t out_height,
                                        size_t out_width, const float *in, size_t height,
                                        size_t width, size_t channels);

/* Rules that rotate each image by a fixed angle, from a distribution that depends on its class, for
 * experiments with known ground truth. */
enum { RECON_ROTATION_CLASSES = 1024 };

typedef struct {
    recon_so2_family family; /* RECON_SO2_UNIFORM or RECON_SO2_NORMAL; any where width is 0 */
    double width;            /* radians: half-width or sigma about 0; 0: not rotated */
} recon_rotation_law;

typedef struct {
    recon_rotation_law other; /* images without a label, classes from RECON_ROTATION_CLASSES on */
    recon_rotation_law of[RECON_ROTATION_CLASSES];
} recon_rotation_rule;

/* Loads a rule by its name,
 *
 *   mnist     uniform within +-60 degrees for classes 0 to 4, +-90 for 5 to 9
 *   fashion   normal, sigma 0, 32, 64 degrees for classes 0 to 2, 3 to 5, 6 to 9
 *   all       uniform on the whole circle, for every class
 *
 * or from a JSON file that gives the half-width of "uniform" or the sigma of "normal" in degrees. A
 * key is a class or a range of classes; other classes get the default, or are not rotated if there
 * is none.
 *
 *   { "default": { "uniform": 45 },
 *     "classes": { "0-4": { "uniform": 60 }, "7": { "normal": 32 } } } */
RECON_API recon_status recon_rotation_rule_load(recon_ctx *ctx, recon_rotation_rule *out,
                                                const char *name_or_path);

/* Makes a new data set, independent of data, with each image rotated (bilinear) by an angle that
 * depends on seed and its row among all images, so that subsets get the same angles as the whole
 * set. recon_dataset_angle returns the angles; rotating a rotated set adds to them. A rule that is
 * all zero rotates nothing; families and widths other than those above are RECON_ERR_INPUT. */
RECON_API recon_status recon_dataset_rotate(recon_ctx *ctx, recon_dataset **out,
                                            const recon_dataset *data,
                                            const recon_rotation_rule *rule, uint64_t seed);

#endif
