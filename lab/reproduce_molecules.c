/* reproduce_molecules.c - what the paper's tables about molecules measure.
 *
 * Conformers of the training part are rotated with seed 1, those of val and test with seed 2; of other
 * data than the shipped set all with seed 1, which also draws the distribution of each molecule. Poses
 * rotate with their molecule, so whatever is asked of a conformer in another orientation follows from
 * one pass of the backbone. */
#include "lab/reproduce.h"
#include "lab/table.h"
#include "backbone/recipe.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/memory.h"
#include "model/discovered.h"
#include "group/so3/fisher.h"
#include "group/natural.h"
#include "stats/roc.h"
#include "model/model.h"
#include "model/spin.h"
#include "group/so3/fisher_fit.h"
#include "data/molecules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t ks[] = { 5, 10, 25, 40, 50 };
enum { KS_TRIED = LAB_COUNT(ks) };

enum { QUICK_EVERY = 6, TIMED = 2048, EMBEDDED = 1024, UNUSUAL_SEED = 3 };
#define RULE "fisher"

/* --- parts ------------------------------------------------------------------------------------ */

/* With --quick every sixth molecule, with all its conformers: classes stay as large as they are,
 * but there are fewer others to be taken for. */
static recon_status list_rows(recon_ctx *ctx, molecule_part *p, const lab_settings *s)
{
    size_t all = recon_molecules_describe(p->data).n;
    RECON_CHECK(recon_alloc(ctx, &p->row, all, sizeof *p->row));
    RECON_CHECK(recon_alloc(ctx, &p->x, all, sizeof *p->x));
    RECON_CHECK(recon_alloc(ctx, &p->truth, all, sizeof *p->truth));
    for (size_t i = 0; i < all; i++) {
        recon_conformer x = recon_molecules_get(p->data, i);
        if (s->quick && x.molecule % QUICK_EVERY)
            continue;
        p->row[p->n] = (int64_t)i;
        p->truth[p->n] = recon_molecules_rotation(p->data, i);
        p->x[p->n++] = x;
    }
    if (p->n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "no conformers");
    return RECON_OK;
}

static recon_status embed(recon_ctx *ctx, molecule_part *p, const recon_molecule_net *net)
{
    size_t d = recon_molecule_net_describe(net).code;
    RECON_CHECK(lab_embedded_new(ctx, &p->codes, p->n, d, RECON_SO3));
    float *z = p->codes.owned[0];
    recon_so3 *psi = p->codes.owned[1];
    for (size_t i = 0; i < p->n; i++)
        ((int64_t *)p->codes.owned[2])[i] = p->x[i].molecule;
    recon_progress_begin(ctx, "embed", p->n);
    for (size_t at = 0; at < p->n; at += EMBEDDED) {
        size_t n = p->n - at < EMBEDDED ? p->n - at : EMBEDDED;
        RECON_CHECK(recon_molecule_net_embed(
            ctx, &(recon_molecule_net_answer){ .z = z + at * d, .psi = psi + at }, net, p->x + at,
            n));
        recon_progress_add(ctx, n);
    }
    recon_progress_end(ctx);
    return RECON_OK;
}

recon_status molecule_reproduce_open(recon_ctx *ctx, recon_molecules **out, const lab_settings *s)
{
    return recon_molecules_open(ctx, out, s->data ? s->data : "conformers/all", NULL);
}

recon_status molecule_reproduce_rotated(recon_ctx *ctx, recon_molecules **out,
                                        const recon_molecules *whole, const lab_settings *s,
                                        const char *part)
{
    recon_molecules *upright = NULL;
    uint64_t seed = s->data || !strcmp(part, "train") ? TRAIN_SEED : TEST_SEED;
    recon_status status;
    RECON_TRY(recon_molecules_part(ctx, &upright, whole, part));
    RECON_TRY(recon_molecules_rotate(ctx, out, upright, RULE, seed));
done:
    recon_molecules_close(upright);
    return status;
}

static recon_status open_part(recon_ctx *ctx, molecule_part *p, const molecule_reproduction *r,
                              const char *part)
{
    double begun;
    RECON_CHECK(molecule_reproduce_rotated(ctx, &p->data, r->whole, r->settings, part));
    RECON_CHECK(list_rows(ctx, p, r->settings));
    if (r->gcn)
        RECON_CHECK(
            recon_gcn_graphs_make(ctx, &p->graphs, p->data, recon_gcn_describe(r->gcn).radius));
    begun = recon_now();
    RECON_CHECK(embed(ctx, p, recon_backbone_molecule_net(r->model->backbone)));
    p->embed_seconds = (recon_now() - begun) / (double)p->n;
    return RECON_OK;
}

