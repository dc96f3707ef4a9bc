/* markup.c - growing, escaping. */
#include "core/markup.h"
#include "core/memory.h"
#include "core/utf8.h"

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

/* Bytes of the character that begins here; 0 where there is none, or none for a page: XML does not
 * have it, or it would steer how the text around it is shown. */
static size_t sequence(const char *text, size_t size)
{
    uint32_t code;
    size_t n = recon_utf8_next(&code, text, size);
    if (n == 0 || code == 0xfffe || code == 0xffff)
        return 0;
    return code == '\t' || code == '\n' || code == '\r' || !recon_utf8_steers(code) ? n : 0;
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
    recon_markup_escaped_part(m, text, strlen(text));
}

void recon_markup_escaped_part(recon_markup *m, const char *text, size_t size)
{
    const char *end = text + size;
    while (text < end) {
        size_t n = sequence(text, (size_t)(end - text));
        if (n == 0)
            recon_markup_put(m, "\xef\xbf\xbd"); /* the replacement character */
        else if (entity(*text))
            recon_markup_put(m, entity(*text));
        else
            recon_markup_bytes(m, text, n);
        text += n ? n : 1;
    }
}
