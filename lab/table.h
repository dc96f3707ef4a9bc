/* table.h - results as text and as tables of a page. An experiment's only result is a JSON object; what
 * is shown of it are columns, rows and sentences that name places in it, "accuracy.none". */
#ifndef LAB_TABLE_H
#define LAB_TABLE_H

#include "report/page.h"

#include <jansson.h>

/* The value at a path such as "a.b.0", NULL where there is none; the same as a number, otherwise NaN; and as
 * text, otherwise "". */
const json_t *lab_at(const json_t *from, const char *path);
double lab_number(const json_t *from, const char *path);
const char *lab_text(const json_t *from, const char *path);

typedef struct {
    const char *path, *label; /* without a path: a heading between rows */
    int digits;
} lab_row;

typedef struct {
    const char *heading; /* NULL in the first column: the table has no headings */
    /* Where the value is: `*` stands for the row's path, `#` for its label. "%.." shows a share as a
     * percentage, "=.." is a sentence as for lab_say, NULL is the label. */
    const char *path;
    const char *format; /* printf's, for a text or a number; "%12.*f" uses the row's digits */
} lab_column;

typedef struct {
    const char *title; /* a sentence as for lab_say, or NULL */
    const lab_column *columns;
    size_t n_columns;
    const lab_row *rows;
    size_t n_rows;
    const char *over;    /* in place of rows: one row for each key or element found here    */
    const char *only;    /* leaves out rows for which the result has no such path           */
    const char *instead; /* where this text is present, it replaces the numbers of that row */
} lab_table;
#define LAB_COUNT(array) (sizeof(array) / sizeof *(array))
#define LAB_COLUMNS(...)                                                                           \
    .columns = (const lab_column[]){ __VA_ARGS__ },                                                \
    .n_columns = LAB_COUNT(((const lab_column[]){ __VA_ARGS__ }))
#define LAB_ROWS(array) .rows = array, .n_rows = LAB_COUNT(array)

/* A number, null where it is not finite; and a share as a percentage with two digits, null for NaN. */
json_t *lab_value(double value);
json_t *lab_percent(double share);

/* Puts numbers into *to, as the object `key` or, where key is NULL, beside what is there. `names` are
 * separated by blanks and say the unit: the value of "x_deg" is given in radians, that of "x_percent" is a
 * share, and "x%" is a share too, which is stored as "x". */
#define lab_put(to, key, names, ...)                                                               \
    lab_put_numbers(to, key, names, (const double[]){ __VA_ARGS__ })
void lab_put_numbers(json_t **to, const char *key, const char *names, const double *values);

/* Errors summarized in an object: quantiles, and the percentage of those that are at most `at`, or above it.
 * The errors are sorted in place. */
typedef struct {
    const char *key;
    enum { LAB_QUANTILE, LAB_WITHIN, LAB_BEYOND } what;
    double at;
} lab_error_row;
json_t *lab_errors(double *errors /* [n] */, size_t n, const lab_error_row *rows, size_t count);

/* Everything below writes to standard output, except lab_put_table.
 *
 * A sentence: "{path}" stands for the text or the whole number at that path, "{path:.2f}" for a number in
 * printf's format, "{%path}" for a share as a percentage. A missing number is shown as "-". */
void lab_say(const json_t *result, const char *words);
void lab_print_table(const json_t *result, const lab_table *table);
/* The usual table: one number for each row, beside the same number in the object `beside`. For several runs
 * it shows the mean and the deviation. */
void lab_print_rows(const json_t *result, const char *beside, const lab_row *rows, size_t n);
/* A heading, which may be NULL, and the texts of a list, one on each line behind `prefix`; nothing where there
 * is no list. */
void lab_print_list(const json_t *result, const char *path, const char *heading,
                    const char *prefix);

/* The table on a page, without its title. Without a caption its rows continue the previous table. */
void lab_put_table(recon_page *page, const char *caption, const json_t *result,
                   const lab_table *table);

#endif
