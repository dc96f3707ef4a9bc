/* found_molecules.c - what `recon discover` found in molecules. */
#include "report/found_inputs.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

/* --- sections that show some of them -------------------------------------------------------- */

/* Its atoms, rotated about the origin. */
static void rotate(float *out, const recon_conformer *x, recon_so3 by)
{
    for (size_t a = 0; a < x->atoms; a++) {
        double at[3] = { x->xyz[3 * a], x->xyz[3 * a + 1], x->xyz[3 * a + 2] };
        recon_so3_act(at, by, at);
        for (size_t i = 0; i < 3; i++)
            out[3 * a + i] = (float)at[i];
    }
}

enum {
    SHOWN = 3,  /* molecules in the gallery ...    */
    ABREAST = 4 /* ... with so many conformers each */
};

/* Conformers as pictures, with room for those that are rotated. */
typedef struct {
    size_t atoms; /* of the largest */
    float *xyz;   /* [count][atoms][3] */
    double *axis; /* [count][3]        */
    recon_molecule_picture *picture;
} sheet;

static recon_status sheet_new(recon_ctx *ctx, sheet *out, const recon_look *l, size_t count)
{
    *out = (sheet){ .atoms = recon_molecules_describe(recon_data_molecules(l->data)).atoms };
    RECON_CHECK(recon_alloc_raw(ctx, &out->xyz, count * out->atoms, 3 * sizeof *out->xyz));
    RECON_CHECK(recon_alloc_raw(ctx, &out->axis, count, 3 * sizeof *out->axis));
    return recon_alloc(ctx, &out->picture, count, sizeof *out->picture);
}

static void sheet_free(sheet *s)
{
    free(s->xyz);
    free(s->axis);
    free(s->picture);
}

static void put(sheet *s, size_t at, const recon_look *l, size_t row, recon_so3 by,
                const char *caption)
{
    recon_conformer x = recon_molecules_get(recon_data_molecules(l->data), row);
    float *to = s->xyz + at * 3 * s->atoms;
    rotate(to, &x, by);
    s->picture[at] = (recon_molecule_picture){ caption, x.atoms, x.z, to, NULL };
}

/* --- pictures --------------------------------------------------------------------------------- */

/* Conformers as they came, and below each the same in its natural pose; ABREAST at most. */
static recon_status draw_pairs(recon_ctx *ctx, recon_page *page, const recon_look *l,
                               const size_t *row, size_t n, const char *caption)
{
    static const char *const names[] = { "as they came", "natural pose" };
    recon_conformer x[ABREAST];
    recon_distribution3 said[ABREAST];
    sheet s = { 0 };
    recon_status status;
    for (size_t i = 0; i < n; i++)
        x[i] = recon_molecules_get(recon_data_molecules(l->data), row[i]);
    RECON_TRY(recon_distribution_molecules(ctx, said, l->model, x, n));
    RECON_TRY(sheet_new(ctx, &s, l, 2 * n));
    for (size_t i = 0; i < 2 * n; i++) {
        recon_so3 by = i < n ? recon_so3_identity()
                             : recon_so3_inverse(recon_so3_at(l->f->absolute, row[i % n]));
        put(&s, i, l, row[i % n], by, NULL);
        if (said[i % n].free <= 1) { /* the axis that its poses determine */
            recon_so3_act(s.axis + 3 * i, by, said[i % n].axis_now);
            s.picture[i].axis = s.axis + 3 * i;
        }
    }
    recon_page_molecules(
        page,
        &(recon_molecule_sheet){ .molecules = s.picture, .rows = 2, .columns = n, .names = names },
        caption);
done:
    sheet_free(&s);
    return status;
}

static recon_status show_one(recon_ctx *ctx, recon_page *page, const recon_look *l, size_t group)
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

static recon_status show_gallery(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    recon_page_say(
        page, "Some of the molecules with the most conformers. What to look for: conformers in "
              "different poses should have the same orientation below, except for a spin about "
              "the determined axis if it is free. The line, if there is one, is that axis. Drag "
              "to rotate.");
    for (size_t i = 0; i < l->groups.count && i < SHOWN; i++) {
        RECON_CHECK(show_one(ctx, page, l, i));
        recon_look_list(page, l, "Its conformers", l->groups.member[i],
                        l->groups.n[i] < RECON_FOUND_WORST ? l->groups.n[i] : RECON_FOUND_WORST);
    }
    return RECON_OK;
}

