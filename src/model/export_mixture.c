/* export_mixture.c - scores of a model without a pose density: of the mixture of von Mises densities that
 * its maps give, as so2_map.c, so2/density.c and so2/tail.c have them.
 *
 * ONNX has no Bessel functions, but I0 is the mean of exp(kappa cos t) around the circle: of a function
 * so smooth a sum over an even grid is exact to float as long as its step is below the width of the
 * peak, which here is kappa of 80000. */
#include "maps/maps.h"
#include "model/export.h"

#include <math.h>

enum { PARTS = RECON_SO2_PARTS_MAX, GRID = 2048, STEPS = 64 };

/* All n x PARTS. */
typedef struct {
    recon_onnx_value weight, kappa, log_norm, spread;
    recon_onnx_value cosine, sine; /* of the angle from the mean to psi */
} mixture;

static recon_onnx_value last_axis(recon_onnx *o, recon_onnx_value x)
{
    return recon_graph_two(o, "Unsqueeze", x,
                           recon_onnx_integers(o, &(int64_t){ 2 }, RECON_ONNX_SHAPE(1)));
}

/* log(2 pi I0(kappa)) - kappa, and 1 - I1 / I0. */
static void normalise(recon_onnx *o, mixture *m)
{
    float less[GRID]; /* 1 - cos t */
    for (int i = 0; i < GRID; i++)
        less[i] = (float)(2 * pow(sin(M_PI * i / GRID), 2));
    recon_onnx_value t = recon_onnx_floats(o, NULL, less, RECON_ONNX_SHAPE(GRID));
    recon_onnx_value e = recon_graph_one(
        o, "Exp", recon_graph_one(o, "Neg", recon_graph_two(o, "Mul", last_axis(o, m->kappa), t)));
    recon_onnx_value i0 = recon_graph_reduce(o, "ReduceMean", e, 2, 0);
    recon_onnx_value i1 =
        recon_graph_reduce(o, "ReduceMean", recon_graph_two(o, "Mul", e, t), 2, 0);
    m->log_norm =
        recon_graph_one(o, "Log", recon_graph_two(o, "Mul", i0, recon_onnx_number(o, 2 * M_PI)));
    m->spread = recon_graph_two(o, "Div", i1, i0);
}

