/* The way between input and canonical image: points, vectors, boxes and masks go where the pixels
 * go, and come back. */
#include "check.h"

#include <recon/model/pose.h>
#include <stdlib.h>

enum { H = 9, W = 9, POINTS = 50 };
#define PI 3.14159265358979323846

static recon_pose rotated(double rotation)
{
    return (recon_pose){ .rotation = { rotation } };
}

static void draw(double *out, size_t n, recon_rng *rng)
{
    for (size_t i = 0; i < n; i++)
        out[i] = 12 * recon_rng_uniform(rng) - 2;
}

static void check_near_n(const double *got, const double *want, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++)
        CHECK_NEAR(got[i], want[i], tolerance);
}

static void there_and_back_is_the_identity(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(1, 0);
    for (int round = 0; round < 20; round++) {
        double in[2 * POINTS], out[2 * POINTS];
        recon_pose pose = rotated(2 * PI * recon_rng_uniform(&rng) - PI);
        draw(in, 2 * POINTS, &rng);
        recon_pose_points(out, &pose, RECON_TO_CANONICAL, in, POINTS, H, 2 * W);
        recon_pose_points(out, &pose, RECON_TO_INPUT, out, POINTS, H, 2 * W);
        check_near_n(out, in, 2 * POINTS, 1e-12);
        recon_pose_vectors(out, &pose, RECON_TO_INPUT, in, POINTS);
        recon_pose_vectors(out, &pose, RECON_TO_CANONICAL, out, POINTS);
        check_near_n(out, in, 2 * POINTS, 1e-12);
    }
}

/* A point moves by the same rotate as the step to it from another point. */
static void vectors_are_differences_of_points(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(2, 0);
    double p[4], q[4], v[2], w[2];
    recon_pose pose = rotated(0.7);
    draw(p, 4, &rng);
    recon_pose_points(q, &pose, RECON_TO_CANONICAL, p, 2, H, W);
    v[0] = p[2] - p[0];
    v[1] = p[3] - p[1];
    recon_pose_vectors(w, &pose, RECON_TO_CANONICAL, v, 1);
    CHECK_NEAR(w[0], q[2] - q[0], 1e-12);
    CHECK_NEAR(w[1], q[3] - q[1], 1e-12);
}

/* Quarter rotates take pixels to pixels: the point of a pixel arrives where the pixel does. */
static void points_go_where_the_pixels_go(void **state)
{
    (void)state;
    for (int quarter = -1; quarter <= 2; quarter++)
        for (size_t i = 0; i < H; i++)
            for (size_t j = 0; j < W; j++) {
                float in[H * W] = { 0 }, out[H * W];
                double at[2] = { (double)j, (double)i };
                recon_pose pose = rotated(quarter * PI / 2);
                in[i * W + j] = 1;
                recon_pose_image(out, &pose, RECON_TO_CANONICAL, in, H, W, 1, RECON_BILINEAR);
                recon_pose_points(at, &pose, RECON_TO_CANONICAL, at, 1, H, W);
                CHECK_NEAR(at[0], round(at[0]), 1e-12);
                CHECK_NEAR(at[1], round(at[1]), 1e-12);
                size_t to = (size_t)round(at[1]) * W + (size_t)round(at[0]);
                CHECK_NEAR((double)out[to], 1, 1e-6);
            }
}

/* A bright spot between pixels, at any angle: its centre of mass moves as the point does. */
static void a_spot_moves_as_its_centre(void **state)
{
    (void)state;
    enum { S = 33 };
    const double angles[] = { 0.3, -1.1, 2.5 };
    float in[S * S], out[S * S];
    double at[2] = { 20.3, 11.6 }, want[2];
    for (size_t i = 0; i < S * S; i++) {
        double x = (double)(i % S) - at[0], y = (double)(i / S) - at[1];
        in[i] = (float)exp(-(x * x + y * y) / 8);
    }
    for (int a = 0; a < 3; a++) {
        double mass = 0, x = 0, y = 0;
        recon_pose pose = rotated(angles[a]);
        recon_pose_points(want, &pose, RECON_TO_CANONICAL, at, 1, S, S);
        recon_pose_image(out, &pose, RECON_TO_CANONICAL, in, S, S, 1, RECON_BILINEAR);
        for (size_t i = 0; i < S * S; i++) {
            mass += (double)out[i];
            x += (double)out[i] * (double)(i % S);
            y += (double)out[i] * (double)(i / S);
        }
        CHECK_NEAR(x / mass, want[0], 0.01);
        CHECK_NEAR(y / mass, want[1], 0.01);
    }
}

