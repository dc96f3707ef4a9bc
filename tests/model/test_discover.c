/* The flow from a backbone to a whole model, of every kind: what it leaves in its folder fits
 * together. What the summary says of images and of molecules is in test_discover_images.c and
 * test_discover_molecules.c. */
#include "both.h"
#include "found.h"
#include "model/trust.h"

#include <recon/model/score.h>

static int setup(void **state)
{
    if (both_data(state) != 0)
        return -1;
    tiny_train(*state, both_letters, 0);
    assert_int_equal(rename(scratch("backbone.safetensors"), scratch(both[0].backbone)), 0);
    chains_train(*state, both_chains);
    assert_int_equal(rename(scratch("backbone.safetensors"), scratch(both[1].backbone)), 0);
    found_begin();
    return 0;
}

static int teardown(void **state)
{
    found_clear();
    return both_teardown(state);
}

static const recon_discover_options brief = { .k = 5,
                                              .maps = { .hidden = 16, .epochs = 2, .batch = 32 },
                                              .folds = -1 };

static recon_discovery discover(recon_ctx *ctx, const domain *d, const recon_discover_options *o)
{
    return found_discover(ctx, scratch(d->backbone), d->data, o);
}

static void read_rows(recon_ctx *ctx, double *out, const char *name, size_t count)
{
    recon_array a;
    CHECK_OK(ctx, recon_npy_read(ctx, &a, in_found(name)));
    assert_int_equal(recon_array_count(&a), count);
    CHECK_OK(ctx, recon_array_to_f64(ctx, out, &a));
    recon_array_free(&a);
}

/* How far a pose of a file is from one of the model's. */
static double apart(const domain *d, const double *rows, size_t i, const recon_pose *now,
                    int lambda)
{
    recon_so3 row;
    if (d->group == RECON_SO2)
        return recon_so2_distance(rows[i], lambda ? now->lambda[0] : now->psi[0]);
    row = recon_so3_from_matrix(rows + 9 * i);
    return recon_so3_distance(row, recon_so3_at(lambda ? now->lambda : now->psi, 0));
}

/* What the opened model says of the inputs is what Algorithm 1 was run on, rounded or not. */
static void check_fit(recon_ctx *ctx, const domain *d, int half)
{
    static double rows[9 * TINY_N];
    static recon_pose now[BOTH_MOST];
    recon_discover_options o = brief;
    recon_model *model;
    size_t width = d->group == RECON_SO2 ? 1 : 9, far = 0;
    o.half = half;
    o.lambda = RECON_LAMBDA_DENSITY;
    o.keep_embeddings = 1;
    recon_discovery result = discover(ctx, d, &o);
    recon_discovery_free(&result);
    CHECK_OK(ctx, recon_model_open(ctx, &model, in_found("model.safetensors"), RECON_SINGLE));
    CHECK_OK(ctx, recon_canonicalize(ctx, NULL, now, model, d->inputs, d->n, NULL));
    read_rows(ctx, rows, "g.npy", d->n * width);
    for (size_t i = 0; i < d->n; i++)
        CHECK_LESS(apart(d, rows, i, &now[i], 0), 1e-4);
    read_rows(ctx, rows, "natural.npy", d->n * width);
    for (size_t i = 0; i < d->n; i++)
        far += apart(d, rows, i, &now[i], 1) > (d->group == RECON_SO2 ? 1e-6 : 0.02);
    /* a free spin magnifies what batches round, without bound for a few */
    assert_true((double)far <= (d->group == RECON_SO2 ? 0 : 0.05 * (double)d->n));
    recon_model_close(ctx, model);
}

static void maps_fit_what_will_be_opened(void **state)
{
    EACH_DOMAIN(d)
    for (int half = 0; half < 2; half++)
        check_fit(*state, d, half);
}

static recon_natural told_of(recon_ctx *ctx, const domain *d, const recon_model *model, size_t i)
{
    recon_distribution image;
    recon_distribution3 molecule;
    if (d->group == RECON_SO2) {
        CHECK_OK(ctx, recon_distribution_images(ctx, &image, model, tiny_images[i], 1));
        return image.verdict;
    }
    CHECK_OK(ctx, recon_distribution_molecules(ctx, &molecule, model, both_list + i, 1));
    return molecule.verdict;
}

