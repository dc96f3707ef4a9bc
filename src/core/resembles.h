/* resembles.h - what may have been meant by a name that nobody has. */
#ifndef CORE_RESEMBLES_H
#define CORE_RESEMBLES_H

/* Whether word may have been meant by what was asked: one letter of four is put in, left out or
 * another, two at most. */
int recon_resembles(const char *asked, const char *word);

#endif
