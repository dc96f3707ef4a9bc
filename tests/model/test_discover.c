/* The flow from a backbone to a whole model: what it leaves in its folder fits together. */
#include "tiny.h"

#include <recon/model/canonicalize.h>
#include <recon/group/so2.h>
#include "core/json.h"

#include <sys/stat.h>

static char folder[600];

static recon_dataset *data;

static int setup(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    data = tiny_data(*state);
    tiny_train(*state, data, 0);
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

static int is_there(const char *name)
{
    return access(in_folder(name), F_OK) == 0;
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
    recon_dataset_close(data);
    return scratch_teardown(state);
}

static recon_discovery discover(recon_ctx *ctx, const recon_discover_options *o)
{
    recon_discovery d;
    clear();
    CHECK_OK(ctx, recon_discover(ctx, &d, scratch("backbone.safetensors"), data, folder, o));
    return d;
}

/* What the opened model says of the images is what Algorithm 1 was run on, rounded or not. */
static void maps_fit_what_will_be_opened(void **state)
{
    static float z[TINY_N][8];
    static double psi[TINY_N];
    static recon_pose2 pose[TINY_N];
    for (int half = 0; half < 2; half++) {
        recon_discover_options o = tiny_options;
        recon_model *model;
        recon_array kept;
        o.half = half;
        o.keep_embeddings = 1;
        recon_discovery d = discover(*state, &o);
        recon_discovery_free(&d);
        CHECK_OK(*state,
                 recon_model_open(*state, &model, in_folder("model.safetensors"), RECON_SINGLE));
        CHECK_OK(*state, recon_ieae_embed(*state, z[0], psi, NULL, recon_model_backbone(model),
                                          tiny_images[0], TINY_N));
        CHECK_OK(*state, recon_npy_read(*state, &kept, in_folder("z.npy")));
        assert_true(kept.ndim == 2 && kept.shape[0] == TINY_N && kept.shape[1] == 8);
        assert_memory_equal(kept.data, z, sizeof z);
        recon_array_free(&kept);
        CHECK_OK(*state, recon_npy_read(*state, &kept, in_folder("g.npy")));
        assert_memory_equal(kept.data, psi, sizeof psi);
        recon_array_free(&kept);
        CHECK_OK(*state,
                 recon_canonicalize(*state, NULL, pose, model, tiny_images[0], TINY_N, NULL));
        CHECK_OK(*state, recon_npy_read(*state, &kept, in_folder("natural.npy")));
        for (int i = 0; i < TINY_N; i++)
            CHECK_LESS(recon_so2_distance(((const double *)kept.data)[i], pose[i].lambda), 1e-6);
        recon_array_free(&kept);
        recon_model_close(*state, model);
    }
}

static void the_summary_says_what_was_found(void **state)
{
    recon_discovery d = discover(*state, &tiny_options);
    json_t *all;
    assert_int_equal(d.points, TINY_N);
    assert_int_equal(d.k, 5);
    assert_true(d.hit_rate > 0.9);
    CHECK_OK(*state, recon_json_read(*state, &all, in_folder("summary.json")));
    assert_int_equal(json_integer_value(json_object_get(all, "points")), TINY_N);
    assert_string_equal(json_string_value(json_object_get(all, "data")), "letters");
    json_t *labels = json_object_get(all, "labels");
    assert_int_equal(json_object_size(labels), 2);
    double l = json_real_value(json_object_get(json_object_get(labels, "0"), "several_modes"));
    double t = json_real_value(json_object_get(json_object_get(labels, "1"), "several_modes"));
    assert_true(l < 0.1 && t > 0.5); /* L has one natural pose, T two */
    CHECK_NEAR((l + t) / 2, d.several, 1e-9);
    json_decref(all);
    assert_true(is_there("model.safetensors") && is_there("gamma.npy") && is_there("theta.npy"));
    assert_false(is_there("z.npy") || is_there(".rounded.safetensors"));
    recon_discovery_free(&d);
}

static void threads_do_not_change_the_bytes(void **state)
{
    size_t n, m;
    recon_ctx *other = recon_ctx_new(&(recon_ctx_options){ .threads = 3 });
    recon_discovery d = discover(*state, &tiny_options);
    unsigned char *first = slurp(in_folder("model.safetensors"), &n);
    recon_discovery_free(&d);
    d = discover(other, &tiny_options);
    unsigned char *second = slurp(in_folder("model.safetensors"), &m);
    recon_discovery_free(&d);
    assert_int_equal(n, m);
    assert_memory_equal(first, second, n);
    free(first);
    free(second);
    recon_ctx_free(other);
}

/* A whole model is a backbone too: what it knew of its maps is replaced. */
static void it_can_be_run_on_its_own_result(void **state)
{
    recon_discover_options o = tiny_options;
    recon_model *model;
    recon_discovery d = discover(*state, &tiny_options);
    recon_discovery_free(&d);
    o.k = 8;
    o.family = RECON_SO2_NORMAL;
    CHECK_OK(*state, recon_discover(*state, &d, in_folder("model.safetensors"), data, folder, &o));
    assert_true(d.k == 8 && d.theta == RECON_SO2_NORMAL);
    recon_discovery_free(&d);
    CHECK_OK(*state,
             recon_model_open(*state, &model, in_folder("model.safetensors"), RECON_SINGLE));
    assert_int_equal(recon_model_describe(model).maps.family, RECON_SO2_NORMAL);
    recon_model_close(*state, model);
}

static void refused(recon_ctx *ctx, const char *model, const char *dir,
                    const recon_discover_options *o, recon_status status, const char *text)
{
    recon_discovery d;
    CHECK_FAILS(ctx, recon_discover(ctx, &d, model, data, dir, o), status, text);
    assert_null(d.summary);
}

static void failures_leave_nothing(void **state)
{
    const char *backbone = scratch("backbone.safetensors");
    recon_discover_options o = tiny_options;
    clear();
    refused(*state, scratch("nothing"), folder, &o, RECON_ERR_IO, "nothing");
    refused(*state, backbone, "/dev/null/found", &o, RECON_ERR_IO, "cannot make the folder");
    o.family = RECON_SO2_MIXTURE;
    refused(*state, backbone, folder, &o, RECON_ERR_INPUT, "mixture: auto, uniform or normal");
    o.family = RECON_SO2_AUTO;
    o.k = TINY_N;
    refused(*state, backbone, folder, &o, RECON_ERR_INPUT, "k");
    assert_int_not_equal(access(folder, F_OK), 0);
}

static void images_must_fit_the_model(void **state)
{
    static float larger[20][18 * 18];
    recon_array x = { .dtype = RECON_F32, .ndim = 3, .shape = { 20, 18, 18 }, .data = larger };
    recon_dataset *other;
    recon_discovery d;
    char spec[600];
    clear();
    CHECK_OK(*state, recon_npy_write(*state, scratch("larger.npy"), &x));
    snprintf(spec, sizeof spec, "npy:%s", scratch("larger.npy"));
    CHECK_OK(*state, recon_dataset_open(*state, &other, spec));
    CHECK_FAILS(*state,
                recon_discover(*state, &d, scratch("backbone.safetensors"), other, folder, NULL),
                RECON_ERR_INPUT, "images of 18 x 18 x 1, but the model was made for 16 x 16 x 1");
    assert_int_not_equal(access(folder, F_OK), 0);
    recon_dataset_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_fit_what_will_be_opened),
        cmocka_unit_test(the_summary_says_what_was_found),
        cmocka_unit_test(threads_do_not_change_the_bytes),
        cmocka_unit_test(it_can_be_run_on_its_own_result),
        cmocka_unit_test(failures_leave_nothing),
        cmocka_unit_test(images_must_fit_the_model),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
