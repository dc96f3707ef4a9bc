/* How often each symmetry is named, and how often one is where there is none: 200 sets each, or SYMMETRIES_SETS. Writes
 * docs/notebook/symmetries.md (SYMMETRIES_PAGE names another file) and holds it to what is promised. */
#include "group/symmetries.h"

#include "core/threads.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 300, CYCLES = 8 };

static const struct {
    size_t n;
    double noise, strays,
        promise; /* degrees; shares; the least share of right names, mean of the laws */
} cells[] = {
    { 25, 5, 0, 0.97 },  { 25, 5, 0.2, 0.97 },   { 25, 10, 0.1, 0.93 }, { 50, 5, 0.2, 0.97 },
    { 100, 5, 0, 0.99 }, { 100, 10, 0.1, 0.93 }, { 300, 5, 0.2, 0.97 },
};
enum { CELLS = sizeof cells / sizeof *cells };

static const foreign foreigns[] = {
    { "arc of 30", 25, .arc = 30 },
    { "arc of 60", 25, .arc = 60 },
    { "arc of 60", 100, .arc = 60 },
    { "arc of 120", 25, .arc = 120 },
    { "arc of 120", 100, .arc = 120 },
    { "arc of 180", 25, .arc = 180 },
    { "arc of 180", 100, .arc = 180 },
    { "arc of 240", 25, .arc = 240 },
    { "arc of 240", 100, .arc = 240 },
    { "arc of 300", 25, .arc = 300, .unseen = 1 },
    { "arc of 300", 100, .arc = 300 },
    { "2 modes 60 apart", 25, .modes = 2, .apart = 60 },
    { "2 modes 90 apart", 25, .modes = 2, .apart = 90 },
    { "2 modes 115 apart", 25, .modes = 2, .apart = 115 },
    { "2 modes 115 apart", 200, .modes = 2, .apart = 115 },
    { "2 modes 130 apart", 25, .modes = 2, .apart = 130 },
    { "2 modes 145 apart", 25, .modes = 2, .apart = 145 },
    { "2 modes 145 apart", 200, .modes = 2, .apart = 145 },
    { "2 modes 160 apart", 25, .modes = 2, .apart = 160 },
    { "2 modes 160 apart", 100, .modes = 2, .apart = 160 },
    { "2 modes 180 apart, 70 : 30", 200, .modes = 2, .apart = 180, .share = 0.7 },
    { "3 modes 120 apart, 70 : 15 : 15", 200, .modes = 3, .apart = 120, .share = 0.7 },
    { "4 modes 90 apart, 70 : 10 : 10 : 10", 200, .modes = 4, .apart = 90, .share = 0.7 },
    { "3 modes 70 apart", 100, .modes = 3, .apart = 70 },
    { "2 modes anywhere", 100, .modes = 2, .scattered = 1 },
    { "3 modes anywhere", 100, .modes = 3, .scattered = 1 },
    { "5 modes anywhere", 100, .modes = 5, .scattered = 1 },
    { "8 modes anywhere", 300, .modes = 8, .scattered = 1, .noise = 10 },
    { "16 modes anywhere", 300, .modes = 16, .scattered = 1, .noise = 15 },
    { "40 modes anywhere", 300, .modes = 40, .scattered = 1, .noise = 15 },
    { "Fisher (100, 100, 0)", 200, .fisher = { 100, 100, 0 } },
    { "Fisher (100, 100, 100)", 200, .fisher = { 100, 100, 100 } },
    { "Fisher (20, 20, 0)", 200, .fisher = { 20, 20, 0 } },
    { "Fisher (10, 10, 10)", 200, .fisher = { 10, 10, 10 } },
    { "Fisher (100, 10, 0)", 200, .fisher = { 100, 10, 0 } },
    { "Fisher (3, 3, 3)", 200, .fisher = { 3, 3, 3 } },
};
enum { FOREIGNS = sizeof foreigns / sizeof *foreigns };

static const char page[] =
    "# How often a symmetry is named\n"
    "\n"
    "`build/tests/slow/test_symmetries` (part of `make check-slow`) writes this page: percentages of 200 simulated sets a\n"
    "cell, with other axes, offsets and seeds each, and fails where a rate is worse than 3 % false names, 2 % of T, O and I\n"
    "called \"none\", or the mean of the laws below 97 % (93 % at 10 degrees and on SO(2); 99 % at n = 100 without strays). Poses scatter\n"
    "by a normal law of 5 degrees about each axis if nothing else is said. Columns: n, noise in degrees, share of strays.\n"
    "\n";

