/* recipe.c - see recipe.h. */
#include "backbone/recipe.h"
#include "backbone/fingerprint.h"

#include <recon/backbone/backbone.h>

#include <math.h>
#include <string.h>

#define MOST 1e9
enum { SHORTER = 3 };

/* --- the table -------------------------------------------------------------------------------- */

const recon_recipe_entry *recon_recipe_find(const recon_recipe *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->entry[i].name, name))
            return &r->entry[i];
    return NULL;
}

static double default_of(const recon_recipe_entry *e, recon_preset preset, int few)
{
    return few && e->few > 0 ? e->few : e->preset[preset];
}

double recon_recipe_default(const recon_recipe *r, const char *name, recon_preset preset, int few)
{
    return default_of(recon_recipe_find(r, name), preset, few);
}

static void *field(const recon_recipe_entry *e, void *options)
{
    return (char *)options + e->offset;
}

static void fill(const recon_recipe_entry *e, void *options, recon_preset preset, int few)
{
    double value = default_of(e, preset, few), *number = field(e, options);
    size_t *count = field(e, options);
    if (e->type == RECON_RECIPE_NUMBER || e->type == RECON_RECIPE_WEIGHT)
        *number = *number == 0 ? value : *number;
    else if (e->type == RECON_RECIPE_COUNT)
        *count = *count ? *count : (size_t)value;
}

void recon_recipe_fill(void *options, const recon_recipe *r, recon_preset preset, int few)
{
    for (size_t i = 0; i < r->n; i++)
        if (!r->entry[i].in_shape && r->entry[i].type != RECON_RECIPE_COUNT)
            fill(&r->entry[i], options, preset, few);
}

void recon_recipe_fill_shape(void *shape, const recon_recipe *r, recon_preset preset)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->entry[i].in_shape)
            fill(&r->entry[i], shape, preset, 0);
}

/* "elements" of "bonds|elements". */
static int word_at(const recon_recipe_entry *e, int place, const char **word)
{
    const char *at = e->words;
    while (place-- > 0)
        at = strchr(at, '|') + 1;
    *word = at;
    return (int)strcspn(at, "|");
}

void recon_recipe_record(recon_settings *s, const recon_recipe *r, const void *options)
{
    for (const recon_recipe_entry *e = r->entry; e < r->entry + r->n; e++) {
        const char *name = e->recorded ? e->recorded : e->name, *word;
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
        case RECON_RECIPE_WORD: {
            int n = word_at(e, *(const int *)value, &word);
            recon_settings_add(s, name, "%.*s", n, word);
            break;
        }
        }
    }
}

static int read_word(const recon_recipe_entry *e, const recon_safetensors *file, const char *name)
{
    int place = 0;
    for (const char *at = e->words; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
        char word[32] = "";
        strncat(word, at, strcspn(at, "|"));
        if (recon_recipe_is(file, name, word))
            return place;
        place++;
    }
    return 0;
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
        case RECON_RECIPE_NUMBER: *(double *)out = recon_recipe_number(file, name); break;
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

recon_trained recon_recipe_terms(const recon_safetensors *file)
{
    double density = value_of(file, "density", NAN), pose = value_of(file, "pose", NAN);
    double contrast = value_of(file, "contrast", NAN);
    if (isnan(density) || isnan(pose) || isnan(contrast))
        return RECON_TRAINED_UNKNOWN;
    return density > 0                ? RECON_TRAINED_DENSITY
           : pose > 0 || contrast > 0 ? RECON_TRAINED_TERMS
                                      : RECON_TRAINED_PLAIN;
}

const char *recon_trained_name(recon_trained kind)
{
    static const char *const name[] = { "plain", "terms", "density", "unknown" };
    return name[kind < RECON_TRAINED_KINDS ? kind : RECON_TRAINED_UNKNOWN];
}

const char *recon_recipe_from(const recon_safetensors *file)
{
    return recon_safetensors_metadata(file, RECON_RECIPE_FROM);
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
