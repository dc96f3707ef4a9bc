/* fields.h - what the channels of a steerable image stand for.
 *
 * A field of frequency m rotates with the picture: when the picture rotates by t, counter-clockwise as
 * seen on screen, its vector rotates by m t. Frequency 0 is a scalar, one channel; every other one is
 * a pair (x, y), two channels side by side. Scalars come first, then the pairs of frequency 1, then
 * those of 2, and so on. */
#ifndef RECON_NN_FIELDS_H
#define RECON_NN_FIELDS_H

#include <stddef.h>
#include <recon/core/status.h>

enum { RECON_FREQUENCIES = 8 }; /* 0 .. 7 */
typedef struct {
    size_t of[RECON_FREQUENCIES]; /* how many fields of each frequency */
} recon_fields;

/* Channels of one field. */
static inline size_t recon_field_size(size_t frequency)
{
    return frequency ? 2 : 1;
}

RECON_API size_t recon_fields_channels(const recon_fields *fields);
RECON_API size_t recon_fields_pairs(const recon_fields *fields); /* of any frequency but 0 */
/* The channel where the fields of a frequency begin; of RECON_FREQUENCIES: where they end. */
RECON_API size_t recon_fields_begin(const recon_fields *fields, size_t frequency);

/* "32,24,16,8": how many of frequency 0, 1, .. up to the last that is there. Returns out. */
typedef char recon_fields_text[RECON_FREQUENCIES * 24];
RECON_API const char *recon_fields_print(recon_fields_text out, const recon_fields *fields);

#endif
