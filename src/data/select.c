/* select.c - the conformers of one molecule that are near its lowest one, rotated onto it. */
#include "data/select.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/elements.h"
#include "core/shuffle.h"
#include "group/so3/frame.h"

#include <math.h>
#include "data/rmsd.h"
#include <stdlib.h>
#include <string.h>

enum { LEAST = 64 };
#define RADIUS 1.5
#define SPLITS ((uint64_t)1 << 55) /* a number of recon_permute that nobody else uses */

/* --- the inertia frame ------------------------------------------------------------------------ */

static double centre_of_mass(double c[3], const uint8_t *z, const float *xyz, size_t atoms)
{
    double total = 0;
    c[0] = c[1] = c[2] = 0;
    for (size_t i = 0; i < atoms; i++) {
        double mass = recon_element_mass(z[i]);
        total += mass;
        for (size_t k = 0; k < 3; k++)
            c[k] += mass * xyz[3 * i + k];
    }
    for (int k = 0; k < 3; k++)
        c[k] /= total;
    return total;
}

/* Sum of mass * x x^T: its axes are those of the inertia tensor, longest first where the moments
 * rise. */
static void second_moments(double m[9], const double c[3], const uint8_t *z, const float *xyz,
                           size_t atoms)
{
    memset(m, 0, 9 * sizeof *m);
    for (size_t i = 0; i < atoms; i++)
        for (size_t j = 0; j < 9; j++)
            m[j] += recon_element_mass(z[i]) * (xyz[3 * i + j / 3] - c[j / 3]) *
                    (xyz[3 * i + j % 3] - c[j % 3]);
}

/* Two axes at a time may be reversed: keeps the frame nearest to the one at hand. */
static void nearest_signs(double axis[3][3])
{
    double best = -INFINITY;
    int flip = 0;
    for (int keep = 0; keep < 4; keep++) { /* 3: all three */
        double trace = 0;
        for (int k = 0; k < 3; k++)
            trace += keep == 3 || keep == k ? axis[k][k] : -axis[k][k];
        if (trace > best)
            best = trace, flip = keep;
    }
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3 && flip != 3 && flip != k; i++)
            axis[k][i] = -axis[k][i];
}

static recon_status check_atoms(recon_ctx *ctx, const uint8_t *z, const float *xyz, size_t atoms,
                                size_t conformers)
{
    for (size_t i = 0; i < atoms; i++)
        if (z[i] < 1 || z[i] > RECON_ELEMENTS)
            return recon_fail(ctx, RECON_ERR_INPUT, "atom %zu: no element %d", i, z[i]);
    for (size_t i = 0; i < 3 * atoms * conformers; i++)
        if (!isfinite(xyz[i]))
            return recon_fail(ctx, RECON_ERR_INPUT,
                              "conformer %zu: atom %zu has a coordinate that is not finite",
                              i / 3 / atoms, i / 3 % atoms);
    return RECON_OK;
}

void recon_inertia_frame(float *out, const uint8_t *z, const float *xyz, size_t atoms)
{
    double c[3], m[9], k[10], v[3];
    recon_so3_frame frame;
    centre_of_mass(c, z, xyz, atoms);
    second_moments(m, c, z, xyz, atoms);
    recon_so3_moment_of_matrix(k, m);
    recon_so3_frame_of(&frame, k);
    nearest_signs(frame.body);
    for (size_t i = 0; i < atoms; i++) {
        for (size_t j = 0; j < 3; j++)
            v[j] = xyz[3 * i + j] - c[j];
        for (size_t j = 0; j < 3; j++)
            out[3 * i + j] = (float)(frame.body[j][0] * v[0] + frame.body[j][1] * v[1] +
                                     frame.body[j][2] * v[2]);
    }
}

/* --- the selection ---------------------------------------------------------------------------- */

typedef struct {
    const recon_ensemble *in;
    recon_selection *out;
    size_t *order;    /* [n] lowest energy first        */
    float *reference; /* [atoms][3] in its inertia frame */
    double centre[3]; /* of the reference                */
    recon_bonds bonds;
    recon_symmetry *symmetry;
    size_t least, most;
    double radius;
} job;

typedef struct {
    double energy;
    size_t index;
} rank;

