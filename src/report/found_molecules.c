/* found_molecules.c - what `recon discover` found in molecules. */
#include "report/found.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <recon/apps/molscore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE = 240, /* conformers that the model looks at once more */
    MANY = 12,    /* members from which on a class's own poses say something */
    SPHERES = 5,
    SHOWN = 3,   /* molecules in the gallery ... */
    ABREAST = 4, /* ... with so many conformers each */
    WORST = 12,
    MOLECULES_MOST = 12 /* rows of a table */
};

#define SUSPECT 0.5 /* a background of this share leaves little to go by */

typedef struct {
    const recon_found_folder *f;
    const recon_molecules *data;
    int64_t *labels; /* [rows] or NULL */
    recon_found_groups groups;
    recon_molmodel *model;
    size_t *row, n; /* the sample, and what the model says of it */
    recon_distribution3 *said;
    recon_found_trial trial;
} look;

/* --- turning ---------------------------------------------------------------------------------- */

static void turn(float *out, const recon_conformer *x, recon_so3 by)
{
    for (size_t a = 0; a < x->atoms; a++) {
        double at[3] = { x->xyz[3 * a], x->xyz[3 * a + 1], x->xyz[3 * a + 2] };
        recon_so3_act(at, by, at);
        for (size_t i = 0; i < 3; i++)
            out[3 * a + i] = (float)at[i];
    }
}

/* Conformers as pictures, with room for those that are turned. */
typedef struct {
    size_t atoms; /* of the largest */
    float *xyz;   /* [count][atoms][3] */
    double *axis; /* [count][3]        */
    recon_molecule_picture *picture;
} sheet;

static recon_status sheet_new(recon_ctx *ctx, sheet *out, const recon_molecules *data, size_t count)
{
    recon_status status;
    *out = (sheet){ .atoms = recon_molecules_describe(data).atoms };
    RECON_TRY(recon_alloc_raw(ctx, &out->xyz, count * out->atoms, 3 * sizeof *out->xyz));
    RECON_TRY(recon_alloc_raw(ctx, &out->axis, count, 3 * sizeof *out->axis));
    RECON_TRY(recon_alloc(ctx, &out->picture, count, sizeof *out->picture));
done:
    return status;
}

static void sheet_free(sheet *s)
{
    free(s->xyz);
    free(s->axis);
    free(s->picture);
}

static void put(sheet *s, size_t at, const look *l, size_t row, recon_so3 by, const char *caption)
{
    recon_conformer x = recon_molecules_get(l->data, row);
    float *to = s->xyz + at * 3 * s->atoms;
    turn(to, &x, by);
    s->picture[at] = (recon_molecule_picture){ caption, x.atoms, x.z, to, NULL };
}

/* Draws the axis that its poses determine, where they do, through a picture turned by `by`. */
static void put_axis(sheet *s, size_t at, const recon_distribution3 *said, recon_so3 by)
{
    if (said->free > 1)
        return;
    recon_so3_act(s->axis + 3 * at, by, said->axis_now);
    s->picture[at].axis = s->axis + 3 * at;
}

static recon_so3 to_natural(const look *l, size_t row)
{
    return recon_so3_inverse(l->f->absolute.so3[row]);
}

/* --- the data and the model ------------------------------------------------------------------- */

static recon_status read_labels(recon_ctx *ctx, look *l)
{
    size_t n = recon_molecules_describe(l->data).n;
    if (n != l->f->rows)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s was made from %zu conformers, but the data are %zu", l->f->dir,
                          l->f->rows, n);
    recon_status status = recon_alloc_raw(ctx, &l->labels, n, sizeof *l->labels);
    for (size_t i = 0; status == RECON_OK && i < n; i++)
        l->labels[i] = recon_molecules_get(l->data, i).molecule;
    return status;
}

