/* count.h - how many, in words: "1 image", "2 images". */
#ifndef CORE_COUNT_H
#define CORE_COUNT_H

#include <stddef.h>

typedef char recon_count_text[64];

/* The number with one or many behind it, to out; returns out. */
const char *recon_count(recon_count_text out, size_t n, const char *one, const char *many);
/* The same of what makes its plural with an s, for an argument of printf. */
#define RECON_COUNT(n, one) recon_count((recon_count_text){ 0 }, n, one, one "s")

#endif
