/* cmd_discover.c - recon discover: from a backbone and images or molecules to a whole model. */
#include "cli/cli.h"
#include "core/ctx.h"
#include "data/dataset.h"
#include "core/fail.h"

#include <math.h>
#include <recon/model/moldiscover.h>
#include <recon/report/found.h>
#include <stdio.h>

static int run(int argc, char **argv);
const cli_command cli_discover = {
    .name = "discover",
    .purpose = "find the natural poses of images or molecules, and learn them",
    .arguments = "",
    .example =
        "  recon train --data mnist --turn mnist --preset small --out digits.safetensors\n"
        "  recon discover --model digits.safetensors --data mnist --turn mnist --out digits\n"
        "  recon discover --model conformers.safetensors --data conformers --turn fisher --out "
        "mols\n"
        "\n"
        "Embeds the data, runs Algorithm 1 (see `recon normalize`) and fits Lambda, Theta and the\n"
        "density of poses. Of images Lambda is the backbone's lean where it has one (see `recon\n"
        "train`). Of molecules the poses may determine no more than where an axis points; then "
        "the\n"
        "spin about it is free, and the summary says of how many classes.\n"
        "DIR/model.safetensors is what canonicalize, score and distribution take; summary.json "
        "says\n"
        "what was found, and report.html shows it (see `recon report`). Labels, if any, are used "
        "for\n"
        "these alone.",
    .run = run,
};

typedef struct {
    const char *model, *out;
    size_t k;
    int mean, family, half, keep;
    cli_data data;
    cli_common common;
    double begun; /* on the clock of recon_now: what is printed is what was waited for */
} settings;

static int parse(settings *s, int argc, char **argv)
{
    cli_option options[7 + CLI_DATA_OPTIONS + 1] = {
        { "--model", "MODEL", NULL, "what `recon train` wrote", CLI_MODEL, 1, &s->model },
        { "--out", "DIR", NULL, "folder for the results", CLI_TEXT, 1, &s->out },
        { "--k", "N", NULL, "neighbours (default 10, molecules 25)", CLI_COUNT, 0, &s->k },
        { "--mean", NULL, "tukey|frechet|chordal",
          "centre of poses (default tukey; of molecules one that a class agrees on)", CLI_CHOICE, 0,
          &s->mean },
        { "--family", NULL, "auto|uniform|normal", "what Theta is the width of (default auto)",
          CLI_CHOICE | CLI_IMAGES, 0, &s->family },
        { "--half", NULL, NULL, "store weights as bfloat16: half the size", CLI_FLAG, 0, &s->half },
        { "--keep-embeddings", NULL, NULL, "write z.npy and g.npy too", CLI_FLAG, 0, &s->keep },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s->data);
    return cli_parse(&cli_discover, options, &s->common, argc, argv, NULL, 0, NULL);
}

/* --- what images and molecules share ---------------------------------------------------------- */

static void print_head(const settings *s, const char *what, size_t points, size_t skipped,
                       const recon_skips *skips, size_t k, double hit_rate)
{
    printf("%zu %s of %s\n", points, what, s->data.spec);
    cli_print_skipped(skipped, skips);
    printf("  classes    %zu nearest neighbours", k);
    if (!isnan(hit_rate))
        printf(", hit rate %.4f", hit_rate);
    putchar('\n');
}

static void print_end(const settings *s, double embed, double normalize, double maps)
{
    printf("  seconds    %.2f (embeddings %.2f, Algorithm 1 %.2f, maps %.2f)\n",
           recon_now() - s->begun, embed, normalize, maps);
    printf("  written    %s/\n", s->out);
    printf("  report     %s/report.html\n", s->out);
}

static recon_metadata_entry turn_of(const settings *s)
{
    return (recon_metadata_entry){ "turn", s->data.turn ? s->data.turn : "" };
}

static recon_source source_of(const settings *s)
{
    return (recon_source){ .spec = s->data.spec,
                           .turn = s->data.turn,
                           .turn_seed = s->data.turn_seed,
                           .seed = cli_seed(&s->data),
                           .limit = s->data.limit,
                           .size = s->data.size,
                           .skip_bad = s->data.skip_bad,
                           .picture_most = cli_picture_most(&s->data) };
}

static recon_status write_report(recon_ctx *ctx, void *data, const char *dir)
{
    char path[4096 + 16];
    snprintf(path, sizeof path, "%s/report.html", dir);
    return recon_found_save(ctx, path, dir, data);
}

/* --- images ----------------------------------------------------------------------------------- */

