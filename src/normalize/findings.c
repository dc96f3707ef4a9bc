/* findings.c - see findings.h. */
#include "normalize/findings.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SO2_MODE = 2, SO3_MODE = 10 };

static int modes_kept(int modes)
{
    return modes < RECON_FRAME_MODES ? modes : RECON_FRAME_MODES;
}

void recon_finding_so2(recon_finding *out, const recon_so2_center *center)
{
    *out = (recon_finding){ .natural = center->natural, .fold = center->fold };
    for (int i = 0; i < modes_kept(center->modes); i++) {
        out->mode[i].so2 = center->mode[i].at;
        out->mode[i].weight = center->mode[i].weight;
    }
}

void recon_finding_so3(recon_finding *out, const recon_so3_center *center)
{
    recon_natural natural = center->natural;
    *out =
        (recon_finding){ .natural = natural,
                         .fold = natural == RECON_NATURAL_ONE || natural == RECON_NATURAL_SEVERAL };
    memcpy(out->axis[0], center->axis_body, sizeof out->axis[0]);
    memcpy(out->axis[1], center->axis_world, sizeof out->axis[1]);
    for (int i = 0; i < modes_kept(center->modes); i++) {
        out->mode[i].so3 = center->mode[i].at;
        out->mode[i].weight = center->mode[i].weight;
    }
}

recon_status recon_findings_alloc(recon_ctx *ctx, recon_frames *f)
{
    recon_status status;
    f->modes_width = f->group == RECON_SO2 ? SO2_MODE : SO3_MODE;
    RECON_TRY(recon_alloc_raw(ctx, &f->verdict, f->rows, sizeof *f->verdict));
    RECON_TRY(recon_alloc_raw(ctx, &f->fold, f->rows, sizeof *f->fold));
    RECON_TRY(recon_alloc(ctx, &f->modes, f->rows,
                          RECON_FRAME_MODES * f->modes_width * sizeof *f->modes));
    if (f->group == RECON_SO3)
        RECON_TRY(recon_alloc_raw(ctx, &f->axis, f->rows, 6 * sizeof *f->axis));
done:
    return status;
}

void recon_findings_free(recon_frames *f)
{
    free(f->verdict);
    free(f->fold);
    free(f->modes);
    free(f->axis);
    f->verdict = f->fold = NULL;
    f->modes = f->axis = NULL;
}

void recon_finding_put(recon_frames *f, size_t row, const recon_finding *finding)
{
    size_t width = f->modes_width;
    double *to = f->modes + row * RECON_FRAME_MODES * width;
    f->verdict[row] = (int8_t)finding->natural;
    f->fold[row] = (int8_t)finding->fold;
    memset(to, 0, RECON_FRAME_MODES * width * sizeof *to);
    for (int i = 0; i < RECON_FRAME_MODES && finding->mode[i].weight > 0; i++, to += width) {
        if (f->group == RECON_SO2)
            to[0] = finding->mode[i].so2;
        else
            recon_so3_to_matrix(to, finding->mode[i].so3);
        to[width - 1] = finding->mode[i].weight;
    }
    if (f->axis)
        memcpy(f->axis + 6 * row, finding->axis, sizeof finding->axis);
}

void recon_finding_clear(recon_frames *f, size_t row)
{
    size_t width = RECON_FRAME_MODES * f->modes_width;
    f->verdict[row] = -1;
    f->fold[row] = 0;
    for (size_t i = 0; i < width; i++)
        f->modes[row * width + i] = NAN;
    for (size_t i = 0; f->axis && i < 6; i++)
        f->axis[6 * row + i] = NAN;
}

void recon_findings_count(recon_frames *f)
{
    memset(f->natural, 0, sizeof f->natural);
    for (size_t i = 0; i < f->rows; i++)
        if (f->verdict[i] >= 0)
            f->natural[f->verdict[i]]++;
}
