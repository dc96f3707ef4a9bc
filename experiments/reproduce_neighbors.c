/* reproduce_neighbors.c - who is next to whom among the training images: hit rates and widths
 * against k, and the worst rows. */
#include "experiments/reproduce.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/memory.h"

#include <recon/knn/knn.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    QUICK_LEAST = 3000, /* training images, however slow the machine */
    SAMPLE = 32,        /* stored codes that are made again      */
    WORST_OF = 12       /* one row of so many is among the worst */
};
#define QUICK_SECONDS 150.0 /* by when the codes are there with --quick, if they can */
#define SAME_CODE     0.1   /* relative change of a code that rounding may make    */

const size_t reproduce_ks[KS] = { 5, 10, 25, 50, 100 };

/* The first codes made anew: a stored file of another model, data or seed does not pass. */
static recon_status check_stored(recon_ctx *ctx, const neighborhood *h, const recon_ieae *encoder,
                                 const char *dir)
{
    size_t n = h->index.n < SAMPLE ? h->index.n : SAMPLE;
    float *images = NULL, *z = NULL;
    double psi[SAMPLE], none[SAMPLE] = { 0 };
    recon_equivariance change;
    recon_status status;
    RECON_TRY(reproduce_load(ctx, &images, h->data, n));
    RECON_TRY(recon_alloc_raw(ctx, &z, n * h->index.d, sizeof *z));
    RECON_TRY(recon_ieae_embed(ctx, &(recon_seen){ .z = z, .so2 = psi }, encoder, images, n));
    RECON_TRY(recon_equivariance_compare(ctx, &change,
                                         &(recon_codes){ h->index.z, h->index.so2, NULL },
                                         &(recon_codes){ z, psi, NULL }, none, n, h->index.d));
    if (change.code_max > SAME_CODE)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT,
                             "%s/z.npy is not what this model makes of the training images rotated "
                             "with seed %d: codes differ by %.0f %%",
                             dir, TRAIN_SEED, 100 * change.code_max));
done:
    free(z);
    free(images);
    return status;
}

static recon_status stored_codes(recon_ctx *ctx, neighborhood *h, const recon_ieae *encoder,
                                 const char *dir)
{
    recon_dataset_info d = recon_dataset_describe(h->data);
    char z[4096], g[4096];
    float *pixels = NULL;
    int64_t *labels;
    recon_folder_view view;
    recon_status status;
    snprintf(z, sizeof z, "%s/z.npy", dir);
    snprintf(g, sizeof g, "%s/g.npy", dir);
    RECON_TRY(recon_folder_look(ctx, &view, dir));
    RECON_TRY(recon_embedded_read(ctx, &h->index, RECON_SO2, z, g, NULL));
    RECON_TRY(recon_folder_check(ctx, &view, dir));
    if (h->index.n != d.n || h->index.d != recon_ieae_describe(encoder).code)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: %zu x %zu for %zu images and a code of %zu",
                             z, h->index.n, h->index.d, d.n, recon_ieae_describe(encoder).code));
    RECON_TRY(check_stored(ctx, h, encoder, dir));
    RECON_TRY(recon_alloc_raw(ctx, &pixels, d.height * d.width * d.channels, sizeof *pixels));
    RECON_TRY(recon_alloc_raw(ctx, &labels, d.n, sizeof *labels));
    for (size_t i = 0; i < d.n; i++)
        labels[i] = recon_dataset_get(pixels, h->data, i);
    h->index.labels = h->index.owned[2] = labels;
done:
    free(pixels);
    return status;
}

static recon_status find_worst(recon_ctx *ctx, reproduction *r)
{
    neighborhood *h = &r->hood;
    size_t n = h->index.n;
    recon_neighborhood who = { NULL, n, K, h->index.labels, CLASSES };
    recon_status status;
    h->worst_count = n / WORST_OF < WORST ? n / WORST_OF : WORST;
    RECON_TRY(recon_alloc_raw(ctx, &h->neighbors, n * K, sizeof *h->neighbors));
    RECON_TRY(recon_alloc_raw(ctx, &h->hits, n, sizeof *h->hits));
    RECON_TRY(recon_alloc_raw(ctx, &h->worst, h->worst_count, sizeof *h->worst));
    RECON_TRY(recon_knn_self(ctx, h->neighbors, NULL, h->index.z, n, h->index.d,
                             &(recon_knn_options){ .k = K }));
    who.neighbors = h->neighbors;
    RECON_TRY(recon_evaluate_hits(ctx, h->hits, &who));
    RECON_TRY(recon_evaluate_worst(ctx, h->worst, h->worst_count, h->hits, n));
    RECON_TRY(recon_evaluate_confusion(ctx, r->confusion, h->worst, h->worst_count, &who));
done:
    return status;
}

/* How many training images there is time for with --quick. */
static size_t quick_count(recon_ctx *ctx, const reproduction *r)
{
    size_t limit = r->settings->limit, count = limit && limit < QUICK_TRAIN ? limit : QUICK_TRAIN;
    double left = QUICK_SECONDS - (recon_now() - r->begun);
    while (count > QUICK_LEAST && r->embed_seconds * (double)count > left)
        count /= 2;
    if (count < QUICK_TRAIN && count != limit)
        recon_log(ctx, RECON_LOG_INFO,
                  "neighbours among %zu training images: there is no time for "
                  "more (--embeddings, or without --quick)",
                  count);
    return count;
}

recon_status reproduce_neighbors(recon_ctx *ctx, reproduction *r)
{
    const reproduce_settings *s = r->settings;
    neighborhood *h = &r->hood;
    size_t count = s->quick && !s->embeddings ? quick_count(ctx, r) : s->limit;
    double truth[CLASSES];
    recon_status status;
    RECON_TRY(reproduce_training(ctx, &h->data, s, count));
    if (s->embeddings)
        RECON_TRY(stored_codes(ctx, h, recon_backbone_ieae(r->model->backbone), s->embeddings));
    else
        RECON_TRY(
            recon_backbone_embed(ctx, &h->index, r->model->backbone, recon_dataset_data(h->data)));
    reproduce_true_widths(truth, r->rule);
    RECON_TRY(recon_evaluate_k(ctx, r->by_k, reproduce_ks, KS, &h->index, r->what->family, truth,
                               CLASSES));
    for (size_t i = 0; i < KS; i++)
        if (r->by_k[i].k == K)
            r->hit_rate = r->by_k[i].hit_rate;
    RECON_TRY(find_worst(ctx, r));
done:
    return status;
}
