/* canonical_set.c - a whole set of molecules in their natural pose. */
#include "lab/canonical_set.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>

typedef struct {
    recon_conformer *list;
    const char **names; /* of those molecules that occur, numbered anew */
    int32_t *number;    /* [molecules of the whole] the new number + 1; 0: does not occur */
    float *xyz;
} copy;

static recon_status copy_new(recon_ctx *ctx, copy *c, const recon_molecules *data)
{
    recon_molecules_info info = recon_molecules_describe(data);
    recon_status status;
    *c = (copy){ 0 };
    RECON_TRY(recon_alloc(ctx, &c->list, info.n, sizeof *c->list));
    RECON_TRY(recon_alloc(ctx, &c->names, info.molecules, sizeof *c->names));
    RECON_TRY(recon_alloc(ctx, &c->number, info.molecules, sizeof *c->number));
    RECON_TRY(recon_alloc_raw(ctx, &c->xyz, info.total, 3 * sizeof *c->xyz));
    for (size_t i = 0; i < info.n; i++) {
        c->list[i] = recon_molecules_get(data, i);
        c->number[c->list[i].molecule] = 1;
    }
done:
    return status;
}

static void renumber(copy *c, const recon_molecules *data)
{
    recon_molecules_info info = recon_molecules_describe(data);
    int32_t count = 0;
    for (size_t m = 0; m < info.molecules; m++)
        if (c->number[m]) {
            c->names[count] = recon_molecules_name(data, m);
            c->number[m] = ++count;
        }
    for (size_t i = 0; i < info.n; i++)
        c->list[i].molecule = c->number[c->list[i].molecule] - 1;
}

static void copy_free(copy *c)
{
    free(c->xyz);
    free(c->number);
    free(c->names);
    free(c->list);
}

recon_status recon_canonical_set(recon_ctx *ctx, recon_molecules **out, recon_pose3 *poses,
                                 const recon_model *model, const recon_molecules *data)
{
    size_t n = recon_molecules_describe(data).n;
    const float *at;
    copy c;
    recon_status status;
    *out = NULL;
    RECON_TRY(copy_new(ctx, &c, data));
    RECON_TRY(recon_canonicalize_molecules(ctx, c.xyz, poses, model, c.list, n));
    renumber(&c, data);
    at = c.xyz;
    for (size_t i = 0; i < n; i++) {
        c.list[i].xyz = at;
        at += 3 * c.list[i].atoms;
    }
    RECON_TRY(recon_molecules_make(ctx, out, c.list, n, c.names));
done:
    copy_free(&c);
    return status;
}
