/* folder.c - a folder of pictures as a data set.
 *
 * Names are sorted by bytes, not by a locale. If no size is requested, the heads of all files show
 * whether they have one size and one kind; if not, they are converted. Then all are read in
 * parallel by threads that only note failures, and the first file by name that failed is read again
 * for its message, so that the error does not depend on timing. Pictures are fitted row by row, so
 * that a large one is never in memory as a whole.
 *
 * Transparency: what is transparent becomes 0, as is what lies outside of an image, and what is
 * visible is lifted to the upper half of the range: alpha (1 + x) / 2. So nothing visible is lost
 * on the ground, be it dark or light, and no frame shows when the image is rotated. That is for
 * pictures of which a visible share is transparent. In all others a few such pixels, or a softened
 * edge, must not change what black means: they are laid over black, and count as opaque. */
#include "data/folder.h"
#include "core/text.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/journal.h"
#include "core/memory.h"
#include "core/picture.h"
#include "core/threads.h"
#include "data/fit.h"
#include "data/formats.h"
#include <recon/data/bitmap.h>
#include "data/image.h"
#include "data/skips.h"
#include "data/dataset.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SIZE_MAX_FIT = 1 << 14, GREY = 1, COLOUR = 3, LEVELS = 4 };
enum { FOLLOWED = 0, UNFOLLOWED = AT_SYMLINK_NOFOLLOW }; /* links to folders */
#define OPAQUE 255.0f
/* A picture is transparent where one pixel of so many has an alpha below CLEAR. */
enum { CLEAR_SHARE = 100, CLEAR = 128 };

typedef struct {
    char **path;
    int32_t *label;
    size_t n, room;
} list;

struct recon_folder {
    list files;  /* those that are in the data set */
    size_t root; /* characters of a path before the name in the folder */
    recon_skips skips;
    recon_unread unread; /* what else lies there */
    size_t picture_most;
};

/* --- names ------------------------------------------------------------------------------------ */

static void list_free(list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->path[i]);
    recon_free_all(l->path, l->label);
    *l = (list){ 0 };
}

static recon_status grow(recon_ctx *ctx, list *l)
{
    size_t room = l->room ? 2 * l->room : 64;
    char **path = NULL;
    int32_t *label = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &path, room, sizeof *path));
    RECON_TRY(recon_alloc(ctx, &label, room, sizeof *label));
    for (size_t i = 0; i < l->n; i++) {
        path[i] = l->path[i];
        label[i] = l->label[i];
    }
    recon_free_all(l->path, l->label);
    *l = (list){ path, label, l->n, room };
    return RECON_OK;
done:
    recon_free_all(path, label);
    return status;
}

