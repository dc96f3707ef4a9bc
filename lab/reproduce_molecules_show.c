/* reproduce_molecules_show.c - the tables about molecules, as JSON and as text. */
#include "lab/reproduce.h"
#include "lab/table.h"
#include "core/json.h"
#include "group/natural.h"

#include <math.h>

/* recon.tex: accuracies and areas as for images; MSE: "about 80 % of molecules", its figure's
 * bound; hit rate: the appendix on classes; overhead: "canonicalization overhead"; Algorithm 1: its
 * table of pseudo-label generation. */
static json_t *paper_json(void)
{
    json_t *out = json_object(), *share;
    lab_put(&out, "accuracy", "none ieae equiadapt segnn recon upright", 52.40, 30.80, 52.96, 98.55,
            55.92, 96.40);
    lab_put(&out, "ood_auc", "ieae recon", 0.76, 0.82);
    lab_put(&out, "fisher_mse", "under800_percent", 0.8);
    lab_put(&out, NULL, "hit_rate overhead_ms", 0.95, 0.068);
    recon_json_put(&out, "algorithm1", algorithm1_json(174481, 174481, MOLECULE_K, 1033));
    share = recovered_json(json_object_get(out, "accuracy"), "upright"); /* it has no undo */
    recon_json_put(&out, "recovered", share);
    recon_json_put(&out, "recovered_of_upright", json_incref(share));
    return out;
}

static void put_fisher(json_t **out, const char *key, const recon_molecule_fisher_error *e)
{
    lab_put(out, key,
            "median mean under400_percent under800_percent sample_median axis_median_deg "
            "axis_p90_deg",
            e->median, e->mean, e->under400, e->under800, e->by_sample, e->axis_median,
            e->axis_p90);
}

/* What the paper's method makes of a backbone: only reconstruction alone makes that its own. The other
 * name has no figure. */
static void put_papers(json_t **to, const molecule_reproduction *r, const char *plain,
                       const char *terms, double value)
{
    recon_json_put(to, r->plain ? plain : terms, lab_value(value));
    recon_json_put(to, r->plain ? terms : plain, json_null());
}

/* Rows in the order of images. */
static json_t *accuracy_json(const molecule_reproduction *r)
{
    json_t *out = json_object();
    if (!r->gcn) {
        json_decref(out);
        return json_null();
    }
    lab_put(&out, NULL, "none%", r->accuracy.none);
    put_papers(&out, r, "ieae", "ieae_terms", 100 * r->accuracy.ieae);
    put_papers(&out, r, "recon", "recon_terms", r->labels ? 100 * r->accuracy.recon : NAN);
    put_papers(&out, r, "neighbours", "neighbours_terms", 100 * r->accuracy.neighbours);
    lab_put(&out, NULL,
            "density% density_drawn% density_drawn_spread% spin_unseen% spin% spin_all%",
            r->accuracy.density, r->accuracy.drawn_mean, r->accuracy.drawn_spread,
            r->accuracy.unseen, r->accuracy.spin, r->accuracy.whole);
    if (r->settings->baselines) {
        json_t *others = baselines_accuracy(r->baseline);
        json_object_update(out, others);
        json_decref(others);
    }
    lab_put(&out, NULL, "undo% upright% upright_recon% upright_gated%", r->accuracy.undo,
            r->accuracy.upright, r->accuracy.upright_recon, r->accuracy.upright_gated);
    return out;
}

static json_t *ood_json(const molecule_reproduction *r)
{
    json_t *out = json_object();
    lab_put(&out, NULL, "density density_trace", r->ood.density, r->ood_trace);
    put_papers(&out, r, "ieae", "ieae_terms", r->ood.ieae);
    put_papers(&out, r, "recon", "recon_terms", r->labels ? r->ood.recon : NAN);
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
    json_t *accuracy = accuracy_json(r);
    json_t *out = json_pack(
        "{s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "dataset", "molecules", "data",
        r->settings->data ? r->settings->data : "conformers", "seed", (json_int_t)r->settings->seed,
        "seeds", (json_int_t)1, "accuracy", accuracy, "recovered", recovered_json(accuracy, "undo"),
        "recovered_of_upright", recovered_json(accuracy, "upright"), "ood_auc", ood_json(r));
    put_fisher(&out, "fisher_mse", &r->fisher[MOLECULE_F_DENSITY]);
    lab_put(&out, NULL, "hit_rate", r->hit_rate);
    recon_json_put(&out, "verdicts", recon_natural_json(r->frames.natural));
    lab_put(&out, NULL, "overhead_ms canonicalize_ms", r->times.overhead_ms,
            r->times.canonicalize_ms);
    recon_json_put(&out, "paper", paper_json());
    recon_json_put(&out, "notes", notes_json(r));
    return out;
}

