/* metadata.c - numbers of a file's metadata, within bounds. */
#include "backbone/metadata.h"
#include "core/fail.h"

#include <math.h>
#include <stdlib.h>

/* NaN for what is no number. */
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