static recon_status add(recon_ctx *ctx, list *l, const char *folder, const char *name)
{
    size_t a = strlen(folder), b = strlen(name);
    RECON_CHECK(l->n == l->room ? grow(ctx, l) : RECON_OK);
    RECON_CHECK(recon_alloc(ctx, &l->path[l->n], a + b + 2, 1));
    char *path = l->path[l->n++];
    memcpy(path, folder, a);
    path[a] = '/';
    memcpy(path + a + 1, name, b);
    return RECON_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Pictures in a folder, and its sub-folders; what begins with a dot is nobody's business. links
 * says whether links to folders count as folders. *error: 0, or what errno says of a folder that
 * cannot be listed. */
static recon_status list_if_possible(recon_ctx *ctx, list *pictures, list *folders,
                                     recon_unread *unread, const char *path, int links, int *error)
{
    DIR *dir = opendir(path);
    recon_status status = RECON_OK;
    *error = dir ? 0 : errno;
    if (!dir)
        return errno == ENOMEM ? recon_refused(ctx, path, "cannot list") : RECON_OK;
    for (struct dirent *e; errno = 0, (e = readdir(dir));) {
        struct stat info;
        if (e->d_name[0] == '.')
            continue;
        if (recon_picture_is_read(e->d_name))
            RECON_TRY(add(ctx, pictures, path, e->d_name));
        else if (!recon_unread_note(unread, e->d_name) &&
                 fstatat(dirfd(dir), e->d_name, &info, links) == 0 && S_ISDIR(info.st_mode))
            RECON_TRY(add(ctx, folders, path, e->d_name));
    }
    *error = errno;
    if (pictures->n)
        qsort(pictures->path, pictures->n, sizeof *pictures->path, by_name);
    if (folders->n)
        qsort(folders->path, folders->n, sizeof *folders->path, by_name);
done:
    closedir(dir);
    return status;
}

static recon_status list_folder(recon_ctx *ctx, list *pictures, list *folders, recon_unread *unread,
                                const char *path, int links)
{
    int error;
    recon_status status = list_if_possible(ctx, pictures, folders, unread, path, links, &error);
    if (status != RECON_OK || !error)
        return status;
    errno = error;
    return recon_refused(ctx, path, "cannot list");
}

/* Takes over the pictures of one class. */
static recon_status append(recon_ctx *ctx, list *to, list *from, int32_t label)
{
    for (size_t i = 0; i < from->n; i++) {
        recon_status status = to->n == to->room ? grow(ctx, to) : RECON_OK;
        if (status != RECON_OK)
            return status;
        to->label[to->n] = label;
        to->path[to->n++] = from->path[i];
        from->path[i] = NULL;
    }
    return RECON_OK;
}

/* Counts the pictures below folders of classes, a few levels down. Nothing of them is read, so a
 * folder that cannot be listed counts as empty. */
static recon_status count_deep(recon_ctx *ctx, recon_unread *unread, const list *folders,
                               int levels)
{
    recon_unread ignored = { 0 };
    list pictures = { 0 }, below = { 0 };
    recon_status status = RECON_OK;
    int error;
    for (size_t i = 0; levels && i < folders->n; i++) {
        RECON_TRY(list_if_possible(ctx, &pictures, &below, &ignored, folders->path[i], UNFOLLOWED,
                                   &error));
        recon_unread_note_deep(unread, folders->path[i], pictures.n);
        RECON_TRY(count_deep(ctx, unread, &below, levels - 1));
        list_free(&pictures);
        list_free(&below);
    }
done:
    list_free(&pictures);
    list_free(&below);
    return status;
}

static recon_status list_classes(recon_ctx *ctx, list *out, size_t *classes, recon_unread *unread,
                                 const list *folders)
{
    list one = { 0 }, below = { 0 };
    recon_status status = RECON_OK;
    for (size_t i = 0; i < folders->n; i++) {
        RECON_TRY(list_folder(ctx, &one, &below, unread, folders->path[i], UNFOLLOWED));
        if (one.n)
            RECON_TRY(append(ctx, out, &one, (int32_t)(*classes)++));
        RECON_TRY(count_deep(ctx, unread, &below, LEVELS));
        list_free(&one);
        list_free(&below);
    }
done:
    list_free(&one);
    list_free(&below);
    return status;
}

/* --- pages ------------------------------------------------------------------------------------ */

static recon_status add_pages(recon_ctx *ctx, list *to, const list *from, size_t i)
{
    enum { NUMBER = 24 };
    const char *path = from->path[i];
    const char *slash = strrchr(path, '/');
    size_t pages = 1, room = strlen(slash) + NUMBER;
    char *folder = NULL, *name = NULL;
    recon_status status;
    /* Only such names may have a page's number. */
    if (recon_picture_kind_of(path) == RECON_PICTURE_TIFF)
        RECON_TRY(recon_picture_pages(ctx, &pages, path));
    RECON_TRY(recon_alloc(ctx, &folder, (size_t)(slash - path) + 1, 1));
    RECON_TRY(recon_alloc(ctx, &name, room, 1));
    memcpy(folder, path, (size_t)(slash - path));
    for (size_t page = 0; page < pages; page++) {
        if (pages == 1)
            snprintf(name, room, "%s", slash + 1);
        else
            snprintf(name, room, "%s#%zu", slash + 1, page + 1);
        RECON_TRY(add(ctx, to, folder, name));
        to->label[to->n - 1] = from->label[i];
    }
done:
    recon_free_all(name, folder);
    return status;
}

/* Each page of a stack is a picture: it takes the place of its file, as FILE#N. */
static recon_status open_stacks(recon_ctx *ctx, list *files)
{
    list all = { 0 };
    recon_status status = RECON_OK;
    for (size_t i = 0; i < files->n; i++)
        RECON_TRY(add_pages(ctx, &all, files, i));
    list_free(files);
    *files = all;
    return status;
done:
    list_free(&all);
    return status;
}

static int begins_class(const list *files, size_t i)
{
    return i == 0 || files->label[i] != files->label[i - 1];
}

/* Names of the sub-folders that the files lie in, class by class. */
static recon_status name_classes(recon_ctx *ctx, recon_dataset *d, const list *files, size_t root)
{
    size_t size = 1, used = 0;
    for (size_t i = 0; i < files->n; i++)
        size += begins_class(files, i) ? strcspn(files->path[i] + root, "/") + 1 : 0;
    recon_status status = recon_alloc(ctx, &d->own_class_names, size, 1);
    for (size_t i = 0; status == RECON_OK && i < files->n; i++)
        if (begins_class(files, i)) {
            size_t n = strcspn(files->path[i] + root, "/");
            memcpy(d->own_class_names + used, files->path[i] + root, n);
            used += n + 1;
        }
    d->class_names = d->own_class_names;
    return status;
}

/* *root: characters of a path before the name that a picture has in the folder. One picture alone
 * has the name of its file. */
static recon_status list_pictures(recon_ctx *ctx, list *out, size_t *classes, recon_unread *unread,
                                  const char *path, size_t *root)
{
    list folders = { 0 };
    struct stat info;
    recon_status status;
    *classes = 0;
    *root = strlen(path) + 1;
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        char folder[PATH_MAX];
        const char *slash = strrchr(path, '/');
        snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1,
                 slash ? path : ".");
        *root = strlen(folder) + 1;
        return add(ctx, out, folder, slash ? slash + 1 : path);
    }
    RECON_TRY(list_folder(ctx, out, &folders, unread, path, FOLLOWED));
    size_t direct = out->n;
    RECON_TRY(list_classes(ctx, out, classes, unread, &folders));
    RECON_TRY(recon_unread_tell(ctx, unread, *root));
    if (direct && *classes)
        RECON_TRY(recon_fail(
            ctx, RECON_ERR_INPUT,
            "%s: holds pictures and folders of pictures, which would be classes: name one "
            "of its folders, or move the pictures into one",
            path));
    if (!out->n)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: no PNG, JPEG, TIFF, PGM or PPM files%s%s",
                             path, unread->why.n ? ": " : "",
                             unread->why.n ? unread->why.text[0] : ""));
