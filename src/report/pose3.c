/* pose3.c - one molecule beside its natural pose and the distribution of its poses. */
#include "report/space.h"

enum { CELL = 190, COLUMNS = 3 };

static void draw(recon_ctx *ctx, recon_svg *svg, double x, double y, double side, const void *user,
                 size_t i)
{
    const recon_pose3_plot *p = user;
    if (i == 2)
        recon_sphere_draw(ctx, svg, x, y, side, &p->poses);
    else
        recon_molecule_draw(ctx, svg, x, y, side, i ? &p->canonical : &p->input);
}

static recon_status check(recon_ctx *ctx, const void *user, size_t i, recon_sheet_place *place)
{
    const recon_pose3_plot *p = user;
    const recon_molecule_picture *m = i ? &p->canonical : &p->input;
    int is_sphere = i == 2;
    *place = (recon_sheet_place){ is_sphere ? p->poses.f != NULL : m->atoms > 0,
                                  is_sphere ? p->poses.caption : m->caption };
    if (!place->shown)
        return recon_fail(ctx, RECON_ERR_INPUT, "pose3: a molecule or its distribution is missing");
    return is_sphere ? recon_sphere_check(ctx, &p->poses, 0) : recon_molecule_check(ctx, m, i);
}

recon_status recon_figure_pose3(recon_ctx *ctx, char **out, const recon_pose3_plot *p)
{
    static const char *const headings[COLUMNS] = { "input", "natural pose", "poses about it" };
    return recon_sheet_make(
        ctx, out,
        &(recon_sheet){
            .figure = "pose3",
            .title = p->title,
            .desc = p->desc ? p->desc
                            : "A molecule as given, in its natural pose, and where its poses take "
                              "the axes x, y, z. The line through it, where there is one, is the "
                              "axis that its poses determine best.",
            .rows = 1,
            .columns = COLUMNS,
            .headings = headings,
            .cell = CELL,
            .check = check,
            .draw = draw,
            .user = p });
}
