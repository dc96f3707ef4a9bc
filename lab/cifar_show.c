/* cifar_show.c - the tables of `recon reproduce cifar10`, as text. */
#include "lab/cifar.h"
#include "lab/reproduce.h"

#include <math.h>
#include <stdio.h>

static void print_number(const json_t *from, const char *path, int digits)
{
    double value = reproduce_number(from, path);
    if (isnan(value))
        printf("%12s", "-");
    else
        printf("%12.*f", digits, value);
}

static void print_accuracy(const json_t *result)
{
    static const char *const words[CIFAR_METHODS] = {
        [CIFAR_NONE] = "no correction",
        [CIFAR_UNDO] = "true rotation undone",
        [CIFAR_DENSITY] = "recon (ours: density), four passes",
        [CIFAR_DENSITY_ONE] = "the same, one pass",
        [CIFAR_GATED] = "four passes, with the gate",
        [CIFAR_AVERAGE] = "averaged over candidates",
        [CIFAR_TTA8] = "averaged over 8 rotations",
        [CIFAR_TTA36] = "averaged over 36 rotations",
        [CIFAR_AUGMENTED] = "classifier trained with rotations",
    };
    printf("accuracy, percent\n  %-36s%12s%12s%12s%12s\n", "", "upright", "C8", "any angle",
           "C8 regained");
    for (int m = 0; m < CIFAR_METHODS; m++) {
        char path[64];
        printf("  %-36s", words[m]);
        for (int s = 0; s < CIFAR_SETS; s++) {
            snprintf(path, sizeof path, "accuracy.%s.%s", cifar_set_name[s], cifar_method_name[m]);
            print_number(result, path, 2);
        }
        snprintf(path, sizeof path, "recovered.c8.%s", cifar_method_name[m]);
        print_number(result, path, 3);
        putchar('\n');
    }
}

static void print_gate(const json_t *result)
{
    size_t i;
    json_t *at;
    printf("\ngate: rotated only where the p-value of the pose is below P; P = %g was chosen on "
           "validation\n  %-12s%12s%12s%12s\n",
           reproduce_number(result, "gate.p"), "P", "upright", "C8", "gain kept");
    json_array_foreach(json_object_get(json_object_get(result, "gate"), "curve"), i, at)
    {
        printf("  %-12g", reproduce_number(at, "p"));
        print_number(at, "upright", 2);
        print_number(at, "c8", 2);
        print_number(at, "kept", 3);
        putchar('\n');
    }
}

static void print_errors(const json_t *result)
{
    static const char *const of[2] = { "pose_error", "pose_error_one" };
    static const char *const words[2] = { "four passes", "one pass" };
    static const char *const paths[] = { "median_deg", "p75_deg", "p90_deg", "within_22_5_percent",
                                         "above_150_percent" };
    printf("\npose error at any angle\n  %-12s%12s%12s%12s%12s%12s\n", "", "median", "75 %", "90 %",
           "in 22.5, %", "over 150, %");
    for (int k = 0; k < 2; k++) {
        printf("  %-12s", words[k]);
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
            print_number(json_object_get(result, of[k]), paths[i], 1);
        putchar('\n');
    }
}

void cifar_print(const json_t *result, const json_t *spread)
{
    (void)spread;
    printf(
        "CIFAR-10: %s, %.0f weights, in front of a frozen classifier of %.0f; %.0f test images\n",
        json_string_value(json_object_get(result, "preset")), reproduce_number(result, "weights"),
        reproduce_number(result, "classifier_weights"), reproduce_number(result, "images"));
    print_accuracy(result);
    print_gate(result);
    print_errors(result);
    printf(
        "\nmilliseconds per image (%s, %.0f threads): classifier %.3f, canonicalize %.3f with four "
        "passes, %.3f with one\n",
        json_string_value(json_object_get(json_object_get(result, "ms_a_picture"), "backend")),
        reproduce_number(result, "ms_a_picture.threads"),
        reproduce_number(result, "ms_a_picture.classifier"),
        reproduce_number(result, "ms_a_picture.density"),
        reproduce_number(result, "ms_a_picture.density_one"));
}
