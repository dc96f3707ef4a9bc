/* cli.h - common parts of the commands: options, context, progress, errors.
 *
 * Commands are thin: they fill a struct from the command line, call the library, and show the
 * result. Exit codes: 0 done, 1 failed, 2 misuse or other data than those of the run, 128 + N
 * interrupted by signal N. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <recon/recon.h>
#include "core/text.h"
#include "core/json.h"
#include "data/formats.h"
#include "data/skips.h"
#include "backbone/equivariance.h"
#include "backbone/inputs.h"
#include <jansson.h>

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_MISUSE = 2,
    EXIT_UNDETERMINED = 3, /* of upright: nothing could be determined */
    EXIT_SIGNAL = 128
};

typedef enum {
    CLI_FLAG,   /* int: 1 when given */
    CLI_TEXT,   /* const char * */
    CLI_COUNT,  /* size_t, at least 1 */
    CLI_INDEX,  /* size_t, at least 0 */
    CLI_NUMBER, /* double, above 0 */
    CLI_WEIGHT, /* double, at least 0; 0 is kept as -1: in the library's options 0 is the default
                   and a negative number is none */
    CLI_CHOICE, /* int: the place of the word among `choices` */
    CLI_PAIR,   /* const char *[2]: two words */
    CLI_SPEC,   /* const char *: data, as cli_spec understands them */
    CLI_MODEL,  /* const char *: a model, as cli_model_file understands it */
    CLI_SETTING /* cli_settings: "--set NAME=VALUE"; as "--NAME VALUE" that name, and where a table
                   has this option, every name of the networks' recipes is taken, too */
} cli_kind;

/* Flags of a kind: hidden from the help (an option of older versions); required. */
enum { CLI_HIDDEN = 16, CLI_REQUIRED = 32 };

/* Added to CLI_MODEL: may be given up to CLI_MANY_MOST times; out is const char
 * *[CLI_MANY_MOST]. */
enum { CLI_MANY = 64, CLI_MANY_MOST = 3 };

/* Added to CLI_TEXT or CLI_PAIR: a file or folder that is read, as all of CLI_SPEC and CLI_MODEL
 * are; to CLI_TEXT: one that is written, or a rule of rotations, whose file is read if it has one.
 * What is read is not written over: see cli_parse. */
enum { CLI_READS = 128, CLI_WRITES = 256, CLI_RULE = 512 | CLI_READS };

typedef struct {
    const char *name;    /* "--k" */
    const char *value;   /* what to call its value in the help, "N" */
    const char *choices; /* CLI_CHOICE: "chordal|frechet|tukey" */
    const char *help;
    int kind;         /* a cli_kind, and what is added to it */
    const char *data; /* the kind of data that it is for, "images": the help says so, and with
                         another it is misuse; NULL: any */
    void *out;        /* keeps its default when the option is not given */
} cli_option;

/* The settings of a training, by name. */
enum { CLI_SETTINGS_MOST = 64 };
typedef struct {
    recon_setting list[CLI_SETTINGS_MOST];
    size_t n;
} cli_settings;

typedef struct {
    const char *name, *purpose;
    const char *arguments; /* words that are not options, "FILE"; "" for none */
    const char *example;
    int (*run)(int argc, char **argv);
    int over_ranks; /* works where a launcher has started several processes */
} cli_command;

/* Options of every command. */
typedef struct {
    int json, quiet;
    size_t threads; /* 0: all */
} cli_common;

/* Given alone, it prints the command's options for tools/make-*: see cli_parse. */
#define CLI_TABLE "--help-table"

/* Reads argv into the options, the common ones among them. words [max_words] takes what is not an
 * option; *count how many. One word more stands for --data, where the command has that. Returns -1
 * to go on, or the exit code: --help and misuse are dealt with, with a sentence and the remedy.
 * CLI_TABLE prints the same help as lines of fields between tabs, each beginning with "command",
 * "option", "common" or "example". An option's value follows as the next word or behind "="; the
 * few short names, "-o", stand in a table in args.c.
 *
 * Where an option would write over what is read by another, or over a word that names a model or a
 * folder, that is said, and the code is EXIT_FAILED. */
int cli_parse(const cli_command *command, const cli_option *options, cli_common *common, int argc,
              char **argv, const char **words, size_t max_words, size_t *count);

/* Runs a program with its commands: takes main's arguments and returns its exit code. */
int cli_main(int argc, char **argv, int (*run)(int argc, char **argv));

/* Replaces this process by recon-lab; returns only on failure. */
int cli_lab_has(const char *word);
int cli_lab_run(char **argv);
int cli_lab_table(const cli_command *command);
#define CLI_DEMO_PURPOSE "a short tour on shipped data and models, written as an HTML page"

/* The process: first of all descriptors and signals are put in order. Signals that ask for an end
 * (SIGINT, SIGTERM, SIGHUP) interrupt the context that is watched. The exit code of a command that
 * came back with a status. */
void cli_process_start(void);
void cli_process_watch(recon_ctx *ctx);
void cli_process_unwatch(void);
int cli_process_code(recon_status status);
int cli_process_signal(void); /* that was caught; 0: none */

