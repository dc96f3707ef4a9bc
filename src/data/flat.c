/* flat.c - conformers in NPY files, conformer after conformer.
 *
 *   positions.npy      [atoms of all conformers][3]: floats in Angstrom, or integers in units of
 *                      meta.json's "scale"; or in pieces, positions-0.npy, positions-1.npy ...
 *   Z.npy              [atoms of all molecules]
 *   atom_offset.npy    [molecules + 1] where in Z a molecule begins
 *   conf_offset.npy    [molecules + 1] which is its first conformer
 *   energy.npy, rmsd.npy, split.npy (0 train, 1 val, 2 test)      [conformers]; may be missing
 *   meta.json          "smiles", "fisher_axis" (0, 1, 2), "rotors": lists by molecule; may be
 *                      missing */
#include "data/formats.h"
#include "core/npy.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/memory.h"
#include "data/elements.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 1100, PIECES = 64 };

typedef struct {
    const char *folder;
    size_t molecules, conformers, rows; /* rows: of positions */
    int64_t *atom, *conformer;          /* offsets, [molecules + 1] */
    uint8_t *z;
    float *xyz, *energy, *rmsd;
    int64_t *split;
    json_t *meta;
    double scale;              /* of integers; 0: not said */
    recon_array piece[PIECES]; /* of positions */
    int pieces;
} flat;

static const char *path_of(char out[PATH], const char *folder, const char *name)
{
    snprintf(out, PATH, "%s/%s", folder, name);
    return out;
}

static int is_there(const char *folder, const char *name)
{
    char path[PATH];
    return access(path_of(path, folder, name), F_OK) == 0;
}

int recon_flat_is(const char *folder)
{
    return is_there(folder, "conf_offset.npy");
}

/* --- arrays ----------------------------------------------------------------------------------- */

static recon_status read_array(recon_ctx *ctx, recon_array *out, const char *path, int columns)
{
    RECON_CHECK(recon_npy_read(ctx, out, path));
    if (out->ndim == (columns > 1 ? 2 : 1) && (columns == 1 || out->shape[1] == (size_t)columns))
        return RECON_OK;
    recon_array_free(out);
    return recon_fail(ctx, RECON_ERR_FORMAT, "%s: expected %s", path,
                      columns > 1 ? "n x 3 numbers" : "one dimension");
}

static recon_status read_integers(recon_ctx *ctx, int64_t **out, size_t *count, const flat *f,
                                  const char *name)
{
    char path[PATH];
    recon_array a = { 0 };
    recon_status status;
    RECON_TRY(read_array(ctx, &a, path_of(path, f->folder, name), 1));
    RECON_TRY(recon_alloc_raw(ctx, out, a.shape[0], sizeof **out));
    status = recon_array_to_i64(ctx, *out, &a);
    if (status != RECON_OK)
        RECON_TRY(
            recon_note(ctx, status == RECON_ERR_INPUT ? RECON_ERR_FORMAT : status, "%s", path));
    *count = a.shape[0];
done:
    recon_array_free(&a);
    return status;
}

/* One number a conformer, if the file is there. */
static recon_status read_floats(recon_ctx *ctx, float **out, const flat *f, const char *name)
{
    char path[PATH];
    recon_array a = { 0 };
    recon_status status = RECON_OK;
    if (!is_there(f->folder, name))
        return RECON_OK;
    RECON_TRY(read_array(ctx, &a, path_of(path, f->folder, name), 1));
    if (a.shape[0] != f->conformers)
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: %zu numbers for %zu conformers", path,
                             a.shape[0], f->conformers));
    RECON_TRY(recon_alloc_raw(ctx, out, a.shape[0], sizeof **out));
    RECON_TRY(recon_array_to_f32(ctx, *out, &a));
done:
    recon_array_free(&a);
    return status;
}

static recon_status read_offsets(recon_ctx *ctx, int64_t **out, size_t *count, const flat *f,
                                 const char *name)
{
    RECON_CHECK(read_integers(ctx, out, count, f, name));
    for (size_t i = 0; i < *count; i++)
        if (i ? (*out)[i] < (*out)[i - 1] : (*out)[0] != 0)
            return recon_fail(ctx, RECON_ERR_FORMAT,
                              "%s/%s: entry %zu is %lld: offsets begin at 0 "
                              "and do not fall",
                              f->folder, name, i, (long long)(*out)[i]);
    if (*count < 2)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s/%s: no molecules", f->folder, name);
    return RECON_OK;
}

static recon_status read_elements(recon_ctx *ctx, flat *f)
{
    int64_t *z = NULL;
    size_t n = 0;
    recon_status status;
    RECON_TRY(read_integers(ctx, &z, &n, f, "Z.npy"));
    if ((int64_t)n != f->atom[f->molecules])
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT,
                             "%s/Z.npy: %zu atoms, but atom_offset.npy ends at %lld", f->folder, n,
                             (long long)f->atom[f->molecules]));
    RECON_TRY(recon_alloc_raw(ctx, &f->z, n, 1));
    for (size_t i = 0; i < n; i++) {
        if (z[i] < 1 || z[i] > RECON_ELEMENTS)
            RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s/Z.npy: entry %zu is %lld: 1 to %d",
                                 f->folder, i, (long long)z[i], RECON_ELEMENTS));
        f->z[i] = (uint8_t)z[i];
    }
