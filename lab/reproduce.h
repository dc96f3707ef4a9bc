/* reproduce.h - the experiments of the paper, on images and on molecules: what the files share that measure
 * them, show them and draw them. */
#ifndef LAB_REPRODUCE_H
#define LAB_REPRODUCE_H

#include "backbone/molecule_net.h"
#include "backbone/gcn_graphs.h"
#include <recon/backbone/gcn.h>
#include "lab/evaluate.h"
#include "backbone/ieae.h"
#include "backbone/kinds.h"
#include "backbone/recipe.h"
#include "core/text.h"
#include "model/model.h"

#include <jansson.h>

#include "lab/lab.h"
#include "backbone/equivariance.h"

enum {
    CLASSES = 100,       /* at most */
    QUICK_TEST = 2000,   /* test images with --quick     */
    QUICK_TRAIN = 12000, /* training images with --quick */
    TRAIN_SEED = 1, /* of the rotations of training images: those the shipped models have seen */
    TEST_SEED = 2,  /* and of test images, for every table                                 */
    TAKE_SEED = 1,  /* of a part of either                                                 */
    KS = 5,
    K = 10,        /* neighbours of a class, as in the paper                    */
    WORST = 5000,  /* rows of the confusion matrix, if there are twelve times as many */
    CONTROL = 2000 /* images of a control */
};
#define GATE 0.01 /* canonicalize --only-if, of the rows that are gated */

struct experiment {
    const char *name, *title;      /* "mnist", "MNIST"                                      */
    const char *rule, *classifier; /* of the rotations; whose classifier: "mnist"           */
    const char *width;             /* what theta is: "half-width", "sigma"                  */
    recon_so2_family family;
    recon_mean_kind mean; /* of Algorithm 1: what was likelier on images held out */
    /* Of preset fast, a kind of backbone each: with the pose density, with our other terms alone, and
     * by reconstruction alone. */
    recon_ieae_options recipe, terms, plain;
    int64_t pair[2]; /* classes that are each other's rotation; equal: none */
    struct {
        double none, ieae, equiadapt, recon, upright; /* percent; all zero: not in the paper */
        double ood_ieae, ood_recon, overhead_ms;
        double escnn, partial_gcnn;
        size_t inputs; /* of Algorithm 1 */
        double seconds;
    } paper;
};

const experiment *experiment_find(const char *name); /* NULL: there is none */

/* Another method on the same inputs, see baselines.c. */
typedef enum {
    BASELINE_EQUIADAPT,
    BASELINE_ESCNN,
    BASELINE_PARTIAL,
    BASELINE_SEGNN,
    BASELINE_SGM,
    BASELINE_SGM_RECON,
    BASELINE_PCA,
    BASELINE_TTA8,
    BASELINE_TTA36,
    BASELINE_AUGMENTED,
    BASELINE_KABSCH,
    BASELINE_KNN,
    BASELINES
} baseline_id;
typedef struct {
    double accuracy;  /* a share; NaN: there is no figure */
    double ms;        /* an input, the classifier's pass included */
    size_t weights;   /* of networks beside the frozen classifier */
    double hit_rate;  /* of its own neighbours, 0: it has none */
    char reason[256]; /* why there is no figure */
    char training[TRAINING];
} baseline;

/* Images of a known set, or some of them. */
typedef struct {
    recon_dataset *whole, *some;
    const recon_dataset *use;
} image_part;

/* What all models of a run are measured on, and what needs no model. */
typedef struct {
    const lab_settings *settings;
    const experiment *what;
    experiment own; /* of images of one's own: what it points to */
    recon_classifier *classifier;
    char training[TRAINING];   /* of the classifier, as its file tells it */
    recon_rotation_rule *rule; /* large */
    image_part upright;
    size_t classes;
    const char *name[CLASSES];       /* what classes are called */
    char number[CLASSES][4];         /* where they are not called anything */
    double truth[CLASSES];           /* their true widths       */
    recon_dataset *rotated, *circle; /* by the rule, and by any angle */
    uint8_t *unusual;                /* [circle's n] by recon_reaches[0] */
    struct {
        double none, undo, upright; /* shares of the classifier */
    } accuracy;
    struct {
        uint8_t *none, *upright; /* [n] which it gets right */
    } right;
    double classifier_ms; /* an image */
    baseline baseline[BASELINES];
} image_trial;

/* A set of images and what the model says of each. */
typedef struct {
    const recon_dataset *data; /* lent */
    size_t n;
    recon_embedded codes; /* z, psi, labels      */
    recon_so2_map *map;   /* [n]                 */
    double *angle;        /* [n] the truth       */
    double *lambda, *absolute;
    double *by_head; /* [n] the absolute pose by the head on z; NULL: that is what absolute is */
} reading;

