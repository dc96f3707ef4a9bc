/* safetensors.h - Hugging Face's safetensors files: named tensors and a map of strings.
 *
 * Models are such files, so Python can read them with safetensors.numpy.load_file(path). A file
 * that breaks a rule of the format (bounds, sizes, gaps, overlaps, duplicate names) is refused. */
#ifndef RECON_CORE_SAFETENSORS_H
#define RECON_CORE_SAFETENSORS_H

#include <recon/core/array.h>

typedef struct recon_safetensors recon_safetensors;

/* Opens a safetensors file. A large file is mapped and must not be truncated while it is open. If
 * the path does not exist, "fashion", "fashion.safetensors" and "models/fashion.safetensors" stand
 * for the model of that name that comes with recon. */
RECON_API recon_status recon_safetensors_open(recon_ctx *ctx, recon_safetensors **out,
                                              const char *path);
RECON_API void recon_safetensors_close(recon_safetensors *file);

/* The number of tensors, and the name of the i-th in the order of their data. */
RECON_API size_t recon_safetensors_count(const recon_safetensors *file);
RECON_API const char *recon_safetensors_name(const recon_safetensors *file, size_t i);

/* Finds a tensor by its name; RECON_ERR_INPUT if there is none. The array refers to the file, or is
 * a copy if the data are not aligned there: free it before closing the file. */
RECON_API recon_status recon_safetensors_get(recon_ctx *ctx, recon_array *out,
                                             const recon_safetensors *file, const char *name);

/* Returns the metadata string under key, or NULL if there is none. Valid while the file is open. */
RECON_API const char *recon_safetensors_metadata(const recon_safetensors *file, const char *key);

typedef struct {
    const char *key, *value;
} recon_metadata_entry;

/* Returns entry i of the metadata, or { NULL, NULL } after the last; valid while open. */
RECON_API recon_metadata_entry recon_safetensors_metadata_at(const recon_safetensors *file,
                                                             size_t i);

typedef struct {
    const char *name;
    recon_array array; /* C order */
} recon_tensor_entry;

/* Writes tensors and metadata to a file. Tensors are sorted by element size, widest first, and then
 * by name, so that all are aligned and the bytes do not depend on the order of the input. The file
 * appears complete or not at all. */
RECON_API recon_status recon_safetensors_write(recon_ctx *ctx, const char *path,
                                               const recon_tensor_entry *tensors, size_t n_tensors,
                                               const recon_metadata_entry *metadata,
                                               size_t n_metadata);

#endif
