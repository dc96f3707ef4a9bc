/* skips.c - messages about skipped inputs. */
#include "data/skips.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

recon_status recon_skips_add(recon_ctx *ctx, recon_skips *s, const char *text)
{
    size_t length = strlen(text);
    char *copy = NULL;
    if (s->n == RECON_SKIPS_KEPT)
        return RECON_OK;
    RECON_CHECK(recon_grow(ctx, &s->text, &s->room, s->n, s->n + 1, sizeof *s->text));
    RECON_CHECK(recon_alloc_raw(ctx, &copy, length + 1, 1));
    memcpy(copy, text, length + 1);
    s->text[s->n++] = copy;
    return RECON_OK;
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

/* --- pictures that are not read --------------------------------------------------------------- */

int recon_unread_note(recon_unread *u, const char *name)
{
    const recon_picture_ending *e = recon_picture_ending_of(name);
    if (!e || e->is_read)
        return 0;
    u->format[e - recon_picture_endings]++;
    u->files++;
    return 1;
}

void recon_unread_note_deep(recon_unread *u, const char *folder, size_t n)
{
    if (n && !u->deep)
        snprintf(u->deepest, sizeof u->deepest, "%s", folder);
    u->deep += n;
    u->files += n;
}

static recon_status tell_format(recon_ctx *ctx, recon_unread *u, size_t i)
{
    char text[320];
    size_t n = u->format[i];
    const recon_picture_ending *e = &recon_picture_endings[i];
    if (e->library)
        snprintf(text, sizeof text, "%zu %s file%s not read: built without %s and build again", n,
                 e->ending, n == 1 ? " is" : "s are", e->library);
    else
        snprintf(text, sizeof text,
                 "%zu %s file%s not read: convert %s first, for example by "
                 "`find DIR -iname '*%s' -exec mogrify -format png {} +`",
                 n, e->ending, n == 1 ? " is" : "s are", n == 1 ? "it" : "them", e->ending);
    return recon_skips_add(ctx, &u->why, text);
}

static recon_status tell_deep(recon_ctx *ctx, recon_unread *u, size_t root)
{
    char text[512];
    snprintf(
        text, sizeof text,
        "%zu picture%s not read: %s in folders of folders (%s): a folder holds pictures, or one "
        "level of folders, which are classes",
        u->deep, u->deep == 1 ? " is" : "s are", u->deep == 1 ? "it lies" : "they lie",
        strlen(u->deepest) > root ? u->deepest + root : u->deepest);
    return recon_skips_add(ctx, &u->why, text);
}

recon_status recon_unread_tell(recon_ctx *ctx, recon_unread *u, size_t root)
{
    recon_status status = RECON_OK;
    for (size_t i = 0; status == RECON_OK && i < RECON_PICTURE_ENDINGS; i++)
        if (u->format[i])
            status = tell_format(ctx, u, i);
    return status == RECON_OK && u->deep ? tell_deep(ctx, u, root) : status;
}

void recon_unread_free(recon_unread *u)
{
    recon_skips_free(&u->why);
}
