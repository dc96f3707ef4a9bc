/* Embeddings and poses from files: every accepted form says the same, every other is refused by
 * name, row and distance. */
#include "scratch.h"

#include <recon/backbone/embedded.h>
#include <recon/core/array.h>
#include <recon/group/so2.h>

enum { N = 7, D = 3 };

static const char *save(recon_ctx *ctx, const char *name, recon_dtype dtype, const void *numbers,
                        int ndim, size_t a, size_t b, size_t c)
{
    recon_array array = { .dtype = dtype, .ndim = ndim, .shape = { a, b, c }, .data = numbers };
    CHECK_OK(ctx, recon_npy_write(ctx, scratch(name), &array));
    return scratch(name);
}

/* NumPy's order of a Fortran array: the header says so, the columns come first. */
static const char *save_fortran(const char *name, const char *type, const void *numbers,
                                size_t size, size_t rows, size_t columns)
{
    char file[4096] = "\x93NUMPY\x01\x00\x76\x00";
    int n = snprintf(file + 10, 0x76 + 1,
                     "{'descr': '<%s', 'fortran_order': True, 'shape': (%zu, %zu), }", type, rows,
                     columns);
    memset(file + 10 + n, ' ', (size_t)(0x76 - 1 - n));
    file[10 + 0x75] = '\n';
    char *at = file + 128;
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 0; r < rows; r++, at += size)
            memcpy(at, (const char *)numbers + (r * columns + c) * size, size);
    return scratch_write(name, file, (size_t)(at - file));
}

static const float z[N][D] = { { 1, 2, 3 },  { -1, 0.5, 4 }, { 0, 0, 1 }, { 8, 16, -2 },
                               { 1, -1, 1 }, { 2, 2, 2.5 },  { 3, 0, -5 } };

static recon_embedded read_so2(recon_ctx *ctx, const char *embeddings, const char *poses)
{
    recon_embedded e;
    CHECK_OK(ctx, recon_embedded_read(ctx, &e, RECON_SO2, RECON_QUATERNIONS_NONE, embeddings, poses,
                                      NULL));
    assert_true(e.n == N && e.d == D && e.poses && e.group == RECON_SO2 && !e.labels);
    assert_memory_equal(e.z, z, sizeof z);
    return e;
}

/* Halves of small numbers: exact in every type, float16 among them. */
static void embeddings_of_every_type_are_the_same(void **state)
{
    static const uint16_t half[N][D] = { { 0x3c00, 0x4000, 0x4200 }, { 0xbc00, 0x3800, 0x4400 },
                                         { 0x0000, 0x0000, 0x3c00 }, { 0x4800, 0x4c00, 0xc000 },
                                         { 0x3c00, 0xbc00, 0x3c00 }, { 0x4000, 0x4000, 0x4100 },
                                         { 0x4200, 0x0000, 0xc500 } };
    const double angle[N] = { 0 };
    double wide[N][D];
    for (size_t i = 0; i < N * D; i++)
        (&wide[0][0])[i] = (double)(&z[0][0])[i];
    save(*state, "g.npy", RECON_F64, angle, 1, N, 0, 0);
    save(*state, "f2.npy", RECON_F16, half, 2, N, D, 0);
    save(*state, "f4.npy", RECON_F32, z, 2, N, D, 0);
    save(*state, "f8.npy", RECON_F64, wide, 2, N, D, 0);
    save_fortran("f4t.npy", "f4", z, sizeof(float), N, D);
    save_fortran("f8t.npy", "f8", wide, sizeof(double), N, D);
    const char *const names[] = { "f2.npy", "f4.npy", "f8.npy", "f4t.npy", "f8t.npy" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        recon_embedded e = read_so2(*state, scratch(names[i]), scratch("g.npy"));
        recon_embedded_free(&e);
        recon_embedded_free(&e); /* twice is harmless */
    }
}

