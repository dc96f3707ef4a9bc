/* inputs.h - the inputs that a run works on: what a SPEC names, a part of it, rotated on purpose, and
 * fitted to a backbone. The commands and the Python package open their data here, so that both see
 * the same inputs. */
#ifndef RECON_BACKBONE_INPUTS_H
#define RECON_BACKBONE_INPUTS_H

#include <recon/backbone/backbone.h>
#include <recon/core/safetensors.h>
#include <recon/data/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the data come from, so that they can be opened again: what the command line said. Zero in
 * any field means that it was not said. */
typedef struct {
    const char *spec;     /* as recon_dataset_open or recon_molecules_open takes it       */
    const char *rotate;   /* the rule they are rotated by; NULL: as they come              */
    uint64_t rotate_seed; /* of those rotations; 0: 1                                        */
    uint64_t seed;        /* of which are taken; 0: 1                                       */
    size_t limit, size;   /* how many are taken; the side they are fitted into            */
    int skip_bad, crop;
    size_t picture_most;     /* bytes that one picture is allowed                            */
    size_t unread;           /* picture files of the folder that were not read               */
    const char *transparent; /* RECON_TRANSPARENT where pictures were read; NULL: none were  */
} recon_source;

typedef struct recon_inputs recon_inputs;

/* Opens, takes and rotates as the source says. For a backbone, of the file `model`, pictures of a
 * folder are fitted to its size and channels, unless the source has a size; inputs that do not fit it
 * are RECON_ERR_INPUT, or left out with skip_bad; and there is a warning where it read transparent
 * pictures by another rule. backbone may be NULL. data: inputs that are at hand, in place of what
 * source->spec names, which then is for messages alone; they must outlive this. Else NULL. */
RECON_API recon_status recon_inputs_open(recon_ctx *ctx, recon_inputs **out,
                                         const recon_source *source, const recon_data *data,
                                         const recon_backbone *backbone, const char *model);
RECON_API void recon_inputs_close(recon_inputs *inputs);

/* What there is to work on; lent. */
RECON_API const recon_data *recon_inputs_data(const recon_inputs *inputs);

/* What a model of these inputs is to record: to *source, for summary.json, how they were read, and
 * to more the entries of the model's metadata; returns how many. */
enum { RECON_INPUTS_ENTRIES = 3 };
RECON_API size_t recon_inputs_record(recon_source *source,
                                     recon_metadata_entry more[RECON_INPUTS_ENTRIES],
                                     const recon_inputs *inputs, const recon_backbone *backbone);

#ifdef __cplusplus
}
#endif
#endif
