/* Models as ONNX files: what they hold, how large they are, what is refused. That runtimes give the same
 * answers is for tests/cli/test_export.sh. */
#include "proto.h"
#include "tiny.h"
#include "backbone/kinds.h"
#include "model/model.h"

#include <recon/model/export.h>

static proto load(const char *path, unsigned char **block)
{
    size_t size;
    *block = slurp(path, &size);
    return (proto){ *block, size };
}

static proto export_of(recon_ctx *ctx, recon_lambda lambda, recon_export_what what,
                       unsigned char **block)
{
    recon_model *model = tiny_model(ctx);
    CHECK_OK(ctx, recon_model_use_lambda(ctx, model, lambda));
    CHECK_OK(ctx, recon_model_export(ctx, scratch("m.onnx"), model,
                                     &(recon_export_options){ .what = what, .licence = "CC0" }));
    recon_model_close(ctx, model);
    return load(scratch("m.onnx"), block);
}

static int has_output(proto model, const char *name)
{
    return proto_named(proto_get(model, 7, 0).bytes, 12, 1, name).at != NULL;
}

static int says(proto model, const char *key, const char *value)
{
    proto entry = proto_named(model, 14, 1, key);
    return entry.at && proto_is(proto_get(entry, 2, 0).bytes, value);
}

static size_t nodes(proto model, const char *op)
{
    proto graph = proto_get(model, 7, 0).bytes;
    proto_field f;
    size_t n = 0;
    while (proto_next(&graph, &f))
        n += f.number == 1 && proto_is(proto_get(f.bytes, 4, 0).bytes, op);
    return n;
}

static void a_file_says_what_it_takes_and_gives(void **state)
{
    static const char *const pose[] = { "rotation", "angle", "psi", "lambda" };
    unsigned char *block;
    for (int what = RECON_EXPORT_POSE; what <= RECON_EXPORT_SCORE; what++) {
        proto m = export_of(*state, RECON_LAMBDA_DENSITY, (recon_export_what)what, &block);
        for (size_t i = 0; i < 4; i++)
            assert_true(has_output(m, pose[i]));
        assert_int_equal(has_output(m, "canonical"), what != RECON_EXPORT_POSE);
        assert_int_equal(has_output(m, "p_value"), what == RECON_EXPORT_SCORE);
        assert_int_equal(has_output(m, "log_q"), what == RECON_EXPORT_SCORE);
        assert_true(says(m, "what", recon_export_name((recon_export_what)what)));
        assert_true(says(m, "height", "16") && says(m, "width", "16") && says(m, "channels", "1"));
        assert_true(says(m, "licence", "CC0") && says(m, "lambda", "density"));
        free(block);
    }
}

/* Only what the answer needs is in it: the loop is that of the density's centre. */
static void lambda_is_taken_as_the_model_has_it(void **state)
{
    unsigned char *block;
    proto m = export_of(*state, RECON_LAMBDA_DENSITY, RECON_EXPORT_POSE, &block);
    assert_int_equal(nodes(m, "Loop"), 1);
    assert_int_equal(nodes(m, "GridSample"), 0);
    free(block);
    m = export_of(*state, RECON_LAMBDA_HEAD, RECON_EXPORT_CANONICALIZE, &block);
    assert_int_equal(nodes(m, "Loop"), 0);
    assert_int_equal(nodes(m, "GridSample"), 1);
    assert_true(says(m, "lambda", "head"));
    free(block);
}

static void neighbours_are_refused(void **state)
{
    recon_ctx *ctx = *state;
    recon_model *model = tiny_model(ctx);
    CHECK_OK(ctx, recon_model_use_lambda(ctx, model, RECON_LAMBDA_NEIGHBOURS));
    CHECK_FAILS(ctx, recon_model_export(ctx, scratch("n.onnx"), model, NULL), RECON_ERR_INPUT,
                "lambda neighbours");
    CHECK_FAILS(ctx,
                recon_model_export(ctx, scratch("n.onnx"), model,
                                   &(recon_export_options){ .reserved = { 1 } }),
                RECON_ERR_INPUT, "recon_export_options");
    recon_model_close(ctx, model);
    assert_int_equal(access(scratch("n.onnx"), F_OK), -1);
}

static size_t times(const recon_param *p)
{
    return recon_param_count(p) * sizeof(float);
}

static size_t mlp_bytes(const recon_mlp *mlp)
{
    size_t n = 0;
    for (size_t i = 0; i < mlp->layers; i++)
        n += times(mlp->layer[i].weight) + times(mlp->layer[i].bias);
    return n;
}

/* Filters as they are expanded, and what else is a weight on the way to the pose; the table of bins and the
 * graph itself are small beside them, even in a model as tiny as this one. */
static void a_file_is_hardly_larger_than_its_weights(void **state)
{
    recon_ctx *ctx = *state;
    recon_model *model = tiny_model(ctx);
    const recon_encoder *e = &recon_backbone_ieae(model->backbone)->encoder;
    size_t bytes = times(e->head.filter) + mlp_bytes(&e->density.mlp), size;
    for (size_t i = 0; i < e->layers; i++)
        bytes += times(e->conv[i].filter);
    CHECK_OK(ctx, recon_model_export(ctx, scratch("m.onnx"), model, NULL));
    free(slurp(scratch("m.onnx"), &size));
    assert_true(size < bytes + 40000);
    recon_model_close(ctx, model);
}

/* Every place where memory may end: an error, and no file. */
static void no_memory_is_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_model *model = tiny_model(ctx);
    for (long n = 1; n < 3000; n += 97) {
        recon_alloc_fail_at(ctx, n);
        recon_status status =
            recon_model_export(ctx, scratch("less.onnx"), model,
                               &(recon_export_options){ .what = RECON_EXPORT_SCORE });
        recon_alloc_fail_at(ctx, 0);
        if (status != RECON_OK)
            assert_int_equal(status, RECON_ERR_MEMORY);
        assert_int_equal(access(scratch("less.onnx"), F_OK), status == RECON_OK ? 0 : -1);
        unlink(scratch("less.onnx"));
    }
    recon_model_close(ctx, model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_says_what_it_takes_and_gives),
        cmocka_unit_test(lambda_is_taken_as_the_model_has_it),
        cmocka_unit_test(neighbours_are_refused),
        cmocka_unit_test(a_file_is_hardly_larger_than_its_weights),
        cmocka_unit_test(no_memory_is_said),
    };
    return cmocka_run_group_tests(tests, tiny_setup, scratch_teardown);
}
