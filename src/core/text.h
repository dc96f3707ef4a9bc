/* text.h - text for people: safe characters, counts in words, suggestions of names, degrees.
 *
 * Names from files end up in messages, tables and pages. Characters that control a terminal or
 * reorder a line must not: control characters (C0, DEL, C1), marks and overrides of the writing
 * direction, line and paragraph separators, and bytes that are not UTF-8, which terminals with
 * another encoding might read as such. */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Returns the number of bytes of the character at the start of the text; 0 if it is invalid. */
size_t recon_utf8_next(uint32_t *code, const char *text, size_t n);

/* Returns whether a whole text is UTF-8. */
int recon_utf8_is(const char *text);

/* Returns whether a character is one of those above. */
int recon_utf8_steers(uint32_t code);

typedef char recon_count_text[64];

/* Writes a count in words, "1 image" or "2 images", to out; returns out. */
const char *recon_count(recon_count_text out, size_t n, const char *one, const char *many);
/* The same for a noun whose plural ends in s, as an argument of printf. */
#define RECON_COUNT(n, one) recon_count((recon_count_text){ 0 }, n, one, one "s")

/* Returns whether asked may be a misspelling of word: at most one letter in four, and at most two,
 * are inserted, missing or wrong. */
int recon_resembles(const char *asked, const char *word);

/* Radians inside, degrees for people. */

#define RECON_TO_DEGREES (180 / 3.14159265358979323846) /* of one radian */
#define RECON_TO_RADIANS (3.14159265358979323846 / 180) /* of one degree */

/* Parse an integer of at least `least`; a number above 0, or 0 if that is allowed; the index of a
 * word in "bilinear|bicubic". They return 0 and leave *out unchanged if the text is not valid. */
int recon_parse_count(size_t *out, const char *text, size_t least);
int recon_parse_number(double *out, const char *text, int allow_zero);
int recon_parse_choice(int *out, const char *choices, const char *text);

#endif
