/* text.h - parses lines, words and numbers of text in memory, independent of the locale. */
#ifndef DATA_TEXT_H
#define DATA_TEXT_H

#include <stddef.h>

typedef struct {
    const char *at, *end;
} recon_span;

static inline size_t recon_span_size(recon_span s)
{
    return (size_t)(s.end - s.at);
}

/* Returns a whole text, without a byte order mark. */
recon_span recon_text_begin(const char *text, size_t size);

/* Blank: space, tab, comma, carriage return. */
int recon_text_blank(char c);
int recon_text_empty(recon_span line); /* only blanks */

/* Cuts the next line, without its end, from rest; returns 0 if there is none. */
int recon_text_line(recon_span *line, recon_span *rest);

/* Cuts the next word between blanks from line; empty if there is none. */
recon_span recon_text_word(recon_span *line);
int recon_text_is(recon_span word, const char *text);

/* Return whether a whole word is a decimal number in the range of a float (accurate to its last
 * digit), or a count in digits. */
int recon_text_number(double *out, recon_span word);
int recon_text_count(size_t *out, recon_span word);

#endif
