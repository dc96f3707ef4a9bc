/* Named parameters: first values, files, and refusals that name the entry and both shapes. */
#include "scratch.h"
#include "nn/params.h"

#include <recon/nn/nets.h>
#include <recon/ops/backend.h>

static recon_params *make(recon_ctx *ctx, size_t hidden, const char *extra, uint64_t seed)
{
    recon_params *p = NULL;
    recon_mlp mlp;
    recon_norm norm;
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_SINGLE));
    CHECK_OK(ctx, recon_mlp_add(ctx, &mlp, p, "head", (size_t[]){ 5, hidden, 3 }, 3, 0));
    if (extra)
        CHECK_OK(ctx, recon_norm_add(ctx, &norm, p, extra, 7, 1));
    CHECK_OK(ctx, recon_params_make(ctx, p, seed));
    return p;
}

static void resnet18_has_as_many_weights_as_it_should(void **state)
{
    recon_ctx *ctx = *state;
    const size_t stems[] = { 0, 64, 20 }, known[] = { 11172810, 11172810, 1094390 };
    for (int i = 0; i < 3; i++) {
        recon_params *p = NULL;
        recon_resnet18 net;
        size_t stem = stems[i] ? stems[i] : 64, width = stem;
        size_t want = 9 * stem + 2 * stem + 8 * stem * 10 + 10;
        for (size_t stage = 0; stage < 4; stage++) {
            size_t wide = stem << stage;
            want += 9 * width * wide + 3 * 9 * wide * wide + 4 * 2 * wide;
            want += wide == width ? 0 : width * wide + 2 * wide;
            width = wide;
        }
        CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_SINGLE));
        CHECK_OK(ctx, recon_resnet18_add(ctx, &net, p, 1, 10, stems[i]));
        assert_int_equal(recon_params_count(p), want);
        assert_int_equal(recon_params_count(p), known[i]);
        recon_params_free(ctx, p);
    }
}

static void first_values_have_the_variance_of_their_rule(void **state)
{
    recon_ctx *ctx = *state;
    static const recon_init init[] = { { RECON_INIT_HE, 0 },
                                       { RECON_INIT_XAVIER, 0 },
                                       { RECON_INIT_CONSTANT, 3 } };
    const double variance[] = { 2.0 / 180, 2.0 / (180 + 9 * 50), 0 };
    static double w[50 * 180];
    for (int k = 0; k < 3; k++) {
        recon_params *p = NULL;
        recon_param *e;
        double sum = 0, squares = 0;
        CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_SINGLE));
        CHECK_OK(ctx, recon_params_add(ctx, &e, p, "w", (size_t[]){ 50, 3, 3, 20 }, 4, init[k]));
        CHECK_OK(ctx, recon_params_make(ctx, p, 3));
        CHECK_OK(ctx, recon_param_read(ctx, w, e));
        for (size_t i = 0; i < 9000; i++) {
            sum += w[i];
            squares += w[i] * w[i];
        }
        double mean = sum / 9000;
        CHECK_NEAR(mean, init[k].value, 4 * sqrt(variance[k] / 9000) + 1e-12);
        CHECK_NEAR(squares / 9000 - mean * mean, variance[k], 0.06 * variance[k] + 1e-12);
        recon_params_free(ctx, p);
    }
}

static void what_is_saved_comes_back(void **state)
{
    recon_ctx *ctx = *state;
    recon_params *a = make(ctx, 4, "norm", 1), *b = make(ctx, 4, "norm", 2);
    double x[20], y[20];
    CHECK_OK(ctx, recon_param_read(ctx, x, a->entry[0]));
    CHECK_OK(ctx, recon_param_read(ctx, y, b->entry[0]));
    assert_memory_not_equal(x, y, sizeof x);
    CHECK_OK(ctx, recon_params_save(ctx, scratch("w"), a, NULL, 0));
    CHECK_OK(ctx, recon_params_load(ctx, b, scratch("w")));
    for (size_t i = 0; i < recon_params_entries(a); i++) {
        CHECK_OK(ctx, recon_param_read(ctx, x, a->entry[i]));
        CHECK_OK(ctx, recon_param_read(ctx, y, b->entry[i]));
        assert_memory_equal(x, y, recon_param_count(a->entry[i]) * sizeof *x);
    }
    recon_params_free(ctx, a);
    recon_params_free(ctx, b);
}