static const foreign angles[] = {
    { "arc of 120", 25, .arc = 120 },
    { "arc of 120", 100, .arc = 120 },
    { "arc of 240", 25, .arc = 240 },
    { "arc of 240", 100, .arc = 240 },
    { "arc of 300", 100, .arc = 300 },
    { "full circle", 25, .arc = 360 },
    { "full circle", 100, .arc = 360 },
    { "2 modes 60 apart", 25, .modes = 2, .apart = 60 },
    { "2 modes 90 apart", 100, .modes = 2, .apart = 90 },
    { "2 modes 150 apart", 25, .modes = 2, .apart = 150 },
    { "2 modes 150 apart", 100, .modes = 2, .apart = 150 },
    { "2 modes 180 apart, 70 : 30", 200, .modes = 2, .apart = 180, .share = 0.7 },
    { "3 modes 120 apart, 70 : 15 : 15", 200, .modes = 3, .apart = 120, .share = 0.7 },
    { "4 modes 90 apart, 70 : 10 : 10 : 10", 200, .modes = 4, .apart = 90, .share = 0.7 },
    { "3 modes 80 apart", 100, .modes = 3, .apart = 80 },
    { "normal 60", 200, .arc = 0.001, .noise = 60 },
};
enum { ANGLES = sizeof angles / sizeof *angles };

/* One cell of a table: sets of a law, or of what is none. */
typedef struct {
    int so2, law, cell; /* or */
    const foreign *none;
    int sets, codes[RECON_SYMMETRY_SPIN + 1], no_pose;
    struct {
        int code, no_pose;
    } * of;
} cell;

static int sets(void)
{
    const char *asked = getenv("SYMMETRIES_SETS");
    return asked ? atoi(asked) : 200;
}

/* What `normalize` says of a set. */
static recon_status ask(recon_ctx *ctx, recon_center *out, const recon_group *group,
                        const double *poses, size_t n)
{
    recon_status status = recon_group_center(ctx, out, group, poses, n, NULL);
    return status == RECON_OK ? group->symmetry(ctx, group, out, poses, n) : status;
}

static recon_status try_rotations(recon_ctx *ctx, cell *c, size_t set, recon_rng *rng)
{
    const law l = symmetry_law(c->law);
    size_t n = c->none ? c->none->n : cells[c->cell].n;
    recon_so3 g[MOST];
    recon_point_group found;
    recon_center center = { .natural = RECON_NATURAL_ONE };
    if (c->none)
        draw_foreign(ctx, g, c->none, rng);
    else
        draw_set(g, n, &l, recon_so3_haar(rng), recon_so3_haar(rng), cells[c->cell].noise,
                 cells[c->cell].strays, rng);
    recon_status status = recon_so3_symmetry(ctx, &found, g, n);
    if (status == RECON_OK && !c->none && found.code != l.code)
        status = ask(ctx, &center, RECON_SO3, (const double *)g, n);
    c->of[set].code = found.code;
    c->of[set].no_pose = center.natural == RECON_NATURAL_NONE;
    return status;
}

static recon_status try_angles(recon_ctx *ctx, cell *c, size_t set, recon_rng *rng)
{
    size_t n = c->none ? c->none->n : cells[c->cell].n;
    double g[MOST], at = 2 * M_PI * recon_rng_uniform(rng), degree = M_PI / 180;
    recon_center center;
    for (size_t i = 0; i < n; i++) {
        const foreign *f = c->none;
        double sigma = f ? (f->noise > 0 ? f->noise : 5) : cells[c->cell].noise;
        double to = f ? f->arc * degree * recon_rng_uniform(rng)
                      : 2 * M_PI * (double)recon_rng_below(rng, (size_t)c->law) / c->law;
        if (f && f->modes && f->share > 0)
            to = recon_rng_uniform(rng) < f->share
                     ? 0
                     : (double)(1 + recon_rng_below(rng, (size_t)f->modes - 1)) * f->apart * degree;
        else if (f && f->modes)
            to = (double)recon_rng_below(rng, (size_t)f->modes) * f->apart * degree;
        g[i] = at + to + sigma * degree * recon_rng_normal(rng);
        if (!f && recon_rng_uniform(rng) < cells[c->cell].strays)
            g[i] = 2 * M_PI * recon_rng_uniform(rng);
    }
    recon_status status = ask(ctx, &center, RECON_SO2, g, n);
    c->of[set].code = center.natural == RECON_NATURAL_MODULO ? center.fold
                      : center.natural == RECON_NATURAL_ONE  ? 1
                                                             : 0;
    c->of[set].no_pose = center.natural == RECON_NATURAL_NONE;
    return status;
}

