/* fields.h - the layout of the channels of a steerable image.
 *
 * A field of frequency m rotates with the picture: if the picture is rotated by t,
 * counter-clockwise as seen on screen, its vector rotates by m t. A field of frequency 0 is a
 * scalar, one channel; any other is a pair (x, y), two adjacent channels. Scalars come first, then
 * the pairs of frequency 1, then those of frequency 2, and so on. */
#ifndef RECON_NN_FIELDS_H
#define RECON_NN_FIELDS_H

#include <stddef.h>
#include <recon/core/status.h>

enum { RECON_FREQUENCIES = 8 }; /* 0 .. 7 */
typedef struct {
    size_t of[RECON_FREQUENCIES]; /* the number of fields of each frequency */
} recon_fields;

/* The number of channels of one field. */
static inline size_t recon_field_size(size_t frequency)
{
    return frequency ? 2 : 1;
}

RECON_API size_t recon_fields_channels(const recon_fields *fields);
RECON_API size_t recon_fields_pairs(const recon_fields *fields); /* of any frequency but 0 */
/* The channel where the fields of a frequency begin; for RECON_FREQUENCIES, all channels. */
RECON_API size_t recon_fields_begin(const recon_fields *fields, size_t frequency);

/* Writes the number of fields of each frequency, as "32,24,16,8". Returns out. */
typedef char recon_fields_text[RECON_FREQUENCIES * 24];
RECON_API const char *recon_fields_print(recon_fields_text out, const recon_fields *fields);

#endif
