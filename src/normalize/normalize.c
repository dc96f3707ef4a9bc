/* normalize.c - Algorithm 1 (recon.tex, "Canonical orientation normalization").
 *
 * Three sweeps over the classes and one over the rows: centres and right translation; the choice of
 * a family, which is made once for all classes; fits; then each row takes what its class found.
 * Classes of one size go to the batched statistics in blocks; others one at a time. */
#include <recon/normalize/normalize.h>
#include <recon/group/so2.h>
#include <recon/stats/fisher_fit.h>
#include <recon/stats/so2_mean.h>
#include <recon/stats/so3_mean.h>
#include "normalize/classes.h"
#include "core/arena.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "stats/so3_frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK     256 /* classes, or rows, of one task */
#define CHOICE_K  50  /* angles a set holds when a family is chosen over classes of many sizes */
#define SO2_WIDTH 4   /* moments */
#define SO3_WIDTH 3   /* singular values */

typedef struct {
    const recon_embedded *index, *queries, *rows; /* rows: the queries, or else the index */
    const recon_normalize_options *options;
    recon_class_table table;
    recon_frames *out;
    /* for each class */
    recon_poses gamma;
    double *identifiability;
    uint8_t *natural; /* a recon_natural */
    recon_so2_density *density;
    recon_fisher_fit *fit;
    /* for each member of each class */
    recon_poses normalized;
    atomic_size_t modes[RECON_MODES_MAX + 1], free_directions[4];
} job;

/* Classes begin .. begin + count of one size: what one task works on. */
typedef struct {
    size_t begin, count, size, first; /* first: place of the first member */
} block;

static size_t block_count(const job *j)
{
    return j->table.k ? (j->table.sets + BLOCK - 1) / BLOCK : j->table.sets;
}

static block block_at(const job *j, size_t i)
{
    const recon_class_table *t = &j->table;
    if (!t->k)
        return (block){ i, 1, t->offset[i + 1] - t->offset[i], t->offset[i] };
    size_t begin = i * BLOCK, left = t->sets - begin;
    return (block){ begin, left < BLOCK ? left : BLOCK, t->k, begin * t->k };
}

static recon_status center_so2(recon_ctx *ctx, job *j, block b, recon_arena *arena)
{
    double *pose = j->normalized.so2 + b.first;
    recon_so2_center *center;
    recon_status status;
    RECON_TRY(recon_arena_take(ctx, arena, &center, b.count, sizeof *center));
    for (size_t m = 0; m < b.count * b.size; m++)
        pose[m] = j->index->so2[j->table.member[b.first + m]];
    RECON_TRY(recon_so2_mean_batch(ctx, center, pose, b.count, b.size, &j->options->mean));
    for (size_t s = 0; s < b.count; s++) {
        j->gamma.so2[b.begin + s] = center[s].mean;
        memcpy(j->identifiability + (b.begin + s) * SO2_WIDTH, center[s].moment,
               sizeof center[s].moment);
        j->natural[b.begin + s] =
            (uint8_t)recon_so2_natural(center[s].moment, center[s].modes, (double)b.size);
        atomic_fetch_add(&j->modes[center[s].modes], 1);
        for (size_t m = 0; m < b.size; m++)
            pose[s * b.size + m] = recon_so2_wrap(pose[s * b.size + m] - center[s].mean);
    }
done:
    return status;
}

static recon_status center_so3(recon_ctx *ctx, job *j, block b, recon_arena *arena)
{
    recon_so3 *pose = j->normalized.so3 + b.first;
    recon_so3_center *center;
    recon_status status;
    RECON_TRY(recon_arena_take(ctx, arena, &center, b.count, sizeof *center));
    for (size_t m = 0; m < b.count * b.size; m++)
        pose[m] = j->index->so3[j->table.member[b.first + m]];
    RECON_TRY(recon_so3_mean_batch(ctx, center, pose, b.count, b.size, &j->options->mean));
    for (size_t s = 0; s < b.count; s++) {
        recon_so3 back = recon_so3_inverse(center[s].mean);
        j->gamma.so3[b.begin + s] = center[s].mean;
        memcpy(j->identifiability + (b.begin + s) * SO3_WIDTH, center[s].singular,
               sizeof center[s].singular);
        atomic_fetch_add(&j->modes[center[s].modes], 1);
        int loose = recon_so3_free_directions(center[s].singular, (double)b.size);
        j->natural[b.begin + s] = (uint8_t)recon_so3_natural(loose, center[s].modes, 0);
        atomic_fetch_add(&j->free_directions[loose], 1);
        for (size_t m = 0; m < b.size; m++)
            pose[s * b.size + m] = recon_so3_compose(pose[s * b.size + m], back);
    }
done:
    return status;
}

