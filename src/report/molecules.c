/* molecules.c - balls and sticks, drawn from the back to the front. */
#include "report/canvas.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

enum { CELL = 120, ATOMS_MAX = 2000 };
#define AXIS 0.96 /* of half a cell: the ends of an axis */

typedef struct {
    double x, y, depth; /* on paper; towards the reader, in its lengths */
    double radius;
} ball;

/* A stick, or the ball at its place in the order. */
typedef struct {
    double depth;
    size_t a, b; /* a == b: a ball */
} item;

/* From the back to the front; at one depth sticks first, then by number, so that figures repeat. */
static int by_depth(const void *p, const void *q)
{
    const item *a = p, *b = q;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    if ((a->a == a->b) != (b->a == b->b))
        return a->a == a->b ? 1 : -1;
    return a->a != b->a ? (a->a < b->a ? -1 : 1) : (a->b > b->b) - (a->b < b->b);
}

const char *recon_atom_look(uint8_t z)
{
    switch (z) {
    case 1: return "atom hydrogen";
    case 6: return "atom carbon";
    case 7: return "atom nitrogen";
    case 8: return "atom oxygen";
    case 9:
    case 17: return "atom halogen";
    case 16: return "atom sulfur";
    default: return "atom";
    }
}

double recon_atom_radius(uint8_t z)
{
    return z == 1 ? .24 : .38;
}

double recon_molecule_scale(double middle[3], const recon_molecule_picture *m)
{
    double reach = 1;
    for (int c = 0; c < 3; c++)
        middle[c] = 0;
    for (size_t i = 0; i < m->atoms; i++)
        for (int c = 0; c < 3; c++)
            middle[c] += (double)m->xyz[3 * i + (size_t)c] / (double)m->atoms;
    for (size_t i = 0; i < m->atoms; i++) {
        double r = 0;
        for (int c = 0; c < 3; c++)
            r += pow((double)m->xyz[3 * i + (size_t)c] - middle[c], 2);
        reach = fmax(reach, sqrt(r));
    }
    return 1 / (reach + .5);
}

static void place(ball *out, const recon_molecule_picture *m, double x, double y, double side)
{
    double middle[3], scale = side / 2 * recon_molecule_scale(middle, m);
    for (size_t i = 0; i < m->atoms; i++) {
        double at[3], seen[3];
        for (int c = 0; c < 3; c++)
            at[c] = (double)m->xyz[3 * i + (size_t)c] - middle[c];
        recon_view(seen, at);
        out[i] = (ball){ x + side / 2 + scale * seen[0], y + side / 2 - scale * seen[1],
                         scale * seen[2], scale * recon_atom_radius(m->z[i]) };
    }
}

/* From a little under the one surface to a little under the other. */
static void draw_stick(recon_svg *svg, const ball *a, const ball *b)
{
    double x = b->x - a->x, y = b->y - a->y, z = b->depth - a->depth;
    double apart = fmax(sqrt(x * x + y * y + z * z), 1e-9);
    double from = fmin(.9 * a->radius / apart, .5), to = fmin(.9 * b->radius / apart, .5);
    recon_svg_line(svg, "bond", a->x + from * x, a->y + from * y, b->x - to * x, b->y - to * y);
}

static void draw_items(recon_svg *svg, const recon_molecule_picture *m, const ball *balls,
                       const item *items, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const ball *a = &balls[items[i].a], *b = &balls[items[i].b];
        if (a == b)
            recon_svg_circle(svg, recon_atom_look(m->z[items[i].a]), a->x, a->y, a->radius);
        else
            draw_stick(svg, a, b);
    }
}

