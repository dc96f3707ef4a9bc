/* rows.c - all that is known of each input, and what canonicalizing does with it. */
#include <recon/model/canonicalize.h>
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

/* The least p-value of a pose that most inputs of its kind have. */
#define USUAL 0.5

recon_status recon_canonicalize_check(recon_ctx *ctx, const recon_canonicalize_options *options)
{
    if (!options)
        return RECON_OK;
    if (!(options->only_if >= 0 && options->only_if <= 1))
        return recon_fail(ctx, RECON_ERR_INPUT, "only_if is %g: a p-value of at most 1 is needed",
                          options->only_if);
    recon_status status =
        recon_enum_check(ctx, options->interpolation, RECON_BICUBIC, "interpolation");
    if (status == RECON_OK)
        status = recon_enum_check(ctx, options->only, RECON_ONLY_ONE, "only");
    return status == RECON_OK ? RECON_OPTIONS_CHECK(ctx, options, recon_canonicalize_options)
                              : status;
}

int recon_gate_opens(double only_if, double p_value)
{
    return only_if <= 0 || p_value < only_if;
}

static int is_allowed(recon_only only, recon_natural verdict)
{
    return only == RECON_ONLY_ANY || verdict == RECON_NATURAL_ONE ||
           (only == RECON_ONLY_CLEAR && verdict != RECON_NATURAL_NONE &&
            verdict != RECON_NATURAL_UNSURE);
}

/* `map` is the row's own. */
static recon_why why_of(const recon_canonicalize_options *o, const recon_row *row,
                        const recon_maps *maps, const void *map)
{
    if (!is_allowed(o->only, row->verdict))
        return RECON_WHY_VERDICT;
    if (o->only_if <= 0)
        return RECON_WHY_ROTATED;
    int ends_usual =
        o->only == RECON_ONLY_ANY || recon_maps_p_value(maps, map, row->pose.lambda) >= USUAL;
    return recon_gate_opens(o->only_if, row->p_value) && ends_usual ? RECON_WHY_ROTATED
                                                                    : RECON_WHY_USUAL;
}

typedef struct {
    const recon_model *model;
    recon_row *out;
    recon_read of;
    size_t n;
    recon_canonicalize_options options;
} filling;

static recon_status fill_one(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const filling *f = arg;
    const recon_maps *maps = f->model->maps;
    const recon_group *g = maps->kind->group;
    const void *map = recon_read_map(&f->of, f->model, i);
    recon_row *row = &f->out[i];
    recon_pose_score score;
    recon_status status = recon_score_one(ctx, &score, f->model, &f->of, i);
    (void)worker;
    row->pose = score.pose;
    row->score = score.score;
    row->p_value = score.p_value;
    row->p_embedding = score.p_embedding;
    row->surrogate = score.surrogate;
    recon_model_kind_of(g)->list(&row->candidates, &row->pose, map);
    for (size_t j = 1; j < row->candidates.count; j++)
        recon_pose_complete(&row->candidates.pose[j], g, row->candidates.pose[j].lambda);
    row->why = why_of(&f->options, row, maps, map);
    if (row->why != RECON_WHY_ROTATED)
        g->identity(g, row->pose.rotation);
    row->rotated = g->length(g, row->pose.rotation) != 0;
    return status;
}

recon_status recon_rows_find(recon_ctx *ctx, recon_row *out, const recon_model *model,
                             const void *inputs, size_t n,
                             const recon_canonicalize_options *options)
{
    const recon_model_kind *kind = recon_model_kind_of(model->maps->kind->group);
    filling f = { .model = model, .out = out, .n = n };
    recon_status status;
    RECON_TRY(recon_canonicalize_check(ctx, options));
    if (options)
        f.options = *options;
    RECON_TRY(recon_model_read_all(ctx, &f.of, model, inputs, n, kind->near));
    RECON_TRY(kind->judge(ctx, out, model, &f.of, n));
    RECON_TRY(recon_parallel(ctx, fill_one, &f, n));
done:
    recon_read_free(&f.of);
    return status;
}
