/* folder.c - a folder of pictures as a data set.
 *
 * The names are sorted by their bytes, not by a locale. Where no size is asked for, the heads of
 * all files say whether they are of one size and one kind; if not, they are made so. Then all are
 * read at once, by threads that only note which failed, and the first of those by name is read
 * again for its message: the error does not depend on who was faster. */
#include "data/folder.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/journal.h"
#include "core/memory.h"
#include "core/threads.h"
#include "data/skips.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <recon/core/png.h>
#include <recon/core/pnm.h>
#include <recon/data/image.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { SIZE_MAX_FIT = 1 << 14, GREY = 1, COLOUR = 3 };

typedef struct {
    char **path;
    int32_t *label;
    size_t n, room;
} list;

struct recon_folder {
    list files;  /* those that are in the data set */
    size_t root; /* characters of a path before the name in the folder */
    recon_skips skips;
};

/* --- names ------------------------------------------------------------------------------------ */

static void list_free(list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->path[i]);
    free(l->path);
    free(l->label);
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
    free(l->path);
    free(l->label);
    *l = (list){ path, label, l->n, room };
    return RECON_OK;
done:
    free(path);
    free(label);
    return status;
}

static recon_status add(recon_ctx *ctx, list *l, const char *folder, const char *name)
{
    size_t a = strlen(folder), b = strlen(name);
    recon_status status = l->n == l->room ? grow(ctx, l) : RECON_OK;
    if (status == RECON_OK)
        status = recon_alloc(ctx, &l->path[l->n], a + b + 2, 1);
    if (status != RECON_OK)
        return status;
    char *path = l->path[l->n++];
    memcpy(path, folder, a);
    path[a] = '/';
    memcpy(path + a + 1, name, b);
    return RECON_OK;
}

static int is_picture(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot &&
           (!strcasecmp(dot, ".png") || !strcasecmp(dot, ".pgm") || !strcasecmp(dot, ".ppm"));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Pictures in a folder, and its sub-folders; what begins with a dot is nobody's business. */
static recon_status list_folder(recon_ctx *ctx, list *pictures, list *folders, const char *path)
{
    DIR *dir = opendir(path);
    recon_status status = RECON_OK;
    if (!dir)
        return recon_refused(ctx, path, "cannot list");
    for (struct dirent *e; errno = 0, (e = readdir(dir));) {
        struct stat info;
        if (e->d_name[0] == '.')
            continue;
        if (is_picture(e->d_name))
            RECON_TRY(add(ctx, pictures, path, e->d_name));
        else if (folders && fstatat(dirfd(dir), e->d_name, &info, 0) == 0 && S_ISDIR(info.st_mode))
            RECON_TRY(add(ctx, folders, path, e->d_name));
    }
    if (errno)
        RECON_TRY(recon_refused(ctx, path, "cannot list"));
    if (pictures->n)
        qsort(pictures->path, pictures->n, sizeof *pictures->path, by_name);
    if (folders && folders->n)
        qsort(folders->path, folders->n, sizeof *folders->path, by_name);
done:
    closedir(dir);
    return status;
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

static recon_status list_classes(recon_ctx *ctx, list *out, size_t *classes, const list *folders)
{
    list one = { 0 };
    recon_status status = RECON_OK;
    for (size_t i = 0; i < folders->n; i++) {
        RECON_TRY(list_folder(ctx, &one, NULL, folders->path[i]));
        if (one.n)
            RECON_TRY(append(ctx, out, &one, (int32_t)(*classes)++));
        list_free(&one);
    }
done:
    list_free(&one);
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

static recon_status list_pictures(recon_ctx *ctx, list *out, size_t *classes, const char *path)
{
    list folders = { 0 };
    recon_status status;
    *classes = 0;
    RECON_TRY(list_folder(ctx, out, &folders, path));
    size_t direct = out->n;
    RECON_TRY(list_classes(ctx, out, classes, &folders));
    if (direct && *classes)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT,
                             "%s: holds pictures and folders of pictures: are there classes?",
                             path));
    if (!out->n)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT,
                             "%s: no PNG, PGM or PPM files: others must be converted first", path));
done:
    list_free(&folders);
    return status;
}

/* --- pixels ----------------------------------------------------------------------------------- */