done:
    free(z);
    return status;
}

static recon_status read_split(recon_ctx *ctx, flat *f)
{
    size_t n = 0;
    if (!is_there(f->folder, "split.npy"))
        return RECON_OK;
    RECON_CHECK(read_integers(ctx, &f->split, &n, f, "split.npy"));
    if (n != f->conformers)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s/split.npy: %zu numbers for %zu conformers",
                          f->folder, n, f->conformers);
    for (size_t i = 0; i < n; i++)
        if (f->split[i] < 0 || f->split[i] > 2)
            return recon_fail(ctx, RECON_ERR_FORMAT, "%s/split.npy: entry %zu is %lld: 0 to 2",
                              f->folder, i, (long long)f->split[i]);
    return RECON_OK;
}

/* --- positions -------------------------------------------------------------------------------- */

/* Nothing is allocated before the files are seen to hold what the offsets promise. */
static recon_status read_positions(recon_ctx *ctx, flat *f)
{
    size_t rows = 0;
    /* positions.npy, or positions-0.npy and those that follow it. */
    char name[32] = "positions.npy", path[PATH];
    int whole = is_there(f->folder, name);
    do {
        recon_array *a = &f->piece[f->pieces];
        if (!whole)
            snprintf(name, sizeof name, "positions-%d.npy", f->pieces);
        RECON_CHECK(read_array(ctx, a, path_of(path, f->folder, name), 3));
        f->pieces++;
        if (!recon_dtype_is_float(a->dtype) && !(f->scale > 0))
            return recon_fail(ctx, RECON_ERR_FORMAT, "%s: %s, but meta.json has no \"scale\"", path,
                              recon_dtype_name(a->dtype));
        snprintf(name, sizeof name, "positions-%d.npy", f->pieces);
    } while (!whole && f->pieces < PIECES && is_there(f->folder, name));
    for (int i = 0; i < f->pieces; i++)
        rows += f->piece[i].shape[0];
    if (rows != f->rows)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: %zu positions, but the conformers have %zu atoms", f->folder, rows,
                          f->rows);
    RECON_CHECK(recon_alloc_raw(ctx, &f->xyz, rows, 3 * sizeof *f->xyz));
    float *to = f->xyz;
    for (int i = 0; i < f->pieces; i++) {
        RECON_CHECK(recon_array_to_f32(ctx, to, &f->piece[i]));
        const double scale = recon_dtype_is_float(f->piece[i].dtype) ? 1 : f->scale;
        for (size_t left = 3 * f->piece[i].shape[0]; left--; to++)
            *to = (float)(*to * scale);
    }
    return RECON_OK;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* A list of meta.json, of one entry a molecule; NULL where it has none. */
static recon_status list_of(recon_ctx *ctx, json_t **out, const flat *f, const char *key)
{
    *out = json_object_get(f->meta, key);
    if (*out && json_array_size(*out) != f->molecules)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s/meta.json: \"%s\" is not a list of %zu entries", f->folder, key,
                          f->molecules);
    return RECON_OK;
}

static recon_status read_rows(recon_ctx *ctx, flat *f)
{
    size_t n = 0, m = 0;
    RECON_CHECK(read_offsets(ctx, &f->atom, &n, f, "atom_offset.npy"));
    RECON_CHECK(read_offsets(ctx, &f->conformer, &m, f, "conf_offset.npy"));
    if (n != m)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: atom_offset.npy is of %zu entries, conf_offset.npy of %zu",
                          f->folder, n, m);
    f->molecules = n - 1;
    f->conformers = (size_t)f->conformer[f->molecules];
    for (size_t i = 0; i < f->molecules; i++) {
        size_t atoms = (size_t)(f->atom[i + 1] - f->atom[i]), rows;
        if (atoms == 0) /* then its conformers could be any number: positions hold none of them */
            return recon_fail(ctx, RECON_ERR_FORMAT, "%s: molecule %zu has no atoms", f->folder, i);
        if (__builtin_mul_overflow(atoms, (size_t)(f->conformer[i + 1] - f->conformer[i]), &rows) ||
            __builtin_add_overflow(f->rows, rows, &f->rows))
            return recon_fail(ctx, RECON_ERR_FORMAT, "%s: molecule %zu has too many atoms",
                              f->folder, i);
    }
    return RECON_OK;
}

