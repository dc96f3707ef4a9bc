/* fail.h - errors in the library: one status, one message (recon_fail, recon/core/ctx.h), one
 * exit. */
#ifndef CORE_FAIL_H
#define CORE_FAIL_H

#include <recon/core/ctx.h>

/* Appends what the caller knows to the message, in brackets. Returns status unchanged. */
recon_status recon_note(recon_ctx *ctx, recon_status status, const char *fmt, ...)
    RECON_PRINTF(3, 4);

/* Appends "in PATH" unless the message names the file already: for functions that open a file and
 * call helpers that do not know its path. */
recon_status recon_note_file(recon_ctx *ctx, recon_status status, const char *path);

/* Returns the text with its settings and calls (see recon_fail) spelled, or the text itself if it
 * has none or does not fit. A printf format remains one. */
const char *recon_spell(char *out, size_t room, const char *text, recon_spelling spelling);

/* Messages quote files and arguments, whose content must not break the line or control the
 * terminal. All functions above and recon_log ensure that; this is for text that is shown in other
 * ways. Every character listed in text.h, and every byte that is not UTF-8, becomes '?'. */
void recon_keep_to_one_line(char *text);

/* Returns from the function if the call fails: for functions that have nothing to free. */
#define RECON_CHECK(call)                                                                          \
    do {                                                                                           \
        recon_status checked = (call);                                                             \
        if (checked != RECON_OK)                                                                   \
            return checked;                                                                        \
    } while (0)

/* For other functions. Needs `recon_status status` in scope and a label `done:` that frees. */
#define RECON_TRY(call)                                                                            \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != RECON_OK)                                                                    \
            goto done;                                                                             \
    } while (0)

/* --- checks of options structs: the reserved tail (RECON_RESERVED) and enums */

/* RECON_ERR_INPUT if reserved is not zero. reserved may be NULL; type is for the message. */
recon_status recon_reserved_check(recon_ctx *ctx, const uint64_t *reserved, const char *type);

/* The same for a pointer to options, which may be NULL. */
#define RECON_OPTIONS_CHECK(ctx, options, type)                                                    \
    recon_reserved_check(ctx, (options) ? ((const type *)(options))->reserved : NULL, #type)

/* RECON_ERR_INPUT if value is not in 0 .. last, the constants of an enum; what names it:
 * "metric". */
recon_status recon_enum_check(recon_ctx *ctx, unsigned value, unsigned last, const char *what);

#endif