/* The same conformers turned by any rotation, and what the model says of them. */
static recon_status score_turned(recon_ctx *ctx, look *l, recon_conformer *x)
{
    size_t atoms = recon_molecules_describe(l->data).atoms;
    float *xyz = NULL;
    recon_oddness3 *odd = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &xyz, l->n * atoms, 3 * sizeof *xyz));
    RECON_TRY(recon_alloc_raw(ctx, &odd, l->n, sizeof *odd));
    for (size_t i = 0; i < l->n; i++) {
        recon_rng rng = recon_rng_new(RECON_FOUND_SEED, i);
        turn(xyz + i * 3 * atoms, &x[i], recon_so3_haar(&rng));
        x[i].xyz = xyz + i * 3 * atoms;
    }
    RECON_TRY(recon_molscore(ctx, odd, l->model, x, l->n));
    for (size_t i = 0; i < l->n; i++) {
        recon_rng rng = recon_rng_new(RECON_FOUND_SEED, i);
        recon_so3 by = recon_so3_haar(&rng);
        l->trial.turned[i] = odd[i].score;
        l->trial.miss[i] =
            RECON_DEGREES *
            recon_so3_distance(odd[i].pose.psi, recon_so3_compose(by, l->said[i].pose.psi));
    }
done:
    free(xyz);
    free(odd);
    return status;
}

/* The folder's poses are those that the model gives to these conformers. */
static recon_status check_same(recon_ctx *ctx, look *l)
{
    double *apart = l->trial.miss; /* not yet in use */
    for (size_t i = 0; i < l->n; i++)
        apart[i] = recon_so3_distance(l->said[i].pose.psi, l->f->psi.so3[l->row[i]]);
    return recon_found_check_same(ctx, l->f, apart, l->n);
}

static recon_status use_model(recon_ctx *ctx, look *l)
{
    char path[4096];
    recon_conformer *x = NULL;
    recon_status status;
    snprintf(path, sizeof path, "%s/model.safetensors", l->f->dir);
    RECON_TRY(recon_molmodel_open(ctx, &l->model, path, RECON_SINGLE));
    RECON_TRY(recon_found_sample(ctx, &l->row, &l->n, l->f->rows, SAMPLE));
    RECON_TRY(recon_alloc_raw(ctx, &l->said, l->n, sizeof *l->said));
    RECON_TRY(recon_found_trial_new(ctx, &l->trial, l->n));
    RECON_TRY(recon_alloc_raw(ctx, &x, l->n, sizeof *x));
    for (size_t i = 0; i < l->n; i++)
        x[i] = recon_molecules_get(l->data, l->row[i]);
    RECON_TRY(recon_moldistribution_of(ctx, l->said, l->model, x, l->n));
    RECON_TRY(check_same(ctx, l));
    for (size_t i = 0; i < l->n; i++)
        l->trial.natural[i] = l->said[i].score;
    RECON_TRY(score_turned(ctx, l, x));
    l->trial.threshold = recon_molscore_threshold(l->model, 0.01);
done:
    free(x);
    return status;
}

/* Groups are molecules: they have names. */
static recon_status group(recon_ctx *ctx, look *l)
{
    recon_status status = recon_found_group(ctx, &l->groups, l->f, l->labels);
    for (size_t i = 0; status == RECON_OK && l->labels && i < l->groups.count; i++)
        snprintf(l->groups.name[i], sizeof l->groups.name[i], "%s",
                 recon_molecules_name(l->data, (size_t)l->labels[l->groups.member[i][0]]));
    return status;
}

static void look_free(recon_ctx *ctx, look *l)
{
    recon_molmodel_close(ctx, l->model);
    recon_found_groups_free(&l->groups);
    free(l->labels);
    free(l->row);
    free(l->said);
    recon_found_trial_free(&l->trial);
}

/* --- what was found --------------------------------------------------------------------------- */

