/* page.c - the page from its head to its foot.
 *
 * Results and contents stand above what is written later, so each has a buffer of its own, and the
 * page is put together at the end. It is HTML that is XML as well: every element is closed, every
 * attribute has a value. */
#include "report/page_parts.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static recon_status copy(recon_ctx *ctx, char **out, const char *text)
{
    recon_status status = recon_alloc_raw(ctx, out, strlen(text) + 1, 1);
    if (status == RECON_OK)
        strcpy(*out, text);
    return status;
}

recon_status recon_page_new(recon_ctx *ctx, recon_page **out, const char *title, const char *lead)
{
    recon_page *page;
    recon_status status = recon_alloc(ctx, &page, 1, sizeof *page);
    *out = NULL;
    if (status != RECON_OK)
        return status;
    page->ctx = page->verdict.ctx = page->results.ctx = page->contents.ctx = page->body.ctx = ctx;
    page->table.head.ctx = page->table.cells.ctx = page->table.kinds.ctx = ctx;
    RECON_TRY(copy(ctx, &page->title, title));
    RECON_TRY(lead ? copy(ctx, &page->lead, lead) : RECON_OK);
    page->plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!page->plain)
        status = recon_fail(ctx, RECON_ERR_MEMORY, "page: out of memory");
done:
    if (status == RECON_OK)
        *out = page;
    else
        recon_page_free(page);
    return status;
}

void recon_page_free(recon_page *page)
{
    if (!page)
        return;
    if (page->plain)
        freelocale(page->plain);
    free(page->title);
    free(page->lead);
    free(page->verdict.text);
    free(page->results.text);
    free(page->contents.text);
    free(page->body.text);
    free(page->table.head.text);
    free(page->table.cells.text);
    free(page->table.kinds.text);
    free(page);
}

void recon_page_fail(recon_page *page, recon_status status)
{
    if (page->status != RECON_OK || status == RECON_OK)
        return;
    page->status = status;
    const char *message =
        recon_ctx_message(page->ctx); /* of a text that could not grow, maybe gone */
    snprintf(page->why, sizeof page->why, "%s", message[0] ? message : "page: out of memory");
}

char *recon_page_print(recon_page *page, const char *fmt, va_list ap)
{
    va_list again;
    char *text = NULL, spelled[1024];
    if (page->status != RECON_OK)
        return NULL;
    fmt = recon_spell(spelled, sizeof spelled, fmt, RECON_SPELLING_COMMAND); /* whoever made it */
    va_copy(again, ap);
    locale_t before = uselocale(page->plain);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n < 0)
        recon_page_fail(page, recon_fail(page->ctx, RECON_ERR_INPUT, "page: format \"%s\"", fmt));
    else
        recon_page_fail(page, recon_alloc_raw(page->ctx, &text, (size_t)n + 1, 1));
    if (text)
        vsnprintf(text, (size_t)n + 1, fmt, again);
    uselocale(before);
    va_end(again);
    return text;
}

recon_markup *recon_page_next(recon_page *page)
{
    if (page->open == PAGE_TABLE || page->open == PAGE_NUMBERS)
        recon_page_end_table(page);
    if (page->open == PAGE_FIGURE || page->open == PAGE_NUMBERS)
        recon_markup_put(&page->body, "</figure>\n");
    recon_page_fail(page, page->body.status);
    page->open = PAGE_TEXT;
    return &page->body;
}

/* before, the text, after. */
static void put_text(recon_markup *m, const char *before, const char *text, const char *after)
{
    recon_markup_put(m, before);
    recon_markup_escaped(m, text);
    recon_markup_put(m, after);
}

static void put_number(recon_markup *m, const char *before, size_t number, const char *after)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%zu", number);
    put_text(m, before, digits, after);
}

