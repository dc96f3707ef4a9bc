/* evaluate_controls.c - what might make the tables look better than they are: neighbours of like
 * poses, and classes that are each other's rotation. */
#include "lab/evaluate.h"
#include "core/fail.h"
#include "core/memory.h"
#include "group/so2/fit.h"

#include <math.h>
#include <recon/core/rng.h>
#include <recon/group/so2.h>
#include <recon/group/mean.h>
#include <stdlib.h>

enum { ROWS_MOST = 3000, LEAST = 3, NEAR = 0, ANY = 1 };

/* --- like poses ------------------------------------------------------------------------------- */

/* Rows by label: those of label c are row[offset[c]] .. row[offset[c + 1] - 1]. */
typedef struct {
    const recon_neighborhood *hood;
    const double *angle;
    recon_so2_family family;
    size_t *offset, *row;
    double *angles, *scratch; /* [k], and for the fit */
    int64_t *label;           /* [rows] of those measured */
    double *theta[2];         /* [rows] */
} likeness;

static recon_status sort_rows(recon_ctx *ctx, likeness *l)
{
    const recon_neighborhood *h = l->hood;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &l->offset, h->classes + 2, sizeof *l->offset));
    RECON_TRY(recon_alloc_raw(ctx, &l->row, h->n, sizeof *l->row));
    for (size_t i = 0; i < h->n; i++)
        l->offset[h->labels[i] + 2]++;
    for (size_t c = 0; c < h->classes; c++)
        l->offset[c + 2] += l->offset[c + 1];
    for (size_t i = 0; i < h->n; i++)
        l->row[l->offset[h->labels[i] + 1]++] = i;
done:
    return status;
}

/* Angles of the neighbours of row i that have its label; how many. */
static size_t take_near(likeness *l, size_t i)
{
    const recon_neighborhood *h = l->hood;
    size_t n = 0;
    for (size_t j = 0; j < h->k; j++) {
        size_t row = (size_t)h->neighbors[i * h->k + j];
        if (h->labels[row] == h->labels[i])
            l->angles[n++] = l->angle[row];
    }
    return n;
}

static size_t count_label(const likeness *l, size_t i)
{
    return l->offset[l->hood->labels[i] + 1] - l->offset[l->hood->labels[i]];
}

/* The same of n others of its label, of which there are some. */
static void take_any(likeness *l, size_t i, size_t n, recon_rng *rng)
{
    const size_t *rows = l->row + l->offset[l->hood->labels[i]];
    for (size_t j = 0; j < n;) {
        size_t row = rows[recon_rng_below(rng, count_label(l, i))];
        if (row != i)
            l->angles[j++] = l->angle[row];
    }
}

/* One row's part in the sums. */
static recon_status add_row(recon_ctx *ctx, recon_like_poses *out, likeness *l, size_t i, size_t n,
                            int which)
{
    recon_so2_center center;
    recon_so2_density law;
    double square = 0, away = 0;
    recon_status status = recon_so2_mean(ctx, &center, l->angles, n, NULL);
    if (status != RECON_OK)
        return status;
    for (size_t j = 0; j < n; j++) {
        away += recon_so2_distance(l->angles[j], l->angle[i]);
        l->angles[j] = recon_so2_wrap(l->angles[j] - center.mean);
        square += l->angles[j] * l->angles[j];
    }
    recon_so2_fit_one(&law, l->angles, n, l->family, l->scratch);
    out->distance[which] += away / (double)n;
    out->spread[which] += sqrt(square / (double)n);
    out->theta[which] += law.width;
    l->theta[which][out->rows] = law.width;
    return RECON_OK;
}

