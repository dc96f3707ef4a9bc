/* summary.c - readings of all points, and of each label where there are labels: of either group. */
#include "model/summary.h"
#include "core/text.h"
#include "backbone/embedded.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/memory.h"
#include "data/identity.h"
#include "maps/so2_map.h"
#include "maps/so3_map.h"
#include "model/discovered.h"
#include "model/inconsistency.h"
#include "model/trust.h"
#include "group/natural.h"
#include "stats/quantile.h"
#include "maps/maps.h"

#include <math.h>
#include <recon/group/so2.h>
#include <stdio.h>
#include <string.h>

enum { LABELS_MOST = 1000 };            /* of more a list helps nobody */
#define FAR     (M_PI / 4)              /* beyond this Lambda and Gamma contradict each other */
#define ROTATED (20 * RECON_TO_RADIANS) /* beyond this a rotation is seen at once */

typedef struct {
    const recon_summary_input *f;
    double *x, *y; /* [rows] scratch for medians */
} readings;

/* --- groups of points ------------------------------------------------------------------------- */

typedef struct {
    size_t n, natural[RECON_NATURAL_KINDS], rotated;
    double hits;                        /* share; NaN without labels                        */
    double several, folded;             /* SO(2): shares                                    */
    double theta, pose_mean, pose_size; /* median width; centre and resultant of Lambda     */
    double disagree; /* share with one natural pose whose Lambda is far from Gamma           */
    double concentration, background; /* SO(3): medians                                   */
} subset;

static double median(double *x, size_t n)
{
    recon_sort_doubles(x, n);
    return n ? recon_quantile(x, n, 0.5) : NAN;
}

static double hits_of(const recon_summary_input *f, size_t i)
{
    const int64_t *neighbor = f->frames->neighbors + i * f->frames->k;
    size_t hits = 0, n = f->frames->members ? (size_t)f->frames->members[i] : f->frames->k;
    for (size_t j = 0; j < n; j++) /* of the class, as the list was cut */
        hits += f->embedded->labels[neighbor[j]] == f->embedded->labels[i];
    return (double)hits / (double)n;
}

/* How far canonicalizing rotates point i. */
static double rotation_of(const recon_summary_input *f, size_t i)
{
    const recon_embedded *e = f->embedded;
    const recon_maps_kind *kind = recon_maps_kind_of(f->frames->group);
    const char *map = (const char *)f->maps + i * kind->map;
    return kind->group->distance(kind->group, recon_embedded_pose(e, i),
                                 (const double *)(const void *)(map + kind->lambda_at));
}

/* What both groups have; *next goes through the points of a label, or all where label is NULL. */
static int take_next(subset *g, size_t *next, const recon_summary_input *f, const int64_t *label)
{
    const int64_t *labels = f->embedded->labels;
    while (*next < f->frames->rows && label && labels[*next] != *label)
        ++*next;
    if (*next == f->frames->rows)
        return 0;
    g->n++;
    int verdict = f->frames->verdict[*next];
    g->natural[verdict]++;
    g->rotated += verdict != RECON_NATURAL_NONE && verdict != RECON_NATURAL_UNSURE &&
                  rotation_of(f, *next) > ROTATED;
    g->hits += labels ? hits_of(f, *next) : NAN;
    return 1;
}

static void read_so2(subset *g, const readings *r, const int64_t *label)
{
    const recon_so2_map *map = r->f->maps;
    double c = 0, s = 0;
    for (size_t i = 0; take_next(g, &i, r->f, label); i++) {
        r->x[g->n - 1] = map[i].theta;
        g->several += r->f->frames->verdict[i] == RECON_NATURAL_SEVERAL;
        g->folded += r->f->frames->fold[i] == 2;
        g->disagree += r->f->frames->verdict[i] == RECON_NATURAL_ONE &&
                       recon_so2_distance(map[i].lambda, r->f->frames->gamma[i]) > FAR;
        c += cos(map[i].lambda);
        s += sin(map[i].lambda);
    }
    g->several /= (double)g->n;
    g->folded /= (double)g->n;
    g->disagree /= (double)g->n;
    g->theta = median(r->x, g->n);
    g->pose_mean = atan2(s, c);
    g->pose_size = hypot(s, c) / (double)g->n;
}