/* Codes of the training images, and who is next to whom. */
typedef struct {
    recon_dataset *own; /* NULL: lent      */
    const recon_dataset *data;
    recon_embedded own_index;
    const recon_embedded *index;
    double *angle;      /* [n] the truth */
    int64_t *neighbors; /* [n][K] */
    double seconds;     /* that Algorithm 1 took to find them and their frames */
    double *hits;       /* [n]    */
    int64_t *worst;     /* [worst_count] rows, lowest hits first */
    size_t worst_count;
} neighborhood;

/* One model on a trial. A share that the model cannot give is NaN. */
typedef struct {
    const image_trial *on;
    const char *path;
    recon_trained trained;
    recon_model *model;
    reading rotated, circle, upright;
    double *score[3]; /* [circle.n] of unusualness: ieae, recon, density */
    neighborhood hood;

    json_t *out; /* everything measured, degrees and percent, as --json prints it */
    struct {
        double ieae, recon, head, search; /* recon: by the model's Lambda */
    } accuracy;
    double knn,
        knn_ms; /* no classifier: labels of the neighbours; an image, its embedding included */
    recon_width width[CLASSES];
    double hit_rate; /* at K */
    json_t *verdicts;
    uint64_t confusion[CLASSES * CLASSES]; /* [classes][classes] */
    double pair_several;  /* share of the pair's rows with several natural poses         */
    double pair_peaks;    /* how far apart their two heaviest modes are: median, radians */
    double embed_seconds; /* an image */
    double begun;
} reproduction;

extern const size_t reproduce_ks[KS];

/* Opens data and classifier, which must fit each other. Free always. */
recon_status trial_open(recon_ctx *ctx, image_trial *out, const lab_settings *s);
/* Of that, of images that are there: rotates trial->upright.use and measures what needs no model. */
recon_status trial_prepare(recon_ctx *ctx, image_trial *trial);
void trial_free(recon_ctx *ctx, image_trial *trial);

/* Opens the model that lies at `path` and measures everything on the trial. Free always. */
recon_status reproduce_measure(recon_ctx *ctx, reproduction *out, const image_trial *trial,
                               const char *path);
void reproduce_free(recon_ctx *ctx, reproduction *r);

/* Of that: opens the model; measures what needs no other images than the trial's, from accuracies to
 * widths. */
recon_status reproduce_model(recon_ctx *ctx, reproduction *r, const image_trial *trial,
                             const char *path);
recon_status reproduce_tests(recon_ctx *ctx, reproduction *r);

/* The share of data that the trial's classifier gets right when image i is rotated back by poses[i];
 * poses may be NULL. right [n] takes which it gets right, or is NULL. */
recon_status reproduce_accuracy(recon_ctx *ctx, double *out, uint8_t *right,
                                const image_trial *trial, const recon_dataset *data,
                                const double *poses);

/* What a model says of images, which must outlive it. Free always. */
recon_status reproduce_read(recon_ctx *ctx, reading *out, const recon_dataset *data,
                            const recon_model *model);
void reading_free(reading *r);

/* How the backbone of a model file was trained; RECON_ERR_INPUT where the file does not say. line
 * [TRAINING] takes the file's own words, or is NULL. */
recon_status reproduce_trained(recon_ctx *ctx, recon_trained *out, char *line, const char *path);

/* count images of the set's training part, all for 0, rotated by its rule. */
recon_status reproduce_training(recon_ctx *ctx, recon_dataset **out, const lab_settings *s,
                                size_t count);

/* Upright images rotated by a rule. resample: with two resamplings each, by any angle and on to where the
 * rule has them, so that no sharpness tells an image that the rule does not rotate. */
recon_status reproduce_rotate(recon_ctx *ctx, recon_dataset **out, const recon_dataset *upright,
                              const recon_rotation_rule *rule, uint64_t seed, int resample);

/* The first n images, to be freed. */
recon_status reproduce_load(recon_ctx *ctx, float **out, const recon_dataset *data, size_t n);

/* What canonicalizing takes, and on what. */
void put_times(json_t **out, const recon_times *times);
/* A run of Algorithm 1: so many inputs, each with its k neighbours among so many. */
json_t *algorithm1_json(size_t inputs, size_t among, size_t k, double seconds);
/* What --json prints of a run, from what was measured with its models, an object by the names of
 * recon_trained: rows that say what they are. */
json_t *reproduce_json(const image_trial *trial, json_t *models);

/* The rows of the accuracy table: each names one method. `from` is where its number stands among
 * { bounds, paper_recipe, plain, terms, density, papers, main, baselines }: what the trial gives without a model,
 * what the model of each kind of backbone gives, main being that of the first kind that is there, papers that
 * of plain or else of paper_recipe, and what --baselines measures, if it was asked for. One line adds a row. */
typedef struct {
    const char *key, *label, *from;
} reproduce_method;
enum { METHODS_MOST = 32 };
extern const reproduce_method reproduce_methods[];
extern const size_t reproduce_methods_count;

/* Figures by themselves: two images of each class as they came and canonical in COLUMNS ways, and the
 * curves of the three scores. */
