/* What canonicalizing costs, of either kind: the parts are measured, and add up the way they must.
 */
#include "model/both.h"

#include "lab/evaluate.h"
#include <recon/ops/backend.h>

enum { BATCH = 64 };

static void centring_is_a_part_of_canonicalizing(void **state)
{
    recon_ctx *ctx = *state;
    size_t atoms = 0;
    for (size_t i = 0; i < BATCH; i++)
        atoms += both_list[i].atoms;
    EACH_DOMAIN(d)
    {
        recon_model *model = open_model(ctx, d);
        size_t numbers = d->group == RECON_SO2 ? BATCH * TINY_PIXELS : 3 * atoms;
        recon_times t;
        CHECK_OK(ctx,
                 recon_times_measure(ctx, &t, model, d->inputs, BATCH, numbers * sizeof(float)));
        assert_int_equal(t.batch, BATCH);
        assert_int_equal(t.threads, recon_ctx_threads(ctx));
        assert_string_equal(t.backend, recon_ops_name(ctx));
        assert_true(t.overhead_ms > 1e-5); /* a call that does nothing takes less */
        CHECK_LESS(t.overhead_ms, t.canonicalize_ms);
        CHECK_FAILS(ctx, recon_times_measure(ctx, &t, model, d->inputs, 0, 0), RECON_ERR_INPUT,
                    "no ");
        recon_model_close(ctx, model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(centring_is_a_part_of_canonicalizing),
    };
    return cmocka_run_group_tests(tests, both_setup, both_teardown);
}
