/* inputs.h (private) - the fields of recon_inputs, for the commands. */
#ifndef BACKBONE_INPUTS_H
#define BACKBONE_INPUTS_H

#include <recon/backbone/inputs.h>
#include "data/skips.h"

struct recon_inputs {
    recon_data *whole, *part, *rotated, *known;
    const recon_data *use; /* the last of them */
    size_t n, skipped;     /* inputs of it, and those left out */
    int cropped;           /* images are: as asked, or by the model */
    int lent;              /* whole is the caller's */
    int folder;            /* they are pictures of one */
    recon_skips skips;     /* what is wrong with them, if known */
};

/* Like recon_inputs_open, but in the caller's memory, and without removing inputs that the backbone
 * does not accept. Always call recon_inputs_end. */
recon_status recon_inputs_begin(recon_ctx *ctx, recon_inputs *out, const recon_source *source,
                                const recon_data *data, const recon_backbone *backbone);
void recon_inputs_end(recon_inputs *inputs);

/* Keeps only inputs that the backbone accepts: another one is an error that names it, or is skipped
 * and counted with skip_bad. spec is for messages. */
recon_status recon_inputs_keep(recon_ctx *ctx, recon_inputs *inputs, const char *spec, int skip_bad,
                               const recon_backbone *backbone);
/* The same by any rule. */
typedef recon_status recon_accept(recon_ctx *ctx, const void *user, const recon_data *data,
                                  size_t i);
recon_status recon_inputs_filter(recon_ctx *ctx, recon_inputs *inputs, const char *spec,
                                 int skip_bad, recon_accept *accept, const void *user);
/* RECON_ERR_INPUT, with its name, if the backbone does not accept input i. */
recon_status recon_inputs_check(recon_ctx *ctx, const recon_inputs *inputs, size_t i,
                                const char *spec, const recon_backbone *backbone);

/* The name of an input for the terminal: on one line, truncated, "" for none. */
typedef char recon_input_name[64];
const char *recon_inputs_label(recon_input_name out, const recon_inputs *inputs, size_t i);
/* Returns the images before they were rotated; molecules unchanged. */
const recon_data *recon_inputs_unrotated(const recon_inputs *inputs);

#endif
