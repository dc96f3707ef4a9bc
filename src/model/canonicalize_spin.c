/* canonicalize_spin.c - molecules in their natural pose, the free spin chosen by a frozen model. */
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "backbone/kinds.h"
#include "model/model.h"
#include "model/spin.h"
#include "group/so3/fisher.h"

#include <recon/knn/knn.h>
#include <stdlib.h>

enum { K = 8, BLOCK = RECON_BLOCK_SPIN };

/* What the backbone sees in some conformers. */
typedef struct {
    size_t n;
    float *z;       /* [n][d] */
    recon_so3 *psi; /* [n]    */
} codes;

/* The inputs whose spin is free. */
typedef struct {
    size_t n;
    size_t *row;       /* [n] among all inputs */
    float *z;          /* [n][d]               */
    int64_t *near;     /* [n][k]               */
    recon_so3 *lambda; /* [n]                  */
    double *axis;      /* [n][3]               */
    recon_spin *spin;  /* [n]                  */
} open_spins;

static void codes_free(codes *c)
{
    recon_free_all(c->z, c->psi);
}

static void open_spins_free(open_spins *s)
{
    void *blocks[] = { s->row, s->z, s->near, s->lambda, s->axis, s->spin };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
}

static recon_status see(recon_ctx *ctx, codes *out, const recon_model *m, const recon_conformer *x,
                        size_t n)
{
    const recon_backbone *b = m->backbone;
    *out = (codes){ .n = n };
    RECON_CHECK(b->kind->check(ctx, b, x, n));
    RECON_CHECK(recon_alloc_raw(ctx, &out->z, n, b->code * sizeof *out->z));
    RECON_CHECK(recon_alloc_raw(ctx, &out->psi, n, sizeof *out->psi));
    for (size_t at = 0; at < n; at += BLOCK)
        RECON_CHECK(b->kind->embed(
            ctx, &(recon_seen){ .z = out->z + at * b->code, .psi = (double *)(out->psi + at) }, b,
            x + at, n - at < BLOCK ? n - at : BLOCK));
    return RECON_OK;
}

static recon_status open_spins_new(recon_ctx *ctx, open_spins *s, size_t n, size_t d, size_t k)
{
    RECON_CHECK(recon_alloc_raw(ctx, &s->row, n, sizeof *s->row));
    RECON_CHECK(recon_alloc_raw(ctx, &s->z, n * d, sizeof *s->z));
    RECON_CHECK(recon_alloc_raw(ctx, &s->near, n * k, sizeof *s->near));
    RECON_CHECK(recon_alloc_raw(ctx, &s->lambda, n, sizeof *s->lambda));
    RECON_CHECK(recon_alloc_raw(ctx, &s->axis, n, 3 * sizeof *s->axis));
    return recon_alloc_raw(ctx, &s->spin, n, sizeof *s->spin);
}

/* Poses as the model gives them, and which of them have a free spin, about which axis. */
static recon_status find_open(recon_ctx *ctx, open_spins *s, recon_pose *poses,
                              const recon_model *m, const recon_conformer *x, const codes *c)
{
    size_t d = m->backbone->code;
    recon_so3_map *maps = NULL;
    double body[3];
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &maps, BLOCK, sizeof *maps));
    for (size_t at = 0; at < c->n; at += BLOCK) {
        size_t some = c->n - at < BLOCK ? c->n - at : BLOCK;
        RECON_TRY(recon_model_read(ctx, &(recon_read){ .poses = poses + at, .maps = maps }, m,
                                   x + at, some));
        for (size_t i = 0; i < some; i++) {
            if (!poses[at + i].free)
                continue;
            s->row[s->n] = at + i;
            s->lambda[s->n] = recon_so3_at(poses[at + i].lambda, 0);
            recon_fisher_axes(body, s->axis + 3 * s->n, &maps[i].density);
            for (size_t j = 0; j < d; j++)
                s->z[s->n * d + j] = c->z[(at + i) * d + j];
            s->n++;
        }
    }
done:
    free(maps);
    return status;
}