static void boxes_are_hulls(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(3, 0);
    for (int round = 0; round < 50; round++) {
        double box[4], hull[4], corner[8], low[2] = { 1e9, 1e9 }, high[2] = { -1e9, -1e9 };
        recon_pose pose = rotated(2 * PI * recon_rng_uniform(&rng) - PI);
        draw(box, 2, &rng);
        box[2] = box[0] + 1 + recon_rng_uniform(&rng);
        box[3] = box[1] + 3 * recon_rng_uniform(&rng);
        for (int i = 0; i < 4; i++) {
            corner[2 * i] = box[i & 1 ? 2 : 0];
            corner[2 * i + 1] = box[i & 2 ? 3 : 1];
        }
        recon_pose_points(corner, &pose, RECON_TO_INPUT, corner, 4, H, W);
        for (int i = 0; i < 8; i++) {
            low[i & 1] = fmin(low[i & 1], corner[i]);
            high[i & 1] = fmax(high[i & 1], corner[i]);
        }
        recon_pose_boxes(hull, &pose, RECON_TO_INPUT, box, 1, H, W);
        check_near_n(hull, low, 2, 1e-12);
        check_near_n(hull + 2, high, 2, 1e-12);
        recon_pose_boxes(hull, &pose, RECON_TO_CANONICAL, hull, 1, H, W); /* back: it holds box */
        for (int i = 0; i < 2; i++) {
            CHECK_LESS(hull[i], box[i] + 1e-12);
            CHECK_LESS(box[2 + i], hull[2 + i] + 1e-12);
        }
    }
}

/* Labels stay labels, quarter turns bring them all back, and a full square keeps its middle at any
 * angle. */
static void labels_are_never_mixed(void **state)
{
    (void)state;
    int32_t in[H * W], out[H * W], back[H * W];
    for (int i = 0; i < H * W; i++)
        in[i] = 1000000 + i;
    for (int quarter = -1; quarter <= 2; quarter++) {
        recon_pose pose = rotated(quarter * PI / 2);
        recon_pose_labels(out, &pose, RECON_TO_CANONICAL, in, H, W);
        recon_pose_labels(back, &pose, RECON_TO_INPUT, out, H, W);
        assert_memory_equal(back, in, sizeof in);
    }
    recon_pose pose = rotated(PI / 4);
    recon_pose_labels(out, &pose, RECON_TO_CANONICAL, in, H, W);
    for (int i = 0; i < H * W; i++)
        assert_true(out[i] == 0 || (out[i] >= in[0] && out[i] <= in[H * W - 1]));
    assert_int_equal(out[H * W / 2], in[H * W / 2]);
    assert_int_equal(out[0], 0); /* from beyond the corner */
}

/* A mask of one label goes where its image goes. */
static void labels_agree_with_the_image(void **state)
{
    (void)state;
    int32_t mask[H * W] = { 0 }, rotated_mask[H * W];
    float image[H * W] = { 0 }, rotated_image[H * W];
    recon_pose pose = rotated(0.6);
    for (int i = 2; i < 7; i++)
        for (int j = 3; j < 8; j++) {
            mask[i * W + j] = 1;
            image[i * W + j] = 1;
        }
    recon_pose_labels(rotated_mask, &pose, RECON_TO_CANONICAL, mask, H, W);
    recon_pose_image(rotated_image, &pose, RECON_TO_CANONICAL, image, H, W, 1, RECON_BILINEAR);
    for (int i = 0; i < H * W; i++)
        if (rotated_image[i] > 0.8f || rotated_image[i] < 0.2f)
            assert_int_equal(rotated_mask[i], rotated_image[i] > 0.5f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back_is_the_identity),
        cmocka_unit_test(vectors_are_differences_of_points),
        cmocka_unit_test(points_go_where_the_pixels_go),
        cmocka_unit_test(a_spot_moves_as_its_centre),
        cmocka_unit_test(boxes_are_hulls),
        cmocka_unit_test(labels_are_never_mixed),
        cmocka_unit_test(labels_agree_with_the_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
