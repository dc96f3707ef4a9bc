/* model.c - backbone and maps in one file. */
#include "model/model.h"
#include "model/discovered.h"
#include "backbone/kinds.h"
#include "backbone/metadata.h"
#include "core/fail.h"
#include "core/memory.h"
#include "model/trust.h"
#include "group/mean.h"

#include <stdlib.h>

/* --- opened ----------------------------------------------------------------------------------- */

static recon_status check_parts(recon_ctx *ctx, const recon_model *m, const char *path)
{
    const recon_maps_kind *maps = m->maps->kind;
    if (maps->group != m->backbone->kind->group)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: the maps are for %s, but not the backbone '%s'", path,
                          maps->group->name, m->backbone->kind->name);
    if (m->maps->d != m->backbone->code)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: embeddings have %zu dimensions, but the maps expect %zu", path,
                          m->backbone->code, m->maps->d);
    return RECON_OK;
}

/* What the discovery took; files of version 0.1 do not say. */
static size_t neighbours_of(const recon_safetensors *file, const recon_backbone_kind *kind)
{
    const char *k = recon_safetensors_metadata(file, "k");
    size_t n = k ? (size_t)strtoul(k, NULL, 10) : 0;
    return n >= 1 && n <= RECON_CODES_MOST ? n : kind->k;
}

/* The same of the mean. On SO(3) the gauge is found from the default one. */
static recon_mean_options mean_of(const recon_safetensors *file)
{
    static const recon_mean_kind kinds[] = { RECON_MEAN_AUTO, RECON_MEAN_FRECHET,
                                             RECON_MEAN_CHORDAL };
    const char *name = recon_safetensors_metadata(file, "mean");
    recon_mean_options mean = { .kind = RECON_MEAN_TUKEY };
    for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(name, recon_mean_name(kinds[i])))
            mean.kind = kinds[i];
    return mean;
}

static int is_by_gauge(const recon_safetensors *file)
{
    const char *name = recon_safetensors_metadata(file, "mean");
    return name && !strcmp(name, RECON_MEAN_GAUGE);
}

recon_status recon_model_use_lambda(recon_ctx *ctx, recon_model *m, recon_lambda lambda)
{
    RECON_CHECK(recon_enum_check(ctx, lambda, RECON_LAMBDA_DENSITY, "lambda"));
    if (lambda == RECON_LAMBDA_DENSITY &&
        !recon_maps_know_density(m->maps->kind, m->backbone->density))
        return recon_fail(
            ctx, RECON_ERR_INPUT,
            "lambda density: the model's backbone has no pose density; train one without "
            "{plain=true} and {density=false}");
    if (lambda == RECON_LAMBDA_NEIGHBOURS && !m->codes)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "lambda neighbours: the model keeps no embeddings; refit it with "
                          "`{recon.discover()}`");
    if (lambda != RECON_LAMBDA_AUTO)
        m->maps->lambda = lambda;
    return RECON_OK;
}

recon_status recon_model_open(recon_ctx *ctx, recon_model **out, const char *path,
                              recon_precision precision)
{
    recon_safetensors *file = NULL;
    recon_model *m = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    RECON_TRY(recon_alloc(ctx, &m, 1, sizeof *m));
    RECON_TRY(recon_backbone_read(ctx, &m->backbone, file, path, precision));
    RECON_TRY(recon_maps_read(ctx, &m->maps, file, path, m->backbone));
    RECON_TRY(check_parts(ctx, m, path));
    RECON_TRY(recon_codes_read(ctx, &m->codes, file, path, m->maps->kind->group, m->maps->d));
    m->k = neighbours_of(file, m->backbone->kind);
    m->mean = mean_of(file);
    m->by_gauge = is_by_gauge(file);
    RECON_TRY(recon_trust_read(ctx, &m->trust, &m->is_judged,
                               recon_safetensors_metadata(file, RECON_TRUST_VERDICT),
                               recon_safetensors_metadata(file, RECON_TRUST_MEASURES), path));
    RECON_TRY(recon_model_use_lambda(ctx, m, m->maps->lambda));
    *out = m;
done:
    recon_safetensors_close(file);
    if (status != RECON_OK)
        recon_model_close(ctx, m);
    return status;
}

