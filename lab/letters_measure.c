/* letters_measure.c - a model's answers about letters, held to the laws they were drawn by. */
#include "lab/letters.h"
#include "backbone/kinds.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/memory.h"
#include "stats/quantile.h"
#include "stats/roc.h"

#include <math.h>
#include <recon/group/so2.h>
#include <recon/model/canonicalize.h>
#include <recon/model/score.h>
#include <stdio.h>
#include <stdlib.h>

#define FAR    (20 * RECON_TO_RADIANS) /* an answer that is of no use               */
#define BESIDE (15 * RECON_TO_RADIANS) /* an answer that is at one of several poses */

/* What a model says of each picture of a set. */
typedef struct {
    const letters_set *set;
    double *before, *after; /* [n] distance to the nearest natural pose: untouched, and canonical */
    recon_pose_score2 *score;
    recon_distribution *poses;
} answers;

static void answers_free(answers *a)
{
    free(a->before);
    free(a->after);
    free(a->score);
    free(a->poses);
}

static recon_status ask(recon_ctx *ctx, answers *out, const letters_plan *plan,
                        const recon_model *model, const letters_set *set, const char *dir)
{
    float *images = NULL;
    recon_pose2 *pose = NULL;
    recon_status status;
    *out = (answers){ .set = set };
    RECON_TRY(recon_alloc_raw(ctx, &out->before, set->n, sizeof *out->before));
    RECON_TRY(recon_alloc_raw(ctx, &out->after, set->n, sizeof *out->after));
    RECON_TRY(recon_alloc_raw(ctx, &out->score, set->n, sizeof *out->score));
    RECON_TRY(recon_alloc_raw(ctx, &out->poses, set->n, sizeof *out->poses));
    RECON_TRY(recon_alloc_raw(ctx, &pose, set->n, sizeof *pose));
    RECON_TRY(letters_load(ctx, &images, set->n, dir, model));
    RECON_TRY(recon_canonicalize_images(ctx, NULL, pose, model, images, set->n, NULL));
    RECON_TRY(recon_score_images(ctx, out->score, model, images, set->n));
    RECON_TRY(recon_distribution_images(ctx, out->poses, model, images, set->n));
    for (size_t i = 0; i < set->n; i++) {
        const letters_law *law = &plan->kind[set->kind[i]].law;
        out->before[i] = letters_law_distance(law, set->angle[i]);
        out->after[i] = letters_law_distance(law, set->angle[i] + pose[i].rotation);
    }
done:
    free(pose);
    free(images);
    return status;
}

/* --- of some kinds ---------------------------------------------------------------------------- */

typedef int chosen(const letters_law *law);

static int is_several(const letters_law *law)
{
    return law->modes > 1;
}

/* Which pictures count: of one kind, or of all kinds whose law is chosen. */
typedef struct {
    const letters_plan *plan;
    chosen *laws; /* NULL: the kind alone */
    size_t kind;
} part;

static int counts(const part *p, size_t kind)
{
    return p->laws ? p->laws(&p->plan->kind[kind].law) : kind == p->kind;
}

/* The values of those that count, sorted, to room; how many. */
static size_t gather(double *room, const answers *a, const part *p, const double *values)
{
    size_t n = 0;
    for (size_t i = 0; i < a->set->n; i++)
        if (counts(p, a->set->kind[i]))
            room[n++] = values[i];
    recon_sort_doubles(room, n);
    return n;
}

static json_t *degrees(double radians)
{
    return isfinite(radians) ? json_real(radians * RECON_TO_DEGREES) : json_null();
}

/* Median and share beyond FAR of distances. */
static json_t *error_json(double *room, const answers *a, const part *p, const double *distance)
{
    int nowhere = !p->laws && letters_is_circle(&p->plan->kind[p->kind].law); /* it has no pose */
    size_t n = nowhere ? 0 : gather(room, a, p, distance), far = 0;
    for (size_t i = 0; i < n; i++)
        far += room[i] > FAR;
    return n ? json_pack("{s:o, s:f}", "median_deg", degrees(recon_quantile(room, n, 0.5)),
                         "beyond_percent", 100 * (double)far / (double)n)
             : json_null();
}

static double share_within(double *room, const answers *a, const part *p, double reach)
{
    size_t n = gather(room, a, p, a->after), within = 0;
    for (size_t i = 0; i < n; i++)
        within += room[i] <= reach;
    return n ? 100 * (double)within / (double)n : NAN;
}

