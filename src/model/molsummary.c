/* molsummary.c - readings of all conformers, and of each molecule. */
#include "model/molsummary.h"
#include "model/discovered.h"
#include "model/source.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/memory.h"
#include "stats/natural.h"
#include "stats/quantile.h"

#include <math.h>
#include <recon/data/rmsd.h>
#include <stdlib.h>
#include <string.h>

enum { MOLECULES_MOST = 1000 }; /* of more a list helps nobody */

/* Sums over the conformers of a molecule. */
typedef struct {
    size_t n, natural[RECON_NATURAL_KINDS];
    size_t turns; /* that change nothing, of its first conformer; see recon_rmsd_turns */
    double concentration, background;
} group;

static recon_status median(recon_ctx *ctx, double *out, const recon_molfindings *f,
                           double (*of)(const recon_so3_map *))
{
    double *x;
    recon_status status = recon_alloc_raw(ctx, &x, f->frames->rows, sizeof *x);
    if (status != RECON_OK)
        return status;
    for (size_t i = 0; i < f->frames->rows; i++)
        x[i] = of(&f->maps[i]);
    recon_sort_doubles(x, f->frames->rows);
    *out = recon_quantile(x, f->frames->rows, 0.5);
    free(x);
    return RECON_OK;
}

static double concentration_of(const recon_so3_map *map)
{
    return map->density.singular[0];
}

static double background_of(const recon_so3_map *map)
{
    return map->background;
}

static void add(group *g, const recon_so3_map *map, int8_t verdict)
{
    g->n++;
    g->natural[verdict]++;
    g->concentration += map->density.singular[0];
    g->background += map->background;
}

/* --- symmetry --------------------------------------------------------------------------------- */

recon_status recon_turns_alike(recon_ctx *ctx, size_t *out, const recon_conformer *x)
{
    recon_bonds bonds = { 0 };
    recon_symmetry *symmetry = NULL;
    recon_status status;
    *out = 1;
    if (x->atoms == 0 || x->atoms > RECON_SYMMETRY_ATOMS)
        return RECON_OK;
    RECON_TRY(recon_bonds_perceive(ctx, &bonds, x->z, x->xyz, x->atoms));
    RECON_TRY(recon_symmetry_make(ctx, &symmetry, x->z, &bonds));
    *out = recon_rmsd_turns(symmetry, x->xyz);
done:
    recon_symmetry_free(symmetry);
    recon_bonds_free(&bonds);
    return status;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *molecule_json(const char *name, const group *g)
{
    double n = (double)g->n;
    json_t *out = json_pack("{s:I, s:f, s:f}", "conformers", (json_int_t)g->n, "concentration",
                            g->concentration / n, "background", g->background / n);
    recon_json_put(&out, "natural_pose", recon_natural_json(g->natural));
    recon_json_put(&out, "turns_alike", json_integer((json_int_t)g->turns));
    recon_json_put_text(&out, "name", name); /* left out where it is not UTF-8 */
    return out;
}

static recon_status read_groups(recon_ctx *ctx, group *groups, const recon_molfindings *f)
{
    recon_status status = RECON_OK;
    for (size_t i = 0; status == RECON_OK && i < f->frames->rows; i++) {
        group *g = &groups[f->embedded->labels[i]];
        recon_conformer x = recon_molecules_get(f->data, i);
        if (g->n == 0)
            status = recon_turns_alike(ctx, &g->turns, &x);
        add(g, &f->maps[i], f->frames->verdict[i]);
    }
    return status;
}

/* The first that occur; *count of all that do, and the symmetric ones among these. */
static recon_status molecules_json(recon_ctx *ctx, json_t **out, size_t *count, size_t *symmetric,
                                   const recon_molfindings *f)
{
    size_t molecules = recon_molecules_describe(f->data).molecules;
    group *groups = NULL;
    recon_status status;
    *count = *symmetric = 0;
    RECON_TRY(recon_alloc(ctx, &groups, molecules, sizeof *groups));
    RECON_TRY(read_groups(ctx, groups, f));
    *out = json_array();
    for (size_t m = 0; m < molecules; m++) {
        *symmetric += groups[m].turns > 1;
        if (groups[m].n && (*count)++ < MOLECULES_MOST)
            recon_json_append(out, molecule_json(recon_molecules_name(f->data, m), &groups[m]));
    }
done:
    free(groups);
    return status;
}

static json_t *settings_json(const recon_molfindings *f)
{
    const recon_moldiscover_options *o = f->options;
    json_t *out = json_pack("{s:s, s:s, s:I, s:I, s:I, s:s, s:b, s:s}", "version", recon_version(),
                            "group", "so3", "points", (json_int_t)f->embedded->n, "dimensions",
                            (json_int_t)f->embedded->d, "k", (json_int_t)f->frames->k, "mean",
                            o->as_mean ? recon_mean_name(o->mean.kind) : "gauge", "half", o->half,
                            "backend", f->backend);
    if (o->data) /* left out where it is not UTF-8 */
        recon_json_put_text(&out, "data", o->data);
    recon_source_add(&out, o->source);
    recon_discovered_list(&out, &(recon_discovered){ .frames = f->frames,
                                                     .keep_embeddings = o->keep_embeddings,
                                                     .report = o->report });
    return out;
}

static recon_status write_json(recon_ctx *ctx, recon_moldiscovery *d, const recon_molfindings *f)
{
    json_t *molecules = NULL, *out = NULL;
    size_t count;
    recon_status status = molecules_json(ctx, &molecules, &count, &d->symmetric, f);
    if (status != RECON_OK)
        return status;
    out = settings_json(f);
    if (!isnan(d->hit_rate)) /* JSON has none */
        recon_json_put(&out, "hit_rate", json_real(d->hit_rate));
    recon_json_put(&out, "concentration", json_real(d->concentration));
    recon_json_put(&out, "background", json_real(d->background));
    recon_json_put(&out, "natural_pose", recon_natural_json(d->natural));
    recon_json_put(&out, "molecule_count", json_integer((json_int_t)count));
    recon_json_put(&out, "symmetric_count", json_integer((json_int_t)d->symmetric));
    recon_json_put(&out, "molecules", molecules);
    recon_json_put(&out, "seconds",
                   json_pack("{s:f, s:f, s:f, s:f}", "embed", d->seconds.embed, "normalize",
                             d->seconds.normalize, "maps", d->seconds.maps, "total",
                             d->seconds.total));
    d->summary = recon_json_text(out);
    return d->summary ? RECON_OK : recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
}

recon_status recon_molsummarize(recon_ctx *ctx, recon_moldiscovery *out, const recon_molfindings *f)
{
    recon_status status;
    out->points = f->frames->rows;
    out->molecules = recon_molecules_describe(f->data).molecules;
    out->k = f->frames->k;
    out->hit_rate = f->frames->hit_rate;
    memcpy(out->natural, f->frames->natural, sizeof out->natural);
    RECON_TRY(median(ctx, &out->concentration, f, concentration_of));
    RECON_TRY(median(ctx, &out->background, f, background_of));
    RECON_TRY(write_json(ctx, out, f));
done:
    return status;
}
