/* trust.h - whether the natural poses of a model can be trusted, judged on inputs held out from its
 * training, without labels. */
#ifndef RECON_MODEL_TRUST_H
#define RECON_MODEL_TRUST_H

#include <recon/maps/maps.h>

/* Three estimates of Lambda, compared on held-out inputs. Angles in radians. */
typedef struct {
    recon_lambda taken;
    size_t points;        /* held out                                                             */
    double likelihood[4]; /* by recon_lambda: of the held-out poses about each centre, mean log
                             density; NaN where the way is not there or was not measured          */
    double apart_median[4][4], apart_p95[4][4]; /* between two ways; NaN likewise                 */
} recon_lambda_choice;

/* A median distance between two estimates above this is worth a warning. */
#define RECON_LAMBDA_APART (10 * 3.14159265358979323846 / 180)

typedef enum { RECON_TRUST_GOOD, RECON_TRUST_CARE, RECON_TRUST_NOT } recon_trust_level;

/* Reasons against it; bits. */
enum {
    RECON_TRUST_NOTHING_LEARNED = 1, /* the density is no better than a uniform one              */
    RECON_TRUST_NOT_FOLLOWING = 2,   /* Lambda changes when an input is rotated                  */
    RECON_TRUST_NO_GAIN = 4,         /* canonicalizing moves inputs away from their natural pose */
    RECON_TRUST_FEW_OF_A_KIND = 8,   /* many inputs have too few similar ones                    */
    RECON_TRUST_DISAGREES = 16,      /* the estimates of Lambda disagree                         */
    RECON_TRUST_UPRIGHT = 32,        /* inputs are already in their natural pose                 */
    RECON_TRUST_FEW_HELD_OUT = 64,   /* too few inputs to verify the result                      */
    RECON_TRUST_INCONSISTENT = 128,  /* similar inputs get contradictory poses                   */
    RECON_TRUST_GAIN_UNSURE = 256,   /* the gain is within twice its standard error              */
    RECON_TRUST_GAIN_UNKNOWN = 512,  /* neither it nor widths can be measured: a photo preset    */
    RECON_TRUST_FRAME = 1024         /* the frame of the images tells the pose, without content  */
};

typedef struct {
    recon_trust_level level;
    unsigned against;
    size_t points;      /* held out, that it was judged on                                      */
    double information; /* nats that the density knows about a pose, mean                       */
    double information_error; /* its standard error; NaN: not measured                          */
    double moved, moved_p95;  /* radians between Lambda of an input and of a rotated copy, of inputs
                                with one natural pose by the density or by their neighbours: median,
                                95th percentile; NaN: not measured                                */
    double before, after; /* radians between an input's pose, as it comes and canonicalized, and the
                             natural pose by its neighbours: means; NaN: of too few, nothing was
                             learned, or the backbone is a photo preset, whose errors of poses and of
                             Lambda are the same                                                  */
    double gain;          /* before - after: how much closer to its natural pose an input gets    */
    double gain_error;    /* its standard error; NaN likewise                                     */
    double one;           /* share of the held-out inputs with one natural pose, by the density: the
                             gain is that of such inputs; NaN: not measured                       */
    double cannot_tell;  /* share of the inputs, by their neighbours or by the density, whichever is
                             more; NaN: not measured (a sample of many)                           */
    double inconsistent; /* SO(3): share with alike neighbours of unlike poses; NaN: not measured */
    double
        frame; /* nats that the density knows about the pose of images whose content was taken away and
                     whose frame was kept: bars, edges; NaN: not measured                         */
    recon_lambda_choice lambda;
} recon_trust;

/* The verdict, its reasons and the measures as JSON, as summary.json has them under "trust"; settings
 * in the reasons' remedies are spelled as asked for. RECON_TRUST_TEXT characters are enough; "" where
 * there is less room, or no memory. Returns out. */
enum { RECON_TRUST_TEXT = 6000 };
RECON_API const char *recon_trust_text(char *out, size_t room, const recon_trust *trust,
                                       recon_spelling spelling);

#endif
