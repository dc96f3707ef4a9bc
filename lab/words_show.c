/* words_show.c - the tables of `recon reproduce words`, as text. */
#include "lab/reproduce.h"
#include "lab/words.h"

#include <math.h>
#include <stdio.h>

static void print_number(const json_t *from, const char *path, int digits)
{
    double value = reproduce_number(from, path);
    if (isnan(value))
        printf("%20s", "-");
    else
        printf("%20.*f", digits, value);
}

static void print_accuracy(const json_t *result)
{
    static const char *const words[WORDS_ROWS] = {
        [WORDS_NONE] = "any angle, as they come",
        [WORDS_OWN] = "the reader's own remedy",
        [WORDS_RECON] = "recon (ours: density)",
        [WORDS_GATED] = "recon, where the gate opens",
        [WORDS_STANDING] = "upright, as they come",
        [WORDS_STANDING_RECON] = "recon",
        [WORDS_STANDING_GATED] = "recon, where the gate opens",
    };
    printf("words read without a mistake, percent\n  %-32s%20s%20s\n", "",
           words_reader_title[WORDS_PPOCR], words_reader_title[WORDS_TESSERACT]);
    for (int row = 0; row < WORDS_ROWS; row++) {
        char path[64];
        printf("  %-32s", words[row]);
        for (int i = 0; i < WORDS_READERS; i++) {
            snprintf(path, sizeof path, "accuracy.%s.%s", words_reader_name[i],
                     words_row_name[row]);
            print_number(result, path, 2);
        }
        putchar('\n');
    }
    printf("  %-32s", "recon, of what upright gives");
    for (int i = 0; i < WORDS_READERS; i++)
        print_number(json_object_get(result, "kept_percent_of_upright"), words_reader_name[i], 1);
    putchar('\n');
}

static void print_errors(const json_t *result)
{
    static const char *const of[2] = { "pose_error", "pose_error_upright" };
    static const char *const words[2] = { "any angle", "upright" };
    static const char *const paths[] = { "median_deg", "p75_deg",           "p90_deg",
                                         "p99_deg",    "within_15_percent", "upside_down_percent" };
    printf("\npose error, degrees\n  %-12s%10s%10s%10s%10s%14s%16s\n", "", "median", "75 %", "90 %",
           "99 %", "within 15, %", "upside down, %");
    for (int k = 0; k < 2; k++) {
        const json_t *from = json_object_get(result, of[k]);
        printf("  %-12s", words[k]);
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
            printf("%*.*f",
                   i < 4    ? 10
                   : i == 4 ? 14
                            : 16,
                   i < 4 ? 1 : 2, reproduce_number(from, paths[i]));
        putchar('\n');
    }
}

void words_print(const json_t *result, const json_t *spread)
{
    size_t i;
    const json_t *note;
    (void)spread;
    printf("Words: %.0f pictures in %.0f fonts before frozen readers; %s at %.0f x %.0f, %.0f "
           "weights\n",
           reproduce_number(result, "images"), reproduce_number(result, "fonts"),
           json_string_value(json_object_get(result, "preset")), reproduce_number(result, "size"),
           reproduce_number(result, "size"), reproduce_number(result, "weights"));
    print_accuracy(result);
    print_errors(result);
    printf("\ngate: rotated only where the p-value of the pose is below %g: %.2f %% at any angle, "
           "%.2f %% of upright ones\n",
           reproduce_number(result, "gate.p"),
           reproduce_number(result, "gate.rotated_percent.rotated"),
           reproduce_number(result, "gate.rotated_percent.upright"));
    printf("milliseconds a picture (%s, %.0f threads): pose %.2f, rotation %.2f",
           json_string_value(json_object_get(json_object_get(result, "ms_a_picture"), "backend")),
           reproduce_number(result, "ms_a_picture.threads"),
           reproduce_number(result, "ms_a_picture.pose"),
           reproduce_number(result, "ms_a_picture.rotate"));
    for (int r = 0; r < WORDS_READERS; r++) {
        double ms = reproduce_number(json_object_get(result, "ms_a_picture"), words_reader_name[r]);
        if (!isnan(ms))
            printf(", %s %.1f", words_reader_title[r], ms);
    }
    putchar('\n');
    json_array_foreach(json_object_get(result, "notes"), i, note)
        printf("skipped: %s\n", json_string_value(note));
}
