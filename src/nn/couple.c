/* couple.c - the paths of a tensor product and the entries of their tensors. */
#include <recon/group/clebsch_gordan.h>
#include <recon/nn/couple.h>
#include "core/fail.h"
#include "core/memory.h"
#include "ops/couple.h"

#include <math.h>
#include <stdlib.h>

_Static_assert((int)RECON_DEGREES == RECON_COUPLE_DEGREES, "the table's degrees are the group's");
_Static_assert((int)RECON_HARMONICS == RECON_COUPLE_ATTRS, "and so are the attributes");

enum { MOST = 1 << 20 }; /* channels of a degree: their products are counted in 32 bits */

/* Paths without weights are left out. */
static int is_path(const recon_couple_plan *plan, uint32_t l1, uint32_t l2, uint32_t l3, int parity)
{
    uint32_t least = l1 > l2 ? l1 - l2 : l2 - l1;
    return plan->in[l1] && plan->out[l3] && l3 >= least && l3 <= l1 + l2 &&
           !(parity && (l1 + l2 + l3) % 2);
}

static void add_paths(recon_couple_plan *plan, uint32_t l3, int parity)
{
    for (uint32_t l1 = 0; l1 < RECON_DEGREES; l1++)
        for (uint32_t l2 = 0; l2 < RECON_DEGREES; l2++) {
            if (!is_path(plan, l1, l2, l3, parity))
                continue;
            recon_couple_path *p = &plan->path[plan->paths++];
            *p = (recon_couple_path){ .l1 = l1, .l2 = l2, .l3 = l3, .column = plan->columns[l3] };
            p->term = p > plan->path ? p[-1].term + p[-1].terms : 0;
            double c[7 * 7 * 7], scale = sqrt((double)recon_couple_size(p->l3));
            size_t n2 = recon_couple_size(p->l2), n3 = recon_couple_size(p->l3);
            recon_clebsch_gordan(c, (int)p->l1, (int)p->l2, (int)p->l3);
            for (size_t i = 0; i < recon_couple_size(p->l1) * n2 * n3; i++)
                if (fabs(c[i]) > 1e-12)
                    plan->term[p->term + p->terms++] =
                        (recon_couple_term){ .m1 = (uint8_t)(i / n3 / n2),
                                             .m2 = (uint8_t)(i / n3 % n2),
                                             .m3 = (uint8_t)(i % n3),
                                             .value = scale * c[i] };
            plan->columns[l3] += plan->in[l1];
        }
}

static recon_status check_irreps(recon_ctx *ctx, const recon_irreps *irreps, const char *side)
{
    recon_irreps_text text;
    size_t most = 0;
    for (size_t l = 0; l < RECON_DEGREES; l++)
        most = irreps->mul[l] > most ? irreps->mul[l] : most;
    if (most > 0 && most <= MOST)
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_INPUT,
                      "a tensor product with %s on its %s side: 1 to %d channels of a degree",
                      recon_irreps_print(text, irreps), side, (int)MOST);
}

recon_status recon_couple_plan_make(recon_ctx *ctx, recon_couple_plan **out,
                                    const recon_irreps *from, const recon_irreps *to, int parity)
{
    *out = NULL;
    RECON_CHECK(check_irreps(ctx, from, "input"));
    RECON_CHECK(check_irreps(ctx, to, "output"));
    RECON_CHECK(recon_alloc(ctx, out, 1, sizeof **out));
    for (size_t l = 0; l < RECON_DEGREES; l++) {
        (*out)->in[l] = (uint32_t)from->mul[l];
        (*out)->out[l] = (uint32_t)to->mul[l];
    }
    for (uint32_t l3 = 0; l3 < RECON_DEGREES; l3++)
        add_paths(*out, l3, parity);
    return RECON_OK;
}

void recon_couple_plan_free(recon_couple_plan *plan)
{
    free(plan);
}

size_t recon_couple_plan_weights(const recon_couple_plan *plan)
{
    return recon_couple_weight(plan, RECON_DEGREES);
}

size_t recon_couple_plan_columns(const recon_couple_plan *plan, size_t l3)
{
    return plan->columns[l3];
}

void recon_couple_plan_deviations(const recon_couple_plan *plan, double *out)
{
    for (size_t l = 0; l < RECON_DEGREES; l++) {
        size_t count = (size_t)plan->out[l] * plan->columns[l];
        for (size_t i = 0; i < count; i++)
            *out++ = 1 / sqrt(3.0 * plan->columns[l]);
    }
}
