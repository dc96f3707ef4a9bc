/* What the kernels mean: closed forms and invariances, of ref in double. The other tables are held
 * to ref by test_ops.c. */
#include "ops/cases.h"
#include "core/memory.h"

#define REF(name, ...) CHECK_OK(m->ctx, recon_ops_ref.name(m->ctx, &(__VA_ARGS__)))

static maker *maker_in(void **state)
{
    return *state;
}

static recon_tensor noise(maker *m, int ndim, const size_t *shape)
{
    return noise_of(m, RECON_F64, ndim, shape);
}

static recon_tensor room(maker *m, int ndim, const size_t *shape)
{
    return blank(m, RECON_F64, ndim, shape);
}

static recon_tensor filled(maker *m, double x, int ndim, const size_t *shape)
{
    recon_tensor t = room(m, ndim, shape);
    for (size_t i = 0; i < recon_tensor_count(&t); i++)
        set_number(&t, i, x);
    return t;
}

static double largest_difference(const recon_tensor *a, const recon_tensor *b)
{
    double most = 0;
    for (size_t i = 0; i < recon_tensor_count(a); i++)
        most = fmax(most, fabs(number_at(a, i) - number_at(b, i)));
    return most;
}

/* ---- convolution ---- */

/* A filter with a single one moves the image, zeros coming in. */
static void a_single_tap_moves_the_image(void **state)
{
    maker *m = maker_in(state);
    recon_tensor x = noise(m, SHAPE(1, 5, 6, 1)), w = filled(m, 0, SHAPE(1, 3, 3, 1));
    recon_tensor y = room(m, SHAPE(1, 5, 6, 1));
    set_number(&w, 0 * 3 + 2, 1); /* reads the pixel above and to the right */
    REF(conv, (recon_conv_args){ .stride = 1, .pad = 1, .x = x, .w = w, .y = y });
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 6; j++)
            CHECK_NEAR(number_at(&y, i * 6 + j),
                       i > 0 && j < 5 ? number_at(&x, (i - 1) * 6 + j + 1) : 0, 0);
}

/* A linear layer is a matrix product, and a 1 x 1 convolution. */
static void linear_is_a_product(void **state)
{
    maker *m = maker_in(state);
    recon_tensor x = noise(m, SHAPE(7, 5)), w = noise(m, SHAPE(3, 5)), b = noise(m, SHAPE(3));
    recon_tensor y = room(m, SHAPE(7, 3)), product = filled(m, 0, SHAPE(7, 3));
    for (size_t i = 0; i < 21; i++)
        set_number(&product, i, number_at(&b, i % 3));
    REF(conv, (recon_conv_args){ .stride = 1, .x = x, .w = w, .bias = b, .y = y });
    REF(gemm, (recon_gemm_args){ .type = RECON_F64,
                                 .transpose_b = 1,
                                 .m = 7,
                                 .n = 3,
                                 .k = 5,
                                 .alpha = 1,
                                 .beta = 1,
                                 .a = x.data,
                                 .b = w.data,
                                 .c = product.data,
                                 .lda = 5,
                                 .ldb = 5,
                                 .ldc = 3 });
    CHECK_LESS(largest_difference(&y, &product), 1e-14);
}

/* ---- norms ---- */

static recon_norm_args norm_of(maker *m, recon_tensor x, size_t field)
{
    size_t channels = recon_tensor_cols(&x) / field;
    recon_norm_args a = { .field = field,
                          .training = 1,
                          .momentum = 0.25,
                          .x = x,
                          .y = room(m, x.ndim, x.shape),
                          .scale = filled(m, 1, SHAPE(channels)),
                          .running_var = filled(m, 2, SHAPE(channels)),
                          .inv = room(m, SHAPE(channels)) };
    if (field == 1) {
        a.shift = filled(m, 0, SHAPE(channels));
        a.running_mean = filled(m, 2, SHAPE(channels));
        a.mean = room(m, SHAPE(channels));
    }
    return a;
}

static void batch_norm_gives_mean_0_and_variance_1(void **state)
{
    enum { ROWS = 50, COLS = 7 };
    maker *m = maker_in(state);
    recon_tensor x = noise(m, SHAPE(ROWS, COLS));
    recon_norm_args a = norm_of(m, x, 1);
    REF(norm, a);
    for (size_t c = 0; c < COLS; c++) {
        double sum = 0, square = 0, raw = 0, raw_square = 0;
        for (size_t r = 0; r < ROWS; r++) {
            double y = number_at(&a.y, r * COLS + c), v = number_at(&x, r * COLS + c);
            sum += y, square += y * y, raw += v, raw_square += v * v;
        }
        double unbiased = (raw_square - raw * raw / ROWS) / (ROWS - 1);
        CHECK_NEAR(sum / ROWS, 0, 1e-14);
        CHECK_NEAR(square / ROWS, 1, 1e-13);
        CHECK_NEAR(number_at(&a.running_mean, c), 0.75 * 2 + 0.25 * raw / ROWS, 1e-14);
        CHECK_NEAR(number_at(&a.running_var, c), 0.75 * 2 + 0.25 * unbiased, 1e-13);
    }
}

/* Rotates every pair of numbers by the same angle. */
static recon_tensor rotated_pairs(maker *m, const recon_tensor *x, double angle)
{
    recon_tensor y = copy_of(m, x);
    for (size_t i = 0; i < recon_tensor_count(x); i += 2) {
        double a = number_at(x, i), b = number_at(x, i + 1);
        set_number(&y, i, cos(angle) * a - sin(angle) * b);
        set_number(&y, i + 1, sin(angle) * a + cos(angle) * b);
    }
    return y;
}

