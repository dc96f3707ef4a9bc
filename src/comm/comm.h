/* comm.h - the ranks of a run: one process, or several that a launcher (mpirun, srun) has started.
 *
 * A context belongs to one rank. Without recon_comm_attach it is the only one, and everything here
 * returns at once and cannot fail. With several, all ranks make the same calls in the same order,
 * each from the thread that owns the context.
 *
 * Results do not depend on the number of ranks: work is cut into units that depend on the data
 * alone, a rank takes some of them, and sums over units use one fixed tree.
 *
 * A rank that fails sends its message to rank 0 (recon_comm_tell), which receives it wherever it
 * waits for others, so that no rank waits for one that has failed. */
#ifndef COMM_COMM_H
#define COMM_COMM_H

#include <stdint.h>
#include <recon/core/ctx.h>

typedef struct recon_comm recon_comm;

/* The process among its ranks, by what the launcher has put into the environment; *out is NULL for
 * a process that was started alone. After a failure `message` says why, at rank 0 alone: it is ""
 * at the others. Once in a process. */
typedef char recon_comm_message[1024];
recon_status recon_comm_start(recon_comm **out, recon_comm_message message);
/* All ranks are done. */
void recon_comm_finish(recon_comm *comm);
/* Reports that this rank has failed: rank 0 shows the message and ends all ranks with
 * recon_comm_abort. Returns 1 on rank 0, and if rank 0 did not answer in time: then show the
 * message here. Returns 0 if all ranks know of the failure (recon_comm_agree) and rank 0 shows
 * it. */
int recon_comm_tell(recon_comm *comm, recon_status status, const char *message);
/* Ends all ranks, unless all know of the failure and end by themselves. */
void recon_comm_abort(recon_comm *comm, int code);

/* The context's rank is that of comm, which is lent; NULL: the only one. */
void recon_comm_attach(recon_ctx *ctx, recon_comm *comm);

int recon_comm_rank(const recon_ctx *ctx);         /* 0 for one process */
int recon_comm_size(const recon_ctx *ctx);         /* 1 for one process */
int recon_comm_place(const recon_ctx *ctx);        /* among the ranks of its machine; else 0 */
double recon_comm_waited(const recon_ctx *ctx);    /* seconds spent waiting for other ranks */
const char *recon_comm_name(const recon_ctx *ctx); /* "openmpi", "mpich"; NULL for one process */

/* Rows of n that belong to a rank, in whole units: rank r has those from begin to end. */
typedef struct {
    size_t begin, end;
} recon_share;
recon_share recon_comm_share(const recon_ctx *ctx, int rank, size_t n, size_t unit);
recon_share recon_comm_own(const recon_ctx *ctx, size_t n, size_t unit);

/* Copies the root's data to all ranks. */
recon_status recon_comm_broadcast(recon_ctx *ctx, void *data, size_t bytes, int root);

/* Gathers rows [n][bytes], of which each rank has filled its own share, to all ranks. */
recon_status recon_comm_gather(recon_ctx *ctx, void *rows, size_t n, size_t unit, size_t bytes);

/* The same if rank r has filled the rows from begin[r] to begin[r + 1]. */
recon_status recon_comm_gather_parts(recon_ctx *ctx, void *rows, const size_t *begin, size_t bytes);

/* out [width]: the sum of parts [n][width], of which each rank has filled its own share by units of
 * one, in an order that n alone decides. The parts are not kept. */
recon_status recon_comm_sum(recon_ctx *ctx, double *out, double *parts, size_t n, size_t width);

/* The same of parts that are all here already. */
void recon_comm_fold(double *out, double *parts, size_t n, size_t width);

/* Adds up what each rank has counted: values [n]. */
recon_status recon_comm_count(recon_ctx *ctx, size_t *values, size_t n);

/* The largest of the ranks' values. */
recon_status recon_comm_max(recon_ctx *ctx, double *value);

recon_status recon_comm_barrier(recon_ctx *ctx);

/* Called by all ranks, each with its own status; returns that of the first rank that failed, with
 * its message. */
recon_status recon_comm_agree(recon_ctx *ctx, recon_status status);

/* RECON_ERR_MISMATCH, with a message that names `what`, unless all ranks give the same number: a
 * hash of what must be the same everywhere. */
recon_status recon_comm_same(recon_ctx *ctx, uint64_t number, const char *what);

/* Messages that are sent while this rank works. Clear it first ({ 0 }); buffers must not change
 * until recon_exchange_wait. Always close it, which cancels messages still in progress. */
typedef struct {
    void *request[4];
    int count;
} recon_exchange;
recon_status recon_exchange_send(recon_ctx *ctx, recon_exchange *x, const void *data, size_t bytes,
                                 int to);
recon_status recon_exchange_recv(recon_ctx *ctx, recon_exchange *x, void *data, size_t bytes,
                                 int from);
recon_status recon_exchange_wait(recon_ctx *ctx, recon_exchange *x);
void recon_exchange_close(recon_ctx *ctx, recon_exchange *x);

/* Makes progress with messages during long work, and checks whether another rank has failed. It
 * only acts on worker 0. */
recon_status recon_comm_poll(recon_ctx *ctx, int worker);

#endif
