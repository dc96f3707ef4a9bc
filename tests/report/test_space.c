/* Figures of things in space: well-formed, inside their paper, the same each time; a sphere shows
 * where the axes go, a molecule its atoms and bonds, a histogram every value once. */
#include "scratch.h"
#include "xml.h"
#include "core/picture.h"
#include "report/figure.h"
#include "report/canvas.h"

static const double ring[9] = { 100, 0, 0, 0, .001, 0, 0, 0, .001 };
static const double uniform[9] = { 0 };
static const uint8_t water_z[] = { 8, 1, 1 };
static const float water[] = { 0, 0, 0, .96f, 0, 0, -.24f, .93f, 0 };
static const double values[] = { 1, 2, 2, 3, 99, -5 };

static recon_status spheres(recon_ctx *ctx, char **out)
{
    const recon_sphere s[] = { { "ring", ring }, { NULL, uniform }, { NULL, NULL } };
    return recon_figure_spheres(
        ctx, out,
        &(recon_sphere_sheet){ .title = "spheres <&>",
                               .spheres = s,
                               .rows = 1,
                               .columns = 3,
                               .headings = (const char *const[]){ "truth", "fit", "none" },
                               .names = (const char *const[]){ "C2H6O" } });
}

static recon_status molecules(recon_ctx *ctx, char **out)
{
    const recon_molecule_picture m[] = { { "water", 3, water_z, water, NULL }, { 0 } };
    return recon_figure_molecules(
        ctx, out, &(recon_molecule_sheet){ .molecules = m, .rows = 2, .columns = 1 });
}

static recon_status histogram(recon_ctx *ctx, char **out)
{
    return recon_figure_histogram(ctx, out,
                                  &(recon_histogram_plot){ .title = "errors",
                                                           .values = values,
                                                           .count = 6,
                                                           .from = 0,
                                                           .to = 4,
                                                           .bins = 4,
                                                           .marks = &(recon_mark){ "half", 2 },
                                                           .mark_count = 1 });
}

static recon_status pose3(recon_ctx *ctx, char **out)
{
    return recon_figure_pose3(ctx, out,
                              &(recon_pose3_plot){ .title = "water",
                                                   .input = { "tilted", 3, water_z, water, NULL },
                                                   .canonical = { NULL, 3, water_z, water, NULL },
                                                   .poses = { "a ring", ring } });
}

typedef recon_status maker(recon_ctx *ctx, char **out);
static maker *const makers[] = { spheres, molecules, histogram, pose3 };
enum { MAKERS = 4 };

static void figures_are_well_formed_inside_and_repeat(void **state)
{
    for (int i = 0; i < MAKERS; i++) {
        char *one, *two;
        CHECK_OK(*state, makers[i](*state, &one));
        CHECK_OK(*state, makers[i](*state, &two));
        xml_check_inside(one);
        assert_string_equal(one, two);
        free(one);
        free(two);
    }
}

static recon_status make_and_free(recon_ctx *ctx, maker *make)
{
    char *out;
    recon_status status = make(ctx, &out);
    free(out);
    return status;
}

static void memory_may_run_out_anywhere(void **state)
{
    for (int i = 0; i < MAKERS; i++)
        CHECK_ALLOCATIONS(*state, make_and_free(*state, makers[i]));
}

/* Pixel of the picture where a place in space is seen. */
static const uint8_t *pixel_at(const recon_pixels *p, const double u[3])
{
    double seen[3], half = (double)p->width / 2;
    recon_view(seen, u);
    size_t x = (size_t)(half + half * .9 * seen[0]), y = (size_t)(half - half * .9 * seen[1]);
    return p->bytes + (y * p->width + x) * p->channels;
}

/* A ring about x takes x to x, and y and z anywhere across it: blue there, and never at 45 degrees
 * between them. */
static void a_ring_is_a_spot_and_a_circle(void **state)
{
    static unsigned char bytes[200000];
    const double x[3] = { 1, 0, 0 }, between[3] = { .7071, .5, .5 },
                 across[3] = { 0, .7071, .7071 };
    recon_sphere s = { NULL, ring };
    recon_pixels got;
    char *out;
    CHECK_OK(*state,
             recon_figure_spheres(*state, &out,
                                  &(recon_sphere_sheet){ .spheres = &s, .rows = 1, .columns = 1 }));
    size_t size = xml_base64(bytes, out);
    CHECK_OK(*state, recon_picture_whole(*state, &got, recon_png_scan, bytes, size, "embedded"));
    const uint8_t *spot = pixel_at(&got, x), *none = pixel_at(&got, between);
    assert_true(spot[2] > spot[0] + 100); /* blue */
    assert_true(abs(none[2] - none[0]) < 12 && none[0] > 200);
    assert_true(pixel_at(&got, across)[0] < 200);
    free(got.bytes);
    free(out);
}

