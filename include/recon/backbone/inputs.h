/* inputs.h - the inputs of a run: a SPEC, possibly a subset of it, rotated by a rule and fitted to
 * a backbone. The commands and the Python package open their data here, so both see the same
 * inputs. */
#ifndef RECON_BACKBONE_INPUTS_H
#define RECON_BACKBONE_INPUTS_H

#include <recon/backbone/backbone.h>
#include <recon/core/safetensors.h>
#include <recon/data/data.h>

/* Where the data come from, so that they can be opened again: the options of the command line. Zero
 * in any field means that the option was not given. */
typedef struct {
    const char *spec;        /* as recon_dataset_open or recon_molecules_open takes it       */
    const char *rotate;      /* the rule they are rotated by; NULL: not rotated              */
    uint64_t rotate_seed;    /* of those rotations; 0: 1                                        */
    uint64_t seed;           /* of which are taken; 0: 1                                       */
    size_t limit, size;      /* how many are taken; the side they are fitted into            */
    size_t channels;         /* of the pictures of a folder; 0: as many as these have        */
    int skip_bad, crop;      /* crop: 1, or RECON_CROP_OPEN                              */
    size_t picture_most;     /* bytes that one picture is allowed                            */
    size_t unread;           /* picture files of the folder that were not read               */
    const char *transparent; /* RECON_TRANSPARENT where pictures were read; NULL: none were  */
} recon_source;

typedef struct recon_inputs recon_inputs;

/* Opens the data, takes a subset and rotates it, according to the source. With a backbone (of the
 * file `model`), the images of a folder are scaled to its size and channels, unless the source has
 * a size; inputs that do not fit it are RECON_ERR_INPUT, or skipped with skip_bad; and there is a
 * warning if it was trained with another rule for transparent images. backbone may be NULL. data:
 * inputs in memory, used instead of source->spec, which is then only used in messages; they must
 * outlive this. Otherwise NULL. */
RECON_API recon_status recon_inputs_open(recon_ctx *ctx, recon_inputs **out,
                                         const recon_source *source, const recon_data *data,
                                         const recon_backbone *backbone, const char *model);
RECON_API void recon_inputs_close(recon_inputs *inputs);

/* The inputs; lent. */
RECON_API const recon_data *recon_inputs_data(const recon_inputs *inputs);

/* What a model of these inputs should record: how they were read, to *source, for summary.json; and
 * entries of the model's metadata, to more. Returns the number of entries. */
enum { RECON_INPUTS_ENTRIES = 3 };
RECON_API size_t recon_inputs_record(recon_source *source,
                                     recon_metadata_entry more[RECON_INPUTS_ENTRIES],
                                     const recon_inputs *inputs, const recon_backbone *backbone);

#endif
