/* graphs.h - molecules as graphs, and conformers that no molecule would take: for renamings of
 * atoms only the graph matters, so places may be random. */
#ifndef TESTS_DATA_GRAPHS_H
#define TESTS_DATA_GRAPHS_H

#include "check.h"

#include <stdlib.h>
#include "data/symmetry.h"

enum { GRAPH_ATOMS = 64, GRAPH_BONDS = 64 };

typedef struct {
    const char *name;
    uint8_t z[GRAPH_ATOMS];
    recon_bond list[GRAPH_BONDS];
    recon_bonds bonds; /* .list is list: not to be freed */
} graph;

static inline uint16_t graph_atom(graph *g, uint8_t z)
{
    g->z[g->bonds.atoms] = z;
    return (uint16_t)g->bonds.atoms++;
}

static inline int graph_before(const void *x, const void *y)
{
    const recon_bond *a = x, *b = y;
    return a->a != b->a ? a->a - b->a : a->b - b->b;
}

static inline void graph_bond(graph *g, uint16_t a, uint16_t b)
{
    g->list[g->bonds.n++] = a < b ? (recon_bond){ a, b } : (recon_bond){ b, a };
    qsort(g->list, g->bonds.n, sizeof *g->list, graph_before);
    g->bonds.list = g->list;
}

/* Hangs count atoms of element z on an atom. */
static inline void graph_hang(graph *g, uint16_t on, uint8_t z, int count)
{
    for (int i = 0; i < count; i++)
        graph_bond(g, on, graph_atom(g, z));
}

/* A chain (closed != 0: a ring) of carbons, each with so many hydrogens, at the ends one more. */
static inline void graph_chain(graph *g, int carbons, int hydrogens, int closed)
{
    *g = (graph){ .name = closed ? "ring" : "chain" };
    for (int i = 0; i < carbons; i++)
        graph_atom(g, 6);
    for (uint16_t i = 0; i + 1 < carbons; i++)
        graph_bond(g, i, (uint16_t)(i + 1));
    if (closed)
        graph_bond(g, 0, (uint16_t)(carbons - 1));
    for (uint16_t i = 0; i < carbons; i++)
        graph_hang(g, i, 1, hydrogens + (!closed && (i == 0 || i + 1 == carbons)));
}

/* One atom with methyls and hydrogens: neopentane is (6, 4, 0). */
static inline void graph_star(graph *g, uint8_t centre, int methyls, int hydrogens)
{
    *g = (graph){ .name = "star" };
    uint16_t middle = graph_atom(g, centre);
    for (int i = 0; i < methyls; i++) {
        uint16_t carbon = graph_atom(g, 6);
        graph_bond(g, middle, carbon);
        graph_hang(g, carbon, 1, 3);
    }
    graph_hang(g, middle, 1, hydrogens);
}

/* Leaves of several elements on one atom, as in CHF2Cl or SF6. */
static inline void graph_leaves(graph *g, uint8_t centre, uint8_t z, int count, uint8_t other,
                                int others)
{
    *g = (graph){ .name = "leaves" };
    uint16_t middle = graph_atom(g, centre);
    graph_hang(g, middle, z, count);
    graph_hang(g, middle, other, others);
}

enum { GRAPH_SAMPLES = 11 };

static inline void graph_samples(graph g[GRAPH_SAMPLES])
{
    graph_chain(&g[0], 2, 2, 0);         /* ethane                                */
    graph_chain(&g[1], 3, 2, 0);         /* propane                               */
    graph_star(&g[2], 6, 3, 1);          /* isobutane                             */
    graph_leaves(&g[3], 6, 1, 4, 1, 0);  /* methane: one group of four            */
    graph_leaves(&g[4], 16, 9, 6, 1, 0); /* SF6: too many for a group             */
    graph_leaves(&g[5], 6, 1, 2, 9, 2);  /* CH2F2: two groups on one atom         */
    graph_chain(&g[6], 6, 1, 1);         /* benzene                               */
    graph_chain(&g[7], 4, 0, 0);         /* butadiyne                             */
    graph_chain(&g[8], 3, 2, 1);         /* cyclopropane                          */
    graph_leaves(&g[9], 1, 1, 1, 1, 0);  /* H2: leaves of each other              */
    graph_leaves(&g[10], 8, 1, 2, 1, 0); /* two waters, in pieces                 */
    graph_hang(&g[10], graph_atom(&g[10], 8), 1, 2);
}

static inline int graph_bonded(const graph *g, uint16_t a, uint16_t b)
{
    for (size_t i = 0; i < g->bonds.n; i++)
        if ((g->list[i].a == a && g->list[i].b == b) || (g->list[i].a == b && g->list[i].b == a))
            return 1;
    return 0;
}

/* Calls f for every renaming that keeps elements and bonds, leaves and all: brute force. */
typedef void graph_visitor(void *arg, const uint16_t *order);

static inline void graph_renamings_from(const graph *g, size_t at, uint16_t *order,
                                        graph_visitor *f, void *arg)
{
    if (at == g->bonds.atoms) {
        f(arg, order);
        return;
    }
    for (uint16_t to = 0; to < g->bonds.atoms; to++) {
        int good = g->z[at] == g->z[to];
        for (uint16_t i = 0; good && i < at; i++)
            good =
                order[i] != to && graph_bonded(g, i, (uint16_t)at) == graph_bonded(g, order[i], to);
        order[at] = to;
        if (good)
            graph_renamings_from(g, at + 1, order, f, arg);
    }
}

static inline void graph_renamings(const graph *g, graph_visitor *f, void *arg)
{
    uint16_t order[GRAPH_ATOMS];
    graph_renamings_from(g, 0, order, f, arg);
}

static inline void random_places(float *xyz, size_t atoms, recon_rng *rng)
{
    for (size_t i = 0; i < 3 * atoms; i++)
        xyz[i] = (float)(1.5 * recon_rng_normal(rng));
}

static inline recon_symmetry *symmetry_of(recon_ctx *ctx, const graph *g)
{
    recon_symmetry *y = NULL;
    CHECK_OK(ctx, recon_symmetry_make(ctx, &y, g->z, &g->bonds));
    return y;
}

#endif