/* Points by what is free for them, as shares. */
static recon_status read_free(recon_ctx *ctx, double out[4], const recon_found_folder *f)
{
    static const char *const keys[] = { "free.none", "free.spin", "free.two", "free.all" };
    double sum = 0;
    recon_status status;
    for (int i = 0; i < 4; i++) {
        RECON_TRY(recon_found_number(ctx, &out[i], f, keys[i]));
        sum += out[i];
    }
    for (int i = 0; i < 4; i++)
        out[i] /= sum > 0 ? sum : 1;
done:
    return status;
}

recon_status recon_found_molecule_results(recon_ctx *ctx, recon_page *page,
                                          const recon_found_folder *f)
{
    double points, free[4], hits = recon_found_maybe(f, "hit_rate");
    recon_found_words words;
    recon_status status;
    RECON_TRY(recon_found_number(ctx, &points, f, "points"));
    RECON_TRY(read_free(ctx, free, f));
    recon_page_result(page, "conformers", "%s", recon_found_count(words, (size_t)fmax(points, 0)));
    recon_page_result(page, "have one natural pose", "%s", recon_found_share(words, free[0]));
    recon_page_result(page, "have an axis, with a free spin", "%s",
                      recon_found_share(words, free[1]));
    recon_page_result(page, "have no natural pose", "%s",
                      recon_found_share(words, free[2] + free[3]));
    if (!isnan(hits))
        recon_page_result(page, "of neighbours are the same molecule", "%s",
                          recon_found_share(words, hits));
done:
    return status;
}

static recon_status say_found(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    double free[4], concentration, background, hits = recon_found_maybe(f, "hit_rate");
    double molecules;
    recon_found_words a, b, c;
    recon_status status;
    RECON_TRY(read_free(ctx, free, f));
    RECON_TRY(recon_found_number(ctx, &concentration, f, "concentration"));
    RECON_TRY(recon_found_number(ctx, &background, f, "background"));
    RECON_TRY(recon_found_number(ctx, &molecules, f, "molecule_count"));
    recon_page_section(page, "What was found");
    recon_page_say(page, "These are %s conformers of %s molecule%s, turned in space.",
                   recon_found_count(a, f->rows), recon_found_count(b, (size_t)fmax(molecules, 0)),
                   molecules == 1 ? "" : "s");
    recon_page_say(page,
                   "Share with one natural pose: %s. Share of whose pose only an axis is "
                   "determined, while the spin about it is free: %s. Share without a natural pose: "
                   "%s.",
                   recon_found_share(a, free[0]), recon_found_share(b, free[1]),
                   recon_found_share(c, free[2] + free[3]));
    recon_page_say(page,
                   "The best determined axis strays by about %.0f degrees (concentration %.1f, the "
                   "median; 0 is any direction), leaving aside the %s of poses that fit no "
                   "distribution.",
                   RECON_DEGREES * sqrt(2 / fmax(concentration, 1)), concentration,
                   recon_found_share(a, background));
    if (background > SUSPECT)
        recon_page_careful(page,
                           "Most poses fit no distribution: what is said here is weak. The end "
                           "of this page says what may help.");
    if (!isnan(hits))
        recon_page_say(
            page,
            "Of the %zu neighbours of a conformer, %s are of its molecule; which molecule "
            "it is was used for this figure alone.",
            f->k, recon_found_share(a, hits));
    recon_page_say(page,
                   "How it was found: a network turns each conformer into a code that does not "
                   "change when it is turned, and a rotation that does. Conformers with nearly the "
                   "same code are of one kind; the rotations in which these occur show which pose "
                   "is natural, and what of it is not determined at all.");
done:
    return status;
}

/* --- poses ------------------------------------------------------------------------------------ */

/* F of a row's poses about its natural pose: by the model, else as Algorithm 1 fitted it. */
static recon_status f_of(recon_ctx *ctx, double out[9], const look *l, size_t row)
{
    recon_distribution3 d;
    memcpy(out, l->f->theta + 9 * row, 9 * sizeof *out);
    if (!l->data)
        return RECON_OK;
    recon_conformer x = recon_molecules_get(l->data, row);
    recon_status status = recon_moldistribution_of(ctx, &d, l->model, &x, 1);
    if (status == RECON_OK)
        memcpy(out, d.poses.f, 9 * sizeof *out);
    return status;
}

