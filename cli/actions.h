/* actions.h - applies a table of actions for single inputs and clusters in canonicalize:
 * clusters.csv of discover, edited by hand, or a table with a line for each input. */
#ifndef CLI_ACTIONS_H
#define CLI_ACTIONS_H

#include "model/table.h"

/* One line. */
typedef struct {
    int64_t cluster; /* of all inputs of this cluster; -1: of one input */
    int leave;       /* 1: it is not rotated */
    double degrees; /* of an input: how far it is rotated. Of a cluster: how far its natural pose is
                        from the one found. NaN: as the model has it */
} cli_action;

typedef struct {
    size_t n;
    cli_action *action; /* [n] */
    size_t *of_input;   /* [inputs] 1 + its own line; 0: none */
} cli_actions;

/* Reads the table for these inputs and the clusters of the model. A name or a cluster that is none
 * of theirs, an action other than rotate or leave, and degrees on another group than SO(2) are
 * RECON_ERR_INPUT, with the line. Close always. */
recon_status cli_actions_open(recon_ctx *ctx, cli_actions *out, const char *path,
                              const recon_inputs *inputs, const recon_model *model);
void cli_actions_close(cli_actions *actions);

/* Applies the table to the row of input i; a line for the input wins over its cluster's. */
void cli_actions_apply(const cli_actions *actions, recon_row *row, size_t i,
                       const recon_group *group);

#endif
