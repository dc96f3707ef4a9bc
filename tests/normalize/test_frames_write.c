/* The files of a result: shapes, numbers, and all or nothing. */
#include "borders.h"
#include "normalize/known.h"
#include "normalize/findings.h"

#include <recon/core/array.h>

static void remove_result(const char *dir)
{
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    assert_int_equal(system(command), 0);
}

/* Nothing is said of a row without a class, and what is said of others stays. */
static void a_cleared_row_is_empty(void **state)
{
    enum { ROWS = 3 };
    recon_frames f = { .group = RECON_SO3, .rows = ROWS };
    CHECK_OK(*state, recon_findings_alloc(*state, &f));
    size_t width = RECON_FRAME_MODES * f.modes_width;
    for (size_t i = 0; i < ROWS * width; i++)
        f.modes[i] = 1;
    for (size_t i = 0; i < ROWS * 6; i++)
        f.axis[i] = 1;
    memset(f.verdict, 1, ROWS), memset(f.fold, 1, ROWS);
    recon_class_verdict_clear(&f, 1);
    for (size_t row = 0; row < ROWS; row++) {
        assert_int_equal(f.verdict[row], row == 1 ? -1 : 1);
        assert_int_equal(f.fold[row], row != 1);
        for (size_t i = 0; i < width; i++)
            assert_int_equal(!!isnan(f.modes[row * width + i]), row == 1);
        for (size_t i = 0; i < 6; i++)
            assert_int_equal(!!isnan(f.axis[row * 6 + i]), row == 1);
    }
    recon_findings_free(&f);
}

static void expect_shape(recon_ctx *ctx, const char *name, recon_dtype dtype, int ndim,
                         const size_t *shape)
{
    recon_array a;
    CHECK_OK(ctx, recon_npy_read(ctx, &a, scratch(name)));
    assert_int_equal(a.dtype, dtype);
    assert_int_equal(a.ndim, ndim);
    for (int i = 0; i < ndim; i++)
        assert_int_equal(a.shape[i], shape[i]);
    recon_array_free(&a);
}

static void files_have_the_promised_shapes(void **state)
{
    data *w = make_data(0.3, NORMAL, 0.05);
    recon_embedded e = view(w, RECON_SO2, N);
    recon_frames f = normalize(*state, &e, NULL, neighbors(5));
    CHECK_FAILS(*state, recon_frames_write(*state, scratch("out"), &f, e.precision, "{}"),
                RECON_ERR_INPUT, "float32 or float64"); /* by hand, it has none */
    CHECK_OK(*state, recon_frames_write(*state, scratch("out"), &f, RECON_F32, "{}"));
    expect_shape(*state, "out/gamma.npy", RECON_F32, 1, (size_t[]){ N });
    expect_shape(*state, "out/absolute.npy", RECON_F32, 1, (size_t[]){ N });
    expect_shape(*state, "out/normalized.npy", RECON_F32, 2, (size_t[]){ N, 5 });
    expect_shape(*state, "out/neighbors.npy", RECON_I64, 2, (size_t[]){ N, 5 });
    expect_shape(*state, "out/theta.npy", RECON_F64, 1, (size_t[]){ N });
    expect_shape(*state, "out/parameters.npy", RECON_F64, 1, (size_t[]){ N });
    expect_shape(*state, "out/score.npy", RECON_F64, 1, (size_t[]){ N });
    expect_shape(*state, "out/p.npy", RECON_F64, 1, (size_t[]){ N });
    expect_shape(*state, "out/verdict.npy", RECON_I8, 1, (size_t[]){ N });
    expect_shape(*state, "out/fold.npy", RECON_I8, 1, (size_t[]){ N });
    expect_shape(*state, "out/symmetry.npy", RECON_I8, 1, (size_t[]){ N });
    expect_shape(*state, "out/modes.npy", RECON_F64, 3, (size_t[]){ N, 4, 2 });
    assert_true(access(scratch("out/axis.npy"), F_OK) != 0);
    expect_shape(*state, "out/background.npy", RECON_F64, 1, (size_t[]){ N });
    expect_shape(*state, "out/identifiability.npy", RECON_F64, 2, (size_t[]){ N, 4 });
    assert_int_equal(access(scratch("out/summary.json"), F_OK), 0);
    recon_frames_free(&f);

    e = view(w, RECON_SO3, N);
    f = normalize(*state, &e, NULL, neighbors(5));
    CHECK_OK(*state, recon_frames_write(*state, scratch("out"), &f, RECON_F64, NULL));
    expect_shape(*state, "out/gamma.npy", RECON_F64, 3, (size_t[]){ N, 3, 3 });
    expect_shape(*state, "out/normalized.npy", RECON_F64, 4, (size_t[]){ N, 5, 3, 3 });
    expect_shape(*state, "out/theta.npy", RECON_F64, 1, (size_t[]){ N });
    expect_shape(*state, "out/parameters.npy", RECON_F64, 3, (size_t[]){ N, 3, 3 });
    expect_shape(*state, "out/modes.npy", RECON_F64, 3, (size_t[]){ N, 4, 10 });
    expect_shape(*state, "out/axis.npy", RECON_F64, 3, (size_t[]){ N, 2, 3 });
    expect_shape(*state, "out/identifiability.npy", RECON_F64, 2, (size_t[]){ N, 3 });
    assert_int_equal(access(scratch("out/summary.json"), F_OK), 0); /* none of recon's: it stays */
    recon_frames_free(&f);
    remove_result(scratch("out"));
    free(w);
}

