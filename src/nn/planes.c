/* planes.c - which waves, planes and products make up a layer. See planes.h. */
#include "nn/planes.h"
#include "core/fail.h"

#include <stdlib.h>
#include <string.h>

typedef recon_steerable_element element;

/* Calls visit for each pair of frequencies that are there, an output's together. */
typedef void visitor(void *user, const recon_steerable *l, size_t in, size_t out, const element *e,
                     size_t n);
static void each_pair(visitor *visit, void *user, const recon_steerable *l)
{
    element e[RECON_STEERABLE_ELEMENTS];
    for (size_t m = 0; m < RECON_FREQUENCIES; m++)
        for (size_t n = 0; n < RECON_FREQUENCIES; n++)
            if (l->out.of[m] && l->in.of[n])
                visit(user, l, n, m, e, recon_steerable_elements(e, n, m, l->size, l->rings));
}

/* The number of a wave, which joins the others if it is new. */
static int wave_of(recon_planes *p, const element *e, int im)
{
    recon_wave wave = { e->ring, abs(e->frequency), im };
    size_t i = 0;
    while (i < p->waves && memcmp(&p->wave[i], &wave, sizeof wave) != 0)
        i++;
    if (i == p->waves)
        p->wave[p->waves++] = wave;
    return (int)i;
}

/* A scalar has its features of a wave's two parts on two planes, a pair on one. */
static size_t slots(const element *e, size_t in)
{
    return in == 0 && e->frequency ? 2 : 1;
}

/* Planes and the size of its block; where that lies is known when the product is whole. */
static void visit_planes(void *user, const recon_steerable *l, size_t in, size_t out,
                         const element *e, size_t n)
{
    recon_planes *p = user;
    recon_expand_block *b = &p->mix.block[p->mix.count++];
    size_t before = p->planes;
    for (size_t i = 0; i < n; i++)
        if (e[i].quarter == 0) {
            size_t from = recon_fields_begin(&l->in, in),
                   channels = l->in.of[in] * recon_field_size(in);
            int complex = in && e[i].frequency;
            recon_steer_plane *plane = p->plane + p->planes;
            plane[0] = (recon_steer_plane){ .from = from,
                                            .channels = channels,
                                            .a = wave_of(p, &e[i], 0),
                                            .b = complex ? wave_of(p, &e[i], 1) : -1,
                                            .conjugate = e[i].conjugate != (e[i].frequency < 0) };
            if (slots(&e[i], in) == 2)
                plane[1] = (recon_steer_plane){ from, channels, wave_of(p, &e[i], 1), -1, 0 };
            p->planes += slots(&e[i], in);
        }
    *b = (recon_expand_block){ .copies_out = (uint32_t)l->out.of[out],
                               .copies_in = (uint32_t)l->in.of[in],
                               .dim_out = (uint32_t)recon_field_size(out),
                               .dim_in = (uint32_t)recon_field_size(in),
                               .elements = (uint32_t)n,
                               .taps = (uint32_t)(p->planes - before),
                               .step = (uint32_t)(l->in.of[in] * recon_field_size(in)),
                               .first_basis = (uint32_t)p->numbers };
    if (b > p->mix.block)
        b->first_weight = b[-1].first_weight + b[-1].copies_out * b[-1].copies_in * b[-1].elements;
    p->numbers += n * b->dim_out * b->dim_in * b->taps;
}

/* Products, and the blocks' places in their weights. The blocks of one have outputs in common. */
static void lay_out(recon_planes *p, const recon_steerable *l)
{
    recon_expand_block *b = p->mix.block;
    for (size_t m = 0; m < RECON_FREQUENCIES; m++) {
        if (l->out.of[m] == 0)
            continue;
        recon_steer_product *product = &p->product[p->products++];
        recon_expand_block *first = b;
        uint32_t depth = 0;
        *product = (recon_steer_product){ .outputs = l->out.of[m] * recon_field_size(m) };
        for (size_t n = 0; n < RECON_FREQUENCIES; n++)
            if (l->in.of[n]) {
                b->start = (uint32_t)p->weights + depth;
                depth += b->taps * b->step;
                product->planes += b++->taps;
            }
        for (; first < b; first++)
            first->row = depth;
        p->weights += product->outputs * depth;
    }
}

static void visit_count(void *user, const recon_steerable *l, size_t in, size_t out,
                        const element *e, size_t n)
{
    (void)l, (void)in, (void)out, (void)e;
    *(size_t *)user += n;
}

recon_status recon_planes_of(recon_ctx *ctx, recon_planes **out, recon_arena *arena,
                             const recon_steerable *layer)
{
    recon_planes *p;
    size_t most = 0; /* no element has more than a plane of its own */
    each_pair(visit_count, &most, layer);
    RECON_CHECK(recon_arena_take(ctx, arena, &p, 1, sizeof *p));
    memset(p, 0, sizeof *p);
    RECON_CHECK(recon_arena_take(ctx, arena, &p->plane, most + 1, sizeof *p->plane));
    each_pair(visit_planes, p, layer);
    lay_out(p, layer);
    *out = p;
    return RECON_OK;
}

void recon_planes_waves(double *wave, const recon_planes *planes, size_t size)
{
    double part[2][RECON_STEERABLE_SIZE * RECON_STEERABLE_SIZE];
    for (size_t i = 0; i < planes->waves; i++) {
        const recon_wave *w = &planes->wave[i];
        recon_steerable_waves(part[0], part[1], w->ring, w->frequency, size);
        memcpy(wave + i * size * size, part[w->im], size * size * sizeof *wave);
    }
}

/* An element's share of output component i from part k of its plane: scale, rotated by a quarter or
 * not; the imaginary part of a plane of frequency -f is there with the other sign. */
static double share(const element *e, size_t i, size_t k)
{
    static const double rotation[2][2][2] = { { { 1, 0 }, { 0, 1 } }, { { 0, -1 }, { 1, 0 } } };
    double sign = k && e->frequency < 0 ? -1 : 1;
    return sign * e->scale * rotation[e->quarter][i][k];
}

typedef struct {
    double *basis;
    const recon_expand_block *block;
} table;

static void visit_basis(void *user, const recon_steerable *l, size_t in, size_t out,
                        const element *e, size_t n)
{
    table *t = user;
    const recon_expand_block *b = t->block++;
    double *basis = t->basis + b->first_basis;
    size_t slot = 0;
    (void)l, (void)out;
    memset(basis, 0, n * b->dim_out * b->dim_in * b->taps * sizeof *basis);
    for (size_t k = 0; k < n; k++) {
        int ends = k + 1 == n || e[k + 1].quarter == 0; /* the next has another plane */
        for (size_t i = 0; i < b->dim_out; i++)
            for (size_t part = 0; part < b->dim_in * slots(&e[k], in); part++) {
                size_t j = in ? part : 0, at = in ? slot : slot + part;
                basis[((k * b->dim_out + i) * b->dim_in + j) * b->taps + at] =
                    share(&e[k], i, part);
            }
        slot += ends ? slots(&e[k], in) : 0;
    }
}

void recon_planes_basis(double *basis, const recon_planes *planes, const recon_steerable *layer)
{
    each_pair(visit_basis, &(table){ basis, planes->mix.block }, layer);
}
