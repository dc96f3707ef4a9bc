/* disc.h (private) - the circular mask, for who applies it by himself. */
#ifndef NN_DISC_H
#define NN_DISC_H

#include <stddef.h>

/* Its value at pixel i, row by row: see recon_disc in steerable.h. height and width at least 1. */
double recon_disc_at(size_t i, size_t height, size_t width);

#endif