static recon_status read_names(recon_ctx *ctx, recon_store *store, const flat *f)
{
    recon_formula_text formula;
    json_t *smiles;
    RECON_CHECK(list_of(ctx, &smiles, f, "smiles"));
    for (size_t m = 0; m < f->molecules; m++) {
        const char *name = json_string_value(json_array_get(smiles, m));
        if (!name)
            name = recon_formula(formula, f->z + f->atom[m], (size_t)(f->atom[m + 1] - f->atom[m]));
        RECON_CHECK(recon_store_name(ctx, store, name, strlen(name)));
    }
    return RECON_OK;
}

/* "fisher_axis" and "rotors", where the set has them. */
static recon_status read_facts(recon_ctx *ctx, recon_store *store, const flat *f)
{
    json_t *axis, *rotors;
    RECON_CHECK(list_of(ctx, &axis, f, "fisher_axis"));
    RECON_CHECK(list_of(ctx, &rotors, f, "rotors"));
    if (axis)
        RECON_CHECK(recon_alloc(ctx, &store->axis, f->molecules, sizeof *store->axis));
    if (rotors)
        RECON_CHECK(recon_alloc(ctx, &store->rotors, f->molecules, sizeof *store->rotors));
    for (size_t m = 0; m < f->molecules; m++) {
        json_int_t a = json_integer_value(json_array_get(axis, m));
        json_int_t r = json_integer_value(json_array_get(rotors, m));
        if (a < 0 || a > 2 || r < 0 || r > INT16_MAX)
            return recon_fail(ctx, RECON_ERR_FORMAT,
                              "%s/meta.json: molecule %zu has axis %lld (0 to 2), %lld rotors",
                              f->folder, m, (long long)a, (long long)r);
        if (axis)
            store->axis[m] = (int8_t)a;
        if (rotors)
            store->rotors[m] = (int16_t)r;
    }
    return RECON_OK;
}

static recon_status add_one(recon_ctx *ctx, recon_store *store, const flat *f, size_t m, size_t i,
                            size_t row)
{
    const recon_conformer c = { .atoms = (size_t)(f->atom[m + 1] - f->atom[m]),
                                .z = f->z + f->atom[m],
                                .xyz = f->xyz + 3 * row,
                                .molecule = (int32_t)m,
                                .energy = f->energy ? f->energy[i] : NAN,
                                .rmsd = f->rmsd ? f->rmsd[i] : NAN };
    const recon_place at = { f->folder, "conformer", i, 0 };
    RECON_CHECK(recon_conformer_check(ctx, &c, &at));
    return recon_store_add(ctx, store, &c);
}

static recon_status add_all(recon_ctx *ctx, recon_store *store, size_t *skipped, const flat *f,
                            int skip_bad)
{
    size_t row = 0;
    if (f->split) {
        RECON_CHECK(recon_alloc(ctx, &store->split, f->conformers, 1));
    }
    for (size_t m = 0; m < f->molecules; m++)
        for (size_t i = (size_t)f->conformer[m]; i < (size_t)f->conformer[m + 1]; i++) {
            recon_status status = add_one(ctx, store, f, m, i, row);
            row += (size_t)(f->atom[m + 1] - f->atom[m]);
            if (status == RECON_OK && f->split)
                store->split[store->n - 1] = (uint8_t)f->split[i];
            if (status == RECON_ERR_FORMAT && skip_bad)
                ++*skipped;
            else if (status != RECON_OK)
                return status;
        }
    return store->n ? RECON_OK
                    : recon_fail(ctx, RECON_ERR_FORMAT, "%s: no conformer can be used", f->folder);
}

recon_status recon_flat_read(recon_ctx *ctx, recon_store *store, size_t *skipped,
                             const char *folder, int skip_bad)
{
    flat f = { .folder = folder };
    recon_status status;
    *skipped = 0;
    char path[PATH];
    if (!recon_flat_is(f.folder))
        RECON_TRY(recon_fail(ctx, RECON_ERR_IO,
                             "%s: no set of conformers: there is no conf_offset.npy", f.folder));
    if (is_there(f.folder, "meta.json"))
        RECON_TRY(recon_json_read(ctx, &f.meta, path_of(path, f.folder, "meta.json")));
    f.scale = json_number_value(json_object_get(f.meta, "scale"));
    RECON_TRY(read_rows(ctx, &f));
    RECON_TRY(read_elements(ctx, &f));
    RECON_TRY(read_floats(ctx, &f.energy, &f, "energy.npy"));
    RECON_TRY(read_floats(ctx, &f.rmsd, &f, "rmsd.npy"));
    RECON_TRY(read_split(ctx, &f));
    RECON_TRY(read_positions(ctx, &f));
    RECON_TRY(read_names(ctx, store, &f));
    RECON_TRY(read_facts(ctx, store, &f));
    RECON_TRY(add_all(ctx, store, skipped, &f, skip_bad));
done:
    json_decref(f.meta);
    for (int i = 0; i < f.pieces; i++)
        recon_array_free(&f.piece[i]);
    void *const owned[] = { f.atom, f.conformer, f.z, f.xyz, f.energy, f.rmsd, f.split };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    return status;
}
