/* How a model was trained is read from what its file says, and what it does not say is the default. */
#include "scratch.h"
#include "backbone/recipe.h"

static recon_safetensors *file_saying(recon_ctx *ctx, const char *text)
{
    const recon_metadata_entry entry = { "training", text };
    recon_safetensors *file;
    CHECK_OK(ctx, recon_safetensors_write(ctx, scratch("x.safetensors"), NULL, 0, &entry, 1));
    CHECK_OK(ctx, recon_safetensors_open(ctx, &file, scratch("x.safetensors")));
    return file;
}

static void numbers_are_found_by_their_names(void **state)
{
    recon_safetensors *f = file_saying(
        *state, "preset: small, conformers: 74 (4b1f0e42), held out: 6, epochs: 125, batch: 18, "
                "rate: 0.001, align: -1, contrast: 0.2, augment: yes, seed: 7");
    assert_int_equal(recon_recipe_size(f, "epochs"), 125);
    assert_int_equal(recon_recipe_size(f, "conformers"), 74);
    CHECK_NEAR(recon_recipe_number(f, "rate"), 0.001, 0);
    assert_int_equal(recon_recipe_size(f, "seed"), 7);
    CHECK_NEAR(recon_recipe_weight(f, "contrast"), 0.2, 0);
    CHECK_LESS(recon_recipe_weight(f, "align"), 0);
    CHECK_LESS(recon_recipe_weight(f, "density"), 0);
    assert_true(recon_recipe_is(f, "augment", "yes"));
    assert_false(recon_recipe_is(f, "augment", "ye"));
    assert_false(recon_recipe_is(f, "mask", "yes"));
    assert_int_equal(recon_recipe_batch(f, 200), 18);
    assert_int_equal(recon_recipe_batch(f, 60), 14);
    recon_safetensors_close(f);
}

static void what_is_not_said_is_the_default(void **state)
{
    static const char *const text[] = { "",        "epochs",        "rate",    "epochs: , rate: x",
                                        "rate: x", "epochs: 1e300", "rates: 3" };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        recon_safetensors *f = file_saying(*state, text[i]);
        assert_int_equal(recon_recipe_size(f, "epochs"), 0);
        CHECK_NEAR(recon_recipe_number(f, "rate"), 0, 0);
        recon_safetensors_close(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_found_by_their_names),
        cmocka_unit_test(what_is_not_said_is_the_default),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
