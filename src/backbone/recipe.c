/* recipe.c - see recipe.h. */
#include "backbone/recipe.h"
#include "backbone/kinds.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/text.h"
#include "nn/params.h"
#include "ops/ops.h"

#include <recon/backbone/backbone.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1e9
enum { SHORTER = 5 };

/* --- the table -------------------------------------------------------------------------------- */

const recon_recipe_entry *recon_recipe_find(const recon_recipe *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->entry[i].name, name))
            return &r->entry[i];
    return NULL;
}

double recon_recipe_default(const recon_recipe *r, const char *name, recon_preset preset, int few)
{
    const recon_recipe_entry *e = recon_recipe_find(r, name);
    return few && e->few > 0 ? e->few : e->preset[preset];
}

static void *field(const recon_recipe_entry *e, void *options)
{
    return (char *)options + e->offset;
}

void recon_recipe_fill(void *options, const recon_recipe *r, recon_preset preset, int few,
                       int shape)
{
    for (const recon_recipe_entry *e = r->entry; e < r->entry + r->n; e++) {
        double value = recon_recipe_default(r, e->name, preset, few), *number = field(e, options);
        size_t *count = field(e, options);
        if (e->in_shape != shape)
            continue;
        if (e->type == RECON_RECIPE_NUMBER || e->type == RECON_RECIPE_WEIGHT)
            *number = *number == 0 ? value : *number;
        else if (e->type == RECON_RECIPE_COUNT && shape)
            *count = *count ? *count : (size_t)value;
    }
}

/* "elements" of "bonds|elements", by its place; NULL: there is no such place. */
static const char *word_at(char out[32], const recon_recipe_entry *e, int place)
{
    const char *at = e->words;
    for (; at && place > 0; place--)
        at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL;
    if (at)
        snprintf(out, 32, "%.*s", (int)strcspn(at, "|"), at);
    return at ? out : NULL;
}

/* --- in words --------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void add(char *out, size_t room, const char *fmt, ...)
{
    size_t used = strlen(out);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(out + used, room - used, fmt, ap);
    va_end(ap);
}

const char *recon_recipe_words(char *out, size_t room, const recon_recipe *r,
                               const recon_recipe_entry *e)
{
    size_t same = 1;
    while (same < r->presets && e->preset[same] == e->preset[0])
        same++;
    snprintf(out, room, "%s (", e->help);
    if (e->words)
        add(out, room, "%s; default %.*s", e->words, (int)strcspn(e->words, "|"), e->words);
    else
        add(out, room, "default%s", same < r->presets ? ":" : "");
    for (size_t p = 0; !e->words && p < (same < r->presets ? r->presets : 1); p++) {
        add(out, room, "%s", p ? ", " : " ");
        if (same < r->presets)
            add(out, room, "%s ", recon_preset_name((recon_preset)p));
        if (e->preset[p] < 0)
            add(out, room, "none");
        else
            add(out, room, "%.9g", e->preset[p]);
    }
    if (e->few > 0)
        add(out, room, "; few inputs %.9g", e->few);
    add(out, room, ")");
    return out;
}

static const char *values_of(const recon_recipe_entry *e)
{
    return e->words                         ? e->words
           : e->type == RECON_RECIPE_COUNT  ? "a whole number of at least 1"
           : e->type == RECON_RECIPE_NUMBER ? "a number above 0"
                                            : "a number of at least 0";
}

/* --- a training's settings -------------------------------------------------------------------- */

static int parse(const recon_recipe_entry *e, void *out, const char *text)
{
    switch (e->type) {
    case RECON_RECIPE_COUNT: return recon_parse_count(out, text, 1);
    case RECON_RECIPE_NUMBER: return recon_parse_number(out, text, 0);
    case RECON_RECIPE_WEIGHT:
        if (!recon_parse_number(out, text, 1))
            return 0;
        *(double *)out = *(double *)out > 0 ? *(double *)out : -1;
        return 1;
    case RECON_RECIPE_SWITCH:
        if (!recon_parse_choice(out, e->words, text))
            return 0;
        *(int *)out = *(int *)out == 2 ? -1 : *(int *)out; /* auto, on, off */
        return 1;
    case RECON_RECIPE_WORD: break;
    }
    return recon_parse_choice(out, e->words, text);
}

