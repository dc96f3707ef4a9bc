/* reproduce_molecules_accuracy.c - the frozen classifier on test conformers, canonicalized in every
 * way that the tables compare. */
#include "lab/reproduce_molecules.h"
#include "core/fail.h"
#include "core/memory.h"
#include "model/model.h"
#include "model/spin.h"
#include "group/so3/fisher_gauge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAUGE_SEED = 7 };

/* Its share of right answers when test conformer which[i] is rotated by rotations[i]; which NULL: all. */
static recon_status share_right(recon_ctx *ctx, double *out, const molecule_reproduction *r,
                                const size_t *which, size_t n, const recon_so3 *rotations)
{
    recon_spin_gcn judge = { r->gcn, r->test.graphs };
    int64_t *label = NULL, *row = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &label, n, sizeof *label));
    RECON_TRY(recon_alloc_raw(ctx, &row, n, sizeof *row));
    for (size_t i = 0; i < n; i++) {
        size_t at = which ? which[i] : i;
        label[i] = r->test.codes.labels[at];
        row[i] = r->test.row[at];
    }
    RECON_TRY(recon_evaluate_molecule_accuracy(ctx, out, NULL, label, row, rotations, n,
                                               recon_spin_by_gcn, &judge,
                                               recon_gcn_describe(r->gcn).classes));
done:
    free(row);
    free(label);
    return status;
}

static recon_status accuracy(recon_ctx *ctx, double *out, const molecule_reproduction *r,
                             const recon_so3 *rotations)
{
    return share_right(ctx, out, r, NULL, r->test.n, rotations);
}

static recon_so3 to_canonical(recon_so3 lambda, recon_so3 psi)
{
    return recon_so3_compose(lambda, recon_so3_inverse(psi));
}

static void free_axis(double world[3], const recon_so3_map *map)
{
    double body[3];
    recon_fisher_axes(body, world, &map->density);
}

/* --- one Lambda for each ---------------------------------------------------------------------- */

static recon_so3 by_ieae(const molecule_reproduction *r, size_t i)
{
    (void)r, (void)i;
    return recon_so3_identity();
}

static recon_so3 by_head(const molecule_reproduction *r, size_t i)
{
    return r->map[i].lambda_label;
}

static recon_so3 by_neighbours(const molecule_reproduction *r, size_t i)
{
    return r->mode[i];
}

static recon_so3 by_density(const molecule_reproduction *r, size_t i)
{
    return r->map[i].lambda;
}

typedef recon_so3 lambda_of(const molecule_reproduction *r, size_t i);

static recon_status measure_way(recon_ctx *ctx, double *out, const molecule_reproduction *r,
                                lambda_of *way, recon_so3 *rotations)
{
    for (size_t i = 0; i < r->test.n; i++)
        rotations[i] = to_canonical(way(r, i), recon_so3_at(r->test.codes.poses, i));
    return accuracy(ctx, out, r, rotations);
}

/* What the model says of the test conformers before they were rotated. */
static recon_status score_upright(recon_ctx *ctx, recon_pose_score3 *out,
                                  const molecule_reproduction *r)
{
    recon_conformer *x = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &x, r->test.n, sizeof *x));
    for (size_t i = 0; i < r->test.n; i++)
        x[i] = recon_molecules_get(r->upright, (size_t)r->test.row[i]);
    RECON_TRY(recon_score_molecules(ctx, out, r->model, x, r->test.n));
done:
    free(x);
    return status;
}

/* Conformers that were never rotated: as they are, canonicalized, and as canonicalize --only-if has
 * it, where what is not unusual stays as it is. */
static recon_status measure_upright(recon_ctx *ctx, molecule_reproduction *r, recon_so3 *rotations)
{
    enum { AS_IT_IS, CANONICAL, GATED, WAYS };
    size_t n = r->test.n;
    double *out[WAYS] = { &r->accuracy.upright, &r->accuracy.upright_recon,
                          &r->accuracy.upright_gated };
    recon_gcn_graphs *graphs = NULL;
    recon_pose_score3 *score = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &score, n, sizeof *score));
    RECON_TRY(score_upright(ctx, score, r));
    RECON_TRY(recon_gcn_graphs_make(ctx, &graphs, r->upright, recon_gcn_describe(r->gcn).radius));
    recon_spin_gcn judge = { r->gcn, graphs };
    for (int way = 0; way < WAYS; way++) {
        for (size_t i = 0; i < n; i++) {
            int rotated =
                way == CANONICAL || (way == GATED && recon_gate_opens(GATE, score[i].p_value));
            rotations[i] = rotated ? score[i].pose.rotation : recon_so3_identity();
        }
        RECON_TRY(recon_evaluate_molecule_accuracy(ctx, out[way], NULL, r->test.codes.labels,
                                                   r->test.row, rotations, n, recon_spin_by_gcn,
                                                   &judge, recon_gcn_describe(r->gcn).classes));
    }
