/* msgpack.h - reads MessagePack from a stream, item by item.
 *
 * An array or a map is only its head, with the number of items that follow. So no length is
 * trusted, only one buffer is held in memory, and nesting costs nothing. */
#ifndef DATA_MSGPACK_H
#define DATA_MSGPACK_H

#include <stdint.h>
#include <recon/core/ctx.h>

typedef enum {
    RECON_PACK_NIL,
    RECON_PACK_BOOL,
    RECON_PACK_INT,
    RECON_PACK_FLOAT,
    RECON_PACK_TEXT, /* str or bin */
    RECON_PACK_ARRAY,
    RECON_PACK_MAP,
    RECON_PACK_OTHER /* ext */
} recon_pack_kind;

typedef struct {
    recon_pack_kind kind;
    double number;  /* of NIL, BOOL, INT and FLOAT; 0 for nil */
    uint64_t count; /* bytes of TEXT and OTHER, items of ARRAY, keys and values of MAP */
} recon_pack_item;

typedef struct {
    int is_open, fd; /* a file's; not open: everything is in bytes */
    const char *name;
    unsigned char *buffer;
    const unsigned char *bytes;
    size_t at, end;  /* of bytes */
    uint64_t before; /* bytes given up on */
} recon_pack;

recon_status recon_pack_open(recon_ctx *ctx, recon_pack *out, const char *path);
void recon_pack_of_bytes(recon_pack *out, const void *bytes, size_t size, const char *name);
void recon_pack_close(recon_pack *pack);

uint64_t recon_pack_offset(const recon_pack *pack);

/* Whether anything follows. */
recon_status recon_pack_more(recon_ctx *ctx, recon_pack *pack, int *more);

/* Failures are RECON_ERR_FORMAT with the offset, or RECON_ERR_IO: the place is lost then. */
recon_status recon_pack_next(recon_ctx *ctx, recon_pack *pack, recon_pack_item *out);

/* Skips the content of an item that next returned. */
recon_status recon_pack_skip(recon_ctx *ctx, recon_pack *pack, const recon_pack_item *item);

/* Returns the characters of TEXT, truncated to size - 1 and zero-terminated; any other item is
 * skipped and gives "". */
recon_status recon_pack_text(recon_ctx *ctx, recon_pack *pack, const recon_pack_item *item,
                             char *out, size_t size);

#endif
