/* options.c - what every options struct is checked for. */
#include "core/options.h"

recon_status recon_reserved_check(recon_ctx *ctx, const uint64_t *reserved, const char *type)
{
    for (int i = 0; reserved && i < RECON_RESERVED; i++)
        if (reserved[i])
            return recon_fail(
                ctx, RECON_ERR_INPUT,
                "reserved[%d] of %s is not zero: the options were not cleared, or the "
                "program was made for a later version",
                i, type);
    return RECON_OK;
}

recon_status recon_enum_check(recon_ctx *ctx, unsigned value, unsigned last, const char *what)
{
    if (value > last)
        return recon_fail(ctx, RECON_ERR_INPUT, "no %s has the number %d", what, (int)value);
    return RECON_OK;
}
