/* version.h - which recon this is, when compiled and when run, and with which libraries.
 *
 * The version is semantic: an incompatible change raises the first number, or the second while the
 * first is 0. The numbers are those of the headers; recon_version() speaks for the library that is
 * linked, and ends in "-dev" where that is on the way to the version and not released. */
#ifndef RECON_CORE_VERSION_H
#define RECON_CORE_VERSION_H

#include <stddef.h>
#include <recon/core/status.h>

#define RECON_VERSION_MAJOR 0
#define RECON_VERSION_MINOR 3
#define RECON_VERSION_PATCH 0

/* For #if: whether these headers are of this version or a later one. */
#define RECON_VERSION_AT_LEAST(major, minor, patch)                                                \
    (RECON_VERSION_MAJOR > (major) ||                                                              \
     (RECON_VERSION_MAJOR == (major) &&                                                            \
      (RECON_VERSION_MINOR > (minor) ||                                                            \
       (RECON_VERSION_MINOR == (minor) && RECON_VERSION_PATCH >= (patch)))))

/* The library's version, "0.3.0" or "0.3.0-dev". */
RECON_API const char *recon_version(void);

/* A library that recon can be built with, or without. */
typedef struct {
    const char *name;    /* "OpenBLAS"                      */
    const char *without; /* what happens where it is absent */
    int present;         /* in this build                   */
} recon_library;

/* The i-th of the optional libraries; behind the last its name is NULL. */
RECON_API recon_library recon_version_library(size_t i);

#endif
