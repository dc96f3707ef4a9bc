/* skips.h - what a reader left out, and why: the messages, so that users can look at what they
 * lost.
 *
 * The first RECON_SKIPS_KEPT alone are kept: a file of nothing but rubbish must not fill memory. */
#ifndef DATA_SKIPS_H
#define DATA_SKIPS_H

#include <stddef.h>
#include <recon/core/ctx.h>

enum { RECON_SKIPS_KEPT = 1000 };

typedef struct {
    char **text;
    size_t n, room;
} recon_skips;

/* A copy of the text, unless there are enough. */
recon_status recon_skips_add(recon_ctx *ctx, recon_skips *skips, const char *text);
/* NULL beyond what is kept. */
const char *recon_skips_at(const recon_skips *skips, size_t i);
void recon_skips_free(recon_skips *skips);

#endif
