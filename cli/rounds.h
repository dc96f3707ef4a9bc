/* rounds.h - distributes blocks of inputs over ranks: in each round every rank processes one block,
 * and rank 0 receives the results of all, in order. In one process a round is a block. */
#ifndef CLI_ROUNDS_H
#define CLI_ROUNDS_H

#include "cli/cli.h"

typedef struct {
    const recon_data *data; /* the same at all ranks */
    size_t n, block;        /* inputs, and those of a block */
    size_t each;            /* bytes of an answer */
    void *arg;
    /* out [n] for n inputs from `at` on. */
    recon_status (*answer)(recon_ctx *ctx, void *arg, void *out, size_t at, size_t n);
    /* At rank 0, block by block. */
    recon_status (*take)(recon_ctx *ctx, void *arg, const void *answers, size_t at, size_t n);
} cli_rounds;

/* All ranks call it, with progress under that label at rank 0, and fail together. */
recon_status cli_rounds_run(recon_ctx *ctx, const cli_rounds *rounds, const char *label);

#endif