static int lower(const void *x, const void *y)
{
    const rank *a = x, *b = y;
    if (a->energy != b->energy)
        return a->energy < b->energy ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static const float *conformer(const recon_ensemble *e, size_t i)
{
    return e->xyz + 3 * e->atoms * i;
}

static void mean_place(double c[3], const float *xyz, size_t atoms)
{
    c[0] = c[1] = c[2] = 0;
    for (size_t i = 0; i < 3 * atoms; i++)
        c[i % 3] += (double)xyz[i] / (double)atoms;
}

static recon_status has_reacted(recon_ctx *ctx, const job *j, size_t i, int *reacted)
{
    recon_bonds b;
    RECON_CHECK(recon_bonds_perceive(ctx, &b, j->in->z, conformer(j->in, i), j->in->atoms));
    *reacted = b.n != j->bonds.n || memcmp(b.list, j->bonds.list, b.n * sizeof *b.list) != 0;
    recon_bonds_free(&b);
    return RECON_OK;
}

/* Conformer i, rotated onto the reference, becomes the next one kept. */
static void keep(job *j, size_t i, double rmsd, recon_so3 rotation)
{
    recon_selection *s = j->out;
    const float *from = conformer(j->in, i);
    float *to = s->xyz + 3 * s->atoms * s->n;
    double c[3], v[3];
    mean_place(c, from, s->atoms);
    for (size_t a = 0; a < s->atoms; a++) {
        for (size_t k = 0; k < 3; k++)
            v[k] = from[3 * a + k] - c[k];
        recon_so3_act(v, rotation, v);
        for (size_t k = 0; k < 3; k++)
            to[3 * a + k] = (float)(v[k] + j->centre[k]);
    }
    s->index[s->n] = i;
    s->rmsd[s->n] = (float)rmsd;
    s->energy[s->n++] = (float)(j->in->energy[i] - j->in->energy[j->order[0]]);
}

static recon_status consider(recon_ctx *ctx, job *j, size_t i)
{
    double rmsd;
    recon_so3 rotation;
    int reacted;
    RECON_CHECK(has_reacted(ctx, j, i, &reacted));
    if (reacted) {
        j->out->reacted++;
        return RECON_OK;
    }
    RECON_CHECK(
        recon_rmsd_best(&rmsd, &rotation, NULL, j->symmetry, j->reference, conformer(j->in, i)));
    if (!(rmsd < j->radius))
        return RECON_OK;
    j->out->within++;
    if (j->out->n < j->most)
        keep(j, i, rmsd, rotation);
    return RECON_OK;
}

static recon_status check_ensemble(recon_ctx *ctx, const recon_ensemble *in,
                                   const recon_select_options *o)
{
    if (in->atoms < 2 || in->atoms > RECON_SYMMETRY_ATOMS)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %zu atoms: 2 to %d", in->name, in->atoms,
                          RECON_SYMMETRY_ATOMS);
    if (!(o->radius >= 0))
        return recon_fail(ctx, RECON_ERR_INPUT, "selection: a radius of %g", o->radius);
    for (size_t i = 0; i < in->n; i++)
        if (!isfinite(in->energy[i]))
            return recon_fail(ctx, RECON_ERR_INPUT, "%s: conformer %zu has an energy of %g",
                              in->name, i, in->energy[i]);
    recon_status status = check_atoms(ctx, in->z, in->xyz, in->atoms, in->n);
    return status == RECON_OK ? RECON_OK : recon_note(ctx, status, "%s", in->name);
}

/* Its frame, bonds and symmetry. */
static recon_status study_reference(recon_ctx *ctx, job *j)
{
    const recon_ensemble *in = j->in;
    rank *list;
    RECON_CHECK(recon_alloc_raw(ctx, &list, in->n, sizeof *list));
    for (size_t i = 0; i < in->n; i++)
        list[i] = (rank){ in->energy[i], i };
    qsort(list, in->n, sizeof *list, lower);
    for (size_t i = 0; i < in->n; i++)
        j->order[i] = list[i].index;
    free(list);
    recon_inertia_frame(j->reference, in->z, conformer(in, j->order[0]), in->atoms);
    mean_place(j->centre, j->reference, in->atoms);
    RECON_CHECK(recon_bonds_perceive(ctx, &j->bonds, in->z, conformer(in, j->order[0]), in->atoms));
    return recon_symmetry_make(ctx, &j->symmetry, in->z, &j->bonds);
}

