/* molecules.c - sets of conformers, from files and from each other. */
#include <recon/data/molecules.h>
#include "core/ctx.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/shipped.h"
#include "data/elements.h"
#include "data/formats.h"
#include "data/molecule_store.h"
#include "core/shuffle.h"
#include "data/select.h"
#include "data/xyz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/hash.h"
#include "data/molecules.h"

enum { PATH = 1024, PARTS = 3 };
static const char *const parts[PARTS] = { "train", "val", "test" };

/* Numbers of recon_permute that image sets do not use. */
#define TAKES  ((uint64_t)1 << 57)
#define SPLITS ((uint64_t)1 << 56)

/* --- a set ------------------------------------------------------------------------------------ */

static void measure(recon_molecules *d)
{
    d->info.atoms = d->info.total = 0;
    for (size_t i = 0; i < d->info.n; i++) {
        size_t atoms = d->store->entry[recon_molecules_row(d, i)].atoms;
        d->info.total += atoms;
        d->info.atoms = atoms > d->info.atoms ? atoms : d->info.atoms;
    }
}

recon_status recon_molecules_of(recon_ctx *ctx, recon_molecules **out, recon_store *store)
{
    recon_status status = recon_alloc(ctx, out, 1, sizeof **out);
    if (status != RECON_OK) {
        recon_store_release(store);
        return status;
    }
    (*out)->data.kind = &recon_molecules_kind;
    (*out)->store = store;
    (*out)->info = (recon_molecules_info){ .n = store->n, .molecules = store->molecules };
    measure(*out);
    return RECON_OK;
}

void recon_molecules_close(recon_molecules *d)
{
    if (!d)
        return;
    recon_store_release(d->store);
    recon_free_all(d->rows, d);
}

recon_molecules_info recon_molecules_describe(const recon_molecules *data)
{
    return data->info;
}

const recon_data *recon_molecules_data(const recon_molecules *data)
{
    return &data->data;
}

recon_conformer recon_molecules_get(const recon_molecules *data, size_t i)
{
    const recon_entry *e = &data->store->entry[recon_molecules_row(data, i)];
    return (recon_conformer){ .atoms = e->atoms,
                              .z = data->store->z + e->first,
                              .xyz = data->store->xyz + 3 * e->first,
                              .molecule = e->molecule,
                              .energy = e->energy,
                              .rmsd = e->rmsd };
}

const char *recon_molecules_name(const recon_molecules *data, size_t molecule)
{
    return data->store->text + data->store->name[molecule];
}

int recon_molecules_rotors(const recon_molecules *data, size_t molecule)
{
    return data->store->rotors ? data->store->rotors[molecule] : -1;
}

recon_so3 recon_molecules_rotation(const recon_molecules *data, size_t i)
{
    return data->store->rotation ? data->store->rotation[recon_molecules_row(data, i)]
                                 : recon_so3_identity();
}

int recon_molecules_fisher(double f[9], const recon_molecules *data, size_t molecule)
{
    int known = data->store->fisher && !isnan(data->store->fisher[molecule][0]);
    for (size_t i = 0; i < 9; i++)
        f[i] = known ? data->store->fisher[molecule][i] : 0;
    return known;
}

/* --- one's own data --------------------------------------------------------------------------- */

/* The molecules 0 .. *count-1 all have a conformer; first[m] is one of them. */
static recon_status find_molecules(recon_ctx *ctx, size_t *first, size_t *count,
                                   const recon_conformer *list, size_t n)
{
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t m = list[i].molecule;
        if (m < 0 || (size_t)m >= n)
            return recon_fail(ctx, RECON_ERR_INPUT,
                              "conformer %zu is of molecule %d: numbers from 0 without gaps", i, m);
        if (!first[m])
            first[m] = i + 1;
        *count = (size_t)m >= *count ? (size_t)m + 1 : *count;
    }
    for (size_t m = 0; m < *count; m++)
        if (!first[m]--)
            return recon_fail(ctx, RECON_ERR_INPUT,
                              "molecule %zu of %zu has no conformer: numbers from 0 without gaps",
                              m, *count);
    return RECON_OK;
}

