/* budget.c - so many bytes at once. */
#include "core/budget.h"

void recon_budget_init(recon_budget *b, size_t most)
{
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->given, NULL);
    b->used = 0;
    b->most = most;
}

void recon_budget_end(recon_budget *b)
{
    pthread_cond_destroy(&b->given);
    pthread_mutex_destroy(&b->lock);
}

void recon_budget_take(recon_budget *b, size_t bytes)
{
    pthread_mutex_lock(&b->lock);
    while (b->used && (bytes > b->most || b->used > b->most - bytes))
        pthread_cond_wait(&b->given, &b->lock);
    b->used += bytes;
    pthread_mutex_unlock(&b->lock);
}

void recon_budget_give(recon_budget *b, size_t bytes)
{
    pthread_mutex_lock(&b->lock);
    b->used -= bytes;
    pthread_cond_broadcast(&b->given);
    pthread_mutex_unlock(&b->lock);
}