/* The ranks that a launcher has started: of those behind the first nothing is shown but a failure.
 * start gives -1 to go on, or the exit code. Where one has failed, tell says so to the first, which
 * shows it and then ends all; it gives whether to show it here. */
int cli_ranks_start(void);
void cli_ranks_finish(void);
int cli_ranks_rank(void);
int cli_ranks_size(void);
void cli_ranks_attach(recon_ctx *ctx);
int cli_ranks_tell(recon_ctx *ctx, recon_status status);
void cli_ranks_end(int code);

/* Makes standard output safe: names from files can no longer control the terminal. Returns 0 if
 * there is no memory. */
int cli_guard_output(void);
/* Returns whether a stream is a terminal that shows colours; NO_COLOR and TERM=dumb turn them off. */
int cli_is_coloured(int fd);

/* Prints "recon NAME: ..." and how to get help; returns EXIT_MISUSE. */
int cli_misuse(const cli_command *command, const char *fmt, ...) RECON_PRINTF(2, 3);

/* Adds a setting; returns -1, or the exit code if there are too many. */
int cli_settings_add(const cli_command *command, cli_settings *settings, const char *name,
                     const char *value);

/* Returns the code of misuse if training would replace `out` without permission, else -1. */
int cli_check_replacing(const cli_command *command, const char *out, int resume, int overwrite);
#define CLI_RESUME_HELP    "continue from MODEL.last; with more --epochs also a finished run"
#define CLI_OVERWRITE_HELP "replace MODEL and MODEL.last if they exist"

/* The data that a text names: a SPEC as it stands; a file or a folder without "npy:", "images:" and
 * so on gets that by how its name ends or what lies in it. Known names go before folders. Lent. */
const char *cli_spec(const char *text);
/* The file of the model that a text names: of a folder model.safetensors in it. Lent. */
const char *cli_model_file(const char *text);
/* Whether a path that is to be written ends as a file of some format does, ".jpg", ".npy". */
int cli_is_other_format(const char *path);
/* Whether results at `out` would be an input of `spec`, or from then on one of its folder: said. */
recon_status cli_keep_apart(recon_ctx *ctx, const char *spec, const char *out);

/* Options of every command that reads data: the data and the device. */
typedef struct {
    const char *spec, *rotate;
    size_t limit, size, picture_limit;
    size_t channels;          /* 0: as they have; no option */
    size_t seed, rotate_seed; /* 0: 1 */
    int skip_bad, crop;
    int device, precision, deterministic, strict;
} cli_data;

/* Puts these options behind those that are in the table of `capacity` entries. */
enum { CLI_DATA_OPTIONS = 13 };
void cli_data_options(cli_option *table, size_t capacity, cli_data *data);

/* Attaches the device, and reports if it does not support --precision. */
recon_status cli_attach(recon_ctx *ctx, const cli_data *data);

/* The same as the library takes it. */
recon_source cli_source(const cli_data *data);

/* Opens inputs of any kind, with their subset and rotation. Always close them. */
typedef recon_inputs cli_inputs;
/* For a backbone pictures of a folder are fitted to its size and channels, unless --size says
 * otherwise, and inputs that do not fit it are an error. backbone may be NULL. */
recon_status cli_inputs_open(recon_ctx *ctx, cli_inputs *out, const cli_data *data,
                             const recon_backbone *backbone);
/* Those alone that the backbone accepts: another one is an error that names it, or with --skip-bad
 * left out and counted. */
recon_status cli_inputs_keep(recon_ctx *ctx, cli_inputs *inputs, const cli_data *data,
                             const recon_backbone *backbone);
/* The same by any rule; spec is for messages. */
recon_status cli_inputs_filter(recon_ctx *ctx, cli_inputs *inputs, const cli_data *data,
                               const char *spec, recon_accept *accept, const void *user);

/* The operations and words of the commands for one kind of data. A command uses the row of its
 * table and never asks for the kind. */
typedef recon_status cli_work_on(recon_ctx *ctx, void *arg, const cli_inputs *inputs);
typedef struct {
    const char
        *data; /* the name of the recon_data_kind; NULL: the end of the table, for any other */
    cli_work_on *run;
} cli_case;
/* RECON_ERR_UNSUPPORTED: the table has no row for such data. */
recon_status cli_by_data(recon_ctx *ctx, const cli_case *table, void *arg,
                         const cli_inputs *inputs);
typedef struct {
    const char *data;
    const char *name;          /* what an input is called by, in tables: "file" */
    const char *each;          /* in JSON: "ms_an_image" */
    const char *pose, *header; /* of score: the key of an angle, the head of its table */
    const char *degrees;       /* format of that angle */
    const char *rotation;      /* the heading of rotations, "degrees" as in --actions */
} cli_words;
const cli_words *cli_words_of(const cli_inputs *inputs);

