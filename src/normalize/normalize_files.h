/* normalize_files.h (private) - Algorithm 1 from files to a folder, for `recon normalize`. */
#ifndef NORMALIZE_NORMALIZE_FILES_H
#define NORMALIZE_NORMALIZE_FILES_H

#include "group/group.h"
#include "normalize/findings.h"
#include <recon/normalize/normalize.h>

typedef struct {
    const recon_group *group;
    recon_quaternions quaternions;       /* of the poses of points and queries */
    const char *z, *poses, *labels;      /* labels may be NULL; with an index z and poses, too */
    const char *query[2], *query_labels; /* z and poses of the queries; NULL: none */
    const char *classes; /* GIVEN: class numbers, NPY or lines of text, for options.class_of */
    const char *index;   /* a file: its points come before those of z, its options hold; or NULL */
    const char *save_index; /* a file for the index of all of these, or NULL */
    const char *out;        /* the folder; NULL: with save_index no answers are wanted */
    recon_normalize_options options;
} recon_normalize_request;

typedef struct {
    size_t points, dimensions, rows;
    recon_frames frames;                   /* over ranks: of the rank's own rows */
    size_t unlike;                         /* queries unlike all points, of all ranks */
    size_t symmetry[RECON_SYMMETRY_CODES]; /* rows by recon_symmetry_code, of all ranks */
    size_t free[RECON_DIRECTIONS];         /* rows by free direction, of all ranks */
    double seconds;                        /* for reading and computing */
    char *summary;                         /* the text of summary.json */
} recon_normalize_result;

/* Reads the files and writes the result as a whole or not at all, and before it the index. With an
 * index, request->group and options become its own. Always free it. */
recon_status recon_normalize_files(recon_ctx *ctx, recon_normalize_result *out,
                                   recon_normalize_request *request);
void recon_normalize_result_free(recon_normalize_result *result);

/* Returns "fisher" on SO(3), else the name of the family. */
const char *recon_frames_family_name(const recon_frames *frames);

#endif
