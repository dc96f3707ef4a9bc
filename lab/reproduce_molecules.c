/* reproduce_molecules.c - what the paper's tables about molecules measure.
 *
 * Conformers of the training part are rotated with seed 1, those of val and test with seed 2; of other
 * data than the shipped set all with seed 1, which also draws the distribution of each molecule. Poses
 * rotate with their molecule, so whatever is asked of a conformer in another orientation follows from
 * one pass of the backbone. */
#include "lab/reproduce.h"
#include "lab/memory.h"
#include "backbone/recipe.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "model/discovered.h"
#include "group/so3/fisher.h"
#include "stats/roc.h"
#include "model/model.h"
#include "model/spin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const size_t molecule_reproduce_ks[MOLECULE_KS] = { 5, 10, 25, 40, 50 };

enum { QUICK_EVERY = 6, TIMED = 2048, EMBEDDED = 1024, UNUSUAL_SEED = 3 };
#define RULE "fisher"

/* --- parts ------------------------------------------------------------------------------------ */

/* With --quick every sixth molecule, with all its conformers: classes stay as large as they are,
 * but there are fewer others to be taken for. */
static int is_taken(const lab_settings *s, int32_t molecule)
{
    return !s->quick || molecule % QUICK_EVERY == 0;
}

static recon_status list_rows(recon_ctx *ctx, molecule_part *p, const lab_settings *s)
{
    size_t all = recon_molecules_describe(p->data).n;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &p->row, all, sizeof *p->row));
    RECON_TRY(recon_alloc(ctx, &p->x, all, sizeof *p->x));
    RECON_TRY(recon_alloc(ctx, &p->truth, all, sizeof *p->truth));
    for (size_t i = 0; i < all; i++) {
        recon_conformer x = recon_molecules_get(p->data, i);
        if (!is_taken(s, x.molecule))
            continue;
        p->row[p->n] = (int64_t)i;
        p->truth[p->n] = recon_molecules_rotation(p->data, i);
        p->x[p->n++] = x;
    }
    if (p->n == 0)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "no conformers"));
done:
    return status;
}

static recon_status embed(recon_ctx *ctx, molecule_part *p, const recon_molecule_net *net)
{
    size_t d = recon_molecule_net_describe(net).code;
    float *z = NULL;
    recon_so3 *psi = NULL;
    int64_t *labels = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &z, p->n * d, sizeof *z));
    p->codes.owned[0] = z;
    RECON_TRY(recon_alloc_raw(ctx, &psi, p->n, sizeof *psi));
    p->codes.owned[1] = psi;
    RECON_TRY(recon_alloc_raw(ctx, &labels, p->n, sizeof *labels));
    p->codes.owned[2] = labels;
    for (size_t i = 0; i < p->n; i++)
        labels[i] = p->x[i].molecule;
    recon_progress_begin(ctx, "embed", p->n);
    for (size_t at = 0; at < p->n; at += EMBEDDED) {
        size_t n = p->n - at < EMBEDDED ? p->n - at : EMBEDDED;
        RECON_TRY(recon_molecule_net_embed(
            ctx, &(recon_molecule_net_answer){ .z = z + at * d, .psi = psi + at }, net, p->x + at,
            n));
        recon_progress_add(ctx, n);
    }
    recon_progress_end(ctx);
    p->codes.n = p->n;
    p->codes.d = d;
    p->codes.z = z;
    p->codes.group = RECON_SO3;
    p->codes.poses = (const double *)psi;
    p->codes.labels = labels;
    p->codes.precision = RECON_F32;
done:
    return status;
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
    recon_status status;
    RECON_TRY(molecule_reproduce_rotated(ctx, &p->data, r->whole, r->settings, part));
    RECON_TRY(list_rows(ctx, p, r->settings));
    if (r->gcn)
        RECON_TRY(
            recon_gcn_graphs_make(ctx, &p->graphs, p->data, recon_gcn_describe(r->gcn).radius));
    begun = recon_now();
    RECON_TRY(embed(ctx, p, recon_backbone_molecule_net(r->model->backbone)));
    p->embed_seconds = (recon_now() - begun) / (double)p->n;
done:
    return status;
}

static void close_part(molecule_part *p)
{
    recon_embedded_free(&p->codes);
    recon_gcn_graphs_free(p->graphs);
    recon_molecules_close(p->data);
    lab_free(p->row, p->x, p->truth);
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
done:
    recon_safetensors_close(file);
    return status;
}

