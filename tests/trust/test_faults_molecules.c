/* A model of molecules from training to use, while memory runs out, one request after the other. */
#include "backbone/molecule_net.h"
#include "faults.h"
#include "models.h"

#include <recon/report/found.h>

enum { FEW = 5 };

static recon_molecules *data;
static recon_model *model;
static recon_conformer x[FEW];

/* --- making ----------------------------------------------------------------------------------- */

static recon_status train(recon_ctx *ctx, const void *arg, digest *out)
{
    recon_train_result r;
    (void)arg;
    recon_status status = recon_molecule_net_train(
        ctx, &r, data, NULL, scratch("trained.safetensors"), &quick_molecule_training);
    return digest_file(status, scratch("trained.safetensors"), out);
}

static recon_status discover(recon_ctx *ctx, const void *arg, digest *out)
{
    recon_discovery d;
    (void)arg;
    recon_status status =
        recon_discover(ctx, &d, scratch("backbone.safetensors"), NULL, recon_molecules_data(data),
                       scratch_folder, &quick_discovery);
    if (status == RECON_OK)
        recon_discovery_free(&d);
    return digest_file(status, scratch("gamma.npy"), out);
}

static recon_status report(recon_ctx *ctx, const void *arg, digest *out)
{
    (void)arg;
    recon_status status =
        recon_found_save(ctx, scratch("report.html"), scratch_folder,
                         &(recon_found_data){ .data = recon_molecules_data(data) });
    return digest_file(status, scratch("report.html"), out);
}

/* --- using ------------------------------------------------------------------------------------ */

static recon_status open_model(recon_ctx *ctx, const void *arg, digest *out)
{
    recon_model *mine;
    (void)arg;
    recon_status status = recon_model_open(ctx, &mine, scratch("model.safetensors"), RECON_SINGLE);
    if (status != RECON_OK)
        return status;
    size_t weights = recon_model_describe(mine).weights;
    digest_add(out, &weights, sizeof weights);
    recon_model_close(ctx, mine);
    return RECON_OK;
}

static recon_status natural(recon_ctx *ctx, const void *arg, digest *out)
{
    static float rotated[FEW * CHAIN_ATOMS * 3];
    (void)arg;
    recon_status status = recon_canonicalize_molecules(ctx, rotated, NULL, model, x, FEW);
    if (status == RECON_OK)
        digest_add(out, rotated, sizeof rotated);
    return status;
}

static recon_status score(recon_ctx *ctx, const void *arg, digest *out)
{
    static recon_pose_score unusual[FEW];
    (void)arg;
    recon_status status = recon_score_molecules(ctx, unusual, model, x, FEW);
    for (size_t i = 0; status == RECON_OK && i < FEW; i++)
        digest_add(out, &unusual[i].score, sizeof unusual[i].score);
    return status;
}

static recon_status distribution(recon_ctx *ctx, const void *arg, digest *out)
{
    static recon_distribution3 d[FEW];
    (void)arg;
    recon_status status = recon_distribution_molecules(ctx, d, model, x, FEW);
    for (size_t i = 0; status == RECON_OK && i < FEW; i++)
        digest_add(out, d[i].axis, sizeof d[i].axis);
    return status;
}

static void molecule_models_run_out_of_memory(void **state)
{
    (void)state;
    static const fault_job jobs[] = {
        { "open a molecule model", open_model, NULL, 200, 40, 1 },
        { "canonicalize molecules", natural, NULL, 200, 40, 0 },
        { "score molecules", score, NULL, 60, 30, 0 },
        { "distribution of a molecule", distribution, NULL, 60, 30, 0 },
        { "report of molecules", report, NULL, 4, 10, 1 },
        { "train on molecules", train, NULL, 12, 24, 1 },
        { "discover molecules", discover, NULL, 12, 24, 1 },
        { "discover molecules, with JSON", discover, NULL, 1, 16, 0 },
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        fault_memory(&jobs[i]);
}

static int setup(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    data = quick_chains(*state);
    for (size_t i = 0; i < FEW; i++)
        x[i] = recon_molecules_get(data, i);
    model = quick_molecule_model(*state, data);
    return 0;
}

static int teardown(void **state)
{
    recon_model_close(*state, model);
    recon_molecules_close(data);
    return scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(molecule_models_run_out_of_memory) };
    return cmocka_run_group_tests(tests, setup, teardown);
}