static recon_status no_such_setting(recon_ctx *ctx, const recon_recipe *r, const char *name,
                                    const char *data)
{
    const recon_backbone_kind *kind;
    char names[512] = "", meant[64] = "";
    for (size_t k = 0; (kind = recon_backbone_kind_at(ctx, k)); k++)
        if (kind->recipe && recon_recipe_find(kind->recipe, name))
            return recon_fail(ctx, RECON_ERR_INPUT, "%s is for %s", name, kind->data);
    for (size_t i = 0; i < r->n; i++) {
        add(names, sizeof names, "%s%s", i ? ", " : "", r->entry[i].name);
        if (!*meant && recon_resembles(name, r->entry[i].name))
            snprintf(meant, sizeof meant, " (did you mean %s?)", r->entry[i].name);
    }
    return recon_fail(ctx, RECON_ERR_INPUT, "there is no setting %s%s: for %s there are %s", name,
                      meant, data, names);
}

recon_status recon_recipe_apply(recon_ctx *ctx, void *options, const recon_recipe *r,
                                const recon_training *t, const char *data)
{
    for (size_t i = 0; i < t->n_set; i++) {
        const char *name = t->set[i].name, *value = t->set[i].value;
        const recon_recipe_entry *e = recon_recipe_find(r, name);
        if (!e)
            return no_such_setting(ctx, r, name, data);
        if (!parse(e, field(e, options), value))
            return recon_fail(ctx, RECON_ERR_INPUT, "%s %s must be %s%s", name, value,
                              e->words ? "one of " : "", values_of(e));
    }
    for (const recon_recipe_entry *e = r->entry; t->plain && e < r->entry + r->n; e++) {
        double *weight = e->is_term ? field(e, options) : NULL;
        if (weight && *weight > 0)
            return recon_fail(ctx, RECON_ERR_INPUT, "plain cannot be used with %s", e->name);
        if (weight)
            *weight = -1;
    }
    return RECON_OK;
}

recon_status recon_training_preset(recon_ctx *ctx, recon_preset *out, const recon_training *t)
{
    int p = recon_ops_on_host(ctx) == recon_ops_of(ctx) ? RECON_PRESET_SMALL : RECON_PRESET_FAST;
    if (t->preset)
        for (p = 0; p < RECON_RECIPE_PRESETS; p++)
            if (!strcmp(t->preset, recon_preset_name((recon_preset)p)))
                break;
    if (p == RECON_RECIPE_PRESETS)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "there is no preset %s: fast, paper, small, photo or photo-small",
                          t->preset);
    *out = (recon_preset)p;
    return RECON_OK;
}

/* --- in the model's file ---------------------------------------------------------------------- */

void recon_recipe_record(recon_settings *s, const recon_recipe *r, const void *options)
{
    for (const recon_recipe_entry *e = r->entry; e < r->entry + r->n; e++) {
        const char *name = e->recorded ? e->recorded : e->name;
        char word[32];
        const void *value = (const char *)options + e->offset;
        if (e->in_shape || (e->is_recorded && !e->is_recorded(options)))
            continue;
        switch (e->type) {
        case RECON_RECIPE_COUNT: recon_settings_add(s, name, "%zu", *(const size_t *)value); break;
        case RECON_RECIPE_NUMBER:
        case RECON_RECIPE_WEIGHT:
            recon_settings_add(s, name, "%.9g", *(const double *)value);
            break;
        case RECON_RECIPE_SWITCH:
            recon_settings_add(s, name, "%s", *(const int *)value > 0 ? "yes" : "no");
            break;
        case RECON_RECIPE_WORD:
            recon_settings_add(s, name, "%s", word_at(word, e, *(const int *)value));
            break;
        }
    }
}

static int read_word(const recon_recipe_entry *e, const recon_safetensors *file, const char *name)
{
    char buffer[32];
    const char *word;
    int place = 0;
    while ((word = word_at(buffer, e, place)) && !recon_recipe_is(file, name, word))
        place++;
    return word ? place : 0;
}

static double value_of(const recon_safetensors *file, const char *name, double otherwise)
{
    const char *line = recon_safetensors_metadata(file, "training");
    return line ? recon_settings_value(line, name, otherwise) : otherwise;
}

/* A term that the file does not name was none; any other number is the default. */
void recon_recipe_read(void *options, const recon_recipe *r, const recon_safetensors *file)
{
    for (const recon_recipe_entry *e = r->entry; e < r->entry + r->n; e++) {
        const char *name = e->recorded ? e->recorded : e->name;
        void *out = field(e, options);
        if (e->in_shape)
            continue;
        switch (e->type) {
        case RECON_RECIPE_COUNT: *(size_t *)out = recon_recipe_size(file, name); break;
        case RECON_RECIPE_NUMBER: *(double *)out = fmax(recon_recipe_number(file, name), 0); break;
        case RECON_RECIPE_WEIGHT:
            if (e->is_term || !isnan(value_of(file, name, NAN)))
                *(double *)out = recon_recipe_weight(file, name);
            break;
        case RECON_RECIPE_SWITCH: *(int *)out = recon_recipe_is(file, name, "yes") ? 1 : -1; break;
        case RECON_RECIPE_WORD: *(int *)out = read_word(e, file, name); break;
        }
    }
}

