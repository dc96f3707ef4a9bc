/* couple_edges.c - the tensor product of messages, channels mixed once for a node.
 *
 * A path's mixing is linear in the target's channels and in the source's, so it is done for nodes,
 * of which there are several times fewer than edges; an edge then adds up two nodes' channels and
 * couples them. Only paths that make scalars of higher degrees couple first: their products are as
 * large either way, and there a node would have many components to keep.
 *
 * Work goes by tiles of nodes with no edge to any other tile (whole molecules), so that what nodes
 * have mixed is never stored for all of them, and sums over edges are one thread's, in order. Tiles
 * and tasks are cut by the graph alone: the bits do not depend on the number of threads. A graph in
 * one piece is one tile. bf16 is computed in float. */
#include "ops/cpu/conv.h"
#include "ops/cpu/couple_edges.h"
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/threads.h"

#include <string.h>

#define TILE_NODES RECON_BLOCK_NODES
#define BLOCK      RECON_BLOCK_EDGES
#define BACK_TASKS 8 /* each holds a gradient of the weights of its own */
#define DEGREES    RECON_COUPLE_DEGREES

typedef struct {
    const recon_couple_edges_args *a;
    const recon_couple_plan *plan;
    recon_couple_split split; /* for the places of matrices */
    recon_edge_form form;
    size_t channels[DEGREES]; /* of a node */
    size_t dim, out;          /* lengths of rows of x and y */
    size_t depth;             /* coupled channels that make scalars */
    /* Weights as they are used: of nodes [2 widths][channels] by degree, of scalars [out][depth],
     * of extras; then the bias. Where each begins. */
    size_t node_at[DEGREES], scalar_at, extra_at, bias_at, weights;
    float *w;
    int32_t *tile; /* [tiles + 1] first nodes */
    size_t tiles;
    recon_pieces tasks;           /* of the way back; where x is cut, one for each slice */
    size_t first[BACK_TASKS + 1]; /* tile of each */
    float *partial;               /* their gradients */
} job;

/* Does the path couple first? */
static int makes_scalars(const recon_couple_path *p)
{
    return p->l3 == 0 && p->l1 > 0;
}

/* ---- what a tile holds ---- */

typedef struct {
    size_t first, nodes, edge, edges; /* its first node and edge, and how many */
    const float *x, *extra;           /* rows of its nodes and edges */
    float *plane[DEGREES];            /* x from degree 1 on: [nodes][2 l + 1][channels] */
    float *mixed[DEGREES];            /* [nodes][2 l + 1][plane]; on the way back gradients */
    float *dx, *dplane[DEGREES];      /* the way back */
    float *matrices;                  /* of a block of edges */
    float *coupled;                   /* [BLOCK][depth]      */
    float *dcoupled, *planes;         /* planes: of one edge */
} tile;

static size_t plane_count(const job *j, size_t l)
{
    return recon_couple_size(l) * j->channels[l];
}

static size_t mixed_count(const job *j, size_t l)
{
    return recon_couple_size(l) * j->form.plane[l];
}

static recon_status floats(recon_ctx *ctx, recon_arena *arena, float **out, size_t n)
{
    return recon_arena_take(ctx, arena, out, n + 1, sizeof **out);
}

static recon_status open_tile(recon_ctx *ctx, const job *j, recon_arena *arena, tile *t,
                              size_t index)
{
    recon_status status = RECON_OK;
    const int32_t *offset = j->a->offset.data;
    size_t blocks = recon_couple_blocks(BLOCK) * RECON_COUPLE_LANES;
    *t = (tile){ .first = (size_t)j->tile[index] };
    t->nodes = (size_t)j->tile[index + 1] - t->first;
    t->edge = (size_t)offset[t->first];
    t->edges = (size_t)offset[t->first + t->nodes] - t->edge;
    RECON_TRY(recon_part_read(ctx, arena, &t->x, &j->a->x, t->first * j->dim, t->nodes * j->dim));
    if (j->form.extras)
        RECON_TRY(recon_part_read(ctx, arena, &t->extra, &j->a->extra, t->edge * j->form.extras,
                                  t->edges * j->form.extras));
    for (size_t l = 0; l < DEGREES; l++) {
        RECON_TRY(floats(ctx, arena, &t->plane[l], l ? t->nodes * plane_count(j, l) : 0));
        RECON_TRY(floats(ctx, arena, &t->mixed[l], t->nodes * mixed_count(j, l)));
    }
    RECON_TRY(floats(ctx, arena, &t->matrices, blocks * j->split.numbers));
    RECON_TRY(floats(ctx, arena, &t->coupled, BLOCK * j->depth));
    RECON_TRY(floats(ctx, arena, &t->dcoupled, BLOCK * j->depth));
    RECON_TRY(floats(ctx, arena, &t->planes, j->form.planes));
done:
    return status;
}

