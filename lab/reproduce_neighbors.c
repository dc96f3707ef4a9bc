/* reproduce_neighbors.c - who is next to whom among the training images: hit rates and widths
 * against k, and the worst rows. */
#include "lab/baselines.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/memory.h"

#include "stats/quantile.h"

#include <math.h>
#include <recon/group/so2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    size_t n = h->index->n < SAMPLE ? h->index->n : SAMPLE;
    float *images = NULL, *z = NULL;
    double psi[SAMPLE], none[SAMPLE] = { 0 };
    recon_equivariance change;
    recon_status status;
    RECON_TRY(reproduce_load(ctx, &images, h->data, n));
    RECON_TRY(recon_alloc_raw(ctx, &z, n * h->index->d, sizeof *z));
    RECON_TRY(recon_ieae_embed(ctx, &(recon_seen){ .z = z, .psi = psi }, encoder, images, n));
    RECON_TRY(recon_equivariance_compare(ctx, &change,
                                         &(recon_codes){ h->index->z, h->index->poses, NULL },
                                         &(recon_codes){ z, psi, NULL }, none, n, h->index->d));
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
    recon_embedded *index = &h->own_index;
    char z[4200], g[4200];
    float *pixels = NULL;
    int64_t *labels;
    recon_folder_view view;
    recon_status status;
    snprintf(z, sizeof z, "%s/z.npy", dir);
    snprintf(g, sizeof g, "%s/g.npy", dir);
    RECON_TRY(recon_folder_look(ctx, &view, dir));
    RECON_TRY(recon_embedded_read(ctx, index, RECON_SO2, RECON_QUATERNIONS_NONE, z, g, NULL));
    RECON_TRY(recon_folder_check(ctx, &view, dir));
    if (index->n != d.n || index->d != recon_ieae_describe(encoder).code)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: %zu x %zu for %zu images and a code of %zu",
                             z, index->n, index->d, d.n, recon_ieae_describe(encoder).code));
    RECON_TRY(check_stored(ctx, h, encoder, dir));
    RECON_TRY(recon_alloc_raw(ctx, &pixels, d.height * d.width * d.channels, sizeof *pixels));
    RECON_TRY(recon_alloc_raw(ctx, &labels, d.n, sizeof *labels));
    for (size_t i = 0; i < d.n; i++)
        labels[i] = recon_dataset_get(pixels, h->data, i);
    index->labels = index->owned[2] = labels;
done:
    free(pixels);
    return status;
}

/* --- the training images ---------------------------------------------------------------------- */

/* How many training images there is time for with --quick. */
static size_t quick_count(recon_ctx *ctx, const reproduction *r)
{
    const lab_settings *s = r->on->settings;
    size_t limit = s->limit, count = limit && limit < QUICK_TRAIN ? limit : QUICK_TRAIN, models = 0;
    for (int kind = 0; kind < RECON_TRAINED_KINDS; kind++)
        models += s->of[kind] != NULL;
    double left = QUICK_SECONDS / (double)models - (recon_now() - r->begun);
    while (count > QUICK_LEAST && r->embed_seconds * (double)count > left)
        count /= 2;
    if (count < QUICK_TRAIN && count != limit)
        recon_log(ctx, RECON_LOG_INFO,
                  "neighbours among %zu training images: there is no time for "
                  "more (--embeddings, or without --quick)",
                  count);
    return count;
}

/* Where z.npy and g.npy of the training images lie, of a model that was just trained: beside it. */
static void embeddings_of(char *out, size_t room, const reproduction *r)
{
    const char *given = r->on->settings->embeddings, *slash = strrchr(r->path, '/');
    if (given)
        snprintf(out, room, "%s", given);
    else
        snprintf(out, room, "%.*s", slash ? (int)(slash - r->path) : 0, r->path);
}

/* Of images of one's own the test images themselves. */
static recon_status open_index(recon_ctx *ctx, reproduction *r)
{
    const lab_settings *s = r->on->settings;
    neighborhood *h = &r->hood;
    char dir[4096];
    recon_status status = RECON_OK;
    embeddings_of(dir, sizeof dir, r);
    h->data = r->on->rotated;
    h->index = &r->rotated.codes;
    if (s->data)
        goto done;
    RECON_TRY(reproduce_training(
        ctx, &h->own, s, s->quick && !s->embeddings && !s->train ? quick_count(ctx, r) : s->limit));
    h->data = h->own;
    h->index = &h->own_index;
    if (s->embeddings || s->train)
        RECON_TRY(stored_codes(ctx, h, recon_backbone_ieae(r->model->backbone), dir));
    else
        RECON_TRY(recon_backbone_embed(ctx, &h->own_index, r->model->backbone,
                                       recon_dataset_data(h->data)));
done:
    return status;
}

/* --- who is next to whom ---------------------------------------------------------------------- */

static void describe_hits(reproduction *r)
{
    size_t n = r->hood.index->n;
    double square = 0;
    r->hit_rate = 0;
    for (size_t i = 0; i < n; i++)
        r->hit_rate += r->hood.hits[i];
    r->hit_rate /= (double)n;
    for (size_t i = 0; i < n; i++)
        square += pow(r->hood.hits[i] - r->hit_rate, 2);
    r->hit_deviation = sqrt(square / (double)n);
}

/* Of the two classes that are each other's rotation: how many have several natural poses, and how far
 * apart the two heaviest are. */