static recon_status try_set(recon_ctx *ctx, void *arg, size_t set, int worker)
{
    cell *c = arg;
    uint64_t what = c->none ? (uint64_t)(c->none - (c->so2 ? angles : foreigns)) + 1000
                            : (uint64_t)(c->law * CELLS + c->cell);
    recon_rng rng = recon_rng_new(1 + set, what + (c->so2 ? 5000 : 0));
    (void)worker;
    return (c->so2 ? try_angles : try_rotations)(ctx, c, set, &rng);
}

static void run(recon_ctx *ctx, cell *c)
{
    c->sets = sets();
    c->of = calloc((size_t)c->sets, sizeof *c->of);
    CHECK_OK(ctx, recon_parallel(ctx, try_set, c, (size_t)c->sets));
    for (int set = 0; set < c->sets; set++) {
        c->codes[c->of[set].code]++;
        c->no_pose += c->of[set].no_pose;
    }
    free(c->of);
}

static double percent(int count, const cell *c)
{
    return 100.0 * count / c->sets;
}

/* A table of the laws, its means held to what is promised. */
static void write_named(recon_ctx *ctx, FILE *f, int so2)
{
    int laws = so2 ? CYCLES : SYMMETRIES;
    double mean[CELLS] = { 0 };
    recon_symmetry_text name;
    fprintf(f, "| law |");
    for (int c = 0; c < CELLS; c++)
        fprintf(f, " %zu, %.0f, %.0f %% |", cells[c].n, cells[c].noise, 100 * cells[c].strays);
    fprintf(f, "\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < laws; i++) {
        int code = so2 ? i + 1 : symmetry_law(i).code;
        fprintf(f, "| %s |", code ? recon_symmetry_name(name, code) : "all rotations");
        for (int k = 0; k < CELLS; k++) {
            cell c = { .so2 = so2, .law = so2 ? i + 1 : i, .cell = k };
            run(ctx, &c);
            double right = percent(c.codes[code], &c);
            mean[k] += right / laws;
            fprintf(f, " %.1f", right);
            if (!so2 && code >= RECON_SYMMETRY_T && c.no_pose)
                fprintf(f, " (none %.1f)", percent(c.no_pose, &c));
            fprintf(f, " |");
            if (code >= RECON_SYMMETRY_T && code <= RECON_SYMMETRY_I && c.sets >= 200)
                CHECK_LESS(percent(c.no_pose, &c), 2.01);
        }
        fprintf(f, "\n");
    }
    fprintf(f, "| mean |");
    for (int k = 0; k < CELLS; k++)
        fprintf(f, " %.1f |", mean[k]);
    fprintf(f, "\n\n");
    for (int k = 0; k < CELLS && sets() >= 200; k++)
        if (!so2 || cells[k].noise <= 5) /* C6 to C8 are not told apart at 10 degrees */
            CHECK_LESS(100 * (so2 ? fmin(cells[k].promise, 0.93) : cells[k].promise) - 1e-9,
                       mean[k]);
}

static void write_foreign(recon_ctx *ctx, FILE *f, int so2)
{
    fprintf(f, "| poses | n | named, %% | as |\n| --- | --- | --- | --- |\n");
    for (int i = 0; i < (so2 ? ANGLES : FOREIGNS); i++) {
        cell c = { .so2 = so2, .none = so2 ? &angles[i] : &foreigns[i] };
        run(ctx, &c);
        int claimed = c.sets - c.codes[0] - c.codes[1];
        fprintf(f, "| %s | %zu | %.1f |", c.none->name, c.none->n, percent(claimed, &c));
        for (int code = 2; code <= RECON_SYMMETRY_SPIN; code++) {
            recon_symmetry_text name;
            if (c.codes[code])
                fprintf(f, " %s %d", recon_symmetry_name(name, code), c.codes[code]);
        }
        fprintf(f, " |\n");
        if (c.sets >= 200 && !c.none->unseen)
            CHECK_LESS(percent(claimed, &c), 3.01);
    }
    fprintf(f, "\n");
}

static void names_keep_their_promises(void **state)
{
    const char *asked = getenv("SYMMETRIES_PAGE");
    FILE *f = fopen(asked ? asked : "docs/notebook/symmetries.md", "w");
    assert_non_null(f);
    setvbuf(f, NULL, _IOLBF, 0);
    fputs(page, f);
    for (int so2 = 1; so2 >= 0; so2--) {
        fprintf(f, "## %s\n\n", so2 ? "SO(2)" : "SO(3)");
        write_foreign(*state, f, so2);
        write_named(*state, f, so2);
    }
    assert_int_equal(fclose(f), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names_keep_their_promises) };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