static void weights_of_another_network_are_refused(void **state)
{
    recon_ctx *ctx = *state;
    recon_params *a = make(ctx, 4, NULL, 1), *wide = make(ctx, 6, NULL, 1),
                 *more = make(ctx, 4, "norm", 1);
    recon_param *e;
    CHECK_OK(ctx, recon_params_save(ctx, scratch("a"), a, NULL, 0));
    CHECK_OK(ctx, recon_params_save(ctx, scratch("more"), more, NULL, 0));
    CHECK_FAILS(ctx, recon_params_load(ctx, wide, scratch("a")), RECON_ERR_INPUT,
                "'head.0.weight' is 4 x 5, this network's is 6 x 5");
    CHECK_FAILS(ctx, recon_params_load(ctx, more, scratch("a")), RECON_ERR_INPUT,
                "no weights for 'norm.scale'");
    CHECK_FAILS(ctx, recon_params_load(ctx, a, scratch("more")), RECON_ERR_INPUT, "holds 'norm.");
    CHECK_FAILS(ctx, recon_params_load(ctx, a, scratch_write("junk", "junk", 4)), RECON_ERR_FORMAT,
                "not a safetensors file");
    CHECK_FAILS(ctx, recon_params_add(ctx, &e, a, "late", (size_t[]){ 1 }, 1, (recon_init){ 0, 0 }),
                RECON_ERR_INPUT, "made already");
    recon_params_free(ctx, a);
    recon_params_free(ctx, wide);
    recon_params_free(ctx, more);
}

/* The nearest number with eight bits of mantissa, of two equally near the even one: by frexp and
 * rint, which know nothing of how floats are stored. */
static double nearest_bf16(double x)
{
    int exponent;
    double m = frexp(x, &exponent);
    return ldexp(rint(ldexp(m, 8)), exponent - 8);
}

static void bfloat16_weights_are_the_nearest_ones(void **state)
{
    recon_ctx *ctx = *state;
    recon_params *a = make(ctx, 4, "norm", 1), *b = make(ctx, 4, "norm", 2);
    const recon_params *const set[] = { a };
    const double tie[20] = { 1 + 0x1p-8, 1 + 0x3p-8, -1 - 0x1p-8, 1 + 0x1p-8 + 0x1p-20, 0, 3e38 };
    double x[20], y[20];
    CHECK_OK(ctx, recon_param_write(ctx, a->entry[0], tie));
    for (size_t i = 0; i < recon_params_entries(a); i++)
        if (!a->entry[i]->trained) { /* a running mean keeps all its digits */
            for (int k = 0; k < 20; k++)
                x[k] = 0.1f * (float)(k + 1);
            CHECK_OK(ctx, recon_param_write(ctx, a->entry[i], x));
        }
    CHECK_OK(ctx, recon_params_save_all(ctx, scratch("half"), set, 1, NULL, 0,
                                        &(recon_params_save_options){ .bf16 = 1 }));
    CHECK_OK(ctx, recon_params_load(ctx, b, scratch("half")));
    for (size_t i = 0; i < recon_params_entries(a); i++) {
        CHECK_OK(ctx, recon_param_read(ctx, x, a->entry[i]));
        CHECK_OK(ctx, recon_param_read(ctx, y, b->entry[i]));
        for (size_t k = 0; k < recon_param_count(a->entry[i]); k++)
            CHECK_NEAR(y[k], a->entry[i]->trained ? nearest_bf16(x[k]) : x[k], 0);
    }
    recon_params_free(ctx, a);
    recon_params_free(ctx, b);
}

static recon_params *make_part(recon_ctx *ctx, const char *name, uint64_t seed)
{
    recon_params *p = NULL;
    recon_linear l;
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_SINGLE));
    CHECK_OK(ctx, recon_linear_add(ctx, &l, p, name, 3, 4));
    CHECK_OK(ctx, recon_params_make(ctx, p, seed));
    return p;
}

/* A set of the file's numbers for these names, or why there is none; the file may hold others. */
static recon_status open_part(recon_ctx *ctx, recon_params **out, const char *name)
{
    recon_safetensors *file;
    recon_linear l;
    CHECK_OK(ctx, recon_safetensors_open(ctx, &file, scratch("m")));
    CHECK_OK(ctx, recon_params_new(ctx, out, RECON_SINGLE));
    recon_params_expect(*out, file, scratch("m"), 0);
    recon_status status = recon_linear_add(ctx, &l, *out, name, 3, 4);
    if (status == RECON_OK)
        status = recon_params_make(ctx, *out, 3);
    recon_safetensors_close(file);
    return status;
}

