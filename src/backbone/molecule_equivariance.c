/* molecule_equivariance.c - compares codes and poses of each conformer before and after moving
 * it. */
#include "backbone/molecule_equivariance.h"
#include "backbone/equivariance.h"
#include "core/fail.h"
#include "core/memory.h"
#include "stats/quantile.h"

#include <math.h>
#include <string.h>

#define SHIFT 10.0 /* Angstrom */
#define PLAIN 10.0 /* times the worst of rounding */

/* --- errors ----------------------------------------------------------------------------------- */

static void summarize(double *median, double *p99, double *max, double *errors, size_t n)
{
    recon_sort_doubles(errors, n);
    *median = recon_quantile(errors, n, 0.5);
    *p99 = recon_quantile(errors, n, 0.99);
    *max = errors[n - 1];
}

recon_status recon_molecule_equivariance_compare(recon_ctx *ctx, recon_molecule_equivariance *out,
                                                 const recon_molecule_codes *before,
                                                 const recon_molecule_codes *after,
                                                 const recon_so3 *rotations, size_t n, size_t d)
{
    double *pose = NULL, *code = NULL;
    recon_status status;
    *out = (recon_molecule_equivariance){ .n = n };
    if (n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "equivariance: no conformers");
    RECON_TRY(recon_alloc(ctx, &pose, n, sizeof *pose));
    RECON_TRY(recon_alloc_raw(ctx, &code, n, sizeof *code));
    for (size_t i = 0; i < n; i++) {
        if (rotations)
            pose[i] =
                recon_so3_distance(after->psi[i], recon_so3_compose(rotations[i], before->psi[i]));
        code[i] = recon_relative_change(before->z + i * d, after->z + i * d, d);
        if (!isfinite(pose[i]) || !isfinite(code[i]))
            RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT,
                                 "equivariance: pose error %g and change of z %g of conformer %zu",
                                 pose[i], code[i], i));
    }
    summarize(&out->pose_median, &out->pose_p99, &out->pose_max, pose, n);
    summarize(&out->code_median, &out->code_p99, &out->code_max, code, n);
    if (!rotations)
        out->pose_median = out->pose_p99 = out->pose_max = NAN;
done:
    recon_free_all(code, pose);
    return status;
}

int recon_molecule_equivariance_sees_mirror(const recon_molecule_equivariance of[RECON_MOVES])
{
    return of[RECON_MOVE_MIRROR].code_median > PLAIN * of[RECON_MOVE_ALL].code_max;
}

/* --- molecules -------------------------------------------------------------------------------- */

/* Codes and poses of a set. */
typedef struct {
    float *z;
    recon_so3 *psi;
} codes;

typedef struct {
    const recon_molecule_net *model;
    const recon_molecules *data;
    size_t n, d;
    uint64_t seed;
    recon_conformer *moved; /* [n], in what follows */
    float *xyz;             /* [total][3] */
    uint8_t *elements;      /* [total] */
    recon_so3 *rotations;   /* [n] */
    codes before, after;
} trial;

static recon_status codes_new(recon_ctx *ctx, codes *c, const trial *t)
{
    RECON_CHECK(recon_alloc_raw(ctx, &c->z, t->n * t->d, sizeof *c->z));
    return recon_alloc_raw(ctx, &c->psi, t->n, sizeof *c->psi);
}

static void put_atom(uint8_t *z, float *xyz, const recon_conformer *from, size_t atom,
                     recon_so3 rotation, const double shift[3], double sign)
{
    double at[3];
    for (size_t k = 0; k < 3; k++)
        at[k] = sign * (double)from->xyz[3 * atom + k];
    recon_so3_act(at, rotation, at);
    for (size_t k = 0; k < 3; k++)
        xyz[k] = (float)(at[k] + shift[k]);
    *z = from->z[atom];
}

