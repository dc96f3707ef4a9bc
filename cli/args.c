/* args.c - options from the command line, and the help made from the same table. */
#include "cli/cli.h"
#include "core/fail.h"
#include "core/text.h"
#include "backbone/kinds.h"
#include "backbone/recipe.h"
#include "data/rotations.h"
#include "nn/run_files.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GIVEN = 32, COMMON = 3, LEFT = 32, NAMES = 12, SCREEN = 80, USAGE = 7 };

static void common_options(cli_option out[COMMON + 1], cli_common *c)
{
    const cli_option common[] = {
        { "--threads", "N", NULL, "threads to use (default: all)", CLI_COUNT, 0, &c->threads },
        { "--json", NULL, NULL, "print one JSON object instead of text", CLI_FLAG, 0, &c->json },
        { "--quiet", NULL, NULL, "print errors only", CLI_FLAG, 0, &c->quiet },
        { 0 },
    };
    memcpy(out, common, sizeof common);
}

enum { KIND = CLI_HIDDEN - 1 };

/* Short names: of the option of that name in every command that has it. */
static const struct {
    const char *letter, *name;
} letters[] = {
    { "-d", "--data" }, { "-k", "--k" }, { "-m", "--model" }, { "-o", "--out" }, { "-q", "--quiet" }
};
enum { LETTERS = sizeof letters / sizeof *letters };

/* What few need, in every command that has it: `--help all` alone lists these. */
static const char *const rare[] = {
    "--deterministic",
    "--every",
    "--family",
    "--half",
    "--head-epochs",
    "--head-rate",
    "--heads",
    "--held",
    "--interpolation",
    "--keep",
    "--keep-embeddings",
    "--lambda",
    "--mask",
    "--mean",
    "--picture-limit",
    "--plain",
    "--precision",
    "--query-labels",
    "--rotate",
    "--seed",
    "--rotate-seed",
    "--rows",
    "--spin",
    "--spin-from",
    "--spin-k",
    "--tukey-c",
    "--weights",
    "--width",
    "--shift",
    "--decay",
    "--rate",
    "--metric",
    "--include-self",
    "--eps",
    "--approx",
    "--resample",
    "--quality",
};

static int is_rare(const cli_option *o)
{
    for (size_t i = 0; !(o->kind & CLI_REQUIRED) && i < sizeof rare / sizeof *rare; i++)
        if (!strcmp(rare[i], o->name))
            return 1;
    return 0;
}

/* "-o" of "--out"; "": it has none. */
static const char *letter_of(const char *name)
{
    for (size_t i = 0; i < LETTERS; i++)
        if (!strcmp(letters[i].name, name))
            return letters[i].letter;
    return "";
}

/* "--out" of "-o"; any other text as it is. */
static const char *long_name(const char *text)
{
    for (size_t i = 0; i < LETTERS; i++)
        if (!strcmp(letters[i].letter, text))
            return letters[i].name;
    return text;
}

/* What its value is called: "N", "so2|so3", "". */
static const char *value_of(const cli_option *o)
{
    return o->value ? o->value : o->choices ? o->choices : "";
}

/* Words in lines that begin at a column and keep to a width; line breaks of the text are spaces. */
static void print_words(const char *text, int column, int width)
{
    static const char *const space = " \n";
    int at = column;
    for (text += strspn(text, space); *text; text += strspn(text, space)) {
        int n = (int)strcspn(text, space);
        if (at > column && at + 1 + n > width) {
            printf("\n%*s", column, "");
            at = column;
        }
        at += printf("%s%.*s", at > column ? " " : "", n, text);
        text += n;
    }
    putchar('\n');
}

/* Without all, up to what is said behind a semicolon. */
static void print_meaning(const cli_option *o, int column, int width, int all)
{
    char text[1024];
    int n = (int)(all ? strlen(o->help) : strcspn(o->help, ";"));
    snprintf(text, sizeof text, "%s%s%.*s%s", o->data ? o->data : "", o->data ? ": " : "", n,
             o->help, (o->kind & CLI_REQUIRED) ? " (required)" : "");
    print_words(text, column, width);
}

/* In the help options stand in groups, which their kinds tell. */
typedef enum { INPUT, OUTPUT, METHOD } option_group;

