/* spheres.c - matrix Fisher distributions on the sphere: where each axis is taken.
 *
 * The density of R e_k at u: with R e_k = u fixed, R rotates freely about u, and tr F^T R is f_k . u
 * plus a cosine of amplitude rho in that angle; the mean over it is I0(rho). */
#include "report/canvas.h"
#include "core/picture.h"
#include <recon/group/matrix_fisher.h>
#include "core/bessel.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

enum { CELL = 120, PIXELS = 220, CHANNELS = 4 };
#define BRIGHT 20.0 /* times the uniform density: shown in full colour */
#define REACH  0.90 /* of half the cell: the rest is for the axes' ends */
#define FAINT  0.35 /* what is seen through the ball: of the colour there */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void column(double out[3], const double f[9], int k)
{
    for (int i = 0; i < 3; i++)
        out[i] = f[3 * i + k];
}

/* Two vectors that make a right-handed frame p, q, u. */
static void beside(double p[3], double q[3], const double u[3])
{
    int least = fabs(u[0]) < fabs(u[1]) ? 0 : 1;
    least = fabs(u[2]) < fabs(u[least]) ? 2 : least;
    double length = 0;
    for (int i = 0; i < 3; i++) {
        p[i] = (i == least) - u[least] * u[i];
        length += p[i] * p[i];
    }
    for (int i = 0; i < 3; i++)
        p[i] /= sqrt(length);
    for (int i = 0; i < 3; i++)
        q[i] = u[(i + 1) % 3] * p[(i + 2) % 3] - u[(i + 2) % 3] * p[(i + 1) % 3];
}

static double density(const recon_fisher *fisher, int k, const double u[3])
{
    double f0[3], f1[3], f2[3], p[3], q[3];
    column(f0, fisher->f, k);
    column(f1, fisher->f, (k + 1) % 3);
    column(f2, fisher->f, (k + 2) % 3);
    beside(p, q, u);
    double rho = hypot(dot(f1, p) + dot(f2, q), dot(f1, q) - dot(f2, p));
    return exp(dot(f0, u) + rho + recon_bessel_log_i0(rho) - fisher->log_constant);
}

/* The first three colours of the figures. */
static const double colour[3][3] = { { 0, .447, .698 }, { .835, .369, 0 }, { 0, .62, .451 } };

static void tint(double light[3], const recon_fisher *fisher, const double seen[3], double strength)
{
    double u[3];
    recon_view_back(u, seen);
    for (int k = 0; k < 3; k++) {
        double share = fmin(log1p(density(fisher, k, u)) / log1p(BRIGHT), 1);
        share *= strength * share; /* the square: the uniform one stays pale */
        for (int c = 0; c < 3; c++)
            light[c] += share * (colour[k][c] - light[c]);
    }
}

/* A ball of glass: a spot on the far side is not to be taken for none. */
static void paint(uint8_t out[CHANNELS], const recon_fisher *fisher, double a, double b)
{
    double inside = a * a + b * b, edge = (1 - sqrt(inside)) * PIXELS * REACH / 2;
    double near = sqrt(fmax(0, 1 - inside)), light[3];
    for (int c = 0; c < 3; c++)
        light[c] = .86 + .12 * near;
    tint(light, fisher, (double[3]){ a, b, -near }, FAINT);
    tint(light, fisher, (double[3]){ a, b, near }, 1);
    for (int c = 0; c < 3; c++)
        out[c] = (uint8_t)lrint(255 * light[c]);
    out[3] = (uint8_t)lrint(255 * fmin(fmax(edge + .5, 0), 1));
}

static void render(uint8_t *out, const recon_fisher *fisher)
{
    double half = PIXELS / 2.0;
    for (int y = 0; y < PIXELS; y++)
        for (int x = 0; x < PIXELS; x++) {
            double a = (x + .5 - half) / (half * REACH), b = (half - y - .5) / (half * REACH);
            double scale = fmax(1, hypot(a, b)); /* outside: the rim, unseen */
            paint(out, fisher, a / scale, b / scale);
            if (scale > 1)
                out[3] = 0;
            out += CHANNELS;
        }
}

static recon_status draw_surface(recon_ctx *ctx, recon_svg *svg, double x, double y, double side,
                                 const recon_sphere *s)
{
    recon_fisher fisher;
    uint8_t *pixels = NULL, *png = NULL;
    size_t size;
    recon_status status;
    RECON_TRY(recon_fisher_of(ctx, &fisher, s->f));
    RECON_TRY(recon_alloc_raw(ctx, &pixels, PIXELS * PIXELS, CHANNELS));
    render(pixels, &fisher);
    RECON_TRY(recon_png_encode(ctx, &png, &size, pixels, PIXELS, PIXELS, CHANNELS));
    recon_svg_image(svg, NULL, x, y, side, side, png, size, s->caption);
done:
    free(png);
    free(pixels);
    return status;
}

/* The ends of the axes that face the reader, beyond the surface. */
static void draw_axes(recon_svg *svg, double x, double y, double side)
{
    static const char *const name[] = { "x", "y", "z" };
    recon_class cls;
    double half = side / 2, middle_x = x + half, middle_y = y + half;
    for (int k = 0; k < 3; k++) {
        double axis[3] = { k == 0, k == 1, k == 2 }, seen[3];
        recon_view(seen, axis);
        double from = half * REACH, to = half * REACH * 1.08;
        recon_svg_line(svg, recon_series_class(cls, (size_t)k, "thin"), middle_x + from * seen[0],
                       middle_y - from * seen[1], middle_x + to * seen[0], middle_y - to * seen[1]);
        recon_svg_text(svg, "small mid halo", middle_x + to * seen[0] + 5 * (seen[0] < 0 ? -1 : 1),
                       middle_y - to * seen[1] + 3, name[k]);
    }
}

void recon_sphere_draw(recon_ctx *ctx, recon_svg *svg, double x, double y, double side,
                       const recon_sphere *s)
{
    if (!s->f)
        return;
    recon_space_begin(svg, x, y, side);
    recon_svg_fail(svg, draw_surface(ctx, svg, x, y, side, s));
    draw_axes(svg, x, y, side);
    recon_svg_group_end(svg);
    recon_sheet_caption(svg, x, y, side, s->caption);
}

static void draw(recon_ctx *ctx, recon_svg *svg, double x, double y, double side, const void *user,
                 size_t i)
{
    recon_sphere_draw(ctx, svg, x, y, side, &((const recon_sphere_sheet *)user)->spheres[i]);
}

recon_status recon_sphere_check(recon_ctx *ctx, const recon_sphere *s, size_t number)
{
    recon_status status =
        s->f ? recon_figure_check(ctx, "spheres", "entry of F", s->f, 9) : RECON_OK;
    return status == RECON_OK ? status : recon_note(ctx, status, "sphere %zu", number);
}

static recon_status check(recon_ctx *ctx, const void *user, size_t i, recon_sheet_place *place)
{
    const recon_sphere *s = &((const recon_sphere_sheet *)user)->spheres[i];
    *place = (recon_sheet_place){ s->f != NULL, s->caption };
    return recon_sphere_check(ctx, s, i);
}

recon_status recon_figure_spheres(recon_ctx *ctx, char **out, const recon_sphere_sheet *s)
{
    recon_words words = { .used = 0 };
    recon_words_add(&words, "%zu spheres: where matrix Fisher distributions take the axes x, y, z.",
                    s->rows * s->columns);
    return recon_sheet_make(ctx, out,
                            &(recon_sheet){ .figure = "spheres",
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