static recon_status fill(recon_ctx *ctx, recon_store *store, const recon_conformer *list, size_t n,
                         const char *const *names)
{
    recon_formula_text formula;
    size_t *first = NULL, molecules;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &first, n, sizeof *first));
    RECON_TRY(find_molecules(ctx, first, &molecules, list, n));
    for (size_t i = 0; i < n; i++) {
        RECON_TRY(recon_conformer_check(ctx, &list[i], &(recon_place){ NULL, "conformer", i, 0 }));
        RECON_TRY(recon_store_add(ctx, store, &list[i]));
    }
    for (size_t m = 0; m < molecules; m++) {
        const recon_conformer *c = &list[first[m]];
        const char *name = names && names[m] ? names[m] : recon_formula(formula, c->z, c->atoms);
        RECON_TRY(recon_store_name(ctx, store, name, strlen(name)));
    }
done:
    free(first);
    return status;
}

recon_status recon_molecules_make(recon_ctx *ctx, recon_molecules **out,
                                  const recon_conformer *list, size_t n, const char *const *names)
{
    recon_store *store = NULL;
    recon_status status;
    *out = NULL;
    if (n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "a set of no conformers");
    RECON_TRY(recon_store_new(ctx, &store));
    RECON_TRY(fill(ctx, store, list, n, names));
    return recon_molecules_of(ctx, out, store);
done:
    recon_store_release(store);
    return status;
}

/* --- parts ------------------------------------------------------------------------------------ */

/* Its rows are still to be written, and measured. */
static recon_status make_part(recon_ctx *ctx, recon_molecules **out, const recon_molecules *d,
                              size_t n)
{
    size_t *rows;
    recon_status status = recon_alloc_raw(ctx, &rows, n, sizeof *rows);
    if (status == RECON_OK && (status = recon_alloc(ctx, out, 1, sizeof **out)) != RECON_OK)
        free(rows);
    if (status != RECON_OK)
        return status;
    **out = (recon_molecules){ d->data, d->info, recon_store_share(d->store), rows };
    (*out)->info.n = n;
    return RECON_OK;
}

recon_status recon_molecules_take(recon_ctx *ctx, recon_molecules **out, const recon_molecules *d,
                                  size_t count, uint64_t seed)
{
    size_t n = d->info.n, at = 0;
    *out = NULL;
    if (count == 0 || count > n)
        return recon_fail(ctx, RECON_ERR_INPUT, "%zu of %zu conformers cannot be taken", count, n);
    recon_status status = make_part(ctx, out, d, count);
    if (status != RECON_OK)
        return status;
    for (size_t i = 0; i < n && status == RECON_OK; i++) {
        if (recon_permute(i, n, seed, TAKES) < count)
            (*out)->rows[at++] = recon_molecules_row(d, i);
        status = recon_interrupted_at(ctx, i);
    }
    if (status == RECON_OK) {
        measure(*out);
    } else {
        recon_molecules_close(*out);
        *out = NULL;
    }
    return status;
}

static recon_status pick_conformers(recon_ctx *ctx, recon_molecules **out, const recon_molecules *d,
                                    const size_t *which, size_t n)
{
    *out = NULL;
    for (size_t i = 0; i < n; i++)
        if (which[i] >= d->info.n)
            return recon_fail(ctx, RECON_ERR_INPUT, "there is no conformer %zu of %zu", which[i],
                              d->info.n);
    RECON_CHECK(n ? make_part(ctx, out, d, n)
                  : recon_fail(ctx, RECON_ERR_INPUT, "a set of no conformers"));
    for (size_t i = 0; i < n; i++)
        (*out)->rows[i] = recon_molecules_row(d, which[i]);
    measure(*out);
    return RECON_OK;
}

/* How many of a molecule's conformers are held out. */
static size_t share(size_t count, size_t of)
{
    size_t part = (count + of / 2) / of;
    if (count < 2)
        return 0;
    return part < 1 ? 1 : part > count - 1 ? count - 1 : part;
}

static size_t count_held(const size_t *count, size_t molecules, size_t of)
{
    size_t held = 0;
    for (size_t m = 0; m < molecules; m++)
        held += share(count[m], of);
    return held;
}

/* seen[m] counts the conformers of molecule m met so far. */
static void deal(recon_molecules *rest, recon_molecules *held, const recon_molecules *d,
                 const size_t *count, size_t *seen, size_t of, uint64_t seed)
{
    size_t in_rest = 0, in_held = 0;
    for (size_t i = 0; i < d->info.n; i++) {
        size_t row = recon_molecules_row(d, i), m = (size_t)d->store->entry[row].molecule;
        if (recon_permute(seen[m]++, count[m], seed, SPLITS + m) < share(count[m], of))
            held->rows[in_held++] = row;
        else
            rest->rows[in_rest++] = row;
    }
    measure(rest);
    measure(held);
}

