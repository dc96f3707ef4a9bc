/* Kinds of backbones: a file's metadata choose one, an application adds its own, and data of
 * another kind are refused. */
#include "borders.h"
#include "backbone/conformers.h"
#include "backbone/shapes.h"

#include <recon/backbone/backbone.h>
#include <recon/data/dataset.h>
#include "backbone/kinds.h"

enum { N = 40, CODE = 2 };

/* --- a kind of our own: two numbers and an angle ---------------------------------------------- */

typedef struct {
    recon_data base;
    double row[N][3];
} rows;

static recon_data_info describe(const recon_data *data)
{
    (void)data;
    return (recon_data_info){ .n = N, .bytes = 3 * sizeof(double) };
}

static void read_rows(void *inputs, const recon_data *data, size_t first, size_t n)
{
    memcpy(inputs, ((const rows *)data)->row[first], n * 3 * sizeof(double));
}

static void close_rows(recon_data *data)
{
    (void)data;
}

static const recon_data_kind rows_kind = { .name = "rows",
                                           .one = "row",
                                           .many = "rows",
                                           .describe = describe,
                                           .close = close_rows,
                                           .read = read_rows };

static int opened, closed;
static const recon_backbone_kind own_kind;

static recon_status open_own(recon_ctx *ctx, recon_backbone **out, const recon_safetensors *file,
                             const char *path, recon_precision precision)
{
    (void)precision;
    *out = NULL;
    if (recon_safetensors_metadata(file, "broken"))
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: broken", path);
    *out = calloc(1, sizeof **out);
    **out = (recon_backbone){ .kind = &own_kind, .code = CODE };
    opened++;
    return RECON_OK;
}

static void close_own(recon_ctx *ctx, recon_backbone *b)
{
    (void)ctx;
    closed++;
    free(b);
}

static recon_status embed(recon_ctx *ctx, const recon_seen *out, const recon_backbone *b,
                          const void *inputs, size_t n)
{
    const double *x = inputs;
    (void)ctx, (void)b;
    for (size_t i = 0; i < n; i++) {
        out->z[2 * i] = (float)x[3 * i];
        out->z[2 * i + 1] = (float)x[3 * i + 1];
        out->psi[i] = x[3 * i + 2];
    }
    return RECON_OK;
}

static const recon_backbone_kind own_kind = { .name = "own",
                                              .data = "rows",
                                              .group = RECON_SO2,
                                              .k = 3,
                                              .open = open_own,
                                              .close = close_own,
                                              .embed = embed };

/* --- another: each input is its own number ----------------------------------------------------- */

typedef struct {
    recon_data base;
    recon_data_info info;
} numbers;

static recon_data_info describe_numbers(const recon_data *data)
{
    return ((const numbers *)data)->info;
}

static void read_numbers(void *inputs, const recon_data *data, size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *(double *)(void *)((char *)inputs + i * describe_numbers(data).bytes) =
            (double)(first + i);
}

static const recon_data_kind numbers_kind = { .name = "numbers",
                                              .one = "number",
                                              .many = "numbers",
                                              .describe = describe_numbers,
                                              .close = close_rows,
                                              .read = read_numbers };
static size_t number_bytes;

static recon_status embed_numbers(recon_ctx *ctx, const recon_seen *out, const recon_backbone *b,
                                  const void *inputs, size_t n)
{
    (void)ctx, (void)b;
    for (size_t i = 0; i < n; i++) {
        out->psi[i] = *(const double *)(const void *)((const char *)inputs + i * number_bytes);
        out->z[CODE * i] = out->z[CODE * i + 1] = (float)out->psi[i];
    }
    return RECON_OK;
}

static const recon_backbone_kind counting_kind = {
    .name = "counting", .data = "numbers", .group = RECON_SO2, .embed = embed_numbers
};

/* A file without tensors whose metadata say `model`, and perhaps one thing more. */
static const char *file_of(recon_ctx *ctx, const char *model, const char *more)
{
    const recon_metadata_entry said[] = { { "model", model }, { more ? more : "", "yes" } };
    CHECK_OK(ctx, recon_safetensors_write(ctx, scratch("own"), NULL, 0, said, more ? 2 : 1));
    return scratch("own");
}

/* --- laws ------------------------------------------------------------------------------------- */

static void a_kind_of_ones_own_opens(void **state)
{
    recon_ctx *ctx = recon_ctx_new(NULL);
    rows data = { .base = { &rows_kind } };
    recon_backbone *b;
    recon_embedded e;
    (void)state;
    CHECK_FAILS(ctx, recon_backbone_open(ctx, &b, file_of(ctx, "own", NULL), RECON_SINGLE),
                RECON_ERR_FORMAT, "not a model");
    assert_null(b);
    CHECK_OK(ctx, recon_backbone_add(ctx, &own_kind));
    CHECK_OK(ctx, recon_backbone_open(ctx, &b, file_of(ctx, "own", NULL), RECON_SINGLE));
    assert_int_equal(recon_backbone_weights(b), 0);
    for (int i = 0; i < N; i++)
        data.row[i][0] = i, data.row[i][1] = -i, data.row[i][2] = 0.1 * i;
    CHECK_OK(ctx, recon_backbone_embed(ctx, &e, b, &data.base));
    assert_true(e.n == N && e.d == CODE && e.group == RECON_SO2 && !e.labels && !e.density);
    CHECK_NEAR(e.z[2 * 7 + 1], -7, 0);
    CHECK_NEAR(e.poses[7], 0.7, 1e-15);
    recon_embedded_free(&e);
    recon_backbone_close(ctx, b);
    recon_backbone_close(ctx, NULL);
    assert_int_equal(opened, closed);
    recon_ctx_free(ctx);
}