static void norms_of_fields_commute_with_rotating(void **state)
{
    maker *m = maker_in(state);
    recon_tensor x = noise(m, SHAPE(20, 6));
    recon_tensor moved = rotated_pairs(m, &x, 1.1);
    recon_norm_args a = norm_of(m, x, 2), b = norm_of(m, moved, 2);
    REF(norm, a);
    REF(norm, b);
    recon_tensor want = rotated_pairs(m, &a.y, 1.1);
    CHECK_LESS(largest_difference(&b.y, &want), 1e-13);
}

/* Each segment is normalised as if it were alone, and one that is empty does no harm. */
static void segments_are_normalised_apart(void **state)
{
    maker *m = maker_in(state);
    recon_tensor x = noise(m, SHAPE(9, 4)), offset = blank(m, RECON_I32, SHAPE(4));
    memcpy(offset.data, (int32_t[]){ 0, 5, 5, 9 }, 4 * sizeof(int32_t));
    recon_norm_args all = norm_of(m, x, 1);
    all.offset = offset;
    all.mean = room(m, SHAPE(3, 4));
    all.inv = room(m, SHAPE(3, 4));
    all.eps = 1e-5;
    REF(norm, all);
    recon_tensor first = { .type = RECON_F64, .ndim = 2, .shape = { 5, 4 }, .data = x.data };
    recon_norm_args alone = norm_of(m, first, 1);
    alone.eps = 1e-5;
    REF(norm, alone);
    CHECK_LESS(largest_difference(&alone.y, &all.y), 1e-15);
}

static recon_tensor sum_of(maker *m, const recon_tensor *a, const recon_tensor *b)
{
    recon_tensor y = copy_of(m, a);
    REF(add, ((recon_add_args){ .alpha = 1, .beta = 1, .y = y, .a = *a, .b = *b }));
    return y;
}

/* A norm with a sum and a ReLU is the three of them in turn, and so are its gradients, of which two
 * that come back are as good as their sum. */
static void a_norm_does_what_follows_it(void **state)
{
    maker *m = maker_in(state);
    recon_tensor x = noise(m, SHAPE(23, 5)), skip = noise(m, SHAPE(23, 5));
    recon_norm_args all = norm_of(m, x, 1), norm = norm_of(m, x, 1);
    all.relu = 1;
    all.skip = skip;
    REF(norm, all);
    REF(norm, norm);
    recon_map_args relu = { .kind = RECON_RELU, .x = sum_of(m, &norm.y, &skip) };
    relu.y = room(m, SHAPE(23, 5));
    REF(map, relu);
    CHECK_LESS(largest_difference(&all.y, &relu.y), 1e-15);
    all.dy = noise(m, SHAPE(23, 5)), all.dy_more = noise(m, SHAPE(23, 5));
    all.dx = room(m, SHAPE(23, 5)), all.dskip = room(m, SHAPE(23, 5));
    all.dscale = room(m, SHAPE(5)), all.dshift = room(m, SHAPE(5));
    REF(norm_back, all);
    relu.dy = sum_of(m, &all.dy, &all.dy_more);
    relu.dx = norm.dy = room(m, SHAPE(23, 5));
    REF(map_back, relu);
    norm.dx = room(m, SHAPE(23, 5));
    norm.dscale = room(m, SHAPE(5)), norm.dshift = room(m, SHAPE(5));
    REF(norm_back, norm);
    CHECK_LESS(largest_difference(&all.dskip, &relu.dx), 1e-15);
    CHECK_LESS(largest_difference(&all.dx, &norm.dx), 1e-14);
    CHECK_LESS(largest_difference(&all.dscale, &norm.dscale), 1e-14);
    CHECK_LESS(largest_difference(&all.dshift, &norm.dshift), 1e-14);
}

/* ---- directions ---- */

/* Rows come out with length one and point where they did; dx is across x and falls with |x|; a row
 * of zeros stays, with no gradient. */
static void units_have_length_one(void **state)
{
    maker *m = maker_in(state);
    recon_tensor x = noise(m, SHAPE(3, 5)), dy = noise(m, SHAPE(3, 5));
    recon_tensor y = room(m, SHAPE(3, 5)), dx = room(m, SHAPE(3, 5));
    memset((double *)x.data + 10, 0, 5 * sizeof(double));
    REF(unit, (recon_unit_args){ .x = x, .y = y });
    REF(unit_back, (recon_unit_args){ .x = x, .dy = dy, .dx = dx });
    for (size_t r = 0; r < 3; r++) {
        double length = 0, along = 0, across = 0, square = 0;
        for (size_t i = 5 * r; i < 5 * r + 5; i++) {
            length += number_at(&y, i) * number_at(&y, i);
            along += number_at(&y, i) * number_at(&x, i);
            square += number_at(&x, i) * number_at(&x, i);
            across += number_at(&dx, i) * number_at(&x, i);
            if (r == 2)
                CHECK_NEAR(number_at(&dx, i), 0, 0);
        }
        CHECK_NEAR(length, r < 2, 1e-14);
        CHECK_NEAR(along, sqrt(square), 1e-14);
        CHECK_NEAR(across, 0, 1e-14);
    }
}

