/* loader.c - a ring buffer of batches, filled by several threads and read by one. */
#include "data/loader.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/shuffle.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <recon/group/so2.h>
#include "data/image.h"
#include <stdlib.h>

enum { BATCH = 64, MAX_THREADS = 16, AHEAD = 2 }; /* batches ready beyond one a thread */
#define VIEWS   ((uint64_t)3 << 61)               /* streams that nothing else draws from */
#define MIRRORS ((uint64_t)7 << 60)

typedef struct {
    uint64_t ready; /* number of the batch in it, plus 1 */
    size_t n;
    float *images, *angles;
    float *plain;     /* an image before it is resampled */
    float *regridded; /* and half-way */
    int32_t *labels;
} slot;

struct recon_loader {
    const recon_dataset *data;
    recon_dataset_info info;
    recon_loader_options o;
    size_t views;
    int resample;           /* whether images are changed at all */
    uint64_t batches;       /* in an epoch */
    uint64_t claimed, read; /* the next batch to fill; the next to hand out */
    uint64_t free_below;    /* batches before this one are done with */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_int stop;
    int started;
    size_t slots;
    slot slot[MAX_THREADS + AHEAD + 1];
    pthread_t thread[MAX_THREADS];
};

/* --- views ------------------------------------------------------------------------------------ */

static double within(double most, recon_rng *rng)
{
    return most * (2 * recon_rng_uniform(rng) - 1);
}

/* The inverse of a random symmetric stretch, after a mirror where there is one. */
static void draw_stretch(double out[2][2], const recon_loader_options *o, double mirror,
                         recon_rng *rng)
{
    double along = within(o->shear / 2, rng), across = within(o->shear / 2, rng);
    double size = exp(within(log1p(o->scale), rng));
    double by = 1 / (size * (1 - along * along - across * across));
    out[0][0] = mirror * by * (1 - along), out[0][1] = -mirror * by * across;
    out[1][0] = -by * across, out[1][1] = by * (1 + along);
}

/* Half of the images, the same in all of their views; at counts the images of the run. */
static double draw_mirror(const recon_loader_options *o, uint64_t at)
{
    recon_rng rng = recon_rng_new(o->seed, MIRRORS | at);
    return o->flip && recon_rng_uniform(&rng) < 0.5 ? -1 : 1;
}

/* The same for a view of which a disc of this radius shows nothing from beyond such a disc of the
 * image: the stretch does not make anything smaller, and *room is how far its middle may move. */
static void draw_stretch_inside(double out[2][2], double *room, const recon_loader_options *o,
                                double mirror, double radius, recon_rng *rng)
{
    draw_stretch(out, o, mirror, rng);
    double trace = out[0][0] * out[0][0] + out[0][1] * out[0][1] + out[1][0] * out[1][0] +
                   out[1][1] * out[1][1];
    double det = fabs(out[0][0] * out[1][1] - out[0][1] * out[1][0]);
    double longest = sqrt((trace + sqrt(fmax(trace * trace - 4 * det * det, 0))) / 2);
    double size = 1 + o->scale * recon_rng_uniform(rng);
    for (int i = 0; i < 4; i++)
        out[i / 2][i % 2] /= longest * size;
    *room = radius * (1 - 1 / size);
}

/* Where a view's pixels come from: p -> S^-1 R(-angle) (p - shift). */
static recon_affine draw_source(double *angle, const recon_loader_options *o, int warped,
                                double mirror, double radius, recon_rng *rng)
{
    *angle = o->rotate ? (double)(float)recon_so2_haar(rng) : 0;
    recon_affine rotation = recon_image_rotate_source(*angle), all = rotation;
    double s[2][2] = { { mirror, 0 }, { 0, 1 } }, room = warped ? INFINITY : 0;
    if (warped && o->inside)
        draw_stretch_inside(s, &room, o, mirror, radius, rng);
    else if (warped)
        draw_stretch(s, o, mirror, rng);
    double most = fmin(o->shift, room / sqrt(2)); /* by x and by y */
    double x = within(most, rng), y = within(most, rng);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++)
            all.matrix[i][j] = s[i][0] * rotation.matrix[0][j] + s[i][1] * rotation.matrix[1][j];
        all.shift[i] = -all.matrix[i][0] * x - all.matrix[i][1] * y;
    }
    return all;
}

static void scale_pixels(float *x, size_t n, double by)
{
    for (size_t i = 0; i < n; i++)
        x[i] *= (float)by;
}

/* n pixels, `step` apart: a share w of each goes to either neighbour, and over the border. */
static void blur_line(float *x, size_t n, size_t step, float w)
{
    float before = 0, here = x[0];
    for (size_t i = 0; i < n; i++) {
        float after = i + 1 < n ? x[(i + 1) * step] : 0;
        x[i * step] = (1 - 2 * w) * here + w * (before + after);
        before = here;
        here = after;
    }
}

