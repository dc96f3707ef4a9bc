/* source.c - the source as summary.json has it. */
#include "apps/source.h"

static void add_count(json_t *out, const char *key, uint64_t value)
{
    if (value)
        json_object_set_new(out, key, json_integer((json_int_t)value));
}

void recon_source_add(json_t *out, const recon_source *s)
{
    json_t *spec = s && s->spec ? json_string(s->spec) : NULL;
    if (!spec)
        return;
    json_t *source = json_object();
    json_object_set_new(source, "spec", spec);
    if (s->turn)
        json_object_set_new(source, "turn", json_string(s->turn));
    add_count(source, "turn_seed", s->turn_seed);
    add_count(source, "seed", s->seed);
    add_count(source, "limit", s->limit);
    add_count(source, "size", s->size);
    json_object_set_new(source, "skip_bad", json_boolean(s->skip_bad));
    json_object_set_new(out, "source", source);
}
