/* exif.h - the orientation in the EXIF part of a JPEG file: how its pixels lie when it is upright.
 *
 * 1 as they are; 2 mirrored left to right; 3 rotated by 180 degrees; 4 mirrored top to bottom; 5 to 8
 * transposed, with the first row at the left, right, right and left. */
#ifndef CORE_EXIF_H
#define CORE_EXIF_H

#include <stddef.h>
#include <stdint.h>

/* Of an APP1 segment without its marker and length; 1 where it has none. */
int recon_exif_orientation(const uint8_t *segment, size_t size);
/* Makes that 1, if there is one, and drops the thumbnail: for pixels that are upright now. */
void recon_exif_reset(uint8_t *segment, size_t size);

#endif
