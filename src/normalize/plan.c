/* plan.c - all pairs, counted. */
#include "normalize/plan.h"
#include "core/ctx.h"

/* Pairs of 128 numbers, a second and core: products of bytes, or of floats. */
#define BYTES  6e8
#define FLOATS 2e8
#define COLS   128.0
#define SHARED 100  /* bytes for each row of all ranks, at every rank */
#define LONG   10.0 /* seconds */

/* Its rows, once as numbers and twice as bytes, lists of neighbours, what is fitted. */
static size_t row_bytes(const recon_plan_sizes *s)
{
    return 9 * s->d + 26 * s->k + 200;
}

recon_plan recon_plan_of(const recon_plan_sizes *s)
{
    double pairs =
        s->queries ? (double)s->rows * (double)s->queries : (double)s->rows * (double)s->rows / 2;
    size_t all = s->rows + s->queries;
    return (recon_plan){
        .seconds = pairs / (s->bytes ? BYTES : FLOATS) * (double)s->d / COLS /
                   (double)(s->ranks * s->threads),
        .bytes = all / s->ranks * row_bytes(s) + SHARED * all,
    };
}

void recon_plan_tell(recon_ctx *ctx, const recon_plan_sizes *s)
{
    recon_plan p = recon_plan_of(s);
    double minutes = p.seconds / 60, hours = minutes / 60;
    if (p.seconds < LONG)
        return;
    recon_log(ctx, RECON_LOG_INFO,
              "exact search: about %.*f %s and %zu MiB on %zu rank%s of %zu thread%s%s",
              hours >= 2 ? 1 : 0,
              hours >= 2     ? hours
              : minutes >= 2 ? minutes
                             : p.seconds,
              hours >= 2     ? "hours"
              : minutes >= 2 ? "minutes"
                             : "seconds",
              (p.bytes >> 20) + 1, s->ranks, s->ranks == 1 ? "" : "s", s->threads,
              s->threads == 1 ? "" : "s", s->ranks == 1 ? "" : ", each");
}
