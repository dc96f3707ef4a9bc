/* slices.c - how a batch is cut, and how its slices are added up. */
#include "ops/slices.h"
#include "comm/comm.h"

recon_slices recon_slices_of(const recon_ctx *ctx, size_t all)
{
    size_t each = (all + RECON_SLICES - 1) / RECON_SLICES;
    size_t count = each ? (all + each - 1) / each : 0;
    recon_share own = recon_comm_own(ctx, count, 1);
    return (recon_slices){ all, each, count, own.begin, own.end };
}

recon_slices recon_slices_in_rows(const recon_tensor *x, size_t rows)
{
    if (!x->slices)
        return (recon_slices){ rows, rows, 1, 0, 1 };
    recon_slices s = *x->slices;
    size_t here = recon_slices_here(&s), by = here ? rows / here : 0;
    s.all *= by;
    s.each *= by;
    return s;
}

size_t recon_slices_rows_before(const recon_tensor *x, size_t rows)
{
    recon_slices s = recon_slices_in_rows(x, rows);
    return recon_slices_before(&s);
}

recon_pieces recon_pieces_of(recon_slices s, size_t piece)
{
    recon_pieces p = { .s = s, .piece = piece < s.each ? piece : s.each };
    size_t here = recon_slices_here(&s);
    if (here == 0)
        return p;
    p.per = (s.each + p.piece - 1) / p.piece;
    p.tasks = here / s.each * p.per + (here % s.each + p.piece - 1) / p.piece;
    return p;
}

recon_pieces recon_pieces_alone(size_t tasks)
{
    return recon_pieces_of((recon_slices){ tasks, tasks, 1, 0, 1 }, 1);
}

recon_pieces recon_pieces_each(const recon_slices *s, size_t tasks)
{
    return recon_pieces_of((recon_slices){ s->count * tasks, tasks, s->count, s->begin, s->end },
                           1);
}

recon_slice_tree recon_slice_tree_of(const recon_ctx *ctx, const recon_slices *s)
{
    recon_slice_tree t = { .merges = 0 };
    int at[RECON_SLICES];
    int alone = recon_slices_alone(s);
    for (int r = 0; r < recon_comm_size(ctx); r++) {
        recon_share own = recon_comm_share(ctx, r, s->count, 1);
        for (size_t i = own.begin; i < own.end; i++)
            t.owner[i] = alone ? recon_comm_rank(ctx) : r;
    }
    for (size_t i = 0; i < s->count; i++) {
        at[i] = t.owner[i];
        t.sent[i] = 1;
    }
    for (size_t apart = 1; apart < s->count; apart *= 2)
        for (size_t i = 0; i + apart < s->count; i += 2 * apart) {
            int together = at[i] >= 0 && at[i] == at[i + apart];
            t.merge[t.merges++] = (recon_slice_merge){ i, i + apart, together ? at[i] : -1 };
            at[i] = together ? at[i] : -1;
            if (together)
                t.sent[i + apart] = 0;
        }
    return t;
}
