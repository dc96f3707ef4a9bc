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

#include <stdlib.h>
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
    size_t *degree;         /* [n] links of each point               */
    size_t *size, *votes;   /* [n] of each label: links of its members; votes are 0 at rest */
    double links;           /* of all points */
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
    memset(m->first, 0, (m->n + 1) * sizeof *m->first);
    for (size_t i = 0; i < m->n; i++) {
        m->unit[i] = m->label[i];
        m->size[m->unit[i]] += m->degree[i];
        m->first[m->unit[i]]++;
    }
    for (size_t u = 0; u < m->units; u++)
        m->first[u] = end += m->first[u];
    for (size_t i = m->n; i-- > 0;)
        m->member[--m->first[m->unit[i]]] = i;
    m->first[m->units] = m->n;
    recon_shuffle(m->order, m->units, m->units, SEED); /* else labels would run along the file */
}

/* How many more links a unit with `degree` links has to a label than it would have by chance. */
static double gain(const movers *m, int64_t label, size_t degree)
{
    double likely = (double)degree * (double)m->size[label] / m->links;
    return (double)m->votes[label] - likely;
}

/* The label with the greatest gain; of equals the one that was there, then the first. */
static int64_t best_label(movers *m, const size_t *member, size_t count, size_t degree, int64_t own)
{
    int64_t unit = m->unit[member[0]], best = own;
    for (size_t i = 0; i < count * m->k; i++) {
        int64_t other = m->neighbors[member[i / m->k] * m->k + i % m->k];
        m->votes[m->label[other]] += m->unit[other] != unit;
    }
    for (size_t i = 0; i < count * m->k; i++) {
        int64_t label = m->label[m->neighbors[member[i / m->k] * m->k + i % m->k]];
        if (gain(m, label, degree) > gain(m, best, degree))
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
    size_t count = m->first[unit + 1] - m->first[unit], degree = 0;
    int64_t own = m->label[member[0]];
    for (size_t i = 0; i < count; i++)
        degree += m->degree[member[i]];
    m->size[own] -= degree;
    int64_t best = best_label(m, member, count, degree, own);
    m->size[best] += degree;
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
    RECON_TRY(recon_alloc(ctx, &m.degree, m.n, sizeof *m.degree));
    RECON_TRY(recon_alloc_raw(ctx, &m.size, m.n, sizeof *m.size));
    RECON_TRY(recon_alloc(ctx, &m.votes, m.n, sizeof *m.votes));
    for (size_t i = 0; i < n; i++)
        cluster[i] = (int64_t)i;
    for (size_t i = 0; i < n * k; i++)
        m.degree[i / k] += neighbors[i] != (int64_t)(i / k);
    for (size_t i = 0; i < n; i++)
        m.links += (double)m.degree[i];
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
    recon_free_all(m.unit, m.member, m.first, m.order, m.degree, m.size, m.votes);
    return status;
}

recon_status recon_by_label(recon_ctx *ctx, size_t **row, size_t **first, const int64_t *label,
                            size_t n, size_t count)
{
    size_t all = 0;
    recon_status status;
    *row = *first = NULL;
    RECON_TRY(recon_alloc_raw(ctx, row, n, sizeof **row));
    RECON_TRY(recon_alloc(ctx, first, count + 1, sizeof **first));
    for (size_t i = 0; i < n; i++)
        if (label[i] >= 0)
            (*first)[label[i] + 1]++;
    for (size_t c = 0; c < count; c++)
        (*first)[c + 1] = all += (*first)[c + 1];
    for (size_t i = n; i-- > 0;)
        if (label[i] >= 0)
            (*row)[--(*first)[label[i] + 1]] = i;
    memmove(*first, *first + 1, count * sizeof **first);
    (*first)[count] = all;
done:
    return status;
}
