/* reproduce_show.c - the tables as text, made from the JSON, so that both say the same; and several
 * runs as one. */
#include "lab/baselines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDE = 12 }; /* classes of a table that has a column for each */

/* --- several runs -------------------------------------------------------------------------------
 */

typedef double merge(const double *values, size_t n);

static double mean(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

static double deviation(const double *v, size_t n)
{
    double m = mean(v, n), sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (v[i] - m) * (v[i] - m);
    return n > 1 ? sqrt(sum / (double)(n - 1)) : 0;
}

/* The same place in every run; what is no number is taken from the first. */
static json_t *merged(json_t *const *runs, size_t n, merge *how)
{
    json_t *parts[MAX_SEEDS], *value, *out = NULL;
    double numbers[MAX_SEEDS];
    const char *key;
    size_t index;
    if (json_is_real(runs[0])) {
        for (size_t i = 0; i < n; i++)
            numbers[i] = json_number_value(runs[i]);
        return json_real(how(numbers, n));
    }
    if (json_is_object(runs[0])) {
        out = json_object();
        json_object_foreach(runs[0], key, value)
        {
            for (size_t i = 0; i < n; i++)
                parts[i] = json_object_get(runs[i], key);
            json_object_set_new(out, key, merged(parts, n, how));
        }
    } else if (json_is_array(runs[0])) {
        out = json_array();
        json_array_foreach(runs[0], index, value)
        {
            for (size_t i = 0; i < n; i++)
                parts[i] = json_array_get(runs[i], index);
            json_array_append_new(out, merged(parts, n, how));
        }
    } else {
        out = json_incref(runs[0]);
    }
    return out;
}

json_t *reproduce_mean(json_t *const *runs, size_t n)
{
    return merged(runs, n, mean);
}

json_t *reproduce_spread(json_t *const *runs, size_t n)
{
    json_t *out = merged(runs, n, deviation);
    json_object_del(out, "paper");
    return out;
}

/* --- text ------------------------------------------------------------------------------------- */

/* The number at "a.b" or "a"; NaN where there is none. */
double reproduce_number(const json_t *from, const char *path)
{
    char first[32];
    const char *dot = strchr(path, '.');
    if (!from)
        return NAN;
    if (!dot)
        return json_is_number(json_object_get(from, path))
                   ? json_number_value(json_object_get(from, path))
                   : NAN;
    snprintf(first, sizeof first, "%.*s", (int)(dot - path), path);
    return reproduce_number(json_object_get(from, first), dot + 1);
}

static void print_cell(double value, int digits)
{
    if (isnan(value))
        printf("%12s", "-");
    else
        printf("%12.*f", digits, value);
}

void reproduce_print_rows(const json_t *result, const json_t *spread, const char *beside,
                          const reproduce_row *rows, size_t n)
{
    const json_t *other = json_object_get(result, beside);
    printf("\n%-36s%12s%s%12s\n", "", spread ? "mean" : "ours", spread ? "      spread" : "",
           beside);
    for (size_t i = 0; i < n; i++) {
        if (!rows[i].path) {
            printf("%s\n", rows[i].label);
            continue;
        }
        printf("  %-34s", rows[i].label);
        print_cell(reproduce_number(result, rows[i].path), rows[i].digits);
        if (spread)
            print_cell(reproduce_number(spread, rows[i].path), rows[i].digits);
        print_cell(reproduce_number(other, rows[i].path), rows[i].digits);
        putchar('\n');
    }
}

/* --- images ------------------------------------------------------------------------------------ */

/* A share as a percentage, in the same width as print_cell. */
static void print_share(double share)
{
    if (isnan(share))
        printf("%11s", "-");
    else
        printf("%10.1f%%", 100 * share);
}

/* What each method gets right, and the share it recovers of what rotating cost. */
static void print_methods(const json_t *result, const json_t *spread)
{
    const json_t *paper = json_object_get(result, "paper");
    printf("\naccuracy of the frozen classifier, percent\n%-44s%12s%s%11s%12s%11s\n", "",
           spread ? "mean" : "ours", spread ? "      spread" : "", "recovered", "paper",
           "recovered");
    for (size_t i = 0; i < reproduce_methods_count; i++) {
        const reproduce_method *m = &reproduce_methods[i];
        char path[64];
        if (!json_object_get(json_object_get(result, "accuracy"), m->key))
            continue;
        snprintf(path, sizeof path, "accuracy.%s", m->key);
        printf("  %-42s", m->label);
        print_cell(reproduce_number(result, path), 2);
        if (spread)
            print_cell(reproduce_number(spread, path), 2);
        snprintf(path, sizeof path, "recovered.%s", m->key);
        print_share(reproduce_number(result, path));
        snprintf(path, sizeof path, "accuracy.%s", m->key);
        print_cell(reproduce_number(paper, path), 2);
        snprintf(path, sizeof path, "recovered.%s", m->key);
        print_share(reproduce_number(paper, path));
        putchar('\n');
    }
}

static const reproduce_row image_rows[] = {
    { NULL, "unusual poses, area under the ROC curve", 0 },
    { "ood_auc.ieae", "IE-AE, not centred", 3 },
    { "ood_auc.recon", "RECON (the paper): |g_abs|", 3 },
    { "ood_auc.recon_terms", "the same, pose and contrast terms", 3 },
    { "ood_auc.density", "ours: -log p(g_abs)", 3 },
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
static const reproduce_row model_rows[] = {
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
    { "ood_auc.recon", "|g_abs|", 3 },
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

static void print_models(const json_t *models)
{
    const char *name;
    json_t *model;
    printf("\n%-44s", "by backbone");
    json_object_foreach((json_t *)models, name, model) printf("%12s", name);
    putchar('\n');
    for (size_t i = 0; i < sizeof model_rows / sizeof *model_rows; i++) {
        const reproduce_row *row = &model_rows[i];
        printf(row->path ? "  %-42s" : "%s", row->label);
        json_object_foreach((json_t *)models, name, model) if (row->path)
            print_cell(reproduce_number(model, row->path), row->digits);
        putchar('\n');
    }
}

/* What is unusual is a matter of definition where poses are normal: areas by other rules. */
static void print_rules(const json_t *result)
{
    const char *name;
    json_t *model, *rule;
    size_t i;
    printf("\n%s\n", json_string_value(json_object_get(result, "ood_rule")));
    if (strstr(json_string_value(json_object_get(result, "ood_rule")), "as in the paper"))
        return;
    printf("  %-10s%8s%8s%12s%12s%12s%12s%12s\n", "backbone", "sigmas", "least", "unusual, %",
           "not centred", "|g_abs|", "-log p", "true |g|");
    json_object_foreach(json_object_get(result, "models"), name, model)
        json_array_foreach(json_object_get(model, "ood_other_rules"), i, rule)
            printf("  %-10s%8.0f%8.0f%12.1f%12.3f%12.3f%12.3f%12.3f\n", name,
                   reproduce_number(rule, "sigmas"), reproduce_number(rule, "least_deg"),
                   reproduce_number(rule, "unusual_percent"), reproduce_number(rule, "ieae"),
                   reproduce_number(rule, "recon"), reproduce_number(rule, "density"),
                   reproduce_number(rule, "undo"));
}

static void print_notes(const json_t *result)
{
    size_t i;
    json_t *text;
    puts("\nnotes");
    json_array_foreach(json_object_get(result, "notes"), i, text)
        printf("  %s\n", json_string_value(text));
}

static void print_theta(const json_t *result)
{
    size_t i;
    json_t *c;
    printf("\ntheta by class, degrees\n  %-12s%10s%12s%10s\n", "", "truth", "predicted", "spread");
    json_array_foreach(json_object_get(result, "theta"), i, c)
        printf("  %-12s%10.1f%12.1f%10.1f\n", json_string_value(json_object_get(c, "class")),
               reproduce_number(c, "truth_deg"), reproduce_number(c, "mean_deg"),
               reproduce_number(c, "spread_deg"));
}

static void print_by_k(const json_t *result)
{
    size_t i;
    json_t *p;
    printf("\nAlgorithm 1 against k, on %.0f training images\n  %5s%12s%22s\n",
           reproduce_number(result, "neighbour_images"), "k", "hit rate", "theta error, degrees");
    json_array_foreach(json_object_get(result, "by_k"), i, p)
        printf("  %5.0f%12.4f%22.2f\n", reproduce_number(p, "k"), reproduce_number(p, "hit_rate"),
               reproduce_number(p, "theta_mae_deg"));
}

/* Classes with the neighbours they are mixed up with, for the worst rows. */
static void print_confusion(const json_t *result)
{
    size_t i, j;
    json_t *row, *cell;
    const json_t *theta = json_object_get(result, "theta");
    const json_t *list = json_object_get(result, "confusion_percent");
    size_t classes = json_array_size(theta);
    if (classes > WIDE)
        return;
    printf("\nneighbours of the %.0f rows with the lowest hit rate, percent of each class\n  %-12s",
           reproduce_number(result, "confusion_rows"), "");
    for (size_t c = 0; c < classes; c++)
        printf("%8.6s", json_string_value(json_object_get(json_array_get(theta, c), "class")));
    json_array_foreach(list, i, row)
    {
        printf("\n  %-12s", json_string_value(json_object_get(json_array_get(theta, i), "class")));
        if (!json_is_array(row))
            printf("%8s", "none");
        json_array_foreach(row, j, cell) printf("%8.1f", json_number_value(cell));
    }
    putchar('\n');
}

static void print_folds(const json_t *result)
{
    size_t i;
    json_t *f;
    int any = 0;
    printf("\nnatural pose defined only modulo 180 degrees (second moment against first):");
    json_array_foreach(json_object_get(result, "modulo_180"), i,
                       f) if (reproduce_number(f, "percent") >= 0.5)
    {
        printf("\n  %-12s%5.1f %% of the class (mean moments %.2f, %.2f)",
               json_string_value(json_object_get(f, "class")), reproduce_number(f, "percent"),
               reproduce_number(f, "first_moment"), reproduce_number(f, "second_moment"));
        any = 1;
    }
    puts(any ? "" : " of no class");
}

static void print_pair(const json_t *result)
{
    const json_t *p = json_object_get(result, "pair");
    if (!p)
        return;
    const json_t *names = json_object_get(p, "classes"), *at = json_object_get(p, "natural_deg");
    printf("\n%s and %s: natural poses %.0f and %.0f degrees in the backbone's frame, %.0f apart;\n"
           "  their distributions differ by %.1f degrees before centring and %.1f after "
           "(1-Wasserstein)\n",
           json_string_value(json_array_get(names, 0)), json_string_value(json_array_get(names, 1)),
           json_number_value(json_array_get(at, 0)), json_number_value(json_array_get(at, 1)),
           reproduce_number(p, "between_deg"), reproduce_number(p, "distance_before_deg"),
           reproduce_number(p, "distance_after_deg"));
    p = json_object_get(json_object_get(result, "controls"), "pair");
    names = json_object_get(p, "other_percent");
    double several = reproduce_number(p, "several_percent");
    printf(
        "  upright ones are seen %.0f degrees apart; %.1f and %.1f %% of their neighbours are of "
        "the other class;\n  %.1f %% have several natural poses",
        reproduce_number(p, "apart_deg"), json_number_value(json_array_get(names, 0)),
        json_number_value(json_array_get(names, 1)), several);
    if (several > 0)
        printf(", the two heaviest %.0f degrees apart (median)",
               reproduce_number(p, "peaks_apart_deg"));
    putchar('\n');
}

void reproduce_print_figures(const json_t *result)
{
    size_t i;
    json_t *path;
    const json_t *list = json_object_get(result, "figures");
    if (list)
        puts("\nfigures");
    json_array_foreach(list, i, path) printf("  %s\n", json_string_value(path));
}

void reproduce_print_head(const json_t *result, const char *title, const char *what)
{
    const char *classifier = json_string_value(json_object_get(result, "classifier"));
    char count[32];
    snprintf(count, sizeof count, "test_%s", what);
    printf("%s: %s (%s, %.0f weights) in front of %s\n%.0f test %s; %.0f s on %s, %.0f threads\n",
           title, json_string_value(json_object_get(result, "model")),
           json_string_value(json_object_get(result, "preset")),
           reproduce_number(result, "weights"), classifier ? classifier : "no classifier",
           reproduce_number(result, count), what, reproduce_number(result, "seconds"),
           json_string_value(json_object_get(result, "backend")),
           reproduce_number(result, "threads"));
}

static void print_image_head(const json_t *result)
{
    const char *name;
    json_t *model;
    printf("%s, in front of %s\n%.0f test images",
           json_string_value(json_object_get(result, "title")),
           json_string_value(json_object_get(result, "classifier")),
           reproduce_number(result, "test_images"));
    if (json_object_get(result, "backend"))
        printf(", on %s, %.0f threads", json_string_value(json_object_get(result, "backend")),
               reproduce_number(result, "threads"));
    putchar('\n');
    json_object_foreach(json_object_get(result, "models"), name, model)
        printf("backbone %-8s %s (%s, %.0f weights, %.0f s)\n", name,
               json_string_value(json_object_get(model, "model")),
               json_string_value(json_object_get(model, "preset")),
               reproduce_number(model, "weights"), reproduce_number(model, "seconds"));
}

void reproduce_print(const json_t *result, const json_t *spread)
{
    const char *main = json_string_value(json_object_get(result, "backbone"));
    const json_t *models = json_object_get(result, "models");
    const json_t *model = json_object_get(models, main);
    print_image_head(result);
    print_methods(result, spread);
    baselines_print(result);
    if (model) {
        reproduce_print_rows(result, spread, "paper", image_rows,
                             sizeof image_rows / sizeof *image_rows);
        print_rules(result);
        print_models(models);
        printf("\nbelow: backbone %s\n", main);
        print_theta(model);
        print_by_k(model);
        print_confusion(model);
        print_folds(model);
        print_pair(model);
    }
    print_notes(result);
    reproduce_print_figures(result);
}
