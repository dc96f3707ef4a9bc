/* trust.h - whether the natural poses of a model can be trusted, judged on inputs held out from its
 * training, without labels. */
#ifndef RECON_MODEL_TRUST_H
#define RECON_MODEL_TRUST_H

#include <recon/maps/maps.h>

/* Three estimates of Lambda, indexed by recon_lambda, compared on held-out inputs. In radians; NaN
 * if the model lacks an estimate or it was not measured. */
typedef struct {
    recon_lambda taken;   /* the one that the model uses */
    size_t points;        /* held-out inputs */
    double likelihood[4]; /* mean log density of the held-out poses about each centre */
    double apart_median[4][4], apart_p95[4][4]; /* the distance between two estimates */
} recon_lambda_choice;

/* A median distance between two estimates above this deserves a warning. */
#define RECON_LAMBDA_APART (10 * 3.14159265358979323846 / 180)

typedef enum { RECON_TRUST_GOOD, RECON_TRUST_CARE, RECON_TRUST_NOT } recon_trust_level;

/* Reasons against trusting it, and findings that are not against it, as bits. */
enum {
    RECON_TRUST_NOTHING_LEARNED = 1, /* the density is no better than a uniform one */
    RECON_TRUST_NOT_FOLLOWING = 2,   /* Lambda changes when an input is rotated */
    RECON_TRUST_NO_GAIN = 4,         /* canonicalizing moves inputs away from their natural pose */
    RECON_TRUST_FEW_OF_A_KIND = 8,   /* many inputs have too few similar ones */
    RECON_TRUST_DISAGREES = 16,      /* the estimates of Lambda disagree */
    RECON_TRUST_UPRIGHT = 32,        /* a finding: inputs are already in their natural pose */
    RECON_TRUST_FEW_HELD_OUT = 64,   /* too few inputs to verify the result */
    RECON_TRUST_INCONSISTENT = 128,  /* similar inputs get contradictory poses */
    RECON_TRUST_GAIN_UNSURE = 256,   /* the gain is within twice its standard error */
    RECON_TRUST_GAIN_UNKNOWN = 512,  /* photo presets: gain and widths cannot be measured */
    RECON_TRUST_FRAME = 1024,  /* the frame of the images shows the pose without the content */
    RECON_TRUST_NO_POSE = 2048 /* a finding: most inputs have no natural pose */
};

typedef struct {
    recon_trust_level level;
    unsigned against;
    size_t points;            /* held-out inputs that it was judged on */
    double information;       /* nats that the density knows about a pose, mean */
    double information_error; /* its standard error; NaN: not measured */
    /* Radians between Lambda of an input and of a rotated copy, for inputs with one natural pose by
     * the density or their neighbours: median and 95th percentile; NaN: not measured. */
    double moved, moved_p95;
    /* Mean angle in radians from the natural pose by the neighbours to the input's pose, before and
     * after canonicalizing. NaN: too few inputs, nothing was learned, or a photo preset, whose
     * errors of poses and of Lambda are the same. */
    double before, after;
    double gain;       /* before - after: how much closer to its natural pose an input gets */
    double gain_error; /* its standard error, or NaN */
    /* Share of the inputs with one natural pose, on which the gain is measured; NaN: not measured. */
    double one;
    /* Shares of the inputs with the verdict "cannot tell" and without a natural pose; NaN: not
     * measured (at the end of training, which has no clusters). */
    double cannot_tell;
    double none;
    double
        inconsistent; /* SO(3): share with contradictory poses of neighbours; NaN: not measured */
    /* Nats that the density knows about the pose of images whose content is removed and whose frame
     * (bars, edges) is kept; NaN: not measured. */
    double frame;
    recon_lambda_choice lambda;
} recon_trust;

/* Writes the level, reasons and measures as JSON, as under "trust" in summary.json, with the
 * settings in remedies spelled as requested. RECON_TRUST_TEXT characters are enough; "" if there is
 * less room or no memory. Returns out. */
enum { RECON_TRUST_TEXT = 6000 };
RECON_API const char *recon_trust_text(char *out, size_t room, const recon_trust *trust,
                                       recon_spelling spelling);

#endif