/* --- neighbours ------------------------------------------------------------------------------- */

static recon_status show_neighbors(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    static const char *const marks[] = { "another molecule", "same molecule" };
    size_t rows = l->n < SHOWN ? l->n : SHOWN, k = l->f->k < ABREAST ? l->f->k : ABREAST;
    sheet s = { 0 };
    recon_status status;
    RECON_TRY(sheet_new(ctx, &s, l, rows * (k + 1)));
    for (size_t i = 0; i < rows; i++) {
        size_t row = recon_look_row(l, i, rows);
        put(&s, i * (k + 1), l, row, recon_so3_identity(), "input");
        for (size_t j = 0; j < k; j++) {
            size_t other = (size_t)l->f->neighbors[row * l->f->k + j];
            put(&s, i * (k + 1) + 1 + j, l, other, recon_so3_identity(),
                marks[l->labels[other] == l->labels[row]]);
        }
    }
    recon_page_molecules(
        page, &(recon_molecule_sheet){ .molecules = s.picture, .rows = rows, .columns = k + 1 },
        "Some conformers, evenly from a sample, and to the right of each its nearest neighbours "
        "as given.");
done:
    sheet_free(&s);
    return status;
}

enum {
    MANY = 12, /* members from which on a class's own poses say something */
    SPHERES = 5,
    MOLECULES_MOST = 12, /* rows of a table                            */
    SAMPLE = 240         /* conformers that the model looks at once more */
};

/* --- a sample before the model ---------------------------------------------------------------- */

static size_t sample(const recon_data *data)
{
    (void)data;
    return SAMPLE;
}

/* The same conformers rotated by any rotation, and what the model says of them. */
static recon_status score_rotated(recon_ctx *ctx, recon_look *l, recon_conformer *x)
{
    size_t atoms = recon_molecules_describe(recon_data_molecules(l->data)).atoms;
    const recon_distribution3 *said = l->said;
    float *xyz = NULL;
    recon_pose_score *unusual = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &xyz, l->n * atoms, 3 * sizeof *xyz));
    RECON_TRY(recon_alloc_raw(ctx, &unusual, l->n, sizeof *unusual));
    for (size_t i = 0; i < l->n; i++) {
        recon_rng rng = recon_rng_new(RECON_FOUND_SEED, i);
        rotate(xyz + i * 3 * atoms, &x[i], recon_so3_haar(&rng));
        x[i].xyz = xyz + i * 3 * atoms;
    }
    RECON_TRY(recon_score_molecules(ctx, unusual, l->model, x, l->n));
    for (size_t i = 0; i < l->n; i++) {
        recon_rng rng = recon_rng_new(RECON_FOUND_SEED, i);
        recon_so3 by = recon_so3_haar(&rng);
        l->trial.rotated[i] = unusual[i].score;
        l->trial.miss[i] =
            RECON_TO_DEGREES *
            recon_so3_distance(recon_so3_at(unusual[i].pose.psi, 0),
                               recon_so3_compose(by, recon_so3_at(said[i].pose.psi, 0)));
    }
done:
    free(xyz);
    free(unusual);
    return status;
}

static recon_status look(recon_ctx *ctx, recon_look *l, double *apart)
{
    recon_distribution3 *said = l->said;
    recon_conformer *x = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &x, l->n, sizeof *x));
    for (size_t i = 0; i < l->n; i++)
        x[i] = recon_molecules_get(recon_data_molecules(l->data), l->row[i]);
    RECON_TRY(recon_distribution_molecules(ctx, said, l->model, x, l->n));
    for (size_t i = 0; i < l->n; i++) {
        apart[i] = recon_so3_distance(recon_so3_at(said[i].pose.psi, 0),
                                      recon_so3_at(l->f->psi, l->row[i]));
        l->trial.natural[i] = said[i].score;
    }
    RECON_TRY(score_rotated(ctx, l, x));
done:
    free(x);
    return status;
}

static const char *label_of(const recon_look *l, int64_t label)
{
    return recon_molecules_name(recon_data_molecules(l->data), (size_t)label);
}