/* The first column of a degree in a node's row. */
static size_t column_of(const job *j, size_t degree)
{
    size_t at = 0;
    for (size_t l = 0; l < degree; l++)
        at += plane_count(j, l);
    return at;
}

static void read_planes(const job *j, const tile *t)
{
    for (size_t l = 1; l < DEGREES; l++)
        recon_couple_to_planes(t->plane[l], j->channels[l], t->x + column_of(j, l), j->dim,
                               t->nodes, j->channels[l], recon_couple_size(l));
}

/* Channels of the nodes as a matrix: scalars are in x itself. */
static const float *node_rows(const job *j, const tile *t, size_t l, size_t *ld)
{
    *ld = l ? j->channels[l] : j->dim;
    return l ? t->plane[l] : t->x;
}

static recon_status mix_nodes(recon_ctx *ctx, const job *j, const tile *t)
{
    recon_status status = RECON_OK;
    for (size_t l = 0; l < DEGREES; l++) {
        size_t rows = t->nodes * recon_couple_size(l), width = j->form.plane[l], ld;
        const float *x = node_rows(j, t, l, &ld);
        if (j->channels[l] == 0) /* extra scalars may be alone */
            memset(t->mixed[l], 0, t->nodes * mixed_count(j, l) * sizeof(float));
        else if (width)
            RECON_TRY(recon_cpu_product(ctx, t->mixed[l], width, recon_plain(x, ld),
                                        recon_transposed(j->w + j->node_at[l], j->channels[l]),
                                        (size_t[]){ rows, width, j->channels[l] }, 0));
    }
done:
    return status;
}

/* ---- edges ---- */

/* Edge i of a block that begins at edge `from` of the tile; nodes[] are its target's and source's
 * numbers in the tile. */
static recon_edge edge_of(const job *j, const tile *t, size_t from, size_t i, size_t nodes[2])
{
    const int32_t *end[2] = { j->a->target.data, j->a->source.data };
    size_t e = t->edge + from + i;
    recon_edge edge = { .matrices = t->matrices +
                                    i / RECON_COUPLE_LANES * j->split.numbers * RECON_COUPLE_LANES +
                                    i % RECON_COUPLE_LANES,
                        .extra = t->extra + (from + i) * j->form.extras };
    for (int side = 0; side < 2; side++) {
        nodes[side] = (size_t)end[side][e] - t->first;
        for (size_t l = 0; l < DEGREES; l++)
            edge.mixed[side][l] =
                t->mixed[l] + nodes[side] * mixed_count(j, l) + (side ? j->form.plane[l] / 2 : 0);
    }
    return edge;
}

/* One path that makes scalars, one side of one edge. */
static recon_couple_step scalar_step(const job *j, const recon_edge *edge, size_t path,
                                     const float *channels, float *coupled)
{
    size_t l1 = j->plan->path[path].l1, n = j->channels[l1];
    return (recon_couple_step){ .out = coupled,
                                .in = channels,
                                .plane_out = n,
                                .plane_in = n,
                                .m = edge->matrices +
                                     j->split.place[path].matrix * RECON_COUPLE_LANES,
                                .step_a = 1,
                                .step_b = 1,
                                .rows = 1,
                                .na = 1,
                                .nb = recon_couple_size(l1),
                                .n = n };
}

/* Coupled channels of an edge, from its nodes' planes; or back, onto their gradients. */
static void couple_scalars(const job *j, const tile *t, const recon_edge *edge,
                           const size_t nodes[2], float *coupled, int back)
{
    for (size_t i = 0; i < j->plan->paths; i++) {
        size_t l1 = j->plan->path[i].l1;
        for (int side = 0; side < 2 && makes_scalars(&j->plan->path[i]); side++) {
            float *own = (back ? t->dplane : t->plane)[l1] + nodes[side] * plane_count(j, l1);
            recon_couple_step s = scalar_step(j, edge, i, own, coupled);
            if (back) {
                s.in = coupled, s.out = own;
                s.na = s.nb, s.nb = 1;
                s.add = 1;
            }
            recon_couple_apply(&s);
            coupled += j->channels[l1];
        }
    }
}

