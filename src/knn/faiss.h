/* faiss.h - the parts of FAISS that we use, as its plug-in provides them: Debian ships C++ alone. */
#ifndef KNN_FAISS_H
#define KNN_FAISS_H

#include "core/plugin.h"

#include <stddef.h>
#include <stdint.h>
#include <recon/core/status.h>

typedef struct recon_faiss recon_faiss;

/* Whether to stop. FAISS asks in the caller's thread. */
typedef int recon_faiss_stop(void *user);

typedef struct {
    recon_plugin plugin;
    /* An index over w [n][d] by inner product or by squared distance: inverted lists, or a graph when
     * graph is set. On failure *out is NULL; RECON_ERR_MEMORY, RECON_ERR_NUMERIC or, once stop says
     * so, RECON_ERR_INTERRUPTED, with the reason in message. */
    recon_status (*index_new)(recon_faiss **out, const float *w, size_t n, size_t d, int euclidean,
                              int graph, int threads, recon_faiss_stop *stop, void *user,
                              char *message, size_t size);
    /* out [m][k], filled up with -1 if fewer were found. Fails as above. */
    recon_status (*index_search)(recon_faiss *index, int64_t *out, const float *queries, size_t m,
                                 size_t k, int threads, char *message, size_t size);
    void (*index_free)(recon_faiss *index);
} recon_faiss_table;

#endif
