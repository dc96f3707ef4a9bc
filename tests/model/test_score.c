/* What scores promise of inputs of every kind: general and typed ones agree, unusual poses score high,
 * p-values and thresholds mean what they say. Distributions are in test_score_images.c and
 * test_score_molecules.c. */
#include "both.h"
#include "model/model.h"

#include <recon/model/score.h>

static recon_pose_score natural[BOTH_MOST], scored[BOTH_MOST];

static recon_status call_typed(recon_ctx *ctx, const domain *d, const recon_model *model)
{
    return d->group == RECON_SO2 ? recon_score_images(ctx, scored, model, d->inputs, d->n)
                                 : recon_score_molecules(ctx, scored, model, d->inputs, d->n);
}

static void the_general_score_is_the_typed_one(void **state)
{
    EACH_DOMAIN(d)
    {
        recon_model *model = open_model(*state, d);
        CHECK_OK(*state, recon_score(*state, natural, model, d->inputs, d->n));
        CHECK_OK(*state, call_typed(*state, d, model));
        for (size_t i = 0; i < d->n; i++) {
            CHECK_NEAR(natural[i].score, scored[i].score, 0);
            CHECK_NEAR(natural[i].p_value, scored[i].p_value, 0);
            CHECK_NEAR(natural[i].surrogate, scored[i].surrogate, 0);
            CHECK_NEAR(natural[i].p_embedding, scored[i].p_embedding, 0);
            assert_true(natural[i].p_embedding > 0 && natural[i].p_embedding <= 1);
        }
        CHECK_OK(*state, recon_score(*state, NULL, model, NULL, 0));
        recon_model_close(*state, model);
    }
}

/* As 0.2.0 wrote it: poses have p-values, embeddings have none. */
static void a_model_without_codes_answers_all_else(void **state)
{
    EACH_DOMAIN(d)
    {
        recon_model *model = open_model(*state, d), *bare;
        CHECK_OK(*state, recon_score(*state, natural, model, d->inputs, d->n));
        assert_true(recon_model_describe(model).codes > 0);
        CHECK_OK(*state, recon_model_save(*state, scratch("bare"), scratch(d->model),
                                          model->backbone, model->maps, NULL));
        CHECK_OK(*state, recon_model_open(*state, &bare, scratch("bare"), RECON_SINGLE));
        CHECK_OK(*state, recon_score(*state, scored, bare, d->inputs, d->n));
        assert_int_equal(recon_model_describe(bare).codes, 0);
        for (size_t i = 0; i < d->n; i++) {
            assert_true(isnan(scored[i].p_embedding));
            CHECK_NEAR(scored[i].p_value, natural[i].p_value, 0);
        }
        recon_model_close(*state, bare);
        recon_model_close(*state, model);
    }
}

/* Letters a quarter turn from any natural pose; molecules rotated by anything. */
static void score_unusual_ones(recon_ctx *ctx, const domain *d, const recon_model *model)
{
    static float pixels[TINY_N][TINY_PIXELS], xyz[CHAINS_N][3 * CHAIN_ATOMS];
    static recon_conformer rotated[CHAINS_N];
    recon_rng rng = recon_rng_new(10, 0);
    for (size_t i = 0; i < d->n; i++)
        if (d->group == RECON_SO2) {
            recon_image_rotate(pixels[i], tiny_images[i], TINY_SIDE, TINY_SIDE, 1, M_PI / 2,
                               RECON_BILINEAR);
        } else {
            rotated[i] = both_list[i];
            chain_rotation(xyz[i], both_list[i].xyz, both_list[i].atoms, recon_so3_haar(&rng),
                           (double[3]){ 0 });
            rotated[i].xyz = xyz[i];
        }
    CHECK_OK(ctx, recon_score(ctx, scored, model,
                              d->group == RECON_SO2 ? (const void *)pixels : rotated, d->n));
}

static void unusual_poses_score_high(void **state)
{
    EACH_DOMAIN(d)
    {
        recon_model *model = open_model(*state, d);
        double threshold = recon_score_threshold(model, 0.1), alarms = 0, p = 0;
        CHECK_OK(*state, recon_score(*state, natural, model, d->inputs, d->n));
        score_unusual_ones(*state, d, model);
        for (size_t i = 0; i < d->n; i++) {
            alarms += scored[i].score > threshold;
            p += scored[i].p_value < natural[i].p_value;
        }
        /* some of the molecules are natural by chance */
        CHECK_LESS((d->group == RECON_SO2 ? 0.95 : 0.8) * (double)d->n, alarms);
        CHECK_LESS(0.8 * (double)d->n, p);
        recon_model_close(*state, model);
    }
}

static void thresholds_and_p_values_agree(void **state)
{
    EACH_DOMAIN(d)
    {
        recon_model *model = open_model(*state, d);
        double share = 0.2, threshold = recon_score_threshold(model, share), alarms = 0, low = 0;
        CHECK_OK(*state, recon_score(*state, natural, model, d->inputs, d->n));
        for (size_t i = 0; i < d->n; i++) {
            alarms += natural[i].score > threshold;
            low += natural[i].p_value < share;
            assert_true(natural[i].p_value > 0 && natural[i].p_value <= 1);
        }
        /* 24 of 240 points were held out: three standard errors are 0.25. */
        CHECK_NEAR(alarms / (double)d->n, share, 0.25);
        CHECK_NEAR(low / (double)d->n, share, 0.25);
        assert_true(isinf(recon_score_threshold(model, 0.001)));
        recon_model_close(*state, model);
    }
}

static void a_model_of_another_kind_is_refused(void **state)
{
    recon_model *images = open_model(*state, &both[0]), *molecules = open_model(*state, &both[1]);
    recon_distribution told;
    recon_distribution3 told3;
    CHECK_FAILS(*state, call_typed(*state, &both[0], molecules), RECON_ERR_INPUT,
                "the model takes molecules, not images");
    CHECK_FAILS(*state, call_typed(*state, &both[1], images), RECON_ERR_INPUT,
                "the model takes images, not molecules");
    CHECK_FAILS(*state, recon_distribution_images(*state, &told, molecules, tiny_images[0], 1),
                RECON_ERR_INPUT, "the model takes molecules, not images");
    CHECK_FAILS(*state, recon_distribution_molecules(*state, &told3, images, both_list, 1),
                RECON_ERR_INPUT, "the model takes images, not molecules");
    recon_model_close(*state, molecules), recon_model_close(*state, images);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_general_score_is_the_typed_one),
        cmocka_unit_test(a_model_without_codes_answers_all_else),
        cmocka_unit_test(unusual_poses_score_high),
        cmocka_unit_test(thresholds_and_p_values_agree),
        cmocka_unit_test(a_model_of_another_kind_is_refused),
    };
    return cmocka_run_group_tests(tests, both_setup, both_teardown);
}
