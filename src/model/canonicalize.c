/* canonicalize.c - inputs rotated into their natural pose.
 *
 * The encoder runs on the context's backend, the rotation on the host's threads: it is a hundredth
 * of the arithmetic, and reads the caller's input, not a copy of it. */
#include <recon/model/canonicalize.h>
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "data/image.h"
#include "backbone/kinds.h"
#include "model/model.h"
#include "model/modes.h"
#include "group/so3/fisher_gauge.h"
#include <recon/group/so2.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEARCH_BLOCK = RECON_BLOCK_SEARCH, TRIALS = SEARCH_BLOCK * RECON_MODES_MAX };

/* --- the natural pose ------------------------------------------------------------------------- */

static recon_interpolation interpolation_of(const recon_canonicalize_options *options)
{
    return options ? options->interpolation : RECON_BILINEAR;
}

recon_status recon_canonicalize_check(recon_ctx *ctx, const recon_canonicalize_options *options)
{
    if (options && !(options->only_if >= 0 && options->only_if <= 1))
        return recon_fail(ctx, RECON_ERR_INPUT, "only_if is %g: a p-value of at most 1 is needed",
                          options->only_if);
    recon_status status =
        recon_enum_check(ctx, interpolation_of(options), RECON_BICUBIC, "interpolation");
    return status == RECON_OK ? RECON_OPTIONS_CHECK(ctx, options, recon_canonicalize_options)
                              : status;
}

/* --- gates ------------------------------------------------------------------------------------ */

int recon_gate_opens(double only_if, double p_value)
{
    return only_if <= 0 || p_value < only_if;
}

int recon_gates_open(const recon_canonicalize_options *options, double p_value,
                     recon_natural verdict)
{
    return recon_gate_opens(options->only_if, p_value) &&
           (!options->only_one || verdict == RECON_NATURAL_ONE);
}

static int has_gate(const recon_canonicalize_options *options)
{
    return options && (options->only_if > 0 || options->only_one);
}

/* The gates' answers for inputs whose poses and maps were read. Verdicts may be counted, which takes a
 * while: only where a gate asks for them. */
static recon_status find_open(recon_ctx *ctx, unsigned char *open, const recon_model *m,
                              const recon_read *of, size_t n,
                              const recon_canonicalize_options *options)
{
    recon_natural *verdict = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &verdict, n, sizeof *verdict));
    if (options->only_one)
        RECON_TRY(recon_model_kind_of(m->maps->kind->group)->judge(ctx, verdict, m, of, n));
    for (size_t i = 0; i < n; i++)
        open[i] = (unsigned char)recon_gates_open(
            options, recon_maps_p_value(m->maps, recon_read_map(of, m, i), of->poses[i].psi),
            verdict[i]);
done:
    free(verdict);
    return status;
}

/* All heads, and what a gate looks at; `of` begins as zero but for the poses. */
static recon_status read_heads(recon_ctx *ctx, recon_read *of, unsigned char *open,
                               const recon_model *m, const void *inputs, size_t n,
                               const recon_canonicalize_options *options)
{
    const recon_maps_kind *kind = m->maps->kind;
    char *maps = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &maps, n, kind->map));
    of->maps = maps;
    if (options && options->only_one && m->backbone->density &&
        recon_model_kind_of(kind->group)->near) {
        size_t near = recon_model_near(m) * kind->group->numbers;
        RECON_TRY(recon_alloc_raw(ctx, &of->p_embedding, n, sizeof *of->p_embedding));
        RECON_TRY(recon_alloc_raw(ctx, &of->near, n, near * sizeof *of->near));
    }
    RECON_TRY(recon_model_read(ctx, of, m, inputs, n));
    if (open)
        RECON_TRY(find_open(ctx, open, m, of, n, options));
done:
    return status;
}

static void free_heads(recon_read *of)
{
    free(of->maps);
    free(of->near);
    free(of->p_embedding);
}

