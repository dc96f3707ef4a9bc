/* Batches: each image once an epoch, the same order for any number of threads and any start. */
#include "files.h"
#include "core/shuffle.h"

#include <recon/core/array.h>
#include <recon/data/dataset.h>
#include "data/loader.h"

static void a_permutation_is_one_and_looks_random(void **state)
{
    (void)state;
    static int seen[1000];
    for (size_t n = 1; n <= 1000; n = n < 20 ? n + 1 : 2 * n - 7) {
        memset(seen, 0, sizeof seen);
        for (size_t i = 0; i < n; i++) {
            seen[recon_permute(i, n, 5, 2)]++;
            assert_int_equal(recon_permute_back(recon_permute(i, n, 5, 2), n, 5, 2), i);
        }
        for (size_t i = 0; i < n; i++)
            assert_int_equal(seen[i], 1);
    }
    double still = 0, rise = 0; /* expected: 1 fixed point, half of the steps up */
    for (uint64_t turn = 0; turn < 200; turn++)
        for (size_t i = 0; i < 50; i++) {
            size_t x = recon_permute(i, 50, 9, turn);
            still += x == i;
            rise += i > 0 && x > recon_permute(i - 1, 50, 9, turn);
        }
    CHECK_NEAR(still / 200, 1, 0.3);
    CHECK_NEAR(rise / (200 * 49), 0.5, 0.02);
}

static recon_dataset *open_set(recon_ctx *ctx, uint32_t n)
{
    recon_dataset *d = NULL;
    char spec[600];
    snprintf(spec, sizeof spec, "idx:%s", idx_set("train", n));
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec));
    return d;
}

static void an_epoch_shows_each_image_once(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_set(ctx, 30);
    recon_loader *l = NULL;
    recon_batch b;
    int first[30] = { 0 };
    CHECK_OK(ctx, recon_loader_open(ctx, &l, d,
                                    &(recon_loader_options){
                                        .batch = 7, .shuffle = 1, .keep_last = 1, .seed = 2 }));
    assert_int_equal(recon_loader_batches(l), 5);
    for (int epoch = 0; epoch < 3; epoch++) {
        int seen[30] = { 0 }, order[30], at = 0;
        for (int i = 0; i < 5; i++) {
            recon_loader_next(&b, l);
            assert_int_equal(b.n, i < 4 ? 7 : 2);
            for (size_t j = 0; j < b.n; j++) {
                int n = (int)lroundf(b.images[12 * j] * 255) / 7;
                assert_int_equal(b.labels[j], n % 5);
                seen[n]++;
                order[at++] = n;
            }
        }
        for (int i = 0; i < 30; i++)
            assert_int_equal(seen[i], 1);
        if (epoch == 0)
            memcpy(first, order, sizeof first);
        else
            assert_memory_not_equal(first, order, sizeof first);
    }
    recon_loader_close(l);
    recon_dataset_close(d);
}

static void threads_and_start_change_nothing(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_set(ctx, 30);
    static float want[40][48];
    for (int threads = 1; threads <= 4; threads++)
        for (uint64_t first = 0; first < 20; first += 9) {
            recon_loader *l = NULL;
            recon_batch b;
            CHECK_OK(ctx, recon_loader_open(
                              ctx, &l, d,
                              &(recon_loader_options){
                                  .batch = 4, .shuffle = 1, .threads = threads, .first = first }));
            for (uint64_t i = first; i < 40; i++) {
                recon_loader_next(&b, l);
                assert_int_equal(b.n, 4);
                if (threads == 1 && first == 0)
                    memcpy(want[i], b.images, sizeof want[i]);
                assert_memory_equal(want[i], b.images, sizeof want[i]);
            }
            recon_loader_close(l);
        }
    recon_dataset_close(d);
}

