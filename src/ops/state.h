/* state.h - what a table keeps behind a context between calls: streams, handles, plans. Plain
 * enough for C++, which cannot read the context's own header. */
#ifndef OPS_STATE_H
#define OPS_STATE_H

#include <recon/core/ctx.h>

#ifdef __cplusplus
extern "C" {
#endif

void *recon_ops_state(const recon_ctx *ctx);

/* Frees what was there before. release runs when the context goes, or its table changes. */
void recon_ops_set_state(recon_ctx *ctx, void *state, void (*release)(void *state));

#ifdef __cplusplus
}
#endif
#endif