/* Every order alike: from the last place down, each takes one of those that are left. */
static void permute(uint8_t *z, float *xyz, size_t atoms, recon_rng *rng)
{
    for (size_t i = atoms; i-- > 1;) {
        size_t j = recon_rng_below(rng, i + 1);
        uint8_t kind = z[i];
        float place[3];
        z[i] = z[j];
        z[j] = kind;
        memcpy(place, xyz + 3 * i, sizeof place);
        memmove(xyz + 3 * i, xyz + 3 * j, sizeof place);
        memcpy(xyz + 3 * j, place, sizeof place);
    }
}

/* The draws are the same for every move, so that RECON_MOVE_ALL is the others,
 * one after another. */
static void move_one(trial *t, size_t i, size_t first, recon_move move)
{
    recon_rng rng = recon_rng_new(t->seed, i);
    recon_so3 rotation = recon_so3_haar(&rng);
    recon_conformer x = recon_molecules_get(t->data, i);
    int all = move == RECON_MOVE_ALL;
    double shift[3];
    for (int k = 0; k < 3; k++) {
        double by = SHIFT / sqrt(3) * recon_rng_normal(&rng);
        shift[k] = all || move == RECON_MOVE_SHIFT ? by : 0;
    }
    t->rotations[i] = all || move == RECON_MOVE_ROTATE ? rotation : recon_so3_identity();
    for (size_t a = 0; a < x.atoms; a++)
        put_atom(t->elements + first + a, t->xyz + 3 * (first + a), &x, a, t->rotations[i], shift,
                 move == RECON_MOVE_MIRROR ? -1 : 1);
    if (all || move == RECON_MOVE_PERMUTE)
        permute(t->elements + first, t->xyz + 3 * first, x.atoms, &rng);
    x.z = t->elements + first;
    x.xyz = t->xyz + 3 * first;
    t->moved[i] = x;
}

static recon_status embed(recon_ctx *ctx, const trial *t, const codes *to)
{
    return recon_molecule_net_embed(ctx, &(recon_molecule_net_answer){ .z = to->z, .psi = to->psi },
                                    t->model, t->moved, t->n);
}

static recon_status measure_move(recon_ctx *ctx, recon_molecule_equivariance *out, trial *t,
                                 recon_move move)
{
    for (size_t i = 0, first = 0; i < t->n; first += t->moved[i++].atoms)
        move_one(t, i, first, move);
    RECON_CHECK(embed(ctx, t, &t->after));
    return recon_molecule_equivariance_compare(
        ctx, out, &(recon_molecule_codes){ t->before.z, t->before.psi },
        &(recon_molecule_codes){ t->after.z, t->after.psi },
        move == RECON_MOVE_MIRROR ? NULL : t->rotations, t->n, t->d);
}

recon_status recon_molecule_equivariance_measure(recon_ctx *ctx,
                                                 recon_molecule_equivariance out[RECON_MOVES],
                                                 const recon_molecule_net *model,
                                                 const recon_molecules *data, uint64_t seed)
{
    trial t = { .model = model,
                .data = data,
                .n = recon_molecules_describe(data).n,
                .d = recon_molecule_net_describe(model).code,
                .seed = seed };
    recon_status status;
    size_t total = recon_molecules_describe(t.data).total;
    RECON_TRY(recon_alloc_raw(ctx, &t.moved, t.n, sizeof *t.moved));
    RECON_TRY(recon_alloc_raw(ctx, &t.xyz, total, 3 * sizeof *t.xyz));
    RECON_TRY(recon_alloc_raw(ctx, &t.elements, total, sizeof *t.elements));
    RECON_TRY(recon_alloc_raw(ctx, &t.rotations, t.n, sizeof *t.rotations));
    RECON_TRY(codes_new(ctx, &t.before, &t));
    RECON_TRY(codes_new(ctx, &t.after, &t));
    for (size_t i = 0; i < t.n; i++)
        t.moved[i] = recon_molecules_get(data, i);
    RECON_TRY(embed(ctx, &t, &t.before));
    for (int move = 0; move < RECON_MOVES; move++)
        RECON_TRY(measure_move(ctx, &out[move], &t, (recon_move)move));
done:
    recon_free_all(t.moved, t.xyz, t.elements, t.rotations, t.before.z, t.before.psi, t.after.z,
                   t.after.psi);
    return status;
}