done:
    free(score);
    recon_gcn_graphs_free(graphs);
    return status;
}

/* The density's Lambda with the spin that poses leave free drawn anew for each molecule: `density` is
 * one such draw. A pose without such a spin stays as it is. */
static recon_status measure_draws(recon_ctx *ctx, molecule_reproduction *r, recon_so3 *rotations)
{
    double sum = 0, squares = 0, share, axis[3];
    recon_status status = RECON_OK;
    for (uint64_t g = 0; g < MOLECULE_GAUGES; g++) {
        for (size_t i = 0; i < r->test.n; i++) {
            recon_rng rng = recon_rng_new(GAUGE_SEED + g, (uint64_t)r->test.codes.labels[i]);
            double angle = r->map[i].free ? 2 * M_PI * recon_rng_uniform(&rng) : 0;
            free_axis(axis, &r->map[i]);
            rotations[i] = recon_so3_compose(
                recon_so3_from_axis_angle(axis, angle),
                to_canonical(r->map[i].lambda, recon_so3_at(r->test.codes.poses, i)));
        }
        RECON_TRY(accuracy(ctx, &share, r, rotations));
        sum += share;
        squares += share * share;
    }
    r->accuracy.drawn_mean = sum / MOLECULE_GAUGES;
    r->accuracy.drawn_spread =
        sqrt(fmax(0, (squares - sum * sum / MOLECULE_GAUGES) / (MOLECULE_GAUGES - 1)));
done:
    return status;
}

/* --- the classifier chooses ------------------------------------------------------------------- */

/* Test conformers whose rotation is searched, and who is next to them in a part. */
typedef struct {
    size_t n, k, all;
    size_t *row;       /* [n] among the test conformers           */
    float *z;          /* [n][d]                                  */
    int64_t *near;     /* [n][k] in the part, as the judge counts */
    recon_so3 *psi;    /* [all] of the part                       */
    recon_so3 *lambda; /* [n]     */
    double *axis;      /* [n][3]  */
    recon_spin *spin;  /* [n]     */
} spinning;

static void spinning_free(spinning *s)
{
    void *blocks[] = { s->row, s->z, s->near, s->psi, s->lambda, s->axis, s->spin };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
}

static recon_status spinning_new(recon_ctx *ctx, spinning *s, size_t n, size_t d)
{
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &s->row, n, sizeof *s->row));
    RECON_TRY(recon_alloc_raw(ctx, &s->z, n * d, sizeof *s->z));
    RECON_TRY(recon_alloc_raw(ctx, &s->near, n * s->k, sizeof *s->near));
    RECON_TRY(recon_alloc_raw(ctx, &s->psi, s->all, sizeof *s->psi));
    RECON_TRY(recon_alloc_raw(ctx, &s->lambda, n, sizeof *s->lambda));
    RECON_TRY(recon_alloc_raw(ctx, &s->axis, n, 3 * sizeof *s->axis));
    RECON_TRY(recon_alloc_raw(ctx, &s->spin, n, sizeof *s->spin));
done:
    return status;
}

/* whole: without RECON, from the autoencoder's pose, at most so many conformers, at equal distances;
 * 0: all whose spin is free, from the natural pose. */
static void spinning_fill(spinning *s, const molecule_reproduction *r, const molecule_part *from,
                          size_t whole)
{
    size_t n = r->test.n, d = r->test.codes.d, step = whole ? (n + whole - 1) / whole : 1;
    for (size_t i = 0; i < s->all; i++)
        s->psi[i] = recon_so3_identity(); /* of those that --quick leaves out: asked by nobody */
    for (size_t i = 0; i < from->n; i++)
        s->psi[from->row[i]] = recon_so3_at(from->codes.poses, i);
    for (size_t i = 0; i < n; i += step) {
        if (!whole && !r->map[i].free)
            continue;
        memcpy(s->z + s->n * d, r->test.codes.z + i * d, d * sizeof *s->z);
        s->lambda[s->n] = whole ? recon_so3_identity() : r->map[i].lambda;
        free_axis(s->axis + 3 * s->n, &r->map[i]);
        s->row[s->n++] = i;
    }
}

