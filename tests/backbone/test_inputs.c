/* Inputs of an application's own kind, which has nothing but what data.h requires: they are used as
 * they are, and what the kind cannot do is refused by name. */
#include "check.h"

#include "backbone/inputs.h"
#include <recon/backbone/backbone.h>

enum { N = 5, BAD = 3 };

static recon_data_info describe(const recon_data *data)
{
    (void)data;
    return (recon_data_info){ .n = N, .bytes = sizeof(double) };
}

static void close_numbers(recon_data *data)
{
    fail_msg("data of the caller were closed: %s", data->kind->name);
}

static void read_numbers(void *inputs, const recon_data *data, size_t first, size_t n)
{
    (void)data;
    for (size_t i = 0; i < n; i++)
        ((double *)inputs)[i] = (double)(first + i);
}

static const recon_data_kind numbers_kind = { .name = "numbers",
                                              .one = "number",
                                              .many = "numbers",
                                              .describe = describe,
                                              .close = close_numbers,
                                              .read = read_numbers };
static const recon_data numbers = { &numbers_kind };

static recon_status accepts(recon_ctx *ctx, const recon_backbone *backbone, const recon_data *data,
                            size_t i)
{
    (void)backbone, (void)data;
    return i == BAD ? recon_fail(ctx, RECON_ERR_INPUT, "no use") : RECON_OK;
}

static recon_status open_numbers(recon_ctx *ctx, const recon_source *source,
                                 const recon_backbone *backbone)
{
    recon_inputs *in;
    recon_status status = recon_inputs_open(ctx, &in, source, &numbers, backbone);
    assert_int_equal(in != NULL, status == RECON_OK);
    if (in) {
        assert_ptr_equal(recon_inputs_data(in), &numbers);
        assert_null(recon_inputs_name(in, 1));
        assert_int_equal(recon_inputs_row(in, 1), 1);
    }
    recon_inputs_close(in);
    return status;
}

static void a_kind_without_options_is_used_as_it_is(void **state)
{
    CHECK_OK(*state, open_numbers(*state, &(recon_source){ .spec = "mine" }, NULL));
    CHECK_OK(*state, open_numbers(*state, &(recon_source){ .spec = "mine", .limit = N }, NULL));
}

static void what_it_cannot_do_is_refused(void **state)
{
    const recon_backbone_kind kind = { .name = "sieve", .data = "numbers", .accepts = accepts };
    const recon_backbone sieve = { .kind = &kind };
    CHECK_FAILS(*state, open_numbers(*state, &(recon_source){ .spec = "mine", .limit = 2 }, NULL),
                RECON_ERR_UNSUPPORTED, "limit: not supported by data of kind numbers");
    CHECK_FAILS(*state,
                open_numbers(*state, &(recon_source){ .spec = "mine", .rotate = "all" }, NULL),
                RECON_ERR_UNSUPPORTED, "rotate: not supported by data of kind numbers");
    CHECK_FAILS(*state, open_numbers(*state, &(recon_source){ .spec = "mine" }, &sieve),
                RECON_ERR_INPUT, "mine: number 3 (): no use");
    CHECK_FAILS(*state,
                open_numbers(*state, &(recon_source){ .spec = "mine", .skip_bad = 1 }, &sieve),
                RECON_ERR_UNSUPPORTED, "skip_bad: not supported by data of kind numbers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kind_without_options_is_used_as_it_is),
        cmocka_unit_test(what_it_cannot_do_is_refused),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
