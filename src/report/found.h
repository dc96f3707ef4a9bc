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
#include "model/table.h"
#include "report/page.h"

enum { RECON_FOUND_SEED = 1 }; /* of every sample */

typedef struct recon_found_folder recon_found_folder;

/* The sections of the page; data may be NULL. */
recon_status recon_found_sections(recon_ctx *ctx, recon_page *page,
                                  const recon_found_folder *folder, const recon_data *data);
/* Those of `recon discover`, and of `recon normalize`. */
recon_status recon_found_discovery(recon_ctx *ctx, recon_page *page,
                                   const recon_found_folder *folder, const recon_data *data);
recon_status recon_found_normalized(recon_ctx *ctx, recon_page *page,
                                    const recon_found_folder *folder);

/* All of it, as recon_found_save writes it. */
recon_status recon_found_page(recon_ctx *ctx, recon_page **out, const recon_found_folder *folder,
                              const recon_found_data *data);

/* --- the folder ------------------------------------------------------------------------------- */

/* Of a discovery `lines` are known, and of the rest rows, group and absolute; of Algorithm 1 alone the
 * arrays, without rows that lie in no class (queries outside all components). */
struct recon_found_folder {
    const char *dir, *called; /* where it is, and what the page calls it */
    const char *kind;         /* of the data: "images"; "poses" of `recon normalize` */
    json_t *summary;
    recon_lines lines; /* of poses.csv */
    const recon_group *group;
    const struct recon_found_drawing *drawing; /* of the group */
    size_t points, rows, k;  /* k: 0 without neighbours                                         */
    double *psi;             /* [rows] as the backbone says                                     */
    double *absolute;        /* [rows] about the natural pose */
    double *theta;           /* [rows], or [rows][drawing->parameters]                          */
    double *identifiability; /* [rows][group->identifiability] how well the centre is defined */
    double *background, *score; /* [rows] */
    int64_t *neighbors;         /* [rows][k] among points, or NULL */
    int64_t *classes;           /* [rows] components, or clusters of a discovery; or NULL */
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

/* What its inputs are called: "images", "conformers". */
const char *recon_found_many(const recon_found_folder *folder);

/* The share of inputs of whose natural pose this is known; NaN where the summary does not say. */
double recon_found_natural(const recon_found_folder *folder, recon_natural kind);

/* --- rows that belong together ---------------------------------------------------------------- */

enum { RECON_FOUND_GROUPS = 10 };

/* The largest groups: clusters of a discovery, by number; components, or clusters that were found in
 * the graph of neighbours, by size. Members that are named most often as neighbours come first. */
typedef struct {
    const char *what;     /* "component", "cluster"; "all" where there is no way to tell */
    size_t count, others; /* groups; rows that are in none of them */
    char name[RECON_FOUND_GROUPS][96]; /* a molecule's may be long */
    size_t n[RECON_FOUND_GROUPS];
    const size_t *member[RECON_FOUND_GROUPS];
    size_t *owned;
} recon_found_groups;

recon_status recon_found_group(recon_ctx *ctx, recon_found_groups *out,
                               const recon_found_folder *folder);
void recon_found_groups_free(recon_found_groups *groups);

/* n different rows below `rows`, ascending, by the fixed seed; how many: fewer where there are not
 * so many. */
recon_status recon_found_sample(recon_ctx *ctx, size_t **out, size_t *count, size_t rows, size_t n);

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
    int unbounded;            /* with directions of shifts or sizes */
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
                         const recon_found_groups *groups);
} recon_found_drawing;

const recon_found_drawing *recon_found_drawing_of(const recon_group *group);

/* Poses of each group of rows about the natural pose, as their drawing shows them, and before that
 * those that the network gave, where they are known. */
recon_status recon_found_show_poses(recon_ctx *ctx, recon_page *page,
                                    const recon_found_folder *folder,
                                    const recon_found_groups *groups);

/* Settings and seconds of the summary. */
void recon_found_show_settings(recon_page *page, const recon_found_folder *folder);

/* Warnings that any folder may deserve: small sets, many neighbours, poses that do not belong. How
 * many were said. */
int recon_found_warn(recon_page *page, const recon_found_folder *folder);

/* Warnings where many inputs have no natural pose, or none can be told; what they are called. How
 * many were said. */
int recon_found_warn_of_none(recon_page *page, const recon_found_folder *folder, const char *many);

/* Below the title: the verdict and what would be rotated, or shares of natural poses. */
void recon_found_head(recon_page *page, const recon_found_folder *folder);
/* Whether the natural poses can be trusted, with reasons and measures. Nothing where the summary does not
 * say. */
void recon_found_show_trust(recon_page *page, const recon_found_folder *folder);
/* What to say where nothing was said: which checks there were, of those above and others. */
void recon_found_say_checked(recon_page *page, const char *others);

/* The commands that come next. */
void recon_found_show_next(recon_page *page, const recon_found_folder *folder);

/* Whether this build can make pictures; 0 has been said on the page. */
int recon_found_draws(recon_ctx *ctx, recon_page *page);

/* By how much a row is rotated from its natural pose, in whole degrees. */
double recon_found_degrees(const recon_found_folder *folder, size_t row);

double recon_found_median(double *values, size_t n); /* sorts them; NaN for n = 0 */

#endif
