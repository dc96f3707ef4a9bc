/* inputs.h - the inputs of a run: a SPEC or a subset of it, possibly rotated by a rule and resized
 * for a backbone. The commands and Python open their data here and get the same inputs. */
#ifndef RECON_BACKBONE_INPUTS_H
#define RECON_BACKBONE_INPUTS_H

#include <recon/backbone/backbone.h>
#include <recon/core/safetensors.h>
#include <recon/data/data.h>

/* Where the data come from, so that they can be opened again: the options of the command line. A
 * field that is zero means that the option was not given. */
typedef struct {
    const char *spec;        /* see recon_dataset_open and recon_molecules_open */
    const char *rotate;      /* the rule that rotates the inputs; NULL: they are not rotated */
    uint64_t rotate_seed;    /* the seed of these rotations; 0: 1 */
    uint64_t seed;           /* the seed of the subset; 0: 1 */
    size_t limit, size;      /* the size of the subset; the side that images are resized to */
    size_t channels;         /* of the pictures of a folder; 0: as many as they have */
    int skip_bad, crop;      /* crop: 1, or RECON_CROP_OPEN */
    size_t picture_most;     /* the most bytes that the pixels of one picture may take */
    size_t unread;           /* how many picture files of the folder were not read */
    const char *transparent; /* RECON_TRANSPARENT if pictures were read, else NULL */
} recon_source;

typedef struct recon_inputs recon_inputs;

/* Opens the data, takes a subset and rotates it, according to the source. With a backbone the
 * images of a folder are resized to its size and channels unless the source sets a size; inputs
 * that do not fit it are RECON_ERR_INPUT, or skipped with skip_bad. backbone may be NULL. data, if
 * not NULL, are inputs in memory that are used instead of source->spec, which then only appears in
 * messages; they must outlive the result. */
RECON_API recon_status recon_inputs_open(recon_ctx *ctx, recon_inputs **out,
                                         const recon_source *source, const recon_data *data,
                                         const recon_backbone *backbone);
RECON_API void recon_inputs_close(recon_inputs *inputs);

/* The inputs; lent. */
RECON_API const recon_data *recon_inputs_data(const recon_inputs *inputs);

/* Returns the row of input i in the whole data; and the name of its file or molecule, lent, or
 * NULL. */
RECON_API size_t recon_inputs_row(const recon_inputs *inputs, size_t i);
RECON_API const char *recon_inputs_name(const recon_inputs *inputs, size_t i);

/* Returns what a model made from these inputs should record: *source receives how they were read,
 * for summary.json, and `more` receives metadata for the model. Returns the number of these
 * entries. */
enum { RECON_INPUTS_ENTRIES = 3 };
RECON_API size_t recon_inputs_record(recon_source *source,
                                     recon_metadata_entry more[RECON_INPUTS_ENTRIES],
                                     const recon_inputs *inputs);

#endif
