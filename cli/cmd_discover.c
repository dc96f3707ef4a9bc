/* cmd_discover.c - recon discover: from a backbone and images to a whole model. */
#include "cli/cli.h"
#include "core/fail.h"

#include <math.h>
#include <stdio.h>

static int run(int argc, char **argv);
const cli_command cli_discover = {
    .name = "discover",
    .purpose = "find the natural poses of images, and learn them",
    .arguments = "",
    .example =
        "  recon train --data mnist --turn mnist --preset small --out digits.safetensors\n"
        "  recon discover --model digits.safetensors --data mnist --turn mnist --out digits\n"
        "\n"
        "Embeds the images, runs Algorithm 1 (see `recon normalize`) and fits Lambda, Theta and\n"
        "the density of poses; Lambda is the backbone's lean where it has one (see `recon "
        "train`).\n"
        "DIR/model.safetensors is what canonicalize, score and distribution take; summary.json "
        "says\n"
        "what was found. Labels, if any, are used for the summary alone.",
    .run = run,
};

typedef struct {
    const char *model, *out;
    size_t k;
    int mean, family, half, keep;
    cli_data data;
    cli_common common;
} settings;

static int parse(settings *s, int argc, char **argv)
{
    cli_option options[7 + CLI_DATA_OPTIONS + 1] = {
        { "--model", "MODEL", NULL, "what `recon train` wrote", CLI_TEXT, 1, &s->model },
        { "--out", "DIR", NULL, "folder for the results", CLI_TEXT, 1, &s->out },
        { "--k", "N", NULL, "neighbours (default 10)", CLI_COUNT, 0, &s->k },
        { "--mean", NULL, "tukey|frechet|chordal", "centre of poses (default tukey)", CLI_CHOICE, 0,
          &s->mean },
        { "--family", NULL, "auto|uniform|normal", "what Theta is the width of (default auto)",
          CLI_CHOICE, 0, &s->family },
        { "--half", NULL, NULL, "store weights as bfloat16: half the size", CLI_FLAG, 0, &s->half },
        { "--keep-embeddings", NULL, NULL, "write z.npy and g.npy too", CLI_FLAG, 0, &s->keep },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s->data);
    return cli_parse(&cli_discover, options, &s->common, argc, argv, NULL, 0, NULL);
}

static void print_text(const settings *s, const recon_discovery *d, size_t skipped)
{
    printf("%zu images of %s\n", d->points, s->data.spec);
    if (skipped)
        printf("  skipped    %zu that could not be read\n", skipped);
    printf("  classes    %zu nearest neighbours", d->k);
    if (!isnan(d->hit_rate))
        printf(", hit rate %.4f", d->hit_rate);
    printf("\n  width      %.1f degrees, the median %s (neighbours: %s)\n",
           d->theta_median * CLI_DEGREES, d->theta == RECON_SO2_UNIFORM ? "half-width" : "sigma",
           recon_so2_family_name(d->family));
    printf("  modes      several in %.1f%%, natural pose known modulo 180 degrees in %.1f%%\n",
           100 * d->several, 100 * d->folded);
    printf("  seconds    %.2f (embeddings %.2f, Algorithm 1 %.2f, maps %.2f)\n", d->seconds.total,
           d->seconds.embed, d->seconds.normalize, d->seconds.maps);
    printf("  written    %s/\n", s->out);
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    const recon_discover_options o = {
        .k = s->k,
        .mean = { .kind = (recon_mean_kind)s->mean },
        .family = (recon_so2_family)s->family,
        .maps = { .seed = cli_seed(&s->data) },
        .precision = cli_precision(&s->data),
        .half = s->half,
        .keep_embeddings = s->keep,
        .data = s->data.spec,
        .metadata = &(recon_metadata_entry){ "turn", s->data.turn ? s->data.turn : "" },
        .n_metadata = 1,
    };
    cli_images images;
    recon_discovery d = { 0 };
    recon_status status;
    RECON_TRY(cli_images_open(ctx, &images, &s->data));
    RECON_TRY(recon_discover(ctx, &d, s->model, images.use, s->out, &o));
    if (s->common.json)
        puts(d.summary);
    else if (!s->common.quiet)
        print_text(s, &d, recon_dataset_describe(images.whole).skipped);
done:
    recon_discovery_free(&d);
    cli_images_close(&images);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { 0 };
    int code = parse(&s, argc, argv);
    return code >= 0 ? code : cli_run(&cli_discover, &s.common, work, &s);
}
