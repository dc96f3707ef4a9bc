/* reproduce_molecules_show.c - the tables about molecules, as JSON and as text. */
#include "lab/baselines.h"
#include "core/json.h"
#include "lab/reproduce.h"
#include "lab/table.h"
#include "group/natural.h"

#include <math.h>
#include <stdio.h>

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *percent(double share)
{
    return number(100 * share);
}

static json_t *degrees(double radians)
{
    return number(radians * RECON_TO_DEGREES);
}

/* recon.tex: accuracies and areas as for images; MSE: "about 80 % of molecules", its figure's
 * bound; hit rate: the appendix on classes; overhead: "canonicalization overhead"; Algorithm 1: its
 * table of pseudo-label generation. */
static json_t *paper_json(void)
{
    json_t *out =
        json_pack("{s:{s:f, s:f, s:f, s:f, s:f, s:f}, s:{s:f, s:f}, s:{s:f}, s:f, s:f}", "accuracy",
                  "none", 52.40, "ieae", 30.80, "equiadapt", 52.96, "segnn", 98.55, "recon", 55.92,
                  "upright", 96.40, "ood_auc", "ieae", 0.76, "recon", 0.82, "fisher_mse",
                  "under800_percent", 80.0, "hit_rate", 0.95, "overhead_ms", 0.068);
    json_t *share =
        recovered_json(json_object_get(out, "accuracy"), "upright"); /* it has no undo */
    json_object_set_new(out, "algorithm1", algorithm1_json(174481, 174481, MOLECULE_K, 1033));
    json_object_set(out, "recovered", share);
    json_object_set_new(out, "recovered_of_upright", share);
    return out;
}

static json_t *fisher_json(const recon_molecule_fisher_error *e)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "median", number(e->median), "mean",
                     number(e->mean), "under400_percent", percent(e->under400), "under800_percent",
                     percent(e->under800), "sample_median", number(e->by_sample), "axis_median_deg",
                     degrees(e->axis_median), "axis_p90_deg", degrees(e->axis_p90));
}

static json_t *trend_json(const recon_trend *t)
{
    return json_pack("{s:I, s:o, s:o, s:o}", "molecules", (json_int_t)t->n, "correlation",
                     number(t->correlation), "rank", number(t->rank), "slope", number(t->slope));
}

static json_t *by_k_json(const molecule_reproduction *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < MOLECULE_KS; i++)
        json_array_append_new(list, json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "k",
                                              (json_int_t)r->by_k[i].k, "hit_rate",
                                              number(r->by_k[i].hit_rate), "fisher_mse_median",
                                              number(r->by_k[i].error.median), "under800_percent",
                                              percent(r->by_k[i].error.under800), "axis_median_deg",
                                              degrees(r->by_k[i].error.axis_median),
                                              "fisher_mse_worst", number(r->by_k[i].worst)));
    return list;
}

/* What the paper's method makes of a backbone: only reconstruction alone makes that its own. The other
 * name has no figure. */
static void put_papers(json_t *to, const molecule_reproduction *r, const char *plain,
                       const char *terms, json_t *value)
{
    json_object_set_new(to, r->plain ? plain : terms, value);
    json_object_set_new(to, r->plain ? terms : plain, json_null());
}

static void move_into(json_t *to, json_t *from)
{
    json_object_update(to, from);
    json_decref(from);
}

/* Rows in the order of images. */
static json_t *accuracy_json(const molecule_reproduction *r)
{
    if (!r->gcn)
        return json_null();
    json_t *out = json_pack("{s:o}", "none", percent(r->accuracy.none));
    put_papers(out, r, "ieae", "ieae_terms", percent(r->accuracy.ieae));
    put_papers(out, r, "recon", "recon_terms",
               r->labels ? percent(r->accuracy.recon) : json_null());
    put_papers(out, r, "neighbours", "neighbours_terms", percent(r->accuracy.neighbours));
    move_into(out,
              json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "density", percent(r->accuracy.density),
                        "density_drawn", percent(r->accuracy.drawn_mean), "density_drawn_spread",
                        percent(r->accuracy.drawn_spread), "spin_unseen",
                        percent(r->accuracy.unseen), "spin", percent(r->accuracy.spin), "spin_all",
                        percent(r->accuracy.whole)));
    if (r->settings->baselines)
        move_into(out, baselines_accuracy(r->baseline));
    move_into(out, json_pack("{s:o, s:o, s:o, s:o}", "undo", percent(r->accuracy.undo), "upright",
                             percent(r->accuracy.upright), "upright_recon",
                             percent(r->accuracy.upright_recon), "upright_gated",
                             percent(r->accuracy.upright_gated)));
    return out;
}

