/* dataset.h - images, with labels or without, by name; and how they are rotated.
 *
 *   garments                2,000 images of fashion/test, which come with recon
 *   fashion, mnist          known sets, looked for where systems keep them; /train (the default),
 *                           /test, and /val: the part of train that the training commands hold out
 *   cifar10                 likewise: colour, 32 x 32; tools/get-cifar10 gets it
 *   mnist12k                the same with the first 12,000 training images of mnist, as in the paper
 *   idx:FILE  npy:FILE      images n x h x w [x c]; labels, if any, in the file whose name has
 *                           "labels" for "images" (and idx1 for idx3)
 *   images:DIR              the PNG, JPEG, TIFF, PGM and PPM files of a folder by name, upright by
 *                           their orientation tag, each page of a TIFF file an image (FILE#1 ...);
 *                           where it has sub-folders of pictures, these are the classes, by name
 *   amat:FILE               text, one row per image: the pixels of a square image, row by row, and
 *                           a label
 *
 * Bytes are scaled to 0 .. 1, floats are not changed; above RECON_PIXEL_USUAL the log warns that
 * they look like 0 .. 255, and beyond RECON_PIXEL_MOST they are refused. If one picture of a folder is
 * in colour, all are read as colour. If they have different sizes, or are larger than
 * RECON_SIZE_KEPT, all are made squares (as `size` below) whose side is the median of their
 * shorter sides, at most RECON_SIZE_CHOSEN; the log says so.
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
    size_t classes; /* largest label + 1; 0: no labels       */
    size_t skipped; /* bad images left out, where one may be */
} recon_dataset_info;

/* Zero in any field means its default. */
typedef struct {
    int skip_bad; /* images: and amat:, leave out and count what cannot be read; 0: the first such
                     image is an error that names it */
    int crop; /* each object is centred and scaled to fill its frame, as recon_image_crop does */
    size_t
        size; /* images: pictures of any size are made size x size: the shorter side fits, and the
                     longer one is cut off on both sides; 0: see above; RECON_SIZE_AUTO: as if they had
                     different sizes, which is what training takes */
    size_t channels;     /* images: 1 grey, 3 colour, or as many as TIFF files have; 0: see above */
    size_t picture_most; /* images: bytes that the pixels of one picture may take; 0: 256 MiB, or
                            32 times its file where that is more */
    uint64_t reserved[RECON_RESERVED];
} recon_dataset_options;

/* The name of the rule above for transparent pictures, as models and results record it. */
#define RECON_TRANSPARENT "lifted"

#define RECON_HELD_OUT  12 /* one image of so many is held out for validation */
#define RECON_SIZE_AUTO ((size_t)-1)
/* The largest side that is chosen where none is asked for: of few pictures, and of very many. A network
 * learns them in minutes on two cores. */
#define RECON_SIZE_CHOSEN 48
#define RECON_SIZE_LEAST  28
#define RECON_SIZE_KEPT   2048 /* pictures of larger sides are fitted */
#define RECON_PIXEL_USUAL 10   /* floats of 0 .. 1 are expected, standardised ones stay below */
#define RECON_PIXEL_MOST                                                                           \
    1e12 /* beyond it, up or down, is RECON_ERR_INPUT: networks would overflow */

/* The images that spec names, with the defaults. */
RECON_API recon_status recon_dataset_open(recon_ctx *ctx, recon_dataset **out, const char *spec);
/* options may be NULL. */
RECON_API recon_status recon_dataset_open_with(recon_ctx *ctx, recon_dataset **out,
                                               const char *spec,
                                               const recon_dataset_options *options);
/* A data set from images in memory, n x h x w [x c] of bytes or floats, as in an npy: file; labels
 * [n], or NULL. Both must outlive it. Only the option crop is used. */
RECON_API recon_status recon_dataset_make(recon_ctx *ctx, recon_dataset **out,
                                          const recon_array *images, const recon_array *labels,
                                          const recon_dataset_options *options);
RECON_API void recon_dataset_close(recon_dataset *data);
RECON_API recon_dataset_info recon_dataset_describe(const recon_dataset *data);
/* The same handle, for functions that take inputs of any kind; lent. */
RECON_API const recon_data *recon_dataset_data(const recon_dataset *data);