/* Angles come back whatever the lengths; a pair of zeros is 0, with no gradient. */
static void angles_come_back(void **state)
{
    maker *m = maker_in(state);
    recon_tensor x = room(m, SHAPE(9, 2)), y = room(m, SHAPE(9));
    recon_tensor dy = filled(m, 1, SHAPE(9)), dx = room(m, SHAPE(9, 2));
    for (size_t i = 0; i < 9; i++) {
        double angle = (double)i * M_PI / 4 - M_PI, length = 0.5 + (double)i;
        set_number(&x, 2 * i, i < 8 ? length * cos(angle) : 0);
        set_number(&x, 2 * i + 1, i % 8 ? length * sin(angle) : 0);
    }
    REF(angle, (recon_angle_args){ .x = x, .y = y });
    REF(angle_back, (recon_angle_args){ .x = x, .y = y, .dy = dy, .dx = dx });
    for (size_t i = 0; i < 9; i++) {
        double angle = i == 0 ? M_PI : (double)i * M_PI / 4 - M_PI;
        double slope = hypot(number_at(&dx, 2 * i), number_at(&dx, 2 * i + 1));
        CHECK_NEAR(number_at(&y, i), i < 8 ? angle : 0, 1e-15);
        CHECK_NEAR(slope, i < 8 ? 1 / (0.5 + (double)i) : 0, 1e-15);
    }
}

/* ---- images ---- */

/* x[h][w] = f(h, w), one image, one channel. */
static recon_tensor ramp(maker *m, size_t h, size_t w, double by_row, double by_col)
{
    recon_tensor x = room(m, SHAPE(1, h, w, 1));
    for (size_t i = 0; i < h * w; i++)
        set_number(&x, i, by_row * (double)(i / w) + by_col * (double)(i % w));
    return x;
}

static void pooling_a_ramp(void **state)
{
    maker *m = maker_in(state);
    recon_tensor x = ramp(m, 7, 9, 10, 1), y = room(m, SHAPE(1, 3, 4, 1));
    recon_tensor index = blank(m, RECON_I32, SHAPE(1, 3, 4, 1));
    recon_pool_args a = { .size = 3, .stride = 2, .x = x, .y = y, .index = index };
    REF(pool, a);
    for (size_t i = 0; i < 12; i++) /* the middle of the window */
        CHECK_NEAR(number_at(&y, i), 10 * (double)(i / 4 * 2 + 1) + (double)(i % 4 * 2 + 1), 1e-12);
    a.max = 1;
    REF(pool, a);
    for (size_t i = 0; i < 12; i++) {
        CHECK_NEAR(number_at(&y, i), 10 * (double)(i / 4 * 2 + 2) + (double)(i % 4 * 2 + 2), 0);
        CHECK_NEAR(number_at(&index, i), 8, 0);
    }
    a.x = filled(m, 3, SHAPE(1, 7, 9, 1)); /* of equals the first wins */
    REF(pool, a);
    CHECK_NEAR(number_at(&index, 5), 0, 0);
}

static void resizing_a_ramp_is_exact_inside(void **state)
{
    maker *m = maker_in(state);
    recon_tensor x = ramp(m, 5, 6, 2, -3), y = room(m, SHAPE(1, 9, 16, 1));
    for (int align = 0; align < 2; align++) {
        REF(resize, (recon_resize_args){ .align_corners = align, .x = x, .y = y });
        for (size_t p = 0; p < 9; p++)
            for (size_t q = 0; q < 16; q++) {
                double row = align ? (double)p * 4 / 8 : ((double)p + 0.5) * 5 / 9 - 0.5;
                double col = align ? (double)q * 5 / 15 : ((double)q + 0.5) * 6 / 16 - 0.5;
                row = fmin(fmax(row, 0), 4), col = fmin(fmax(col, 0), 5);
                CHECK_NEAR(number_at(&y, p * 16 + q), 2 * row - 3 * col, 1e-13);
            }
    }
    recon_tensor same = room(m, SHAPE(1, 5, 6, 1));
    REF(resize, (recon_resize_args){ .x = x, .y = same });
    CHECK_NEAR(largest_difference(&x, &same), 0, 0);
}

static recon_tensor rotated(maker *m, const recon_tensor *x, double angle)
{
    recon_tensor y = room(m, x->ndim, x->shape), t = filled(m, angle, SHAPE(x->shape[0]));
    REF(rotate, (recon_rotate_args){ .x = *x, .y = y, .angle = t });
    return y;
}

static void rotating_by_right_angles_is_exact(void **state)
{
    maker *m = maker_in(state);
    for (size_t n = 6; n < 8; n++) {
        recon_tensor x = noise(m, SHAPE(1, n, n, 1)), same = rotated(m, &x, 0);
        CHECK_NEAR(largest_difference(&x, &same), 0, 0);
        recon_tensor y = rotated(m, &x, M_PI / 2);
        for (size_t i = 0; i < n; i++) /* counter-clockwise: the right edge becomes the top */
            for (size_t j = 0; j < n; j++)
                CHECK_NEAR(number_at(&y, i * n + j), number_at(&x, j * n + n - 1 - i), 1e-14);
        recon_tensor four = rotated(m, &x, 2 * M_PI);
        CHECK_LESS(largest_difference(&x, &four), 1e-13);
    }
    recon_tensor wide = noise(m, SHAPE(1, 4, 7, 2)), half = rotated(m, &wide, M_PI);
    for (size_t i = 0; i < 28; i++)
        CHECK_NEAR(number_at(&half, i * 2), number_at(&wide, (27 - i) * 2), 1e-14);
}

