/* utf8.h - which characters of untrusted text may be shown.
 *
 * Files hold names that end up in messages, tables and pages. What steers a terminal or reorders a
 * line must not come along: control characters (C0, DEL, C1), marks and overrides of the direction
 * of writing, separators of lines and paragraphs, and bytes that are not UTF-8 at all, which
 * terminals of other encodings would read as such. */
#ifndef CORE_UTF8_H
#define CORE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the character that begins the text of n bytes; 0 where none does. */
size_t recon_utf8_next(uint32_t *code, const char *text, size_t n);

/* Whether a whole text is UTF-8. */
int recon_utf8_is(const char *text);

/* Whether a character is one of those above. */
int recon_utf8_steers(uint32_t code);

#endif
