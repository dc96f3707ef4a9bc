/* symmetry.c - automorphisms of a molecule's graph, by backtracking along its bonds.
 *
 * Atoms are coloured by what surrounds them (Weisfeiler and Lehman), then mapped one by one, each
 * onto an atom of its colour beside the image of a neighbour mapped before. Colours only save time:
 * elements, bonds and leaf groups are compared for themselves. */
#include "data/symmetry.h"
#include "core/arena.h"
#include "core/fail.h"
#include "core/memory.h"

#include <string.h>

enum { STEPS = 1 << 23, ROUNDS = 16, NOWHERE = UINT16_MAX };

typedef struct {
    recon_ctx *ctx;
    recon_symmetry *out;
    size_t capacity; /* of out->order, in automorphisms */
    const uint8_t *z;
    size_t n;
    size_t *first;      /* [n+1] of each atom in neighbor                      */
    uint16_t *neighbor; /* [2 bonds]                                           */
    uint64_t *colour;   /* [n]                                                 */
    uint16_t *group_at; /* [n] a group on this atom, counted from 1; 0: none   */
    uint16_t *next;     /* [groups] another on the same atom                   */
    uint8_t *carried;   /* [n] in a group: goes where its atom goes            */
    uint16_t *visit;    /* [visits] the others, each component along its bonds */
    uint16_t *from;     /* [visits] a neighbour visited before; itself: none   */
    size_t visits;
    uint16_t *image; /* [n] of the atoms mapped so far; NOWHERE: not yet */
    uint8_t *used;   /* [n] as an image                */
    size_t steps;    /* bonds looked at, and one for each try */
} builder;

/* --- the graph -------------------------------------------------------------------------------- */

static recon_status check_bonds(recon_ctx *ctx, const recon_bonds *bonds)
{
    if (bonds->atoms < 1 || bonds->atoms > RECON_SYMMETRY_ATOMS)
        return recon_fail(ctx, RECON_ERR_INPUT, "symmetry: %zu atoms, 1 to %d are supported",
                          bonds->atoms, RECON_SYMMETRY_ATOMS);
    for (size_t i = 0; i < bonds->n; i++) {
        const recon_bond *b = bonds->list + i, *last = i ? b - 1 : NULL;
        if (b->a >= b->b || b->b >= bonds->atoms)
            return recon_fail(ctx, RECON_ERR_INPUT,
                              "symmetry: bond %zu is of atoms %d and %d of %zu", i, b->a, b->b,
                              bonds->atoms);
        if (last && (last->a > b->a || (last->a == b->a && last->b >= b->b)))
            return recon_fail(ctx, RECON_ERR_INPUT, "symmetry: bond %zu is out of order", i);
    }
    return RECON_OK;
}

static recon_status take_all(builder *w, recon_arena *arena, size_t bonds)
{
    recon_ctx *ctx = w->ctx;
    size_t n = w->n;
    RECON_CHECK(recon_arena_take(ctx, arena, &w->first, n + 2, sizeof *w->first));
    RECON_CHECK(recon_arena_take(ctx, arena, &w->neighbor, 2 * bonds, sizeof *w->neighbor));
    RECON_CHECK(recon_arena_take(ctx, arena, &w->colour, 2 * n, sizeof *w->colour));
    RECON_CHECK(recon_arena_take(ctx, arena, &w->group_at, n, sizeof *w->group_at));
    RECON_CHECK(recon_arena_take(ctx, arena, &w->next, n, sizeof *w->next));
    RECON_CHECK(recon_arena_take(ctx, arena, &w->carried, n, 1));
    RECON_CHECK(recon_arena_take(ctx, arena, &w->visit, n, sizeof *w->visit));
    RECON_CHECK(recon_arena_take(ctx, arena, &w->from, n, sizeof *w->from));
    RECON_CHECK(recon_arena_take(ctx, arena, &w->image, n, sizeof *w->image));
    RECON_CHECK(recon_arena_take(ctx, arena, &w->used, n, 1));
    memset(w->group_at, 0, n * sizeof *w->group_at);
    memset(w->carried, 0, n);
    memset(w->used, 0, n);
    for (size_t i = 0; i < n; i++)
        w->image[i] = NOWHERE;
    return RECON_OK;
}

static size_t degree(const builder *w, size_t i)
{
    return w->first[i + 1] - w->first[i];
}