static recon_status center_task(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    job *j = arg;
    block b = block_at(j, i);
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    recon_status status =
        j->out->group == RECON_SO2 ? center_so2(ctx, j, b, arena) : center_so3(ctx, j, b, arena);
    recon_arena_release(arena, mark);
    recon_progress_add(ctx, b.count);
    return status;
}

static recon_status fit_task(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    job *j = arg;
    block b = block_at(j, i);
    (void)worker;
    recon_progress_add(ctx, b.count);
    if (j->out->group == RECON_SO2)
        return recon_so2_fit_batch(ctx, j->density + b.begin, j->normalized.so2 + b.first, b.count,
                                   b.size, j->out->family, NULL);
    return recon_fisher_fit_batch(ctx, j->fit + b.begin, j->normalized.so3 + b.first, b.count,
                                  b.size, NULL);
}

/* Classes of many sizes are cut into sets of one size for the comparison. */
static recon_status choose_family(recon_ctx *ctx, job *j)
{
    const recon_class_table *t = &j->table;
    const double *angle = j->normalized.so2;
    size_t k = CHOICE_K, largest = 0, sets = 0;
    double *cut = NULL;
    recon_status status;
    if (t->k)
        return recon_so2_choose_family(ctx, &j->out->family, angle, t->sets, t->k);
    for (size_t s = 0; s < t->sets; s++)
        if (t->offset[s + 1] - t->offset[s] > largest)
            largest = t->offset[s + 1] - t->offset[s];
    if (largest < k)
        k = largest;
    RECON_TRY(recon_alloc_raw(ctx, &cut, t->offset[t->sets], sizeof *cut));
    for (size_t s = 0; s < t->sets; s++)
        for (size_t at = t->offset[s]; at + k <= t->offset[s + 1]; at += k)
            memcpy(cut + sets++ * k, angle + at, k * sizeof *cut);
    RECON_TRY(recon_so2_choose_family(ctx, &j->out->family, cut, sets, k));
done:
    free(cut);
    return status;
}

static void theta_of_density(double *theta, const recon_so2_density *p)
{
    theta[0] = p->width;
    for (int i = 0; p->family == RECON_SO2_MIXTURE && i < RECON_SO2_PARTS_MAX; i++) {
        int used = i < p->parts;
        theta[i] = used ? p->part[i].weight : 0;
        theta[RECON_SO2_PARTS_MAX + i] = used ? p->part[i].mean : 0;
        theta[2 * RECON_SO2_PARTS_MAX + i] = used ? p->part[i].kappa : 0;
    }
}

static void row_without_class(recon_frames *out, size_t i)
{
    const recon_so3 nowhere = { NAN, NAN, NAN, NAN };
    if (out->group == RECON_SO2)
        out->gamma.so2[i] = out->absolute.so2[i] = NAN;
    else
        out->gamma.so3[i] = out->absolute.so3[i] = nowhere;
    for (size_t c = 0; c < out->identifiability_width; c++)
        out->identifiability[i * out->identifiability_width + c] = NAN;
    for (size_t c = 0; c < out->theta_width; c++)
        out->theta[i * out->theta_width + c] = NAN;
    out->background[i] = out->score[i] = NAN;
}

/* However well a class of n agrees, the chance that the next one does not belong is 1 / (n + 2), by
 * the rule of succession: no pose is impossible. A class of one says nothing about poses. */
static double scoring_background(const job *j, size_t s, double fitted)
{
    size_t n = j->table.offset[s + 1] - j->table.offset[s];
    return n == 1 ? 1 : fmax(fitted, 1 / ((double)n + 2));
}

static void fill_row(job *j, size_t i)
{
    recon_frames *out = j->out;
    if (j->table.set_of[i] < 0) {
        row_without_class(out, i);
        return;
    }
    size_t s = (size_t)j->table.set_of[i], w = out->identifiability_width;
    double *theta = out->theta + i * out->theta_width;
    memcpy(out->identifiability + i * w, j->identifiability + s * w, w * sizeof(double));
    if (out->group == RECON_SO2) {
        out->gamma.so2[i] = j->gamma.so2[s];
        out->absolute.so2[i] = recon_so2_wrap(j->rows->so2[i] - j->gamma.so2[s]);
        theta_of_density(theta, &j->density[s]);
        recon_so2_density p = j->density[s];
        p.background = out->background[i] = scoring_background(j, s, p.background);
        out->score[i] = recon_so2_score(&p, out->absolute.so2[i]);
    } else {
        const recon_fisher_fit *fit = &j->fit[s];
        out->gamma.so3[i] = j->gamma.so3[s];
        out->absolute.so3[i] =
            recon_so3_compose(j->rows->so3[i], recon_so3_inverse(j->gamma.so3[s]));
        memcpy(theta, fit->fisher.f, sizeof fit->fisher.f);
        out->background[i] = scoring_background(j, s, fit->background);
        out->score[i] = -recon_fisher_mixture_log_density(&fit->fisher, out->background[i],
                                                          out->absolute.so3[i]);
    }
}

