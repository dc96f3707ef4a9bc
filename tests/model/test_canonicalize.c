/* What canonicalizing promises of inputs of every kind; the rest is in test_canonicalize_images.c
 * and test_canonicalize_molecules.c. */
#include "both.h"

enum { SOME = 6 };

/* Canonical forms: pixels, or places of atoms. */
static float general[TINY_N * TINY_PIXELS], typed[TINY_N * TINY_PIXELS];
static any_poses general_pose, typed_pose;

static size_t length_of(const domain *d, size_t n)
{
    size_t atoms = 0;
    for (size_t i = 0; i < n; i++)
        atoms += both_list[i].atoms;
    return d->group == RECON_SO2 ? n * TINY_PIXELS : 3 * atoms;
}

static recon_status call_typed(recon_ctx *ctx, const domain *d, const recon_model *model, size_t n)
{
    return d->group == RECON_SO2
               ? recon_canonicalize_images(ctx, typed, typed_pose.so2, model, d->inputs, n, NULL)
               : recon_canonicalize_molecules(ctx, typed, typed_pose.so3, model, d->inputs, n);
}

static void the_general_form_is_the_typed_one(void **state)
{
    EACH_DOMAIN(d)
    {
        recon_model *model = open_model(*state, d);
        CHECK_OK(*state,
                 recon_canonicalize(*state, general, &general_pose, model, d->inputs, SOME, NULL));
        CHECK_OK(*state, call_typed(*state, d, model, SOME));
        assert_memory_equal(general, typed, length_of(d, SOME) * sizeof *typed);
        for (size_t i = 0; i < SOME; i++) {
            CHECK_NEAR(psi_apart(d, &general_pose, &typed_pose, i), 0, 0);
            CHECK_NEAR(rotate_apart(d, &general_pose, &typed_pose, i), 0, 0);
        }
        recon_model_close(*state, model);
    }
}

static void forms_or_poses_alone_are_the_same(void **state)
{
    EACH_DOMAIN(d)
    {
        recon_model *model = open_model(*state, d);
        CHECK_OK(*state, call_typed(*state, d, model, SOME));
        CHECK_OK(*state, recon_canonicalize(*state, general, NULL, model, d->inputs, SOME, NULL));
        CHECK_OK(*state,
                 recon_canonicalize(*state, NULL, &general_pose, model, d->inputs, SOME, NULL));
        assert_memory_equal(general, typed, length_of(d, SOME) * sizeof *typed);
        for (size_t i = 0; i < SOME; i++)
            CHECK_NEAR(rotate_apart(d, &general_pose, &typed_pose, i), 0, 0);
        CHECK_OK(*state, recon_canonicalize(*state, NULL, NULL, model, NULL, 0, NULL));
        recon_model_close(*state, model);
    }
}

/* A model of the other kind is refused before anything is read. */
static void a_model_of_another_kind_is_refused(void **state)
{
    recon_model *images = open_model(*state, &both[0]), *molecules = open_model(*state, &both[1]);
    CHECK_FAILS(*state, call_typed(*state, &both[0], molecules, 1), RECON_ERR_INPUT,
                "the model takes molecules, not images");
    CHECK_FAILS(*state, call_typed(*state, &both[1], images, 1), RECON_ERR_INPUT,
                "the model takes images, not molecules");
    CHECK_FAILS(
        *state,
        recon_candidates_list(*state, &(recon_candidates){ 0 }, molecules, tiny_images[0], 1),
        RECON_ERR_INPUT, "the model takes molecules, not images");
    CHECK_FAILS(*state,
                recon_canonicalize_search(*state, NULL, NULL, molecules, tiny_images[0], 1, NULL,
                                          NULL, NULL),
                RECON_ERR_INPUT, "search is for models of");
    recon_model_close(*state, molecules), recon_model_close(*state, images);
}

static void without_memory_it_says_so(void **state)
{
    EACH_DOMAIN(d)
    {
        recon_model *model = open_model(*state, d);
        CHECK_ALLOCATIONS(*state,
                          recon_canonicalize(*state, general, NULL, model, d->inputs, 2, NULL));
        recon_model_close(*state, model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_general_form_is_the_typed_one),
        cmocka_unit_test(forms_or_poses_alone_are_the_same),
        cmocka_unit_test(a_model_of_another_kind_is_refused),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, both_setup, both_teardown);
}