static void close_part(molecule_part *p)
{
    recon_embedded_free(&p->codes);
    recon_gcn_graphs_free(p->graphs);
    recon_molecules_close(p->data);
    recon_free_all(p->row, p->x, p->truth);
}

/* What the model's file says about how it was made. */
static recon_status read_model(recon_ctx *ctx, molecule_reproduction *r)
{
    recon_safetensors *file = NULL;
    const char *labels, *line;
    recon_status status;
    RECON_TRY(recon_model_open(ctx, &r->model, r->settings->models[0], r->settings->precision));
    RECON_TRY(recon_safetensors_open(ctx, &file, r->settings->models[0]));
    labels = recon_safetensors_metadata(file, RECON_DISCOVER_LABELS);
    r->labels = labels && !strcmp(labels, RECON_DISCOVER_MOMENTS);
    line = recon_safetensors_metadata(file, "training");
    snprintf(r->training, sizeof r->training, "%s", line ? line : "");
    r->plain = recon_recipe_weight(file, "align") < 0 && recon_recipe_weight(file, "contrast") < 0;
    r->recipe = r->plain && recon_model_describe(r->model).maps.heads == RECON_HEADS_PAPER;
done:
    recon_safetensors_close(file);
    return status;
}

static recon_status open_classifier(recon_ctx *ctx, molecule_reproduction *r)
{
    const lab_settings *s = r->settings;
    const char *data = s->data ? s->data : "conformers";
    if (!s->classifier)
        return RECON_OK;
    RECON_CHECK(recon_gcn_open(ctx, &r->gcn, s->classifier));
    if (recon_gcn_describe(r->gcn).classes != r->molecules)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: a classifier of %zu classes, but %s has %zu molecules: `recon "
                          "classifier train --data %s/train --held %s/val` makes one",
                          s->classifier, recon_gcn_describe(r->gcn).classes, data, r->molecules,
                          data, data);
    return RECON_OK;
}

static recon_status open_all(recon_ctx *ctx, molecule_reproduction *r)
{
    RECON_CHECK(read_model(ctx, r));
    RECON_CHECK(molecule_reproduce_open(ctx, &r->whole, r->settings));
    RECON_CHECK(recon_molecules_part(ctx, &r->upright, r->whole, "test"));
    r->molecules = recon_molecules_describe(r->upright).molecules;
    RECON_CHECK(open_classifier(ctx, r));
    RECON_CHECK(open_part(ctx, &r->train, r, "train"));
    RECON_CHECK(open_part(ctx, &r->val, r, "val"));
    RECON_CHECK(open_part(ctx, &r->test, r, "test"));
    RECON_CHECK(recon_alloc(ctx, &r->truth, 9 * r->molecules, sizeof *r->truth));
    for (size_t m = 0; m < r->molecules; m++)
        recon_molecules_fisher(r->truth + 9 * m, r->test.data, m);
    return RECON_OK;
}

/* --- Algorithm 1 and the maps ----------------------------------------------------------------- */

static recon_status find_neighbors(recon_ctx *ctx, molecule_reproduction *r)
{
    size_t n = r->test.n;
    const recon_normalize_options o = { .knn = { .k = MOLECULE_K },
                                        .mean = { .kind = RECON_MEAN_TUKEY } };
    recon_molecule_k_point by_k[KS_TRIED];
    json_t *list = json_array();
    double begun = recon_now();
    recon_status status;
    RECON_TRY(recon_normalize(ctx, &r->frames, &r->train.codes, &r->test.codes, &o));
    r->frames_seconds = (recon_now() - begun) / (double)n;
    RECON_TRY(recon_alloc(ctx, &r->hits, n, sizeof *r->hits));
    RECON_TRY(recon_evaluate_molecule_hits(ctx, r->hits, r->frames.neighbors, r->test.codes.labels,
                                           n, MOLECULE_K, r->train.codes.labels, r->train.n));
    RECON_TRY(recon_evaluate_molecule_k(ctx, by_k, ks, KS_TRIED, &r->train.codes, &r->test.codes,
                                        r->truth, r->molecules));
    for (size_t i = 0; i < KS_TRIED; i++) {
        const recon_molecule_k_point *p = &by_k[i];
        json_t *one = json_pack("{s:I}", "k", (json_int_t)p->k);
        lab_put(&one, NULL,
                "hit_rate fisher_mse_median under800_percent axis_median_deg fisher_mse_worst",
                p->hit_rate, p->error.median, p->error.under800, p->error.axis_median, p->worst);
        recon_json_append(&list, one);
    }
    lab_put(&r->out, NULL, "hit_rate", r->frames.hit_rate);
    recon_json_put(&r->out, "verdicts", recon_natural_json(r->frames.natural));
    recon_json_put(&r->out, "by_k", json_incref(list));
    recon_json_put(&r->out, "algorithm1",
                   algorithm1_json(n, r->train.n, MOLECULE_K, r->frames_seconds * (double)n));
done:
    json_decref(list);
    return status;
}