/* Nothing takes an input anywhere whose gate is shut; all heads are asked only where there is one. */
static recon_status read_poses(recon_ctx *ctx, recon_pose *poses, const recon_model *m,
                               const void *inputs, size_t n,
                               const recon_canonicalize_options *options)
{
    const recon_group *g = m->maps->kind->group;
    recon_read of = { .poses = poses };
    unsigned char *open = NULL;
    recon_status status = RECON_OK;
    if (has_gate(options)) {
        RECON_TRY(recon_alloc_raw(ctx, &open, n, 1));
        RECON_TRY(read_heads(ctx, &of, open, m, inputs, n, options));
    } else
        RECON_TRY(recon_model_read(ctx, &of, m, inputs, n));
    for (size_t i = 0; open && i < n; i++)
        if (!open[i])
            g->identity(g, poses[i].rotation);
done:
    free_heads(&of);
    free(open);
    return status;
}

/* --- canonical forms -------------------------------------------------------------------------- */

static recon_image_size size_of(recon_ieae_shape s)
{
    return (recon_image_size){ s.height, s.width_px, s.channels };
}

/* As the kind does it; what lies at the edge of a frame is known of images alone. */
static recon_status rotate_all(recon_ctx *ctx, void *out, const recon_backbone *b,
                               const void *inputs, const double *g, size_t n,
                               const recon_canonicalize_options *options)
{
    const recon_ieae *images = recon_backbone_ieae(b);
    if (!options || !options->edge)
        return b->kind->rotate(ctx, out, b, inputs, g, n, interpolation_of(options));
    if (!images)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s have no edge", b->kind->data);
    recon_image_size size = size_of(recon_ieae_describe(images));
    return recon_images_rotate(ctx, out, inputs, NULL, g, n, &size, options->interpolation, 1);
}

recon_status recon_canonicalize(recon_ctx *ctx, void *out, recon_pose *poses,
                                const recon_model *model, const void *inputs, size_t n,
                                const recon_canonicalize_options *options)
{
    const recon_backbone *b = model->backbone;
    size_t numbers = b->kind->group->numbers;
    recon_pose *own = NULL;
    double *g = NULL;
    recon_status status;
    RECON_TRY(recon_canonicalize_check(ctx, options));
    RECON_TRY(recon_alloc_raw(ctx, &g, n, numbers * sizeof *g));
    if (!poses) {
        RECON_TRY(recon_alloc_raw(ctx, &own, n, sizeof *own));
        poses = own;
    }
    RECON_TRY(read_poses(ctx, poses, model, inputs, n, options));
    for (size_t i = 0; i < n; i++)
        memcpy(g + i * numbers, poses[i].rotation, numbers * sizeof *g);
    if (out)
        RECON_TRY(rotate_all(ctx, out, b, inputs, g, n, options));
done:
    free(own);
    free(g);
    return status;
}

recon_status recon_canonicalize_images(recon_ctx *ctx, float *out, recon_pose *poses,
                                       const recon_model *model, const float *images, size_t n,
                                       const recon_canonicalize_options *options)
{
    recon_status status = recon_model_takes(ctx, model, "images");
    return status == RECON_OK ? recon_canonicalize(ctx, out, poses, model, images, n, options)
                              : status;
}

recon_status recon_canonicalize_molecules(recon_ctx *ctx, float *out, recon_pose *poses,
                                          const recon_model *model, const recon_conformer *x,
                                          size_t n)
{
    recon_status status = recon_model_takes(ctx, model, "molecules");
    return status == RECON_OK ? recon_canonicalize(ctx, out, poses, model, x, n, NULL) : status;
}

/* --- candidates ------------------------------------------------------------------------------- */

/* Lambda stands for the mode next to it: what is learned of a natural pose is sharper than the
 * place of a mode. */
static void list(recon_candidates *out, const recon_pose *pose, const recon_so2_mode *mode,
                 int count)
{
    int nearest = 0;
    for (int j = 1; j < count; j++)
        if (fabs(mode[j].at) < fabs(mode[nearest].at))
            nearest = j;
    *out = (recon_candidates){ 1, { *pose }, { mode[nearest].weight } };
    for (int j = 0; j < count; j++) {
        if (j == nearest)
            continue;
        double lambda = recon_so2_wrap(pose->lambda[0] + mode[j].at);
        out->pose[out->count] = *pose;
        recon_pose_complete(&out->pose[out->count], RECON_SO2, &lambda);
        out->weight[out->count++] = mode[j].weight;
    }
}

