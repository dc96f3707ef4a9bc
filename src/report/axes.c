/* axes.c - nice ticks and what is drawn from them. */
#include "report/axes.h"
#include "report/canvas.h"

#include <math.h>
#include <stdio.h>

/* The smallest of 1, 2, 5 times a power of ten that is not below x. */
static double nice(double x)
{
    double unit = pow(10, floor(log10(x)));
    double ratio = x / unit;
    return unit * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

static double nice_degrees(double x)
{
    static const double steps[] = { 15, 30, 45, 60, 90 };
    if (x <= 10)
        return nice(x);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (x <= steps[i])
            return steps[i];
    return 180 * ceil(x / 180);
}

static double choose_step(recon_axis_kind kind, double low, double high)
{
    if (kind == RECON_AXIS_LOG)
        return log10(high / low) <= 2.5 ? 0 : ceil(log10(high / low) / 8);
    double rough = (high - low) / 6;
    return kind == RECON_AXIS_DEGREES ? nice_degrees(rough) : nice(rough);
}

/* The tick of a logarithmic axis with this number: 1, 2, 5, 10, 20 ... or powers of ten. */
static double log_tick(const recon_axis *axis, long i)
{
    static const double of_decade[] = { 1, 2, 5 };
    if (axis->step > 0)
        return pow(10, axis->step * (double)i);
    long decade = (long)floor((double)i / 3);
    return of_decade[i - 3 * decade] * pow(10, (double)decade);
}

/* Numbers that should be equal may differ in the last digits. */
#define SLACK 1e-9

static long log_index_below(const recon_axis *axis, double value)
{
    double per = axis->step > 0 ? 1 / axis->step : 3;
    long i = (long)floor(per * floor(log10(value) + SLACK) + SLACK);
    while (log_tick(axis, i + 1) <= value * (1 + SLACK))
        i++;
    return i;
}

recon_axis recon_axis_between(recon_axis_kind kind, double low, double high)
{
    return (
        recon_axis){ .kind = kind, .low = low, .high = high, .step = choose_step(kind, low, high) };
}

/* A single value gets room on both sides, in proportion to it. */
static void part(recon_axis_kind kind, double *low, double *high)
{
    if (*high - *low > SLACK * fmax(fabs(*low), fabs(*high)))
        return;
    double room = *low == 0 ? 1 : fabs(*low) / 2;
    *low -= room;
    *high += kind == RECON_AXIS_LOG ? 2 * room : room;
}

recon_axis recon_axis_cover(recon_axis_kind kind, double low, double high)
{
    part(kind, &low, &high);
    recon_axis axis = recon_axis_between(kind, low, high);
    if (kind == RECON_AXIS_LOG) {
        long last = log_index_below(&axis, high);
        axis.low = log_tick(&axis, log_index_below(&axis, low));
        axis.high = log_tick(&axis, last + (log_tick(&axis, last) < high * (1 - SLACK)));
    } else {
        axis.low = axis.step * floor(low / axis.step + SLACK);
        axis.high = axis.step * ceil(high / axis.step - SLACK);
    }
    return axis;
}

double recon_axis_at(const recon_axis *axis, double value)
{
    double v = fmin(fmax(value, axis->low), axis->high);
    double share = axis->kind == RECON_AXIS_LOG ? log(v / axis->low) / log(axis->high / axis->low)
                                                : (v - axis->low) / (axis->high - axis->low);
    return axis->from + (axis->to - axis->from) * share;
}

size_t recon_axis_ticks(const recon_axis *axis, double ticks[RECON_TICKS_MAX])
{
    size_t n = 0;
    int is_log = axis->kind == RECON_AXIS_LOG;
    if (axis->kind == RECON_AXIS_COLUMNS)
        return 0;
    long first =
        is_log ? log_index_below(axis, axis->low) : (long)ceil(axis->low / axis->step - SLACK);
    if (is_log && log_tick(axis, first) < axis->low * (1 - SLACK))
        first++;
    for (long i = first; n < RECON_TICKS_MAX; i++) {
        double at = is_log ? log_tick(axis, i) : axis->step * (double)i;
        if (at > axis->high + SLACK * fabs(axis->high))
            break;
        ticks[n++] = at;
    }
    return n;
}

/* Small powers of ten are written as powers; everything else with the decimals its step needs. */
static const char *tick_text(recon_shown out, const recon_axis *axis, double value)
{
    static const char *const digit[] = { "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",
                                         "\xc2\xb3",     "\xe2\x81\xb4", "\xe2\x81\xb5",
                                         "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8",
                                         "\xe2\x81\xb9" };
    double power = axis->kind == RECON_AXIS_LOG ? floor(log10(value) + SLACK)
                                                : floor(log10(axis->step) + SLACK);
    if (axis->kind == RECON_AXIS_LOG && axis->step > 0 && (power < -3 || power > 4)) {
        int size = (int)fabs(power);
        snprintf(out, sizeof(recon_shown), "10%s%s%s", power < 0 ? "\xe2\x81\xbb" : "",
                 size >= 10 ? digit[size / 10 % 10] : "", digit[size % 10]);
        return out;
    }
    return recon_show(out, value, (int)fmin(fmax(-power, 0), 9), "");
}

static void draw_x(recon_svg *svg, const recon_axis *x, const recon_axis *y)
{
    double tick[RECON_TICKS_MAX];
    recon_shown text;
    size_t n = recon_axis_ticks(x, tick);
    for (size_t i = 0; i < n; i++) {
        double at = recon_axis_at(x, tick[i]);
        recon_svg_line(svg, "grid", at, y->from, at, y->to);
        recon_svg_line(svg, "axis", at, y->from, at, y->from + 4);
        recon_svg_text(svg, "mid", at, y->from + 16, tick_text(text, x, tick[i]));
    }
}

static void draw_y(recon_svg *svg, const recon_axis *x, const recon_axis *y)
{
    double tick[RECON_TICKS_MAX];
    recon_shown text;
    size_t n = recon_axis_ticks(y, tick);
    for (size_t i = 0; i < n; i++) {
        double at = recon_axis_at(y, tick[i]);
        recon_svg_line(svg, "grid", x->from, at, x->to, at);
        recon_svg_line(svg, "axis", x->from - 4, at, x->from, at);
        recon_svg_text(svg, "end", x->from - 7, at + 4, tick_text(text, y, tick[i]));
    }
}

void recon_axes_draw(recon_svg *svg, const recon_axis *x, const recon_axis *y, const char *x_label,
                     const char *y_label)
{
    draw_x(svg, x, y);
    draw_y(svg, x, y);
    recon_svg_path(svg, "axis");
    recon_svg_move(svg, x->from, y->to);
    recon_svg_to(svg, x->from, y->from);
    recon_svg_to(svg, x->to, y->from);
    recon_svg_path_end(svg);
    recon_short_text text;
    if (x_label)
        recon_svg_text(svg, "mid", (x->from + x->to) / 2, y->from + 34,
                       recon_text_fit(text, x_label, x->to - x->from, 11));
    if (y_label)
        recon_svg_text_upwards(svg, "mid", x->from - 44, (y->from + y->to) / 2,
                               recon_text_fit(text, y_label, y->from - y->to, 11));
}