typedef struct {
    double along[3][2]; /* of the ends of the axes, up the page as they are seen */
    int n;
} axes;

static void one_axis(void *arg, const xml_tag *tag)
{
    axes *a = arg;
    static const char *const cls[] = { "c1 thin", "c2 thin", "c3 thin" };
    if (a->n == 3 || strcmp(tag->name, "line") != 0 || !xml_has_class(tag, cls[a->n]))
        return;
    a->along[a->n][0] = xml_number(tag, "x2") - xml_number(tag, "x1");
    a->along[a->n++][1] = xml_number(tag, "y1") - xml_number(tag, "y2");
}

/* The ends of x, y and z leave the sphere where these axes do. */
static void axes_point_where_they_are_seen(void **state)
{
    recon_sphere s = { NULL, ring };
    axes drawn = { .n = 0 };
    char *out;
    CHECK_OK(*state,
             recon_figure_spheres(*state, &out,
                                  &(recon_sphere_sheet){ .spheres = &s, .rows = 1, .columns = 1 }));
    xml_walk(out, one_axis, &drawn);
    assert_int_equal(drawn.n, 3);
    for (int k = 0; k < 3; k++) {
        const double axis[3] = { k == 0, k == 1, k == 2 }, *along = drawn.along[k];
        double seen[3];
        recon_view(seen, axis);
        CHECK_LESS(0.5, along[0] * seen[0] + along[1] * seen[1]);
        CHECK_NEAR(along[0] * seen[1] - along[1] * seen[0], 0, 0.02);
    }
    free(out);
}

/* A pose that is known in all three axes: each is strongly coloured where it stands. */
static void a_known_pose_is_three_spots(void **state)
{
    static unsigned char bytes[200000];
    const double known[9] = { 100, 0, 0, 0, 100, 0, 0, 0, 100 };
    recon_sphere s = { NULL, known };
    recon_pixels got;
    char *out;
    CHECK_OK(*state,
             recon_figure_spheres(*state, &out,
                                  &(recon_sphere_sheet){ .spheres = &s, .rows = 1, .columns = 1 }));
    size_t size = xml_base64(bytes, out);
    CHECK_OK(*state, recon_picture_whole(*state, &got, recon_png_scan, bytes, size, "embedded"));
    for (int k = 0; k < 3; k++) {
        const double axis[3] = { k == 0, k == 1, k == 2 };
        const uint8_t *spot = pixel_at(&got, axis);
        assert_true(fmax(abs(spot[0] - spot[2]), abs(spot[0] - spot[1])) > 60);
    }
    free(got.bytes);
    free(out);
}

/* A spot on the far side shows through, fainter than on the near one. */
static void a_sphere_is_of_glass(void **state)
{
    static unsigned char bytes[200000];
    double away[3], beside[3], f[9] = { 0 };
    recon_sphere s = { NULL, f };
    recon_pixels got;
    char *out;
    recon_view_back(away, (double[3]){ 0, 0, -1 });
    recon_view_back(beside, (double[3]){ .7, 0, -.7 });
    for (int i = 0; i < 3; i++)
        f[3 * i] = 100 * away[i]; /* takes x there */
    CHECK_OK(*state,
             recon_figure_spheres(*state, &out,
                                  &(recon_sphere_sheet){ .spheres = &s, .rows = 1, .columns = 1 }));
    size_t size = xml_base64(bytes, out);
    CHECK_OK(*state, recon_picture_whole(*state, &got, recon_png_scan, bytes, size, "embedded"));
    const uint8_t *spot = pixel_at(&got, away), *none = pixel_at(&got, beside);
    assert_in_range(spot[2] - spot[0], 30, 100); /* pale blue */
    assert_true(abs(none[2] - none[0]) < 12);
    free(got.bytes);
    free(out);
}

static void the_view_is_a_rotation(void **state)
{
    (void)state;
    double m[3][3], back[3];
    for (int k = 0; k < 3; k++) {
        double axis[3] = { k == 0, k == 1, k == 2 };
        recon_view(m[k], axis);
        recon_view_back(back, m[k]);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(back[i], axis[i], 1e-12);
    }
    double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                 m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                 m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    CHECK_NEAR(det, 1, 1e-12);
}

