/* budget.h - so many bytes at once, over all threads of a job.
 *
 * Who wants more than is left waits until others have given theirs back; who wants more than there
 * is in all gets it when nobody else holds any, so that nobody waits for ever. */
#ifndef CORE_BUDGET_H
#define CORE_BUDGET_H

#include <pthread.h>
#include <stddef.h>

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t given;
    size_t used, most;
} recon_budget;

void recon_budget_init(recon_budget *budget, size_t most);
void recon_budget_end(recon_budget *budget);
void recon_budget_take(recon_budget *budget, size_t bytes);
void recon_budget_give(recon_budget *budget, size_t bytes);

#endif
