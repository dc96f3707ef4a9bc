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

static void numbers_are_found_by_their_words(void **state)
{
    recon_safetensors *f = file_saying(
        *state, "small, 74 conformers (4b1f0e42), 6 held out, 125 epochs of batch 18, 50 of them "
                "before, rate 0.001, element 2, align -1, contrast 0.2 at 0.1, seed 7, f32 on cpu");
    CHECK_NEAR(recon_recipe_before(f, "epochs", 0), 125, 0);
    CHECK_NEAR(recon_recipe_before(f, "conformers", 0), 74, 0);
    CHECK_NEAR(recon_recipe_before(f, "of them before", 0), 50, 0);
    CHECK_NEAR(recon_recipe_behind(f, "rate", 0), 0.001, 0);
    CHECK_NEAR(recon_recipe_behind(f, "at", 0), 0.1, 0);
    CHECK_NEAR(recon_recipe_behind(f, "seed", 0), 7, 0);
    CHECK_NEAR(recon_recipe_weight(f, "contrast"), 0.2, 0);
    CHECK_LESS(recon_recipe_weight(f, "align"), 0);
    CHECK_LESS(recon_recipe_weight(f, "lean"), 0);
    assert_int_equal(recon_recipe_batch(f, 200), 18);
    assert_int_equal(recon_recipe_batch(f, 60), 14);
    recon_safetensors_close(f);
}

static void what_is_not_said_is_the_default(void **state)
{
    static const char *const text[] = { "",       "epochs",      "rate",
                                        "rate x", "many epochs", "rates 3, 1e300 epochs" };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        recon_safetensors *f = file_saying(*state, text[i]);
        CHECK_NEAR(recon_recipe_before(f, "epochs", 4), 4, 0);
        CHECK_NEAR(recon_recipe_behind(f, "rate", 5), 5, 0);
        recon_safetensors_close(f);
    }
    assert_int_equal(recon_recipe_size(-3), 0);
    assert_int_equal(recon_recipe_size(NAN), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_found_by_their_words),
        cmocka_unit_test(what_is_not_said_is_the_default),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
