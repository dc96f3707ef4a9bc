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

/* Adds a value that was just made. Where memory ran out for it, or does so here, *to becomes NULL:
 * what is made of it afterwards is NULL too, and whoever writes that says why. */
void recon_json_put(json_t **to, const char *key, json_t *value);
void recon_json_append(json_t **to, json_t *value);

/* The same of a text, which is left out where it is not UTF-8. */
void recon_json_put_text(json_t **to, const char *key, const char *text);

/* Indented by 2, keys as they were added, numbers with all their digits. The file appears complete
 * or not at all. A NULL value means that memory ran out while it was built. */
recon_status recon_json_write(recon_ctx *ctx, const char *path, const json_t *value);

/* Rounds numbers to the digits that text has, in place: read back, they are the same. */
void recon_json_round(json_t *value);

/* A value as text, to be freed, and the value released; NULL when memory ran out, or
 * value is NULL. */
char *recon_json_text(json_t *value);

#endif
