/* npz.h (private) - the archive in memory, and the numbers of the ZIP format that reading and
 * writing share. */
#ifndef CORE_NPZ_H
#define CORE_NPZ_H

#include <recon/core/npz.h>
#include "core/array.h"
#include "core/file.h"

/* As recon_npz_open, of bytes that are there already. Takes the file over if it succeeds; path is
 * for messages. */
recon_status recon_npz_parse(recon_ctx *ctx, recon_npz **out, recon_file file, const char *path);

/* The check sum of what crc was of, followed by n more bytes; the sum of nothing is 0. */
uint32_t recon_crc32(uint32_t crc, const void *bytes, size_t n);

enum {
    LOCAL_SIZE = 30,
    ENTRY_SIZE = 46,
    END_SIZE = 22,
    END64_SIZE = 56,
    LOCATOR_SIZE = 20,
    EXTRA64 = 1,      /* the tag of an extra field with 64-bit sizes */
    ENCRYPTED = 1,    /* flags */
    SIZES_FOLLOW = 8, /* the local header has zeros instead of sizes */
    NAME_UTF8 = 0x800,
    STORED = 0, /* methods */
    DEFLATED = 8
};
#define LOCAL_MAGIC   0x04034b50u
#define ENTRY_MAGIC   0x02014b50u
#define END_MAGIC     0x06054b50u
#define END64_MAGIC   0x06064b50u
#define LOCATOR_MAGIC 0x07064b50u
#define ELSEWHERE     0xffffffffu /* the 64-bit field has it */

#endif
