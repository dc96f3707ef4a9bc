/* couple_edges_rows.c - an edge's coupling with its sums in registers. See couple_edges.h. */
#include "ops/cpu/couple_edges.h"
#include "core/simd.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline)) /* into each of the clones */
typedef float lanes
    __attribute__((vector_size(RECON_EDGE_LANES * sizeof(float)), aligned(4), may_alias));

/* No function returns lanes: how would depend on the clone. */
#define AT(x)  (*(lanes *)(x))
#define GET(x) (*(const lanes *)(x))

/* Sixteen channels of component b of a path: the target's, the source's and, once, the extras'. */
INLINE void hear(lanes *v, const recon_edge_form *f, const recon_edge_degree *d,
                 const recon_edge_path *p, const recon_edge *e, const float *weights, size_t b,
                 size_t k)
{
    size_t place = b * f->plane[p->l1] + p->at + k;
    *v = GET(e->mixed[0][p->l1] + place) + GET(e->mixed[1][p->l1] + place);
    for (size_t x = 0; p->l1 == 0 && x < f->extras; x++)
        *v += e->extra[x] * GET(weights + p->extra + x * d->width + k);
}

INLINE void couple_degree(float *planes, const recon_edge_form *f, const recon_edge_degree *d,
                          const recon_edge *e, const float *weights, size_t size)
{
    for (size_t k = 0; k < d->width; k += RECON_EDGE_LANES) {
        lanes sum[7] = { { 0 } };
        for (size_t i = 0; i < d->paths; i++) {
            const recon_edge_path *p = &d->path[i];
            for (size_t b = 0; b < recon_couple_size(p->l1); b++) {
                const float *m = e->matrices + (p->matrix + b * size) * RECON_COUPLE_LANES;
                lanes v;
                hear(&v, f, d, p, e, weights, b, k);
                for (size_t a = 0; a < size; a++)
                    sum[a] += m[a * RECON_COUPLE_LANES] * v;
            }
        }
        for (size_t a = 0; a < size; a++)
            AT(planes + a * d->width + k) = sum[a];
    }
}

INLINE void uncouple_degree(const float *planes, const recon_edge_form *f,
                            const recon_edge_degree *d, const recon_edge *e, float *weights,
                            size_t size)
{
    for (size_t k = 0; k < d->width; k += RECON_EDGE_LANES) {
        lanes dy[7];
        for (size_t a = 0; a < size; a++)
            dy[a] = GET(planes + a * d->width + k);
        for (size_t i = 0; i < d->paths; i++) {
            const recon_edge_path *p = &d->path[i];
            for (size_t b = 0; b < recon_couple_size(p->l1); b++) {
                const float *m = e->matrices + (p->matrix + b * size) * RECON_COUPLE_LANES;
                size_t place = b * f->plane[p->l1] + p->at + k;
                lanes v = m[0] * dy[0];
                for (size_t a = 1; a < size; a++)
                    v += m[a * RECON_COUPLE_LANES] * dy[a];
                AT(e->mixed[0][p->l1] + place) += v;
                AT(e->mixed[1][p->l1] + place) += v;
                for (size_t x = 0; p->l1 == 0 && x < f->extras; x++)
                    AT(weights + p->extra + x * d->width + k) += e->extra[x] * v;
            }
        }
    }
}

RECON_CLONES void recon_edge_couple(float *planes, const recon_edge_form *f, const recon_edge *e,
                                    const float *weights)
{
    const recon_edge_degree *d = f->degree;
    couple_degree(planes, f, &d[0], e, weights, 1);
    couple_degree(planes += d[0].width, f, &d[1], e, weights, 3);
    couple_degree(planes += 3 * d[1].width, f, &d[2], e, weights, 5);
    couple_degree(planes += 5 * d[2].width, f, &d[3], e, weights, 7);
}

RECON_CLONES void recon_edge_uncouple(const float *planes, const recon_edge_form *f,
                                      const recon_edge *e, float *weights)
{
    const recon_edge_degree *d = f->degree;
    uncouple_degree(planes, f, &d[0], e, weights, 1);
    uncouple_degree(planes += d[0].width, f, &d[1], e, weights, 3);
    uncouple_degree(planes += 3 * d[1].width, f, &d[2], e, weights, 5);
    uncouple_degree(planes += 5 * d[2].width, f, &d[3], e, weights, 7);
}
