/* found_drawing.c - how pages speak of the poses of a group, and draw them: circles for SO(2), spheres
 * for SO(3), numbers for any other. */
#include "report/found.h"
#include "core/fail.h"
#include "core/memory.h"
#include "group/group.h"
#include "group/so3/fisher.h"
#include "group/so3/fisher_fit.h"

#include <math.h>
#include <recon/group/matrix_fisher.h>
#include <recon/group/so2.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIT_MOST = 400, /* rotations of a group of rows that a distribution is fitted to */
    ABREAST = 5     /* so many groups of rows side by side stay readable             */
};

/* --- poses on the circle ---------------------------------------------------------------------- */

#define CIRCLES                                                                                    \
    "Each circle is a histogram of the orientations in one group: the longer the bar, "            \
    "the more members. The natural pose is at the top. A narrow peak there is a group with "       \
    "nearly one pose, a full circle one with all poses."
#define BEFORE                                                                                     \
    " Before: as the network outputs them, relative to an arbitrary zero that differs between "    \
    "groups. After: relative to the natural pose that was found."

/* Poses about the natural pose are always known; those that the network gave only of Algorithm 1. */
static size_t kinds_of(const recon_found_folder *f)
{
    return f->psi ? 2 : 1;
}

static const double *poses_of(const recon_found_folder *f, size_t kind)
{
    return kind + 1 < kinds_of(f) ? f->psi : f->absolute;
}

static const char *const names[] = { "before", "after" };

/* From this angle half of the n angles are no further. */
static double half_within(double *scratch, const double *angles, size_t n, double from)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = recon_so2_distance(angles[i], from);
    return recon_found_median(scratch, n);
}

static double circular_mean(const double *angles, size_t n)
{
    double c = 0, s = 0;
    for (size_t i = 0; i < n; i++) {
        c += cos(angles[i]);
        s += sin(angles[i]);
    }
    return atan2(s, c);
}

/* Of n groups from `first` on; rose[kind][group]. */
static recon_status show_circle_table(recon_ctx *ctx, recon_page *page, const recon_found_groups *g,
                                      const recon_rose *roses, size_t kinds, size_t first, size_t n)
{
    const char *const columns[] = { g->what, "members", "half lie within (degrees)",
                                    "half lay within, before (degrees)" };
    double *scratch;
    size_t most = 0;
    for (size_t i = first; i < first + n; i++)
        most = g->n[i] > most ? g->n[i] : most;
    RECON_CHECK(recon_alloc_raw(ctx, &scratch, most, sizeof *scratch));
    recon_page_table(page, "Spread of poses", columns, 2 + kinds);
    for (size_t i = first; i < first + n; i++) {
        const recon_rose *before = &roses[i], *after = &roses[(kinds - 1) * g->count + i];
        recon_page_cell(page, "%s", g->name[i]);
        recon_page_cell(page, "%zu", g->n[i]);
        recon_page_cell(page, "%.1f",
                        RECON_TO_DEGREES * half_within(scratch, after->angles, after->count, 0));
        if (kinds > 1)
            recon_page_cell(page, "%.1f",
                            RECON_TO_DEGREES *
                                half_within(scratch, before->angles, before->count,
                                            circular_mean(before->angles, before->count)));
    }
    free(scratch);
    return RECON_OK;
}

/* ABREAST groups at most, from `first` on. */
static recon_status show_row(recon_ctx *ctx, recon_page *page, const recon_found_groups *g,
                             const recon_rose *roses, size_t kinds, size_t first)
{
    size_t n = g->count - first < ABREAST ? g->count - first : ABREAST;
    recon_rose shown[2 * ABREAST];
    const char *headings[ABREAST];
    char *svg = NULL;
    for (size_t i = 0; i < n; i++) {
        headings[i] = g->name[first + i];
        for (size_t kind = 0; kind < kinds; kind++)
            shown[kind * n + i] = roses[kind * g->count + first + i];
    }
    RECON_CHECK(recon_figure_roses(ctx, &svg,
                                   &(recon_roses){ .roses = shown,
                                                   .rows = kinds,
                                                   .columns = n,
                                                   .headings = headings,
                                                   .names = kinds > 1 ? names : NULL,
                                                   .own_scale = 1 }));
    recon_page_figure(page, svg,
                      first       ? "The same for the next groups."
                      : kinds > 1 ? CIRCLES BEFORE
                                  : CIRCLES);
    return show_circle_table(ctx, page, g, roses, kinds, first, n);
}