static recon_status show_spheres(recon_ctx *ctx, recon_page *page, const look *l)
{
    static const char *const columns[] = { "group", "conformers", "concentration", "second",
                                           "third" };
    const recon_found_groups *g = &l->groups;
    size_t n = g->count < SPHERES ? g->count : SPHERES;
    double f[SPHERES][9];
    recon_sphere spheres[SPHERES];
    recon_fisher fisher;
    recon_status status = RECON_OK;
    for (size_t i = 0; i < n; i++) {
        RECON_TRY(f_of(ctx, f[i], l, g->member[i][0]));
        spheres[i] = (recon_sphere){ g->name[i], f[i] };
    }
    recon_page_spheres(
        page, &(recon_sphere_sheet){ .spheres = spheres, .rows = 1, .columns = n, .cell = 150 },
        "Where the axes x, y and z of a molecule in its natural pose point as it really occurs; "
        "each colour is one axis, bright where it points often, faint where that is on the far "
        "side. "
        "A spot: the axis always points one way. A ring: it spins about another. Drag to turn.");
    recon_page_table(page, "Singular values of F", columns, 5);
    for (size_t i = 0; i < n; i++) {
        RECON_TRY(recon_fisher_of(ctx, &fisher, f[i]));
        recon_page_cell(page, "%s", g->name[i]);
        recon_page_cell(page, "%zu", g->n[i]);
        for (int k = 0; k < 3; k++)
            recon_page_cell(page, "%.1f", fisher.singular[k]);
    }
done:
    return status;
}

static recon_status show_poses(recon_ctx *ctx, recon_page *page, const look *l)
{
    const recon_found_groups *g = &l->groups;
    size_t least = l->f->rows;
    recon_status status = RECON_OK;
    for (size_t i = 0; i < g->count; i++)
        least = g->n[i] < least ? g->n[i] : least;
    recon_page_section(page, l->labels ? "Poses, molecule by molecule" : "Poses, group by group");
    recon_page_say(page, l->labels ? "Some of the molecules with the most conformers:"
                                   : "Which molecule is which is not known without the data; "
                                     "conformers were grouped by who is whose neighbour.");
    if (!recon_found_draws(ctx, page))
        return RECON_OK;
    RECON_TRY(show_spheres(ctx, page, l));
    if (least >= MANY)
        RECON_TRY(recon_found_show_poses(ctx, page, l->f, g, NULL, 0));
done:
    return status;
}

/* --- pictures --------------------------------------------------------------------------------- */

/* Conformers as they came, and below each the same in its natural pose; ABREAST at most. */
static recon_status draw_pairs(recon_ctx *ctx, recon_page *page, const look *l, const size_t *row,
                               size_t n, const char *caption)
{
    static const char *const names[] = { "as they came", "natural pose" };
    recon_conformer x[ABREAST];
    recon_distribution3 said[ABREAST];
    sheet s = { 0 };
    recon_status status;
    for (size_t i = 0; i < n; i++)
        x[i] = recon_molecules_get(l->data, row[i]);
    RECON_TRY(recon_moldistribution_of(ctx, said, l->model, x, n));
    RECON_TRY(sheet_new(ctx, &s, l->data, 2 * n));
    for (size_t i = 0; i < 2 * n; i++) {
        recon_so3 by = i < n ? recon_so3_identity() : to_natural(l, row[i % n]);
        put(&s, i, l, row[i % n], by, NULL);
        put_axis(&s, i, &said[i % n], by);
    }
    recon_page_molecules(
        page,
        &(recon_molecule_sheet){ .molecules = s.picture, .rows = 2, .columns = n, .names = names },
        caption);
done:
    sheet_free(&s);
    return status;
}

