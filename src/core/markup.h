/* markup.h - text of XML and HTML in a growing buffer.
 *
 * Calls return nothing: the first failure stays in status and later calls do nothing. Start from
 * { .ctx = ctx }; the text is freed by whoever holds the buffer. */
#ifndef CORE_MARKUP_H
#define CORE_MARKUP_H

#include <stddef.h>
#include <recon/core/ctx.h>

typedef struct {
    recon_ctx *ctx;
    recon_status status; /* the first failure */
    char *text;          /* [used], and a zero behind it once there is anything */
    size_t used, room;
} recon_markup;

void recon_markup_bytes(recon_markup *m, const void *bytes, size_t n);
/* As it stands. */
void recon_markup_put(recon_markup *m, const char *text);
/* As text of an element or attribute: what would be read as markup is escaped; bytes that are not
 * UTF-8, and characters that XML lacks or that utf8.h does not let be shown, are replaced. */
void recon_markup_escaped(recon_markup *m, const char *text);
/* The same for the first n bytes of text. */
void recon_markup_escaped_part(recon_markup *m, const char *text, size_t n);

#endif
