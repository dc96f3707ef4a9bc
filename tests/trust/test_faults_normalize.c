/* Neighbours, components and Algorithm 1 while memory runs out, one request after the other. */
#include "faults.h"
#include "normalize/known.h"

#include <recon/core/array.h>

enum { SOME = 24 };

static data *known;

/* --- neighbours ------------------------------------------------------------------------------- */

static recon_status run_knn(recon_ctx *ctx, const void *arg, digest *out)
{
    static int64_t index[SOME * 5];
    static float score[SOME * 5];
    (void)arg;
    recon_status status =
        recon_knn_self(ctx, index, score, known->z, SOME, D, &(recon_knn_options){ .k = 5 });
    if (status == RECON_OK)
        digest_add(out, index, sizeof index);
    return status;
}

static recon_status run_components(recon_ctx *ctx, const void *arg, digest *out)
{
    static int64_t label[SOME];
    size_t count = 0;
    (void)arg;
    recon_status status =
        recon_knn_components(ctx, label, &count, known->z, SOME, D, RECON_EUCLIDEAN, 0.5);
    if (status == RECON_OK)
        digest_add(out, label, sizeof label);
    return status;
}

/* --- Algorithm 1 ------------------------------------------------------------------------------ */

typedef struct {
    const recon_group *group;
    recon_classes classes;
    recon_so2_family family;
    int queries, write;
} normal;

static void digest_frames(digest *out, const recon_frames *f)
{
    size_t pose = f->group->numbers * sizeof *f->gamma;
    const double *gamma = f->gamma;
    digest_add(out, gamma, f->rows * pose);
    digest_add(out, f->theta, f->rows * sizeof *f->theta);
    digest_add(out, f->parameters, f->rows * f->parameters_width * sizeof *f->parameters);
    digest_add(out, f->p, f->rows * sizeof *f->p);
    digest_add(out, f->verdict, f->rows);
    digest_add(out, f->score, f->rows * sizeof *f->score);
}

static recon_status run_normalize(recon_ctx *ctx, const void *arg, digest *out)
{
    const normal *o = arg;
    recon_frames frames = { 0 };
    recon_embedded index = view(known, o->group, SOME), queries = view(known, o->group, 9);
    recon_status status = recon_normalize(
        ctx, &frames, &index, o->queries ? &queries : NULL,
        &(recon_normalize_options){
            .classes = o->classes, .knn = { .k = 8 }, .eps = 0.5, .family = o->family });
    if (status == RECON_OK && o->write)
        status = recon_frames_write(ctx, scratch_folder, &frames, RECON_F64, "{ }");
    if (status == RECON_OK)
        digest_frames(out, &frames);
    recon_frames_free(&frames);
    return status;
}

static recon_status read_embedded(recon_ctx *ctx, const void *arg, digest *out)
{
    recon_embedded e;
    (void)arg;
    recon_status status = recon_embedded_read(ctx, &e, RECON_SO3, RECON_QUATERNIONS_NONE,
                                              "data/so3/z.npy", "data/so3/g.npy", "data/so3/y.npy");
    if (status == RECON_OK)
        digest_add(out, e.z, e.n * e.d * sizeof *e.z);
    recon_embedded_free(&e);
    return status;
}

static const fault_job jobs[] = {
    { "knn", run_knn, NULL, 0, 0, 0 },
    { "components", run_components, NULL, 0, 0, 0 },
    { "embeddings", read_embedded, NULL, 0, 0, 0 },
    { "normalize so2", run_normalize, &(const normal){ .group = RECON_SO2 }, 200, 40, 0 },
    { "normalize so2, mixtures", run_normalize,
      &(const normal){ .group = RECON_SO2, .family = RECON_SO2_MIXTURE, .queries = 1 }, 100, 40,
      0 },
    { "normalize so2, components, written", run_normalize,
      &(const normal){ .group = RECON_SO2,
                       .family = RECON_SO2_NORMAL,
                       .classes = RECON_CLASSES_COMPONENTS,
                       .write = 1 },
      200, 40, 0 },
    { "normalize so3, written", run_normalize, &(const normal){ .group = RECON_SO3, .write = 1 },
      100, 40, 0 },
    { "normalize so3, components", run_normalize,
      &(const normal){ .group = RECON_SO3, .classes = RECON_CLASSES_COMPONENTS }, 100, 40, 0 },
};
enum { JOBS = sizeof jobs / sizeof *jobs };

static void algorithm_1_runs_out_of_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < JOBS; i++)
        fault_memory(&jobs[i]);
}

static int setup(void **state)
{
    known = make_data(0.4, NORMAL, 0.05);
    return scratch_setup(state);
}

static int teardown(void **state)
{
    free(known);
    return scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(algorithm_1_runs_out_of_memory) };
    return cmocka_run_group_tests(tests, setup, teardown);
}
