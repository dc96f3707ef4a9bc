/* json.h - JSON documents through jansson, with errors that name the place. */
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include <stddef.h>
#include <jansson.h>
#include <recon/core/ctx.h>

/* Parse or read an object or an array; duplicate keys are refused. Release with json_decref. path
 * is for messages: "path: line 3, column 7: ...". On failure *out is NULL. */
recon_status recon_json_parse(recon_ctx *ctx, json_t **out, const void *bytes, size_t size,
                              const char *path);
recon_status recon_json_read(recon_ctx *ctx, json_t **out, const char *path);

/* Add a new value and take it over. If memory runs out, or value is NULL because it did before, *to
 * becomes NULL, and so does everything built from it; recon_json_write then reports it. */
void recon_json_put(json_t **to, const char *key, json_t *value);
void recon_json_append(json_t **to, json_t *value);

/* The same for a text, which is omitted if it is not UTF-8. */
void recon_json_put_text(json_t **to, const char *key, const char *text);

/* Writes a value indented by 2, keys in the order they were added, numbers with all their digits.
 * The file appears complete or not at all. NULL means that memory ran out before. */
recon_status recon_json_write(recon_ctx *ctx, const char *path, const json_t *value);

/* Rounds numbers, in place, to the digits that are written, so that reading changes nothing. */
void recon_json_round(json_t *value);

/* Returns a value as text, to be freed, and releases the value; NULL if memory ran out. */
char *recon_json_text(json_t *value);

#endif
