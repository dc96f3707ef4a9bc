/* ONNX files, read back by a reader of their own: every field by its number in onnx.proto. */
#include "proto.h"
#include "scratch.h"
#include "core/onnx.h"

static proto load(const char *path, unsigned char **block)
{
    size_t size;
    *block = slurp(path, &size);
    return (proto){ *block, size };
}

/* y = x w + 0.5, twice around in a Loop, with one attribute of each kind. */
static recon_onnx *sample(recon_ctx *ctx)
{
    static const float w[6] = { 1, -2, 3.5f, 0, 1e-30f, -1e30f };
    recon_onnx *o;
    recon_onnx_value left;
    CHECK_OK(ctx, recon_onnx_new(ctx, &o, "sample"));
    recon_onnx_value x =
        recon_onnx_input(o, "x", RECON_ONNX_F32, RECON_ONNX_SHAPE(RECON_ONNX_BATCH, 2));
    recon_onnx_value m = recon_onnx_floats(o, "w", w, RECON_ONNX_SHAPE(2, 3));
    recon_onnx_value y = recon_onnx_op(
        o, "Gemm", RECON_ONNX_IN(x, m),
        RECON_ONNX_WITH({ .name = "alpha", .kind = RECON_ONNX_FLOAT, .f = -1.5f },
                        RECON_ONNX_SET_INT("axis", -300), RECON_ONNX_SET_TEXT("mode", "bilinear"),
                        RECON_ONNX_SET_INTS("pads", 1, -1, 300)));
    recon_onnx_value rounds = recon_onnx_integer(o, 1234567890123), yes = recon_onnx_true(o);
    recon_onnx_body_begin(o);
    recon_onnx_input(o, "i", RECON_ONNX_I64, RECON_ONNX_SCALAR);
    recon_onnx_output(o, "inner", y, RECON_ONNX_F32, RECON_ONNX_SHAPE(RECON_ONNX_BATCH, 3));
    recon_onnx_body_end(o);
    recon_onnx_ops(o, &left, 1, "Loop", RECON_ONNX_IN(rounds, yes, y),
                   RECON_ONNX_WITH({ .name = "body", .kind = RECON_ONNX_BODY }));
    recon_onnx_output(o, "y", left, RECON_ONNX_F32, RECON_ONNX_SHAPE(RECON_ONNX_BATCH, 3));
    return o;
}

static recon_status save(recon_ctx *ctx, const recon_onnx *o, const char *path)
{
    const recon_metadata_entry more[] = { { "licence", "MIT" }, { "size", "28" } };
    return recon_onnx_write(ctx, path, o, more, 2);
}

static void a_model_says_what_it_is(void **state)
{
    recon_onnx *o = sample(*state);
    unsigned char *block;
    CHECK_OK(*state, save(*state, o, scratch("a.onnx")));
    proto m = load(scratch("a.onnx"), &block);
    assert_int_equal(proto_get(m, 1, 0).value, 8);
    assert_true(proto_is(proto_get(m, 2, 0).bytes, "recon"));
    assert_true(proto_is(proto_get(m, 3, 0).bytes, RECON_VERSION));
    assert_int_equal(proto_get(proto_get(m, 8, 0).bytes, 2, 0).value, 17);
    assert_int_equal(proto_count(m, 14), 2);
    proto licence = proto_named(m, 14, 1, "licence");
    assert_true(proto_is(proto_get(licence, 2, 0).bytes, "MIT"));
    assert_int_equal(proto_count(m, 7), 1);
    free(block);
    recon_onnx_free(o);
}

static void values_have_types_and_shapes(void **state)
{
    recon_onnx *o = sample(*state);
    unsigned char *block;
    CHECK_OK(*state, save(*state, o, scratch("a.onnx")));
    proto graph = proto_get(load(scratch("a.onnx"), &block), 7, 0).bytes;
    assert_true(proto_is(proto_get(graph, 2, 0).bytes, "sample"));
    proto x = proto_named(graph, 11, 1, "x");
    proto tensor = proto_get(proto_get(x, 2, 0).bytes, 1, 0).bytes;
    assert_int_equal(proto_get(tensor, 1, 0).value, 1); /* float */
    proto shape = proto_get(tensor, 2, 0).bytes;
    assert_int_equal(proto_count(shape, 1), 2);
    assert_true(proto_is(proto_get(proto_get(shape, 1, 0).bytes, 2, 0).bytes, "batch"));
    assert_int_equal(proto_get(proto_get(shape, 1, 1).bytes, 1, 0).value, 2);
    assert_non_null(proto_named(graph, 12, 1, "y").at);
    free(block);
    recon_onnx_free(o);
}

static void constants_are_raw_bytes(void **state)
{
    recon_onnx *o = sample(*state);
    unsigned char *block;
    float w[6];
    int64_t rounds;
    CHECK_OK(*state, save(*state, o, scratch("a.onnx")));
    proto graph = proto_get(load(scratch("a.onnx"), &block), 7, 0).bytes;
    proto tensor = proto_named(graph, 5, 8, "w");
    assert_int_equal(proto_get(tensor, 1, 0).value, 2);
    assert_int_equal(proto_get(tensor, 1, 1).value, 3);
    assert_int_equal(proto_get(tensor, 2, 0).value, 1);
    proto raw = proto_get(tensor, 9, 0).bytes;
    assert_int_equal(raw.size, sizeof w);
    memcpy(w, raw.at, sizeof w);
    assert_true(w[2] == 3.5f && w[5] == -1e30f);
    proto scalar = proto_get(graph, 5, 1).bytes;
    assert_int_equal(proto_count(scalar, 1), 0);
    assert_int_equal(proto_get(scalar, 2, 0).value, 7); /* int64 */
    memcpy(&rounds, proto_get(scalar, 9, 0).bytes.at, sizeof rounds);
    assert_true(rounds == 1234567890123);
    free(block);
    recon_onnx_free(o);
}

