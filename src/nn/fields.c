/* fields.c - channels by frequency. */
#include <recon/nn/fields.h>

#include <stdio.h>

size_t recon_fields_begin(const recon_fields *fields, size_t frequency)
{
    size_t n = 0;
    for (size_t m = 0; m < frequency; m++)
        n += fields->of[m] * recon_field_size(m);
    return n;
}

size_t recon_fields_channels(const recon_fields *fields)
{
    return recon_fields_begin(fields, RECON_FREQUENCIES);
}

size_t recon_fields_pairs(const recon_fields *fields)
{
    return (recon_fields_channels(fields) - fields->of[0]) / 2;
}

const char *recon_fields_print(recon_fields_text out, const recon_fields *fields)
{
    size_t used = 0, last = RECON_FREQUENCIES - 1;
    while (last > 0 && fields->of[last] == 0)
        last--;
    for (size_t m = 0; m <= last; m++)
        used += (size_t)snprintf(out + used, sizeof(recon_fields_text) - used, "%s%zu",
                                 m ? "," : "", fields->of[m]);
    return out;
}
