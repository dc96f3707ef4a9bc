/* text.h - text for people: characters that may be shown, numbers with their words, names that may
 * have been meant, degrees.
 *
 * Files hold names that end up in messages, tables and pages. What steers a terminal or reorders a
 * line must not come along: control characters (C0, DEL, C1), marks and overrides of the direction
 * of writing, separators of lines and paragraphs, and bytes that are not UTF-8 at all, which
 * terminals of other encodings would read as such. */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the character that begins the text of n bytes; 0 where none does. */
size_t recon_utf8_next(uint32_t *code, const char *text, size_t n);

/* Whether a whole text is UTF-8. */
int recon_utf8_is(const char *text);

/* Whether a character is one of those above. */
int recon_utf8_steers(uint32_t code);

/* How many, in words: "1 image", "2 images". */

typedef char recon_count_text[64];

/* The number with one or many behind it, to out; returns out. */
const char *recon_count(recon_count_text out, size_t n, const char *one, const char *many);
/* The same of what makes its plural with an s, for an argument of printf. */
#define RECON_COUNT(n, one) recon_count((recon_count_text){ 0 }, n, one, one "s")

/* Whether word may have been meant by what was asked: one letter of four is put in, left out or
 * another, two at most. */
int recon_resembles(const char *asked, const char *word);

/* Radians inside, degrees for people. */

#define RECON_TO_DEGREES (180 / 3.14159265358979323846) /* of one radian */
#define RECON_TO_RADIANS (3.14159265358979323846 / 180) /* of one degree */

/* A whole number of at least `least`; a number above 0, or 0 where that is allowed; the place of a
 * word among "bilinear|bicubic". They give 0 and leave *out where the text is none. */
int recon_parse_count(size_t *out, const char *text, size_t least);
int recon_parse_number(double *out, const char *text, int allow_zero);
int recon_parse_choice(int *out, const char *choices, const char *text);

#endif