static recon_status row_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    job *j = arg;
    size_t begin = index * BLOCK, end = begin + BLOCK < j->out->rows ? begin + BLOCK : j->out->rows;
    (void)ctx, (void)worker;
    for (size_t i = begin; i < end; i++)
        fill_row(j, i);
    return RECON_OK;
}

static recon_status alloc_poses(recon_ctx *ctx, recon_poses *out, recon_group group, size_t n)
{
    return group == RECON_SO2 ? recon_alloc_raw(ctx, &out->so2, n, sizeof *out->so2)
                              : recon_alloc_raw(ctx, &out->so3, n, sizeof *out->so3);
}

static void free_poses(recon_poses *p)
{
    free(p->so2);
    free(p->so3);
    *p = (recon_poses){ 0 };
}

static recon_status alloc_classes(recon_ctx *ctx, job *j)
{
    const recon_frames *out = j->out;
    size_t sets = j->table.sets;
    recon_status status;
    RECON_TRY(alloc_poses(ctx, &j->gamma, out->group, sets));
    RECON_TRY(alloc_poses(ctx, &j->normalized, out->group, j->table.offset[sets]));
    RECON_TRY(recon_alloc_raw(ctx, &j->identifiability, sets,
                              out->identifiability_width * sizeof(double)));
    RECON_TRY(recon_alloc_raw(ctx, &j->natural, sets, sizeof *j->natural));
    if (out->group == RECON_SO2)
        RECON_TRY(recon_alloc_raw(ctx, &j->density, sets, sizeof *j->density));
    else
        RECON_TRY(recon_alloc_raw(ctx, &j->fit, sets, sizeof *j->fit));
done:
    return status;
}

static recon_status alloc_rows(recon_ctx *ctx, recon_frames *out)
{
    recon_status status;
    RECON_TRY(alloc_poses(ctx, &out->gamma, out->group, out->rows));
    RECON_TRY(alloc_poses(ctx, &out->absolute, out->group, out->rows));
    RECON_TRY(recon_alloc_raw(ctx, &out->identifiability, out->rows,
                              out->identifiability_width * sizeof(double)));
    RECON_TRY(recon_alloc(ctx, &out->theta, out->rows, out->theta_width * sizeof(double)));
    RECON_TRY(recon_alloc_raw(ctx, &out->background, out->rows, sizeof(double)));
    RECON_TRY(recon_alloc_raw(ctx, &out->score, out->rows, sizeof(double)));
done:
    return status;
}

/* What the frames keep of the table and of the members' poses. */
static void hand_over(job *j)
{
    recon_frames *out = j->out;
    for (size_t i = 0; i < out->rows; i++)
        if (j->table.set_of[i] >= 0)
            out->natural[j->natural[j->table.set_of[i]]]++;
    out->classes = j->table.sets;
    out->k = j->table.k;
    if (j->table.k) {
        out->neighbors = j->table.member;
        j->table.member = NULL;
        out->normalized = j->normalized;
        j->normalized = (recon_poses){ 0 };
    } else {
        out->class_of = j->table.set_of;
        j->table.set_of = NULL;
    }
    for (size_t s = 0; s < j->table.sets; s++)
        out->singles += j->table.offset[s + 1] - j->table.offset[s] == 1;
    for (size_t i = 0; out->class_of && i < out->rows; i++)
        out->outside += out->class_of[i] < 0;
    for (size_t i = 0; i <= RECON_MODES_MAX; i++)
        out->modes[i] = atomic_load(&j->modes[i]);
    for (size_t i = 0; i < 4; i++)
        out->free_directions[i] = atomic_load(&j->free_directions[i]);
}

static recon_status check_poses(recon_ctx *ctx, const recon_embedded *e, const char *what)
{
    for (size_t i = 0; e->so2 && i < e->n; i++)
        if (!isfinite(e->so2[i]))
            return recon_fail(ctx, RECON_ERR_INPUT, "%s: pose %zu is %g", what, i, e->so2[i]);
    recon_status status = e->so3 ? recon_so3_check(ctx, e->so3, e->n, 0) : RECON_OK;
    return status == RECON_OK ? RECON_OK : recon_note(ctx, status, "poses of the %s", what);
}

