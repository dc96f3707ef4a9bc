/* mean.h - the centre of a set of poses, how well it is defined, and the verdict on a natural pose.
 *
 * The *chordal* mean is the circular mean (atan2) or the SVD mean. The *Frechet* mean is the
 * geodesic one, the lowest minimum of the squared distances. The *Tukey* mean is the Frechet mean
 * with Tukey's biweight in place of the square (the RECON paper, appendix on the robust mean). It
 * follows the verdict: with one mode, however broad, it is the Frechet mean; with several it lies
 * on the heaviest. The default is the Tukey mean, except that on SO(2) the centre of a single mode
 * allows for a background of outliers. docs/notebook/statistics-so2.md and
 * docs/notebook/statistics-so3.md describe the tests. */
#ifndef RECON_GROUP_MEAN_H
#define RECON_GROUP_MEAN_H

#include <recon/core/ctx.h>
#include <recon/group/so3.h>
#include <recon/group/matrix_fisher.h>

typedef enum {
    RECON_MEAN_AUTO = 0, /* Tukey, with a background if there is one mode */
    RECON_MEAN_TUKEY,
    RECON_MEAN_FRECHET,
    RECON_MEAN_CHORDAL
} recon_mean_kind;

/* Zero means the default. */
typedef struct {
    recon_mean_kind kind;
    double tukey_c; /* radians; 0: chosen from the data, see docs/notebook/statistics-so2.md */
    uint64_t reserved[RECON_RESERVED];
} recon_mean_options;

#define RECON_MODES_MAX 8 /* the most modes that are reported */

/* --- the verdict ------------------------------------------------------------------------------ */

/* The verdict on the natural pose of a class: the result of a test with known error rates, made by
 * recon_so2_mean and recon_so3_mean. */
typedef enum {
    RECON_NATURAL_ONE = 0, /* one pose */
    RECON_NATURAL_SEVERAL, /* several poses */
    RECON_NATURAL_MODULO,  /* one pose up to a symmetry; SO(2): a half, third or quarter turn */
    RECON_NATURAL_AXIS,    /* SO(3): the direction of an axis; the spin about it is free */
    RECON_NATURAL_NONE,    /* no natural pose: poses are spread evenly, or nearly so */
    RECON_NATURAL_UNSURE   /* cannot tell: too few poses, or poses that fit two verdicts */
} recon_natural;
enum { RECON_NATURAL_KINDS = RECON_NATURAL_UNSURE + 1 };

/* Warnings are given if the background, the share of poses that fit no distribution, is above
 * RECON_BACKGROUND_MUCH, and if more than RECON_NATURAL_FEW of the inputs have no natural pose. */
#define RECON_BACKGROUND_MUCH 0.2
#define RECON_NATURAL_FEW     0.05

/* Returns "one", "several", "modulo", "axis", "none" or "cannot_tell". */
RECON_API const char *recon_natural_name(recon_natural natural);

/* --- angles ----------------------------------------------------------------------------------- */

typedef struct {
    double at;     /* (-pi, pi] */
    double weight; /* the share of the angles; the weights of a set sum to 1 */
} recon_so2_mode;

typedef struct {
    double mean; /* (-pi, pi] */
    /* |E exp(i m theta)| for m = 1..4: a pose known only modulo 180 degrees has a small first and a
     * large second moment. */
    double moment[4];
    double tukey_c;        /* the c that was used; 0 if the mean is the Frechet or chordal one */
    recon_natural natural; /* the verdict */
    int fold;              /* m: known modulo 360/m degrees; 1: one or several poses; 0: unknown */
    int modes; /* 1 .. RECON_MODES_MAX; more than one if the verdict is several or modulo */
    recon_so2_mode mode[RECON_MODES_MAX]; /* heaviest first, then nearest the identity */
} recon_so2_center;

/* Computes the centre of n angles. With several modes the Tukey mean lies on the heaviest; if the
 * sample does not show which that is, on the one nearest the identity, so that the same mode is
 * found every time. Modes that are m evenly spaced ones are located together, on the m-fold circle.
 * Rotating all angles rotates the result, to rounding (with several equal modes it may choose
 * another of them).
 *
 * options may be NULL. n = 0 and angles that are not finite are RECON_ERR_INPUT; any finite angle
 * is allowed. If two points minimise the Frechet loss equally (1e-9 relative), the one nearest the
 * identity is used. */
