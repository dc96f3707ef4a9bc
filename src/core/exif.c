/* exif.c - the orientation in an EXIF segment, which is a small TIFF file behind six bytes. */
#include "core/picture.h"

#include <string.h>

enum { HEAD = 6, FIRST = 8, ENTRY = 12, TAG = 0x0112, SHORT = 3, LONG = 4, UPRIGHT = 1, LAST = 8 };

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

/* The first directory: where its entries begin, and how many there are; 0: there is none. */
static size_t open_first(tiff *t, size_t *entries, const uint8_t *segment, size_t size)
{
    if (size < HEAD + FIRST || memcmp(segment, "Exif\0\0", HEAD) != 0)
        return 0;
    *t = (tiff){ segment + HEAD, size - HEAD, segment[HEAD] == 'I' };
    if (memcmp(t->bytes, t->little ? "II*\0" : "MM\0*", 4) != 0)
        return 0;
    size_t at = offset(t, 4);
    if (at > t->size || t->size - at < 2)
        return 0;
    *entries = word(t, at);
    return at + 2;
}

/* Where the value is, or its lower half; 0: nowhere. */
static size_t find(tiff *t, const uint8_t *segment, size_t size)
{
    size_t entries, at = open_first(t, &entries, segment, size);
    for (; at && entries-- && t->size - at >= ENTRY; at += ENTRY) {
        size_t type = word(t, at + 2);
        if (word(t, at) != TAG)
            continue;
        if ((type != SHORT && type != LONG) || offset(t, at + 4) != 1)
            return 0;
        return at + 8 + (type == LONG && !t->little ? 2 : 0);
    }
    return 0;
}

int recon_exif_orientation(const uint8_t *segment, size_t size)
{
    tiff t;
    size_t at = find(&t, segment, size), value = at ? word(&t, at) : UPRIGHT;
    return value >= UPRIGHT && value <= LAST ? (int)value : UPRIGHT;
}

/* The second directory has a thumbnail, of the picture as it was. */
static void forget_thumbnail(uint8_t *segment, size_t size)
{
    tiff t;
    size_t entries, at = open_first(&t, &entries, segment, size);
    if (at && entries <= (t.size - at) / ENTRY && t.size - at - entries * ENTRY >= 4)
        memset(segment + HEAD + at + entries * ENTRY, 0, 4);
}

void recon_exif_reset(uint8_t *segment, size_t size)
{
    tiff t;
    size_t at = find(&t, segment, size);
    forget_thumbnail(segment, size);
    if (!at)
        return;
    segment[HEAD + at] = t.little ? UPRIGHT : 0;
    segment[HEAD + at + 1] = t.little ? 0 : UPRIGHT;
}
