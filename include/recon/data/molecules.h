/* molecules.h - conformers of molecules, by name.
 *
 *   conformers    the shipped set, with /train (the default), /val, /test or /all
 *   xyz:FILE      XYZ and extended XYZ, any number of frames. FILE may be a folder (its .xyz files,
 *                 by name), a pattern (`*.xyz`, quoted from the shell), or a list: a file not named
 *                 .xyz that does not start with a number, with one file name per line (relative to
 *                 the list's folder; # starts a comment)
 *   sdf:FILE      SDF and MOL, V2000 and V3000, any number of records
 *   geom:FILE     GEOM's MessagePack files, the conformers that recon_select_options selects; with
 *                 /train, /val, /test or /all after the file
 *   flat:DIR      NPY files, as in data/conformers; with /train, /val, /test or /all after the
 *                 folder if it has split.npy
 *
 * A conformer is a list of elements and positions; a molecule has several conformers. In text
 * files, frames with the same name and the same elements in the same order are conformers of one
 * molecule. An SDF record is named by its title, else by its formula. An XYZ frame is named by
 * name=, smiles= or title= in its comment, else by the whole comment, else by its file: if the
 * comment is blank, holds other keys of extended XYZ (Properties=, Lattice=, pbc=, energy=), or a
 * separate number. Such a number counts frames or gives an energy ("Step 12",
 * "i = 3, time = 1.5, E = -17.2", "frame_007", "-76.3") and is not a name: frames of one file with
 * the same elements are then one molecule. Atoms may be numbered ("C12"). Extended XYZ may have its
 * columns in any order; its energies are in eV.
 *
 * A conformer needs at least two atoms (one atom has no pose) and at most RECON_ATOMS_MAX, elements
 * 1 to 118, finite coordinates, and no two atoms at one position. */
#ifndef RECON_DATA_MOLECULES_H
#define RECON_DATA_MOLECULES_H

#include <stdint.h>
#include <recon/core/ctx.h>
#include <recon/data/data.h>
#include <recon/group/so3.h>

#define RECON_ATOMS_MAX 4096 /* of one conformer */

/* Immutable: many threads may read one. Sets that were made from another share what they can with
 * it and may be closed in any order. */
typedef struct recon_molecules recon_molecules;

typedef struct {
    size_t n;         /* conformers                                                          */
    size_t molecules; /* different ones; parts keep the numbers, and this, of the whole      */
    size_t atoms;     /* of the largest conformer                                            */
    size_t total;     /* atoms of all conformers                                             */
    size_t skipped;   /* conformers left out as bad                                          */
} recon_molecules_info;

/* A value; what it points to belongs to the set. */
typedef struct {
    size_t atoms;
    const uint8_t *z; /* [atoms] atomic numbers                        */
    const float *xyz; /* [atoms][3], Angstrom                          */
    int32_t molecule; /* 0 .. molecules-1                              */
    float energy;     /* kcal/mol; NaN: not known                      */
    float rmsd;       /* to the molecule's reference; NaN: not known   */
} recon_conformer;

/* Which conformers of a molecule of geom:FILE are used: those within a radius, by the best RMSD over
 * all atoms, of the one with the lowest energy, rotated onto it. Zero in any field means its
 * default. */
typedef struct {
    size_t least;  /* conformers that a molecule must keep; 0: 64       */
    size_t most;   /* kept of one molecule, lowest first; 0: all        */
    double radius; /* Angstrom; 0: 1.5; INFINITY: however far           */
    uint64_t seed; /* of the split                                      */
    uint64_t reserved[RECON_RESERVED];
} recon_select_options;

/* Zero in any field means its default. */
typedef struct {
    int skip_bad; /* leave out and count what cannot be used; 0: the first such frame is an error
                     that names it */
    recon_select_options select; /* of geom:FILE */
    uint64_t reserved[RECON_RESERVED];
} recon_molecules_options;

/* options may be NULL. */
RECON_API recon_status recon_molecules_open(recon_ctx *ctx, recon_molecules **out, const char *spec,
                                            const recon_molecules_options *options);
RECON_API void recon_molecules_close(recon_molecules *data);
RECON_API recon_molecules_info recon_molecules_describe(const recon_molecules *data);
/* The same handle, for what takes inputs of any kind; lent. */
RECON_API const recon_data *recon_molecules_data(const recon_molecules *data);

/* Conformer i < n. */
RECON_API recon_conformer recon_molecules_get(const recon_molecules *data, size_t i);

/* SMILES, title or formula of molecule < molecules; lent. */
RECON_API const char *recon_molecules_name(const recon_molecules *data, size_t molecule);

/* Copies of n > 0 conformers of one's own; molecules are numbered from 0 without gaps, names[m] is
 * molecule m's. names may be NULL, and so may any of them: then it is the formula. */
RECON_API recon_status recon_molecules_make(recon_ctx *ctx, recon_molecules **out,
                                            const recon_conformer *list, size_t n,
                                            const char *const *names);

/* count conformers, chosen by seed, in the order they had. */
RECON_API recon_status recon_molecules_take(recon_ctx *ctx, recon_molecules **out,
                                            const recon_molecules *data, size_t count,
                                            uint64_t seed);

/* One conformer of `of` (2 at least) in *held, chosen by seed within each molecule, the others in
 * *rest: a molecule of c conformers has c / of held out, rounded to nearest, but from 2 on at least
 * 1 and at most c - 1, so that it is on both sides. One of a single conformer stays in *rest; where
 * all are such, that is an error. */
RECON_API recon_status recon_molecules_split(recon_ctx *ctx, recon_molecules **rest,
                                             recon_molecules **held, const recon_molecules *data,
                                             size_t of, uint64_t seed);

/* Of a symbol of n characters, in any case, D and T being hydrogen, or of the number itself in
 * digits; 0 if there is no such element. */
RECON_API int recon_element_number(const char *symbol, size_t n);

/* --- rotations -------------------------------------------------------------------------------- */

/* Each conformer rotated about its centre (the mean of its atoms) by a rotation drawn from the
 * matrix Fisher distribution of its molecule. The rotation depends on the seed and on the
 * conformer's row in the whole set, so subsets get the same rotations. A set that was rotated
 * before is rotated further.
 *
 *   fisher    F = diag(100, 0.001, 0.001) or one of its permutations, by molecule: the set's own
 *             choice where it has one, else drawn by the seed
 *   haar      F = 0, uniform
 *   none      nothing is rotated
 *
 * or a JSON file: F as its 3 diagonal or all 9 entries, row-major, or a list of such, from which
 * each molecule draws one. Molecules not listed use "default"; without a default they are not
 * rotated.
 *
 *   { "default": [[100, 0, 0], [0, 100, 0]], "molecules": { "CCO": [10, 10, 10] } } */
RECON_API recon_status recon_molecules_rotate(recon_ctx *ctx, recon_molecules **out,
                                              const recon_molecules *data, const char *rule,
                                              uint64_t seed);

#endif