static option_group group_of(const cli_option *o)
{
    int kind = o->kind & KIND;
    return o->kind & CLI_WRITES                                             ? OUTPUT
           : kind == CLI_SPEC || kind == CLI_MODEL || (o->kind & CLI_READS) ? INPUT
                                                                            : METHOD;
}

/* Those of a group; returns the heading, or NULL once that is there. */
static const char *print_options(const char *heading, const cli_option *o, option_group group,
                                 int all)
{
    for (; o->name; o++) {
        char left[256];
        if (o->kind & CLI_HIDDEN || group_of(o) != group || (!all && is_rare(o)))
            continue;
        if (heading)
            printf("%s%s\n", group == INPUT ? "" : "\n", heading);
        heading = NULL;
        const char *letter = letter_of(o->name);
        snprintf(left, sizeof left, "%s%s%s %s", letter, *letter ? ", " : "", o->name, value_of(o));
        printf("  %-*s ", LEFT, left);
        if (strlen(left) > LEFT)
            printf("\n%*s", LEFT + 3, "");
        print_meaning(o, LEFT + 3, SCREEN, all);
    }
    return heading;
}

/* What would leave the screen begins a new line. */
static int print_word(const char *word, int column)
{
    if (column + 1 + (int)strlen(word) > SCREEN)
        column = printf("\n%*s%s", USAGE, "", word) - 1;
    else
        column += printf(" %s", word);
    return column;
}

static void print_usage(const cli_command *command)
{
    int column = printf("usage: recon %s", command->name);
    if (*command->arguments)
        column = print_word(command->arguments, column);
    print_word("[OPTIONS]", column);
    printf("\n\n");
}

/* Entry i of all networks' recipes, and whose it is; 0: the end. */
static int recipe_entry(size_t i, const recon_backbone_kind **kind, const recon_recipe_entry **e)
{
    for (size_t k = 0; (*kind = recon_backbone_kind_at(NULL, k)); i -= (*kind)->recipe->n, k++)
        if (i < (*kind)->recipe->n) {
            *e = &(*kind)->recipe->entry[i];
            return 1;
        }
    return 0;
}

/* The numbers of the recipes with their defaults, for a command that sets them. */
static void print_recipes(int records)
{
    const recon_backbone_kind *kind;
    const recon_recipe_entry *e;
    char text[512];
    for (size_t i = 0; recipe_entry(i, &kind, &e); i++) {
        recon_recipe_words(text, sizeof text, kind->recipe, e);
        if (records) {
            printf("setting\t%s\t%s\t%s\n", kind->data, e->name, text);
            continue;
        }
        if (e == kind->recipe->entry)
            printf("\n--set for %s:\n", kind->data);
        printf("  %-*s ", NAMES, e->name);
        print_words(text, NAMES + 3, SCREEN);
    }
}

/* Whether a network has a number of that name, or, where `alike`, what may have been meant. */
static const char *find_setting(const char *name, int alike)
{
    const recon_backbone_kind *kind;
    const recon_recipe_entry *e;
    for (size_t i = 0; recipe_entry(i, &kind, &e); i++)
        if (alike ? recon_resembles(name, e->name) : !strcmp(name, e->name))
            return e->name;
    return NULL;
}

/* The option that sets them; NULL: the command has none. */
static const cli_option *find_set(const cli_option *o)
{
    while (o->name && strcmp(o->name, "--set") != 0)
        o++;
    return o->name ? o : NULL;
}

/* In short: the first commands of the example, options that many need, and where the rest is. */
static void print_help(const cli_command *command, const cli_option *options,
                       const cli_option *common, int all)
{
    const char *text = command->example;
    enum { COMMANDS = 3 };
    printf("recon %s - %s\n\n", command->name, command->purpose);
    print_usage(command);
    print_options("input", options, INPUT, all);
    print_options("output", options, OUTPUT, all);
    print_options(print_options("settings", options, METHOD, all), common, METHOD, all);
    if (all && find_set(options))
        print_recipes(0);
    printf("\nexample:\n");
    if (all)
        puts(text);
    for (int i = 0; !all && i < COMMANDS && *text == ' '; i++) {
        int n = (int)strcspn(text, "\n");
        printf("%.*s\n", n, text);
        text += n + (text[n] == '\n');
    }
    if (!all)
        printf("\n`recon %s --help all` has every option and explains more.\n", command->name);
}