/* The planes of an edge between its row of y: adds the scalars to what is there. */
static void write_row(const job *j, float *y, const float *planes)
{
    const float *bias = j->a->bias.data;
    for (size_t o = 0; o < j->plan->out[0]; o++)
        y[o] += planes[o] + (bias ? bias[o] : 0);
    for (size_t l = 0; l < DEGREES; l++) {
        size_t n = j->plan->out[l], width = j->form.degree[l].width;
        if (l)
            recon_couple_from_planes(y, 0, planes, width, 1, n, recon_couple_size(l));
        planes += recon_couple_size(l) * width;
        y += recon_couple_size(l) * n;
    }
}

static void read_row(const job *j, float *planes, const float *dy)
{
    for (size_t l = 0; l < DEGREES; l++) {
        size_t n = j->plan->out[l], width = j->form.degree[l].width;
        recon_couple_to_planes(planes, width, dy, 0, 1, n, recon_couple_size(l));
        planes += recon_couple_size(l) * width;
        dy += recon_couple_size(l) * n;
    }
}

static void block_matrices(const job *j, const tile *t, size_t from, size_t edges)
{
    const float *attr = j->a->attr.data;
    recon_couple_matrices(t->matrices, j->plan, &j->split,
                          attr + (t->edge + from) * RECON_COUPLE_ATTRS, edges);
}

static recon_status forward_block(recon_ctx *ctx, const job *j, const tile *t, recon_arena *arena,
                                  size_t from)
{
    recon_status status = RECON_OK;
    size_t edges = recon_min(BLOCK, t->edges - from), at = (t->edge + from) * j->out;
    size_t scalars = j->plan->out[0], nodes[2];
    float *y;
    RECON_TRY(recon_part_write(ctx, arena, &y, &j->a->y, at, edges * j->out));
    block_matrices(j, t, from, edges);
    for (size_t i = 0; i < edges; i++) {
        recon_edge edge = edge_of(j, t, from, i, nodes);
        couple_scalars(j, t, &edge, nodes, t->coupled + i * j->depth, 0);
        memset(y + i * j->out, 0, j->depth ? 0 : scalars * sizeof *y);
    }
    if (j->depth && scalars)
        RECON_TRY(recon_cpu_product(ctx, y, j->out, recon_plain(t->coupled, j->depth),
                                    recon_transposed(j->w + j->scalar_at, j->depth),
                                    (size_t[]){ edges, scalars, j->depth }, 0));
    for (size_t i = 0; i < edges; i++) {
        recon_edge edge = edge_of(j, t, from, i, nodes);
        recon_edge_couple(t->planes, &j->form, &edge, j->w + j->extra_at);
        write_row(j, y + i * j->out, t->planes);
    }
    recon_run_wrote(y, &j->a->y, at, edges * j->out);
done:
    return status;
}

static recon_status forward_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const job *j = arg;
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    tile t;
    RECON_TRY(open_tile(ctx, j, arena, &t, index));
    read_planes(j, &t);
    RECON_TRY(mix_nodes(ctx, j, &t));
    for (size_t from = 0; from < t.edges; from += BLOCK) {
        recon_mark block = recon_arena_mark(arena);
        RECON_TRY(forward_block(ctx, j, &t, arena, from));
        recon_arena_release(arena, block);
    }
done:
    return status;
}

/* ---- the way back ---- */

/* Gradients of a block's scalars: of their weights, and of the channels that made them. */
static recon_status scalars_back(recon_ctx *ctx, const job *j, const tile *t, const float *dy,
                                 float *sums, size_t edges)
{
    recon_status status = RECON_OK;
    size_t scalars = j->plan->out[0];
    if (j->depth == 0 || scalars == 0)
        return RECON_OK;
    RECON_TRY(recon_cpu_product(ctx, sums + j->scalar_at, j->depth, recon_transposed(dy, j->out),
                                recon_plain(t->coupled, j->depth),
                                (size_t[]){ scalars, j->depth, edges }, 1));
    RECON_TRY(recon_cpu_product(ctx, t->dcoupled, j->depth, recon_plain(dy, j->out),
                                recon_plain(j->w + j->scalar_at, j->depth),
                                (size_t[]){ edges, j->depth, scalars }, 0));
done:
    return status;
}

