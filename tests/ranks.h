/* ranks.h - tests that start themselves under mpirun, and check their laws there as one of the ranks.
 *
 * Such a test has two lists: run_rank checks what holds at every rank, with `ranks` attached to the
 * context by rank_setup; main puts under_openmpi and under_mpich into its own list. */
#ifndef TESTS_RANKS_H
#define TESTS_RANKS_H

#include "check.h"
#include "comm/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static recon_comm *ranks;

static inline int rank_setup(void **state)
{
    check_setup(state);
    recon_comm_attach(*state, ranks);
    return 0;
}

/* Whether this process is a rank; then it has joined the others, or said why not and ended. */
static inline int is_rank(void)
{
    recon_comm_message message;
    if (!getenv("RECON_TEST_RANK"))
        return 0;
    if (recon_comm_start(&ranks, message) != RECON_OK) {
        puts(message);
        exit(1);
    }
    return 1;
}

static char program[1024];

/* Under MPI's own launcher; skipped where there is none, or no plug-in was built. Builds for one
 * instruction set have no plug-ins of their own: that of the release build serves them. */
static inline void run_ranks(const char *engine, int n, const char *options)
{
    char plugin[512], line[4096];
    const char *build = getenv("RECON_BUILD");
    snprintf(plugin, sizeof plugin, "%s/recon-comm-%s.so", build ? build : "build", engine);
    if (access(plugin, F_OK) != 0)
        snprintf(plugin, sizeof plugin, "build/recon-comm-%s.so", engine);
    snprintf(line, sizeof line, "command -v mpirun.%s > /dev/null", engine);
    if (access(plugin, F_OK) != 0 || system(line) != 0)
        skip();
    /* Several launchers of Open MPI at once race for one folder in /tmp, so each has its own. */
    snprintf(line, sizeof line,
             "own=$(mktemp -d) && RECON_TEST_RANK=1 "
             "ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 "
             "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent= "
             "OMPI_MCA_orte_tmpdir_base=$own timeout 300 mpirun.%s %s -n %d %s > %s.log 2>&1; "
             "code=$?; rm -rf \"$own\"; exit $code",
             engine, options, n, program, program);
    int code = system(line);
    if (code != 0) {
        snprintf(line, sizeof line, "cat %s.log", program);
        (void)!system(line);
        fail_msg("%d ranks of %s ended with %d", n, engine, WEXITSTATUS(code));
    }
}

static inline void under_openmpi(void **state)
{
    (void)state;
    for (int n = 1; n <= 4; n += SANITIZED ? 3 : 1)
        run_ranks("openmpi", n, "--oversubscribe --bind-to none");
}

/* How work is split does not depend on the MPI: one number of ranks for the second, and with
 * sanitizers one of the two is enough. */
static inline void under_mpich(void **state)
{
    (void)state;
    plain_build_only();
    run_ranks("mpich", 4, "");
}

#endif
