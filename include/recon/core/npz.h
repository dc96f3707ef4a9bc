/* npz.h - NumPy's .npz files: a ZIP archive of .npy members, stored or deflated, of any size.
 *
 * Sizes, offsets and check sums are compared with the file and with each other; a member never
 * inflates beyond the size it declares, nor declares more than its bytes could inflate to. */
#ifndef RECON_CORE_NPZ_H
#define RECON_CORE_NPZ_H

#include <recon/core/array.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct recon_npz recon_npz;
typedef struct recon_npz_writer recon_npz_writer;

/* The archive's directory is read and checked; NULL may be closed. */
RECON_API recon_status recon_npz_open(recon_ctx *ctx, recon_npz **out, const char *path);
RECON_API void recon_npz_close(recon_npz *npz);

/* Members in the order of the archive, named as in np.load(path)[name]. */
RECON_API size_t recon_npz_count(const recon_npz *npz);
RECON_API const char *recon_npz_name(const recon_npz *npz, size_t i);

/* One member, in memory of its own: free it with recon_array_free, before or after the close. */
RECON_API recon_status recon_npz_read(recon_ctx *ctx, recon_array *out, const recon_npz *npz,
                                      const char *name);

/* Zero in any field means its default. */
typedef struct {
    int deflate; /* 0: members are stored; 1: compressed */
} recon_npz_options;

/* Add members, then commit: until then path is as it was. Close always. The same members give the
 * same bytes: dates are fixed. options may be NULL. */
RECON_API recon_status recon_npz_writer_open(recon_ctx *ctx, recon_npz_writer **out,
                                             const char *path, const recon_npz_options *options);
RECON_API recon_status recon_npz_writer_add(recon_ctx *ctx, recon_npz_writer *writer,
                                            const char *name, const recon_array *array);
RECON_API recon_status recon_npz_writer_commit(recon_ctx *ctx, recon_npz_writer *writer);
RECON_API void recon_npz_writer_close(recon_npz_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
