/* main.c - recon: a table of commands. */
#include "cli/cli.h"
#include "core/fail.h"
#include "core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

/* In the order in which somebody new meets them. */
static const struct {
    const char *heading;
    const cli_command *commands[MOST + 1];
} groups[] = {
    { "discover",
      { &cli_upright, &cli_demo, &cli_train, &cli_discover, &cli_normalize, &cli_report } },
    { "use", { &cli_canonicalize, &cli_audit, &cli_score, &cli_distribution, &cli_export } },
    { "measure", { &cli_check, &cli_classifier, &cli_reproduce, &cli_info, &cli_models } },
};
enum { GROUPS = sizeof groups / sizeof *groups };

static void print_help(FILE *to)
{
    fputs("recon - natural poses and pose distributions, without labels\n"
          "usage: recon COMMAND [OPTIONS]\n",
          to);
    for (size_t g = 0; g < GROUPS; g++) {
        fprintf(to, "%s\n", groups[g].heading);
        for (const cli_command *const *c = groups[g].commands; *c; c++)
            fprintf(to, "  %-13s %s\n", (*c)->name, (*c)->purpose);
    }
    fputs("start here: `recon upright PATH`; `recon COMMAND --help` describes a command.\n"
          "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 undetermined, 128 + N: signal N.\n",
          to);
}

/* What tools/make-* read: the same tables as the help. */
static int print_table(void)
{
    char table[] = CLI_TABLE;
    char *argv[] = { table, NULL };
    for (size_t g = 0; g < GROUPS; g++) {
        printf("group\t%s\n", groups[g].heading);
        for (const cli_command *const *c = groups[g].commands; *c; c++)
            if ((cli_lab_has((*c)->name) ? cli_lab_table(*c) : (*c)->run(1, argv)) != EXIT_DONE)
                return EXIT_FAILED;
    }
    return EXIT_DONE;
}

static int print_version(int as_json)
{
    printf(as_json ? "{\"version\": \"%s\"}\n" : "recon %s\n", recon_version());
    return EXIT_DONE;
}

static int is(const char *word, const char *a)
{
    return word && !strcmp(word, a);
}

static const cli_command *find(const char *name, int (*fits)(const char *, const char *))
{
    for (size_t g = 0; g < GROUPS; g++)
        for (const cli_command *const *c = groups[g].commands; *c; c++)
            if (fits(name, (*c)->name))
                return *c;
    return NULL;
}

/* What a mistyped word may have been; NULL: nobody knows. */
static const char *nearest(const char *word)
{
    static const char *const others[] = { "--version", "--help", "version", "help" };
    const cli_command *command = find(word, recon_resembles);
    for (size_t i = 0; !command && i < sizeof others / sizeof *others; i++)
        if (recon_resembles(word, others[i]))
            return others[i];
    return command ? command->name : NULL;
}

static int no_such_command(const char *word)
{
    const char *near = nearest(word);
    char name[64];
    snprintf(name, sizeof name, "%s", word);
    recon_keep_to_one_line(name);
    if (cli_ranks_rank() == 0)
        fprintf(stderr, "recon: unknown %s '%s'%s%s%s; `recon --help` lists all commands\n",
                *word == '-' ? "option" : "command", name, near ? " (did you mean " : "",
                near ? near : "", near ? "?)" : "");
    return EXIT_MISUSE;
}

static int run(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL, *next = argc > 2 ? argv[2] : NULL;
    char help[] = "--help";
    if (!word) {
        if (cli_ranks_rank() == 0)
            print_help(stderr);
        return EXIT_MISUSE;
    }
    if (is(word, "help") && is(next, CLI_TABLE))
        return print_table();
    if (is(word, "help") && (argc == 3 || argc == 4)) { /* recon help COMMAND [all] */
        argv[1] = argv[2];
        argv[2] = help;
        word = argv[1];
    }
    if (is(word, "--help") || is(word, "-h") || is(word, "help")) {
        print_help(stdout);
        return EXIT_DONE;
    }
    if (is(word, "--version") || is(word, "version"))
        return print_version(is(next, "--json"));
    const cli_command *command = find(word, is);
    if (!command)
        return no_such_command(word);
    if (cli_ranks_size() > 1 && !command->over_ranks)
        return cli_misuse(command, "it runs in one process, but %d were started", cli_ranks_size());
    return command->run(argc - 2, argv + 2);
}

/* The demo and the experiments are another program's, before anything is set up in this one. */
int main(int argc, char **argv)
{
    char help[] = "--help";
    if (argc > 1 && cli_lab_has(argv[1]))
        return cli_lab_run(argv);
    if (argc > 2 && is(argv[1], "help") && cli_lab_has(argv[2])) {
        char *helped[] = { argv[0], argv[2], argc > 3 ? argv[3] : help, argc > 3 ? help : NULL,
                           NULL };
        return cli_lab_run(helped);
    }
    return cli_main(argc, argv, run);
}
