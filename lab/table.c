/* table.c - prints tables and makes their pages: see table.h. */
#include "lab/table.h"
#include "core/text.h"
#include "core/json.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 512, PATH = 160, LONG = 8192, MOST_COLUMNS = 16 };

/* --- places ----------------------------------------------------------------------------------- */

const json_t *lab_at(const json_t *from, const char *path)
{
    while (from && *path) {
        char key[PATH];
        size_t n = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)n, path);
        from = json_is_array(from) ? json_array_get(from, strtoul(key, NULL, 10))
                                   : json_object_get(from, key);
        path += path[n] ? n + 1 : n;
    }
    return from;
}

double lab_number(const json_t *from, const char *path)
{
    from = lab_at(from, path);
    return json_is_number(from) ? json_number_value(from) : NAN;
}

const char *lab_text(const json_t *from, const char *path)
{
    const char *text = json_string_value(lab_at(from, path));
    return text ? text : "";
}

json_t *lab_value(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *lab_percent(double share)
{
    return isnan(share) ? json_null() : json_real(round(1e4 * share) / 100);
}

static int ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), k = strlen(end);
    return n >= k && !strcmp(name + n - k, end);
}

void lab_put_numbers(json_t **to, const char *key, const char *names, const double *values)
{
    json_t *own = key ? json_object() : NULL, **into = key ? &own : to;
    for (; *names; values++) {
        char name[PATH];
        size_t n = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, names);
        double scale = ends_in(name, "_deg")                             ? RECON_TO_DEGREES
                       : ends_in(name, "_percent") || ends_in(name, "%") ? 100
                                                                         : 1;
        name[strcspn(name, "%")] = '\0';
        recon_json_put(into, name, lab_value(scale * *values));
        names += n + strspn(names + n, " ");
    }
    if (key)
        recon_json_put(to, key, own);
}

json_t *lab_errors(double *errors, size_t n, const lab_error_row *rows, size_t count)
{
    json_t *out = json_object();
    recon_sort_doubles(errors, n);
    for (size_t r = 0; r < count; r++) {
        double share = 0;
        for (size_t i = 0; i < n; i++)
            share += ((errors[i] <= rows[r].at) == (rows[r].what == LAB_WITHIN)) / (double)n;
        recon_json_put(&out, rows[r].key,
                       json_real(rows[r].what == LAB_QUANTILE
                                     ? recon_quantile(errors, n, rows[r].at)
                                     : 100 * share));
    }
    return out;
}

/* --- cells ------------------------------------------------------------------------------------ */

typedef char cell_text[ROOM];

/* How many characters wide what a format makes is, negative where it stands left: "  %-12s" is
 * -14. */
static int width_of(const char *format)
{
    int width = 0, sign = 1;
    for (; *format; format++)
        if (*format != '%' || *++format == '%')
            width++;
        else {
            char *end;
            long n = strtol(format, &end, 10);
            sign = n < 0 ? -1 : 1;
            width += (int)labs(n);
            format = end + strcspn(end, "fgs");
        }
    return sign * width;
}

static void print_number(cell_text out, const char *format, int digits, double value)
{
    if (isnan(value))
        snprintf(out, ROOM, "%*s", width_of(format), "-");
    else if (strchr(format, '*'))
        snprintf(out, ROOM, format, digits, value);
    else
        snprintf(out, ROOM, format, value);
}

/* Words with the places that they name filled in. */
static void expand(char *out, size_t room, const json_t *result, const char *words)
{
    size_t n = 0;
    for (*out = '\0'; *words && n < room;) {
        char path[PATH], format[16] = "";
        cell_text number;
        size_t plain = strcspn(words, "{"), name = strcspn(words + plain, ":}");
        n += (size_t)snprintf(out + n, room - n, "%.*s", (int)plain, words);
        words += plain;
        if (!*words || n >= room)
            return;
        const char *end = strchr(words, '}');
        snprintf(path, sizeof path, "%.*s", (int)name - 1, words + 1);
        if (words[name] == ':')
            snprintf(format, sizeof format, "%%%.*s", (int)(end - words - (long)name - 1),
                     words + name + 1);
        int share = *path == '%';
        const char *text = json_string_value(lab_at(result, path));
        if (!text)
            print_number(number, *format ? format : "%.0f", 0,
                         (share ? 100 : 1) * lab_number(result, path + share));
        n += (size_t)snprintf(out + n, room - n, text && *format ? format : "%s",
                              text ? text : number);
        words = end + 1;
    }
}

static void fill(char *out, size_t room, const char *path, const lab_row *row)
{
    size_t n = 0;
    for (; *path && n + 1 < room; path++) {
        const char *word = *path == '*' ? row->path : *path == '#' ? row->label : NULL;
        if (word)
            n += (size_t)snprintf(out + n, room - n, "%s", word);
        else
            out[n++] = *path;
    }
    out[n < room ? n : room - 1] = '\0';
}