/* A smooth blob of width s about row, col measured from the middle. */
static recon_tensor blob(maker *m, size_t n, double row, double col)
{
    recon_tensor x = room(m, SHAPE(1, n, n, 1));
    for (size_t i = 0; i < n * n; i++) {
        double y = (double)(i / n) - ((double)n - 1) / 2 - row;
        double z = (double)(i % n) - ((double)n - 1) / 2 - col;
        set_number(&x, i, exp(-(y * y + z * z) / (2 * 4.0 * 4.0)));
    }
    return x;
}

/* Bilinear error is h^2/8 times the second derivative, 1/16 here, in two directions: 0.016 a rotation.
 */
static void rotating_moves_what_is_there(void **state)
{
    maker *m = maker_in(state);
    double a = 0.5, b = 0.8;
    recon_tensor x = blob(m, 41, 0, 8); /* to the right; counter-clockwise is up, so rows fall */
    recon_tensor want = blob(m, 41, -8 * sin(a + b), 8 * cos(a + b));
    recon_tensor once = rotated(m, &x, a + b), first = rotated(m, &x, a),
                 twice = rotated(m, &first, b);
    CHECK_LESS(largest_difference(&once, &want), 0.016);
    CHECK_LESS(largest_difference(&twice, &want), 0.032);
    CHECK_LESS(largest_difference(&twice, &once), 0.032);
}

/* Between an inside and an outside pixel a sample blends with zero. */
static void outside_is_zero(void **state)
{
    maker *m = maker_in(state);
    recon_tensor x = filled(m, 1, SHAPE(1, 3, 3, 1)), y = rotated(m, &x, M_PI / 4);
    double beyond = sqrt(2) - 1; /* the corner lies so far outside the middle of an edge */
    CHECK_NEAR(number_at(&y, 4), 1, 1e-15);
    CHECK_NEAR(number_at(&y, 0), 1 - beyond, 1e-14);
}

/* ---- dropout ---- */

static void drop(maker *m, recon_tensor *y, const recon_tensor *x, uint64_t counter, uint64_t site)
{
    REF(dropout, (recon_dropout_args){
                     .rate = 0.3, .seed = 4, .site = site, .counter = &counter, .x = *x, .y = *y });
}

static size_t kept_alike(const recon_tensor *a, const recon_tensor *b)
{
    size_t same = 0;
    for (size_t i = 0; i < recon_tensor_count(a); i++)
        same += (number_at(a, i) == 0) == (number_at(b, i) == 0);
    return same;
}

/* Masks that are independent agree in 0.7^2 + 0.3^2 = 0.58 of the places. */
static void dropout_keeps_the_mean_and_repeats(void **state)
{
    enum { N = 40001 };
    maker *m = maker_in(state);
    recon_tensor x = filled(m, 2, SHAPE(N)), y = room(m, SHAPE(N)), z = room(m, SHAPE(N));
    double sum = 0, deviation = sqrt(N * 0.58 * 0.42);
    drop(m, &y, &x, 7, 1);
    for (size_t i = 0; i < N; i++) {
        sum += number_at(&y, i);
        assert_true(number_at(&y, i) == 0 || fabs(number_at(&y, i) - 2 / 0.7) < 1e-15);
    }
    CHECK_NEAR(sum / N, 2, 4 * 2 * sqrt(0.3 / 0.7 / N));
    drop(m, &z, &x, 7, 1);
    assert_int_equal(kept_alike(&y, &z), N);
    drop(m, &z, &x, 8, 1);
    CHECK_NEAR((double)kept_alike(&y, &z), 0.58 * N, 4 * deviation);
    drop(m, &z, &x, 7, 2);
    CHECK_NEAR((double)kept_alike(&y, &z), 0.58 * N, 4 * deviation);
}

/* A channel of an image goes with all of its pixels, or stays with all of them. */
static void dropout_of_channels_takes_whole_ones(void **state)
{
    enum { N = 50, PLANES = 9, CHANNELS = 41 };
    maker *m = maker_in(state);
    recon_tensor x = filled(m, 2, SHAPE(N, PLANES, CHANNELS));
    recon_tensor y = room(m, SHAPE(N, PLANES, CHANNELS));
    uint64_t counter = 7;
    size_t gone = 0;
    REF(dropout, (recon_dropout_args){ .rate = 0.3,
                                       .seed = 4,
                                       .site = 1,
                                       .counter = &counter,
                                       .planes = PLANES,
                                       .x = x,
                                       .y = y });
    for (size_t n = 0; n < N; n++)
        for (size_t c = 0; c < CHANNELS; c++) {
            double first = number_at(&y, n * PLANES * CHANNELS + c);
            assert_true(first == 0 || fabs(first - 2 / 0.7) < 1e-15);
            gone += first == 0;
            for (size_t p = 1; p < PLANES; p++)
                CHECK_NEAR(number_at(&y, (n * PLANES + p) * CHANNELS + c), first, 0);
        }
    CHECK_NEAR((double)gone, 0.3 * N * CHANNELS, 4 * sqrt(0.3 * 0.7 * N * CHANNELS));
}

/* ---- graphs ---- */

