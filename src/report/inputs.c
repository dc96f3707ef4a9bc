/* inputs.c - see inputs.h: what pairs and listings of any kind of inputs share. */
#include "report/inputs.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/formats.h"
#include "report/page_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const recon_input_drawing *recon_input_drawing_of(const char *kind, const recon_group *group)
{
    static const recon_input_drawing *const all[] = { &recon_images_drawing,
                                                      &recon_molecules_drawing };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i]->kind->name, kind) && all[i]->group == group)
            return all[i];
    return NULL;
}

static const recon_input_drawing *drawing_of(const recon_listing *l)
{
    return l->data ? recon_input_drawing_of(l->data->kind->name, l->group) : NULL;
}

static double degrees(const recon_line *line, const recon_group *group)
{
    return RECON_TO_DEGREES * group->length(group, line->pose);
}

static int is_unclear(const recon_line *line)
{
    return line->verdict == RECON_NATURAL_NONE || line->verdict == RECON_NATURAL_UNSURE;
}

const char *recon_line_say(recon_line_words out, const recon_line *line, const recon_group *group)
{
    if (line->rotated && degrees(line, group) < 1)
        snprintf(out, sizeof(recon_line_words), "rotated by less than 1\xc2\xb0");
    else if (line->rotated)
        snprintf(out, sizeof(recon_line_words), "rotated by %.0f\xc2\xb0", degrees(line, group));
    else
        snprintf(out, sizeof(recon_line_words), "left%s",
                 line->verdict == RECON_NATURAL_NONE     ? ": no natural pose"
                 : line->verdict == RECON_NATURAL_UNSURE ? ": cannot tell"
                                                         : " as it is");
    return out;
}

/* --- pairs ------------------------------------------------------------------------------------ */

void recon_page_pairs(recon_page *page, const recon_listing *l, const size_t *row, size_t n,
                      const char *caption)
{
    const recon_input_drawing *d = drawing_of(l);
    if (page->status == RECON_OK && d && n)
        recon_page_fail(page, d->pairs(page->ctx, page, l, row, n, caption));
}

typedef struct {
    double key;
    size_t row;
} ranked;

static int by_key(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* At most `most` of the ranked, evenly. */
static void take(size_t row[RECON_PAIRS_MOST], size_t *n, ranked *list, size_t count, size_t most)
{
    size_t some = count < most ? count : most;
    qsort(list, count, sizeof *list, by_key);
    for (size_t i = 0; i < some; i++)
        row[(*n)++] = list[(2 * i + 1) * count / (2 * some)].row;
}

recon_status recon_pairs_choose(recon_ctx *ctx, size_t row[RECON_PAIRS_MOST], size_t *n,
                                const recon_listing *l)
{
    ranked *list[3] = { NULL };
    size_t count[3] = { 0 };
    recon_status status = recon_alloc_raw(ctx, &list[0], 3 * l->n, sizeof *list[0]);
    *n = 0;
    if (status != RECON_OK)
        return status;
    list[1] = list[0] + l->n;
    list[2] = list[1] + l->n;
    for (size_t i = 0; i < l->n; i++) {
        int kind = l->line[i].rotated ? 0 : is_unclear(&l->line[i]) ? 1 : 2;
        list[kind][count[kind]++] = (ranked){ degrees(&l->line[i], l->group), i };
    }
    take(row, n, list[0], count[0], RECON_PAIRS_MOST / 2);
    take(row, n, list[1], count[1], RECON_PAIRS_MOST / 4);
    take(row, n, list[2], count[2], RECON_PAIRS_MOST - *n < 6 ? RECON_PAIRS_MOST - *n : 6);
    free(list[0]);
    return RECON_OK;
}

/* --- the table of all ------------------------------------------------------------------------- */

/* A string of JSON that HTML and XML read as it is, exact unless it is not UTF-8. */
static void put_string(recon_markup *m, const char *text)
{
    size_t left = strlen(text);
    recon_markup_put(m, "\"");
    while (left) {
        uint32_t code = 0xfffd;
        size_t n = recon_utf8_next(&code, text, left);
        char escape[8];
        snprintf(escape, sizeof escape, "\\u%04x", n ? (unsigned)code : 0xfffdu);
        if (!n || (code < 0x10000 && (recon_utf8_steers(code) || strchr("<>&\"\\", (int)code))) ||
            code == 0xfffe || code == 0xffff)
            recon_markup_put(m, escape);
        else
            recon_markup_bytes(m, text, n);
        text += n ? n : 1;
        left -= n ? n : 1;
    }
    recon_markup_put(m, "\"");
}

static void put_member(recon_markup *m, const char *key, const char *text)
{
    recon_markup_put(m, key);
    put_string(m, text);
}

/* [name, cluster, degrees, score, p-value, p-value of the embedding, verdict, rotated], as poses.csv
 * has them; what is not known is null. */
static void put_line(recon_markup *m, const recon_line *line, const recon_group *group)
{
    const double value[] = { degrees(line, group) *
                                 (group->text_degrees && line->pose[0] < 0 ? -1 : 1),
                             line->score, line->p_value, line->p_embedding };
    static const char *const format[] = { ",%.2f", ",%.6g", ",%.4g", ",%.4g" };
    char text[64];
    recon_markup_put(m, "[");
    put_string(m, line->name);
    snprintf(text, sizeof text, line->cluster < 0 ? ",null" : ",%lld", (long long)line->cluster);
    recon_markup_put(m, text);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        snprintf(text, sizeof text, isfinite(value[i]) ? format[i] : ",null", value[i]);
        recon_markup_put(m, text);
    }
    snprintf(text, sizeof text, ",%d,%d]", (int)line->verdict, line->rotated);
    recon_markup_put(m, text);
}

static recon_status put_listing(recon_ctx *ctx, recon_markup *m, const recon_listing *l)
{
    const recon_input_drawing *d = drawing_of(l);
    put_member(m, "{\"heading\":", l->heading);
    put_member(m, ",\"one\":", l->data ? l->data->kind->one : "input");
    put_member(m, ",\"many\":", l->data ? l->data->kind->many : "inputs");
    for (int v = 0; v < RECON_NATURAL_KINDS; v++)
        put_member(m, v ? "," : ",\"verdicts\":[", recon_natural_name((recon_natural)v));
    recon_markup_put(m, "],\"rows\":[");
    for (size_t i = 0; i < l->n; i++) {
        recon_markup_put(m, i ? ",\n" : "\n");
        put_line(m, &l->line[i], l->group);
    }
    recon_markup_put(m, "]");
    recon_status status = d ? d->pictures(ctx, m, l) : RECON_OK;
    recon_markup_put(m, "}");
    return status == RECON_OK ? m->status : status;
}

void recon_page_listing(recon_page *page, const recon_listing *l)
{
    recon_listing some = *l;
    recon_markup *m = recon_page_next(page);
    if (some.n > RECON_LISTING_MOST)
        some.n = RECON_LISTING_MOST;
    if (page->status != RECON_OK)
        return;
    recon_markup_put(m,
                     "<div class=\"listing\">\n<p class=\"unlisted\">This table needs JavaScript; "
                     "poses.csv has the same lines.</p>\n<script type=\"application/json\">");
    locale_t before = uselocale(page->plain);
    recon_status status = put_listing(page->ctx, m, &some);
    uselocale(before);
    recon_markup_put(m, "</script>\n</div>\n");
    recon_page_fail(page, status);
    if (l->n > some.n)
        recon_page_say(page, "The first %zu of %zu are listed; poses.csv has all.", some.n, l->n);
}
