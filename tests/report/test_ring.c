/* Circles: shares that sum to one, areas that are shares, angles on the right side. */
#include "check.h"
#include "xml.h"
#include "report/canvas.h"

static recon_ring ring_of(double peak)
{
    recon_ring ring = recon_ring_at(100, 100, 80);
    ring.peak = peak;
    return ring;
}

static void histograms_are_densities(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(1, 0);
    double angles[500], densities[360];
    for (size_t bins = 1; bins <= 360; bins += 7) {
        double sum = 0;
        for (size_t i = 0; i < 500; i++)
            angles[i] = 20 * recon_rng_normal(&rng); /* many rotates away */
        recon_ring_histogram(densities, angles, 500, bins);
        for (size_t i = 0; i < bins; i++)
            sum += densities[i] * 2 * M_PI / (double)bins;
        CHECK_NEAR(sum, 1, 1e-12);
    }
}

static void the_first_bin_is_centred_on_zero(void **state)
{
    (void)state;
    const double near[] = { -0.08, 0, 0.08, 2 * M_PI }; /* within 5 degrees */
    double densities[36];
    recon_ring_histogram(densities, near, 4, 36);
    CHECK_NEAR(densities[0], 36 / (2 * M_PI), 1e-12);
    const double rotated[] = { M_PI / 2, M_PI, -M_PI, -M_PI / 2 };
    recon_ring_histogram(densities, rotated, 4, 36);
    CHECK_NEAR(densities[9], 9 / (2 * M_PI), 1e-12); /* a quarter each, and both ends in one bin */
    CHECK_NEAR(densities[18], 18 / (2 * M_PI), 1e-12);
    CHECK_NEAR(densities[27], 9 / (2 * M_PI), 1e-12);
}

/* The sectors' radii, as drawn, give back the share of each bin. */
static void drawn_areas_are_shares(void **state)
{
    recon_rng rng = recon_rng_new(2, 0);
    double angles[400], densities[24], area = 0;
    recon_svg *svg;
    char *text;
    for (size_t i = 0; i < 400; i++)
        angles[i] = recon_rng_normal(&rng);
    recon_ring_histogram(densities, angles, 400, 24);
    recon_ring ring = ring_of(2);
    CHECK_OK(*state, recon_svg_new(*state, &svg, 200, 200, NULL));
    recon_ring_draw_bars(svg, &ring, "bars", densities, 24);
    CHECK_OK(*state, recon_svg_finish(svg, &text));
    for (const char *at = text; (at = strchr(at, 'A')); at++) {
        double r = strtod(at + 1, NULL);
        area += (r * r - ring.hole * ring.hole) / 2 * (2 * M_PI / 24);
    }
    double whole = (ring.rim * ring.rim - ring.hole * ring.hole) / 2; /* of one radian */
    CHECK_NEAR(area / whole * ring.peak, 1, 2e-3);
    free(text);
}

static void beyond_the_peak_a_density_is_cut(void **state)
{
    (void)state;
    recon_ring ring = ring_of(0.5);
    CHECK_NEAR(recon_ring_radius(&ring, 0), ring.hole, 1e-12);
    CHECK_NEAR(recon_ring_radius(&ring, 0.5), ring.rim, 1e-12);
    CHECK_NEAR(recon_ring_radius(&ring, 1e9), ring.rim, 1e-12);
    CHECK_NEAR(recon_ring_radius(&ring, INFINITY), ring.rim, 1e-12);
}

static void mark_at(void *arg, const xml_tag *tag)
{
    double *at = arg;
    if (strcmp(tag->name, "circle") == 0) {
        at[0] = xml_number(tag, "cx");
        at[1] = xml_number(tag, "cy");
    }
}