static recon_status show_one(recon_ctx *ctx, recon_page *page, const look *l, size_t group)
{
    const recon_found_groups *g = &l->groups;
    size_t n = g->n[group] < ABREAST ? g->n[group] : ABREAST, row[ABREAST];
    char caption[192];
    for (size_t i = 0; i < n; i++) /* evenly from all of them */
        row[i] = g->member[group][i * g->n[group] / n];
    snprintf(caption, sizeof caption, "%s: %zu of its %zu conformers", g->name[group], n,
             g->n[group]);
    return draw_pairs(ctx, page, l, row, n, caption);
}

static void list_rows(recon_page *page, const look *l, const char *caption, const size_t *row,
                      size_t n)
{
    static const char *const columns[] = { "conformer", "molecule",
                                           "from its natural pose (degrees)", "score",
                                           "agreement of neighbours" };
    recon_page_table(page, caption, columns, 5);
    for (size_t i = 0; i < n; i++) {
        recon_page_cell(page, "%zu", row[i]);
        recon_page_cell(page, "%s",
                        l->labels ? recon_molecules_name(l->data, (size_t)l->labels[row[i]])
                                  : "not known");
        recon_page_cell(page, "%.0f", RECON_DEGREES * recon_so3_angle(l->f->absolute.so3[row[i]]));
        recon_page_cell(page, "%.2f", l->f->score[row[i]]);
        recon_page_cell(page, "%.2f", l->f->identifiability[3 * row[i]]);
    }
}

static recon_status show_gallery(recon_ctx *ctx, recon_page *page, const look *l)
{
    recon_status status = RECON_OK;
    recon_page_section(page, "From the input to its natural pose");
    if (!l->data) {
        recon_page_say(page, "Not shown: the molecules themselves are not at hand.");
        return status;
    }
    recon_page_say(
        page, "Some of the molecules with the most conformers. What should be seen: conformers "
              "that came in different poses stand alike below, except for a spin about "
              "the determined axis where that is free. The line, where there is one, is that "
              "axis. Drag to turn.");
    for (size_t i = 0; i < l->groups.count && i < SHOWN; i++) {
        RECON_TRY(show_one(ctx, page, l, i));
        list_rows(page, l, "Its conformers", l->groups.member[i],
                  l->groups.n[i] < WORST ? l->groups.n[i] : WORST);
    }
done:
    return status;
}

/* --- concentration ---------------------------------------------------------------------------- */

static void table_molecules(recon_page *page, const recon_found_folder *f)
{
    static const char *const columns[] = { "molecule", "conformers", "concentration", "no fit (%)",
                                           "free spin (%)" };
    size_t i;
    json_t *value;
    recon_page_table(page, "Molecule by molecule, the first of the set", columns, 5);
    json_array_foreach(json_object_get(f->summary, "molecules"), i, value)
    {
        if (i == MOLECULES_MOST)
            break;
        const char *name = json_string_value(json_object_get(value, "name"));
        double n = json_number_value(json_object_get(value, "conformers"));
        double spin = json_number_value(json_object_get(json_object_get(value, "free"), "spin"));
        recon_page_cell(page, "%s", name ? name : "(no name)");
        recon_page_cell(page, "%.0f", n);
        recon_page_cell(page, "%.1f", json_number_value(json_object_get(value, "concentration")));
        recon_page_cell(page, "%.0f",
                        100 * json_number_value(json_object_get(value, "background")));
        recon_page_cell(page, "%.0f", n > 0 ? 100 * spin / n : 0);
    }
}

