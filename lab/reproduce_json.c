/* reproduce_json.c - everything measured with one model, as JSON. */
#include "lab/reproduce.h"
#include "core/json.h"
#include "group/natural.h"

#include <math.h>

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *degrees(double radians)
{
    return number(radians * RECON_TO_DEGREES);
}

static json_t *percent(double share)
{
    return number(100 * share);
}

/* --- tables ----------------------------------------------------------------------------------- */

static json_t *accuracy_json(const reproduction *r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "ieae",
                     percent(r->accuracy.ieae), "knn", percent(r->accuracy.knn), "head",
                     percent(r->accuracy.head), "neighbours", percent(r->accuracy.neighbours),
                     "density", percent(r->accuracy.density), "search", percent(r->accuracy.search),
                     "gated", percent(r->accuracy.gated), "upright", percent(r->accuracy.upright),
                     "upright_gated", percent(r->accuracy.upright_gated));
}

static json_t *ood_json(const recon_ood_auc *ood)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "ieae", number(ood->ieae), "recon", number(ood->recon),
                     "density", number(ood->density), "undo", number(ood->undo));
}

/* By other rules than the usual one, for what is unusual. */
static json_t *ood_rules_json(const reproduction *r)
{
    json_t *list = json_array();
    for (size_t k = 1; k < RECON_REACHES; k++) {
        json_t *one = ood_json(&r->ood[k]);
        recon_json_put(&one, "sigmas", json_real(recon_reaches[k].sigmas));
        recon_json_put(&one, "least_deg", degrees(recon_reaches[k].least));
        recon_json_put(&one, "unusual_percent", percent(r->ood[k].share));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *theta_json(const reproduction *r)
{
    json_t *list = json_array();
    for (size_t c = 0; c < r->on->classes; c++)
        json_array_append_new(list, json_pack("{s:s, s:I, s:o, s:o, s:o}", "class", r->on->name[c],
                                              "images", (json_int_t)r->width[c].n, "truth_deg",
                                              degrees(r->width[c].truth), "mean_deg",
                                              degrees(r->width[c].mean), "spread_deg",
                                              degrees(r->width[c].spread)));
    return list;
}

static json_t *by_k_json(const reproduction *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->ks; i++)
        json_array_append_new(list, json_pack("{s:I, s:f, s:o}", "k", (json_int_t)r->by_k[i].k,
                                              "hit_rate", r->by_k[i].hit_rate, "theta_mae_deg",
                                              degrees(r->by_k[i].error.by_class)));
    return list;
}

/* Row i: of the neighbours of the worst rows of class i, the percentage of each class; null where
 * class i is not among the worst. */
static json_t *confusion_json(const reproduction *r)
{
    size_t classes = r->on->classes;
    json_t *rows = json_array();
    for (size_t i = 0; i < classes; i++) {
        const uint64_t *counts = r->confusion + i * classes;
        uint64_t sum = 0;
        for (size_t j = 0; j < classes; j++)
            sum += counts[j];
        json_t *row = sum ? json_array() : json_null();
        for (size_t j = 0; sum && j < classes; j++)
            json_array_append_new(row, percent((double)counts[j] / (double)sum));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *folds_json(const reproduction *r)
{
    json_t *list = json_array();
    for (size_t c = 0; c < r->on->classes; c++)
        if (r->fold[c].n)
            json_array_append_new(list, json_pack("{s:s, s:o, s:f, s:f}", "class", r->on->name[c],
                                                  "percent", percent(r->fold[c].share),
                                                  "first_moment", r->fold[c].moment[0],
                                                  "second_moment", r->fold[c].moment[1]));
    return list;
}

static int has_pair(const reproduction *r)
{
    return r->on->what->pair[0] != r->on->what->pair[1];
}

static json_t *pair_json(const reproduction *r)
{
    const char *const *names = r->on->name;
    const int64_t *pair = r->on->what->pair;
    return json_pack("{s:[s, s], s:[o, o], s:o, s:o, s:o}", "classes", names[pair[0]],
                     names[pair[1]], "natural_deg", degrees(r->pair.natural[0]),
                     degrees(r->pair.natural[1]), "between_deg", degrees(r->pair.between),
                     "distance_before_deg", degrees(r->pair.before), "distance_after_deg",
                     degrees(r->pair.after));
}

/* --- controls --------------------------------------------------------------------------------- */

static json_t *resampled_json(const image_controls *c)
{
    return json_pack(
        "{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "test_images", (json_int_t)c->resampled.images,
        "training_images", (json_int_t)c->resampled.rows, "none", percent(c->resampled.none[0]),
        "none_resampled", percent(c->resampled.none[1]), "canonical",
        percent(c->resampled.canonical[0]), "canonical_resampled",
        percent(c->resampled.canonical[1]), "hit_rate", number(c->resampled.hit_rate[0]),
        "hit_rate_resampled", number(c->resampled.hit_rate[1]));
}

static json_t *like_json(const reproduction *r)
{
    const recon_like_poses *l = &r->controls.like;
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "rows",
                     (json_int_t)l->rows, "z_change", number(r->equivariance.code_median),
                     "distance_neighbours_deg", degrees(l->distance[0]), "distance_random_deg",
                     degrees(l->distance[1]), "spread_neighbours_deg", degrees(l->spread[0]),
                     "spread_random_deg", degrees(l->spread[1]), "theta_neighbours_deg",
                     degrees(l->theta[0]), "theta_random_deg", degrees(l->theta[1]),
                     "theta_mae_neighbours_deg", degrees(l->error[0].by_class),
                     "theta_mae_random_deg", degrees(l->error[1].by_class));
}

static json_t *frames_json(const reproduction *r)
{
    const recon_frame_pair *p = &r->controls.pair;
    const int64_t *pair = r->on->what->pair;
    return json_pack(
        "{s:[s, s], s:[o, o], s:[o, o], s:o, s:[o, o], s:o, s:o}", "classes", r->on->name[pair[0]],
        r->on->name[pair[1]], "frame_deg", degrees(p->frame[0]), degrees(p->frame[1]), "agreement",
        number(p->agreement[0]), number(p->agreement[1]), "apart_deg", degrees(p->apart),
        "other_percent", percent(p->other[0]), percent(p->other[1]), "several_percent",
        percent(r->controls.pair_several), "peaks_apart_deg", degrees(r->controls.pair_peaks));
}

static json_t *controls_json(const reproduction *r)
{
    json_t *out = json_pack("{s:o, s:o}", "resampled", resampled_json(&r->controls), "like_poses",
                            like_json(r));
    if (has_pair(r))
        recon_json_put(&out, "pair", frames_json(r));
    return out;
}

/* --- the model -------------------------------------------------------------------------------- */

static void add_poses(json_t **out, const reproduction *r)
{
    const recon_equivariance *e = &r->equivariance;
    recon_json_put(out, "pose_error",
                   json_pack("{s:o, s:o, s:o, s:o, s:o}", "median_deg", degrees(r->pose.median),
                             "p95_deg", degrees(r->pose.p95), "mean_deg", degrees(r->pose.mean),
                             "flipped_percent", percent(r->pose.flips), "close_percent",
                             percent(r->pose.close)));
    recon_json_put(out, "theta_mae_deg", degrees(r->theta.by_class));
    recon_json_put(out, "theta_sample_mae_deg", degrees(r->theta.by_sample));
    recon_json_put(out, "theta_density_mae_deg", degrees(r->theta_density.by_class));
    recon_json_put(out, "theta", theta_json(r));
    recon_json_put(out, "modulo_180", folds_json(r));
    if (has_pair(r))
        recon_json_put(out, "pair", pair_json(r));
    recon_json_put(out, "equivariance",
                   json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "images", (json_int_t)e->n,
                             "pose_median_deg", degrees(e->pose_median), "pose_p95_deg",
                             degrees(e->pose_p95), "centre_median_deg", degrees(e->centre_median),
                             "centre_p95_deg", degrees(e->centre_p95), "code_median",
                             number(e->code_median), "code_p95", number(e->code_p95)));
}

static void add_neighbors(json_t **out, const reproduction *r)
{
    recon_json_put(out, "hit_rate", number(r->hit_rate));
    recon_json_put(out, "hit_rate_deviation", number(r->hit_deviation));
    recon_json_put(out, "verdicts", recon_natural_json(r->natural));
    recon_json_put(out, "by_k", by_k_json(r));
    recon_json_put(out, "neighbour_images", json_integer((json_int_t)r->hood.index->n));
    recon_json_put(out, "confusion_rows", json_integer((json_int_t)r->hood.worst_count));
    recon_json_put(out, "confusion_percent", confusion_json(r));
}

json_t *algorithm1_json(size_t inputs, size_t among, size_t k, double seconds)
{
    return json_pack("{s:I, s:I, s:I, s:f}", "inputs", (json_int_t)inputs, "among",
                     (json_int_t)among, "k", (json_int_t)k, "seconds", seconds);
}

json_t *reproduce_model_json(const reproduction *r)
{
    const recon_ieae *encoder = recon_backbone_ieae(r->model->backbone);
    size_t rows = r->hood.index->n;
    json_t *out =
        json_pack("{s:s, s:s, s:I, s:s, s:I, s:s}", "trained", recon_trained_name(r->trained),
                  "preset", recon_preset_name(recon_ieae_describe(encoder).preset), "weights",
                  (json_int_t)recon_backbone_weights(r->model->backbone), "lambda",
                  recon_lambda_name(r->model->maps->lambda), "k", (json_int_t)r->model->k, "mean",
                  recon_mean_name(r->model->mean.kind));
    recon_json_put_text(&out, "model", r->path);
    recon_json_put(&out, "heads",
                   json_string(recon_heads_name(recon_model_describe(r->model).maps.heads)));
    recon_json_put_text(&out, "training", r->training);
    recon_json_put(&out, "accuracy", accuracy_json(r));
    recon_json_put(&out, "ood_auc", ood_json(&r->ood[0]));
    recon_json_put(&out, "ood_other_rules", ood_rules_json(r));
    recon_json_put(&out, "ood_percent", percent(r->ood[0].share));
    add_poses(&out, r);
    add_neighbors(&out, r);
    recon_json_put(&out, "controls", controls_json(r));
    recon_json_put(&out, "overhead_ms", number(r->times.overhead_ms));
    recon_json_put(&out, "canonicalize_ms", number(r->times.canonicalize_ms));
    recon_json_put(&out, "algorithm1", algorithm1_json(rows, rows, K, r->hood.seconds));
    recon_json_put(&out, "backend", json_string(r->times.backend));
    recon_json_put(&out, "threads", json_integer(r->times.threads));
    recon_json_put(&out, "batch", json_integer((json_int_t)r->times.batch));
    recon_json_put(&out, "seconds", number(r->seconds));
    return out;
}
