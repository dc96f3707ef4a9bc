/* lab.h - what experiments share: what was asked for, and how they are started.
 *
 * An experiment is a command, `recon reproduce NAME`, with its own list of options, in main.c. */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include "backbone/recipe.h"
#include "cli/cli.h"
#include "lab/rival.h"

enum { MAX_SEEDS = 64 };

typedef struct experiment experiment;

/* Zero in any field means its default. */
typedef struct {
    const experiment *what; /* one of the paper's on images; NULL: another experiment */
    const char *models[CLI_MANY_MOST], *classifier; /* NULL: the shipped ones */
    const char *out, *figures;                      /* folders                */
    const char *data, *rotate;                      /* in place of the experiment's own */
    const char *embeddings;                         /* folder with z.npy and g.npy      */
    const char *augmented;                          /* a classifier trained with rotations */
    const char *fonts, *laws;                       /* a folder, and a plan in a JSON file */
    size_t images, limit;                           /* of the test and training images */
    size_t size;                                    /* a side of the model's inputs    */
    size_t draws;                                   /* test pictures of each letter and font */
    size_t seed, seeds, epochs;
    int quick, train, resume, overwrite, preset, crop;
    int backbone;  /* with train: the kind alone that is trained; 0: all     */
    int resample;  /* every image is resampled twice, however it is rotated  */
    int baselines; /* other methods are measured beside                      */
    int rival;     /* 1 + the rival alone that is measured, with train trained first, RIVAL_KINDS
                      being the SEGNN, and no backbone; 0: all */
    int reader;    /* 1 + the reader alone that reads words; 0: all */
    int device, precision_asked, deterministic;
    recon_precision precision; /* that the device works in */
    cli_common common;
    /* Found or trained: models by how their backbones were trained, and the networks of rivals; NULL: there
     * is none. */
    const char *of[RECON_TRAINED_KINDS], *rivals[RIVAL_KINDS], *segnn;
} lab_settings;

/* The result is what --json prints, and everything that is shown comes from it. The caller releases it, also
 * after a failure. */
typedef recon_status lab_run(recon_ctx *ctx, json_t **result, const lab_settings *s);
typedef void lab_show(const json_t *result);

/* Runs an experiment once for each seed; `one` makes the result of run i. The result of several runs has
 * their means, with the standard deviations under "spread" and the runs themselves under "runs". */
typedef recon_status lab_one(recon_ctx *ctx, json_t **result, const lab_settings *s, size_t i);
recon_status lab_repeat(recon_ctx *ctx, json_t **result, const lab_settings *s, lab_one *one);

lab_run reproduce_run, estimators_run, groups_run, letters_run, cifar_run, words_run;
lab_show reproduce_show, molecule_reproduce_show, estimators_show, groups_show, letters_show,
    cifar_show, words_show;

extern const cli_command lab_demo;

#endif
