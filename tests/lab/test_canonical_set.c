/* A set of molecules in their natural pose is a set of the same molecules; where memory runs out,
 * it says so. */
#include "model/chains.h"

#include "lab/evaluate.h"

static recon_molecules *data;
static recon_model *model;
static recon_pose poses[CHAINS_N];

static int setup(void **state)
{
    if (chains_setup(state) != 0)
        return -1;
    data = chains_data(*state);
    model = chains_model(*state);
    return 0;
}

static int teardown(void **state)
{
    recon_model_close(*state, model);
    recon_molecules_close(data);
    return scratch_teardown(state);
}

static void a_set_stays_a_set(void **state)
{
    recon_molecules *some, *out;
    CHECK_OK(*state, recon_molecules_take(*state, &some, data, 2, 1));
    CHECK_OK(*state, recon_canonical_set(*state, &out, poses, model, some));
    recon_conformer in = recon_molecules_get(some, 1), got = recon_molecules_get(out, 1);
    recon_molecules_info info = recon_molecules_describe(out);
    assert_int_equal(info.n, 2);
    assert_int_equal(got.atoms, in.atoms);
    assert_memory_equal(got.z, in.z, in.atoms);
    CHECK_NEAR(got.energy, in.energy, 0);
    assert_string_equal(recon_molecules_name(out, (size_t)got.molecule),
                        recon_molecules_name(some, (size_t)in.molecule));
    double place[3] = { in.xyz[0], in.xyz[1], in.xyz[2] };
    recon_pose_points3(place, &poses[1], RECON_TO_CANONICAL, place, 1);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(got.xyz[k], place[k], 1e-5);
    recon_molecules_close(out), recon_molecules_close(some);
}

static recon_status make_and_close(recon_ctx *ctx, const recon_molecules *some)
{
    recon_molecules *out = NULL;
    recon_status status = recon_canonical_set(ctx, &out, NULL, model, some);
    recon_molecules_close(out);
    return status;
}

static void without_memory_it_says_so(void **state)
{
    recon_molecules *some;
    CHECK_OK(*state, recon_molecules_take(*state, &some, data, 4, 1));
    CHECK_ALLOCATIONS(*state, make_and_close(*state, some));
    recon_molecules_close(some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_stays_a_set),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