/* Gamma and F about it, by the paper's moment matching. */
static recon_status fit_moments(recon_ctx *ctx, molecule_reproduction *r)
{
    size_t n = r->test.n;
    recon_fisher_fit *fits = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &fits, n, sizeof *fits));
    RECON_TRY(recon_fisher_fit_batch(ctx, fits, (const recon_so3 *)r->frames.normalized, n,
                                     MOLECULE_K,
                                     &(recon_fisher_fit_options){ .method = RECON_FISHER_MOMENT }));
    RECON_TRY(recon_alloc_raw(ctx, &r->mode, n, sizeof *r->mode));
    for (size_t i = 0; i < n; i++) {
        recon_fisher_center(r->f[MOLECULE_F_MOMENT] + 9 * i, fits[i].fisher.f, fits[i].fisher.mode);
        r->mode[i] = recon_so3_compose(fits[i].fisher.mode, recon_so3_at(r->frames.gamma, i));
    }
done:
    free(fits);
    return status;
}

static recon_status measure_fisher(recon_ctx *ctx, molecule_reproduction *r)
{
    static const char *const keys[MOLECULE_FS] = { "fisher_mse", "fisher_mse_label",
                                                   "fisher_mse_neighbors", "fisher_mse_moment" };
    size_t n = r->test.n, is_free[4] = { 0 };
    const recon_maps_inputs in = { .n = n, .z = r->test.codes.z, .inputs = r->test.x };
    recon_molecule_fisher_error error[MOLECULE_FS];
    json_t *list = json_array();
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &r->map, n, sizeof *r->map));
    RECON_TRY(recon_maps_apply(ctx, r->map, r->model->maps, &in, RECON_MAPS_ALL));
    for (int k = 0; k < MOLECULE_FS; k++)
        RECON_TRY(recon_alloc_raw(ctx, &r->f[k], 9 * n, sizeof *r->f[k]));
    for (size_t i = 0; i < n; i++) {
        memcpy(r->f[MOLECULE_F_DENSITY] + 9 * i, r->map[i].theta, sizeof r->map[i].theta);
        memcpy(r->f[MOLECULE_F_LABEL] + 9 * i, r->map[i].theta_label, sizeof r->map[i].theta_label);
        is_free[r->map[i].free]++;
    }
    memcpy(r->f[MOLECULE_F_NEIGHBORS], r->frames.parameters, 9 * n * sizeof(double));
    RECON_TRY(fit_moments(ctx, r));
    RECON_TRY(recon_alloc(ctx, &r->of, r->molecules, sizeof *r->of));
    for (int k = MOLECULE_FS; k-- > 0;) /* the first last: its molecules are kept */
        RECON_TRY(recon_evaluate_molecule_fisher(ctx, &error[k], r->of, r->f[k],
                                                 r->test.codes.labels, n, r->truth, r->molecules));
    for (int k = 0; k < MOLECULE_FS; k++)
        lab_put(&r->out, keys[k],
                "median mean under400_percent under800_percent sample_median axis_median_deg "
                "axis_p90_deg",
                error[k].median, error[k].mean, error[k].under400, error[k].under800,
                error[k].by_sample, error[k].axis_median, error[k].axis_p90);
    json_t *mse = json_object_get(r->out, keys[MOLECULE_F_DENSITY]);
    lab_put(&mse, NULL, "constant zero", error->constant, error->zero);
    for (int i = 0; i < 4; i++)
        recon_json_append(&list, lab_value(100 * ((double)is_free[i] / (double)n)));
    recon_json_put(&r->out, "free_directions_percent", json_incref(list));
done:
    json_decref(list);
    return status;
}

static recon_status measure_poses(recon_ctx *ctx, molecule_reproduction *r)
{
    const molecule_part *a = &r->train, *b = &r->test;
    recon_molecule_pose_error p;
    RECON_CHECK(
        recon_evaluate_molecule_poses(ctx, &p,
                                      &(recon_molecule_posed){ (const recon_so3 *)a->codes.poses,
                                                               a->truth, a->codes.labels, a->n },
                                      &(recon_molecule_posed){ (const recon_so3 *)b->codes.poses,
                                                               b->truth, b->codes.labels, b->n },
                                      r->molecules));
    lab_put(&r->out, "pose_noise",
            "median_deg mean_deg p90_deg within10_percent within20_percent beyond60_percent "
            "beyond150_percent",
            p.median, p.mean, p.p90, p.within10, p.within20, p.beyond60, p.beyond150);
    return RECON_OK;
}