/* --- what was found --------------------------------------------------------------------------- */

/* Shares of conformers by verdict. */
typedef struct {
    double one, several, axis, none, unsure;
} known;

static recon_status read_known(recon_ctx *ctx, known *out, const recon_found_folder *f)
{
    RECON_CHECK(recon_found_number(ctx, &out->one, f, "all.natural_pose.one"));
    RECON_CHECK(recon_found_number(ctx, &out->axis, f, "all.natural_pose.axis"));
    RECON_CHECK(recon_found_number(ctx, &out->none, f, "all.natural_pose.none"));
    out->several = recon_found_natural(f, RECON_NATURAL_SEVERAL);
    out->unsure = recon_found_natural(f, RECON_NATURAL_UNSURE);
    return RECON_OK;
}

static recon_status show_found(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    const recon_found_folder *f = l->f;
    double concentration, background, hits = recon_found_overall(f, "hit_rate");
    double molecules = recon_found_maybe(f, "molecule_count");
    known natural;
    recon_found_words a, b, c;
    RECON_CHECK(read_known(ctx, &natural, f));
    RECON_CHECK(recon_found_number(ctx, &concentration, f, "all.concentration"));
    RECON_CHECK(recon_found_number(ctx, &background, f, "all.background"));
    recon_page_say(page, "These are %s conformers of %s molecule%s, rotated in space.",
                   recon_found_count(a, f->rows), recon_found_count(b, (size_t)fmax(molecules, 0)),
                   molecules == 1 ? "" : "s");
    recon_page_say(page,
                   "Fraction with one natural pose: %s. Fraction with only an axis determined and "
                   "a free spin about it: %s. Fraction without a natural pose: %s.",
                   recon_found_share(a, natural.one), recon_found_share(b, natural.axis),
                   recon_found_share(c, natural.none));
    if (natural.several > 0 || natural.unsure > 0)
        recon_page_say(page, "Fraction with several natural poses: %s. Fraction undecided: %s.",
                       recon_found_share(a, natural.several), recon_found_share(b, natural.unsure));
    recon_page_say(page,
                   "The best determined axis varies by about %.0f degrees (concentration %.1f, "
                   "the median; 0 is any direction), not counting the %s of poses that fit no "
                   "distribution.",
                   RECON_TO_DEGREES * sqrt(2 / fmax(concentration, 1)), concentration,
                   recon_found_share(a, background));
    if (background > RECON_BACKGROUND_MUCH)
        recon_page_warning(page,
                           "Many poses fit no distribution, so these results are weak. The end of "
                           "this page says what may help.");
    if (!isnan(hits))
        recon_page_say(
            page,
            "Of the %zu neighbours of a conformer, %s are of its molecule; which molecule it is "
            "was used only for this figure.",
            f->k, recon_found_share(a, hits));
    recon_page_say(
        page, "How it was found: a network maps each conformer to an embedding that does not "
              "change when it is rotated, and a rotation that does. Conformers with nearly the "
              "same embedding are of one kind; their rotations show which pose is natural, and "
              "which part of it is not determined.");
    return RECON_OK;
}

/* --- poses ------------------------------------------------------------------------------------ */

/* F of a row's poses about its natural pose: by the model, else as Algorithm 1 fitted it. */
static recon_status f_of(recon_ctx *ctx, double out[9], const recon_look *l, size_t row)
{
    recon_distribution3 d;
    memcpy(out, l->f->theta + 9 * row, 9 * sizeof *out);
    if (!l->data)
        return RECON_OK;
    recon_conformer x = recon_molecules_get(recon_data_molecules(l->data), row);
    recon_status status = recon_distribution_molecules(ctx, &d, l->model, &x, 1);
    if (status == RECON_OK)
        memcpy(out, d.poses.f, 9 * sizeof *out);
    return status;
}