static recon_status draw_circles(recon_ctx *ctx, recon_page *page, const recon_found_folder *f,
                                 const recon_found_groups *g)
{
    recon_rose roses[2 * RECON_FOUND_GROUPS] = { { 0 } };
    double *angles = NULL;
    size_t used = 0, kinds = kinds_of(f);
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &angles, kinds * f->rows, sizeof *angles));
    for (size_t i = 0; i < kinds * g->count; i++) {
        size_t at = i % g->count;
        for (size_t j = 0; j < g->n[at]; j++)
            angles[used + j] = poses_of(f, i / g->count)[g->member[at][j]];
        roses[i] = (recon_rose){ .angles = angles + used, .count = g->n[at] };
        used += g->n[at];
    }
    for (size_t first = 0; first < g->count; first += ABREAST)
        RECON_TRY(show_row(ctx, page, g, roses, kinds, first));
done:
    free(angles);
    return status;
}

/* --- poses in space --------------------------------------------------------------------------- */

static recon_status fit(recon_ctx *ctx, recon_fisher_fit *out, recon_so3 *scratch,
                        const recon_so3 *poses, const size_t *rows, size_t n)
{
    size_t count = n < FIT_MOST ? n : FIT_MOST;
    for (size_t i = 0; i < count; i++)
        scratch[i] = poses[rows[i * n / count]];
    return recon_fisher_fit_samples(ctx, out, scratch, count, NULL);
}

/* fits [groups], about the natural pose */
static void show_sphere_table(recon_page *page, const recon_found_groups *g,
                              const recon_fisher_fit *fits)
{
    static const char *const determined[] = { "one pose", "an axis; the spin about it is free",
                                              "hardly anything", "nothing" };
    const char *const columns[] = { g->what, "members", "concentration",
                                    "poses that fit no distribution (%)",
                                    "what the poses determine" };
    recon_page_table(page, "Poses about the natural pose", columns, 5);
    for (size_t i = 0; i < g->count; i++) {
        recon_page_cell(page, "%s", g->name[i]);
        recon_page_cell(page, "%zu", g->n[i]);
        recon_page_cell(page, "%.1f", fits[i].fisher.singular[0]);
        recon_page_cell(page, "%.0f", 100 * fits[i].background);
        recon_page_cell(page, "%s", determined[recon_fisher_free(&fits[i].fisher)]);
    }
}

#define SPHERES                                                                                    \
    "Where the three axes of an object point: each colour is one axis, bright where it points "    \
    "often, faint where that is on the far side. A spot is an axis that always points one way, a " \
    "ring one that spins about another."
#define SPHERES_BEFORE                                                                             \
    " Before: in the network's own frame, which is arbitrary and differs between groups. After: "  \
    "relative to the natural pose that was found."

static recon_status draw_spheres(recon_ctx *ctx, recon_page *page, const recon_found_folder *f,
                                 const recon_found_groups *g)
{
    recon_fisher_fit fits[2 * RECON_FOUND_GROUPS];
    recon_sphere spheres[2 * ABREAST];
    const char *headings[ABREAST];
    size_t n = g->count < ABREAST ? g->count : ABREAST; /* drawn; the table has all */
    size_t kinds = kinds_of(f);
    recon_so3 *scratch = NULL;
    recon_status status = RECON_OK;
    if (!recon_found_draws(ctx, page))
        return RECON_OK;
    RECON_TRY(recon_alloc_raw(ctx, &scratch, FIT_MOST, sizeof *scratch));
    for (size_t i = 0; i < kinds * g->count; i++) {
        size_t at = i % g->count;
        RECON_TRY(fit(ctx, &fits[i], scratch, (const recon_so3 *)poses_of(f, i / g->count),
                      g->member[at], g->n[at]));
    }
    for (size_t i = 0; i < kinds * n; i++) {
        spheres[i] = (recon_sphere){ .f = fits[i / n * g->count + i % n].fisher.f };
        headings[i % n] = g->name[i % n];
    }
    recon_page_spheres(page,
                       &(recon_sphere_sheet){ .spheres = spheres,
                                              .rows = kinds,
                                              .columns = n,
                                              .headings = headings,
                                              .names = kinds > 1 ? names : NULL },
                       kinds > 1 ? SPHERES SPHERES_BEFORE : SPHERES);
    show_sphere_table(page, g, fits + (kinds - 1) * g->count);
done:
    free(scratch);
    return status;
}

/* --- widths ----------------------------------------------------------------------------------- */

static const recon_found_reading distance = {
    "root mean square distance (degrees)", NULL,
    "How far the poses of each class are from the natural pose: the root mean square of the angles."
};

static const recon_found_reading *read_any(const recon_found_folder *f)
{
    (void)f;
    return &distance;
}