static json_t *ood_json(const molecule_reproduction *r)
{
    json_t *out = json_pack("{s:o, s:o}", "density", number(r->ood.density), "density_trace",
                            number(r->ood_trace));
    put_papers(out, r, "ieae", "ieae_terms", number(r->ood.ieae));
    put_papers(out, r, "recon", "recon_terms", r->labels ? number(r->ood.recon) : json_null());
    return out;
}

static void add_note(json_t *notes, int holds, const char *text)
{
    if (holds)
        json_array_append_new(notes, json_string(text));
}

/* Where a figure is not what the paper's is. */
static json_t *notes_json(const molecule_reproduction *r)
{
    json_t *notes = json_array();
    add_note(notes, !r->settings->data,
             "data: 762 molecules made with RDKit; the paper has 2,221 of GEOM-QM9");
    add_note(notes, r->settings->data != NULL, "data: not those of the paper");
    add_note(
        notes, r->gcn != NULL,
        "classifier: the paper's network, trained on these data: compare the recovered shares");
    add_note(notes, !r->gcn, "no --classifier, so no accuracies");
    add_note(notes, !r->plain,
             "backbone: trained with alignment and contrast terms, not by reconstruction alone: "
             "ieae_terms, neighbours_terms and recon_terms instead of the paper's rows");
    add_note(notes, !r->labels,
             "maps: not fitted to the paper's labels, so no recon or recon_terms: run `recon "
             "discover` again");
    add_note(notes, r->gcn != NULL,
             "the paper has no row `undo`: its share is of `upright`, and ours of that is "
             "recovered_of_upright");
    add_note(notes, r->gcn != NULL,
             "spin, spin_unseen, spin_all: extensions that use the classifier");
    return notes;
}

static json_t *main_json(const molecule_reproduction *r)
{
    json_t *accuracy = accuracy_json(r), *recovered = recovered_json(accuracy, "undo");
    json_t *of_upright = recovered_json(accuracy, "upright");
    return json_pack(
        "{s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:o, s:o}", "dataset",
        "molecules", "data", r->settings->data ? r->settings->data : "conformers", "seed",
        (json_int_t)r->settings->seed, "seeds", (json_int_t)1, "accuracy", accuracy, "recovered",
        recovered, "recovered_of_upright", of_upright, "ood_auc", ood_json(r), "fisher_mse",
        fisher_json(&r->fisher[MOLECULE_F_DENSITY]), "hit_rate", number(r->hit_rate), "verdicts",
        recon_natural_json(r->frames.natural), "overhead_ms", r->times.overhead_ms,
        "canonicalize_ms", r->times.canonicalize_ms, "paper", paper_json(), "notes", notes_json(r));
}

static void add_errors(json_t *out, const molecule_reproduction *r)
{
    const recon_molecule_pose_error *p = &r->pose;
    json_t *mse = json_object_get(out, "fisher_mse");
    json_object_set_new(mse, "constant", number(r->fisher[MOLECULE_F_DENSITY].constant));
    json_object_set_new(mse, "zero", number(r->fisher[MOLECULE_F_DENSITY].zero));
    json_object_set_new(out, "fisher_mse_label", fisher_json(&r->fisher[MOLECULE_F_LABEL]));
    json_object_set_new(out, "fisher_mse_neighbors", fisher_json(&r->fisher[MOLECULE_F_NEIGHBORS]));
    json_object_set_new(out, "fisher_mse_moment", fisher_json(&r->fisher[MOLECULE_F_MOMENT]));
    json_object_set_new(out, "pose_noise",
                        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "median_deg",
                                  degrees(p->median), "mean_deg", degrees(p->mean), "p90_deg",
                                  degrees(p->p90), "within10_percent", percent(p->within10),
                                  "within20_percent", percent(p->within20), "beyond60_percent",
                                  percent(p->beyond60), "beyond150_percent",
                                  percent(p->beyond150)));
    json_object_set_new(out, "ood_percent", percent(r->ood.share));
}

static void add_neighbors(json_t *out, const molecule_reproduction *r)
{
    json_object_set_new(out, "by_k", by_k_json(r));
    json_object_set_new(
        out, "trends",
        json_pack("{s:o, s:o, s:o, s:o, s:o}", "hits_by_conformers", trend_json(&r->hit_trend),
                  "mse_by_atoms", trend_json(&r->size_trend), "mse_by_rotors",
                  trend_json(&r->rotor_trend), "mse_by_rmsd", trend_json(&r->spread_trend),
                  "mse_by_reconstruction", trend_json(&r->rebuilt_trend)));
    json_t *free = json_array();
    for (int i = 0; i < 4; i++)
        json_array_append_new(free, percent((double)r->free[i] / (double)r->test.n));
    json_object_set_new(out, "free_directions_percent", free);
}