static void print_records(const char *which, const cli_option *o)
{
    static const char *const kinds[] = {
        [CLI_FLAG] = "flag",     [CLI_TEXT] = "text",     [CLI_COUNT] = "count",
        [CLI_INDEX] = "index",   [CLI_NUMBER] = "number", [CLI_WEIGHT] = "number",
        [CLI_CHOICE] = "choice", [CLI_PAIR] = "pair",     [CLI_SPEC] = "text",
        [CLI_MODEL] = "text",    [CLI_SETTING] = "number"
    };
    for (; o->name; o++) {
        if (o->kind & CLI_HIDDEN)
            continue;
        printf("%s\t%s\t%s\t%s\t%s\t", which, o->name, letter_of(o->name), value_of(o),
               kinds[o->kind & KIND]);
        print_meaning(o, 0, INT_MAX, 1);
    }
}

static void print_table(const cli_command *command, const cli_option *options,
                        const cli_option *common)
{
    printf("command\t%s\t%s\t%s\n", command->name, command->arguments, command->purpose);
    print_records("option", options);
    print_records("common", common);
    if (find_set(options))
        print_recipes(1);
    for (const char *line = command->example; *line;) {
        int n = (int)strcspn(line, "\n");
        printf("example\t%.*s\n", n, line);
        line += n + (line[n] == '\n');
    }
}

int cli_misuse(const cli_command *command, const char *fmt, ...)
{
    char what[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    recon_keep_to_one_line(what);
    if (cli_ranks_rank() == 0) /* the others have found the same */
        fprintf(stderr, "recon %s: %s; see `recon %s --help`\n", command->name, what,
                command->name);
    return EXIT_MISUSE;
}

static const cli_option *find(const cli_option *options, const char *name)
{
    for (; options->name; options++)
        if (!strcmp(options->name, name))
            return options;
    return NULL;
}

int cli_check_replacing(const cli_command *command, const char *out, int resume, int overwrite)
{
    char why[1024];
    return recon_run_refusal(why, sizeof why, out, resume, overwrite, RECON_SPELLING_COMMAND)
               ? cli_misuse(command, "%s", why)
               : -1;
}

int cli_settings_add(const cli_command *command, cli_settings *settings, const char *name,
                     const char *value)
{
    if (settings->n == CLI_SETTINGS_MOST)
        return cli_misuse(command, "more than %d settings", CLI_SETTINGS_MOST);
    settings->list[settings->n++] = (recon_setting){ name, value };
    return -1;
}

/* "NAME=VALUE" of --set and its like, or the value of an option that stands for one. */
static int take_setting(const cli_command *command, const cli_option *o, char *text)
{
    const char *name = o->name + strlen("--");
    if (strchr(o->value, '=')) {
        char *value = strrchr(text, '=');
        if (!value)
            return cli_misuse(command, "%s %s: %s is needed", o->name, text, o->value);
        *value++ = '\0';
        name = text;
        text = value;
    }
    return cli_settings_add(command, o->out, name, text);
}

/* With the choice that may have been meant. */
static int no_such_choice(const cli_command *command, const cli_option *o, const char *text)
{
    char word[64];
    for (const char *at = o->choices; *at; at += strcspn(at, "|"), at += *at == '|') {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, "|"), at);
        if (recon_resembles(text, word))
            return cli_misuse(command, "%s %s must be one of %s (did you mean %s?)", o->name, text,
                              o->choices, word);
    }
    return cli_misuse(command, "%s %s must be one of %s", o->name, text, o->choices);
}

/* "--model" or "-m" where a value is due: it was forgotten. */
static int is_option(const char *text)
{
    return !strncmp(text, "--", 2) || long_name(text) != text;
}