RECON_API recon_status recon_so2_mean(recon_ctx *ctx, recon_so2_center *out,
                                      const double *angles /* [n] */, size_t n,
                                      const recon_mean_options *options);

/* --- rotations -------------------------------------------------------------------------------- */

typedef struct {
    recon_so3 mean;
    /* Singular values of the mean rotation, falling, the last with its sign: 1, 1, 1 for copies of
     * one rotation; one large and two small for a ring; 0, 0, 0 for all of SO(3). */
    double singular[3];
    /* The best determined direction: samples take axis_body close to axis_world, with any spin. */
    double axis_body[3];
    double axis_world[3];
    double tukey_c;        /* the c that was used; 0 if the mean is not a Tukey mean */
    size_t count;          /* samples */
    recon_natural natural; /* the verdict */
    recon_fisher_fit fit;  /* the robust fit */
    int modes;             /* more than 1 if the verdict is several; heaviest first */
    struct {
        recon_so3 at;
        double weight; /* the share of samples that are nearest to this mode */
    } mode[RECON_MODES_MAX];
} recon_so3_center;

/* Computes the centre of n rotations. With one mode the Tukey mean is the Frechet mean of the
 * samples that belong to it, by the robust fit of matrix_fisher.h; with several modes c is half
 * their spacing. The Frechet mean is the lowest minimum of its loss; for more than 32 samples
 * spread over all of SO(3) it may be a minimum of nearly the same loss. All means are equivariant:
 * the mean of a g_i b is a (mean of g_i) b to rounding. The result depends on the frame only if
 * losses tie: then the candidate nearest the identity is used.
 *
 * RECON_ERR_INPUT for n = 0 and for samples that are not unit quaternions. options may be NULL. */
RECON_API recon_status recon_so3_mean(recon_ctx *ctx, recon_so3_center *out,
                                      const recon_so3 *samples, size_t n,
                                      const recon_mean_options *options);

/* --- symmetries -------------------------------------------------------------------------------- */

/* The poses of an object with a rotational symmetry H determine its natural pose only up to H: a fan
 * with four blades up to quarter turns about its axis. */

/* A symmetry as one number, in arrays and files. C_n is n and D_n is RECON_SYMMETRY_D + n. */
typedef enum {
    RECON_SYMMETRY_UNNAMED = 0, /* none is claimed                                    */
    RECON_SYMMETRY_C1 = 1,      /* one pose: no symmetry                              */
    RECON_SYMMETRY_D = 50,      /* + n: n-fold about an axis, 2-fold across it        */
    RECON_SYMMETRY_T = 101,     /* the rotations of a tetrahedron, 12                 */
    RECON_SYMMETRY_O = 102,     /* of a cube or octahedron, 24                        */
    RECON_SYMMETRY_I = 103,     /* of an icosahedron or dodecahedron, 60              */
    RECON_SYMMETRY_SPIN = 120   /* every rotation about an axis                       */
} recon_symmetry_code;

/* Writes the name of a recon_symmetry_code: "C4", "D3", "T", "O", "I", "free spin"; "" if none is named.
 * Returns text. */
typedef char recon_symmetry_text[16];
RECON_API const char *recon_symmetry_name(recon_symmetry_text text, int code);

/* No group is named for fewer poses. */
#define RECON_SYMMETRY_LEAST 20

typedef struct {
    int code;         /* recon_symmetry_code */
    int order;        /* elements of the group; 0: infinitely many, or none is named */
    double axis[3];   /* unit vector: the axis of highest order, in the frame of poses g center^-1;
                         0, 0, 0 where no symmetry is named */
    recon_so3 center; /* one of the `order` equivalent centres: the nearest to the identity */
    double width;  /* radians: spread of the poses about the nearest equivalent centre, one axis */
    double strays; /* share of the poses that are near none */
    double
        p_value; /* of the test that each centre is taken as often, and is the middle of its poses */
} recon_point_group;

/* Names the symmetry that n rotations repeat: cyclic and dihedral groups of order up to 6 about their
 * axis, the groups of the regular solids, or a free spin. RECON_SYMMETRY_C1 where they gather about one
 * pose; RECON_SYMMETRY_UNNAMED where they fit no group: too few, too broad, spread over all rotations, an arc, or
 * several poses of unequal weight. RECON_ERR_INPUT for samples that are not unit quaternions. */
RECON_API recon_status recon_so3_symmetry(recon_ctx *ctx, recon_point_group *out,
                                          const recon_so3 *samples, size_t n);

#endif