/* What the paper's method makes of a backbone: only reconstruction alone makes that its own, else the
 * row is that of our terms. The other row has no figure. */
static void put_papers(json_t **to, const molecule_reproduction *r, const char *name, double value)
{
    char terms[32];
    snprintf(terms, sizeof terms, "%s_terms", name);
    recon_json_put(to, r->plain ? name : terms, lab_value(value));
    recon_json_put(to, r->plain ? terms : name, json_null());
}

/* The paper's method: by its recipe, or its algorithm on our network. */
static void put_method(json_t **to, const molecule_reproduction *r, double value)
{
    recon_json_put(to, "paper_recipe", lab_value(r->recipe ? value : NAN));
    put_papers(to, r, "paper_algorithm", r->recipe ? NAN : value);
}

/* --- unusual poses -------------------------------------------------------------------------------- */

static recon_status measure_unusual(recon_ctx *ctx, molecule_reproduction *r)
{
    size_t n = r->test.n;
    double *trace = NULL, trace_area;
    json_t *areas = json_object();
    recon_ood_auc ood;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &r->extra, n, sizeof *r->extra));
    RECON_TRY(recon_alloc_raw(ctx, &r->unusual, n, sizeof *r->unusual));
    RECON_TRY(recon_alloc_raw(ctx, &trace, n, sizeof *trace));
    for (int k = 0; k < 3; k++)
        RECON_TRY(recon_alloc_raw(ctx, &r->score[k], n, sizeof *r->score[k]));
    RECON_TRY(recon_evaluate_molecule_unusual(ctx, r->extra, r->unusual, r->test.truth,
                                              r->test.codes.labels, n, r->truth, r->molecules,
                                              UNUSUAL_SEED));
    for (size_t i = 0; i < n; i++) {
        recon_so3 psi = recon_so3_compose(r->extra[i], recon_so3_at(r->test.codes.poses, i));
        r->score[0][i] = recon_so3_map_trace_uncentred(&r->map[i], psi);
        r->score[1][i] = recon_so3_map_trace_label(&r->map[i], psi);
        r->score[2][i] = recon_so3_map_score(&r->map[i], psi);
        trace[i] = recon_so3_map_trace(&r->map[i], psi);
    }
    RECON_TRY(recon_evaluate_ood(ctx, &ood,
                                 &(recon_ood_scores){ r->score[0], r->score[1], r->score[2], NULL },
                                 r->unusual, n));
    RECON_TRY(recon_roc_auc(ctx, &trace_area, trace, r->unusual, n));
    lab_put(&areas, NULL, "recon recon_trace", ood.density, trace_area);
    put_papers(&areas, r, "ieae", ood.ieae);
    put_method(&areas, r, r->labels ? ood.g_abs : NAN);
    recon_json_put(&r->out, "ood_auc", json_incref(areas));
    lab_put(&r->out, NULL, "ood_percent", ood.share);
done:
    json_decref(areas);
    free(trace);
    return status;
}

/* --- what the errors go with ------------------------------------------------------------------ */

static recon_status find_facts(recon_ctx *ctx, molecule_reproduction *r)
{
    size_t n = r->test.n, molecules = r->molecules;
    double *values = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &values, n, sizeof *values));
    for (int k = 0; k < FACTS; k++)
        RECON_TRY(recon_alloc(ctx, &r->fact[k], molecules, sizeof *r->fact[k]));
    for (size_t m = 0; m < molecules; m++) {
        int rotors = recon_molecules_rotors(r->test.data, m);
        r->fact[FACT_MSE][m] = r->of[m].n ? r->of[m].mse : NAN;
        r->fact[FACT_ROTORS][m] = r->of[m].n && rotors >= 0 ? rotors : NAN;
    }
    for (size_t i = 0; i < r->train.n; i++)
        r->fact[FACT_CONFORMERS][r->train.codes.labels[i]]++;
    for (int k = FACT_HITS; k < FACTS; k++) {
        for (size_t i = 0; i < n; i++)
            values[i] = k == FACT_HITS    ? r->hits[i]
                        : k == FACT_ATOMS ? (double)r->test.x[i].atoms
                        : k == FACT_RMSD  ? (double)r->test.x[i].rmsd
                                          : (double)r->rebuilt[i].l1;
        RECON_TRY(recon_evaluate_molecule_means(ctx, r->fact[k], values, r->test.codes.labels, n,
                                                molecules));
    }
