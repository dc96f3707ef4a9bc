/* The other methods do what they say: axes rotate with their image, neighbours vote. */
#include "check.h"

#include "lab/reproduce.h"

#include <recon/group/so2.h>

enum { SIDE = 33 };

/* A club: a thin bar, and a ball at one end, so that its axis has a direction. */
static void draw_club(float *image, double angle)
{
    for (int i = 0; i < SIDE * SIDE; i++) {
        double x = i % SIDE - SIDE / 2, y = SIDE / 2 - i / SIDE;
        double along = x * cos(angle) + y * sin(angle), across = y * cos(angle) - x * sin(angle);
        double bar = fabs(along) < 9 ? exp(-across * across / 2) : 0;
        double ball = exp(-((along - 8) * (along - 8) + across * across) / 6);
        image[i] = (float)fmin(1, bar + ball);
    }
}

static void the_axis_rotates_with_the_image(void **state)
{
    float image[SIDE * SIDE], rotated[SIDE * SIDE];
    (void)state;
    draw_club(image, 0.3);
    double at = baseline_axis(image, SIDE, SIDE, 1);
    CHECK_NEAR(fabs(sin(at - 0.3)), 0, 0.02); /* along the bar, either way */
    for (int k = 1; k < 12; k++) {
        double angle = 2 * M_PI * k / 12;
        recon_image_rotate(rotated, image, SIDE, SIDE, 1, angle, RECON_BILINEAR);
        CHECK_NEAR(recon_so2_distance(baseline_axis(rotated, SIDE, SIDE, 1), at + angle), 0, 0.02);
    }
}

static void an_empty_image_has_no_axis(void **state)
{
    float image[SIDE * SIDE] = { 0 };
    (void)state;
    CHECK_NEAR(baseline_axis(image, SIDE, SIDE, 1), 0, 1e-12);
}

static void neighbours_vote(void **state)
{
    recon_ctx *ctx = *state;
    const int64_t among[] = { 0, 1, 1, 2, 2 };
    const int64_t near[] = { 0, 1, 2, /* 1 has most */ 3, 0, 1, /* a tie: the nearest */ 4, 3, 0 };
    const int64_t labels[] = { 1, 2, 0 };
    double share;
    CHECK_OK(ctx, baseline_by_neighbours(ctx, &share, near, 3, 3, among, labels, 3));
    CHECK_NEAR(share, 2.0 / 3, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_axis_rotates_with_the_image),
        cmocka_unit_test(an_empty_image_has_no_axis),
        cmocka_unit_test_setup_teardown(neighbours_vote, check_setup, check_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
