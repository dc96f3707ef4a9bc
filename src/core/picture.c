/* picture.c - which format a picture file has, how large it may be, and what takes it whole. */
#include "core/picture.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"

#include <stdlib.h>

#define MEGABYTE 1e6

recon_status recon_picture_begin(recon_ctx *ctx, recon_picture_sink *sink, size_t size,
                                 const char *name)
{
    size_t need = recon_pixels_size(&sink->head),
           most = sink->most ? sink->most : RECON_PIXELS_MOST;
    if (need > most && need / RECON_PIXELS_RATIO > size)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: a picture of %zu x %zu would take %.0f MB from a file of %.2f MB: "
                          "%.0f " RECON_PICTURE_LIMIT,
                          name, sink->head.height, sink->head.width, (double)need / MEGABYTE,
                          (double)size / MEGABYTE, (double)most / MEGABYTE);
    if (sink->shallow)
        sink->head.deep = 0;
    return sink->begin ? sink->begin(ctx, sink) : RECON_OK;
}

recon_status recon_picture_scan(recon_ctx *ctx, recon_picture_sink *sink, const void *bytes,
                                size_t size, const char *name)
{
    int is_pnm = size && *(const unsigned char *)bytes == 'P';
    return (is_pnm ? recon_pnm_scan : recon_png_scan)(ctx, sink, bytes, size, name);
}

static recon_status scan_file(recon_ctx *ctx, recon_picture_sink *sink, recon_picture_format *scan,
                              const char *path)
{
    recon_file file;
    recon_status status = recon_file_open(ctx, &file, path);
    if (status != RECON_OK)
        return status;
    status = scan(ctx, sink, file.bytes, file.size, path);
    recon_file_close(&file);
    return status;
}

recon_status recon_picture_scan_file(recon_ctx *ctx, recon_picture_sink *sink, const char *path)
{
    return scan_file(ctx, sink, recon_picture_scan, path);
}

/* --- whole pictures --------------------------------------------------------------------------- */

static recon_status make_room(recon_ctx *ctx, recon_picture_sink *sink)
{
    return recon_alloc_raw(ctx, &sink->head.bytes, recon_pixels_size(&sink->head), 1);
}

static recon_status take_whole(recon_pixels *out, const recon_picture_sink *sink,
                               recon_status status)
{
    if (status == RECON_OK) {
        *out = sink->head;
        return status;
    }
    free(sink->head.bytes);
    *out = (recon_pixels){ 0 };
    return status;
}

recon_status recon_picture_whole(recon_ctx *ctx, recon_pixels *out, recon_picture_format *scan,
                                 const void *bytes, size_t size, const char *name, size_t most)
{
    recon_picture_sink sink = { .most = most, .begin = make_room };
    return take_whole(out, &sink, scan(ctx, &sink, bytes, size, name));
}

recon_status recon_picture_whole_file(recon_ctx *ctx, recon_pixels *out, recon_picture_format *scan,
                                      const char *path, size_t most)
{
    recon_picture_sink sink = { .most = most, .begin = make_room };
    return take_whole(out, &sink, scan_file(ctx, &sink, scan, path));
}

recon_status recon_picture_read(recon_ctx *ctx, recon_pixels *out, const char *path, size_t most)
{
    return recon_picture_whole_file(ctx, out, recon_picture_scan, path, most);
}
