/* rows.c - all that is known of each input, and what canonicalizing does with it. */
#include <recon/model/canonicalize.h>
#include "core/fail.h"
#include "core/threads.h"
#include "model/model.h"

#include <string.h>

/* The least p-value of a pose that most inputs of its kind have. */
#define USUAL 0.5

recon_status recon_canonicalize_check(recon_ctx *ctx, const recon_canonicalize_options *options)
{
    if (!options)
        return RECON_OK;
    if (!(options->only_if >= 0 && options->only_if <= 1))
        return recon_fail(ctx, RECON_ERR_INPUT, "only_if is %g: a p-value of at most 1 is needed",
                          options->only_if);
    RECON_CHECK(recon_enum_check(ctx, options->interpolation, RECON_BICUBIC, "interpolation"));
    RECON_CHECK(recon_enum_check(ctx, options->only, RECON_ONLY_ONE, "only"));
    return RECON_OPTIONS_CHECK(ctx, options, recon_canonicalize_options);
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

static recon_why why_of(const recon_canonicalize_options *o, const recon_row *row,
                        const recon_model *m, const recon_read *of, size_t i)
{
    if (!is_allowed(o->only, row->verdict))
        return RECON_WHY_VERDICT;
    if (o->only_if <= 0)
        return RECON_WHY_ROTATED;
    int ends_usual =
        o->only == RECON_ONLY_ANY || recon_model_p_value(m, of, i, row->pose.lambda) >= USUAL;
    return recon_gate_opens(o->only_if, row->p_value) && ends_usual ? RECON_WHY_ROTATED
                                                                    : RECON_WHY_USUAL;
}

typedef struct {
    const recon_model *model;
    recon_row *out;
    const recon_read *of;
    recon_canonicalize_options options;
} filling;

/* The modes of a law about Lambda, which stands for the first. */
static void list_modes(recon_candidates *out, const recon_pose *pose, const recon_law *law,
                       const recon_group *g)
{
    double lambda[RECON_NUMBERS_MAX];
    *out = (recon_candidates){ .count = 0 };
    for (int j = 0; j < recon_law_poses(law); j++) {
        recon_pose *to = &out->pose[out->count];
        g->inverse(g, lambda, law->mode[0].at);
        g->compose(g, lambda, law->mode[j].at, lambda);
        g->compose(g, lambda, lambda, pose->lambda);
        *to = *pose;
        if (j > 0)
            memcpy(to->lambda, lambda, g->numbers * sizeof *lambda);
        out->weight[out->count++] = law->anchor ? 1 : law->mode[j].weight;
    }
}

static recon_status fill_one(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const filling *f = arg;
    const recon_maps *maps = f->model->maps;
    const recon_group *g = maps->kind->group;
    const void *map = recon_read_map(f->of, f->model, i);
    recon_row *row = &f->out[i];
    recon_pose_score score;
    recon_status status = recon_score_one(ctx, &score, f->model, f->of, i);
    (void)worker;
    row->pose = score.pose;
    row->score = score.score;
    row->p_value = score.p_value;
    row->p_embedding = score.p_embedding;
    row->surrogate = score.surrogate;
    row->cluster = f->of->cluster[i];
    const recon_law *law = recon_model_law(f->model, row->cluster);
    if (law && (law->modes > 1 || maps->lambda != RECON_LAMBDA_DENSITY ||
                law->frame == RECON_LAWS_OF_DENSITY))
        list_modes(&row->candidates, &row->pose, law, g);
    else
        recon_model_kind_of(g)->list(&row->candidates, &row->pose, map);
    for (size_t j = 1; j < row->candidates.count; j++)
        recon_pose_complete(&row->candidates.pose[j], g, row->candidates.pose[j].lambda);
    row->why = why_of(&f->options, row, f->model, f->of, i);
    if (row->why != RECON_WHY_ROTATED)
        g->identity(g, row->pose.rotation);
    row->rotated = g->length(g, row->pose.rotation) != 0;
    return status;
}

recon_status recon_rows_fill(recon_ctx *ctx, recon_row *out, const recon_model *model,
                             const recon_read *of, size_t n,
                             const recon_canonicalize_options *options)
{
    filling f = { .model = model, .out = out, .of = of };
    if (options)
        f.options = *options;
    RECON_CHECK(recon_model_kind_of(model->maps->kind->group)->judge(ctx, out, model, of, n));
    return recon_parallel(ctx, fill_one, &f, n);
}

recon_status recon_rows_find(recon_ctx *ctx, recon_row *out, const recon_model *model,
                             const void *inputs, size_t n,
                             const recon_canonicalize_options *options)
{
    recon_read of = { .poses = NULL };
    recon_status status;
    RECON_TRY(recon_canonicalize_check(ctx, options));
    RECON_TRY(recon_model_read_all(ctx, &of, model, inputs, n,
                                   recon_model_kind_of(model->maps->kind->group)->near));
    RECON_TRY(recon_rows_fill(ctx, out, model, &of, n, options));
done:
    recon_read_free(&of);
    return status;
}
