/* page_parts.h - what the parts of a page share. */
#ifndef REPORT_PAGE_PARTS_H
#define REPORT_PAGE_PARTS_H

#include "report/page.h"
#include "core/svg.h"

#include <locale.h>
#include <stdarg.h>

/* What is being written, and what ends it is yet to come. */
typedef enum { PAGE_TEXT, PAGE_FIGURE, PAGE_TABLE, PAGE_NUMBERS /* a figure's table */ } page_part;

struct recon_page {
    recon_ctx *ctx;
    recon_status status; /* the first failure stays, */
    char why[512];       /* and its message, which other calls with the context may clear */
    locale_t plain;      /* numbers with a point   */
    char *title, *lead;
    recon_markup verdict, results, contents,
        body; /* each grows on its own, and is put in its place last */
    page_part open;
    size_t sections, figures;
    struct {
        recon_markup head, cells; /* texts, each with a zero behind it; the caption is the first */
        recon_markup kinds;       /* [columns] what each has held so far */
        size_t columns, count;
    } table;
};

/* Where the body goes on: after what was open has been ended. */
recon_markup *recon_page_next(recon_page *page);

/* Text of a format, in the page's locale; NULL after a failure. Free it. */
char *recon_page_print(recon_page *page, const char *fmt, va_list ap);

/* A figure up to its caption, left open for its table; data (NULL: none) is JSON for the script,
 * kind what it describes. */
void recon_page_picture(recon_page *page, const char *svg, const char *caption, const char *kind,
                        const char *data);

/* Writes the table that is open. */
void recon_page_end_table(recon_page *page);

/* page.css and page.js, and the hash by which the page allows its script. */
extern const char recon_page_css[], recon_page_js[], recon_page_js_sha256[];

#endif
