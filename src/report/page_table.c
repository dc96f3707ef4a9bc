/* page_table.c - tables: kept until they end, for a column is set by all that stands in it. */
#include "report/page_parts.h"
#include "core/fail.h"

#include <stdlib.h>
#include <string.h>

/* What a column has held so far. */
enum { GAPS, NUMBERS, WORDS };

static void keep(recon_markup *m, const char *text)
{
    recon_markup_bytes(m, text, strlen(text) + 1);
}

static const char *next(const char *text)
{
    return text + strlen(text) + 1;
}

void recon_page_table(recon_page *page, const char *caption, const char *const *columns, size_t n)
{
    page_part part = page->open == PAGE_FIGURE ? PAGE_NUMBERS : PAGE_TABLE;
    if (part == PAGE_TABLE)
        recon_page_next(page);
    if (page->status == RECON_OK && n == 0)
        recon_page_fail(page, recon_fail(page->ctx, RECON_ERR_INPUT,
                                         "page: table \"%s\" has no columns", caption));
    if (page->status != RECON_OK)
        return;
    page->open = part;
    page->table.head.used = page->table.cells.used = page->table.kinds.used = 0;
    page->table.columns = n;
    page->table.count = 0;
    keep(&page->table.head, caption);
    for (size_t c = 0; c < n; c++) {
        keep(&page->table.head, columns[c]);
        recon_markup_bytes(&page->table.kinds, &(char){ GAPS }, 1);
    }
    recon_page_fail(page, page->table.head.status);
    recon_page_fail(page, page->table.kinds.status);
}

/* 12, -0.5, 3.1e-05, 89.0 %, 1 / 40, 0.93 with what is beside it behind a plus-minus sign. */
static int is_number(const char *text)
{
    static const char *const signs[] = { "\xc2\xb0", "\xc2\xb1", "\xe2\x88\x92", "\xc3\x97" };
    int digits = 0;
    while (*text) {
        size_t n = strspn(text, "0123456789");
        digits |= n > 0;
        n += strspn(text + n, ".,+-%eE /()");
        for (int i = 0; n == 0 && i < 4; i++)
            n = strncmp(text, signs[i], strlen(signs[i])) == 0 ? strlen(signs[i]) : 0;
        if (n == 0)
            return 0;
        text += n;
    }
    return digits;
}

/* What stands where a number would, and is none. */
static int is_gap(const char *text)
{
    static const char *const gaps[] = { "", "-", "\xe2\x80\x93", "nan", "-nan", "inf", "-inf" };
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        if (strcmp(text, gaps[i]) == 0)
            return 1;
    return 0;
}

static void add(recon_page *page, const char *text)
{
    char kind = is_gap(text) ? GAPS : is_number(text) ? NUMBERS : WORDS;
    char *column = &page->table.kinds.text[page->table.count++ % page->table.columns];
    *column = *column > kind ? *column : kind;
    keep(&page->table.cells, text);
    recon_page_fail(page, page->table.cells.status);
}

void recon_page_cell(recon_page *page, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = recon_page_print(page, fmt, ap);
    va_end(ap);
    if (text && (page->open == PAGE_TABLE || page->open == PAGE_NUMBERS))
        add(page, text);
    else if (text)
        recon_page_fail(
            page, recon_fail(page->ctx, RECON_ERR_INPUT, "page: cell \"%s\" is in no table", text));
    free(text);
}

static void put_cell(recon_page *page, const char *tag, const char *scope, size_t column,
                     const char *text)
{
    recon_markup *m = &page->body;
    recon_markup_put(m, "<");
    recon_markup_put(m, tag);
    recon_markup_put(m, scope);
    recon_markup_put(m, page->table.kinds.text[column] == NUMBERS ? " class=\"number\">" : ">");
    recon_markup_escaped(m, text);
    recon_markup_put(m, "</");
    recon_markup_put(m, tag);
    recon_markup_put(m, ">");
}

static void put_head(recon_page *page)
{
    const char *text = page->table.head.text;
    recon_markup_put(&page->body, "<table>\n<caption>");
    recon_markup_escaped(&page->body, text);
    recon_markup_put(&page->body, "</caption>\n<thead><tr>");
    for (size_t c = 0; c < page->table.columns; c++) {
        text = next(text);
        put_cell(page, "th", " scope=\"col\"", c, text);
    }
    recon_markup_put(&page->body, "</tr></thead>\n<tbody>\n");
}

static void put_rows(recon_page *page)
{
    const char *text = page->table.cells.text;
    for (size_t i = 0; i < page->table.count; i++, text = next(text)) {
        size_t c = i % page->table.columns;
        recon_markup_put(&page->body, c == 0 ? "<tr>" : "");
        put_cell(page, c == 0 ? "th" : "td", c == 0 ? " scope=\"row\"" : "", c, text);
        recon_markup_put(&page->body, c + 1 == page->table.columns ? "</tr>\n" : "");
    }
    if (page->table.count == 0)
        recon_markup_put(&page->body, "<tr><td colspan=\"100\">none</td></tr>\n");
    recon_markup_put(&page->body, "</tbody>\n</table>");
}

void recon_page_end_table(recon_page *page)
{
    int numbers = page->open == PAGE_NUMBERS;
    if (page->status == RECON_OK && page->table.count % page->table.columns)
        recon_page_fail(page,
                        recon_fail(page->ctx, RECON_ERR_INPUT,
                                   "page: table \"%s\" has %zu cells in %zu columns",
                                   page->table.head.text, page->table.count, page->table.columns));
    if (page->status != RECON_OK)
        return;
    recon_markup_put(&page->body, numbers ? "<details><summary>The numbers</summary>\n" : "");
    recon_markup_put(&page->body,
                     "<div class=\"table\" role=\"group\" aria-label=\"Table\" tabindex=\"0\">");
    put_head(page);
    put_rows(page);
    recon_markup_put(&page->body, numbers ? "</div>\n</details>\n" : "</div>\n");
}
