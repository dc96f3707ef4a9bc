/* process.c - the process of a command: descriptors, signals, limits. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static recon_ctx *volatile current; /* for the signal handler alone */
static volatile sig_atomic_t caught;

/* OpenBLAS asks this while it is loaded how many threads to start. What uses it has loops of its own;
 * and a worker of OpenBLAS that finds no memory tries again forever,
 * and the process with it. */
__attribute__((visibility("default"))) int openblas_num_threads_env(void);
int openblas_num_threads_env(void)
{
    return 1;
}

/* A descriptor that was closed would be the next file's: what is printed would end up in it. The
 * null device takes its place, opened so that writing an answer to it fails and is noticed. */
static void fill_descriptors(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

static void on_signal(int number)
{
    caught = number;
    if (current)
        recon_ctx_interrupt(current);
}

/* Writing beyond a limit or to a pipe that nobody reads is then an error like a full disk, with a
 * message, and what was begun is cleaned up. */
static void ignore_signals(void)
{
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
}

/* Where address space is limited, threads share one heap: each of its own would reserve 64 MiB. */
static void spare_memory(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        mallopt(M_ARENA_MAX, 1);
}

void cli_process_start(void)
{
    fill_descriptors();
    ignore_signals();
    spare_memory();
}

void cli_process_watch(recon_ctx *ctx)
{
    struct sigaction action = { .sa_handler = on_signal }, before;
    current = ctx;
    sigaction(SIGINT, &action, NULL); /* also where a script's `recon ... &` has it ignored */
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, NULL, &before);
    if (before.sa_handler != SIG_IGN) /* nohup */
        sigaction(SIGHUP, &action, NULL);
}

void cli_process_unwatch(void)
{
    current = NULL;
}

int cli_process_signal(void)
{
    return caught;
}

int cli_process_code(recon_status status)
{
    if (status == RECON_ERR_INTERRUPTED && caught)
        return EXIT_SIGNAL + caught;
    return status == RECON_OK             ? EXIT_DONE
           : status == RECON_ERR_MISMATCH ? EXIT_MISUSE
                                          : EXIT_FAILED;
}

/* An answer that did not reach its file is a failure too. */
int cli_main(int argc, char **argv, int (*run)(int argc, char **argv))
{
    cli_process_start();
    int code = cli_ranks_start();
    if (code >= 0)
        return code;
    code = EXIT_FAILED;
    if (cli_guard_output()) {
        code = run(argc, argv);
    } else {
        fputs("recon: out of memory\n", stderr);
        cli_ranks_end(code);
    }
    int closed = fclose(stdout), error = errno;
    cli_ranks_finish();
    errno = error;
    if (closed == 0)
        return code;
    if (errno == EINTR) /* by a signal, while nobody read */
        return EXIT_SIGNAL + cli_process_signal();
    if (errno == EPIPE && code == EXIT_DONE) /* `recon ... | head`: it has seen enough */
        return EXIT_SIGNAL + SIGPIPE;
    perror("recon: standard output");
    return code == EXIT_DONE ? EXIT_FAILED : code;
}