static const json_t *value_of(const json_t *result, const char *path, const lab_row *row)
{
    char whole[PATH];
    fill(whole, sizeof whole, path, row);
    return lab_at(result, whole);
}

static void print_cell(cell_text out, const json_t *result, const lab_column *c, const lab_row *row)
{
    char path[PATH], words[ROOM];
    int kind = c->path ? *c->path : 0;
    const json_t *value = NULL;
    if (c->path)
        fill(path, sizeof path, c->path + (kind == '%' || kind == '='), row);
    if (kind == '=')
        expand(words, sizeof words, result, path);
    else if (c->path)
        value = lab_at(result, path);
    if (c->format[strcspn(c->format, "fgs")] == 's')
        snprintf(out, ROOM, c->format,
                 !c->path                   ? row->label
                 : kind == '='              ? words
                 : json_is_boolean(value)   ? (json_is_true(value) ? "yes" : "no")
                 : json_string_value(value) ? json_string_value(value)
                                            : "-");
    else
        print_number(out, c->format, row->digits, lab_number(value, "") * (kind == '%' ? 100 : 1));
}

/* --- tables ----------------------------------------------------------------------------------- */

/* Row i; 0: there are no more. */
static int row_at(lab_row *out, char key[PATH], const json_t *result, const lab_table *t, size_t i)
{
    const json_t *over = t->over ? lab_at(result, t->over) : NULL;
    if (!t->over) {
        if (i < t->n_rows)
            *out = t->rows[i];
        return i < t->n_rows;
    }
    void *at = json_object_iter((json_t *)(uintptr_t)over);
    for (size_t k = 0; at && k < i; k++)
        at = json_object_iter_next((json_t *)(uintptr_t)over, at);
    if (!at && i >= json_array_size(over))
        return 0;
    if (at)
        snprintf(key, PATH, "%s", json_object_iter_key(at));
    else
        snprintf(key, PATH, "%zu", i);
    *out = (lab_row){ key, key, 0 };
    return 1;
}

static int is_left_out(const json_t *result, const lab_table *t, const lab_row *row)
{
    return t->only && row->path && !value_of(result, t->only, row);
}

void lab_print_table(const json_t *result, const lab_table *t)
{
    cell_text cell;
    lab_row row;
    char key[PATH];
    lab_say(result, t->title ? t->title : "");
    for (size_t c = 0; c < t->n_columns && t->columns->heading; c++)
        printf("%*s", width_of(t->columns[c].format), t->columns[c].heading);
    if (t->columns->heading)
        putchar('\n');
    for (size_t i = 0; row_at(&row, key, result, t, i); i++) {
        const char *instead =
            t->instead ? json_string_value(value_of(result, t->instead, &row)) : NULL;
        if (is_left_out(result, t, &row))
            continue;
        for (size_t c = 0; row.path && c < (instead ? 1 : t->n_columns); c++) {
            print_cell(cell, result, &t->columns[c], &row);
            fputs(cell, stdout);
        }
        puts(instead ? instead : row.path ? "" : row.label);
    }
}

void lab_print_rows(const json_t *result, const char *beside, const lab_row *rows, size_t n)
{
    int several = lab_at(result, "spread") != NULL;
    char path[PATH];
    lab_column columns[4] = { { "", NULL, "  %-34s" },
                              { several ? "mean" : "ours", "*", "%12.*f" } };
    columns[2] = (lab_column){ "spread", "spread.*", "%12.*f" };
    columns[2 + several] = (lab_column){ beside, path, "%12.*f" };
    snprintf(path, sizeof path, "%s.*", beside);
    lab_print_table(result, &(lab_table){ .title = "\n",
                                          .columns = columns,
                                          .n_columns = (size_t)(3 + several),
                                          .rows = rows,
                                          .n_rows = n });
}

void lab_put_table(recon_page *page, const char *caption, const json_t *result, const lab_table *t)
{
    const char *headings[MOST_COLUMNS];
    cell_text cell;
    lab_row row;
    char key[PATH];
    for (size_t c = 0; c < t->n_columns; c++)
        headings[c] = t->columns[c].heading;
    if (caption)
        recon_page_table(page, caption, headings, t->n_columns);
    for (size_t i = 0; row_at(&row, key, result, t, i); i++)
        for (size_t c = 0; !is_left_out(result, t, &row) && c < t->n_columns; c++) {
            print_cell(cell, result, &t->columns[c], &row);
            recon_page_cell(page, "%s", cell + strspn(cell, " "));
        }
}

/* --- sentences -------------------------------------------------------------------------------- */

void lab_say(const json_t *result, const char *words)
{
    char text[LONG];
    expand(text, sizeof text, result, words);
    fputs(text, stdout);
}

void lab_print_list(const json_t *result, const char *path, const char *heading, const char *prefix)
{
    const json_t *list = lab_at(result, path);
    size_t i;
    json_t *text;
    if (list && heading)
        puts(heading);
    json_array_foreach(list, i, text) printf("%s%s\n", prefix, json_string_value(text));
}
