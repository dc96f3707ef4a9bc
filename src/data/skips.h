/* skips.h - what a reader left out, and why: the messages, so that users can look at what they
 * lost.
 *
 * The first RECON_SKIPS_KEPT alone are kept: a file of nothing but rubbish must not fill memory. */
#ifndef DATA_SKIPS_H
#define DATA_SKIPS_H

#include <stddef.h>
#include <recon/core/ctx.h>
#include "core/picture.h"

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

/* --- picture files that lie in a folder of pictures and are not read, told in sentences: of a format
 * that is not supported, or too deep */

typedef struct {
    size_t files;                         /* all of them                               */
    size_t format[RECON_PICTURE_ENDINGS]; /* by ending                                 */
    size_t deep;                          /* pictures below the folders of classes     */
    char deepest[256];                    /* the first folder by name that has such    */
    recon_skips why;                      /* filled by recon_unread_tell               */
} recon_unread;

/* Counts the file if it is a picture by its name; whether it is. */
int recon_unread_note(recon_unread *unread, const char *name);
/* n pictures in a folder that is too deep. */
void recon_unread_note_deep(recon_unread *unread, const char *folder, size_t n);
/* Fills why. root: characters of a path before the names in the folder. */
recon_status recon_unread_tell(recon_ctx *ctx, recon_unread *unread, size_t root);
void recon_unread_free(recon_unread *unread);

#endif
