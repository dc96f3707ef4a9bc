/* Images rotated on purpose: by what the rule says, the same for every part and any threads. */
#include "files.h"

#include <recon/core/array.h>
#include <recon/data/dataset.h>
#include <recon/group/so2.h>
#include "data/rotations.h"
#include "data/dataset.h"

#define DEGREE 0.017453292519943295
enum { MANY = 6000, SIDE = 3 };

/* MANY noisy images of SIDE x SIDE with labels i % 10. */
static recon_dataset *open_noise(recon_ctx *ctx)
{
    static unsigned char pixels[MANY * SIDE * SIDE], labels[MANY];
    recon_rng rng = recon_rng_new(4, 0);
    recon_dataset *d = NULL;
    char spec[600];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (unsigned char)recon_rng_u32(&rng);
    for (size_t i = 0; i < MANY; i++)
        labels[i] = i % 10;
    recon_array images = {
        .dtype = RECON_U8, .ndim = 3, .shape = { MANY, SIDE, SIDE }, .data = pixels
    };
    recon_array y = { .dtype = RECON_U8, .ndim = 1, .shape = { MANY }, .data = labels };
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("images.npy"), &images));
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("labels.npy"), &y));
    snprintf(spec, sizeof spec, "npy:%s", scratch("images.npy"));
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec));
    return d;
}

static void each_class_has_the_spread_of_its_rule(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_noise(ctx), *rotated = NULL;
    static recon_rotation_rule rule;
    const char *name[] = { "mnist", "fashion", "all" };
    const double width[3][10] = { { 60, 60, 60, 60, 60, 90, 90, 90, 90, 90 },
                                  { 0, 0, 0, 32, 32, 32, 64, 64, 64, 64 },
                                  { 180, 180, 180, 180, 180, 180, 180, 180, 180, 180 } };
    for (int r = 0; r < 3; r++) {
        CHECK_OK(ctx, recon_rotation_rule_load(ctx, &rule, name[r]));
        CHECK_OK(ctx, recon_dataset_rotate(ctx, &rotated, d, &rule, 5));
        double moment[10] = { 0 }, sine[10] = { 0 }, most[10] = { 0 };
        for (size_t i = 0; i < MANY; i++) {
            double a = recon_dataset_angle(rotated, i);
            moment[i % 10] += cos(a) / (MANY / 10.0);
            sine[i % 10] += sin(a) / (MANY / 10.0);
            most[i % 10] = fmax(most[i % 10], fabs(a));
        }
        for (int c = 0; c < 10; c++) {
            double w = width[r][c] * DEGREE; /* E cos of an arc and of a wrapped normal */
            double want = r == 1 ? exp(-w * w / 2) : sin(w) / w;
            CHECK_NEAR(moment[c], want, 4 * sqrt(0.5 / (MANY / 10.0)));
            CHECK_NEAR(sine[c], 0, 4 * sqrt(0.5 / (MANY / 10.0)));
            CHECK_NEAR(recon_rotation_rule_of(&rule, c).width, w, 1e-12);
            if (r != 1)
                assert_true(most[c] <= w + 1e-12 && most[c] > 0.97 * w);
        }
        recon_dataset_close(rotated);
    }
    assert_true(recon_rotation_rule_of(&rule, -1).width > 3);
    assert_true(recon_rotation_rule_of(&rule, 5000).width > 3);
    recon_dataset_close(d);
}

static void check_one(const recon_dataset *rotated, size_t i, const recon_dataset *d, size_t j)
{
    float x[SIDE * SIDE], y[SIDE * SIDE], got[SIDE * SIDE];
    int32_t label = recon_dataset_get(x, d, j);
    assert_int_equal(recon_dataset_get(got, rotated, i), label);
    recon_image_rotate(y, x, SIDE, SIDE, 1, recon_dataset_angle(rotated, i), RECON_BILINEAR);
    assert_memory_equal(got, y, sizeof y);
}

