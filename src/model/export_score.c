/* export_score.c - how unusual a pose is for its density: so2/tail.c, so2/moments.c and tails.c in the
 * operators of ONNX. */
#include "maps/tails.h"
#include "model/export.h"
#include "group/so2/mean.h"
#include "group/tail.h"

#include <float.h>
#include <math.h>

enum { BINS = RECON_POSE_BINS, FINE = 4, CELLS = BINS * FINE, LAST = RECON_TAIL_QUANTILES - 1 };

/* The largest of the first moments of densities n x BINS, n x 1. */
static recon_onnx_value sharpness_of(recon_onnx *o, recon_onnx_value bins)
{
    float wave[2][BINS][RECON_SO2_MOMENTS];
    recon_onnx_value squares[2];
    for (int i = 0; i < BINS; i++)
        for (int m = 0; m < RECON_SO2_MOMENTS; m++) {
            wave[0][i][m] = (float)cos(2 * M_PI * (m + 1) * i / BINS);
            wave[1][i][m] = (float)sin(2 * M_PI * (m + 1) * i / BINS);
        }
    for (int k = 0; k < 2; k++) {
        recon_onnx_value sum = recon_graph_two(
            o, "MatMul", bins,
            recon_onnx_floats(o, NULL, wave[k][0], RECON_ONNX_SHAPE(BINS, RECON_SO2_MOMENTS)));
        squares[k] = recon_graph_two(o, "Mul", sum, sum);
    }
    recon_onnx_value moment =
        recon_graph_one(o, "Sqrt", recon_graph_two(o, "Add", squares[0], squares[1]));
    return recon_graph_two(o, "Div", recon_graph_reduce(o, "ReduceMax", moment, 1, 1),
                           recon_graph_sum(o, bins, 1, 1));
}

/* The densities between the bins, n x CELLS. */
static recon_onnx_value refine(recon_onnx *o, recon_onnx_value bins)
{
    float part[FINE], rest[FINE];
    for (int i = 0; i < FINE; i++) {
        part[i] = (float)i / FINE;
        rest[i] = 1 - part[i];
    }
    recon_onnx_value last = recon_onnx_integers(o, &(int64_t){ 2 }, RECON_ONNX_SHAPE(1));
    recon_onnx_value here = recon_graph_two(o, "Unsqueeze", bins, last);
    recon_onnx_value next =
        recon_graph_two(o, "Unsqueeze", recon_graph_roll(o, bins, 1, BINS), last);
    here =
        recon_graph_two(o, "Mul", here, recon_onnx_floats(o, NULL, rest, RECON_ONNX_SHAPE(FINE)));
    next =
        recon_graph_two(o, "Mul", next, recon_onnx_floats(o, NULL, part, RECON_ONNX_SHAPE(FINE)));
    return recon_graph_two(o, "Reshape", recon_graph_two(o, "Add", here, next),
                           recon_onnx_integers(o, (int64_t[]){ -1, CELLS }, RECON_ONNX_SHAPE(2)));
}

/* beyond_bins() at psi, where the first bin is: n x 1. */
static recon_onnx_value tail_of(recon_onnx *o, recon_onnx_value bins)
{
    recon_onnx_value here = refine(o, bins), level = recon_graph_slice(o, bins, 1, 0, 1);
    recon_onnx_value zero = recon_onnx_number(o, 0), one = recon_onnx_number(o, 1);
    recon_onnx_value tie = recon_graph_two(
        o, "Add", recon_graph_two(o, "Mul", level, recon_onnx_number(o, RECON_TAIL_TIE)),
        recon_onnx_number(o, RECON_TAIL_LEAST));
    /* 1 where less likely, 1/2 where the same, 0 where likelier. */
    recon_onnx_value share = recon_graph_two(o, "Div", recon_graph_two(o, "Sub", level, here), tie);
    share = recon_graph_two(o, "Add", share, recon_onnx_number(o, 0.5));
    share = recon_graph_two(o, "Min", recon_graph_two(o, "Max", share, zero), one);
    return recon_graph_two(o, "Div",
                           recon_graph_sum(o, recon_graph_two(o, "Mul", here, share), 1, 1),
                           recon_graph_sum(o, here, 1, 1));
}

/* --- the p-value ------------------------------------------------------------------------------ */

/* The kind of density, n: how many of the bounds its sharpness is not below. */
static recon_onnx_value kind_of(recon_onnx *o, recon_onnx_value sharpness)
{
    float bound[RECON_TAIL_BINS - 1];
    for (int b = 1; b < RECON_TAIL_BINS; b++)
        bound[b - 1] = (float)recon_tail_from[b];
    recon_onnx_value above =
        recon_graph_two(o, "GreaterOrEqual", sharpness,
                        recon_onnx_floats(o, NULL, bound, RECON_ONNX_SHAPE(RECON_TAIL_BINS - 1)));
    return recon_graph_sum(o, recon_graph_cast(o, above, RECON_ONNX_I64), 1, 0);
}