static void angles_are_wrapped_and_keep_their_precision(void **state)
{
    const double angle[N] = { 0, 1, -3, 4, 100, -100, 3.141592653589793 };
    float single[N];
    for (size_t i = 0; i < N; i++)
        single[i] = (float)angle[i];
    save(*state, "z.npy", RECON_F32, z, 2, N, D, 0);
    save(*state, "g8.npy", RECON_F64, angle, 1, N, 0, 0);
    save(*state, "g4.npy", RECON_F32, single, 2, N, 1, 0); /* N x 1 */
    recon_embedded a = read_so2(*state, scratch("z.npy"), scratch("g8.npy"));
    recon_embedded b = read_so2(*state, scratch("z.npy"), scratch("g4.npy"));
    assert_int_equal(a.precision, RECON_F64);
    assert_int_equal(b.precision, RECON_F32);
    for (size_t i = 0; i < N; i++) {
        assert_true(a.poses[i] == recon_so2_wrap(angle[i]));
        assert_true(b.poses[i] == recon_so2_wrap((double)single[i]));
    }
    recon_embedded_free(&a);
    recon_embedded_free(&b);
}

static void matrices_and_quaternions_agree(void **state)
{
    recon_so3 q[N];
    double m[N][9], last[N][4];
    float single[N][9];
    recon_rng r = recon_rng_new(1, 0);
    for (size_t i = 0; i < N; i++) {
        q[i] = recon_so3_haar(&r);
        recon_so3_to_matrix(m[i], q[i]);
        for (size_t c = 0; c < 9; c++)
            single[i][c] = (float)m[i][c];
        if (i % 2) /* the other sign is the same rotation */
            q[i] = (recon_so3){ -q[i].w, -q[i].x, -q[i].y, -q[i].z };
        memcpy(last[i], (double[]){ q[i].x, q[i].y, q[i].z, q[i].w }, sizeof last[i]);
    }
    save(*state, "z.npy", RECON_F32, z, 2, N, D, 0);
    save(*state, "3x3.npy", RECON_F64, m, 3, N, 3, 3);
    save(*state, "9.npy", RECON_F64, m, 2, N, 9, 0);
    save(*state, "f4.npy", RECON_F32, single, 3, N, 3, 3);
    save(*state, "q.npy", RECON_F64, q, 2, N, 4, 0);
    save_fortran("9t.npy", "f8", m, sizeof(double), N, 9);
    save(*state, "last.npy", RECON_F64, last, 2, N, 4, 0);
    const char *const names[] = { "3x3.npy", "9.npy", "f4.npy", "9t.npy", "q.npy", "last.npy" };
    const recon_quaternions order[] = { [4] = RECON_QUATERNIONS_WXYZ, RECON_QUATERNIONS_XYZW };
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        recon_embedded e;
        CHECK_OK(*state, recon_embedded_read(*state, &e, RECON_SO3, order[f], scratch("z.npy"),
                                             scratch(names[f]), NULL));
        assert_true(e.group == RECON_SO3);
        for (size_t i = 0; i < N; i++)
            CHECK_NEAR(recon_so3_distance(recon_so3_at(e.poses, i), q[i]), 0,
                       f == 2 ? 1e-6 : 1e-14);
        recon_embedded_free(&e);
    }
}

static void labels_of_any_integer_type_are_read(void **state)
{
    const uint8_t small[N] = { 0, 1, 2, 3, 4, 5, 255 };
    const double whole[N] = { 0, 1, 2, 3, 4, 5, 255 };
    const double angle[N] = { 0 };
    save(*state, "z.npy", RECON_F32, z, 2, N, D, 0);
    save(*state, "g.npy", RECON_F64, angle, 1, N, 0, 0);
    save(*state, "u1.npy", RECON_U8, small, 1, N, 0, 0);
    save(*state, "f8.npy", RECON_F64, whole, 1, N, 0, 0);
    for (int i = 0; i < 2; i++) {
        recon_embedded e;
        CHECK_OK(*state, recon_embedded_read(*state, &e, RECON_SO2, RECON_QUATERNIONS_NONE,
                                             scratch("z.npy"), scratch("g.npy"),
                                             scratch(i ? "f8.npy" : "u1.npy")));
        for (size_t l = 0; l < N; l++)
            assert_int_equal(e.labels[l], small[l]);
        recon_embedded_free(&e);
    }
}