/* Takes the option's values from argv[*at ...]; -1, or the exit code. */
static int take(const cli_command *command, const cli_option *o, int argc, char **argv, int *at)
{
    int kind = o->kind & KIND, values = kind == CLI_FLAG ? 0 : kind == CLI_PAIR ? 2 : 1;
    for (int i = 0; i < values; i++)
        if (argc - *at <= i || is_option(argv[*at + i]) || !argv[*at + i][0])
            return cli_misuse(command, "%s needs %s", o->name, o->value ? o->value : o->choices);
    char *text = values ? argv[*at] : NULL;
    switch ((cli_kind)kind) {
    case CLI_FLAG: *(int *)o->out = 1; break;
    case CLI_TEXT: *(const char **)o->out = text; break;
    case CLI_SPEC:
    case CLI_MODEL: {
        const char **to = o->out;
        int most = o->kind & CLI_MANY ? CLI_MANY_MOST : 1, place = 0;
        while (place < most && to[place])
            place++;
        if (place == most)
            return cli_misuse(command, most == 1 ? "%s is given twice" : "%s is given %d times",
                              o->name, most + 1);
        to[place] = kind == CLI_SPEC ? cli_spec(text) : cli_model_file(text);
        break;
    }
    case CLI_PAIR:
        ((const char **)o->out)[0] = argv[*at];
        ((const char **)o->out)[1] = argv[*at + 1];
        break;
    case CLI_COUNT:
    case CLI_INDEX:
        if (!recon_parse_count(o->out, text, kind == CLI_COUNT))
            return cli_misuse(command, "%s %s must be a whole number of at least %d", o->name, text,
                              kind == CLI_COUNT);
        break;
    case CLI_NUMBER:
        if (!recon_parse_number(o->out, text, 0))
            return cli_misuse(command, "%s %s must be a number above 0", o->name, text);
        break;
    case CLI_WEIGHT:
        if (!recon_parse_number(o->out, text, 1))
            return cli_misuse(command, "%s %s must be a number of at least 0", o->name, text);
        if (*(double *)o->out == 0)
            *(double *)o->out = -1;
        break;
    case CLI_SETTING: {
        int code = take_setting(command, o, text);
        if (code >= 0)
            return code;
        break;
    }
    case CLI_CHOICE:
        if (!recon_parse_choice(o->out, o->choices, text))
            return no_such_choice(command, o, text);
        break;
    }
    *at += values;
    return -1;
}

static int is_empty(const cli_option *o)
{
    return (o->kind & KIND) == CLI_COUNT ? *(const size_t *)o->out == 0
                                         : *(const char *const *)o->out == NULL;
}

/* What belongs to another kind of data is not passed over in silence. */
static int check_data(const cli_command *command, const cli_option *options,
                      const cli_option *const *given, size_t n)
{
    const cli_option *data = find(options, "--data");
    const char *spec = data ? *(const char *const *)data->out : NULL;
    const char *kind = spec ? recon_data_kind_of(spec)->name : NULL;
    for (size_t i = 0; kind && i < n; i++)
        if (given[i]->data && strcmp(given[i]->data, kind) != 0)
            return cli_misuse(command, "%s is for %s", given[i]->name, given[i]->data);
    return -1;
}

typedef struct {
    const cli_option *own, *shared; /* of the command, of all commands     */
    const cli_option *given[GIVEN]; /* those that are for one kind of data */
    size_t n;
} option_tables;

static int no_such_option(const cli_command *command, const option_tables *t, const char *text)
{
    const cli_option *o = t->own;
    const char *name = find_set(t->own) && strlen(text) > 2 ? find_setting(text + 2, 1) : NULL;
    while (o->name && !recon_resembles(text, o->name))
        o++;
    return o->name ? cli_misuse(command, "unknown option %s (did you mean %s?)", text, o->name)
           : name
               ? cli_misuse(command, "unknown option %s (did you mean --set %s=VALUE?)", text, name)
               : cli_misuse(command, "unknown option %s", text);
}

/* Takes the option called text, "--k", "--k=7" or "-k"; -1, or the exit code. */
static int take_option(const cli_command *command, option_tables *t, char *text, int argc,
                       char **argv, int *at)
{
    char *value = strchr(text, '=');
    if (value)
        *value++ = '\0';
    const cli_option *o = find(t->own, long_name(text));
    if (!o)
        o = find(t->shared, long_name(text));
    const cli_option *set = o ? NULL : find_set(t->own);
    cli_option setting = { .name = text, .value = "VALUE", .kind = CLI_SETTING };
    if (set && !strncmp(text, "--", 2) && find_setting(text + 2, 0)) {
        setting.out = set->out;
        o = &setting;
    }
    if (!o)
        return no_such_option(command, t, text);
    if (o->data && t->n < GIVEN)
        t->given[t->n++] = o;
    if (!value)
        return take(command, o, argc, argv, at);
    return (o->kind & KIND) == CLI_FLAG ? cli_misuse(command, "%s takes no value", o->name)
                                        : take(command, o, 1, &value, &(int){ 0 });
}

