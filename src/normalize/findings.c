/* findings.c - see findings.h. */
#include "normalize/findings.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/memory.h"
#include "group/group.h"

#include <recon/group/mean.h>

#include <math.h>
#include <string.h>

size_t recon_class_verdict_free(const recon_group *group)
{
    return group->directions ? RECON_FREE_MAX * group->dimension : 0;
}

size_t recon_class_verdict_modes(const recon_group *group)
{
    return RECON_FRAME_MODES * (group->numbers + 1) + recon_class_verdict_free(group);
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
                                  .symmetry = center->symmetry };
    if (!out->symmetry && !(group->directions && center->natural == RECON_NATURAL_AXIS))
        out->symmetry = recon_symmetry_of(center->natural, center->fold);
    memcpy(out->axis, center->axis, sizeof out->axis);
    memset(modes, 0, recon_class_verdict_modes(group) * sizeof *modes);
    double *free = modes + recon_class_verdict_modes(group) - recon_class_verdict_free(group);
    for (int i = 0; group->directions && i < center->free_count; i++)
        memcpy(free + (size_t)i * group->dimension, center->free[i],
               group->dimension * sizeof *free);
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
    if (f->group->directions)
        RECON_CHECK(recon_alloc(ctx, &f->free, f->rows,
                                recon_class_verdict_free(f->group) * sizeof *f->free));
    return RECON_OK;
}

void recon_findings_free(recon_frames *f)
{
    recon_free_all(f->verdict, f->fold, f->symmetry, f->modes, f->axis, f->free);
    f->verdict = f->fold = f->symmetry = NULL;
    f->modes = f->axis = f->free = NULL;
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
    size_t free = recon_class_verdict_free(f->group);
    if (f->free)
        memcpy(f->free + row * free, modes + RECON_FRAME_MODES * (numbers + 1),
               free * sizeof *f->free);
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
    size_t free = recon_class_verdict_free(f->group);
    if (f->free)
        memset(f->free + row * free, 0, free * sizeof *f->free);
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

void recon_findings_count_free(size_t *count, const recon_frames *f)
{
    size_t d = f->group->dimension, vectors = f->free ? f->rows * RECON_FREE_MAX : 0;
    for (size_t i = 0; i < vectors; i++) {
        const double *v = f->free + i * d;
        double square = 0;
        for (size_t a = 0; a < d; a++)
            square += v[a] * v[a];
        if (square > 0)
            count[recon_direction_of(f->group, v)]++;
    }
}

json_t *recon_findings_free_directions(const size_t *count, const recon_group *group)
{
    recon_direction_text name;
    json_t *out = json_object();
    for (size_t i = 0; i < RECON_DIRECTIONS; i++)
        if (count[i])
            recon_json_put(&out, recon_direction_name(name, group, i),
                           json_integer((json_int_t)count[i]));
    return out;
}
