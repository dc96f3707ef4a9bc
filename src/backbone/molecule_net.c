/* molecule_net.c - the molecule autoencoder: made, opened, used. Training is in
 * molecule_net_train.c. */
#include "backbone/photo_net.h"
#include "backbone/molecule_net.h"
#include "backbone/kinds.h"
#include "backbone/metadata.h"
#include "backbone/recipe.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/elements.h"
#include "data/formats.h"
#include "data/molecule_store.h"
#include "nn/params.h"
#include "ops/ops.h"

#include <math.h>
#include "group/se3.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16, LAYERS_MOST = 32 };
/* Molecules and atoms at once: as many as a CPU's caches like, or as fill a GPU. */
enum { BATCH_HOST = 8, ATOMS_HOST = 4096, BATCH_DEVICE = 1024, ATOMS_DEVICE = 65536 };

/* --- made ------------------------------------------------------------------------------------- */

static const size_t latents[] = {
    [RECON_PRESET_FAST] = 256, [RECON_PRESET_PAPER] = 512, [RECON_PRESET_SMALL] = 128
};

recon_status recon_molecule_net_shape_complete(recon_ctx *ctx, recon_molecule_net_shape *s)
{
    RECON_CHECK(recon_enum_check(ctx, s->preset, RECON_PRESET_PHOTO_SMALL, "preset"));
    if (recon_preset_is_photo(s->preset))
        return recon_fail(ctx, RECON_ERR_INPUT, "preset %s is for images: fast, paper or small",
                          recon_preset_name(s->preset));
    recon_recipe_fill(s, &recon_molecule_net_recipe, s->preset, 0, 1);
    s->latent = s->latent ? s->latent : latents[s->preset];
    s->code = s->mapped ? s->code : s->latent;
    if (!(s->width >= 1.0 / 64 && s->width <= 64))
        return recon_fail(ctx, RECON_ERR_INPUT, "width %g: 1/64 to 64", s->width);
    if (!(s->radius > 0 && s->radius <= 100))
        return recon_fail(ctx, RECON_ERR_INPUT, "a radius of %g: up to 100", s->radius);
    if (s->layers > LAYERS_MOST || s->latent > MOST || s->code > MOST)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%zu layers, a latent of %zu, a code of %zu: at most %d, %d, %d",
                          s->layers, s->latent, s->code, LAYERS_MOST, MOST, MOST);
    if (s->elements == 0 || s->elements > RECON_MOLECULE_NET_ELEMENTS || s->slots == 0 ||
        s->slots > RECON_ATOMS_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "%zu elements, %zu atoms: 1 to %d, 1 to %d",
                          s->elements, s->slots, RECON_MOLECULE_NET_ELEMENTS, RECON_ATOMS_MAX);
    return RECON_OK;
}

recon_status recon_molecule_net_make(recon_ctx *ctx, recon_molecule_net **out,
                                     const recon_molecule_net_shape *shape,
                                     recon_precision precision, const recon_safetensors *file,
                                     const char *path, uint64_t seed)
{
    recon_molecule_net *m;
    recon_status status;
    *out = NULL;
    RECON_CHECK(recon_alloc(ctx, &m, 1, sizeof *m));
    m->shape = *shape;
    RECON_TRY(recon_molecule_net_shape_complete(ctx, &m->shape));
    m->base = (recon_backbone){ .kind = &recon_molecule_net_kind, .code = m->shape.code };
    RECON_TRY(recon_params_new(ctx, &m->base.params, precision));
    recon_params_expect(m->base.params, file, path, 0);
    if (m->shape.preset == RECON_PRESET_PAPER)
        RECON_TRY(recon_molecule_paper_new(ctx, &m->encoder, m->base.params, &m->shape));
    else
        RECON_TRY(recon_molecule_fast_new(ctx, &m->encoder, m->base.params, &m->shape));
    RECON_TRY(recon_molecule_decoder_add(ctx, &m->decoder, m->base.params, "decoder", &m->shape));
    if (m->shape.mapped)
        RECON_TRY(
            recon_linear_add(ctx, &m->map, m->base.params, "map", m->shape.latent, m->shape.code));
    RECON_TRY(recon_params_make(ctx, m->base.params, seed));
    *out = m;
done:
    if (status != RECON_OK)
        recon_molecule_net_close(ctx, m);
    return status;
}