static recon_status read_picture(recon_ctx *ctx, recon_pixels *out, const char *path)
{
    recon_file file;
    recon_status status = recon_file_open(ctx, &file, path);
    *out = (recon_pixels){ 0 };
    if (status != RECON_OK)
        return status;
    status = (file.size && file.bytes[0] == 'P' ? recon_pnm_decode : recon_png_decode)(
        ctx, out, file.bytes, file.size, path);
    recon_file_close(&file);
    return status;
}

/* Grey is all three colours alike; of colours it is their luminance (ITU-R BT.601). */
static recon_status recolour(recon_ctx *ctx, recon_pixels *p, size_t channels)
{
    size_t n = p->height * p->width;
    uint8_t *bytes;
    recon_status status = recon_alloc_raw(ctx, &bytes, n, channels);
    if (status != RECON_OK)
        return status;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *from = p->bytes + i * p->channels;
        if (channels == GREY)
            bytes[i] = (uint8_t)((299u * from[0] + 587u * from[1] + 114u * from[2] + 500) / 1000);
        else
            memset(bytes + i * COLOUR, from[0], COLOUR);
    }
    free(p->bytes);
    p->bytes = bytes;
    p->channels = channels;
    return RECON_OK;
}

/* Through floats, and back to bytes. */
static recon_status fit(recon_ctx *ctx, recon_pixels *p, size_t size)
{
    size_t from = p->height * p->width * p->channels, to = size * size * p->channels;
    float *in = NULL, *out = NULL;
    uint8_t *bytes = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &in, from, sizeof *in));
    RECON_TRY(recon_alloc_raw(ctx, &out, to, sizeof *out));
    RECON_TRY(recon_alloc_raw(ctx, &bytes, to, 1));
    for (size_t i = 0; i < from; i++)
        in[i] = p->bytes[i];
    recon_image_fit(out, size, in, p->height, p->width, p->channels);
    for (size_t i = 0; i < to; i++)
        bytes[i] = (uint8_t)lrintf(out[i]);
    free(p->bytes);
    *p = (recon_pixels){ size, size, p->channels, bytes };
done:
    free(in);
    free(out);
    return status;
}

/* --- what all are made ------------------------------------------------------------------------ */

/* Height, width and channels, without the pixels. */
static recon_status peek(recon_ctx *ctx, recon_pixels *out, const char *path)
{
    enum { HEAD = 26, WIDTH = 16, HEIGHT = 20, KIND = 25, HAS_COLOUR = 2 };
    static const unsigned char signature[] = "\x89PNG\r\n\x1a\n";
    recon_file file;
    recon_status status = recon_file_open(ctx, &file, path);
    if (status != RECON_OK)
        return status;
    const unsigned char *b = file.bytes;
    if (file.size >= HEAD && !memcmp(b, signature, 8)) {
        const unsigned char *w = b + WIDTH, *h = b + HEIGHT;
        *out = (recon_pixels){ .height = (size_t)h[0] << 24 | h[1] << 16 | h[2] << 8 | h[3],
                               .width = (size_t)w[0] << 24 | w[1] << 16 | w[2] << 8 | w[3],
                               .channels = b[KIND] & HAS_COLOUR ? COLOUR : GREY };
    } else {
        status = recon_pnm_decode(ctx, out, b, file.size, path);
        free(out->bytes);
    }
    recon_file_close(&file);
    return status;
}

typedef struct {
    size_t n;       /* whose heads could be read */
    size_t *longer; /* [n] sides                 */
    recon_pixels low, high;
} survey;

