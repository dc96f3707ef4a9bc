/* resembles.h - what was typed: numbers, words of a list, and what may have been meant by a name that
 * nobody has. */
#ifndef CORE_RESEMBLES_H
#define CORE_RESEMBLES_H

#include <stddef.h>

/* A whole number of at least `least`; a number above 0, or 0 where that is allowed; the place of a
 * word among "bilinear|bicubic". They give 0 and leave *out where the text is none. */
int recon_parse_count(size_t *out, const char *text, size_t least);
int recon_parse_number(double *out, const char *text, int allow_zero);
int recon_parse_choice(int *out, const char *choices, const char *text);

/* Whether word may have been meant by what was asked: one letter of four is put in, left out or
 * another, two at most. */
int recon_resembles(const char *asked, const char *word);

#endif