static recon_status choose(recon_ctx *ctx, open_spins *s, size_t d, size_t k, const codes *among,
                           recon_spin_judge *judge, void *user, size_t labels,
                           const recon_spin_options *o)
{
    RECON_CHECK(recon_knn_search(ctx, s->near, NULL, s->z, s->n, among->z, among->n, d,
                                 &(recon_knn_options){ .k = k }));
    return recon_spin_choose(
        ctx, s->spin, NULL,
        &(recon_spin_classes){ s->n, k, s->near, among->psi, among->n, s->lambda, s->axis }, judge,
        user, labels, o);
}

static recon_status rotate(recon_ctx *ctx, float *out, const recon_pose *poses,
                           const recon_model *m, const recon_conformer *x, size_t n)
{
    recon_so3 *by = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &by, n, sizeof *by));
    for (size_t i = 0; i < n; i++)
        by[i] = recon_so3_at(poses[i].rotation, 0);
    RECON_TRY(
        m->backbone->kind->rotate(ctx, out, m->backbone, x, (const double *)by, n, RECON_BILINEAR));
done:
    free(by);
    return status;
}

static recon_status check_model(recon_ctx *ctx, const recon_model *m)
{
    return recon_backbone_molecule_net(m->backbone)
               ? RECON_OK
               : recon_fail(ctx, RECON_ERR_INPUT,
                            "a spin is chosen for molecules, and the model is of %s",
                            m->backbone->kind->name);
}

recon_status recon_canonicalize_spin(recon_ctx *ctx, float *out, recon_pose *poses,
                                     const recon_model *model, const recon_conformer *x, size_t n,
                                     const recon_conformer *among, size_t m,
                                     recon_spin_judge *judge, void *user, size_t labels,
                                     const recon_spin_options *options)
{
    size_t k = options && options->k ? options->k : K, d;
    codes own = { 0 }, others = { 0 };
    open_spins s = { .n = 0 };
    recon_status status;
    RECON_TRY(recon_spin_options_check(ctx, options));
    RECON_TRY(check_model(ctx, model));
    if (n == 0)
        goto done;
    d = model->backbone->code;
    RECON_TRY(see(ctx, &own, model, x, n));
    if (among)
        RECON_TRY(see(ctx, &others, model, among, m));
    const codes *use = among ? &others : &own;
    k = k < use->n ? k : use->n;
    RECON_TRY(open_spins_new(ctx, &s, n, d, k));
    RECON_TRY(find_open(ctx, &s, poses, model, x, &own));
    if (s.n)
        RECON_TRY(choose(ctx, &s, d, k, use, judge, user, labels, options));
    for (size_t i = 0; i < s.n; i++)
        recon_pose_complete(&poses[s.row[i]], model->backbone->kind->group,
                            (const double *)&s.spin[i].lambda);
    if (out)
        RECON_TRY(rotate(ctx, out, poses, model, x, n));
done:
    open_spins_free(&s);
    codes_free(&others);
    codes_free(&own);
    return status;
}

/* Conformers as a set of their own; which molecule one is of does not matter to a judge. */
static recon_status make_set(recon_ctx *ctx, recon_molecules **out, const recon_conformer *x,
                             size_t n)
{
    recon_conformer *list = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &list, n, sizeof *list));
    for (size_t i = 0; i < n; i++) {
        list[i] = x[i];
        list[i].molecule = (int32_t)i;
    }
    RECON_TRY(recon_molecules_make(ctx, out, list, n, NULL));
done:
    free(list);
    return status;
}

recon_status recon_canonicalize_spin_gcn(recon_ctx *ctx, float *out, recon_pose *poses,
                                         const recon_model *model, const recon_conformer *x,
                                         size_t n, const recon_conformer *among, size_t m,
                                         const recon_gcn *classifier,
                                         const recon_spin_options *options)
{
    recon_gcn_info info = recon_gcn_describe(classifier);
    recon_molecules *set = NULL;
    recon_gcn_graphs *graphs = NULL;
    recon_status status = RECON_OK;
    if (n == 0)
        return RECON_OK;
    RECON_TRY(make_set(ctx, &set, among ? among : x, among ? m : n));
    RECON_TRY(recon_gcn_graphs_make(ctx, &graphs, set, info.radius));
    recon_spin_gcn judge = { classifier, graphs };
    RECON_TRY(recon_canonicalize_spin(ctx, out, poses, model, x, n, among, m, recon_spin_by_gcn,
                                      &judge, info.classes, options));
done:
    recon_gcn_graphs_free(graphs);
    recon_molecules_close(set);
    return status;
}