void recon_molecule_net_close(recon_ctx *ctx, recon_molecule_net *m)
{
    if (!m)
        return;
    recon_params_free(ctx, m->base.params);
    if (m->encoder)
        m->encoder->free(m->encoder);
    free(m);
}

recon_molecule_net_shape recon_molecule_net_describe(const recon_molecule_net *m)
{
    return m->shape;
}

/* --- opened ----------------------------------------------------------------------------------- */

static recon_status open_file(recon_ctx *ctx, recon_backbone **out, const recon_safetensors *file,
                              const char *path, recon_precision precision)
{
    recon_molecule_net_shape shape = { 0 };
    recon_molecule_net *m;
    size_t mapped;
    RECON_CHECK(recon_metadata_preset(ctx, &shape.preset, file, path));
    RECON_CHECK(recon_metadata_number(ctx, &shape.width, file, "width_factor", 0, 64, path));
    RECON_CHECK(recon_metadata_size(ctx, &shape.layers, file, "layers", 1, LAYERS_MOST, path));
    RECON_CHECK(recon_metadata_number(ctx, &shape.radius, file, "radius", 0, 100, path));
    RECON_CHECK(recon_metadata_size(ctx, &shape.latent, file, "latent", 1, MOST, path));
    RECON_CHECK(recon_metadata_size(ctx, &shape.code, file, "code", 1, MOST, path));
    RECON_CHECK(recon_metadata_size(ctx, &mapped, file, "mapped", 0, 1, path));
    RECON_CHECK(recon_metadata_size(ctx, &shape.slots, file, "slots", 1, RECON_ATOMS_MAX, path));
    /* "1 6 7 8": ascending atomic numbers. */
    const char *text = recon_safetensors_metadata(file, "elements"), *at = text ? text : "";
    long last = 0;
    for (shape.elements = 0; *at && shape.elements < RECON_MOLECULE_NET_ELEMENTS;
         shape.elements++) {
        char *end;
        long z = strtol(at, &end, 10);
        if (end == at || z <= last || z > 118)
            break;
        shape.element[shape.elements] = (uint8_t)(last = z);
        at = end;
    }
    if (*at || shape.elements == 0)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: 'elements' is '%.40s': ascending atomic numbers, at most %d", path,
                          text ? text : "missing", RECON_MOLECULE_NET_ELEMENTS);
    shape.mapped = (int)mapped;
    RECON_CHECK(recon_molecule_net_make(ctx, &m, &shape, precision, file, path, 0));
    *out = &m->base;
    return RECON_OK;
}

recon_status recon_molecule_net_open(recon_ctx *ctx, recon_molecule_net **out, const char *path,
                                     recon_precision precision)
{
    recon_backbone *b;
    recon_status status = recon_backbone_open(ctx, &b, path, precision);
    *out = status == RECON_OK ? recon_backbone_molecule_net(b) : NULL;
    if (status == RECON_OK && !*out) {
        status = recon_fail(ctx, RECON_ERR_FORMAT, "%s: a model of %s, not of molecules", path,
                            b->kind->data);
        recon_backbone_close(ctx, b);
    }
    return status;
}

/* --- on a tape -------------------------------------------------------------------------------- */

recon_status recon_molecule_net_pack(recon_ctx *ctx, recon_molecule_pack *pack,
                                     const recon_molecule_net *m, const recon_conformer *x,
                                     const recon_so3 *rotation, size_t n, size_t nodes, size_t each)
{
    return recon_molecule_pack_fill(ctx, pack, x, rotation, n,
                                    &(recon_molecule_pack_options){ .element = m->shape.element,
                                                                    .elements = m->shape.elements,
                                                                    .slots = m->shape.slots,
                                                                    .nodes = nodes,
                                                                    .each = each });
}

recon_status recon_molecule_net_feed(recon_tape *t, recon_molecule_net_fed *out,
                                     const recon_molecule_net *m, const recon_molecule_pack *pack,
                                     size_t edges, const recon_slices *rows)
{
    RECON_CHECK(recon_molecule_batch_feed(t, &out->batch, pack, rows));
    RECON_CHECK(recon_molecule_tables_feed(t, &out->tables));
    if (m->encoder->feed)
        RECON_CHECK(m->encoder->feed(t, m->encoder, &out->batch, pack, edges));
    return RECON_OK;
}