static recon_status measure_peaks(recon_ctx *ctx, reproduction *r, const recon_frames *f)
{
    const int64_t *pair = r->on->what->pair, *labels = r->hood.index->labels;
    size_t all = 0, n = 0;
    double *apart = NULL;
    recon_status status = recon_alloc_raw(ctx, &apart, f->rows, sizeof *apart);
    for (size_t i = 0; status == RECON_OK && i < f->rows; i++) {
        const double *mode = f->modes + i * RECON_FRAME_MODES * f->modes_width;
        if (labels[i] != pair[0] && labels[i] != pair[1])
            continue;
        all++;
        if (f->verdict[i] == RECON_NATURAL_SEVERAL)
            apart[n++] = recon_so2_distance(mode[0], mode[f->modes_width]);
    }
    if (status == RECON_OK) {
        recon_sort_doubles(apart, n);
        r->controls.pair_several = (double)n / (double)all;
        r->controls.pair_peaks = n ? recon_quantile(apart, n, 0.5) : NAN;
    }
    free(apart);
    return status;
}

/* Algorithm 1 on the training images, with verdicts as `recon discover` makes them. */
static recon_status find_classes(recon_ctx *ctx, reproduction *r)
{
    neighborhood *h = &r->hood;
    recon_frames f = { 0 };
    double begun = recon_now();
    recon_status status;
    RECON_TRY(recon_normalize(ctx, &f, h->index, NULL,
                              &(recon_normalize_options){ .knn = { .k = K },
                                                          .pool = r->model->backbone->kind->pool,
                                                          .mean = r->model->mean,
                                                          .family = r->on->what->family }));
    h->seconds = recon_now() - begun;
    RECON_TRY(measure_peaks(ctx, r, &f));
    memcpy(r->natural, f.natural, sizeof r->natural);
    h->neighbors = f.neighbors;
    f.neighbors = NULL;
done:
    recon_frames_free(&f);
    return status;
}

static recon_status find_worst(recon_ctx *ctx, reproduction *r)
{
    neighborhood *h = &r->hood;
    size_t n = h->index->n;
    recon_neighborhood who = { h->neighbors, n, K, h->index->labels, r->on->classes };
    recon_status status;
    h->worst_count = n / WORST_OF < WORST ? n / WORST_OF : WORST;
    RECON_TRY(recon_alloc_raw(ctx, &h->hits, n, sizeof *h->hits));
    RECON_TRY(recon_alloc_raw(ctx, &h->worst, h->worst_count, sizeof *h->worst));
    RECON_TRY(recon_evaluate_hits(ctx, h->hits, &who));
    describe_hits(r);
    RECON_TRY(recon_evaluate_worst(ctx, h->worst, h->worst_count, h->hits, n));
    RECON_TRY(recon_evaluate_confusion(ctx, r->confusion, h->worst, h->worst_count, &who));
done:
    return status;
}

/* What the neighbours' labels say of the test images, no classifier. */
static recon_status vote(recon_ctx *ctx, reproduction *r, const recon_embedded *index,
                         const recon_frames *f)
{
    if (!index->labels)
        return RECON_OK;
    return baseline_by_neighbours(ctx, &r->accuracy.knn, f->neighbors, f->rows, f->k, index->labels,
                                  r->rotated.codes.labels, r->on->classes);
}

/* Natural poses of the test images from their neighbours, no network: among the training images, or of
 * images of one's own among the codes that the model keeps. */
static recon_status measure_neighbours(recon_ctx *ctx, reproduction *r)
{
    const recon_stored_codes *c = r->model->codes;
    const recon_embedded stored = c ? (recon_embedded){ .n = c->n,
                                                        .d = c->d,
                                                        .z = c->z,
                                                        .group = c->group,
                                                        .poses = c->poses }
                                    : (recon_embedded){ 0 };
    const recon_embedded *index = r->on->settings->data ? &stored : r->hood.index;
    recon_embedded queries = r->rotated.codes;
    recon_frames f = { 0 };
    double begun = recon_now();
    recon_status status;
    queries.labels = NULL;
    r->accuracy.knn = r->knn_ms = NAN;
    if (index->n == 0)
        return RECON_OK;
    RECON_TRY(recon_normalize(
        ctx, &f, index, &queries,
        &(recon_normalize_options){ .knn = { .k = r->model->k < index->n ? r->model->k : index->n },
                                    .mean = r->model->mean,
                                    .family = RECON_SO2_NORMAL }));
    RECON_TRY(vote(ctx, r, index, &f));
    r->knn_ms = 1000 * (r->embed_seconds + (recon_now() - begun) / (double)f.rows);
    RECON_TRY(
        reproduce_accuracy(ctx, &r->accuracy.neighbours, NULL, r->on, r->rotated.data, f.absolute));
done:
    recon_frames_free(&f);
    return status;
}

recon_status reproduce_neighbors(recon_ctx *ctx, reproduction *r)
{
    const image_trial *on = r->on;
    neighborhood *h = &r->hood;
    recon_status status;
    RECON_TRY(open_index(ctx, r));
    RECON_TRY(recon_alloc_raw(ctx, &h->angle, h->index->n, sizeof *h->angle));
    for (size_t i = 0; i < h->index->n; i++)
        h->angle[i] = recon_dataset_angle(h->data, i);
    while (r->ks < KS && reproduce_ks[r->ks] < h->index->n)
        r->ks++;
    RECON_TRY(recon_evaluate_k(ctx, r->by_k, reproduce_ks, r->ks, h->index, on->what->family,
                               on->truth, on->classes));
    RECON_TRY(find_classes(ctx, r));
    RECON_TRY(find_worst(ctx, r));
    RECON_TRY(measure_neighbours(ctx, r));
done:
    return status;
}
