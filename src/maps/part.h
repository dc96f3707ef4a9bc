/* part.h (private) - the heads to run: all of them, or those that Lambda needs. */
#ifndef MAPS_PART_H
#define MAPS_PART_H

typedef enum { RECON_MAPS_ALL, RECON_MAPS_LAMBDA } recon_maps_part;

#endif