void recon_molecule_net_see(recon_tape *t, recon_molecule_net_seen *out,
                            const recon_molecule_net *m, const recon_molecule_net_fed *fed)
{
    m->encoder->apply(t, m->encoder, &fed->batch, &out->latent, &out->y);
    recon_molecule_frame(t, &fed->tables, out->y, &out->r, &out->shift);
    out->z = m->shape.mapped ? recon_var_unit(t, recon_linear_apply(t, &m->map, out->latent))
                             : out->latent;
}

void recon_molecule_net_rebuild(recon_tape *t, recon_var *xyz, recon_var *scores,
                                const recon_molecule_net *m, const recon_molecule_net_fed *fed,
                                const recon_molecule_net_seen *seen)
{
    const recon_molecule_batch *b = &fed->batch;
    recon_var x, s, shift;
    recon_molecule_decoder_apply(t, &m->decoder, seen->latent, &x, &s);
    x = recon_molecule_act(t, &fed->tables, seen->r, x);
    x = recon_var_reshape(t, x, (size_t[]){ b->n * b->slots, 3 }, 2);
    x = recon_var_gather(t, x, b->slot, b->order, b->slot_of);
    s = recon_var_gather(t, s, b->slot, b->order, b->slot_of);
    shift = recon_var_gather(t, seen->shift, b->molecule, b->order, b->span);
    *xyz = recon_var_gate(t, recon_var_add(t, x, shift), b->made, 3);
    *scores = recon_var_gate(t, s, b->made, m->shape.elements);
}

/* The nodes that are not made come out as 0 Angstrom off, and as scores that are all alike: a
 * cross-entropy of log(elements), which is taken away again. */
recon_var recon_molecule_net_rebuild_loss(recon_tape *t, const recon_molecule_net *m,
                                          const recon_molecule_net_fed *fed,
                                          const recon_molecule_net_seen *seen, double weight)
{
    const recon_molecule_batch *b = &fed->batch;
    recon_var x, s, off, wrong;
    recon_molecule_net_rebuild(t, &x, &s, m, fed, seen);
    off = recon_var_mul(t, recon_var_l1(t, x, recon_var_gate(t, b->xyz, b->made, 3)), b->share);
    wrong = recon_var_mul(t, recon_var_cross_entropy(t, s, b->kind), b->share);
    wrong = recon_var_blend(t, 1, wrong, -log((double)m->shape.elements), b->surplus);
    return recon_var_blend(t, 1, off, weight, wrong);
}

/* --- used ------------------------------------------------------------------------------------- */

typedef struct {
    recon_tape *tape;
    recon_molecule_pack pack;
    recon_molecule_net_fed fed;
    recon_molecule_net_seen seen;
    double *read; /* [room] */
    size_t room;
} scratch;

static void scratch_free(scratch *s)
{
    recon_tape_free(s->tape);
    recon_molecule_pack_free(&s->pack);
    free(s->read);
}

static recon_status scratch_read(recon_ctx *ctx, scratch *s, recon_var x)
{
    recon_status status = recon_tape_status(s->tape);
    if (status == RECON_OK && recon_var_count(x) > s->room) {
        free(s->read);
        s->room = recon_var_count(x);
        status = recon_alloc_raw(ctx, &s->read, s->room, sizeof *s->read);
    }
    return status == RECON_OK ? recon_var_read(s->tape, s->read, x) : status;
}

static recon_status read_floats(recon_ctx *ctx, scratch *s, float *out, recon_var x)
{
    RECON_CHECK(out ? scratch_read(ctx, s, x) : RECON_OK);
    for (size_t i = 0; out && i < recon_var_count(x); i++)
        out[i] = (float)s->read[i];
    return RECON_OK;
}

static recon_status read_poses(recon_ctx *ctx, scratch *s, recon_so3 *out, recon_var y, size_t n)
{
    RECON_CHECK(out ? scratch_read(ctx, s, y) : RECON_OK);
    for (size_t i = 0; out && i < n; i++)
        out[i] = recon_molecule_frame_of(s->read + 9 * i);
    return RECON_OK;
}

