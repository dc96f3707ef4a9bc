/* journal.h - a folder changed in place, file by file, so that it ends up whole.
 *
 * Where a folder cannot be exchanged for another, the new files wait in a folder inside it. A
 * journal beside them says what is to be done: from the moment it has its name the new result
 * counts, and the next writer there does the rest. Readers wait for a writer that lives, and
 * otherwise refuse: reading changes nothing. A journal that was not written in this very folder is
 * refused by all. */
#ifndef CORE_JOURNAL_H
#define CORE_JOURNAL_H

#include "core/tree.h"

#define RECON_JOURNAL ".recon-journal"

/* "PREFIX-1-2": what a stage is called. */
int recon_is_stage(const char *name, const char *prefix);
#define RECON_STAGE_INSIDE ".recon"
/* In a stage: not complete, so nothing in it is anybody's. */
#define RECON_STAGE_MARKER ".recon-new"

/* Makes the journal of the folder: all that is in its sub-folder `stage` moves up, and the files
 * by the names in `remove` go. */
recon_status recon_journal_write(recon_ctx *ctx, const char *folder, const char *stage,
                                 const recon_names *remove);

/* Does what the journal says, if there is one. fd is the folder, which the caller has locked. */
recon_status recon_journal_roll(recon_ctx *ctx, int fd, const char *folder);

/* For readers: an error where there is a journal. Opening a file asks for it (recon_file_open), so
 * this is for those who list a folder. */
recon_status recon_journal_check(recon_ctx *ctx, const char *folder);
int recon_journal_is_in(const char *folder);

#endif
