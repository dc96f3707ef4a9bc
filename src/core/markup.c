/* markup.c - growing, escaping. */
#include "core/markup.h"
#include "core/memory.h"

#include <string.h>

void recon_markup_bytes(recon_markup *m, const void *bytes, size_t n)
{
    if (m->status == RECON_OK && m->room - m->used <= n)
        m->status = recon_grow(m->ctx, &m->text, &m->room, m->used, m->used + n + 1024, 1);
    if (m->status != RECON_OK)
        return;
    memcpy(m->text + m->used, bytes, n);
    m->used += n;
    m->text[m->used] = '\0';
}

void recon_markup_put(recon_markup *m, const char *text)
{
    recon_markup_bytes(m, text, strlen(text));
}

/* Length of the UTF-8 sequence that begins here; 0 if it is none, or not a character of XML. */
static size_t sequence(const unsigned char *s)
{
    static const unsigned smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    if (s[0] < 0x80)
        return s[0] >= ' ' || s[0] == '\t' || s[0] == '\n' || s[0] == '\r';
    size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    unsigned code = s[0] & (0xffu >> (n + 1));
    if (s[0] < 0xc0 || s[0] >= 0xf8)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    int fits = code >= smallest[n] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return fits && code != 0xfffe && code != 0xffff ? n : 0;
}

static const char *entity(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    default: return NULL;
    }
}

void recon_markup_escaped(recon_markup *m, const char *text)
{
    while (*text) {
        size_t n = sequence((const unsigned char *)text);
        if (n == 0)
            recon_markup_put(m, "\xef\xbf\xbd"); /* the replacement character */
        else if (entity(*text))
            recon_markup_put(m, entity(*text));
        else
            recon_markup_bytes(m, text, n);
        text += n ? n : 1;
    }
}
