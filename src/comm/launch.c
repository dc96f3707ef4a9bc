/* launch.c - detects launchers by the environment variables that they set. */
#include "comm/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

const recon_engine *recon_launch_load(const char *engine, char *message, size_t room)
{
    recon_plugin_id id = strcmp(engine, "mpich") ? RECON_PLUGIN_OPENMPI : RECON_PLUGIN_MPICH;
    const recon_engine *found = (const recon_engine *)recon_plugin_get(id);
    if (!found)
        snprintf(message, room,
                 "the launcher is %s's, but its plug-in cannot be used: %s (docs/cluster.md; "
                 "RECON_COMM_PLUGIN=none runs every process alone)",
                 engine, recon_plugin_problem(id));
    return found;
}
