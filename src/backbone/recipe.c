/* recipe.c - see recipe.h. */
#include "backbone/recipe.h"
#include "backbone/fingerprint.h"
#include "nn/settings.h"

#include <recon/backbone/backbone.h>

#include <math.h>

#define MOST 1e9
enum { SHORTER = 3 };

double recon_recipe_number(const recon_safetensors *file, const char *name)
{
    const char *line = recon_safetensors_metadata(file, "training");
    double value = line ? recon_settings_value(line, name, 0) : 0;
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
    const char *line = recon_safetensors_metadata(file, "training");
    double density = line ? recon_settings_value(line, "density", NAN) : NAN;
    double pose = line ? recon_settings_value(line, "pose", NAN) : NAN;
    double contrast = line ? recon_settings_value(line, "contrast", NAN) : NAN;
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
