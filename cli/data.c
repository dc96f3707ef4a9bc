/* data.c - the options of every command that reads data, and the images or molecules they ask for.
 */
#include "cli/cli.h"
#include "core/fail.h"
#include "core/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICE_CUDA = 1 };

void cli_data_options(cli_option *table, size_t capacity, cli_data *d)
{
    const cli_option options[] = {
        { "--data", "SPEC", NULL,
          "images: garments, mnist, fashion, idx:FILE, npy:FILE, png:DIR, amat:FILE;\n"
          "                                   molecules: conformers, xyz:FILE, sdf:FILE, "
          "geom:FILE, "
          "flat:DIR",
          CLI_TEXT, 1, &d->spec },
        { "--turn", "RULE", NULL,
          "turn what is upright first: mnist, fashion, all; fisher, haar; or a\n"
          "                                   JSON file",
          CLI_TEXT, 0, &d->turn },
        { "--turn-seed", "S", NULL, "of those turns (default 1)", CLI_COUNT, 0, &d->turn_seed },
        { "--limit", "N", NULL, "take N images or conformers at random", CLI_COUNT, 0, &d->limit },
        { "--seed", "S", NULL, "of what is random (default 1)", CLI_COUNT, 0, &d->seed },
        { "--skip-bad", NULL, NULL, "leave out what cannot be used, and count it", CLI_FLAG, 0,
          &d->skip_bad },
        { "--size", "N", NULL, "fit those of any size into N x N", CLI_COUNT | CLI_IMAGES, 0,
          &d->size },
        { "--device", NULL, "cpu|cuda|ref", "where to compute (default cpu)", CLI_CHOICE, 0,
          &d->device },
        { "--deterministic", NULL, NULL, "with cuda: the same bits in every run, more slowly",
          CLI_FLAG, 0, &d->deterministic },
        { "--precision", NULL, "f32|bf16", "of activations (default f32)", CLI_CHOICE, 0,
          &d->precision },
    };
    static_assert(sizeof options / sizeof *options == CLI_DATA_OPTIONS, "as cli.h says");
    size_t n = 0;
    while (table[n].name)
        n++;
    assert(n + CLI_DATA_OPTIONS < capacity);
    (void)capacity;
    memcpy(table + n, options, sizeof options);
}

uint64_t cli_seed(const cli_data *data)
{
    return data->seed ? data->seed : 1;
}

recon_precision cli_precision(const cli_data *data)
{
    return data->precision ? RECON_MIXED : RECON_SINGLE;
}

int cli_ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n > m && !strcmp(path + n - m, end);
}

static recon_status turn(recon_ctx *ctx, cli_images *images, const cli_data *d)
{
    recon_turn_rule *rule = NULL; /* large */
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &rule, 1, sizeof *rule));
    RECON_TRY(recon_turn_rule_load(ctx, rule, d->turn));
    RECON_TRY(recon_dataset_turn(ctx, &images->turned, images->use, rule,
                                 d->turn_seed ? d->turn_seed : 1));
    images->use = images->turned;
done:
    free(rule);
    return status;
}

static recon_status attach(recon_ctx *ctx, const cli_data *d)
{
    static const char *const devices[] = { "cpu", "cuda", "ref" };
    return recon_ops_attach(ctx, d->device == DEVICE_CUDA && d->deterministic ? "cuda-deterministic"
                                                                              : devices[d->device]);
}

recon_status cli_images_open(recon_ctx *ctx, cli_images *out, const cli_data *d)
{
    recon_status status;
    *out = (cli_images){ 0 };
    RECON_TRY(attach(ctx, d));
    RECON_TRY(recon_dataset_open_with(
        ctx, &out->whole, d->spec,
        &(recon_dataset_options){ .skip_bad = d->skip_bad, .size = d->size }));
    out->use = out->whole;
    if (d->limit && d->limit < recon_dataset_describe(out->whole).n) {
        RECON_TRY(recon_dataset_take(ctx, &out->part, out->whole, d->limit, cli_seed(d)));
        out->use = out->part;
    }
    if (d->turn)
        RECON_TRY(turn(ctx, out, d));
done:
    return status;
}

void cli_images_close(cli_images *images)
{
    recon_dataset_close(images->turned);
    recon_dataset_close(images->part);
    recon_dataset_close(images->whole);
    *images = (cli_images){ 0 };
}

