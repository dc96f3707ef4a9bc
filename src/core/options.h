/* options.h - the reserved tail of options: see RECON_RESERVED in recon/core/ctx.h. */
#ifndef CORE_OPTIONS_H
#define CORE_OPTIONS_H

#include <recon/core/ctx.h>

/* RECON_ERR_INPUT where something is in `reserved`; NULL: there are no options. type is for the
 * message. */
recon_status recon_reserved_check(recon_ctx *ctx, const uint64_t *reserved, const char *type);

/* Of a pointer to options, which may be NULL. */
#define RECON_OPTIONS_CHECK(ctx, options, type)                                                    \
    recon_reserved_check(ctx, (options) ? ((const type *)(options))->reserved : NULL, #type)

#endif