static void add_reconstruction(json_t *out, const molecule_reproduction *r)
{
    double l1 = 0, heavy = 0, elements = 0, n = (double)r->test.n;
    for (size_t i = 0; i < r->test.n; i++) {
        l1 += (double)r->rebuilt[i].l1 / n;
        heavy += (double)r->rebuilt[i].heavy / n;
        elements += (double)r->rebuilt[i].elements / n;
    }
    json_object_set_new(out, "reconstruction",
                        json_pack("{s:o, s:o, s:o}", "l1_angstrom", number(l1),
                                  "heavy_rmsd_angstrom", number(heavy), "elements_percent",
                                  percent(elements)));
}

json_t *molecule_reproduce_json(const molecule_reproduction *r)
{
    json_t *out = main_json(r);
    if (!out)
        return NULL;
    add_errors(out, r);
    add_neighbors(out, r);
    add_reconstruction(out, r);
    const recon_molecule_net *net = recon_backbone_molecule_net(r->model->backbone);
    json_t *how = json_pack(
        "{s:s, s:s, s:I, s:s?, s:I, s:I, s:b, s:s, s:i, s:I, s:f, s:I, s:f}", "model",
        r->settings->models[0], "preset",
        recon_preset_name(recon_molecule_net_describe(net).preset), "weights",
        (json_int_t)recon_backbone_weights(r->model->backbone), "classifier",
        r->settings->classifier, "test_conformers", (json_int_t)r->test.n, "training_conformers",
        (json_int_t)r->train.n, "quick", r->settings->quick, "backend", r->times.backend, "threads",
        r->times.threads, "batch", (json_int_t)r->times.batch, "spin_passes", r->passes,
        "spin_all_conformers", (json_int_t)r->searched, "seconds", r->seconds);
    json_object_update(out, how);
    json_decref(how);
    recon_json_put_text(&out, "training", r->training);
    recon_json_put(
        &out, "algorithm1",
        algorithm1_json(r->test.n, r->train.n, MOLECULE_K, r->frames_seconds * (double)r->test.n));
    if (r->settings->baselines)
        recon_json_put(&out, "baselines", baselines_json(r->baseline));
    return out;
}

/* --- text ------------------------------------------------------------------------------------- */

