/* prefix.c - see prefix.h. */
#include "core/prefix.h"

#ifndef RECON_PREFIX
#define RECON_PREFIX "/usr/local"
#endif

const char recon_prefix[] = RECON_PREFIX;