static recon_status choose(recon_ctx *ctx, spinning *s, uint64_t *passes,
                           const molecule_reproduction *r, const molecule_part *from, size_t whole)
{
    recon_spin_gcn judge = { r->gcn, from->graphs };
    recon_status status;
    RECON_TRY(spinning_new(ctx, s, r->test.n, from->codes.d));
    spinning_fill(s, r, from, whole);
    *passes = 0;
    if (s->n == 0)
        goto done;
    RECON_TRY(recon_knn_search(ctx, s->near, NULL, s->z, s->n, from->codes.z, from->n,
                               from->codes.d, &(recon_knn_options){ .k = s->k }));
    for (size_t i = 0; i < s->n * s->k; i++)
        s->near[i] = from->row[s->near[i]];
    RECON_TRY(recon_spin_choose(
        ctx, s->spin, passes,
        &(recon_spin_classes){ s->n, s->k, s->near, s->psi, s->all, s->lambda, s->axis },
        recon_spin_by_gcn, &judge, recon_gcn_describe(r->gcn).classes,
        &(recon_spin_options){ .whole = whole > 0 }));
done:
    return status;
}

static spinning spinning_of(const molecule_part *from, size_t k)
{
    return (spinning){ .k = k < from->n ? k : from->n,
                       .all = recon_molecules_describe(from->data).n };
}

/* k neighbours from a part choose the spin of each test conformer that has one. */
static recon_status measure_spin(recon_ctx *ctx, double *out, molecule_reproduction *r,
                                 const molecule_part *from, size_t k, recon_so3 *rotations)
{
    spinning s = spinning_of(from, k);
    const recon_so3 *psi = (const recon_so3 *)r->test.codes.poses;
    uint64_t passes;
    recon_status status;
    RECON_TRY(choose(ctx, &s, &passes, r, from, 0));
    for (size_t i = 0; i < r->test.n; i++)
        rotations[i] = to_canonical(r->map[i].lambda, psi[i]);
    for (size_t i = 0; i < s.n; i++)
        rotations[s.row[i]] = to_canonical(s.spin[i].lambda, psi[s.row[i]]);
    r->passes = s.n ? (double)passes / (double)s.n : 0;
    RECON_TRY(accuracy(ctx, out, r, rotations));
done:
    spinning_free(&s);
    return status;
}

/* The control: the same search by the same neighbours as `unseen`, over all of SO(3). */
static recon_status measure_whole(recon_ctx *ctx, molecule_reproduction *r, recon_so3 *rotations)
{
    spinning s = spinning_of(&r->val, MOLECULE_SPIN_UNSEEN);
    uint64_t passes;
    recon_status status;
    RECON_TRY(choose(ctx, &s, &passes, r, &r->val, MOLECULE_SPIN_WHOLE));
    for (size_t i = 0; i < s.n; i++)
        rotations[i] = to_canonical(s.spin[i].lambda, recon_so3_at(r->test.codes.poses, s.row[i]));
    r->searched = s.n;
    RECON_TRY(share_right(ctx, &r->accuracy.whole, r, s.row, s.n, rotations));
done:
    spinning_free(&s);
    return status;
}

/* --- all of it -------------------------------------------------------------------------------- */

recon_status molecule_reproduce_accuracy(recon_ctx *ctx, molecule_reproduction *r)
{
    size_t n = r->test.n;
    recon_so3 *rotations = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &rotations, n, sizeof *rotations));
    RECON_TRY(measure_upright(ctx, r, rotations));
    for (size_t i = 0; i < n; i++)
        rotations[i] = recon_so3_identity();
    RECON_TRY(accuracy(ctx, &r->accuracy.none, r, rotations));
    for (size_t i = 0; i < n; i++)
        rotations[i] = recon_so3_inverse(r->test.truth[i]);
    RECON_TRY(accuracy(ctx, &r->accuracy.undo, r, rotations));
    RECON_TRY(measure_way(ctx, &r->accuracy.ieae, r, by_ieae, rotations));
    RECON_TRY(measure_way(ctx, &r->accuracy.recon, r, by_head, rotations));
    RECON_TRY(measure_way(ctx, &r->accuracy.neighbours, r, by_neighbours, rotations));
    RECON_TRY(measure_way(ctx, &r->accuracy.density, r, by_density, rotations));
    RECON_TRY(measure_draws(ctx, r, rotations));
    RECON_TRY(measure_spin(ctx, &r->accuracy.unseen, r, &r->val, MOLECULE_SPIN_UNSEEN, rotations));
    RECON_TRY(measure_spin(ctx, &r->accuracy.spin, r, &r->train, MOLECULE_SPIN_K, rotations));
    RECON_TRY(measure_whole(ctx, r, rotations));
done:
    free(rotations);
    return status;
}