static recon_status show_spheres(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    static const char *const columns[] = { "group", "conformers", "concentration", "second",
                                           "third" };
    const recon_found_groups *g = &l->groups;
    size_t n = g->count < SPHERES ? g->count : SPHERES;
    double f[SPHERES][9];
    recon_sphere spheres[SPHERES];
    recon_fisher fisher;
    for (size_t i = 0; i < n; i++) {
        RECON_CHECK(f_of(ctx, f[i], l, g->member[i][0]));
        spheres[i] = (recon_sphere){ g->name[i], f[i] };
    }
    recon_page_spheres(
        page, &(recon_sphere_sheet){ .spheres = spheres, .rows = 1, .columns = n, .cell = 150 },
        "Where the axes x, y and z of a molecule in its natural pose point as it really occurs; "
        "each colour is one axis, bright where it points often, faint where that is on the far "
        "side. A spot: the axis always points one way. A ring: it spins about another. Drag to "
        "rotate.");
    recon_page_table(page, "Singular values of F", columns, 5);
    for (size_t i = 0; i < n; i++) {
        RECON_CHECK(recon_fisher_of(ctx, &fisher, f[i]));
        recon_page_cell(page, "%s", g->name[i]);
        recon_page_cell(page, "%zu", g->n[i]);
        for (int k = 0; k < 3; k++)
            recon_page_cell(page, "%.1f", fisher.singular[k]);
    }
    return RECON_OK;
}

static recon_status show_poses(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    const recon_found_groups *g = &l->groups;
    size_t least = l->f->rows;
    for (size_t i = 0; i < g->count; i++)
        least = g->n[i] < least ? g->n[i] : least;
    recon_page_say(page, l->labels ? "Some of the molecules with the most conformers:"
                                   : "The molecules are not known without the data; conformers "
                                     "were grouped by the neighbour graph.");
    if (!recon_found_draws(ctx, page))
        return RECON_OK;
    RECON_CHECK(show_spheres(ctx, page, l));
    if (least >= MANY)
        RECON_CHECK(recon_found_show_poses(ctx, page, l->f, g, NULL, 0));
    return RECON_OK;
}

/* --- concentration ---------------------------------------------------------------------------- */

/* The share of conformers whose spin about an axis is free. */
static double share_of_spins(const json_t *molecule)
{
    return json_number_value(json_object_get(json_object_get(molecule, "natural_pose"), "axis"));
}

static void table_molecules(recon_page *page, const recon_found_folder *f)
{
    static const char *const columns[] = { "molecule",   "conformers",    "concentration",
                                           "no fit (%)", "free spin (%)", "no natural pose (%)" };
    size_t i;
    json_t *value;
    recon_page_table(page, "Molecule by molecule, the first of the set", columns, 6);
    json_array_foreach(json_object_get(f->summary, "molecules"), i, value)
    {
        if (i == MOLECULES_MOST)
            break;
        const char *name = json_string_value(json_object_get(value, "name"));
        double n = json_number_value(json_object_get(value, "conformers"));
        json_t *natural = json_object_get(value, "natural_pose");
        recon_page_cell(page, "%s", name ? name : "(no name)");
        recon_page_cell(page, "%.0f", n);
        recon_page_cell(page, "%.1f", json_number_value(json_object_get(value, "concentration")));
        recon_page_cell(page, "%.0f",
                        100 * json_number_value(json_object_get(value, "background")));
        recon_page_cell(page, "%.0f", 100 * share_of_spins(value));
        recon_page_cell(page, "%.0f", 100 * json_number_value(json_object_get(natural, "none")));
    }
}