static void too_few_images_are_an_error(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_set(ctx, 30);
    recon_loader *l = NULL;
    CHECK_FAILS(ctx, recon_loader_open(ctx, &l, d, &(recon_loader_options){ .batch = 31 }),
                RECON_ERR_INPUT, "30 images do not fill a batch of 31");
    recon_dataset_close(d);
}

/* Smooth images of SIDE x SIDE, a blob of its own place and width each. */
enum { SIDE = 33, BLOBS = 12, PIXELS = SIDE * SIDE };
static recon_dataset *open_blobs(recon_ctx *ctx)
{
    static float x[BLOBS][SIDE][SIDE];
    recon_dataset *d = NULL;
    char spec[600];
    for (int i = 0; i < BLOBS; i++)
        for (int p = 0; p < SIDE; p++)
            for (int q = 0; q < SIDE; q++) {
                double dx = q - SIDE / 2 - i % 4, dy = SIDE / 2 - p - i % 3, w = 3 + 0.1 * i;
                x[i][p][q] = (float)exp(-(dx * dx + 2 * dy * dy) / (2 * w * w));
            }
    recon_array a = { .dtype = RECON_F32, .ndim = 3, .shape = { BLOBS, SIDE, SIDE }, .data = x };
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("blobs.npy"), &a));
    snprintf(spec, sizeof spec, "npy:%s", scratch("blobs.npy"));
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec));
    return d;
}

static recon_loader *open_loader(recon_ctx *ctx, const recon_dataset *d, recon_loader_options o)
{
    recon_loader *l = NULL;
    CHECK_OK(ctx, recon_loader_open(ctx, &l, d, &o));
    return l;
}

static double farthest(const float *a, const float *b)
{
    double most = 0;
    for (int i = 0; i < PIXELS; i++)
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
    return most;
}

static void views_rotate_back_by_their_angles(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_blobs(ctx);
    recon_loader *l = open_loader(
        ctx, d, (recon_loader_options){ .batch = 5, .keep_last = 1, .views = 2, .rotate = 1 });
    recon_batch b;
    double moment[2] = { 0 };
    float plain[PIXELS], back[PIXELS];
    for (int step = 0; step < 300; step++) {
        recon_loader_next(&b, l);
        assert_int_equal(b.views, 2);
        assert_int_equal(b.n, step % 3 < 2 ? 5 : 2);
        for (size_t i = 0; i < 2 * b.n; i++) {
            moment[0] += cos(b.angles[i]) / (2 * BLOBS * 100);
            moment[1] += sin(b.angles[i]) / (2 * BLOBS * 100);
            if (step >= 6)
                continue;
            recon_dataset_get(plain, d, (size_t)(step % 3) * 5 + i % b.n);
            recon_image_rotate(back, b.images + i * PIXELS, SIDE, SIDE, 1, -(double)b.angles[i],
                               RECON_BICUBIC);
            CHECK_LESS(farthest(back, plain), 0.05);
        }
        assert_true(b.angles[0] != b.angles[b.n]); /* the views' angles differ */
    }
    CHECK_NEAR(moment[0], 0, 0.06); /* uniform on the circle */
    CHECK_NEAR(moment[1], 0, 0.06);
    recon_loader_close(l);
    recon_dataset_close(d);
}

/* By way of a random grid an image is blurred a little, but neither moved nor rotated. */
static void regridding_leaves_views_where_they_are(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_blobs(ctx);
    for (int rotate = 0; rotate < 2; rotate++) {
        recon_loader *l = open_loader(
            ctx, d, (recon_loader_options){ .batch = BLOBS, .rotate = rotate, .regrid = 1 });
        float plain[PIXELS], back[PIXELS];
        recon_batch b;
        recon_loader_next(&b, l);
        for (size_t i = 0; i < b.n; i++) {
            recon_dataset_get(plain, d, i);
            recon_image_rotate(back, b.images + i * PIXELS, SIDE, SIDE, 1, -(double)b.angles[i],
                               RECON_BICUBIC);
            CHECK_LESS(farthest(back, plain), 0.1);
            assert_true(rotate || b.angles[i] == 0);
            assert_memory_not_equal(back, plain, sizeof plain);
        }
        recon_loader_close(l);
    }
    recon_dataset_close(d);
}

