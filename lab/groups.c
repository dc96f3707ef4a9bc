/* groups.c - rotations that repeat a known group, as the papers on named symmetries simulate them: how often Algorithm 1's
 * test names it. */
#include "lab/lab.h"
#include "lab/reproduce.h"
#include "lab/table.h"
#include "core/fail.h"
#include "core/threads.h"
#include "group/group.h"
#include "group/so3/symmetry.h"

#include <math.h>
#include <string.h>

enum { SETS = 40, QUICK_SETS = 8, MOST = 100 };

static const int codes[] = { 1,
                             2,
                             3,
                             4,
                             6,
                             RECON_SYMMETRY_D + 2,
                             RECON_SYMMETRY_D + 3,
                             RECON_SYMMETRY_D + 4,
                             RECON_SYMMETRY_D + 6,
                             RECON_SYMMETRY_T,
                             RECON_SYMMETRY_O,
                             RECON_SYMMETRY_I,
                             RECON_SYMMETRY_SPIN,
                             RECON_SYMMETRY_UNNAMED };
enum { LAWS = sizeof codes / sizeof *codes };

/* trial: of a statistic by angles alone, with the same laws, 40 sets each, and no test of fit. */
static const struct {
    size_t n;
    double noise, strays, trial;
} cells[] = { { 25, 5, 0, 97.8 },
              { 25, 5, 0.2, 98.4 },
              { 50, 5, 0, 99.6 },
              { 100, 5, 0, 100 },
              { 25, 10, 0.1, 93.8 } };
enum { CELLS = sizeof cells / sizeof *cells };

typedef struct {
    int law, cell, right[SETS];
    uint64_t seed;
} trying;

static recon_status try_set(recon_ctx *ctx, void *arg, size_t set, int worker)
{
    trying *t = arg;
    recon_rng rng = recon_rng_new(t->seed + set, (uint64_t)(t->law * CELLS + t->cell));
    recon_so3 element[RECON_POINT_GROUP_MOST], g[MOST], a = recon_so3_haar(&rng),
                                                        c = recon_so3_haar(&rng);
    int code = codes[t->law], order = recon_so3_point_group(element, code);
    recon_point_group found;
    (void)worker;
    for (size_t i = 0; i < cells[t->cell].n; i++) {
        double v[3], z[3] = { 0, 0, 2 * M_PI * recon_rng_uniform(&rng) };
        for (int k = 0; k < 3; k++)
            v[k] = cells[t->cell].noise * RECON_TO_RADIANS * recon_rng_normal(&rng);
        recon_so3 h = order ? element[recon_rng_below(&rng, (size_t)order)] : recon_so3_exp(z);
        g[i] = recon_so3_compose(recon_so3_exp(v), recon_so3_compose(recon_so3_compose(a, h), c));
        if (code == RECON_SYMMETRY_UNNAMED || recon_rng_uniform(&rng) < cells[t->cell].strays)
            g[i] = recon_so3_haar(&rng);
    }
    recon_status status = recon_so3_symmetry(ctx, &found, g, cells[t->cell].n);
    t->right[set] = status == RECON_OK && found.code == code;
    return status;
}

recon_status groups_run(recon_ctx *ctx, json_t **result, const lab_settings *s)
{
    size_t sets = s->quick ? QUICK_SETS : SETS;
    json_t *list = json_array();
    recon_status status = RECON_OK;
    *result = NULL;
    for (int c = 0; c < CELLS; c++) {
        json_t *cell = json_pack("{s:I, s:f, s:f, s:f}", "n", (json_int_t)cells[c].n, "noise_deg",
                                 cells[c].noise, "strays_percent", 100 * cells[c].strays, "trial",
                                 cells[c].trial);
        double all = 0, least = 1;
        for (int l = 0; l < LAWS; l++) {
            recon_symmetry_text name;
            trying t = { .law = l, .cell = c, .seed = s->seed };
            double right = 0;
            RECON_TRY(recon_parallel(ctx, try_set, &t, sets));
            for (size_t i = 0; i < sets; i++)
                right += t.right[i] / (double)sets;
            json_object_set_new(cell,
                                codes[l] ? recon_symmetry_name(name, codes[l]) : "all rotations",
                                lab_percent(right));
            all += right / LAWS;
            least = fmin(least, right);
        }
        json_object_set_new(cell, "named", lab_percent(all));
        json_object_set_new(cell, "least", lab_percent(least));
        json_array_append_new(list, cell);
    }
    *result = json_pack("{s:s, s:I, s:I, s:O}", "dataset", "groups", "seed", (json_int_t)s->seed,
                        "sets", (json_int_t)sets, "cells", list);
done:
    json_decref(list);
    return status;
}

void groups_show(const json_t *result)
{
    lab_print_table(
        result,
        &(lab_table){
            .title =
                "14 laws on SO(3) with other axes, {sets} sets each: how often the right symmetry is named, and by a trial of "
                "angles alone, which names one always\n",
            .over = "cells",
            LAB_COLUMNS({ "poses", "cells.*.n", "%7.0f" },
                        { "noise", "cells.*.noise_deg", "%7.0f" },
                        { "strays", "cells.*.strays_percent", "%7.0f %%" },
                        { "named", "cells.*.named", "%9.1f %%" },
                        { "worst law", "cells.*.least", "%9.1f %%" },
                        { "trial", "cells.*.trial", "%9.1f %%" }) });
}