/* Gathering by the owner of each row is the transpose of summing segments. */
static void gather_and_segment_sum_are_adjoint(void **state)
{
    maker *m = maker_in(state);
    recon_tensor offset = offsets(m, 5, 23), owner = blank(m, RECON_I32, SHAPE(23));
    recon_tensor x = noise(m, SHAPE(23, 4)), u = noise(m, SHAPE(5, 4));
    recon_tensor sums = room(m, SHAPE(5, 4)), spread = room(m, SHAPE(23, 4));
    for (size_t s = 0; s < 5; s++)
        for (size_t e = (size_t)number_at(&offset, s); e < (size_t)number_at(&offset, s + 1); e++)
            set_number(&owner, e, (double)s);
    REF(segment_sum, (recon_segment_args){ .x = x, .offset = offset, .y = sums });
    REF(gather, (recon_gather_args){ .x = u, .index = owner, .y = spread });
    double left = 0, right = 0;
    for (size_t i = 0; i < 20; i++)
        left += number_at(&sums, i) * number_at(&u, i);
    for (size_t i = 0; i < 92; i++)
        right += number_at(&x, i) * number_at(&spread, i);
    CHECK_NEAR(left, right, 1e-13);
}

/* One entry a row gathers, ones in turn sum segments. */
static void sparse_matrices_gather_and_sum(void **state)
{
    maker *m = maker_in(state);
    recon_tensor offset = offsets(m, 5, 23), each = blank(m, RECON_I32, SHAPE(24));
    recon_tensor index = blank(m, RECON_I32, SHAPE(23)), ones = filled(m, 1, SHAPE(23));
    recon_tensor x = noise(m, SHAPE(23, 4)), want = room(m, SHAPE(23, 4)),
                 got = room(m, SHAPE(23, 4));
    for (size_t e = 0; e < 24; e++)
        set_number(&each, e, (double)e);
    for (size_t e = 0; e < 23; e++)
        set_number(&index, e, (double)(e * 5 % 23));
    REF(gather, (recon_gather_args){ .x = x, .index = index, .y = want });
    REF(sparse,
        (recon_sparse_args){ .x = x, .index = index, .weight = ones, .offset = each, .y = got });
    CHECK_NEAR(largest_difference(&got, &want), 0, 0);
    want.shape[0] = got.shape[0] = 5;
    REF(segment_sum, (recon_segment_args){ .x = x, .offset = offset, .y = want });
    REF(sparse,
        (recon_sparse_args){ .x = x, .index = each, .weight = ones, .offset = offset, .y = got });
    CHECK_NEAR(largest_difference(&got, &want), 0, 0);
}

/* With the coefficients of the cross product. */
static void tensor_product_holds_the_cross_product(void **state)
{
    maker *m = maker_in(state);
    recon_tensor c = filled(m, 0, SHAPE(3, 3, 3)), y = room(m, SHAPE(1, 1, 3));
    recon_tensor a = noise(m, SHAPE(1, 1, 3)), b = noise(m, SHAPE(1, 3));
    for (size_t i = 0; i < 3; i++) {
        size_t j = (i + 1) % 3, k = (i + 2) % 3;
        set_number(&c, (i * 3 + j) * 3 + k, 1);
        set_number(&c, (j * 3 + i) * 3 + k, -1);
    }
    REF(tensor_product,
        (recon_tensor_product_args){
            .rows = 1, .channels = 1, .ni = 3, .nj = 3, .nk = 3, .a = a, .b = b, .c = c, .y = y });
    for (size_t i = 0; i < 3; i++) {
        size_t j = (i + 1) % 3, k = (i + 2) % 3;
        CHECK_NEAR(number_at(&y, i),
                   number_at(&a, j) * number_at(&b, k) - number_at(&a, k) * number_at(&b, j),
                   1e-14);
    }
}

/* ---- single numbers ---- */

static void functions_have_their_closed_forms(void **state)
{
    maker *m = maker_in(state);
    recon_tensor x = noise(m, SHAPE(40)), dy = noise(m, SHAPE(40));
    for (size_t i = 0; i < 5; i++)
        set_number(&x, i, i == 2 ? 0 : 400 * ((double)i - 2));
    for (int kind = RECON_RELU; kind <= RECON_SOFTPLUS; kind++) {
        recon_map_args a = { (recon_unary)kind, room(m, SHAPE(40)), x, dy, room(m, SHAPE(40)) };
        REF(map, a);
        REF(map_back, a);
        for (size_t i = 0; i < 40; i++) {
            double u = number_at(&x, i), e = exp(-fabs(u)), s = u < 0 ? e / (1 + e) : 1 / (1 + e);
            double y[] = { fmax(u, 0), u * s, s, fmax(u, 0) + log1p(e) };
            double slope[] = { u > 0, s + u * s * (1 - s), s * (1 - s), s };
            CHECK_NEAR(number_at(&a.y, i), y[kind], 1e-14 * (1 + fabs(y[kind])));
            CHECK_NEAR(number_at(&a.dx, i), number_at(&dy, i) * slope[kind], 1e-14);
        }
    }
}

/* Fields of two numbers, or more than a run has, and planes of them: the gate of each multiplies it. */
static void gates_multiply_their_fields(void **state)
{
    static const size_t shapes[][3] = { { 3, 5, 2 }, { 2, 1, 2600 }, { 2, 3, 1024 }, { 3, 5, 3 } };
    maker *m = maker_in(state);
    for (size_t k = 0; k < 4; k++) {
        size_t rows = shapes[k][0], cols = shapes[k][1], field = shapes[k][2];
        recon_gate_args a = { .field = field,
                              .planes = k == 3,
                              .x = noise(m, SHAPE(rows, cols * field)),
                              .g = noise(m, SHAPE(rows, cols)),
                              .y = room(m, SHAPE(rows, cols * field)),
                              .dg = room(m, SHAPE(rows, cols)) };
        a.dy = a.x;
        REF(gate, a);
        REF(gate_back, a);
        for (size_t i = 0; i < rows * cols; i++) {
            double sum = 0;
            for (size_t c = 0; c < field; c++) {
                size_t at = a.planes ? (i / cols * field + c) * cols + i % cols : i * field + c;
                double x = number_at(&a.x, at);
                CHECK_NEAR(number_at(&a.y, at), x * number_at(&a.g, i), 1e-15 * fabs(x));
                sum += x * x;
            }
            CHECK_NEAR(number_at(&a.dg, i), sum, 1e-12 * (1 + sum));
        }
    }
}