done:
    list_free(&folders);
    return status;
}

/* --- what all are made ------------------------------------------------------------------------ */

typedef struct {
    const list *files;
    recon_dataset_options o; /* size 0: as they are */
    recon_dataset_info info; /* what all are made */
    uint8_t *pixels;         /* n images */
    uint8_t *whole;          /* the same, not cropped; NULL: nothing is cropped */
    unsigned char *bad;      /* n, what was not read */
    unsigned char *lifted;   /* n, what is transparent */
    unsigned char *cut;      /* n, what is not square, and so not seen as a whole */
    recon_budget *budget;    /* of what is held at once */
} job;

typedef struct {
    size_t n;        /* whose heads could be read */
    size_t *shorter; /* [n] sides */
    recon_pixels low, high;
} survey;

static size_t colours_of(const recon_pixels *p)
{
    return p->channels - (p->alpha ? 1 : 0);
}

static void note(survey *s, recon_pixels p)
{
    p.channels = colours_of(&p);
    s->shorter[s->n] = p.height < p.width ? p.height : p.width;
    if (!s->n++)
        s->low = s->high = p;
    s->low.height = p.height < s->low.height ? p.height : s->low.height;
    s->low.width = p.width < s->low.width ? p.width : s->low.width;
    s->low.channels = p.channels < s->low.channels ? p.channels : s->low.channels;
    s->high.height = p.height > s->high.height ? p.height : s->high.height;
    s->high.width = p.width > s->high.width ? p.width : s->high.width;
    s->high.channels = p.channels > s->high.channels ? p.channels : s->high.channels;
}

