/* pool.h - the context's pool of threads. Everybody but core goes through recon_parallel. */
#ifndef CORE_POOL_H
#define CORE_POOL_H

typedef struct recon_pool recon_pool;

recon_pool *recon_pool_new(int threads); /* 0: what the machine offers; NULL when refused */
void recon_pool_free(recon_pool *pool);
int recon_pool_threads(const recon_pool *pool);

#endif
