/* found.h (private) - a folder of results, read and checked, and what its reports share. */
#ifndef REPORT_FOUND_H
#define REPORT_FOUND_H

#include "report/canvas.h"
#include "core/text.h"

#include <jansson.h>
#include <recon/data/dataset.h>
#include <recon/data/molecules.h>
#include <recon/normalize/normalize.h>
#include <recon/report/found.h>
#include "report/page.h"

enum { RECON_FOUND_SEED = 1 }; /* of every sample */

typedef struct recon_found_folder recon_found_folder;

/* A number on top of a page: the share at this path of the summary, below "all" of a discovery. */
typedef enum {
    RECON_TILE_NEEDED = 0, /* it must be there               */
    RECON_TILE_SAID,       /* left out where it is not there */
    RECON_TILE_SOME        /* left out where it is 0 as well */
} recon_tile_rule;
typedef struct {
    const char *path, *words; /* NULL: no more */
    recon_tile_rule rule;
} recon_found_tile;

/* What a folder may hold. */
typedef struct {
    const char *name;              /* "images", as summary.json has it      */
    const recon_group *group;      /* that its poses are on; NULL: any      */
    const char *title;             /* of the page                           */
    int has_pictures;              /* of its inputs, where these are at hand */
    const char *many;              /* of its rows: "conformers"             */
    const char *hits;              /* what a hit of a neighbour is          */
    const recon_found_tile *tiles; /* NULL: those of the group */
    /* One more number on top of the page, before the tiles; NULL: none. */
    recon_status (*result)(recon_ctx *ctx, recon_page *page, const recon_found_folder *folder);
    /* The sections; data may be NULL. The model of the folder is opened where there are data: the
     * context needs a backend (recon_ops_attach). */
    recon_status (*sections)(recon_ctx *ctx, recon_page *page, const recon_found_folder *folder,
                             const recon_data *data);
} recon_found_kind;

extern const recon_found_kind recon_found_images, recon_found_molecules;
/* recon normalize; recon discover on inputs of an application's own kind */
extern const recon_found_kind recon_found_poses;

/* The numbers on top of the page (recon_page_result), from the summary alone. */
recon_status recon_found_results(recon_ctx *ctx, recon_page *page,
                                 const recon_found_folder *folder);

/* All of it, as recon_found_save writes it. */
recon_status recon_found_page(recon_ctx *ctx, recon_page **out, const recon_found_folder *folder,
                              const recon_found_data *data);

/* --- the folder ------------------------------------------------------------------------------- */

/* Rows that lie in no class (queries outside all components) are left out. */
struct recon_found_folder {
    const char *dir, *called; /* where it is, and what the page calls it */
    const recon_found_kind *kind;
    json_t *summary;
    const recon_group *group;
    const struct recon_found_drawing *drawing; /* of the group */
    size_t points, rows, k;  /* k: 0 without neighbours                                         */
    double *psi;             /* [rows] as the backbone says                                     */
    double *absolute;        /* [rows] about the natural pose: the model's, else Algorithm 1's  */
    double *theta;           /* [rows], or [rows][drawing->parameters]                          */
    double *identifiability; /* [rows][group->identifiability] how well the centre is defined */
    double *background, *score; /* [rows] */
    int64_t *neighbors;         /* [rows][k] among points, or NULL */
    int64_t *classes;           /* [rows] components, or NULL      */
};

/* Reads the folder. */
recon_status recon_found_open(recon_ctx *ctx, recon_found_folder *out, const char *dir);
void recon_found_close(recon_found_folder *folder);

/* The number at "all.theta_deg", say, of the summary; one that is not there is RECON_ERR_FORMAT and
 * named. */
recon_status recon_found_number(recon_ctx *ctx, double *out, const recon_found_folder *folder,
                                const char *path);
/* The same where it may be missing: NaN. */
double recon_found_maybe(const recon_found_folder *folder, const char *path);
const char *recon_found_text(const recon_found_folder *folder, const char *key); /* "" if missing */

/* A number about all inputs together: "hit_rate". */
double recon_found_overall(const recon_found_folder *folder, const char *key);

/* The share of inputs of whose natural pose this is known; NaN where the summary does not say. */
double recon_found_natural(const recon_found_folder *folder, recon_natural kind);

/* --- rows that belong together ---------------------------------------------------------------- */

enum { RECON_FOUND_GROUPS = 10 };

/* The largest groups: of one label, of one component, or clusters that were found in the graph of
 * neighbours. With labels in their order, else by size. Members that are named most often as
 * neighbours come first. */
typedef struct {
    const char *what;     /* "class", "component", "cluster"; "all" where there is no way to tell */
    size_t count, others; /* groups; rows that are in none of them */
    char name[RECON_FOUND_GROUPS][96]; /* a molecule's may be long */
    size_t n[RECON_FOUND_GROUPS];
    const size_t *member[RECON_FOUND_GROUPS];
    size_t *owned;
} recon_found_groups;

/* labels [rows] may be NULL. */
recon_status recon_found_group(recon_ctx *ctx, recon_found_groups *out,
                               const recon_found_folder *folder, const int64_t *labels);
void recon_found_groups_free(recon_found_groups *groups);

/* n different rows below `rows`, ascending, by the fixed seed; how many: fewer where there are not
 * so many. */
recon_status recon_found_sample(recon_ctx *ctx, size_t **out, size_t *count, size_t rows, size_t n);

/* The labels of the data that the folder was made from; NULL where they have none. Other data are
 * RECON_ERR_INPUT. */
recon_status recon_found_labels(recon_ctx *ctx, int64_t **out /* [rows] */,
                                const recon_found_folder *folder, const recon_data *data);