/* How many of n conformers go together. */
static size_t batch_of(recon_ctx *ctx, const recon_conformer *x, size_t n)
{
    int host = recon_ops_on_host(ctx) == recon_ops_of(ctx);
    size_t most = host ? BATCH_HOST : BATCH_DEVICE, room = host ? ATOMS_HOST : ATOMS_DEVICE;
    size_t taken = 0, atoms = 0;
    while (taken < n && taken < most && (taken == 0 || atoms + x[taken].atoms <= room))
        atoms += x[taken++].atoms;
    return taken;
}

static recon_status see_batch(recon_ctx *ctx, scratch *s, const recon_molecule_net *m,
                              const recon_conformer *x, size_t n)
{
    RECON_CHECK(recon_molecule_net_pack(ctx, &s->pack, m, x, NULL, n, 0, 0));
    RECON_CHECK(recon_tape_begin(s->tape, RECON_INFER, 0));
    RECON_CHECK(recon_molecule_net_feed(s->tape, &s->fed, m, &s->pack, 0, NULL));
    recon_molecule_net_see(s->tape, &s->seen, m, &s->fed);
    return recon_tape_status(s->tape);
}

/* Weights that are finite may still make numbers that are not. n rows; x NULL: none are wanted. */
static recon_status check_finite(recon_ctx *ctx, const float *x, size_t width, size_t first,
                                 size_t n)
{
    for (size_t i = 0; x && i < n * width; i++)
        if (!isfinite(x[i]))
            return recon_fail(
                ctx, RECON_ERR_NUMERIC,
                "conformer %zu: the network's answer is not a finite number: a damaged model?",
                first + i / width);
    return RECON_OK;
}

recon_status recon_molecule_net_embed(recon_ctx *ctx, const recon_molecule_net_answer *out,
                                      const recon_molecule_net *m, const recon_conformer *x,
                                      size_t n)
{
    scratch s = { 0 };
    size_t part;
    recon_status status;
    RECON_TRY(recon_tape_new(ctx, &s.tape, m->base.params->precision, 0));
    for (size_t at = 0; at < n; at += part) {
        part = batch_of(ctx, x + at, n - at);
        const recon_molecule_net_shape *h = &m->shape;
        RECON_TRY(see_batch(ctx, &s, m, x + at, part));
        RECON_TRY(read_floats(ctx, &s, out->z ? out->z + at * h->code : NULL, s.seen.z));
        RECON_TRY(
            read_floats(ctx, &s, out->latent ? out->latent + at * h->latent : NULL, s.seen.latent));
        RECON_TRY(read_floats(ctx, &s, out->shift ? out->shift + at * 3 : NULL, s.seen.shift));
        RECON_TRY(read_poses(ctx, &s, out->psi ? out->psi + at : NULL, s.seen.y, part));
        RECON_TRY(check_finite(ctx, out->z ? out->z + at * h->code : NULL, h->code, at, part));
        RECON_TRY(check_finite(ctx, out->latent ? out->latent + at * h->latent : NULL, h->latent,
                               at, part));
        RECON_TRY(check_finite(ctx, out->shift ? out->shift + at * 3 : NULL, 3, at, part));
        for (size_t i = 0; out->psi && i < part; i++)
            RECON_TRY(check_finite(ctx, (float[]){ (float)out->psi[at + i].w }, 1, at + i, 1));
        RECON_TRY(recon_interrupted(ctx));
    }
done:
    scratch_free(&s);
    return status;
}

recon_status recon_molecule_net_decode(recon_ctx *ctx, float *places, float *scores,
                                       const recon_molecule_net *m, const float *latent, size_t n)
{
    const recon_molecule_net_shape *h = &m->shape;
    scratch s = { 0 };
    recon_status status;
    RECON_TRY(recon_tape_new(ctx, &s.tape, m->base.params->precision, 0));
    for (size_t at = 0; at < n; at += BATCH_DEVICE) {
        size_t part = n - at < BATCH_DEVICE ? n - at : BATCH_DEVICE;
        recon_var x, y;
        RECON_TRY(recon_tape_begin(s.tape, RECON_INFER, 0));
        x = recon_var_input(s.tape, latent + at * h->latent, RECON_F32,
                            (size_t[]){ part, h->latent }, 2);
        recon_molecule_decoder_apply(s.tape, &m->decoder, x, &x, &y);
        RECON_TRY(read_floats(ctx, &s, places ? places + at * h->slots * 3 : NULL, x));
        RECON_TRY(read_floats(ctx, &s, scores ? scores + at * h->slots * h->elements : NULL, y));
    }
done:
    scratch_free(&s);
    return status;
}

