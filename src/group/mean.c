/* mean.c - the means by name, and their options. */
#include "group/mean.h"
#include "core/fail.h"

recon_status recon_mean_options_check(recon_ctx *ctx, const recon_mean_options *o)
{
    recon_status status;
    RECON_TRY(recon_reserved_check(ctx, o->reserved, "recon_mean_options"));
    RECON_TRY(recon_enum_check(ctx, o->kind, RECON_MEAN_CHORDAL, "mean"));
done:
    return status;
}

const char *recon_mean_name(recon_mean_kind kind)
{
    static const char *const name[] = { "auto", "tukey", "frechet", "chordal" };
    return name[kind];
}
