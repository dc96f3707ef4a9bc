/* reproduce_show.c - the tables of the paper's experiments, as text. */
#include "lab/reproduce.h"
#include "lab/table.h"

#include <stdio.h>
#include <string.h>

enum { WIDE = 12 }; /* classes of a table that has a column for each */

/* What each method gets right, and the share it recovers of what rotating cost. */
static void print_methods(const json_t *result)
{
    enum { SPREAD = 2, MOST = 6 };
    int several = lab_at(result, "spread") != NULL;
    lab_column columns[MOST] = { { "", NULL, "  %-42s" },
                                 { several ? "mean" : "ours", "accuracy.*", "%12.2f" },
                                 { "recovered", "%recovered.*", "%10.1f%%" },
                                 { "paper", "paper.accuracy.*", "%12.2f" },
                                 { "recovered", "%paper.recovered.*", "%10.1f%%" } };
    lab_row rows[METHODS_MOST];
    if (several) {
        memmove(columns + SPREAD + 1, columns + SPREAD, 3 * sizeof *columns);
        columns[SPREAD] = (lab_column){ "spread", "spread.accuracy.*", "%12.2f" };
    }
    for (size_t i = 0; i < reproduce_methods_count; i++)
        rows[i] = (lab_row){ reproduce_methods[i].key, reproduce_methods[i].label, 2 };
    lab_print_table(result, &(lab_table){ .title = "\naccuracy of the frozen classifier, percent\n",
                                          .columns = columns,
                                          .n_columns = (size_t)(5 + several),
                                          .rows = rows,
                                          .n_rows = reproduce_methods_count,
                                          .only = "accuracy.*" });
}

static const lab_row image_rows[] = {
    { NULL, "unusual poses, area under the ROC curve", 0 },
    { "ood_auc.ieae", "IE-AE, not centred", 3 },
    { "ood_auc.paper_recipe", "the paper's recipe: |g_abs|", 3 },
    { "ood_auc.paper_algorithm", "its algorithm on our network: |g_abs|", 3 },
    { "ood_auc.paper_algorithm_terms", "the same, pose and contrast terms", 3 },
    { "ood_auc.recon", "recon: -log p(g_abs)", 3 },
    { "ood_auc.undo", "|g| of the true rotation", 3 },
    { NULL, "theta, mean absolute error, degrees", 0 },
    { "theta_mae_deg", "class average against truth", 2 },
    { NULL, "neighbours", 0 },
    { "hit_rate", "hit rate, k = 10", 4 },
    { "hit_rate_deviation", "its deviation between images", 4 },
    { NULL, "time, ms per image", 0 },
    { "canonicalize_ms", "canonicalize", 4 },
    { "overhead_ms", "of it Lambda", 5 },
};