static void nodes_have_their_inputs_and_attributes(void **state)
{
    recon_onnx *o = sample(*state);
    unsigned char *block;
    float alpha;
    CHECK_OK(*state, save(*state, o, scratch("a.onnx")));
    proto graph = proto_get(load(scratch("a.onnx"), &block), 7, 0).bytes;
    proto gemm = proto_named(graph, 1, 4, "Gemm");
    assert_true(proto_is(proto_get(gemm, 1, 0).bytes, "x"));
    assert_true(proto_is(proto_get(gemm, 1, 1).bytes, "w"));
    assert_int_equal(proto_count(gemm, 1), 2);
    proto f = proto_named(gemm, 5, 1, "alpha");
    assert_int_equal(proto_get(f, 20, 0).value, 1);
    uint32_t bits = (uint32_t)proto_get(f, 2, 0).value;
    memcpy(&alpha, &bits, sizeof alpha);
    assert_true(alpha == -1.5f);
    proto i = proto_named(gemm, 5, 1, "axis");
    assert_int_equal(proto_get(i, 20, 0).value, 2);
    assert_true((int64_t)proto_get(i, 3, 0).value == -300); /* ten bytes, sign extended */
    proto s = proto_named(gemm, 5, 1, "mode");
    assert_int_equal(proto_get(s, 20, 0).value, 3);
    assert_true(proto_is(proto_get(s, 4, 0).bytes, "bilinear"));
    proto list = proto_named(gemm, 5, 1, "pads");
    assert_int_equal(proto_get(list, 20, 0).value, 7);
    assert_int_equal(proto_count(list, 8), 3);
    assert_true((int64_t)proto_get(list, 8, 1).value == -1);
    assert_int_equal(proto_get(list, 8, 2).value, 300);
    free(block);
    recon_onnx_free(o);
}

static void a_body_is_a_graph_of_its_own(void **state)
{
    recon_onnx *o = sample(*state);
    unsigned char *block;
    CHECK_OK(*state, save(*state, o, scratch("a.onnx")));
    proto graph = proto_get(load(scratch("a.onnx"), &block), 7, 0).bytes;
    proto loop = proto_named(graph, 1, 4, "Loop");
    proto body = proto_named(loop, 5, 1, "body");
    assert_int_equal(proto_get(body, 20, 0).value, 5);
    proto inner = proto_get(body, 6, 0).bytes;
    assert_int_equal(proto_count(inner, 1), 1);
    assert_non_null(proto_named(inner, 11, 1, "i").at);
    assert_non_null(proto_named(inner, 12, 1, "inner").at);
    assert_null(proto_named(graph, 11, 1, "i").at);
    free(block);
    recon_onnx_free(o);
}

/* Without memory, whenever that is: an error, nothing written, nothing lost. */
static void no_memory_is_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_status status = RECON_ERR_MEMORY;
    scratch_clear();
    for (long n = 1; status != RECON_OK; n++) {
        recon_onnx *o = NULL;
        recon_alloc_fail_at(ctx, n);
        status = recon_onnx_new(ctx, &o, "small");
        if (status == RECON_OK) {
            recon_onnx_value x = recon_onnx_input(o, "x", RECON_ONNX_F32, RECON_ONNX_SHAPE(4));
            recon_onnx_value c = recon_onnx_number(o, 2);
            x = recon_onnx_op(o, "Softmax", RECON_ONNX_IN(x, c),
                              RECON_ONNX_WITH(RECON_ONNX_SET_INTS("axes", 1, 2)));
            recon_onnx_output(o, "y", x, RECON_ONNX_F32, RECON_ONNX_SHAPE(4));
            status = save(ctx, o, scratch("b.onnx"));
        }
        recon_alloc_fail_at(ctx, 0);
        recon_onnx_free(o);
        assert_true(status == RECON_OK || status == RECON_ERR_MEMORY);
        assert_int_equal(scratch_count(), status == RECON_OK);
        assert_true(n < 1000);
    }
}

static void a_failure_stays(void **state)
{
    recon_ctx *ctx = *state;
    recon_onnx *o = sample(ctx);
    assert_true(recon_onnx_did(o, RECON_OK));
    assert_false(recon_onnx_did(o, recon_fail(ctx, RECON_ERR_INPUT, "a filter is missing")));
    recon_onnx_op(o, "Relu", RECON_ONNX_IN(1), RECON_ONNX_PLAIN);
    CHECK_FAILS(ctx, save(ctx, o, scratch("c.onnx")), RECON_ERR_INPUT, "a filter is missing");
    recon_onnx_free(o);
    o = sample(ctx);
    CHECK_FAILS(ctx, save(ctx, o, scratch("no/such.onnx")), RECON_ERR_IO, "no/such.onnx");
    recon_onnx_free(o);
    recon_onnx_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_says_what_it_is),
        cmocka_unit_test(values_have_types_and_shapes),
        cmocka_unit_test(constants_are_raw_bytes),
        cmocka_unit_test(nodes_have_their_inputs_and_attributes),
        cmocka_unit_test(a_body_is_a_graph_of_its_own),
        cmocka_unit_test(no_memory_is_said),
        cmocka_unit_test(a_failure_stays),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