/* Returns the path of the file of image i, or NULL. */
const char *cli_images_path(const cli_inputs *inputs, size_t i);
/* Image i as it was before it was cropped, and before --rotate. */
void cli_images_whole(float *out, const cli_inputs *inputs, size_t i);
/* Warns, before training, if objects are small in their frames and are not cropped. Photographs
 * have no object on a plain background, and photo presets use the whole picture. */
recon_status cli_note_span(recon_ctx *ctx, const cli_inputs *inputs, const char *spec,
                           recon_preset preset);

/* What the options of the data leave open becomes as training needs it, or as the model to start from has
 * it, which pictures are read for, too. RECON_ERR_MISMATCH: misuse. */
enum { CLI_CROP_BY_MODEL = -1 };
recon_status cli_training_complete(recon_ctx *ctx, recon_training *training, cli_data *data);

/* The inputs for a backbone of the file `model`, opened, and what recon_discover makes of them, in DIR with
 * its report. End and free always. */
recon_status cli_discover_in(recon_ctx *ctx, recon_discovery *out, cli_inputs *inputs,
                             const recon_backbone *backbone, const char *model,
                             const cli_data *data, const char *dir, recon_discover_options *o);

/* Opens a complete model and its inputs, for three of the commands. Always close it. */
typedef struct {
    recon_model *model;
    cli_inputs inputs;
} cli_subject;
recon_status cli_open(recon_ctx *ctx, cli_subject *out, const char *model, const cli_data *data);
void cli_close(recon_ctx *ctx, cli_subject *subject);

/* The shipped model that knows most about the poses of these inputs as given, by name. */
recon_status cli_choose_model(recon_ctx *ctx, const char **out, const cli_data *data);

/* What an option such as --held names: read as the data are, but all of it; for a backbone (of the
 * file `model`), which may be NULL. */
recon_status cli_also_open(recon_ctx *ctx, cli_inputs *out, const cli_data *data,
                           const char *option, const char *spec, const recon_backbone *backbone);

/* What was left out: how many, and the first ten by name; nothing where nothing was. The others are
 * in the JSON, as a list of messages. */
void cli_print_skipped(size_t skipped, const recon_skips *skips);
json_t *cli_skipped_json(const recon_skips *skips);
/* Of images: picture files that lie in the folder and are not read: "not_read", how many, and
 * "not_read_why". */
void cli_unread_json(json_t *object, const cli_inputs *inputs);

/* The shares of inputs with one natural pose, with several and so on, and a warning where more than
 * RECON_NATURAL_FEW have none. wider: the option that makes classes larger, "--k". */
void cli_print_natural(const size_t count[RECON_NATURAL_KINDS], const recon_group *group);
void cli_warn_natural(const size_t count[RECON_NATURAL_KINDS], const char *wider);

/* Print how Lambda was chosen; and whether it can be trusted, with reasons and remedies. */
void cli_print_lambda(const recon_lambda_choice *choice);
void cli_print_trust(const recon_trust *trust);
void cli_print_verdict(const recon_trust *trust); /* the last lines of an answer */
/* With --strict, makes cli_run end with EXIT_FAILED if the verdict is "do not use". trust may be NULL. */
void cli_judge(const recon_trust *trust, const cli_data *data);
#define CLI_DISTRUST                                                                               \
    "the verdict on this model's natural poses is \"do not use\": `recon info` says why"
/* Prints a line if the model should not be used. */
void cli_print_distrust(const recon_model *model);
/* Returns the note after a width that does not show how far images are rotated, or "". */
const char *cli_width_note(const recon_trust *trust);
/* Prints the reasons, if any, in lines indented by this many spaces. */
void cli_print_reasons(const recon_trust *trust, int indent);

/* Returns whether a network is equivariant enough to be used; and says so, with a remedy. */
int cli_is_equivariant(const recon_equivariance *e);
const char *cli_equivariance_words(const recon_equivariance *e);

#define CLI_CROP_HELP "auto: centre each object and scale it to fill the frame"
/* --picture-limit, and bytes of its unit. */
#define CLI_PICTURE_LIMIT_HELP                                                                     \
    "memory limit for one image, if above 32 times its file size (default 268)"
#define CLI_MEGABYTE 1000000
/* What --picture-limit and --seed mean. */
size_t cli_picture_most(const cli_data *data);
uint64_t cli_seed(const cli_data *data);

/* --precision, and what a choice means on the context's backend: bf16 only where it is fast. */
#define CLI_PRECISIONS "auto|f32|tf32|bf16"
#define CLI_PRECISION_HELP                                                                         \
    "precision of activations and products (default auto: the fastest in training; f32 where a CPU uses a model)"
enum { CLI_BF16 = 3 };
recon_precision cli_precision(recon_ctx *ctx, int choice);
/* The same of a model that is opened: the library decides what auto is. */
recon_precision cli_use_precision(recon_ctx *ctx, int choice);
/* Reports once, when the backend is known, that bf16 was requested and is not used. */
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

extern const cli_command cli_upright, cli_audit, cli_models, cli_demo, cli_train, cli_normalize,
    cli_discover, cli_canonicalize, cli_score, cli_distribution, cli_export, cli_classifier,
    cli_check, cli_reproduce, cli_report, cli_info;

#endif