static recon_status draw_molecule(recon_ctx *ctx, recon_svg *svg, const recon_molecule_picture *m,
                                  double x, double y, double side)
{
    recon_bonds bonds = { 0 };
    ball *balls = NULL;
    item *items = NULL;
    recon_status status;
    RECON_TRY(recon_bonds_perceive(ctx, &bonds, m->z, m->xyz, m->atoms));
    RECON_TRY(recon_alloc_raw(ctx, &balls, m->atoms, sizeof *balls));
    RECON_TRY(recon_alloc_raw(ctx, &items, m->atoms + bonds.n, sizeof *items));
    place(balls, m, x, y, side);
    for (size_t i = 0; i < m->atoms; i++)
        items[i] = (item){ balls[i].depth, i, i };
    for (size_t i = 0; i < bonds.n; i++) {
        size_t a = bonds.list[i].a, b = bonds.list[i].b;
        items[m->atoms + i] = (item){ (balls[a].depth + balls[b].depth) / 2, a, b };
    }
    qsort(items, m->atoms + bonds.n, sizeof *items, by_depth);
    draw_items(svg, m, balls, items, m->atoms + bonds.n);
done:
    free(items);
    free(balls);
    recon_bonds_free(&bonds);
    return status;
}

/* The half of an axis that points away from the reader is behind the molecule, the other before it:
 * one that comes straight at the reader is still seen. Its name is at the front. */
static void draw_half_axis(recon_svg *svg, double x, double y, double side, const double *axis,
                           int near)
{
    double seen[3];
    if (!axis)
        return;
    recon_view(seen, axis);
    double right = side / 2 * AXIS * seen[0], up = side / 2 * AXIS * seen[1];
    x += side / 2;
    y += side / 2;
    if ((seen[2] > 0) != near) {
        recon_svg_line(svg, "pole", x, y, x - right, y + up);
        return;
    }
    recon_svg_line(svg, "pole", x, y, x + right, y - up);
    recon_svg_circle(svg, "pole", x + right, y - up, 2.5);
    recon_svg_text(svg, "small mid halo", x + right + (right < 0 ? 16 : -16),
                   y - up + (up < 0 ? -4 : 10), "axis");
}

void recon_molecule_draw(recon_ctx *ctx, recon_svg *svg, double x, double y, double side,
                         const recon_molecule_picture *m)
{
    if (m->atoms == 0)
        return;
    recon_space_begin(svg, x, y, side);
    draw_half_axis(svg, x, y, side, m->axis, 0);
    recon_svg_fail(svg, draw_molecule(ctx, svg, m, x, y, side));
    draw_half_axis(svg, x, y, side, m->axis, 1);
    recon_svg_group_end(svg);
    recon_sheet_caption(svg, x, y, side, m->caption);
}

static void draw(recon_ctx *ctx, recon_svg *svg, double x, double y, double side, const void *user,
                 size_t i)
{
    recon_molecule_draw(ctx, svg, x, y, side, &((const recon_molecule_sheet *)user)->molecules[i]);
}

recon_status recon_molecule_check(recon_ctx *ctx, const recon_molecule_picture *m, size_t number)
{
    if (m->atoms > ATOMS_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "molecules: picture %zu has %zu atoms, over %d",
                          number, m->atoms, ATOMS_MAX);
    for (size_t k = 0; k < 3 * m->atoms; k++)
        if (!isfinite(m->xyz[k]) || fabsf(m->xyz[k]) > 1e6f)
            return recon_fail(ctx, RECON_ERR_INPUT, "molecules: atom %zu of picture %zu at %g",
                              k / 3, number, (double)m->xyz[k]);
    if (m->axis)
        return recon_figure_check(ctx, "molecules", "axis", m->axis, 3);
    return RECON_OK;
}

static recon_status check(recon_ctx *ctx, const void *user, size_t i, recon_sheet_place *place)
{
    const recon_molecule_picture *m = &((const recon_molecule_sheet *)user)->molecules[i];
    *place = (recon_sheet_place){ m->atoms > 0, m->caption };
    return recon_molecule_check(ctx, m, i);
}

recon_status recon_figure_molecules(recon_ctx *ctx, char **out, const recon_molecule_sheet *s)
{
    recon_words words = { .used = 0 };
    recon_words_add(&words, "%zu pictures of molecules.", s->rows * s->columns);
    return recon_sheet_make(ctx, out,
                            &(recon_sheet){ .figure = "molecules",
                                            .title = s->title,
                                            .desc = s->desc ? s->desc : words.text,
                                            .rows = s->rows,
                                            .columns = s->columns,
                                            .headings = s->headings,
                                            .names = s->names,
                                            .cell = s->cell > 0 ? s->cell : CELL,
                                            .check = check,
                                            .draw = draw,
                                            .user = s });
}
