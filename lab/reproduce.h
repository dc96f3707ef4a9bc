/* reproduce.h - `recon reproduce`: one experiment of the paper, between the files that measure it,
 * show it and draw it. */
#ifndef LAB_REPRODUCE_H
#define LAB_REPRODUCE_H

#include "backbone/ieae.h"
#include "backbone/kinds.h"
#include "backbone/recipe.h"
#include "core/text.h"
#include "model/model.h"

#include <jansson.h>
#include <recon/recon.h>

#include "lab/evaluate.h"
#include <recon/model/model.h>
#include "lab/lab.h"
#include "lab/times.h"
#include "backbone/equivariance.h"

enum {
    CLASSES = 100,       /* at most */
    QUICK_TEST = 2000,   /* test images with --quick     */
    QUICK_TRAIN = 12000, /* training images with --quick */
    TRAIN_SEED = 1, /* of the rotations of training images: those the shipped models have seen */
    TEST_SEED = 2,  /* and of test images, for every table                                 */
    TAKE_SEED = 1,  /* of a part of either                                                 */
    KS = 5,
    K = 10,         /* neighbours of a class, as in the paper                    */
    WORST = 5000,   /* rows of the confusion matrix, if there are twelve times as many */
    CONTROL = 2000, /* images of a control */
    TRAINING = 640  /* of a line that says how a model was trained */
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

/* Another method on the same inputs, see baselines.h. */
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
    recon_k_point by_k[KS];
    size_t ks;
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

/* Upright images rotated by a rule, with two resamplings each: by any angle, and on to where the rule
 * has them. So no sharpness tells an image that the rule does not rotate. */
recon_status reproduce_resampled(recon_ctx *ctx, recon_dataset **out, const recon_dataset *upright,
                                 const recon_rotation_rule *rule, uint64_t seed);

/* The first n images, to be freed. */
recon_status reproduce_load(recon_ctx *ctx, float **out, const recon_dataset *data, size_t n);

/* A run of Algorithm 1: so many inputs, each with its k neighbours among so many. */
json_t *algorithm1_json(size_t inputs, size_t among, size_t k, double seconds);
/* What --json prints of a run, from what was measured with its models, an object by the names of
 * recon_trained: rows that say what they are. */
json_t *reproduce_json(const image_trial *trial, json_t *models);

/* The rows of the accuracy table: each names one method. `from` is where its number stands among
 * { bounds, plain, terms, density, main, baselines }: what the trial gives without a model, what the
 * model of each kind of backbone gives, main being that of the first kind that is there, and what
 * --baselines measures, if it was asked for. One line adds a row. */
typedef struct {
    const char *key, *label, *from;
} reproduce_method;
enum { METHODS_MOST = 32 };
extern const reproduce_method reproduce_methods[];
extern const size_t reproduce_methods_count;

/* Figures by themselves: two images of each class as they came and canonical in COLUMNS ways,
 * widths of the classes, and the curves of the three scores. */
enum { COLUMNS = 5, SCORES = 3, SHOWN_CLASSES = 10 };
recon_status reproduce_gallery(recon_ctx *ctx, char **svg, const reproduction *r, const char *title,
                               const char *const *headings /* [COLUMNS] */);
recon_status reproduce_theta(recon_ctx *ctx, char **svg, const reproduction *r, const char *title);
recon_status reproduce_roc(recon_ctx *ctx, char **svg, const reproduction *r, const char *title,
                           const char *const *names /* [SCORES] */);

/* Writes the figures into the folder dir; names to list, a JSON array. */
recon_status reproduce_figures(recon_ctx *ctx, json_t *list, const reproduction *r,
                               const char *dir);
/* Of which: one, as DIR/SET-NAME.svg. svg is freed. */
recon_status reproduce_keep(recon_ctx *ctx, json_t *list, const char *dir, const char *set,
                            const char *name, char *svg);

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

#endif