/* Text in which what stands between two backquotes is code. */
static void put_prose(recon_markup *m, const char *before, const char *text, const char *after)
{
    const char *open, *close;
    recon_markup_put(m, before);
    while ((open = strchr(text, '`')) && (close = strchr(open + 1, '`'))) {
        recon_markup_escaped_part(m, text, (size_t)(open - text));
        recon_markup_put(m, "<code>");
        recon_markup_escaped_part(m, open + 1, (size_t)(close - open - 1));
        recon_markup_put(m, "</code>");
        text = close + 1;
    }
    put_text(m, "", text, after);
}

void recon_page_verdict(recon_page *page, const char *cls, const char *verdict, const char *fmt,
                        ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = recon_page_print(page, fmt, ap);
    va_end(ap);
    if (!text)
        return;
    put_text(&page->verdict, "<p class=\"verdict ", cls, "\">");
    if (verdict)
        put_text(&page->verdict, "<strong>", verdict, "</strong> ");
    put_text(&page->verdict, "", text, "</p>\n");
    free(text);
}

void recon_page_result(recon_page *page, const char *what, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *value = recon_page_print(page, fmt, ap);
    va_end(ap);
    if (!value)
        return;
    put_text(&page->results, "<div><dt>", what, "</dt>");
    put_text(&page->results, "<dd>", value, "</dd></div>\n");
    free(value);
}

void recon_page_section(recon_page *page, const char *heading)
{
    recon_markup *body = recon_page_next(page);
    recon_markup_put(body, page->sections++ ? "</section>\n" : "");
    put_number(body, "<section aria-labelledby=\"section-", page->sections, "\">\n");
    put_number(body, "<h2 id=\"section-", page->sections, "\">");
    put_text(body, "", heading, "</h2>\n");
    put_number(&page->contents, "<li><a href=\"#section-", page->sections, "\">");
    put_text(&page->contents, "", heading, "</a></li>\n");
}

static void put_paragraph(recon_page *page, const char *before, const char *fmt, va_list ap)
{
    char *text = recon_page_print(page, fmt, ap);
    if (text)
        put_prose(recon_page_next(page), before, text, "</p>\n");
    free(text);
}

void recon_page_say(recon_page *page, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_paragraph(page, "<p>", fmt, ap);
    va_end(ap);
}

void recon_page_warning(recon_page *page, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_paragraph(page, "<p class=\"warning\" role=\"note\"><strong>Warning.</strong> ", fmt, ap);
    va_end(ap);
}

/* The style sheet learns the width at which a figure's letters have their own size. */
static void put_width(recon_markup *m, const char *svg)
{
    static const char box[] = "viewBox=\"0 0 ";
    const char *at = strstr(svg, box);
    if (!at)
        return;
    at += strlen(box);
    recon_markup_put(m, " style=\"--width:");
    recon_markup_bytes(m, at, strspn(at, "0123456789."));
    recon_markup_put(m, "px\"");
}

void recon_page_picture(recon_page *page, const char *svg, const char *caption, const char *kind,
                        const char *data)
{
    recon_markup *body = recon_page_next(page);
    put_number(body, "<figure id=\"figure-", ++page->figures, "\">\n<div class=\"plot\"");
    put_width(body, svg);
    recon_markup_put(body, ">\n");
    recon_markup_put(body, svg);
    recon_markup_put(body, "</div>\n");
    if (data) { /* numbers and fixed words: nothing in it to escape */
        put_text(body, "<script type=\"application/json\" class=\"", kind, "\">");
        recon_markup_put(body, data);
        recon_markup_put(body, "</script>\n");
    }
    put_number(body, "<figcaption><b>Figure ", page->figures, ".</b> ");
    put_prose(body, "", caption, "</figcaption>\n");
    page->open = PAGE_FIGURE;
}

void recon_page_figure(recon_page *page, char *svg, const char *caption)
{
    if (page->status == RECON_OK && svg)
        recon_page_picture(page, svg, caption, NULL, NULL);
    else if (page->status == RECON_OK)
        recon_page_fail(
            page, recon_fail(page->ctx, RECON_ERR_INPUT, "page: no picture for \"%s\"", caption));
    free(svg);
}

