/* graph.c - recording, where the table can. */
#include "ops/graph.h"
#include "core/fail.h"

#include <recon/ops/backend.h>

static recon_status refuse(recon_ctx *ctx)
{
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "backend %s cannot record a step",
                      recon_ops_name(ctx));
}

recon_status recon_graph_begin(recon_ctx *ctx)
{
    const recon_graph_table *table = recon_ops_graphs(ctx);
    return table ? table->begin(ctx) : refuse(ctx);
}

recon_status recon_graph_end(recon_ctx *ctx, recon_graph **out)
{
    const recon_graph_table *table = recon_ops_graphs(ctx);
    *out = NULL;
    return table ? table->end(ctx, out) : refuse(ctx);
}

recon_status recon_graph_launch(recon_ctx *ctx, const recon_graph *graph)
{
    const recon_graph_table *table = recon_ops_graphs(ctx);
    return table ? table->launch(ctx, graph) : refuse(ctx);
}

void recon_graph_free(recon_ctx *ctx, recon_graph *graph)
{
    const recon_graph_table *table = recon_ops_graphs(ctx);
    if (table && graph)
        table->release(graph);
}
