/* reproduce_mol.h - `recon reproduce molecules`, between the files that measure it, show it and
 * draw it: what reproduce.h is to images. */
#ifndef EXPERIMENTS_REPRODUCE_MOLECULES_H
#define EXPERIMENTS_REPRODUCE_MOLECULES_H

#include "experiments/evaluate_molecules.h"
#include "experiments/reproduce.h"

#include <recon/backbone/gcn.h>
#include <recon/model/model.h>

enum {
    MOL_K = 25,         /* neighbours of a class, as in the paper                        */
    MOL_KS = 5,         /* values of k that are tried                                    */
    MOL_GAUGES = 16,    /* draws of the spin that the poses leave free                   */
    MOL_SPIN_K = 15,    /* neighbours that choose a spin                                 */
    MOL_SPIN_UNSEEN = 8 /* the same where there are only those of val, about ten a class */
};

/* A part of the set: rotated conformers, the truth about them, and what the backbone says. */
typedef struct {
    recon_molecules *data;
    recon_gcn_graphs *graphs;
    size_t n;
    int64_t *row;       /* [n] conformers of data that are looked at */
    recon_conformer *x; /* [n] */
    recon_so3 *truth;   /* [n] */
    recon_embedded codes;
} mol_part;

/* How F is found, each measured against the truth. */
typedef enum {
    MOL_F_DENSITY,   /* Theta: the density head, by likelihood        */
    MOL_F_LABEL,     /* the paper's: a head that learns k-NN fits     */
    MOL_F_NEIGHBORS, /* Algorithm 1, robust                           */
    MOL_F_MOMENT,    /* Algorithm 1, the paper's moment matching      */
    MOL_FS
} mol_f_kind;

typedef struct {
    const reproduce_settings *settings;
    recon_model *model;
    recon_gcn *gcn;
    recon_molecules *upright; /* the test part, never rotated */
    mol_part train, val, test;
    size_t molecules;
    double *truth;       /* [molecules][9] F */
    recon_frames frames; /* of the test part among the training part */
    recon_so3_map *map;  /* [test.n] */
    double *f[MOL_FS];   /* [test.n][9] */
    double *hits;        /* [test.n] share of neighbours that are the same molecule */
    recon_so3 *extra;    /* [test.n] what makes half of the poses unusual ones          */
    uint8_t *unusual;    /* [test.n] */
    double *score[3];    /* [test.n] of unusualness: ieae, recon, density               */
    recon_molnet_error *rebuilt;
    recon_mol_fisher *of; /* [molecules] errors of MOL_F_DENSITY */

    struct {
        double none, ieae, recon, spin, unseen, undo, upright;
        double gauge_mean, gauge_spread; /* of recon, the free spin drawn anew */
    } accuracy;
    recon_mol_fisher_error fisher[MOL_FS];
    recon_mol_pose_error pose;
    recon_ood_auc ood;
    double ood_label; /* recon's score with both maps learned as the paper does */
    double hit_rate;
    recon_mol_k_point by_k[MOL_KS];
    recon_trend hit_trend, size_trend, rotor_trend, spread_trend, rebuilt_trend;
    size_t free[4]; /* test conformers by directions that are free */
    double passes;  /* of the classifier, a query, to choose a spin */
    recon_times times;
    double begun, seconds;
} mol_reproduction;

extern const size_t mol_reproduce_ks[MOL_KS];

/* Per molecule, NaN for one that does not occur: conformers of the training part, atoms, rotors,
 * mean RMSD to the reference, and error of the reconstruction. Each [molecules]; free them. */
typedef struct {
    double *mse, *hits, *conformers, *atoms, *rotors, *rmsd, *rebuilt;
} mol_facts;
recon_status mol_facts_find(recon_ctx *ctx, mol_facts *out, const mol_reproduction *r);
void mol_facts_free(mol_facts *facts);

/* A part of the shipped set, rotated as in the paper. */
recon_status mol_reproduce_rotated(recon_ctx *ctx, recon_molecules **out, const char *spec,
                                   uint64_t seed);

/* Opens model, classifier and data, measures everything. Free always. */
recon_status mol_reproduce_measure(recon_ctx *ctx, mol_reproduction *out,
                                   const reproduce_settings *s);
void mol_reproduce_free(recon_ctx *ctx, mol_reproduction *r);

json_t *mol_reproduce_json(const mol_reproduction *r);
void mol_reproduce_print(const json_t *result, const json_t *spread);
recon_status mol_reproduce_figures(recon_ctx *ctx, json_t *list, const mol_reproduction *r,
                                   const char *dir);

#endif