static double share_of_verdicts(const answers *a, const part *p, recon_natural one,
                                recon_natural other)
{
    size_t n = 0, hits = 0;
    for (size_t i = 0; i < a->set->n; i++)
        if (counts(p, a->set->kind[i])) {
            n++;
            hits += a->poses[i].verdict == one || a->poses[i].verdict == other;
        }
    return n ? 100 * (double)hits / (double)n : NAN;
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* The median width of a kind as the model has it, as a standard deviation. */
static double width_of(double *room, const answers *a, const part *p)
{
    size_t n = 0;
    for (size_t i = 0; i < a->set->n; i++)
        if (counts(p, a->set->kind[i]))
            room[n++] = letters_sigma(a->poses[i].family, a->poses[i].theta);
    recon_sort_doubles(room, n);
    return n ? recon_quantile(room, n, 0.5) : NAN;
}

/* --- by kind ---------------------------------------------------------------------------------- */

static json_t *verdicts_json(const answers *a, const part *p)
{
    json_t *out = json_object();
    for (int v = 0; v < RECON_NATURAL_KINDS; v++)
        if (v != RECON_NATURAL_AXIS)
            json_object_set_new(
                out, recon_natural_name((recon_natural)v),
                number(share_of_verdicts(a, p, (recon_natural)v, (recon_natural)v)));
    return out;
}

static json_t *natural_json(const letters_law *law)
{
    json_t *list = json_array();
    for (size_t i = 0; i < law->modes && !letters_is_circle(law); i++)
        json_array_append_new(list, degrees(law->at[i]));
    return list;
}

static json_t *kinds_json(double *room, const letters_plan *plan, const answers *fresh,
                          const answers *anyway)
{
    json_t *list = json_array();
    for (size_t k = 0; k < plan->kinds; k++) {
        const part p = { .plan = plan, .kind = k };
        const letters_law *law = &plan->kind[k].law;
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "letter",
                            plan->kind[k].name, "natural_deg", natural_json(law), "untouched",
                            error_json(room, fresh, &p, fresh->before), "fresh",
                            error_json(room, fresh, &p, fresh->after), "anyway",
                            error_json(room, anyway, &p, anyway->after), "width_deg",
                            degrees(width_of(room, fresh, &p)), "true_width_deg",
                            letters_is_one(law) ? degrees(letters_sigma(law->family, law->width))
                                                : json_null(),
                            "verdicts_percent", verdicts_json(fresh, &p)));
    }
    return list;
}

/* The medians of the kinds that are never rotated: the least and the largest. */
static json_t *still_json(double *room, const letters_plan *plan, const answers *fresh)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < plan->kinds; k++) {
        const part p = { .plan = plan, .kind = k };
        size_t n = letters_is_still(&plan->kind[k].law) ? gather(room, fresh, &p, fresh->after) : 0;
        double median = n ? recon_quantile(room, n, 0.5) : NAN;
        low = fmin(low, median);
        high = fmax(high, median);
    }
    return json_pack("{s:o, s:o}", "least_deg", degrees(low), "most_deg", degrees(high));
}

/* Mean absolute error over the kinds with one natural pose. */
static double width_error(double *room, const letters_plan *plan, const answers *fresh)
{
    double sum = 0, n = 0;
    for (size_t k = 0; k < plan->kinds; k++) {
        const part p = { .plan = plan, .kind = k };
        const letters_law *law = &plan->kind[k].law;
        double found = letters_is_one(law) ? width_of(room, fresh, &p) : NAN;
        if (isfinite(found)) {
            sum += fabs(found - letters_sigma(law->family, law->width));
            n++;
        }
    }
    return n ? sum / n : NAN;
}

/* --- of all ----------------------------------------------------------------------------------- */

