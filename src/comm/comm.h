/* comm.h - the ranks of a run: one process, or several that a launcher (mpirun, srun) has started.
 *
 * A context belongs to one rank. Without recon_comm_attach it is the only one, and everything here
 * is done at once and cannot fail. With several, each call is made by all ranks in the same order,
 * by the thread that owns the context.
 *
 * Results do not depend on how many ranks there are: work is cut into units that are fixed by the
 * data alone, a rank takes some of them, and sums over units go through one fixed tree.
 *
 * A rank that fails sends its message to rank 0 (recon_comm_tell), which finds it wherever it waits
 * for others, so that nobody waits for a rank that has given up. */
#ifndef COMM_COMM_H
#define COMM_COMM_H

#include <stdint.h>
#include <recon/core/ctx.h>

typedef struct recon_comm recon_comm;

/* The process among its ranks, by what the launcher has put into the environment; *out is NULL for a
 * process that was started alone. After a failure `message` says why, at rank 0 alone: it is "" at
 * the others. Once in a process. */
typedef char recon_comm_message[1024];
recon_status recon_comm_start(recon_comm **out, recon_comm_message message);
/* All ranks are done. */
void recon_comm_finish(recon_comm *comm);
/* This rank has failed: rank 0 is told, shows the message and ends all ranks by recon_comm_abort.
 * Comes back with 1 at rank 0, and where rank 0 did not come by in time: then show it here. With 0
 * where all ranks know of it (recon_comm_agree) and rank 0 shows it. */
int recon_comm_tell(recon_comm *comm, recon_status status, const char *message);
/* Ends all ranks, unless all know of the failure and come to an end by themselves. */
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

/* From the root's data to everybody's. */
recon_status recon_comm_broadcast(recon_ctx *ctx, void *data, size_t bytes, int root);

/* rows [n][bytes], of which each rank has filled its own share: then all of them everywhere. */
recon_status recon_comm_gather(recon_ctx *ctx, void *rows, size_t n, size_t unit, size_t bytes);

/* The same where rank r has filled the rows from begin[r] to begin[r + 1]. */
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

/* Where all ranks come by, each with a status of its own: that of the first rank that has failed,
 * with its message. */
recon_status recon_comm_agree(recon_ctx *ctx, recon_status status);

/* RECON_ERR_MISMATCH, with a message that names `what`, unless all ranks give the same number: a
 * hash of what must be the same everywhere. */
recon_status recon_comm_same(recon_ctx *ctx, uint64_t number, const char *what);

/* Messages that travel while this rank works. Clear it before ({ 0 }); what is sent and received
 * stays put until recon_exchange_wait. Close always: what is still under way is then given up. */
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

/* Lets messages travel on, within long work, and finds out whether another rank has failed. By
 * worker 0 alone: a task of another worker has nothing to do. */
recon_status recon_comm_poll(recon_ctx *ctx, int worker);

#endif
