/* cpu.c - the table for the host's processor. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/libraries.h"
#include "ops/ref/ref.h"
#include "comm/comm.h"
#include "core/ctx.h"

#include <stdatomic.h>
#include <stdio.h>

const char *recon_cpu_name(void)
{
    static _Thread_local char name[40];
    const recon_plugin *plugin = recon_plugin_get(RECON_PLUGIN_ONEDNN);
    if (!plugin)
        plugin = recon_plugin_get(RECON_PLUGIN_BLAS);
    snprintf(name, sizeof name, "cpu (%s)", plugin ? plugin->name : "no library");
    return name;
}

void recon_cpu_warn(recon_ctx *ctx)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    char path[1200];
    if (recon_onednn_get())
        return;
    int broken = recon_plugin_find(path, sizeof path, RECON_PLUGIN_ONEDNN);
    if ((!broken && recon_blas_get()) || atomic_flag_test_and_set(&said))
        return;
    if (broken)
        recon_log(ctx, RECON_LOG_WARN, "oneDNN is not used: %s",
                  recon_plugin_problem(RECON_PLUGIN_ONEDNN));
    else
        recon_log(ctx, RECON_LOG_WARN,
                  "neither oneDNN nor OpenBLAS is there: networks take 2 to 3 times as long "
                  "(docs/README.md, plug-ins)");
}

static int has_slices(recon_ctx *ctx)
{
    (void)ctx;
    return 1;
}

#define ENTRY(name, kind) .name = recon_cpu_##name,
/* clang-format off */
const recon_ops recon_ops_cpu = {
    .name = "cpu",
    .has_fast_bytes = recon_dnnl_has_exact_bytes,
    .has_fast_bf16 = recon_dnnl_has_fast_bf16,
    .steer_pays = recon_cpu_steer_pays,
    .has_slices = has_slices,
    .alloc = recon_ref_alloc,
    .release = recon_ref_release,
    .upload = recon_ref_upload,
    .download = recon_ref_download,
    .zero = recon_ref_zero,
    .sync = recon_ref_sync,
    .gather_ranks = recon_comm_gather_parts,
    .norm2 = recon_cpu_norm2,
    RECON_OPS(ENTRY)
    RECON_HOST_OPS(ENTRY)
};
/* clang-format on */
