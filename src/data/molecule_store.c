/* molecule_store.c - conformers in a few long arrays; growth, checks and names. */
#include "data/molecule_store.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/elements.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COINCIDE 0.01f /* Angstrom: nearer than this is the same place */
#define FAR      1e6f  /* Angstrom: beyond it floats lose what matters */
enum { NAME_MAX_KEPT = 255 };

/* --- lifetimes -------------------------------------------------------------------------------- */

recon_status recon_store_new(recon_ctx *ctx, recon_store **out)
{
    RECON_CHECK(recon_alloc(ctx, out, 1, sizeof **out));
    atomic_init(&(*out)->users, 1);
    return RECON_OK;
}

recon_store *recon_store_share(recon_store *store)
{
    atomic_fetch_add(&store->users, 1);
    return store;
}

void recon_store_release(recon_store *s)
{
    if (!s || atomic_fetch_sub(&s->users, 1) != 1)
        return;
    void *const owned[] = { s->entry, s->z,      s->xyz,   s->text,     s->name,
                            s->axis,  s->rotors, s->split, s->rotation, s->fisher };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    recon_skips_free(&s->skips);
    free(s);
}

static recon_status make_room(recon_ctx *ctx, recon_store *s, size_t atoms)
{
    size_t need = s->atoms + atoms;
    RECON_CHECK(recon_grow(ctx, &s->entry, &s->room.entry, s->n, s->n + 1, sizeof *s->entry));
    RECON_CHECK(recon_grow(ctx, &s->z, &s->room.z, s->atoms, need, 1));
    return recon_grow(ctx, &s->xyz, &s->room.xyz, s->atoms, need, 3 * sizeof *s->xyz);
}

/* --- checks ----------------------------------------------------------------------------------- */

recon_status recon_bad_place(recon_ctx *ctx, const recon_place *at, const char *fmt, ...)
{
    char text[256], line[32] = "";
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (at->line)
        snprintf(line, sizeof line, ", line %zu", at->line);
    return recon_fail(ctx, at->path ? RECON_ERR_FORMAT : RECON_ERR_INPUT, "%s%s%s %zu%s: %s",
                      at->path ? at->path : "", at->path ? ": " : "", at->what, at->number, line,
                      text);
}

static inline float squared_distance(const float *a, const float *b)
{
    float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

/* No branch in the loop: it is run over every pair of every conformer. */
static int is_alone(const float *xyz, size_t i)
{
    float nearest = INFINITY;
    for (size_t j = 0; j < i; j++) {
        float d = squared_distance(xyz + 3 * j, xyz + 3 * i);
        nearest = d < nearest ? d : nearest;
    }
    return nearest >= COINCIDE * COINCIDE;
}

recon_status recon_conformer_check(recon_ctx *ctx, const recon_conformer *c, const recon_place *at)
{
    if (c->atoms < 2)
        return recon_bad_place(ctx, at, "%zu atom%s: a pose needs two at least", c->atoms,
                               c->atoms == 1 ? "" : "s");
    if (c->atoms > RECON_ATOMS_MAX)
        return recon_bad_place(ctx, at, "%zu atoms: %d at most", c->atoms, RECON_ATOMS_MAX);
    for (size_t i = 0; i < c->atoms; i++)
        if (c->z[i] < 1 || c->z[i] > RECON_ELEMENTS)
            return recon_bad_place(ctx, at, "atom %zu is of element %d: 1 to %d", i + 1, c->z[i],
                                   RECON_ELEMENTS);
    for (size_t i = 0; i < 3 * c->atoms; i++)
        if (!(fabsf(c->xyz[i]) <= FAR))
            return recon_bad_place(ctx, at, "%c of atom %zu is %g", "xyz"[i % 3], i / 3 + 1,
                                   (double)c->xyz[i]);
    for (size_t i = 1; i < c->atoms; i++) {
        if (is_alone(c->xyz, i))
            continue;
        size_t j = 0;
        while (squared_distance(c->xyz + 3 * j, c->xyz + 3 * i) >= COINCIDE * COINCIDE)
            j++;
        return recon_bad_place(ctx, at, "atoms %zu and %zu are in one place", j + 1, i + 1);
    }
    return RECON_OK;
}

/* --- filling ---------------------------------------------------------------------------------- */

/* Names are kept as they came, in whatever encoding, so that different ones stay different; but one
 * is a line of a file. */
static void keep_to_one_line(char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f)
            *name = '?';
}

recon_status recon_store_name(recon_ctx *ctx, recon_store *s, const char *name, size_t length)
{
    length = length < NAME_MAX_KEPT ? length : NAME_MAX_KEPT;
    RECON_CHECK(
        recon_grow(ctx, &s->name, &s->room.name, s->molecules, s->molecules + 1, sizeof *s->name));
    RECON_CHECK(
        recon_grow(ctx, &s->text, &s->room.text, s->characters, s->characters + length + 1, 1));
    s->name[s->molecules++] = s->characters;
    memcpy(s->text + s->characters, name, length);
    s->text[s->characters + length] = '\0';
    keep_to_one_line(s->text + s->characters);
    s->characters += length + 1;
    return RECON_OK;
}

