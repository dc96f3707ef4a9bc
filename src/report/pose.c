/* pose.c - one input: its picture, the distribution its pose comes from, where its own pose lies in
 * it, and which natural poses it might have. */
#include "report/canvas.h"
#include "core/fail.h"

#include <math.h>

enum { SIDE = 104, RIM = 96, RING = 2 * (RIM + RECON_RING_OUTSIDE) + 16, LIST = 190, BAR = 78 };
enum { LEFT = RECON_MARGIN + SIDE + 16, RIGHT = LEFT + RING + 12 };

static recon_status check_plot(recon_ctx *ctx, const recon_pose_plot *p)
{
    if (!p->density)
        return recon_fail(ctx, RECON_ERR_INPUT, "pose: no density");
    RECON_CHECK(recon_figure_check(ctx, "pose", "pose", &p->pose, 1));
    RECON_CHECK(recon_figure_check(ctx, "pose", "score", &p->score, 1));
    RECON_CHECK(recon_tile_check(ctx, "pose", "input", &p->input, 1));
    RECON_CHECK(recon_tile_check(ctx, "pose", "canonical", &p->canonical, 1));
    for (size_t i = 0; i < p->candidate_count; i++) {
        double values[] = { p->candidates[i].at, p->candidates[i].weight };
        RECON_CHECK(recon_figure_check(ctx, "pose", "a number of a candidate", values, 2));
        if (values[1] < 0 || values[1] > 1)
            return recon_fail(ctx, RECON_ERR_INPUT, "pose: weight %zu is %g", i, values[1]);
    }
    if (p->fold < 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "pose: fold is %d", p->fold);
    return RECON_OK;
}

static void draw_ring(recon_svg *svg, const recon_pose_plot *p, double top)
{
    recon_ring ring = recon_ring_at(LEFT + RING / 2.0, top + RIM + RECON_RING_OUTSIDE, RIM);
    ring.peak = recon_density_peak(p->density);
    recon_ring_draw_frame(svg, &ring);
    recon_ring_draw_labels(svg, &ring);
    recon_ring_fill_density(svg, &ring, "c1 area", p->density);
    for (size_t i = 0; i < p->candidate_count; i++)
        recon_ring_draw_mark(svg, &ring, "c3 dot", p->candidates[i].at);
    recon_ring_draw_ray(svg, &ring, "c2 line", p->pose);
}

static void draw_candidate(recon_svg *svg, double y, const recon_so2_mode *mode)
{
    recon_shown text;
    recon_svg_circle(svg, "c3 dot", RIGHT + 7, y - 4, 3.8);
    recon_svg_text(svg, "end", RIGHT + 58, y, recon_show_degrees(text, mode->at, 0));
    recon_svg_rect(svg, "c3 area", RIGHT + 66, y - 9, BAR * mode->weight, 10);
    recon_svg_text(svg, "end", RIGHT + LIST, y, recon_show(text, 100 * mode->weight, 0, "%"));
}

static void draw_list(recon_svg *svg, const recon_pose_plot *p, double y)
{
    recon_shown text;
    recon_svg_line(svg, "c2 line", RIGHT, y - 4, RIGHT + 14, y - 4);
    recon_svg_text(svg, NULL, RIGHT + 22, y, "pose of this input");
    recon_svg_text(svg, "end", RIGHT + LIST, y, recon_show_degrees(text, p->pose, 1));
    recon_svg_text(svg, NULL, RIGHT + 22, y + RECON_ROW, "score, \xe2\x88\x92log p");
    recon_svg_text(svg, "end", RIGHT + LIST, y + RECON_ROW, recon_show(text, p->score, 2, ""));
    if (p->candidate_count == 0)
        return;
    recon_svg_text(svg, "head", RIGHT, y + 3 * RECON_ROW, "natural poses");
    recon_svg_text(svg, "head end", RIGHT + LIST, y + 3 * RECON_ROW, "weight");
    for (size_t i = 0; i < p->candidate_count; i++)
        draw_candidate(svg, y + RECON_ROW * (double)(4 + i) + 2, &p->candidates[i]);
}

static const char *note(recon_words *words, int fold)
{
    recon_shown text;
    return recon_words_add(words,
                           "The pose is only defined modulo %s: rotated by that, the object looks "
                           "the same.",
                           recon_show(text, 360.0 / fold, 360 % fold ? 1 : 0, "\xc2\xb0"));
}

static void draw_pictures(recon_ctx *ctx, recon_svg *svg, const recon_pose_plot *p, double top)
{
    recon_svg_text(svg, "head", RECON_MARGIN, top + 10, "input");
    recon_tile_draw(ctx, svg, RECON_MARGIN, top + 16, SIDE, &p->input);
    if (!p->canonical.pixels)
        return;
    recon_svg_text(svg, "head", RECON_MARGIN, top + SIDE + 46, "natural pose");
    recon_tile_draw(ctx, svg, RECON_MARGIN, top + SIDE + 52, SIDE, &p->canonical);
}

static const char *describe(recon_words *words, const recon_pose_plot *p)
{
    recon_shown pose, score, at, weight;
    recon_words_add(words, "Distribution of poses of one input. Its pose: %s, score %s.",
                    recon_show_degrees(pose, p->pose, 1), recon_show(score, p->score, 2, ""));
    for (size_t i = 0; i < p->candidate_count; i++)
        recon_words_add(words, " Natural pose %s with weight %s.",
                        recon_show_degrees(at, p->candidates[i].at, 0),
                        recon_show(weight, 100 * p->candidates[i].weight, 0, "%"));
    return words->text;
}

recon_status recon_figure_pose(recon_ctx *ctx, char **out, const recon_pose_plot *p)
{
    recon_words words = { .used = 0 }, modulo = { .used = 0 };
    recon_svg *svg;
    *out = NULL;
    RECON_CHECK(check_plot(ctx, p));
    double top = recon_canvas_top(p->title), pictures = p->canonical.pixels ? 2 * SIDE + 70 : 0;
    double list = RECON_ROW * (double)(p->candidate_count + 5);
    double below = top + fmax(fmax(pictures, RING), list), row = p->fold > 1 ? RECON_ROW : 0;
    RECON_CHECK(recon_canvas_open(ctx, &svg, RIGHT + LIST + RECON_MARGIN,
                                  below + row + RECON_MARGIN, p->title,
                                  p->desc ? p->desc : describe(&words, p)));
    draw_pictures(ctx, svg, p, top);
    draw_ring(svg, p, top);
    draw_list(svg, p, top + 14);
    if (p->fold > 1)
        recon_svg_text(svg, NULL, RECON_MARGIN, below + 14, note(&modulo, p->fold));
    return recon_svg_finish(svg, out);
}

/* --- one molecule beside its natural pose and the distribution of its poses ----------------- */

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
