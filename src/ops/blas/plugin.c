/* plugin.c - products by OpenBLAS, or any library with the C interface of BLAS. */
#include "ops/cpu/libraries.h"

#include <cblas.h>
#include <stdio.h>

#pragma weak openblas_get_num_threads
#pragma weak openblas_set_num_threads
#pragma weak openblas_get_config
int openblas_get_num_threads(void);
void openblas_set_num_threads(int n);
char *openblas_get_config(void);

static void sgemm(const recon_gemm_args *g)
{
    if (openblas_get_num_threads && openblas_get_num_threads() != 1)
        openblas_set_num_threads(1); /* the parallel loop is ours */
    cblas_sgemm(CblasRowMajor, g->transpose_a ? CblasTrans : CblasNoTrans,
                g->transpose_b ? CblasTrans : CblasNoTrans, (int)g->m, (int)g->n, (int)g->k,
                (float)g->alpha, g->a, (int)g->lda, g->b, (int)g->ldb, (float)g->beta, g->c,
                (int)g->ldc);
}

const recon_plugin *recon_plugin_table(void)
{
    static recon_blas blas = { { RECON_VERSION, "BLAS", NULL }, sgemm };
    static char version[32];
    if (openblas_get_config && sscanf(openblas_get_config(), "OpenBLAS %31s", version) == 1) {
        blas.plugin.name = "OpenBLAS";
        blas.plugin.version = version;
    }
    return &blas.plugin;
}
