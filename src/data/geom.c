/* geom.c - GEOM's files, one molecule in memory at a time.
 *
 * There are two kinds of errors. If MessagePack itself is broken, the position in the file is lost
 * and reading ends. Unexpected content is skipped, recorded for the current conformer, and reported
 * after reading it. */
#include "data/geom.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/elements.h"
#include "data/molecule_store.h"
#include "data/msgpack.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#define HARTREE   627.5094740631    /* kcal/mol */
#define ATOMS_ALL ((size_t)1 << 24) /* of all conformers of a molecule: 300 times GEOM's most */
enum { NAME = 1024, KEY = 16, FAULT = 128 };

typedef struct {
    recon_ctx *ctx;
    recon_pack pack;
    int skip_bad;
    recon_geom_info info;
    recon_ensemble_visitor *visit;
    void *arg;
    int refused; /* by the visitor */

    char name[NAME];
    size_t number;   /* of the molecule in the file, from 1 */
    size_t seen;     /* conformers of it, good or bad */
    size_t atoms, n; /* of what is kept */
    uint8_t *z;      /* [atoms of the first kept; RECON_ATOMS_MAX] */
    float *xyz;
    double *energy;
    size_t room, rooms; /* for atoms in xyz, for conformers in energy */

    char fault[FAULT]; /* of the conformer at hand; "": none */
    size_t own_atoms;
    uint8_t *own_z; /* [RECON_ATOMS_MAX] */
    float *own_xyz; /* [RECON_ATOMS_MAX][3] */
    double own_energy;
} reader;

/* --- keys ------------------------------------------------------------------------------------- */

/* Whether an atom in brackets (its text, without them) could stand without: then what is in them
 * lacks hydrogens. */
static int is_radical(const char *text, size_t n)
{
    static const char *const organic[] = { "Cl", "Br", "B", "C", "N", "O", "P", "S",
                                           "F",  "I",  "b", "c", "n", "o", "p", "s" };
    size_t length = 0;
    for (size_t i = 0; !length && i < sizeof organic / sizeof *organic; i++)
        if (!strncmp(text, organic[i], strlen(organic[i])))
            length = strlen(organic[i]);
    if (!length || (length < n && islower((unsigned char)text[length]))) /* [Si], [Na] */
        return 0;
    for (size_t i = length; i < n; i++)
        if (strchr("@+-:", text[i]))
            return 0;
    int aromatic_hydrogen = (text[0] == 'n' || text[0] == 'p') && length < n && text[length] == 'H';
    return !aromatic_hydrogen;
}

/* Pieces of a molecule, and molecules that lack hydrogens. */
static int is_debris(const char *smiles)
{
    for (const char *at = smiles; (at = strchr(at, '[')); at++) {
        const char *end = strchr(at, ']');
        if (end && is_radical(at + 1, (size_t)(end - at - 1)))
            return 1;
    }
    return strchr(smiles, '.') != NULL;
}

/* --- one conformer ---------------------------------------------------------------------------- */

static void blame(reader *r, const char *fmt, ...) RECON_PRINTF(2, 3);
static void blame(reader *r, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (!r->fault[0]) /* the first is the cause */
        vsnprintf(r->fault, sizeof r->fault, fmt, args);
    va_end(args);
}

static int is_number(const recon_pack_item *item)
{
    return item->kind == RECON_PACK_INT || item->kind == RECON_PACK_FLOAT;
}

/* An item of a kind, other kinds being stepped over and blamed: *found says. */
static recon_status expect(reader *r, recon_pack_item *item, recon_pack_kind kind, const char *what,
                           int *found)
{
    recon_status status = recon_pack_next(r->ctx, &r->pack, item);
    *found =
        status == RECON_OK && (item->kind == kind || (kind == RECON_PACK_FLOAT && is_number(item)));
    if (status != RECON_OK || *found)
        return status;
    blame(r, "%s is not %s", what,
          kind == RECON_PACK_ARRAY ? "a list"
          : kind == RECON_PACK_MAP ? "a map"
                                   : "a number");
    return recon_pack_skip(r->ctx, &r->pack, item);
}

/* [Z, x, y, z] */
static recon_status read_atom(reader *r, size_t i)
{
    recon_pack_item row, item;
    double value[4] = { 0 };
    int found;
    RECON_CHECK(expect(r, &row, RECON_PACK_ARRAY, "an atom", &found));
    for (uint64_t k = 0; found && k < row.count; k++) {
        int good;
        RECON_CHECK(expect(r, &item, RECON_PACK_FLOAT, "a coordinate", &good));
        if (k < 4)
            value[k] = item.number;
    }
    if (found && row.count != 4)
        blame(r, "atom %zu has %llu numbers, not 4", i + 1, (unsigned long long)row.count);
    if (!(value[0] >= 1 && value[0] <= RECON_ELEMENTS && value[0] == floor(value[0])))
        blame(r, "atom %zu is of element %g: 1 to %d", i + 1, value[0], RECON_ELEMENTS);
    else
        r->own_z[i] = (uint8_t)value[0];
    for (size_t k = 0; k < 3; k++)
        r->own_xyz[3 * i + k] = (float)value[k + 1];
    return RECON_OK;
}