void cli_images_read(float *out, const cli_images *images, size_t first, size_t n)
{
    recon_dataset_info d = recon_dataset_describe(images->use);
    for (size_t i = 0; i < n; i++)
        recon_dataset_get(out + i * d.height * d.width * d.channels, images->use, first + i);
}

recon_status cli_model_open(recon_ctx *ctx, recon_model **out, const char *path,
                            const cli_images *images, const cli_data *data)
{
    recon_status status;
    RECON_TRY(recon_model_open(ctx, out, path, cli_precision(data)));
    RECON_TRY(recon_ieae_check_data(ctx, recon_model_backbone(*out), images->use));
done:
    return status;
}

recon_status cli_molecules_open(recon_ctx *ctx, cli_molecules *out, const cli_data *d)
{
    recon_status status;
    *out = (cli_molecules){ 0 };
    RECON_TRY(attach(ctx, d));
    RECON_TRY(recon_molecules_open(ctx, &out->whole, d->spec,
                                   &(recon_molecules_options){ .skip_bad = d->skip_bad }));
    out->use = out->whole;
    if (d->limit && d->limit < recon_molecules_describe(out->whole).n) {
        RECON_TRY(recon_molecules_take(ctx, &out->part, out->whole, d->limit, cli_seed(d)));
        out->use = out->part;
    }
    if (d->turn) {
        RECON_TRY(recon_molecules_turn(ctx, &out->turned, out->use, d->turn,
                                       d->turn_seed ? d->turn_seed : 1));
        out->use = out->turned;
    }
    out->n = recon_molecules_describe(out->use).n;
    out->skipped = recon_molecules_describe(out->whole).skipped;
done:
    return status;
}

recon_status cli_held_open(recon_ctx *ctx, cli_molecules *out, const cli_data *data,
                           const char *spec)
{
    cli_data other = *data;
    other.spec = spec;
    other.limit = 0;
    return cli_molecules_open(ctx, out, &other);
}

void cli_molecules_close(cli_molecules *m)
{
    free(m->rows);
    recon_molecules_close(m->turned);
    recon_molecules_close(m->part);
    recon_molecules_close(m->whole);
    *m = (cli_molecules){ 0 };
}

void cli_molecules_read(recon_conformer *out, const cli_molecules *molecules, size_t first,
                        size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = recon_molecules_get(molecules->use,
                                     molecules->rows ? molecules->rows[first + i] : first + i);
}

/* The first element of a conformer that the model does not know; 0: it knows them all. */
static int find_unknown(const recon_conformer *x, const recon_molnet_shape *shape)
{
    for (size_t a = 0; a < x->atoms; a++)
        if (!memchr(shape->element, x->z[a], shape->elements))
            return x->z[a];
    return 0;
}

static recon_status keep_known(recon_ctx *ctx, cli_molecules *m, const recon_molnet_shape *shape,
                               const cli_data *d)
{
    size_t all = m->n;
    cli_name name;
    recon_status status = recon_alloc_raw(ctx, &m->rows, all, sizeof *m->rows);
    m->n = 0;
    for (size_t i = 0; status == RECON_OK && i < all; i++) {
        recon_conformer x = recon_molecules_get(m->use, i);
        int z = find_unknown(&x, shape);
        if (!z)
            m->rows[m->n++] = i;
        else if (!d->skip_bad)
            return recon_fail(
                ctx, RECON_ERR_INPUT,
                "%s: conformer %zu (%s): an atom of element %d: the model knows %zu others",
                d->spec, i, cli_molecule_name(name, m->use, (size_t)x.molecule), z,
                shape->elements);
    }
    m->skipped += all - m->n;
    if (status == RECON_OK && m->n == 0)
        status =
            recon_fail(ctx, RECON_ERR_INPUT,
                       "%s: every conformer has an element that the model does not know", d->spec);
    return status;
}

recon_status cli_molmodel_open(recon_ctx *ctx, recon_molmodel **out, const char *path,
                               cli_molecules *molecules, const cli_data *data)
{
    recon_status status;
    RECON_TRY(recon_molmodel_open(ctx, out, path, cli_precision(data)));
    recon_molnet_shape shape = recon_molnet_describe(recon_molmodel_backbone(*out));
    RECON_TRY(keep_known(ctx, molecules, &shape, data));
done:
    return status;
}

const char *cli_molecule_name(cli_name out, const recon_molecules *data, size_t molecule)
{
    snprintf(out, sizeof(cli_name), "%s", recon_molecules_name(data, molecule));
    recon_keep_to_one_line(out);
    return out;
}
