/* What discover says of images: readings of each label, and which images it takes. */
#include "found.h"
#include "tiny.h"
#include "backbone/kinds.h"
#include "core/folder.h"
#include "model/trust.h"

#include <recon/report/found.h>

static recon_dataset *data;

static int setup(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    data = tiny_data(*state);
    tiny_train(*state, data, 0);
    found_begin();
    return 0;
}

static int teardown(void **state)
{
    found_clear();
    recon_dataset_close(data);
    return scratch_teardown(state);
}

static recon_discovery discover(recon_ctx *ctx, const recon_discover_options *o)
{
    return found_discover(ctx, scratch("backbone.safetensors"), recon_dataset_data(data), o);
}

static double of_label(json_t *labels, const char *label, const char *key)
{
    return json_real_value(json_object_get(json_object_get(labels, label), key));
}

static void the_summary_reads_each_label(void **state)
{
    recon_discovery d = discover(*state, &tiny_options);
    json_t *all = found_summary(*state), *labels = json_object_get(all, "labels");
    assert_true(d.hit_rate > 0.9);
    assert_int_equal(json_object_size(labels), 2);
    double l = of_label(labels, "0", "several_modes"), t = of_label(labels, "1", "several_modes");
    assert_true(l < 0.1 && t > 0.5); /* L has one natural pose, T two */
    CHECK_NEAR((l + t) / 2, d.several, 1e-9);
    CHECK_NEAR(json_real_value(json_object_get(json_object_get(all, "all"), "theta_deg")),
               d.theta_median * 180 / M_PI, 1e-9);
    json_decref(all);
    recon_discovery_free(&d);
}

/* 1,000 labels are listed at most, those of the lowest numbers. */
static void large_labels_are_not_listed(void **state)
{
    int64_t own[TINY_N];
    recon_dataset *large;
    for (int i = 0; i < TINY_N; i++)
        own[i] = 999 + i % 2;
    recon_array y = { .dtype = RECON_I64, .ndim = 1, .shape = { TINY_N }, .data = own },
                x = { .dtype = RECON_F32,
                      .ndim = 3,
                      .shape = { TINY_N, TINY_SIDE, TINY_SIDE },
                      .data = tiny_images };
    CHECK_OK(*state, recon_dataset_make(*state, &large, &x, &y, NULL));
    recon_discovery d = found_discover(*state, scratch("backbone.safetensors"),
                                       recon_dataset_data(large), &tiny_options);
    json_t *all = found_summary(*state), *labels = json_object_get(all, "labels");
    assert_int_equal(json_object_size(labels), 1);
    assert_non_null(json_object_get(labels, "999"));
    json_decref(all);
    recon_discovery_free(&d);
    recon_dataset_close(large);
}

/* Hides the summary and the arrays while the page is made. */
static recon_status report_without_files(recon_ctx *ctx, void *arg, const recon_discovered *found,
                                         const char *dir)
{
    static const char *const names[] = { "summary.json", "gamma.npy",     "absolute.npy",
                                         "theta.npy",    "score.npy",     "identifiability.npy",
                                         "natural.npy",  "neighbors.npy", "background.npy" };
    enum { NAMES = sizeof names / sizeof *names };
    char path[NAMES][RECON_PATH], aside[NAMES][RECON_PATH], name[16];
    for (int i = 0; i < NAMES; i++) {
        recon_folder_join(path[i], dir, names[i]);
        snprintf(name, sizeof name, "aside-%d", i);
        recon_folder_join(aside[i], dir, name);
        assert_int_equal(rename(path[i], aside[i]), 0);
    }
    recon_status status = recon_found_report(ctx, arg, found, dir);
    for (int i = 0; i < NAMES; i++)
        assert_int_equal(rename(aside[i], path[i]), 0);
    return status;
}

/* The page is made of the summary that the discovery holds and of the two tables, and the folder would have
 * made the same. */
static void the_report_reads_no_result(void **state)
{
    recon_discover_options o = tiny_options;
    recon_found_data shown = { .data = recon_dataset_data(data), .folder = found_folder };
    char command[4096];
    o.report = report_without_files;
    o.report_arg = &shown;
    recon_discovery d = discover(*state, &o);
    CHECK_OK(*state, recon_found_save(*state, scratch("again.html"), found_folder, &shown));
    snprintf(command, sizeof command, "cmp '%s' '%s'", scratch("again.html"),
             in_found("report.html"));
    assert_int_equal(system(command), 0);
    recon_discovery_free(&d);
}

static void theta_is_of_the_family_that_was_asked_for(void **state)
{
    recon_discover_options o = tiny_options;
    recon_model *model;
    o.family = RECON_SO2_NORMAL;
    recon_discovery d = discover(*state, &o);
    assert_int_equal(d.theta, RECON_SO2_NORMAL);
    recon_discovery_free(&d);
    CHECK_OK(*state, recon_model_open(*state, &model, in_found("model.safetensors"), RECON_SINGLE));
    assert_int_equal(recon_model_describe(model).maps.family, RECON_SO2_NORMAL);
    recon_model_close(*state, model);
}

static void images_must_fit_the_model(void **state)
{
    static float larger[20][18 * 18];
    recon_array x = { .dtype = RECON_F32, .ndim = 3, .shape = { 20, 18, 18 }, .data = larger };
    recon_dataset *other;
    recon_discovery d;
    char spec[600];
    found_clear();
    CHECK_OK(*state, recon_npy_write(*state, scratch("larger.npy"), &x));
    snprintf(spec, sizeof spec, "npy:%s", scratch("larger.npy"));
    CHECK_OK(*state, recon_dataset_open(*state, &other, spec));
    CHECK_FAILS(*state,
                recon_discover(*state, &d, scratch("backbone.safetensors"), NULL,
                               recon_dataset_data(other), found_folder, NULL),
                RECON_ERR_INPUT, "images of 18 x 18 x 1, but the model was made for 16 x 16 x 1");
    assert_int_not_equal(access(found_folder, F_OK), 0);
    recon_dataset_close(other);
}

/* At the end of training there are no clusters. How many inputs cannot be told, only a discovery says,
 * and few of a kind are held against none before. */
static void training_does_not_call_inputs_few(void **state)
{
    recon_backbone *b = NULL;
    recon_trust t;
    CHECK_OK(*state,
             recon_backbone_open(*state, &b, scratch("backbone.safetensors"), RECON_SINGLE));
    CHECK_OK(*state, recon_trust_backbone(*state, &t, b, data, 1));
    assert_true(isnan(t.cannot_tell) && isnan(t.none));
    assert_false(t.against & RECON_TRUST_FEW_OF_A_KIND);
    recon_backbone_close(*state, b);
    recon_discovery d = discover(*state, &tiny_options);
    json_t *all = found_summary(*state), *trust = json_object_get(all, "trust");
    double unsure = json_number_value(json_object_get(trust, "cannot_tell"));
    assert_true(json_is_number(json_object_get(trust, "cannot_tell")));
    assert_true(json_is_number(json_object_get(trust, "none")));
    assert_true(unsure >= 0 && unsure <= 1);
    json_decref(all);
    recon_discovery_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_summary_reads_each_label),
        cmocka_unit_test(large_labels_are_not_listed),
        cmocka_unit_test(the_report_reads_no_result),
        cmocka_unit_test(theta_is_of_the_family_that_was_asked_for),
        cmocka_unit_test(images_must_fit_the_model),
        cmocka_unit_test(training_does_not_call_inputs_few),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