/* Also of the group's own unit. */
static const recon_found_reading *read_shifts(const recon_found_folder *f)
{
    static const recon_found_reading rotations = {
        "standard deviation of rotations (radians)", NULL,
        "How far the rotations of each class vary around the natural pose; parameters.npy has the covariance "
        "of rotations and shifts."
    };
    static const recon_found_reading shifts = {
        "standard deviation", NULL,
        "How far the poses of each class vary around the natural pose, in the unit of the poses; of sizes "
        "in natural logarithms."
    };
    return strchr(f->group->directions, 'r') ? &rotations : &shifts;
}

static recon_status width_itself(recon_ctx *ctx, double *out, const double *theta)
{
    (void)ctx;
    *out = *theta;
    return RECON_OK;
}

static const recon_found_reading *read_angles(const recon_found_folder *f)
{
    static const recon_found_reading uniform = {
        "half-width (degrees)", "half-width",
        "How far the poses of each class extend to either side of the natural pose."
    };
    static const recon_found_reading normal = {
        "standard deviation (degrees)", "standard deviation",
        "How far the poses of each class vary around the natural pose."
    };
    const char *family = recon_found_text(f, "family");
    return !strcmp(family, "uniform") ? &uniform : !strcmp(family, "normal") ? &normal : &distance;
}

static const recon_found_reading *read_rotations(const recon_found_folder *f)
{
    static const recon_found_reading fisher = {
        "concentration", NULL,
        "The largest singular value of the matrix Fisher distribution that was fitted to each class: "
        "0 is any pose, 100 an axis that varies by about 8 degrees."
    };
    (void)f;
    return &fisher;
}

static recon_status width_degrees(recon_ctx *ctx, double *out, const double *theta)
{
    (void)ctx;
    *out = theta[0] * RECON_TO_DEGREES;
    return RECON_OK;
}

/* The largest singular value of F. */
static recon_status concentration(recon_ctx *ctx, double *out, const double *f)
{
    recon_fisher fisher;
    recon_status status = recon_fisher_of(ctx, &fisher, f);
    *out = status == RECON_OK ? fisher.singular[0] : NAN;
    return status;
}

/* --- any group -------------------------------------------------------------------------------- */

/* Numbers alone: how far the poses of each group of rows are from their natural poses. */
static recon_status list_distances(recon_ctx *ctx, recon_page *page, const recon_found_folder *f,
                                   const recon_found_groups *g)
{
    const char *const columns[] = { g->what, "members", "half lie within (degrees)" };
    double *apart = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &apart, f->rows, sizeof *apart));
    recon_page_table(page, "Distances from the natural pose", columns, 3);
    for (size_t i = 0; i < g->count; i++) {
        for (size_t j = 0; j < g->n[i]; j++)
            apart[j] = recon_found_degrees(f, g->member[i][j]);
        recon_page_cell(page, "%s", g->name[i]);
        recon_page_cell(page, "%zu", g->n[i]);
        recon_page_cell(page, "%.0f", recon_found_median(apart, g->n[i]));
    }
done:
    free(apart);
    return status;
}

/* --- shifts and sizes ------------------------------------------------------------------------- */

enum { SHOWN = 2000 }; /* points of a plane */

/* The first two directions of shifts: a plane; one: a histogram. */
static recon_status draw_shifts(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    const recon_group *g = f->group;
    const char *first = strpbrk(g->directions, "sz");
    size_t at = (size_t)(first - g->directions), count = 1 + (first[1] == *first), *row = NULL, n;
    double *x = NULL, v[RECON_NUMBERS_MAX];
    char *svg = NULL;
    recon_status status = RECON_OK;
    if (!g->log)
        return RECON_OK;
    RECON_TRY(recon_found_sample(ctx, &row, &n, f->rows, SHOWN));
    RECON_TRY(recon_alloc_raw(ctx, &x, n, 2 * sizeof *x));
    for (size_t i = 0; i < n; i++) {
        g->log(g, v, f->absolute + row[i] * g->numbers);
        x[i] = v[at];
        x[n + i] = v[at + count - 1];
    }
    if (count == 1) {
        RECON_TRY(recon_found_show_spread(
            ctx, page,
            &(recon_found_spread){ .x_label = *first == 's' ? "shift" : "logarithm of the size",
                                   .caption = "Poses of all points, from their natural poses.",
                                   .values = x,
                                   .n = n }));
        goto done;
    }
    const recon_series points = { .x = x, .y = x + n, .count = n, .loose = 1 };
    const recon_panel panel = { .x_label = "x", .y_label = "y", .series = &points, .count = 1 };
    RECON_TRY(recon_figure_chart(
        ctx, &svg, &(recon_chart){ .panels = &panel, .count = 1, .width = 400, .height = 400 }));
    recon_page_figure(page, svg, "Shifts of all points, from their natural poses.");
done:
    recon_free_all(row, x);
    return status;
}