static const lab_row rows[] = {
    { NULL, "accuracy of the frozen classifier, percent", 0 },
    { "accuracy.none", "rotated inputs, no correction", 2 },
    { "accuracy.ieae", "IE-AE canonical", 2 },
    { "accuracy.equiadapt", "EquiAdapt, trained with labels", 2 },
    { "accuracy.recon", "RECON (the paper)", 2 },
    { "accuracy.neighbours", "  by 25 neighbours, no Lambda", 2 },
    { "accuracy.ieae_terms", "with our terms: IE-AE canonical", 2 },
    { "accuracy.recon_terms", "  RECON", 2 },
    { "accuracy.neighbours_terms", "  by 25 neighbours, no Lambda", 2 },
    { "accuracy.density", "ours: the pose density", 2 },
    { "accuracy.density_drawn", "  mean of 16 random spins", 2 },
    { "accuracy.density_drawn_spread", "  and their deviation", 2 },
    { "accuracy.spin_unseen", "ours: spin by the classifier", 2 },
    { "accuracy.spin", "  on its training conformers", 2 },
    { "accuracy.spin_all", "  control: all of SO(3)", 2 },
    { "accuracy.segnn", "SEGNN classifier", 2 },
    { "accuracy.pca", "principal axes", 2 },
    { "accuracy.tta8", "mean of 8 rotations", 2 },
    { "accuracy.tta36", "mean of 36 rotations", 2 },
    { "accuracy.augmented", "a classifier trained with rotations", 2 },
    { "accuracy.kabsch", "Kabsch onto upright conformers", 2 },
    { "accuracy.knn", "labels of 25 neighbours in z", 2 },
    { "accuracy.undo", "true rotation undone", 2 },
    { "accuracy.upright", "upright inputs", 2 },
    { "accuracy.upright_recon", "the same, canonicalized by the density", 2 },
    { "accuracy.upright_gated", "the same with --only-if 0.01", 2 },
    { NULL, "share of the lost accuracy recovered", 0 },
    { "recovered.ieae", "IE-AE canonical", 3 },
    { "recovered.equiadapt", "EquiAdapt, trained with labels", 3 },
    { "recovered.recon", "RECON (the paper)", 3 },
    { "recovered.recon_terms", "with our terms: RECON", 3 },
    { "recovered.density", "ours: the pose density", 3 },
    { "recovered.spin_unseen", "ours: spin by the classifier", 3 },
    { "recovered.spin_all", "  control: all of SO(3)", 3 },
    { NULL, "unusual poses, area under the ROC curve", 0 },
    { "ood_auc.ieae", "IE-AE, -tr(F^T psi)", 3 },
    { "ood_auc.recon", "RECON (the paper)", 3 },
    { "ood_auc.ieae_terms", "with our terms: IE-AE", 3 },
    { "ood_auc.recon_terms", "  RECON, -tr(Theta^T g_abs)", 3 },
    { "ood_auc.density_trace", "ours: -tr(Theta^T g_abs)", 3 },
    { "ood_auc.density", "ours: -log p(g_abs)", 3 },
    { NULL, "squared error of F, by molecule", 0 },
    { "fisher_mse.median", "Theta by likelihood, median", 1 },
    { "fisher_mse.under400_percent", "  under 400, percent", 1 },
    { "fisher_mse.under800_percent", "  under 800, percent", 1 },
    { "fisher_mse_label.median", "Theta learned as in the paper", 1 },
    { "fisher_mse_neighbors.median", "25 neighbours, robust", 1 },
    { "fisher_mse_moment.median", "25 neighbours, moments", 1 },
    { "fisher_mse.constant", "the best constant prediction", 1 },
    { NULL, "poses", 0 },
    { "fisher_mse.axis_median_deg", "axis, median error, degrees", 2 },
    { "pose_noise.median_deg", "noise of psi, median, degrees", 2 },
    { "pose_noise.mean_deg", "  mean, degrees", 2 },
    { "pose_noise.beyond60_percent", "  beyond 60 degrees, percent", 2 },
    { NULL, "neighbours and reconstruction", 0 },
    { "hit_rate", "hit rate, k = 25", 4 },
    { "verdicts.one", "share with one natural pose", 3 },
    { "verdicts.axis", "  with an axis", 3 },
    { "verdicts.several", "  with several", 3 },
    { "verdicts.none", "  with none", 3 },
    { "verdicts.cannot_tell", "  cannot tell", 3 },
    { "reconstruction.heavy_rmsd_angstrom", "heavy atoms, RMSD, Angstrom", 3 },
    { NULL, "time, ms per molecule", 0 },
    { "canonicalize_ms", "canonicalize", 4 },
    { "overhead_ms", "of it Lambda", 5 },
    { NULL, "rank correlations over molecules", 0 },
    { "trends.hits_by_conformers.rank", "hit rate with conformers", 2 },
    { "trends.mse_by_atoms.rank", "MSE with atoms", 2 },
    { "trends.mse_by_rotors.rank", "MSE with rotors", 2 },
    { "trends.mse_by_rmsd.rank", "MSE with spread of conformers", 2 },
    { "trends.mse_by_reconstruction.rank", "MSE with reconstruction error", 2 },
};

void molecule_reproduce_show(const json_t *result)
{
    lab_say(result, "molecules: {model} ({preset}, {weights} weights) in front of ");
    lab_say(result, *lab_text(result, "classifier") ? "{classifier}" : "no classifier");
    lab_say(result, "\n{test_conformers} test conformers; {seconds} s on {backend}, {threads} "
                    "threads\n");
    lab_print_rows(result, "paper", rows, LAB_COUNT(rows));
    baselines_show(result);
    lab_print_table(
        result,
        &(lab_table){ .title = "\nAlgorithm 1 against k, among {training_conformers} "
                               "training conformers\n",
                      .over = "by_k",
                      LAB_COLUMNS({ "k", "by_k.*.k", "  %5.0f" },
                                  { "hit rate", "by_k.*.hit_rate", "%12.4f" },
                                  { "median MSE", "by_k.*.fisher_mse_median", "%14.1f" },
                                  { "axis, degrees", "by_k.*.axis_median_deg", "%16.2f" }) });
    lab_say(result, "\nthe spin about an axis is free for {free_directions_percent.1:.1f} % of the "
                    "conformers\n");
    lab_print_list(result, "notes", "", "  ");
    lab_print_list(result, "figures", "\nfigures", "  ");
}
