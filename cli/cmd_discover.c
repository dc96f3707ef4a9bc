/* cmd_discover.c - recon discover: makes a complete model from a backbone and images or
 * molecules. */
#include "cli/cli.h"
#include "backbone/ieae.h"
#include "backbone/kinds.h"
#include "comm/comm.h"
#include "core/text.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/folder.h"
#include "data/dataset.h"
#include "maps/input_nets.h"
#include "maps/kind.h"

#include <math.h>
#include <stdio.h>

static int run(int argc, char **argv);
const cli_command cli_discover = {
    .name = "discover",
    .purpose = "find the natural poses of images or molecules, and learn them",
    .arguments = "DATA",
    .example =
        "  recon train --data mnist --rotate mnist --preset small --out digits.safetensors\n"
        "  recon discover --model digits.safetensors --data mnist --rotate mnist --out digits\n"
        "  recon discover --model conformers.safetensors --data conformers --rotate fisher --out molecules\n"
        "\n"
        "Embeds the data, runs Algorithm 1 (see `recon normalize`) and fits Lambda (the natural pose),\n"
        "Theta (the width of the pose distribution) and the density of poses. --lambda selects how\n"
        "the natural pose of an input is estimated: from its neighbours, by a network that learned\n"
        "their centre, or from the pose density. The poses of molecules may determine only an axis;\n"
        "the spin about it is then free, and the summary reports for how many.\n"
        "\n"
        "DIR/model.safetensors is the model for canonicalize, score and distribution. summary.json\n"
        "summarizes the results, and report.html shows them (see `recon report`). Labels, if any, are\n"
        "used only in these two. With --heads paper, Lambda and Theta are networks on the inputs, and\n"
        "each use of the model takes three forward passes instead of one.",
    .run = run,
    .over_ranks = 1,
};

enum { FOLDS_MOST = 100 };
#define UNSAID SIZE_MAX

typedef struct {
    const char *model, *out;
    size_t k, folds, head_epochs;
    double head_rate;
    int mean, family, lambda, heads, half, keep;
    cli_data data;
    cli_common common;
    int *misuse;  /* set where only the model shows that --lambda cannot be meant */
    double begun; /* on the clock of recon_now: what is printed is what was waited for */
} settings;

static int parse(settings *s, int argc, char **argv)
{
    cli_option options[12 + CLI_DATA_OPTIONS + 1] = {
        { "--model", "MODEL", NULL, "what `recon train` wrote", CLI_MODEL | CLI_REQUIRED, 0,
          &s->model },
        { "--out", "DIR", NULL, "folder for the results", CLI_TEXT | CLI_WRITES | CLI_REQUIRED, 0,
          &s->out },
        { "--k", "N", NULL, "neighbours (default 10, molecules 25)", CLI_COUNT, 0, &s->k },
        { "--mean", NULL, "auto|tukey|frechet|chordal",
          "kind of mean (default auto; for molecules a centre shared by the class)", CLI_CHOICE, 0,
          &s->mean },
        { "--family", NULL, "auto|uniform|normal",
          "family whose width Theta predicts (default "
          "auto)",
          CLI_CHOICE, "images", &s->family },
        { "--lambda", NULL, "auto|neighbours|head|density",
          "where the natural pose comes from: the centre of the neighbours, a network that "
          "learned it (as in the paper), or the pose density (default auto: whichever is best "
          "on held-out inputs)",
          CLI_CHOICE, 0, &s->lambda },
        { "--heads", NULL, "mlp|paper",
          "what predicts Lambda and Theta: small networks on the embedding, or separate "
          "networks on the inputs, as in the paper (default mlp)",
          CLI_CHOICE, 0, &s->heads },
        { "--head-epochs", "N", NULL,
          "with --heads paper: passes over the data (default 60, molecules 30; paper: 600 and "
          "150)",
          CLI_COUNT, 0, &s->head_epochs },
        { "--head-rate", "R", NULL,
          "with --heads paper: highest learning rate (default as in the paper: 1.35e-4, "
          "molecules 4.83e-4)",
          CLI_NUMBER, 0, &s->head_rate },
        { "--half", NULL, NULL, "store weights as bfloat16: half the size", CLI_FLAG, 0, &s->half },
        { "--folds", "N", NULL,
          "calibrate p-values by N-fold cross-validation, retraining the backbone for each "
          "fold; 0: off (default 5 below 500 inputs, else 0)",
          CLI_INDEX, 0, &s->folds },
        { "--keep-embeddings", NULL, NULL, "also write z.npy and g.npy", CLI_FLAG, 0, &s->keep },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s->data);
    return cli_parse(&cli_discover, options, &s->common, argc, argv, NULL, 0, NULL);
}

/* --- shown ------------------------------------------------------------------------------------ */

