/* equivariance.c - errors against the angle of rotation: one panel of lines, the last of which is
 * the floor that interpolation sets. */
#include "report/canvas.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

static recon_status check_plot(recon_ctx *ctx, const recon_equivariance_plot *p)
{
    recon_status status = RECON_OK;
    size_t most = RECON_SERIES_MAX - 1;
    if (p->count == 0 || p->curve_count == 0 || p->curve_count > most)
        return recon_fail(ctx, RECON_ERR_INPUT, "equivariance: %zu angles, %zu curves (1 to %zu)",
                          p->count, p->curve_count, most);
    RECON_TRY(recon_figure_check(ctx, "equivariance", "angle", p->angles, p->count));
    for (size_t k = 0; k < p->curve_count; k++)
        for (size_t i = 0; i < p->count; i++)
            if (p->curves[k].error[i] < 0)
                return recon_fail(ctx, RECON_ERR_INPUT, "equivariance: curve %zu: error %zu is %g",
                                  k, i, p->curves[k].error[i]);
done:
    return status;
}

/* A bar reaches from the error itself up to the high one. */
static size_t list_series(recon_series series[RECON_SERIES_MAX], const recon_equivariance_plot *p,
                          const double *degrees)
{
    size_t n = 0;
    for (size_t k = 0; k < p->curve_count; k++) {
        const recon_error_curve *c = &p->curves[k];
        series[n++] = (recon_series){ .name = c->name,
                                      .x = degrees,
                                      .y = c->error,
                                      .low = c->high ? c->error : NULL,
                                      .high = c->high,
                                      .count = p->count };
    }
    if (p->floor)
        series[n++] = (recon_series){ .name = "interpolation alone",
                                      .x = degrees,
                                      .y = p->floor,
                                      .count = p->count,
                                      .dashed = 1 };
    return n;
}

recon_status recon_figure_equivariance(recon_ctx *ctx, char **out, const recon_equivariance_plot *p)
{
    recon_series series[RECON_SERIES_MAX];
    double *degrees = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(check_plot(ctx, p));
    RECON_TRY(recon_alloc_raw(ctx, &degrees, p->count, sizeof *degrees));
    for (size_t i = 0; i < p->count; i++)
        degrees[i] = p->angles[i] * RECON_TO_DEGREES;
    recon_line_panel panel = { .x_label = "rotation of the input (degrees)",
                               .y_label = p->unit ? p->unit : "error",
                               .series = series,
                               .count = list_series(series, p, degrees),
                               .log_y = !p->linear,
                               .degrees = 1 };
    RECON_TRY(recon_figure_lines(
        ctx, out,
        &(recon_line_plot){ .title = p->title, .desc = p->desc, .panels = &panel, .count = 1 }));
done:
    free(degrees);
    return status;
}