static void add_errors(json_t **out, const molecule_reproduction *r)
{
    const recon_molecule_pose_error *p = &r->pose;
    json_t *mse = json_object_get(*out, "fisher_mse");
    lab_put(&mse, NULL, "constant zero", r->fisher[MOLECULE_F_DENSITY].constant,
            r->fisher[MOLECULE_F_DENSITY].zero);
    put_fisher(out, "fisher_mse_label", &r->fisher[MOLECULE_F_LABEL]);
    put_fisher(out, "fisher_mse_neighbors", &r->fisher[MOLECULE_F_NEIGHBORS]);
    put_fisher(out, "fisher_mse_moment", &r->fisher[MOLECULE_F_MOMENT]);
    lab_put(out, "pose_noise",
            "median_deg mean_deg p90_deg within10_percent within20_percent beyond60_percent "
            "beyond150_percent",
            p->median, p->mean, p->p90, p->within10, p->within20, p->beyond60, p->beyond150);
    lab_put(out, NULL, "ood_percent", r->ood.share);
}

static void add_neighbors(json_t **out, const molecule_reproduction *r)
{
    const struct {
        const char *key;
        const recon_trend *of;
    } trends[] = { { "hits_by_conformers", &r->hit_trend },
                   { "mse_by_atoms", &r->size_trend },
                   { "mse_by_rotors", &r->rotor_trend },
                   { "mse_by_rmsd", &r->spread_trend },
                   { "mse_by_reconstruction", &r->rebuilt_trend } };
    json_t *by_k = json_array(), *all = json_object(), *free = json_array();
    for (size_t i = 0; i < MOLECULE_KS; i++) {
        const recon_molecule_k_point *p = &r->by_k[i];
        json_t *one = json_pack("{s:I}", "k", (json_int_t)p->k);
        lab_put(&one, NULL,
                "hit_rate fisher_mse_median under800_percent axis_median_deg fisher_mse_worst",
                p->hit_rate, p->error.median, p->error.under800, p->error.axis_median, p->worst);
        recon_json_append(&by_k, one);
    }
    for (size_t i = 0; i < LAB_COUNT(trends); i++) {
        json_t *one = json_pack("{s:I}", "molecules", (json_int_t)trends[i].of->n);
        lab_put(&one, NULL, "correlation rank slope", trends[i].of->correlation, trends[i].of->rank,
                trends[i].of->slope);
        recon_json_put(&all, trends[i].key, one);
    }
    for (int i = 0; i < 4; i++)
        recon_json_append(&free, lab_value(100 * ((double)r->free[i] / (double)r->test.n)));
    recon_json_put(out, "by_k", by_k);
    recon_json_put(out, "trends", all);
    recon_json_put(out, "free_directions_percent", free);
}

static void add_reconstruction(json_t **out, const molecule_reproduction *r)
{
    double l1 = 0, heavy = 0, elements = 0, n = (double)r->test.n;
    for (size_t i = 0; i < r->test.n; i++) {
        l1 += (double)r->rebuilt[i].l1 / n;
        heavy += (double)r->rebuilt[i].heavy / n;
        elements += (double)r->rebuilt[i].elements / n;
    }
    lab_put(out, "reconstruction", "l1_angstrom heavy_rmsd_angstrom elements_percent", l1, heavy,
            elements);
}

json_t *molecule_reproduce_json(const molecule_reproduction *r)
{
    const recon_molecule_net *net = recon_backbone_molecule_net(r->model->backbone);
    json_t *out = main_json(r);
    add_errors(&out, r);
    add_neighbors(&out, r);
    add_reconstruction(&out, r);
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
