/* geom.h - GEOM's MessagePack files, qm9_crude.msgpack and drugs_crude.msgpack.
 *
 * A row of maps { SMILES: { "conformers": [ { "xyz": [[Z, x, y, z] ...], "totalenergy": Hartree,
 * ... } ... ], ... } }, of a thousand molecules each. Read as a stream: in memory are the
 * conformers of one molecule, whatever the file says of its lengths. Keys come in any order; those
 * not named here are stepped over.
 *
 * Two kinds of molecules are dropped by their key, for they are what is left of reactions: several
 * pieces ('.'), and radicals. A radical is an atom of the organic subset in brackets that has no
 * charge, isotope, chirality or hydrogen on an aromatic atom to be there for: [CH], [O]. */
#ifndef DATA_GEOM_H
#define DATA_GEOM_H

#include <stdint.h>
#include <recon/core/ctx.h>

/* All conformers of one molecule at once: what readers of large files hand on. */
/* A value, whose arrays are lent to the visitor until it returns. */
typedef struct {
    const char *name;     /* SMILES, mostly */
    size_t atoms, n;      /* n conformers of so many atoms */
    const uint8_t *z;     /* [atoms] */
    const float *xyz;     /* [n][atoms][3], Angstrom */
    const double *energy; /* [n], kcal/mol */
} recon_ensemble;

/* Called for each molecule. A return value other than RECON_OK ends the reading. */
typedef recon_status recon_ensemble_visitor(recon_ctx *ctx, void *arg,
                                            const recon_ensemble *molecule);

typedef struct {
    int skip_bad; /* leave out and count conformers that cannot be used, and the end of a file that
                     is cut short or broken; 0: the first of these is an error that names it */
} recon_geom_options;

typedef struct {
    size_t molecules;  /* handed to the visitor */
    size_t conformers; /* of these */
    size_t dropped;    /* molecules, by their key */
    size_t skipped;    /* conformers that cannot be used, and broken ends */
} recon_geom_info;

/* Calls visit for every molecule with a conformer. options and info may be NULL. A file whose first
 * molecule cannot be reached is RECON_ERR_FORMAT, also with skip_bad. */
recon_status recon_geom_read(recon_ctx *ctx, recon_geom_info *info, const char *path,
                             const recon_geom_options *options, recon_ensemble_visitor *visit,
                             void *arg);
/* The same of size bytes in memory; name is for messages. */
recon_status recon_geom_parse(recon_ctx *ctx, recon_geom_info *info, const void *bytes, size_t size,
                              const char *name, const recon_geom_options *options,
                              recon_ensemble_visitor *visit, void *arg);

#endif