/* Rows of every model, one column for each kind of backbone. */
static const lab_row model_rows[] = {
    { NULL, "accuracy of the frozen classifier, percent", 0 },
    { "accuracy.ieae", "IE-AE's canonical pose", 2 },
    { "accuracy.head", "Lambda: the head", 2 },
    { "accuracy.neighbours", "Lambda: k neighbours", 2 },
    { "accuracy.density", "Lambda: the pose density", 2 },
    { "accuracy.search", "the classifier chooses among modes", 2 },
    { "accuracy.gated", "with --only-if 0.01", 2 },
    { "accuracy.upright", "upright inputs, canonicalized", 2 },
    { "accuracy.upright_gated", "the same with --only-if 0.01", 2 },
    { NULL, "unusual poses, area under the ROC curve", 0 },
    { "ood_auc.ieae", "not centred", 3 },
    { "ood_auc.g_abs", "|g_abs|", 3 },
    { "ood_auc.density", "-log p(g_abs)", 3 },
    { NULL, "pose against the truth", 0 },
    { "pose_error.median_deg", "median error, degrees", 2 },
    { "pose_error.close_percent", "within 20 degrees, percent", 2 },
    { "pose_error.flipped_percent", "beyond 150 degrees, percent", 2 },
    { NULL, "equivariance of the encoder, two rotated copies", 0 },
    { "equivariance.pose_median_deg", "median pose error, degrees", 2 },
    { "equivariance.pose_p95_deg", "95th percentile, degrees", 2 },
    { "equivariance.code_median", "median relative change of z", 3 },
    { NULL, "theta, mean absolute error, degrees", 0 },
    { "theta_mae_deg", "class average against truth", 2 },
    { "theta_sample_mae_deg", "each image against truth", 2 },
    { "theta_density_mae_deg", "class average, read off the density", 2 },
    { NULL, "neighbours", 0 },
    { "hit_rate", "hit rate, k = 10", 4 },
    { NULL, "natural poses by Algorithm 1, share of the training images", 0 },
    { "verdicts.one", "one", 3 },
    { "verdicts.several", "several", 3 },
    { "verdicts.none", "none", 3 },
    { "verdicts.cannot_tell", "cannot tell", 3 },
    { NULL, "control: every image resampled twice", 0 },
    { "controls.resampled.none", "rotated inputs", 2 },
    { "controls.resampled.none_resampled", "the same, resampled", 2 },
    { "controls.resampled.canonical", "canonical", 2 },
    { "controls.resampled.canonical_resampled", "the same, resampled", 2 },
    { "controls.resampled.hit_rate", "hit rate among some", 4 },
    { "controls.resampled.hit_rate_resampled", "the same, resampled", 4 },
    { NULL, "control: do neighbours have similar poses? degrees", 0 },
    { "controls.like_poses.distance_neighbours_deg", "to neighbours of the label", 2 },
    { "controls.like_poses.distance_random_deg", "to any input of the label", 2 },
    { "controls.like_poses.theta_neighbours_deg", "theta of those neighbours", 2 },
    { "controls.like_poses.theta_random_deg", "theta of as many at random", 2 },
    { "controls.like_poses.theta_mae_neighbours_deg", "error of theta, neighbours", 2 },
    { "controls.like_poses.theta_mae_random_deg", "error of theta, at random", 2 },
};

static void print_models(const json_t *result)
{
    lab_column columns[1 + RECON_TRAINED_KINDS] = { { "by backbone", NULL, "  %-42s" } };
    char path[RECON_TRAINED_KINDS][32];
    size_t n = 1;
    const char *name;
    json_t *model;
    json_object_foreach((json_t *)(uintptr_t)lab_at(result, "models"), name, model)
    {
        snprintf(path[n - 1], sizeof path[n - 1], "models.%s.*", name);
        columns[n] = (lab_column){ name, path[n - 1], "%12.*f" };
        n++;
    }
    lab_print_table(
        result,
        &(lab_table){ .title = "\n", .columns = columns, .n_columns = n, LAB_ROWS(model_rows) });
}

/* What is unusual is a matter of definition where poses are normal: areas by other rules. */
static void print_rules(const json_t *result)
{
    enum { MOST = RECON_TRAINED_KINDS * RECON_REACHES };
    lab_row rows[MOST];
    char path[MOST][24];
    size_t n = 0;
    const char *name;
    json_t *model;
    lab_say(result, "\n{ood_rule}\n");
    if (strstr(lab_text(result, "ood_rule"), "as in the paper"))
        return;
    json_object_foreach((json_t *)(uintptr_t)lab_at(result, "models"), name,
                        model) for (size_t i = 0;
                                    i < json_array_size(lab_at(model, "ood_other_rules")); i++, n++)
    {
        snprintf(path[n], sizeof path[n], "%zu", i);
        rows[n] = (lab_row){ path[n], name, 0 };
    }
#define RULE "models.#.ood_other_rules.*."
    lab_print_table(result,
                    &(lab_table){ LAB_COLUMNS({ "  backbone", NULL, "  %-10s" },
                                              { "sigmas", RULE "sigmas", "%8.0f" },
                                              { "least", RULE "least_deg", "%8.0f" },
                                              { "unusual, %", RULE "unusual_percent", "%12.1f" },
                                              { "not centred", RULE "ieae", "%12.3f" },
                                              { "|g_abs|", RULE "g_abs", "%12.3f" },
                                              { "-log p", RULE "density", "%12.3f" },
                                              { "true |g|", RULE "undo", "%12.3f" }),
                                  .rows = rows, .n_rows = n });
}