static recon_status show_concentration(recon_ctx *ctx, recon_page *page, const look *l)
{
    const recon_histogram_mark median = { "median of all",
                                          recon_found_maybe(l->f, "concentration") };
    double *values = NULL;
    size_t *row = NULL, n;
    recon_fisher fisher;
    recon_status status;
    recon_page_section(page, "How far they turn");
    recon_page_say(page, "The concentration says how strictly the best determined axis points one "
                         "way: 0 is any direction, 30 strays by about 15 degrees, 100 by about 8.");
    RECON_TRY(recon_found_sample(ctx, &row, &n, l->f->rows, SAMPLE));
    RECON_TRY(recon_alloc_raw(ctx, &values, n, sizeof *values));
    for (size_t i = 0; i < n; i++) {
        if (l->data) {
            values[i] = l->said[i].poses.singular[0];
            continue;
        }
        RECON_TRY(recon_fisher_of(ctx, &fisher, l->f->theta + 9 * row[i]));
        values[i] = fisher.singular[0];
    }
    RECON_TRY(recon_found_show_spread(
        ctx, page,
        &(recon_found_spread){ .x_label = "concentration",
                               .caption = l->data ? "Of a sample of conformers, by the model."
                                                  : "Of a sample of conformers, fitted to the "
                                                    "poses of their own neighbours.",
                               .values = values,
                               .n = n,
                               .marks = &median,
                               .mark_count = 1 }));
    table_molecules(page, l->f);
done:
    free(values);
    free(row);
    return status;
}

/* --- neighbours and worst cases --------------------------------------------------------------- */

static recon_status draw_neighbors(recon_ctx *ctx, recon_page *page, const look *l)
{
    static const char *const marks[] = { "another molecule", "same molecule" };
    size_t rows = l->n < SHOWN ? l->n : SHOWN, k = l->f->k < ABREAST ? l->f->k : ABREAST;
    sheet s = { 0 };
    recon_status status;
    RECON_TRY(sheet_new(ctx, &s, l->data, rows * (k + 1)));
    for (size_t i = 0; i < rows; i++) {
        size_t row = l->row[(2 * i + 1) * l->n / (2 * rows)];
        put(&s, i * (k + 1), l, row, recon_so3_identity(), "input");
        for (size_t j = 0; j < k; j++) {
            size_t other = (size_t)l->f->neighbors[row * l->f->k + j];
            put(&s, i * (k + 1) + 1 + j, l, other, recon_so3_identity(),
                marks[l->labels[other] == l->labels[row]]);
        }
    }
    recon_page_molecules(
        page, &(recon_molecule_sheet){ .molecules = s.picture, .rows = rows, .columns = k + 1 },
        "Some conformers, evenly from a sample, and to the right of each its "
        "nearest neighbours as they came.");
done:
    sheet_free(&s);
    return status;
}

static recon_status show_neighbors(recon_ctx *ctx, recon_page *page, const look *l)
{
    static const char *const columns[] = { "neighbours", "of the same molecule" };
    double hits = recon_found_maybe(l->f, "hit_rate");
    recon_found_words words;
    recon_status status = RECON_OK;
    recon_page_section(page, "Neighbours");
    recon_page_say(page,
                   "Everything above rests on the %zu nearest neighbours of each conformer in the "
                   "embedding being of its kind.",
                   l->f->k);
    if (l->data)
        status = draw_neighbors(ctx, page, l);
    else
        recon_page_say(page, "Not shown: the molecules themselves are not at hand.");
    if (isnan(hits))
        return status;
    recon_page_table(page, "Hit rate", columns, 2);
    recon_page_cell(page, "%zu", l->f->k);
    recon_page_cell(page, "%s", recon_found_share(words, hits));
    return status;
}

static recon_status show_extreme(recon_ctx *ctx, recon_page *page, const look *l, const double *key,
                                 size_t stride, double sign, const char *caption)
{
    size_t row[WORST], n = recon_found_extreme(row, WORST, key, stride, sign, l->f->rows);
    recon_status status =
        l->data ? draw_pairs(ctx, page, l, row, n < ABREAST ? n : ABREAST, caption) : RECON_OK;
    if (status == RECON_OK)
        list_rows(page, l, caption, row, n);
    return status;
}