static recon_status open_classifier(recon_ctx *ctx, molecule_reproduction *r)
{
    const lab_settings *s = r->settings;
    const char *data = s->data ? s->data : "conformers";
    recon_status status;
    if (!s->classifier)
        return RECON_OK;
    RECON_TRY(recon_gcn_open(ctx, &r->gcn, s->classifier));
    if (recon_gcn_describe(r->gcn).classes != r->molecules)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT,
                             "%s: a classifier of %zu classes, but %s has %zu molecules: `recon "
                             "classifier train --data %s/train --held %s/val` makes one",
                             s->classifier, recon_gcn_describe(r->gcn).classes, data, r->molecules,
                             data, data));
done:
    return status;
}

static recon_status open_all(recon_ctx *ctx, molecule_reproduction *r)
{
    recon_status status;
    RECON_TRY(read_model(ctx, r));
    RECON_TRY(molecule_reproduce_open(ctx, &r->whole, r->settings));
    RECON_TRY(recon_molecules_part(ctx, &r->upright, r->whole, "test"));
    r->molecules = recon_molecules_describe(r->upright).molecules;
    RECON_TRY(open_classifier(ctx, r));
    RECON_TRY(open_part(ctx, &r->train, r, "train"));
    RECON_TRY(open_part(ctx, &r->val, r, "val"));
    RECON_TRY(open_part(ctx, &r->test, r, "test"));
    RECON_TRY(recon_alloc(ctx, &r->truth, 9 * r->molecules, sizeof *r->truth));
    for (size_t m = 0; m < r->molecules; m++)
        recon_molecules_fisher(r->truth + 9 * m, r->test.data, m);
done:
    return status;
}

/* --- Algorithm 1 and the maps ----------------------------------------------------------------- */

static recon_status find_neighbors(recon_ctx *ctx, molecule_reproduction *r)
{
    size_t n = r->test.n;
    const recon_normalize_options o = { .knn = { .k = MOLECULE_K } };
    double begun = recon_now();
    recon_status status;
    RECON_TRY(recon_normalize(ctx, &r->frames, &r->train.codes, &r->test.codes, &o));
    r->frames_seconds = (recon_now() - begun) / (double)n;
    r->hit_rate = r->frames.hit_rate;
    RECON_TRY(recon_alloc(ctx, &r->hits, n, sizeof *r->hits));
    RECON_TRY(recon_evaluate_molecule_hits(ctx, r->hits, r->frames.neighbors, r->test.codes.labels,
                                           n, MOLECULE_K, r->train.codes.labels, r->train.n));
    RECON_TRY(recon_evaluate_molecule_k(ctx, r->by_k, molecule_reproduce_ks, MOLECULE_KS,
                                        &r->train.codes, &r->test.codes, r->truth, r->molecules,
                                        NULL));
done:
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
    size_t n = r->test.n;
    const recon_maps_inputs in = { .n = n, .z = r->test.codes.z, .inputs = r->test.x };
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &r->map, n, sizeof *r->map));
    RECON_TRY(recon_maps_apply(ctx, r->map, r->model->maps, &in, RECON_MAPS_ALL));
    for (int k = 0; k < MOLECULE_FS; k++)
        RECON_TRY(recon_alloc_raw(ctx, &r->f[k], 9 * n, sizeof *r->f[k]));
    for (size_t i = 0; i < n; i++) {
        memcpy(r->f[MOLECULE_F_DENSITY] + 9 * i, r->map[i].theta, sizeof r->map[i].theta);
        memcpy(r->f[MOLECULE_F_LABEL] + 9 * i, r->map[i].theta_label, sizeof r->map[i].theta_label);
        r->free[r->map[i].free]++;
    }
    memcpy(r->f[MOLECULE_F_NEIGHBORS], r->frames.parameters, 9 * n * sizeof(double));
    RECON_TRY(fit_moments(ctx, r));
    RECON_TRY(recon_alloc(ctx, &r->of, r->molecules, sizeof *r->of));
    for (int k = MOLECULE_FS; k-- > 0;) /* the first last: its molecules are kept */
        RECON_TRY(recon_evaluate_molecule_fisher(ctx, &r->fisher[k], r->of, r->f[k],
                                                 r->test.codes.labels, n, r->truth, r->molecules));
done:
    return status;
}

static recon_status measure_poses(recon_ctx *ctx, molecule_reproduction *r)
{
    const molecule_part *a = &r->train, *b = &r->test;
    return recon_evaluate_molecule_poses(ctx, &r->pose, NULL,
                                         &(recon_molecule_posed){ (const recon_so3 *)a->codes.poses,
                                                                  a->truth, a->codes.labels, a->n },
                                         &(recon_molecule_posed){ (const recon_so3 *)b->codes.poses,
                                                                  b->truth, b->codes.labels, b->n },
                                         r->molecules);
}

/* --- unusual poses -------------------------------------------------------------------------------- */