/* By halves: neighbours ascend, as bonds do. */
static int adjacent(const builder *w, uint16_t i, uint16_t j)
{
    size_t begin = w->first[i], end = w->first[i + 1];
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (w->neighbor[middle] == j)
            return 1;
        if (w->neighbor[middle] < j)
            begin = middle + 1;
        else
            end = middle;
    }
    return 0;
}

/* --- leaf groups ------------------------------------------------------------------------------ */

/* The leaves of one element on an atom; how many, of which the first RECON_LEAVES are kept. */
static size_t leaves_on(uint16_t *leaf, const builder *w, size_t atom, uint8_t z)
{
    size_t count = 0;
    for (size_t k = w->first[atom]; k < w->first[atom + 1]; k++) {
        uint16_t i = w->neighbor[k];
        if (w->z[i] != z || degree(w, i) != 1)
            continue;
        if (count < RECON_LEAVES)
            leaf[count] = i;
        count++;
    }
    return count;
}

static void add_group(builder *w, size_t atom, const uint16_t *leaf, size_t size)
{
    size_t g = w->out->info.groups++;
    w->out->group[g].size = size;
    memcpy(w->out->group[g].atom, leaf, size * sizeof *leaf);
    w->next[g] = w->group_at[atom];
    w->group_at[atom] = (uint16_t)(g + 1);
    for (size_t i = 0; i < size; i++)
        w->carried[leaf[i]] = 1;
}

/* Groups of this size. An atom that has a leaf only (H2) has no group. */
static void find_groups(builder *w, size_t size)
{
    uint16_t leaf[RECON_LEAVES];
    for (size_t atom = 0; atom < w->n; atom++)
        for (size_t k = w->first[atom]; degree(w, atom) > 1 && k < w->first[atom + 1]; k++) {
            uint16_t i = w->neighbor[k];
            if (degree(w, i) == 1 && !w->carried[i] && leaves_on(leaf, w, atom, w->z[i]) == size)
                add_group(w, atom, leaf, size);
        }
}

/* The group that g would go to with the atom it is on; NULL: there is none like it. */
static const recon_leaf_group *group_like(const builder *w, const recon_leaf_group *g)
{
    uint16_t atom = w->image[w->neighbor[w->first[g->atom[0]]]];
    for (uint16_t k = w->group_at[atom]; k; k = w->next[k - 1]) {
        const recon_leaf_group *other = w->out->group + k - 1;
        if (other->size == g->size && w->z[other->atom[0]] == w->z[g->atom[0]])
            return other;
    }
    return NULL;
}

/* --- colours and the order of visits ---------------------------------------------------------- */

static uint64_t scramble(uint64_t x) /* a bijection that spreads every bit */
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

static void colour(builder *w)
{
    uint64_t *now = w->colour, *then = w->colour + w->n;
    for (size_t i = 0; i < w->n; i++)
        now[i] = scramble(w->z[i] + 256 * degree(w, i));
    for (size_t round = 0; round < ROUNDS && round < w->n; round++) {
        memcpy(then, now, w->n * sizeof *now);
        for (size_t i = 0; i < w->n; i++) {
            uint64_t sum = 0; /* the same for neighbours in any order */
            for (size_t k = w->first[i]; k < w->first[i + 1]; k++)
                sum += scramble(then[w->neighbor[k]]);
            now[i] = scramble(3 * then[i] + sum);
        }
    }
}

static void visit(builder *w, uint16_t atom, uint16_t from)
{
    if (w->used[atom] || w->carried[atom])
        return;
    w->used[atom] = 1;
    w->visit[w->visits] = atom;
    w->from[w->visits++] = from;
}

/* --- backtracking ----------------------------------------------------------------------------- */

/* Keeps what is mapped, with the leaf groups, if these can follow. */
static recon_status keep(builder *w)
{
    recon_symmetry *y = w->out;
    for (size_t g = 0; g < y->info.groups; g++) {
        const recon_leaf_group *from = y->group + g, *to = group_like(w, from);
        if (!to)
            return RECON_OK;
        for (size_t i = 0; i < from->size; i++)
            w->image[from->atom[i]] = to->atom[i];
    }
    size_t used = y->info.automorphisms;
    RECON_CHECK(
        recon_grow(w->ctx, &y->order, &w->capacity, used, used + 1, w->n * sizeof *y->order));
    memcpy(y->order + w->n * y->info.automorphisms++, w->image, w->n * sizeof *w->image);
    return RECON_OK;
}

