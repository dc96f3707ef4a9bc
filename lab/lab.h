/* lab.h - what the commands of recon-lab share.
 *
 * Every experiment is a command of its own, `recon reproduce NAME`, with its own table of options:
 * what it does not have it does not list. The options that several of them have are spelled once,
 * here. */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include "cli/cli.h"

/* Zero in any field means its default. */
typedef struct {
    const char *models[CLI_MANY_MOST];
    const char *out, *figures, *classifier, *fonts;
    size_t images, limit, size, seed, seeds, epochs;
    int quick, train, resume, overwrite, preset;
    int device, precision, deterministic;
    cli_common common;
} lab_settings;

typedef enum {
    LAB_QUICK,
    LAB_MODEL,
    LAB_MODELS, /* up to CLI_MANY_MOST */
    LAB_CLASSIFIER,
    LAB_FIGURES,
    LAB_IMAGES,
    LAB_LIMIT,
    LAB_SIZE,
    LAB_FONTS,
    LAB_TRAIN, /* and --resume, --overwrite, which need it */
    LAB_OUT,
    LAB_EPOCHS,
    LAB_SEED,
    LAB_SEEDS,
    LAB_OPTIONS
} lab_option;

/* Reads the command line by a command's own options, those of the list that end with LAB_OPTIONS,
 * and those of every experiment; -1 to go on, or the exit code. `own` ends with an empty entry. */
int lab_parse(const cli_command *command, lab_settings *s, const cli_option *own,
              const lab_option *shared, int argc, char **argv);

/* -1, or misuse where an option of training is given without --train, or --train without --out. Seeds
 * become 1 where they are not given. */
int lab_check_training(const cli_command *command, lab_settings *s);

/* Attaches the device, and says which precision it works in. */
recon_status lab_attach(recon_ctx *ctx, recon_precision *precision, const lab_settings *s);

/* Shows what an experiment came back with, as JSON or by `print`, and releases both. */
recon_status lab_show(recon_ctx *ctx, recon_status status, const lab_settings *s, json_t *result,
                      json_t *spread, void (*print)(const json_t *result, const json_t *spread));

extern const cli_command lab_demo, lab_mnist, lab_mnist12k, lab_fashion, lab_images, lab_molecules,
    lab_estimators, lab_letters, lab_cifar, lab_words;

#endif
