/* molecule_partners.c - neighbours, sorted by bond graph, each graph's symmetries found once; or by
 * elements alone, and then a graph has no bonds and no symmetries. */
#include "backbone/molecule_partners.h"
#include "comm/comm.h"
#include "data/rmsd.h"
#include <recon/knn/knn.h>
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = RECON_BLOCK_PARTNERS };

typedef struct {
    const recon_conformer *x;
    size_t n, k;
    int by_bonds;
    recon_bonds *bonds;        /* [n] none of them by elements             */
    size_t *order, *graph;     /* [n] conformers by graph; which is whose  */
    recon_symmetry **symmetry; /* [graphs] NULL by elements                */
    size_t graphs;
    int64_t *near;   /* [n][k] */
    recon_share own; /* conformers whose partners are found here */
    recon_molecule_partners *out;
} search;

/* --- graphs ----------------------------------------------------------------------------------- */

static recon_status perceive(recon_ctx *ctx, void *arg, size_t chunk, int worker)
{
    search *s = arg;
    (void)worker;
    for (size_t i = chunk * CHUNK; i < s->n && i < (chunk + 1) * CHUNK; i++)
        RECON_CHECK(recon_bonds_perceive(ctx, &s->bonds[i], s->x[i].z, s->x[i].xyz, s->x[i].atoms));
    return RECON_OK;
}

/* Any order will do in which like graphs are neighbours. */
static int compare_graphs(const search *s, size_t i, size_t j)
{
    const recon_conformer *a = &s->x[i], *b = &s->x[j];
    const recon_bonds *p = &s->bonds[i], *q = &s->bonds[j];
    if (a->atoms != b->atoms)
        return a->atoms < b->atoms ? -1 : 1;
    if (p->n != q->n)
        return p->n < q->n ? -1 : 1;
    int sign = memcmp(a->z, b->z, a->atoms);
    return sign || p->n == 0 ? sign : memcmp(p->list, q->list, p->n * sizeof *p->list);
}

static int compare(const void *a, const void *b, void *arg)
{
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    int sign = compare_graphs(arg, i, j);
    return sign ? sign : (i > j) - (i < j);
}

static recon_status find_graphs(recon_ctx *ctx, search *s)
{
    RECON_CHECK(recon_alloc(ctx, &s->bonds, s->n, sizeof *s->bonds));
    RECON_CHECK(recon_alloc(ctx, &s->order, s->n, sizeof *s->order));
    RECON_CHECK(recon_alloc(ctx, &s->graph, s->n, sizeof *s->graph));
    RECON_CHECK(recon_alloc(ctx, &s->symmetry, s->n, sizeof *s->symmetry));
    if (s->by_bonds)
        RECON_CHECK(recon_parallel(ctx, perceive, s, (s->n + CHUNK - 1) / CHUNK));
    for (size_t i = 0; i < s->n; i++)
        s->order[i] = i;
    qsort_r(s->order, s->n, sizeof *s->order, compare, s);
    for (size_t at = 0; at < s->n; at++) {
        size_t i = s->order[at];
        if (at == 0 || compare_graphs(s, s->order[at - 1], i)) {
            if (s->by_bonds)
                RECON_CHECK(
                    recon_symmetry_make(ctx, &s->symmetry[s->graphs], s->x[i].z, &s->bonds[i]));
            s->graphs++;
        }
        s->graph[i] = s->graphs - 1;
    }
    return RECON_OK;
}

/* --- partners --------------------------------------------------------------------------------- */

static recon_status lay(recon_ctx *ctx, search *s, size_t i)
{
    recon_molecule_partners *out = s->out;
    for (size_t k = 0; k < s->k && out->count[i] < out->most; k++) {
        size_t j = (size_t)s->near[i * s->k + k];
        recon_molecule_partner *p = &out->list[i * out->most + out->count[i]];
        double rmsd;
        if (s->graph[i] != s->graph[j])
            continue;
        const recon_conformer *a = &s->x[i], *b = &s->x[j];
        recon_status status =
            s->by_bonds ? recon_rmsd_best(&rmsd, &p->rotation, NULL, s->symmetry[s->graph[i]],
                                          a->xyz, b->xyz)
                        : recon_rmsd_kabsch(&rmsd, &p->rotation, a->xyz, b->xyz, a->atoms, NULL);
        if (status != RECON_OK)
            return recon_fail(ctx, status, "conformers %zu and %zu have no rotation between them",
                              i, j);
        p->who = (int32_t)j;
        p->rmsd = (float)rmsd;
        out->count[i]++;
    }
    return RECON_OK;
}

static recon_status lay_chunk(recon_ctx *ctx, void *arg, size_t chunk, int worker)
{
    search *s = arg;
    (void)worker;
    size_t begin = s->own.begin + chunk * CHUNK;
    for (size_t i = begin; i < s->own.end && i < begin + CHUNK; i++)
        RECON_CHECK(lay(ctx, s, i));
    return RECON_OK;
}

recon_status recon_molecule_partners_find(recon_ctx *ctx, recon_molecule_partners *out,
                                          const recon_conformer *x, const float *z, size_t n,
                                          size_t d, const recon_molecule_partners_options *o)
{
    search s = { .x = x,
                 .n = n,
                 .k = o->k < n ? o->k : n - 1,
                 .by_bonds = o->pairs == RECON_PAIRS_BONDS,
                 .out = out };
    recon_status status;
    *out = (recon_molecule_partners){ .n = n, .most = o->most };
    RECON_TRY(recon_alloc(ctx, &out->count, n, sizeof *out->count));
    RECON_TRY(recon_alloc(ctx, &out->list, n * o->most, sizeof *out->list));
    if (n < 2)
        goto done;
    RECON_TRY(find_graphs(ctx, &s));
    RECON_TRY(recon_alloc_raw(ctx, &s.near, n * s.k, sizeof *s.near));
    RECON_TRY(recon_knn_self(ctx, s.near, NULL, z, n, d,
                             &(recon_knn_options){ .k = s.k, .method = RECON_KNN_EXACT }));
    s.own = o->shared ? recon_comm_own(ctx, n, CHUNK) : (recon_share){ 0, n };
    RECON_TRY(recon_parallel(ctx, lay_chunk, &s, (s.own.end - s.own.begin + CHUNK - 1) / CHUNK));
    if (o->shared) {
        RECON_TRY(recon_comm_gather(ctx, out->count, n, CHUNK, sizeof *out->count));
        RECON_TRY(recon_comm_gather(ctx, out->list, n, CHUNK, o->most * sizeof *out->list));
    }
done:
    for (size_t i = 0; s.bonds && i < s.n; i++)
        recon_bonds_free(&s.bonds[i]);
    for (size_t i = 0; i < s.graphs; i++)
        recon_symmetry_free(s.symmetry[i]);
    recon_free_all(s.bonds, s.order, s.graph, s.symmetry, s.near);
    if (status != RECON_OK)
        recon_molecule_partners_free(out);
    return status;
}

void recon_molecule_partners_free(recon_molecule_partners *p)
{
    recon_free_all(p->count, p->list);
    *p = (recon_molecule_partners){ 0 };
}