/* Centre and second moments about it, of an image with y up. */
typedef struct {
    double x, y, xx, xy, yy;
} shape;

static shape shape_of(const float *image)
{
    double m = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (int p = 0; p < SIDE; p++)
        for (int q = 0; q < SIDE; q++) {
            double v = (double)image[p * SIDE + q], u = q - SIDE / 2, w = SIDE / 2 - p;
            m += v, x += v * u, y += v * w, xx += v * u * u, xy += v * u * w, yy += v * w * w;
        }
    x /= m, y /= m;
    return (shape){ x, y, xx / m - x * x, xy / m - x * y, yy / m - y * y };
}

/* What is left of a view when its rotation is undone must be a symmetric stretch S: M = S M0 S, so the
 * area changes by det S and the centre by S and the shift. */
static void the_second_view_is_warped_within_bounds_and_the_first_is_not(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_blobs(ctx);
    recon_loader *l = open_loader(
        ctx, d,
        (recon_loader_options){
            .batch = BLOBS, .views = 2, .rotate = 1, .shear = 0.2, .scale = 0.1, .shift = 1.5 });
    recon_batch b;
    double low = 9, high = 0, far = 0;
    float plain[PIXELS], back[PIXELS];
    for (int step = 0; step < 20; step++) {
        recon_loader_next(&b, l);
        for (size_t i = 0; i < 2 * b.n; i++) {
            recon_dataset_get(plain, d, i % b.n);
            recon_image_rotate(back, b.images + i * PIXELS, SIDE, SIDE, 1, -(double)b.angles[i],
                               RECON_BICUBIC);
            shape s = shape_of(back), o = shape_of(plain);
            double area = sqrt((s.xx * s.yy - s.xy * s.xy) / (o.xx * o.yy - o.xy * o.xy));
            double way = hypot(s.x - o.x, s.y - o.y);
            if (i < b.n) {
                CHECK_NEAR(area, 1, 0.05);
                CHECK_NEAR(way, 0, 0.05);
                continue;
            }
            low = fmin(low, area), high = fmax(high, area), far = fmax(far, way);
        }
    }
    CHECK_NEAR(low, 1 / 1.21, 0.1); /* 0.98 / 1.1^2 .. 1.1^2, and what interpolation adds */
    CHECK_NEAR(high, 1.21, 0.1);
    assert_true(far > 1.2 && far < 1.5 * sqrt(2) + 0.2 * 4);
    recon_loader_close(l);
    recon_dataset_close(d);
}

static void warps_do_not_rotate_on_average(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_blobs(ctx);
    recon_loader *l =
        open_loader(ctx, d, (recon_loader_options){ .batch = BLOBS, .rotate = 1, .shear = 0.3 });
    recon_batch b;
    double sum = 0, count = 0;
    float back[PIXELS];
    for (int step = 0; step < 100; step++) {
        recon_loader_next(&b, l);
        for (size_t i = 0; i < b.n; i++, count++) {
            recon_image_rotate(back, b.images + i * PIXELS, SIDE, SIDE, 1, -(double)b.angles[i],
                               RECON_BILINEAR);
            shape s = shape_of(back); /* the long axis of every blob lies along x */
            sum += atan2(2 * s.xy, s.xx - s.yy) / 2;
        }
    }
    CHECK_NEAR(sum / count, 0, 0.03);
    recon_loader_close(l);
    recon_dataset_close(d);
}