static int by_size(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* A step of training takes time in proportion to the pixels, and MANY images or fewer take equally
 * many steps. */
static size_t most_for(size_t n)
{
    enum { MANY = 7000, STEP = 4 };
    double side = RECON_SIZE_CHOSEN * sqrt(fmin(1, MANY / (double)n));
    return side > RECON_SIZE_LEAST ? (size_t)(side / STEP) * STEP : RECON_SIZE_LEAST;
}

/* What was not asked for: colour where one picture has it, more channels where all have as many,
 * and where sizes differ, are beyond what is kept, or are left to be chosen, the middle one of
 * their shorter sides, but no more than a network is trained on in minutes on a computer without a
 * GPU. */
static void choose(recon_ctx *ctx, recon_dataset_options *o, survey *s, const char *path)
{
    if (!o->channels)
        o->channels = s->high.channels <= COLOUR || s->low.channels == s->high.channels
                          ? s->high.channels
                          : COLOUR;
    int is_chosen = o->size == RECON_SIZE_AUTO;
    if ((o->size && !is_chosen) ||
        (!is_chosen && s->low.height == s->high.height && s->low.width == s->high.width &&
         s->high.height <= RECON_SIZE_KEPT && s->high.width <= RECON_SIZE_KEPT))
        return;
    qsort(s->shorter, s->n, sizeof *s->shorter, by_size);
    size_t middle = s->shorter[s->n / 2], most = most_for(s->n);
    o->size = middle < most ? middle : most;
    if (s->low.height != o->size || s->low.width != o->size || s->high.height != o->size ||
        s->high.width != o->size)
        recon_log(ctx, RECON_LOG_INFO,
                  "%s: pictures of %zu x %zu to %zu x %zu (height x width) are seen at %zu x %zu, "
                  "their shorter side as a whole; choose another with {size}",
                  path, s->low.height, s->low.width, s->high.height, s->high.width, o->size,
                  o->size);
}

/* Sets what was not asked for. Files that cannot be read are left to those who read the pixels;
 * where none can, any shape will do. */
static recon_status look_at_all(recon_ctx *ctx, job *j, const char *path)
{
    survey s = { .low = { .height = 1, .width = 1, .channels = GREY } };
    recon_status status = recon_alloc_raw(ctx, &s.shorter, j->files->n, sizeof *s.shorter);
    for (size_t i = 0; status == RECON_OK && i < j->files->n; i++) {
        recon_picture_sink sink = { .most = j->o.picture_most };
        status = recon_picture_scan_file(ctx, &sink, j->files->path[i]);
        if (status == RECON_OK)
            note(&s, sink.head);
        else if (status != RECON_ERR_MEMORY && status != RECON_ERR_INTERRUPTED)
            status = RECON_OK;
    }
    if (status == RECON_OK && s.n)
        choose(ctx, &j->o, &s, path);
    else if (j->o.size == RECON_SIZE_AUTO)
        j->o.size = 0;
    j->info.height = j->o.size ? j->o.size : s.low.height;
    j->info.width = j->o.size ? j->o.size : s.low.width;
    j->info.channels = j->o.channels ? j->o.channels : s.low.channels;
    free(s.shorter);
    return status;
}

/* --- all of them ------------------------------------------------------------------------------ */

/* One picture on its way to its place. */
typedef struct {
    recon_picture_sink sink; /* first: the callbacks get this one's address */
    const job *j;
    const char *path;
    recon_frame frame;  /* that it is fitted into: the images', or larger if it is to be cropped */
    uint8_t *place;     /* [height][width][channels] of the frame */
    uint8_t *uncropped; /* the place, where it is a block of its own */
    uint8_t *alpha;     /* [height][width] of the frame; NULL: the file has none */
    size_t taken;       /* of the budget */
    size_t planes;      /* channels of the place, and alpha */
    float *line;        /* [width of the file][planes]: colours by their alpha, and alpha */
    size_t clear;       /* pixels of the file with an alpha below CLEAR */
    recon_fit *fit;
} reader;

/* Grey is all three colours alike; of colours it is their luminance (ITU-R BT.601). */
static inline unsigned colour_of(const uint8_t *from, size_t colours, size_t to, size_t c)
{
    if (to == colours)
        return from[c];
    return to == GREY ? (299u * from[0] + 587u * from[1] + 114u * from[2] + 500) / 1000 : from[0];
}

static void take_row(recon_picture_sink *sink, size_t y, const uint8_t *samples)
{
    reader *r = (reader *)sink;
    size_t from = sink->head.channels, to = r->j->info.channels;
    size_t colours = colours_of(&sink->head);
    float *out = r->line;
    for (size_t x = 0; x < sink->head.width; x++, samples += from, out += r->planes) {
        float alpha = sink->head.alpha ? samples[colours] : OPAQUE;
        for (size_t c = 0; c < to; c++)
            out[c] = (float)colour_of(samples, colours, to, c) * alpha / OPAQUE;
        if (r->alpha) {
            out[to] = alpha;
            r->clear += alpha < CLEAR;
        }
    }
    recon_fit_row(r->fit, y, r->line);
}

static void place_row(void *user, size_t p, const float *row)
{
    reader *r = user;
    size_t width = r->frame.width, channels = r->j->info.channels;
    uint8_t *out = r->place + p * width * channels;
    for (size_t q = 0; q < width; q++, row += r->planes) {
        for (size_t c = 0; c < channels; c++)
            *out++ = (uint8_t)lrintf(row[c]);
        if (r->alpha)
            r->alpha[p * width + q] = (uint8_t)lrintf(row[channels]);
    }
}

/* Large enough that an object of an eighth of the picture has as many pixels as there will be. */
static recon_frame frame_to_crop(recon_frame in, const recon_dataset_info *info)
{
    enum { TIMES = 8, LARGEST = 1024 };
    size_t longer = in.height > in.width ? in.height : in.width,
           most = TIMES * (info->height > info->width ? info->height : info->width);
    most = most < LARGEST ? most : LARGEST;
    if (longer <= most || (in.height == info->height && in.width == info->width))
        return in;
    recon_frame out = { in.height * most / longer, in.width * most / longer };
    return (recon_frame){ out.height ? out.height : 1, out.width ? out.width : 1 };
}

static recon_status begin_picture(recon_ctx *ctx, recon_picture_sink *sink)
{
    reader *r = (reader *)sink;
    const recon_dataset_info *info = &r->j->info;
    const recon_pixels *head = &sink->head;
    const recon_frame in = { head->height, head->width }, out = { info->height, info->width };
    const recon_frame frame = r->j->o.crop ? frame_to_crop(in, info) : out;
    int has_alpha = head->alpha;
    size_t colours = colours_of(head);
    if (!r->j->o.size && (in.height != out.height || in.width != out.width))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: %zu x %zu, but the first picture is %zu x %zu (height x width)",
                          r->path, in.height, in.width, out.height, out.width);
    if (colours != info->channels && colours != GREY &&
        (colours != COLOUR || info->channels != GREY))
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: %zu channels, but %zu are needed", r->path,
                          colours, info->channels);
    r->planes = info->channels + (has_alpha ? 1 : 0);
    if (sink->interlaced) { /* then it is held as a whole */
        r->taken = recon_pixels_size(head);
        recon_budget_take(r->j->budget, r->taken);
    }
    r->frame = frame;
    if (r->j->o.crop) {
        RECON_CHECK(recon_alloc(ctx, &r->uncropped, frame.height * frame.width, info->channels));
        r->place = r->uncropped;
    }
    if (has_alpha)
        RECON_CHECK(recon_alloc(ctx, &r->alpha, frame.height * frame.width, 1));
    RECON_CHECK(recon_alloc_raw(ctx, &r->line, in.width * r->planes, sizeof *r->line));
    RECON_CHECK(recon_fit_new(ctx, &r->fit, frame, in, r->planes, place_row, r));
    memset(r->place, 0, frame.height * frame.width * info->channels);
    return RECON_OK;
}

