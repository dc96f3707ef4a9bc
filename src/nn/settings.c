/* settings.c - a run's settings as text, and their differences. */
#include "nn/settings.h"
#include "ops/ops.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char between[] = ", ", behind_name[] = ": ";

typedef struct {
    const char *name, *value;
    int name_length, value_length;
} setting;

/* The setting at `at`, and where the next one begins; NULL at the end. One without a name is all
 * value. */
static const char *next(setting *out, const char *at)
{
    if (!*at)
        return NULL;
    const char *end = strstr(at, between), *colon = strstr(at, behind_name);
    const char *stop = end ? end : at + strlen(at);
    int named = colon && colon < stop;
    out->name = at;
    out->name_length = named ? (int)(colon - at) : 0;
    out->value = named ? colon + strlen(behind_name) : at;
    out->value_length = (int)(stop - out->value);
    return end ? end + strlen(between) : stop;
}

static int has_name(const setting *s, const char *name, int length)
{
    return s->name_length == length && !strncmp(s->name, name, (size_t)length);
}

static int find(setting *out, const char *line, const char *name, int length)
{
    while ((line = next(out, line)))
        if (has_name(out, name, length))
            return 1;
    return 0;
}

void recon_settings_add(recon_settings *s, const char *name, const char *fmt, ...)
{
    size_t used = strlen(s->text), room = sizeof s->text - used;
    int n = snprintf(s->text + used, room, "%s%s%s", used ? between : "", name, behind_name);
    va_list ap;
    va_start(ap, fmt);
    if (n > 0 && (size_t)n < room)
        vsnprintf(s->text + used + n, room - (size_t)n, fmt, ap);
    va_end(ap);
}

void recon_settings_add_run(recon_settings *s, recon_ctx *ctx, uint64_t seed,
                            recon_precision precision)
{
    recon_settings_add(s, "seed", "%" PRIu64, seed);
    recon_settings_add(s, "precision", "%s",
                       recon_precision_name(recon_precision_on(ctx, precision)));
    recon_settings_add(s, "backend", "%s", recon_ops_name(ctx));
}

double recon_settings_value(const char *line, const char *name, double otherwise)
{
    setting s;
    char *end = NULL;
    double value = find(&s, line, name, (int)strlen(name)) ? strtod(s.value, &end) : otherwise;
    return end && end != s.value ? value : otherwise;
}

int recon_settings_is(const char *line, const char *name, const char *value)
{
    setting s;
    return find(&s, line, name, (int)strlen(name)) && (size_t)s.value_length == strlen(value) &&
           !strncmp(s.value, value, (size_t)s.value_length);
}

size_t recon_settings_number(const char *line, const char *name, size_t otherwise)
{
    setting s;
    if (!find(&s, line, name, (int)strlen(name)) || *s.value < '0' || *s.value > '9')
        return otherwise;
    return strtoull(s.value, NULL, 10);
}

uint64_t recon_settings_identity(const char *line)
{
    setting s;
    return find(&s, line, RECON_SETTING_IDENTITY, sizeof RECON_SETTING_IDENTITY - 1)
               ? strtoull(s.value, NULL, 16)
               : 0;
}

/* Adds a difference; a setting of length -1 is not there. */
static void say(char *out, size_t room, const setting *was, const setting *now)
{
    size_t used = strlen(out);
    const setting *any = was->name_length >= 0 ? was : now;
    const setting none = { .value = "not set", .value_length = 7 };
    was = was->name_length >= 0 ? was : &none;
    now = now->name_length >= 0 ? now : &none;
    snprintf(out + used, room - used, "%s%.*s: was %.*s, now %.*s", used ? "; " : "",
             any->name_length ? any->name_length : (int)sizeof "settings" - 1,
             any->name_length ? any->name : "settings", was->value_length, was->value,
             now->value_length, now->value);
}

const char *recon_settings_compare(char *out, size_t room, const char *was, const char *now)
{
    const setting none = { .name_length = -1 };
    const char *at;
    setting a, b;
    *out = '\0';
    for (at = was; (at = next(&a, at));) {
        int there = find(&b, now, a.name, a.name_length);
        if (!has_name(&a, RECON_SETTING_EPOCHS, sizeof RECON_SETTING_EPOCHS - 1) &&
            (!there || a.value_length != b.value_length ||
             strncmp(a.value, b.value, (size_t)a.value_length)))
            say(out, room, &a, there ? &b : &none);
    }
    for (at = now; (at = next(&b, at));)
        if (!find(&a, was, b.name, b.name_length))
            say(out, room, &none, &b);
    return out;
}
