/* molecules.h - sets of conformers of molecules, opened by name.
 *
 *   conformers    the shipped set, with /train (the default), /val, /test or /all
 *   xyz:FILE      XYZ and extended XYZ, any number of frames. FILE may be a folder (its .xyz files,
 *                 by name), a pattern (`*.xyz`, quoted from the shell), or a list: a file not named
 *                 .xyz that does not start with a number and has one file name per line (relative
 *                 to the list's folder; # starts a comment)
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

/* Immutable: many threads may read one. A set made from another one shares memory with it; they may
 * be closed in any order. */
typedef struct recon_molecules recon_molecules;

typedef struct {
    size_t n;         /* conformers */
    size_t molecules; /* molecules of the whole set; a subset keeps their number and numbering */
    size_t atoms;     /* atoms of the largest conformer */
    size_t total;     /* atoms of all conformers */
    size_t skipped;   /* conformers that were left out, with skip_bad */
} recon_molecules_info;

/* A value, whose arrays belong to the set. */
typedef struct {
    size_t atoms;
    const uint8_t *z; /* [atoms] atomic numbers */
    const float *xyz; /* [atoms][3], Angstrom */
    int32_t molecule; /* 0 .. molecules-1 */
    float energy;     /* kcal/mol; NaN: not known */
    float rmsd;       /* to the reference conformer of the molecule; NaN: not known */
} recon_conformer;

/* Which conformers of a geom:FILE are used: those within a radius of the one with the lowest
 * energy, measured by the best RMSD over all atoms. They are rotated onto it. Zero in any field
 * means its default. */
typedef struct {
    size_t least;  /* molecules with fewer conformers left are skipped; 0: 64 */
    size_t most;   /* the most conformers per molecule, lowest energy first; 0: all */
    double radius; /* Angstrom; 0: 1.5; INFINITY: any distance */
    uint64_t seed; /* of the split */
    uint64_t reserved[RECON_RESERVED];
} recon_select_options;

/* Zero in any field means its default. */
typedef struct {
    int skip_bad; /* skip and count unusable frames; 0: the first one is an error that names it */
    recon_select_options select; /* for geom:FILE */
    uint64_t reserved[RECON_RESERVED];
} recon_molecules_options;

/* Opens the conformers that spec names; options may be NULL. */
RECON_API recon_status recon_molecules_open(recon_ctx *ctx, recon_molecules **out, const char *spec,
                                            const recon_molecules_options *options);
RECON_API void recon_molecules_close(recon_molecules *data);
RECON_API recon_molecules_info recon_molecules_describe(const recon_molecules *data);
/* Returns the same handle for functions that take inputs of any kind; lent. */
RECON_API const recon_data *recon_molecules_data(const recon_molecules *data);

/* Returns conformer i < n. */
RECON_API recon_conformer recon_molecules_get(const recon_molecules *data, size_t i);

/* Returns the SMILES, title or formula of a molecule; lent. */
RECON_API const char *recon_molecules_name(const recon_molecules *data, size_t molecule);

/* Makes a set of copies of n > 0 conformers. Molecules are numbered from 0 without gaps; names[m]
 * is the name of molecule m. Where names or a name is NULL, the formula is used. */
RECON_API recon_status recon_molecules_make(recon_ctx *ctx, recon_molecules **out,
                                            const recon_conformer *list, size_t n,
                                            const char *const *names);

/* Makes a subset: count conformers chosen by seed, in their order. */
RECON_API recon_status recon_molecules_take(recon_ctx *ctx, recon_molecules **out,
                                            const recon_molecules *data, size_t count,
                                            uint64_t seed);

/* Puts one conformer in every `of` (at least 2) into *held, chosen by seed within each molecule,
 * and the others into *rest. A molecule with c conformers has c / of of them held out, rounded to
 * nearest, but with c >= 2 at least 1 and at most c - 1, so that it is on both sides. A molecule
 * with a single conformer stays in *rest; if no molecule has more, that is an error. */
RECON_API recon_status recon_molecules_split(recon_ctx *ctx, recon_molecules **rest,
                                             recon_molecules **held, const recon_molecules *data,
                                             size_t of, uint64_t seed);

/* Returns the atomic number of a symbol of n characters, in upper or lower case (D and T are
 * hydrogen), or of a number in digits; 0 if there is no such element. */
RECON_API int recon_element_number(const char *symbol, size_t n);

/* --- rotations -------------------------------------------------------------------------------- */

/* Rotates each conformer about its centre (the mean of its atoms) by a rotation drawn from the
 * matrix Fisher distribution of its molecule. The rotation depends on the seed and on the row of
 * the conformer in the whole set, so subsets get the same rotations. Rotating a rotated set again
 * composes the rotations.
 *
 *   fisher    F = diag(100, 0.001, 0.001) or one of its permutations, one per molecule: chosen by
 *             the set if it has a choice, else drawn with the seed
 *   haar      F = 0, uniform
 *   none      nothing is rotated
 *
 * or a JSON file that gives F by its 3 diagonal entries or all 9, row-major, or a list of such F,
 * from which each molecule draws one. Molecules that are not listed use "default", or are not
 * rotated if there is none.
 *
 *   { "default": [[100, 0, 0], [0, 100, 0]], "molecules": { "CCO": [10, 10, 10] } } */
RECON_API recon_status recon_molecules_rotate(recon_ctx *ctx, recon_molecules **out,
                                              const recon_molecules *data, const char *rule,
                                              uint64_t seed);

#endif