/* Rows of matrices, as many as are written at once, one less and more, and two pieces and one. */
static void files_hold_the_numbers(void **state)
{
    enum { NEAR = 17, WIDTH = 9 * NEAR, PIECE = RECON_BLOCK_FRAMES / WIDTH + 1 };
    data *w = make_data(0.3, NORMAL, 0.05);
    for (int b = 0; b < BORDERS; b++) {
        size_t n = border(PIECE, b);
        recon_embedded e = view(w, RECON_SO3, n);
        recon_frames f = normalize(*state, &e, NULL, neighbors(NEAR));
        recon_array a;
        CHECK_OK(*state, recon_frames_write(*state, scratch("out"), &f, RECON_F64, NULL));
        CHECK_OK(*state, recon_npy_read(*state, &a, scratch("out/normalized.npy")));
        assert_int_equal(a.shape[0], n);
        for (size_t i = 0; i < n * NEAR; i++) {
            double m[9];
            recon_so3_to_matrix(m, recon_so3_at(f.normalized, i));
            assert_memory_equal((const double *)a.data + i * 9, m, sizeof m);
        }
        recon_array_free(&a);
        CHECK_OK(*state, recon_npy_read(*state, &a, scratch("out/neighbors.npy")));
        assert_memory_equal(a.data, f.neighbors, n * NEAR * sizeof *f.neighbors);
        recon_array_free(&a);
        recon_frames_free(&f);
        remove_result(scratch("out"));
    }
    free(w);
}

static recon_status write_once(recon_ctx *ctx, const recon_frames *f)
{
    return recon_frames_write(ctx, scratch("out"), f, RECON_F32, "{}");
}

static void a_failed_write_leaves_nothing(void **state)
{
    data *w = make_data(0.3, NORMAL, 0.05);
    recon_embedded e = view(w, RECON_SO2, N);
    recon_frames f = normalize(*state, &e, NULL, neighbors(5));
    CHECK_FAILS(*state, recon_frames_write(*state, scratch("no/out"), &f, RECON_F32, NULL),
                RECON_ERR_IO, "no/out: cannot make the folder: No such file");
    scratch_write("file", "", 0);
    CHECK_FAILS(*state, recon_frames_write(*state, scratch("file"), &f, RECON_F32, NULL),
                RECON_ERR_IO, "file: cannot make the folder: File exists");
    CHECK_ALLOCATIONS(*state, write_once(*state, &f)); /* counts what lies in the folder */
    recon_frames_free(&f);
    remove_result(scratch("out"));
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_cleared_row_is_empty, check_setup, check_teardown),
        SCRATCH_TEST(files_have_the_promised_shapes),
        SCRATCH_TEST(files_hold_the_numbers),
        SCRATCH_TEST(a_failed_write_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
