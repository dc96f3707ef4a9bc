/* slices.h - cuts a batch into slices, so that results do not depend on the number of ranks.
 *
 * A training batch is cut into at most RECON_SLICES slices, depending only on the number of its
 * items, and a rank has some of them, in order. A tensor that is cut records it
 * (recon_tensor.slices): its rows belong to the items of this rank's slices, with the same number
 * of rows for each. Kernels whose rows are independent can ignore it. Those that call a library, or
 * sum over the batch, cut their tasks at the ends of slices (recon_pieces), so that a call has the
 * same rows on any number of ranks, and sum with sums.h. */
#ifndef OPS_SLICES_H
#define OPS_SLICES_H

#include "ops/tensor.h"
#include <recon/core/ctx.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RECON_SLICES 8

typedef struct recon_slices {
    size_t all, each;  /* things in the batch, and in a slice: the last one may have fewer */
    size_t count;      /* slices of the batch */
    size_t begin, end; /* those of this rank */
} recon_slices;

/* This rank's part of a batch of `all` things; begin == end where there are more ranks than
 * slices. */
recon_slices recon_slices_of(const recon_ctx *ctx, size_t all);

/* Things before this rank's, and this rank's. */
static inline size_t recon_slices_before(const recon_slices *s)
{
    return s->begin * s->each;
}
static inline size_t recon_slices_here(const recon_slices *s)
{
    size_t end = s->end * s->each;
    return (end < s->all ? end : s->all) - recon_slices_before(s);
}

/* Are all of them here? */
static inline int recon_slices_alone(const recon_slices *s)
{
    return s->begin == 0 && s->end == s->count;
}

/* The same counted in rows, of which x has so many here. One that is not cut is a single slice. */
recon_slices recon_slices_in_rows(const recon_tensor *x, size_t rows);
/* Of so many rows here: those of the batch in front of them. */
size_t recon_slices_rows_before(const recon_tensor *x, size_t rows);

/* How what slices have is added up: neighbours, then neighbours of those, and so on. Slice `right`
 * is added to slice `left`, at the rank that has both, or, once ranks have met, everywhere: -1. */
typedef struct {
    size_t left, right;
    int where;
} recon_slice_merge;
typedef struct {
    recon_slice_merge merge[RECON_SLICES];
    size_t merges;
    int sent[RECON_SLICES];  /* whether a slice's place is still in use when ranks meet */
    int owner[RECON_SLICES]; /* the rank of each slice */
} recon_slice_tree;
recon_slice_tree recon_slice_tree_of(const recon_ctx *ctx, const recon_slices *s);

/* Rows in tasks of `piece` rows, none of which reaches over the end of a slice. */
typedef struct {
    recon_slices s;    /* in rows */
    size_t piece;      /* rows of a task; the last of a slice may have fewer */
    size_t per, tasks; /* of a whole slice; here */
} recon_pieces;
typedef struct {
    size_t begin, end;
} recon_rows;

recon_pieces recon_pieces_of(recon_slices in_rows, size_t piece);
/* So many tasks of what is not cut. */
recon_pieces recon_pieces_alone(size_t tasks);
/* So many tasks of each of this rank's slices. */
recon_pieces recon_pieces_each(const recon_slices *s, size_t tasks);

static inline recon_rows recon_pieces_rows(const recon_pieces *p, size_t task)
{
    size_t begin = task / p->per * p->s.each, stop = begin + p->s.each;
    size_t here = recon_slices_here(&p->s);
    stop = stop < here ? stop : here;
    begin += task % p->per * p->piece;
    recon_rows rows = { begin, begin + p->piece < stop ? begin + p->piece : stop };
    return rows;
}

#ifdef __cplusplus
}
#endif
#endif