/* Whether an atom may go to `to`: its neighbours that have an image keep their bonds. */
static int may_go(builder *w, uint16_t atom, uint16_t to)
{
    if (w->used[to] || w->carried[to] || w->colour[to] != w->colour[atom] ||
        w->z[to] != w->z[atom] || degree(w, to) != degree(w, atom))
        return 0;
    w->steps += degree(w, atom);
    for (size_t k = w->first[atom]; k < w->first[atom + 1]; k++) {
        uint16_t i = w->neighbor[k];
        if (!w->carried[i] && w->image[i] != NOWHERE && !adjacent(w, to, w->image[i]))
            return 0;
    }
    return 1;
}

static recon_status extend(builder *w, size_t at);

static recon_status go(builder *w, size_t at, uint16_t to)
{
    /* Not before the identity, which is the first. */
    if ((w->steps >= STEPS && w->out->info.automorphisms) ||
        w->out->info.automorphisms >= RECON_AUTOMORPHISMS) {
        w->out->info.complete = 0;
        return RECON_OK;
    }
    w->steps++;
    if (!may_go(w, w->visit[at], to))
        return RECON_OK;
    w->image[w->visit[at]] = to;
    w->used[to] = 1;
    recon_status status = extend(w, at + 1);
    w->used[to] = 0;
    w->image[w->visit[at]] = NOWHERE;
    return status;
}

/* All ways to map the atoms from visit `at` on; each first onto itself, so that the identity comes
 * first. */
static recon_status extend(builder *w, size_t at)
{
    if (at == w->visits)
        return keep(w);
    uint16_t atom = w->visit[at], from = w->from[at];
    RECON_CHECK(go(w, at, atom));
    if (from == atom) {
        for (size_t i = 0; i < w->n; i++)
            if (i != atom)
                RECON_CHECK(go(w, at, (uint16_t)i));
    } else {
        uint16_t beside = w->image[from];
        for (size_t k = w->first[beside]; k < w->first[beside + 1]; k++)
            if (w->neighbor[k] != atom)
                RECON_CHECK(go(w, at, w->neighbor[k]));
    }
    return RECON_OK;
}

/* --- the object ------------------------------------------------------------------------------- */

recon_status recon_symmetry_make(recon_ctx *ctx, recon_symmetry **out, const uint8_t *z,
                                 const recon_bonds *bonds)
{
    recon_status status;
    builder w = { .ctx = ctx, .z = z, .n = bonds->atoms };
    recon_arena *arena = recon_arena_make();
    *out = NULL;
    if (!arena)
        RECON_TRY(recon_fail(ctx, RECON_ERR_MEMORY, "symmetry: out of memory"));
    RECON_TRY(check_bonds(ctx, bonds));
    RECON_TRY(recon_alloc(ctx, &w.out, 1, sizeof *w.out));
    RECON_TRY(recon_alloc(ctx, &w.out->group, bonds->atoms / 2, sizeof *w.out->group));
    RECON_TRY(take_all(&w, arena, bonds->n));
    w.out->info = (recon_symmetry_info){ .atoms = bonds->atoms, .complete = 1 };
    /* Counting sort of both ends of every bond: first[i + 1] runs from the start of i's neighbours
     * to their end. */
    memset(w.first, 0, (w.n + 2) * sizeof *w.first);
    for (size_t i = 0; i < bonds->n; i++) {
        w.first[bonds->list[i].a + 2]++;
        w.first[bonds->list[i].b + 2]++;
    }
    for (size_t i = 0; i < w.n; i++)
        w.first[i + 2] += w.first[i + 1];
    for (size_t i = 0; i < bonds->n; i++) {
        recon_bond b = bonds->list[i];
        w.neighbor[w.first[b.a + 1]++] = b.b;
        w.neighbor[w.first[b.b + 1]++] = b.a;
    }
    for (size_t size = RECON_LEAVES; size >= 2; size--)
        find_groups(&w, size);
    colour(&w);
    /* Breadth first, component after component. */
    size_t done = 0;
    for (size_t start = 0; start < w.n; start++) {
        visit(&w, (uint16_t)start, (uint16_t)start);
        for (; done < w.visits; done++)
            for (size_t k = w.first[w.visit[done]]; k < w.first[w.visit[done] + 1]; k++)
                visit(&w, w.neighbor[k], w.visit[done]);
    }
    memset(w.used, 0, w.n);
    RECON_TRY(extend(&w, 0));
    *out = w.out;
done:
    if (status != RECON_OK)
        recon_symmetry_free(w.out);
    recon_arena_free(arena);
    return status;
}

void recon_symmetry_free(recon_symmetry *symmetry)
{
    if (!symmetry)
        return;
    recon_free_all(symmetry->order, symmetry->group, symmetry);
}