/* Letters at any angle are told from those that follow the laws, by the model and by the laws. */
static recon_status measure_ood(recon_ctx *ctx, json_t **out, const letters_plan *plan,
                                const answers *fresh, const answers *anyway)
{
    const answers *both[] = { fresh, anyway };
    size_t n = fresh->set->n + anyway->set->n, at = 0;
    double *ours = NULL, *best = NULL, auc = NAN, highest = NAN;
    uint8_t *label = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &ours, n, sizeof *ours));
    RECON_TRY(recon_alloc_raw(ctx, &best, n, sizeof *best));
    RECON_TRY(recon_alloc_raw(ctx, &label, n, sizeof *label));
    for (int j = 0; j < 2; j++)
        for (size_t i = 0; i < both[j]->set->n; i++, at++) {
            label[at] = (uint8_t)j;
            ours[at] = both[j]->score[i].score;
            best[at] =
                letters_law_score(&plan->kind[both[j]->set->kind[i]].law, both[j]->set->angle[i]);
        }
    RECON_TRY(recon_roc_auc(ctx, &auc, ours, label, n));
    RECON_TRY(recon_roc_auc(ctx, &highest, best, label, n));
    *out = json_pack("{s:f, s:f}", "density", auc, "best", highest);
done:
    free(label);
    free(best);
    free(ours);
    return status;
}

static json_t *alarms_json(const answers *fresh)
{
    static const struct {
        const char *key;
        double share;
    } asked[] = { { "at_1", 0.01 }, { "at_5", 0.05 }, { "at_10", 0.10 }, { "at_20", 0.20 } };
    json_t *out = json_object();
    for (size_t j = 0; j < sizeof asked / sizeof *asked; j++) {
        size_t alarms = 0;
        for (size_t i = 0; i < fresh->set->n; i++)
            alarms += fresh->score[i].p_value <= asked[j].share;
        json_object_set_new(out, asked[j].key,
                            json_real(100 * (double)alarms / (double)fresh->set->n));
    }
    return out;
}

/* How much nearer to its natural pose a picture of a kind with one comes to lie, on average. */
static double gain_of(const letters_plan *plan, const answers *a)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < a->set->n; i++)
        if (letters_is_one(&plan->kind[a->set->kind[i]].law)) {
            sum += a->before[i] - a->after[i];
            n++;
        }
    return n ? sum / n : NAN;
}

static json_t *summary_json(double *room, const letters_plan *plan, const answers *fresh,
                            const answers *anyway)
{
    const part one = { .plan = plan, .laws = letters_is_one },
               several = { .plan = plan, .laws = is_several },
               circle = { .plan = plan, .laws = letters_is_circle };
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o}, s:{s:o}, s:o, s:o, s:o, s:o}", "untouched",
        json_pack("{s:o, s:o}", "one", error_json(room, fresh, &one, fresh->before), "anyway",
                  error_json(room, anyway, &one, anyway->before)),
        "one", error_json(room, fresh, &one, fresh->after), "still", still_json(room, plan, fresh),
        "anyway", error_json(room, anyway, &one, anyway->after), "gain_mean_deg",
        degrees(gain_of(plan, fresh)), "several", "found_percent",
        number(share_of_verdicts(fresh, &several, RECON_NATURAL_SEVERAL, RECON_NATURAL_MODULO)),
        "within_percent", number(share_within(room, fresh, &several, BESIDE)), "circle",
        "found_percent",
        number(share_of_verdicts(fresh, &circle, RECON_NATURAL_NONE, RECON_NATURAL_UNSURE)),
        "width_mae_deg", degrees(width_error(room, plan, fresh)), "false_alarms_percent",
        alarms_json(fresh), "kinds", kinds_json(room, plan, fresh, anyway), "test_images",
        json_pack("{s:I, s:I}", "fresh", (json_int_t)fresh->set->n, "anyway",
                  (json_int_t)anyway->set->n));
}

recon_status letters_measure(recon_ctx *ctx, json_t **out, const letters_plan *plan,
                             const recon_model *model, const letters_set *fresh,
                             const letters_set *anyway, const char *dir)
{
    answers of[2] = { 0 };
    char path[RECON_PATH];
    double *room = NULL;
    json_t *ood = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_alloc_raw(ctx, &room, fresh->n + anyway->n, sizeof *room));
    RECON_TRY(ask(ctx, &of[0], plan, model, fresh, recon_folder_join(path, dir, "fresh")));
    RECON_TRY(ask(ctx, &of[1], plan, model, anyway, recon_folder_join(path, dir, "anyway")));
    RECON_TRY(measure_ood(ctx, &ood, plan, &of[0], &of[1]));
    *out = summary_json(room, plan, &of[0], &of[1]);
    if (!*out || json_object_set(*out, "ood_auc", ood))
        RECON_TRY(recon_fail(ctx, RECON_ERR_MEMORY, "out of memory"));
done:
    json_decref(ood);
    free(room);
    answers_free(&of[0]);
    answers_free(&of[1]);
    return status;
}
