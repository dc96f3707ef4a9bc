/* irreps.c - counting channels and columns, degree by degree. */
#include <recon/group/irreps.h>
#include "core/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 65536 /* channels of a degree: far above any network, far below overflow */

size_t recon_irreps_begin(const recon_irreps *irreps, size_t l)
{
    size_t columns = 0;
    for (size_t k = 0; k < l; k++)
        columns += irreps->mul[k] * recon_degree_size(k);
    return columns;
}

size_t recon_irreps_dim(const recon_irreps *irreps)
{
    return recon_irreps_begin(irreps, RECON_DEGREES);
}

size_t recon_irreps_channels(const recon_irreps *irreps)
{
    size_t channels = 0;
    for (size_t l = 0; l < RECON_DEGREES; l++)
        channels += irreps->mul[l];
    return channels;
}

recon_irreps recon_irreps_join(const recon_irreps *a, const recon_irreps *b)
{
    recon_irreps both;
    for (size_t l = 0; l < RECON_DEGREES; l++)
        both.mul[l] = a->mul[l] + b->mul[l];
    return both;
}

int recon_irreps_same(const recon_irreps *a, const recon_irreps *b)
{
    return !memcmp(a->mul, b->mul, sizeof a->mul);
}

const char *recon_irreps_print(recon_irreps_text out, const recon_irreps *irreps)
{
    size_t used = 0;
    snprintf(out, sizeof(recon_irreps_text), "0");
    for (size_t l = 0; l < RECON_DEGREES; l++)
        if (irreps->mul[l])
            used += (size_t)snprintf(out + used, sizeof(recon_irreps_text) - used, "%s%zux%zu",
                                     used ? "+" : "", irreps->mul[l], l);
    return out;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "64x1" of a degree from `least` on; returns what follows, or NULL. */
static const char *read_term(recon_irreps *out, size_t *least, const char *text)
{
    char *end;
    if (!is_digit(*text))
        return NULL;
    unsigned long channels = strtoul(text, &end, 10);
    if (*end != 'x' || !is_digit(end[1]) || channels == 0 || channels > MOST)
        return NULL;
    unsigned long l = strtoul(end + 1, &end, 10);
    if (l < *least || l >= RECON_DEGREES)
        return NULL;
    out->mul[l] = channels;
    *least = l + 1;
    return end;
}

recon_status recon_irreps_parse(recon_ctx *ctx, recon_irreps *out, const char *text)
{
    const char *at = text;
    size_t least = 0;
    *out = (recon_irreps){ { 0 } };
    if (!strcmp(text, "0"))
        return RECON_OK;
    while ((at = read_term(out, &least, at)) && *at == '+')
        at++;
    if (!at || *at)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "'%s' are no channels: as 100x0+64x1, degrees rising to %d", text,
                          RECON_DEGREES - 1);
    return RECON_OK;
}