/* What the group has of these. */
static void print_poses(const recon_discovery *d)
{
    if (!isnan(d->theta_median))
        printf("  width      %.1f degrees, the median %s (neighbours: %s)%s\n",
               d->theta_median * RECON_TO_DEGREES,
               d->theta == RECON_SO2_UNIFORM ? "half-width" : "sigma",
               recon_so2_family_name(d->family), cli_width_note(&d->trust));
    if (!isnan(d->concentration))
        printf("  poses      concentration %.1f, background %.1f %% (medians)\n", d->concentration,
               100 * d->background);
    cli_print_natural(d->natural, d->group);
}

static void print_warnings(const recon_discovery *d)
{
    cli_warn_natural(d->natural, "--k");
    if (d->background > RECON_BACKGROUND_MUCH)
        printf("  warning    many poses fit no distribution: are there at least %zu of each kind? "
               "A smaller\n"
               "             --k, more conformers or more training may help\n",
               d->k);
    if (d->inconsistent > RECON_NATURAL_FEW)
        printf(
            "  warning    %.0f %% of conformers have poses that contradict those of similar ones: "
            "neither one\n"
            "             pose nor an axis is claimed for them. Longer training may help\n",
            100 * d->inconsistent);
    if (d->symmetric)
        printf("  warning    molecules that are symmetric under rotations, like water and benzene: "
               "%zu. No\n"
               "             training can distinguish their equivalent poses\n",
               d->symmetric);
}

/* What the model holds for upright where these inputs show another pose. */
static void print_prior(const settings *s, const recon_discovery *d, const cli_inputs *in)
{
    enum { LISTED = 5 };
    size_t differ = 0, listed = 0;
    recon_count_text n;
    for (size_t i = 0; i < d->n_prior; i++)
        differ += fabs(recon_prior_degrees(&d->prior[i], d->group)) > RECON_PRIOR_DIFFERS;
    if (!differ)
        return;
    printf(
        "  upright    %zu of %s of these inputs lie more than 10 degrees from what %s holds for\n"
        "             upright; canonicalize with --prior %s takes that instead\n",
        differ, RECON_COUNT(d->n_prior, "cluster"), s->model, s->model);
    for (size_t i = 0; i < d->n_prior && listed < LISTED; i++) {
        const recon_prior_cluster *p = &d->prior[i];
        double degrees = recon_prior_degrees(p, d->group);
        if (fabs(degrees) <= RECON_PRIOR_DIFFERS)
            continue;
        listed++;
        printf("             cluster %zu: %s at %s%.0f degrees\n", p->cluster,
               recon_count(n, p->inputs, in->use->kind->one, in->use->kind->many),
               d->group->dimension == 1 && degrees > 0 ? "+" : "", degrees);
    }
    if (differ > listed)
        printf("             and %zu more: column about_prior of clusters.csv\n", differ - listed);
}

static void show(const settings *s, const recon_discovery *d, const cli_inputs *in)
{
    recon_count_text n;
    printf("%s of %s\n", recon_count(n, d->points, in->use->kind->one, in->use->kind->many),
           s->data.spec);
    cli_print_skipped(in->skipped, &in->skips);
    print_warnings(d);
    printf("  classes    %s", RECON_COUNT(d->k, "nearest neighbour"));
    if (!isnan(d->hit_rate))
        printf(", hit rate %.4f", d->hit_rate);
    putchar('\n');
    print_poses(d);
    if (s->heads == RECON_HEADS_PAPER)
        puts("  heads      Lambda and Theta are networks on the inputs, as in the paper");
    cli_print_lambda(&d->trust.lambda);
    printf("  as given   %s (%.1f %%) would be rotated by more than 20 degrees\n",
           recon_count(n, d->rotated, in->use->kind->one, in->use->kind->many),
           100 * (double)d->rotated / (double)d->points);
    print_prior(s, d, in);
    cli_print_trust(&d->trust);
    printf("  seconds    %.2f (embeddings %.2f, Algorithm 1 %.2f, maps %.2f",
           recon_now() - s->begun, d->seconds.embed, d->seconds.normalize, d->seconds.maps);
    if (d->folds)
        printf(", calibration by %s %.2f", RECON_COUNT(d->folds, "fold"), d->seconds.folds);
    puts(")");
    printf("  written    %s/\n", s->out);
    printf("  report     %s/report.html\n", s->out);
    cli_print_verdict(&d->trust);
}

/* --- the work --------------------------------------------------------------------------------- */

/* Lambda of a pose density asks no neighbours: what was said about them changes nothing there. */
static void note_options(recon_ctx *ctx, const settings *s, const recon_discovery *d,
                         const recon_backbone *b)
{
    const char *which = s->k && s->mean >= 0 ? "--k and --mean" : s->k ? "--k" : "--mean";
    if (b->density && d->trust.lambda.taken == RECON_LAMBDA_DENSITY && (s->k || s->mean >= 0))
        recon_log(
            ctx, RECON_LOG_WARN,
            "%s: affects only Algorithm 1 (gamma.npy, verdicts), not the natural poses, which "
            "come from the pose density here; use --lambda neighbours or head to take them from "
            "Algorithm 1",
            which);
}