static void parts_and_threads_change_no_angle(void **state)
{
    recon_ctx *ctx = *state, *alone = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    recon_dataset *d = open_noise(ctx), *all = NULL, *rest = NULL, *held = NULL, *late = NULL,
                  *early[2], *some = NULL;
    static recon_rotation_rule rule;
    CHECK_OK(ctx, recon_rotation_rule_load(ctx, &rule, "mnist"));
    CHECK_OK(ctx, recon_dataset_rotate(ctx, &all, d, &rule, 7));
    for (size_t i = 0; i < MANY; i += 97)
        check_one(all, i, d, i);
    CHECK_OK(ctx, recon_dataset_split(ctx, &early[0], &early[1], all, 12, 3)); /* rotated, split */
    CHECK_OK(ctx, recon_dataset_split(ctx, &rest, &held, d, 12, 3));
    CHECK_OK(alone, recon_dataset_rotate(alone, &late, held, &rule, 7)); /* split, rotated */
    for (size_t i = 0; i < recon_dataset_describe(held).n; i++) {
        float x[SIDE * SIDE], y[SIDE * SIDE];
        assert_true(recon_dataset_angle(late, i) == recon_dataset_angle(early[1], i));
        recon_dataset_get(x, late, i);
        recon_dataset_get(y, early[1], i);
        assert_memory_equal(x, y, sizeof x);
        check_one(late, i, held, i);
    }
    CHECK_OK(ctx, recon_dataset_take(ctx, &some, all, 500, 1));
    assert_int_equal(recon_dataset_describe(some).n, 500);
    recon_dataset *const made[] = { early[0], early[1], rest, held, late, some, all };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        recon_dataset_close(made[i]);
    CHECK_OK(ctx, recon_dataset_rotate(ctx, &all, d, &rule, 8));
    assert_true(recon_dataset_angle(all, 0) != 0 && recon_dataset_angle(d, 0) == 0);
    CHECK_OK(ctx, recon_dataset_rotate(ctx, &some, all, &rule, 8)); /* rotated further */
    for (size_t i = 0; i < 20; i++)
        CHECK_NEAR(recon_dataset_angle(some, i), recon_so2_wrap(2 * recon_dataset_angle(all, i)),
                   1e-12);
    recon_dataset_close(some);
    recon_dataset_close(all);
    recon_dataset_close(d);
    recon_ctx_free(alone);
}

static recon_status load(recon_ctx *ctx, recon_rotation_rule *rule, const char *text)
{
    return recon_rotation_rule_load(ctx, rule, scratch_write("rule.json", text, strlen(text)));
}

