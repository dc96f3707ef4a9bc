/* reproduce_molecules.h - `recon reproduce molecules`, between the files that measure it, show it and
 * draw it: what reproduce.h is to images. */
#ifndef LAB_REPRODUCE_MOLECULES_H
#define LAB_REPRODUCE_MOLECULES_H

#include "lab/evaluate_molecules.h"
#include "lab/reproduce.h"

#include <recon/backbone/gcn.h>
#include <recon/model/model.h>
#include "backbone/gcn_graphs.h"
#include "backbone/molecule_net.h"

enum {
    MOLECULE_K = 25,          /* neighbours of a class, as in the paper                        */
    MOLECULE_KS = 5,          /* values of k that are tried                                    */
    MOLECULE_GAUGES = 16,     /* draws of the spin that the poses leave free                   */
    MOLECULE_SPIN_K = 15,     /* neighbours that choose a spin                                 */
    MOLECULE_SPIN_UNSEEN = 8, /* the same where there are only those of val, about ten a class */
    MOLECULE_SPIN_WHOLE = 512 /* test conformers, at most, that are searched over all of SO(3) */
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
    double embed_seconds; /* a conformer */
} molecule_part;

/* How F is found, each measured against the truth. */
typedef enum {
    MOLECULE_F_DENSITY,   /* Theta: the density head, by likelihood        */
    MOLECULE_F_LABEL,     /* the paper's: a head that learns k-NN fits     */
    MOLECULE_F_NEIGHBORS, /* Algorithm 1, robust                           */
    MOLECULE_F_MOMENT,    /* Algorithm 1, the paper's moment matching      */
    MOLECULE_FS
} molecule_f_kind;

typedef struct {
    const lab_settings *settings;
    recon_model *model;
    recon_gcn *gcn; /* NULL: none was named for other data, and there are no accuracies */
    int plain;      /* the backbone was trained by reconstruction alone, as the paper's is */
    int labels;     /* its heads learned the paper's labels: files before 0.3 have others  */
    char training[TRAINING];  /* of the backbone */
    recon_molecules *whole;   /* the set, as it is */
    recon_molecules *upright; /* the test part, never rotated */
    molecule_part train, val, test;
    size_t molecules;
    double *truth;          /* [molecules][9] F */
    recon_frames frames;    /* of the test part among the training part */
    double frames_seconds;  /* a conformer */
    recon_so3_map *map;     /* [test.n] */
    recon_so3 *mode;        /* [test.n] Gamma of the neighbours: the mode of their moments */
    double *f[MOLECULE_FS]; /* [test.n][9] */
    double *hits;           /* [test.n] share of neighbours that are the same molecule */
    recon_so3 *extra;       /* [test.n] what makes half of the poses unusual ones          */
    uint8_t *unusual;       /* [test.n] */
    double *score[3];       /* [test.n] of unusualness: ieae, recon, density               */
    recon_molecule_net_error *rebuilt;
    recon_molecule_fisher *of; /* [molecules] errors of MOLECULE_F_DENSITY */

    struct {
        double none, ieae, recon, neighbours, density, spin, unseen, whole, undo;
        double upright, upright_recon, upright_gated;
        double drawn_mean, drawn_spread; /* of density, the free spin drawn anew */
    } accuracy;
    baseline baseline[BASELINES];
    recon_molecule_fisher_error fisher[MOLECULE_FS];
    recon_molecule_pose_error pose;
    recon_ood_auc ood;
    double ood_trace; /* the paper's score with Lambda and Theta of the density */
    double hit_rate;
    recon_molecule_k_point by_k[MOLECULE_KS];
    recon_trend hit_trend, size_trend, rotor_trend, spread_trend, rebuilt_trend;
    size_t free[4];  /* test conformers by directions that are free */
    double passes;   /* of the classifier, a query, to choose a spin */
    size_t searched; /* test conformers that were searched over all of SO(3) */
    recon_times times;
    double begun, seconds;
} molecule_reproduction;

extern const size_t molecule_reproduce_ks[MOLECULE_KS];

/* Per molecule, NaN for one that does not occur: conformers of the training part, atoms, rotors,
 * mean RMSD to the reference, and error of the reconstruction. Each [molecules]; free them. */
typedef struct {
    double *mse, *hits, *conformers, *atoms, *rotors, *rmsd, *rebuilt;
} molecule_facts;
recon_status molecule_facts_find(recon_ctx *ctx, molecule_facts *out,
                                 const molecule_reproduction *r);
void molecule_facts_free(molecule_facts *facts);

/* The whole set, as it is; and a part ("train", "val", "test") of it, rotated as in the paper. */
recon_status molecule_reproduce_open(recon_ctx *ctx, recon_molecules **out, const lab_settings *s);
recon_status molecule_reproduce_rotated(recon_ctx *ctx, recon_molecules **out,
                                        const recon_molecules *whole, const lab_settings *s,
                                        const char *part);

/* Of what is measured: what the classifier says. */
recon_status molecule_reproduce_accuracy(recon_ctx *ctx, molecule_reproduction *r);

/* Opens model, classifier and data, measures everything. Free always. */
recon_status molecule_reproduce_measure(recon_ctx *ctx, molecule_reproduction *out,
                                        const lab_settings *s);
void molecule_reproduce_free(recon_ctx *ctx, molecule_reproduction *r);

json_t *molecule_reproduce_json(const molecule_reproduction *r);
recon_status molecule_reproduce_figures(recon_ctx *ctx, json_t *list,
                                        const molecule_reproduction *r, const json_t *result,
                                        const char *dir);

#endif