static void zero_is_on_top_and_angles_go_counter_clockwise(void **state)
{
    static const double angle[] = { 0, M_PI / 2, M_PI, -M_PI / 2 };
    static const double want[][2] = { { 100, 20 }, { 20, 100 }, { 100, 180 }, { 180, 100 } };
    recon_ring ring = ring_of(1);
    for (int i = 0; i < 4; i++) {
        recon_svg *svg;
        char *text;
        double at[2] = { 0, 0 };
        CHECK_OK(*state, recon_svg_new(*state, &svg, 200, 200, NULL));
        recon_ring_draw_mark(svg, &ring, "mark", angle[i]);
        CHECK_OK(*state, recon_svg_finish(svg, &text));
        xml_walk(text, mark_at, at);
        CHECK_NEAR(at[0], want[i][0], 0.01);
        CHECK_NEAR(at[1], want[i][1], 0.01);
        free(text);
    }
}

/* The total angle of a range as drawn: the sum of its arcs, each by its chord. */
static double drawn_span(recon_ctx *ctx, double from, double to)
{
    recon_ring ring = ring_of(1);
    recon_svg *svg;
    char *text, *at;
    double x, y, span = 0;
    CHECK_OK(ctx, recon_svg_new(ctx, &svg, 200, 200, NULL));
    recon_ring_draw_range(svg, &ring, "range", from, to);
    CHECK_OK(ctx, recon_svg_finish(svg, &text));
    at = strstr(text, "d=\"M") + 4;
    x = strtod(at, &at);
    y = strtod(at, &at);
    while (*at == 'A') {
        double r = strtod(at + 1, &at), to_x, to_y;
        strtod(at, &at);                                /* both radii */
        assert_int_equal(strncmp(at, " 0 0 0 ", 7), 0); /* counter-clockwise */
        at += 7;
        to_x = strtod(at, &at);
        to_y = strtod(at, &at);
        span += 2 * asin(hypot(to_x - x, to_y - y) / (2 * r));
        x = to_x;
        y = to_y;
    }
    free(text);
    return span;
}

static void every_quarter_has_its_angle(void **state)
{
    static const char *const angle[] = { ">0\xc2\xb0<", ">90\xc2\xb0<", ">180\xc2\xb0<",
                                         ">\xe2\x88\x92"
                                         "90\xc2\xb0<" };
    recon_ring ring = ring_of(1);
    recon_svg *svg;
    char *text;
    CHECK_OK(*state, recon_svg_new(*state, &svg, 200, 200, NULL));
    recon_ring_draw_labels(svg, &ring);
    CHECK_OK(*state, recon_svg_finish(svg, &text));
    for (int i = 0; i < 4; i++)
        assert_non_null(strstr(text, angle[i]));
    free(text);
}

static void a_range_goes_counter_clockwise(void **state)
{
    CHECK_NEAR(drawn_span(*state, -1, 1), 2, 1e-3);
    CHECK_NEAR(drawn_span(*state, 3, -3), 2 * M_PI - 6, 1e-3);
    CHECK_NEAR(drawn_span(*state, -M_PI, M_PI), 2 * M_PI, 1e-3);
    CHECK_NEAR(drawn_span(*state, 0, 20), 2 * M_PI, 1e-3);
    CHECK_NEAR(drawn_span(*state, 1, 0.5), 2 * M_PI - 0.5, 1e-3);
}

static void the_peak_of_a_density_is_its_highest_value(void **state)
{
    (void)state;
    recon_so2_density arc = { .family = RECON_SO2_UNIFORM, .width = 0.5 };
    CHECK_NEAR(recon_density_peak(&arc), 1, 1e-9);
    recon_so2_density p = { .family = RECON_SO2_VONMISES, .width = 4, .center = 1 };
    CHECK_NEAR(recon_density_peak(&p), exp(recon_so2_log_density(&p, 1)), 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histograms_are_densities),
        cmocka_unit_test(the_first_bin_is_centred_on_zero),
        cmocka_unit_test(drawn_areas_are_shares),
        cmocka_unit_test(beyond_the_peak_a_density_is_cut),
        cmocka_unit_test(zero_is_on_top_and_angles_go_counter_clockwise),
        cmocka_unit_test(every_quarter_has_its_angle),
        cmocka_unit_test(a_range_goes_counter_clockwise),
        cmocka_unit_test(the_peak_of_a_density_is_its_highest_value),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
