/* Letters: laws that are densities, angles that follow them, drawings that rotate. */
#include "scratch.h"
#include "core/text.h"
#include "lab/letters.h"

#include <recon/data/dataset.h>
#include <recon/group/so2.h>

#define PI 3.14159265358979323846

static letters_plan plan_of(recon_ctx *ctx, int quick)
{
    letters_plan plan;
    CHECK_OK(ctx, letters_plan_load(ctx, &plan, NULL, quick));
    return plan;
}

static const letters_law *law_of(const letters_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->kinds; i++)
        if (!strcmp(plan->kind[i].name, name))
            return &plan->kind[i].law;
    fail_msg("no letter %s", name);
    return NULL;
}

static void every_law_is_a_density(void **state)
{
    enum { STEPS = 100000 };
    letters_plan plan = plan_of(*state, 0);
    for (size_t k = 0; k < plan.kinds; k++) {
        const letters_law *law = &plan.kind[k].law;
        double sum = 0;
        for (int i = 0; i < STEPS; i++)
            sum += exp(-letters_law_score(law, -PI + (i + 0.5) * 2 * PI / STEPS)) * 2 * PI / STEPS;
        if (letters_is_still(law))
            assert_true(letters_law_score(law, law->at[0]) == -INFINITY);
        else
            CHECK_NEAR(sum, 1, 1e-3);
    }
}

/* What is drawn is what the law gives a density to, and as wide as it says. */
static void angles_follow_their_law(void **state)
{
    enum { DRAWS = 20000 };
    letters_plan plan = plan_of(*state, 0);
    for (size_t k = 0; k < plan.kinds; k++) {
        const letters_law *law = &plan.kind[k].law;
        recon_rng rng = recon_rng_new(5, k);
        double squares = 0;
        for (int i = 0; i < DRAWS; i++) {
            double angle = letters_law_draw(law, &rng), d = letters_law_distance(law, angle);
            assert_true(letters_law_score(law, angle) < INFINITY);
            squares += d * d / DRAWS;
        }
        CHECK_NEAR(sqrt(squares), letters_sigma(law->family, law->width),
                   0.02 * letters_sigma(law->family, law->width));
    }
}

static void the_laws_are_those_of_the_experiment(void **state)
{
    letters_plan plan = plan_of(*state, 0);
    assert_int_equal(plan.kinds, 16);
    assert_int_equal(plan.kinds * plan.fonts, 1440);
    assert_true(letters_is_still(law_of(&plan, "A")) && letters_is_one(law_of(&plan, "A")));
    assert_true(letters_is_circle(law_of(&plan, "R")) && !letters_is_one(law_of(&plan, "R")));
    assert_int_equal(law_of(&plan, "G")->modes, 2);
    CHECK_NEAR(letters_law_distance(law_of(&plan, "L"), 50 * RECON_TO_RADIANS) * RECON_TO_DEGREES,
               10, 1e-9);
    CHECK_NEAR(letters_law_distance(law_of(&plan, "J"), -170 * RECON_TO_RADIANS) * RECON_TO_DEGREES,
               10, 1e-9);
}

static void plans_are_read_and_checked(void **state)
{
    recon_ctx *ctx = *state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        { "{ \"kinds\": [] }", "no \"kinds\"" },
        { "{ \"kinds\": [{ \"letters\": \"A\", \"at\": [] }] }", "a law has 1 to 4 poses" },
        { "{ \"kinds\": [{ \"letters\": \"A\", \"uniform\": 4, \"normal\": 3 }] }", "a law has" },
        { "{ \"kinds\": [{ \"letters\": \"A\", \"uniform\": -4 }] }", "a width of -4 degrees" },
        { "{ \"size\": 3, \"kinds\": [{ \"letters\": \"A\" }] }", "\"size\" is 3" },
    };
    letters_plan plan;
    static const char good[] = "{ \"fonts\": 7, \"kinds\": [{ \"letters\": \"\xc3\x84\xce\xa9z\", "
                               "\"at\": [90, -30], \"normal\": 5 }] }";
    scratch_write("plan.json", good, strlen(good));
    CHECK_OK(ctx, letters_plan_load(ctx, &plan, scratch("plan.json"), 0));
    assert_int_equal(plan.kinds, 3);
    assert_int_equal(plan.kind[0].code, 0xc4);
    assert_int_equal(plan.kind[1].code, 0x3a9);
    assert_string_equal(plan.kind[2].name, "z");
    assert_int_equal(plan.fonts, 7);
    CHECK_NEAR(plan.kind[1].law.at[1], -PI / 6, 1e-12);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        scratch_write("bad.json", bad[i].text, strlen(bad[i].text));
        CHECK_FAILS(ctx, letters_plan_load(ctx, &plan, scratch("bad.json"), 0), RECON_ERR_INPUT,
                    bad[i].message);
    }
}