/* As read_density() in maps/so2_heads.c, seen from psi n x 2. The outputs that say what it is. */
static mixture read_mixture(recon_onnx *o, recon_onnx_value y, recon_onnx_value psi)
{
    const recon_onnx_ints shape = RECON_ONNX_SHAPE(RECON_ONNX_BATCH, PARTS);
    mixture m;
    recon_onnx_value pairs =
        recon_graph_two(o, "Reshape", recon_graph_slice(o, y, 1, PARTS, 3 * PARTS),
                        recon_onnx_integers(o, (int64_t[]){ -1, 2 }, RECON_ONNX_SHAPE(2)));
    recon_onnx_value mean =
        recon_graph_two(o, "Reshape", recon_graph_unit(o, pairs),
                        recon_onnx_integers(o, (int64_t[]){ -1, PARTS, 2 }, RECON_ONNX_SHAPE(3)));
    m.weight = recon_onnx_op(o, "Softmax", RECON_ONNX_IN(recon_graph_slice(o, y, 1, 0, PARTS)),
                             RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", 1)));
    m.kappa = recon_graph_one(o, "Softplus", recon_graph_slice(o, y, 1, 3 * PARTS, 4 * PARTS));
    normalise(o, &m);
    recon_onnx_value px = recon_graph_slice(o, psi, 1, 0, 1),
                     py = recon_graph_slice(o, psi, 1, 1, 2);
    recon_onnx_value last = recon_onnx_integers(o, &(int64_t){ 2 }, RECON_ONNX_SHAPE(1));
    recon_onnx_value mx = recon_graph_two(o, "Squeeze", recon_graph_slice(o, mean, 2, 0, 1), last);
    recon_onnx_value my = recon_graph_two(o, "Squeeze", recon_graph_slice(o, mean, 2, 1, 2), last);
    m.cosine = recon_graph_two(o, "Add", recon_graph_two(o, "Mul", px, mx),
                               recon_graph_two(o, "Mul", py, my));
    m.sine = recon_graph_two(o, "Sub", recon_graph_two(o, "Mul", py, mx),
                             recon_graph_two(o, "Mul", px, my));
    recon_onnx_output(o, "weights", m.weight, RECON_ONNX_F32, shape);
    recon_onnx_output(o, "means", mean, RECON_ONNX_F32,
                      RECON_ONNX_SHAPE(RECON_ONNX_BATCH, PARTS, 2));
    recon_onnx_output(o, "kappas", m.kappa, RECON_ONNX_F32, shape);
    return m;
}

/* 1 - cos without cancellation. */
static recon_onnx_value one_less_cosine(recon_onnx *o, const mixture *m)
{
    recon_onnx_value one = recon_onnx_number(o, 1), zero = recon_onnx_number(o, 0);
    recon_onnx_value front = recon_graph_two(o, "Max", m->cosine, zero);
    recon_onnx_value near = recon_graph_two(o, "Div", recon_graph_two(o, "Mul", m->sine, m->sine),
                                            recon_graph_two(o, "Add", one, front));
    return recon_graph_choose(o, recon_graph_two(o, "Greater", m->cosine, zero), near,
                              recon_graph_two(o, "Sub", one, m->cosine));
}

/* beyond_vonmises() of each part, by Simpson's rule. */
static recon_onnx_value tails_of(recon_onnx *o, const mixture *m)
{
    float step[STEPS + 1], simpson[STEPS + 1];
    for (int i = 0; i <= STEPS; i++) {
        step[i] = (float)i / STEPS;
        simpson[i] = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
    }
    recon_onnx_value x = recon_graph_angle_of(o, m->cosine, recon_graph_one(o, "Abs", m->sine));
    recon_onnx_value width =
        recon_graph_one(o, "Sqrt", recon_graph_two(o, "Add", m->kappa, recon_onnx_number(o, 1)));
    recon_onnx_value reach =
        recon_graph_two(o, "Add", x, recon_graph_two(o, "Div", recon_onnx_number(o, 12), width));
    reach =
        recon_graph_two(o, "Sub", recon_graph_two(o, "Min", reach, recon_onnx_number(o, M_PI)), x);
    recon_onnx_value at =
        recon_graph_two(o, "Mul", last_axis(o, reach),
                        recon_onnx_floats(o, NULL, step, RECON_ONNX_SHAPE(STEPS + 1)));
    at = recon_graph_two(o, "Mul", recon_graph_two(o, "Add", at, last_axis(o, x)),
                         recon_onnx_number(o, 0.5));
    recon_onnx_value s = recon_graph_one(o, "Sin", at);
    recon_onnx_value power = recon_graph_two(
        o, "Mul", recon_graph_two(o, "Mul", s, s),
        last_axis(o, recon_graph_two(o, "Mul", m->kappa, recon_onnx_number(o, -2))));
    power = recon_graph_two(o, "Sub", power, last_axis(o, m->log_norm));
    recon_onnx_value sum = recon_graph_sum(
        o,
        recon_graph_two(o, "Mul", recon_graph_one(o, "Exp", power),
                        recon_onnx_floats(o, NULL, simpson, RECON_ONNX_SHAPE(STEPS + 1))),
        2, 0);
    sum = recon_graph_two(o, "Mul", recon_graph_two(o, "Mul", sum, reach),
                          recon_onnx_number(o, 2.0 / (3 * STEPS)));
    return recon_graph_two(o, "Min", sum, recon_onnx_number(o, 1));
}

void recon_graph_mixture(recon_onnx *o, recon_onnx_value y, recon_onnx_value psi,
                         const recon_tails *tails)
{
    int64_t place[PARTS];
    for (int i = 0; i < PARTS; i++)
        place[i] = i;
    mixture m = read_mixture(o, y, psi);
    recon_onnx_value log_part = recon_graph_two(
        o, "Sub", recon_graph_one(o, "Log", m.weight),
        recon_graph_two(o, "Add", m.log_norm,
                        recon_graph_two(o, "Mul", m.kappa, one_less_cosine(o, &m))));
    recon_onnx_value score =
        recon_graph_one(o, "Neg", recon_graph_reduce(o, "ReduceLogSumExp", log_part, 1, 1));
    /* Parts that count: see recon_so2_tail_point. */
    recon_onnx_value heavy =
        recon_graph_two(o, "GreaterOrEqual", m.weight, recon_onnx_number(o, RECON_KIND_LEAST));
    recon_onnx_value share = recon_graph_choose(o, heavy, log_part, recon_onnx_number(o, -1e30));
    recon_onnx_value least =
        recon_graph_two(o, "Add", recon_graph_reduce(o, "ReduceLogSumExp", share, 1, 1),
                        recon_onnx_number(o, log(RECON_KIND_SHARE)));
    recon_onnx_value best = recon_onnx_op(o, "ArgMax", RECON_ONNX_IN(share),
                                          RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", 1)));
    recon_onnx_value counts = recon_graph_two(
        o, "Or", recon_graph_two(o, "GreaterOrEqual", share, least),
        recon_graph_two(o, "Equal", recon_onnx_integers(o, place, RECON_ONNX_SHAPE(PARTS)), best));
    recon_onnx_value tail = recon_graph_reduce(
        o, "ReduceMax", recon_graph_choose(o, counts, tails_of(o, &m), recon_onnx_number(o, 0)), 1,
        1);
    recon_onnx_value sharpness = recon_graph_two(o, "Sub", recon_onnx_number(o, 1),
                                                 recon_graph_gather(o, m.spread, best, 1));
    recon_graph_put_scores(o, score, sharpness, tail, tails);
}
