/* rotate.h - inputs rotated as their rows say, block by block, into a sink: what canonicalize and upright
 * end with. */
#ifndef CLI_ROTATE_H
#define CLI_ROTATE_H

#include "cli/sinks.h"
#include <recon/model/canonicalize.h>

/* An input whose embedding has a lower p-value is unlike the training data. */
#define CLI_UNLIKE 0.01

/* Changes the row of input i before it counts: its rotation, why, and whether it is rotated. */
typedef void cli_amend(void *arg, recon_row *row, size_t i, const recon_group *group);

typedef struct {
    const recon_model *model;
    cli_sink *to; /* open on rank 0; elsewhere its inputs, table and rotation are known */
    const recon_canonicalize_options *how;
    cli_amend *amend; /* NULL: rows are as the model has them */
    void *arg;
} cli_rotating;

typedef struct {
    double *absolute;                /* [inputs] poses as they are written; free it */
    size_t rotated;                  /* the others are as they were */
    size_t why[RECON_WHY_ASKED + 1]; /* inputs by recon_why */
    size_t free;                     /* inputs whose natural pose is a choice in part */
    size_t unlike;                   /* the training data, of those that have a row in a table */
    double seconds;                  /* of the model */
} cli_rotated;

/* The sink is left to be committed. */
recon_status cli_rotate(recon_ctx *ctx, cli_rotated *out, const cli_rotating *job);

#endif