/* --- how well --------------------------------------------------------------------------------- */

/* Of molecule i of the pack, from rebuilt places [nodes][3]. */
static void measure_places(recon_molecule_net_error *out, const recon_molecule_pack *p, size_t i,
                           const double *places, const recon_molecule_net_shape *h)
{
    double l1 = 0, all = 0, heavy = 0;
    size_t n = 0, n_heavy = 0;
    for (size_t a = (size_t)p->offset[i]; a < (size_t)p->offset[i + 1] && p->made[a] > 0; a++) {
        double d2 = 0;
        for (size_t k = 0; k < 3; k++) {
            double d = places[3 * a + k] - (double)p->xyz[3 * a + k];
            l1 += fabs(d);
            d2 += d * d;
        }
        all += d2;
        n++;
        if (h->element[p->kind[a]] > 1) {
            heavy += d2;
            n_heavy++;
        }
    }
    out->l1 = (float)(l1 / (double)(3 * n));
    out->rmsd = (float)sqrt(all / (double)n);
    out->heavy = n_heavy ? (float)sqrt(heavy / (double)n_heavy) : NAN;
}

static void measure_elements(recon_molecule_net_error *out, const recon_molecule_pack *p, size_t i,
                             const double *scores, size_t elements)
{
    size_t n = 0, right = 0;
    for (size_t a = (size_t)p->offset[i]; a < (size_t)p->offset[i + 1] && p->made[a] > 0; a++) {
        size_t best = 0;
        for (size_t e = 1; e < elements; e++)
            if (scores[a * elements + e] > scores[a * elements + best])
                best = e;
        right += best == (size_t)p->kind[a];
        n++;
    }
    out->elements = (float)right / (float)n;
}

static recon_status measure_batch(recon_ctx *ctx, scratch *s, recon_molecule_net_error *out,
                                  const recon_molecule_net *m, const recon_conformer *x, size_t n)
{
    recon_var xyz, scores;
    RECON_CHECK(see_batch(ctx, s, m, x, n));
    recon_molecule_net_rebuild(s->tape, &xyz, &scores, m, &s->fed, &s->seen);
    RECON_CHECK(scratch_read(ctx, s, xyz));
    for (size_t i = 0; i < n; i++)
        measure_places(&out[i], &s->pack, i, s->read, &m->shape);
    RECON_CHECK(scratch_read(ctx, s, scores));
    for (size_t i = 0; i < n; i++)
        measure_elements(&out[i], &s->pack, i, s->read, m->shape.elements);
    return RECON_OK;
}

recon_status recon_molecule_net_reconstruct(recon_ctx *ctx, recon_molecule_net_error *out,
                                            const recon_molecule_net *m, const recon_conformer *x,
                                            size_t n)
{
    scratch s = { 0 };
    size_t part;
    recon_status status;
    RECON_TRY(recon_tape_new(ctx, &s.tape, m->base.params->precision, 0));
    for (size_t at = 0; at < n; at += part) {
        part = batch_of(ctx, x + at, n - at);
        RECON_TRY(measure_batch(ctx, &s, out + at, m, x + at, part));
    }
done:
    scratch_free(&s);
    return status;
}

/* --- as one kind among others ----------------------------------------------------------------- */

recon_molecule_net *recon_backbone_molecule_net(const recon_backbone *b)
{
    return b->kind == &recon_molecule_net_kind ? (recon_molecule_net *)b : NULL;
}

static const recon_molecule_net *of(const recon_backbone *b)
{
    return (const recon_molecule_net *)b;
}

static void close_backbone(recon_ctx *ctx, recon_backbone *b)
{
    recon_molecule_net_close(ctx, (recon_molecule_net *)b);
}

static recon_status embed_inputs(recon_ctx *ctx, const recon_seen *out, const recon_backbone *b,
                                 const void *inputs, size_t n)
{
    const recon_molecule_net_answer answer = { .z = out->z, .psi = (recon_so3 *)out->psi };
    return recon_molecule_net_embed(ctx, &answer, of(b), inputs, n);
}

