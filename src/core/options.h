/* options.h - what every options struct is checked for: its reserved tail (RECON_RESERVED in
 * recon/core/ctx.h), and that its enums hold constants. */
#ifndef CORE_OPTIONS_H
#define CORE_OPTIONS_H

#include <recon/core/ctx.h>

/* RECON_ERR_INPUT where something is in `reserved`; NULL: there are no options. type is for the
 * message. */
recon_status recon_reserved_check(recon_ctx *ctx, const uint64_t *reserved, const char *type);

/* Of a pointer to options, which may be NULL. */
#define RECON_OPTIONS_CHECK(ctx, options, type)                                                    \
    recon_reserved_check(ctx, (options) ? ((const type *)(options))->reserved : NULL, #type)

/* RECON_ERR_INPUT where value is none of an enum's constants, which count from 0 to last. what is
 * for the message: "metric". */
recon_status recon_enum_check(recon_ctx *ctx, unsigned value, unsigned last, const char *what);

#endif
