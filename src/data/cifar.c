/* cifar.c - CIFAR-10 as strips of pictures. */
#include "data/dataset.h"
#include "data/formats.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIDE = 32, CHANNELS = 3, CLASSES = 10, STRIPS = 5, PATH = 1024 };
enum { PIXELS = SIDE * SIDE, SIZE = PIXELS * CHANNELS };

const char *recon_cifar_file(const char *part)
{
    return strcmp(part, "test") ? "data_batch_1.png" : "test_batch.png";
}

static recon_status read_strip(recon_ctx *ctx, recon_dataset *d, const char *path)
{
    recon_pixels p = { .bytes = NULL };
    recon_status status;
    RECON_TRY(recon_picture_read(ctx, &p, path, 0));
    if (p.width != PIXELS || p.channels != CHANNELS || p.deep || p.alpha)
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT,
                             "%s: %zu pixels of %zu channels a row: expected pictures of %d x %d x "
                             "%d, one a row",
                             path, p.width, p.channels, SIDE, SIDE, CHANNELS));
    unsigned char *more = realloc(d->own_bytes, (d->info.n + p.height) * SIZE);
    if (!more)
        RECON_TRY(recon_fail(ctx, RECON_ERR_MEMORY, "%s: out of memory", path));
    d->own_bytes = more;
    memcpy(more + d->info.n * SIZE, p.bytes, p.height * SIZE);
    d->info.n += p.height;
done:
    free(p.bytes);
    return status;
}

static recon_status read_labels(recon_ctx *ctx, recon_dataset *d, const char *path)
{
    json_t *list = NULL;
    recon_status status;
    RECON_TRY(recon_json_read(ctx, &list, path));
    if (!json_is_array(list) || json_array_size(list) < d->info.n)
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: %zu labels for %zu pictures", path,
                             json_array_size(list), d->info.n));
    RECON_TRY(recon_alloc_raw(ctx, &d->own_labels, d->info.n, sizeof *d->own_labels));
    for (size_t i = 0; i < d->info.n; i++) {
        const json_t *label = json_array_get(list, i);
        if (!json_is_integer(label) || json_integer_value(label) < 0 ||
            json_integer_value(label) >= CLASSES)
            RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: label %zu is not one of 0 to %d", path,
                                 i, CLASSES - 1));
        d->own_labels[i] = (int32_t)json_integer_value(label);
    }
    d->labels = d->own_labels;
done:
    json_decref(list);
    return status;
}

recon_status recon_cifar_read(recon_ctx *ctx, recon_dataset *d, const char *folder,
                              const char *part)
{
    int test = !strcmp(part, "test");
    char path[PATH];
    d->info = (recon_dataset_info){ 0, SIDE, SIDE, CHANNELS, CLASSES, 0 };
    for (int i = 1; i <= (test ? 1 : STRIPS); i++) {
        snprintf(path, sizeof path, test ? "%s/test_batch.png" : "%s/data_batch_%d.png", folder, i);
        if (i > 1 && access(path, F_OK) != 0) { /* the labels are those of the first strips */
            recon_log(ctx, RECON_LOG_WARN,
                      "%s is missing: %zu training images; tools/get-cifar10 gets all", path,
                      d->info.n);
            break;
        }
        RECON_CHECK(read_strip(ctx, d, path));
    }
    d->bytes = d->own_bytes;
    d->images =
        (recon_array){ .dtype = RECON_U8, .ndim = 4, .shape = { d->info.n, SIDE, SIDE, CHANNELS } };
    snprintf(path, sizeof path, "%s/%s", folder, test ? "test_lables.json" : "train_lables.json");
    return read_labels(ctx, d, path);
}