static recon_status read_places(reader *r)
{
    recon_pack_item item;
    int found;
    recon_status status = expect(r, &item, RECON_PACK_ARRAY, "xyz", &found);
    if (status != RECON_OK || !found)
        return status;
    if (item.count > RECON_ATOMS_MAX) {
        blame(r, "%llu atoms: %d at most", (unsigned long long)item.count, RECON_ATOMS_MAX);
        return recon_pack_skip(r->ctx, &r->pack, &item);
    }
    r->own_atoms = (size_t)item.count;
    for (size_t i = 0; status == RECON_OK && i < r->own_atoms; i++)
        status = read_atom(r, i);
    return status;
}

static recon_status read_energy(reader *r)
{
    recon_pack_item item;
    int found;
    recon_status status = expect(r, &item, RECON_PACK_FLOAT, "totalenergy", &found);
    if (found)
        r->own_energy = HARTREE * item.number;
    return status;
}

/* A key of a map, cut to what any known one needs. */
static recon_status read_key(reader *r, char key[KEY])
{
    recon_pack_item item;
    RECON_CHECK(recon_pack_next(r->ctx, &r->pack, &item));
    return recon_pack_text(r->ctx, &r->pack, &item, key, KEY);
}

static recon_status skip_value(reader *r)
{
    recon_pack_item item;
    RECON_CHECK(recon_pack_next(r->ctx, &r->pack, &item));
    return recon_pack_skip(r->ctx, &r->pack, &item);
}

static recon_status read_conformer(reader *r)
{
    recon_pack_item map;
    char key[KEY];
    int found;
    r->own_atoms = 0;
    r->own_energy = NAN;
    RECON_CHECK(expect(r, &map, RECON_PACK_MAP, "a conformer", &found));
    for (uint64_t i = 0; found && i < map.count; i += 2) {
        RECON_CHECK(read_key(r, key));
        if (!strcmp(key, "xyz"))
            RECON_CHECK(read_places(r));
        else if (!strcmp(key, "totalenergy"))
            RECON_CHECK(read_energy(r));
        else
            RECON_CHECK(skip_value(r));
    }
    return RECON_OK;
}

/* --- one molecule ----------------------------------------------------------------------------- */

static recon_status judge(reader *r)
{
    const recon_place at = { r->pack.name, "molecule", r->number, 0 };
    const recon_conformer c = { .atoms = r->own_atoms, .z = r->own_z, .xyz = r->own_xyz };
    if (!r->fault[0] && !isfinite(r->own_energy))
        blame(r, "no totalenergy, or %g", r->own_energy);
    if (!r->fault[0] && r->n && (r->own_atoms != r->atoms || memcmp(r->own_z, r->z, r->atoms)))
        blame(r, "other atoms than the conformers before it");
    if (!r->fault[0] && (r->n + 1) * r->own_atoms > ATOMS_ALL)
        blame(r, "%zu conformers of %zu atoms: too many", r->n + 1, r->own_atoms);
    if (r->fault[0])
        return recon_bad_place(r->ctx, &at, "%s", r->fault);
    return recon_conformer_check(r->ctx, &c, &at);
}

static recon_status keep_conformer(reader *r)
{
    size_t atoms = r->own_atoms, used = r->n * atoms;
    RECON_CHECK(recon_grow(r->ctx, &r->xyz, &r->room, used, used + atoms, 3 * sizeof *r->xyz));
    RECON_CHECK(recon_grow(r->ctx, &r->energy, &r->rooms, r->n, r->n + 1, sizeof *r->energy));
    memcpy(r->z, r->own_z, atoms);
    memcpy(r->xyz + 3 * used, r->own_xyz, 3 * atoms * sizeof *r->xyz);
    r->energy[r->n++] = r->own_energy;
    r->atoms = atoms;
    return RECON_OK;
}

/* What was read is kept, or counted, or an error. */
static recon_status settle(reader *r)
{
    recon_status status = judge(r);
    r->seen++;
    r->fault[0] = '\0';
    if (status == RECON_OK)
        return keep_conformer(r);
    if (!r->skip_bad)
        return recon_note(r->ctx, status, "conformer %zu of %s", r->seen, r->name);
    r->info.skipped++;
    return RECON_OK;
}