static void read_so3(subset *g, const readings *r, const int64_t *label)
{
    const recon_so3_map *map = r->f->maps;
    for (size_t i = 0; take_next(g, &i, r->f, label); i++) {
        r->x[g->n - 1] = map[i].density.singular[0];
        r->y[g->n - 1] = map[i].background;
    }
    g->concentration = median(r->x, g->n);
    g->background = median(r->y, g->n);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *json_so2(const subset *g)
{
    return json_pack("{s:I, s:f, s:f, s:f, s:f, s:f, s:f}", "points", (json_int_t)g->n, "theta_deg",
                     g->theta * RECON_TO_DEGREES, "several_modes", g->several, "modulo_180",
                     g->folded, "natural_pose_deg", g->pose_mean * RECON_TO_DEGREES,
                     "natural_pose_agreement", g->pose_size, "lambda_disagrees", g->disagree);
}

static json_t *json_so3(const subset *g)
{
    return json_pack("{s:I, s:f, s:f}", "points", (json_int_t)g->n, "concentration",
                     g->concentration, "background", g->background);
}

static void fill_so2(recon_discovery *out, const recon_summary_input *f, const subset *all)
{
    out->family = (recon_so2_family)f->frames->family;
    out->theta = ((const recon_so2_map *)f->maps)[0].family;
    out->several = all->several;
    out->folded = all->folded;
    out->theta_median = all->theta;
    out->disagree = all->disagree;
}

static void fill_so3(recon_discovery *out, const recon_summary_input *f, const subset *all)
{
    (void)f;
    out->concentration = all->concentration;
    out->background = all->background;
    out->inconsistent = fmax(out->trust.inconsistent, 0); /* NaN: not known of any */
}

/* What differs by the group: its readings, as JSON, and in the structure. */
static const struct reader {
    const recon_group *group;
    void (*read)(subset *g, const readings *r, const int64_t *label);
    json_t *(*json)(const subset *g);
    void (*fill)(recon_discovery *out, const recon_summary_input *f, const subset *all);
    recon_status (*molecules)(recon_ctx *ctx, json_t **summary, recon_discovery *out,
                              const recon_summary_input *f);
} readers[] = {
    { .group = RECON_SO2, read_so2, json_so2, fill_so2, NULL },
    { .group = RECON_SO3, read_so3, json_so3, fill_so3, recon_summarize_molecules },
};

static const struct reader *reader_of(const recon_summary_input *f)
{
    size_t i = 0;
    while (readers[i].group != f->frames->group)
        i++;
    return &readers[i];
}

static subset read_group(const readings *r, const int64_t *label)
{
    subset g = { .n = 0 };
    reader_of(r->f)->read(&g, r, label);
    g.hits /= (double)g.n;
    return g;
}

static json_t *group_json(const subset *g, const recon_summary_input *f)
{
    json_t *out = reader_of(f)->json(g);
    recon_json_put(&out, "natural_pose", recon_natural_json(g->natural));
    recon_json_put(&out, "rotated_20", json_real((double)g->rotated / (double)g->n));
    if (!isnan(g->hits))
        recon_json_put(&out, "hit_rate", json_real(g->hits));
    return out;
}

/* A folder's, or a known set's; NULL: it has none, or none that JSON can hold. */
static const char *name_of(const recon_summary_input *f, int64_t label)
{
    const recon_dataset *images = recon_data_images(f->data);
    const char *name = images ? recon_dataset_class_name(images, (size_t)label) : NULL;
    return name && recon_utf8_is(name) ? name : NULL;
}

static json_t *labels_json(const readings *r)
{
    const recon_embedded *e = r->f->embedded;
    int64_t most = -1;
    json_t *out = json_object();
    for (size_t i = 0; i < e->n; i++)
        most = e->labels[i] > most ? e->labels[i] : most;
    for (int64_t label = 0; label <= most && label < LABELS_MOST; label++) {
        char number[32];
        subset g = read_group(r, &label);
        const char *name = name_of(r->f, label);
        snprintf(number, sizeof number, "%lld", (long long)label);
        if (g.n)
            recon_json_put(&out, name ? name : number, group_json(&g, r->f));
    }
    return out;
}

static json_t *settings_json(const recon_summary_input *f)
{
    const recon_discover_options *o = f->options;
    const recon_group *group = f->frames->group;
    json_t *out = json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:s, s:b, s:s}", "version",
                            recon_version(), "kind", f->data->kind->name, "group", group->name,
                            "points", (json_int_t)f->embedded->n, "dimensions",
                            (json_int_t)f->embedded->d, "k", (json_int_t)f->frames->k, "mean",
                            f->mean, "half", o->half, "backend", f->backend);
    recon_json_put(&out, "lambda", json_string(recon_lambda_name(f->lambda)));
    recon_json_put(&out, "heads", json_string(recon_heads_name(o->maps.heads)));
    if (group->family_count > 1)
        recon_json_put(&out, "family", json_string(group->families[f->frames->family].name));
    if (f->theta)
        recon_json_put(&out, "theta", json_string(f->theta));
    recon_json_put(&out, "identity", json_sprintf(RECON_IDENTITY, f->identity));
    if (o->data) /* left out where it is not UTF-8 */
        recon_json_put_text(&out, "data", o->data);
    recon_source_add(&out, o->source);
    recon_discovered_list(&out, &(recon_discovered){ .frames = f->frames,
                                                     .keep_embeddings = o->keep_embeddings,
                                                     .has_report = o->report != NULL });
    return out;
}

