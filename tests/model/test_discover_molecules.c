/* What discover says of molecules: how many there are and which of them have an axis; and the gauge
 * that makes their centres agree. */
#include "chains.h"
#include "data/symmetry.h"
#include "found.h"
#include "model/summary.h"

#include <recon/core/array.h>

static recon_molecules *data;

static int setup(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    data = chains_data(*state);
    chains_train(*state, data);
    found_begin();
    return 0;
}

static int teardown(void **state)
{
    found_clear();
    recon_molecules_close(data);
    return scratch_teardown(state);
}

static recon_discovery discover(recon_ctx *ctx, const recon_discover_options *o)
{
    return found_discover(ctx, scratch("backbone.safetensors"), recon_molecules_data(data), o);
}

static void read_gamma(recon_ctx *ctx, double *out)
{
    recon_array a;
    CHECK_OK(ctx, recon_npy_read(ctx, &a, in_found("gamma.npy")));
    assert_int_equal(recon_array_count(&a), CHAINS_N * 9);
    CHECK_OK(ctx, recon_array_to_f64(ctx, out, &a));
    recon_array_free(&a);
}

/* In the gauge the centres of a class agree; the paper's means wander on the ring. */
static void the_gauge_is_the_default(void **state)
{
    static double gamma[CHAINS_N][9];
    double spread[2] = { 0 };
    for (int as_mean = 0; as_mean < 2; as_mean++) {
        recon_discover_options o = { .maps = { .hidden = 16, .epochs = 2, .batch = 32 },
                                     .folds = -1 };
        o.as_mean = as_mean;
        recon_discovery d = discover(*state, &o);
        assert_non_null(strstr(d.summary, as_mean ? "\"mean\": \"auto\"" : "\"mean\": \"gauge\""));
        recon_discovery_free(&d);
        read_gamma(*state, gamma[0]);
        for (size_t i = CHAINS; i < CHAINS_N; i++)
            spread[as_mean] += recon_so3_distance(recon_so3_from_matrix(gamma[i]),
                                                  recon_so3_from_matrix(gamma[i % CHAINS])) /
                               (CHAINS_N - CHAINS);
    }
    CHECK_LESS(spread[0], 12 * DEGREE);
    CHECK_LESS(2 * spread[0], spread[1]);
}

static void the_summary_counts_verdicts(void **state)
{
    recon_discovery d = discover(*state, &chains_options);
    json_t *j = found_summary(*state), *all = json_object_get(j, "all");
    json_t *molecules = json_object_get(j, "molecules");
    assert_int_equal(d.molecules, CHAINS);
    assert_int_equal(d.k, 25);
    assert_true(d.natural[RECON_NATURAL_AXIS] > CHAINS_N * 9 / 10);
    CHECK_NEAR(json_real_value(json_object_get(json_object_get(all, "natural_pose"), "axis")),
               (double)d.natural[RECON_NATURAL_AXIS] / CHAINS_N, 1e-12);
    CHECK_NEAR(json_real_value(json_object_get(all, "concentration")), d.concentration, 1e-9);
    assert_true(d.hit_rate > 0.9 && d.concentration > 20 && d.background < 0.2);
    assert_int_equal(json_array_size(molecules), CHAINS);
    assert_int_equal(json_integer_value(json_object_get(j, "molecule_count")), CHAINS);
    assert_string_equal(json_string_value(json_object_get(json_array_get(molecules, 1), "name")),
                        "longer");
    json_decref(j);
    recon_discovery_free(&d);
}

/* Of nothing, and of what is too large to look at, nothing is claimed. */
static void a_molecule_has_its_symmetry_number(void **state)
{
    static const uint8_t z[] = { 8, 1, 1 };
    static const float xyz[] = { 0, 0, 0, .96f, 0, 0, -.24f, .93f, 0 };
    const size_t atoms[] = { 3, 2, 0, RECON_SYMMETRY_ATOMS + 1 }, want[] = { 2, 1, 1, 1 };
    for (size_t i = 0; i < sizeof atoms / sizeof *atoms; i++) {
        size_t number;
        CHECK_OK(*state,
                 recon_symmetry_number(
                     *state, &number, &(recon_conformer){ .atoms = atoms[i], .z = z, .xyz = xyz }));
        assert_int_equal(number, want[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gauge_is_the_default),
        cmocka_unit_test(the_summary_counts_verdicts),
        cmocka_unit_test(a_molecule_has_its_symmetry_number),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
