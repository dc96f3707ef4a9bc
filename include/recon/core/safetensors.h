/* safetensors.h - named tensors and a map of strings in one file, as Hugging Face defined it.
 *
 * Our models are such files: from Python, safetensors.numpy.load_file(path) reads them. A file that
 * breaks a rule of the format (bounds, sizes, holes, overlaps, names twice) is refused whole. */
#ifndef RECON_CORE_SAFETENSORS_H
#define RECON_CORE_SAFETENSORS_H

#include <recon/core/array.h>

typedef struct recon_safetensors recon_safetensors;

/* A large file is mapped: it must not be shortened while it is open. Where there is no such file,
 * "fashion", "fashion.safetensors" or "models/fashion.safetensors" is the model that comes with
 * recon. */
RECON_API recon_status recon_safetensors_open(recon_ctx *ctx, recon_safetensors **out,
                                              const char *path);
RECON_API void recon_safetensors_close(recon_safetensors *file);

/* Tensors in the order of their data. */
RECON_API size_t recon_safetensors_count(const recon_safetensors *file);
RECON_API const char *recon_safetensors_name(const recon_safetensors *file, size_t i);

/* A tensor by its name; RECON_ERR_INPUT if there is none. The data stays in the file (or is copied,
 * where the file does not align it): free the array with recon_array_free before the close. */
RECON_API recon_status recon_safetensors_get(recon_ctx *ctx, recon_array *out,
                                             const recon_safetensors *file, const char *name);

/* The metadata string under key, NULL if there is none. Valid until the close. */
RECON_API const char *recon_safetensors_metadata(const recon_safetensors *file, const char *key);

typedef struct {
    const char *key, *value;
} recon_metadata_entry;

/* Entry i of the metadata, { NULL, NULL } behind the last. Valid until the close. */
RECON_API recon_metadata_entry recon_safetensors_metadata_at(const recon_safetensors *file,
                                                             size_t i);

typedef struct {
    const char *name;
    recon_array array; /* C order */
} recon_tensor_entry;

/* Wide elements first, then by name, so that everything is aligned and the same input gives the
 * same bytes in any order. The file appears complete or not at all. */
RECON_API recon_status recon_safetensors_write(recon_ctx *ctx, const char *path,
                                               const recon_tensor_entry *tensors, size_t n_tensors,
                                               const recon_metadata_entry *metadata,
                                               size_t n_metadata);

#endif
