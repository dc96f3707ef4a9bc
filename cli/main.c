/* main.c - recon: a table of commands. */
#include "cli/cli.h"
#include "core/fail.h"

#include <stdio.h>
#include <string.h>

static const cli_command *const commands[] = {
    &cli_train,     &cli_normalize,    &cli_discover,   &cli_canonicalize,
    &cli_score,     &cli_distribution, &cli_classifier, &cli_check,
    &cli_reproduce, &cli_report,       &cli_info,
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *to)
{
    fputs("recon - the poses in which objects really occur, without labels\n\n"
          "usage: recon COMMAND [OPTIONS]\n\n",
          to);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-13s %s\n", commands[i]->name, commands[i]->purpose);
    fputs("\n`recon COMMAND --help` explains one and shows an example.\n"
          "`recon --version` prints the version.\n",
          to);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_MISUSE;
    }
    char help[] = "--help";
    if (argc == 3 && !strcmp(argv[1], "help")) { /* recon help COMMAND */
        argv[1] = argv[2];
        argv[2] = help;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_help(stdout);
        return EXIT_DONE;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("recon %s\n", recon_version());
        return EXIT_DONE;
    }
    for (size_t i = 0; i < COMMANDS; i++)
        if (!strcmp(argv[1], commands[i]->name))
            return commands[i]->run(argc - 2, argv + 2);
    char name[64];
    snprintf(name, sizeof name, "%s", argv[1]);
    recon_keep_to_one_line(name);
    fprintf(stderr, "recon: no command is called '%s'; `recon --help` lists them\n", name);
    return EXIT_MISUSE;
}

/* An answer that did not reach its file is a failure too. */
int main(int argc, char **argv)
{
    int code = run(argc, argv);
    if (fclose(stdout) == 0)
        return code;
    perror("recon: standard output");
    return code == EXIT_DONE ? EXIT_FAILED : code;
}
