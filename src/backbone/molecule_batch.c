/* molecule_batch.c - packing: rotate, centre, number. */
#include "backbone/molecule_batch.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/elements.h"
#include "nn/tape.h"

#include <stdlib.h>
#include <string.h>

void recon_molecule_pack_free(recon_molecule_pack *p)
{
    void *blocks[] = { p->kind,  p->mask,     p->xyz,  p->offset,  p->count, p->span,
                       p->apart, p->molecule, p->slot, p->slot_of, p->made,  p->order };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
    *p = (recon_molecule_pack){ 0 };
}

static recon_status make_room(recon_ctx *ctx, recon_molecule_pack *p, size_t n, size_t nodes,
                              size_t slots)
{
    if (n <= p->room_n && nodes <= p->room_nodes && n * slots <= p->room_slots)
        return RECON_OK;
    recon_molecule_pack_free(p);
    RECON_CHECK(recon_alloc_raw(ctx, &p->kind, nodes, sizeof *p->kind));
    RECON_CHECK(recon_alloc_raw(ctx, &p->mask, nodes, sizeof *p->mask));
    RECON_CHECK(recon_alloc_raw(ctx, &p->xyz, 3 * nodes, sizeof *p->xyz));
    RECON_CHECK(recon_alloc_raw(ctx, &p->offset, n + 1, sizeof *p->offset));
    RECON_CHECK(recon_alloc_raw(ctx, &p->count, n, sizeof *p->count));
    RECON_CHECK(recon_alloc_raw(ctx, &p->span, n + 1, sizeof *p->span));
    RECON_CHECK(recon_alloc_raw(ctx, &p->apart, nodes + 1, sizeof *p->apart));
    RECON_CHECK(recon_alloc_raw(ctx, &p->molecule, nodes, sizeof *p->molecule));
    RECON_CHECK(recon_alloc_raw(ctx, &p->slot, nodes, sizeof *p->slot));
    RECON_CHECK(recon_alloc_raw(ctx, &p->slot_of, n * slots + 1, sizeof *p->slot_of));
    RECON_CHECK(recon_alloc_raw(ctx, &p->made, nodes, sizeof *p->made));
    RECON_CHECK(recon_alloc_raw(ctx, &p->order, nodes, sizeof *p->order));
    p->room_n = n;
    p->room_nodes = nodes;
    p->room_slots = n * slots;
    return RECON_OK;
}

/* x about the mean of its atoms, rotated. Double: the mean of a molecule far from the origin. */
static void place(float *out, const recon_conformer *x, const recon_so3 *rotation)
{
    double centre[3] = { 0 }, m[9], v[3];
    recon_so3_to_matrix(m, rotation ? *rotation : recon_so3_identity());
    for (size_t i = 0; i < 3 * x->atoms; i++)
        centre[i % 3] += (double)x->xyz[i] / (double)x->atoms;
    for (size_t a = 0; a < x->atoms; a++) {
        for (int k = 0; k < 3; k++)
            v[k] = (double)x->xyz[3 * a + (size_t)k] - centre[k];
        for (int k = 0; k < 3; k++)
            out[3 * a + (size_t)k] =
                (float)(m[3 * k] * v[0] + m[3 * k + 1] * v[1] + m[3 * k + 2] * v[2]);
    }
}

static recon_status find_kind(recon_ctx *ctx, int32_t *out, uint8_t z,
                              const recon_molecule_pack_options *o)
{
    const uint8_t *at = memchr(o->element, z, o->elements);
    recon_formula_text known;
    recon_element_words words;
    if (!at)
        return recon_fail(ctx, RECON_ERR_INPUT, "an atom of %s: the model knows only %s",
                          recon_element_text(words, z),
                          recon_element_list(known, o->element, o->elements));
    *out = (int32_t)(at - o->element);
    return RECON_OK;
}

static recon_status add(recon_ctx *ctx, recon_molecule_pack *p, size_t i, const recon_conformer *x,
                        const recon_so3 *rotation, const recon_molecule_pack_options *o)
{
    size_t first = (size_t)p->offset[i];
    place(p->xyz + 3 * first, x, rotation);
    for (size_t a = 0; a < x->atoms; a++) {
        size_t slot = a < o->slots ? a : o->slots - 1;
        RECON_CHECK(find_kind(ctx, &p->kind[first + a], x->z[a], o));
        p->mask[first + a] = 1;
        p->made[first + a] = a < o->slots;
        p->molecule[first + a] = (int32_t)i;
        p->slot[first + a] = (int32_t)(i * o->slots + slot);
    }
    p->real += x->atoms < o->slots ? x->atoms : o->slots;
    p->count[i] = (int32_t)x->atoms;
    p->offset[i + 1] = (int32_t)(first + x->atoms);
    return RECON_OK;
}

/* Rows behind molecule i, up to `end`. */
static void pad(recon_molecule_pack *p, size_t i, size_t end)
{
    for (size_t at = (size_t)p->offset[i + 1]; at < end; at++) {
        p->kind[at] = 0;
        p->mask[at] = p->made[at] = 0;
        memset(p->xyz + 3 * at, 0, 3 * sizeof *p->xyz);
        p->molecule[at] = (int32_t)i;
        p->slot[at] = (int32_t)((i + 1) * p->slots) - 1;
    }
}

