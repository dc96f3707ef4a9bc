/* metadata.h (private) - the metadata of model files. */
#ifndef BACKBONE_METADATA_H
#define BACKBONE_METADATA_H

#include <recon/core/safetensors.h>
#include <recon/backbone/networks.h>

/* Read a number, or an integer, under a key. RECON_ERR_FORMAT if the key is missing or its value is
 * not in least .. most. path is for the message. */
recon_status recon_metadata_number(recon_ctx *ctx, double *out, const recon_safetensors *file,
                                   const char *key, double least, double most, const char *path);
recon_status recon_metadata_size(recon_ctx *ctx, size_t *out, const recon_safetensors *file,
                                 const char *key, size_t least, size_t most, const char *path);

/* Returns whether the value of "model" is this kind. */
int recon_metadata_is(const recon_safetensors *file, const char *kind);
/* "format" of a model is the first version of recon that can open it. RECON_FORMAT is the one that
 * is written, to be raised with each change that earlier versions cannot read. check is
 * RECON_ERR_FORMAT if the file needs a later version than this one; files without "format" have
 * that of 0.3.0 or before. */
#define RECON_FORMAT_KEY "format"
#define RECON_FORMAT     "0.3.0"
recon_status recon_metadata_check_format(recon_ctx *ctx, const recon_safetensors *file,
                                         const char *path);

/* Reads "preset". */
recon_status recon_metadata_preset(recon_ctx *ctx, recon_preset *out, const recon_safetensors *file,
                                   const char *path);

/* A growing list of entries, with room for the text of numbers. */
enum { RECON_METADATA_MOST = 24 };
typedef struct {
    char text[RECON_METADATA_MOST][32];
    recon_metadata_entry entry[RECON_METADATA_MOST];
    size_t n;
} recon_metadata_list; /* all zero: empty */

void recon_metadata_add(recon_metadata_list *list, const char *key, const char *value /* lent */);
void recon_metadata_add_number(recon_metadata_list *list, const char *key, double value);

#endif