/* a x b is at right angles to both, and by Lagrange's identity as long as it should be. */
static void cross_products_are_at_right_angles(void **state)
{
    maker *m = maker_in(state);
    recon_tensor a = noise(m, SHAPE(4, 3, 9)), b = noise(m, SHAPE(4, 3, 9));
    recon_tensor y = room(m, SHAPE(4, 3, 9));
    REF(cross, (recon_cross_args){ .y = y, .a = a, .b = b });
    for (size_t i = 0; i < 4 * 9; i++) {
        double ya = 0, yb = 0, ab = 0, aa = 0, bb = 0, yy = 0;
        for (size_t k = 0, at = i / 9 * 27 + i % 9; k < 3; k++, at += 9) {
            double p = number_at(&a, at), q = number_at(&b, at), c = number_at(&y, at);
            ya += c * p, yb += c * q, ab += p * q, aa += p * p, bb += q * q, yy += c * c;
        }
        CHECK_NEAR(ya, 0, 1e-12);
        CHECK_NEAR(yb, 0, 1e-12);
        CHECK_NEAR(yy, aa * bb - ab * ab, 1e-12 * (1 + aa * bb));
    }
}

/* A scalar, and a channel of degree 1 behind its gate: SiLU and sigmoid, times their constants. */
static void gates_of_features_open_them(void **state)
{
    maker *m = maker_in(state);
    recon_activate_args a = { .channels = { 1, 1 },
                              .x = noise(m, SHAPE(6, 5)),
                              .y = room(m, SHAPE(6, 4)) };
    REF(activate, a);
    for (size_t r = 0; r < 6; r++) {
        double x = number_at(&a.x, 5 * r), open = 1 / (1 + exp(-number_at(&a.x, 5 * r + 1)));
        CHECK_NEAR(number_at(&a.y, 4 * r), RECON_ACTIVATE_SCALAR * x / (1 + exp(-x)), 1e-14);
        for (size_t k = 0; k < 3; k++)
            CHECK_NEAR(number_at(&a.y, 4 * r + 1 + k),
                       RECON_ACTIVATE_GATE * open * number_at(&a.x, 5 * r + 2 + k), 1e-14);
    }
}

/* Sums with factors, and columns that go elsewhere while their neighbors stay. */
static void sums_and_columns_are_what_they_say(void **state)
{
    maker *m = maker_in(state);
    recon_tensor a = noise(m, SHAPE(7, 5)), b = noise(m, SHAPE(7, 5)), y = room(m, SHAPE(7, 5));
    REF(add, (recon_add_args){ 2, -3, y, a, b });
    recon_tensor dst = filled(m, 8, SHAPE(7, 4));
    REF(columns,
        (recon_columns_args){ .rows = 7, .cols = 2, .from = 3, .to = 1, .src = a, .dst = dst });
    for (size_t i = 0; i < 35; i++)
        CHECK_NEAR(number_at(&y, i), 2 * number_at(&a, i) - 3 * number_at(&b, i), 1e-14);
    for (size_t r = 0; r < 7; r++)
        for (size_t c = 0; c < 4; c++)
            CHECK_NEAR(number_at(&dst, 4 * r + c),
                       c == 1 || c == 2 ? number_at(&a, 5 * r + 2 + c) : 8, 0);
}

/* ---- losses ---- */

static double loss_of(maker *m, recon_loss_kind kind, recon_tensor x, recon_tensor target)
{
    recon_tensor loss = room(m, SHAPE(1));
    REF(loss, (recon_loss_args){ .kind = kind, .x = x, .target = target, .loss = loss });
    return number_at(&loss, 0);
}

/* Equal logits: log c. Logits far apart, also beyond what exp can hold: 0, or their distance. */
static void cross_entropy_has_its_closed_forms(void **state)
{
    maker *m = maker_in(state);
    recon_tensor x = filled(m, 5, SHAPE(2, 7)), target = blank(m, RECON_I32, SHAPE(2));
    set_number(&target, 0, 0);
    set_number(&target, 1, 6);
    CHECK_NEAR(loss_of(m, RECON_LOSS_CROSS_ENTROPY, x, target), log(7), 1e-15);
    set_number(&x, 0, 2000);
    set_number(&x, 7, 2000);
    CHECK_NEAR(loss_of(m, RECON_LOSS_CROSS_ENTROPY, x, target), 1995.0 / 2, 1e-10);
    recon_tensor pair = filled(m, 0, SHAPE(1, 2)), one = blank(m, RECON_I32, SHAPE(1));
    set_number(&pair, 0, 1.5);
    set_number(&one, 0, 0);
    CHECK_NEAR(loss_of(m, RECON_LOSS_CROSS_ENTROPY, pair, one), log1p(exp(-1.5)), 1e-15);
}