static void refuse_order(recon_ctx *ctx, const recon_group *group, recon_quaternions order,
                         const char *embeddings, const char *poses, const char *labels,
                         recon_status want, const char *text)
{
    recon_embedded e;
    CHECK_FAILS(ctx,
                recon_embedded_read(ctx, &e, group, order, scratch(embeddings), scratch(poses),
                                    labels ? scratch(labels) : NULL),
                want, text);
    assert_true(e.n == 0 && !e.z && !e.poses && !e.group && !e.owned[0] && !e.owned[1]);
}

static void refuse(recon_ctx *ctx, const recon_group *group, const char *embeddings,
                   const char *poses, const char *labels, recon_status want, const char *text)
{
    refuse_order(ctx, group, RECON_QUATERNIONS_NONE, embeddings, poses, labels, want, text);
}

static void wrong_shapes_are_named(void **state)
{
    const double g[N * 9] = { 0 };
    const double fraction[N] = { 0, 1, 1.5 };
    save(*state, "z.npy", RECON_F32, z, 2, N, D, 0);
    save(*state, "g.npy", RECON_F64, g, 1, N, 0, 0);
    save(*state, "flat.npy", RECON_F32, z, 1, N * D, 0, 0);
    save(*state, "none.npy", RECON_F32, z, 2, 0, D, 0);
    save(*state, "thin.npy", RECON_F32, z, 2, N, 0, 0);
    save(*state, "few.npy", RECON_F64, g, 1, N - 1, 0, 0);
    save(*state, "two.npy", RECON_F64, g, 2, N, 2, 0);
    save(*state, "2x3.npy", RECON_F64, g, 3, N, 2, 3);
    save(*state, "fraction.npy", RECON_F64, fraction, 1, N, 0, 0);
    const recon_status input = RECON_ERR_INPUT;
    refuse(*state, RECON_SO2, "flat.npy", "g.npy", NULL, input,
           "flat.npy: float32 21, but embeddings are N x D");
    refuse(*state, RECON_SO2, "none.npy", "g.npy", NULL, input, "none.npy: float32");
    refuse(*state, RECON_SO2, "none.npy", "g.npy", NULL, input, "holds no embeddings");
    refuse(*state, RECON_SO2, "thin.npy", "g.npy", NULL, input, "holds no embeddings");
    refuse(*state, RECON_SO2, "z.npy", "few.npy", NULL, input, "few.npy: 6 poses for 7 embeddings");
    refuse(*state, RECON_SO2, "z.npy", "two.npy", NULL, input, "N angles for SO(2)");
    refuse(*state, RECON_SO3, "z.npy", "two.npy", NULL, input, "N x 3 x 3, N x 9 or N x 4");
    refuse(*state, RECON_SO3, "z.npy", "2x3.npy", NULL, input, "N x 3 x 3, N x 9 or N x 4");
    refuse(*state, RECON_SO3, "z.npy", "g.npy", NULL, input, "N x 3 x 3, N x 9 or N x 4");
    refuse(*state, RECON_SO2, "z.npy", "g.npy", "few.npy", input, "7 labels are needed");
    refuse(*state, RECON_SO2, "z.npy", "g.npy", "z.npy", input, "7 labels are needed");
    refuse(*state, RECON_SO2, "z.npy", "g.npy", "fraction.npy", input, "fraction.npy");
    refuse(*state, RECON_SO2, "absent.npy", "g.npy", NULL, RECON_ERR_IO, "absent.npy: cannot open");
    refuse(*state, RECON_SO2, "z.npy", "absent.npy", NULL, RECON_ERR_IO, "absent.npy: cannot open");
    refuse(*state, RECON_SO2, "z.npy", "g.npy", "absent.npy", RECON_ERR_IO, "absent.npy");
    scratch_write("cut.npy", "\x93NUMPY\x01", 7);
    refuse(*state, RECON_SO2, "cut.npy", "g.npy", NULL, RECON_ERR_FORMAT, "cut.npy");
    refuse(*state, RECON_SO2, "z.npy", "cut.npy", NULL, RECON_ERR_FORMAT, "cut.npy");
}