static int is_transparent(const reader *r)
{
    size_t pixels = r->sink.head.height * r->sink.head.width;
    return r->alpha && r->clear >= pixels / CLEAR_SHARE + (pixels % CLEAR_SHARE != 0);
}

/* See the top of this file. */
static void lift(const reader *r)
{
    size_t channels = r->j->info.channels, n = r->frame.height * r->frame.width * channels;
    for (size_t i = 0; i < n; i++)
        r->place[i] = (uint8_t)((r->place[i] + r->alpha[i / channels] + 1) / 2);
}

static void to_bytes(uint8_t *out, const float *in, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)lrintf(255 * fminf(fmaxf(in[i], 0), 1));
}

/* The object of the picture to its place among the images, and all of the picture to that of the
 * uncropped ones. */
static recon_status crop(recon_ctx *ctx, const reader *r, size_t i)
{
    const recon_dataset_info *d = &r->j->info;
    size_t n = r->frame.height * r->frame.width * d->channels, pixels = recon_dataset_pixels(d);
    float *in = NULL, *out = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &in, n, sizeof *in));
    RECON_TRY(recon_alloc(ctx, &out, pixels, sizeof *out));
    for (size_t k = 0; k < n; k++)
        in[k] = (float)r->place[k] / 255;
    RECON_TRY(recon_image_crop(ctx, out, d->height, d->width, in, r->frame.height, r->frame.width,
                               d->channels));
    to_bytes(r->j->pixels + i * pixels, out, pixels);
    if (n == pixels && r->frame.height == d->height)
        to_bytes(r->j->whole + i * pixels, in, pixels);
    else { /* into a square: others are not resized */
        recon_image_fit(out, d->height, in, r->frame.height, r->frame.width, d->channels);
        to_bytes(r->j->whole + i * pixels, out, pixels);
    }
done:
    recon_free_all(out, in);
    return status;
}

