/* json.h - JSON documents through jansson, with errors that name the place. */
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include <stddef.h>
#include <jansson.h>
#include <recon/core/ctx.h>

/* An object or an array; keys that come twice are refused. Release with json_decref. path is for
 * messages: "path: line 3, column 7: ...". On failure *out is NULL. */
recon_status recon_json_parse(recon_ctx *ctx, json_t **out, const void *bytes, size_t size,
                              const char *path);
recon_status recon_json_read(recon_ctx *ctx, json_t **out, const char *path);

/* Indented by 2, keys as they were added, numbers with all their digits. The file appears complete
 * or not at all. A NULL value means that memory ran out while it was built. */
recon_status recon_json_write(recon_ctx *ctx, const char *path, const json_t *value);

#endif
