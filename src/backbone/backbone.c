/* backbone.c - opens a backbone by its file's metadata, and embeds data sets. */
#include "backbone/kinds.h"
#include "backbone/metadata.h"
#include "comm/comm.h"
#include "core/blocks.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/identity.h"
#include "group/group.h"
#include "ops/ops.h"

#include <stdlib.h>
#include <string.h>

/* Inputs at a time: multiples of the batches of an image network. */
enum { LARGE = 1 << 16 /* bytes of an input */ };

static const recon_backbone_kind *const built_in[] = { &recon_ieae_kind, &recon_molecule_net_kind };
enum { BUILT_IN = sizeof built_in / sizeof *built_in };
_Static_assert(sizeof((recon_ctx){ 0 }.kinds) / sizeof(void *) == RECON_KINDS_MOST,
               "the context has room for as many");

/* --- kinds ------------------------------------------------------------------------------------ */

const recon_backbone_kind *recon_backbone_kind_at(const recon_ctx *ctx, size_t i)
{
    return i < BUILT_IN                         ? built_in[i]
           : ctx && i - BUILT_IN < ctx->n_kinds ? ctx->kinds[i - BUILT_IN]
                                                : NULL;
}

static const recon_backbone_kind *find_kind(const recon_ctx *ctx, const char *name)
{
    const recon_backbone_kind *kind;
    for (size_t i = 0; (kind = recon_backbone_kind_at(ctx, i)); i++)
        if (!strcmp(kind->name, name))
            return kind;
    return NULL;
}

const recon_backbone_kind *recon_backbone_kind_for(const recon_ctx *ctx, const char *data)
{
    const recon_backbone_kind *kind;
    for (size_t i = 0; (kind = recon_backbone_kind_at(ctx, i)); i++)
        if (!strcmp(kind->data, data))
            return kind;
    return NULL;
}

recon_status recon_backbone_add(recon_ctx *ctx, const recon_backbone_kind *kind)
{
    RECON_CHECK(recon_group_check(ctx, kind->group));
    if (find_kind(ctx, kind->name))
        return recon_fail(ctx, RECON_ERR_INPUT, "a backbone kind named '%s' already exists",
                          kind->name);
    if (ctx->n_kinds == RECON_KINDS_MOST)
        return recon_fail(ctx, RECON_ERR_INPUT, "at most %d backbone kinds can be added",
                          RECON_KINDS_MOST);
    ctx->kinds[ctx->n_kinds++] = kind;
    return RECON_OK;
}

recon_status recon_backbone_read(recon_ctx *ctx, recon_backbone **out,
                                 const recon_safetensors *file, const char *path,
                                 recon_precision precision)
{
    const char *name = recon_safetensors_metadata(file, "model");
    const recon_backbone_kind *kind = name ? find_kind(ctx, name) : NULL;
    *out = NULL;
    if (precision == RECON_AUTO && recon_ops_on_host(ctx) == recon_ops_of(ctx))
        precision = RECON_SINGLE; /* see RECON_AUTO */
    if (!kind)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: not a model of `{recon.train()}` or `{recon.discover()}`", path);
    RECON_CHECK(recon_metadata_check_format(ctx, file, path));
    return recon_note_file(ctx, kind->open(ctx, out, file, path, precision), path);
}

recon_status recon_backbone_open(recon_ctx *ctx, recon_backbone **out, const char *path,
                                 recon_precision precision)
{
    recon_safetensors *file = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    RECON_TRY(recon_backbone_read(ctx, out, file, path, precision));
done:
    recon_safetensors_close(file);
    return status;
}

void recon_backbone_close(recon_ctx *ctx, recon_backbone *b)
{
    if (b)
        b->kind->close(ctx, b);
}

void recon_backbone_data_options(const recon_backbone *b, recon_data_options *options)
{
    if (b->kind->data_options)
        b->kind->data_options(b, options);
}

/* --- trained ---------------------------------------------------------------------------------- */

static recon_status find_trainer(recon_ctx *ctx, const recon_backbone_kind **kind,
                                 const recon_training *t, const char *data)
{
    *kind = recon_backbone_kind_for(ctx, data);
    return *kind && (*kind)->train
               ? recon_reserved_check(ctx, t->reserved, "recon_training")
               : recon_fail(ctx, RECON_ERR_INPUT, "recon trains no network of %s", data);
}

recon_status recon_training_complete(recon_ctx *ctx, recon_training *t, recon_data_options *as,
                                     const char *data)
{
    const recon_backbone_kind *kind;
    recon_data_options none = { 0 };
    recon_status status = find_trainer(ctx, &kind, t, data);
    return status == RECON_OK && kind->prepare ? kind->prepare(ctx, t, as ? as : &none) : status;
}

recon_status recon_backbone_train(recon_ctx *ctx, recon_train_result *result,
                                  const recon_data *data, const char *path, const recon_training *t)
{
    const recon_backbone_kind *kind;
    recon_training training = t ? *t : (recon_training){ 0 };
    RECON_CHECK(find_trainer(ctx, &kind, &training, data->kind->name));
    return kind->train(ctx, result, data, path, &training);
}

