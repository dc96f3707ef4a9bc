/* spin_gcn.c - our own classifier as the judge of a spin. */
#include "model/spin.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"
#include "core/exp.h"
#include "backbone/gcn.h"

#include <math.h>

/* Logits to logarithms of probabilities. */
RECON_CLONES static void normalize_row(float *row, size_t n)
{
    float most = row[0], shift;
    double sum = 0;
    for (size_t i = 1; i < n; i++)
        most = row[i] > most ? row[i] : most;
    for (size_t at = 0; at < n; at += 64) {
        float part = 0, e[64];
        size_t count = n - at < 64 ? n - at : 64;
        for (size_t i = 0; i < count; i++)
            e[i] = recon_expf(row[at + i] - most);
        for (size_t i = 0; i < count; i++)
            part += e[i];
        sum += part;
    }
    shift = most + (float)log(sum);
    for (size_t i = 0; i < n; i++)
        row[i] -= shift;
}

typedef struct {
    float *log_p;
    size_t n, labels;
} job;

enum { ROWS = RECON_BLOCK_SPIN_ROWS };

static recon_status normalize_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const job *j = arg;
    (void)ctx, (void)worker;
    for (size_t i = task * ROWS; i < j->n && i < (task + 1) * ROWS; i++)
        normalize_row(j->log_p + i * j->labels, j->labels);
    return RECON_OK;
}

recon_status recon_spin_by_gcn(recon_ctx *ctx, void *user, float *log_p, const int64_t *conformer,
                               const recon_so3 *rotations, size_t n)
{
    const recon_spin_gcn *u = user;
    job j = { log_p, n, recon_gcn_describe(u->gcn).classes };
    RECON_CHECK(recon_gcn_logits_rotated(ctx, log_p, u->gcn, u->graphs, conformer, rotations, n));
    return recon_parallel(ctx, normalize_task, &j, (n + ROWS - 1) / ROWS);
}
