/* radius_graph.h - the graph of atoms of a batch within a radius, with directions.
 *
 * An edge leads from a source to a target of the same molecule within the radius. Edges are sorted
 * by target, then by source, so that sums over them have a fixed order. The graph is symmetric,
 * which saves a list: `offset` is where the edges of a target begin, and also where those of a
 * source begin in `order`. For recon_var_gather by target take (target, ascending, offset), by
 * source (source, order, offset); recon_var_segment_sum takes offset. */
#ifndef BACKBONE_RADIUS_GRAPH_H
#define BACKBONE_RADIUS_GRAPH_H

#include <stdint.h>
#include <recon/core/ctx.h>
#include <recon/group/harmonics.h>

typedef struct {
    size_t nodes, edges;      /* rows of the arrays below, padding counted */
    size_t found;             /* edges that are there; those behind are padding */
    int32_t *source, *target; /* [edges] */
    int32_t *offset;          /* [nodes + 1] */
    int32_t *order;           /* [edges] by source, then ascending */
    int32_t *ascending;       /* [edges] 0, 1, 2 .. */
    float *harmonics;         /* [edges][16] of p_source - p_target; of padding 0 */
    float *square;            /* [edges] squared length; of padding 0 */
    float *attribute;         /* [nodes][16] mean of the incoming harmonics, the first entry 1 */
    int32_t *cursor;          /* [nodes] scratch */
    size_t room_nodes, room_edges;
} recon_radius_graph; /* all zero: empty */

typedef struct {
    double radius; /* in the unit of the places; above 0 */
    size_t nodes;  /* rows; 0: as many as there are atoms. Those behind are in no molecule */
    size_t edges;  /* rows; 0: as many as there are edges. Those behind go from the last node to
                      itself, which then must not be an atom */
} recon_radius_graph_options;

/* Of n molecules with atoms offset[i] .. offset[i+1] of xyz, [..][3]. Two atoms in one place are
 * neighbours without a direction; one whose place is not finite has none. Memory grows when it has
 * to, and is used again. */
recon_status recon_radius_graph_fill(recon_ctx *ctx, recon_radius_graph *graph, const float *xyz,
                                     const int32_t *offset, size_t n,
                                     const recon_radius_graph_options *options);
void recon_radius_graph_free(recon_radius_graph *graph);

/* Graph `part` of `parts` in one: all have as many nodes, and as many edges, which are numbered
 * through. all is empty in front of the first. */
recon_status recon_radius_graph_join(recon_ctx *ctx, recon_radius_graph *all,
                                     const recon_radius_graph *one, size_t part, size_t parts);

/* How many edges one molecule has. */
size_t recon_radius_graph_count(const float *xyz, size_t atoms, double radius);

#endif
