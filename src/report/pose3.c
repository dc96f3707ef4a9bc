/* pose3.c - one molecule beside its natural pose and the distribution of its poses. */
#include "report/space.h"
#include "core/fail.h"

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

static recon_status check_plot(recon_ctx *ctx, const recon_pose3_plot *p)
{
    recon_status status;
    if (p->input.atoms == 0 || p->canonical.atoms == 0 || !p->poses.f)
        return recon_fail(ctx, RECON_ERR_INPUT, "pose3: a molecule or its distribution is missing");
    RECON_TRY(recon_molecule_check(ctx, &p->input, 0));
    RECON_TRY(recon_molecule_check(ctx, &p->canonical, 1));
    RECON_TRY(recon_sphere_check(ctx, &p->poses, 0));
done:
    return status;
}

recon_status recon_figure_pose3(recon_ctx *ctx, char **out, const recon_pose3_plot *p)
{
    static const char *const headings[COLUMNS] = { "input", "natural pose", "poses about it" };
    *out = NULL;
    recon_status status = check_plot(ctx, p);
    if (status != RECON_OK)
        return status;
    return recon_sheet_make(
        ctx, out,
        &(recon_sheet){
            .title = p->title,
            .desc = p->desc ? p->desc
                            : "A molecule as given, in its natural pose, and where its poses take "
                              "the axes x, y, z. The line through it, where there is one, is the "
                              "axis that its poses determine best.",
            .rows = 1,
            .columns = COLUMNS,
            .headings = headings,
            .cell = CELL,
            .captions = p->input.caption || p->canonical.caption || p->poses.caption },
        draw, p);
}
