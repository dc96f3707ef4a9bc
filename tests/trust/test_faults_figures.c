/* Figures and pages while memory runs out, one request after the other. tests/report/test_figure.c
 * does the same by the library's own count; here what libpng and the bonds need runs out too. */
#include "faults.h"

#include "report/page.h"

static float pixels[6 * 6];
static double angles[50];
static const double fisher[9] = { 20, 0, 0, 0, 1, 0, 0, 0, 1 };
static const uint8_t z[] = { 8, 1, 1 };
static const float xyz[] = { 0, 0, 0, 0.96f, 0, 0, -0.24f, 0.93f, 0 };

static const recon_picture pictures[] = { { pixels, 6, 6, 1, "one" }, { pixels, 4, 3, 3, "two" } };
static const recon_rose rose = { .name = "rose", .angles = angles, .count = 50 };
static const recon_molecule_picture water = { "water", 3, z, xyz, NULL };
static const recon_sphere sphere = { "poses", fisher };

static recon_status finish(recon_status status, char *text, digest *out)
{
    if (status == RECON_OK)
        digest_add(out, text, strlen(text));
    free(text);
    return status;
}

static recon_status gallery(recon_ctx *ctx, const void *arg, digest *out)
{
    char *text = NULL;
    (void)arg;
    recon_status status = recon_figure_gallery(
        ctx, &text,
        &(recon_gallery){ .title = "t", .pictures = pictures, .rows = 1, .columns = 2 });
    return finish(status, text, out);
}

static recon_status roses(recon_ctx *ctx, const void *arg, digest *out)
{
    char *text = NULL;
    (void)arg;
    recon_status status = recon_figure_roses(
        ctx, &text, &(recon_roses){ .title = "t", .roses = &rose, .rows = 1, .columns = 1 });
    return finish(status, text, out);
}

static recon_status molecule(recon_ctx *ctx, const void *arg, digest *out)
{
    char *text = NULL;
    (void)arg;
    recon_status status = recon_figure_pose3(
        ctx, &text,
        &(recon_pose3_plot){ .title = "t", .input = water, .canonical = water, .poses = sphere });
    return finish(status, text, out);
}

static recon_status page(recon_ctx *ctx, const void *arg, digest *out)
{
    static const char *const columns[] = { "name", "number" };
    recon_page *p;
    char *text = NULL;
    (void)arg;
    recon_status status = recon_page_new(ctx, &p, "a page", "and what it says");
    if (status != RECON_OK)
        return status;
    recon_page_result(p, "the answer", "%d", 42);
    recon_page_section(p, "section");
    recon_page_say(p, "some %s", "words");
    recon_page_molecules(
        p, &(recon_molecule_sheet){ .title = "t", .molecules = &water, .rows = 1, .columns = 1 },
        "water");
    recon_page_table(p, "table", columns, 2);
    recon_page_cell(p, "one");
    recon_page_cell(p, "%d", 1);
    status = recon_page_finish(p, &text);
    return finish(status, text, out);
}

static recon_status saved(recon_ctx *ctx, const void *arg, digest *out)
{
    (void)arg;
    (void)out;
    return recon_svg_save(ctx, scratch("figure.svg"), "<svg/>");
}

static void figures_run_out_of_memory(void **state)
{
    (void)state;
    static const fault_job jobs[] = {
        { "gallery", gallery, NULL, 0, 0, 0 },
        { "roses", roses, NULL, 0, 0, 0 },
        { "molecule and sphere", molecule, NULL, 0, 0, 0 },
        { "page", page, NULL, 0, 0, 0 },
        { "saved", saved, NULL, 0, 0, 0 },
    };
    for (int i = 0; i < 50; i++)
        angles[i] = 0.1 * i - 2.5;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        fault_memory(&jobs[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { SCRATCH_TEST(figures_run_out_of_memory) };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
