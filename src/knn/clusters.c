/* clusters.c - clusters of the graph of neighbours, by the links that chance does not explain.
 *
 * A cluster is worth joining as far as one's links into it are more than its size makes likely:
 * the gain in modularity. Points join one by one, then whole clusters do, until none gains (Blondel
 * et al. 2008): points alone, by the majority of their neighbours, stop at many small clusters. */
#include "knn/clusters.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/shuffle.h"

#include <string.h>

enum { SEED = 1, SWEEPS = 30 };
#define SETTLED 0.001 /* share of units that may still move */

typedef struct {
    const int64_t *neighbors; /* [n][k] */
    size_t n, k;
    size_t units;           /* what moves as one: points, then clusters of the round before */
    int64_t *label, *unit;  /* [n] of each point                    */
    size_t *member, *first; /* [n], [n + 1]: unit u has member[first[u] .. first[u + 1]] */
    size_t *order;          /* [n] units, by chance                 */
    size_t *size, *votes;   /* [n] of each label; votes are 0 at rest */
} movers;

/* From now on points of one label move together. */
static void begin_round(movers *m)
{
    size_t end = 0;
    /* Labels 0, 1, ... in the order in which they occur; how many. number [n] is scratch. */
    size_t count = 0;
    memset(m->order, 0xff, m->n * sizeof *m->order); /* SIZE_MAX: none yet */
    for (size_t i = 0; i < m->n; i++) {
        if (m->order[m->label[i]] == SIZE_MAX)
            m->order[m->label[i]] = count++;
        m->label[i] = (int64_t)m->order[m->label[i]];
    }
    m->units = count;
    memset(m->size, 0, m->n * sizeof *m->size);
    for (size_t i = 0; i < m->n; i++) {
        m->unit[i] = m->label[i];
        m->size[m->unit[i]]++;
    }
    for (size_t u = 0; u < m->units; u++)
        m->first[u] = end += m->size[u];
    for (size_t i = m->n; i-- > 0;)
        m->member[--m->first[m->unit[i]]] = i;
    m->first[m->units] = m->n;
    recon_shuffle(m->order, m->units, m->units, SEED); /* else labels would run along the file */
}

/* How many more links a unit of `count` points has to a label than it would have by chance. */
static double gain(const movers *m, int64_t label, size_t count)
{
    double likely = (double)(m->k * count) * (double)m->size[label] / (double)m->n;
    return (double)m->votes[label] - likely;
}

/* The label with the greatest gain; of equals the one that was there, then the first. */
static int64_t best_label(movers *m, const size_t *member, size_t count, int64_t own)
{
    int64_t unit = m->unit[member[0]], best = own;
    for (size_t i = 0; i < count * m->k; i++) {
        int64_t other = m->neighbors[member[i / m->k] * m->k + i % m->k];
        m->votes[m->label[other]] += m->unit[other] != unit;
    }
    for (size_t i = 0; i < count * m->k; i++) {
        int64_t label = m->label[m->neighbors[member[i / m->k] * m->k + i % m->k]];
        if (gain(m, label, count) > gain(m, best, count))
            best = label;
    }
    for (size_t i = 0; i < count * m->k; i++)
        m->votes[m->label[m->neighbors[member[i / m->k] * m->k + i % m->k]]] = 0;
    return best;
}

/* 1: the unit has another label now. */
static size_t move(movers *m, size_t unit)
{
    const size_t *member = m->member + m->first[unit];
    size_t count = m->first[unit + 1] - m->first[unit];
    int64_t own = m->label[member[0]];
    m->size[own] -= count;
    int64_t best = best_label(m, member, count, own);
    m->size[best] += count;
    for (size_t i = 0; i < count; i++)
        m->label[member[i]] = best;
    return best != own;
}

recon_status recon_clusters(recon_ctx *ctx, int64_t *cluster, size_t *count,
                            const int64_t *neighbors, size_t n, size_t k)
{
    movers m = { .neighbors = neighbors, .n = n, .k = k, .label = cluster };
    size_t before = SIZE_MAX;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &m.unit, m.n, sizeof *m.unit));
    RECON_TRY(recon_alloc_raw(ctx, &m.member, m.n, sizeof *m.member));
    RECON_TRY(recon_alloc_raw(ctx, &m.first, m.n + 1, sizeof *m.first));
    RECON_TRY(recon_alloc_raw(ctx, &m.order, m.n, sizeof *m.order));
    RECON_TRY(recon_alloc_raw(ctx, &m.size, m.n, sizeof *m.size));
    RECON_TRY(recon_alloc(ctx, &m.votes, m.n, sizeof *m.votes));
    for (size_t i = 0; i < n; i++)
        cluster[i] = (int64_t)i;
    for (begin_round(&m); m.units < before; begin_round(&m)) {
        before = m.units;
        size_t moved = m.units;
        for (int sweep = 0; sweep < SWEEPS && (double)moved > SETTLED * (double)m.units; sweep++) {
            moved = 0;
            for (size_t i = 0; i < m.units; i++) {
                moved += move(&m, m.order[i]);
                RECON_TRY(recon_interrupted(ctx));
            }
        }
    }
    if (count)
        *count = m.units;
done:
    recon_free_all(m.unit, m.member, m.first, m.order, m.size, m.votes);
    return status;
}