/* By name alone: what is trained on here is not tested on elsewhere. */
static void a_family_is_for_training_or_for_tests(void **state)
{
    letters_family name;
    (void)state;
    assert_string_equal(letters_family_of(name, "/a-b/DejaVuSansMono-Bold.ttf"), "dejavusa");
    assert_string_equal(letters_family_of(name, "FreeSans.ttf"), "freesans");
    assert_string_equal(letters_family_of(name, "Lato-Black.ttf"), "lato");
    assert_true(letters_is_held("freesans") && letters_is_held("linliber"));
    assert_false(letters_is_held("dejavusa") || letters_is_held("lato"));
}

/* How much a drawing differs from another one that is rotated as a picture. */
static double difference(const uint8_t *drawn, const uint8_t *upright, size_t size, double angle)
{
    float in[64 * 64] = { 0 }, out[64 * 64];
    double sum = 0;
    for (size_t i = 0; i < size * size; i++)
        in[i] = upright[i];
    recon_image_rotate(out, in, size, size, 1, angle, RECON_BICUBIC);
    for (size_t i = 0; i < size * size; i++)
        sum += fabs((double)out[i] - drawn[i]);
    return sum;
}

/* Rotating the outline is rotating the picture, counter-clockwise. */
static void drawings_rotate(void **state)
{
    recon_ctx *ctx = *state;
    letters_plan plan = plan_of(ctx, 1);
    letters_fonts *fonts = NULL;
    uint8_t upright[64 * 64], rotated[64 * 64];
    recon_status status = letters_fonts_open(ctx, &fonts, &plan, NULL, 1);
    if (status != RECON_OK) {
        letters_fonts_free(fonts);
        print_message("%s\n", recon_ctx_message(ctx));
        skip();
    }
    for (size_t kind = 0; kind < plan.kinds; kind++) {
        CHECK_OK(ctx, letters_draw(ctx, upright, fonts, LETTERS_TEST, 0, kind, 0));
        CHECK_OK(ctx, letters_draw(ctx, rotated, fonts, LETTERS_TEST, 0, kind, 0.8));
        CHECK_LESS(difference(rotated, upright, plan.size, 0.8),
                   0.4 * difference(rotated, upright, plan.size, -0.8));
    }
    letters_fonts_free(fonts);
}

/* The same seed draws the same set, another one another, and every kind comes equally often. */
static void sets_are_what_their_seed_says(void **state)
{
    recon_ctx *ctx = *state;
    letters_plan plan = plan_of(ctx, 1);
    letters_fonts *fonts = NULL;
    letters_set a, b, other;
    if (letters_fonts_open(ctx, &fonts, &plan, NULL, 1) != RECON_OK) {
        letters_fonts_free(fonts);
        skip();
    }
    size_t faces = letters_fonts_count(fonts, LETTERS_TEST), counts[LETTERS_KINDS] = { 0 };
    CHECK_OK(ctx, letters_set_make(ctx, &a, &plan, fonts, LETTERS_TEST, 2, 0, 9));
    CHECK_OK(ctx, letters_set_make(ctx, &b, &plan, fonts, LETTERS_TEST, 2, 0, 9));
    CHECK_OK(ctx, letters_set_make(ctx, &other, &plan, fonts, LETTERS_TEST, 2, 0, 10));
    assert_int_equal(a.n, 2 * faces * plan.kinds);
    assert_memory_equal(a.pixels, b.pixels, a.n * plan.size * plan.size);
    assert_memory_equal(a.angle, b.angle, a.n * sizeof *a.angle);
    assert_memory_not_equal(a.angle, other.angle, a.n * sizeof *a.angle);
    for (size_t i = 0; i < a.n; i++)
        counts[a.kind[i]]++;
    for (size_t k = 0; k < plan.kinds; k++)
        assert_int_equal(counts[k], 2 * faces);
    letters_set_free(&a);
    letters_set_free(&b);
    letters_set_free(&other);
    letters_fonts_free(fonts);
}

static void no_fonts_are_an_error_with_a_remedy(void **state)
{
    recon_ctx *ctx = *state;
    letters_plan plan = plan_of(ctx, 1);
    letters_fonts *fonts = NULL;
    recon_status status = letters_fonts_open(ctx, &fonts, &plan, scratch_folder, 1);
    letters_fonts_free(fonts);
    if (status == RECON_ERR_UNSUPPORTED)
        assert_non_null(strstr(recon_ctx_message(ctx), "libfreetype-dev"));
    else
        assert_non_null(strstr(recon_ctx_message(ctx), "`tools/setup fonts` installs more"));
    assert_int_not_equal(status, RECON_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(every_law_is_a_density),
        SCRATCH_TEST(angles_follow_their_law),
        SCRATCH_TEST(the_laws_are_those_of_the_experiment),
        SCRATCH_TEST(plans_are_read_and_checked),
        SCRATCH_TEST(a_family_is_for_training_or_for_tests),
        SCRATCH_TEST(drawings_rotate),
        SCRATCH_TEST(sets_are_what_their_seed_says),
        SCRATCH_TEST(no_fonts_are_an_error_with_a_remedy),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
