/* findings.c - see findings.h. */
#include "normalize/findings.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/memory.h"
#include "group/group.h"

#include <recon/group/mean.h>

#include <math.h>
#include <string.h>

size_t recon_class_verdict_modes(const recon_group *group)
{
    return RECON_FRAME_MODES * (group->numbers + 1);
}

int recon_symmetry_of(recon_natural natural, int fold)
{
    return natural == RECON_NATURAL_AXIS ? RECON_SYMMETRY_SPIN
           : natural == RECON_NATURAL_ONE || natural == RECON_NATURAL_MODULO
               ? fold
               : RECON_SYMMETRY_UNNAMED;
}

void recon_class_verdict_take(recon_class_verdict *out, double *modes, const recon_group *group,
                              const recon_center *center)
{
    size_t numbers = group->numbers;
    *out = (recon_class_verdict){ .natural = center->natural,
                                  .fold = center->fold,
                                  .symmetry = center->symmetry ? center->symmetry
                                                               : recon_symmetry_of(center->natural,
                                                                                   center->fold) };
    memcpy(out->axis, center->axis, sizeof out->axis);
    memset(modes, 0, recon_class_verdict_modes(group) * sizeof *modes);
    for (int i = 0; i < center->modes && i < RECON_FRAME_MODES; i++, modes += numbers + 1) {
        memcpy(modes, center->mode[i].at, numbers * sizeof *modes);
        modes[numbers] = center->mode[i].weight;
    }
}

recon_status recon_findings_alloc(recon_ctx *ctx, recon_frames *f)
{
    f->modes_width = recon_group_written(f->group) + 1;
    RECON_CHECK(recon_alloc_raw(ctx, &f->verdict, f->rows, sizeof *f->verdict));
    RECON_CHECK(recon_alloc_raw(ctx, &f->fold, f->rows, sizeof *f->fold));
    RECON_CHECK(recon_alloc_raw(ctx, &f->symmetry, f->rows, sizeof *f->symmetry));
    RECON_CHECK(recon_alloc(ctx, &f->modes, f->rows,
                            RECON_FRAME_MODES * f->modes_width * sizeof *f->modes));
    if (f->group->has_axis)
        RECON_CHECK(recon_alloc_raw(ctx, &f->axis, f->rows, 6 * sizeof *f->axis));
    return RECON_OK;
}

void recon_findings_free(recon_frames *f)
{
    recon_free_all(f->verdict, f->fold, f->symmetry, f->modes, f->axis);
    f->verdict = f->fold = f->symmetry = NULL;
    f->modes = f->axis = NULL;
}

void recon_class_verdict_put(recon_frames *f, size_t row, const recon_class_verdict *finding,
                             const double *modes)
{
    size_t width = f->modes_width, numbers = f->group->numbers;
    double *to = f->modes + row * RECON_FRAME_MODES * width;
    f->verdict[row] = (int8_t)finding->natural;
    f->fold[row] = (int8_t)finding->fold;
    f->symmetry[row] = (int8_t)finding->symmetry;
    memset(to, 0, RECON_FRAME_MODES * width * sizeof *to);
    for (int i = 0; i < RECON_FRAME_MODES && modes[numbers] > 0; i++) {
        recon_group_write(f->group, to, modes, 1);
        to[width - 1] = modes[numbers];
        to += width;
        modes += numbers + 1;
    }
    if (f->axis)
        memcpy(f->axis + 6 * row, finding->axis, sizeof finding->axis);
}

void recon_class_verdict_clear(recon_frames *f, size_t row)
{
    size_t width = RECON_FRAME_MODES * f->modes_width;
    f->verdict[row] = -1;
    f->fold[row] = f->symmetry[row] = 0;
    for (size_t i = 0; i < width; i++)
        f->modes[row * width + i] = NAN;
    for (size_t i = 0; f->axis && i < 6; i++)
        f->axis[6 * row + i] = NAN;
}

void recon_class_verdict_doubt(recon_frames *f, size_t row)
{
    f->verdict[row] = RECON_NATURAL_UNSURE;
    f->fold[row] = f->symmetry[row] = 0;
}

void recon_findings_count(recon_frames *f)
{
    memset(f->natural, 0, sizeof f->natural);
    for (size_t i = 0; i < f->rows; i++)
        if (f->verdict[i] >= 0)
            f->natural[f->verdict[i]]++;
}

void recon_findings_count_symmetries(size_t *count, const recon_frames *f)
{
    for (size_t i = 0; i < f->rows; i++)
        count[f->symmetry[i]]++;
}

json_t *recon_findings_symmetries(const size_t *count)
{
    recon_symmetry_text name;
    json_t *out = json_object();
    for (int code = RECON_SYMMETRY_C1 + 1; code < RECON_SYMMETRY_CODES; code++)
        if (count[code])
            recon_json_put(&out, recon_symmetry_name(name, code),
                           json_integer((json_int_t)count[code]));
    return out;
}
