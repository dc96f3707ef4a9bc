/* ranks.c - the command as one of several processes. */
#include "cli/cli.h"
#include "comm/comm.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static recon_comm *ranks; /* NULL: one process */
static int rank, size = 1;

/* One answer is enough. */
static void silence(void)
{
    int null = open("/dev/null", O_WRONLY);
    if (null < 0)
        return;
    dup2(null, STDOUT_FILENO);
    close(null);
}

int cli_ranks_start(void)
{
    recon_comm_message message;
    if (recon_comm_start(&ranks, message) != RECON_OK) {
        if (*message)
            fprintf(stderr, "recon: %s\n", message);
        return EXIT_FAILED;
    }
    recon_ctx *ctx = ranks ? recon_ctx_new(&(recon_ctx_options){
                                 .threads = 1, .spelling = RECON_SPELLING_COMMAND })
                           : NULL;
    if (ctx) {
        recon_comm_attach(ctx, ranks);
        rank = recon_comm_rank(ctx);
        size = recon_comm_size(ctx);
    }
    recon_ctx_free(ctx);
    if (rank > 0)
        silence();
    return -1;
}

void cli_ranks_finish(void)
{
    recon_comm_finish(ranks);
    ranks = NULL;
}

int cli_ranks_rank(void)
{
    return rank;
}

int cli_ranks_size(void)
{
    return size;
}

void cli_ranks_attach(recon_ctx *ctx)
{
    recon_comm_attach(ctx, ranks);
}

int cli_ranks_tell(recon_ctx *ctx, recon_status status)
{
    return ranks ? recon_comm_tell(ranks, status, recon_ctx_message(ctx)) : 1;
}

void cli_ranks_end(int code)
{
    if (ranks)
        recon_comm_abort(ranks, code);
}
