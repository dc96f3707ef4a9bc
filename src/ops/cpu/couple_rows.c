/* couple_rows.c - small matrices, planes, and the coupling, with the channels innermost. See
 * couple.h. */
#include "ops/cpu/couple.h"
#include "core/simd.h"

#include <string.h>

#define LANES  RECON_COUPLE_LANES
#define INLINE static inline __attribute__((always_inline)) /* into each of the clones */

/* Attributes of sixteen rows, number by number; rows that are not there are 0. */
static void turn_attributes(float *restrict out, const float *restrict attr, size_t rows)
{
    memset(out, 0, RECON_COUPLE_ATTRS * LANES * sizeof *out);
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < RECON_COUPLE_ATTRS; i++)
            out[i * LANES + r] = attr[r * RECON_COUPLE_ATTRS + i];
}

INLINE void add_term(float *restrict m, const float *restrict attr, float value)
{
    for (size_t k = 0; k < LANES; k++)
        m[k] += value * attr[k];
}

RECON_CLONES static void block_matrices(float *restrict m, const recon_couple_plan *plan,
                                        const recon_couple_split *split, const float *restrict attr)
{
    memset(m, 0, split->numbers * LANES * sizeof *m);
    for (uint32_t i = 0; i < plan->paths; i++) {
        const recon_couple_path *p = &plan->path[i];
        float *own = m + split->place[i].matrix * LANES;
        for (uint32_t k = 0; k < p->terms; k++) {
            const recon_couple_term *t = &plan->term[p->term + k];
            add_term(own + (t->m1 * recon_couple_size(p->l3) + t->m3) * LANES,
                     attr + (recon_couple_attr(p->l2) + t->m2) * LANES, (float)t->value);
        }
    }
}

void recon_couple_matrices(float *m, const recon_couple_plan *plan, const recon_couple_split *split,
                           const float *attr, size_t rows)
{
    float turned[RECON_COUPLE_ATTRS * LANES];
    for (size_t r = 0; r < rows; r += LANES) {
        turn_attributes(turned, attr + r * RECON_COUPLE_ATTRS, rows - r < LANES ? rows - r : LANES);
        block_matrices(m + r * split->numbers, plan, split, turned);
    }
}

INLINE void to_planes(float *restrict planes, const float *restrict x, size_t n, size_t size)
{
    for (size_t m = 0; m < size; m++)
        for (size_t u = 0; u < n; u++)
            planes[m * n + u] = x[u * size + m];
}

INLINE void from_planes(float *restrict x, const float *restrict planes, size_t n, size_t size)
{
    for (size_t u = 0; u < n; u++)
        for (size_t m = 0; m < size; m++)
            x[u * size + m] = planes[m * n + u];
}

/* The call with size a constant. */
#define BY_SIZE(size, call)                                                                        \
    switch (size) {                                                                                \
    case 1: call(1); break;                                                                        \
    case 3: call(3); break;                                                                        \
    case 5: call(5); break;                                                                        \
    default: call(7); break;                                                                       \
    }

RECON_CLONES void recon_couple_to_planes(float *planes, const float *x, size_t step, size_t rows,
                                         size_t n, size_t size)
{
#define CALL(k) to_planes(planes + r * n * k, x + r * step, n, k)
    for (size_t r = 0; r < rows; r++)
        BY_SIZE(size, CALL)
#undef CALL
}

RECON_CLONES void recon_couple_from_planes(float *x, size_t step, const float *planes, size_t rows,
                                           size_t n, size_t size)
{
#define CALL(k) from_planes(x + r * step, planes + r * n * k, n, k)
    for (size_t r = 0; r < rows; r++)
        BY_SIZE(size, CALL)
#undef CALL
}

/* One component of one row out of nb. */
INLINE void couple_plane(float *restrict out, const float *restrict in, size_t plane,
                         const float *restrict m, size_t step, size_t n, int add, size_t nb)
{
    float factor[7];
    for (size_t b = 0; b < nb; b++)
        factor[b] = m[b * step];
    for (size_t c = 0; c < n; c++) {
        float sum = factor[0] * in[c];
        for (size_t b = 1; b < nb; b++)
            sum += factor[b] * in[b * plane + c];
        out[c] = add ? out[c] + sum : sum;
    }
}

RECON_CLONES void recon_couple_apply(const recon_couple_step *s)
{
#define CALL(k)                                                                                    \
    couple_plane(s->out + r * s->row_out + a * s->plane_out, s->in + r * s->row_in, s->plane_in,   \
                 m + a * s->step_a * LANES, s->step_b * LANES, s->n, s->add, k)
    for (size_t r = 0; r < s->rows; r++) {
        const float *m = s->m + r / LANES * s->numbers * LANES + r % LANES;
        for (size_t a = 0; a < s->na; a++)
            BY_SIZE(s->nb, CALL)
    }
#undef CALL
}