size_t recon_backbone_weights(const recon_backbone *b)
{
    return b->params ? recon_params_count(b->params) : 0;
}

/* --- a data set ------------------------------------------------------------------------------- */

recon_status recon_backbone_check_data(recon_ctx *ctx, const recon_backbone *b,
                                       const recon_data *data)
{
    if (strcmp(b->kind->data, data->kind->name) != 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "the model takes %s, but the data are %s",
                          b->kind->data, data->kind->name);
    return b->kind->fits ? b->kind->fits(ctx, b, data) : RECON_OK;
}

static recon_status own_arrays(recon_ctx *ctx, recon_embedded *e, recon_seen *seen,
                               const recon_backbone *b, const recon_data *data)
{
    int64_t *labels;
    RECON_CHECK(recon_alloc_raw(ctx, &seen->z, e->n * e->d, sizeof *seen->z));
    e->z = e->owned[0] = seen->z;
    e->group = b->kind->group;
    RECON_CHECK(recon_alloc_raw(ctx, &seen->psi, e->n, e->group->numbers * sizeof *seen->psi));
    e->poses = e->owned[1] = seen->psi;
    if (b->density) {
        RECON_CHECK(
            recon_alloc_raw(ctx, &seen->density, e->n, RECON_POSE_BINS * sizeof *seen->density));
        e->density = e->owned[3] = seen->density;
    }
    if (recon_data_describe(data).labels && data->kind->label) {
        RECON_CHECK(recon_alloc_raw(ctx, &labels, e->n, sizeof *labels));
        e->labels = e->owned[2] = labels;
        for (size_t i = 0; i < e->n; i++)
            labels[i] = data->kind->label(data, i);
    }
    return RECON_OK;
}

/* Rows begin .. end, in blocks that begin at multiples of `block`. */
static recon_status embed_rows(recon_ctx *ctx, const recon_seen *all, const recon_backbone *b,
                               const recon_data *data, size_t block, size_t begin, size_t end)
{
    void *inputs = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, (char **)&inputs, block, recon_data_describe(data).bytes));
    recon_progress_begin(ctx, "embed", end - begin);
    for (size_t at = begin; at < end; at += block) {
        size_t n = end - at < block ? end - at : block;
        recon_seen some =
            (recon_seen){ .z = all->z + at * b->code,
                          .psi = all->psi + at * b->kind->group->numbers,
                          .density = all->density ? all->density + at * RECON_POSE_BINS : NULL };
        data->kind->read(inputs, data, at, n);
        status = b->kind->embed(ctx, &some, b, inputs, n);
        if (status != RECON_OK && at > 0) /* the kind counts within the batch */
            recon_note(ctx, status, "counted from %s %zu on", data->kind->one, at);
        RECON_TRY(status);
        recon_progress_add(ctx, n);
        RECON_TRY(recon_interrupted(ctx));
    }
    recon_progress_end(ctx);
done:
    free(inputs);
    return status;
}

static size_t block_of(const recon_data *data)
{
    return recon_data_describe(data).bytes < LARGE ? RECON_BLOCK_EMBED : RECON_BLOCK_EMBED_LARGE;
}

recon_status recon_backbone_embed(recon_ctx *ctx, recon_embedded *out, const recon_backbone *b,
                                  const recon_data *data)
{
    recon_seen all = { .z = NULL };
    recon_status status;
    *out =
        (recon_embedded){ .n = recon_data_describe(data).n, .d = b->code, .precision = RECON_F32 };
    RECON_TRY(recon_backbone_check_data(ctx, b, data));
    RECON_TRY(own_arrays(ctx, out, &all, b, data));
    RECON_TRY(embed_rows(ctx, &all, b, data, block_of(data), 0, out->n));
done:
    if (status != RECON_OK)
        recon_embedded_free(out);
    return status;
}

recon_status recon_backbone_embed_share(recon_ctx *ctx, recon_embedded *out,
                                        const recon_backbone *b, const recon_data *data)
{
    size_t n = recon_data_describe(data).n, block = block_of(data);
    recon_share own = recon_comm_own(ctx, n, block);
    recon_seen all = { .z = NULL };
    recon_status status;
    *out = (recon_embedded){ .n = n, .d = b->code, .precision = RECON_F32 };
    RECON_TRY(recon_identity_compare(ctx, data));
    RECON_TRY(recon_comm_agree(ctx, recon_backbone_check_data(ctx, b, data)));
    RECON_TRY(recon_comm_agree(ctx, own_arrays(ctx, out, &all, b, data)));
    RECON_TRY(recon_comm_agree(ctx, embed_rows(ctx, &all, b, data, block, own.begin, own.end)));
    RECON_TRY(recon_comm_gather(ctx, all.z, n, block, b->code * sizeof *all.z));
    RECON_TRY(recon_comm_gather(ctx, all.psi, n, block, out->group->numbers * sizeof *all.psi));
    if (all.density)
        RECON_TRY(
            recon_comm_gather(ctx, all.density, n, block, RECON_POSE_BINS * sizeof *all.density));
done:
    if (status != RECON_OK)
        recon_embedded_free(out);
    return status;
}