static recon_status measure_unusual(recon_ctx *ctx, molecule_reproduction *r)
{
    size_t n = r->test.n;
    double *trace = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &r->extra, n, sizeof *r->extra));
    RECON_TRY(recon_alloc_raw(ctx, &r->unusual, n, sizeof *r->unusual));
    RECON_TRY(recon_alloc_raw(ctx, &trace, n, sizeof *trace));
    for (int k = 0; k < 3; k++)
        RECON_TRY(recon_alloc_raw(ctx, &r->score[k], n, sizeof *r->score[k]));
    RECON_TRY(recon_evaluate_molecule_unusual(ctx, r->extra, r->unusual, r->test.truth,
                                              r->test.codes.labels, n, r->truth, r->molecules, 0,
                                              UNUSUAL_SEED));
    for (size_t i = 0; i < n; i++) {
        recon_so3 psi = recon_so3_compose(r->extra[i], recon_so3_at(r->test.codes.poses, i));
        r->score[0][i] = recon_so3_map_trace_uncentred(&r->map[i], psi);
        r->score[1][i] = recon_so3_map_trace_label(&r->map[i], psi);
        r->score[2][i] = recon_so3_map_score(&r->map[i], psi);
        trace[i] = recon_so3_map_trace(&r->map[i], psi);
    }
    RECON_TRY(recon_evaluate_ood(ctx, &r->ood,
                                 &(recon_ood_scores){ r->score[0], r->score[1], r->score[2], NULL },
                                 r->unusual, n));
    RECON_TRY(recon_roc_auc(ctx, &r->ood_trace, trace, r->unusual, n));
done:
    free(trace);
    return status;
}

/* --- what the errors go with ------------------------------------------------------------------ */

static recon_status means_of(recon_ctx *ctx, double **out, const molecule_reproduction *r,
                             const double *values)
{
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, out, r->molecules, sizeof **out));
    RECON_TRY(recon_evaluate_molecule_means(ctx, *out, values, r->test.codes.labels, r->test.n,
                                            r->molecules));
done:
    return status;
}

static recon_status count_training(recon_ctx *ctx, double **out, const molecule_reproduction *r)
{
    recon_status status = recon_alloc(ctx, out, r->molecules, sizeof **out);
    for (size_t i = 0; status == RECON_OK && i < r->train.n; i++)
        (*out)[r->train.codes.labels[i]]++;
    return status;
}

recon_status molecule_facts_find(recon_ctx *ctx, molecule_facts *out,
                                 const molecule_reproduction *r)
{
    size_t n = r->test.n;
    double *values = NULL;
    recon_status status;
    *out = (molecule_facts){ 0 };
    RECON_TRY(recon_alloc_raw(ctx, &values, n, sizeof *values));
    RECON_TRY(recon_alloc_raw(ctx, &out->mse, r->molecules, sizeof *out->mse));
    RECON_TRY(recon_alloc_raw(ctx, &out->rotors, r->molecules, sizeof *out->rotors));
    for (size_t m = 0; m < r->molecules; m++) {
        int rotors = recon_molecules_rotors(r->test.data, m);
        out->mse[m] = r->of[m].n ? r->of[m].mse : NAN;
        out->rotors[m] = r->of[m].n && rotors >= 0 ? rotors : NAN;
    }
    RECON_TRY(count_training(ctx, &out->conformers, r));
    RECON_TRY(means_of(ctx, &out->hits, r, r->hits));
    for (size_t i = 0; i < n; i++)
        values[i] = (double)r->test.x[i].atoms;
    RECON_TRY(means_of(ctx, &out->atoms, r, values));
    for (size_t i = 0; i < n; i++)
        values[i] = (double)r->test.x[i].rmsd;
    RECON_TRY(means_of(ctx, &out->rmsd, r, values));
    for (size_t i = 0; i < n; i++)
        values[i] = (double)r->rebuilt[i].l1;
    RECON_TRY(means_of(ctx, &out->rebuilt, r, values));
done:
    free(values);
    return status;
}

void molecule_facts_free(molecule_facts *f)
{
    lab_free(f->mse, f->hits, f->conformers, f->atoms, f->rotors, f->rmsd, f->rebuilt);
}

static recon_status measure_trends(recon_ctx *ctx, molecule_reproduction *r)
{
    molecule_facts f = { 0 };
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &r->rebuilt, r->test.n, sizeof *r->rebuilt));
    RECON_TRY(recon_molecule_net_reconstruct(
        ctx, r->rebuilt, recon_backbone_molecule_net(r->model->backbone), r->test.x, r->test.n));
    RECON_TRY(molecule_facts_find(ctx, &f, r));
    RECON_TRY(
        recon_evaluate_molecule_trend(ctx, &r->hit_trend, f.conformers, f.hits, r->molecules));
    RECON_TRY(recon_evaluate_molecule_trend(ctx, &r->size_trend, f.atoms, f.mse, r->molecules));
    RECON_TRY(recon_evaluate_molecule_trend(ctx, &r->rotor_trend, f.rotors, f.mse, r->molecules));
    RECON_TRY(recon_evaluate_molecule_trend(ctx, &r->spread_trend, f.rmsd, f.mse, r->molecules));
    RECON_TRY(
        recon_evaluate_molecule_trend(ctx, &r->rebuilt_trend, f.rebuilt, f.mse, r->molecules));