static void what_it_refuses_is_passed_on(void **state)
{
    recon_ctx *ctx = recon_ctx_new(NULL);
    recon_backbone *b;
    (void)state;
    CHECK_OK(ctx, recon_backbone_add(ctx, &own_kind));
    CHECK_FAILS(ctx, recon_backbone_open(ctx, &b, file_of(ctx, "own", "broken"), RECON_SINGLE),
                RECON_ERR_FORMAT, "own: broken");
    assert_null(b);
    recon_ctx_free(ctx);
}

static void names_are_taken_once_and_are_few(void **state)
{
    recon_ctx *ctx = recon_ctx_new(NULL);
    recon_backbone_kind many[RECON_KINDS_MOST];
    char name[RECON_KINDS_MOST][16];
    recon_backbone_kind taken = own_kind;
    (void)state;
    taken.name = "ieae";
    CHECK_FAILS(ctx, recon_backbone_add(ctx, &taken), RECON_ERR_INPUT,
                "a backbone kind named 'ieae' already exists");
    for (int i = 0; i < RECON_KINDS_MOST; i++) {
        many[i] = own_kind;
        snprintf(name[i], sizeof name[i], "own %d", i);
        many[i].name = name[i];
        CHECK_OK(ctx, recon_backbone_add(ctx, &many[i]));
    }
    taken.name = "own 3";
    CHECK_FAILS(ctx, recon_backbone_add(ctx, &taken), RECON_ERR_INPUT,
                "a backbone kind named 'own 3' already exists");
    CHECK_FAILS(ctx, recon_backbone_add(ctx, &own_kind), RECON_ERR_INPUT,
                "at most 8 backbone kinds can be added");
    recon_ctx_free(ctx);
}

/* Images and molecules that models of the other kinds must not take, and the other way round. */
static void data_of_another_kind_are_refused(void **state)
{
    recon_ctx *ctx = recon_ctx_new(NULL);
    uint8_t z[CHAIN_ATOMS];
    float xyz[3 * CHAIN_ATOMS];
    rows own = { .base = { &rows_kind } };
    recon_dataset *images;
    recon_molecules *molecules;
    recon_backbone *b;
    recon_embedded e;
    recon_conformer x = { .atoms = chain(z, xyz, 2), .z = z, .xyz = xyz };
    (void)state;
    CHECK_OK(ctx, recon_dataset_open(ctx, &images, shape_set(N, 1)));
    CHECK_OK(ctx, recon_molecules_make(ctx, &molecules, &x, 1, NULL));
    CHECK_OK(ctx, recon_backbone_add(ctx, &own_kind));
    CHECK_OK(ctx, recon_backbone_open(ctx, &b, file_of(ctx, "own", NULL), RECON_SINGLE));
    CHECK_FAILS(ctx, recon_backbone_embed(ctx, &e, b, recon_dataset_data(images)), RECON_ERR_INPUT,
                "the model takes rows, but the data are images");
    CHECK_FAILS(ctx, recon_backbone_embed(ctx, &e, b, recon_molecules_data(molecules)),
                RECON_ERR_INPUT, "the model takes rows, but the data are molecules");
    recon_backbone_close(ctx, b);
    CHECK_OK(ctx, recon_backbone_open(ctx, &b, "models/mnist-small.safetensors", RECON_SINGLE));
    CHECK_FAILS(ctx, recon_backbone_embed(ctx, &e, b, &own.base), RECON_ERR_INPUT,
                "the model takes images, but the data are rows");
    recon_backbone_close(ctx, b);
    recon_molecules_close(molecules);
    recon_dataset_close(images);
    recon_ctx_free(ctx);
}

/* In blocks, of small inputs and of large ones. */
static void every_input_is_embedded_in_its_row(void **state)
{
    enum { LARGE = 1 << 16 };
    const recon_backbone b = { .kind = &counting_kind, .code = CODE };
    for (int i = 0; i < 2 * BORDERS; i++) {
        int large = i / BORDERS;
        size_t n = border(large ? RECON_BLOCK_EMBED_LARGE : RECON_BLOCK_EMBED, i % BORDERS);
        number_bytes = large ? LARGE : sizeof(double);
        numbers data = { { &numbers_kind }, { .n = n, .bytes = number_bytes } };
        recon_embedded e;
        CHECK_OK(*state, recon_backbone_embed(*state, &e, &b, &data.base));
        for (size_t row = 0; row < n; row++)
            assert_true(e.poses[row] == (double)row && e.z[CODE * row + 1] == (float)row);
        recon_embedded_free(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(a_kind_of_ones_own_opens),
        SCRATCH_TEST(every_input_is_embedded_in_its_row),
        SCRATCH_TEST(what_it_refuses_is_passed_on),
        SCRATCH_TEST(names_are_taken_once_and_are_few),
        SCRATCH_TEST(data_of_another_kind_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