/* Clusters whose natural pose is not what the model that the discovery began with holds for upright. */
static json_t *prior_json(const recon_discovery *d, const recon_group *group)
{
    json_t *out = json_array();
    for (size_t i = 0; i < d->n_prior; i++) {
        const recon_prior_cluster *p = &d->prior[i];
        double degrees = recon_prior_degrees(p, group);
        if (fabs(degrees) > RECON_PRIOR_DIFFERS)
            json_array_append_new(out,
                                  json_pack("{s:I, s:I, s:f}", "cluster", (json_int_t)p->cluster,
                                            "inputs", (json_int_t)p->inputs, "degrees", degrees));
    }
    return out;
}

static recon_status make_json(recon_ctx *ctx, json_t **summary, recon_discovery *out,
                              const readings *r, const subset *all)
{
    const recon_summary_input *f = r->f;
    *summary = settings_json(f);
    recon_json_put(summary, "trust", recon_trust_json(&out->trust));
    recon_json_put(summary, "all", group_json(all, f));
    if (out->prior)
        recon_json_put(summary, "prior_differs", prior_json(out, f->frames->group));
    if (recon_data_molecules(f->data) && reader_of(f)->molecules)
        RECON_CHECK(reader_of(f)->molecules(ctx, summary, out, f));
    else if (f->embedded->labels)
        recon_json_put(summary, "labels", labels_json(r));
    recon_json_put(summary, "seconds",
                   json_pack("{s:f, s:f, s:f, s:f, s:f}", "embed", out->seconds.embed, "normalize",
                             out->seconds.normalize, "maps", out->seconds.maps, "folds",
                             out->seconds.folds, "total", out->seconds.total));
    recon_json_put(summary, "folds", json_integer((json_int_t)out->folds));
    recon_json_round(*summary);
    out->summary = recon_json_text(json_incref(*summary));
    if (!out->summary)
        return recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
    return RECON_OK;
}

static void fill_in(recon_discovery *out, const recon_summary_input *f, const subset *all)
{
    out->kind = f->data->kind->name;
    out->group = f->frames->group;
    out->points = f->frames->rows;
    out->k = f->frames->k;
    out->hit_rate = f->frames->hit_rate;
    out->rotated = all->rotated;
    memcpy(out->natural, all->natural, sizeof out->natural);
    reader_of(f)->fill(out, f, all);
}

recon_status recon_summarize(recon_ctx *ctx, json_t **summary, recon_discovery *out,
                             const recon_summary_input *f)
{
    readings r = { .f = f };
    size_t n = f->frames->rows;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &r.x, n, sizeof *r.x));
    RECON_TRY(recon_alloc_raw(ctx, &r.y, n, sizeof *r.y));
    subset all = read_group(&r, NULL);
    fill_in(out, f, &all);
    RECON_TRY(make_json(ctx, summary, out, &r, &all));
done:
    recon_free_all(r.y, r.x);
    return status;
}

/* --- the source ---------------------------------------------------------------------------------- */

static void add_count(json_t **out, const char *key, uint64_t value)
{
    if (value)
        recon_json_put(out, key, json_integer((json_int_t)value));
}

void recon_source_add(json_t **out, const recon_source *s)
{
    if (!s || !s->spec || !recon_utf8_is(s->spec))
        return;
    json_t *source = json_object();
    recon_json_put(&source, "spec", json_string(s->spec));
    if (s->rotate)
        recon_json_put_text(&source, "rotate", s->rotate);
    add_count(&source, "rotate_seed", s->rotate_seed);
    add_count(&source, "seed", s->seed);
    add_count(&source, "limit", s->limit);
    add_count(&source, "size", s->size);
    recon_json_put(&source, "skip_bad", json_boolean(s->skip_bad));
    if (s->crop)
        recon_json_put(&source, "crop", json_string("auto"));
    add_count(&source, "picture_most", s->picture_most);
    add_count(&source, "not_read", s->unread);
    if (s->transparent)
        recon_json_put(&source, "transparent", json_string(s->transparent));
    recon_json_put(out, "source", source);
}