static void water_has_three_atoms_and_two_bonds(void **state)
{
    char *out;
    CHECK_OK(*state, molecules(*state, &out));
    assert_int_equal(xml_count(out, "circle", "atom hydrogen"), 2);
    assert_int_equal(xml_count(out, "circle", "atom oxygen"), 1);
    assert_int_equal(xml_count(out, "line", "bond"), 2);
    free(out);
}

static void a_pose_shows_the_molecule_twice_and_a_sphere(void **state)
{
    char *out;
    CHECK_OK(*state, pose3(*state, &out));
    assert_int_equal(xml_count(out, "circle", "atom oxygen"), 2);
    assert_int_equal(xml_count(out, "line", "bond"), 4);
    assert_non_null(strstr(out, "image/png"));
    assert_non_null(strstr(out, "natural pose"));
    assert_int_equal(xml_count(out, "line", "pole"), 0); /* none is known */
    free(out);
}

static void a_pose_shows_the_axis_where_it_is_known(void **state)
{
    char *out;
    const double now[3] = { 0.6, 0, 0.8 }, up[3] = { 0, 0, 1 }, bad[3] = { 0, 0, NAN };
    recon_pose3_plot p = { .input = { "tilted", 3, water_z, water, now },
                           .canonical = { NULL, 3, water_z, water, up },
                           .poses = { "a ring", ring } };
    CHECK_OK(*state, recon_figure_pose3(*state, &out, &p));
    assert_int_equal(xml_count(out, "line", "pole"), 4); /* two halves each */
    assert_int_equal(xml_count(out, "circle", "pole"), 2);
    free(out);
    p.canonical.axis = bad;
    CHECK_FAILS(*state, recon_figure_pose3(*state, &out, &p), RECON_ERR_INPUT, "axis 2 is nan");
}

static void a_histogram_counts_everything(void **state)
{
    char *out;
    CHECK_OK(*state, histogram(*state, &out)); /* bars 1, 1, 2, 2: the ends take what is beyond */
    assert_int_equal(xml_count(out, "rect", "c1 area"), 4);
    assert_int_equal(xml_count(out, "line", "c2 line dashed"),
                     2); /* in the picture and in the legend */
    free(out);
}

static void what_cannot_be_shown_is_refused(void **state)
{
    char *out;
    double bad[9] = { NAN };
    float far[3] = { 0, INFINITY, 0 };
    recon_sphere s = { NULL, bad }, none = { NULL, NULL };
    recon_molecule_picture m = { NULL, 1, water_z, far, NULL }, nothing = { 0 };
    CHECK_FAILS(*state,
                recon_figure_spheres(
                    *state, &out, &(recon_sphere_sheet){ .spheres = &s, .rows = 1, .columns = 1 }),
                RECON_ERR_INPUT, "entry of F 0 is nan (sphere 0)");
    CHECK_FAILS(
        *state,
        recon_figure_spheres(*state, &out,
                             &(recon_sphere_sheet){ .spheres = &none, .rows = 1, .columns = 1 }),
        RECON_ERR_INPUT, "nothing to show");
    CHECK_FAILS(
        *state,
        recon_figure_molecules(*state, &out,
                               &(recon_molecule_sheet){ .molecules = &m, .rows = 1, .columns = 1 }),
        RECON_ERR_INPUT, "atom 0 of picture 0 at inf");
    CHECK_FAILS(*state,
                recon_figure_molecules(
                    *state, &out,
                    &(recon_molecule_sheet){ .molecules = &nothing, .rows = 1, .columns = 1 }),
                RECON_ERR_INPUT, "nothing to show");
    CHECK_FAILS(*state,
                recon_figure_pose3(*state, &out,
                                   &(recon_pose3_plot){ .input = { NULL, 3, water_z, water },
                                                        .poses = { NULL, ring } }),
                RECON_ERR_INPUT, "is missing");
    CHECK_FAILS(*state, recon_figure_histogram(*state, &out, &(recon_histogram_plot){ .count = 0 }),
                RECON_ERR_INPUT, "no points");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_well_formed_inside_and_repeat),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(a_ring_is_a_spot_and_a_circle),
        cmocka_unit_test(axes_point_where_they_are_seen),
        cmocka_unit_test(a_known_pose_is_three_spots),
        cmocka_unit_test(a_sphere_is_of_glass),
        cmocka_unit_test(the_view_is_a_rotation),
        cmocka_unit_test(water_has_three_atoms_and_two_bonds),
        cmocka_unit_test(a_pose_shows_the_molecule_twice_and_a_sphere),
        cmocka_unit_test(a_pose_shows_the_axis_where_it_is_known),
        cmocka_unit_test(a_histogram_counts_everything),
        cmocka_unit_test(what_cannot_be_shown_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
