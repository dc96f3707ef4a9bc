/* amat.h - images as rows of text. */
#ifndef DATA_AMAT_H
#define DATA_AMAT_H

#include "data/dataset.h"

/* Fills data from lines of side * side pixels, row by row, and a label; blanks between the numbers.
 * The first line says how many numbers a line has. path is for messages. */
recon_status recon_amat_parse(recon_ctx *ctx, recon_dataset *data, const void *bytes, size_t size,
                              const recon_dataset_options *options, const char *path);
recon_status recon_amat_read(recon_ctx *ctx, recon_dataset *data, const char *path,
                             const recon_dataset_options *options);

#endif
