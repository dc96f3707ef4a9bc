/* model_file.h (private) - the file that holds a whole model, of images or of molecules. */
#ifndef MODEL_MODEL_FILE_H
#define MODEL_MODEL_FILE_H

#include <recon/model/model.h>

/* RECON_ERR_INPUT for a file whose maps are not there, or of another group ("so2", "so3"); the
 * message says what to do. */
recon_status recon_model_file_check(recon_ctx *ctx, const char *path, const char *group);

/* Writes a backbone and, unless NULL, its maps. See recon_model_save. */
recon_status recon_model_file_save(recon_ctx *ctx, const char *path, const char *from,
                                   const recon_params *backbone, const recon_params *maps,
                                   const char *group, const recon_model_save_options *options);

/* Entries of one's own, and behind them those of somebody else; free *out. */
recon_status recon_metadata_join(recon_ctx *ctx, recon_metadata_entry **out,
                                 const recon_metadata_entry *own, size_t n,
                                 const recon_metadata_entry *more, size_t n_more);

#endif
