/* How a model was trained is read from what its file says, and what it does not say is the default. */
#include "scratch.h"
#include "backbone/ieae.h"
#include "backbone/molecule_net.h"
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
    assert_int_equal(recon_recipe_short(f), 25);
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

/* --- the tables ------------------------------------------------------------------------------- */

typedef union {
    recon_ieae_options images;
    recon_molecule_net_options molecules;
} any_options;

static const struct {
    const char *data;
    const recon_recipe *recipe;
} tables[] = { { "images", &recon_ieae_recipe }, { "molecules", &recon_molecule_net_recipe } };
enum { TABLES = sizeof tables / sizeof *tables };

/* A value that is no preset's. */
static const char *value_for(const recon_recipe_entry *e)
{
    return e->words ? strrchr(e->words, '|') + 1 : e->type == RECON_RECIPE_COUNT ? "3" : "0.0625";
}

static recon_status set(recon_ctx *ctx, any_options *o, size_t table, const char *name,
                        const char *value, int plain)
{
    const recon_setting setting = { name, value };
    *o = (any_options){ 0 };
    return recon_recipe_apply(ctx, o, tables[table].recipe,
                              &(recon_training){ .set = &setting, .n_set = 1, .plain = plain },
                              tables[table].data);
}

static size_t size_of(const recon_recipe_entry *e)
{
    return e->type == RECON_RECIPE_COUNT                                    ? sizeof(size_t)
           : e->type == RECON_RECIPE_SWITCH || e->type == RECON_RECIPE_WORD ? sizeof(int)
                                                                            : sizeof(double);
}

static void what_is_recorded_is_read_back(void **state)
{
    recon_ctx *ctx = *state;
    for (size_t t = 0; t < TABLES; t++)
        for (size_t i = 0; i < tables[t].recipe->n; i++) {
            const recon_recipe_entry *e = &tables[t].recipe->entry[i];
            recon_settings said = { "" };
            any_options o, back = { 0 };
            CHECK_OK(ctx, set(ctx, &o, t, e->name, value_for(e), 0));
            const char *at = (const char *)&o + e->offset, *zero = (const char *)&back + e->offset;
            assert_memory_not_equal(at, zero, size_of(e));
            if (!strcmp(e->name, "flip"))
                o.images.shape.preset = RECON_PRESET_PHOTO; /* which it is of */
            if (!strcmp(e->name, "pairs"))
                o.molecules.align = 1;
            if (e->in_shape)
                continue;
            recon_recipe_record(&said, tables[t].recipe, &o);
            recon_safetensors *f = file_saying(ctx, said.text);
            recon_recipe_read(&back, tables[t].recipe, f);
            assert_memory_equal(at, (const char *)&back + e->offset, size_of(e));
            recon_safetensors_close(f);
        }
}

static void settings_are_refused_by_name(void **state)
{
    recon_ctx *ctx = *state;
    any_options o;
    for (size_t t = 0; t < TABLES; t++)
        for (size_t i = 0; i < tables[t].recipe->n; i++) {
            const recon_recipe_entry *e = &tables[t].recipe->entry[i];
            char message[64];
            snprintf(message, sizeof message, "%s nan must be ", e->name);
            CHECK_FAILS(ctx, set(ctx, &o, t, e->name, "nan", 0), RECON_ERR_INPUT, message);
            snprintf(message, sizeof message, "plain cannot be used with %s", e->name);
            if (e->is_term)
                CHECK_FAILS(ctx, set(ctx, &o, t, e->name, "1", 1), RECON_ERR_INPUT, message);
            else
                CHECK_OK(ctx, set(ctx, &o, t, e->name, value_for(e), 1));
        }
    CHECK_OK(ctx, set(ctx, &o, 0, "density", "0", 1));
    CHECK_NEAR(o.images.density, -1, 0);
    CHECK_FAILS(ctx, set(ctx, &o, 0, "rate", "0", 0), RECON_ERR_INPUT, "above 0");
    CHECK_FAILS(ctx, set(ctx, &o, 0, "align", "1", 0), RECON_ERR_INPUT, "align is for molecules");
    CHECK_FAILS(ctx, set(ctx, &o, 1, "aling", "1", 0), RECON_ERR_INPUT,
                "there is no setting aling (did you mean align?): for molecules there are width,");
}

/* --- a domain of an application's own ----------------------------------------------------------- */

static recon_status train_own(recon_ctx *ctx, recon_train_result *result, const recon_data *data,
                              const char *path, const recon_training *t)
{
    (void)ctx;
    (void)data;
    (void)path;
    *result = (recon_train_result){ .steps = t->n_set };
    return RECON_OK;
}

static void an_own_kind_is_trained_by_its_own_function(void **state)
{
    static recon_backbone_kind kind = { .name = "own", .data = "clouds", .train = train_own };
    static const recon_data_kind clouds = { .name = "clouds", .one = "cloud", .many = "clouds" };
    const recon_data data = { &clouds };
    recon_ctx *ctx = *state;
    recon_training t = { .set = &(recon_setting){ "points", "7" }, .n_set = 1 };
    recon_train_result r;
    CHECK_FAILS(ctx, recon_backbone_train(ctx, &r, &data, scratch("m"), &t), RECON_ERR_INPUT,
                "recon trains no network of clouds");
    kind.group = RECON_SO3;
    CHECK_OK(ctx, recon_backbone_add(ctx, &kind));
    CHECK_OK(ctx, recon_training_complete(ctx, &t, NULL, "clouds"));
    CHECK_OK(ctx, recon_backbone_train(ctx, &r, &data, scratch("m"), &t));
    assert_int_equal(r.steps, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_found_by_their_names),
        cmocka_unit_test(what_is_not_said_is_the_default),
        cmocka_unit_test(what_is_recorded_is_read_back),
        cmocka_unit_test(settings_are_refused_by_name),
        cmocka_unit_test(an_own_kind_is_trained_by_its_own_function),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
