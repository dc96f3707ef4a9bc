/* One number for all that data hold: the same however many threads read them and however they lie in
 * memory, another one for any pixel, atom, number, place or form that differs. */
#include "borders.h"
#include "check.h"

#include "data/dataset.h"
#include "data/identity.h"
#include <recon/data/molecules.h>
#include <stdlib.h>

enum { BLOCK = RECON_BLOCK_IDENTITY, N = BORDER_MOST(BLOCK), H = 3, W = 4, PIXELS = H * W };

static unsigned char pixels[N][PIXELS];
static int32_t labels[N];

static int fill(void **state)
{
    recon_rng rng = recon_rng_new(5, 0);
    for (size_t i = 0; i < N; i++) {
        labels[i] = (int32_t)(i % 3);
        for (size_t j = 0; j < PIXELS; j++)
            pixels[i][j] = (unsigned char)recon_rng_below(&rng, 256);
    }
    return check_setup(state);
}

static recon_dataset *images(recon_ctx *ctx, void *data, recon_dtype dtype, size_t n, size_t height)
{
    const recon_array a = {
        .data = data, .dtype = dtype, .ndim = 3, .shape = { n, height, PIXELS / height }
    };
    const recon_array l = { .data = labels, .dtype = RECON_I32, .ndim = 1, .shape = { n } };
    recon_dataset *d;
    CHECK_OK(ctx, recon_dataset_make(ctx, &d, &a, &l, NULL));
    return d;
}

static uint64_t identity_of(recon_ctx *ctx, const recon_data *data, int with_labels)
{
    uint64_t id;
    CHECK_OK(ctx, recon_identity(ctx, &id, data, with_labels));
    return id;
}

static uint64_t images_of(recon_ctx *ctx, size_t n, size_t height, int with_labels)
{
    recon_dataset *d = images(ctx, pixels, RECON_U8, n, height);
    uint64_t id = identity_of(ctx, recon_dataset_data(d), with_labels);
    recon_dataset_close(d);
    return id;
}

static void threads_and_parts_do_not_matter(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = images(ctx, pixels, RECON_U8, N, H), *part;
    uint64_t id = identity_of(ctx, recon_dataset_data(d), 0);
    size_t which[N];
    for (size_t threads = 1; threads <= 5; threads += 2) {
        recon_ctx *other = recon_ctx_new(&(recon_ctx_options){ .threads = threads });
        assert_int_equal(identity_of(other, recon_dataset_data(d), 0), id);
        recon_ctx_free(other);
    }
    for (size_t i = 0; i < N; i++)
        which[i] = i;
    CHECK_OK(ctx, recon_dataset_pick(ctx, &part, d, which, N));
    assert_int_equal(identity_of(ctx, recon_dataset_data(part), 0), id);
    recon_dataset_close(part);
    which[BLOCK - 1] = BLOCK;
    which[BLOCK] = BLOCK - 1;
    CHECK_OK(ctx, recon_dataset_pick(ctx, &part, d, which, N));
    assert_int_not_equal(identity_of(ctx, recon_dataset_data(part), 0), id);
    recon_dataset_close(part);
    recon_dataset_close(d);
}

static void every_pixel_matters(void **state)
{
    static const size_t looked_at[] = { 0, 7, BLOCK - 1, BLOCK, N - 2, N - 1 };
    uint64_t id = images_of(*state, N, H, 0);
    for (size_t i = 0; i < sizeof looked_at / sizeof *looked_at; i++)
        for (size_t j = 0; j < PIXELS; j++) {
            pixels[looked_at[i]][j] ^= 1;
            assert_int_not_equal(images_of(*state, N, H, 0), id);
            pixels[looked_at[i]][j] ^= 1;
        }
    assert_int_equal(images_of(*state, N, H, 0), id);
}

static void form_type_and_labels_matter(void **state)
{
    recon_ctx *ctx = *state;
    static float floats[N][PIXELS];
    uint64_t id = images_of(ctx, N, H, 0), labelled = images_of(ctx, N, H, 1);
    assert_int_not_equal(images_of(ctx, N, W, 0), id);
    for (int k = 0; k < BORDERS - 1; k++)
        assert_int_not_equal(images_of(ctx, border(BLOCK, k), H, 0), id);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < PIXELS; j++)
            floats[i][j] = (float)pixels[i][j] / 255;
    recon_dataset *d = images(ctx, floats, RECON_F32, N, H);
    assert_int_not_equal(identity_of(ctx, recon_dataset_data(d), 0), id);
    recon_dataset_close(d);
    assert_int_not_equal(labelled, id);
    labels[N - 1] ^= 1;
    assert_int_equal(images_of(ctx, N, H, 0), id);
    assert_int_not_equal(images_of(ctx, N, H, 1), labelled);
    labels[N - 1] ^= 1;
}

