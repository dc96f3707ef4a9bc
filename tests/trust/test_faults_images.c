/* A model of images from training to use, while memory runs out, one request after the other. */
#include "backbone/ieae.h"
#include "faults.h"
#include "models.h"

#include <recon/report/found.h>

enum { FEW = 5 };

static recon_dataset *letters;
static recon_model *model;
static const float *const images = &tiny_images[0][0];

/* --- making ----------------------------------------------------------------------------------- */

/* from: the file of a model to start from, or NULL. */
static recon_status train(recon_ctx *ctx, const void *from, digest *out)
{
    recon_train_result r;
    recon_ieae_options options = quick_training;
    const char *path = scratch("trained.safetensors");
    options.from = from ? scratch(from) : NULL;
    return digest_file(recon_ieae_train(ctx, &r, letters, path, &options), path, out);
}

static recon_status discover(recon_ctx *ctx, const void *arg, digest *out)
{
    recon_discovery d;
    recon_discover_options options = quick_discovery;
    (void)arg;
    options.half = 1;
    recon_status status = recon_discover(ctx, &d, scratch("backbone.safetensors"), NULL,
                                         recon_dataset_data(letters), scratch_folder, &options);
    if (status == RECON_OK)
        recon_discovery_free(&d);
    return digest_file(status, scratch("gamma.npy"), out);
}

/* The letters' pictures, their poses, the model itself: a page of what was discovered. */
static recon_status report(recon_ctx *ctx, const void *arg, digest *out)
{
    (void)arg;
    recon_status status =
        recon_found_save(ctx, scratch("report.html"), scratch_folder,
                         &(recon_found_data){ .data = recon_dataset_data(letters) });
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

static recon_status judge(recon_ctx *ctx, void *user, double *scores, const float *seen, size_t n)
{
    (void)ctx;
    (void)user;
    for (size_t i = 0; i < n; i++)
        scores[i] = seen[i * TINY_PIXELS + 5];
    return RECON_OK;
}

static recon_status natural(recon_ctx *ctx, const void *search, digest *out)
{
    static float rotated[FEW * TINY_PIXELS];
    recon_status status =
        search
            ? recon_canonicalize_search(ctx, rotated, NULL, model, images, FEW, judge, NULL, NULL)
            : recon_canonicalize_images(ctx, rotated, NULL, model, images, FEW, NULL);
    if (status == RECON_OK)
        digest_add(out, rotated, sizeof rotated);
    return status;
}

static recon_status score(recon_ctx *ctx, const void *arg, digest *out)
{
    static recon_pose_score unusual[FEW];
    (void)arg;
    recon_status status = recon_score_images(ctx, unusual, model, images, FEW);
    if (status == RECON_OK)
        digest_add(out, unusual, sizeof unusual);
    return status;
}

static recon_status distribution(recon_ctx *ctx, const void *arg, digest *out)
{
    static recon_distribution d[FEW];
    (void)arg;
    recon_status status = recon_distribution_images(ctx, d, model, images, FEW);
    for (size_t i = 0; status == RECON_OK && i < FEW; i++)
        digest_add(out, d[i].moment, sizeof d[i].moment);
    return status;
}

static void image_models_run_out_of_memory(void **state)
{
    (void)state;
    static const fault_job jobs[] = {
        { "open a model", open_model, NULL, 200, 40, 1 },
        { "canonicalize", natural, NULL, 200, 40, 0 },
        { "canonicalize by a judge", natural, "search", 60, 30, 0 },
        { "score", score, NULL, 60, 30, 0 },
        { "distribution", distribution, NULL, 60, 30, 0 },
        { "report", report, NULL, 4, 10, 1 },
        { "train", train, NULL, 8, 16, 1 },
        { "train, with JSON", train, NULL, 1, 12, 0 },
        { "train from a model", train, "backbone.safetensors", 8, 16, 1 },
        { "discover", discover, NULL, 8, 16, 1 },
        { "discover, with JSON", discover, NULL, 1, 16, 0 },
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        fault_memory(&jobs[i]);
}

static int setup(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    letters = quick_letters(*state);
    model = quick_model(*state, letters);
    return 0;
}

static int teardown(void **state)
{
    recon_model_close(*state, model);
    recon_dataset_close(letters);
    return scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(image_models_run_out_of_memory) };
    return cmocka_run_group_tests(tests, setup, teardown);
}
