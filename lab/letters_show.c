/* letters_show.c - the table of `recon reproduce letters`, as text. */
#include "lab/letters.h"
#include "lab/reproduce.h"

#include <math.h>
#include <stdio.h>

static const reproduce_row rows[] = {
    { NULL, "unseen fonts, rotated by the same laws", 0 },
    { "one.median_deg", "one natural pose: median, degrees", 1 },
    { "one.beyond_percent", "beyond 20 degrees, percent", 1 },
    { "still.least_deg", "never rotated: least median tilt", 1 },
    { "still.most_deg", "largest median tilt", 1 },
    { "gain_mean_deg", "nearer to natural by, mean, deg", 1 },
    { NULL, "the same letters at any angle", 0 },
    { "anyway.median_deg", "one natural pose: median, degrees", 1 },
    { "anyway.beyond_percent", "beyond 20 degrees, percent", 1 },
    { NULL, "other laws, percent", 0 },
    { "several.found_percent", "two poses: several or modulo", 1 },
    { "several.within_percent", "canonical within 15 deg of one", 1 },
    { "circle.found_percent", "full circle: none or cannot tell", 1 },
    { NULL, "widths, one natural pose, as a sigma", 0 },
    { "width_mae_deg", "mean absolute error, degrees", 1 },
    { NULL, "out-of-distribution poses", 0 },
    { "ood_auc.density", "area under the ROC curve", 3 },
    { "ood_auc.best", "best possible: by the true laws", 3 },
    { "false_alarms_percent.at_1", "false alarms, 1 % asked", 1 },
    { "false_alarms_percent.at_5", "5 %", 1 },
    { "false_alarms_percent.at_10", "10 %", 1 },
    { "false_alarms_percent.at_20", "20 %", 1 },
    { NULL, "seconds", 0 },
    { "seconds.train", "training", 1 },
    { "seconds.train_cpu", "of the processor, all cores", 1 },
    { "seconds.discover", "discover", 1 },
};

static void print_degrees(const json_t *from, const char *path)
{
    double value = reproduce_number(from, path);
    if (isnan(value))
        printf("%10s", "-");
    else
        printf("%10.1f", value);
}

static void print_kinds(const json_t *result)
{
    static const char *const paths[] = { "untouched.median_deg",
                                         "fresh.median_deg",
                                         "anyway.median_deg",
                                         "true_width_deg",
                                         "width_deg",
                                         "verdicts_percent.one",
                                         "verdicts_percent.several",
                                         "verdicts_percent.modulo",
                                         "verdicts_percent.none",
                                         "verdicts_percent.cannot_tell" };
    size_t i;
    json_t *kind;
    printf("\nby kind: median distance to the nearest natural pose; width as a sigma; verdicts, "
           "percent\n  %-4s%10s%10s%10s%10s%10s%10s%10s%10s%10s%10s\n",
           "", "as given", "canonical", "any angle", "width", "found", "one", "several", "modulo",
           "none", "unsure");
    json_array_foreach(json_object_get(result, "kinds"), i, kind)
    {
        printf("  %-4s", json_string_value(json_object_get(kind, "letter")));
        for (size_t j = 0; j < sizeof paths / sizeof *paths; j++)
            print_degrees(kind, paths[j]);
        putchar('\n');
    }
}

void letters_print(const json_t *result, const json_t *spread)
{
    printf(
        "Letters: %.0f pictures of %zu kinds in %.0f fonts, %s at %.0f x %.0f; tested on %.0f other "
        "fonts\n",
        reproduce_number(result, "training_images"),
        json_array_size(json_object_get(result, "kinds")), reproduce_number(result, "fonts.train"),
        json_string_value(json_object_get(result, "preset")), reproduce_number(result, "size"),
        reproduce_number(result, "size"), reproduce_number(result, "fonts.test"));
    reproduce_print_rows(result, spread, "as given", rows, sizeof rows / sizeof *rows);
    print_kinds(result);
}