recon_status recon_select(recon_ctx *ctx, recon_selection *out, const recon_ensemble *in,
                          const recon_select_options *options)
{
    const recon_select_options o = options ? *options : (recon_select_options){ 0 };
    job j = { .in = in, .out = out, .least = o.least ? o.least : LEAST };
    recon_status status;
    j.most = o.most ? o.most : SIZE_MAX;
    j.radius = o.radius > 0 ? o.radius : RADIUS;
    *out = (recon_selection){ .atoms = in->atoms };
    RECON_TRY(check_ensemble(ctx, in, &o));
    if (in->n < j.least)
        return RECON_OK; /* most of GEOM: no need to look at them */
    size_t n = j.in->n, atoms = j.in->atoms;
    RECON_TRY(recon_alloc_raw(ctx, &j.order, n, sizeof *j.order));
    RECON_TRY(recon_alloc_raw(ctx, &j.reference, 3 * atoms, sizeof *j.reference));
    RECON_TRY(recon_alloc_raw(ctx, &j.out->index, n, sizeof *j.out->index));
    RECON_TRY(recon_alloc_raw(ctx, &j.out->xyz, n, 3 * atoms * sizeof *j.out->xyz));
    RECON_TRY(recon_alloc_raw(ctx, &j.out->energy, n, sizeof *j.out->energy));
    RECON_TRY(recon_alloc_raw(ctx, &j.out->rmsd, n, sizeof *j.out->rmsd));
    RECON_TRY(recon_alloc_raw(ctx, &j.out->split, n, 1));
    RECON_TRY(study_reference(ctx, &j));
    for (size_t i = 0; i < in->n; i++)
        RECON_TRY(consider(ctx, &j, j.order[i]));
    if (out->within < j.least)
        out->n = 0;
    /* Rounded shares of n: 0.8 to train, 0.1 to val, the rest to test. */
    size_t train = (8 * out->n + 5) / 10, val = (out->n + 5) / 10;
    uint64_t turn = SPLITS; /* a molecule's split does not depend on what else is in the file */
    for (const char *at = in->name; *at; at++)
        turn = (turn ^ (unsigned char)*at) * 0x100000001b3 % SPLITS + SPLITS;
    for (size_t i = 0; i < out->n; i++) {
        size_t place = recon_permute(i, out->n, o.seed, turn);
        out->split[i] = place < train ? 0 : place < train + val ? 1 : 2;
    }
done:
    if (status != RECON_OK)
        recon_selection_free(out);
    recon_bonds_free(&j.bonds);
    recon_symmetry_free(j.symmetry);
    recon_free_all(j.order, j.reference);
    return status;
}

void recon_selection_free(recon_selection *s)
{
    void *const owned[] = { s->index, s->xyz, s->energy, s->rmsd, s->split };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    *s = (recon_selection){ 0 };
}

/* --- into a store ----------------------------------------------------------------------------- */

typedef struct {
    recon_store *store; /* gets conformers and split */
    const recon_select_options *options;
    size_t room, reacted; /* of store->split; conformers left out for their bonds */
} sink;

static recon_status add(recon_ctx *ctx, sink *to, const recon_ensemble *molecule,
                        const recon_selection *s)
{
    recon_store *store = to->store;
    RECON_CHECK(recon_grow(ctx, &store->split, &to->room, store->n, store->n + s->n, 1));
    memcpy(store->split + store->n, s->split, s->n);
    RECON_CHECK(recon_store_name(ctx, store, molecule->name, strlen(molecule->name)));
    for (size_t i = 0; i < s->n; i++) {
        const recon_conformer c = { .atoms = s->atoms,
                                    .z = molecule->z,
                                    .xyz = s->xyz + 3 * s->atoms * i,
                                    .molecule = (int32_t)store->molecules - 1,
                                    .energy = s->energy[i],
                                    .rmsd = s->rmsd[i] };
        RECON_CHECK(recon_store_add(ctx, store, &c));
    }
    return RECON_OK;
}

static recon_status visit(recon_ctx *ctx, void *arg, const recon_ensemble *molecule)
{
    sink *to = arg;
    recon_selection s;
    recon_status status = recon_select(ctx, &s, molecule, to->options);
    if (status == RECON_OK && s.n)
        status = add(ctx, to, molecule, &s);
    to->reacted += s.reacted;
    recon_selection_free(&s);
    return status;
}

recon_status recon_select_geom(recon_ctx *ctx, recon_store *store, size_t *skipped,
                               const char *path, int skip_bad, const recon_select_options *options)
{
    sink to = { .store = store, .options = options };
    recon_geom_info info;
    recon_status status = recon_geom_read(
        ctx, &info, path, &(recon_geom_options){ .skip_bad = skip_bad }, visit, &to);
    *skipped = info.skipped;
    if (status != RECON_OK)
        return status;
    if (store->n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: none of %zu molecules has the conformers asked "
                          "for: %zu within %g A of its lowest",
                          path, info.molecules, options->least ? options->least : LEAST,
                          options->radius > 0 ? options->radius : RADIUS);
    recon_log(ctx, RECON_LOG_INFO,
              "%s: %zu of %zu molecules kept, %zu dropped as debris, %zu "
              "conformers had reacted",
              path, store->molecules, info.molecules, info.dropped, to.reacted);
    return RECON_OK;
}