done:
    free(values);
    return status;
}

static recon_status measure_trends(recon_ctx *ctx, molecule_reproduction *r)
{
    static const struct {
        const char *key;
        molecule_fact x, y;
    } trends[] = { { "hits_by_conformers", FACT_CONFORMERS, FACT_HITS },
                   { "mse_by_atoms", FACT_ATOMS, FACT_MSE },
                   { "mse_by_rotors", FACT_ROTORS, FACT_MSE },
                   { "mse_by_rmsd", FACT_RMSD, FACT_MSE },
                   { "mse_by_reconstruction", FACT_REBUILT, FACT_MSE } };
    double l1 = 0, heavy = 0, elements = 0, n = (double)r->test.n;
    json_t *all = json_object();
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &r->rebuilt, r->test.n, sizeof *r->rebuilt));
    RECON_TRY(recon_molecule_net_reconstruct(
        ctx, r->rebuilt, recon_backbone_molecule_net(r->model->backbone), r->test.x, r->test.n));
    for (size_t i = 0; i < r->test.n; i++) {
        l1 += (double)r->rebuilt[i].l1 / n;
        heavy += (double)r->rebuilt[i].heavy / n;
        elements += (double)r->rebuilt[i].elements / n;
    }
    lab_put(&r->out, "reconstruction", "l1_angstrom heavy_rmsd_angstrom elements_percent", l1,
            heavy, elements);
    RECON_TRY(find_facts(ctx, r));
    for (size_t i = 0; i < LAB_COUNT(trends); i++) {
        recon_trend trend;
        RECON_TRY(recon_evaluate_molecule_trend(ctx, &trend, r->fact[trends[i].x],
                                                r->fact[trends[i].y], r->molecules));
        json_t *one = json_pack("{s:I}", "molecules", (json_int_t)trend.n);
        lab_put(&one, NULL, "correlation rank slope", trend.correlation, trend.rank, trend.slope);
        recon_json_put(&all, trends[i].key, one);
    }
    recon_json_put(&r->out, "trends", json_incref(all));
done:
    json_decref(all);
    return status;
}

/* --- what the classifier says ------------------------------------------------------------------ */

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
    RECON_TRY(recon_evaluate_molecule_accuracy(ctx, out, label, row, rotations, n,
                                               recon_spin_by_gcn, &judge,
                                               recon_gcn_describe(r->gcn).classes));
done:
    recon_free_all(row, label);
    return status;
}

/* The same of all of them, as "NAME%". */
static recon_status put_share(recon_ctx *ctx, json_t **to, const char *name,
                              const molecule_reproduction *r, const recon_so3 *rotations)
{
    double share;
    RECON_CHECK(share_right(ctx, &share, r, NULL, r->test.n, rotations));
    lab_put(to, NULL, name, share);
    return RECON_OK;
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

/* The backbone's own pose, and Lambda by the head that learned the paper's labels, by the neighbours
 * and by the density. */
static recon_status measure_ways(recon_ctx *ctx, json_t **to, const molecule_reproduction *r,
                                 recon_so3 *rotations)
{
    enum { BY_IEAE, BY_HEAD, BY_NEIGHBOURS, BY_DENSITY, WAYS };
    static const char *const names[] = { "ieae", NULL, "neighbours" };
    double share;
    for (int by = 0; by < WAYS; by++) {
        for (size_t i = 0; i < r->test.n; i++)
            rotations[i] = to_canonical(by == BY_IEAE         ? recon_so3_identity()
                                        : by == BY_HEAD       ? r->map[i].lambda_label
                                        : by == BY_NEIGHBOURS ? r->mode[i]
                                                              : r->map[i].lambda,
                                        recon_so3_at(r->test.codes.poses, i));
        RECON_CHECK(share_right(ctx, &share, r, NULL, r->test.n, rotations));
        if (by == BY_DENSITY)
            lab_put(to, NULL, "recon%", share);
        else if (by == BY_HEAD)
            put_method(to, r, r->labels ? 100 * share : NAN);
        else
            put_papers(to, r, names[by], 100 * share);
    }
    return RECON_OK;
}

/* What the model says of the test conformers before they were rotated. */
static recon_status score_upright(recon_ctx *ctx, recon_pose_score *out,
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
static recon_status measure_upright(recon_ctx *ctx, json_t **to, const molecule_reproduction *r,
                                    recon_so3 *rotations)
{
    enum { AS_IT_IS, CANONICAL, GATED, WAYS };
    size_t n = r->test.n;
    double share[WAYS];
    recon_gcn_graphs *graphs = NULL;
    recon_pose_score *score = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &score, n, sizeof *score));
    RECON_TRY(score_upright(ctx, score, r));
    RECON_TRY(recon_gcn_graphs_make(ctx, &graphs, r->upright, recon_gcn_describe(r->gcn).radius));
    recon_spin_gcn judge = { r->gcn, graphs };
    for (int way = 0; way < WAYS; way++) {
        for (size_t i = 0; i < n; i++) {
            int rotated =
                way == CANONICAL || (way == GATED && recon_gate_opens(GATE, score[i].p_value));
            rotations[i] = rotated ? recon_so3_at(score[i].pose.rotation, 0) : recon_so3_identity();
        }
        RECON_TRY(recon_evaluate_molecule_accuracy(ctx, &share[way], r->test.codes.labels,
                                                   r->test.row, rotations, n, recon_spin_by_gcn,
                                                   &judge, recon_gcn_describe(r->gcn).classes));
    }
    lab_put(to, NULL, "upright% upright_canonical% upright_gated%", share[AS_IT_IS],
            share[CANONICAL], share[GATED]);
done:
    free(score);
    recon_gcn_graphs_free(graphs);
    return status;
}