static void note(survey *s, recon_pixels p)
{
    s->longer[s->n] = p.height > p.width ? p.height : p.width;
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

/* What was not asked for: colour where one picture has it, and where sizes differ the middle one of
 * their longer sides, but no more than a network takes on a computer without a GPU. */
static void choose(recon_ctx *ctx, recon_dataset_options *o, survey *s, const char *path)
{
    if (!o->channels)
        o->channels = s->high.channels;
    if (o->size || (s->low.height == s->high.height && s->low.width == s->high.width))
        return;
    qsort(s->longer, s->n, sizeof *s->longer, by_size);
    size_t middle = s->longer[s->n / 2];
    o->size = middle < RECON_SIZE_CHOSEN ? middle : RECON_SIZE_CHOSEN;
    recon_log(ctx, RECON_LOG_INFO,
              "%s: pictures of %zu x %zu to %zu x %zu (height x width), fitted into %zu x %zu; "
              "another size may be asked for",
              path, s->low.height, s->low.width, s->high.height, s->high.width, o->size, o->size);
}

/* Files that cannot be read are left to those who read the pixels. */
static recon_status look_at_all(recon_ctx *ctx, recon_dataset_options *o, const list *files,
                                const char *path)
{
    survey s = { 0 };
    recon_status status = recon_alloc_raw(ctx, &s.longer, files->n, sizeof *s.longer);
    for (size_t i = 0; status == RECON_OK && i < files->n; i++) {
        recon_pixels p;
        status = peek(ctx, &p, files->path[i]);
        if (status == RECON_OK)
            note(&s, p);
        else if (status != RECON_ERR_MEMORY)
            status = RECON_OK;
    }
    if (status == RECON_OK && s.n)
        choose(ctx, o, &s, path);
    free(s.longer);
    return status;
}

/* --- all of them ------------------------------------------------------------------------------ */

typedef struct {
    const list *files;
    recon_dataset_options o; /* size 0: as they are */
    recon_dataset_info info;
    uint8_t *pixels;    /* n images           */
    unsigned char *bad; /* n, what was not read */
} job;

static recon_status load(recon_ctx *ctx, recon_pixels *p, const job *j, size_t i)
{
    size_t size = j->o.size;
    recon_status status = read_picture(ctx, p, j->files->path[i]);
    if (status == RECON_OK && j->o.channels && p->channels != j->o.channels)
        status = recolour(ctx, p, j->o.channels);
    if (status == RECON_OK && size && (p->height != size || p->width != size))
        status = fit(ctx, p, size);
    if (status == RECON_OK && j->pixels &&
        (p->height != j->info.height || p->width != j->info.width))
        status = recon_fail(ctx, RECON_ERR_INPUT,
                            "%s: %zu x %zu, but the first picture is %zu x %zu (height x width)",
                            j->files->path[i], p->height, p->width, j->info.height, j->info.width);
    if (status != RECON_OK) {
        free(p->bytes);
        p->bytes = NULL;
    }
    return status;
}

/* What is wrong with a file, not with this machine. */
static int is_bad(recon_status status)
{
    return status == RECON_ERR_FORMAT || status == RECON_ERR_INPUT || status == RECON_ERR_IO;
}

static recon_status load_to_its_place(recon_ctx *ctx, const job *j, size_t i)
{
    size_t count = recon_dataset_pixels(&j->info);
    recon_pixels p;
    recon_status status = load(ctx, &p, j, i);
    j->bad[i] = status != RECON_OK;
    if (status == RECON_OK)
        memcpy(j->pixels + i * count, p.bytes, count);
    free(p.bytes);
    return status;
}

static recon_status load_task(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    recon_status status = load_to_its_place(ctx, arg, i);
    (void)worker;
    return is_bad(status) ? RECON_OK : status;
}

/* The size of the first picture; of the first good one if bad ones do not matter. */
static recon_status find_size(recon_ctx *ctx, job *j, const char *path)
{
    for (size_t i = 0; i < j->files->n; i++) {
        recon_pixels p;
        recon_status status = load(ctx, &p, j, i);
        free(p.bytes);
        if (status == RECON_OK) {
            j->info = (recon_dataset_info){ j->files->n, p.height, p.width, p.channels, 0, 0 };
            return RECON_OK;
        }
        if (!j->o.skip_bad || !is_bad(status))
            return status;
    }
    return recon_fail(ctx, RECON_ERR_INPUT, "%s: none of %zu pictures can be read", path,
                      j->files->n);
}

/* Bad ones once more, for what is wrong with them: the first is the failure, or all are noted. */
static recon_status look_into_bad(recon_ctx *ctx, recon_skips *skips, const job *j)
{
    for (size_t i = 0; i < j->files->n && skips->n < RECON_SKIPS_KEPT; i++) {
        if (!j->bad[i])
            continue;
        recon_status status = load_to_its_place(ctx, j, i);
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
static void close_ranks(recon_dataset *d, const job *j, list *files)
{
    size_t count = recon_dataset_pixels(&j->info), n = 0;
    for (size_t i = 0; i < files->n; i++) {
        if (j->bad[i])
            continue;
        if (n != i) {
            memcpy(j->pixels + n * count, j->pixels + i * count, count);
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

/* Such as dark drawings on a transparent ground, which is laid over black. */
static void warn_of_blank(recon_ctx *ctx, const recon_dataset *d, const job *j, const char *path)
{
    size_t count = recon_dataset_pixels(&d->info), channels = d->info.channels, blank = 0;
    for (size_t i = 0; i < d->info.n; i++) {
        const uint8_t *p = j->pixels + i * count;
        blank += !memcmp(p, p + channels, count - channels);
    }
    if (blank)
        recon_log(ctx, RECON_LOG_WARN,
                  "%s: %zu of %zu pictures are of one colour: what is transparent counts as black",
                  path, blank, d->info.n);
}

static recon_status load_all(recon_ctx *ctx, recon_dataset *d, job *j, size_t classes,
                             const char *path)
{
    recon_status status;
    if (!j->o.size || !j->o.channels)
        RECON_TRY(look_at_all(ctx, &j->o, j->files, path));
    RECON_TRY(find_size(ctx, j, path));
    d->info = j->info;
    d->info.classes = classes;
    RECON_TRY(recon_alloc_raw(ctx, &d->images.block, j->info.n, recon_dataset_pixels(&j->info)));
    RECON_TRY(recon_alloc(ctx, &j->bad, j->info.n, 1));
    if (classes)
        RECON_TRY(recon_alloc_raw(ctx, &d->own_labels, j->info.n, sizeof *d->own_labels));
    j->pixels = d->images.block;
    RECON_TRY(recon_parallel(ctx, load_task, j, j->info.n));
    RECON_TRY(look_into_bad(ctx, &d->own_folder->skips, j));
    close_ranks(d, j, &d->own_folder->files);
    warn_of_blank(ctx, d, j, path);
    d->bytes = j->pixels;
    d->labels = d->own_labels;
done:
    return status;
}

static recon_status check_options(recon_ctx *ctx, const recon_dataset_options *o, const char *path)
{
    if (o->size > SIZE_MAX_FIT)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: a size of %zu: at most %d", path, o->size,
                          SIZE_MAX_FIT);
    if (o->channels && o->channels != GREY && o->channels != COLOUR)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: pictures of %zu channels: 1 or 3", path,
                          o->channels);
    return RECON_OK;
}

recon_status recon_folder_read(recon_ctx *ctx, recon_dataset *data, const char *path,
                               const recon_dataset_options *options)
{
    job j = { .o = *options };
    size_t classes;
    recon_status status;
    RECON_TRY(check_options(ctx, options, path));
    RECON_TRY(recon_journal_settle(ctx, path));
    RECON_TRY(recon_alloc(ctx, &data->own_folder, 1, sizeof *data->own_folder));
    data->folder = data->own_folder;
    data->own_folder->root = strlen(path) + 1;
    j.files = &data->own_folder->files;
    RECON_TRY(list_pictures(ctx, &data->own_folder->files, &classes, path));
    if (classes)
        RECON_TRY(name_classes(ctx, data, j.files, data->own_folder->root));
    RECON_TRY(load_all(ctx, data, &j, classes, path));
done:
    free(j.bad);
    return status;
}

void recon_folder_free(recon_folder *folder)
{
    if (!folder)
        return;
    list_free(&folder->files);
    recon_skips_free(&folder->skips);
    free(folder);
}

/* --- afterwards ------------------------------------------------------------------------------- */

const char *recon_dataset_file(const recon_dataset *d, size_t i)
{
    return d->folder ? d->folder->files.path[recon_dataset_row(d, i)] + d->folder->root : NULL;
}

recon_status recon_dataset_original(recon_ctx *ctx, recon_pixels *out, const recon_dataset *d,
                                    size_t i)
{
    *out = (recon_pixels){ 0 };
    if (!d->folder)
        return recon_fail(ctx, RECON_ERR_INPUT, "image %zu does not come from a file of its own",
                          i);
    return read_picture(ctx, out, d->folder->files.path[recon_dataset_row(d, i)]);
}

const char *recon_dataset_skipped(const recon_dataset *d, size_t i)
{
    return d->folder ? recon_skips_at(&d->folder->skips, i) : NULL;
}