/* --- of one model ----------------------------------------------------------------------------- */

/* Classes with the neighbours they are mixed up with, for the worst rows. */
static void print_confusion(const json_t *model)
{
    size_t i, j;
    json_t *row, *cell;
    const json_t *theta = lab_at(model, "theta");
    if (json_array_size(theta) > WIDE)
        return;
    lab_say(model, "\nneighbours of the {confusion_rows} rows with the lowest hit rate, percent of "
                   "each class\n");
    printf("  %-12s", "");
    json_array_foreach(theta, i, row) printf("%8.6s", lab_text(row, "class"));
    json_array_foreach(lab_at(model, "confusion_percent"), i, row)
    {
        printf("\n  %-12s", lab_text(json_array_get(theta, i), "class"));
        if (!json_is_array(row))
            printf("%8s", "none");
        json_array_foreach(row, j, cell) printf("%8.1f", json_number_value(cell));
    }
    putchar('\n');
}

static void print_folds(const json_t *model)
{
    size_t i;
    json_t *f;
    int any = 0;
    lab_say(model, "\nnatural pose defined only modulo 180 degrees (second moment against first):");
    json_array_foreach(lab_at(model, "modulo_180"), i, f) if (lab_number(f, "percent") >= 0.5)
    {
        lab_say(f,
                "\n  {class:-12s}{percent:5.1f} % of the class (mean moments {first_moment:.2f}, "
                "{second_moment:.2f})");
        any = 1;
    }
    puts(any ? "" : " of no class");
}

static void print_pair(const json_t *model)
{
    if (!lab_at(model, "pair"))
        return;
    lab_say(
        model,
        "\n{pair.classes.0} and {pair.classes.1}: natural poses {pair.natural_deg.0} and "
        "{pair.natural_deg.1} degrees in the backbone's frame, {pair.between_deg} apart;\n"
        "  their distributions differ by {pair.distance_before_deg:.1f} degrees before centring "
        "and {pair.distance_after_deg:.1f} after (1-Wasserstein)\n");
    model = lab_at(model, "controls.pair");
    lab_say(model, "  upright ones are seen {apart_deg} degrees apart; {other_percent.0:.1f} and "
                   "{other_percent.1:.1f} % of their neighbours are of the other class;\n"
                   "  {several_percent:.1f} % have several natural poses");
    if (lab_number(model, "several_percent") > 0)
        lab_say(model, ", the two heaviest {peaks_apart_deg} degrees apart (median)");
    putchar('\n');
}

static void print_model(const json_t *model)
{
    lab_print_table(model,
                    &(lab_table){ .title = "\ntheta by class, degrees\n",
                                  .over = "theta",
                                  LAB_COLUMNS({ "", "theta.*.class", "  %-12s" },
                                              { "truth", "theta.*.truth_deg", "%10.1f" },
                                              { "predicted", "theta.*.mean_deg", "%12.1f" },
                                              { "spread", "theta.*.spread_deg", "%10.1f" }) });
    lab_print_table(
        model,
        &(lab_table){ .title = "\nAlgorithm 1 against k, on {neighbour_images} training "
                               "images\n",
                      .over = "by_k",
                      LAB_COLUMNS({ "k", "by_k.*.k", "  %5.0f" },
                                  { "hit rate", "by_k.*.hit_rate", "%12.4f" },
                                  { "theta error, degrees", "by_k.*.theta_mae_deg", "%22.2f" }) });
    print_confusion(model);
    print_folds(model);
    print_pair(model);
}

