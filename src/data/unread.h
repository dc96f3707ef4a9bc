/* unread.h - picture files that lie in a folder of pictures and are not read, told in sentences: of
 * a format that is not supported, or too deep. */
#ifndef DATA_UNREAD_H
#define DATA_UNREAD_H

#include "core/picture.h"
#include "data/skips.h"

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