static void flips_mirror_half_of_the_images(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_blobs(ctx);
    recon_loader *l = open_loader(ctx, d, (recon_loader_options){ .batch = BLOBS, .flip = 1 });
    recon_batch b;
    int mirrored = 0, total = 0;
    float plain[PIXELS];
    for (int step = 0; step < 40; step++) {
        recon_loader_next(&b, l);
        for (size_t i = 0; i < b.n; i++) {
            recon_dataset_get(plain, d, i);
            int same = 1, mirror = 1;
            for (int j = 0; j < PIXELS; j++) {
                same &= b.images[i * PIXELS + j] == plain[j];
                mirror &= b.images[i * PIXELS + j] == plain[j / SIDE * SIDE + SIDE - 1 - j % SIDE];
            }
            assert_true(same || mirror);
            total += i % 4 > 0; /* the others stand in the middle and are their own mirror image */
            mirrored += i % 4 > 0 && mirror;
        }
    }
    CHECK_NEAR((double)mirrored / total, 0.5, 0.1);
    recon_loader_close(l);
    l = open_loader(ctx, d, (recon_loader_options){ .batch = BLOBS, .views = 2, .flip = 1 });
    recon_loader_next(&b, l); /* both views of an image, or neither */
    assert_memory_equal(b.images, b.images + BLOBS * PIXELS, BLOBS * PIXELS * sizeof *b.images);
    recon_loader_close(l);
    CHECK_FAILS(ctx,
                recon_loader_open(ctx, &l, d, &(recon_loader_options){ .batch = 4, .views = 3 }),
                RECON_ERR_INPUT, "3 views: 1 or 2");
    CHECK_FAILS(ctx,
                recon_loader_open(ctx, &l, d, &(recon_loader_options){ .batch = 4, .shift = NAN }),
                RECON_ERR_INPUT, "shift nan");
    recon_dataset_close(d);
}

/* Images that are white within the disc and black beyond: so are their views within it, however they
 * are stretched, moved and resampled. */
static void views_from_inside_show_nothing_from_beyond(void **state)
{
    enum { N = 8, WHITE = 32 };
    recon_ctx *ctx = *state;
    recon_dataset *d;
    static unsigned char disc[N * WHITE * WHITE], bytes[16 + sizeof disc];
    double middle = (WHITE - 1) / 2.0;
    char spec[600];
    recon_batch b;
    for (int i = 0; i < N * WHITE * WHITE; i++)
        if (hypot(i / WHITE % WHITE - middle, i % WHITE - middle) < middle + 1.5)
            disc[i] = 255;
    size_t size = idx_bytes(bytes, 8, (uint32_t[]){ N, WHITE, WHITE }, 3, disc, sizeof disc);
    snprintf(spec, sizeof spec, "idx:%s", scratch_write("white-images", bytes, size));
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec));
    for (int inside = 0; inside < 2; inside++) {
        recon_loader *l = open_loader(ctx, d,
                                      (recon_loader_options){ .batch = N,
                                                              .views = 2,
                                                              .rotate = 1,
                                                              .shear = 0.2,
                                                              .scale = 0.2,
                                                              .shift = 4,
                                                              .all = 1,
                                                              .regrid = 1,
                                                              .inside = inside });
        float least = 1;
        for (int step = 0; step < 6; step++) {
            recon_loader_next(&b, l);
            for (int i = 0; i < 2 * N * WHITE * WHITE; i++)
                if (hypot(i / WHITE % WHITE - middle, i % WHITE - middle) < middle - 1.5)
                    least = fminf(least, b.images[i]);
        }
        assert_true(inside ? least > 0.99f : least < 0.5f);
        recon_loader_close(l);
    }
    recon_dataset_close(d);
}