static void plain_losses_have_their_closed_forms(void **state)
{
    maker *m = maker_in(state);
    recon_tensor x = filled(m, 3, SHAPE(2, 2)), t = filled(m, 1, SHAPE(2, 2));
    CHECK_NEAR(loss_of(m, RECON_LOSS_MSE, x, t), 4, 0);
    CHECK_NEAR(loss_of(m, RECON_LOSS_L1, x, t), 2, 0);
    recon_tensor u = room(m, SHAPE(1, 2)), v = room(m, SHAPE(1, 2));
    set_number(&u, 0, cos(0.4)), set_number(&u, 1, sin(0.4));
    set_number(&v, 0, cos(1.5)), set_number(&v, 1, sin(1.5));
    CHECK_NEAR(loss_of(m, RECON_LOSS_COS, u, v), 1 - cos(1.1), 1e-15);
}

/* softplus^-1 */
static double raw_of(double kappa)
{
    return kappa + log(-expm1(-kappa));
}

/* The mixture's density integrates to 1, at every sharpness: by the rule of equal steps, which
 * converges like the Fourier series of the integrand. */
static void von_mises_mixture_is_a_density(void **state)
{
    static const double kappa[][2] = { { 1e-3, 0.5 }, { 2, 29.9 }, { 30.1, 700 }, { 1e4, 1e5 } };
    enum { STEPS = 8192 };
    maker *m = maker_in(state);
    for (size_t k = 0; k < sizeof kappa / sizeof *kappa; k++) {
        recon_tensor x = noise(m, SHAPE(1, 8)), theta = room(m, SHAPE(1));
        set_number(&x, 6, raw_of(kappa[k][0]));
        set_number(&x, 7, raw_of(kappa[k][1]));
        double sum = 0;
        for (int i = 0; i < STEPS; i++) {
            set_number(&theta, 0, 2 * M_PI * i / STEPS - 1);
            sum += exp(-loss_of(m, RECON_LOSS_VONMISES, x, theta));
        }
        CHECK_NEAR(sum * 2 * M_PI / STEPS, 1, 1e-9);
    }
}

/* Only the direction of a pair counts, and a sharp component is a normal at its peak. */
static void von_mises_mixture_has_its_limits(void **state)
{
    maker *m = maker_in(state);
    recon_tensor x = noise(m, SHAPE(1, 4)), theta = filled(m, 0.3, SHAPE(1));
    set_number(&x, 1, cos(0.3)), set_number(&x, 2, sin(0.3)), set_number(&x, 3, raw_of(1e5));
    double peak = loss_of(m, RECON_LOSS_VONMISES, x, theta);
    CHECK_NEAR(peak, 0.5 * log(2 * M_PI / 1e5), 2e-6); /* log I0 = ... + 1 / (8 kappa) */
    set_number(&x, 1, 7 * cos(0.3)), set_number(&x, 2, 7 * sin(0.3));
    CHECK_NEAR(loss_of(m, RECON_LOSS_VONMISES, x, theta), peak, 1e-12);
    set_number(&x, 3, raw_of(1e-9));
    CHECK_NEAR(loss_of(m, RECON_LOSS_VONMISES, x, theta), log(2 * M_PI), 1e-8);
}

/* ---- the optimiser ---- */

/* The first step of Adam goes by the rate against the sign of the gradient, however long that is.
 */
static void the_first_step_of_adam_is_the_rate(void **state)
{
    maker *m = maker_in(state);
    recon_tensor w = filled(m, 1, SHAPE(3)), g = noise(m, SHAPE(3)), z = filled(m, 0, SHAPE(3));
    recon_tensor v = filled(m, 0, SHAPE(3)), ema = filled(m, 1, SHAPE(3));
    recon_adam_state now = { .rate = 0.01, .bias1 = 1 - 0.9, .bias2 = 1 - 0.999 };
    double norm;
    CHECK_OK(m->ctx, recon_ops_ref.norm2(m->ctx, &norm, g.data, 3, RECON_F64));
    CHECK_NEAR(norm,
               sqrt(pow(number_at(&g, 0), 2) + pow(number_at(&g, 1), 2) + pow(number_at(&g, 2), 2)),
               1e-15);
    REF(adam, (recon_adam_args){ .n = 3,
                                 .b1 = 0.9,
                                 .b2 = 0.999,
                                 .clip = norm / 2,
                                 .ema_decay = 0.75,
                                 .decay = 0.1,
                                 .state = &now,
                                 .grad_norm = &norm,
                                 .w = w.data,
                                 .g = g.data,
                                 .m = z.data,
                                 .v = v.data,
                                 .ema = ema.data,
                                 .type = RECON_F64 });
    for (size_t i = 0; i < 3; i++) {
        double want = 1 - 0.01 * (number_at(&g, i) > 0 ? 1 : -1) - 0.001;
        CHECK_NEAR(number_at(&w, i), want, 1e-14);
        CHECK_NEAR(number_at(&ema, i), 0.75 + 0.25 * want, 1e-14);
        CHECK_NEAR(number_at(&z, i), 0.1 * number_at(&g, i) / 2, 1e-15);
    }
}

/* ---- numbers ---- */