void reproduce_show(const json_t *result)
{
    const char *main = lab_text(result, "backbone");
    const char *name;
    json_t *model;
    lab_say(result, "{title}, in front of {classifier}\n{test_images} test images");
    if (lab_at(result, "backend"))
        lab_say(result, ", on {backend}, {threads} threads");
    putchar('\n');
    json_object_foreach((json_t *)(uintptr_t)lab_at(result, "models"), name, model)
    {
        printf("backbone %-8s ", name);
        lab_say(model, "{model} ({preset}, {weights} weights, {seconds} s)\n");
    }
    print_methods(result);
    baselines_show(result);
    if (*main) {
        lab_print_rows(result, "paper", image_rows, LAB_COUNT(image_rows));
        print_rules(result);
        print_models(result);
        printf("\nbelow: backbone %s\n", main);
        print_model(json_object_get(lab_at(result, "models"), main));
    }
    lab_print_list(result, "notes", "\nnotes", "  ");
    lab_print_list(result, "figures", "\nfigures", "  ");
}

/* --- molecules -------------------------------------------------------------------------------- */

static const lab_row molecule_rows[] = {
    { NULL, "accuracy of the frozen classifier, percent", 0 },
    { "accuracy.none", "rotated inputs, no correction", 2 },
    { "accuracy.ieae", "IE-AE canonical", 2 },
    { "accuracy.equiadapt", "EquiAdapt, trained with labels", 2 },
    { "accuracy.paper_recipe", "the paper's network, recipe and heads", 2 },
    { "accuracy.paper_algorithm", "the paper's algorithm on our network", 2 },
    { "accuracy.neighbours", "  by 25 neighbours, no Lambda", 2 },
    { "accuracy.ieae_terms", "with our terms: IE-AE canonical", 2 },
    { "accuracy.paper_algorithm_terms", "  the paper's algorithm", 2 },
    { "accuracy.neighbours_terms", "  by 25 neighbours, no Lambda", 2 },
    { "accuracy.recon", "recon, by default: the pose density", 2 },
    { "accuracy.recon_drawn", "  mean of 16 random spins", 2 },
    { "accuracy.recon_drawn_spread", "  and their deviation", 2 },
    { "accuracy.spin_unseen", "recon --spin: by the classifier", 2 },
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
    { "accuracy.upright_canonical", "the same, canonicalized by the density", 2 },
    { "accuracy.upright_gated", "the same with --only-if 0.01", 2 },
    { NULL, "share of the lost accuracy recovered", 0 },
    { "recovered.ieae", "IE-AE canonical", 3 },
    { "recovered.equiadapt", "EquiAdapt, trained with labels", 3 },
    { "recovered.paper_recipe", "the paper's network, recipe and heads", 3 },
    { "recovered.paper_algorithm", "the paper's algorithm on our network", 3 },
    { "recovered.paper_algorithm_terms", "  the same with our terms", 3 },
    { "recovered.recon", "recon, by default: the pose density", 3 },
    { "recovered.spin_unseen", "recon --spin: by the classifier", 3 },
    { "recovered.spin_all", "  control: all of SO(3)", 3 },
    { NULL, "unusual poses, area under the ROC curve", 0 },
    { "ood_auc.ieae", "IE-AE, -tr(F^T psi)", 3 },
    { "ood_auc.paper_recipe", "the paper's recipe, -tr(Theta^T g_abs)", 3 },
    { "ood_auc.paper_algorithm", "its algorithm on our network", 3 },
    { "ood_auc.ieae_terms", "with our terms: IE-AE", 3 },
    { "ood_auc.paper_algorithm_terms", "  the paper's algorithm", 3 },
    { "ood_auc.recon_trace", "recon: -tr(Theta^T g_abs)", 3 },
    { "ood_auc.recon", "recon: -log p(g_abs)", 3 },
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
    lab_print_rows(result, "paper", molecule_rows, LAB_COUNT(molecule_rows));
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