static void a_file_may_hold_several_sets(void **state)
{
    recon_ctx *ctx = *state;
    recon_params *a = make_part(ctx, "encoder", 1), *b = make_part(ctx, "decoder", 2), *again,
                 *third;
    const recon_params *const parts[] = { a, b }, *const twice[] = { a, a };
    const recon_metadata_entry metadata = { "model", "parts" };
    double x[12], y[12];
    CHECK_OK(ctx, recon_params_save_all(ctx, scratch("m"), parts, 2, &metadata, 1, NULL));
    CHECK_OK(ctx, open_part(ctx, &again, "decoder"));
    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(ctx, recon_param_read(ctx, x, b->entry[i]));
        CHECK_OK(ctx, recon_param_read(ctx, y, again->entry[i]));
        assert_memory_equal(x, y, recon_param_count(b->entry[i]) * sizeof *x);
    }
    CHECK_FAILS(ctx, recon_params_load(ctx, again, scratch("m")), RECON_ERR_INPUT,
                "holds 'encoder.");
    CHECK_FAILS(ctx, open_part(ctx, &third, "theta"), RECON_ERR_INPUT, "theta.weight");
    CHECK_FAILS(ctx, recon_params_save_all(ctx, scratch("t"), twice, 2, NULL, 0, NULL),
                RECON_ERR_INPUT, "comes twice");
    CHECK_ALLOCATIONS(ctx, recon_params_save_all(ctx, scratch("m"), parts, 2, NULL, 0, NULL));
    recon_params_free(ctx, a);
    recon_params_free(ctx, b);
    recon_params_free(ctx, again);
    recon_params_free(ctx, third);
}

/* What a file does not hold is refused as it is added; what it holds is there once it is made. */
static void entries_are_held_against_their_file(void **state)
{
    recon_ctx *ctx = *state;
    recon_params *a = make_part(ctx, "encoder", 1), *p = NULL;
    recon_safetensors *file;
    recon_linear l;
    recon_param *e;
    double x[12], y[12];
    const size_t large[2] = { (size_t)1 << 40, (size_t)1 << 20 };
    CHECK_OK(ctx, recon_params_save(ctx, scratch("a"), a, NULL, 0));
    CHECK_OK(ctx, recon_safetensors_open(ctx, &file, scratch("a")));
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_SINGLE));
    recon_params_expect(p, file, "a", 1);
    CHECK_FAILS(
        ctx,
        recon_params_add(ctx, &e, p, "encoder.weight", large, 2, (recon_init){ RECON_INIT_HE, 0 }),
        RECON_ERR_INPUT, "a: 'encoder.weight' is 4 x 3, this network's is 1099511627776");
    CHECK_FAILS(ctx, recon_linear_add(ctx, &l, p, "decoder", 3, 4), RECON_ERR_INPUT,
                "a: no weights for 'decoder.weight'");
    CHECK_OK(ctx, recon_linear_add(ctx, &l, p, "encoder", 3, 4));
    CHECK_OK(ctx, recon_params_make(ctx, p, 2));
    recon_safetensors_close(file);
    CHECK_OK(ctx, recon_param_read(ctx, x, a->entry[0]));
    CHECK_OK(ctx, recon_param_read(ctx, y, p->entry[0]));
    assert_memory_equal(x, y, sizeof x);
    recon_params_free(ctx, a);
    recon_params_free(ctx, p);
}

static void a_name_is_given_once(void **state)
{
    recon_ctx *ctx = *state;
    recon_params *p = NULL;
    recon_linear l;
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_SINGLE));
    CHECK_OK(ctx, recon_linear_add(ctx, &l, p, "head", 2, 3));
    CHECK_FAILS(ctx, recon_linear_add(ctx, &l, p, "head", 2, 3), RECON_ERR_INPUT,
                "'head.weight': the name is taken");
    CHECK_FAILS(ctx, recon_linear_add(ctx, &l, p, "none", 0, 3), RECON_ERR_INPUT,
                "'none.weight': a shape of 3 x 0");
    recon_params_free(ctx, p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resnet18_has_as_many_weights_as_it_should),
        cmocka_unit_test(first_values_have_the_variance_of_their_rule),
        SCRATCH_TEST(what_is_saved_comes_back),
        SCRATCH_TEST(weights_of_another_network_are_refused),
        SCRATCH_TEST(bfloat16_weights_are_the_nearest_ones),
        SCRATCH_TEST(a_file_may_hold_several_sets),
        SCRATCH_TEST(entries_are_held_against_their_file),
        cmocka_unit_test(a_name_is_given_once),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
