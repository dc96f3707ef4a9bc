/* molecule_store.h - the storage of sets of molecules, and how readers fill it.
 *
 * * A store only grows while a reader fills it; then it is immutable and shared by all its sets. */
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
    uint8_t *z;          /* [atoms] */
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

/* Makes a store with one user, the caller. Each user releases it; the last one frees it. */
recon_status recon_store_new(recon_ctx *ctx, recon_store **out);
recon_store *recon_store_share(recon_store *store);
void recon_store_release(recon_store *store);

/* A position in a file, for messages: "PATH: frame 3, line 17: ...". path NULL: data of the caller;
 * line 0: the file has no lines. */
typedef struct {
    const char *path, *what;
    size_t number, line;
} recon_place;

/* Fails with RECON_ERR_FORMAT for a file, or RECON_ERR_INPUT for data of the caller. */
recon_status recon_bad_place(recon_ctx *ctx, const recon_place *at, const char *fmt, ...)
    RECON_PRINTF(3, 4);

/* Checks the conditions on conformers in molecules.h. */
recon_status recon_conformer_check(recon_ctx *ctx, const recon_conformer *c, const recon_place *at);

/* Add a new molecule, and a conformer of molecule c->molecule; both must be checked before. */
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

/* Handles a frame that failed: with skip_bad a bad one is counted, and its message kept. */
recon_status recon_assembly_skip(recon_ctx *ctx, recon_assembly *to, recon_status status);

/* --- a set of conformers: some entries of a store */

struct recon_molecules {
    recon_data data; /* first: a pointer to the one is a pointer to the other */
    recon_molecules_info info;
    recon_store *store;
    size_t *rows; /* of a part: its entries; NULL: all */
};

/* Returns the row of conformer i of a part in the whole set. */
static inline size_t recon_molecules_row(const recon_molecules *data, size_t i)
{
    return data->rows ? data->rows[i] : i;
}

/* Makes a set of all conformers of a store, which it takes over, also on failure. */
recon_status recon_molecules_of(recon_ctx *ctx, recon_molecules **out, recon_store *store);

#endif