static recon_status load(recon_ctx *ctx, const job *j, size_t i)
{
    reader r = { .sink = { .shallow = 1,
                           .most = j->o.picture_most,
                           .begin = begin_picture,
                           .row = take_row },
                 .j = j,
                 .path = j->files->path[i],
                 .place = j->pixels + i * recon_dataset_pixels(&j->info) };
    recon_status status = recon_picture_scan_file(ctx, &r.sink, r.path);
    j->lifted[i] = status == RECON_OK && is_transparent(&r);
    j->cut[i] = status == RECON_OK && r.sink.head.height != r.sink.head.width;
    if (j->lifted[i])
        lift(&r);
    if (status == RECON_OK && j->o.crop)
        status = crop(ctx, &r, i);
    recon_budget_give(j->budget, r.taken);
    recon_fit_free(r.fit);
    recon_free_all(r.line, r.alpha, r.uncropped);
    j->bad[i] = status != RECON_OK;
    return status;
}

/* --- a picture that has no file --------------------------------------------------------------- */

/* Of 16 bits as libpng makes them 8; of floats the nearest. */
static uint8_t byte_of(const recon_bitmap *p, size_t i)
{
    if (p->dtype == RECON_U8)
        return ((const uint8_t *)p->samples)[i];
    if (p->dtype == RECON_U16)
        return (uint8_t)((((const uint16_t *)p->samples)[i] * 255u + 32895u) >> 16);
    return (uint8_t)lrintf(fminf(fmaxf(255 * ((const float *)p->samples)[i], 0), 255));
}

static recon_status check_picture(recon_ctx *ctx, const recon_bitmap *p)
{
    recon_status status = recon_bitmap_check(ctx, p);
    size_t n = p->height * p->width * p->channels;
    for (size_t i = 0; status == RECON_OK && p->dtype == RECON_F32 && i < n; i++)
        if (!recon_pixel_fits(((const float *)p->samples)[i]))
            status = recon_fail(ctx, RECON_ERR_INPUT,
                                "a picture whose sample %zu is %g: " RECON_PIXEL_RULE, i,
                                (double)((const float *)p->samples)[i]);
    return status;
}

static recon_status see_rows(recon_ctx *ctx, reader *r, const recon_bitmap *in)
{
    size_t row = in->width * in->channels;
    uint8_t *line = NULL;
    recon_status status;
    RECON_TRY(begin_picture(ctx, &r->sink));
    RECON_TRY(recon_alloc_raw(ctx, &line, row, 1));
    for (size_t y = 0; y < in->height; y++) {
        for (size_t x = 0; x < row; x++)
            line[x] = byte_of(in, y * row + x);
        take_row(&r->sink, y, line);
    }
    if (is_transparent(r))
        lift(r);
    if (r->j->o.crop)
        RECON_TRY(crop(ctx, r, 0));
done:
    free(line);
    return status;
}

recon_status recon_bitmap_see(recon_ctx *ctx, float *out, size_t height, size_t width,
                              size_t channels, int cropped, const recon_bitmap *in)
{
    size_t n = height * width * channels;
    int same = in->height == height && in->width == width && in->channels == channels;
    job j = { .o = { .crop = cropped, .size = height == width ? height : 0, .channels = channels },
              .info = { .n = 1, .height = height, .width = width, .channels = channels } };
    reader r = { .j = &j, .path = "the picture" };
    recon_status status;
    r.sink.head = (recon_pixels){
        .height = in->height, .width = in->width, .channels = in->channels, .alpha = in->alpha
    };
    RECON_TRY(check_picture(ctx, in));
    if (height != width && (in->height != height || in->width != width))
        RECON_TRY(
            recon_fail(ctx, RECON_ERR_INPUT,
                       "a picture of %zu x %zu can only be fitted into a square, not %zu x %zu",
                       in->height, in->width, height, width));
    if (same && !cropped && in->dtype == RECON_F32) {
        memcpy(out, in->samples, n * sizeof *out);
        goto done;
    }
    RECON_TRY(recon_alloc_raw(ctx, &j.pixels, n, 1));
    RECON_TRY(recon_alloc_raw(ctx, &j.whole, n, 1));
    r.place = j.pixels;
    RECON_TRY(see_rows(ctx, &r, in));
    for (size_t i = 0; i < n; i++)
        out[i] = (float)j.pixels[i] / 255;
done:
    recon_fit_free(r.fit);
    recon_free_all(r.line, r.alpha, r.uncropped, j.pixels, j.whole);
    return status;
}

