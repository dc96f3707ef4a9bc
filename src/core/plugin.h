/* plugin.h - libraries that recon can do without, as small shared objects that are loaded when they are
 * first needed.
 *
 * recon-FOLDER-LIBRARY.so is linked with one library; nothing else of recon is. It provides a table of
 * functions, whose header is in src/FOLDER, begins with a recon_plugin, and includes nothing that only a
 * program linked with recon has: a plug-in calls nothing of ours. */
#ifndef CORE_PLUGIN_H
#define CORE_PLUGIN_H

#include <stddef.h>
#include <recon/core/status.h>

typedef struct {
    const char *made_for; /* RECON_VERSION: tables differ between versions */
    const char *name;     /* "oneDNN" */
    const char *version;  /* "2.6.3"; or NULL */
} recon_plugin;

/* What each plug-in defines, and nothing else that is visible. */
#ifdef __cplusplus
extern "C"
#endif
    RECON_API const recon_plugin *
    recon_plugin_table(void);

typedef enum {
    RECON_PLUGIN_ONEDNN,
    RECON_PLUGIN_BLAS,
    RECON_PLUGIN_FAISS,
    RECON_PLUGIN_OPENMPI,
    RECON_PLUGIN_MPICH,
    RECON_PLUGINS
} recon_plugin_id;

/* The table, the same for the life of the process; NULL if there is none. Any thread may ask. */
const recon_plugin *recon_plugin_get(recon_plugin_id id);

/* Why there is none: "recon-ops-blas.so not found (...)". */
const char *recon_plugin_problem(recon_plugin_id id);

/* Whether its file is there, without loading it; its path to out. Looks in $RECON_PLUGINS, if that is
 * set, and nowhere else; else beside the program or the library, in recon/ there, in lib/recon beside
 * that folder, in that of the prefix it was installed under, and in /usr/lib/recon. */
int recon_plugin_find(char *out, size_t room, recon_plugin_id id);

#endif