/* The rows with the largest sign * key[row * stride], largest first, of equals the lower row; how
 * many, at most `most`. For a few of many. */
size_t recon_found_extreme(size_t *out /* [most] */, size_t most, const double *key, size_t stride,
                           double sign, size_t rows);

/* --- sections that all kinds have ------------------------------------------------------------- */

/* A number of things with commas, and a share in percent: "none" for 0. Both return out. */
typedef char recon_found_words[32];
const char *recon_found_count(recon_found_words out, size_t n);
const char *recon_found_share(recon_found_words out, double share);
/* The option that makes classes larger or smaller: "k" or "eps". */
const char *recon_found_class_option(const recon_found_folder *folder);

/* A histogram of n values with its quantiles as the table below it. unit goes behind numbers. */
typedef struct {
    const char *x_label, *caption;
    const double *values;
    size_t n;
    double from, to;
    const recon_mark *marks;
    size_t mark_count;
} recon_found_spread;
recon_status recon_found_show_spread(recon_ctx *ctx, recon_page *page, const recon_found_spread *s);

/* How to read a row of theta. */
typedef struct {
    const char *label; /* beside the axis */
    const char *name;  /* of a width in degrees about the natural pose; NULL: it is none */
    const char *words;
} recon_found_reading;

/* How pages speak of the poses of a group, and draw them. */
enum { RECON_FOUND_VERDICTS = 4, RECON_FOUND_PARTLY = 2 };
typedef struct recon_found_drawing {
    const recon_group *group; /* NULL: any that has none of its own */
    struct {
        recon_natural kind;
        const char *tile, *words;
    } kinds[RECON_FOUND_VERDICTS]; /* [RECON_FOUND_PARTLY]: a pose that is known in part */
    const char *chosen;            /* what a warning says of such poses                 */
    size_t known;                  /* the number of identifiability that pages show ... */
    const char *known_is;          /* ... and what it means                             */
    size_t parameters; /* of a row, when widths are read from those; 0: from theta.npy  */
    const recon_found_reading *(*read)(const recon_found_folder *folder);
    recon_status (*width)(recon_ctx *ctx, double *out, const double *theta); /* of a row */
    recon_status (*draw)(recon_ctx *ctx, recon_page *page, const recon_found_folder *folder,
                         const recon_found_groups *groups, const recon_picture *pictures,
                         size_t picture_rows);
} recon_found_drawing;

const recon_found_drawing *recon_found_drawing_of(const recon_group *group);

/* Poses of each group of rows before and after centring, as their drawing shows them. pictures
 * [rows][groups] stand above circles; NULL: none. */
recon_status recon_found_show_poses(recon_ctx *ctx, recon_page *page,
                                    const recon_found_folder *folder,
                                    const recon_found_groups *groups, const recon_picture *pictures,
                                    size_t picture_rows);

/* Settings and seconds of the summary. */
void recon_found_show_settings(recon_page *page, const recon_found_folder *folder);

/* Warnings that any folder may deserve: small sets, many neighbours, poses that do not belong. How
 * many were said. */
int recon_found_warn(recon_page *page, const recon_found_folder *folder);

/* Warnings where many inputs have no natural pose, or none can be told; what they are called. How
 * many were said. */
int recon_found_warn_of_none(recon_page *page, const recon_found_folder *folder, const char *many);

/* Whether the natural poses can be trusted, as the summary has it: the verdict as a result, a section
 * with reasons and measures, and a warning where it is "do not use" (how many: 1 or 0). Nothing where
 * the summary does not say. */
void recon_found_trust_result(recon_page *page, const recon_found_folder *folder);
void recon_found_show_trust(recon_page *page, const recon_found_folder *folder);
int recon_found_warn_of_trust(recon_page *page, const recon_found_folder *folder);
/* As recon_trust_has_width. */
int recon_found_has_width(const recon_found_folder *folder);

/* What to say where nothing was said: which checks there were, of those above and others. */
void recon_found_say_checked(recon_page *page, const char *others);

/* --- the model, tried on a sample ------------------------------------------------------------- */

typedef struct {
    const char *one, *many;    /* "an image", "images"                                         */
    const char *rotation;      /* "an angle drawn uniformly from the circle"                */
    size_t n;                  /* 0: the data are not at hand, and nothing below is there      */
    double *natural, *rotated; /* [n] scores as they came, and rotated at random                */
    double *miss;     /* [n] by how much psi did not follow that rotation, degrees        */
    double threshold; /* for 1 % false alarms                                         */
    double auc;       /* found by recon_found_show_unusual                                */
} recon_found_trial;

recon_status recon_found_trial_new(recon_ctx *ctx, recon_found_trial *trial, size_t n);
void recon_found_trial_free(recon_found_trial *trial);

/* RECON_ERR_INPUT unless the poses that the model gives to n of the data are those of the folder:
 * apart [n], radians; sorted here. */
recon_status recon_found_check_same(recon_ctx *ctx, const recon_found_folder *folder, double *apart,
                                    size_t n);

recon_status recon_found_show_unusual(recon_ctx *ctx, recon_page *page,
                                      const recon_found_folder *folder, recon_found_trial *trial);
int recon_found_warn_of_model(recon_page *page, const recon_found_trial *trial); /* how many */
void recon_found_show_next(recon_page *page, const recon_found_folder *folder);

/* Whether this build can make pictures; 0 has been said on the page. */
int recon_found_draws(recon_ctx *ctx, recon_page *page);

/* By how much a row is rotated from its natural pose, in whole degrees. */
double recon_found_degrees(const recon_found_folder *folder, size_t row);

double recon_found_median(double *values, size_t n); /* sorts them; NaN for n = 0 */

#endif
