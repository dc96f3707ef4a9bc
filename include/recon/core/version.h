/* version.h - the version of the headers and of the linked library, and its optional libraries.
 *
 * Versions are semantic: an incompatible change raises the first number, or the second while the
 * first is 0. The macros are the version of the headers; recon_version() is that of the linked
 * library, which ends in "-dev" if it was built before the release. */
#ifndef RECON_CORE_VERSION_H
#define RECON_CORE_VERSION_H

#include <stddef.h>
#include <recon/core/status.h>

#define RECON_VERSION_MAJOR 0
#define RECON_VERSION_MINOR 3
#define RECON_VERSION_PATCH 0

/* For #if: 1 if these headers have this version or a later one. */
#define RECON_VERSION_AT_LEAST(major, minor, patch)                                                \
    (RECON_VERSION_MAJOR > (major) ||                                                              \
     (RECON_VERSION_MAJOR == (major) &&                                                            \
      (RECON_VERSION_MINOR > (minor) ||                                                            \
       (RECON_VERSION_MINOR == (minor) && RECON_VERSION_PATCH >= (patch)))))

/* Returns the version of the library, "0.3.0" or "0.3.0-dev". */
RECON_API const char *recon_version(void);

/* An optional library. */
typedef struct {
    const char *name;    /* "OpenBLAS" */
    const char *without; /* what changes without it */
    int present;         /* 1 if it is there: part of this build, or a plug-in that was found */
    const char *version; /* of a plug-in's library, "2.6.3"; or NULL */
    const char *problem; /* why a plug-in could not be loaded, or NULL */
} recon_library;

/* Returns the i-th optional library; after the last one, the name is NULL. Plug-ins are loaded for it. */
RECON_API recon_library recon_version_library(size_t i);

#endif