static void bfloat16_rounds_to_nearest_even(void **state)
{
    (void)state;
    static const struct {
        float from;
        uint16_t to;
    } known[] = { { 1, 0x3f80 },
                  { 1 + 0x1p-8f, 0x3f80 },            /* half way: to even, down */
                  { 1 + 0x3p-8f, 0x3f82 },            /* half way: to even, up   */
                  { 1 + 0x1p-8f + 0x1p-23f, 0x3f81 }, /* beyond half way         */
                  { -0.0f, 0x8000 },
                  { 3.4e38f, 0x7f80 }, /* beyond the largest */
                  { INFINITY, 0x7f80 },
                  { -INFINITY, 0xff80 } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(recon_bf16_from_float(known[i].from), known[i].to);
    uint32_t bits = 0x7f800001; /* a NaN whose upper half alone would be infinity */
    float nan;
    memcpy(&nan, &bits, sizeof nan);
    assert_true(isnan(recon_bf16_to_float(recon_bf16_from_float(nan))));
    for (uint32_t i = 0; i < 0x7f80; i++) /* every number comes back */
        assert_int_equal(recon_bf16_from_float(recon_bf16_to_float((uint16_t)i)), i);
}

/* The bits do not depend on the number of threads. */
static void thread_counts_give_the_same_bits(void **state)
{
    maker *m = maker_in(state);
    recon_ctx *one = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    recon_ctx *three = recon_ctx_new(&(recon_ctx_options){ .threads = 3 });
    assert_non_null(one);
    assert_non_null(three);
    for (size_t i = 0; i < CASES; i++) {
        const entry *e = &entries[cases[i].entry];
        recon_mark mark = recon_arena_mark(m->arena);
        maker local = maker_of(m->ctx, m->arena, RECON_F32, 0);
        any_args a = build_case(&local, i), b = copy_args(&local, e, &a);
        CHECK_OK(one, e->call(&recon_ops_ref, one, &a));
        CHECK_OK(three, e->call(&recon_ops_ref, three, &b));
        if (e->back) {
            CHECK_OK(one, e->back(&recon_ops_ref, one, &a));
            CHECK_OK(three, e->back(&recon_ops_ref, three, &b));
        }
        for (const slot *s = e->slots; s->role; s++)
            for (int gradient = 0; gradient < 2; gradient++) {
                size_t at = gradient ? s->gradient : s->at;
                if (at != NO_GRADIENT && tensor_at(&a, at)->data)
                    assert_memory_equal(tensor_at(&a, at)->data, tensor_at(&b, at)->data,
                                        recon_tensor_bytes(tensor_at(&a, at)));
            }
        recon_arena_release(m->arena, mark);
    }
    recon_ctx_free(one);
    recon_ctx_free(three);
}

/* Whichever allocation fails, the call says so and leaks nothing; then it works. */
static void running_out_of_memory_is_an_error(void **state)
{
    maker *m = maker_in(state);
    any_args a = build_case(m, 1);
    for (int back = 0; back < 2; back++) {
        call_fn *call = back ? entries[CONV].back : entries[CONV].call;
        long n = 1;
        for (recon_alloc_fail_at(m->ctx, n); call(&recon_ops_ref, m->ctx, &a) != RECON_OK; n++) {
            assert_non_null(strstr(recon_ctx_message(m->ctx), "out of memory"));
            recon_alloc_fail_at(m->ctx, n + 1);
        }
        recon_alloc_fail_at(m->ctx, 0);
        assert_in_range(n, back ? 4 : 3, 1000); /* the operands, and scratch */
    }
}

static int setup(void **state)
{
    static maker m;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 2 });
    recon_arena *arena = recon_arena_make();
    m = maker_of(ctx, arena, RECON_F64, 1000);
    *state = &m;
    return ctx && arena ? 0 : -1;
}

static int teardown(void **state)
{
    maker *m = *state;
    recon_arena_free(m->arena);
    recon_ctx_free(m->ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_tap_moves_the_image),
        cmocka_unit_test(linear_is_a_product),
        cmocka_unit_test(batch_norm_gives_mean_0_and_variance_1),
        cmocka_unit_test(norms_of_fields_commute_with_rotating),
        cmocka_unit_test(segments_are_normalised_apart),
        cmocka_unit_test(a_norm_does_what_follows_it),
        cmocka_unit_test(units_have_length_one),
        cmocka_unit_test(angles_come_back),
        cmocka_unit_test(pooling_a_ramp),
        cmocka_unit_test(resizing_a_ramp_is_exact_inside),
        cmocka_unit_test(rotating_by_right_angles_is_exact),
        cmocka_unit_test(rotating_moves_what_is_there),
        cmocka_unit_test(outside_is_zero),
        cmocka_unit_test(dropout_keeps_the_mean_and_repeats),
        cmocka_unit_test(dropout_of_channels_takes_whole_ones),
        cmocka_unit_test(gather_and_segment_sum_are_adjoint),
        cmocka_unit_test(sparse_matrices_gather_and_sum),
        cmocka_unit_test(tensor_product_holds_the_cross_product),
        cmocka_unit_test(functions_have_their_closed_forms),
        cmocka_unit_test(gates_multiply_their_fields),
        cmocka_unit_test(cross_products_are_at_right_angles),
        cmocka_unit_test(gates_of_features_open_them),
        cmocka_unit_test(sums_and_columns_are_what_they_say),
        cmocka_unit_test(cross_entropy_has_its_closed_forms),
        cmocka_unit_test(plain_losses_have_their_closed_forms),
        cmocka_unit_test(von_mises_mixture_is_a_density),
        cmocka_unit_test(von_mises_mixture_has_its_limits),
        cmocka_unit_test(the_first_step_of_adam_is_the_rate),
        cmocka_unit_test(bfloat16_rounds_to_nearest_even),
        cmocka_unit_test(thread_counts_give_the_same_bits),
        cmocka_unit_test(running_out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
