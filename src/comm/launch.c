/* launch.c - detects launchers by the environment variables that they set. */
#include "comm/launch.h"
#include "core/shipped.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 1200 };

static int number(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? atoi(text) : otherwise;
}

/* srun sets PMIX_RANK or PMI_RANK where it was told which MPI there is (--mpi=pmix, --mpi=pmi2).
 * Its SLURM_NTASKS is also set in a batch script, which is one process. */
recon_launch recon_launch_find(void)
{
    static const struct {
        const char *engine, *rank, *size;
    } launchers[] = {
        { "openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
        { "mpich", "PMI_RANK", "PMI_SIZE" },
        { "openmpi", "PMIX_RANK", "SLURM_STEP_NUM_TASKS" },
    };
    const char *plugin = getenv("RECON_COMM_PLUGIN");
    if (plugin && !strcmp(plugin, "none"))
        return (recon_launch){ .size = 1 };
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (getenv(launchers[i].rank) && getenv(launchers[i].size)) {
            int size = number(launchers[i].size, 1);
            return (recon_launch){ .engine = size > 1 ? launchers[i].engine : NULL,
                                   .rank = number(launchers[i].rank, 0),
                                   .size = size };
        }
    int tasks = number("SLURM_STEP_NUM_TASKS", 1);
    if (tasks > 1 && getenv("SLURM_PROCID"))
        return (recon_launch){ .rank = number("SLURM_PROCID", 0),
                               .size = tasks,
                               .problem = "srun has started several tasks without MPI: add "
                                          "--mpi=pmix (Open MPI) or --mpi=pmi2 (MPICH)" };
    return (recon_launch){ .size = 1 };
}

int recon_launch_place(void)
{
    static const char *const names[] = { "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                         "SLURM_LOCALID" };
    int place = -1; /* the first that is set counts: others may be of a launcher around it */
    for (size_t i = 0; i < sizeof names / sizeof *names && place < 0; i++)
        place = number(names[i], -1);
    return place > 0 ? place : 0;
}

/* The first place where the file is; else the last place. */
static void find_plugin(char out[PATH], const char *engine)
{
    const char *chosen = getenv("RECON_COMM_PLUGIN");
    char own[PATH / 2];
    recon_shipped_folder(own, sizeof own);
    const char *const places[][2] = { { own, "" },
                                      { own, "/recon" },
                                      { own, "/../lib/recon" },
                                      { "/usr/local/lib/recon", "" },
                                      { "/usr/lib/recon", "" } };
    if (chosen && *chosen) {
        snprintf(out, PATH, "%s", chosen);
        return;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(out, PATH, "%s%s/recon-comm-%s.so", places[i][0], places[i][1], engine);
        if (access(out, F_OK) == 0)
            return;
    }
    snprintf(out, PATH, "recon-comm-%s.so", engine);
}

/* For all to see: what an MPI loads itself looks for MPI's own symbols. */
const recon_engine *recon_launch_load(const char *engine, char *message, size_t room)
{
    char path[PATH];
    find_plugin(path, engine);
    void *plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    const recon_engine *(*get)(void) = NULL;
    if (plugin)
        *(void **)&get = dlsym(plugin, RECON_ENGINE_SYMBOL);
    const recon_engine *found = get ? get() : NULL;
    if (found && found->version == RECON_ENGINE_VERSION)
        return found;
    snprintf(message, room,
             "the launcher is %s's, but its plug-in cannot be used: %s%s (docs/cluster.md; "
             "RECON_COMM_PLUGIN=none runs every process alone)",
             engine, found ? "another version of recon made " : "",
             found || plugin ? path : dlerror());
    return NULL;
}