recon_status recon_molecules_split(recon_ctx *ctx, recon_molecules **rest, recon_molecules **held,
                                   const recon_molecules *d, size_t of, uint64_t seed)
{
    size_t *count = NULL, *seen = NULL, molecules = d->info.molecules;
    recon_status status;
    *rest = *held = NULL;
    if (of < 2)
        return recon_fail(ctx, RECON_ERR_INPUT, "one conformer of %zu cannot be held out", of);
    RECON_TRY(recon_alloc(ctx, &count, molecules, sizeof *count));
    RECON_TRY(recon_alloc(ctx, &seen, molecules, sizeof *seen));
    for (size_t i = 0; i < d->info.n; i++)
        count[d->store->entry[recon_molecules_row(d, i)].molecule]++;
    size_t part = count_held(count, molecules, of);
    if (part == 0)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT,
                             "no molecule has two conformers: none can be held out"));
    RECON_TRY(make_part(ctx, rest, d, d->info.n - part));
    RECON_TRY(make_part(ctx, held, d, part));
    deal(*rest, *held, d, count, seen, of, seed);
done:
    recon_free_all(count, seen);
    if (status != RECON_OK) {
        recon_molecules_close(*rest);
        recon_molecules_close(*held);
        *rest = *held = NULL;
    }
    return status;
}

/* --- files ------------------------------------------------------------------------------------ */

typedef recon_status reader(recon_ctx *ctx, recon_assembly *to, const char *path);

static recon_status read_text(recon_ctx *ctx, recon_molecules_read *to, reader *read,
                              const char *path, int skip_bad)
{
    recon_assembly all = { .store = to->store, .skip_bad = skip_bad };
    recon_status status = read(ctx, &all, path);
    recon_assembly_free(&all);
    to->skipped = all.skipped;
    if (status == RECON_OK && to->store->n == 0)
        status = recon_fail(ctx, RECON_ERR_FORMAT, "%s: %s", path,
                            all.skipped ? "no conformer can be used" : "no conformers in it");
    return status;
}

recon_status recon_read_xyz(recon_ctx *ctx, recon_molecules_read *to, const char *path,
                            const recon_molecules_options *o)
{
    return read_text(ctx, to, recon_xyz_read, path, o->skip_bad);
}

recon_status recon_read_sdf(recon_ctx *ctx, recon_molecules_read *to, const char *path,
                            const recon_molecules_options *o)
{
    return read_text(ctx, to, recon_sdf_read, path, o->skip_bad);
}

/* -1: all; -2: no part is called so. */
static int part_of(const char *name)
{
    for (int i = 0; i < PARTS; i++)
        if (!strcmp(name, parts[i]))
            return i;
    return strcmp(name, "all") ? -2 : -1;
}

/* Of d, which is a whole set, what its split says is of a part. */
static recon_status take_part(recon_ctx *ctx, recon_molecules **out, const recon_molecules *d,
                              int part, const char *name)
{
    const uint8_t *split = d->store->split;
    size_t n = 0, at = 0;
    *out = NULL;
    if (!split || d->rows)
        return recon_fail(
            ctx, RECON_ERR_INPUT,
            d->rows ? "%s: this is a part of a set already" : "%s: there is no split.npy", name);
    for (size_t i = 0; i < d->info.n; i++)
        n += split[i] == part;
    if (n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: no conformer is in that part", name);
    RECON_CHECK(make_part(ctx, out, d, n));
    for (size_t i = 0; i < d->info.n; i++)
        if (split[i] == part)
            (*out)->rows[at++] = i;
    measure(*out);
    return RECON_OK;
}

recon_status recon_molecules_part(recon_ctx *ctx, recon_molecules **out, const recon_molecules *d,
                                  const char *name)
{
    int part = part_of(name);
    *out = NULL;
    return part < 0 ? recon_fail(ctx, RECON_ERR_INPUT, "no part is called '%s': train, val or test",
                                 name)
                    : take_part(ctx, out, d, part, name);
}

/* A whole set becomes one of its parts (-1: it stays whole). */
static recon_status keep_part(recon_ctx *ctx, recon_molecules **d, int part, const char *spec)
{
    recon_molecules *whole = *d;
    if (part < 0)
        return RECON_OK;
    recon_status status = take_part(ctx, d, whole, part, spec);
    recon_molecules_close(whole);
    return status;
}

/* FOLDER, or FOLDER/PART where that is no folder. */
static recon_status split_folder(recon_ctx *ctx, char folder[PATH], int *part, const char *path)
{
    struct stat info;
    if (snprintf(folder, PATH, "%s", path) >= PATH)
        return recon_fail(ctx, RECON_ERR_INPUT, "%.60s..: a path of more than %d characters", path,
                          PATH - 1);
    char *slash = strrchr(folder, '/');
    if (slash && stat(folder, &info) != 0 && part_of(slash + 1) != -2) {
        *part = part_of(slash + 1);
        *slash = '\0';
    }
    return RECON_OK;
}

recon_status recon_read_geom(recon_ctx *ctx, recon_molecules_read *to, const char *path,
                             const recon_molecules_options *o)
{
    char file[PATH];
    RECON_CHECK(split_folder(ctx, file, &to->part, path));
    return recon_select_geom(ctx, to->store, &to->skipped, file, o->skip_bad, &o->select);
}

recon_status recon_read_flat(recon_ctx *ctx, recon_molecules_read *to, const char *path,
                             const recon_molecules_options *o)
{
    char folder[PATH];
    RECON_CHECK(split_folder(ctx, folder, &to->part, path));
    return recon_flat_read(ctx, to->store, &to->skipped, folder, o->skip_bad);
}

recon_status recon_read_conformers(recon_ctx *ctx, recon_molecules_read *to, const char *spec,
                                   const recon_molecules_options *o)
{
    char folder[PATH];
    const char *slash = strchr(spec, '/');
    to->part = part_of(slash ? slash + 1 : "train");
    if (to->part == -2)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "conformers has no part '%s': train, val, test or all", slash + 1);
    RECON_CHECK(
        recon_shipped_find(ctx, folder, sizeof folder, "data", "conformers", RECON_SHIPPED_DATA));
    return recon_flat_read(ctx, to->store, &to->skipped, folder, o->skip_bad);
}