/* The density's Lambda with the spin that poses leave free drawn anew for each molecule: `recon` is
 * one such draw. A pose without such a spin stays as it is. */
static recon_status measure_draws(recon_ctx *ctx, json_t **to, const molecule_reproduction *r,
                                  recon_so3 *rotations)
{
    double sum = 0, squares = 0, share, axis[3];
    for (uint64_t g = 0; g < MOLECULE_GAUGES; g++) {
        for (size_t i = 0; i < r->test.n; i++) {
            recon_rng rng = recon_rng_new(GAUGE_SEED + g, (uint64_t)r->test.codes.labels[i]);
            double angle = r->map[i].free ? 2 * M_PI * recon_rng_uniform(&rng) : 0;
            free_axis(axis, &r->map[i]);
            rotations[i] = recon_so3_compose(
                recon_so3_from_axis_angle(axis, angle),
                to_canonical(r->map[i].lambda, recon_so3_at(r->test.codes.poses, i)));
        }
        RECON_CHECK(share_right(ctx, &share, r, NULL, r->test.n, rotations));
        sum += share;
        squares += share * share;
    }
    lab_put(to, NULL, "recon_drawn% recon_drawn_spread%", sum / MOLECULE_GAUGES,
            sqrt(fmax(0, (squares - sum * sum / MOLECULE_GAUGES) / (MOLECULE_GAUGES - 1))));
    return RECON_OK;
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
    recon_free_all(s->row, s->z, s->near, s->psi, s->lambda, s->axis, s->spin);
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
    size_t n = r->test.n;
    RECON_CHECK(recon_alloc_raw(ctx, &s->row, n, sizeof *s->row));
    RECON_CHECK(recon_alloc_raw(ctx, &s->z, n * from->codes.d, sizeof *s->z));
    RECON_CHECK(recon_alloc_raw(ctx, &s->near, n * s->k, sizeof *s->near));
    RECON_CHECK(recon_alloc_raw(ctx, &s->psi, s->all, sizeof *s->psi));
    RECON_CHECK(recon_alloc_raw(ctx, &s->lambda, n, sizeof *s->lambda));
    RECON_CHECK(recon_alloc_raw(ctx, &s->axis, n, 3 * sizeof *s->axis));
    RECON_CHECK(recon_alloc_raw(ctx, &s->spin, n, sizeof *s->spin));
    spinning_fill(s, r, from, whole);
    *passes = 0;
    if (s->n == 0)
        return RECON_OK;
    RECON_CHECK(recon_knn_search(ctx, s->near, NULL, s->z, s->n, from->codes.z, from->n,
                                 from->codes.d, &(recon_knn_options){ .k = s->k }));
    for (size_t i = 0; i < s->n * s->k; i++)
        s->near[i] = from->row[s->near[i]];
    return recon_spin_choose(
        ctx, s->spin, passes,
        &(recon_spin_classes){ s->n, s->k, s->near, s->psi, s->all, s->lambda, s->axis },
        recon_spin_by_gcn, &judge, recon_gcn_describe(r->gcn).classes,
        &(recon_spin_options){ .whole = whole > 0 });
}

static spinning spinning_of(const molecule_part *from, size_t k)
{
    return (spinning){ .k = k < from->n ? k : from->n,
                       .all = recon_molecules_describe(from->data).n };
}

