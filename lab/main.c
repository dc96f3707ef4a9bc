/* main.c - recon-lab: the demo and the experiments. `recon demo` and `recon reproduce` start it, with the
 * same words. */
#include "lab/lab.h"
#include "core/resembles.h"

#include <stdio.h>
#include <string.h>

static const cli_command *const commands[] = { &lab_demo,       &lab_mnist,   &lab_mnist12k,
                                               &lab_fashion,    &lab_images,  &lab_molecules,
                                               &lab_estimators, &lab_letters, &lab_cifar,
                                               &lab_words };
enum { COMMANDS = sizeof commands / sizeof *commands };
static const char reproduce[] = "reproduce";

/* "mnist" of "reproduce mnist"; NULL: it is no experiment. */
static const char *experiment_of(const cli_command *command)
{
    size_t n = sizeof reproduce - 1;
    return strncmp(command->name, reproduce, n) ? NULL : command->name + n + 1;
}

static void print_experiments(FILE *to)
{
    fputs("recon reproduce - the paper's tables, and what else was measured\n"
          "usage: recon reproduce EXPERIMENT [OPTIONS]\n\n",
          to);
    for (size_t i = 0; i < COMMANDS; i++)
        if (experiment_of(commands[i]))
            fprintf(to, "  %-12s %s\n", experiment_of(commands[i]), commands[i]->purpose);
    fputs("\nexample:\n"
          "  recon reproduce mnist --quick\n"
          "\n`recon reproduce EXPERIMENT --help` describes one.\n",
          to);
}

static int no_such_experiment(const char *word)
{
    const char *near = NULL;
    for (size_t i = 0; word && !near && i < COMMANDS; i++)
        if (experiment_of(commands[i]) && recon_resembles(word, experiment_of(commands[i])))
            near = experiment_of(commands[i]);
    return cli_misuse(&(cli_command){ .name = reproduce }, "%s%s%s%s%s%s",
                      word ? "there is no experiment '" : "name an experiment", word ? word : "",
                      word ? "'" : "", near ? " (did you mean " : "", near ? near : "",
                      near ? "?)" : "");
}

static int run_reproduce(int argc, char **argv)
{
    const char *word = argc > 0 ? argv[0] : NULL;
    if (word && (!strcmp(word, "--help") || !strcmp(word, "-h"))) {
        print_experiments(stdout);
        return EXIT_DONE;
    }
    if (word && !strcmp(word, CLI_TABLE)) {
        for (size_t i = 0; i < COMMANDS; i++)
            if (experiment_of(commands[i]))
                commands[i]->run(1, argv);
        return EXIT_DONE;
    }
    for (size_t i = 0; word && i < COMMANDS; i++)
        if (experiment_of(commands[i]) && !strcmp(word, experiment_of(commands[i])))
            return commands[i]->run(argc - 1, argv + 1);
    return no_such_experiment(word);
}

static int run(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (cli_ranks_size() > 1)
        return cli_misuse(&(cli_command){ .name = word },
                          "it runs in one process, but %d were started", cli_ranks_size());
    if (!strcmp(word, "demo"))
        return lab_demo.run(argc - 2, argv + 2);
    if (!strcmp(word, reproduce))
        return run_reproduce(argc - 2, argv + 2);
    print_experiments(stderr);
    return EXIT_MISUSE;
}

int main(int argc, char **argv)
{
    return cli_main(argc, argv, run);
}
