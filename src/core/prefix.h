/* prefix.h - where recon was installed. */
#ifndef CORE_PREFIX_H
#define CORE_PREFIX_H

extern const char recon_prefix[]; /* "/usr/local"; compiled anew by `make install`, and alone */

#endif
