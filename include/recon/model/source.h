/* source.h - where the data of a discovery came from, so that they can be opened again: what the
 * command line said. Zero in any field means that it was not said. */
#ifndef RECON_MODEL_SOURCE_H
#define RECON_MODEL_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *spec;   /* as recon_dataset_open or recon_molecules_open takes it       */
    const char *rotate; /* the rule they were rotated by; NULL: as they came             */
    uint64_t rotate_seed,
        seed;           /* of those rotations; of which were taken                          */
    size_t limit, size; /* how many were taken; the side they were fitted into          */
    int skip_bad;
    size_t picture_most;     /* bytes that one picture was allowed                           */
    size_t unread;           /* picture files of the folder that were not read               */
    const char *transparent; /* RECON_TRANSPARENT where pictures were read; NULL: none were  */
} recon_source;

#ifdef __cplusplus
}
#endif
#endif