static void every_atom_matters(void **state)
{
    recon_ctx *ctx = *state;
    uint8_t z[2][3] = { { 8, 1, 1 }, { 8, 1, 1 } };
    float xyz[2][9] = { { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, { 0, 0, 0, 1, 0, .1F, 0, 1, 0 } };
    uint64_t seen[6];
    for (int change = 0; change < 6; change++) {
        recon_conformer list[2] = { { .atoms = 3, .z = z[0], .xyz = xyz[0], .energy = NAN },
                                    { .atoms = 3, .z = z[1], .xyz = xyz[1], .energy = NAN } };
        recon_conformer first = list[0];
        recon_molecules *d;
        z[1][2] = change == 1 ? 9 : 1;
        xyz[1][8] = change == 2 ? 1e-6F : 0;
        list[1].molecule = change == 3;
        if (change == 4) {
            list[0] = list[1];
            list[1] = first;
        }
        CHECK_OK(ctx, recon_molecules_make(ctx, &d, list, change == 5 ? 1 : 2, NULL));
        seen[change] = identity_of(ctx, recon_molecules_data(d), 0);
        for (int before = 0; before < change; before++)
            assert_int_not_equal(seen[before], seen[change]);
        recon_molecules_close(d);
    }
}

/* --- a kind without a hash ------------------------------------------------------------------------ */

static recon_data_info describe(const recon_data *data)
{
    (void)data;
    return (recon_data_info){ .n = N, .bytes = PIXELS };
}

static void read_rows(void *inputs, const recon_data *data, size_t first, size_t n)
{
    (void)data;
    memcpy(inputs, pixels[first], n * PIXELS);
}

static void a_kind_of_ones_own_has_one_too(void **state)
{
    const recon_data_kind kind = {
        .one = "row", .many = "rows", .describe = describe, .read = read_rows
    };
    const recon_data rows = { &kind };
    uint64_t id = identity_of(*state, &rows, 1);
    assert_int_equal(identity_of(*state, &rows, 1), id);
    for (size_t i = 0; i < N; i++) {
        pixels[i][PIXELS - 1] ^= 1;
        assert_int_not_equal(identity_of(*state, &rows, 0), id);
        pixels[i][PIXELS - 1] ^= 1;
    }
}

/* --- arrays ------------------------------------------------------------------------------------- */

static uint64_t array_of(recon_ctx *ctx, const recon_array *a)
{
    uint64_t id;
    CHECK_OK(ctx, recon_identity_array(ctx, &id, a));
    return id;
}

static void every_byte_of_an_array_matters(void **state)
{
    enum { PIECE = RECON_BLOCK_PIECE, TASK = BLOCK * PIECE, BYTES = BORDER_MOST(TASK) };
    static const size_t looked_at[] = { 0, PIECE - 1, PIECE, TASK - 1, TASK, BYTES - 1 };
    unsigned char *bytes = calloc(BYTES, 1);
    recon_array a = { .data = bytes, .dtype = RECON_U8, .ndim = 1, .shape = { BYTES } };
    uint64_t id = array_of(*state, &a), seen[6];
    recon_ctx *one = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    assert_int_equal(array_of(one, &a), id);
    recon_ctx_free(one);
    for (size_t i = 0; i < 6; i++) {
        bytes[looked_at[i]] = 1;
        seen[i] = array_of(*state, &a);
        assert_int_not_equal(seen[i], id);
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(seen[i], seen[k]);
        bytes[looked_at[i]] = 0;
    }
    a.shape[0]--;
    id = array_of(*state, &a);
    a.ndim = 2;
    a.shape[1] = 1;
    assert_int_not_equal(array_of(*state, &a), id);
    a.ndim = 1;
    a.dtype = RECON_I8;
    assert_int_not_equal(array_of(*state, &a), id);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_parts_do_not_matter),
        cmocka_unit_test(every_pixel_matters),
        cmocka_unit_test(form_type_and_labels_matter),
        cmocka_unit_test(every_atom_matters),
        cmocka_unit_test(a_kind_of_ones_own_has_one_too),
        cmocka_unit_test(every_byte_of_an_array_matters),
    };
    return cmocka_run_group_tests(tests, fill, check_teardown);
}
