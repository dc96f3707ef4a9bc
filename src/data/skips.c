/* skips.c - messages of what was left out. */
#include "data/skips.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

recon_status recon_skips_add(recon_ctx *ctx, recon_skips *s, const char *text)
{
    size_t length = strlen(text);
    char *copy = NULL;
    recon_status status;
    if (s->n == RECON_SKIPS_KEPT)
        return RECON_OK;
    RECON_TRY(recon_grow(ctx, &s->text, &s->room, s->n, s->n + 1, sizeof *s->text));
    RECON_TRY(recon_alloc_raw(ctx, &copy, length + 1, 1));
    memcpy(copy, text, length + 1);
    s->text[s->n++] = copy;
done:
    return status;
}

const char *recon_skips_at(const recon_skips *skips, size_t i)
{
    return i < skips->n ? skips->text[i] : NULL;
}

void recon_skips_free(recon_skips *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->text[i]);
    free(s->text);
    *s = (recon_skips){ 0 };
}