static recon_status measure_rows(recon_ctx *ctx, recon_like_poses *out, likeness *l, uint64_t seed)
{
    const recon_neighborhood *h = l->hood;
    size_t step = (h->n + ROWS_MOST - 1) / ROWS_MOST;
    recon_status status = RECON_OK;
    for (size_t i = 0; i < h->n; i += step) {
        recon_rng rng = recon_rng_new(seed, i);
        size_t n = take_near(l, i);
        if (n < LEAST || count_label(l, i) < 2)
            continue;
        RECON_TRY(add_row(ctx, out, l, i, n, NEAR));
        take_any(l, i, n, &rng);
        RECON_TRY(add_row(ctx, out, l, i, n, ANY));
        l->label[out->rows++] = h->labels[i];
    }
    for (int w = 0; w < 2; w++) {
        out->distance[w] /= (double)out->rows; /* NaN for none */
        out->spread[w] /= (double)out->rows;
        out->theta[w] /= (double)out->rows;
    }
done:
    return status;
}

static recon_status measure_errors(recon_ctx *ctx, recon_like_poses *out, const likeness *l,
                                   const double *truth)
{
    size_t classes = l->hood->classes;
    recon_width *of = NULL;
    recon_status status = recon_alloc(ctx, &of, classes, sizeof *of);
    for (int w = 0; w < 2 && status == RECON_OK; w++) {
        out->error[w] = (recon_width_error){ NAN, NAN };
        if (out->rows)
            status = recon_evaluate_widths(ctx, &out->error[w], of, l->theta[w], l->label,
                                           out->rows, truth, classes);
    }
    free(of);
    return status;
}

recon_status recon_evaluate_like_poses(recon_ctx *ctx, recon_like_poses *out,
                                       const recon_neighborhood *hood, const double *angle,
                                       recon_so2_family family, const double *truth, uint64_t seed)
{
    likeness l = { .hood = hood, .angle = angle, .family = family };
    recon_status status;
    *out = (recon_like_poses){ 0 };
    RECON_TRY(recon_evaluate_check_neighborhood(ctx, hood));
    RECON_TRY(recon_evaluate_check_numbers(ctx, angle, hood->n, "angle"));
    RECON_TRY(sort_rows(ctx, &l));
    RECON_TRY(recon_alloc_raw(ctx, &l.angles, hood->k, sizeof *l.angles));
    RECON_TRY(recon_alloc_raw(ctx, &l.scratch, recon_so2_fit_scratch(hood->k), sizeof *l.scratch));
    RECON_TRY(recon_alloc_raw(ctx, &l.label, ROWS_MOST, sizeof *l.label));
    for (int w = 0; w < 2; w++)
        RECON_TRY(recon_alloc_raw(ctx, &l.theta[w], ROWS_MOST, sizeof *l.theta[w]));
    RECON_TRY(measure_rows(ctx, out, &l, seed));
    RECON_TRY(measure_errors(ctx, out, &l, truth));
done:
    free(l.theta[1]);
    free(l.theta[0]);
    free(l.label);
    free(l.scratch);
    free(l.angles);
    free(l.row);
    free(l.offset);
    return status;
}

/* --- two classes that are each other's rotation ----------------------------------------------- */

recon_status recon_evaluate_frames(recon_ctx *ctx, recon_frame_pair *out, const double *psi,
                                   const double *angle, const recon_neighborhood *h, int64_t a,
                                   int64_t b)
{
    const int64_t label[2] = { a, b };
    recon_status status;
    *out = (recon_frame_pair){ 0 };
    RECON_TRY(recon_evaluate_check_neighborhood(ctx, h));
    RECON_TRY(recon_evaluate_check_numbers(ctx, psi, h->n, "pose"));
    RECON_TRY(recon_evaluate_check_numbers(ctx, angle, h->n, "angle"));
    for (int which = 0; which < 2; which++) {
        double c = 0, s = 0, others = 0;
        for (size_t i = 0; i < h->n; i++) {
            if (h->labels[i] != label[which])
                continue;
            out->n[which]++;
            c += cos(psi[i] - angle[i]);
            s += sin(psi[i] - angle[i]);
            for (size_t j = 0; j < h->k; j++)
                others += h->labels[h->neighbors[i * h->k + j]] == label[!which];
        }
        out->frame[which] = atan2(s, c);
        out->agreement[which] = hypot(s, c) / (double)out->n[which]; /* NaN for none */
        out->other[which] = others / (double)(out->n[which] * h->k);
    }
    out->apart = recon_so2_distance(out->frame[0], out->frame[1]);
done:
    return status;
}
