/* molecules_kind.c - conformers as inputs of a pipeline: recon_data_kind over recon_molecules. A
 * batch is n recon_conformers, which point into the set. */
#include "core/hash.h"
#include "data/kinds.h"
#include "data/molecules.h"

static const recon_molecules *of(const recon_data *data)
{
    return (const recon_molecules *)data;
}

const recon_molecules *recon_data_molecules(const recon_data *data)
{
    return data->kind == &recon_molecules_kind ? of(data) : NULL;
}

static recon_data_info describe(const recon_data *data)
{
    recon_molecules_info d = recon_molecules_describe(of(data));
    return (recon_data_info){ d.n, sizeof(recon_conformer), d.molecules, d.skipped };
}

static void close_molecules(recon_data *data)
{
    recon_molecules_close((recon_molecules *)data);
}

static void read_conformers(void *inputs, const recon_data *data, size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((recon_conformer *)inputs)[i] = recon_molecules_get(of(data), first + i);
}

static int64_t label(const recon_data *data, size_t i)
{
    return recon_molecules_get(of(data), i).molecule;
}

static recon_status open_molecules(recon_ctx *ctx, recon_data **out, const char *spec,
                                   const recon_data_options *o)
{
    const recon_molecules_options options = { .skip_bad = o->skip_bad };
    return recon_molecules_open(ctx, (recon_molecules **)out, spec, &options);
}

static recon_status take(recon_ctx *ctx, recon_data **out, const recon_data *data, size_t count,
                         uint64_t seed)
{
    return recon_molecules_take(ctx, (recon_molecules **)out, of(data), count, seed);
}

static recon_status pick(recon_ctx *ctx, recon_data **out, const recon_data *data,
                         const size_t *which, size_t n)
{
    return recon_molecules_pick(ctx, (recon_molecules **)out, of(data), which, n);
}

static recon_status rotate(recon_ctx *ctx, recon_data **out, const recon_data *data,
                           const char *rule, uint64_t seed)
{
    return recon_molecules_rotate(ctx, (recon_molecules **)out, of(data), rule, seed);
}

static size_t origin(const recon_data *data, size_t i)
{
    return recon_molecules_origin(of(data), i);
}

static const char *name_of(const recon_data *data, size_t i)
{
    return recon_molecules_name(of(data), (size_t)label(data, i));
}

static const char *skipped(const recon_data *data, size_t i)
{
    return recon_molecules_skipped(of(data), i);
}

/* Of elements, places, and which molecule it is of. */
static uint64_t hash(const recon_data *data, size_t i)
{
    recon_conformer x = recon_molecules_get(of(data), i);
    const recon_hash_key which = { { (uint64_t)x.molecule, x.atoms } };
    const uint64_t parts[] = { recon_hash(which, x.z, x.atoms),
                               recon_hash(which, x.xyz, 3 * x.atoms * sizeof *x.xyz) };
    return recon_hash(which, parts, sizeof parts);
}

const recon_data_kind recon_molecules_kind = {
    .name = "molecules",
    .one = "conformer",
    .many = "conformers",
    .describe = describe,
    .close = close_molecules,
    .read = read_conformers,
    .label = label,
    .open = open_molecules,
    .take = take,
    .pick = pick,
    .rotate = rotate,
    .origin = origin,
    .name_of = name_of,
    .skipped = skipped,
    .hash = hash,
};
