/* main.c - recon-lab: the demo and the experiments. `recon demo` and `recon reproduce` start it, with the
 * same words. */
#include "lab/lab.h"
#include "core/text.h"

#include <stdio.h>
#include <string.h>

static const char reproduce[] = "reproduce";

static void print_experiments(FILE *to)
{
    fputs("recon reproduce - the paper's tables, and what else was measured\n"
          "usage: recon reproduce EXPERIMENT [OPTIONS]\n\n",
          to);
    for (const lab_experiment *e = lab_experiments; e->name; e++)
        fprintf(to, "  %-12s %s\n", e->name, e->purpose);
    fputs("\nexample:\n"
          "  recon reproduce mnist --quick\n"
          "\n`recon reproduce EXPERIMENT --help` describes one.\n",
          to);
}

static int no_such_experiment(const char *word)
{
    const char *near = NULL;
    for (const lab_experiment *e = lab_experiments; word && !near && e->name; e++)
        if (recon_resembles(word, e->name))
            near = e->name;
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
        for (const lab_experiment *e = lab_experiments; e->name; e++)
            lab_start(e, 1, argv);
        return EXIT_DONE;
    }
    for (const lab_experiment *e = lab_experiments; word && e->name; e++)
        if (!strcmp(word, e->name))
            return lab_start(e, argc - 1, argv + 1);
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