recon_status recon_molecules_open(recon_ctx *ctx, recon_molecules **out, const char *spec,
                                  const recon_molecules_options *options)
{
    const recon_molecules_options defaults = { 0 };
    recon_molecules_read read = { .part = -1 };
    const recon_format *format;
    const char *path;
    recon_status status;
    *out = NULL;
    options = options ? options : &defaults;
    RECON_TRY(recon_reserved_check(ctx, options->reserved, "recon_molecules_options"));
    RECON_TRY(recon_reserved_check(ctx, options->select.reserved, "recon_select_options"));
    RECON_TRY(recon_format_find(ctx, &format, &path, spec, &recon_molecules_kind));
    RECON_TRY(recon_store_new(ctx, &read.store));
    RECON_TRY(format->molecules(ctx, &read, path, options));
    status = recon_molecules_of(ctx, out, read.store);
    read.store = NULL;
    if (status == RECON_OK)
        RECON_TRY(keep_part(ctx, out, read.part, spec));
done:
    recon_store_release(read.store);
    if (status != RECON_OK) {
        recon_molecules_close(*out);
        *out = NULL;
    } else if (((*out)->info.skipped = read.skipped)) {
        recon_log(ctx, RECON_LOG_WARN, "%s: %zu of %s cannot be used and %s skipped", spec,
                  read.skipped, RECON_COUNT(read.skipped + (*out)->store->n, "conformer"),
                  read.skipped == 1 ? "is" : "are");
    }
    return status;
}

/* --- as inputs of any kind -------------------------------------------------------------------- */

/* A batch is n recon_conformers, which point into the set. */

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
    return pick_conformers(ctx, (recon_molecules **)out, of(data), which, n);
}

static recon_status rotate(recon_ctx *ctx, recon_data **out, const recon_data *data,
                           const char *rule, uint64_t seed)
{
    return recon_molecules_rotate(ctx, (recon_molecules **)out, of(data), rule, seed);
}

static size_t origin(const recon_data *data, size_t i)
{
    return recon_molecules_row(of(data), i);
}

static const char *name_of(const recon_data *data, size_t i)
{
    return recon_molecules_name(of(data), (size_t)label(data, i));
}

static const char *skipped(const recon_data *data, size_t i)
{
    return recon_skips_at(&of(data)->store->skips, i);
}

/* Of elements, places, and which molecule it is of. */
static uint64_t hash(const recon_data *data, size_t i)
{
    recon_conformer x = recon_molecules_get(of(data), i);
    const recon_hash_key which = { { (uint64_t)x.molecule, x.atoms } };
    const uint64_t hashes[] = { recon_hash(which, x.z, x.atoms),
                                recon_hash(which, x.xyz, 3 * x.atoms * sizeof *x.xyz) };
    return recon_hash(which, hashes, sizeof hashes);
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
