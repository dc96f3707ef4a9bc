/* gcn.c - the frozen molecule classifier: network, file, answers. */
#include "backbone/gcn.h"
#include "backbone/metadata.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "nn/tape.h"

#include <stdlib.h>

enum { BATCH = RECON_BLOCK_GCN, MAX_CLASSES = 1 << 20 };

/* --- the network ------------------------------------------------------------------------------ */

recon_status recon_gcn_make(recon_ctx *ctx, recon_gcn **out, recon_gcn_info info, double dropout,
                            recon_precision precision, const recon_safetensors *file,
                            const char *path, uint64_t seed)
{
    const size_t sizes[3] = { info.width, info.hidden, info.classes };
    recon_gcn *c;
    recon_status status;
    *out = NULL;
    RECON_CHECK(recon_alloc(ctx, &c, 1, sizeof *c));
    c->info = info;
    RECON_TRY(recon_params_new(ctx, &c->params, precision));
    recon_params_expect(c->params, file, path, 1);
    for (int i = 0; i < RECON_GCN_LAYERS; i++) {
        const char name[] = { 'g', 'c', 'n', (char)('0' + i), 0 };
        RECON_TRY(recon_linear_add(ctx, &c->layer[i], c->params, name,
                                   i ? info.width : RECON_HARMONICS, info.width));
    }
    RECON_TRY(recon_mlp_add(ctx, &c->head, c->params, "head", sizes, 3, dropout));
    RECON_TRY(recon_params_make(ctx, c->params, seed));
    c->info.weights = recon_params_count(c->params);
    *out = c;
done:
    if (status != RECON_OK)
        recon_gcn_close(ctx, c);
    return status;
}

/* The features have the adjacency in them already. */
recon_var recon_gcn_apply(recon_tape *t, const recon_gcn *c, const recon_gcn_inputs *in)
{
    recon_var x = in->feature;
    for (int i = 0; i < RECON_GCN_LAYERS; i++) {
        if (i > 0)
            x = recon_var_sparse(t, in->adjacency, x, in->adjacency);
        x = recon_var_relu(t, recon_linear_apply(t, &c->layer[i], x));
    }
    return recon_mlp_apply(t, &c->head, recon_var_sparse(t, in->pool, x, in->spread));
}

recon_var recon_gcn_apply_frozen(recon_tape *t, const recon_gcn *c, const recon_gcn_inputs *in)
{
    recon_tape_mode mode = recon_tape_freeze(t);
    recon_var y = recon_gcn_apply(t, c, in);
    recon_tape_thaw(t, mode);
    return y;
}

void recon_gcn_close(recon_ctx *ctx, recon_gcn *c)
{
    if (!c)
        return;
    recon_params_free(ctx, c->params);
    free(c);
}

recon_gcn_info recon_gcn_describe(const recon_gcn *gcn)
{
    return gcn->info;
}

/* --- files ------------------------------------------------------------------------------------ */

recon_status recon_gcn_open(recon_ctx *ctx, recon_gcn **out, const char *path)
{
    recon_safetensors *file = NULL;
    recon_gcn_info info = { 0 };
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    if (!recon_metadata_is(file, RECON_GCN_KIND))
        RECON_TRY(
            recon_fail(ctx, RECON_ERR_FORMAT,
                       "%s: not a classifier of molecules: `recon classifier train` makes one "
                       "of conformers",
                       path));
    RECON_TRY(recon_metadata_check_format(ctx, file, path));
    RECON_TRY(recon_metadata_number(ctx, &info.radius, file, "radius", 1e-3, 1e3, path));
    RECON_TRY(recon_metadata_size(ctx, &info.width, file, "width", 1, RECON_GCN_WIDEST, path));
    RECON_TRY(recon_metadata_size(ctx, &info.hidden, file, "hidden", 1, RECON_GCN_WIDEST, path));
    RECON_TRY(recon_metadata_size(ctx, &info.classes, file, "classes", 1, MAX_CLASSES, path));
    RECON_TRY(recon_gcn_make(ctx, out, info, 0, RECON_SINGLE, file, path, 0));
done:
    recon_safetensors_close(file);
    return status == RECON_OK ? status : recon_note_file(ctx, status, path);
}

/* --- answers ---------------------------------------------------------------------------------- */

