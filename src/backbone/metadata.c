/* metadata.c - reads and writes numbers and names in a file's metadata, with bounds. */
#include "backbone/metadata.h"
#include "core/fail.h"

#include <assert.h>
#include <math.h>
#include <recon/core/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns NaN for text that is not a number. */
static double value_of(const recon_safetensors *file, const char *key)
{
    const char *text = recon_safetensors_metadata(file, key);
    char *end = NULL;
    double value = text ? strtod(text, &end) : NAN;
    return text && end != text && !*end ? value : NAN;
}

static recon_status refuse(recon_ctx *ctx, const recon_safetensors *file, const char *key,
                           double least, double most, const char *path)
{
    const char *text = recon_safetensors_metadata(file, key);
    return recon_fail(ctx, RECON_ERR_FORMAT, "%s: '%s' is '%.40s': %.9g to %.9g", path, key,
                      text ? text : "missing", least, most);
}

recon_status recon_metadata_number(recon_ctx *ctx, double *out, const recon_safetensors *file,
                                   const char *key, double least, double most, const char *path)
{
    *out = value_of(file, key);
    return *out >= least && *out <= most ? RECON_OK : refuse(ctx, file, key, least, most, path);
}

recon_status recon_metadata_size(recon_ctx *ctx, size_t *out, const recon_safetensors *file,
                                 const char *key, size_t least, size_t most, const char *path)
{
    double value = value_of(file, key);
    if (!(value >= (double)least && value <= (double)most) || value != floor(value))
        return refuse(ctx, file, key, (double)least, (double)most, path);
    *out = (size_t)value;
    return RECON_OK;
}

int recon_metadata_is(const recon_safetensors *file, const char *kind)
{
    const char *model = recon_safetensors_metadata(file, "model");
    return model && !strcmp(model, kind);
}

recon_status recon_metadata_check_format(recon_ctx *ctx, const recon_safetensors *file,
                                         const char *path)
{
    static const int here[3] = { RECON_VERSION_MAJOR, RECON_VERSION_MINOR, RECON_VERSION_PATCH };
    const char *format = recon_safetensors_metadata(file, RECON_FORMAT_KEY);
    int needs[3], at = 0, length = 0;
    if (!format)
        return RECON_OK;
    if (sscanf(format, "%9d.%9d.%9d%n", &needs[0], &needs[1], &needs[2], &length) != 3 ||
        format[length])
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: format '%.40s': a version, such as %s", path,
                          format, RECON_FORMAT);
    while (at < 2 && needs[at] == here[at])
        at++;
    return needs[at] <= here[at]
               ? RECON_OK
               : recon_fail(ctx, RECON_ERR_FORMAT,
                            "%s: recon %s or later opens this model, and this is recon %s", path,
                            format, recon_version());
}

recon_status recon_metadata_preset(recon_ctx *ctx, recon_preset *out, const recon_safetensors *file,
                                   const char *path)
{
    const char *name = recon_safetensors_metadata(file, "preset");
    for (int p = 0; name && p <= RECON_PRESET_PHOTO_SMALL; p++)
        if (!strcmp(name, recon_preset_name((recon_preset)p))) {
            *out = (recon_preset)p;
            return RECON_OK;
        }
    return recon_fail(ctx, RECON_ERR_FORMAT, "%s: unknown preset '%.40s'", path, name ? name : "");
}

void recon_metadata_add(recon_metadata_list *l, const char *key, const char *value)
{
    assert(l->n < RECON_METADATA_MOST);
    l->entry[l->n++] = (recon_metadata_entry){ key, value };
}

void recon_metadata_add_number(recon_metadata_list *l, const char *key, double value)
{
    assert(l->n < RECON_METADATA_MOST);
    snprintf(l->text[l->n], sizeof *l->text, "%.9g", value);
    recon_metadata_add(l, key, l->text[l->n]);
}