static recon_status read_conformers(reader *r)
{
    recon_pack_item list;
    int found;
    RECON_CHECK(expect(r, &list, RECON_PACK_ARRAY, "the list of conformers", &found));
    for (uint64_t i = 0; found && i < list.count; i++) {
        RECON_CHECK(read_conformer(r));
        RECON_CHECK(settle(r));
    }
    return RECON_OK;
}

static recon_status hand_on(reader *r)
{
    const recon_ensemble e = { r->name, r->atoms, r->n, r->z, r->xyz, r->energy };
    r->info.molecules++;
    r->info.conformers += r->n;
    recon_status status = r->visit(r->ctx, r->arg, &e);
    r->refused = status != RECON_OK;
    return status;
}

static recon_status read_record(reader *r)
{
    recon_pack_item map;
    char key[KEY];
    int found;
    r->n = r->seen = 0;
    RECON_CHECK(expect(r, &map, RECON_PACK_MAP, "the record", &found));
    for (uint64_t i = 0; found && i < map.count; i += 2) {
        RECON_CHECK(read_key(r, key));
        RECON_CHECK(!strcmp(key, "conformers") ? read_conformers(r) : skip_value(r));
    }
    if (r->fault[0])
        RECON_CHECK(settle(r));
    if (r->n)
        RECON_CHECK(hand_on(r));
    return RECON_OK;
}

/* --- the file --------------------------------------------------------------------------------- */

static recon_status read_molecule(reader *r)
{
    recon_pack_item key;
    RECON_CHECK(recon_pack_next(r->ctx, &r->pack, &key));
    RECON_CHECK(recon_pack_text(r->ctx, &r->pack, &key, r->name, NAME));
    r->number++;
    if (!is_debris(r->name))
        return read_record(r);
    r->info.dropped++;
    return skip_value(r);
}

static recon_status read_chunk(reader *r)
{
    recon_pack_item map;
    unsigned long long at = recon_pack_offset(&r->pack);
    RECON_CHECK(recon_pack_next(r->ctx, &r->pack, &map));
    if (map.kind != RECON_PACK_MAP)
        return recon_fail(r->ctx, RECON_ERR_FORMAT,
                          "%s: byte %llu: no map of molecules, as GEOM's "
                          "files are made of",
                          r->pack.name, at);
    for (uint64_t i = 0; i < map.count; i += 2)
        RECON_CHECK(read_molecule(r));
    return RECON_OK;
}

static recon_status read_chunks(reader *r)
{
    recon_status status;
    for (int more = 1;;) {
        RECON_TRY(recon_pack_more(r->ctx, &r->pack, &more));
        if (!more)
            break;
        RECON_TRY(read_chunk(r));
    }
    if (r->number == 0)
        status = recon_fail(r->ctx, RECON_ERR_FORMAT, "%s: no molecules", r->pack.name);
done:
    if (status == RECON_ERR_FORMAT && r->skip_bad && r->info.molecules && !r->refused) {
        r->info.skipped++;
        return RECON_OK;
    }
    return status;
}

static recon_status read_all(reader *r, recon_geom_info *info, const recon_geom_options *options)
{
    recon_status status;
    r->skip_bad = options && options->skip_bad;
    RECON_TRY(recon_alloc(r->ctx, &r->z, RECON_ATOMS_MAX, 1));
    RECON_TRY(recon_alloc(r->ctx, &r->own_z, RECON_ATOMS_MAX, 1));
    RECON_TRY(recon_alloc(r->ctx, &r->own_xyz, RECON_ATOMS_MAX, 3 * sizeof *r->own_xyz));
    RECON_TRY(read_chunks(r));
done:
    if (info)
        *info = r->info;
    void *const owned[] = { r->z, r->xyz, r->energy, r->own_z, r->own_xyz };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    recon_pack_close(&r->pack);
    return status;
}

recon_status recon_geom_read(recon_ctx *ctx, recon_geom_info *info, const char *path,
                             const recon_geom_options *options, recon_ensemble_visitor *visit,
                             void *arg)
{
    reader r = { .ctx = ctx, .visit = visit, .arg = arg };
    recon_status status = recon_pack_open(ctx, &r.pack, path);
    if (status == RECON_OK)
        return read_all(&r, info, options);
    if (info)
        *info = r.info;
    recon_pack_close(&r.pack);
    return status;
}

recon_status recon_geom_parse(recon_ctx *ctx, recon_geom_info *info, const void *bytes, size_t size,
                              const char *name, const recon_geom_options *options,
                              recon_ensemble_visitor *visit, void *arg)
{
    reader r = { .ctx = ctx, .visit = visit, .arg = arg };
    recon_pack_of_bytes(&r.pack, bytes, size, name);
    return read_all(&r, info, options);
}
