/* trust.h - whether the natural poses of a model can be trusted, judged on inputs held out from its
 * training, without labels. */
#ifndef RECON_MODEL_TRUST_H
#define RECON_MODEL_TRUST_H

#include <recon/maps/maps.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Three ways to Lambda, compared on inputs held out. Angles in radians. */
typedef struct {
    recon_lambda taken;
    size_t points;        /* held out                                                             */
    double likelihood[4]; /* by recon_lambda: of the held-out poses about each centre, mean log
                             density; NaN where the way is not there or was not measured          */
    double apart_median[4][4], apart_p95[4][4]; /* between two ways; NaN likewise                 */
} recon_lambda_choice;

/* Two ways further apart than this, in the median, are worth a warning. */
#define RECON_LAMBDA_APART (10 * 3.14159265358979323846 / 180)

typedef enum { RECON_TRUST_GOOD, RECON_TRUST_CARE, RECON_TRUST_NOT } recon_trust_level;

/* What speaks against it; bits. */
enum {
    RECON_TRUST_NOTHING_LEARNED = 1, /* the density knows no more than that all poses are alike  */
    RECON_TRUST_NOT_FOLLOWING = 2,   /* Lambda changes when an input is rotated                  */
    RECON_TRUST_NO_GAIN = 4,         /* inputs get no closer to their natural pose               */
    RECON_TRUST_FEW_OF_A_KIND = 8,   /* too few poses to tell, for many                          */
    RECON_TRUST_DISAGREES = 16,      /* the ways to Lambda contradict each other                 */
    RECON_TRUST_UPRIGHT = 32,        /* inputs are in their natural pose already                 */
    RECON_TRUST_FEW_HELD_OUT = 64,   /* too few inputs to judge by                               */
    RECON_TRUST_INCONSISTENT = 128   /* alike inputs get poses that contradict each other        */
};

typedef struct {
    recon_trust_level level;
    unsigned against;
    size_t points;      /* held out, that it was judged on                                      */
    double information; /* nats that the density knows about a pose, mean                       */
    double information_error; /* its standard error; NaN: not measured                          */
    double moved, moved_p95;  /* radians between Lambda of an input and of a rotated copy: median,
                                95th percentile; NaN: not measured                                */
    double before, after; /* radians between an input's pose, as it comes and canonicalized, and the
                             natural pose by its neighbours: means; NaN: of too few, or nothing was
                             learned                                                              */
    double gain;          /* before - after: how much closer to its natural pose an input gets    */
    double cannot_tell;   /* share of the inputs; NaN: not measured (a sample of many)        */
    double inconsistent; /* SO(3): share with alike neighbours of unlike poses; NaN: not measured */
    recon_lambda_choice lambda;
} recon_trust;

/* "trustworthy", "with care", "do not use". */
RECON_API const char *recon_trust_name(recon_trust_level level);
/* The reasons and their remedies, as sentences; "" where there is nothing against it. All of them have
 * room in RECON_TRUST_REASONS characters. Returns out. */
enum { RECON_TRUST_REASONS = 1600 };
RECON_API const char *recon_trust_reasons(char *out, size_t room, const recon_trust *trust);

#ifdef __cplusplus
}
#endif
#endif
