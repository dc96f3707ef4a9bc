/* fail.h - how code inside the library fails: one status, one message (recon_fail, in
 * recon/core/ctx.h), one exit. */
#ifndef CORE_FAIL_H
#define CORE_FAIL_H

#include <recon/core/ctx.h>

/* A caller that knows more puts it behind the message, in brackets. Returns status unchanged. */
recon_status recon_note(recon_ctx *ctx, recon_status status, const char *fmt, ...)
    RECON_PRINTF(3, 4);

/* The same with "in PATH", unless the message names the file already: for who opens one and has
 * helpers that do not know it. */
recon_status recon_note_file(recon_ctx *ctx, recon_status status, const char *path);

/* The text with its settings and calls (see recon_fail) spelled; the text itself where it has none,
 * or there is no room. A format remains one. */
const char *recon_spell(char *out, size_t room, const char *text, recon_spelling spelling);

/* Messages quote files and arguments: what is in them must not break the line or steer the
 * terminal. All functions above and recon_log see to it; this is for whoever shows text by other
 * ways. Every character that text.h names, and every byte that is not UTF-8, becomes '?'. */
void recon_keep_to_one_line(char *text);

/* For functions that have nothing to free: a failure is returned at once. */
#define RECON_CHECK(call)                                                                          \
    do {                                                                                           \
        recon_status checked = (call);                                                             \
        if (checked != RECON_OK)                                                                   \
            return checked;                                                                        \
    } while (0)

/* For the others. Needs `recon_status status` in scope and a `done:` label, the one exit that frees. */
#define RECON_TRY(call)                                                                            \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != RECON_OK)                                                                    \
            goto done;                                                                             \
    } while (0)

/* --- what every options struct is checked for: its reserved tail (RECON_RESERVED in
 * recon/core/ctx.h), and that its enums hold constants */

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