static recon_status batch_logits(recon_ctx *ctx, float *out, recon_tape *t, const recon_gcn *c,
                                 const recon_gcn_graphs *graphs, const recon_gcn_list *list)
{
    recon_gcn_batch b = { 0 };
    recon_status status;
    RECON_TRY(recon_gcn_batch_make(ctx, &b, list->n, recon_gcn_size_of(graphs, list)));
    RECON_TRY(recon_gcn_batch_fill(ctx, &b, graphs, list));
    RECON_TRY(recon_tape_begin(t, RECON_INFER, 0));
    recon_gcn_inputs in = recon_gcn_batch_input(t, &b);
    recon_var y = recon_gcn_apply(t, c, &in);
    if (recon_tape_activations(t) != RECON_F32)
        y = recon_var_cast(t, y, RECON_F32);
    RECON_TRY(recon_tape_status(t));
    RECON_TRY(t->ops->download(ctx, out, y->value.data, recon_tensor_bytes(&y->value)));
done:
    free(b.block);
    return status;
}

recon_status recon_gcn_logits_on(recon_ctx *ctx, float *out, recon_tape *t, const recon_gcn *c,
                                 const recon_gcn_graphs *graphs, recon_gcn_list all)
{
    for (size_t at = 0; at < all.n; at += BATCH) {
        recon_gcn_list list = all;
        list.first += at;
        list.n = all.n - at < BATCH ? all.n - at : BATCH;
        RECON_CHECK(batch_logits(ctx, out + at * c->info.classes, t, c, graphs, &list));
    }
    return RECON_OK;
}

recon_status recon_gcn_logits_rotated(recon_ctx *ctx, float *out, const recon_gcn *c,
                                      const recon_gcn_graphs *graphs, const int64_t *which,
                                      const recon_so3 *rotations, size_t n)
{
    recon_tape *t = NULL;
    recon_status status;
    if (graphs->radius != c->info.radius)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT,
                             "graphs of radius %g, but the classifier was made for %g",
                             graphs->radius, c->info.radius));
    if (!which && n > graphs->n)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%zu of %zu conformers", n, graphs->n));
    for (size_t i = 0; i < n; i++) {
        if (which && (which[i] < 0 || (uint64_t)which[i] >= graphs->n))
            RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "entry %zu is conformer %lld, of %zu", i,
                                 (long long)which[i], graphs->n));
        if (rotations && !(recon_so3_angle(rotations[i]) <= 4)) /* NaN */
            RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "rotation %zu is not a number", i));
    }
    RECON_TRY(recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    RECON_TRY(
        recon_gcn_logits_on(ctx, out, t, c, graphs,
                            (recon_gcn_list){ .which = which, .rotations = rotations, .n = n }));
done:
    recon_tape_free(t);
    return status;
}

recon_status recon_gcn_logits(recon_ctx *ctx, float *out, const recon_gcn *c,
                              const recon_molecules *data, const recon_so3 *rotations)
{
    recon_gcn_graphs *graphs = NULL;
    recon_status status;
    RECON_TRY(recon_gcn_graphs_make(ctx, &graphs, data, c->info.radius));
    RECON_TRY(recon_gcn_logits_rotated(ctx, out, c, graphs, NULL, rotations, graphs->n));
done:
    recon_gcn_graphs_free(graphs);
    return status;
}

recon_status recon_gcn_accuracy_on(recon_ctx *ctx, double *out, recon_tape *t, const recon_gcn *c,
                                   const recon_gcn_graphs *graphs)
{
    size_t classes = c->info.classes, right = 0;
    float *y = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &y, graphs->n * classes, sizeof *y));
    RECON_TRY(recon_gcn_logits_on(ctx, y, t, c, graphs, (recon_gcn_list){ .n = graphs->n }));
    for (size_t i = 0; i < graphs->n; i++) {
        const float *row = y + i * classes;
        size_t best = 0;
        for (size_t k = 1; k < classes; k++)
            best = row[k] > row[best] ? k : best;
        right += graphs->label[i] >= 0 && (size_t)graphs->label[i] == best;
    }
    *out = (double)right / (double)graphs->n;
done:
    free(y);
    return status;
}

recon_status recon_gcn_accuracy(recon_ctx *ctx, double *out, const recon_gcn *c,
                                const recon_molecules *data)
{
    recon_gcn_graphs *graphs = NULL;
    recon_tape *t = NULL;
    recon_status status;
    RECON_TRY(recon_gcn_graphs_make(ctx, &graphs, data, c->info.radius));
    RECON_TRY(recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    RECON_TRY(recon_gcn_accuracy_on(ctx, out, t, c, graphs));
done:
    recon_tape_free(t);
    recon_gcn_graphs_free(graphs);
    return status;
}
