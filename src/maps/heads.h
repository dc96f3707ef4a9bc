/* heads.h (private) - the four heads: what each puts out, its loss, and how its numbers are read.
 */
#ifndef MAPS_HEADS_H
#define MAPS_HEADS_H

#include <recon/maps/so2_map.h>
#include <recon/nn/tape.h>

typedef enum {
    RECON_HEAD_LAMBDA,  /* a direction                            */
    RECON_HEAD_THETA,   /* a width                                */
    RECON_HEAD_SUPPORT, /* the ends a, b of an arc                */
    RECON_HEAD_DENSITY, /* a mixture, as RECON_LOSS_VONMISES has it */
    RECON_HEADS
} recon_head;

enum { RECON_HEAD_OUTPUTS = 4 * RECON_SO2_PARTS_MAX }; /* the most that one puts out */

typedef struct {
    const char *name;
    size_t outputs, targets; /* numbers a row */
    int dropout;             /* is it trained with dropout? */
    recon_var (*loss)(recon_tape *tape, recon_var y, recon_var target);
    void (*read)(recon_so2_map *out, const double *y);
} recon_head_kind;

extern const recon_head_kind recon_heads[RECON_HEADS];

#endif
