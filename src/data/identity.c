/* identity.c - see identity.h. */
#include "data/identity.h"
#include "comm/comm.h"
#include "core/npy.h"
#include "core/blocks.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/hash.h"
#include "core/memory.h"
#include "core/threads.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = RECON_BLOCK_IDENTITY, PIECE = RECON_BLOCK_PIECE };

static const recon_hash_key no_key; /* data are compared, not defended against */

typedef struct {
    const recon_data *data;
    int labels;
    char *block; /* of a kind without a hash: BLOCK inputs as `read` leaves them */
    const char *bytes;
    size_t n, each; /* pieces, or bytes of an array; bytes of an input */
    _Atomic uint64_t sum;
} job;

/* Of the piece at i, whose content has this hash. */
static uint64_t placed(size_t i, uint64_t hash)
{
    return recon_hash((recon_hash_key){ { i, 0 } }, &hash, sizeof hash);
}

static recon_status add_inputs(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    job *j = arg;
    const recon_data_kind *kind = j->data->kind;
    size_t at = task * BLOCK, end = j->n - at < BLOCK ? j->n : at + BLOCK;
    uint64_t sum = 0;
    (void)ctx, (void)worker;
    for (size_t i = at; i < end; i++) {
        const uint64_t content[] = { kind->hash ? kind->hash(j->data, i)
                                                : recon_hash(no_key, j->block + (i - at) * j->each,
                                                             j->each),
                                     j->labels ? (uint64_t)kind->label(j->data, i) : 0 };
        sum += placed(i, recon_hash(no_key, content, sizeof content));
    }
    atomic_fetch_add(&j->sum, sum);
    return RECON_OK;
}

/* Only a kind that has a hash says that many threads may ask for inputs. */
static recon_status read_and_add(recon_ctx *ctx, job *j)
{
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &j->block, BLOCK, j->each));
    for (size_t at = 0; at < j->n; at += BLOCK) {
        j->data->kind->read(j->block, j->data, at, j->n - at < BLOCK ? j->n - at : BLOCK);
        RECON_TRY(add_inputs(ctx, j, at / BLOCK, 0));
        RECON_TRY(recon_interrupted(ctx));
    }
done:
    free(j->block);
    return status;
}

recon_status recon_identity(recon_ctx *ctx, uint64_t *out, const recon_data *data, int labels)
{
    recon_data_info info = recon_data_describe(data);
    job j = { .data = data, .labels = labels && info.labels, .n = info.n, .each = info.bytes };
    recon_status status = data->kind->hash
                              ? recon_parallel(ctx, add_inputs, &j, (j.n + BLOCK - 1) / BLOCK)
                              : read_and_add(ctx, &j);
    const uint64_t all[] = { j.sum, j.n, j.each };
    *out = recon_hash(no_key, all, sizeof all);
    return status;
}

static recon_status add_bytes(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    job *j = arg;
    size_t at = task * BLOCK * PIECE, end = j->n - at < BLOCK * PIECE ? j->n : at + BLOCK * PIECE;
    uint64_t sum = 0;
    (void)ctx, (void)worker;
    for (; at < end; at += PIECE)
        sum += placed(at / PIECE,
                      recon_hash(no_key, j->bytes + at, end - at < PIECE ? end - at : PIECE));
    atomic_fetch_add(&j->sum, sum);
    return RECON_OK;
}

recon_status recon_identity_array(recon_ctx *ctx, uint64_t *out, const recon_array *a)
{
    job j = { .bytes = a->data, .n = recon_array_bytes(a) };
    recon_status status =
        recon_parallel(ctx, add_bytes, &j, (j.n + BLOCK * PIECE - 1) / (BLOCK * PIECE));
    uint64_t all[4 + RECON_MAX_DIMS] = { j.sum, (uint64_t)a->dtype, (uint64_t)a->ndim,
                                         (uint64_t)a->fortran };
    for (int i = 0; i < a->ndim; i++)
        all[4 + i] = a->shape[i];
    *out = recon_hash(no_key, all, sizeof all);
    return status;
}

uint64_t recon_identity_join(const uint64_t *identity, size_t n)
{
    return recon_hash(no_key, identity, n * sizeof *identity);
}

recon_status recon_identity_compare(recon_ctx *ctx, const recon_data *data)
{
    char what[64];
    uint64_t own;
    if (recon_comm_size(ctx) == 1)
        return RECON_OK;
    RECON_CHECK(recon_comm_agree(ctx, recon_identity(ctx, &own, data, 0)));
    snprintf(what, sizeof what, "the content of the %s", data->kind->many);
    return recon_comm_same(ctx, own, what);
}
