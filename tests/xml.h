/* xml.h - reads SVG text as strictly as an XML parser would, and asks where things lie. */
#ifndef TESTS_XML_H
#define TESTS_XML_H

#include "check.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    char name[32];
    const char *attributes, *end; /* what stands between the name and the closing bracket */
    int closes, empty;            /* </name>, <name/> */
} xml_tag;

typedef void xml_visitor(void *arg, const xml_tag *tag);

/* One character or entity of text or of an attribute. */
static inline const char *xml_character(const char *at)
{
    static const char *const entity[] = { "&amp;", "&lt;", "&gt;", "&quot;" };
    if (*at == '&') {
        for (int i = 0; i < 4; i++)
            if (strncmp(at, entity[i], strlen(entity[i])) == 0)
                return at + strlen(entity[i]);
        fail_msg("a bare & before \"%.20s\"", at);
    }
    if (*at == '<' || ((unsigned char)*at < ' ' && !isspace((unsigned char)*at)))
        fail_msg("a character %02x before \"%.20s\"", (unsigned)*at, at);
    return at + 1;
}

static inline const char *xml_attributes(const char *at)
{
    while (*at == ' ') {
        at++;
        while (isalnum((unsigned char)*at) || *at == '-')
            at++;
        if (at[0] != '=' || at[1] != '"')
            fail_msg("an attribute without value before \"%.20s\"", at);
        for (at += 2; *at != '"';)
            at = xml_character(at);
        at++;
    }
    return at;
}

static inline const char *xml_read_tag(xml_tag *tag, const char *at)
{
    size_t n = 0;
    memset(tag, 0, sizeof *tag);
    tag->closes = at[1] == '/';
    at += 1 + tag->closes;
    while (isalnum((unsigned char)*at) && n < sizeof tag->name - 1)
        tag->name[n++] = *at++;
    tag->attributes = at;
    tag->end = at = xml_attributes(at);
    tag->empty = *at == '/';
    at += tag->empty;
    if (n == 0 || *at != '>')
        fail_msg("a tag that does not end before \"%.20s\"", at);
    return at + 1;
}

/* Fails unless the text is one element with everything in it balanced and escaped. */
static inline void xml_walk(const char *text, xml_visitor *visit, void *arg)
{
    char open[32][32];
    int depth = 0, roots = 0;
    for (const char *at = text; *at;) {
        xml_tag tag;
        if (*at != '<') {
            if (depth == 0 && !isspace((unsigned char)*at))
                fail_msg("text outside: \"%.20s\"", at);
            at = xml_character(at);
            continue;
        }
        at = xml_read_tag(&tag, at);
        roots += depth == 0;
        if (tag.closes) {
            assert_true(depth > 0);
            assert_string_equal(tag.name, open[--depth]);
        } else if (!tag.empty) {
            assert_true(depth < 32);
            strcpy(open[depth++], tag.name);
        }
        if (visit && !tag.closes)
            visit(arg, &tag);
    }
    assert_int_equal(depth, 0);
    assert_int_equal(roots, 1);
}

/* The value of an attribute, up to its quote; NULL without it. */
static inline const char *xml_attribute(const xml_tag *tag, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = tag->attributes; at < tag->end; at++)
        if (*at == ' ' && strncmp(at + 1, name, n) == 0 && strncmp(at + 1 + n, "=\"", 2) == 0)
            return at + n + 3;
    return NULL;
}

static inline double xml_number(const xml_tag *tag, const char *name)
{
    const char *value = xml_attribute(tag, name);
    if (!value)
        fail_msg("<%s> has no %s", tag->name, name);
    return strtod(value, NULL);
}

static inline int xml_has_class(const xml_tag *tag, const char *cls)
{
    const char *value = xml_attribute(tag, "class");
    return value && strncmp(value, cls, strlen(cls)) == 0 && value[strlen(cls)] == '"';
}

/* How many elements have this name and this class (NULL: any). */
typedef struct {
    const char *name, *cls;
    int count;
} xml_query;