static void blur_image(float *x, const recon_dataset_info *d, float w)
{
    size_t c = d->channels, wide = d->width * c;
    for (size_t row = 0; row < d->height; row++)
        for (size_t k = 0; k < c; k++)
            blur_line(x + row * wide + k, d->width, c, w);
    for (size_t column = 0; column < wide; column++)
        blur_line(x + column, d->height, wide, w);
}

/* source after the rotation by angle is undone: where a rotated copy has what the image has
 * there. */
static recon_affine undo_first(const recon_affine *source, double angle)
{
    recon_affine r = recon_image_rotate_source(-angle), all;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++)
            all.matrix[i][j] =
                r.matrix[i][0] * source->matrix[0][j] + r.matrix[i][1] * source->matrix[1][j];
        all.shift[i] = r.matrix[i][0] * source->shift[0] + r.matrix[i][1] * source->shift[1];
    }
    return all;
}

/* Resampled once, or twice: bilinear weights leave a pattern, by which a network can tell how far
 * an image was rotated before. A second pattern, at random, hides it. */
static void resample(float *out, const recon_loader *l, const slot *s, recon_affine source,
                     recon_rng *rng)
{
    const recon_dataset_info *d = &l->info;
    const float *from = s->plain;
    if (l->o.regrid) {
        double angle = recon_so2_haar(rng);
        recon_affine first = recon_image_rotate_source(angle);
        recon_image_warp(s->regridded, from, d->height, d->width, d->channels, &first,
                         RECON_BILINEAR);
        source = undo_first(&source, angle);
        from = s->regridded;
    }
    recon_image_warp(out, from, d->height, d->width, d->channels, &source, RECON_BILINEAR);
    if (l->o.edge)
        recon_image_fill_edge(out, from, d->height, d->width, d->channels, &source, RECON_BILINEAR);
}

/* Views of s->plain; at counts the images of the run. */
static void draw_views(const recon_loader *l, slot *s, size_t i, uint64_t at)
{
    size_t size = l->info.height * l->info.width * l->info.channels;
    double side = (double)(l->info.height < l->info.width ? l->info.height : l->info.width);
    double mirror = draw_mirror(&l->o, at);
    for (size_t v = 0; v < l->views; v++) {
        recon_rng rng = recon_rng_new(l->o.seed, VIEWS | (at * l->views + v));
        double angle;
        recon_affine source =
            draw_source(&angle, &l->o, l->o.all || v + 1 == l->views, mirror, (side - 1) / 2, &rng);
        resample(s->images + (v * s->n + i) * size, l, s, source, &rng);
        if (l->o.gain > 0)
            scale_pixels(s->images + (v * s->n + i) * size, size,
                         exp(within(log1p(l->o.gain), &rng)));
        for (int twice = 0; l->o.blur > 0 && twice < 2; twice++)
            blur_image(s->images + (v * s->n + i) * size, &l->info,
                       (float)(l->o.blur * recon_rng_uniform(&rng)));
        s->angles[v * s->n + i] = (float)angle;
    }
}

/* Images that are made of a whole batch. */
static size_t part_of(const recon_loader_options *o)
{
    return o->count ? o->count : o->batch;
}

static void fill(recon_loader *l, slot *s, uint64_t number)
{
    uint64_t epoch = number / l->batches, first = number % l->batches * l->o.batch;
    size_t size = l->info.height * l->info.width * l->info.channels, n = l->info.n;
    size_t whole = n - first < l->o.batch ? (size_t)(n - first) : l->o.batch;
    size_t from = l->o.from < whole ? l->o.from : whole, part = part_of(&l->o);
    s->n = part < whole - from ? part : whole - from;
    for (size_t i = 0; i < s->n && !atomic_load(&l->stop); i++) { /* large images take long */
        size_t at = (size_t)first + from + i;
        size_t row = l->o.shuffle ? recon_permute(at, n, l->o.seed, epoch + 1) : at;
        float *to = l->resample ? s->plain : s->images + i * size;
        s->labels[i] = recon_dataset_get(to, l->data, row);
        for (size_t p = 0; l->o.mask && p < size; p++)
            to[p] *= l->o.mask[p / l->info.channels];
        if (l->resample)
            draw_views(l, s, i, number * l->o.batch + from + i);
    }
}

/* --- the ring --------------------------------------------------------------------------------- */