/* --- what a file says ------------------------------------------------------------------------- */

double recon_recipe_number(const recon_safetensors *file, const char *name)
{
    double value = value_of(file, name, 0);
    return fabs(value) <= MOST ? value : 0;
}

size_t recon_recipe_size(const recon_safetensors *file, const char *name)
{
    return (size_t)fmax(recon_recipe_number(file, name), 0);
}

int recon_recipe_is(const recon_safetensors *file, const char *name, const char *value)
{
    const char *line = recon_safetensors_metadata(file, "training");
    return line && recon_settings_is(line, name, value);
}

double recon_recipe_weight(const recon_safetensors *file, const char *name)
{
    double weight = recon_recipe_number(file, name);
    return weight > 0 ? weight : -1;
}

static int is_papers(const recon_safetensors *file)
{
    const char *preset = recon_safetensors_metadata(file, "preset");
    const char *heads = recon_safetensors_metadata(file, "heads");
    return preset && heads && !strcmp(preset, "paper") && !strcmp(heads, "paper");
}

recon_trained recon_recipe_terms(const recon_safetensors *file)
{
    double density = value_of(file, "density", NAN), pose = value_of(file, "pose", NAN);
    double contrast = value_of(file, "contrast", NAN);
    if (isnan(density) || isnan(pose) || isnan(contrast))
        return RECON_TRAINED_UNKNOWN;
    return density > 0                ? RECON_TRAINED_DENSITY
           : pose > 0 || contrast > 0 ? RECON_TRAINED_TERMS
           : is_papers(file)          ? RECON_TRAINED_RECIPE
                                      : RECON_TRAINED_PLAIN;
}

const char *recon_trained_name(recon_trained kind)
{
    static const char *const name[] = { "paper_recipe", "plain", "terms", "density", "unknown" };
    return name[kind < RECON_TRAINED_KINDS ? kind : RECON_TRAINED_UNKNOWN];
}

const char *recon_recipe_from(const recon_safetensors *file)
{
    return recon_safetensors_metadata(file, RECON_RECIPE_FROM);
}

#define BASIS 0xcbf29ce484222325u

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    for (size_t b = 0; b < n; b++)
        hash = (hash ^ ((const unsigned char *)bytes)[b]) * 0x100000001b3u;
    return hash;
}

recon_status recon_fingerprint_weights(recon_ctx *ctx, uint32_t *out, const recon_params *p)
{
    uint64_t hash = BASIS;
    double *values = NULL;
    recon_status status = RECON_OK;
    for (size_t i = 0; i < p->count; i++) {
        size_t n = recon_param_count(p->entry[i]);
        free(values);
        RECON_TRY(recon_alloc_raw(ctx, &values, n, sizeof *values));
        RECON_TRY(recon_param_read(ctx, values, p->entry[i]));
        for (size_t j = 0; j < n; j++)
            hash = mix(hash, &(float){ (float)values[j] }, sizeof(float));
    }
    *out = (uint32_t)(hash ^ hash >> 32);
done:
    free(values);
    return status;
}

int recon_recipe_is_lost(recon_ctx *ctx, const recon_safetensors *file)
{
    const char *path = recon_recipe_from(file);
    const char *line = recon_safetensors_metadata(file, "training");
    size_t print = line ? recon_settings_number(line, RECON_RECIPE_FROM, SIZE_MAX) : SIZE_MAX;
    recon_backbone *from = NULL;
    uint32_t now;
    if (!path && print == SIZE_MAX)
        return 0;
    int found = path && recon_backbone_open(ctx, &from, path, RECON_AUTO) == RECON_OK &&
                from->params && recon_fingerprint_weights(ctx, &now, from->params) == RECON_OK;
    recon_backbone_close(ctx, from);
    return !found || now != print;
}

size_t recon_recipe_short(const recon_safetensors *file)
{
    size_t epochs = recon_recipe_size(file, "epochs");
    return (epochs + SHORTER - 1) / SHORTER;
}

size_t recon_recipe_batch(const recon_safetensors *file, size_t n)
{
    size_t batch = recon_recipe_size(file, "batch"), quarter = n >= 8 ? n / 4 & ~(size_t)1 : 2;
    return batch < quarter ? batch : quarter;
}