static recon_status back_block(recon_ctx *ctx, const job *j, const tile *t, recon_arena *arena,
                               float *sums, size_t from)
{
    recon_status status = RECON_OK;
    size_t edges = recon_min(BLOCK, t->edges - from), nodes[2], scalars = j->plan->out[0];
    const float *dy;
    RECON_TRY(
        recon_part_read(ctx, arena, &dy, &j->a->dy, (t->edge + from) * j->out, edges * j->out));
    block_matrices(j, t, from, edges);
    for (size_t i = 0; i < edges; i++) {
        recon_edge edge = edge_of(j, t, from, i, nodes);
        couple_scalars(j, t, &edge, nodes, t->coupled + i * j->depth, 0);
    }
    RECON_TRY(scalars_back(ctx, j, t, dy, sums, edges));
    for (size_t i = 0; i < edges; i++) {
        recon_edge edge = edge_of(j, t, from, i, nodes);
        const float *row = dy + i * j->out;
        if (scalars)
            couple_scalars(j, t, &edge, nodes, t->dcoupled + i * j->depth, 1);
        for (size_t o = 0; o < scalars; o++)
            sums[j->bias_at + o] += row[o];
        read_row(j, t->planes, row);
        recon_edge_uncouple(t->planes, &j->form, &edge, sums + j->extra_at);
    }
done:
    return status;
}

/* From the gradients of what the nodes mixed: of the weights, and of x. */
static recon_status nodes_back(recon_ctx *ctx, const job *j, const tile *t, float *sums)
{
    recon_status status = RECON_OK;
    for (size_t l = 0; l < DEGREES; l++) {
        size_t rows = t->nodes * recon_couple_size(l), width = j->form.plane[l];
        size_t n = j->channels[l], ld;
        const float *x = node_rows(j, t, l, &ld);
        if (n && width) { /* no width: all it makes is scalars */
            RECON_TRY(recon_cpu_product(ctx, sums + j->node_at[l], n,
                                        recon_transposed(t->mixed[l], width), recon_plain(x, ld),
                                        (size_t[]){ width, n, rows }, 1));
            RECON_TRY(recon_cpu_product(
                ctx, l ? t->dplane[l] : t->dx, ld, recon_plain(t->mixed[l], width),
                recon_plain(j->w + j->node_at[l], n), (size_t[]){ rows, n, width }, l ? 1 : 0));
        }
        if (l)
            recon_couple_from_planes(t->dx + column_of(j, l), j->dim, t->dplane[l], n, t->nodes, n,
                                     recon_couple_size(l));
    }
done:
    return status;
}

static recon_status back_tile(recon_ctx *ctx, const job *j, recon_arena *arena, float *sums,
                              size_t index)
{
    recon_status status = RECON_OK;
    recon_tensor none = { .type = RECON_BF16 };
    const recon_tensor *to = j->a->dx.data ? &j->a->dx : &none;
    tile t;
    RECON_TRY(open_tile(ctx, j, arena, &t, index));
    RECON_TRY(recon_part_write(ctx, arena, &t.dx, to, t.first * j->dim, t.nodes * j->dim));
    read_planes(j, &t);
    for (size_t l = 0; l < DEGREES; l++) {
        RECON_TRY(floats(ctx, arena, &t.dplane[l], l ? t.nodes * plane_count(j, l) : 0));
        memset(t.dplane[l], 0, l ? t.nodes * plane_count(j, l) * sizeof(float) : 0);
        memset(t.mixed[l], 0, t.nodes * mixed_count(j, l) * sizeof(float));
    }
    memset(t.planes, 0, j->form.planes * sizeof *t.planes); /* the padding stays so */
    for (size_t from = 0; from < t.edges; from += BLOCK) {
        recon_mark block = recon_arena_mark(arena);
        RECON_TRY(back_block(ctx, j, &t, arena, sums, from));
        recon_arena_release(arena, block);
    }
    RECON_TRY(nodes_back(ctx, j, &t, sums));
    if (j->a->dx.data)
        recon_run_wrote(t.dx, &j->a->dx, t.first * j->dim, t.nodes * j->dim);
done:
    return status;
}

