/* reproduce_show.c - the tables, as JSON and as text. The text is made from the JSON, so that both
 * say the same. */
#include "experiments/reproduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *degrees(double radians)
{
    return isfinite(radians) ? json_real(radians * RECON_TO_DEGREES) : json_null();
}

static json_t *percent(double share)
{
    return json_real(100 * share);
}

static json_t *paper_json(const experiment *e)
{
    return json_pack("{s:{s:f, s:f, s:f, s:f, s:f}, s:{s:f, s:f}, s:f}", "accuracy", "none",
                     e->paper.none, "ieae", e->paper.ieae, "equiadapt", e->paper.equiadapt, "recon",
                     e->paper.recon, "upright", e->paper.upright, "ood_auc", "ieae",
                     e->paper.ood_ieae, "recon", e->paper.ood_recon, "overhead_ms",
                     e->paper.overhead_ms);
}

static json_t *theta_json(const reproduction *r)
{
    json_t *list = json_array();
    for (size_t c = 0; c < CLASSES; c++)
        json_array_append_new(list, json_pack("{s:s, s:I, s:o, s:o, s:o}", "class", r->classes[c],
                                              "images", (json_int_t)r->width[c].n, "truth_deg",
                                              degrees(r->width[c].truth), "mean_deg",
                                              degrees(r->width[c].mean), "spread_deg",
                                              degrees(r->width[c].spread)));
    return list;
}

static json_t *by_k_json(const reproduction *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < KS; i++)
        json_array_append_new(list, json_pack("{s:I, s:f, s:o}", "k", (json_int_t)r->by_k[i].k,
                                              "hit_rate", r->by_k[i].hit_rate, "theta_mae_deg",
                                              degrees(r->by_k[i].error.by_class)));
    return list;
}

/* Row i: of the neighbours of the worst rows of class i, the percentage of each class; null where
 * class i is not among the worst. */