static inline void xml_count_one(void *arg, const xml_tag *tag)
{
    xml_query *q = arg;
    q->count += strcmp(tag->name, q->name) == 0 && (!q->cls || xml_has_class(tag, q->cls));
}

static inline int xml_count(const char *text, const char *name, const char *cls)
{
    xml_query q = { name, cls, 0 };
    xml_walk(text, xml_count_one, &q);
    return q.count;
}

typedef struct {
    double width, height;
} xml_box;

static inline void xml_inside(const xml_box *box, const xml_tag *tag, double x, double y)
{
    if (!(x >= -0.01 && x <= box->width + 0.01 && y >= -0.01 && y <= box->height + 0.01))
        fail_msg("<%s %.60s has (%g, %g), outside %g x %g", tag->name, tag->attributes, x, y,
                 box->width, box->height);
}

/* M x y, L x y, A r r 0 0 f x y, Z. */
static inline void xml_path_inside(const xml_box *box, const xml_tag *tag)
{
    char *at = (char *)(uintptr_t)xml_attribute(tag, "d");
    while (*at != '"') {
        char command = *at++;
        double v[7];
        int n = command == 'A' ? 7 : command == 'Z' ? 0 : 2;
        for (int i = 0; i < n; i++) {
            char *from = at;
            v[i] = strtod(from, &at);
            assert_true(at > from && isfinite(v[i]));
        }
        if (n)
            xml_inside(box, tag, v[n - 2], v[n - 1]);
    }
}

static inline void xml_check_place(void *arg, const xml_tag *tag)
{
    xml_box *box = arg;
    if (strcmp(tag->name, "svg") == 0)
        assert_int_equal(
            sscanf(xml_attribute(tag, "viewBox"), "0 0 %lf %lf", &box->width, &box->height), 2);
    else if (strcmp(tag->name, "path") == 0)
        xml_path_inside(box, tag);
    else if (strcmp(tag->name, "text") == 0)
        xml_inside(box, tag, xml_number(tag, "x"), xml_number(tag, "y"));
    else if (strcmp(tag->name, "circle") == 0) {
        double r = xml_number(tag, "r"), x = xml_number(tag, "cx"), y = xml_number(tag, "cy");
        xml_inside(box, tag, x - r, y - r);
        xml_inside(box, tag, x + r, y + r);
    } else if (strcmp(tag->name, "line") == 0) {
        xml_inside(box, tag, xml_number(tag, "x1"), xml_number(tag, "y1"));
        xml_inside(box, tag, xml_number(tag, "x2"), xml_number(tag, "y2"));
    } else if (strcmp(tag->name, "rect") == 0 || strcmp(tag->name, "image") == 0) {
        double x = xml_number(tag, "x"), y = xml_number(tag, "y");
        xml_inside(box, tag, x, y);
        xml_inside(box, tag, x + xml_number(tag, "width"), y + xml_number(tag, "height"));
    }
}

/* Fails unless all of an SVG picture lies in its view box. */
static inline void xml_check_inside(const char *text)
{
    xml_box box = { 0, 0 };
    xml_walk(text, xml_check_place, &box);
    assert_true(box.width > 0 && box.height > 0);
}

/* The first base64 at or behind text, decoded in place of out; returns the number of bytes. */
static inline size_t xml_base64(unsigned char *out, const char *text)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strstr(text, "base64,");
    size_t n = 0;
    unsigned bits = 0;
    int have = 0;
    assert_non_null(at);
    for (at += 7; *at != '"' && *at != '='; at++) {
        const char *where = strchr(digit, *at);
        assert_non_null(where);
        bits = bits << 6 | (unsigned)(where - digit);
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[n++] = (unsigned char)(bits >> have);
        }
    }
    return n;
}

/* A locale that writes 0,5; NULL where the machine has none. */
#include <locale.h>
static inline const char *comma_locale(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8",
                                         "de_DE.utf8" };
    for (int i = 0; i < 4; i++)
        if (setlocale(LC_NUMERIC, names[i]))
            return names[i];
    return NULL;
}

#endif
