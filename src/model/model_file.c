/* model_file.c - parts of a model side by side, and what they say of themselves. */
#include "model/model_file.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

#define MAPS "maps" /* the metadata key that says that the maps are there, and of which group */

recon_status recon_model_file_check(recon_ctx *ctx, const char *path, const char *group)
{
    recon_safetensors *file = NULL;
    recon_status status = recon_safetensors_open(ctx, &file, path);
    const char *maps = status == RECON_OK ? recon_safetensors_metadata(file, MAPS) : NULL;
    if (status == RECON_OK && !maps)
        status = recon_fail(ctx, RECON_ERR_INPUT,
                            "%s: a model without maps: run `recon discover` first", path);
    else if (status == RECON_OK && strcmp(maps, group))
        status =
            recon_fail(ctx, RECON_ERR_INPUT, "%s: maps of the group %s, not %s", path, maps, group);
    recon_safetensors_close(file);
    return status;
}

/* What is said anew is not said twice. */
static int is_among(const recon_metadata_entry *entries, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(entries[i].key, key))
            return 1;
    return 0;
}

static size_t count_metadata(const recon_safetensors *file)
{
    size_t n = 0;
    while (recon_safetensors_metadata_at(file, n).key)
        n++;
    return n;
}

recon_status recon_model_file_save(recon_ctx *ctx, const char *path, const char *from,
                                   const recon_params *backbone, const recon_params *maps,
                                   const char *group, const recon_model_save_options *options)
{
    const recon_model_save_options o = options ? *options : (recon_model_save_options){ 0 };
    const recon_params *sets[] = { backbone, maps };
    recon_metadata_entry *all = NULL;
    recon_safetensors *file = NULL;
    recon_status status;
    size_t n = 0, before;
    RECON_TRY(recon_safetensors_open(ctx, &file, from));
    before = count_metadata(file);
    RECON_TRY(recon_alloc(ctx, &all, before + o.n_metadata + 1, sizeof *all));
    for (size_t i = 0; i < o.n_metadata; i++)
        all[n++] = o.metadata[i];
    if (maps)
        all[n++] = (recon_metadata_entry){ MAPS, group };
    for (size_t i = 0, end = n; i < before; i++) {
        recon_metadata_entry e = recon_safetensors_metadata_at(file, i);
        if (!is_among(all, end, e.key))
            all[n++] = e;
    }
    RECON_TRY(recon_params_save_all(ctx, path, sets, maps ? 2 : 1, all, n,
                                    &(recon_params_save_options){ .bf16 = o.half }));
done:
    recon_safetensors_close(file);
    free(all);
    return status;
}

recon_status recon_metadata_join(recon_ctx *ctx, recon_metadata_entry **out,
                                 const recon_metadata_entry *own, size_t n,
                                 const recon_metadata_entry *more, size_t n_more)
{
    recon_status status = recon_alloc(ctx, out, n + n_more, sizeof **out);
    for (size_t i = 0; status == RECON_OK && i < n + n_more; i++)
        (*out)[i] = i < n ? own[i] : more[i - n];
    return status;
}
