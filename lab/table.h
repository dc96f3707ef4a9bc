/* table.h - results as text and as tables of a page. An experiment's only result is a JSON object; what
 * is shown of it are columns, rows and sentences that name places in it, "accuracy.none". */
#ifndef LAB_TABLE_H
#define LAB_TABLE_H

#include "report/page.h"

#include <jansson.h>

/* What lies at "a.b.0", NULL where there is nothing; and the same as a number (else NaN), as text (else
 * ""). */
const json_t *lab_at(const json_t *from, const char *path);
double lab_number(const json_t *from, const char *path);
const char *lab_text(const json_t *from, const char *path);

typedef struct {
    const char *path, *label; /* no path: a heading between rows */
    int digits;
} lab_row;

typedef struct {
    const char *heading; /* of the first column NULL: there are no headings                       */
    const char *path;    /* `*` is the row's path, `#` its label; "%..": a share as a percentage;
                            "=..": a sentence, as lab_say has it; NULL: the label          */
    const char *format;  /* printf's, of a text or a number; "%12.*f" has the row's digits        */
} lab_column;

typedef struct {
    const char *title; /* as lab_say has it; NULL: none */
    const lab_column *columns;
    size_t n_columns;
    const lab_row *rows;
    size_t n_rows;
    const char *over;    /* without rows: there is one for each key or place of this      */
    const char *only;    /* rows of which the result has this                             */
    const char *instead; /* a text, which a row that has it shows in place of its numbers */
} lab_table;
#define LAB_COUNT(array) (sizeof(array) / sizeof *(array))
#define LAB_COLUMNS(...)                                                                           \
    .columns = (const lab_column[]){ __VA_ARGS__ },                                                \
    .n_columns = LAB_COUNT(((const lab_column[]){ __VA_ARGS__ }))
#define LAB_ROWS(array) .rows = array, .n_rows = LAB_COUNT(array)

/* Puts numbers into *to as the object `key`, or, key NULL, into *to itself: `names` are parted by blanks. Of
 * "x_deg" the value is in radians, of "x_percent" and of "x%", which is called "x", a share. What is no
 * number becomes null, as in lab_value. */
json_t *lab_value(double value);
#define lab_put(to, key, names, ...)                                                               \
    lab_put_numbers(to, key, names, (const double[]){ __VA_ARGS__ })
void lab_put_numbers(json_t **to, const char *key, const char *names, const double *values);

/* Errors as an object: quantiles, and the percentage that is at most so large, or larger. They are sorted. */
typedef struct {
    const char *key;
    enum { LAB_QUANTILE, LAB_WITHIN, LAB_BEYOND } what;
    double at;
} lab_error_row;
json_t *lab_errors(double *errors /* [n] */, size_t n, const lab_error_row *rows, size_t count);

/* On standard output. lab_say writes a sentence: "{path}" in it is a text or a whole number there,
 * "{path:.2f}" a number as printf has it, "-" where it has none. lab_list writes a heading and every text of a
 * list, which may be missing, in lines that begin with `prefix`. */
void lab_say(const json_t *result, const char *words);
void lab_print_table(const json_t *result, const lab_table *table);
/* Rows whose numbers stand at their paths, beside those in the object `beside`; of several runs the mean and
 * the deviation. */
void lab_print_rows(const json_t *result, const char *beside, const lab_row *rows, size_t n);
void lab_print_list(const json_t *result, const char *path, const char *heading,
                    const char *prefix);

/* The same table, without its title, on a page; without a caption its rows behind those of the last one. */
void lab_put_table(recon_page *page, const char *caption, const json_t *result,
                   const lab_table *table);

#endif
