/* molcanonicalize.c - molecules turned into their natural pose. */
#include <recon/model/molcanonicalize.h>
#include "model/molmodel.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>

static void turn(float *out, const recon_conformer *x, const recon_pose3 *pose)
{
    recon_se3 there = recon_pose3_motion(pose, RECON_TO_CANONICAL);
    for (size_t i = 0; i < x->atoms; i++) {
        double place[3] = { x->xyz[3 * i], x->xyz[3 * i + 1], x->xyz[3 * i + 2] };
        recon_se3_act(place, there, place);
        for (size_t k = 0; k < 3; k++)
            out[3 * i + k] = (float)place[k];
    }
}

recon_status recon_molcanonicalize(recon_ctx *ctx, float *out, recon_pose3 *poses,
                                   const recon_molmodel *model, const recon_conformer *x, size_t n)
{
    recon_pose3 *own = NULL;
    recon_status status;
    if (!poses) {
        RECON_TRY(recon_alloc_raw(ctx, &own, n, sizeof *own));
        poses = own;
    }
    RECON_TRY(recon_molmodel_read(ctx, poses, NULL, model, x, n));
    for (size_t i = 0; out && i < n; i++) {
        turn(out, &x[i], &poses[i]);
        out += 3 * x[i].atoms;
    }
done:
    free(own);
    return status;
}

/* --- whole sets ------------------------------------------------------------------------------- */

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

recon_status recon_molcanonicalize_all(recon_ctx *ctx, recon_molecules **out, recon_pose3 *poses,
                                       const recon_molmodel *model, const recon_molecules *data)
{
    size_t n = recon_molecules_describe(data).n;
    const float *at;
    copy c;
    recon_status status;
    *out = NULL;
    RECON_TRY(copy_new(ctx, &c, data));
    RECON_TRY(recon_molcanonicalize(ctx, c.xyz, poses, model, c.list, n));
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