void recon_candidates_of(recon_candidates *out, const recon_distribution *d)
{
    recon_so2_mode mode[RECON_MODES_MAX];
    int count = recon_density_modes(mode, &d->density, 0); /* which is about Lambda */
    list(out, &d->pose, mode, count);
}

typedef struct {
    recon_candidates *out;
    recon_read of;
    unsigned char *open; /* NULL: all are */
} listing;

static recon_status list_one(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const listing *l = arg;
    recon_so2_mode mode[RECON_MODES_MAX];
    (void)ctx;
    (void)worker;
    const recon_so2_map *map = (const recon_so2_map *)l->of.maps + i;
    if (!l->open || l->open[i]) {
        int count = recon_density_modes(mode, &map->density, map->lambda);
        list(&l->out[i], &l->of.poses[i], mode, count);
        return RECON_OK;
    }
    l->out[i] = (recon_candidates){ 1, { l->of.poses[i] }, { 1 } };
    l->out[i].pose[0].rotation[0] = 0;
    return RECON_OK;
}

recon_status recon_candidates_gated(recon_ctx *ctx, recon_candidates *out, const recon_model *model,
                                    const float *images, size_t n,
                                    const recon_canonicalize_options *options)
{
    listing l = { .out = out };
    recon_status status;
    RECON_TRY(recon_model_takes(ctx, model, "images"));
    RECON_TRY(recon_alloc_raw(ctx, &l.of.poses, n, sizeof *l.of.poses));
    if (has_gate(options))
        RECON_TRY(recon_alloc_raw(ctx, &l.open, n, 1));
    RECON_TRY(read_heads(ctx, &l.of, l.open, model, images, n, options));
    RECON_TRY(recon_parallel(ctx, list_one, &l, n));
done:
    free(l.open);
    free(l.of.poses);
    free_heads(&l.of);
    return status;
}

recon_status recon_candidates_list(recon_ctx *ctx, recon_candidates *out, const recon_model *model,
                                   const float *images, size_t n)
{
    return recon_candidates_gated(ctx, out, model, images, n, NULL);
}

/* Lambda's first, then the others, which are by weight already. */
static void list3(recon_candidates3 *out, const recon_pose *pose, const recon_so3_map *map)
{
    *out = (recon_candidates3){ .count = 1 };
    for (int k = 0; k < map->modes.parts; k++) {
        size_t at = k == map->chosen ? 0 : out->count++;
        const recon_so3 lambda = recon_so3_map_mode(map, k);
        out->pose[at] = *pose;
        out->pose[at].free = recon_fisher_free(&map->modes.part[k]);
        recon_pose_complete(&out->pose[at], RECON_SO3, (const double *)&lambda);
        out->weight[at] = map->modes.weight[k];
    }
}

recon_status recon_candidates_molecules(recon_ctx *ctx, recon_candidates3 *out,
                                        const recon_model *model, const recon_conformer *x,
                                        size_t n)
{
    recon_read r = { .poses = NULL };
    recon_status status = recon_model_takes(ctx, model, "molecules");
    if (status == RECON_OK)
        status = recon_model_read_all(ctx, &r, model, x, n, 0);
    for (size_t i = 0; status == RECON_OK && i < n; i++)
        list3(&out[i], &r.poses[i], recon_read_map(&r, model, i));
    recon_read_free(&r);
    return status;
}

/* --- search ----------------------------------------------------------------------------------- */

/* Images of one search, and how they are rotated. */
typedef struct {
    const recon_model *model;
    recon_image_size size;
    size_t pixels;
    recon_interpolation interpolation;
    int edge;
    const recon_canonicalize_options *options;
    recon_judge *judge;
    void *user;
} contest;

/* Room for all candidates of SEARCH_BLOCK images. */
typedef struct {
    recon_candidates *lists;
    recon_pose *poses;
    size_t *from;
    double *scores, *angle;
    float *images;
} trials;

