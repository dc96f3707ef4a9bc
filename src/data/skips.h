/* skips.h - the messages about inputs that a reader skipped.
 *
 * Only the first RECON_SKIPS_KEPT are kept, so that a broken file cannot fill memory. */
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

/* Adds a copy of the text, unless the list is full. */
recon_status recon_skips_add(recon_ctx *ctx, recon_skips *skips, const char *text);
/* NULL beyond what is kept. */
const char *recon_skips_at(const recon_skips *skips, size_t i);
void recon_skips_free(recon_skips *skips);

/* --- picture files of a folder that are not read, because of their format or because they are too
 * deep, described in sentences */

typedef struct {
    size_t files;                         /* all of them */
    size_t format[RECON_PICTURE_ENDINGS]; /* by ending */
    size_t deep;                          /* pictures below the folders of classes */
    char deepest[256];                    /* the first folder by name that has such */
    recon_skips why;                      /* filled by recon_unread_tell */
} recon_unread;

/* Counts the file if it is a picture by its name, and returns whether it is. */
int recon_unread_note(recon_unread *unread, const char *name);
/* Counts n pictures in a folder that is too deep. */
void recon_unread_note_deep(recon_unread *unread, const char *folder, size_t n);
/* Fills in why. root: the length of a path up to the names in the folder. */
recon_status recon_unread_tell(recon_ctx *ctx, recon_unread *unread, size_t root);
void recon_unread_free(recon_unread *unread);

#endif