/* Molecules, and rows of padding between them; as many groups for every batch of so many nodes. */
static void set_apart(recon_molecule_pack *p)
{
    size_t group = 0;
    for (size_t i = 0; i < p->n; i++) {
        int32_t at = p->offset[i], next = i + 1 < p->n ? p->offset[i + 1] : (int32_t)p->nodes;
        p->apart[group++] = at;
        for (at += p->count[i]; at < next; at++)
            p->apart[group++] = at;
    }
    p->groups = p->nodes;
    while (group <= p->groups)
        p->apart[group++] = (int32_t)p->nodes;
}

/* Rows of the decoder in order, and the nodes that ask for each. */
static void number(recon_molecule_pack *p)
{
    size_t row = 0;
    memcpy(p->span, p->offset, (p->n + 1) * sizeof *p->span);
    p->span[p->n] = (int32_t)p->nodes;
    for (size_t at = 0; at < p->nodes; at++) {
        p->order[at] = (int32_t)at;
        while (row <= (size_t)p->slot[at])
            p->slot_of[row++] = (int32_t)at;
    }
    while (row <= p->n * p->slots)
        p->slot_of[row++] = (int32_t)p->nodes;
}

recon_status recon_molecule_pack_fill(recon_ctx *ctx, recon_molecule_pack *p,
                                      const recon_conformer *x, const recon_so3 *rotation, size_t n,
                                      const recon_molecule_pack_options *o)
{
    size_t atoms = 0, most = 0, here = 0, each = o->each ? o->each : n;
    size_t slices = o->each ? (n + o->each - 1) / o->each : 1;
    for (size_t i = 0; i < n; i++) {
        atoms += x[i].atoms;
        here = (i % each ? here : 0) + x[i].atoms;
        most = here > most ? here : most;
    }
    size_t of_slice = o->nodes ? o->nodes : most, nodes = slices * of_slice;
    if (most > of_slice || nodes > INT32_MAX || n > INT32_MAX / o->slots)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%zu atoms in a batch of %zu molecules: at most %zu", most, n,
                          o->nodes ? o->nodes : (size_t)INT32_MAX);
    RECON_CHECK(make_room(ctx, p, n, nodes, o->slots));
    p->n = n;
    p->nodes = nodes;
    p->atoms = atoms;
    p->slots = o->slots;
    p->each = o->each;
    p->real = 0;
    p->offset[0] = 0;
    for (size_t i = 0; i < n; i++) {
        RECON_CHECK(add(ctx, p, i, &x[i], rotation ? &rotation[i] : NULL, o));
        if ((i + 1) % each == 0 || i + 1 == n)
            pad(p, i, (i / each + 1) * of_slice);
        if ((i + 1) % each == 0 && i + 1 < n)
            p->offset[i + 1] = (int32_t)((i / each + 1) * of_slice);
    }
    p->all_nodes = nodes;
    p->all_real = p->real;
    number(p);
    if (o->each)
        set_apart(p);
    else
        p->groups = 0;
    return RECON_OK;
}

recon_status recon_molecule_batch_feed(recon_tape *t, recon_molecule_batch *b,
                                       const recon_molecule_pack *p, const recon_slices *cut)
{
    const float share = (float)p->all_nodes / (float)p->all_real;
    const float surplus = (float)(p->all_nodes - p->all_real) / (float)p->all_real;
    const size_t nodes[] = { p->nodes, 1 }, places[] = { p->nodes, 3 }, ends[] = { p->n + 1 };
    const size_t rows[] = { p->n * p->slots + 1 }, one[] = { 1 };
    const size_t groups[] = { p->groups + 1 };
    *b = (recon_molecule_batch){ .n = p->n, .nodes = p->nodes, .slots = p->slots, .rows = cut };
    b->kind = recon_var_input_rows(t, p->kind, RECON_I32, nodes, 1, cut);
    b->mask = recon_var_input_rows(t, p->mask, RECON_F32, nodes, 2, cut);
    b->xyz = recon_var_input_rows(t, p->xyz, RECON_F32, places, 2, cut);
    b->offset = p->groups ? recon_var_input(t, p->apart, RECON_I32, groups, 1)
                          : recon_var_input(t, p->offset, RECON_I32, ends, 1);
    b->span = recon_var_input(t, p->span, RECON_I32, ends, 1);
    b->molecule = recon_var_input_rows(t, p->molecule, RECON_I32, nodes, 1, cut);
    b->slot = recon_var_input_rows(t, p->slot, RECON_I32, nodes, 1, cut);
    b->slot_of = recon_var_input(t, p->slot_of, RECON_I32, rows, 1);
    b->made = recon_var_input_rows(t, p->made, RECON_F32, nodes, 2, cut);
    b->order = recon_var_input_rows(t, p->order, RECON_I32, nodes, 1, cut);
    b->share = recon_var_constant(t, &share, RECON_F32, one, 1);
    b->surplus = recon_var_constant(t, &surplus, RECON_F32, one, 1);
    return recon_tape_status(t);
}
