/* couple.c - which path mixes first, and the products they share. See couple.h. */
#include "ops/couple.h"

static uint32_t find_product(recon_couple_split *s, const recon_couple_plan *plan,
                             const recon_couple_path *p)
{
    /* The product costs the same at equal degrees; then the coupling decides, which is done for
     * channels in or for channels out. */
    int mixes = p->l1 < p->l3 || (p->l1 == p->l3 && plan->out[p->l3] <= plan->in[p->l1]);
    uint32_t degree = mixes ? p->l1 : p->l3, i = 0;
    while (i < s->products && (s->product[i].mixes != mixes || s->product[i].degree != degree))
        i++;
    if (i == s->products)
        s->product[s->products++] =
            (recon_couple_product){ .mixes = mixes,
                                    .degree = degree,
                                    .depth = mixes ? plan->in[degree] : 0,
                                    .outputs = mixes ? 0 : plan->out[degree] };
    return i;
}

recon_couple_split recon_couple_split_of(const recon_couple_plan *plan)
{
    recon_couple_split s = { .products = 0 };
    for (uint32_t i = 0; i < plan->paths; i++) {
        const recon_couple_path *p = &plan->path[i];
        uint32_t product = find_product(&s, plan, p);
        size_t *end =
            s.product[product].mixes ? &s.product[product].outputs : &s.product[product].depth;
        s.place[i] = (recon_couple_place){ product, *end, s.numbers };
        *end += s.product[product].mixes ? plan->out[p->l3] : plan->in[p->l1];
        s.numbers += recon_couple_size(p->l1) * recon_couple_size(p->l3);
    }
    for (size_t i = 1; i < s.products; i++)
        s.product[i].weights =
            s.product[i - 1].weights + s.product[i - 1].outputs * s.product[i - 1].depth;
    return s;
}

recon_couple_block recon_couple_block_of(const recon_couple_plan *plan,
                                         const recon_couple_split *split, size_t path)
{
    const recon_couple_path *p = &plan->path[path];
    const recon_couple_place *at = &split->place[path];
    const recon_couple_product *product = &split->product[at->product];
    return (recon_couple_block){ .rows = plan->out[p->l3],
                                 .length = plan->in[p->l1],
                                 .in_plan = recon_couple_weight(plan, p->l3) + p->column,
                                 .plan_step = plan->columns[p->l3],
                                 .in_product = product->weights +
                                               (product->mixes ? at->at * product->depth : at->at),
                                 .step = product->depth };
}