recon_status recon_bitmap_read(recon_ctx *ctx, recon_bitmap *out, const char *path)
{
    recon_pixels p = { 0 };
    RECON_CHECK(recon_picture_read(ctx, &p, path, 0));
    *out = (recon_bitmap){ .height = p.height,
                           .width = p.width,
                           .channels = p.channels,
                           .alpha = p.alpha,
                           .dtype = p.deep ? RECON_U16 : RECON_U8,
                           .samples = p.bytes };
    return RECON_OK;
}

void recon_bitmap_free(recon_bitmap *bitmap)
{
    free((void *)(uintptr_t)bitmap->samples);
    bitmap->samples = NULL;
}

/* --- many of them ----------------------------------------------------------------------------- */

/* What is wrong with a file, not with this machine. */
static int is_bad(recon_status status)
{
    return status == RECON_ERR_FORMAT || status == RECON_ERR_INPUT || status == RECON_ERR_IO;
}

static recon_status load_task(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    recon_status status = load(ctx, arg, i);
    (void)worker;
    return is_bad(status) ? RECON_OK : status;
}

/* Bad ones once more, for what is wrong with them: the first is the failure, or all are noted. */
static recon_status look_into_bad(recon_ctx *ctx, recon_skips *skips, const job *j)
{
    for (size_t i = 0; i < j->files->n && skips->n < RECON_SKIPS_KEPT; i++) {
        if (!j->bad[i])
            continue;
        recon_status status = load(ctx, j, i);
        if (status == RECON_OK)
            continue; /* it can be read after all */
        if (!j->o.skip_bad || !is_bad(status))
            return status;
        status = recon_skips_add(ctx, skips, recon_ctx_message(ctx));
        if (status != RECON_OK)
            return status;
    }
    return RECON_OK;
}

/* Good pictures move up to close the gaps, their names with them. */
static void drop_unreadable(recon_dataset *d, const job *j, list *files)
{
    size_t count = recon_dataset_pixels(&j->info), n = 0;
    for (size_t i = 0; i < files->n; i++) {
        if (j->bad[i])
            continue;
        if (n != i) {
            memcpy(j->pixels + n * count, j->pixels + i * count, count);
            if (j->whole)
                memcpy(j->whole + n * count, j->whole + i * count, count);
            char *path = files->path[n];
            files->path[n] = files->path[i];
            files->path[i] = path;
        }
        if (d->own_labels)
            d->own_labels[n] = files->label[i];
        n++;
    }
    d->info.skipped = files->n - n;
    d->info.n = n;
}

static void note_lifted(recon_ctx *ctx, recon_dataset *d, const job *j, const char *path)
{
    size_t lifted = 0;
    for (size_t i = 0; i < j->files->n; i++)
        lifted += j->lifted[i] && !j->bad[i];
    if (lifted && lifted < d->info.n)
        recon_log(ctx, RECON_LOG_WARN,
                  "%s: mixes transparent pictures (%zu) with opaque ones (%zu): black is 0.5 in "
                  "the former and 0 in the latter; make all of them transparent, or all opaque",
                  path, lifted, d->info.n - lifted);
}

static void warn_of_blank(recon_ctx *ctx, const recon_dataset *d, const job *j, const char *path)
{
    size_t count = recon_dataset_pixels(&d->info), channels = d->info.channels, blank = 0;
    for (size_t i = 0; i < d->info.n; i++) {
        const uint8_t *p = j->pixels + i * count;
        blank += !memcmp(p, p + channels, count - channels);
    }
    if (blank)
        recon_log(ctx, RECON_LOG_WARN, "%s: %zu of %s %s blank", path, blank,
                  RECON_COUNT(d->info.n, "picture"), blank == 1 ? "is" : "are");
}

