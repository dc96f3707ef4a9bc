/* reproduce.h - `recon reproduce`: one experiment of the paper, between the files that measure it,
 * show it and draw it. */
#ifndef EXPERIMENTS_REPRODUCE_H
#define EXPERIMENTS_REPRODUCE_H

#include "backbone/kinds.h"
#include "core/degrees.h"
#include "model/model.h"

#include <jansson.h>
#include <recon/recon.h>

#include "experiments/evaluate.h"
#include <recon/model/model.h>
#include "experiments/times.h"
#include "backbone/equivariance.h"

enum {
    CLASSES = 10,
    MAX_SEEDS = 64,
    QUICK_TEST = 2000,   /* test images with --quick     */
    QUICK_TRAIN = 12000, /* training images with --quick */
    TRAIN_SEED = 1, /* of the rotations of training images: those the shipped models have seen */
    TEST_SEED = 2,  /* and of test images, for every table                                 */
    TAKE_SEED = 1,  /* of a part of either                                                 */
    KS = 5,
    K = 10,      /* neighbours of a class, as in the paper                    */
    WORST = 5000 /* rows of the confusion matrix, if there are twelve times as many */
};

typedef struct {
    const char *name, *title; /* "mnist", "MNIST"; the rule of the rotations has the same name */
    const char *width;        /* what theta is: "half-width", "sigma"                      */
    recon_so2_family family;
    recon_ieae_options recipe; /* of the shipped model of preset fast */
    int64_t pair[2];           /* classes that are each other's rotation; equal: none */
    struct {
        double none, ieae, equiadapt, recon, upright; /* percent */
        double ood_ieae, ood_recon, overhead_ms;
    } paper;
} experiment;

const experiment *experiment_find(const char *name); /* NULL: there is none */

/* What was asked for. Zero in any field means its default. */
typedef struct {
    const experiment *what;         /* NULL: molecules                 */
    const char *data;               /* molecules: SPEC of a set with parts; NULL: the shipped one */
    const char *model, *classifier; /* NULL: the shipped ones; with data none */
    const char *embeddings;         /* folder with z.npy and g.npy     */
    const char *figures, *out;      /* folders                         */
    size_t images, limit;           /* of the test and training images */
    size_t seed, seeds, epochs;     /* of training                     */
    int quick, train, resume, overwrite, preset;
    recon_precision precision;
} reproduce_settings;

/* Images of a known set, or some of them. */
typedef struct {
    recon_dataset *whole, *some;
    const recon_dataset *use;
} image_part;

/* A set of images and what the model says of each. */
typedef struct {
    recon_dataset *data;
    size_t n;
    recon_embedded codes; /* z, psi, labels      */
    recon_so2_map *map;   /* [n]                 */
    double *angle;        /* [n] the truth       */
    double *lambda, *absolute;
    double *by_head; /* [n] the absolute pose by the head on z; NULL: that is what absolute is */
} reading;

/* Codes of the training images, and who is next to whom. */
typedef struct {
    recon_dataset *data;
    recon_embedded index;
    int64_t *neighbors; /* [n][K] */
    double *hits;       /* [n]    */
    int64_t *worst;     /* [worst_count] rows, lowest hits first */
    size_t worst_count;
} neighborhood;

typedef struct {
    const reproduce_settings *settings;
    const experiment *what;
    recon_model *model;
    recon_classifier *classifier;
    recon_rotation_rule *rule; /* large */
    image_part upright;
    const char *classes[CLASSES]; /* what they are called */
    reading rotated, circle;      /* by the rule, and by any angle */
    uint8_t *unusual;             /* [circle.n] */
    double *score[3];             /* [circle.n] of unusualness: ieae, recon, density */
    neighborhood hood;

    struct {
        double none, ieae, recon, head, search, undo, upright; /* shares */
    } accuracy;
    recon_ood_auc ood;
    recon_pose_error pose;
    recon_width width[CLASSES];
    recon_width_error theta;
    recon_k_point by_k[KS];
    double hit_rate; /* at K */
    uint64_t confusion[CLASSES * CLASSES];
    recon_fold_share fold[CLASSES];
    recon_pair pair;
    recon_times times;
    recon_equivariance equivariance;
    double embed_seconds; /* an image */
    double begun, seconds;
} reproduction;

/* Finds or trains the models and measures everything, once for each seed. result is what --json
 * prints; spread, the standard deviations, is NULL for one seed. Release both, also on failure. */
recon_status reproduce_run(recon_ctx *ctx, json_t **result, json_t **spread,
                           const reproduce_settings *s);

/* The same of any experiment: `one` makes what --json prints of run i, `times` (at most MAX_SEEDS)
 * runs are merged. */
typedef recon_status reproduce_one(recon_ctx *ctx, json_t **out, const void *settings, size_t i);
recon_status reproduce_repeat(recon_ctx *ctx, json_t **result, json_t **spread, size_t times,
                              reproduce_one *one, const void *settings);

extern const size_t reproduce_ks[KS];

/* Opens model, classifier and data, measures everything. Free always. */
recon_status reproduce_measure(recon_ctx *ctx, reproduction *out, const reproduce_settings *s);
void reproduce_free(recon_ctx *ctx, reproduction *r);

/* Of that: opens the models that the settings name; rotates the images of r->upright and measures
 * what needs no others, from accuracies to widths; and the part about neighbours, with --quick
 * among as many training images as there is time for. */
recon_status reproduce_models(recon_ctx *ctx, reproduction *r);
recon_status reproduce_tests(recon_ctx *ctx, reproduction *r);
recon_status reproduce_neighbors(recon_ctx *ctx, reproduction *r);

/* count images of the set's training part, all for 0, rotated by its rule. */
recon_status reproduce_training(recon_ctx *ctx, recon_dataset **out, const reproduce_settings *s,
                                size_t count);

/* The first n images, to be freed. */
recon_status reproduce_load(recon_ctx *ctx, float **out, const recon_dataset *data, size_t n);

void reproduce_true_widths(double out[CLASSES], const recon_rotation_rule *rule);

/* Everything measured, degrees and percent; NULL when memory ran out. The mean of several runs, and
 * their standard deviation: of each number, wherever it stands. */
json_t *reproduce_json(const reproduction *r);
json_t *reproduce_mean(json_t *const *runs, size_t n);
json_t *reproduce_spread(json_t *const *runs, size_t n);

/* The tables as text, from what reproduce_json says; spread may be NULL. */
void reproduce_print(const json_t *result, const json_t *spread);

/* Of which: what was measured with what, the number at "a.b.c", NaN where there is none, rows of
 * such numbers beside their spread and those that the result has under the same paths in the object
 * `beside`, "paper" say, and which figures were drawn. what: "images", say, of which the result
 * counts "test_images". */
void reproduce_print_head(const json_t *result, const char *title, const char *what);
void reproduce_print_figures(const json_t *result);
typedef struct {
    const char *path, *label; /* no path: a heading */
    int digits;
} reproduce_row;
double reproduce_number(const json_t *from, const char *path);
void reproduce_print_rows(const json_t *result, const json_t *spread, const char *beside,
                          const reproduce_row *rows, size_t n);

/* Figures by themselves: two images of each class as they came and canonical in COLUMNS ways,
 * widths of the classes, and the curves of the three scores. */
enum { COLUMNS = 5, SCORES = 3 };
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

#endif