static recon_status list_shifts(recon_ctx *ctx, recon_page *page, const recon_found_folder *f,
                                const recon_found_groups *g)
{
    const char *const columns[] = { g->what, "members", "half are rotated within (degrees)",
                                    "half are shifted within" };
    double *apart = NULL;
    recon_status status;
    RECON_TRY(draw_shifts(ctx, page, f));
    RECON_TRY(recon_alloc_raw(ctx, &apart, f->rows, 2 * sizeof *apart));
    recon_page_table(page, "Distances from the natural pose", columns, 4);
    for (size_t i = 0; i < g->count; i++) {
        for (size_t j = 0; j < g->n[i]; j++)
            recon_pose_extent(f->group, &apart[j], &apart[f->rows + j],
                              f->absolute + g->member[i][j] * f->group->numbers);
        recon_page_cell(page, "%s", g->name[i]);
        recon_page_cell(page, "%zu", g->n[i]);
        recon_page_cell(page, "%.0f", RECON_TO_DEGREES * recon_found_median(apart, g->n[i]));
        recon_page_cell(page, "%.3g", recon_found_median(apart + f->rows, g->n[i]));
    }
done:
    recon_free_all(apart);
    return status;
}

/* --- the table -------------------------------------------------------------------------------- */

#define ONE                                                                                        \
    {                                                                                              \
        RECON_NATURAL_ONE, "have one natural pose", "one natural pose"                             \
    }
#define SEVERAL                                                                                    \
    {                                                                                              \
        RECON_NATURAL_SEVERAL, "have several natural poses", "several"                             \
    }
#define CHOSEN                                                                                      \
    "the pose is known only modulo a symmetry: which of these poses gamma.npy has was chosen, not " \
    "found."

static const recon_found_drawing drawings[] = {
    { .group = RECON_SO2,
      .kinds = { ONE,
                 SEVERAL,
                 { RECON_NATURAL_MODULO, "have one modulo a symmetry",
                   "one modulo a half, third or quarter turn" },
                 { RECON_NATURAL_NONE, "have no natural pose", "none: all directions alike" } },
      .chosen = CHOSEN,
      .known_is = "1: all poses of a class are equal. 0: they cancel out, because they have all "
                  "orientations or opposite ones.",
      .read = read_angles,
      .width = width_degrees,
      .draw = draw_circles },
    { .group = RECON_SO3,
      .kinds = { ONE,
                 SEVERAL,
                 { RECON_NATURAL_AXIS, "have an axis, with a free spin",
                   "an axis; the spin about it free" },
                 { RECON_NATURAL_NONE, "have no natural pose", "none: all poses alike" } },
      .chosen = "the spin about an axis is free: gamma.npy aligns the axis; the spin is a choice.",
      .known = 2,
      .known_is = "For the least determined direction. 1: all poses of a class are equal. 0: a "
                  "rotation is free.",
      .parameters = 9,
      .read = read_rotations,
      .width = concentration,
      .draw = draw_spheres },
    { .unbounded = 1,
      .kinds = { ONE,
                 SEVERAL,
                 { RECON_NATURAL_AXIS, "have free directions", "one, but for free directions" },
                 { RECON_NATURAL_NONE, "have no natural pose",
                   "none: as far apart as all poses" } },
      .chosen =
          "some directions are free: where in these gamma.npy lies was chosen, not found. free.npy has "
          "them.",
      .known_is = "1: all poses of a class are equal. 0: none is preferred.",
      .read = read_shifts,
      .width = width_itself,
      .draw = list_shifts },
    { .kinds = { ONE,
                 SEVERAL,
                 { RECON_NATURAL_MODULO, "have one modulo a symmetry", "one modulo a symmetry" },
                 { RECON_NATURAL_NONE, "have no natural pose", "none: all poses alike" } },
      .chosen = CHOSEN,
      .known_is = "1: all poses of a class are equal. 0: none is preferred.",
      .read = read_any,
      .width = width_degrees,
      .draw = list_distances },
};

const recon_found_drawing *recon_found_drawing_of(const recon_group *group)
{
    const recon_found_drawing *d = drawings;
    while (d->unbounded ? !recon_group_is_unbounded(group) : d->group && d->group != group)
        d++;
    return d;
}

recon_status recon_found_show_poses(recon_ctx *ctx, recon_page *page, const recon_found_folder *f,
                                    const recon_found_groups *g)
{
    recon_found_words words;
    recon_status status = f->drawing->draw(ctx, page, f, g);
    if (status == RECON_OK && g->others)
        recon_page_say(page,
                       "The %zu largest groups are shown; %s more points belong to smaller ones.",
                       g->count, recon_found_count(words, g->others));
    return status;
}
