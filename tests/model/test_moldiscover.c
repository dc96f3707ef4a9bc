/* The flow from a backbone to a whole molecule model: what it leaves in its folder fits together.
 */
#include "chains.h"

#include <recon/model/molscore.h>
#include <recon/core/npy.h>

#include <jansson.h>

static char folder[600];
static recon_molecules *data;

static int setup(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    data = chains_data(*state);
    chains_train(*state, data);
    snprintf(folder, sizeof folder, "%s", scratch("found"));
    return 0;
}

static const char *in_folder(const char *name)
{
    static char path[4][1024];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void clear(void)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        unlink(in_folder(e->d_name));
    if (d)
        closedir(d);
    rmdir(folder);
}

static int teardown(void **state)
{
    clear();
    recon_molecules_close(data);
    return scratch_teardown(state);
}

static const recon_moldiscover_options brief = { .maps = { .hidden = 16, .epochs = 2, .batch = 32 },
                                                 .keep_embeddings = 1 };

static recon_moldiscovery discover(recon_ctx *ctx, const recon_moldiscover_options *o)
{
    recon_moldiscovery d;
    clear();
    CHECK_OK(ctx, recon_moldiscover(ctx, &d, scratch("backbone.safetensors"), data, folder, o));
    return d;
}

static void read_rows(recon_ctx *ctx, double *out, const char *name, size_t width)
{
    recon_array a;
    CHECK_OK(ctx, recon_npy_read(ctx, &a, in_folder(name)));
    assert_int_equal(recon_array_count(&a), CHAINS_N * width);
    CHECK_OK(ctx, recon_array_to_f64(ctx, out, &a));
    recon_array_free(&a);
}

/* What the opened model says of the molecules is what Algorithm 1 was run on, rounded or not. */
static void maps_fit_what_will_be_opened(void **state)
{
    static double kept[CHAINS_N][9];
    static recon_oddness3 now[CHAINS_N];
    recon_conformer *list = chains_list(data);
    for (int half = 0; half < 2; half++) {
        recon_moldiscover_options o = brief;
        recon_molmodel *model;
        o.half = half;
        recon_moldiscovery d = discover(*state, &o);
        recon_moldiscovery_free(&d);
        CHECK_OK(*state,
                 recon_molmodel_open(*state, &model, in_folder("model.safetensors"), RECON_SINGLE));
        CHECK_OK(*state, recon_molscore(*state, now, model, list, CHAINS_N));
        read_rows(*state, kept[0], "g.npy", 9);
        for (size_t i = 0; i < CHAINS_N; i++)
            CHECK_NEAR(recon_so3_distance(recon_so3_from_matrix(kept[i]), now[i].pose.psi), 0,
                       1e-4);
        read_rows(*state, kept[0], "natural.npy", 9);
        size_t apart = 0; /* a free spin magnifies what batches round, without bound for a few */
        for (size_t i = 0; i < CHAINS_N; i++)
            apart += recon_so3_distance(recon_so3_from_matrix(kept[i]), now[i].pose.lambda) > 0.02;
        CHECK_LESS((double)apart, 0.05 * CHAINS_N);
        recon_molmodel_close(*state, model);
    }
    free(list);
}

/* In the gauge the centres of a class agree; the paper's means wander on the ring. */
static void the_gauge_is_the_default(void **state)
{
    static double gamma[CHAINS_N][9];
    double spread[2] = { 0 };
    for (int as_mean = 0; as_mean < 2; as_mean++) {
        recon_moldiscover_options o = brief;
        o.as_mean = as_mean;
        recon_moldiscovery d = discover(*state, &o);
        assert_non_null(strstr(d.summary, as_mean ? "\"mean\": \"tukey\"" : "\"mean\": \"gauge\""));
        recon_moldiscovery_free(&d);
        read_rows(*state, gamma[0], "gamma.npy", 9);
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
    recon_moldiscovery d = discover(*state, &chains_options);
    json_t *j = json_loads(d.summary, 0, NULL), *natural = json_object_get(j, "natural_pose");
    assert_int_equal(d.points, CHAINS_N);
    assert_int_equal(d.molecules, CHAINS);
    assert_int_equal(d.k, 25);
    assert_true(d.natural[RECON_NATURAL_AXIS] > CHAINS_N * 9 / 10);
    CHECK_NEAR(json_real_value(json_object_get(natural, "axis")),
               (double)d.natural[RECON_NATURAL_AXIS] / CHAINS_N, 1e-12);
    CHECK_NEAR(json_real_value(json_object_get(j, "hit_rate")), d.hit_rate, 1e-12);
    assert_true(d.hit_rate > 0.9 && d.concentration > 20 && d.background < 0.2);
    assert_int_equal(json_array_size(json_object_get(j, "molecules")), CHAINS);
    assert_int_equal(json_integer_value(json_object_get(j, "molecule_count")), CHAINS);
    assert_string_equal(json_string_value(json_object_get(
                            json_array_get(json_object_get(j, "molecules"), 1), "name")),
                        "longer");
    assert_string_equal(json_string_value(json_object_get(j, "data")), "chains");
    json_decref(j);
    recon_moldiscovery_free(&d);
}

static void failures_leave_no_folder(void **state)
{
    recon_moldiscovery d;
    clear();
    CHECK_FAILS(*state, recon_moldiscover(*state, &d, scratch("nothing"), data, folder, &brief),
                RECON_ERR_IO, "nothing");
    assert_int_not_equal(access(folder, F_OK), 0);
    recon_moldiscover_options o = brief;
    o.k = CHAINS_N;
    assert_true(recon_moldiscover(*state, &d, scratch("backbone.safetensors"), data, folder, &o) !=
                RECON_OK);
    assert_int_not_equal(access(folder, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_fit_what_will_be_opened),
        cmocka_unit_test(the_gauge_is_the_default),
        cmocka_unit_test(the_summary_counts_verdicts),
        cmocka_unit_test(failures_leave_no_folder),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