static void print_images(const settings *s, const recon_discovery *d, size_t skipped,
                         const recon_skips *skips)
{
    print_head(s, "images", d->points, skipped, skips, d->k, d->hit_rate);
    printf("  width      %.1f degrees, the median %s (neighbours: %s)\n",
           d->theta_median * RECON_TO_DEGREES,
           d->theta == RECON_SO2_UNIFORM ? "half-width" : "sigma",
           recon_so2_family_name(d->family));
    cli_print_natural(d->natural);
    print_end(s, d->seconds.embed, d->seconds.normalize, d->seconds.maps);
}

static recon_status discover_images(recon_ctx *ctx, const settings *s)
{
    /* The rule is not recorded where the network learned by another one: it stays worth a warning.
     */
    const recon_metadata_entry more[] = { turn_of(s), { "transparent", RECON_TRANSPARENT } };
    recon_source source = source_of(s);
    recon_found_data shown = { .folder = s->out };
    recon_discover_options o = {
        .k = s->k,
        .mean = { .kind = s->mean < 0 ? RECON_MEAN_TUKEY : (recon_mean_kind)s->mean },
        .family = (recon_so2_family)s->family,
        .maps = { .seed = cli_seed(&s->data) },
        .precision = cli_precision(ctx, s->data.precision),
        .half = s->half,
        .keep_embeddings = s->keep,
        .data = cli_utf8(s->data.spec),
        .source = &source,
        .metadata = more,
        .n_metadata = 1,
        .report = write_report,
        .report_arg = &shown,
    };
    cli_images images;
    recon_discovery d = { 0 };
    recon_status status;
    RECON_TRY(cli_images_open_for(ctx, &images, &s->data, s->model));
    source.unread = recon_dataset_unread(images.whole);
    source.transparent = recon_images_folder(s->data.spec) ? RECON_TRANSPARENT : NULL;
    if (source.transparent && !images.over_black)
        o.n_metadata = 2;
    shown.images = images.use;
    RECON_TRY(recon_discover(ctx, &d, s->model, images.use, s->out, &o));
    if (s->common.json)
        puts(d.summary);
    else if (!s->common.quiet)
        print_images(s, &d, images.skipped, &images.skips);
done:
    recon_discovery_free(&d);
    cli_images_close(&images);
    return status;
}

/* --- molecules -------------------------------------------------------------------------------- */

static void print_molecules(const settings *s, const recon_moldiscovery *d, size_t skipped,
                            const recon_skips *skips)
{
    print_head(s, "conformers", d->points, skipped, skips, d->k, d->hit_rate);
    printf("  poses      concentration %.1f, background %.1f %% (medians)\n", d->concentration,
           100 * d->background);
    cli_print_natural(d->natural);
    if (d->background > RECON_BACKGROUND_MUCH)
        printf("  careful    many poses fit no distribution: are there %zu alike of each kind? A "
               "smaller\n             --k, more conformers or more training may help\n",
               d->k);
    if (d->symmetric)
        printf("  careful    %zu of the molecules look the same after a turn, as water and benzene "
               "do: their\n             pose is read as any of several, whatever the training\n",
               d->symmetric);
    print_end(s, d->seconds.embed, d->seconds.normalize, d->seconds.maps);
}

static recon_status discover_molecules(recon_ctx *ctx, const settings *s)
{
    const recon_metadata_entry turn = turn_of(s);
    const recon_source source = source_of(s);
    recon_found_data shown = { .folder = s->out };
    const recon_moldiscover_options o = {
        .k = s->k,
        .as_mean = s->mean >= 0,
        .mean = { .kind = s->mean < 0 ? RECON_MEAN_TUKEY : (recon_mean_kind)s->mean },
        .maps = { .seed = cli_seed(&s->data) },
        .precision = cli_precision(ctx, s->data.precision),
        .half = s->half,
        .keep_embeddings = s->keep,
        .data = cli_utf8(s->data.spec),
        .source = &source,
        .metadata = &turn,
        .n_metadata = 1,
        .report = write_report,
        .report_arg = &shown,
    };
    cli_molecules molecules;
    recon_moldiscovery d = { 0 };
    recon_status status;
    RECON_TRY(cli_molecules_open_for(ctx, &molecules, &s->data, s->model));
    shown.molecules = molecules.use;
    RECON_TRY(recon_moldiscover(ctx, &d, s->model, molecules.use, s->out, &o));
    if (s->common.json)
        puts(d.summary);
    else if (!s->common.quiet)
        print_molecules(s, &d, molecules.skipped, &molecules.skips);
done:
    recon_moldiscovery_free(&d);
    cli_molecules_close(&molecules);
    return status;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    return recon_molecules_is(s->data.spec) ? discover_molecules(ctx, s) : discover_images(ctx, s);
}

static int run(int argc, char **argv)
{
    settings s = { .mean = -1, .begun = recon_now() }; /* not said */
    int code = parse(&s, argc, argv);
    return code >= 0 ? code : cli_run(&cli_discover, &s.common, work, &s);
}