static recon_status show_worst(recon_ctx *ctx, recon_page *page, const look *l)
{
    recon_status status;
    recon_page_section(page, "Worst cases");
    recon_page_say(page, "Where it goes wrong, or where the data are strange: look here first.");
    if (!l->data)
        recon_page_say(page, "Listed, not shown: the molecules themselves are not at hand.");
    RECON_TRY(show_extreme(ctx, page, l, l->f->score, 1, 1,
                           "Of all conformers those with the highest score: odd among their own "
                           "neighbours"));
    RECON_TRY(show_extreme(ctx, page, l, l->f->identifiability, 3, -1,
                           "Those whose neighbours agree least, not even on an axis: their natural "
                           "pose is a guess"));
done:
    return status;
}

/* --- warnings --------------------------------------------------------------------------------- */

static int warn_of_poses(recon_page *page, const recon_found_folder *f)
{
    double n = (double)f->rows, spin = recon_found_maybe(f, "free.spin") / n;
    double none = (recon_found_maybe(f, "free.two") + recon_found_maybe(f, "free.all")) / n;
    recon_found_words words;
    int said = 0;
    if (spin > 0.05 && ++said)
        recon_page_careful(page,
                           "For %s of the conformers the spin about an axis is free: the natural "
                           "pose puts the axis where it belongs, but the spin is a choice, not a "
                           "finding.",
                           recon_found_share(words, spin));
    if (none > 0.05 && ++said)
        recon_page_careful(page,
                           "For %s of the conformers poses determine hardly anything: no pose is "
                           "natural, and turning them to one means nothing.",
                           recon_found_share(words, none));
    return said;
}

static int warn_of_hits(recon_page *page, const recon_found_folder *f)
{
    double hits = recon_found_maybe(f, "hit_rate");
    recon_found_words words;
    if (!(hits < 0.5))
        return 0;
    recon_page_careful(page,
                       "Only %s of neighbours are the same molecule. That may be well where others "
                       "are alike; else there are fewer than %zu of each kind: take a smaller --k "
                       "or more conformers.",
                       recon_found_share(words, hits), f->k);
    return 1;
}

static void show_warnings(recon_page *page, const look *l)
{
    int said;
    recon_page_section(page, "What to be careful about");
    said = warn_of_poses(page, l->f) + warn_of_hits(page, l->f) +
           recon_found_warn_of_model(page, &l->trial) + recon_found_warn(page, l->f);
    if (!said)
        recon_page_say(page,
                       "Nothing stands out: natural poses are plain, and the model follows turns.");
}

recon_status recon_found_molecules(recon_ctx *ctx, recon_page *page, const char *dir,
                                   const recon_molecules *data)
{
    recon_found_folder f = { 0 };
    look l = { .f = &f,
               .data = data,
               .trial = { .one = "a conformer",
                          .many = "conformers",
                          .turn = "a rotation drawn evenly from all rotations" } };
    recon_status status;
    RECON_TRY(recon_found_open_as(ctx, &f, dir, RECON_FOUND_MOLECULES));
    if (data) {
        RECON_TRY(read_labels(ctx, &l));
        RECON_TRY(use_model(ctx, &l));
    }
    RECON_TRY(group(ctx, &l));
    RECON_TRY(say_found(ctx, page, &f));
    RECON_TRY(show_poses(ctx, page, &l));
    RECON_TRY(show_gallery(ctx, page, &l));
    RECON_TRY(show_concentration(ctx, page, &l));
    RECON_TRY(recon_found_show_odd(ctx, page, &f, &l.trial));
    RECON_TRY(show_neighbors(ctx, page, &l));
    RECON_TRY(show_worst(ctx, page, &l));
    show_warnings(page, &l);
    recon_found_show_settings(page, &f);
    recon_found_show_next(page, &f);
done:
    look_free(ctx, &l);
    recon_found_close(&f);
    return status;
}
