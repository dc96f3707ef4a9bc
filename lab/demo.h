/* demo.h - `recon demo`: the tour, between the files that walk it and write its page. */
#ifndef LAB_DEMO_H
#define LAB_DEMO_H

#include "lab/reproduce.h"

#include "normalize/normalize_files.h"
#include "report/figure.h"

#define DEMO_ALARMS 0.05 /* share of natural poses that may be called unusual */

enum {
    DEMO_LEAST = 200, /* garments: from fewer nothing can be learned */
    DEMO_HELD = 4,    /* one of so many is held out for the tests    */
    DEMO_KINDS = 10,  /* of garments                                 */
    DEMO_CONFORMERS = 200,
    DEMO_SHOWN = 4 /* of them, in pictures */
};

/* How a threshold fares that should let a share DEMO_ALARMS of natural poses through as unusual. */
typedef struct {
    double threshold;
    double caught, called; /* shares of unusual and of natural poses beyond it */
} demo_alarm;

typedef struct {
    recon_model *model;
    recon_molecules *occur, *thrown; /* rotated as they occur, then any way */
    recon_conformer *natural;        /* [n] those thrown, rotated back      */
    float *xyz;                      /* where these have their atoms        */
    size_t n;
    recon_distribution3 *of[2]; /* [n] of those that occur and those thrown */
    double axis_error;          /* of where the axis of those thrown points: radians, the median */
    double auc;                 /* thrown told from those that occur        */
    demo_alarm alarm;
    double seconds;
} demo_molecules;

typedef struct {
    char out[4000], report[4096];      /* the folder and the page, from the root on */
    recon_dataset *garments, *some;    /* all, those that were asked for                  */
    recon_dataset *found_on, *rotated; /* of these the discover run's, upright and rotated */
    recon_discovery found;
    recon_normalize_result poses; /* Algorithm 1 by itself, from files */
    image_trial trial;            /* the others                        */
    reproduction tests;           /* by the shipped model              */
    double own;                   /* accuracy with the maps made here  */
    demo_alarm alarm;
    demo_molecules molecules;
    double begun, seconds;
} demo;

/* A path in the demo's folder; returns out. */
typedef char demo_path[4096];
const char *demo_file(demo_path out, const demo *d, const char *name);

/* True and found widths of the kinds, how many. The page has no others: the report of the run shows the
 * same. */
size_t demo_widths(recon_theta_class out[DEMO_KINDS], const demo *d);

/* report.html. */
recon_status demo_page(recon_ctx *ctx, const demo *d);

#endif
