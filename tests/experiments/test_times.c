/* What canonicalising costs: the parts are measured, and add up the way they must. */
#include "model/tiny.h"

#include "experiments/times.h"
#include <recon/ops/backend.h>

static void centring_is_a_part_of_canonicalising(void **state)
{
    recon_ctx *ctx = *state;
    recon_model *model = tiny_model(ctx);
    recon_times t;
    CHECK_OK(ctx, recon_times_measure(ctx, &t, model, tiny_images[0], 64));
    assert_int_equal(t.batch, 64);
    assert_int_equal(t.threads, recon_ctx_threads(ctx));
    assert_string_equal(t.backend, recon_ops_name(ctx));
    assert_true(t.overhead_ms > 0);
    CHECK_LESS(t.overhead_ms, t.canonicalize_ms);
    CHECK_FAILS(ctx, recon_times_measure(ctx, &t, model, tiny_images[0], 0), RECON_ERR_INPUT,
                "no images");
    recon_model_close(ctx, model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(centring_is_a_part_of_canonicalising),
    };
    return cmocka_run_group_tests(tests, tiny_setup, scratch_teardown);
}
