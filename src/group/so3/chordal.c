/* chordal.c - chordal means of many small sets, eight at a time. */
#include <recon/group/mean.h>

#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"
#include "stats/eig4.h"
#include "group/so3/frame.h"
#include "group/mean.h"
#include "group/so3/so3.h"

#define PER_TASK 64 /* blocks of lanes */

typedef struct {
    recon_so3 *mean;
    double *singular;
    const recon_so3 *samples;
    size_t sets, k;
} chordal_batch;

typedef double four __attribute__((vector_size(32)));

/* Mean moments of up to RECON_LANES sets side by side. The full product of a quaternion with itself
 * is four vectors, which is faster than its ten different entries. */
RECON_CLONES
static void block_moments(double m[10][RECON_LANES], const recon_so3 *samples, size_t sets,
                          size_t k)
{
    for (size_t l = 0; l < sets; l++) {
        four row[4] = { { 0 } };
        for (size_t i = 0; i < k; i++) {
            const recon_so3 s = samples[l * k + i];
            const four q = { s.w, s.x, s.y, s.z };
            row[0] += s.w * q, row[1] += s.x * q, row[2] += s.y * q, row[3] += s.z * q;
        }
        for (int a = 0, at = 0; a < 4; a++)
            for (int b = a; b < 4; b++)
                m[at++][l] = row[a][b] / (double)k;
    }
}

static recon_status chordal_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const chordal_batch *job = arg;
    size_t first = index * PER_TASK * RECON_LANES, end = first + PER_TASK * RECON_LANES;
    (void)worker;
    for (; first < job->sets && first < end; first += RECON_LANES) {
        size_t sets = job->sets - first < RECON_LANES ? job->sets - first : RECON_LANES;
        const recon_so3 *samples = job->samples + first * job->k;
        double m[10][RECON_LANES] = { { 0 } };
        recon_eig4_lanes e;
        RECON_CHECK(recon_so3_check(ctx, samples, sets * job->k, first * job->k));
        block_moments(m, samples, sets, job->k);
        recon_eig4_many(&e, m);
        for (size_t l = 0; l < sets; l++) {
            job->mean[first + l] = recon_so3_normalize((recon_so3){
                e.vector[0][0][l], e.vector[0][1][l], e.vector[0][2][l], e.vector[0][3][l] });
            if (!job->singular)
                continue;
            double *d = job->singular + 3 * (first + l);
            double outer = e.value[0][l] - e.value[3][l], inner = e.value[1][l] - e.value[2][l];
            d[0] = outer + inner, d[1] = outer - inner;
            d[2] = (e.value[0][l] - e.value[1][l]) - (e.value[2][l] - e.value[3][l]);
        }
    }
    return RECON_OK;
}

recon_status recon_so3_chordal_batch(recon_ctx *ctx, recon_so3 *mean, double *singular,
                                     const recon_so3 *samples, size_t sets, size_t k)
{
    chordal_batch job = { mean, singular, samples, sets, k };
    size_t per_task = PER_TASK * RECON_LANES;
    if (k == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "mean of rotations: no rotations");
    return recon_parallel(ctx, chordal_task, &job, sets / per_task + (sets % per_task != 0));
}
