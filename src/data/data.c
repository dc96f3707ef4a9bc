/* data.c - what can be said of inputs whatever they are. */
#include <recon/data/data.h>
#include "core/options.h"
#include <recon/data/molecules.h>
#include "data/kinds.h"

const recon_data_kind *recon_data_kind_of(const char *spec)
{
    return recon_molecules_is(spec) ? &recon_molecules_kind : &recon_images_kind;
}

int recon_data_is(const char *spec)
{
    return recon_dataset_is(spec) || recon_molecules_is(spec);
}

recon_status recon_data_open(recon_ctx *ctx, recon_data **out, const char *spec,
                             const recon_data_options *options)
{
    const recon_data_options defaults = { 0 };
    *out = NULL;
    recon_status status = RECON_OPTIONS_CHECK(ctx, options, recon_data_options);
    if (status != RECON_OK)
        return status;
    return recon_data_kind_of(spec)->open(ctx, out, spec, options ? options : &defaults);
}

void recon_data_close(recon_data *data)
{
    if (data)
        data->kind->close(data);
}

recon_data_info recon_data_describe(const recon_data *data)
{
    return data->kind->describe(data);
}
