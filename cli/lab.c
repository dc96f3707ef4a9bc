/* lab.c - starts recon-lab for `recon demo` and `recon reproduce`. */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const cli_command cli_demo = {
    .name = "demo",
    .purpose = CLI_DEMO_PURPOSE,
};
const cli_command cli_reproduce = {
    .name = "reproduce",
    .purpose = "reproduce the paper's tables",
};

/* recon-lab in the folder of the program that runs. 0: the path is too long. */
static int find(char path[PATH_MAX])
{
    static const char name[] = "recon-lab";
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length < 0)
        return 0;
    path[length] = '\0';
    char *end = strrchr(path, '/');
    if (!end || (size_t)(end + 1 - path) + sizeof name > PATH_MAX)
        return 0;
    memcpy(end + 1, name, sizeof name);
    return 1;
}

static int say_why(const char *command, int error)
{
    fprintf(stderr,
            "recon %s: this is done by recon-lab, which cannot be started (%s); install it beside "
            "recon\n",
            command, strerror(error));
    return EXIT_FAILED;
}

int cli_lab_run(char **argv)
{
    char path[PATH_MAX];
    errno = ENAMETOOLONG;
    if (find(path))
        execv(path, argv);
    return say_why(argv[1], errno);
}

int cli_lab_has(const char *word)
{
    return !strcmp(word, cli_demo.name) || !strcmp(word, cli_reproduce.name);
}

/* Of the tables that tools/make-* read: those of recon-lab's commands come from there. */
int cli_lab_table(const cli_command *command)
{
    extern char **environ;
    char path[PATH_MAX], recon[] = "recon", name[16], table[] = CLI_TABLE;
    char *argv[] = { recon, name, table, NULL };
    pid_t child;
    int status = 0, error = ENAMETOOLONG;
    snprintf(name, sizeof name, "%s", command->name);
    fflush(stdout);
    if (find(path))
        error = posix_spawn(&child, path, NULL, NULL, argv, environ);
    if (error)
        return say_why(name, error);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}