/* The verdict of each line of poses.csv, as its seventh field. */
static void read_verdicts(char (*out)[16], size_t n)
{
    char line[2000];
    FILE *file = fopen(in_found("poses.csv"), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (size_t i = 0; i < n; i++) {
        assert_non_null(fgets(line, sizeof line, file));
        char *at = line;
        for (int field = 0; field < 6; field++)
            at = strchr(at, ',') + 1;
        snprintf(out[i], sizeof out[i], "%.*s", (int)strcspn(at, ","), at);
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

/* The files of a discovery, its summary, and what the opened model says of the same inputs. What batches
 * round may decide for a few molecules. */
static void there_is_one_verdict_of_each_input(void **state)
{
    static double verdict[BOTH_MOST], fold[BOTH_MOST];
    static char written[BOTH_MOST][16];
    static recon_row row[BOTH_MOST];
    EACH_DOMAIN(d)
    {
        recon_discovery found = discover(*state, d, &brief);
        size_t other = 0, counts[RECON_NATURAL_KINDS] = { 0 };
        recon_model *model;
        CHECK_OK(*state,
                 recon_model_open(*state, &model, in_found("model.safetensors"), RECON_SINGLE));
        CHECK_OK(*state, recon_rows_find(*state, row, model, d->inputs, d->n, NULL));
        read_rows(*state, verdict, "verdict.npy", d->n);
        read_rows(*state, fold, "fold.npy", d->n);
        read_verdicts(written, d->n);
        for (size_t i = 0; i < d->n; i++) {
            recon_natural natural = (recon_natural)verdict[i];
            counts[natural]++;
            assert_string_equal(written[i], recon_natural_name(natural));
            other += row[i].verdict != natural || row[i].fold != fold[i] ||
                     told_of(*state, d, model, i) != natural;
        }
        assert_memory_equal(counts, found.natural, sizeof counts);
        assert_true(other <= (d->group == RECON_SO2 ? 0 : d->n / 50));
        recon_model_close(*state, model);
        recon_discovery_free(&found);
    }
}

/* Lambda of the model against Gamma of the neighbours and against the pose, as the files have them. */
static void contradictions_and_rotations_are_counted(void **state)
{
    static double lambda[TINY_N], gamma[TINY_N], verdict[TINY_N], psi[TINY_N];
    recon_discover_options o = brief;
    o.keep_embeddings = 1;
    EACH_DOMAIN(d)
    {
        if (d->group != RECON_SO2)
            continue;
        size_t far = 0, rotated = 0;
        recon_discovery result = discover(*state, d, &o);
        read_rows(*state, psi, "g.npy", d->n);
        read_rows(*state, lambda, "natural.npy", d->n);
        read_rows(*state, gamma, "gamma.npy", d->n);
        read_rows(*state, verdict, "verdict.npy", d->n);
        for (size_t i = 0; i < d->n; i++)
            far += verdict[i] == RECON_NATURAL_ONE &&
                   recon_so2_distance(lambda[i], gamma[i]) > M_PI / 4;
        for (size_t i = 0; i < d->n; i++)
            rotated += verdict[i] != RECON_NATURAL_NONE && verdict[i] != RECON_NATURAL_UNSURE &&
                       recon_so2_distance(lambda[i], psi[i]) > M_PI / 9;
        assert_int_equal(result.rotated, rotated);
        CHECK_NEAR(result.disagree, (double)far / (double)d->n, 1e-12);
        recon_discovery_free(&result);
    }
}

/* z.npy and g.npy are what the model's own backbone says of the data. */
static void embeddings_are_kept_when_asked(void **state)
{
    EACH_DOMAIN(d)
    {
        recon_discover_options o = brief;
        recon_backbone *b;
        recon_embedded e;
        recon_array kept;
        o.keep_embeddings = 1;
        recon_discovery result = discover(*state, d, &o);
        recon_discovery_free(&result);
        CHECK_OK(*state,
                 recon_backbone_open(*state, &b, in_found("model.safetensors"), RECON_SINGLE));
        CHECK_OK(*state, recon_backbone_embed(*state, &e, b, d->data));
        CHECK_OK(*state, recon_npy_read(*state, &kept, in_found("z.npy")));
        assert_true(kept.ndim == 2 && kept.shape[0] == d->n && kept.shape[1] == 8);
        assert_memory_equal(kept.data, e.z, d->n * 8 * sizeof(float));
        recon_array_free(&kept);
        recon_embedded_free(&e);
        recon_backbone_close(*state, b);
        result = discover(*state, d, &brief);
        recon_discovery_free(&result);
        assert_false(is_found("z.npy") || is_found("g.npy") || is_found(".rounded.safetensors"));
    }
}

/* Whose summary it is stands in it. */
static void the_summary_names_its_kind(void **state)
{
    EACH_DOMAIN(d)
    {
        recon_discover_options o = brief;
        o.data = "of these";
        recon_discovery result = discover(*state, d, &o);
        json_t *all = found_summary(*state), *whole = json_object_get(all, "all");
        assert_string_equal(result.kind, d->name);
        assert_true(result.group == d->group && result.points == d->n && result.k == 5);
        assert_string_equal(json_string_value(json_object_get(all, "kind")), d->name);
        assert_string_equal(json_string_value(json_object_get(all, "group")),
                            d->group == RECON_SO2 ? "so2" : "so3");
        assert_string_equal(json_string_value(json_object_get(all, "data")), "of these");
        assert_int_equal(json_integer_value(json_object_get(all, "points")), d->n);
        assert_int_equal(json_integer_value(json_object_get(whole, "points")), d->n);
        CHECK_NEAR(json_real_value(json_object_get(whole, "hit_rate")), result.hit_rate, 1e-12);
        for (int f = 0; f < 3; f++)
            assert_true(
                is_found((const char *[]){ "model.safetensors", "gamma.npy", "theta.npy" }[f]));
        json_decref(all);
        recon_discovery_free(&result);
    }
}

static void check_same(double a, double b)
{
    assert_true(isnan(a) == isnan(b));
    if (!isnan(a))
        CHECK_NEAR(a, b, 1e-12 * (1 + fabs(a)));
}

/* An open model says what discover said of it; so does the summary. */
static void the_model_keeps_its_trust(void **state)
{
    EACH_DOMAIN(d)
    {
        recon_discovery found = discover(*state, d, &brief);
        const recon_trust *want = &found.trust, *got;
        recon_trust summed;
        json_t *all = found_summary(*state);
        recon_model *model;
        CHECK_OK(*state,
                 recon_model_open(*state, &model, in_found("model.safetensors"), RECON_SINGLE));
        got = recon_model_trust(model);
        assert_non_null(got);
        assert_true(recon_trust_from_json(&summed, json_object_get(all, "trust")));
        for (int i = 0; i < 2; i++, got = &summed) {
            assert_true(got->level == want->level && got->against == want->against);
            assert_true(got->points == want->points && got->lambda.taken == want->lambda.taken);
            check_same(got->information, want->information);
            check_same(got->moved, want->moved);
            check_same(got->gain, want->gain);
            check_same(got->cannot_tell, want->cannot_tell);
            check_same(got->lambda.apart_p95[1][2], want->lambda.apart_p95[1][2]);
        }
        assert_false(isnan(want->information) || isnan(want->cannot_tell));
        assert_true(want->cannot_tell <= 1);
        recon_model_close(*state, model);
        json_decref(all);
        recon_discovery_free(&found);
    }
}

/* The same bytes with another number of threads, and with a backbone that is open already. */
static void threads_do_not_change_the_bytes(void **state)
{
    EACH_DOMAIN(d)
    {
        size_t n, m;
        recon_backbone *b;
        recon_discovery result;
        recon_ctx *other = recon_ctx_new(&(recon_ctx_options){ .threads = 3 });
        result = discover(*state, d, &brief);
        recon_discovery_free(&result);
        unsigned char *first = slurp(in_found("model.safetensors"), &n);
        found_clear();
        CHECK_OK(other, recon_backbone_open(other, &b, scratch(d->backbone), RECON_SINGLE));
        CHECK_OK(other, recon_discover(other, &result, scratch(d->backbone), b, d->data,
                                       found_folder, &brief));
        recon_discovery_free(&result);
        unsigned char *second = slurp(in_found("model.safetensors"), &m);
        assert_int_equal(n, m);
        assert_memory_equal(first, second, n);
        free(first), free(second);
        recon_backbone_close(other, b);
        recon_ctx_free(other);
    }
}

static recon_model_info describe_found(recon_ctx *ctx)
{
    recon_model *model;
    CHECK_OK(ctx, recon_model_open(ctx, &model, in_found("model.safetensors"), RECON_SINGLE));
    recon_model_info info = recon_model_describe(model);
    recon_model_close(ctx, model);
    return info;
}

/* Of the model in the folder; to be freed. */
static unsigned char *tensor_bytes(recon_ctx *ctx, const char *name)
{
    recon_safetensors *file;
    recon_array array;
    CHECK_OK(ctx, recon_safetensors_open(ctx, &file, in_found("model.safetensors")));
    CHECK_OK(ctx, recon_safetensors_get(ctx, &array, file, name));
    size_t bytes = array.shape[0] * array.shape[1] * sizeof(float);
    unsigned char *copy = malloc(bytes);
    assert_non_null(copy);
    memcpy(copy, array.data, bytes);
    recon_array_free(&array);
    recon_safetensors_close(file);
    return copy;
}

/* By folds every input is behind the calibration, and nothing but the calibration changes; below
 * 500 inputs that is the default, and nothing else is left in the folder. */
static void folds_calibrate_on_all_inputs(void **state)
{
    EACH_DOMAIN(d)
    {
        recon_discover_options o = brief;
        recon_model_info before, after;
        if (SANITIZED && d->group == RECON_SO3) /* the same code, five trainings more */
            continue;
        recon_discovery result = discover(*state, d, &o);
        assert_int_equal(result.folds, 0);
        recon_discovery_free(&result);
        before = describe_found(*state);
        unsigned char *plain = tensor_bytes(*state, "density.0.weight");
        o.folds = 0; /* the default */
        result = discover(*state, d, &o);
        assert_int_equal(result.folds, 5);
        assert_true(result.seconds.folds > 0);
        recon_discovery_free(&result);
        after = describe_found(*state);
        unsigned char *folded = tensor_bytes(*state, "density.0.weight");
        CHECK_LESS((double)before.maps.held_out, (double)d->n / 4);
        assert_int_equal(after.maps.held_out, d->n);
        assert_memory_equal(plain, folded, before.maps.hidden * before.maps.d * sizeof(float));
        assert_false(is_found(".folds"));
        free(plain), free(folded);
    }
}

/* Interrupts the first training of the folds. */
typedef struct {
    recon_ctx *ctx;
    int begun;
} stopper;

static void see_folds(void *user, recon_log_level level, const char *line)
{
    (void)level;
    ((stopper *)user)->begun |= strstr(line, "by cross-validation") != NULL;
}

static void stop_training(void *user, const recon_progress *p)
{
    stopper *s = user;
    if (s->begun && p->done > 0)
        recon_ctx_interrupt(s->ctx);
}

/* What is said to be resumed from must be there, and a fold's checkpoint is not. */
static void an_interrupted_fold_leaves_nothing(void **state)
{
    (void)state;
    EACH_DOMAIN(d)
    {
        stopper s = { .begun = 0 };
        recon_discovery result;
        recon_discover_options o = brief;
        o.folds = 2;
        found_clear();
        s.ctx = recon_ctx_new(
            &(recon_ctx_options){ .on_log = see_folds, .on_progress = stop_training, .user = &s });
        CHECK_FAILS(
            s.ctx,
            recon_discover(s.ctx, &result, scratch(d->backbone), NULL, d->data, found_folder, &o),
            RECON_ERR_INTERRUPTED, "interrupted in fold 1 of 2");
        assert_null(strstr(recon_ctx_message(s.ctx), "resume"));
        assert_int_not_equal(access(found_folder, F_OK), 0);
        recon_ctx_free(s.ctx);
    }
}

/* A whole model is a backbone too: what it knew of its maps is replaced, but not in its own folder. */
static void it_can_be_run_on_its_own_result(void **state)
{
    EACH_DOMAIN(d)
    {
        recon_discover_options o = brief;
        recon_model *model;
        char again[4000], path[4096];
        recon_discovery result = discover(*state, d, &brief);
        recon_discovery_free(&result);
        o.k = 8;
        o.maps.hidden = 24;
        CHECK_FAILS(*state,
                    recon_discover(*state, &result, in_found("model.safetensors"), NULL, d->data,
                                   found_folder, &o),
                    RECON_ERR_INPUT, "this is the input");
        snprintf(again, sizeof again, "%s-again", found_folder);
        snprintf(path, sizeof path, "%s/model.safetensors", again);
        CHECK_OK(*state, recon_discover(*state, &result, in_found("model.safetensors"), NULL,
                                        d->data, again, &o));
        assert_int_equal(result.k, 8);
        recon_discovery_free(&result);
        CHECK_OK(*state, recon_model_open(*state, &model, path, RECON_SINGLE));
        assert_int_equal(recon_model_describe(model).maps.hidden, 24);
        recon_model_close(*state, model);
    }
}

static void refuse(recon_ctx *ctx, const char *model, const recon_data *data, const char *dir,
                   const recon_discover_options *o, recon_status status, const char *text)
{
    recon_discovery d;
    CHECK_FAILS(ctx, recon_discover(ctx, &d, model, NULL, data, dir, o), status, text);
    assert_null(d.summary);
}

static void failures_leave_nothing(void **state)
{
    EACH_DOMAIN(d)
    {
        const char *backbone = scratch(d->backbone);
        recon_discover_options o = brief;
        found_clear();
        refuse(*state, scratch("nothing"), d->data, found_folder, &o, RECON_ERR_IO, "nothing");
        refuse(*state, backbone, d->data, "/dev/null/found", &o, RECON_ERR_IO,
               "cannot make the folder");
        o.family = RECON_SO2_MIXTURE;
        refuse(*state, backbone, d->data, found_folder, &o, RECON_ERR_INPUT,
               "mixture: Theta supports auto, uniform or normal");
        o.family = RECON_SO2_AUTO;
        o.k = d->n;
        refuse(*state, backbone, d->data, found_folder, &o, RECON_ERR_INPUT, "k");
        assert_int_not_equal(access(found_folder, F_OK), 0);
    }
}

static void data_of_another_kind_are_refused(void **state)
{
    found_clear();
    refuse(*state, scratch(both[0].backbone), both[1].data, found_folder, &brief, RECON_ERR_INPUT,
           "the model takes images, but the data are molecules");
    refuse(*state, scratch(both[1].backbone), both[0].data, found_folder, &brief, RECON_ERR_INPUT,
           "the model takes molecules, but the data are images");
    assert_int_not_equal(access(found_folder, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_fit_what_will_be_opened),
        cmocka_unit_test(there_is_one_verdict_of_each_input),
        cmocka_unit_test(contradictions_and_rotations_are_counted),
        cmocka_unit_test(embeddings_are_kept_when_asked),
        cmocka_unit_test(the_summary_names_its_kind),
        cmocka_unit_test(the_model_keeps_its_trust),
        cmocka_unit_test(threads_do_not_change_the_bytes),
        cmocka_unit_test(folds_calibrate_on_all_inputs),
        cmocka_unit_test(an_interrupted_fold_leaves_nothing),
        cmocka_unit_test(it_can_be_run_on_its_own_result),
        cmocka_unit_test(failures_leave_nothing),
        cmocka_unit_test(data_of_another_kind_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
