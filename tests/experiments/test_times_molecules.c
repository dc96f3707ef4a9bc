/* What canonicalising molecules costs: the parts are measured, and add up the way they must. */
#include "model/chains.h"

#include "experiments/times.h"
#include <recon/ops/backend.h>

static void centring_is_a_part_of_canonicalising(void **state)
{
    recon_ctx *ctx = *state;
    recon_molmodel *model = chains_model(ctx);
    recon_molecules *data = chains_data(ctx);
    recon_conformer *list = chains_list(data);
    recon_times t;
    CHECK_OK(ctx, recon_times_measure_molecules(ctx, &t, model, list, 64));
    assert_int_equal(t.batch, 64);
    assert_int_equal(t.threads, recon_ctx_threads(ctx));
    assert_string_equal(t.backend, recon_ops_name(ctx));
    assert_true(t.overhead_ms > 0);
    CHECK_LESS(t.overhead_ms, t.canonicalize_ms);
    CHECK_FAILS(ctx, recon_times_measure_molecules(ctx, &t, model, list, 0), RECON_ERR_INPUT,
                "no molecules");
    free(list);
    recon_molecules_close(data);
    recon_molmodel_close(ctx, model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(centring_is_a_part_of_canonicalising),
    };
    return cmocka_run_group_tests(tests, chains_setup, scratch_teardown);
}