/* What the options ask of a model and it cannot give is misuse. */
static recon_status check_model(recon_ctx *ctx, const settings *s, const recon_backbone *b)
{
    const recon_maps_kind *maps = recon_maps_kind_of(b->kind->group);
    recon_status status = RECON_OK;
    if (maps && s->lambda == RECON_LAMBDA_DENSITY && !recon_maps_know_density(maps, b->density))
        status = recon_fail(ctx, RECON_ERR_INPUT,
                            "--lambda density: %s has no pose density; train without --no-density",
                            s->model);
    else if (s->heads == RECON_HEADS_PAPER)
        status = recon_input_nets_check(ctx, b);
    *s->misuse = status != RECON_OK;
    return status;
}

/* Of images; any of molecules. */
static recon_preset preset_of(const recon_backbone *b)
{
    const recon_ieae *images = recon_backbone_ieae(b);
    return images ? recon_ieae_describe(images).preset : RECON_PRESET_FAST;
}

recon_status cli_discover_in(recon_ctx *ctx, recon_discovery *out, cli_inputs *inputs,
                             const recon_backbone *b, const char *model, const cli_data *data,
                             const char *dir, recon_discover_options *o)
{
    recon_metadata_entry more[RECON_INPUTS_ENTRIES];
    recon_source source = cli_source(data);
    recon_found_data shown = { .folder = dir };
    recon_status status;
    RECON_TRY(cli_inputs_open(ctx, inputs, data, b));
    RECON_TRY(recon_comm_agree(ctx, cli_inputs_keep(ctx, inputs, data, b)));
    RECON_TRY(cli_note_span(ctx, inputs, data->spec, preset_of(b)));
    o->maps.seed = cli_seed(data);
    o->precision = cli_use_precision(ctx, data->precision);
    o->data = cli_utf8(data->spec);
    o->source = &source;
    o->inputs = inputs;
    o->metadata = more;
    o->n_metadata = recon_inputs_record(&source, more, inputs);
    o->report = recon_found_report;
    o->report_arg = &shown;
    shown.data = inputs->use;
    RECON_TRY(recon_discover(ctx, out, model, b, inputs->use, dir, o));
done:
    return status;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    cli_inputs inputs = { 0 };
    recon_discover_options o = {
        .k = s->k,
        .as_mean = s->mean >= 0,
        .mean = { .kind = s->mean < 0 ? RECON_MEAN_AUTO : (recon_mean_kind)s->mean },
        .family = (recon_so2_family)s->family,
        .lambda = (recon_lambda)s->lambda,
        .maps = { .heads = (recon_heads)s->heads, .epochs = s->head_epochs, .rate = s->head_rate },
        .half = s->half,
        .keep_embeddings = s->keep,
        .folds = s->folds == UNSAID ? 0
                 : s->folds == 0    ? -1
                                    : (int)s->folds,
    };
    recon_backbone *backbone = NULL;
    recon_discovery d = { 0 };
    recon_status status;
    RECON_TRY(cli_attach(ctx, &s->data));
    RECON_TRY(
        recon_backbone_open(ctx, &backbone, s->model, cli_use_precision(ctx, s->data.precision)));
    RECON_TRY(check_model(ctx, s, backbone));
    RECON_TRY(cli_discover_in(ctx, &d, &inputs, backbone, s->model, &s->data, s->out, &o));
    if (recon_comm_rank(ctx) > 0) /* rank 0 has the answer */
        goto done;
    note_options(ctx, s, &d, backbone);
    cli_judge(&d.trust, &s->data);
    if (s->common.json)
        puts(d.summary);
    else if (!s->common.quiet)
        show(s, &d, &inputs);
done:
    recon_discovery_free(&d);
    recon_inputs_end(&inputs);
    recon_backbone_close(ctx, backbone);
    return status;
}

static int run(int argc, char **argv)
{
    int misuse = 0;
    settings s = { .mean = -1, .folds = UNSAID, .begun = recon_now(), .misuse = &misuse };
    int code = parse(&s, argc, argv);
    if (code < 0 && s.folds != UNSAID && (s.folds == 1 || s.folds > FOLDS_MOST))
        code = cli_misuse(&cli_discover, "--folds %zu: 0, or 2 to %d", s.folds, FOLDS_MOST);
    if (code < 0 && (s.head_epochs || s.head_rate > 0) && s.heads != RECON_HEADS_PAPER)
        code = cli_misuse(&cli_discover, "%s: only with --heads paper",
                          s.head_epochs ? "--head-epochs" : "--head-rate");
    code = code >= 0 ? code : cli_run(&cli_discover, &s.common, work, &s);
    return misuse ? EXIT_MISUSE : code;
}