/* k neighbours from a part choose the spin of each test conformer that has one. */
static recon_status measure_spin(recon_ctx *ctx, json_t **to, const char *name,
                                 molecule_reproduction *r, const molecule_part *from, size_t k,
                                 recon_so3 *rotations)
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
    lab_put(&r->out, NULL, "spin_passes", s.n ? (double)passes / (double)s.n : 0);
    RECON_TRY(put_share(ctx, to, name, r, rotations));
done:
    spinning_free(&s);
    return status;
}

/* The control: the same search by the same neighbours as `spin_unseen`, over all of SO(3). */
static recon_status measure_whole(recon_ctx *ctx, json_t **to, molecule_reproduction *r,
                                  recon_so3 *rotations)
{
    spinning s = spinning_of(&r->val, MOLECULE_SPIN_UNSEEN);
    double share;
    uint64_t passes;
    recon_status status;
    RECON_TRY(choose(ctx, &s, &passes, r, &r->val, MOLECULE_SPIN_WHOLE));
    for (size_t i = 0; i < s.n; i++)
        rotations[i] = to_canonical(s.spin[i].lambda, recon_so3_at(r->test.codes.poses, s.row[i]));
    RECON_TRY(share_right(ctx, &share, r, s.row, s.n, rotations));
    lab_put(to, NULL, "spin_all%", share);
    recon_json_put(&r->out, "spin_all_conformers", json_integer((json_int_t)s.n));
done:
    spinning_free(&s);
    return status;
}

/* Rows in the order of those of images. */
static recon_status measure_accuracy(recon_ctx *ctx, json_t **to, molecule_reproduction *r)
{
    size_t n = r->test.n;
    recon_so3 *rotations = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &rotations, n, sizeof *rotations));
    for (size_t i = 0; i < n; i++)
        rotations[i] = recon_so3_identity();
    RECON_TRY(put_share(ctx, to, "none%", r, rotations));
    RECON_TRY(measure_ways(ctx, to, r, rotations));
    RECON_TRY(measure_draws(ctx, to, r, rotations));
    RECON_TRY(measure_spin(ctx, to, "spin_unseen%", r, &r->val, MOLECULE_SPIN_UNSEEN, rotations));
    RECON_TRY(measure_spin(ctx, to, "spin%", r, &r->train, MOLECULE_SPIN_K, rotations));
    RECON_TRY(measure_whole(ctx, to, r, rotations));
    if (r->settings->baselines) {
        json_t *others = baselines_accuracy(r->baseline);
        json_object_update(*to, others);
        json_decref(others);
    }
    for (size_t i = 0; i < n; i++)
        rotations[i] = recon_so3_inverse(r->test.truth[i]);
    RECON_TRY(put_share(ctx, to, "undo%", r, rotations));
    RECON_TRY(measure_upright(ctx, to, r, rotations));
done:
    free(rotations);
    return status;
}

static recon_status measure_classifier(recon_ctx *ctx, molecule_reproduction *r)
{
    json_t *accuracy = r->gcn ? json_object() : json_null();
    recon_status status = r->gcn ? measure_accuracy(ctx, &accuracy, r) : RECON_OK;
    recon_json_put(&r->out, "recovered", recovered_json(accuracy, "undo"));
    recon_json_put(&r->out, "recovered_of_upright", recovered_json(accuracy, "upright"));
    recon_json_put(&r->out, "accuracy", accuracy);
    return status;
}

/* --- all of it -------------------------------------------------------------------------------- */

static recon_status measure_times(recon_ctx *ctx, molecule_reproduction *r)
{
    size_t n = r->test.n < TIMED ? r->test.n : TIMED, atoms = 0;
    recon_times times;
    for (size_t i = 0; i < n; i++)
        atoms += r->test.x[i].atoms;
    RECON_CHECK(
        recon_times_measure(ctx, &times, r->model, r->test.x, n, atoms * 3 * sizeof(float)));
    put_times(&r->out, &times);
    return RECON_OK;
}

/* recon.tex: accuracies and areas as for images; MSE: "about 80 % of molecules", its figure's
 * bound; hit rate: the appendix on classes; overhead: "canonicalization overhead"; Algorithm 1: its
 * table of pseudo-label generation. */
static json_t *paper_json(void)
{
    json_t *out = json_object(), *share;
    lab_put(&out, "accuracy", "none ieae equiadapt segnn paper_recipe paper_algorithm upright",
            52.40, 30.80, 52.96, 98.55, 55.92, 55.92, 96.40);
    lab_put(&out, "ood_auc", "ieae paper_recipe paper_algorithm", 0.76, 0.82, 0.82);
    lab_put(&out, "fisher_mse", "under800_percent", 0.8);
    lab_put(&out, NULL, "hit_rate overhead_ms", 0.95, 0.068);
    recon_json_put(&out, "algorithm1", algorithm1_json(174481, 174481, MOLECULE_K, 1033));
    share = recovered_json(json_object_get(out, "accuracy"), "upright"); /* it has no undo */
    recon_json_put(&out, "recovered", share);
    recon_json_put(&out, "recovered_of_upright", json_incref(share));
    return out;
}

