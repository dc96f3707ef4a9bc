/* Some thousand images through one model. tests/slow/test_soak.c has the patience for a million. */
#include "soak.h"
#include "models.h"
#include "ops/ops.h"

static recon_model *model;

static void memory_stays_flat(void **state)
{
    soak_model(*state, model, 5000);
}

enum { SHAPES = 700, COLUMNS = 4 };

/* A picture of this many rows, filtered. */
static void filter(recon_ctx *ctx, float *out, size_t rows)
{
    static float x[SHAPES * COLUMNS], w[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    for (size_t i = 0; i < SHAPES * COLUMNS; i++)
        x[i] = (float)(i % 11);
    const recon_tensor picture = { .type = RECON_F32, .ndim = 4, .shape = { 1, rows, COLUMNS, 1 } };
    recon_conv_args args = { .x = picture, .y = picture, .stride = 1, .pad = 1 };
    args.x.data = x;
    args.y.data = out;
    args.w = (recon_tensor){ .type = RECON_F32, .ndim = 4, .shape = { 1, 3, 3, 1 }, .data = w };
    CHECK_OK(ctx, recon_ops_of(ctx)->conv(ctx, &args));
}

/* Kernels are made for a shape and kept; but not for ever, however many shapes come, and one that
 * has to be made again gives the same bits. */
static void new_shapes_do_not_add_up(void **state)
{
    static float first[SHAPES * COLUMNS], out[SHAPES * COLUMNS];
    long blocks = 0;
    filter(*state, first, 3);
    for (size_t rows = 1; rows <= SHAPES; rows++) {
        filter(*state, out, rows);
        if (rows == SHAPES - 100)
            blocks = atomic_load(&live);
    }
    assert_int_equal(atomic_load(&live), blocks);
    filter(*state, out, 3);
    assert_memory_equal(out, first, 3 * COLUMNS * sizeof *out);
    print_message("# counted: %d shapes of batches, %ld blocks alive\n", SHAPES, blocks);
}

static int setup(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    recon_dataset *letters = quick_letters(*state);
    model = quick_model(*state, letters);
    recon_dataset_close(letters);
    return 0;
}

static int teardown(void **state)
{
    recon_model_close(*state, model);
    return scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_stays_flat),
        cmocka_unit_test(new_shapes_do_not_add_up),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