static recon_status trials_new(recon_ctx *ctx, trials *t, size_t pixels)
{
    recon_status status;
    *t = (trials){ 0 };
    RECON_TRY(recon_alloc_raw(ctx, &t->lists, SEARCH_BLOCK, sizeof *t->lists));
    RECON_TRY(recon_alloc_raw(ctx, &t->poses, TRIALS, sizeof *t->poses));
    RECON_TRY(recon_alloc_raw(ctx, &t->from, TRIALS, sizeof *t->from));
    RECON_TRY(recon_alloc_raw(ctx, &t->scores, TRIALS, sizeof *t->scores));
    RECON_TRY(recon_alloc_raw(ctx, &t->angle, TRIALS, sizeof *t->angle));
    RECON_TRY(recon_alloc_raw(ctx, &t->images, TRIALS * pixels, sizeof *t->images));
done:
    return status;
}

static void trials_free(trials *t)
{
    free(t->lists);
    free(t->poses);
    free(t->from);
    free(t->scores);
    free(t->angle);
    free(t->images);
}

/* The candidates of those images that have several; how many. */
static size_t gather(trials *t, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; t->lists[i].count > 1 && j < t->lists[i].count; j++) {
            t->poses[count] = t->lists[i].pose[j];
            t->from[count++] = i;
        }
    return count;
}

/* Candidate 0 where there was nothing to judge. A score that is NaN is never the best. */
static void choose(recon_pose *poses, const trials *t, size_t n)
{
    const double *score = t->scores;
    for (size_t i = 0; i < n; i++) {
        size_t best = 0;
        for (size_t j = 1; j < t->lists[i].count; j++)
            if (score[j] > score[best] || (isnan(score[best]) && !isnan(score[j])))
                best = j;
        poses[i] = t->lists[i].pose[best];
        if (t->lists[i].count > 1)
            score += t->lists[i].count;
    }
}

/* Image from[i] of `in`, or image i where from is NULL, rotated by poses[i]. */
static recon_status rotate(recon_ctx *ctx, float *out, trials *t, const contest *c, const float *in,
                           const size_t *from, const recon_pose *poses, size_t n)
{
    for (size_t i = 0; i < n; i++)
        t->angle[i] = poses[i].rotation[0];
    return recon_images_rotate(ctx, out, in, from, t->angle, n, &c->size, c->interpolation,
                               c->edge);
}

static recon_status search(recon_ctx *ctx, recon_pose *poses, trials *t, const contest *c,
                           const float *in, size_t n)
{
    size_t count;
    recon_status status;
    RECON_TRY(recon_candidates_gated(ctx, t->lists, c->model, in, n, c->options));
    count = gather(t, n);
    if (count) {
        RECON_TRY(rotate(ctx, t->images, t, c, in, t->from, t->poses, count));
        RECON_TRY(c->judge(ctx, c->user, t->scores, t->images, count));
    }
    choose(poses, t, n);
done:
    return status;
}

recon_status recon_canonicalize_search(recon_ctx *ctx, float *out, recon_pose *poses,
                                       const recon_model *model, const float *images, size_t n,
                                       recon_judge *judge, void *user,
                                       const recon_canonicalize_options *options)
{
    recon_ieae_shape s = recon_model_describe(model).images;
    const contest c = { .model = model,
                        .size = size_of(s),
                        .edge = options && options->edge,
                        .pixels = s.height * s.width_px * s.channels,
                        .interpolation = interpolation_of(options),
                        .options = options,
                        .judge = judge,
                        .user = user };
    const recon_backbone *b = model->backbone;
    recon_pose chosen[SEARCH_BLOCK];
    trials t = { 0 };
    recon_status status;
    RECON_TRY(recon_canonicalize_check(ctx, options));
    if (!recon_backbone_ieae(b))
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT,
                             "search is for models of `{recon.train()}` on images"));
    RECON_TRY(b->kind->check(ctx, b, images, n)); /* here, where i is the caller's */
    RECON_TRY(trials_new(ctx, &t, c.pixels));
    for (size_t at = 0; at < n; at += SEARCH_BLOCK) {
        const float *in = images + at * c.pixels;
        size_t some = n - at < SEARCH_BLOCK ? n - at : SEARCH_BLOCK;
        RECON_TRY(search(ctx, chosen, &t, &c, in, some));
        if (out)
            RECON_TRY(rotate(ctx, out + at * c.pixels, &t, &c, in, NULL, chosen, some));
        if (poses)
            memcpy(poses + at, chosen, some * sizeof *chosen);
    }
done:
    trials_free(&t);
    return status;
}
