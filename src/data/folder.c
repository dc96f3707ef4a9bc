/* folder.c - a folder of pictures as a data set.
 *
 * The names are sorted by their bytes, not by a locale. The first picture says the size; then all
 * are read at once, by threads that only note which failed, and the first of those by name is read
 * again for its message: the error does not depend on who was faster. */
#include "data/folder.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/threads.h"

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

enum { SIZE_MAX_FIT = 1 << 14 };

typedef struct {
    char **path;
    int32_t *label;
    size_t n, room;
} list;

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
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: no PNG, PGM or PPM files", path));
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

typedef struct {
    const list *files;
    size_t size; /* 0: as they are */
    recon_dataset_info info;
    uint8_t *pixels;    /* n images           */
    unsigned char *bad; /* n, what was not read */
} job;

static recon_status load(recon_ctx *ctx, recon_pixels *p, const job *j, size_t i)
{
    recon_status status = read_picture(ctx, p, j->files->path[i]);
    if (status == RECON_OK && j->size && (p->height != j->size || p->width != j->size))
        status = fit(ctx, p, j->size);
    if (status == RECON_OK && j->pixels &&
        (p->height != j->info.height || p->width != j->info.width ||
         p->channels != j->info.channels))
        status = recon_fail(
            ctx, RECON_ERR_INPUT,
            "%s: %zu x %zu x %zu, but the first picture is %zu x %zu x %zu (height x width x "
            "channels): a size for all fits them",
            j->files->path[i], p->height, p->width, p->channels, j->info.height, j->info.width,
            j->info.channels);
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
static recon_status find_size(recon_ctx *ctx, job *j, int skip_bad, const char *path)
{
    for (size_t i = 0; i < j->files->n; i++) {
        recon_pixels p;
        recon_status status = load(ctx, &p, j, i);
        free(p.bytes);
        if (status == RECON_OK) {
            j->info = (recon_dataset_info){ j->files->n, p.height, p.width, p.channels, 0, 0 };
            return RECON_OK;
        }
        if (!skip_bad || !is_bad(status))
            return status;
    }
    return recon_fail(ctx, RECON_ERR_INPUT, "%s: none of %zu pictures can be read", path,
                      j->files->n);
}

/* What is wrong with the first bad picture. One that can be read after all is taken. */
static recon_status complain(recon_ctx *ctx, const job *j)
{
    recon_status status = RECON_OK;
    for (size_t i = 0; status == RECON_OK && i < j->files->n; i++)
        if (j->bad[i])
            status = load_to_its_place(ctx, j, i);
    return status;
}

/* Good pictures move up to close the gaps. */
static void close_ranks(recon_dataset *d, const job *j)
{
    size_t count = recon_dataset_pixels(&j->info), n = 0;
    for (size_t i = 0; i < j->files->n; i++) {
        if (j->bad[i])
            continue;
        if (n != i)
            memcpy(j->pixels + n * count, j->pixels + i * count, count);
        if (d->own_labels)
            d->own_labels[n] = j->files->label[i];
        n++;
    }
    d->info.skipped = j->files->n - n;
    d->info.n = n;
}

static recon_status load_all(recon_ctx *ctx, recon_dataset *d, job *j, size_t classes,
                             const recon_dataset_options *o, const char *path)
{
    recon_status status;
    RECON_TRY(find_size(ctx, j, o->skip_bad, path));
    d->info = j->info;
    d->info.classes = classes;
    RECON_TRY(recon_alloc_raw(ctx, &d->images.block, j->info.n, recon_dataset_pixels(&j->info)));
    RECON_TRY(recon_alloc(ctx, &j->bad, j->info.n, 1));
    if (classes)
        RECON_TRY(recon_alloc_raw(ctx, &d->own_labels, j->info.n, sizeof *d->own_labels));
    j->pixels = d->images.block;
    RECON_TRY(recon_parallel(ctx, load_task, j, j->info.n));
    if (!o->skip_bad)
        RECON_TRY(complain(ctx, j));
    close_ranks(d, j);
    d->bytes = j->pixels;
    d->labels = d->own_labels;
done:
    return status;
}

recon_status recon_folder_read(recon_ctx *ctx, recon_dataset *data, const char *path,
                               const recon_dataset_options *options)
{
    list files = { 0 };
    job j = { .files = &files, .size = options->size };
    size_t classes;
    recon_status status;
    if (options->size > SIZE_MAX_FIT)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: a size of %zu: at most %d", path,
                          options->size, SIZE_MAX_FIT);
    RECON_TRY(list_pictures(ctx, &files, &classes, path));
    RECON_TRY(load_all(ctx, data, &j, classes, options, path));
done:
    free(j.bad);
    list_free(&files);
    return status;
}