void recon_model_close(recon_ctx *ctx, recon_model *m)
{
    if (!m)
        return;
    recon_codes_free(m->codes);
    recon_maps_free(ctx, m->maps);
    recon_backbone_close(ctx, m->backbone);
    free(m);
}

recon_model_info recon_model_describe(const recon_model *m)
{
    const recon_backbone *b = m->backbone;
    const recon_ieae *images = recon_backbone_ieae(b);
    const recon_molecule_net *molecules = recon_backbone_molecule_net(b);
    recon_model_info info = { .kind = b->kind->name,
                              .data = b->kind->data,
                              .group = b->kind->group,
                              .code = b->code,
                              .weights = recon_backbone_weights(b) + m->maps->weights,
                              .codes = m->codes ? m->codes->n : 0,
                              .maps = recon_maps_describe(m->maps),
                              .lambda = m->maps->lambda };
    if (images)
        info.images = recon_ieae_describe(images);
    if (molecules)
        info.molecules = recon_molecule_net_describe(molecules);
    return info;
}

const recon_backbone *recon_model_backbone(const recon_model *model)
{
    return model->backbone;
}

const recon_trust *recon_model_trust(const recon_model *model)
{
    return model->is_judged ? &model->trust : NULL;
}

recon_status recon_model_takes(recon_ctx *ctx, const recon_model *m, const char *data)
{
    return strcmp(m->backbone->kind->data, data)
               ? recon_fail(ctx, RECON_ERR_INPUT, "the model takes %s, not %s",
                            m->backbone->kind->data, data)
               : RECON_OK;
}

/* --- saved ------------------------------------------------------------------------------------ */

/* New entries replace those of the file. */
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

recon_status recon_model_save(recon_ctx *ctx, const char *path, const char *from,
                              const recon_backbone *backbone, const recon_maps *maps,
                              const recon_model_save_options *options)
{
    const recon_model_save_options o = options ? *options : (recon_model_save_options){ 0 };
    const recon_params *sets[1 + RECON_MAPS_PARAMS];
    recon_metadata_entry *all = NULL;
    recon_safetensors *file = NULL;
    recon_codes_tensors codes = { .z = NULL };
    recon_status status;
    size_t n = 0, n_sets = 0, before;
    if (backbone->params)
        sets[n_sets++] = backbone->params;
    if (maps)
        n_sets += recon_maps_params(sets + n_sets, maps);
    RECON_TRY(recon_safetensors_open(ctx, &file, from));
    before = count_metadata(file);
    RECON_TRY(recon_alloc(ctx, &all, before + o.n_metadata + 3, sizeof *all));
    all[n++] = (recon_metadata_entry){ RECON_FORMAT_KEY, RECON_FORMAT };
    for (size_t i = 0; i < o.n_metadata; i++)
        all[n++] = o.metadata[i];
    if (maps) {
        all[n++] = recon_maps_metadata(maps);
        all[n++] = recon_maps_metadata_heads(maps);
    }
    for (size_t i = 0, end = n; i < before; i++) {
        recon_metadata_entry e = recon_safetensors_metadata_at(file, i);
        if (!is_among(all, end, e.key))
            all[n++] = e;
    }
    if (o.codes)
        RECON_TRY(recon_codes_tensors_make(ctx, &codes, o.codes));
    RECON_TRY(recon_params_save_all(
        ctx, path, sets, n_sets, all, n,
        &(recon_params_save_options){
            .bf16 = o.half, .more = codes.entry, .n_more = o.codes ? codes.entries : 0 }));
done:
    recon_codes_tensors_free(&codes);
    recon_safetensors_close(file);
    free(all);
    return status;
}