static recon_status check(recon_ctx *ctx, const recon_embedded *e, const recon_embedded *index,
                          const char *what)
{
    if (e->n == 0 || e->d == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s are empty: %zu x %zu", what, e->n, e->d);
    if (!e->z || !e->so2 == !e->so3)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: z and poses of exactly one group are needed",
                          what);
    if (e->d != index->d)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s have %zu columns, the embeddings %zu", what,
                          e->d, index->d);
    if (!e->so2 != !index->so2)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s and embeddings have poses of different groups",
                          what);
    return check_poses(ctx, e, what);
}

static recon_status find_classes(recon_ctx *ctx, job *j)
{
    double begin = recon_now();
    recon_status status =
        recon_classes_find(ctx, &j->table, j->index, j->queries, j->options, &j->out->recall);
    if (status == RECON_OK)
        j->out->hit_rate = recon_classes_hit_rate(&j->table, j->index, j->rows);
    j->out->seconds.classes = recon_now() - begin;
    return status;
}

static recon_status center_classes(recon_ctx *ctx, job *j)
{
    double begin = recon_now();
    recon_status status;
    RECON_TRY(alloc_classes(ctx, j));
    recon_progress_begin(ctx, "centres", j->table.sets);
    RECON_TRY(recon_parallel(ctx, center_task, j, block_count(j)));
    recon_progress_end(ctx);
    j->out->seconds.centers = recon_now() - begin;
done:
    return status;
}

static size_t theta_width(const recon_frames *f)
{
    if (f->group == RECON_SO3)
        return 9;
    return f->family == RECON_SO2_MIXTURE ? 3 * RECON_SO2_PARTS_MAX : 1;
}

static recon_status fit_classes(recon_ctx *ctx, job *j)
{
    double begin = recon_now();
    recon_frames *out = j->out;
    recon_status status;
    if (out->group == RECON_SO2 && out->family == RECON_SO2_AUTO)
        RECON_TRY(choose_family(ctx, j));
    out->theta_width = theta_width(out);
    recon_progress_begin(ctx, "fits", j->table.sets);
    RECON_TRY(recon_parallel(ctx, fit_task, j, block_count(j)));
    recon_progress_end(ctx);
    out->seconds.fits = recon_now() - begin;
done:
    return status;
}

static recon_status fill_rows(recon_ctx *ctx, job *j)
{
    recon_status status = alloc_rows(ctx, j->out);
    if (status != RECON_OK)
        return status;
    return recon_parallel(ctx, row_task, j, (j->out->rows + BLOCK - 1) / BLOCK);
}

recon_status recon_normalize(recon_ctx *ctx, recon_frames *out, const recon_embedded *index,
                             const recon_embedded *queries, const recon_normalize_options *options)
{
    job j = { .index = index,
              .queries = queries,
              .rows = queries ? queries : index,
              .options = options,
              .out = out };
    recon_status status;
    if (!options) {
        *out = (recon_frames){ 0 };
        return recon_fail(ctx, RECON_ERR_INPUT, "options are needed: knn.k, or eps for components");
    }
    *out = (recon_frames){ .group = index->so2 ? RECON_SO2 : RECON_SO3,
                           .rows = j.rows->n,
                           .identifiability_width = index->so2 ? SO2_WIDTH : SO3_WIDTH,
                           .family = index->so2 ? options->family : RECON_SO2_AUTO };
    RECON_TRY(check(ctx, index, index, "embeddings"));
    if (queries)
        RECON_TRY(check(ctx, queries, index, "queries"));
    RECON_TRY(find_classes(ctx, &j));
    RECON_TRY(center_classes(ctx, &j));
    RECON_TRY(fit_classes(ctx, &j));
    RECON_TRY(fill_rows(ctx, &j));
    hand_over(&j);
done:
    recon_classes_free(&j.table);
    free_poses(&j.gamma);
    free_poses(&j.normalized);
    free(j.identifiability);
    free(j.natural);
    free(j.density);
    free(j.fit);
    if (status != RECON_OK)
        recon_frames_free(out);
    return status;
}

void recon_frames_free(recon_frames *f)
{
    free(f->neighbors);
    free(f->class_of);
    free_poses(&f->gamma);
    free_poses(&f->normalized);
    free_poses(&f->absolute);
    free(f->identifiability);
    free(f->theta);
    free(f->background);
    free(f->score);
    *f = (recon_frames){ 0 };
}
