/* graph.h - a whole step recorded once and replayed with one call.
 *
 * Between begin and end the kernels of the context are recorded and not run. Replaying runs them on
 * the same addresses with the same arguments, so what changes from step to step (learning rate,
 * counters, the batch) must be in backend memory. Run a step normally before recording it: while
 * recording, nothing may be allocated, uploaded, downloaded or waited for, and an entry that needs
 * to fails. Only "cuda" records; on other tables all of these are RECON_ERR_UNSUPPORTED. */
#ifndef OPS_GRAPH_H
#define OPS_GRAPH_H

#include <recon/core/ctx.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct recon_graph recon_graph;

recon_status recon_graph_begin(recon_ctx *ctx);

/* *out is NULL on failure. Whatever happened, the context no longer records. */
recon_status recon_graph_end(recon_ctx *ctx, recon_graph **out);

/* Ordered with the kernels, like any of them. */
recon_status recon_graph_launch(recon_ctx *ctx, const recon_graph *graph);

/* NULL is fine. Before the context goes. */
void recon_graph_free(recon_ctx *ctx, recon_graph *graph);

/* The functions of a table that records; see recon_ops_graphs in ops.c. */
typedef struct {
    recon_status (*begin)(recon_ctx *ctx);
    recon_status (*end)(recon_ctx *ctx, recon_graph **out);
    recon_status (*launch)(recon_ctx *ctx, const recon_graph *graph);
    void (*release)(recon_graph *graph);
} recon_graph_table;

const recon_graph_table *recon_ops_graphs(recon_ctx *ctx); /* NULL: the table does not record */

#ifdef __cplusplus
}
#endif
#endif