static recon_status back_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const job *j = arg;
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    size_t begin = j->first[index], end = j->first[index + 1];
    float *sums = j->partial + index * j->weights;
    memset(sums, 0, j->weights * sizeof *sums);
    for (size_t i = begin; i < end; i++) {
        RECON_TRY(back_tile(ctx, j, arena, sums, i));
        recon_arena_release(arena, mark);
    }
done:
    return status;
}

/* ---- whole calls ---- */

/* Where paths have their outputs at the nodes, and where weights are. */
static void lay_out(job *j)
{
    size_t at = 0, extra = 0, width[DEGREES] = { 0 };
    for (size_t l = 0; l < DEGREES; l++)
        j->form.degree[l].width = recon_edge_padded(j->plan->out[l]);
    for (size_t i = 0; i < j->plan->paths; i++) {
        const recon_couple_path *p = &j->plan->path[i];
        recon_edge_degree *d = &j->form.degree[p->l3];
        if (makes_scalars(p)) {
            j->depth += j->plan->in[p->l1];
            continue;
        }
        d->path[d->paths++] =
            (recon_edge_path){ p->l1, width[p->l1], j->split.place[i].matrix, extra };
        width[p->l1] += d->width;
        extra += p->l1 ? 0 : j->form.extras * d->width;
    }
    for (size_t l = 0; l < DEGREES; l++) {
        j->form.plane[l] = 2 * width[l];
        j->form.planes += recon_couple_size(l) * j->form.degree[l].width;
        j->node_at[l] = at;
        at += j->form.plane[l] * j->channels[l];
    }
    j->scalar_at = at;
    j->extra_at = j->scalar_at + j->plan->out[0] * j->depth;
    j->bias_at = j->extra_at + extra;
    j->weights = j->bias_at + j->plan->out[0];
}

/* Between w as the caller has it and as it is used here. */
static void move(float *used, float *plain, size_t count, int to_plain)
{
    memcpy(to_plain ? plain : used, to_plain ? used : plain, count * sizeof *used);
}

static void move_path(const job *j, const recon_couple_path *p, const recon_edge_path *e,
                      float *used, float *plain, int to_plain)
{
    size_t n = j->channels[p->l1], columns = j->plan->columns[p->l3];
    const recon_edge_degree *d = &j->form.degree[p->l3];
    for (size_t o = 0; o < j->plan->out[p->l3]; o++, plain += columns) {
        float *target = used + j->node_at[p->l1] + (e->at + o) * n;
        float *extra = used + j->extra_at + e->extra + o;
        move(target, plain, n, to_plain);
        move(target + j->form.plane[p->l1] / 2 * n, plain + n, n, to_plain);
        for (size_t x = 0; p->l1 == 0 && x < j->form.extras; x++)
            move(extra + x * d->width, plain + 2 * n + x, 1, to_plain);
    }
}

static void move_weights(const job *j, float *used, float *plain, int to_plain)
{
    size_t next[DEGREES] = { 0 }, at = j->scalar_at;
    for (size_t i = 0; i < j->plan->paths; i++) {
        const recon_couple_path *p = &j->plan->path[i];
        float *own = plain + recon_couple_weight(j->plan, p->l3) + p->column;
        if (!makes_scalars(p)) {
            const recon_edge_path *e = &j->form.degree[p->l3].path[next[p->l3]++];
            move_path(j, p, e, used, own, to_plain);
            continue;
        }
        for (size_t o = 0; o < j->plan->out[0]; o++)
            move(used + at + o * j->depth, own + o * j->plan->columns[0], j->plan->in[p->l1],
                 to_plain);
        at += j->plan->in[p->l1];
    }
}

/* Tiles to tasks: those of a slice, or about as many to each. */
static void cut_tasks(job *j, const recon_slices *nodes)
{
    size_t of_task = recon_up(j->tiles, BACK_TASKS), task = 0;
    for (size_t i = 1; i < j->tiles; i++)
        if (j->a->x.slices ? (size_t)j->tile[i] % nodes->each == 0 : i % of_task == 0)
            j->first[++task] = i;
    j->first[++task] = j->tiles;
    j->tasks = recon_pieces_each(nodes, j->a->x.slices ? 1 : task);
}

