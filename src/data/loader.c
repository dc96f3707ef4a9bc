/* loader.c - a ring of batches between threads that fill it and one that reads. */
#include <recon/data/loader.h>
#include "core/fail.h"
#include "core/memory.h"
#include "data/permute.h"

#include <pthread.h>
#include <stdlib.h>

enum { BATCH = 64, MAX_THREADS = 16, AHEAD = 2 }; /* batches ready beyond one a thread */

typedef struct {
    uint64_t ready; /* number of the batch in it, plus 1 */
    size_t n;
    float *images;
    int32_t *labels;
} slot;

struct recon_loader {
    const recon_dataset *data;
    recon_dataset_info info;
    recon_loader_options o;
    uint64_t batches;       /* in an epoch */
    uint64_t claimed, read; /* the next batch to fill; the next to hand out */
    uint64_t free_below;    /* batches before this one are done with */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int stop, started;
    size_t slots;
    slot slot[MAX_THREADS + AHEAD + 1];
    pthread_t thread[MAX_THREADS];
};

static void fill(const recon_loader *l, slot *s, uint64_t number)
{
    uint64_t epoch = number / l->batches, first = number % l->batches * l->o.batch;
    size_t size = l->info.height * l->info.width * l->info.channels, n = l->info.n;
    s->n = n - first < l->o.batch ? (size_t)(n - first) : l->o.batch;
    for (size_t i = 0; i < s->n; i++) {
        size_t at = (size_t)first + i;
        size_t row = l->o.shuffle ? recon_permute(at, n, l->o.seed, epoch + 1) : at;
        s->labels[i] = recon_dataset_get(s->images + i * size, l->data, row);
    }
}

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
    size_t size = l->info.height * l->info.width * l->info.channels;
    recon_status status = RECON_OK;
    for (size_t i = 0; i < l->slots; i++) {
        RECON_TRY(recon_alloc_raw(ctx, &l->slot[i].images, l->o.batch * size, sizeof(float)));
        RECON_TRY(recon_alloc_raw(ctx, &l->slot[i].labels, l->o.batch, sizeof(int32_t)));
    }
    for (; l->started < l->o.threads; l->started++)
        if (pthread_create(&l->thread[l->started], NULL, work, l) != 0)
            RECON_TRY(recon_fail(ctx, RECON_ERR_MEMORY, "no thread for loading data"));
done:
    return status;
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
    l->o = options ? *options : (recon_loader_options){ 0 };
    l->o.batch = l->o.batch ? l->o.batch : BATCH;
    l->o.threads = l->o.threads < 1 ? 1 : l->o.threads > MAX_THREADS ? MAX_THREADS : l->o.threads;
    l->batches = (l->info.n + (l->o.keep_last ? l->o.batch - 1 : 0)) / l->o.batch;
    l->slots = (size_t)l->o.threads + AHEAD + 1;
    l->claimed = l->read = l->free_below = l->o.first;
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->changed, NULL);
    status = l->batches ? start(ctx, l)
                        : recon_fail(ctx, RECON_ERR_INPUT, "%zu images do not fill a batch of %zu",
                                     l->info.n, l->o.batch);
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
        free(l->slot[i].images);
        free(l->slot[i].labels);
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
    *out = (recon_batch){ s->n, s->images, s->labels };
}
