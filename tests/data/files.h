/* files.h - IDX files made by hand. */
#ifndef TESTS_DATA_FILES_H
#define TESTS_DATA_FILES_H

#include "scratch.h"

#include <zlib.h>

/* Header and n bytes of data; returns the size. out must hold it. */
static inline size_t idx_bytes(unsigned char *out, int code, const uint32_t *shape, int ndim,
                               const void *data, size_t n)
{
    const unsigned char magic[4] = { 0, 0, (unsigned char)code, (unsigned char)ndim };
    memcpy(out, magic, 4);
    for (int i = 0; i < ndim; i++)
        for (int b = 0; b < 4; b++)
            out[4 + 4 * i + b] = (unsigned char)(shape[i] >> (24 - 8 * b));
    if (n)
        memcpy(out + 4 + 4 * ndim, data, n);
    return 4 + 4 * (size_t)ndim + n;
}

static inline size_t gzip_bytes(unsigned char *out, size_t room, const void *in, size_t n)
{
    z_stream z = { 0 };
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)in;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

/* n images of 4 x 3 bytes in "NAME-images-idx3-ubyte" with labels i % 5 beside it: pixel j of image
 * i is (7 i + j) mod 256. Returns the path of the images. */
static inline const char *idx_set(const char *name, uint32_t n)
{
    unsigned char *bytes = malloc(16 + 12 * (size_t)n), *data = malloc(12 * (size_t)n);
    char file[64];
    for (size_t i = 0; i < 12 * (size_t)n; i++)
        data[i] = (unsigned char)(7 * (i / 12) + i % 12);
    size_t size = idx_bytes(bytes, 8, (uint32_t[]){ n, 4, 3 }, 3, data, 12 * (size_t)n);
    snprintf(file, sizeof file, "%s-images-idx3-ubyte", name);
    const char *path = scratch_write(file, bytes, size);
    for (size_t i = 0; i < n; i++)
        data[i] = (unsigned char)(i % 5);
    size = idx_bytes(bytes, 8, (uint32_t[]){ n }, 1, data, n);
    snprintf(file, sizeof file, "%s-labels-idx1-ubyte", name);
    scratch_write(file, bytes, size);
    free(bytes);
    free(data);
    return path;
}

#endif
