/* images_kind.c - images as inputs of a pipeline: recon_data_kind over recon_dataset. A batch is
 * n x height x width x channels floats. */
#include "core/hash.h"
#include "data/dataset.h"
#include "data/kinds.h"

#include <recon/data/dataset.h>
#include "data/rotations.h"

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
    return recon_dataset_origin(of(data), i);
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
