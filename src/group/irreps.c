/* irreps.c - counting channels and columns, degree by degree. */
#include <recon/group/irreps.h>

#include <stdio.h>

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
