/* sample.h - a page with one of everything, for the tests and for a browser. */
#ifndef TESTS_REPORT_SAMPLE_H
#define TESTS_REPORT_SAMPLE_H

#include <math.h>
#include "report/page.h"

enum { SAMPLE_FIGURES = 5, SAMPLE_TABLES = 3, SAMPLE_SECTIONS = 3, SAMPLE_THINGS = 5 };

static const uint8_t ethanol_z[] = { 6, 6, 8, 1, 1, 1, 1, 1, 1 };
static const float ethanol[] = { -0.824f, 0.290f,  0.548f,  0.482f, 0.115f,  -0.208f, 0.530f,
                                 -1.205f, -0.755f, 1.334f,  0.261f, 0.472f,  0.546f,  0.851f,
                                 -1.023f, -0.878f, 1.292f,  0.973f, -0.888f, -0.440f, 1.356f,
                                 -1.668f, 0.145f,  -0.126f, 1.366f, -1.309f, -1.236f };
static const float ethanol_upright[] = { -0.598f, -0.561f, -0.626f, 0.183f,  0.106f,  0.494f,
                                         0.982f,  1.156f,  -0.056f, 0.836f,  -0.630f, 0.987f,
                                         -0.509f, 0.525f,  1.239f,  -1.214f, -1.365f, -0.224f,
                                         0.088f,  -0.976f, -1.364f, -1.245f, 0.168f,  -1.115f,
                                         1.477f,  1.576f,  0.664f };
static const double sample_ring[9] = { 40, 0, 0, 0, 1, 0, 0, 0, 1 };
static const double sample_peak[9] = { 25, 0, 4, 0, 25, 0, -4, 0, 25 };
static const double sample_uniform[9] = { 0 };

static inline void sample_poses(recon_ctx *ctx, recon_page *page)
{
    static double angles[2][400];
    char *svg;
    for (int i = 0; i < 400; i++) {
        double x = (i + .5) / 400;
        angles[0][i] = 2 * M_PI * x;
        angles[1][i] = .35 * log(x / (1 - x)) * .5;
    }
    const recon_rose roses[] = { { "shirt, as it came", angles[0], 400, NULL, NULL, 0, 0, 0 },
                                 { "shirt, centred", angles[1], 400, NULL, NULL, 0, -.4, .4 },
                                 { "bag, as it came", angles[0], 400, NULL, NULL, 0, 0, 0 },
                                 { "bag, centred", angles[1], 400, NULL, NULL, 0, -.4, .4 } };
    recon_page_section(page, "Where they lie");
    recon_page_say(page,
                   "Each circle shows in which directions the %d garments of a class point. "
                   "Zero, the natural pose, is on top.",
                   400);
    recon_page_fail(
        page,
        recon_figure_roses(ctx, &svg, &(recon_roses){ .roses = roses, .rows = 1, .columns = 4 }));
    recon_page_figure(page, svg,
                      "Poses of two classes before and after centring, with the true "
                      "range as an arc. Nothing but the images was used to find it.");
    recon_page_table(page, "Width of each class, in degrees",
                     (const char *const[]){ "class", "found", "true", "error" }, 4);
    for (int i = 0; i < 2; i++) {
        recon_page_cell(page, "%s", i ? "bag" : "shirt");
        recon_page_cell(page, "%.1f \xc2\xb1 %.1f", 22.5 + i, .4);
        recon_page_cell(page, "%d", 23);
        recon_page_cell(page, "%.2f", i - .5);
    }
    recon_page_warning(page, "The class \"%s\" has two natural poses that share one image: %s",
                       "6 & 9", "its width is that of both, <together>.");
}

static inline void sample_quality(recon_ctx *ctx, recon_page *page)
{
    static const double x[] = { 0, 30, 60, 90, 120, 150, 180 };
    static const double before[] = { .91, .74, .31, .18, .16, .22, .35 };
    static const double after[] = { .89, .89, .885, .89, .887, .889, .89 };
    static const uint64_t counts[] = { 92, 6, 2, 9, 88, 3, 0, 4, 96 };
    char *svg;
    const recon_series series[] = { { "as they come", x, before, NULL, NULL, 7, 0, 0, 0, 0 },
                                    { "rotated back", x, after, NULL, NULL, 7, 0, 0, 0, 0 } };
    const recon_panel panel = { .x_label = "rotated by (degrees)",
                                .y_label = "accuracy",
                                .series = series,
                                .count = 2,
                                .degrees = 1,
                                .y_to = 1 };
    recon_page_section(page, "What a frozen classifier makes of it");
    recon_page_fail(
        page, recon_figure_chart(
                  ctx, &svg, &(recon_chart){ .title = "Accuracy", .panels = &panel, .count = 1 }));
    recon_page_figure(page, svg, "The classifier has never seen a rotated image.");
    recon_page_table(page, "Accuracy by angle", (const char *const[]){ "angle", "before", "after" },
                     3);
    for (int i = 0; i < 7; i++) {
        recon_page_cell(page, "%g\xc2\xb0", x[i]);
        recon_page_cell(page, "%.1f %%", 100 * before[i]);
        recon_page_cell(page, "%.1f %%", 100 * after[i]);
    }
    recon_page_fail(
        page, recon_figure_confusion(
                  ctx, &svg,
                  &(recon_confusion){ .counts = counts,
                                      .classes = 3,
                                      .names = (const char *const[]){ "shirt", "bag", "boot" } }));
    recon_page_figure(page, svg, "Which classes are taken for which, after rotating back.");
}

static const double sample_up[3] = { 0, 0, 1 };

static inline void sample_space(recon_page *page)
{
    const recon_molecule_picture molecules[] = { { "as it came", 9, ethanol_z, ethanol, NULL },
                                                 { 0 },
                                                 { "natural pose", 9, ethanol_z, ethanol_upright,
                                                   sample_up } };
    const recon_sphere spheres[] = { { "ring", sample_ring },
                                     { "peak", sample_peak },
                                     { "uniform", sample_uniform } };
    recon_page_section(page, "Molecules");
    recon_page_molecules(
        page,
        &(recon_molecule_sheet){ .molecules = molecules, .rows = 1, .columns = 3, .cell = 220 },
        "Ethanol before and after it was rotated into its natural pose.");
    recon_page_spheres(
        page, &(recon_sphere_sheet){ .spheres = spheres, .rows = 1, .columns = 3, .cell = 200 },
        "Where its poses take the axes: the denser, the deeper the colour.");
    recon_page_table(page, "Concentrations",
                     (const char *const[]){ "distribution", "a", "b", "c", "note" }, 5);
    for (int i = 0; i < 3; i++) {
        recon_page_cell(page, "%s", spheres[i].caption);
        for (int k = 0; k < 3; k++)
            recon_page_cell(page, "%.1f", spheres[i].f[4 * k]);
        recon_page_cell(page, "%s", i ? "" : "rotates freely about x");
    }
}

/* Everything once; the page may have failed. */
static inline void sample_fill(recon_ctx *ctx, recon_page *page)
{
    recon_page_result(page, "accuracy, rotated back", "%.1f %%", 89.04);
    recon_page_result(page, "accuracy, as they come", "%.1f %%", 31.2);
    recon_page_result(page, "error of the poses", "%.1f\xc2\xb0", 6.4);
    recon_page_result(page, "images, no labels", "%s", "1,500");
    recon_page_say(page,
                   "Every number on this page was computed on this machine, by `recon demo`, in "
                   "%d seconds.",
                   37);
    sample_poses(ctx, page);
    sample_quality(ctx, page);
    sample_space(page);
}

#endif