/* Where a figure is not what the paper's is. */
static json_t *notes_json(const molecule_reproduction *r)
{
    const struct {
        int holds;
        const char *text;
    } all[] = {
        { !r->settings->data,
          "data: 762 molecules made with RDKit; the paper has 2,221 of GEOM-QM9" },
        { r->settings->data != NULL, "data: not those of the paper" },
        { r->gcn != NULL,
          "classifier: the paper's network, trained on these data: compare the recovered shares" },
        { !r->gcn, "no --classifier, so no accuracies" },
        { !r->plain,
          "backbone: trained with alignment and contrast terms, not by reconstruction alone: "
          "ieae_terms, neighbours_terms and paper_algorithm_terms instead of the paper's rows" },
        { !r->labels, "maps: not fitted to the paper's labels, so no row of its method: run `recon "
                      "discover` again" },
        { r->gcn != NULL,
          "the paper has no row `undo`: its share is of `upright`, and ours of that is "
          "recovered_of_upright" },
        { r->gcn != NULL, "spin, spin_unseen, spin_all: extensions that use the classifier" }
    };
    json_t *notes = json_array();
    for (size_t i = 0; i < LAB_COUNT(all); i++)
        if (all[i].holds)
            recon_json_append(&notes, json_string(all[i].text));
    return notes;
}

static void put_setting(json_t **out, const molecule_reproduction *r)
{
    const lab_settings *s = r->settings;
    const recon_molecule_net *net = recon_backbone_molecule_net(r->model->backbone);
    json_t *all = json_pack(
        "{s:s, s:s, s:I, s:i, s:o, s:o, s:s, s:s, s:I, s:s?, s:I, s:I, s:b, s:f, s:i}", "dataset",
        "molecules", "data", s->data ? s->data : "conformers", "seed", (json_int_t)s->seed, "seeds",
        1, "paper", paper_json(), "notes", notes_json(r), "model", s->models[0], "preset",
        recon_preset_name(recon_molecule_net_describe(net).preset), "weights",
        (json_int_t)recon_backbone_weights(r->model->backbone), "classifier", s->classifier,
        "test_conformers", (json_int_t)r->test.n, "training_conformers", (json_int_t)r->train.n,
        "quick", s->quick, "spin_passes", 0.0, "spin_all_conformers", 0);
    json_object_update(*out, all);
    json_decref(all);
    recon_json_put_text(out, "training", r->training);
}

recon_status molecule_reproduce_measure(recon_ctx *ctx, molecule_reproduction *r,
                                        const lab_settings *s)
{
    *r = (molecule_reproduction){ .settings = s, .begun = recon_now(), .out = json_object() };
    RECON_CHECK(open_all(ctx, r));
    put_setting(&r->out, r);
    RECON_CHECK(find_neighbors(ctx, r));
    RECON_CHECK(measure_fisher(ctx, r));
    RECON_CHECK(measure_poses(ctx, r));
    RECON_CHECK(measure_unusual(ctx, r));
    if (s->baselines) {
        RECON_CHECK(baselines_measure_molecules(ctx, r->baseline, r));
        recon_json_put(&r->out, "baselines", baselines_json(r->baseline));
    }
    RECON_CHECK(measure_classifier(ctx, r));
    RECON_CHECK(measure_trends(ctx, r));
    RECON_CHECK(measure_times(ctx, r));
    lab_put(&r->out, NULL, "seconds", recon_now() - r->begun);
    return RECON_OK;
}

void molecule_reproduce_free(recon_ctx *ctx, molecule_reproduction *r)
{
    close_part(&r->train);
    close_part(&r->val);
    close_part(&r->test);
    recon_molecules_close(r->upright);
    recon_molecules_close(r->whole);
    recon_frames_free(&r->frames);
    for (int k = 0; k < FACTS; k++)
        free(r->fact[k]);
    recon_free_all(r->truth, r->map, r->mode, r->f[0], r->f[1], r->f[2], r->f[3], r->hits, r->extra,
                   r->unusual, r->score[0], r->score[1], r->score[2], r->rebuilt, r->of);
    json_decref(r->out);
    recon_gcn_close(ctx, r->gcn);
    recon_model_close(ctx, r->model);
}