static json_t *confusion_json(const reproduction *r)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < CLASSES; i++) {
        const uint64_t *counts = r->confusion + i * CLASSES;
        uint64_t sum = 0;
        for (size_t j = 0; j < CLASSES; j++)
            sum += counts[j];
        json_t *row = sum ? json_array() : json_null();
        for (size_t j = 0; sum && j < CLASSES; j++)
            json_array_append_new(row, percent((double)counts[j] / (double)sum));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *folds_json(const reproduction *r)
{
    json_t *list = json_array();
    for (size_t c = 0; c < CLASSES; c++)
        if (r->fold[c].n)
            json_array_append_new(list, json_pack("{s:s, s:o, s:f, s:f}", "class", r->classes[c],
                                                  "percent", percent(r->fold[c].share),
                                                  "first_moment", r->fold[c].moment[0],
                                                  "second_moment", r->fold[c].moment[1]));
    return list;
}

static json_t *pair_json(const reproduction *r)
{
    const char *const *names = r->classes;
    return json_pack("{s:[s, s], s:[o, o], s:o, s:o, s:o}", "classes", names[r->what->pair[0]],
                     names[r->what->pair[1]], "natural_deg", degrees(r->pair.natural[0]),
                     degrees(r->pair.natural[1]), "between_deg", degrees(r->pair.between),
                     "distance_before_deg", degrees(r->pair.before), "distance_after_deg",
                     degrees(r->pair.after));
}

/* What design and readers ask for first; the rest follows. */
static json_t *main_json(const reproduction *r)
{
    return json_pack(
        "{s:s, s:I, s:{s:o, s:o, s:o, s:o, s:o, s:o, s:o}, s:{s:f, s:f, s:f}, s:o, s:f, s:f, s:o}",
        "dataset", r->what->name, "seed", (json_int_t)r->settings->seed, "accuracy", "none",
        percent(r->accuracy.none), "ieae", percent(r->accuracy.ieae), "recon",
        percent(r->accuracy.recon), "recon_head", percent(r->accuracy.head), "recon_search",
        percent(r->accuracy.search), "undo", percent(r->accuracy.undo), "upright",
        percent(r->accuracy.upright), "ood_auc", "ieae", r->ood.ieae, "recon", r->ood.recon,
        "density", r->ood.density, "theta_mae_deg", degrees(r->theta.by_class), "overhead_ms",
        r->times.overhead_ms, "canonicalize_ms", r->times.canonicalize_ms, "paper",
        paper_json(r->what));
}

static void add_poses(json_t *out, const reproduction *r)
{
    json_object_set_new(out, "pose_error",
                        json_pack("{s:o, s:o, s:o, s:o, s:o}", "median_deg",
                                  degrees(r->pose.median), "p95_deg", degrees(r->pose.p95),
                                  "mean_deg", degrees(r->pose.mean), "flipped_percent",
                                  percent(r->pose.flips), "close_percent", percent(r->pose.close)));
    json_object_set_new(out, "ood_percent", percent(r->ood.share));
    json_object_set_new(out, "theta_sample_mae_deg", degrees(r->theta.by_sample));
    json_object_set_new(out, "theta", theta_json(r));
    json_object_set_new(out, "modulo_180", folds_json(r));
    if (r->what->pair[0] != r->what->pair[1])
        json_object_set_new(out, "pair", pair_json(r));
    const recon_equivariance *e = &r->equivariance;
    json_object_set_new(
        out, "equivariance",
        json_pack("{s:I, s:o, s:o, s:o, s:o, s:f, s:f}", "images", (json_int_t)e->n,
                  "pose_median_deg", degrees(e->pose_median), "pose_p95_deg", degrees(e->pose_p95),
                  "centre_median_deg", degrees(e->centre_median), "centre_p95_deg",
                  degrees(e->centre_p95), "code_median", e->code_median, "code_p95", e->code_p95));
}

static void add_neighbors(json_t *out, const reproduction *r)
{
    json_object_set_new(out, "hit_rate", json_real(r->hit_rate));
    json_object_set_new(out, "by_k", by_k_json(r));
    json_object_set_new(out, "training_images", json_integer((json_int_t)r->hood.index.n));
    json_object_set_new(out, "confusion_rows", json_integer((json_int_t)r->hood.worst_count));
    json_object_set_new(out, "confusion_percent", confusion_json(r));
}

json_t *reproduce_json(const reproduction *r)
{
    json_t *out = main_json(r);
    if (!out)
        return NULL;
    add_neighbors(out, r);
    add_poses(out, r);
    const recon_ieae *encoder = recon_backbone_ieae(r->model->backbone);
    json_t *how = json_pack(
        "{s:s, s:s, s:s, s:I, s:s, s:I, s:b, s:s, s:i, s:I, s:f}", "title", r->what->title, "model",
        r->settings->model, "preset", recon_preset_name(recon_ieae_describe(encoder).preset),
        "weights", (json_int_t)recon_backbone_weights(r->model->backbone), "classifier",
        r->settings->classifier, "test_images", (json_int_t)r->rotated.n, "quick",
        r->settings->quick, "backend", r->times.backend, "threads", r->times.threads, "batch",
        (json_int_t)r->times.batch, "seconds", r->seconds);
    json_object_update(out, how);
    json_decref(how);
    return out;
}

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

static const reproduce_row image_rows[] = {
    { NULL, "accuracy of the frozen classifier, percent", 0 },
    { "accuracy.none", "rotated inputs, nothing done", 2 },
    { "accuracy.ieae", "IE-AE canonical", 2 },
    { "accuracy.equiadapt", "EquiAdapt, trained with labels", 2 },
    { "accuracy.recon", "RECON canonical", 2 },
    { "accuracy.recon_head", "RECON, Lambda a head on z", 2 },
    { "accuracy.recon_search", "RECON, the classifier chooses", 2 },
    { "accuracy.undo", "true rotation undone", 2 },
    { "accuracy.upright", "upright inputs", 2 },
    { NULL, "unusual poses, area under the ROC curve", 0 },
    { "ood_auc.ieae", "IE-AE, not centred", 3 },
    { "ood_auc.recon", "RECON, |g_abs|", 3 },
    { "ood_auc.density", "RECON, -log p(g_abs)", 3 },
    { NULL, "pose after RECON, against the truth", 0 },
    { "pose_error.median_deg", "median error, degrees", 2 },
    { "pose_error.close_percent", "within 20 degrees, percent", 2 },
    { "pose_error.flipped_percent", "beyond 150 degrees, percent", 2 },
    { NULL, "equivariance of the encoder, two rotated copies", 0 },
    { "equivariance.pose_median_deg", "median pose error, degrees", 2 },
    { "equivariance.pose_p95_deg", "95th percentile, degrees", 2 },
    { "equivariance.code_median", "median relative change of z", 3 },
    { NULL, "time, ms an image", 0 },
    { "canonicalize_ms", "canonicalize", 4 },
    { "overhead_ms", "of it Lambda", 5 },
    { NULL, "theta, mean absolute error, degrees", 0 },
    { "theta_mae_deg", "class average against truth", 2 },
    { "theta_sample_mae_deg", "each image against truth", 2 },
    { NULL, "neighbours", 0 },
    { "hit_rate", "hit rate, k = 10", 4 },
};

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
           reproduce_number(result, "training_images"), "k", "hit rate", "theta error, degrees");
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
    printf("\nneighbours of the %.0f rows with the lowest hit rate, percent of each class\n  %-12s",
           reproduce_number(result, "confusion_rows"), "");
    for (size_t c = 0; c < CLASSES; c++)
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

void reproduce_print(const json_t *result, const json_t *spread)
{
    reproduce_print_head(result, json_string_value(json_object_get(result, "title")), "images");
    reproduce_print_rows(result, spread, "paper", image_rows,
                         sizeof image_rows / sizeof *image_rows);
    print_theta(result);
    print_by_k(result);
    print_confusion(result);
    print_folds(result);
    print_pair(result);
    reproduce_print_figures(result);
}
