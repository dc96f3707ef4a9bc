/* cli.h - what every command of `recon` shares: options, a context, progress, errors.
 *
 * Commands stay thin: they fill a struct from the command line, call the library, and show what
 * came back. Exit codes: 0 done, 1 failed, 2 misuse, 128 + N interrupted by signal N. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <recon/recon.h>
#include "core/degrees.h"
#include "core/json.h"
#include "data/skips.h"
#include <jansson.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_MISUSE = 2, EXIT_SIGNAL = 128 };

typedef enum {
    CLI_FLAG,   /* int: 1 when given                                            */
    CLI_TEXT,   /* const char *                                                 */
    CLI_COUNT,  /* size_t, at least 1                                           */
    CLI_INDEX,  /* size_t, at least 0                                           */
    CLI_NUMBER, /* double, above 0                                              */
    CLI_CHOICE, /* int: the place of the word among `choices`                   */
    CLI_PAIR,   /* const char *[2]: two words                                   */
    CLI_SPEC,   /* const char *: data, as cli_spec understands them             */
    CLI_MODEL   /* const char *: a model, as cli_model_file understands it      */
} cli_kind;

/* Added to a kind: of one sort of data alone. The help says so, and with the other sort it is
 * misuse. */
enum { CLI_IMAGES = 16, CLI_MOLECULES = 32 };

typedef struct {
    const char *name;    /* "--k"                                               */
    const char *value;   /* what to call its value in the help, "N"             */
    const char *choices; /* CLI_CHOICE: "chordal|frechet|tukey"                 */
    const char *help;
    int kind; /* a cli_kind, and whose */
    int required;
    void *out; /* keeps its default when the option is not given                */
} cli_option;

typedef struct {
    const char *name, *purpose;
    const char *arguments; /* words that are not options, "FILE"; "" for none   */
    const char *example;
    int (*run)(int argc, char **argv);
} cli_command;

/* Every command has these. */
typedef struct {
    int json, quiet;
    size_t threads; /* 0: all */
} cli_common;

/* Given alone, it prints the command's options for tools/make-*: see cli_parse. */
#define CLI_TABLE "--help-table"

/* Reads argv into the options, the common ones among them. words [max_words] takes what is not an
 * option; *count how many. Returns -1 to go on, or the exit code: --help and misuse are dealt
 * with, with a sentence and the remedy. CLI_TABLE prints the same help as lines of fields between
 * tabs, each beginning with "command", "option", "common" or "example". */
int cli_parse(const cli_command *command, const cli_option *options, cli_common *common, int argc,
              char **argv, const char **words, size_t max_words, size_t *count);

/* A context that draws progress on standard error unless quiet, and is interrupted by Ctrl-C. NULL
 * after saying why. */
recon_ctx *cli_context(const cli_common *common);
void cli_context_free(recon_ctx *ctx);

/* The process: first of all descriptors and signals are put in order. Signals that ask for an end
 * (SIGINT, SIGTERM, SIGHUP) interrupt the context that is watched. The exit code of a command that
 * came back with a status. */
void cli_process_start(void);
void cli_process_watch(recon_ctx *ctx);
void cli_process_unwatch(void);
int cli_process_code(recon_status status);
int cli_process_signal(void); /* that was caught; 0: none */

/* From here on nothing that a file says can steer the terminal by standard output. 0: no memory. */
int cli_guard_output(void);

/* Says "recon NAME: ..." and where the help is; returns EXIT_MISUSE. */
int cli_misuse(const cli_command *command, const char *fmt, ...) RECON_PRINTF(2, 3);

/* Whether word may have been meant by what was asked: one letter of four is put in, left out or
 * another, two at most. */
int cli_resembles(const char *asked, const char *word);

/* The data that a text names: a SPEC as it stands; a file or a folder without "npy:", "images:" and
 * so on gets that by how its name ends or what lies in it. Known names go before folders. Lent. */
const char *cli_spec(const char *text);
/* The file of the model that a text names: of a folder model.safetensors in it. Lent. */
const char *cli_model_file(const char *text);
/* Whether a path that is to be written ends as a file of some format does, ".jpg", ".npy". */
int cli_is_other_format(const char *path);

/* What every command that reads data has: which, and where they are worked on. */
typedef struct {
    const char *spec, *turn;
    size_t limit, size, picture_limit;
    size_t seed, turn_seed; /* 0: 1 */
    int skip_bad;
    int device, precision, deterministic;
} cli_data;

/* Puts these options behind those that are in the table of `capacity` entries. */
enum { CLI_DATA_OPTIONS = 11 };
void cli_data_options(cli_option *table, size_t capacity, cli_data *data);

/* Attaches the device, opens the images, takes and turns them as asked. Close always. */
typedef struct {
    recon_dataset *whole, *part, *turned;
    const recon_dataset *use; /* the last of them                  */
    size_t skipped;           /* images that were left out         */
    recon_skips skips;        /* what is wrong with them, if known */
    int over_black;           /* as the model's pictures were read */
} cli_images;
recon_status cli_images_open(recon_ctx *ctx, cli_images *out, const cli_data *data);
/* The same, pictures of a folder fitted to the size and the channels of the model in a file, unless
 * --size says otherwise. A warning where the model read transparent pictures by another rule. */
