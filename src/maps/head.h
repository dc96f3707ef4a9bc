/* head.h (private) - one head: what it puts out, its loss, and how its numbers are read. */
#ifndef MAPS_HEAD_H
#define MAPS_HEAD_H

#include <recon/nn/tape.h>

typedef struct {
    const char *name;
    size_t outputs, targets; /* numbers a row */
    int dropout;             /* is it trained with dropout? */
    /* number: what the bundle keeps beside its heads, see bundle.h */
    recon_var (*loss)(recon_tape *tape, recon_var y, recon_var target, double number);
    void (*read)(void *map, const double *y, double number);
    /* The loss of the first lessons, see RECON_LESSONS_EARLY; NULL: the same as later. */
    recon_var (*early)(recon_tape *tape, recon_var y, recon_var target, double number);
} recon_head_kind;

enum { RECON_HEADS_MOST = 4, RECON_HEAD_OUTPUTS = 64 }; /* of a bundle, of a head */

#endif