static void threads_and_start_change_no_view(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_blobs(ctx);
    static float want[9][2 * 4 * PIXELS];
    for (int threads = 1; threads <= 3; threads++)
        for (uint64_t first = 0; first < 6; first += 5) {
            recon_loader *l = open_loader(ctx, d,
                                          (recon_loader_options){ .batch = 4,
                                                                  .shuffle = 1,
                                                                  .threads = threads,
                                                                  .first = first,
                                                                  .views = 2,
                                                                  .rotate = 1,
                                                                  .shear = 0.2,
                                                                  .shift = 1 });
            recon_batch b;
            for (uint64_t i = first; i < 9; i++) {
                recon_loader_next(&b, l);
                if (threads == 1 && first == 0)
                    memcpy(want[i], b.images, sizeof want[i]);
                assert_memory_equal(want[i], b.images, sizeof want[i]);
            }
            recon_loader_close(l);
        }
    assert_memory_not_equal(want[0], want[3], sizeof want[0]); /* a new epoch, new views */
    recon_dataset_close(d);
}

/* How four-cornered an image is, through a mask: its fourth angular moment. */
static double corners_of(const float *x, const float *through, size_t side)
{
    double c = 0, s = 0, all = 0;
    for (size_t i = 0; i < side * side; i++) {
        double up = (double)(side - 1) / 2 - (double)(i / side),
               right = (double)(i % side) - (double)(side - 1) / 2, angle = atan2(up, right),
               weight = (double)x[i] * (double)through[i] * hypot(up, right);
        c += weight * cos(4 * angle);
        s += weight * sin(4 * angle);
        all += weight;
    }
    return hypot(c, s) / all;
}

/* A view that is smaller than its picture shows the edges of that, and so how it was rotated; the edge of a
 * mask that is a disc shows nothing. */
static void a_masked_picture_has_no_corners(void **state)
{
    enum { WIDE = 24, COUNT = 16 };
    recon_ctx *ctx = *state;
    static float images[COUNT][WIDE * WIDE], disc[WIDE * WIDE];
    recon_array x = {
        .dtype = RECON_F32, .ndim = 3, .shape = { COUNT, WIDE, WIDE }, .data = images
    };
    recon_dataset *d = NULL;
    double most[2] = { 0 };
    for (int i = 0; i < WIDE * WIDE; i++) {
        double from = hypot(i / WIDE - (WIDE - 1) / 2.0, i % WIDE - (WIDE - 1) / 2.0);
        disc[i] = (float)fmin(fmax((WIDE - 1) / 2.0 - from, 0), 1);
        for (int k = 0; k < COUNT; k++)
            images[k][i] = 1;
    }
    CHECK_OK(ctx, recon_dataset_make(ctx, &d, &x, NULL, NULL));
    for (int masked = 0; masked < 2; masked++) {
        recon_loader *l = NULL;
        recon_batch b;
        CHECK_OK(ctx, recon_loader_open(ctx, &l, d,
                                        &(recon_loader_options){ .batch = COUNT,
                                                                 .rotate = 1,
                                                                 .scale = 0.4,
                                                                 .all = 1,
                                                                 .mask = masked ? disc : NULL }));
        recon_loader_next(&b, l);
        for (size_t i = 0; i < b.n; i++)
            most[masked] =
                fmax(most[masked], corners_of(b.images + i * (size_t)WIDE * WIDE, disc, WIDE));
        recon_loader_close(l);
    }
    CHECK_LESS(0.03, most[0]);
    CHECK_LESS(most[1], 0.01);
    recon_dataset_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_permutation_is_one_and_looks_random),
        SCRATCH_TEST(an_epoch_shows_each_image_once),
        SCRATCH_TEST(threads_and_start_change_nothing),
        SCRATCH_TEST(too_few_images_are_an_error),
        SCRATCH_TEST(views_rotate_back_by_their_angles),
        SCRATCH_TEST(regridding_leaves_views_where_they_are),
        SCRATCH_TEST(the_second_view_is_warped_within_bounds_and_the_first_is_not),
        SCRATCH_TEST(warps_do_not_rotate_on_average),
        SCRATCH_TEST(flips_mirror_half_of_the_images),
        SCRATCH_TEST(views_from_inside_show_nothing_from_beyond),
        SCRATCH_TEST(threads_and_start_change_no_view),
        cmocka_unit_test(a_masked_picture_has_no_corners),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
