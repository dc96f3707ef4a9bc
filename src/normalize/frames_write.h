/* frames_write.h (private) - frames as files of a larger result. */
#ifndef NORMALIZE_FRAMES_WRITE_H
#define NORMALIZE_FRAMES_WRITE_H

#include <jansson.h>
#include <recon/normalize/normalize.h>

/* As recon_frames_write, into a folder that is there: a stage (core/folder.h). */
recon_status recon_frames_put(recon_ctx *ctx, const char *dir, const recon_frames *frames,
                              recon_dtype poses, const char *summary);

/* The same over ranks (comm/comm.h): each has its own rows, from `first` on of `rows`, and writes them
 * into files of all; dir and summary are rank 0's. */
recon_status recon_frames_put_share(recon_ctx *ctx, const char *dir, const recon_frames *frames,
                                    recon_dtype poses, size_t first, size_t rows,
                                    const char *summary);

/* Puts "files" into a summary: by these names a later result knows what it replaces. They are those
 * of the frames, of the summary itself, and `more` (ends with NULL; may be NULL). */
void recon_frames_list(json_t **summary, const recon_frames *frames, const char *const *more);

#endif
