/* text.h - lines, words and numbers of text that lies in memory, whatever the locale. */
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

/* All of a text, without the byte order mark that some editors put first. */
recon_span recon_text_begin(const char *text, size_t size);

/* Blank: space, tab, comma, carriage return. */
int recon_text_blank(char c);
int recon_text_empty(recon_span line); /* nothing but such */

/* Cuts the next line, without its end, from rest; 0 where there is none. */
int recon_text_line(recon_span *line, recon_span *rest);

/* Cuts the next word between blanks from line; empty where there is none. */
recon_span recon_text_word(recon_span *line);
int recon_text_is(recon_span word, const char *text);

/* Whether a word as a whole is a decimal number that a float can hold (good to the last digit of
 * one), or a count in digits. */
int recon_text_number(double *out, recon_span word);
int recon_text_count(size_t *out, recon_span word);

#endif
