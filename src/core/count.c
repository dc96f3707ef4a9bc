/* count.c - how many, in words. */
#include "core/count.h"

#include <stdio.h>

const char *recon_count(recon_count_text out, size_t n, const char *one, const char *many)
{
    snprintf(out, sizeof(recon_count_text), "%zu %s", n, n == 1 ? one : many);
    return out;
}
