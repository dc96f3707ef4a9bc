/* Bonds from distances: known molecules, and what motion and renaming may not change. */
#include "check.h"

#include <stdlib.h>
#include "data/elements.h"
#include <recon/group/so3.h>

/* Acetic acid, MMFF94's minimum to two digits. */
enum { ATOMS = 8, BONDS = 7 };
static const uint8_t acid_z[ATOMS] = { 6, 6, 8, 8, 1, 1, 1, 1 };
static const float acid[ATOMS][3] = {
    { -0.92f, 0.00f, 0.00f },  { 0.57f, 0.05f, 0.00f },  { 1.22f, 1.09f, 0.00f },
    { 1.14f, -1.17f, 0.00f },  { -1.29f, 0.51f, 0.89f }, { -1.29f, 0.51f, -0.89f },
    { -1.27f, -1.03f, 0.00f }, { 2.11f, -1.03f, 0.00f },
};
static const recon_bond acid_bonds[BONDS] = { { 0, 1 }, { 0, 4 }, { 0, 5 }, { 0, 6 },
                                              { 1, 2 }, { 1, 3 }, { 3, 7 } };

static void a_known_molecule_is_recognised(void **state)
{
    recon_ctx *ctx = *state;
    recon_bonds b;
    CHECK_OK(ctx, recon_bonds_perceive(ctx, &b, acid_z, acid[0], ATOMS));
    assert_int_equal(b.atoms, ATOMS);
    assert_int_equal(b.n, BONDS);
    assert_memory_equal(b.list, acid_bonds, sizeof acid_bonds);
    recon_bonds_free(&b);
    recon_bonds_free(&b);
}

static void motions_do_not_break_bonds(void **state)
{
    recon_ctx *ctx = *state;
    recon_rng rng = recon_rng_new(1, 0);
    for (int round = 0; round < 20; round++) {
        float moved[ATOMS][3];
        recon_so3 rotation = recon_so3_haar(&rng);
        recon_bonds b;
        for (int i = 0; i < ATOMS; i++) {
            double v[3] = { acid[i][0], acid[i][1], acid[i][2] };
            recon_so3_act(v, rotation, v);
            for (int k = 0; k < 3; k++)
                moved[i][k] = (float)(v[k] + 10 * k - 7);
        }
        CHECK_OK(ctx, recon_bonds_perceive(ctx, &b, acid_z, moved[0], ATOMS));
        assert_int_equal(b.n, BONDS);
        assert_memory_equal(b.list, acid_bonds, sizeof acid_bonds);
        recon_bonds_free(&b);
    }
}

static size_t bonds_between(recon_ctx *ctx, uint8_t z1, uint8_t z2, float distance)
{
    recon_bonds b;
    const uint8_t z[2] = { z1, z2 };
    const float xyz[6] = { 1, 2, 3, 1, 2, 3 + distance };
    CHECK_OK(ctx, recon_bonds_perceive(ctx, &b, z, xyz, 2));
    size_t n = b.n;
    recon_bonds_free(&b);
    return n;
}

/* The longest bonds of organic molecules, and the nearest neighbours that are none. */
static void distances_decide(void **state)
{
    static const struct {
        uint8_t a, b;
        float distance;
        size_t bonds;
    } known[] = {
        { 1, 1, 0.74f, 1 },   /* H2                                       */
        { 1, 1, 1.51f, 0 },   /* water                                    */
        { 6, 6, 1.67f, 1 },   /* hexaphenylethane's kind                  */
        { 6, 6, 1.85f, 0 },   /* across bicyclo[1.1.1]pentane             */
        { 6, 1, 1.12f, 1 },   /* CH                                       */
        { 6, 1, 1.90f, 0 },   /* H on the neighbour                       */
        { 8, 8, 1.48f, 1 },   /* H2O2                                     */
        { 7, 7, 1.45f, 1 },   /* hydrazine                                */
        { 7, 6, 2.00f, 0 },   /* across a small ring                      */
        { 8, 1, 1.55f, 0 },   /* a strong hydrogen bond                   */
        { 16, 16, 2.10f, 1 }, /* a disulfide                              */
        { 6, 53, 2.16f, 1 },  /* CH3I                                     */
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(bonds_between(*state, known[i].a, known[i].b, known[i].distance),
                         known[i].bonds);
}

static void what_is_no_molecule_is_refused(void **state)
{
    recon_ctx *ctx = *state;
    recon_bonds b;
    uint8_t z[2] = { 6, 0 };
    float xyz[6] = { 0, 0, 0, 0, 0, 1 };
    CHECK_FAILS(ctx, recon_bonds_perceive(ctx, &b, z, xyz, 2), RECON_ERR_INPUT,
                "atom 1: no element 0");
    z[1] = 119;
    CHECK_FAILS(ctx, recon_bonds_perceive(ctx, &b, z, xyz, 2), RECON_ERR_INPUT, "no element 119");
    z[1] = 1;
    xyz[1] = NAN;
    CHECK_FAILS(ctx, recon_bonds_perceive(ctx, &b, z, xyz, 2), RECON_ERR_INPUT,
                "atom 0: place is not finite");
    xyz[1] = 0, xyz[5] = INFINITY;
    CHECK_FAILS(ctx, recon_bonds_perceive(ctx, &b, z, xyz, 2), RECON_ERR_INPUT, "atom 1");
    CHECK_OK(ctx, recon_bonds_perceive(ctx, &b, z, xyz, 0));
    assert_int_equal(b.n, 0);
    recon_bonds_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_molecule_is_recognised),
        cmocka_unit_test(motions_do_not_break_bonds),
        cmocka_unit_test(distances_decide),
        cmocka_unit_test(what_is_no_molecule_is_refused),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