done:
    molecule_facts_free(&f);
    return status;
}

/* --- all of it -------------------------------------------------------------------------------- */

static recon_status measure_times(recon_ctx *ctx, molecule_reproduction *r)
{
    size_t n = r->test.n < TIMED ? r->test.n : TIMED, atoms = 0;
    for (size_t i = 0; i < n; i++)
        atoms += r->test.x[i].atoms;
    return recon_times_measure(ctx, &r->times, r->model, r->test.x, n, atoms * 3 * sizeof(float));
}

recon_status molecule_reproduce_measure(recon_ctx *ctx, molecule_reproduction *r,
                                        const lab_settings *s)
{
    recon_status status;
    *r = (molecule_reproduction){ .settings = s, .begun = recon_now() };
    RECON_TRY(open_all(ctx, r));
    RECON_TRY(find_neighbors(ctx, r));
    RECON_TRY(measure_fisher(ctx, r));
    RECON_TRY(measure_poses(ctx, r));
    RECON_TRY(measure_unusual(ctx, r));
    if (r->gcn)
        RECON_TRY(molecule_reproduce_accuracy(ctx, r));
    if (s->baselines)
        RECON_TRY(baselines_measure_molecules(ctx, r->baseline, r));
    RECON_TRY(measure_trends(ctx, r));
    RECON_TRY(measure_times(ctx, r));
    r->seconds = recon_now() - r->begun;
done:
    return status;
}

void molecule_reproduce_free(recon_ctx *ctx, molecule_reproduction *r)
{
    close_part(&r->train);
    close_part(&r->val);
    close_part(&r->test);
    recon_molecules_close(r->upright);
    recon_molecules_close(r->whole);
    recon_frames_free(&r->frames);
    lab_free(r->truth, r->map, r->mode, r->f[0], r->f[1], r->f[2], r->f[3], r->hits, r->extra,
             r->unusual, r->score[0], r->score[1], r->score[2], r->rebuilt, r->of);
    recon_gcn_close(ctx, r->gcn);
    recon_model_close(ctx, r->model);
}

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
    lab_free(row, label);
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

typedef enum { BY_IEAE, BY_HEAD, BY_NEIGHBOURS, BY_DENSITY } lambda_way;

static recon_status measure_way(recon_ctx *ctx, double *out, const molecule_reproduction *r,
                                lambda_way by, recon_so3 *rotations)
{
    for (size_t i = 0; i < r->test.n; i++)
        rotations[i] = to_canonical(by == BY_IEAE         ? recon_so3_identity()
                                    : by == BY_HEAD       ? r->map[i].lambda_label
                                    : by == BY_NEIGHBOURS ? r->mode[i]
                                                          : r->map[i].lambda,
                                    recon_so3_at(r->test.codes.poses, i));
    return accuracy(ctx, out, r, rotations);
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
static recon_status measure_upright(recon_ctx *ctx, molecule_reproduction *r, recon_so3 *rotations)
{
    enum { AS_IT_IS, CANONICAL, GATED, WAYS };
    size_t n = r->test.n;
    double *out[WAYS] = { &r->accuracy.upright, &r->accuracy.upright_recon,
                          &r->accuracy.upright_gated };
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
    lab_free(s->row, s->z, s->near, s->psi, s->lambda, s->axis, s->spin);
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
    RECON_TRY(measure_way(ctx, &r->accuracy.ieae, r, BY_IEAE, rotations));
    RECON_TRY(measure_way(ctx, &r->accuracy.recon, r, BY_HEAD, rotations));
    RECON_TRY(measure_way(ctx, &r->accuracy.neighbours, r, BY_NEIGHBOURS, rotations));
    RECON_TRY(measure_way(ctx, &r->accuracy.density, r, BY_DENSITY, rotations));
    RECON_TRY(measure_draws(ctx, r, rotations));
    RECON_TRY(measure_spin(ctx, &r->accuracy.unseen, r, &r->val, MOLECULE_SPIN_UNSEEN, rotations));
    RECON_TRY(measure_spin(ctx, &r->accuracy.spin, r, &r->train, MOLECULE_SPIN_K, rotations));
    RECON_TRY(measure_whole(ctx, r, rotations));
done:
    free(rotations);
    return status;
}
