/* directions.c - the names of free directions. */
#include "group/group.h"

#include <math.h>
#include <stdio.h>

#define ALIGNED 0.985 /* cosine of 10 degrees */

/* The directions of one kind that `at` is among: first .. end. */
static void kind_of(size_t *first, size_t *end, const recon_group *g, size_t at)
{
    size_t split = g->part[0] && g->part[1] ? g->part[0]->dimension : 0;
    for (*first = at;
         *first > 0 && *first != split && g->directions[*first - 1] == g->directions[at];)
        --*first;
    for (*end = at + 1;
         *end < g->dimension && *end != split && g->directions[*end] == g->directions[at];)
        ++*end;
}

/* A spin about a point has a shift besides: rotations come first. */
size_t recon_direction_of(const recon_group *g, const double *v)
{
    size_t first = 0, end;
    for (size_t at = 0; at < g->dimension; at = end) {
        double square = 0;
        kind_of(&first, &end, g, at);
        for (size_t i = first; i < end; i++)
            square += v[i] * v[i];
        if (square < 1e-12)
            continue;
        for (size_t i = first; i < end; i++)
            if (fabs(v[i]) > ALIGNED * sqrt(square))
                return i;
        break;
    }
    return g->dimension + first;
}

const char *recon_direction_name(recon_direction_text text, const recon_group *g, size_t direction)
{
    size_t first, end, at = direction % g->dimension, room = sizeof(recon_direction_text);
    char kind = g->directions[at];
    kind_of(&first, &end, g, at);
    size_t i = at - first;
    if (kind == 'z')
        snprintf(text, room, "any size");
    else if (end == first + 1)
        snprintf(text, room, kind == 'r' ? "any rotation" : "any shift");
    else if (direction >= g->dimension)
        snprintf(text, room,
                 kind == 'r' ? "any spin about one axis" : "any shift in one direction");
    else if (kind == 's')
        snprintf(text, room, "any shift along %c", "xyz"[i]);
    else
        snprintf(text, room, "any spin about (%d, %d, %d)", i == 0, i == 1, i == 2);
    return text;
}

void recon_pose_extent(const recon_group *g, double *rotation, double *shift, const double *pose)
{
    double square[2] = { 0 }, part[2];
    for (int p = 0; g->part[1] && p < 2; p++) {
        recon_pose_extent(g->part[p], &part[0], &part[1], pose + (p ? g->part[0]->numbers : 0));
        square[0] += part[0] * part[0];
        square[1] += part[1] * part[1];
    }
    if (!g->part[1] && !recon_group_is_unbounded(g)) {
        square[0] = pow(g->length(g, pose), 2);
    } else if (!g->part[1]) {
        double v[RECON_NUMBERS_MAX];
        g->log(g, v, pose);
        for (size_t i = 0; i < g->dimension; i++)
            square[g->directions[i] != 'r'] += v[i] * v[i];
    }
    *rotation = sqrt(square[0]);
    *shift = sqrt(square[1]);
}
