/* plugin.c - finds and loads plug-ins, each once. */
#include "core/plugin.h"
#include "core/prefix.h"
#include "core/shipped.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 1200 };

static struct {
    const char *file;
    int global; /* what an MPI loads itself looks for MPI's own symbols */
    const recon_plugin *_Atomic table;
    char problem[PATH + 200];
} plugins[RECON_PLUGINS] = {
    [RECON_PLUGIN_ONEDNN] = { .file = "recon-ops-onednn.so" },
    [RECON_PLUGIN_BLAS] = { .file = "recon-ops-blas.so" },
    [RECON_PLUGIN_FAISS] = { .file = "recon-knn-faiss.so" },
    [RECON_PLUGIN_OPENMPI] = { .file = "recon-comm-openmpi.so", .global = 1 },
    [RECON_PLUGIN_MPICH] = { .file = "recon-comm-mpich.so", .global = 1 },
};

static const recon_plugin absent;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int recon_plugin_find(char *out, size_t room, recon_plugin_id id)
{
    const char *chosen = getenv("RECON_PLUGINS");
    char own[PATH / 2];
    recon_shipped_folder(own, sizeof own);
    const char *const places[][2] = { { own, "" },
                                      { own, "/recon" },
                                      { own, "/../lib/recon" },
                                      { recon_prefix, "/lib/recon" },
                                      { "/usr/lib/recon", "" } };
    if (chosen && *chosen) {
        snprintf(out, room, "%s/%s", chosen, plugins[id].file);
        return access(out, F_OK) == 0;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(out, room, "%s%s/%s", places[i][0], places[i][1], plugins[id].file);
        if (access(out, F_OK) == 0)
            return 1;
    }
    return 0;
}

static const recon_plugin *failed(recon_plugin_id id, const char *why, const char *more)
{
    snprintf(plugins[id].problem, sizeof plugins[id].problem, "%s%s", why, more);
    return &absent;
}

static const recon_plugin *load(recon_plugin_id id)
{
    const char *file = plugins[id].file, *chosen = getenv("RECON_PLUGINS");
    char path[PATH];
    int there = recon_plugin_find(path, sizeof path, id);
    if (!there && chosen && *chosen)
        return failed(id, path, " not found (RECON_PLUGINS is set)");
    /* By its name alone where the dynamic linker looks: in the run path of programs of our own build. */
    void *handle =
        dlopen(there ? path : file, RTLD_NOW | (plugins[id].global ? RTLD_GLOBAL : RTLD_LOCAL));
    const recon_plugin *(*get)(void) = NULL;
    if (!handle)
        return there ? failed(id, dlerror(), "")
                     : failed(id, file, " not found (docs/README.md says where it is looked for)");
    *(void **)&get = dlsym(handle, "recon_plugin_table");
    const recon_plugin *table = get ? get() : NULL;
    if (!table || strcmp(table->made_for, RECON_VERSION))
        return failed(id, there ? path : file, " was made for another version of recon");
    return table;
}

const recon_plugin *recon_plugin_get(recon_plugin_id id)
{
    const recon_plugin *table = atomic_load_explicit(&plugins[id].table, memory_order_acquire);
    if (!table) {
        pthread_mutex_lock(&lock);
        table = atomic_load_explicit(&plugins[id].table, memory_order_relaxed);
        if (!table)
            table = load(id);
        atomic_store_explicit(&plugins[id].table, table, memory_order_release);
        pthread_mutex_unlock(&lock);
    }
    return table == &absent ? NULL : table;
}

const char *recon_plugin_problem(recon_plugin_id id)
{
    return recon_plugin_get(id) ? "" : plugins[id].problem;
}