static void poses_that_are_not_finite_are_named(void **state)
{
    double angle[N] = { 0 }, m[N][9] = { { 0 } };
    for (size_t i = 0; i < N; i++)
        m[i][0] = m[i][4] = m[i][8] = 1;
    angle[4] = NAN;
    m[5][7] = INFINITY;
    save(*state, "z.npy", RECON_F32, z, 2, N, D, 0);
    save(*state, "g.npy", RECON_F64, angle, 1, N, 0, 0);
    save(*state, "m.npy", RECON_F64, m, 3, N, 3, 3);
    refuse(*state, RECON_SO2, "z.npy", "g.npy", NULL, RECON_ERR_INPUT, "g.npy: row 4 holds nan");
    refuse(*state, RECON_SO3, "z.npy", "m.npy", NULL, RECON_ERR_INPUT, "m.npy: row 5 holds inf");
}

/* Row 3 becomes something else, and the rest stays 1. */
static void refuse_matrix(recon_ctx *ctx, const double row[9], const char *text)
{
    double m[N][9] = { { 0 } };
    for (size_t i = 0; i < N; i++)
        m[i][0] = m[i][4] = m[i][8] = 1;
    memcpy(m[3], row, sizeof m[3]);
    save(ctx, "m.npy", RECON_F64, m, 3, N, 3, 3);
    refuse(ctx, RECON_SO3, "z.npy", "m.npy", NULL, RECON_ERR_INPUT, text);
}

static void refuse_quaternion(recon_ctx *ctx, recon_so3 row, const char *text)
{
    recon_so3 q[N];
    for (size_t i = 0; i < N; i++)
        q[i] = i == 3 ? row : recon_so3_identity();
    save(ctx, "q.npy", RECON_F64, q, 2, N, 4, 0);
    refuse_order(ctx, RECON_SO3, RECON_QUATERNIONS_XYZW, "z.npy", "q.npy", NULL, RECON_ERR_INPUT,
                 text);
}

static void what_is_no_rotation_says_how_far_off_it_is(void **state)
{
    save(*state, "z.npy", RECON_F32, z, 2, N, D, 0);
    refuse_matrix(*state, (double[]){ 1.01, 0, 0, 0, 1, 0, 0, 0, 1 },
                  "m.npy: row 3 is not a rotation: R R^T is off by 0.0201");
    refuse_matrix(*state, (double[]){ 1, 0.5, 0, 0, 1, 0, 0, 0, 1 },
                  "row 3 is not a rotation: "
                  "R R^T is off by 0.5");
    refuse_matrix(*state, (double[9]){ 0 }, "row 3 is not a rotation: R R^T is off by 1");
    refuse_matrix(*state, (double[]){ 1, 0, 0, 0, 1, 0, 0, 0, -1 },
                  "row 3 is not a rotation: "
                  "a reflection");
    refuse_matrix(*state, (double[]){ 1e200, 0, 0, 0, 1e200, 0, 0, 0, 1e200 }, "row 3 is not a");
    refuse_quaternion(*state, (recon_so3){ 1.25, 0, 0, 0 },
                      "q.npy: row 3 is not a rotation: the quaternion's length is off by 0.25");
    refuse_quaternion(*state, (recon_so3){ 0, 0, 0, 0 }, "length is off by 1");
    refuse_quaternion(*state, (recon_so3){ 1e300, 0, 0, 0 }, "row 3 is not a rotation");
}

static void what_is_off_by_rounding_becomes_a_rotation(void **state)
{
    const double off[] = { 1.0003, 0, 0, 0, 1, 0.0002, 0, 0, 1 };
    double m[N][9];
    for (size_t i = 0; i < N; i++)
        memcpy(m[i], off, sizeof off);
    recon_embedded e;
    save(*state, "z.npy", RECON_F32, z, 2, N, D, 0);
    save(*state, "m.npy", RECON_F64, m, 3, N, 3, 3);
    CHECK_OK(*state, recon_embedded_read(*state, &e, RECON_SO3, RECON_QUATERNIONS_NONE,
                                         scratch("z.npy"), scratch("m.npy"), NULL));
    recon_so3 q = recon_so3_at(e.poses, 0);
    CHECK_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-14);
    recon_embedded_free(&e);
}

