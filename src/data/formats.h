/* formats.h (private) - what data are called: the one table of known sets and of formats of files.
 *
 * A SPEC is the name of a known set, with a part of it or without ("mnist/test"), or a prefix and a
 * path ("npy:x.npy"). The table says what a SPEC is, what a path without a prefix is taken for, and
 * what help and messages list. A new format is a row here, and its reader. */
#ifndef DATA_FORMATS_H
#define DATA_FORMATS_H

#include "data/kinds.h"
#include "data/molecule_store.h"

/* What a reader of molecules fills. part: of a set with a split the one that is asked for; -1: all. */
typedef struct {
    recon_store *store;
    size_t skipped;
    int part;
} recon_molecules_read;

enum { RECON_ENDINGS = 2 };
typedef struct {
    const char *name;            /* "mnist", or a prefix: "npy:"                       */
    const char *words;           /* what follows it, in help: "/train|test", "FILE"    */
    const recon_data_kind *kind; /* and its reader, given the path or the whole SPEC   */
    recon_status (*images)(recon_ctx *ctx, recon_dataset *to, const char *path,
                           const recon_dataset_options *options);
    recon_status (*molecules)(recon_ctx *ctx, recon_molecules_read *to, const char *path,
                              const recon_molecules_options *options);
    const char *endings[RECON_ENDINGS]; /* by which files are known, in either case ...       */
    int (*is_file)(const char *name);   /* ... or this says so; may be NULL                   */
    int (*is_folder)(const char *path); /* whether a folder holds such files; may be NULL     */
    int one_by_one;                     /* skip_bad leaves single files or frames out         */
} recon_format;

/* The row of a SPEC; NULL: it names nothing. */
const recon_format *recon_format_of(const char *spec);

/* The same for a reader of one kind of data: RECON_ERR_INPUT for other ones. *path is what the row's
 * reader takes. */
recon_status recon_format_find(recon_ctx *ctx, const recon_format **out, const char **path,
                               const char *spec, const recon_data_kind *kind);

/* The row that a path without a prefix belongs to, by its name alone; NULL: none. */
const recon_format *recon_format_of_file(const char *path);

/* "images: garments, ..., amat:FILE; molecules: ..." */
const char *recon_format_list(char *out, size_t room);

/* The readers of the table that are not declared with their format. */
recon_status recon_read_garments(recon_ctx *ctx, recon_dataset *to, const char *spec,
                                 const recon_dataset_options *options);
recon_status recon_read_known(recon_ctx *ctx, recon_dataset *to, const char *spec,
                              const recon_dataset_options *options);
recon_status recon_read_idx(recon_ctx *ctx, recon_dataset *to, const char *path,
                            const recon_dataset_options *options);
recon_status recon_read_npy(recon_ctx *ctx, recon_dataset *to, const char *path,
                            const recon_dataset_options *options);
recon_status recon_read_conformers(recon_ctx *ctx, recon_molecules_read *to, const char *spec,
                                   const recon_molecules_options *options);
recon_status recon_read_xyz(recon_ctx *ctx, recon_molecules_read *to, const char *path,
                            const recon_molecules_options *options);
recon_status recon_read_sdf(recon_ctx *ctx, recon_molecules_read *to, const char *path,
                            const recon_molecules_options *options);
recon_status recon_read_geom(recon_ctx *ctx, recon_molecules_read *to, const char *path,
                             const recon_molecules_options *options);
recon_status recon_read_flat(recon_ctx *ctx, recon_molecules_read *to, const char *path,
                             const recon_molecules_options *options);

#endif