recon_status cli_images_open_for(recon_ctx *ctx, cli_images *out, const cli_data *data,
                                 const char *model);
void cli_images_close(cli_images *images);
/* Image i among all of the data, where --limit takes some, and the file it came from, or NULL. */
size_t cli_images_row(const cli_images *images, size_t i);
const char *cli_images_file(const cli_images *images, size_t i);
/* The path of that file. */
const char *cli_images_path(const cli_images *images, size_t i);
/* n images from the first on, to out. */
void cli_images_read(float *out, const cli_images *images, size_t first, size_t n);

/* The same for molecules: recon_molecules_is(data->spec) says which of the two a command works on.
 * Close always. */
typedef struct {
    recon_molecules *whole, *part, *turned, *known;
    const recon_molecules *use; /* the last of them                      */
    size_t n, skipped;          /* conformers of it, and those left out  */
    recon_skips skips;          /* what is wrong with them, if known     */
} cli_molecules;
recon_status cli_molecules_open(recon_ctx *ctx, cli_molecules *out, const cli_data *data);
/* The same for the model in a file: a conformer with an element that it does not know is an error
 * that names both, or with --skip-bad left out and counted. */
recon_status cli_molecules_open_for(recon_ctx *ctx, cli_molecules *out, const cli_data *data,
                                    const char *model);
/* What --held names: as the data, but all of it. */
recon_status cli_held_open(recon_ctx *ctx, cli_molecules *out, const cli_data *data,
                           const char *spec);
/* What is of these n elements alone; spec is for messages. */
recon_status cli_molecules_keep(recon_ctx *ctx, cli_molecules *molecules, const uint8_t *element,
                                size_t n, const cli_data *data, const char *spec);
/* Conformer i among all of the data. */
size_t cli_molecules_row(const cli_molecules *molecules, size_t i);
void cli_molecules_close(cli_molecules *molecules);
/* n conformers from the first on, to out: lent. */
void cli_molecules_read(recon_conformer *out, const cli_molecules *molecules, size_t first,
                        size_t n);

/* A molecule's name for the terminal: in one line, cut to the length. Returns out. */
typedef char cli_name[64];
const char *cli_molecule_name(cli_name out, const recon_molecules *data, size_t molecule);

/* Opens a model of images and sees that these fit it. */
recon_status cli_model_open(recon_ctx *ctx, recon_model **out, const char *path,
                            const cli_images *images, const cli_data *data);

/* What was left out: how many, and the first ten by name; nothing where nothing was. The others are
 * in the JSON, as a list of messages. */
void cli_print_skipped(size_t skipped, const recon_skips *skips);
json_t *cli_skipped_json(const recon_skips *skips);
/* Picture files that lie in the folder and are not read: "not_read", how many, and "not_read_why".
 */
void cli_unread_json(json_t *object, const cli_images *images);

/* The shares of inputs with one natural pose, with several and so on, and a warning where more than
 * RECON_NATURAL_FEW have none. */
void cli_print_natural(const size_t count[RECON_NATURAL_KINDS]);

/* Whether a network turns with its images well enough to be used, and that in words, with what to
 * do where it does not. */
int cli_turns_well(const recon_equivariance *e);
const char *cli_turns_words(const recon_equivariance *e);

/* --picture-limit, and bytes of its unit. */
#define CLI_PICTURE_LIMIT_HELP                                                                     \
    "the most memory that one picture may take, if that is above 32 times its file (default 268)"
#define CLI_MEGABYTE 1000000
/* What --picture-limit and --seed mean. */
size_t cli_picture_most(const cli_data *data);
uint64_t cli_seed(const cli_data *data);

/* --precision, and what a choice means on the context's backend: bf16 only where it is fast. */
#define CLI_PRECISIONS "auto|f32|tf32|bf16"
#define CLI_PRECISION_HELP                                                                         \
    "of activations and products (default auto: the fastest that is accurate enough)"
enum { CLI_BF16 = 3 };
recon_precision cli_precision(recon_ctx *ctx, int choice);
/* Once, where the backend is known: says that bf16 was asked for and is not used. */
void cli_note_precision(recon_ctx *ctx, int choice);

/* A text that may be NULL, for files that hold UTF-8 alone: NULL where it is none. */
const char *cli_utf8(const char *text);

/* Whether a name ends in ".npy", say. */
int cli_ends_in(const char *path, const char *end);

/* The usual `run`: a context, the work, its failure told. */
typedef recon_status cli_work(recon_ctx *ctx, const void *settings);
int cli_run(const cli_command *command, const cli_common *common, cli_work *work,
            const void *settings);

/* Prints the value as text and releases it. */
recon_status cli_print_json(recon_ctx *ctx, json_t *value);

extern const cli_command cli_demo, cli_train, cli_normalize, cli_discover, cli_canonicalize,
    cli_score, cli_distribution, cli_classifier, cli_check, cli_reproduce, cli_report, cli_info;

#endif