enum { COLUMNS = 5, SCORES = 3, SHOWN_CLASSES = 10 };
recon_status reproduce_gallery(recon_ctx *ctx, char **svg, const reproduction *r, const char *title,
                               const char *const *headings /* [COLUMNS] */);
recon_status reproduce_roc(recon_ctx *ctx, char **svg, const reproduction *r, const char *title,
                           const char *const *names /* [SCORES] */);

/* Writes the figures into the folder dir; names to list, a JSON array. */
recon_status reproduce_figures(recon_ctx *ctx, json_t *list, const reproduction *r,
                               const char *dir);
/* For each method of an object of accuracies, the share (method - none) / (bound - none): 0 is as bad as
 * doing nothing, 1 as good as the bound, "undo" (the true rotation undone) or "upright". It takes most
 * of the classifier out of a comparison. Entries that are no methods on rotated inputs (none,
 * undo, those of upright inputs, and spreads) are left out, and null stays null; an empty object where
 * nothing is known. */
json_t *recovered_json(const json_t *accuracy, const char *bound);

/* Keeps what --json prints as DIR/DATASET.json and writes DIR/report.html anew, of all such files and
 * of the figures beside them, in the paper's order: so runs of mnist, fashion, molecules and estimators into
 * one folder make one page. */
recon_status reproduce_page(recon_ctx *ctx, const char *dir, const json_t *result);

enum {
    MOLECULE_K = 25,          /* neighbours of a class, as in the paper                        */
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

/* What is known of a molecule, NaN for one that does not occur: means over its test conformers of the error
 * of F, the hit rate, the RMSD to the reference and the error of the reconstruction; how many conformers
 * the training part has of it. */
typedef enum {
    FACT_MSE,
    FACT_CONFORMERS,
    FACT_ROTORS,
    FACT_HITS,
    FACT_ATOMS,
    FACT_RMSD,
    FACT_REBUILT,
    FACTS
} molecule_fact;

typedef struct {
    const lab_settings *settings;
    recon_model *model;
    recon_gcn *gcn; /* NULL: none was named for other data, and there are no accuracies */
    int plain;      /* the backbone was trained by reconstruction alone, as the paper's is */
    int recipe;     /* and it has the paper's heads                                        */
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

    double *fact[FACTS]; /* each [molecules] */
    baseline baseline[BASELINES];
    json_t *out; /* everything measured, degrees and percent, as --json prints it */
    double begun;
} molecule_reproduction;

/* The whole set, as it is; and a part ("train", "val", "test") of it, rotated as in the paper. */
recon_status molecule_reproduce_open(recon_ctx *ctx, recon_molecules **out, const lab_settings *s);
recon_status molecule_reproduce_rotated(recon_ctx *ctx, recon_molecules **out,
                                        const recon_molecules *whole, const lab_settings *s,
                                        const char *part);

/* Opens model, classifier and data, measures everything. Free always. */
recon_status molecule_reproduce_measure(recon_ctx *ctx, molecule_reproduction *out,
                                        const lab_settings *s);
void molecule_reproduce_free(recon_ctx *ctx, molecule_reproduction *r);

recon_status molecule_reproduce_figures(recon_ctx *ctx, json_t *list,
                                        const molecule_reproduction *r, const char *dir);

typedef struct {
    const char *key, *label;
    const char
        *retraining; /* "none"; "canonicalizer", before the frozen classifier; "classifier" */
    int labels;      /* it needs labels beside those of the frozen classifier */
    double passes;   /* of a network, an input; the frozen classifier's too   */
} baseline_kind;
extern const baseline_kind baseline_kinds[BASELINES];

/* One that has no figure, and why. */
void baseline_refuse(baseline *out, const char *fmt, ...) RECON_PRINTF(2, 3);

/* All that need no model of ours, on the trial's rotated images. `knn` is left out: it needs codes. */
recon_status baselines_measure_images(recon_ctx *ctx, baseline out[BASELINES],
                                      const image_trial *trial);
/* All of them on the test conformers. */
recon_status baselines_measure_molecules(recon_ctx *ctx, baseline out[BASELINES],
                                         const molecule_reproduction *r);
/* The labels of neighbours in z: the one that most of the k have, of several the one that comes first.
 * neighbors [n][k] are rows of among. */
recon_status baseline_by_neighbours(recon_ctx *ctx, double *share, const int64_t *neighbors,
                                    size_t n, size_t k, const int64_t *among,
                                    const int64_t *labels /* [n] */, size_t classes);

/* The angle of an image's long axis, that end first towards which its third moment is positive: it
 * rotates with the image. 0 for one that has no axis. */
double baseline_axis(const float *image, size_t height, size_t width, size_t channels);

/* Accuracies in percent by key, null for those without a figure; and what each needs and takes. */
json_t *baselines_accuracy(const baseline of[BASELINES]);
json_t *baselines_json(const baseline of[BASELINES]);
/* The second as a table; nothing where the result has none. */
void baselines_show(const json_t *result);

#endif