/* share_below() in rows of quantiles n x RECON_TAIL_QUANTILES. */
static recon_onnx_value share_below(recon_onnx *o, recon_onnx_value rows, recon_onnx_value tail)
{
    recon_onnx_value one = recon_onnx_integer(o, 1), zero = recon_onnx_integer(o, 0);
    recon_onnx_value up_to =
        recon_graph_cast(o, recon_graph_two(o, "LessOrEqual", rows, tail), RECON_ONNX_I64);
    recon_onnx_value count = recon_graph_sum(o, up_to, 1, 1);
    recon_onnx_value low = recon_graph_two(o, "Sub", count, one);
    low = recon_graph_two(o, "Max", low, zero);
    low = recon_graph_two(o, "Min", low, recon_onnx_integer(o, LAST - 1));
    recon_onnx_value from = recon_graph_gather(o, rows, low, 1);
    recon_onnx_value to = recon_graph_gather(o, rows, recon_graph_two(o, "Add", low, one), 1);
    recon_onnx_value wide =
        recon_graph_two(o, "Max", recon_graph_two(o, "Sub", to, from), recon_onnx_number(o, 1e-30));
    recon_onnx_value part = recon_graph_two(o, "Div", recon_graph_two(o, "Sub", tail, from), wide);
    recon_onnx_value share = recon_graph_two(
        o, "Div", recon_graph_two(o, "Add", part, recon_graph_cast(o, low, RECON_ONNX_F32)),
        recon_onnx_number(o, LAST));
    share = recon_graph_choose(o, recon_graph_two(o, "Equal", count, zero), recon_onnx_number(o, 0),
                               share);
    return recon_graph_choose(o, recon_graph_two(o, "Greater", count, recon_onnx_integer(o, LAST)),
                              recon_onnx_number(o, 1), share);
}

/* The input at hand counted among the count points of its kind, n x 1 and not 0. */
static recon_onnx_value with_itself(recon_onnx *o, recon_onnx_value share, recon_onnx_value count)
{
    recon_onnx_value one = recon_onnx_number(o, 1);
    recon_onnx_value as_far =
        recon_graph_two(o, "Add", recon_graph_two(o, "Mul", share, count), one);
    return recon_graph_two(o, "Div", as_far, recon_graph_two(o, "Add", count, one));
}

static recon_onnx_value p_value_of(recon_onnx *o, const recon_tails *t, recon_onnx_value sharpness,
                                   recon_onnx_value tail)
{
    float quantile[RECON_TAIL_BINS][RECON_TAIL_QUANTILES], points[RECON_TAIL_BINS];
    for (int b = 0; b < RECON_TAIL_BINS; b++) {
        points[b] = (float)t->bin[b].n;
        for (int i = 0; i < RECON_TAIL_QUANTILES; i++)
            quantile[b][i] = (float)t->bin[b].quantile[i];
    }
    recon_onnx_value table =
        recon_onnx_floats(o, "calibration.tails", quantile[0],
                          RECON_ONNX_SHAPE(RECON_TAIL_BINS, RECON_TAIL_QUANTILES));
    recon_onnx_value counts =
        recon_onnx_floats(o, NULL, points, RECON_ONNX_SHAPE(RECON_TAIL_BINS, 1));
    recon_onnx_value kind = kind_of(o, sharpness);
    recon_onnx_value rows = recon_graph_two(o, "Gather", table, kind);
    recon_onnx_value count = recon_graph_two(o, "Gather", counts, kind);
    recon_onnx_value one = recon_onnx_number(o, 1);
    recon_onnx_value p =
        with_itself(o, share_below(o, rows, tail), recon_graph_two(o, "Max", count, one));
    return recon_graph_choose(o, recon_graph_two(o, "Less", count, one), tail, p);
}

/* --- outputs ---------------------------------------------------------------------------------- */

/* A column n x 1 as a row of n. */
static void put_column(recon_onnx *o, const char *name, recon_onnx_value x)
{
    x = recon_graph_two(o, "Squeeze", x,
                        recon_onnx_integers(o, &(int64_t){ 1 }, RECON_ONNX_SHAPE(1)));
    recon_onnx_output(o, name, x, RECON_ONNX_F32, RECON_ONNX_SHAPE(RECON_ONNX_BATCH));
}

void recon_graph_put_scores(recon_onnx *o, recon_onnx_value score, recon_onnx_value sharpness,
                            recon_onnx_value tail, const recon_tails *tails)
{
    put_column(o, "score", score);
    put_column(o, "p_value", p_value_of(o, tails, sharpness, tail));
    put_column(o, "sharpness", sharpness);
    put_column(o, "tail", tail);
}

/* log q in the order of g, from that of a density about psi. */
static recon_onnx_value in_order(recon_onnx *o, recon_onnx_value log_q)
{
    int64_t from[BINS];
    for (int b = 0; b < BINS; b++)
        from[b] = (BINS - b) % BINS;
    return recon_onnx_op(o, "Gather",
                         RECON_ONNX_IN(log_q, recon_onnx_integers(o, from, RECON_ONNX_SHAPE(BINS))),
                         RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", 1)));
}

void recon_graph_score(recon_onnx *o, recon_onnx_value logits, recon_onnx_value bins,
                       const recon_tails *tails)
{
    recon_onnx_value log_q = recon_onnx_op(o, "LogSoftmax", RECON_ONNX_IN(logits),
                                           RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", 1)));
    log_q = recon_graph_two(o, "Add", log_q, recon_onnx_number(o, log(BINS / (2 * M_PI))));
    recon_onnx_value sharpness = sharpness_of(o, bins), tail = tail_of(o, bins);
    recon_onnx_value score = recon_graph_one(o, "Neg", recon_graph_slice(o, log_q, 1, 0, 1));
    score = recon_graph_two(o, "Min", score, recon_onnx_number(o, -log((double)FLT_MIN)));
    recon_graph_put_scores(o, score, sharpness, tail, tails);
    recon_onnx_output(o, "log_q", in_order(o, log_q), RECON_ONNX_F32,
                      RECON_ONNX_SHAPE(RECON_ONNX_BATCH, BINS));
}
