/* frames_write.h (private) - frames as files of a larger result. */
#ifndef NORMALIZE_FRAMES_WRITE_H
#define NORMALIZE_FRAMES_WRITE_H

#include <jansson.h>
#include <recon/normalize/normalize.h>

/* Like recon_frames_write, into an existing folder: a stage (core/folder.h). */
recon_status recon_frames_put(recon_ctx *ctx, const char *dir, const recon_frames *frames,
                              recon_dtype poses, const char *summary);

/* The same over ranks (comm/comm.h): each writes its own rows, from `first` on of `rows`, into the
 * common files; dir and summary are those of rank 0. */
recon_status recon_frames_put_share(recon_ctx *ctx, const char *dir, const recon_frames *frames,
                                    recon_dtype poses, size_t first, size_t rows,
                                    const char *summary);

/* Adds "files" to a summary, the names by which a later result knows what to replace: those of the
 * frames, the summary itself, and `more` (ends with NULL; may be NULL). */
void recon_frames_list(json_t **summary, const recon_frames *frames, const char *const *more);

#endif