/* Tiles end where no edge reaches across, and with their slice. */
static recon_status cut_tiles(recon_ctx *ctx, job *j)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    size_t nodes = recon_tensor_rows(&j->a->x), edges = recon_tensor_rows(&j->a->attr);
    const int32_t *source = j->a->source.data, *target = j->a->target.data;
    int32_t *across, open = 0;
    recon_slices slices = recon_slices_in_rows(&j->a->x, nodes);
    RECON_TRY(recon_arena_take(ctx, arena, &j->tile, nodes / TILE_NODES + 2 + RECON_SLICES,
                               sizeof *j->tile));
    RECON_TRY(recon_arena_take(ctx, arena, &across, nodes + 1, sizeof *across));
    memset(across, 0, (nodes + 1) * sizeof *across);
    for (size_t e = 0; e < edges; e++) {
        across[recon_min((size_t)source[e], (size_t)target[e]) + 1]++;
        across[(source[e] > target[e] ? source[e] : target[e]) + 1]--;
    }
    j->tile[0] = 0;
    for (size_t i = 1; i <= nodes; i++) {
        open += across[i];
        if (i == nodes || i % slices.each == 0 ||
            (open == 0 && i - (size_t)j->tile[j->tiles] >= TILE_NODES))
            j->tile[++j->tiles] = (int32_t)i;
    }
    cut_tasks(j, &slices);
done:
    return status;
}

static recon_status open_job(recon_ctx *ctx, job *j, const recon_couple_edges_args *a)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    const float *w;
    *j = (job){ .a = a,
                .plan = a->plan,
                .split = recon_couple_split_of(a->plan),
                .dim = recon_tensor_cols(&a->x),
                .out = recon_couple_dim(a->plan->out) };
    j->form.extras = a->extra.data ? recon_tensor_cols(&a->extra) : 0;
    for (size_t l = 0; l < DEGREES; l++)
        j->channels[l] = (a->plan->in[l] - (l ? 0 : j->form.extras)) / 2;
    lay_out(j);
    RECON_TRY(cut_tiles(ctx, j));
    RECON_TRY(recon_part_read(ctx, arena, &w, &a->w, 0, recon_tensor_count(&a->w)));
    RECON_TRY(floats(ctx, arena, &j->w, j->weights));
    memset(j->w, 0, j->weights * sizeof *j->w);
    move_weights(j, j->w, (float *)w, 0);
done:
    return status;
}

recon_status recon_cpu_couple_edges(recon_ctx *ctx, const recon_couple_edges_args *a)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    job j;
    if (recon_tensor_rows(&a->attr) == 0)
        return RECON_OK;
    RECON_TRY(open_job(ctx, &j, a));
    RECON_TRY(recon_parallel(ctx, forward_task, &j, j.tiles));
done:
    recon_arena_release(arena, mark);
    return status;
}

static recon_status to_plain(recon_ctx *ctx, const void *user, float *out, float *used)
{
    (void)ctx;
    move_weights(user, used, out, 1);
    return RECON_OK;
}

static recon_status sum_tasks(recon_ctx *ctx, const job *j)
{
    recon_gradient weights = { .pieces = &j->tasks,
                               .part = j->partial,
                               .width = j->bias_at,
                               .arrange = to_plain,
                               .user = j,
                               .out = j->a->dw.data,
                               .count = recon_tensor_count(&j->a->w) };
    return recon_couple_sum(ctx, weights, j->a->dbias.data, j->plan->out[0]);
}

recon_status recon_cpu_couple_edges_back(recon_ctx *ctx, const recon_couple_edges_args *a)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    job j;
    if (recon_tensor_rows(&a->attr) == 0)
        return recon_ops_ref.couple_edges_back(ctx, a);
    RECON_TRY(open_job(ctx, &j, a));
    RECON_TRY(floats(ctx, arena, &j.partial, j.tasks.tasks * j.weights));
    RECON_TRY(recon_parallel(ctx, back_task, &j, j.tasks.tasks));
    RECON_TRY(sum_tasks(ctx, &j));
done:
    recon_arena_release(arena, mark);
    return status;
}