/* A view of count images, chosen by seed, in the order they had. data must outlive it; close it. */
RECON_API recon_status recon_dataset_take(recon_ctx *ctx, recon_dataset **out,
                                          const recon_dataset *data, size_t count, uint64_t seed);

/* Image i to out [height * width * channels]; its label, -1 without labels. Any thread may. */
RECON_API int32_t recon_dataset_get(float *out, const recon_dataset *data, size_t i);

/* The name of a class: for images: its sub-folder, for garments and fashion the kind ("T-shirt");
 * lent, as long as data is open. NULL if it has only a number. */
RECON_API const char *recon_dataset_class_name(const recon_dataset *data, size_t label);

/* The angle, in radians, by which recon_dataset_rotate rotated image i, or 0. This is the ground
 * truth, for evaluation only. */
RECON_API double recon_dataset_angle(const recon_dataset *data, size_t i);

/* --- rotated images --------------------------------------------------------------------------- */

typedef enum {
    RECON_BILINEAR,
    RECON_BICUBIC /* Keys' cubic convolution with a = -1/2, which is Catmull-Rom's spline: sharper,
                     and may leave the range of the pixels */
} recon_interpolation;

/* Rotates one image, height x width x channels floats, row 0 on top, counter-clockwise as seen on
 * screen by angle radians about its centre, zeros outside; an angle of 0 copies it. The op `rotate`
 * does the same. out must not be in. */
RECON_API void recon_image_rotate(float *out, const float *in, size_t height, size_t width,
                                  size_t channels, double angle, recon_interpolation interpolation);

/* Centres and scales the object of an image: the smallest circle around it spans RECON_CROP_FILL of
 * the shorter side of out. The object is everything that differs from the median colour of the
 * border, and empty areas get that colour. If it is light, above 0.5, the image is inverted: objects
 * on white then look like objects on black, and zeros outside the frame are background. An object is never made smaller than by fitting the
 * whole image into out, which is also what happens if no object is found. Of an image that is not square
 * only the square in its middle counts if the object reaches the border, or does not fit into that square
 * however it lies. Cropping commutes with rotating, up to the accuracy of resampling. out must not be in; 4 channels at most. */
#define RECON_CROP_FILL 0.9
RECON_API recon_status recon_image_crop(recon_ctx *ctx, float *out, size_t out_height,
                                        size_t out_width, const float *in, size_t height,
                                        size_t width, size_t channels);

/* Rules that rotate each image by a fixed angle, from a distribution that depends on its class, for
 * experiments with known ground truth. */
enum { RECON_ROTATION_CLASSES = 1024 };

typedef struct {
    recon_so2_family family; /* RECON_SO2_UNIFORM or RECON_SO2_NORMAL; any where width is 0 */
    double width;            /* radians: half-width or sigma about 0; 0: it is not rotated   */
} recon_rotation_law;

typedef struct {
    recon_rotation_law other; /* images without a label, classes from RECON_ROTATION_CLASSES on */
    recon_rotation_law of[RECON_ROTATION_CLASSES];
} recon_rotation_rule;

/* By name,
 *
 *   mnist     uniform within +-60 degrees for classes 0 to 4, +-90 for 5 to 9
 *   fashion   normal, sigma 0, 32, 64 degrees for classes 0 to 2, 3 to 5, 6 to 9
 *   all       uniform on the whole circle, for every class
 *
 * or from a JSON file, in degrees: the half-width of "uniform", the sigma of "normal". A key is a
 * class or a range of them; who is in none gets the default, and without one is not rotated.
 *
 *   { "default": { "uniform": 45 },
 *     "classes": { "0-4": { "uniform": 60 }, "7": { "normal": 32 } } } */
RECON_API recon_status recon_rotation_rule_load(recon_ctx *ctx, recon_rotation_rule *out,
                                                const char *name_or_path);

/* A new data set, independent of data: each image is rotated (bilinear) by an angle determined by
 * seed and its row among all images, so that subsets get the same angles as the whole set.
 * recon_dataset_angle has the angles; a rotated set is rotated further. A rule that is all zero
 * rotates nothing; any other family or width than above is RECON_ERR_INPUT. */
RECON_API recon_status recon_dataset_rotate(recon_ctx *ctx, recon_dataset **out,
                                            const recon_dataset *data,
                                            const recon_rotation_rule *rule, uint64_t seed);

#endif
