/* exif.c - the orientation in an EXIF segment, which is a small TIFF file behind six bytes. */
#include "core/exif.h"

#include <string.h>

enum { HEAD = 6, FIRST = 8, ENTRY = 12, TAG = 0x0112, SHORT = 3, UPRIGHT = 1, LAST = 8 };

typedef struct {
    const uint8_t *bytes;
    size_t size;
    int little;
} tiff;

static size_t word(const tiff *t, size_t at)
{
    const uint8_t *b = t->bytes + at;
    return t->little ? (size_t)b[1] << 8 | b[0] : (size_t)b[0] << 8 | b[1];
}

static size_t offset(const tiff *t, size_t at)
{
    return t->little ? word(t, at + 2) << 16 | word(t, at) : word(t, at) << 16 | word(t, at + 2);
}

/* Where in the segment the value is; 0: nowhere. */
static size_t find(tiff *t, const uint8_t *segment, size_t size)
{
    if (size < HEAD + FIRST || memcmp(segment, "Exif\0\0", HEAD) != 0)
        return 0;
    *t = (tiff){ segment + HEAD, size - HEAD, segment[HEAD] == 'I' };
    if (memcmp(t->bytes, t->little ? "II*\0" : "MM\0*", 4) != 0)
        return 0;
    size_t at = offset(t, 4);
    if (at > t->size || t->size - at < 2)
        return 0;
    size_t entries = word(t, at);
    for (at += 2; entries-- && t->size - at >= ENTRY; at += ENTRY)
        if (word(t, at) == TAG)
            return word(t, at + 2) == SHORT && offset(t, at + 4) == 1 ? at + 8 : 0;
    return 0;
}

int recon_exif_orientation(const uint8_t *segment, size_t size)
{
    tiff t;
    size_t at = find(&t, segment, size), value = at ? word(&t, at) : UPRIGHT;
    return value >= UPRIGHT && value <= LAST ? (int)value : UPRIGHT;
}

void recon_exif_reset(uint8_t *segment, size_t size)
{
    tiff t;
    size_t at = find(&t, segment, size);
    if (!at)
        return;
    segment[HEAD + at] = t.little ? UPRIGHT : 0;
    segment[HEAD + at + 1] = t.little ? 0 : UPRIGHT;
}
