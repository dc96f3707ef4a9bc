/* source.c - the source as summary.json has it. */
#include "model/source.h"
#include "core/json.h"
#include "core/text.h"

static void add_count(json_t **out, const char *key, uint64_t value)
{
    if (value)
        recon_json_put(out, key, json_integer((json_int_t)value));
}

void recon_source_add(json_t **out, const recon_source *s)
{
    if (!s || !s->spec || !recon_utf8_is(s->spec))
        return;
    json_t *source = json_object();
    recon_json_put(&source, "spec", json_string(s->spec));
    if (s->rotate)
        recon_json_put_text(&source, "rotate", s->rotate);
    add_count(&source, "rotate_seed", s->rotate_seed);
    add_count(&source, "seed", s->seed);
    add_count(&source, "limit", s->limit);
    add_count(&source, "size", s->size);
    recon_json_put(&source, "skip_bad", json_boolean(s->skip_bad));
    if (s->crop)
        recon_json_put(&source, "crop", json_string("auto"));
    add_count(&source, "picture_most", s->picture_most);
    add_count(&source, "not_read", s->unread);
    if (s->transparent)
        recon_json_put(&source, "transparent", json_string(s->transparent));
    recon_json_put(out, "source", source);
}
