/* found_molecule_look.c - molecules looked at once more: which they are, and a sample before the
 * model. */
#include "report/found_molecules.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>

void recon_molecule_rotate(float *out, const recon_conformer *x, recon_so3 by)
{
    for (size_t a = 0; a < x->atoms; a++) {
        double at[3] = { x->xyz[3 * a], x->xyz[3 * a + 1], x->xyz[3 * a + 2] };
        recon_so3_act(at, by, at);
        for (size_t i = 0; i < 3; i++)
            out[3 * a + i] = (float)at[i];
    }
}

/* The same conformers rotated by any rotation, and what the model says of them. */
static recon_status score_rotated(recon_ctx *ctx, recon_molecule_look *l, recon_conformer *x)
{
    size_t atoms = recon_molecules_describe(l->data).atoms;
    float *xyz = NULL;
    recon_pose_score3 *unusual = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &xyz, l->n * atoms, 3 * sizeof *xyz));
    RECON_TRY(recon_alloc_raw(ctx, &unusual, l->n, sizeof *unusual));
    for (size_t i = 0; i < l->n; i++) {
        recon_rng rng = recon_rng_new(RECON_FOUND_SEED, i);
        recon_molecule_rotate(xyz + i * 3 * atoms, &x[i], recon_so3_haar(&rng));
        x[i].xyz = xyz + i * 3 * atoms;
    }
    RECON_TRY(recon_score_molecules(ctx, unusual, l->model, x, l->n));
    for (size_t i = 0; i < l->n; i++) {
        recon_rng rng = recon_rng_new(RECON_FOUND_SEED, i);
        recon_so3 by = recon_so3_haar(&rng);
        l->trial.rotated[i] = unusual[i].score;
        l->trial.miss[i] =
            RECON_TO_DEGREES *
            recon_so3_distance(unusual[i].pose.psi, recon_so3_compose(by, l->said[i].pose.psi));
    }
done:
    free(xyz);
    free(unusual);
    return status;
}

/* The folder's poses are those that the model gives to these conformers. */
static recon_status check_same(recon_ctx *ctx, recon_molecule_look *l)
{
    double *apart = l->trial.miss; /* not yet in use */
    for (size_t i = 0; i < l->n; i++)
        apart[i] = recon_so3_distance(l->said[i].pose.psi, recon_so3_at(l->f->psi, l->row[i]));
    return recon_found_check_same(ctx, l->f, apart, l->n);
}

static recon_status use_model(recon_ctx *ctx, recon_molecule_look *l)
{
    char path[4096];
    recon_conformer *x = NULL;
    recon_status status;
    snprintf(path, sizeof path, "%s/model.safetensors", l->f->dir);
    RECON_TRY(recon_model_open(ctx, &l->model, path, RECON_SINGLE));
    RECON_TRY(recon_found_sample(ctx, &l->row, &l->n, l->f->rows, RECON_MOLECULE_SAMPLE));
    RECON_TRY(recon_alloc_raw(ctx, &l->said, l->n, sizeof *l->said));
    RECON_TRY(recon_found_trial_new(ctx, &l->trial, l->n));
    RECON_TRY(recon_alloc_raw(ctx, &x, l->n, sizeof *x));
    for (size_t i = 0; i < l->n; i++)
        x[i] = recon_molecules_get(l->data, l->row[i]);
    RECON_TRY(recon_distribution_molecules(ctx, l->said, l->model, x, l->n));
    RECON_TRY(check_same(ctx, l));
    for (size_t i = 0; i < l->n; i++)
        l->trial.natural[i] = l->said[i].score;
    RECON_TRY(score_rotated(ctx, l, x));
    l->trial.threshold = recon_score_threshold(l->model, 0.01);
done:
    free(x);
    return status;
}

/* Groups are molecules: they have names. */
static recon_status group(recon_ctx *ctx, recon_molecule_look *l)
{
    recon_status status = recon_found_group(ctx, &l->groups, l->f, l->labels);
    for (size_t i = 0; status == RECON_OK && l->labels && i < l->groups.count; i++)
        snprintf(l->groups.name[i], sizeof l->groups.name[i], "%s",
                 recon_molecules_name(l->data, (size_t)l->labels[l->groups.member[i][0]]));
    return status;
}

recon_status recon_molecule_look_open(recon_ctx *ctx, recon_molecule_look *l)
{
    recon_status status;
    if (l->data) {
        RECON_TRY(recon_found_labels(ctx, &l->labels, l->f, recon_molecules_data(l->data)));
        RECON_TRY(use_model(ctx, l));
    }
    RECON_TRY(group(ctx, l));
done:
    return status;
}

void recon_molecule_look_free(recon_ctx *ctx, recon_molecule_look *l)
{
    recon_model_close(ctx, l->model);
    recon_found_groups_free(&l->groups);
    free(l->labels);
    free(l->row);
    free(l->said);
    recon_found_trial_free(&l->trial);
}