static recon_status show_widths(recon_ctx *ctx, recon_page *page, const recon_look *l)
{
    const recon_distribution3 *said = l->said;
    const recon_mark median = { "median of all", recon_found_maybe(l->f, "all.concentration") };
    double *values = NULL;
    size_t *row = NULL, n;
    recon_fisher fisher;
    recon_status status;
    recon_page_section(page, "How far they vary");
    recon_page_say(page, "The concentration says how precisely the best determined axis is "
                         "aligned: 0 is any direction, 30 varies by about 15 degrees, 100 by "
                         "about 8.");
    RECON_TRY(recon_found_sample(ctx, &row, &n, l->f->rows, SAMPLE));
    RECON_TRY(recon_alloc_raw(ctx, &values, n, sizeof *values));
    for (size_t i = 0; i < n; i++) {
        if (l->data) {
            values[i] = said[i].poses.singular[0];
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

/* --- warnings --------------------------------------------------------------------------------- */

static int warn_of_poses(recon_page *page, const recon_found_folder *f)
{
    double spin = recon_found_natural(f, RECON_NATURAL_AXIS);
    recon_found_words words;
    int said = 0;
    if (spin > 0.05 && ++said)
        recon_page_warning(page,
                           "For %s of the conformers the spin about an axis is free: the natural "
                           "pose aligns the axis, but the spin about it is a choice, not an "
                           "estimate.",
                           recon_found_share(words, spin));
    return said + recon_found_warn_of_none(page, f, "conformers");
}

/* Molecules of which many poses fit nothing, the worst by name, and those that symmetry excuses. */
static int warn_of_molecules(recon_page *page, const recon_found_folder *f)
{
    double symmetric = recon_found_maybe(f, "symmetric_count"), worst = RECON_BACKGROUND_MUCH;
    const char *name = NULL;
    size_t i, bad = 0;
    json_t *value;
    int said = 0;
    json_array_foreach(json_object_get(f->summary, "molecules"), i, value)
    {
        double background = json_number_value(json_object_get(value, "background"));
        bad += background > RECON_BACKGROUND_MUCH;
        if (background > worst) {
            worst = background;
            name = json_string_value(json_object_get(value, "name"));
        }
    }
    if (bad && ++said)
        recon_page_warning(page,
                           "Of %zu of the molecules more than %.0f %% of the poses fit no "
                           "distribution; the worst is %s with %.0f %%. Their natural poses are "
                           "unreliable.",
                           bad, 100 * RECON_BACKGROUND_MUCH, name ? name : "one without a name",
                           100 * worst);
    if (symmetric > 0 && ++said)
        recon_page_warning(
            page,
            "%.0f of the molecules are symmetric under rotations, like water and benzene: no data "
            "or training can distinguish such poses, and many of their poses fit no distribution.",
            symmetric);
    return said;
}

static int warn(recon_page *page, const recon_look *l)
{
    double hits = recon_found_overall(l->f, "hit_rate");
    recon_found_words words;
    int said = warn_of_poses(page, l->f) + warn_of_molecules(page, l->f);
    if (hits < 0.5 && ++said)
        recon_page_warning(page,
                           "Only %s of neighbours are the same molecule. That may be fine if the "
                           "others are similar; otherwise there are fewer than %zu of each kind: "
                           "use a smaller {k} or more conformers.",
                           recon_found_share(words, hits), l->f->k);
    return said;
}

/* --- the page --------------------------------------------------------------------------------- */

static const recon_inputs_page molecules = {
    .one = "a conformer",
    .many = "conformers",
    .noun = "conformer",
    .set = "molecule",
    .rotation = "a uniformly random rotation",
    .groups = { "Poses, group by group", "Poses, molecule by molecule" },
    .worst = { "The conformers with the highest scores: unusual among their own neighbours",
               "Those whose neighbours agree least, not even on an axis: their natural pose is a "
               "guess" },
    .checked = "free spins, symmetric molecules, neighbours of other molecules",
    .abreast = ABREAST,
    .said = sizeof(recon_distribution3),
    .sample = sample,
    .look = look,
    .label = label_of,
    .show_found = show_found,
    .show_poses = show_poses,
    .show_gallery = show_gallery,
    .show_widths = show_widths,
    .show_neighbors = show_neighbors,
    .draw_pairs = draw_pairs,
    .warn = warn,
};

static recon_status show_sections(recon_ctx *ctx, recon_page *page, const recon_found_folder *f,
                                  const recon_data *data)
{
    return recon_inputs_sections(ctx, page, &molecules, f, data);
}

static const recon_found_tile tiles[] = {
    { "natural_pose.one", "have one natural pose", RECON_TILE_NEEDED },
    { "natural_pose.several", "have several natural poses", RECON_TILE_SOME },
    { "natural_pose.axis", "have an axis, with a free spin", RECON_TILE_NEEDED },
    { "natural_pose.none", "have no natural pose", RECON_TILE_NEEDED },
    { NULL, NULL, RECON_TILE_SAID },
};

const recon_found_kind recon_found_molecules = { .name = "molecules",
                                                 .group = RECON_SO3,
                                                 .title = "The poses of these molecules",
                                                 .has_pictures = 1,
                                                 .many = "conformers",
                                                 .hits = "of neighbours are the same molecule",
                                                 .tiles = tiles,
                                                 .sections = show_sections };