/* What the page may do: use the styles it holds, run the one script, show images it holds. */
static void put_policy(recon_markup *m)
{
    recon_markup_put(m,
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "img-src data:; style-src 'unsafe-inline'; script-src 'sha256-");
    recon_markup_put(m, recon_page_js_sha256);
    recon_markup_put(m, "'; base-uri 'none'; form-action 'none'\"/>\n");
}

static void put_head(recon_markup *m, const recon_page *page)
{
    recon_markup_put(m, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    put_policy(m);
    recon_markup_put(m,
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                     "<meta name=\"color-scheme\" content=\"light dark\"/>\n");
    put_text(m, "<meta name=\"generator\" content=\"recon ", recon_version(), "\"/>\n");
    put_text(m, "<title>", page->title, "</title>\n");
    recon_markup_put(m, "<link rel=\"icon\" href=\"data:,\"/>\n<style>\n");
    recon_markup_put(m, recon_page_css);
    recon_markup_put(m, "</style>\n</head>\n");
}

static void put_top(recon_markup *m, const recon_page *page)
{
    recon_markup_put(m,
                     "<body>\n<a class=\"skip\" href=\"#content\">To the content</a>\n<header>\n");
    put_text(m, "<h1>", page->title, "</h1>\n");
    if (page->lead)
        put_prose(m, "<p class=\"lead\">", page->lead, "</p>\n");
    if (page->verdict.used)
        recon_markup_bytes(m, page->verdict.text, page->verdict.used);
    if (page->results.used) {
        recon_markup_put(m, "<dl class=\"results\" aria-label=\"Results\">\n");
        recon_markup_bytes(m, page->results.text, page->results.used);
        recon_markup_put(m, "</dl>\n");
    }
    recon_markup_put(m, "</header>\n");
    if (page->sections > 1) {
        recon_markup_put(m, "<nav aria-label=\"Contents\">\n<ol>\n");
        recon_markup_bytes(m, page->contents.text, page->contents.used);
        recon_markup_put(m, "</ol>\n</nav>\n");
    }
}

static void put_rest(recon_markup *m, const recon_page *page)
{
    recon_markup_put(m, "<main id=\"content\">\n");
    if (page->body.used)
        recon_markup_bytes(m, page->body.text, page->body.used);
    recon_markup_put(m, page->sections ? "</section>\n" : "");
    put_text(m, "</main>\n<footer><p>Made by recon ", recon_version(),
             ". This page is one file and loads nothing.</p></footer>\n<script>");
    recon_markup_put(m, recon_page_js);
    recon_markup_put(m, "</script>\n</body>\n</html>\n");
}

recon_status recon_page_finish(recon_page *page, char **out)
{
    recon_markup whole = { .ctx = page->ctx };
    recon_page_next(page);
    recon_page_fail(page, page->verdict.status);
    recon_page_fail(page, page->results.status);
    recon_page_fail(page, page->contents.status);
    recon_page_fail(page, page->body.status);
    if (page->status != RECON_OK)
        whole.status = recon_fail(page->ctx, page->status, "%s", page->why);
    put_head(&whole, page);
    put_top(&whole, page);
    put_rest(&whole, page);
    recon_page_free(page);
    *out = NULL;
    if (whole.status == RECON_OK)
        *out = whole.text;
    else
        free(whole.text);
    return whole.status;
}

static recon_status save(recon_page *page, const char *path,
                         recon_status (*put)(recon_ctx *, const char *, const char *))
{
    recon_ctx *ctx = page->ctx;
    char *text;
    recon_status status = recon_page_finish(page, &text);
    if (status == RECON_OK)
        status = put(ctx, path, text);
    free(text);
    return status;
}

recon_status recon_page_save(recon_page *page, const char *path)
{
    return save(page, path, recon_svg_save);
}

recon_status recon_page_save_over(recon_page *page, const char *path)
{
    return save(page, path, recon_svg_save_over);
}
