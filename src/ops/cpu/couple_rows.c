/* couple_rows.c - small matrices, planes, and the coupling, with the channels innermost. See
 * couple.h. */
#include "ops/cpu/couple.h"
#include "core/simd.h"

#include <string.h>

#define LANES  RECON_COUPLE_LANES
#define INLINE static inline __attribute__((always_inline)) /* into each of the clones */

/* Attributes of sixteen rows, number by number; rows that are not there are 0. */
static void rotate_attributes(float *restrict out, const float *restrict attr, size_t rows)
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
    float rotated[RECON_COUPLE_ATTRS * LANES];
    for (size_t r = 0; r < rows; r += LANES) {
        rotate_attributes(rotated, attr + r * RECON_COUPLE_ATTRS,
                          rows - r < LANES ? rows - r : LANES);
        block_matrices(m + r * split->numbers, plan, split, rotated);
    }
}

INLINE void to_planes(float *restrict planes, size_t plane, const float *restrict x, size_t n,
                      size_t size)
{
    for (size_t m = 0; m < size; m++)
        for (size_t u = 0; u < n; u++)
            planes[m * plane + u] = x[u * size + m];
}

INLINE void from_planes(float *restrict x, const float *restrict planes, size_t plane, size_t n,
                        size_t size)
{
    for (size_t u = 0; u < n; u++)
        for (size_t m = 0; m < size; m++)
            x[u * size + m] = planes[m * plane + u];
}

/* The call with size a constant. */
#define BY_SIZE(size, call)                                                                        \
    switch (size) {                                                                                \
    case 1: call(1); break;                                                                        \
    case 3: call(3); break;                                                                        \
    case 5: call(5); break;                                                                        \
    default: call(7); break;                                                                       \
    }

RECON_CLONES void recon_couple_to_planes(float *planes, size_t plane, const float *x, size_t step,
                                         size_t rows, size_t n, size_t size)
{
#define CALL(k) to_planes(planes + r * plane * k, plane, x + r * step, n, k)
    for (size_t r = 0; r < rows; r++)
        BY_SIZE(size, CALL)
#undef CALL
}

RECON_CLONES void recon_couple_from_planes(float *x, size_t step, const float *planes, size_t plane,
                                           size_t rows, size_t n, size_t size)
{
#define CALL(k) from_planes(x + r * step, planes + r * plane * k, plane, n, k)
    for (size_t r = 0; r < rows; r++)
        BY_SIZE(size, CALL)
#undef CALL
}

/* Some channels of one row: their nb components are read once and make all of na. */
#define COUPLE_CHANNELS(name, type)                                                                \
    INLINE void name(const recon_couple_step *s, size_t r, size_t c, size_t nb)                    \
    {                                                                                              \
        const float *m = s->m + r / LANES * s->numbers * LANES + r % LANES;                        \
        const float *in = s->in + r * s->row_in + c;                                               \
        float *out = s->out + r * s->row_out + c;                                                  \
        type x[7];                                                                                 \
        for (size_t b = 0; b < nb; b++)                                                            \
            x[b] = *(const type *)(in + b * s->plane_in);                                          \
        for (size_t a = 0; a < s->na; a++, m += s->step_a * LANES, out += s->plane_out) {          \
            type sum = m[0] * x[0];                                                                \
            for (size_t b = 1; b < nb; b++)                                                        \
                sum += m[b * s->step_b * LANES] * x[b];                                            \
            if (s->add)                                                                            \
                sum += *(type *)out;                                                               \
            *(type *)out = sum;                                                                    \
        }                                                                                          \
    }
typedef float lanes4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float lanes8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float lanes16 __attribute__((vector_size(64), aligned(4), may_alias));
COUPLE_CHANNELS(couple1, float)
COUPLE_CHANNELS(couple4, lanes4)
COUPLE_CHANNELS(couple8, lanes8)
COUPLE_CHANNELS(couple16, lanes16)

INLINE void couple_row(const recon_couple_step *s, size_t r, size_t nb)
{
    size_t c = 0;
    for (; c + 16 <= s->n; c += 16)
        couple16(s, r, c, nb);
    for (; c + 8 <= s->n; c += 8)
        couple8(s, r, c, nb);
    for (; c + 4 <= s->n; c += 4)
        couple4(s, r, c, nb);
    for (; c < s->n; c++)
        couple1(s, r, c, nb);
}

/* The step is copied: lanes may alias anything, so that what they store would have it read anew. */
RECON_CLONES void recon_couple_apply(const recon_couple_step *step)
{
    const recon_couple_step s = *step;
#define CALL(k) couple_row(&s, r, k)
    for (size_t r = 0; r < s.rows; r++)
        BY_SIZE(s.nb, CALL)
#undef CALL
}