static int check_required(const cli_command *command, const cli_option *options)
{
    for (const cli_option *o = options; o->name; o++)
        if ((o->kind & CLI_REQUIRED) && is_empty(o))
            return cli_misuse(command, "%s %s is required", o->name, o->value);
    return -1;
}

/* --- what is read is not written over --------------------------------------------------------- */

/* The file or folder that a text means; 0: none that is there. */
static int find_place(char out[PATH_MAX], const char *text, int kind)
{
    const char *at = kind == CLI_SPEC ? strchr(text, ':') : NULL;
    return (kind != CLI_SPEC || at) && realpath(at ? at + 1 : text, out) != NULL;
}

static int is_same(const char *place, const char *text, int kind)
{
    char other[PATH_MAX];
    return text && find_place(other, text, kind) && !strcmp(place, other);
}

/* The name of a rule means no file. */
static int is_known_rule(const cli_option *o, const char *text)
{
    return (o->kind & CLI_RULE) == CLI_RULE &&
           (recon_rotation_is_known(text) || recon_molecule_rotation_is_known(text));
}

static int is_read(const char *place, const cli_option *options)
{
    for (const cli_option *o = options; o->name; o++) {
        int kind = o->kind & KIND;
        int most = kind == CLI_PAIR ? 2 : o->kind & CLI_MANY ? CLI_MANY_MOST : 1;
        if (kind != CLI_SPEC && kind != CLI_MODEL && !(o->kind & CLI_READS))
            continue;
        for (int i = 0; i < most; i++) {
            const char *text = ((const char *const *)o->out)[i];
            if (!(text && is_known_rule(o, text)) && is_same(place, text, kind))
                return 1;
        }
    }
    return 0;
}

/* Words are files and folders, unless they are one of several. */
static int is_a_word(const char *place, const cli_command *command, const char *const *words,
                     size_t n)
{
    for (size_t i = 0; i < n && !strchr(command->arguments, '|'); i++)
        if (is_same(place, cli_model_file(words[i]), CLI_MODEL))
            return 1;
    return 0;
}

static int keep_inputs(const cli_command *command, const cli_option *options,
                       const char *const *words, size_t n)
{
    for (const cli_option *o = options; o->name; o++) {
        char place[PATH_MAX], what[PATH_MAX];
        const char *path = o->kind & CLI_WRITES ? *(const char *const *)o->out : NULL;
        if (!path || !find_place(place, path, CLI_TEXT) ||
            !(is_read(place, options) || is_a_word(place, command, words, n)))
            continue;
        snprintf(what, sizeof what, "%s", path);
        recon_keep_to_one_line(what);
        if (cli_ranks_rank() == 0)
            fprintf(stderr, "recon %s: %s: this is the input; choose another %s\n", command->name,
                    what, o->name);
        return EXIT_FAILED;
    }
    return -1;
}

int cli_parse(const cli_command *command, const cli_option *options, cli_common *common, int argc,
              char **argv, const char **words, size_t max_words, size_t *count)
{
    cli_option shared[COMMON + 1];
    option_tables tables = { .own = options, .shared = shared };
    size_t n = 0;
    int code = -1;
    common_options(shared, common);
    const cli_option *data = find(options, "--data");
    for (int at = 0; at < argc && code < 0;) {
        char *text = argv[at++];
        if (!strcmp(text, CLI_TABLE)) {
            print_table(command, options, shared);
            return EXIT_DONE;
        }
        if (!strcmp(text, "--help") || !strcmp(text, "-h")) {
            print_help(command, options, shared, at < argc && !strcmp(argv[at], "all"));
            return EXIT_DONE;
        }
        if (text[0] == '-' && text[1] != '\0')
            code = take_option(command, &tables, text, argc, argv, &at);
        else if (n < max_words)
            words[n++] = text;
        else if (data && is_empty(data))
            code = take(command, data, 1, &text, &(int){ 0 });
        else
            code = cli_misuse(command, "unexpected argument '%s'", text);
    }
    if (code < 0)
        code = check_required(command, options);
    if (count)
        *count = n;
    if (code < 0)
        code = check_data(command, options, tables.given, tables.n);
    return code < 0 ? keep_inputs(command, options, words, n) : code;
}