recon_status recon_store_add(recon_ctx *ctx, recon_store *s, const recon_conformer *c)
{
    RECON_CHECK(recon_interrupted(ctx));
    RECON_CHECK(make_room(ctx, s, c->atoms));
    memcpy(s->z + s->atoms, c->z, c->atoms);
    memcpy(s->xyz + 3 * s->atoms, c->xyz, 3 * c->atoms * sizeof *c->xyz);
    s->entry[s->n++] = (recon_entry){ .first = s->atoms,
                                      .atoms = (uint32_t)c->atoms,
                                      .molecule = c->molecule,
                                      .energy = isfinite(c->energy) ? c->energy : NAN,
                                      .rmsd = isfinite(c->rmsd) ? c->rmsd : NAN };
    s->atoms += c->atoms;
    return RECON_OK;
}

/* --- molecules by name and elements ----------------------------------------------------------- */

static uint64_t hash_of(recon_hash_key key, const char *name, size_t length, const uint8_t *z,
                        size_t atoms)
{
    key.word[0] ^= recon_hash(key, name, length);
    return recon_hash(key, z, atoms);
}

/* The slot where a molecule is, or the free one where it belongs. */
static size_t find_slot(recon_ctx *ctx, recon_assembly *a, const char *name, size_t length,
                        const uint8_t *z, size_t atoms)
{
    const recon_store *s = a->store;
    size_t at = hash_of(ctx->hash_key, name, length, z, atoms) % a->slots;
    for (; a->slot[at]; at = (at + 1) % a->slots) {
        a->probes++;
        const recon_entry *e = &s->entry[a->slot[at] - 1];
        const char *other = s->text + s->name[e->molecule];
        if (e->atoms == atoms && strlen(other) == length && !memcmp(other, name, length) &&
            !memcmp(s->z + e->first, z, atoms))
            break;
    }
    return at;
}

/* At most half of the slots are taken. */
static recon_status rehash(recon_ctx *ctx, recon_assembly *a)
{
    const size_t *old = a->slot;
    size_t count = a->slots;
    recon_assembly b = *a;
    b.slots = count ? 4 * count : 64;
    RECON_CHECK(recon_alloc(ctx, &b.slot, b.slots, sizeof *b.slot));
    for (size_t i = 0; i < count; i++)
        if (old[i]) {
            const recon_entry *e = &a->store->entry[old[i] - 1];
            const char *name = a->store->text + a->store->name[e->molecule];
            size_t at = find_slot(ctx, &b, name, strlen(name), a->store->z + e->first, e->atoms);
            b.slot[at] = old[i];
        }
    free(a->slot);
    *a = b;
    return RECON_OK;
}

recon_status recon_assembly_add(recon_ctx *ctx, recon_assembly *to, const recon_conformer *c,
                                const char *name, size_t length, const recon_place *at)
{
    recon_store *s = to->store;
    recon_conformer named = *c;
    recon_formula_text formula;
    char kept[NAME_MAX_KEPT + 1];
    RECON_CHECK(recon_conformer_check(ctx, c, at));
    snprintf(kept, sizeof kept, "%.*s", (int)(length < NAME_MAX_KEPT ? length : NAME_MAX_KEPT),
             name);
    if (!kept[0])
        snprintf(kept, sizeof kept, "%s", recon_formula(formula, c->z, c->atoms));
    keep_to_one_line(kept);
    if (2 * (s->molecules + 1) > to->slots)
        RECON_CHECK(rehash(ctx, to));
    size_t slot = find_slot(ctx, to, kept, strlen(kept), c->z, c->atoms);
    int known = to->slot[slot] != 0;
    named.molecule = known ? s->entry[to->slot[slot] - 1].molecule : (int32_t)s->molecules;
    if (!known)
        RECON_CHECK(recon_store_name(ctx, s, kept, strlen(kept)));
    RECON_CHECK(recon_store_add(ctx, s, &named));
    if (!known)
        to->slot[slot] = s->n;
    return RECON_OK;
}

void recon_assembly_free(recon_assembly *assembly)
{
    free(assembly->slot);
    assembly->slot = NULL;
}

recon_status recon_assembly_skip(recon_ctx *ctx, recon_assembly *to, recon_status status)
{
    if (status != RECON_ERR_FORMAT || !to->skip_bad)
        return status;
    to->skipped++;
    if ((status = recon_interrupted(ctx)) != RECON_OK)
        return status;
    return recon_skips_add(ctx, &to->store->skips, recon_ctx_message(ctx));
}
