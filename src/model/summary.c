/* summary.c - readings of all points, and of each label where there are labels. */
#include "model/summary.h"
#include "model/discovered.h"
#include "model/source.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/memory.h"
#include "stats/natural.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/degrees.h"
enum { LABELS_MOST = 1000 }; /* of more a list helps nobody */

typedef struct {
    const recon_findings *f;
    double *theta; /* scratch for a median */
} readings;

/* --- groups of points ------------------------------------------------------------------------- */

typedef struct {
    size_t n, natural[RECON_NATURAL_KINDS];
    double several, folded, hits;       /* shares; hits NaN without labels */
    double theta, pose_mean, pose_size; /* median width; centre and resultant of Lambda */
} group;

static double median(double *x, size_t n)
{
    recon_sort_doubles(x, n);
    return n ? recon_quantile(x, n, 0.5) : NAN;
}

static double hits_of(const recon_findings *f, size_t i)
{
    const int64_t *neighbor = f->frames->neighbors + i * f->frames->k;
    size_t hits = 0;
    for (size_t j = 0; j < f->frames->k; j++)
        hits += f->embedded->labels[neighbor[j]] == f->embedded->labels[i];
    return (double)hits / (double)f->frames->k;
}

/* The points of one label, or all of them where label is NULL. */
static group read_group(const readings *r, const int64_t *label)
{
    const recon_findings *f = r->f;
    const int64_t *labels = f->embedded->labels;
    group g = { .hits = labels ? 0 : NAN };
    double c = 0, s = 0;
    for (size_t i = 0; i < f->frames->rows; i++) {
        if (label && labels[i] != *label)
            continue;
        r->theta[g.n++] = f->maps[i].theta;
        g.several += f->frames->verdict[i] == RECON_NATURAL_SEVERAL;
        g.folded += f->frames->fold[i] == 2;
        g.natural[f->frames->verdict[i]]++;
        g.hits += labels ? hits_of(f, i) : 0;
        c += cos(f->maps[i].lambda);
        s += sin(f->maps[i].lambda);
    }
    double n = (double)g.n;
    g.several /= n;
    g.folded /= n;
    g.hits /= n;
    g.theta = median(r->theta, g.n);
    g.pose_mean = atan2(s, c);
    g.pose_size = hypot(s, c) / n;
    return g;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *group_json(const group *g)
{
    json_t *out =
        json_pack("{s:I, s:f, s:f, s:f, s:f, s:f}", "points", (json_int_t)g->n, "theta_deg",
                  g->theta * RECON_TO_DEGREES, "several_modes", g->several, "modulo_180", g->folded,
                  "natural_pose_deg", g->pose_mean * RECON_TO_DEGREES, "natural_pose_agreement",
                  g->pose_size);
    recon_json_put(&out, "natural_pose", recon_natural_json(g->natural));
    if (!isnan(g->hits))
        recon_json_put(&out, "hit_rate", json_real(g->hits));
    return out;
}

static json_t *labels_json(const readings *r)
{
    const recon_embedded *e = r->f->embedded;
    int64_t most = -1;
    json_t *out = json_object();
    for (size_t i = 0; i < e->n; i++)
        most = e->labels[i] > most ? e->labels[i] : most;
    for (int64_t label = 0; label <= most && label < LABELS_MOST; label++) {
        char key[32];
        group g = read_group(r, &label);
        snprintf(key, sizeof key, "%lld", (long long)label);
        if (g.n)
            recon_json_put(&out, key, group_json(&g));
    }
    return out;
}

static json_t *settings_json(const recon_findings *f)
{
    const recon_discover_options *o = f->options;
    json_t *out = json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:s, s:s, s:s, s:s, s:b, s:s}", "version", recon_version(),
        "group", "so2", "points", (json_int_t)f->embedded->n, "dimensions",
        (json_int_t)f->embedded->d, "k", (json_int_t)f->frames->k, "mean",
        recon_mean_name(o->mean.kind), "family", recon_so2_family_name(f->frames->family), "theta",
        recon_so2_family_name(f->maps[0].family), "lambda",
        f->embedded->lean ? "lean" : "neighbours", "half", o->half, "backend", f->backend);
    if (o->data) /* left out where it is not UTF-8 */
        recon_json_put_text(&out, "data", o->data);
    recon_source_add(&out, o->source);
    recon_discovered_list(&out, &(recon_discovered){ .frames = f->frames,
                                                     .keep_embeddings = o->keep_embeddings,
                                                     .report = o->report });
    return out;
}

static char *write_json(const readings *r, const group *all, const recon_discovery *d)
{
    json_t *out = settings_json(r->f);
    recon_json_put(&out, "all", group_json(all));
    if (r->f->embedded->labels)
        recon_json_put(&out, "labels", labels_json(r));
    recon_json_put(&out, "seconds",
                   json_pack("{s:f, s:f, s:f, s:f}", "embed", d->seconds.embed, "normalize",
                             d->seconds.normalize, "maps", d->seconds.maps, "total",
                             d->seconds.total));
    return recon_json_text(out);
}

recon_status recon_summarize(recon_ctx *ctx, recon_discovery *out, const recon_findings *f)
{
    readings r = { .f = f };
    size_t n = f->frames->rows;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &r.theta, n, sizeof *r.theta));
    group all = read_group(&r, NULL);
    out->points = n;
    out->k = f->frames->k;
    out->family = f->frames->family;
    out->theta = f->maps[0].family;
    out->hit_rate = f->frames->hit_rate;
    out->several = all.several;
    out->folded = all.folded;
    out->theta_median = all.theta;
    memcpy(out->natural, all.natural, sizeof out->natural);
    out->summary = write_json(&r, &all, out);
    if (!out->summary)
        RECON_TRY(recon_fail(ctx, RECON_ERR_MEMORY, "out of memory"));
done:
    free(r.theta);
    return status;
}