/* The mean of the atoms' places. */
static void find_center(double center[3], const void *inputs, size_t i)
{
    const recon_conformer *x = (const recon_conformer *)inputs + i;
    for (int k = 0; k < 3; k++)
        center[k] = 0;
    for (size_t a = 0; a < 3 * x->atoms; a++)
        center[a % 3] += (double)x->xyz[a] / (double)x->atoms;
}

/* The places of all atoms, conformer behind conformer. */
static void rotate_one(float *to, const void *inputs, size_t i, recon_so3 g)
{
    const recon_conformer *x = (const recon_conformer *)inputs + i;
    double center[3];
    find_center(center, inputs, i);
    recon_se3 there = recon_se3_about(g, center);
    for (size_t a = 0; a < x->atoms; a++, to += 3) {
        const float *from = x->xyz + 3 * a;
        double place[3] = { from[0], from[1], from[2] };
        recon_se3_act(place, there, place);
        for (size_t k = 0; k < 3; k++)
            to[k] = (float)place[k];
    }
}

static recon_status rotate(recon_ctx *ctx, void *out, const recon_backbone *b, const void *inputs,
                           const double *g, size_t n, recon_interpolation interpolation)
{
    const recon_conformer *x = inputs;
    const recon_so3 *by = (const recon_so3 *)g;
    float *to = out;
    (void)ctx, (void)b, (void)interpolation;
    for (size_t i = 0; i < n; to += 3 * x[i++].atoms) {
        if (recon_so3_angle(by[i]) == 0)
            memmove(to, x[i].xyz, 3 * x[i].atoms * sizeof *to);
        else
            rotate_one(to, inputs, i, by[i]);
    }
    return RECON_OK;
}

/* The first element of a conformer that the model does not know; 0: it knows all. */
static int find_unknown(const recon_molecule_net_shape *s, const recon_conformer *x)
{
    for (size_t a = 0; a < x->atoms; a++)
        if (!memchr(s->element, x->z[a], s->elements))
            return x->z[a];
    return 0;
}

static recon_status accepts(recon_ctx *ctx, const recon_backbone *b, const recon_data *data,
                            size_t i)
{
    const recon_molecule_net_shape *s = &of(b)->shape;
    recon_conformer x;
    recon_element_words words;
    recon_formula_text known;
    data->kind->read(&x, data, i, 1);
    int z = find_unknown(s, &x);
    return z ? recon_fail(ctx, RECON_ERR_INPUT, "an atom of %s: the model knows only %s",
                          recon_element_text(words, z),
                          recon_element_list(known, s->element, s->elements))
             : RECON_OK;
}

/* What a file may not hold, a caller's own data may not either. */
static recon_status check_conformers(recon_ctx *ctx, const recon_backbone *b, const void *inputs,
                                     size_t n)
{
    const recon_molecule_net_shape *s = &of(b)->shape;
    const recon_conformer *x = inputs;
    recon_element_words words;
    recon_formula_text known;
    for (size_t i = 0; i < n; i++) {
        recon_status status =
            recon_conformer_check(ctx, &x[i], &(recon_place){ NULL, "conformer", i, 0 });
        int z = status == RECON_OK ? find_unknown(s, &x[i]) : 0;
        if (z)
            status = recon_fail(
                ctx, RECON_ERR_INPUT, "conformer %zu: an atom of %s: the model knows only %s", i,
                recon_element_text(words, z), recon_element_list(known, s->element, s->elements));
        if (status != RECON_OK)
            return status;
    }
    return RECON_OK;
}

const recon_backbone_kind recon_molecule_net_kind = {
    .name = "molnet",
    .data = "molecules",
    .group = RECON_SO3,
    .k = 25,
    .pool = 25,
    .open = open_file,
    .close = close_backbone,
    .embed = embed_inputs,
    .rotate = rotate,
    .accepts = accepts,
    .check = check_conformers,
    .center = find_center,
    .recipe = &recon_molecule_net_recipe,
    .prepare = recon_molecule_net_prepare,
    .train = recon_molecule_net_train_kind,
    .refit = recon_molecule_net_refit,
    .inconsistency = recon_molecule_net_inconsistency,
};
