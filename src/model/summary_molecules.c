/* summary_molecules.c - readings of each molecule, and which look the same after a rotation. */
#include "model/summary.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/memory.h"
#include "maps/so3_map.h"
#include "group/natural.h"

#include "data/rmsd.h"
#include <stdlib.h>

enum { MOLECULES_MOST = 1000 }; /* of more a list helps nobody */

/* Sums over the conformers of a molecule. */
typedef struct {
    size_t n, natural[RECON_NATURAL_KINDS];
    size_t
        rotations; /* that change nothing, of its first conformer; see recon_rmsd_symmetry_number */
    double concentration, background, inconsistency;
} group;

static void add(group *g, const recon_so3_map *map, int8_t verdict)
{
    g->n++;
    g->natural[verdict]++;
    g->concentration += map->density.singular[0];
    g->background += map->background;
}

/* --- symmetry --------------------------------------------------------------------------------- */

recon_status recon_symmetry_number(recon_ctx *ctx, size_t *out, const recon_conformer *x)
{
    recon_bonds bonds = { 0 };
    recon_symmetry *symmetry = NULL;
    recon_status status;
    *out = 1;
    if (x->atoms == 0 || x->atoms > RECON_SYMMETRY_ATOMS)
        return RECON_OK;
    RECON_TRY(recon_bonds_perceive(ctx, &bonds, x->z, x->xyz, x->atoms));
    RECON_TRY(recon_symmetry_make(ctx, &symmetry, x->z, &bonds));
    *out = recon_rmsd_symmetry_number(symmetry, x->xyz);
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
    recon_json_put(&out, "inconsistency_deg", json_real(g->inconsistency / n * RECON_TO_DEGREES));
    recon_json_put(&out, "natural_pose", recon_natural_json(g->natural));
    recon_json_put(&out, "symmetry_number", json_integer((json_int_t)g->rotations));
    recon_json_put_text(&out, "name", name); /* left out where it is not UTF-8 */
    return out;
}

static recon_status read_groups(recon_ctx *ctx, group *groups, const recon_summary_input *f)
{
    recon_status status = RECON_OK;
    for (size_t i = 0; status == RECON_OK && i < f->frames->rows; i++) {
        group *g = &groups[f->embedded->labels[i]];
        recon_conformer x = recon_molecules_get(recon_data_molecules(f->data), i);
        if (g->n == 0)
            status = recon_symmetry_number(ctx, &g->rotations, &x);
        add(g, (const recon_so3_map *)f->maps + i, f->frames->verdict[i]);
        if (f->inconsistency && f->inconsistency[i] >= 0) /* NaN: alone of its kind */
            g->inconsistency += f->inconsistency[i];
    }
    return status;
}

/* The first that occur are listed; all that do are counted, and the symmetric ones among them. */
recon_status recon_summarize_molecules(recon_ctx *ctx, json_t **summary, recon_discovery *out,
                                       const recon_summary_input *f)
{
    const recon_molecules *data = recon_data_molecules(f->data);
    json_t *list = json_array();
    group *groups = NULL;
    size_t count = 0;
    recon_status status;
    out->molecules = recon_molecules_describe(data).molecules;
    RECON_TRY(recon_alloc(ctx, &groups, out->molecules, sizeof *groups));
    RECON_TRY(read_groups(ctx, groups, f));
    for (size_t m = 0; m < out->molecules; m++) {
        out->symmetric += groups[m].rotations > 1;
        if (groups[m].n && count++ < MOLECULES_MOST)
            recon_json_append(&list, molecule_json(recon_molecules_name(data, m), &groups[m]));
    }
    recon_json_put(summary, "molecule_count", json_integer((json_int_t)count));
    recon_json_put(summary, "symmetric_count", json_integer((json_int_t)out->symmetric));
    recon_json_put(summary, "molecules", list);
    list = NULL;
done:
    json_decref(list);
    free(groups);
    return status;
}
