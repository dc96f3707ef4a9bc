/* journal.h - replaces a result in its folder file by file, completely even after a crash.
 *
 * * It is used if folders cannot be exchanged. The new files wait in a sub-folder, with a journal
 * beside it that lists what to do. From the moment the journal has its name the new result is
 * valid, and if the writer dies, the next one finishes the work. Readers wait for a live writer and
 * otherwise fail, since reading changes nothing. A journal of another folder is refused. */
#ifndef CORE_JOURNAL_H
#define CORE_JOURNAL_H

#include "core/tree.h"

#define RECON_JOURNAL ".recon-journal"

/* Returns whether name is that of a stage, "PREFIX-1-2". */
int recon_is_stage(const char *name, const char *prefix);
#define RECON_STAGE_INSIDE ".recon"
/* A file in a stage that is not complete, whose content may be removed. */
#define RECON_STAGE_MARKER ".recon-new"

/* Writes the journal of the folder: move everything from the sub-folder `stage` up, and delete the
 * files named in `remove`. */
recon_status recon_journal_write(recon_ctx *ctx, const char *folder, const char *stage,
                                 const recon_names *remove);

/* Carries out the journal, if there is one. fd is the folder, locked by the caller. */
recon_status recon_journal_roll(recon_ctx *ctx, int fd, const char *folder);

/* For readers: fails if there is a journal. recon_file_open calls it; call it before a listing. */
recon_status recon_journal_check(recon_ctx *ctx, const char *folder);
int recon_journal_is_in(const char *folder);

#endif