static void numbers_beyond_float32_are_named_by_their_value(void **state)
{
    const double g[N] = { 0 };
    double wide[N][D] = { { 1, 2, 3 } };
    recon_embedded e;
    wide[2][1] = 1e300;
    save(*state, "g.npy", RECON_F64, g, 1, N, 0, 0);
    save(*state, "c.npy", RECON_F64, wide, 2, N, D, 0);
    save_fortran("f.npy", "f8", wide, sizeof(double), N, D);
    for (int order = 0; order < 2; order++)
        CHECK_FAILS(*state,
                    recon_embedded_read(*state, &e, RECON_SO2, RECON_QUATERNIONS_NONE,
                                        scratch(order ? "f.npy" : "c.npy"), scratch("g.npy"), NULL),
                    RECON_ERR_INPUT, "row 2, column 1 is 1e+300: embeddings become float32");
}

static void keep_line(void *user, recon_log_level level, const char *line)
{
    assert_int_equal(level, RECON_LOG_WARN);
    snprintf(user, 256, "%s", line);
}

/* What the log says of poses, or "". */
static const char *warning(recon_ctx *ctx, const double *poses, recon_quaternions order)
{
    const recon_group *group = order ? RECON_SO3 : RECON_SO2;
    static char line[256];
    recon_embedded e;
    recon_ctx *heard = recon_ctx_new(&(recon_ctx_options){ .on_log = keep_line, .user = line });
    line[0] = '\0';
    save(ctx, "z.npy", RECON_F32, z, 2, N, D, 0);
    save(ctx, "p.npy", RECON_F64, poses, group == RECON_SO2 ? 1 : 2, N, 4, 0);
    CHECK_OK(heard, recon_embedded_read(heard, &e, group, order, scratch("z.npy"), scratch("p.npy"),
                                        NULL));
    recon_embedded_free(&e);
    recon_ctx_free(heard);
    return line;
}

static void sums_of_two_angles_are_not_taken_for_degrees(void **state)
{
    const double sums[N] = { 7.53275, 6.5, -12.5, 0.1 }, degrees[N] = { 10, 359, -90 };
    assert_string_equal(warning(*state, sums, RECON_QUATERNIONS_NONE), "");
    assert_non_null(strstr(warning(*state, degrees, RECON_QUATERNIONS_NONE),
                           "angles up to 359; radians are expected, not degrees: if these are"));
}

static void quaternions_of_the_other_order_are_noticed(void **state)
{
    double last[N][4], first[N][4], any[N][4];
    recon_rng rng = recon_rng_new(3, 0);
    for (size_t i = 0; i < N; i++) {
        recon_so3 q = recon_so3_exp((const double[]){ 0.2 * (double)i - 0.5, 0.3, -0.1 });
        recon_so3 r = recon_so3_exp((double[]){ 6 * recon_rng_uniform(&rng), 5, (double)i });
        memcpy(first[i], (double[]){ q.w, q.x, q.y, q.z }, sizeof first[i]);
        memcpy(last[i], (double[]){ q.x, q.y, q.z, q.w }, sizeof last[i]);
        memcpy(any[i], (double[]){ r.w, r.x, r.y, r.z }, sizeof any[i]);
    }
    const recon_quaternions wxyz = RECON_QUATERNIONS_WXYZ, xyzw = RECON_QUATERNIONS_XYZW;
    assert_string_equal(warning(*state, first[0], wxyz), "");
    assert_string_equal(warning(*state, last[0], xyzw), "");
    assert_string_equal(warning(*state, any[0], wxyz), "");
    assert_non_null(strstr(warning(*state, last[0], wxyz), "7 of 7 rotations are by about 180 "
                                                           "degrees about z if the quaternions are "
                                                           "wxyz: are they xyzw?"));
    assert_non_null(strstr(warning(*state, first[0], xyzw), "about x if the quaternions are xyzw"));
}

