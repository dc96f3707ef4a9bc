/* bundle_learn.c - batches of standardised z, and who answers for which head. */
#include "maps/bundle_learn.h"
#include "core/fail.h"
#include "core/memory.h"
#include "maps/standard.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    recon_bundle *bundle;
    float *z;    /* [n][d] standardised */
    float *rows; /* of a batch          */
} pupil;

static recon_var input(void *user, recon_tape *t, const size_t *which, size_t n)
{
    pupil *p = user;
    size_t d = p->bundle->d, shape[2] = { n, d };
    for (size_t i = 0; i < n; i++)
        memcpy(p->rows + i * d, p->z + which[i] * d, d * sizeof *p->rows);
    return recon_var_input(t, p->rows, RECON_F32, shape, 2);
}

static recon_var output(void *user, recon_tape *t, int head, recon_var x)
{
    return recon_mlp_apply(t, &((pupil *)user)->bundle->head[head], x);
}

static void assign(recon_lessons *l, pupil *p, float *const targets[])
{
    const recon_bundle_kind *kind = p->bundle->kind;
    l->params = p->bundle->params;
    l->heads = kind->heads;
    l->kind = kind->head;
    l->number = p->bundle->number;
    for (int h = 0; h < kind->heads; h++) {
        l->name[h] = kind->head[h].name;
        l->target[h] = targets[h];
    }
    l->input = input;
    l->output = output;
    l->user = p;
}

recon_status recon_bundle_learn(recon_ctx *ctx, recon_bundle *b, const float *z,
                                float *const targets[], recon_lessons *l)
{
    pupil p = { .bundle = b };
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &p.z, l->n * b->d, sizeof *p.z));
    RECON_TRY(recon_alloc(ctx, &p.rows, l->batch * b->d, sizeof *p.rows));
    recon_standard_find(b->mean, b->scale, z, l->n, b->d);
    recon_standardize(p.z, z, l->n, b->d, b->mean, b->scale);
    assign(l, &p, targets);
    RECON_TRY(recon_lessons_learn(ctx, l));
done:
    free(p.rows);
    free(p.z);
    return status;
}

recon_status recon_lessons_held(recon_ctx *ctx, float **out, const recon_lessons *l, const float *z,
                                size_t d)
{
    recon_status status = recon_alloc_raw(ctx, out, l->held * d, sizeof **out);
    for (size_t i = 0; status == RECON_OK && i < l->held; i++)
        memcpy(*out + i * d, z + recon_lessons_place(l, i) * d, d * sizeof **out);
    return status;
}
