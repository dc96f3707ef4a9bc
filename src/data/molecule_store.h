/* molecule_store.h - what sets of molecules are made of, and how readers hand over what they read.
 *
 * A store only grows while a reader fills it; then it is shared by all sets made from it and never
 * changes again. */
#ifndef DATA_MOLECULE_STORE_H
#define DATA_MOLECULE_STORE_H

#include <stdatomic.h>
#include <recon/data/molecules.h>
#include "data/skips.h"

typedef struct {
    size_t first; /* atom */
    uint32_t atoms;
    int32_t molecule;
    float energy, rmsd;
} recon_entry;

typedef struct {
    recon_entry *entry;  /* [n] */
    uint8_t *z;          /* [atoms]    */
    float *xyz;          /* [atoms][3] */
    char *text;          /* the names, one after the other, each with its zero */
    size_t *name;        /* [molecules] where in text */
    int8_t *axis;        /* [molecules] which of the three distributions the set chose; or NULL */
    int16_t *rotors;     /* [molecules]; or NULL */
    uint8_t *split;      /* [n] 0 train, 1 val, 2 test; or NULL */
    recon_so3 *rotation; /* [n] the truth; or NULL */
    double (*fisher)[9]; /* [molecules]; NaN first: none; or NULL */
    recon_skips skips;   /* what a reader left out, and why */
    size_t n, atoms, molecules, characters;
    struct {
        size_t entry, z, xyz, name, text;
    } room; /* for as many of them */
    atomic_int users;
} recon_store;

/* One user: the caller. release when done; the last one frees. */
recon_status recon_store_new(recon_ctx *ctx, recon_store **out);
recon_store *recon_store_share(recon_store *store);
void recon_store_release(recon_store *store);

/* Where in a file something is, for messages: "PATH: frame 3, line 17: ...". path NULL: a caller's
 * own data; line 0: no lines there. */
typedef struct {
    const char *path, *what;
    size_t number, line;
} recon_place;

/* RECON_ERR_FORMAT for a file, RECON_ERR_INPUT for data of the caller's. */
recon_status recon_bad_place(recon_ctx *ctx, const recon_place *at, const char *fmt, ...)
    RECON_PRINTF(3, 4);

/* Whether a conformer can be used at all, as molecules.h says. */
recon_status recon_conformer_check(recon_ctx *ctx, const recon_conformer *c, const recon_place *at);

/* A new molecule, and a conformer of molecule c->molecule, both checked before. */
recon_status recon_store_name(recon_ctx *ctx, recon_store *store, const char *name, size_t length);
recon_status recon_store_add(recon_ctx *ctx, recon_store *store, const recon_conformer *c);

/* --- for readers of files that say molecules by name ------------------------------------------ */

typedef struct {
    recon_store *store; /* theirs who made this */
    int skip_bad;
    size_t skipped;
    size_t *slot; /* entry + 1 of the first conformer of a molecule, by name and elements; 0 free */
    size_t slots, probes; /* how many there are, and how many taken ones were looked at so far */
    int types;            /* whether atoms seem to be said by their type, not by their element */
} recon_assembly;

/* Checks a conformer and adds it to the molecule of this name (n characters; 0: its formula) and
 * these elements; c->molecule is not read. */
recon_status recon_assembly_add(recon_ctx *ctx, recon_assembly *to, const recon_conformer *c,
                                const char *name, size_t length, const recon_place *at);
void recon_assembly_free(recon_assembly *assembly);

/* What becomes of a frame that failed: with skip_bad a bad one is counted, its message kept, and
 * RECON_OK. */
recon_status recon_assembly_skip(recon_ctx *ctx, recon_assembly *to, recon_status status);

/* --- a set of conformers: some entries of a store */

struct recon_molecules {
    recon_data data; /* first: a pointer to the one is a pointer to the other */
    recon_molecules_info info;
    recon_store *store;
    size_t *rows; /* of a part: its entries; NULL: all */
};

/* Where conformer i of a part stands among all. */
static inline size_t recon_molecules_row(const recon_molecules *data, size_t i)
{
    return data->rows ? data->rows[i] : i;
}

/* All of a store, which becomes the set's own, also when this fails. */
recon_status recon_molecules_of(recon_ctx *ctx, recon_molecules **out, recon_store *store);

#endif
