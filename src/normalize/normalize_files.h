/* normalize_files.h (private) - Algorithm 1 from files to a folder: what `recon normalize` does. */
#ifndef NORMALIZE_NORMALIZE_FILES_H
#define NORMALIZE_NORMALIZE_FILES_H

#include <recon/normalize/normalize.h>

typedef struct {
    const recon_group *group;
    recon_quaternions quaternions;       /* order of the poses of the queries too */
    const char *z, *poses, *labels;      /* labels may be NULL                       */
    const char *query[2], *query_labels; /* z and poses of the queries; NULL: none   */
    const char
        *classes;    /* GIVEN: numbers of classes, NPY or lines of text; fills options.class_of */
    const char *out; /* the folder                               */
    recon_normalize_options options;
} recon_normalize_request;

typedef struct {
    size_t points, dimensions, rows;
    recon_frames frames; /* over ranks: of the own rows */
    double seconds;      /* to read and to answer */
    char *summary;       /* what summary.json says */
} recon_normalize_result;

/* Reads the files and writes the result folder, as a whole or not at all. Free always. */
recon_status recon_normalize_files(recon_ctx *ctx, recon_normalize_result *out,
                                   const recon_normalize_request *request);
void recon_normalize_result_free(recon_normalize_result *result);

/* "fisher" on SO(3), else the name of the family. */
const char *recon_frames_family_name(const recon_frames *frames);

#endif
