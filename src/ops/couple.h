/* couple.h - where things lie in the rows and weights of a tensor product. See ops.h. */
#ifndef OPS_COUPLE_H
#define OPS_COUPLE_H

#include "ops/ops.h"

static inline size_t recon_couple_size(size_t degree)
{
    return 2 * degree + 1;
}

/* The first number of a degree in a row of these channels; of degree 4, the length of the row. */
static inline size_t recon_couple_at(const uint32_t channels[RECON_COUPLE_DEGREES], size_t degree)
{
    size_t at = 0;
    for (size_t l = 0; l < degree; l++)
        at += channels[l] * recon_couple_size(l);
    return at;
}
static inline size_t recon_couple_dim(const uint32_t channels[RECON_COUPLE_DEGREES])
{
    return recon_couple_at(channels, RECON_COUPLE_DEGREES);
}

/* A degree's first number in a row of attributes. */
static inline size_t recon_couple_attr(size_t degree)
{
    return degree * degree;
}

/* The first weight of w_l; of degree 4, how many there are. */
static inline size_t recon_couple_weight(const recon_couple_plan *plan, size_t degree)
{
    size_t at = 0;
    for (size_t l = 0; l < degree; l++)
        at += (size_t)plan->out[l] * plan->columns[l];
    return at;
}

#endif