/* Data cannot show the order: neither is assumed. */
static void quaternions_without_an_order_are_refused(void **state)
{
    double q[N][4], m[N][9] = { { 0 } };
    recon_rng rng = recon_rng_new(5, 0);
    for (size_t i = 0; i < N; i++) {
        recon_so3 g = recon_so3_haar(&rng);
        memcpy(q[i], (double[]){ g.w, g.x, g.y, g.z }, sizeof q[i]);
        m[i][0] = m[i][4] = m[i][8] = 1;
    }
    save(*state, "z.npy", RECON_F32, z, 2, N, D, 0);
    save(*state, "q.npy", RECON_F64, q, 2, N, 4, 0);
    save(*state, "m.npy", RECON_F64, m, 3, N, 3, 3);
    save(*state, "g.npy", RECON_F64, m, 1, N, 0, 0);
    refuse(
        *state, RECON_SO3, "z.npy", "q.npy", NULL, RECON_ERR_INPUT,
        "q.npy: the order of the quaternions has to be stated, since the numbers cannot show it: "
        "quaternions=wxyz (w first: MuJoCo, PyTorch3D, Blender) or xyzw (w last: SciPy, ROS, "
        "Eigen's coeffs)");
    refuse_order(*state, RECON_SO3, RECON_QUATERNIONS_XYZW, "z.npy", "m.npy", NULL, RECON_ERR_INPUT,
                 "m.npy: float64 7 x 3 x 3, but the order of quaternions is stated");
    refuse_order(*state, RECON_SO2, RECON_QUATERNIONS_WXYZ, "z.npy", "g.npy", NULL, RECON_ERR_INPUT,
                 "g.npy: float64 7, but the order of quaternions is stated");
}

/* 0, 1, 2 .. of C_n, taken for radians, are angles that nobody meant. */
static void angles_of_whole_numbers_are_refused(void **state)
{
    const int64_t g8[N] = { 0, 1, 2, 3 };
    const uint8_t g1[N] = { 0, 1, 2, 3 };
    save(*state, "z.npy", RECON_F32, z, 2, N, D, 0);
    save(*state, "i8.npy", RECON_I64, g8, 1, N, 0, 0);
    save(*state, "u1.npy", RECON_U8, g1, 2, N, 1, 0);
    refuse(*state, RECON_SO2, "z.npy", "i8.npy", NULL, RECON_ERR_INPUT,
           "i8.npy: int64, but radians are floating-point numbers; if these are indices of C_n, "
           "multiply them by 2 pi / n");
    refuse(*state, RECON_SO2, "z.npy", "u1.npy", NULL, RECON_ERR_INPUT, "u1.npy: uint8, but");
}

static recon_status read_once(recon_ctx *ctx, const recon_group *group)
{
    recon_embedded e;
    recon_status status =
        recon_embedded_read(ctx, &e, group, RECON_QUATERNIONS_NONE, scratch("z.npy"),
                            scratch(group == RECON_SO2 ? "g.npy" : "m.npy"), scratch("y.npy"));
    recon_embedded_free(&e);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    const double g[N] = { 0 };
    double m[N][9] = { { 0 } }, wide[N][D] = { { 1 } };
    const uint8_t y[N] = { 0 };
    for (size_t i = 0; i < N; i++)
        m[i][0] = m[i][4] = m[i][8] = 1;
    save(*state, "z.npy", RECON_F64, wide, 2, N, D, 0);
    save(*state, "g.npy", RECON_F64, g, 1, N, 0, 0);
    save(*state, "m.npy", RECON_F64, m, 2, N, 9, 0);
    save(*state, "y.npy", RECON_U8, y, 1, N, 0, 0);
    CHECK_ALLOCATIONS(*state, read_once(*state, RECON_SO2));
    CHECK_ALLOCATIONS(*state, read_once(*state, RECON_SO3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(embeddings_of_every_type_are_the_same),
        SCRATCH_TEST(angles_are_wrapped_and_keep_their_precision),
        SCRATCH_TEST(matrices_and_quaternions_agree),
        SCRATCH_TEST(labels_of_any_integer_type_are_read),
        SCRATCH_TEST(wrong_shapes_are_named),
        SCRATCH_TEST(poses_that_are_not_finite_are_named),
        SCRATCH_TEST(what_is_no_rotation_says_how_far_off_it_is),
        SCRATCH_TEST(what_is_off_by_rounding_becomes_a_rotation),
        SCRATCH_TEST(numbers_beyond_float32_are_named_by_their_value),
        SCRATCH_TEST(sums_of_two_angles_are_not_taken_for_degrees),
        SCRATCH_TEST(quaternions_of_the_other_order_are_noticed),
        SCRATCH_TEST(quaternions_without_an_order_are_refused),
        SCRATCH_TEST(angles_of_whole_numbers_are_refused),
        SCRATCH_TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