static void *work(void *arg)
{
    recon_loader *l = arg;
    pthread_mutex_lock(&l->lock);
    for (;;) {
        while (!l->stop && l->claimed >= l->free_below + l->slots)
            pthread_cond_wait(&l->changed, &l->lock);
        if (l->stop)
            break;
        uint64_t number = l->claimed++;
        slot *s = &l->slot[number % l->slots];
        pthread_mutex_unlock(&l->lock);
        fill(l, s, number);
        pthread_mutex_lock(&l->lock);
        s->ready = number + 1;
        pthread_cond_broadcast(&l->changed);
    }
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

static recon_status start(recon_ctx *ctx, recon_loader *l)
{
    size_t size = l->info.height * l->info.width * l->info.channels, part = part_of(&l->o);
    for (size_t i = 0; i < l->slots; i++) {
        slot *s = &l->slot[i];
        RECON_CHECK(recon_alloc_raw(ctx, &s->images, l->views * part, size * sizeof(float)));
        RECON_CHECK(recon_alloc(ctx, &s->angles, l->views * part, sizeof(float)));
        RECON_CHECK(recon_alloc_raw(ctx, &s->plain, size, sizeof(float)));
        RECON_CHECK(recon_alloc_raw(ctx, &s->regridded, size, sizeof(float)));
        RECON_CHECK(recon_alloc_raw(ctx, &s->labels, part, sizeof(int32_t)));
    }
    for (; l->started < l->o.threads; l->started++)
        if (recon_thread_create(&l->thread[l->started], work, l) != 0)
            return recon_fail(ctx, RECON_ERR_MEMORY, "no thread for loading data");
    return RECON_OK;
}

static recon_status check_loader(recon_ctx *ctx, const recon_loader *l)
{
    const recon_loader_options *o = &l->o;
    if (!l->batches)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s a batch of %zu",
                          recon_count((recon_count_text){ 0 }, l->info.n, "image does not fill",
                                      "images do not fill"),
                          o->batch);
    if (o->views < 0 || o->views > 2)
        return recon_fail(ctx, RECON_ERR_INPUT, "%d views: 1 or 2", o->views);
    if (!(o->gain >= 0 && isfinite(o->gain) && o->blur >= 0 && o->blur < 0.5))
        return recon_fail(ctx, RECON_ERR_INPUT, "gain %g, blur %g: 0 or more, blur below 0.5",
                          o->gain, o->blur);
    if (!(o->shear >= 0 && o->shear < 1 && o->scale >= 0 && isfinite(o->scale) && o->shift >= 0 &&
          isfinite(o->shift)))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "shear %g, scale %g, shift %g: 0 or more, shear below 1", o->shear,
                          o->scale, o->shift);
    return RECON_OK;
}

/* Zero in any field is its default. */
static recon_loader_options complete(const recon_loader_options *options)
{
    recon_loader_options o = options ? *options : (recon_loader_options){ 0 };
    o.batch = o.batch ? o.batch : BATCH;
    o.threads = o.threads < 1 ? 1 : o.threads > MAX_THREADS ? MAX_THREADS : o.threads;
    return o;
}

static size_t slots_of(const recon_loader_options *o)
{
    return (size_t)o->threads + AHEAD + 1;
}

size_t recon_loader_bytes(const recon_dataset *data, const recon_loader_options *options)
{
    recon_dataset_info d = recon_dataset_describe(data);
    recon_loader_options o = complete(options);
    return slots_of(&o) * (o.views == 2 ? 2 : 1) * part_of(&o) * d.height * d.width * d.channels *
           sizeof(float);
}

recon_status recon_loader_open(recon_ctx *ctx, recon_loader **out, const recon_dataset *data,
                               const recon_loader_options *options)
{
    recon_loader *l;
    recon_status status = recon_alloc(ctx, &l, 1, sizeof *l);
    *out = NULL;
    if (status != RECON_OK)
        return status;
    l->data = data;
    l->info = recon_dataset_describe(data);
    l->o = complete(options);
    l->batches = (l->info.n + (l->o.keep_last ? l->o.batch - 1 : 0)) / l->o.batch;
    l->views = l->o.views == 2 ? 2 : 1;
    l->resample = l->views > 1 || l->o.rotate || l->o.shear > 0 || l->o.scale > 0 ||
                  l->o.shift > 0 || l->o.flip || l->o.gain > 0 || l->o.blur > 0 || l->o.regrid;
    l->slots = slots_of(&l->o);
    l->claimed = l->read = l->free_below = l->o.first;
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->changed, NULL);
    status = check_loader(ctx, l);
    if (status == RECON_OK)
        status = start(ctx, l);
    if (status == RECON_OK)
        *out = l;
    else
        recon_loader_close(l);
    return status;
}

void recon_loader_close(recon_loader *l)
{
    if (!l)
        return;
    pthread_mutex_lock(&l->lock);
    l->stop = 1;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
    for (int i = 0; i < l->started; i++)
        pthread_join(l->thread[i], NULL);
    for (size_t i = 0; i < l->slots; i++) {
        recon_free_all(l->slot[i].images, l->slot[i].angles, l->slot[i].plain, l->slot[i].regridded,
                       l->slot[i].labels);
    }
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

uint64_t recon_loader_batches(const recon_loader *loader)
{
    return loader->batches;
}

void recon_loader_next(recon_batch *out, recon_loader *l)
{
    const slot *s = &l->slot[l->read % l->slots];
    pthread_mutex_lock(&l->lock);
    l->free_below = l->read; /* the batch before this one is free; this one is not */
    pthread_cond_broadcast(&l->changed);
    while (s->ready != l->read + 1)
        pthread_cond_wait(&l->changed, &l->lock);
    l->read++;
    pthread_mutex_unlock(&l->lock);
    *out = (recon_batch){ s->n, l->views, s->images, s->angles, s->labels };
}