static recon_status load_all(recon_ctx *ctx, recon_dataset *d, job *j, size_t classes,
                             const char *path)
{
    j->info = (recon_dataset_info){ j->files->n, j->o.size, j->o.size, j->o.channels, classes, 0 };
    if (!j->o.size || j->o.size == RECON_SIZE_AUTO || !j->o.channels)
        RECON_CHECK(look_at_all(ctx, j, path));
    d->info = j->info;
    RECON_CHECK(recon_alloc_raw(ctx, &d->images.block, j->info.n, recon_dataset_pixels(&j->info)));
    RECON_CHECK(recon_alloc(ctx, &j->bad, j->info.n, 1));
    RECON_CHECK(recon_alloc(ctx, &j->lifted, j->info.n, 1));
    RECON_CHECK(recon_alloc(ctx, &j->cut, j->info.n, 1));
    if (classes)
        RECON_CHECK(recon_alloc_raw(ctx, &d->own_labels, j->info.n, sizeof *d->own_labels));
    j->pixels = d->images.block;
    if (j->o.crop)
        RECON_CHECK(recon_alloc_raw(ctx, &d->own_bytes, j->info.n, recon_dataset_pixels(&j->info)));
    j->whole = d->own_bytes;
    RECON_CHECK(recon_parallel(ctx, load_task, j, j->info.n));
    RECON_CHECK(look_into_bad(ctx, &d->own_folder->skips, j));
    drop_unreadable(d, j, &d->own_folder->files);
    if (!d->info.n)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: none of %s can be read: %s", path,
                          RECON_COUNT(j->files->n, "picture"),
                          recon_skips_at(&d->own_folder->skips, 0));
    note_lifted(ctx, d, j, path);
    for (size_t i = 0; i < j->files->n; i++)
        d->cut |= j->cut[i];
    warn_of_blank(ctx, d, j, path);
    d->bytes = j->pixels;
    d->whole_bytes = j->whole;
    d->cropped = j->o.crop;
    d->labels = d->own_labels;
    return RECON_OK;
}

static recon_status check_options(recon_ctx *ctx, const recon_dataset_options *o, const char *path)
{
    if (o->size > SIZE_MAX_FIT && o->size != RECON_SIZE_AUTO)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: a size of %zu: at most %d", path, o->size,
                          SIZE_MAX_FIT);
    if (o->channels > RECON_PIXELS_CHANNELS)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: pictures of %zu channels: 1 to %d", path,
                          o->channels, RECON_PIXELS_CHANNELS);
    return RECON_OK;
}

static void warn_of_unread(recon_ctx *ctx, const recon_unread *unread, const char *path)
{
    for (size_t i = 0; i < unread->why.n; i++)
        recon_log(ctx, RECON_LOG_WARN, "%s: %s", path, unread->why.text[i]);
}

recon_status recon_folder_read(recon_ctx *ctx, recon_dataset *data, const char *path,
                               const recon_dataset_options *options)
{
    recon_budget budget;
    job j = { .o = *options, .budget = &budget };
    recon_folder *folder;
    size_t classes;
    recon_status status;
    recon_budget_init(&budget, RECON_PIXELS_MOST);
    RECON_TRY(check_options(ctx, options, path));
    RECON_TRY(recon_journal_check(ctx, path));
    RECON_TRY(recon_alloc(ctx, &data->own_folder, 1, sizeof *data->own_folder));
    data->folder = folder = data->own_folder;
    folder->picture_most = options->picture_most;
    j.files = &folder->files;
    RECON_TRY(list_pictures(ctx, &folder->files, &classes, &folder->unread, path, &folder->root));
    warn_of_unread(ctx, &folder->unread, path);
    RECON_TRY(open_stacks(ctx, &folder->files));
    if (classes)
        RECON_TRY(name_classes(ctx, data, j.files, folder->root));
    RECON_TRY(load_all(ctx, data, &j, classes, path));
done:
    recon_budget_end(&budget);
    recon_free_all(j.bad, j.lifted, j.cut);
    return status;
}

void recon_folder_free(recon_folder *folder)
{
    if (!folder)
        return;
    list_free(&folder->files);
    recon_skips_free(&folder->skips);
    recon_unread_free(&folder->unread);
    free(folder);
}

/* --- afterwards ------------------------------------------------------------------------------- */

const char *recon_dataset_file(const recon_dataset *d, size_t i)
{
    return d->folder ? d->folder->files.path[recon_dataset_row(d, i)] + d->folder->root : NULL;
}

const char *recon_dataset_path(const recon_dataset *d, size_t i)
{
    return d->folder ? d->folder->files.path[recon_dataset_row(d, i)] : NULL;
}

size_t recon_dataset_unread(const recon_dataset *d)
{
    return d->folder ? d->folder->unread.files : 0;
}

const char *recon_dataset_unread_why(const recon_dataset *d, size_t i)
{
    return d->folder ? recon_skips_at(&d->folder->unread.why, i) : NULL;
}

const char *recon_dataset_skipped(const recon_dataset *d, size_t i)
{
    return d->folder ? recon_skips_at(&d->folder->skips, i) : NULL;
}