static void a_rule_can_be_a_file(void **state)
{
    recon_ctx *ctx = *state;
    static recon_rotation_rule r;
    CHECK_OK(ctx, load(ctx, &r,
                       "{ \"default\": { \"uniform\": 45 }, \"classes\": { \"0-4\": { \"uniform\": "
                       "60.5 }, \"7\": { \"normal\": 32 } } }"));
    CHECK_NEAR(r.of[4].width, 60.5 * DEGREE, 1e-12);
    CHECK_NEAR(r.of[5].width, 45 * DEGREE, 1e-12);
    CHECK_NEAR(r.other.width, 45 * DEGREE, 1e-12);
    assert_int_equal(r.of[7].family, RECON_SO2_NORMAL);
    CHECK_FAILS(ctx, recon_rotation_rule_load(ctx, &r, "minst"), RECON_ERR_IO,
                "unknown rotation rule 'minst'");
    static const struct {
        const char *text, *message;
    } wrong[] = {
        { "{}", "not an object with" },
        { "[]", "not an object with" },
        { "{ \"classes\": 3 }", "the latter an object" },
        { "{ \"defualt\": { \"uniform\": 1 } }", "'defualt' is neither" },
        { "{ \"default\": { \"uniform\": 181 } }", "'default': 181 degrees: 0 to 180" },
        { "{ \"default\": { \"uniform\": -1 } }", "-1 degrees" },
        { "{ \"default\": { \"uniform\": \"1\" } }", "'default' is not { \"uniform\"" },
        { "{ \"default\": { \"uniform\": 1, \"normal\": 2 } }", "'default' is not {" },
        { "{ \"default\": 4 }", "'default' is not {" },
        { "{ \"classes\": { \"4-2\": { \"normal\": 1 } } }", "'4-2' is neither a class" },
        { "{ \"classes\": { \"1-\": { \"normal\": 1 } } }", "'1-' is neither a class" },
        { "{ \"classes\": { \"\": { \"normal\": 1 } } }", "'' is neither a class" },
        { "{ \"classes\": { \"shoe\": { \"normal\": 1 } } }", "'shoe' is neither a class" },
        { "{ \"classes\": { \"0-1024\": { \"normal\": 1 } } }", "classes below 1024" },
        { "{ \"classes\": { \"0-4\": { \"normal\": 1 }, \"3\": { \"normal\": 1 } } }",
          "class 3 comes twice" },
        { "{ \"default\"", "rule.json: line 1" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(ctx, load(ctx, &r, wrong[i].text), RECON_ERR_FORMAT, wrong[i].message);
}

static recon_status rotate_and_close(recon_ctx *ctx, const recon_dataset *d,
                                     const recon_rotation_rule *rule)
{
    recon_dataset *rotated = NULL;
    recon_status status = recon_dataset_rotate(ctx, &rotated, d, rule, 1);
    recon_dataset_close(rotated);
    return status;
}

static void a_rule_that_is_all_zero_rotates_nothing(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_noise(ctx), *rotated = NULL;
    static const recon_rotation_rule nothing;
    static recon_rotation_rule wrong;
    float x[SIDE * SIDE], y[SIDE * SIDE];
    CHECK_OK(ctx, recon_dataset_rotate(ctx, &rotated, d, &nothing, 5));
    for (size_t i = 0; i < MANY; i += 7) {
        recon_dataset_get(x, d, i);
        recon_dataset_get(y, rotated, i);
        assert_memory_equal(x, y, sizeof x);
        assert_true(recon_dataset_angle(rotated, i) == 0);
    }
    recon_dataset_close(rotated);
    wrong.of[3].width = 1; /* of no family */
    CHECK_FAILS(ctx, recon_dataset_rotate(ctx, &rotated, d, &wrong, 5), RECON_ERR_INPUT,
                "a rotation of width 1 by family 0");
    wrong.of[3] = (recon_rotation_law){ RECON_SO2_NORMAL, NAN };
    CHECK_FAILS(ctx, recon_dataset_rotate(ctx, &rotated, d, &wrong, 5), RECON_ERR_INPUT,
                "width nan");
    recon_dataset_close(d);
}

static void memory_may_run_out(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_noise(ctx), *few = NULL;
    static recon_rotation_rule rule;
    CHECK_OK(ctx, recon_rotation_rule_load(ctx, &rule, "mnist"));
    CHECK_OK(ctx, recon_dataset_take(ctx, &few, d, 100, 1));
    CHECK_ALLOCATIONS(ctx, rotate_and_close(ctx, few, &rule));
    recon_dataset_close(few);
    CHECK_FAILS(ctx, recon_dataset_take(ctx, &few, d, MANY + 1, 1), RECON_ERR_INPUT,
                "6001 of 6000 images cannot be taken");
    recon_dataset_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(each_class_has_the_spread_of_its_rule),
        SCRATCH_TEST(parts_and_threads_change_no_angle),
        SCRATCH_TEST(a_rule_can_be_a_file),
        SCRATCH_TEST(a_rule_that_is_all_zero_rotates_nothing),
        SCRATCH_TEST(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
